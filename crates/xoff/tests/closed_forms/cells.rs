//! Memory that is given out in cells holds as many frames as fit into whole ones.

use crate::{run, simulation};

/// Returns the most bytes that a switch's memory holds, of 166,400 bytes or 800 cells of 208 bytes.
///
/// Two hosts send frames of this payload and 58 bytes of headers five times as fast as they leave.
fn peak(payload: u64, cell: &str) -> u64 {
    let simulation = simulation(&format!(
        "title = 'cells'\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '10Gbps', delay = '1us' }}, links = [\
         {{ between = ['host0', 'switch0'], rate = '25Gbps' }}, {{ between = ['host1', 'switch0'], rate = '25Gbps' }}] }}\n\
         switch = [{{ total = '166400B', buffer = {{ policy = 'complete_sharing' }}{cell} }}]\n\
         transport.steady = {{ kind = 'constant_rate', payload = '{payload}B' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'steady', \
         pairs = [['host0', 'host2'], ['host1', 'host2']], size = '{}B' }}]",
        payload * 2_000
    ));
    run(&simulation).switches[0].peak().get()
}

/// 110 frames of 1500 bytes fit, or 2600 of 64; in cells, 100 frames of eight cells or 800 of one (as in
/// `switch/cell.rs`).
#[test]
fn a_full_memory_holds_whole_cells() {
    let cell = ", cell = { size = '208B' }";
    assert_eq!([peak(1_442, ""), peak(6, "")], [110 * 1_500, 2_600 * 64]);
    assert_eq!([peak(1_442, cell), peak(6, cell)], [100 * 8 * 208, 800 * 208]);
    // A frame of 200 bytes takes two cells, its description among them.
    assert_eq!(peak(142, cell), 400 * 416);
}

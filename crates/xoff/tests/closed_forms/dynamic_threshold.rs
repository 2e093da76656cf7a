//! Dynamic Threshold's fixed point: M saturated queues hold alpha B / (1 + M alpha) each (Choudhury and Hahne,
//! IEEE/ACM ToN 1998; BCC, APNet 2017, section 4.2).

use xoff::engine::Quantity;
use xoff::kernel::units::Span;

use crate::{least, mean, most, recorded, run, simulation, validate};

const FRAME: f64 = 1500.0;

/// `queues` senders on faster links, each faster than the port of its receiver; they start one after another.
fn occupancies(queues: usize, alpha: &str, total: &str) -> Vec<Vec<f64>> {
    let links: Vec<String> = (0..queues)
        .map(|sender| format!("{{ between = ['host{sender}', 'switch0'], rate = '100Gbps' }}"))
        .collect();
    let pairs: Vec<String> =
        (0..queues).map(|sender| format!("['host{sender}', 'host{}']", queues + sender)).collect();
    let simulation = simulation(&format!(
        "title = 'fixed point'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
         links = [{}] }}\n\
         switch = [{{ total = '{total}', buffer = {{ policy = 'dynamic_threshold', alpha = '{alpha}' }} }}]\n\
         transport.steady = {{ kind = 'constant_rate', payload = '1442B', rate = '17.3Gbps' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'steady', pairs = [{}], stagger = '12345ns' }}]\n\
         stop = {{ at = '20ms' }}\nobserve = {{ queues = {{ every = '777ns', of = ['switch0.*'] }} }}",
        2 * queues,
        links.join(", "),
        pairs.join(", "),
    ));
    let outcome = run(&simulation);
    let of_port = |port| {
        let name = format!("switch0.port{port}");
        recorded(&simulation, &outcome, Quantity::Queue, &name, Span::from_milliseconds(15))
    };
    (queues..2 * queues).map(of_port).collect()
}

/// A packet that leaves lifts the threshold by alpha packets, and a queue below it takes one more. So each queue stays
/// within 1 + alpha packets of the fixed point, and on average they are closer.
fn settles_at(queues: usize, alpha: &str, total: &str, expected: f64) {
    let occupancies = occupancies(queues, alpha, total);
    let (numerator, denominator) = alpha.split_once('/').unwrap_or((alpha, "1"));
    let number = |text: &str| text.parse::<f64>().expect("a whole number");
    let grain = (1.0 + number(numerator) / number(denominator)) * FRAME;
    for (queue, occupancy) in occupancies.iter().enumerate() {
        let (least, most) = (least(occupancy), most(occupancy));
        let away = (least - expected).abs().max((most - expected).abs());
        assert!(occupancy.len() > 4_000);
        assert!(away <= grain, "queue {queue} of {queues} holds {least} to {most}, not {expected}");
    }
    let average = mean(&occupancies.iter().map(|occupancy| mean(occupancy)).collect::<Vec<_>>());
    validate(&format!("{queues} queues, alpha {alpha}: mean bytes of each"), expected, average, FRAME);
}

/// Computed by hand from that.
#[test]
fn saturated_queues_settle_at_the_fixed_point() {
    settles_at(1, "4", "3MB", 2_400_000.0);
    settles_at(4, "4", "3MB", 705_882.35);
    settles_at(8, "4", "3MB", 363_636.36);
    settles_at(1, "1/16", "16MB", 941_176.0);
    settles_at(8, "1", "4MB", 4e6 / 9.0);
}

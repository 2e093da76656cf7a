//! Adaptive routing: the port with the least work before it. Among several the choice begins at a random place, so that
//! they take turns.

use super::Load;
use crate::kernel::rng::{Rng, below};

pub(super) fn least_loaded(ports: &[u32], rng: &mut Rng, load: impl Fn(u32) -> Load) -> u32 {
    if let [port] = ports {
        return *port;
    }
    let first = below(rng, ports.len() as u64) as usize;
    let (before, from) = ports.split_at(first);
    // Of equal ones the first is taken.
    let least = from.iter().chain(before).min_by_key(|port| load(**port));
    *least.expect("there are ports")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::Bytes;

    #[test]
    fn a_link_that_is_up_goes_first_then_the_shortest_queue_then_an_idle_wire() {
        let mut rng = stream(1, Purpose::LoadBalancing, 0);
        let least = |loads: [(bool, u64, bool); 3], rng: &mut Rng| {
            least_loaded(&[0, 1, 2], rng, |port| {
                let (is_down, queued, is_busy) = loads[port as usize];
                Load { is_down, queued: Bytes::new(queued), is_busy }
            })
        };
        for _ in 0..20 {
            assert_eq!(least([(true, 0, false), (false, 9000, true), (false, 9001, false)], &mut rng), 1);
            assert_eq!(least([(false, 0, true), (false, 0, true), (false, 0, false)], &mut rng), 2);
        }
        let equal: Vec<u32> = (0..60).map(|_| least([(false, 0, false); 3], &mut rng)).collect();
        assert!((0..3).all(|port| equal.contains(&port)));
    }
}

//! Laws of every scheduler.

use proptest::prelude::*;
use xoff::internals::classes::{Classes, PRIORITIES};
use xoff::internals::scheduler::Parameters;
use xoff::units::Bytes;

use crate::cases::cases;
use crate::settings;

/// Frames that come to a class, and the number of packets that leave after that.
type Step = (usize, u64, usize);

fn any_scheduler() -> impl Strategy<Value = Parameters> {
    proptest::sample::select(Parameters::NAMES).prop_flat_map(|name| settings::of("scheduler", name))
}

fn any_step() -> impl Strategy<Value = Step> {
    (0..PRIORITIES, 64..9018_u64, 0..3_usize)
}

proptest! {
    #![proptest_config(cases(1000))]

    /// A port that has something to send sends something, and only a class that is ready.
    #[test]
    fn what_is_picked_is_ready(
        parameters in any_scheduler(),
        paused in any::<u8>(),
        steps in proptest::collection::vec(any_step(), 1..200),
    ) {
        let mut scheduler = parameters.start();
        let mut queues: [Vec<Bytes>; PRIORITIES] = Default::default();
        for (class, frame, leave) in steps {
            queues[class].insert(0, Bytes::new(frame));
            for _ in 0..leave {
                let waiting = (0..PRIORITIES).filter(|&class| !queues[class].is_empty());
                let ready = waiting.collect::<Classes>() - Classes::from_mask(paused);
                if !ready.is_empty() {
                    let picked = scheduler.pick(ready, |class| *queues[class].last().expect("it is ready"));
                    prop_assert!(ready.contains(picked));
                    queues[picked].pop();
                    if queues[picked].is_empty() {
                        scheduler.on_empty(picked);
                    }
                }
            }
        }
    }
}

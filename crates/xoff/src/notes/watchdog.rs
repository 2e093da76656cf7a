//! Note about a PFC watchdog whose queues send into a pause.

use super::{Simulation, in_microseconds};
use crate::scenario::WatchdogAction;

/// Notes a watchdog that forwards. In SONiC's design, too, its queue no longer honours PFC frames. Headroom is for
/// packets that were under way as a pause began, and the queue sends until the storm is over.
pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let pfc = &simulation.scenario().pfc;
    let forwards = pfc.watchdog.is_some_and(|watchdog| watchdog.action == WatchdogAction::Forward);
    if !forwards {
        return Vec::new();
    }
    let detection = in_microseconds(pfc.detection_time);
    vec![format!(
        "pfc.watchdog: with action = \"forward\" a queue that has been paused for {detection} sends on in spite of the pause, \
         more than headroom is for: lossless packets may be dropped behind it; a longer detection_time leaves alone what is \
         no storm"
    )]
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn only_a_watchdog_that_forwards_breaks_the_promise_of_headroom() {
        let notes_with = |action| {
            let mut notes = notes(
                "{ kind = 'permutation', transport = 'roce', size = '1kB' }",
                &format!(
                    "class = [{{ priority = 0, lossless = true }}, {{ priority = 7 }}]\n\
                     switch = [{{ total = '10MB', pfc = {{}} }}]\n\
                     pfc = {{ detection_time = '20us', watchdog = {{ action = '{action}' }} }}"
                ),
            );
            notes.retain(|note| note.starts_with("pfc.watchdog"));
            notes
        };
        assert_eq!(
            notes_with("forward"),
            [
                "pfc.watchdog: with action = \"forward\" a queue that has been paused for 20 us sends on in spite of the \
                 pause, more than headroom is for: lossless packets may be dropped behind it; a longer detection_time leaves \
                 alone what is no storm"
            ]
        );
        assert_eq!(notes_with("drop"), [""; 0]);
    }
}

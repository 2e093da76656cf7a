//! Check, before a run, whether senders are paused before anything is marked.
//!
//! ECN marks a queue at its output, and PFC pauses by the bytes held from an input. If the pause threshold of one input
//! is below the marking threshold of an output, a single input is paused before its packets are marked.

use crate::kernel::units::Bytes;

/// Finding that a queue marks late: senders at one port, or at a few, are paused before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PauseFirst {
    /// Most bytes that come in by one port before its sender is paused.
    held: Bytes,
    /// Length of a queue up to which nothing is marked.
    threshold: Bytes,
    /// Number of ports that must feed a queue for it to mark before their senders are paused; none if no number
    /// suffices.
    feeding: Option<usize>,
}

impl PauseFirst {
    /// Compares pauses with a marking threshold; none if marks come first even when a single port feeds the queue.
    ///
    /// `unpaused` gives the bytes that one port, the second and so on may hold before a pause, and `ports` is the
    /// number of the switch's ports.
    pub(super) fn of(unpaused: impl Iterator<Item = Bytes>, threshold: Bytes, ports: usize) -> Option<Self> {
        // A packet does not leave by the port that it came by.
        let mut unpaused = unpaused.take(ports - 1);
        let held = unpaused.next().filter(|held| *held <= threshold)?;
        let feeding = unpaused.position(|held| held > threshold).map(|beyond_the_first| beyond_the_first + 2);
        Some(Self { held, threshold, feeding })
    }

    /// Writes the note about a class, or several.
    pub(super) fn note(&self, class: &str) -> String {
        let Self { held, threshold, feeding } = self;
        let unless = match feeding {
            Some(ports) => format!(" unless {ports} ports or more feed a queue"),
            None => ", however many ports feed a queue".to_owned(),
        };
        format!(
            "class {class}: PFC comes before ECN{unless}: no port holds more than {held} before its sender is paused, and queues \
             mark above {threshold}"
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::simulation::Simulation;
    use crate::workload::Files;

    /// Returns the notes of a switch with four ports and a lossless pool of 400 kB.
    fn notes(xoff: &str, marking: &str) -> Vec<String> {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
             class = [{{ priority = 3, lossless = true }}, {{ priority = 4, lossless = true }}, {{ priority = 5, lossless = true }}]\n\
             transport.roce = {{ kind = 'roce', control_priority = 3 }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB', priority = [3, 4] }}]\n\
             switch = [{{ total = '2MB', marking = {{ {marking} }}, \
             pfc = {{ lossless_pool = '400kB', xon_offset = '0B', xoff = {{ {xoff} }} }} }}]"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        Simulation::new(&scenario, &Files::new()).unwrap().notes()
    }

    fn of_threshold(xoff: &str, bytes: u64) -> Vec<String> {
        notes(xoff, &format!("queue = {{ kind = 'threshold', threshold = '{bytes}B' }}"))
    }

    /// With alpha 1 a port alone is paused at half of the pool. If it stays below and another port comes after it, that
    /// gets half of the rest, and the next half of that.
    #[test]
    fn what_ports_hold_before_a_pause_is_held_against_where_marks_begin() {
        let first = |unless: &str, held: u64, threshold: &str| {
            [format!(
                "switch0: class 3, 4: PFC comes before ECN{unless}: no port holds more than {held}B before its sender is paused, \
                 and queues mark above {threshold}"
            )]
        };
        let [two, three] = [2, 3].map(|ports| format!(" unless {ports} ports or more feed a queue"));
        let always = ", however many ports feed a queue";
        let at = |bytes| of_threshold("policy = 'dynamic_threshold', alpha = 1", bytes);
        assert_eq!(at(199_998), [""; 0]);
        assert_eq!(at(199_999), first(&two, 199_999, "199999B"));
        assert_eq!(at(299_998), first(&two, 199_999, "299998B"));
        assert_eq!(at(300_000), first(&three, 199_999, "300kB"));
        assert_eq!(at(350_000), first(always, 199_999, "350kB"));
        let fixed = |bytes| of_threshold("policy = 'static_threshold', threshold = '24470B'", bytes);
        assert_eq!(fixed(24_468), [""; 0]);
        assert_eq!(fixed(50_000), first(&three, 24_469, "50kB"));
        assert_eq!(fixed(100_000), first(always, 24_469, "100kB"));
    }

    #[test]
    fn nothing_is_said_where_something_else_marks() {
        let late = "kind = 'threshold', threshold = '350kB'";
        let notes =
            |marking: &str| notes("policy = 'dynamic_threshold', alpha = 1", &format!("queue = {marking}"));
        assert_eq!(notes(&format!("{{ {late} }}")).len(), 1);
        assert_eq!(notes(&format!("{{ {late} }}, port = {{ {late} }}")), [""; 0]);
        assert_eq!(notes("{ kind = 'red', minimum = '1kB', maximum = '350kB', probability = 1 }"), [""; 0]);
        assert_eq!(notes("{ kind = 'pi', reference = '350kB' }"), [""; 0]);
    }

    #[test]
    fn what_comes_first_is_said_of_the_class_that_marks_late() {
        let by_class = |class: u8, bytes: u64| {
            format!("queue_by_priority.{class} = {{ kind = 'threshold', threshold = '{bytes}B' }}")
        };
        let of = |marking: &str| notes("policy = 'dynamic_threshold', alpha = 1", marking);
        let told = of(&format!("{}, {}", by_class(3, 100_000), by_class(4, 350_000)));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("switch0: class 4: PFC comes before ECN"), "{told:?}");
    }
}

//! Keys of `switch.marking` that set a marker, and the rule which of them decides at a port.
//!
//! Several keys may set a marker for the same queue. A key for one class goes before the key for all, and a key at the
//! port's rate goes before one for every rate.

use std::fmt::{Display, Formatter};

use crate::classes::PRIORITIES;
use crate::kernel::units::Rate;
use crate::scenario::{ClassNumber, Marking, PortMarking};
use crate::switch::marking;

/// Places whose length a marker looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Queues,
    /// Queues of one class.
    Class(ClassNumber),
    Ports,
    Pools,
}

/// Key below `marking`, such as `queue` or `at_rate.10Gbps.queue_by_priority.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    of: Of,
    rate: Option<Rate>,
}

impl Key {
    pub(super) const POOL: Self = Self { of: Of::Pools, rate: None };

    /// Lists the keys that may decide at a port or queue, the strongest first: those of a class, then those of all
    /// classes; in each case at the port's rate first.
    fn candidates(of: Of, rate: Rate) -> impl Iterator<Item = Self> {
        let of_all = matches!(of, Of::Class(_)).then_some(Of::Queues);
        [of].into_iter().chain(of_all).flat_map(move |of| [Some(rate), None].map(|rate| Self { of, rate }))
    }

    /// Returns the key that decides at a port, or for the queues of a class there, if one does.
    pub(super) fn deciding(of: Of, rate: Rate, marking: &Marking) -> Option<Self> {
        Self::candidates(of, rate).find(|key| key.parameters(marking).is_some())
    }

    /// Lists the keys that set a marker.
    pub(super) fn all(marking: &Marking) -> impl Iterator<Item = Self> {
        let classes = (0..PRIORITIES as u8).map(ClassNumber).map(Of::Class);
        let at_ports: Vec<Of> = [Of::Queues, Of::Ports].into_iter().chain(classes).collect();
        let rates = [None].into_iter().chain(marking.at_rate.keys().copied().map(Some));
        let at_rates =
            rates.flat_map(move |rate| at_ports.clone().into_iter().map(move |of| Self { of, rate }));
        [Self::POOL].into_iter().chain(at_rates).filter(|key| key.parameters(marking).is_some())
    }

    /// Returns the marker that the key sets.
    pub(super) fn parameters(self, marking: &Marking) -> Option<&marking::Parameters> {
        let (queue, by_priority, port) = match self.rate {
            None => (&marking.queue, &marking.queue_by_priority, &marking.port),
            Some(rate) => {
                let PortMarking { queue, queue_by_priority, port } = marking.at_rate.get(&rate)?;
                (queue, queue_by_priority, port)
            }
        };
        match self.of {
            Of::Queues => queue.as_ref(),
            Of::Class(class) => by_priority.get(&class),
            Of::Ports => port.as_ref(),
            Of::Pools => marking.pool.as_ref(),
        }
    }
}

impl Display for Key {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        if let Some(rate) = self.rate {
            write!(formatter, "at_rate.{rate}.")?;
        }
        match self.of {
            Of::Queues => formatter.write_str("queue"),
            Of::Class(ClassNumber(class)) => write!(formatter, "queue_by_priority.{class}"),
            Of::Ports => formatter.write_str("port"),
            Of::Pools => formatter.write_str("pool"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SwitchLayout;
    use crate::workload::Files;
    use crate::{Scenario, Simulation};

    const K: &str = "kind = 'threshold', threshold";

    /// Makes hosts at 1, 10 and 100 Gbps at ports 0 to 2 of a switch, joined at 100 Gbps to another that has a host at
    /// 100 Gbps.
    fn simulation(switch: &str) -> Result<Simulation, String> {
        let text = format!(
            "topology = {{ kind = 'dumbbell', left = 3, right = 1, host_link = {{ rate = '100Gbps', delay = '1us' }}, \
             middle_link = {{ rate = '100Gbps', delay = '1us' }}, links = [\
             {{ between = ['host0', 'left'], rate = '1Gbps' }}, {{ between = ['host1', 'left'], rate = '10Gbps' }}] }}\n\
             transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
             workload = [{{ kind = 'permutation', transport = 'dctcp', size = '1MB' }}]\n\
             switch = [{switch}]"
        );
        let scenario = Scenario::from_toml(&text, &[]).map_err(|error| error.to_string())?;
        Simulation::new(&scenario, &Files::new()).map_err(|error| error.to_string())
    }

    fn problem(switch: &str) -> String {
        simulation(switch).map_or_else(|error| error, |_| "accepted".to_owned())
    }

    /// Returns the kB at which each port of the left switch marks.
    fn thresholds(switch: &str) -> Vec<Option<u64>> {
        let simulation = simulation(switch).unwrap_or_else(|error| panic!("{error}"));
        let SwitchLayout::SharedMemory(layout) = simulation.layout(4) else { panic!("a shared memory") };
        let least = |port| Some(layout.marks.least_port_threshold(port, 0)?.get() / 1000);
        (0..3).map(least).collect()
    }

    #[test]
    fn a_port_is_marked_as_its_rate_says_or_as_all_are() {
        let ten = format!("marking.at_rate.10Gbps.queue = {{ {K} = '97kB' }}");
        assert_eq!(thresholds(&format!("{{ {ten} }}")), [None, Some(97), None]);
        let all = format!("{{ marking.queue = {{ {K} = '30kB' }}, {ten} }}");
        assert_eq!(thresholds(&all), [Some(30), Some(97), Some(30)]);
        let queue_and_port =
            format!("{{ marking.queue = {{ {K} = '97kB' }}, {} }}", ten.replace("queue", "port"));
        assert_eq!(thresholds(&queue_and_port), [Some(97); 3]);
        let over =
            format!("{all}, {{ nodes = 'left', marking.at_rate = {{ 1Gbps.queue = {{ {K} = '9kB' }} }} }}");
        assert_eq!(thresholds(&over), [Some(9), Some(97), Some(30)]);
    }

    #[test]
    fn a_port_with_two_rates_marks_by_the_one_at_which_it_sends() {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '1Gbps', rate_back = '10Gbps', delay = '1us' }} }}\n\
             transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
             workload = [{{ kind = 'permutation', transport = 'dctcp', size = '1MB' }}]\n\
             switch = [{{ marking.at_rate.10Gbps.queue = {{ {K} = '97kB' }} }}]"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        let simulation = Simulation::new(&scenario, &Files::new()).unwrap();
        let SwitchLayout::SharedMemory(layout) = simulation.layout(2) else { panic!("a shared memory") };
        assert_eq!(layout.marks.least_port_threshold(0, 0).unwrap().get(), 97_000);
        let other = text.replace("at_rate.10Gbps", "at_rate.1Gbps");
        let error = Simulation::new(&Scenario::from_toml(&other, &[]).unwrap(), &Files::new()).unwrap_err();
        assert!(
            error.to_string().contains("no port of a switch \"*\" has this rate; expected 10Gbps"),
            "{error}"
        );
    }

    /// Returns the kB at which queues of classes 0 and 3 begin to mark, at each port of the left switch.
    fn thresholds_by_class(switch: &str) -> [[Option<u64>; 2]; 3] {
        let simulation = simulation(switch).unwrap_or_else(|error| panic!("{error}"));
        let SwitchLayout::SharedMemory(layout) = simulation.layout(4) else { panic!("a shared memory") };
        let of = |port, class| Some(layout.marks.queue_threshold(port, class)?.get() / 1000);
        [0, 1, 2].map(|port| [0, 3].map(|class| of(port, class)))
    }

    #[test]
    fn a_queue_is_marked_as_its_class_says_before_its_rate_and_all() {
        let (all, three) =
            (format!("queue = {{ {K} = '30kB' }}"), format!("queue_by_priority.3 = {{ {K} = '9kB' }}"));
        let of = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| format!("marking.{key}")).collect();
            thresholds_by_class(&format!("{{ {} }}", keys.join(", ")))
        };
        assert_eq!(of(&[&three]), [[None, Some(9)]; 3]);
        assert_eq!(of(&[&all, &three]), [[Some(30), Some(9)]; 3]);
        let ten = format!("at_rate.10Gbps.queue = {{ {K} = '97kB' }}");
        assert_eq!(
            of(&[&all, &three, &ten]),
            [[Some(30), Some(9)], [Some(97), Some(9)], [Some(30), Some(9)]]
        );
        let three_at_ten = format!("at_rate.10Gbps.{}", three.replace("9kB", "5kB"));
        assert_eq!(
            of(&[&all, &three, &ten, &three_at_ten]),
            [[Some(30), Some(9)], [Some(97), Some(5)], [Some(30), Some(9)]]
        );
        assert_eq!(of(&[&three_at_ten]), [[None; 2], [None, Some(5)], [None; 2]]);
    }

    #[test]
    fn a_marker_of_a_class_is_refused_by_its_own_key() {
        let of = |marker: &str| problem(&format!("{{ marking.queue_by_priority.3 = {{ {marker} }} }}"));
        assert_eq!(
            of("kind = 'bcc'"),
            "switch[0].marking.queue_by_priority.3: on left, bcc sets the thresholds of a pool; expected it in marking.pool of a switch with a shared memory"
        );
        assert_eq!(of("kind = 'codel'"), "accepted");
    }

    /// A port may have 500 kB of 1 MB, two at once have 333 kB each. Two ports have 100 Gbps, and one has 10.
    #[test]
    fn only_ports_of_a_threshold_are_busy_together() {
        let notes = |rate: &str| {
            let switch = format!(
                "{{ nodes = 'left', total = '1MB', marking.at_rate.{rate}.queue = {{ {K} = '400kB' }} }}"
            );
            simulation(&switch).unwrap().layout(4).notes().into_iter().collect::<Vec<_>>()
        };
        assert_eq!(notes("10Gbps"), [""; 0]);
        let late = "with 2 busy ports, packets are dropped before their threshold of 400kB marks any";
        assert_eq!(notes("100Gbps"), [late]);
    }

    #[test]
    fn a_rate_is_that_of_a_port() {
        let at = |nodes: &str, rate: &str| {
            problem(&format!("{{ nodes = '{nodes}', marking.at_rate.{rate}.queue = {{ {K} = '97kB' }} }}"))
        };
        assert_eq!(at("*", "1Gbps"), "accepted");
        for (nodes, rate, nearest) in [
            ("*", "25Gbps", "10Gbps or 100Gbps"),
            ("left", "400Gbps", "100Gbps"),
            ("r*", "10Gbps", "100Gbps"),
        ] {
            assert_eq!(
                at(nodes, rate),
                format!(
                    "switch[0].marking.at_rate.{rate}: no port of a switch \"{nodes}\" has this rate; expected {nearest}"
                )
            );
        }
    }

    #[test]
    fn a_marker_of_a_rate_is_refused_by_its_own_key() {
        let at = |place: &str, marker: &str| {
            let marking = format!("marking.at_rate.10Gbps.{place} = {{ {marker} }}");
            problem(&format!("{{ total = '1MB', marking.queue = {{ {K} = '30kB' }} }}, {{ {marking} }}"))
        };
        assert_eq!(
            at("port", "kind = 'codel'"),
            "switch[1].marking.at_rate.10Gbps.port: on left, codel drops what leaves a queue of a switch; \
             expected it in marking.queue of a switch with a shared memory"
        );
        let marked = format!("{{ chip = 'cat4948', marking.at_rate.10Gbps.queue = {{ {K} = '30kB' }} }}");
        assert_eq!(
            problem(&marked),
            "switch[0].marking.at_rate.10Gbps.queue: on left, the chip cat4948 marks nothing; \
             expected a chip with ECN, or no marker"
        );
    }
}

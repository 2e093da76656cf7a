//! Notes on retransmission timeouts that are over before any acknowledgement can be back.

use super::round_trips::round_trips;
use super::{Simulation, in_microseconds};
use crate::classes::Classes;
use crate::kernel::units::Span;
use crate::scenario::{RoceRecovery, Transport};

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let in_use = simulation.transports_in_use();
    let transports = simulation.scenario().transport.iter().enumerate();
    let of_them = transports.filter(|(_, (name, _))| in_use.contains(name.as_str()));
    of_them.filter_map(|(index, (name, transport))| note(simulation, index, name, transport)).collect()
}

fn note(simulation: &Simulation, index: usize, name: &str, transport: &Transport) -> Option<String> {
    let timeouts = timeouts(simulation, name, transport);
    let least = timeouts.iter().map(|(_, timeout)| *timeout).min()?;
    let (longest, ends) = round_trips(simulation, index, name).max()?;
    if least >= longest {
        return None;
    }
    let below = timeouts.iter().filter(|(_, timeout)| *timeout < longest);
    let below: Vec<String> = below.map(|(key, timeout)| format!("{key} of {timeout}")).collect();
    let verb = if below.len() == 1 { "is" } else { "are" };
    let effect = match transport {
        Transport::Tcp(_) => {
            "what a flow sends first is sent again although nothing is lost; set a longer initial_rto"
        }
        _ => "what is on its way is sent again although nothing is lost; set a longer timeout",
    };
    let [from, to] = ends.map(|host| simulation.name(host));
    Some(format!(
        "transport.{name}: {} {verb} below the round trip from {from} to {to} on an idle network, {}: {effect}",
        below.join(" and "),
        in_microseconds(longest)
    ))
}

/// Returns the timeouts that expire first, by their keys. Later ones of TCP follow the round trips that it measures.
fn timeouts(simulation: &Simulation, name: &str, transport: &Transport) -> Vec<(&'static str, Span)> {
    match transport {
        Transport::Tcp(tcp) => match tcp.initial_rto {
            Some(initial) => vec![("initial_rto", initial)],
            None => vec![("minimum_rto", tcp.minimum_rto)],
        },
        Transport::Roce(roce) => match &roce.recovery {
            RoceRecovery::GoBackN(settings) => vec![("recovery.timeout", settings.timeout)],
            RoceRecovery::SelectiveRepeat(settings) => {
                let lossy = Classes::ALL - simulation.scenario().lossless_classes();
                let times_out =
                    settings.timeouts_with_pfc || simulation.transports_of(lossy).any(|other| other == name);
                let low =
                    (settings.few_packets > 0).then_some(("recovery.timeout_low", settings.timeout_low));
                let both = low.into_iter().chain([("recovery.timeout_high", settings.timeout_high)]);
                both.filter(|_| times_out).collect()
            }
        },
        Transport::ConstantRate(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    /// At 10 Gbps a full packet of 1538 B takes 1230.4 ns over each of two links, an acknowledgement of 84 B 67.2 ns. Each
    /// link is 1 us long: 6.5952 us there and back. RoCE has 1106 B and 86 B: 5.9072 us.
    #[test]
    fn a_timeout_below_the_round_trip_is_noted() {
        let of = |keys: &str, workload: &str| {
            let transport = format!("transport.hasty = {{ {keys} }}");
            notes(&format!("{{ {workload}, transport = 'hasty' }}"), &transport)
        };
        let permutation = "kind = 'permutation', size = '1MB'";
        let tcp = |keys: &str| format!("kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, {keys}");
        let noted = |keys: &str, trip: &str, effect: &str| {
            [format!(
                "transport.hasty: {keys} below the round trip from host3 to host2 on an idle network, {trip}: {effect}"
            )]
        };
        let first =
            "what a flow sends first is sent again although nothing is lost; set a longer initial_rto";
        let any = "what is on its way is sent again although nothing is lost; set a longer timeout";
        assert_eq!(
            of(&tcp("minimum_rto = '6595ns'"), permutation),
            noted("minimum_rto of 6595ns is", "6.6 us", first)
        );
        assert_eq!(of(&tcp("minimum_rto = '6596ns'"), permutation), [""; 0]);
        assert_eq!(of(&tcp("minimum_rto = '1us', initial_rto = '7us'"), permutation), [""; 0]);
        assert_eq!(
            of(&tcp("minimum_rto = '10us', initial_rto = '6us'"), permutation),
            noted("initial_rto of 6us is", "6.6 us", first)
        );
        let roce = |recovery: &str| format!("kind = 'roce', recovery = {{ {recovery} }}");
        let go_back_n =
            |timeout: &str| of(&roce(&format!("kind = 'go_back_n', timeout = '{timeout}'")), permutation);
        assert_eq!(go_back_n("5907ns"), noted("recovery.timeout of 5907ns is", "5.91 us", any));
        assert_eq!(go_back_n("5908ns"), [""; 0]);
        let selective = |rest: &str| of(&roce(&format!("kind = 'selective_repeat', {rest}")), permutation);
        assert_eq!(
            selective("timeout_low = '2us', timeout_high = '3us'"),
            noted("recovery.timeout_low of 2us and recovery.timeout_high of 3us are", "5.91 us", any)
        );
        assert_eq!(selective("timeout_low = '2us'"), noted("recovery.timeout_low of 2us is", "5.91 us", any));
        assert_eq!(selective("timeout_low = '2us', few_packets = 0"), [""; 0]);
        let query = "kind = 'query', response = '1kB', aggregators = ['host0'], queries = 2";
        let collective = "kind = 'collective', operation = 'all_gather', algorithm = 'ring', size = '1MB'";
        for workload in [query, collective] {
            assert!(
                of(&tcp("minimum_rto = '1us'"), workload)[0].contains("minimum_rto of 1us is below"),
                "{workload}"
            );
        }
    }
}

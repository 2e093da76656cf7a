//! Notes on losses that a transport finds late or never, and on packets that it takes for lost although they arrive.

use crate::classes::Classes;
use std::collections::BTreeSet;

use super::{Simulation, in_gigabits, trimming};
use crate::kernel::units::Rate;
use crate::scenario::{LinkEvent, LinkState, RoceRecovery, Transport, Watchdog, WatchdogAction};
use crate::topology::Link;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let mut notes: Vec<String> = last_packets_lost_for_ever(simulation).collect();
    notes.extend(reordering(simulation));
    notes.extend(overtaking_flowlets(simulation));
    notes.extend(late_losses(simulation));
    notes.extend(late_acknowledgements(simulation));
    notes
}

/// Notes lossless classes in which the last packets of a flow may be lost, and no timeout resends them.
fn last_packets_lost_for_ever(simulation: &Simulation) -> impl Iterator<Item = String> {
    let fails = |event: &LinkEvent| event.state == Some(LinkState::Down);
    let drops = |watchdog: &Watchdog| watchdog.action == WatchdogAction::Drop;
    let loses = simulation.network().links.iter().any(Link::corrupts)
        || simulation.scenario().link_event.iter().any(fails)
        || simulation.scenario().pfc.watchdog.as_ref().is_some_and(drops);
    let names = simulation.transports_of(simulation.scenario().lossless_classes());
    names.filter(move |name| loses && simulation.scenario().transport[*name].relies_on_pfc()).map(|name| {
        format!(
            "transport.{name}: packets may be lost (links that corrupt them or fail, a watchdog that drops), and \
             selective repeat has no timeout with PFC for the last of a flow; set recovery.timeouts_with_pfc"
        )
    })
}

/// Notes transports that take packets for lost when these come by a longer way.
fn reordering(simulation: &Simulation) -> Vec<String> {
    let routing = simulation.scenario().topology.routing().kind;
    if !simulation.routes().have_choices() {
        return Vec::new();
    }
    let reorders =
        |name: &&str| routing.is_by_packet() || simulation.scenario().transport[*name].is_sprayed();
    let takes = |transport: &Transport| match transport {
        Transport::Tcp(tcp) => (tcp.duplicate_threshold <= 3)
            .then_some("TCP takes the packet before three others for lost; more with `duplicate_threshold`"),
        Transport::Roce(roce) => match &roce.recovery {
            RoceRecovery::GoBackN(_) => Some(
                "go-back-N takes every packet before another for lost; selective repeat has `reordering`",
            ),
            RoceRecovery::SelectiveRepeat(settings) => (settings.reordering == 0).then_some(
                "selective repeat takes every packet before another for lost, until it has `reordering`",
            ),
        },
        Transport::ConstantRate(_) => None,
    };
    let names = simulation.transports_in_use().into_iter().filter(reorders);
    let noted = names.filter_map(|name| Some((name, takes(&simulation.scenario().transport[name])?)));
    let note = |(name, takes): (&str, &str)| {
        let by = if routing.is_by_packet() { routing.to_string() } else { "spraying".to_owned() };
        format!("transport.{name}: by {by} packets come out of order, and {takes}")
    };
    noted.map(note).collect()
}

/// Notes go-back-N where a flowlet may overtake the one before it.
fn overtaking_flowlets(simulation: &Simulation) -> impl Iterator<Item = String> {
    let overtake =
        simulation.scenario().topology.routing().kind.is_by_flowlet() && simulation.routes().have_choices();
    let names = simulation.transports_in_use().into_iter().filter(move |name| {
        let transport = &simulation.scenario().transport[*name];
        overtake
            && matches!(transport, Transport::Roce(roce) if matches!(roce.recovery, RoceRecovery::GoBackN(_)))
    });
    let note = |name| {
        format!(
            "transport.{name}: a flowlet overtakes the one before it where that waits longer than topology.flowlet_gap, and \
             go-back-N sends again what was overtaken; set a longer gap, or selective repeat with `reordering`"
        )
    };
    names.map(note)
}

/// Notes selective repeat that waits for more packets behind a missing one than may be in flight.
fn late_losses(simulation: &Simulation) -> impl Iterator<Item = String> {
    // Where packets are trimmed, receivers tell of most losses.
    let are_told = trimming::is_in_use(simulation);
    let names = simulation.transports_in_use().into_iter().filter(move |_| !are_told);
    names.filter_map(|name| {
        let Transport::Roce(roce) = &simulation.scenario().transport[name] else { return None };
        let RoceRecovery::SelectiveRepeat(settings) = &roce.recovery else { return None };
        let (window, reordering) = (settings.window, settings.reordering);
        let never = roce.payload * (u64::from(reordering) + 1) >= window;
        (reordering > 0 && never).then(|| {
            format!(
                "transport.{name}: {reordering} packets behind a missing one are more than a window of {window} holds, so \
                 that only timeouts find losses; set a smaller recovery.reordering or a larger recovery.window"
            )
        })
    })
}

/// Notes selective repeat whose acknowledgements wait for more packets than may come before its timeout.
fn late_acknowledgements(simulation: &Simulation) -> impl Iterator<Item = String> {
    let lossy = Classes::ALL - simulation.scenario().lossless_classes();
    let of_lossy: BTreeSet<&str> = simulation.transports_of(lossy).collect();
    simulation.transports_in_use().into_iter().filter_map(move |name| {
        let Transport::Roce(roce) = &simulation.scenario().transport[name] else { return None };
        let RoceRecovery::SelectiveRepeat(settings) = &roce.recovery else { return None };
        let times_out = settings.timeouts_with_pfc || of_lossy.contains(name);
        let every = roce.acknowledge_every;
        if every == 1 || !times_out {
            return None;
        }
        let (timeout, key) = if every < settings.few_packets {
            (settings.timeout_low, "timeout_low")
        } else {
            (settings.timeout_high, "timeout_high")
        };
        let on_wire = roce.payload + roce.packet_headers() + roce.wire_overhead;
        let bits = (on_wire * u64::from(every)).as_f64() * 8.0;
        let rate = in_gigabits(Rate::from_f64(bits / timeout.as_seconds()));
        Some(format!(
            "transport.{name}: below {rate} a flow times out before {every} packets have come, which are acknowledged \
             together, and sends again what has arrived; set acknowledge_every = 1 or a longer recovery.{key}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{notes, notes_of};

    #[test]
    fn without_timeouts_what_a_link_corrupts_may_be_lost_for_ever() {
        let of = |recovery: &str, error_rate: &str, lossless: bool| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
                 links = [{{ between = ['host1', 'switch0'], error_rate = {error_rate} }}] }}\n\
                 class = [{{ priority = 0, lossless = {lossless} }}, {{ priority = 7 }}]\n\
                 switch = [{{ pfc = {{}} }}]\n\
                 transport.roce = {{ kind = 'roce', recovery = {{ {recovery} }} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]"
            );
            notes_of(&text)
        };
        let selective = "kind = 'selective_repeat'";
        assert_eq!(
            of(selective, "0.1", true),
            [
                "transport.roce: packets may be lost (links that corrupt them or fail, a watchdog that drops), and \
                 selective repeat has no timeout with PFC for the last of a flow; set recovery.timeouts_with_pfc"
            ]
        );
        assert_eq!(of(selective, "0", true), [""; 0]);
        assert_eq!(of(&format!("{selective}, timeouts_with_pfc = true"), "0.1", true), [""; 0]);
        assert_eq!(of("kind = 'go_back_n'", "0.1", true), [""; 0]);
    }

    #[test]
    fn what_packets_out_of_order_are_taken_for_is_noted() {
        let of = |routing: &str, transport: &str| {
            let text = format!(
                "topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, routing = '{routing}', \
                 host_link = {{ rate = '10Gbps', delay = '1us' }}, fabric_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
                 transport.x = {{ {transport} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'x', size = '1MB' }}]"
            );
            notes_of(&text)
        };
        let reno = "kind = 'tcp', congestion_control = { algorithm = 'reno' }";
        let note = |takes: &str| [format!("transport.x: by adaptive packets come out of order, and {takes}")];
        let three = "TCP takes the packet before three others for lost; more with `duplicate_threshold`";
        assert_eq!(of("adaptive", reno), note(three));
        assert_eq!(of("adaptive", &format!("{reno}, duplicate_threshold = 100")), [""; 0]);
        let every = "go-back-N takes every packet before another for lost; selective repeat has `reordering`";
        assert_eq!(of("adaptive", "kind = 'roce'"), note(every));
        let selective =
            |rest: &str| format!("kind = 'roce', recovery = {{ kind = 'selective_repeat', {rest} }}");
        assert_eq!(
            of("adaptive", &selective("")),
            note("selective repeat takes every packet before another for lost, until it has `reordering`")
        );
        assert_eq!(of("adaptive", &selective("reordering = 9")), [""; 0]);
        assert_eq!(of("flowlet", reno), [""; 0]);
        assert_eq!(of("flowlet", &selective("")), [""; 0]);
        let [overtaken] = &of("flowlet", "kind = 'roce'")[..] else { panic!("one note") };
        assert!(
            overtaken.starts_with("transport.x: a flowlet overtakes the one before it where"),
            "{overtaken}"
        );
        assert_eq!(of("adaptive", "kind = 'constant_rate'"), [""; 0]);
    }

    #[test]
    fn losses_that_only_timeouts_find_are_noted() {
        let of = |reordering: u32| {
            let recovery =
                format!("{{ kind = 'selective_repeat', window = '100kB', reordering = {reordering} }}");
            let transport =
                format!("transport.patient = {{ kind = 'roce', payload = '1000B', recovery = {recovery} }}");
            notes("{ kind = 'permutation', transport = 'patient', size = '1MB' }", &transport)
        };
        assert_eq!(of(98), [""; 0]);
        let note = "transport.patient: 99 packets behind a missing one are more than a window of 100kB holds, so that \
                    only timeouts find losses; set a smaller recovery.reordering or a larger recovery.window";
        assert_eq!(of(99), [note]);
    }

    /// Eight packets of 1000 B have 1078 B on the wire each: 68,992 bits in 320 us.
    #[test]
    fn acknowledgements_that_wait_longer_than_a_timeout_are_noted() {
        let of = |keys: &str, lossless: bool| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
                 class = [{{ priority = 0, lossless = {lossless} }}, {{ priority = 7 }}]\n\
                 switch = [{}]\n\
                 transport.roce = {{ kind = 'roce', payload = '1000B', {keys} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]",
                if lossless { "{ pfc = {} }" } else { "" }
            );
            notes_of(&text)
        };
        let every = |packets: u32, rest: &str| {
            format!("acknowledge_every = {packets}, recovery = {{ kind = 'selective_repeat'{rest} }}")
        };
        let [note] = &of(&every(8, ""), false)[..] else { panic!("one note") };
        assert!(
            note.starts_with("transport.roce: below 0.216 Gb/s a flow times out before 8 packets have come"),
            "{note}"
        );
        assert!(note.ends_with("a longer recovery.timeout_high"), "{note}");
        assert!(of(&every(2, ""), false)[0].ends_with("a longer recovery.timeout_low"));
        assert_eq!(of(&every(8, ", timeouts_with_pfc = true"), true).len(), 1);
        for (keys, lossless) in
            [(every(8, ""), true), (every(1, ""), false), ("acknowledge_every = 8".to_owned(), false)]
        {
            assert_eq!(of(&keys, lossless), [""; 0], "{keys}");
        }
    }
}

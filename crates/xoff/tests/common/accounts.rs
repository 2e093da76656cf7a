//! Accounts of a run that has ended: packets, memory and records of telemetry, against what nodes and wires hold.

use xoff::Simulation;
use xoff::internals::classes::Classes;
use xoff::internals::engine::Outcome;
use xoff::internals::host::{Host, HostCounters};
use xoff::internals::observer::DropReason;
use xoff::internals::packet::Packet;
use xoff::internals::port::{Port, PortCounters};
use xoff::internals::scenario::WatchdogAction;
use xoff::internals::switch::Switch;
use xoff::internals::switch::pausing::Pausing;
use xoff::units::Bytes;

/// Ports of all hosts and switches.
pub(crate) fn ports(outcome: &Outcome) -> impl Iterator<Item = &Port> {
    let hosts = outcome.hosts.iter().map(Host::port);
    hosts.chain(outcome.switches.iter().flat_map(Switch::ports))
}

/// Sum of a count of drops over all ports.
pub(crate) fn dropped(outcome: &Outcome, counters: impl Fn(&PortCounters) -> u64) -> u64 {
    ports(outcome).map(|port| counters(&port.counters)).sum()
}

/// Packets in queues and host delays.
pub(crate) fn inside(outcome: &Outcome) -> impl Iterator<Item = &Packet> {
    let in_hosts = outcome.hosts.iter().flat_map(Host::packets_inside);
    in_hosts.chain(outcome.switches.iter().flat_map(Switch::packets_inside))
}

/// Holds that each packet that a host or a switch made was delivered, or dropped and counted, or is still under way.
pub(crate) fn every_packet_is_accounted_for(outcome: &Outcome) {
    let held = outcome.in_flight();
    let sum = |counter: fn(&HostCounters) -> u64| {
        outcome.hosts.iter().map(|host| counter(&host.counters)).sum::<u64>()
    };
    assert_eq!(
        sum(|host| host.data_sent),
        sum(|host| host.data_delivered) + dropped(outcome, |port| port.dropped_data.iter().sum()) + held.data,
        "data packets"
    );
    let headers_dropped: u64 = ports(outcome).map(Port::trimmed_dropped).sum();
    assert_eq!(
        dropped(outcome, |port| port.dropped_data[DropReason::Trimmed as usize]),
        sum(|host| host.trimmed_delivered) + headers_dropped + held.headers,
        "headers of trimmed packets"
    );
    let cnms = outcome.switches.iter().filter_map(Switch::cioq).map(|switch| switch.counters);
    let cnms_sent: u64 = cnms.map(|counters| counters.of_inputs + counters.of_outputs).sum();
    let cnms_dropped: u64 = ports(outcome).map(Port::cnms_dropped).sum();
    assert_eq!(cnms_sent, sum(|host| host.cnms_received) + cnms_dropped + held.cnms, "CNMs");
    assert_eq!(
        sum(|host| host.acknowledgements_sent),
        sum(|host| host.acknowledgements_delivered)
            + dropped(outcome, |port| port.dropped_acknowledgements.iter().sum())
            - cnms_dropped
            - headers_dropped
            + held.acknowledgements,
        "acknowledgements"
    );
}

/// Holds that a record of telemetry is in use as long as some packet has it.
pub(crate) fn every_record_is_some_packets(outcome: &Outcome, on_wires: &[Packet]) {
    let held = inside(outcome).chain(on_wires).filter(|packet| packet.control().is_none());
    let records = held.filter_map(Packet::record).count();
    assert_eq!(outcome.telemetry_in_use, records, "records of telemetry");
}

/// Holds that the bytes in queues are bytes of memory.
pub(crate) fn memory_holds_what_its_queues_hold(outcome: &Outcome) {
    for switch in &outcome.switches {
        let queued: Bytes = switch.packets_inside().map(Packet::frame).sum();
        assert!(switch.used() >= queued, "packets wait in memory");
    }
    for host in &outcome.hosts {
        assert_eq!(
            host.queued(),
            host.port().queued().map(Packet::frame).sum(),
            "the adapter knows its queue"
        );
    }
}

/// Holds that headroom that no note calls short has room for all packets that arrive after a pause.
/// Links that change are left out. A watchdog that forwards sends more, from the moment at which it lets a queue go.
pub(crate) fn no_lossless_packet_is_dropped(simulation: &Simulation, outcome: &Outcome) {
    let is_short =
        |note: &String| note.contains("lossless packets may be dropped") && !note.starts_with("pfc.watchdog");
    if !simulation.scenario().link_event.is_empty() || simulation.notes().iter().any(is_short) {
        return;
    }
    let forwards = (simulation.scenario().pfc.watchdog)
        .is_some_and(|watchdog| watchdog.action == WatchdogAction::Forward);
    if forwards && outcome.switches.iter().any(|switch| !switch.interventions().is_empty()) {
        assert!(simulation.notes().iter().any(|note| note.starts_with("pfc.watchdog")));
        return;
    }
    let dropped = dropped(outcome, |port| {
        let reason = DropReason::HeadroomFull as usize;
        port.dropped_data[reason] + port.dropped_acknowledgements[reason]
    });
    assert_eq!(dropped, 0);
    if simulation.scenario().lossless_classes() == Classes::ALL {
        let others = [DropReason::LinkError, DropReason::PfcWatchdog];
        let but_others = |dropped: &[u64]| {
            dropped.iter().sum::<u64>() - others.iter().map(|reason| dropped[*reason as usize]).sum::<u64>()
        };
        for port in outcome.switches.iter().flat_map(Switch::ports) {
            assert_eq!(but_others(&port.counters.dropped_data), 0);
            assert!(but_others(&port.counters.dropped_acknowledgements) <= port.cnms_dropped());
        }
    }
}

/// Holds that a run that ended when every flow was done has left nothing in queues and memory.
pub(crate) fn nothing_is_left(outcome: &Outcome) {
    assert_eq!(inside(outcome).count(), 0, "queues are empty");
    assert!(outcome.switches.iter().all(|switch| switch.used() == Bytes::ZERO), "memory is empty");
    let pausing = outcome.switches.iter().filter_map(Switch::pausing);
    assert!(
        pausing.map(Pausing::ingress).all(|ingress| ingress.used() == Bytes::ZERO),
        "so it is by ingress"
    );
    every_packet_is_accounted_for(outcome);
    every_record_is_some_packets(outcome, &[]);
}

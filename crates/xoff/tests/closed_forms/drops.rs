//! Recorded drops, against the counts of ports. Each also names the occupancy if the packet found no room.

use std::cell::Cell;
use std::collections::BTreeMap;

use xoff::internals::observer::{DropReason, Dropped, PacketKind};
use xoff::internals::scenario::ObserveOf;
use xoff::settings::Every;
use xoff::units::Bytes;
use xoff::{Report, Scenario, Simulation};

use crate::common::law_of_random_scenarios;
use crate::common::random::{self, Ends};
use crate::{ports, run, simulation};

/// Largest unit of memory. In cells or units, a packet takes up to this much more than its frame.
const LARGEST_UNIT: Bytes = Bytes::new(1000);

/// Makes the same simulation with its drops observed.
fn observed(simulation: &Simulation) -> Simulation {
    let mut scenario = simulation.scenario().clone();
    scenario.observe.drops = Some(ObserveOf { every: Every::Change, of: vec!["*".to_owned()] });
    Simulation::new(&scenario, &random::files()).expect("it was accepted before")
}

#[test]
fn every_drop_is_a_row_that_says_what_there_was_no_room_for() {
    let seen = Cell::new(0_u32);
    law_of_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let outcome = run(&observed(simulation));
        let mut of_ports = BTreeMap::new();
        for (_, Dropped { port, reason, room, packet }) in &outcome.drops {
            let is_data = simulation.fabric().kind(packet) == PacketKind::Data;
            let counted = of_ports.entry((*port, !is_data, *reason as usize)).or_insert(0);
            *counted += 1;
            match (reason, room) {
                (
                    DropReason::NotEcnCapable
                    | DropReason::LinkError
                    | DropReason::LinkDown
                    | DropReason::PfcWatchdog,
                    None,
                )
                | (DropReason::PushedOut, Some(_)) => {}
                (_, Some(room)) => assert!(!room.fits(packet.frame() + LARGEST_UNIT), "{reason:?} {room:?}"),
                (reason, None) => panic!("{reason:?} without room"),
            }
            let Scenario { pfc, link_event, .. } = simulation.scenario();
            let has_room = pfc.watchdog.is_none() && link_event.is_empty();
            let is_lossless = simulation.scenario().lossless_classes().contains(packet.priority());
            assert!(*reason != DropReason::ReceiverFull || !has_room || !is_lossless, "headroom is enough");
            seen.set(seen.get() | 1 << *reason as u8);
        }
        for port in ports(&outcome) {
            for reason in 0..DropReason::ALL.len() {
                let mut take = |of_acknowledgements| {
                    of_ports.remove(&(port.id(), of_acknowledgements, reason)).unwrap_or(0)
                };
                assert_eq!(take(false), port.counters.dropped_data[reason], "port {}", port.id());
                assert_eq!(take(true), port.counters.dropped_acknowledgements[reason], "port {}", port.id());
            }
        }
        assert!(of_ports.is_empty(), "of ports that are not there: {of_ports:?}");
    });
    let reasons = DropReason::ALL.iter().map(|&reason| 1 << reason as u8);
    assert_eq!(seen.get(), reasons.sum::<u32>(), "there are drops of every reason");
}

/// Frames of 1230 bytes come every microsecond and leave in two, and four fit into memory. The first leaves at once.
/// The tenth finds no room, nor does every second one after it, until the last has come.
#[test]
fn a_full_memory_drops_every_other_packet() {
    let simulation = simulation(
        "title = 'every other'\n\
         topology = { kind = 'star', hosts = 2, host_link = { rate = '10Gbps', delay = '1us' }, \
         links = [{ between = ['host1', 'switch0'], rate = '5Gbps' }] }\n\
         transport.steady = { kind = 'constant_rate', payload = '1000B', headers = '230B', wire_overhead = '20B', rate = '10Gbps' }\n\
         workload = [{ kind = 'long_lived', transport = 'steady', pairs = [['host0', 'host1']], size = '16kB' }]\n\
         switch = [{ total = '4920B', buffer = { policy = 'complete_sharing' } }]\n\
         observe.drops = { every = 'change' }",
    );
    let drops = Report::new(&simulation, &mut run(&simulation)).drops;
    assert_eq!(drops.time_ns, [11_000, 13_000, 15_000, 17_000]);
    assert_eq!(drops.sequence, [9_000, 11_000, 13_000, 15_000]);
    assert_eq!(drops.held_bytes, [4920; 4]);
    assert_eq!((&drops.limit_bytes, &drops.frame_bytes), (&vec![4920; 4], &vec![1230; 4]));
    assert_eq!(drops.reason, [DropReason::PoolFull as u8; 4]);
    assert_eq!((drops.source[0], drops.destination[0], drops.number[0]), (0, 1, 0));
}

//! Critical paths of flows, from columns of `packets.parquet`.

use pyo3::prelude::*;
use xoff::why::{self, Cause, End, Pause, Question, Row};

/// Columns of `packets.parquet`, with -1 for a number that there is not.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Packets {
    packet: Vec<u64>,
    number: Vec<u32>,
    kind: Vec<String>,
    sequence: Vec<i64>,
    payload_bytes: Vec<i64>,
    priority: Vec<u8>,
    retransmission: Vec<bool>,
    release: Vec<Option<String>>,
    ready_ps: Vec<i64>,
    handed_ps: Vec<i64>,
    port: Vec<String>,
    arrived_ps: Vec<i64>,
    started_ps: Vec<i64>,
    ended_ps: Vec<i64>,
    reached_ps: Vec<i64>,
    received_ps: Vec<i64>,
    drop_reason: Vec<Option<String>>,
}

/// Stretch of a path: cause, port, reason of a drop, begin and end in ps, number of the packet.
type Stretch = (&'static str, Option<String>, Option<&'static str>, i64, i64, Option<u64>);

/// Names of ports by their numbers here.
#[derive(Default)]
struct Ports(Vec<String>);

impl Ports {
    fn number(&mut self, name: &str) -> u32 {
        let known = self.0.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        }) as u32
    }
}

/// Returns the critical path of a flow: its stretches, and the number of acknowledgements on it; nothing if no packet of a
/// complete flow was received. Pauses have port, class, begin and end in ns; outages have port, begin and end in ps.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn critical_path(
    packets: Packets,
    pauses: Vec<(String, u8, i64, Option<i64>)>,
    outages: Vec<(String, i64, i64)>,
    flow: u32,
    start_ns: i64,
    end_ns: i64,
    acknowledged: bool,
    missing: Option<i64>,
    on_credit: bool,
) -> Option<(Vec<Stretch>, u32)> {
    let mut ports = Ports::default();
    let rows: Vec<Row> = (0..packets.packet.len()).map(|at| packets.row(at, &mut ports)).collect();
    let pauses: Vec<Pause> = pauses
        .into_iter()
        .map(|(port, priority, start, end)| Pause {
            port: ports.number(&port),
            priority,
            start: start * 1000,
            end: end.map_or(i64::MAX, |end| end * 1000),
        })
        .collect();
    let outages: Vec<_> =
        outages.into_iter().map(|(port, begin, end)| (ports.number(&port), begin, end)).collect();
    let found = why::critical_path(&Question {
        rows: &rows,
        pauses: &pauses,
        outages: &outages,
        flow,
        start_ns,
        end_ns,
        end: match missing {
            Some(missing) => End::Cut(missing),
            None if acknowledged => End::Acknowledged,
            None => End::Received,
        },
        on_credit,
    })?;
    let stretch = |stretch: &why::Stretch| -> Stretch {
        let why::Stretch { cause, place, reason, since, until, packet } = *stretch;
        let place = place.map(|port| ports.0[port as usize].clone());
        (cause.names()[0], place, reason.map(why::named::DropReason::name), since, until, packet)
    };
    Some((found.stretches.iter().map(stretch).collect(), found.round_trips))
}

/// Returns the parts of the completion times that stretches add up to, the longest first: cause, place, reason, time in ps and share.
///
/// A stretch is its cause, place, reason and length in ps.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn parts_of_paths(
    stretches: Vec<(String, Option<String>, Option<String>, i64)>,
) -> Vec<(&'static str, Option<String>, Option<String>, i64, f64)> {
    let stretches = stretches.iter().map(|(cause, place, reason, time)| {
        let cause = Cause::ALL.into_iter().find(|known| known.names()[0] == cause);
        (cause.expect("a cause"), place.as_deref(), reason.as_deref(), *time)
    });
    let owned = |text: Option<&str>| text.map(str::to_owned);
    why::parts(stretches)
        .into_iter()
        .map(|part| (part.cause.names()[0], owned(part.place), owned(part.reason), part.time, part.share))
        .collect()
}

/// Returns the name of each cause, and the words for it in tables and figures.
#[pyfunction]
pub(crate) fn causes() -> Vec<(&'static str, &'static str)> {
    Cause::ALL.map(|cause| cause.names().into()).to_vec()
}

impl Packets {
    fn row(&self, at: usize, ports: &mut Ports) -> Row {
        Row {
            packet: self.packet[at],
            flow: self.number[at],
            kind: why::named::kind(&self.kind[at]).expect("a kind of packets"),
            sequence: self.sequence[at],
            payload: self.payload_bytes[at],
            priority: self.priority[at],
            again: self.retransmission[at],
            release: self.release[at].as_deref().and_then(why::named::release),
            ready: self.ready_ps[at],
            handed: self.handed_ps[at],
            port: ports.number(&self.port[at]),
            arrived: self.arrived_ps[at],
            started: self.started_ps[at],
            ended: self.ended_ps[at],
            reached: self.reached_ps[at],
            received: self.received_ps[at],
            drop_reason: self.drop_reason[at].as_deref().and_then(why::named::drop_reason),
        }
    }
}

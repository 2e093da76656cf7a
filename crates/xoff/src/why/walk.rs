//! Walk back along a flow's critical path.

use std::collections::BTreeMap;

use super::packets::Packets;
use super::{Cause, CriticalPath, End, Picoseconds, Question, Stretch};
use crate::observer::{DropReason, PacketKind, Release};

/// Picoseconds in a nanosecond.
const NANOSECOND: Picoseconds = 1000;

/// Returns the critical path of a flow; none if no packet of a complete flow was received.
pub fn critical_path(question: &Question) -> Option<CriticalPath> {
    let mut walk = Walk::new(question);
    match question.end {
        End::Cut(missing) => walk.walk_cut(question.end_ns * NANOSECOND, missing),
        end => walk.walk_whole((question.end_ns + 1) * NANOSECOND - 1, end == End::Acknowledged),
    }
    walk.stretches.reverse();
    let (stretches, round_trips) = (joined(walk.stretches), walk.answers);
    (!stretches.is_empty()).then_some(CriticalPath { stretches, round_trips })
}

/// Intervals that do not overlap, in order.
#[derive(Default)]
struct Spans(Vec<(Picoseconds, Picoseconds)>);

impl Spans {
    /// Returns the parts of the intervals that lie between two instants.
    fn within(&self, since: Picoseconds, until: Picoseconds) -> Vec<(Picoseconds, Picoseconds)> {
        let first = self.0.partition_point(|&(_, end)| end <= since);
        let meanwhile = self.0[first..].iter().take_while(|&&(begin, _)| begin < until);
        meanwhile.map(|&(begin, end)| (begin.max(since), end.min(until))).collect()
    }
}

/// Puts intervals with keys into order, key by key.
fn spans<K: Ord>(keyed: impl Iterator<Item = (K, Picoseconds, Picoseconds)>) -> BTreeMap<K, Spans> {
    let mut found: BTreeMap<K, Spans> = BTreeMap::new();
    for (key, begin, end) in keyed {
        found.entry(key).or_default().0.push((begin, end));
    }
    for spans in found.values_mut() {
        spans.0.sort_unstable();
    }
    found
}

/// Walk, which notes its stretches, the last one first.
struct Walk {
    packets: Packets,
    /// Cause while the flow could send and its sender holds it back.
    holds_back: Cause,
    start: Picoseconds,
    stretches: Vec<Stretch>,
    /// Number of acknowledgements on the walk so far.
    answers: u32,
    /// Times in which each port sent the recorded data.
    sent: BTreeMap<u32, Spans>,
    paused: BTreeMap<(u32, u8), Spans>,
    down: BTreeMap<u32, Spans>,
}

impl Walk {
    fn new(question: &Question) -> Self {
        let packets = Packets::new(question.rows, question.flow);
        let began = packets.own.first().map_or(0, |&first| packets.all[first].ready);
        let rows = packets.data.iter().flat_map(|&data| {
            let packet = &packets.all[data];
            packets.rows[packet.first..=packet.last].iter()
        });
        let sent = rows.filter(|row| row.started >= 0).map(|row| (row.port, row.started, row.ended));
        Self {
            sent: spans(sent),
            paused: spans(
                question.pauses.iter().map(|pause| ((pause.port, pause.priority), pause.start, pause.end)),
            ),
            down: spans(question.outages.iter().copied()),
            holds_back: if question.on_credit { Cause::Credit } else { Cause::Rate },
            start: if began / NANOSECOND == question.start_ns {
                began
            } else {
                question.start_ns * NANOSECOND
            },
            stretches: Vec::new(),
            answers: 0,
            packets,
        }
    }

    /// Walks the whole path of a complete flow.
    fn walk_whole(&mut self, end: Picoseconds, is_acknowledged: bool) {
        self.go_on(self.packets.end(end, is_acknowledged));
    }

    /// Walks the path of a flow cut off by the end of the run, from the packet that it was waiting for.
    fn walk_cut(&mut self, end: Picoseconds, missing: i64) {
        match self.packets.awaited(missing) {
            None => self.hold_back(end),
            Some(awaited) if self.packets.all[awaited].lost.is_some() => self.walk_lost(awaited, end),
            Some(awaited) => {
                self.packets.cut(awaited, end);
                self.go_on(Some(awaited));
            }
        }
    }

    /// Walks from an awaited packet that had been dropped and not yet been sent again.
    fn walk_lost(&mut self, packet: usize, end: Picoseconds) {
        let lost = self.packets.all[packet];
        let (place, reason) = (self.packets.rows[lost.last].port, lost.lost);
        let known = self.known_to_be_lost(packet, reason, end);
        self.note(Cause::Recovery, Some(place), lost.handed, known, Some(packet), reason);
        let before = if self.is_data(packet) { self.before_data(packet) } else { self.answered(packet) };
        self.go_on(before);
    }

    /// Notes the wait of a flow that has nothing under way: it has more to send, and its sender holds it back.
    fn hold_back(&mut self, end: Picoseconds) {
        let last = self.packets.end(end, true);
        let of_last = last.map(|last| self.packets.all[last]);
        let since = of_last.map_or(self.start, |last| last.received);
        if let Some(lost) = self.packets.last_lost(of_last.map_or(self.start, |last| last.handed)) {
            return self.walk_lost(lost, end);
        }
        match self.packets.own.first().map(|&first| self.packets.all[first]) {
            Some(first) => {
                self.wait(Some(first.adapter), first.priority, since, end, last, self.holds_back);
            }
            None => self.wait(None, 0, since, end, last, Cause::Start),
        }
        self.go_on(last);
    }

    /// Walks on from a packet until the start of the flow.
    fn go_on(&mut self, mut packet: Option<usize>) {
        while let Some(now) = packet.filter(|_| !self.is_at_start()) {
            self.way(now);
            packet = if self.is_data(now) { self.before_data(now) } else { self.answered(now) };
        }
    }

    fn is_at_start(&self) -> bool {
        self.stretches.last().is_some_and(|last| last.since <= self.start)
    }

    fn is_data(&self, packet: usize) -> bool {
        self.packets.all[packet].kind == PacketKind::Data
    }

    /// Returns the data that an acknowledgement or credit answers, and notes its delay after that data.
    fn answered(&mut self, packet: usize) -> Option<usize> {
        self.answers += 1;
        let own = self.packets.all[packet];
        let answered = self.packets.latest_data(own.handed)?;
        let is_credit = own.kind == PacketKind::Credit;
        let cause = if is_credit { Cause::Credit } else { Cause::DelayedAcknowledgement };
        self.note(cause, None, self.packets.all[answered].received, own.handed, Some(packet), None);
        Some(answered)
    }

    /// Notes the waits of data before its departure; returns the acknowledgement or credit that it waited for.
    fn before_data(&mut self, packet: usize) -> Option<usize> {
        let mut sender = Some(packet);
        while let Some(now) = sender {
            match self.sent_after(now) {
                Before::Answer(answer) => return Some(answer),
                Before::Data(data) => sender = Some(data),
                Before::Nothing => sender = None,
            }
        }
        None
    }

    /// Returns the packet that let data depart.
    fn sent_after(&mut self, packet: usize) -> Before {
        let own = self.packets.all[packet];
        if own.again
            && let Some(original) = self.original(packet)
        {
            self.note_again(original, packet);
            return Before::Data(original);
        }
        let port = Some(own.adapter);
        self.wait(port, own.priority, own.ready, own.handed, Some(packet), Cause::Queueing);
        if own.ready <= self.start {
            return Before::Nothing;
        }
        let answer = match own.release {
            Some(Release::Acknowledgement) => self.packets.latest_answer(own.ready),
            Some(Release::Credit) => self.packets.latest_credit(own.ready),
            _ => None,
        };
        if let Some(answer) = answer {
            return Before::Answer(answer);
        }
        let Some(before) = self.data_before(packet) else {
            self.note(Cause::Start, None, self.start, own.ready, Some(packet), None);
            return Before::Nothing;
        };
        let cause = if own.release == Some(Release::Rate) { Cause::Rate } else { Cause::Queueing };
        let since = self.packets.all[before].handed;
        self.wait(port, own.priority, since, own.ready, Some(packet), cause);
        Before::Data(before)
    }

    fn data_before(&self, packet: usize) -> Option<usize> {
        self.packets.place_among_data(packet).checked_sub(1).map(|place| self.packets.data[place])
    }

    /// Returns the last earlier packet with the same data.
    fn original(&self, packet: usize) -> Option<usize> {
        let own = &self.packets.all[packet];
        let before = self.packets.data[..self.packets.place_among_data(packet)].iter().copied();
        let is_same = |&place: &usize| {
            let other = &self.packets.all[place];
            other.flow == own.flow && other.brings(own.sequence)
        };
        before.rev().find(is_same)
    }

    /// Notes the time from when data was sent until it was sent again, with the place of the drop in between.
    fn note_again(&mut self, original: usize, packet: usize) {
        let [first, own] = [original, packet].map(|place| self.packets.all[place]);
        let [before, now] = [original, packet].map(|place| self.packets.place_among_data(place));
        let has_waited = self.packets.data[before + 1..=now].iter().any(|&place| {
            let other = &self.packets.all[place];
            other.release == Some(Release::Timeout) && other.flow == own.flow
        });
        let cause = if has_waited { Cause::Timeout } else { Cause::Recovery };
        let row = self.packets.drop_of(original, first.handed, own.handed).map(|row| self.packets.rows[row]);
        let (place, reason) = (row.map(|row| row.port), row.and_then(|row| row.drop_reason));
        let known = if has_waited { own.handed } else { self.known_to_be_lost(original, reason, own.handed) };
        self.note(cause, place, first.handed, known, Some(packet), reason);
    }

    /// Returns the time at which a NACK told of a trimmed packet, else `until`; notes the wait after the NACK.
    fn known_to_be_lost(
        &mut self,
        packet: usize,
        reason: Option<DropReason>,
        until: Picoseconds,
    ) -> Picoseconds {
        let is_trimmed = reason == Some(DropReason::Trimmed);
        let told = if is_trimmed { self.packets.told_to_be_missing(packet, until) } else { None };
        let Some(told) = told else { return until };
        let lost = self.packets.all[packet];
        self.wait(Some(lost.adapter), lost.priority, told, until, Some(packet), self.holds_back);
        told
    }

    /// Notes the way of a packet from its transport to the transport at the other end.
    fn way(&mut self, packet: usize) {
        let own = self.packets.all[packet];
        let reached = self.packets.rows[own.last].reached;
        self.note(Cause::Host, None, reached, own.received, Some(packet), None);
        for place in (own.first..=own.last).rev() {
            let row = self.packets.rows[place];
            let port = Some(row.port);
            self.note(Cause::Propagation, port, row.ended, row.reached, Some(packet), None);
            self.note(Cause::Transmission, port, row.started, row.ended, Some(packet), None);
            self.wait(port, row.priority, row.arrived, row.started, Some(packet), Cause::Queueing);
        }
        let arrived = self.packets.rows[own.first].arrived;
        self.note(Cause::Host, None, own.handed, arrived, Some(packet), None);
    }

    /// Notes a wait at a port, split into earlier packets of the flow, pauses, a failed link, and the rest.
    fn wait(
        &mut self,
        port: Option<u32>,
        priority: u8,
        since: Picoseconds,
        until: Picoseconds,
        packet: Option<usize>,
        otherwise: Cause,
    ) {
        if until <= since {
            return;
        }
        let of_port = |spans: &BTreeMap<u32, Spans>| {
            port.and_then(|port| spans.get(&port)).map(|spans| spans.within(since, until)).unwrap_or_default()
        };
        let sent = of_port(&self.sent).into_iter();
        let mut told: Vec<_> = sent.map(|(begin, end)| (begin, end, Cause::Transmission)).collect();
        let paused = port.and_then(|port| self.paused.get(&(port, priority)));
        let paused = paused.map(|spans| spans.within(since, until)).unwrap_or_default();
        for (spans, cause) in [(of_port(&self.down), Cause::LinkDown), (paused, Cause::Paused)] {
            let more = without(&spans, &told);
            told.extend(more.into_iter().map(|(begin, end)| (begin, end, cause)));
            told.sort_unstable();
        }
        let place = port.filter(|_| otherwise != Cause::Credit);
        let mut position = until;
        for (begin, end, cause) in told.into_iter().rev() {
            self.note(otherwise, place, end, position, packet, None);
            self.note(cause, port, begin, end, packet, None);
            position = begin;
        }
        self.note(otherwise, place, since, position, packet, None);
    }

    fn note(
        &mut self,
        cause: Cause,
        place: Option<u32>,
        since: Picoseconds,
        until: Picoseconds,
        packet: Option<usize>,
        reason: Option<DropReason>,
    ) {
        let since = since.max(self.start);
        if until > since {
            let packet = packet.map(|packet| self.packets.all[packet].number);
            self.stretches.push(Stretch { cause, place, reason, since, until, packet });
        }
    }
}

/// Packet that let data depart.
enum Before {
    /// An acknowledgement or credit.
    Answer(usize),
    /// Earlier data at the same host.
    Data(usize),
    /// None: the flow began.
    Nothing,
}

/// Returns the parts of some intervals that lie in none of the others, which are in order.
fn without(
    spans: &[(Picoseconds, Picoseconds)],
    others: &[(Picoseconds, Picoseconds, Cause)],
) -> Vec<(Picoseconds, Picoseconds)> {
    let mut found = Vec::new();
    for &(begin, end) in spans {
        let mut position = begin;
        for &(since, until, _) in others.iter().filter(|other| other.0 < end) {
            if until > position {
                if since > position {
                    found.push((position, since));
                }
                position = until;
            }
        }
        if position < end {
            found.push((position, end));
        }
    }
    found
}

/// Joins neighbouring stretches of equal cause, place and packet.
fn joined(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        match found.last_mut() {
            Some(last) if Stretch { since: last.since, until: last.until, ..stretch } == *last => {
                last.until = stretch.until;
            }
            _ => found.push(stretch),
        }
    }
    found
}

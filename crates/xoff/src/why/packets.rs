//! Packets of a flow, and of earlier flows on its queue pair, with lists of them by kind and fate.

use super::{Picoseconds, Row};
use crate::observer::{DropReason, PacketKind, Release};

/// Packet, from its first port to its last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// Place of its first row.
    pub(super) first: usize,
    /// Place of its last row.
    pub(super) last: usize,
    pub(super) number: u64,
    pub(super) flow: u32,
    pub(super) kind: PacketKind,
    pub(super) sequence: i64,
    pub(super) payload: i64,
    pub(super) priority: u8,
    pub(super) again: bool,
    pub(super) release: Option<Release>,
    pub(super) ready: Picoseconds,
    pub(super) handed: Picoseconds,
    /// Port from which it departs.
    pub(super) adapter: u32,
    pub(super) received: Picoseconds,
    /// Reason for its drop.
    pub(super) lost: Option<DropReason>,
}

impl Packet {
    /// Whether it brings a byte of its flow. A SYN, which has no payload, brings one.
    pub(super) fn brings(&self, byte: i64) -> bool {
        self.sequence <= byte && byte < self.sequence + self.payload.max(1)
    }

    fn is_answer(&self) -> bool {
        matches!(self.kind, PacketKind::Acknowledgement | PacketKind::Nack)
    }

    fn is_under_way(&self) -> bool {
        self.received < 0 && self.lost.is_none()
    }
}

/// All packets, in the order in which they set out. Lists hold places in `all`.
pub(super) struct Packets {
    pub(super) rows: Vec<Row>,
    pub(super) all: Vec<Packet>,
    /// Data, in the order of departure.
    pub(super) data: Vec<usize>,
    /// Data of the flow itself, in the order of departure.
    pub(super) own: Vec<usize>,
    /// Last rows of dropped packets, in the order of arrival at the place of the drop.
    dropped: Vec<usize>,
    own_answers: Vec<usize>,
    data_received: Vec<usize>,
    own_received: Vec<usize>,
    answers_received: Vec<usize>,
    own_answered: Vec<usize>,
    nacks_received: Vec<usize>,
    credits_received: Vec<usize>,
}

impl Packets {
    /// Takes the rows, packet by packet, and the number of the flow at its source.
    pub(super) fn new(rows: &[Row], flow: u32) -> Self {
        let mut all: Vec<Packet> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            match all.last_mut() {
                Some(packet) if packet.number == row.packet => {
                    (packet.last, packet.received, packet.lost) = (place, row.received, row.drop_reason);
                }
                _ => all.push(packet(place, row)),
            }
        }
        let chosen = |is_chosen: &dyn Fn(&Packet) -> bool| -> Vec<usize> {
            (0..all.len()).filter(|&place| is_chosen(&all[place])).collect()
        };
        let received = |mut among: Vec<usize>| {
            among.retain(|&place| all[place].received >= 0);
            among.sort_by_key(|&place| all[place].received);
            among
        };
        let is_own = |packet: &Packet| packet.flow == flow;
        let is_data = |packet: &Packet| packet.kind == PacketKind::Data;
        let (data, own) = (chosen(&is_data), chosen(&|packet| is_data(packet) && is_own(packet)));
        let own_answers = chosen(&|packet| packet.is_answer() && is_own(packet));
        let mut dropped: Vec<usize> =
            all.iter().filter(|packet| packet.lost.is_some()).map(|packet| packet.last).collect();
        dropped.sort_by_key(|&row| rows[row].arrived);
        Self {
            data_received: received(data.clone()),
            own_received: received(own.clone()),
            answers_received: received(chosen(&Packet::is_answer)),
            own_answered: received(own_answers.clone()),
            nacks_received: received(chosen(&|packet| packet.kind == PacketKind::Nack)),
            credits_received: received(chosen(&|packet| packet.kind == PacketKind::Credit)),
            rows: rows.to_vec(),
            data,
            own,
            dropped,
            own_answers,
            all,
        }
    }

    /// Returns the place of a packet of data among all data.
    pub(super) fn place_among_data(&self, packet: usize) -> usize {
        self.data.partition_point(|&other| other < packet)
    }

    /// Ends a packet at `end`: events in its last row that had not happened by then happen then.
    pub(super) fn cut(&mut self, packet: usize, end: Picoseconds) {
        let packet = &mut self.all[packet];
        let row = &mut self.rows[packet.last];
        for time in [&mut row.arrived, &mut row.started, &mut row.ended, &mut row.reached] {
            *time = if *time < 0 { end } else { end.min(*time) };
        }
        packet.received = end;
    }

    /// Returns the data that was received last by `until`; of packets at the same time, the last to depart.
    pub(super) fn latest_data(&self, until: Picoseconds) -> Option<usize> {
        self.latest(&self.data_received, until)
    }

    /// Returns the acknowledgement or NACK that was received last by `until`.
    pub(super) fn latest_answer(&self, until: Picoseconds) -> Option<usize> {
        self.latest(&self.answers_received, until)
    }

    /// Returns the credit that was received last by `until`.
    pub(super) fn latest_credit(&self, until: Picoseconds) -> Option<usize> {
        self.latest(&self.credits_received, until)
    }

    /// Returns the flow's last acknowledgement by `until`, or its last data if there is none or `is_acknowledged` is false.
    pub(super) fn end(&self, until: Picoseconds, is_acknowledged: bool) -> Option<usize> {
        let answer = if is_acknowledged { self.latest(&self.own_answered, until) } else { None };
        answer.or_else(|| self.latest(&self.own_received, until))
    }

    fn latest(&self, in_order: &[usize], until: Picoseconds) -> Option<usize> {
        let place = in_order.partition_point(|&place| self.all[place].received <= until);
        place.checked_sub(1).map(|place| in_order[place])
    }

    /// Returns the time at which the sender of a dropped packet got a NACK for it.
    pub(super) fn told_to_be_missing(&self, packet: usize, until: Picoseconds) -> Option<Picoseconds> {
        let lost = &self.all[packet];
        let nacks = self.nacks_received.iter().map(|&place| &self.all[place]);
        let own = nacks.filter(|nack| (nack.flow, nack.sequence) == (lost.flow, lost.sequence));
        let dropped = self.rows[lost.last].arrived;
        own.map(|nack| nack.received).find(|received| (dropped..=until).contains(received))
    }

    /// Returns the last packet that brings the byte at offset `missing`, which the flow waits for.
    ///
    /// If none has departed, returns the first data under way, or else the last acknowledgement under way.
    pub(super) fn awaited(&self, missing: i64) -> Option<usize> {
        let under_way = |&&place: &&usize| self.all[place].is_under_way();
        let coming = || self.own.iter().filter(|&&place| self.all[place].received < 0);
        let brings = coming().rfind(|&&place| self.all[place].brings(missing));
        let data = brings.or_else(|| coming().find(under_way));
        data.or_else(|| self.own_answers.iter().rfind(under_way)).copied()
    }

    /// Returns the last dropped packet of the flow that departed at `since` or later.
    pub(super) fn last_lost(&self, since: Picoseconds) -> Option<usize> {
        let own = self.own.iter().chain(&self.own_answers).copied();
        let lost = own.filter(|&place| self.all[place].lost.is_some() && self.all[place].handed >= since);
        lost.reduce(|last, next| if self.all[next].handed > self.all[last].handed { next } else { last })
    }

    /// Returns the row of the drop that made a sender repeat data: of the data itself, or else of its flow.
    ///
    /// Go-back-N repeats data after another packet was lost, perhaps before the data was first sent.
    pub(super) fn drop_of(&self, original: usize, since: Picoseconds, until: Picoseconds) -> Option<usize> {
        let packet = &self.all[original];
        if packet.lost.is_some() {
            return Some(packet.last);
        }
        let of_flow = self.dropped.iter().filter(|&&row| self.rows[row].flow == packet.flow);
        let lost: Vec<usize> = of_flow.copied().take_while(|&row| self.rows[row].arrived <= until).collect();
        let first = lost.partition_point(|&row| self.rows[row].arrived < since);
        lost.get(first).or(lost.last()).copied()
    }
}

fn packet(place: usize, row: &Row) -> Packet {
    Packet {
        first: place,
        last: place,
        number: row.packet,
        flow: row.flow,
        kind: row.kind,
        sequence: row.sequence,
        payload: row.payload,
        priority: row.priority,
        again: row.again,
        release: row.release,
        ready: row.ready,
        handed: row.handed,
        adapter: row.port,
        received: row.received,
        lost: row.drop_reason,
    }
}

//! RCCC: receivers give credit, and senders send no more than they have (Ultra Ethernet Transport, specification 1.0,
//! "Receiver-Credit Congestion Control"; EQDS, NSDI 2022).
//! A flow starts with some credit. Every packet that it sends names the total credit that it asks for. The receiving
//! adapter gives credit to one flow after another, a few packets each, a little slower than its link brings them. So
//! packets sent on credit never arrive faster than the link takes them, whatever the number of senders. A trimmed
//! packet has used up credit, and the receiver replaces it unasked.
//! Rules and values are those of the consortium's reference simulator (htsim, `uec.cpp`): any credit at all lets a
//! packet go, and the rest is owed.
//! Flows on a persistent queue pair share its credit. The flow that sends asks for the bytes that all of them have
//! left. The first flow after a pause starts with as much as a new queue pair.
//! Left out: credit for flows that ask for none; requests without data; smaller requests of a sender with several
//! flows; the rule that initial credit is void once the receiver answers; NSCC beside credit.
//! Differs: credit counts payload, without headers, and may add up to all that was asked for. In the reference, senders
//! ask for what was trimmed with their next packets. Here a receiver that hears nothing for a retransmission timeout
//! repeats the credit that it gave, upon which one packet goes that asks again.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CongestionControl, Flow, Loss, LossKind, Needs, Trimmed};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};

/// Settings of RCCC.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Round-trip time of an idle fabric, for the bandwidth-delay product. Left out, that of the fabric's longest path:
    /// propagation, and the transmission of a full packet and its acknowledgement on every link.
    #[schemars(extend("x-above" = "0s"))]
    pub base_rtt: Option<Span>,
    /// Credit that a flow starts with, in bandwidth-delay products of its adapter's link, and at least one byte.
    pub initial_credit: Ratio,
    /// Most credit that a flow asks for beyond what it has used, in bandwidth-delay products, above 0 [maxwnd].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub maximum_credit: Ratio,
    /// Share of its link's rate for which a receiver gives credit, above 0 and at most 1. The rest keeps the queue
    /// short [`pull_rate_modifier`].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub credit_rate: Ratio,
    /// Most packets for which one packet of credit gives credit [`mtus_per_pull`].
    #[schemars(extend("minimum" = 1))]
    pub packets_per_credit: u32,
    /// Frame size of a packet of credit.
    #[schemars(extend("x-at-least" = "1B"))]
    pub credit: Bytes,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            base_rtt: None,
            initial_credit: Ratio::new(3, 2),
            maximum_credit: Ratio::new(3, 2),
            credit_rate: Ratio::new(99, 100),
            packets_per_credit: 4,
            credit: Bytes::new(64),
        }
    }
}

/// Largest credit in bytes, more than any flow can use in a round trip. With all that a flow has sent it fits the field
/// in which packets ask for credit.
const MOST_CREDIT: u64 = 1 << 46;

/// Rule by which a receiver gives credit to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granting {
    /// Share of the receiver's link rate.
    pub rate: Ratio,
    /// Packets for which it gives credit at once.
    pub packets: u32,
    /// Frame size of a packet of credit.
    pub frame: Bytes,
}

/// State of one flow at its sender.
#[derive(Clone, Debug)]
pub struct Rccc {
    initial: u64,
    maximum: u64,
    overhead: u64,
    /// Payload bytes sent so far, including those that were lost or trimmed.
    sent: u64,
    /// Payload bytes that may be sent so far. Less than `sent`, if the last packet took more than there was credit for.
    credit: u64,
    /// Total credit that the receiver has given so far [pull].
    heard: u64,
    /// Payload bytes that were trimmed, for which the receiver gives credit unasked.
    trimmed: u64,
}

/// State of one flow at its receiver. Credit is counted from the flow's start, without the initial credit.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Total credit that the sender has asked for [`pull_target`].
    asked: u64,
    /// Payload bytes that were trimmed.
    trimmed: u64,
    /// Total credit given so far.
    granted: u64,
    /// Arrival of the flow's last packet.
    last_packet: Time,
    /// Whether the flow waits for its turn.
    waits: bool,
}

impl Rccc {
    /// Makes the state of one flow at its sender.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let base_rtt = parameters.base_rtt.unwrap_or(flow.path.base_rtt);
        let product = flow.line_rate.bytes_in(base_rtt);
        let initial = parameters.initial_credit.of(product).get().clamp(1, MOST_CREDIT);
        Self {
            initial,
            maximum: parameters.maximum_credit.of(product).get().clamp(1, MOST_CREDIT),
            overhead: flow.overhead.get(),
            sent: 0,
            credit: initial,
            heard: 0,
            trimmed: 0,
        }
    }

    /// Lets one packet go that asks for credit, since the packet that asked for it may have been lost.
    fn ask_again(&mut self) {
        self.has_at_least(1);
    }

    fn has_at_least(&mut self, credit: u64) {
        self.credit = self.credit.max(self.sent + credit);
    }
}

impl CongestionControl for Rccc {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Credit
    }

    fn granting(parameters: &Parameters) -> Option<Granting> {
        let Parameters { credit_rate: rate, packets_per_credit: packets, credit: frame, .. } = *parameters;
        Some(Granting { rate, packets, frame })
    }

    fn on_sent(&mut self, _now: Time, size: Bytes) -> bool {
        self.sent += size.get() - self.overhead;
        self.sent >= self.credit
    }

    fn on_credit(&mut self, _now: Time, total: Bytes) {
        match total.get().cmp(&self.heard) {
            Ordering::Less => {}
            Ordering::Equal => self.ask_again(),
            Ordering::Greater => {
                self.credit += total.get() - self.heard;
                self.heard = total.get();
            }
        }
    }

    fn on_trimmed(&mut self, _now: Time, trimmed: &Trimmed) {
        self.trimmed += trimmed.payload.get();
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        if loss.kind == LossKind::Timeout {
            self.ask_again();
        }
    }

    fn asks_for(&self, backlog: Bytes) -> Bytes {
        if backlog == Bytes::ZERO {
            return backlog;
        }
        let wanted = self.sent + backlog.get().min(self.maximum);
        Bytes::new((self.heard + wanted).saturating_sub(self.credit + self.trimmed))
    }

    fn on_quiet(&mut self, rested: bool) {
        self.has_at_least(if rested { self.initial } else { 1 });
    }

    fn rate(&self) -> Rate {
        if self.sent < self.credit { Rate::MAX } else { Rate::ZERO }
    }
}

impl Grants {
    /// Takes in a packet whose sender asks for the total credit `asked`, and of which `trimmed` bytes were cut off.
    /// Returns whether the flow begins to wait for its turn.
    pub fn on_packet(&mut self, now: Time, asked: Bytes, trimmed: Bytes) -> bool {
        self.last_packet = now;
        self.asked = self.asked.max(asked.get());
        self.trimmed += trimmed.get();
        let begins = !self.waits && self.lacks() > 0;
        self.waits |= begins;
        begins
    }

    /// Gives the flow credit at its turn, at most `most`. Returns what it gave.
    pub fn grant(&mut self, most: Bytes) -> Bytes {
        let more = self.lacks().min(most.get());
        self.granted += more;
        self.waits = self.lacks() > 0;
        Bytes::new(more)
    }

    fn lacks(&self) -> u64 {
        (self.asked + self.trimmed).saturating_sub(self.granted)
    }

    /// Total credit given so far.
    pub fn granted(&self) -> Bytes {
        Bytes::new(self.granted)
    }

    /// Whether the flow waits for its turn.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Arrival of the flow's last packet.
    pub fn last_packet(&self) -> Time {
        self.last_packet
    }

    /// Queues the flow for a turn although it asks for nothing, to repeat the credit that it was given.
    pub fn wait(&mut self) {
        self.waits = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;

    /// Payload of packets of 1000 bytes, without headers.
    const PACKET: Bytes = Bytes::new(1000);

    /// Makes a flow at 100 Gb/s with a base round trip of 1 us: a bandwidth-delay product of 12,500 bytes.
    fn rccc() -> Rccc {
        let [initial_credit, maximum_credit] = [Ratio::new(1, 1); 2];
        let parameters = Parameters { initial_credit, maximum_credit, ..Parameters::default() };
        Rccc::new(&parameters, &flow(100, 1))
    }

    fn sends(rccc: &mut Rccc) -> usize {
        let mut sent = 0;
        while rccc.rate() > Rate::ZERO {
            rccc.on_sent(Time::ZERO, PACKET);
            sent += 1;
        }
        sent
    }

    #[test]
    fn a_flow_starts_with_a_round_trip_and_may_owe_part_of_a_packet() {
        let mut rccc = rccc();
        assert_eq!(sends(&mut rccc), 13);
        rccc.on_credit(Time::ZERO, Bytes::new(500));
        assert_eq!(sends(&mut rccc), 0, "nothing is left");
        rccc.on_credit(Time::ZERO, Bytes::new(501));
        assert_eq!(sends(&mut rccc), 1);
    }

    #[test]
    fn credit_is_counted_from_the_start_so_that_a_later_packet_stands_for_one_that_was_lost() {
        let mut rccc = rccc();
        sends(&mut rccc);
        rccc.on_credit(Time::ZERO, Bytes::new(4500));
        rccc.on_credit(Time::ZERO, Bytes::new(3500));
        assert_eq!(sends(&mut rccc), 4);
        rccc.on_credit(Time::ZERO, Bytes::new(3500));
        assert_eq!(sends(&mut rccc), 0, "that is of long ago");
        rccc.on_credit(Time::ZERO, Bytes::new(4500));
        assert_eq!(sends(&mut rccc), 1, "the receiver has nothing else to say");
    }

    #[test]
    fn it_asks_for_what_it_has_to_send_and_no_more_than_the_most_it_may_have() {
        let mut rccc = rccc();
        assert_eq!(rccc.asks_for(Bytes::new(9000)), Bytes::ZERO, "it has enough");
        sends(&mut rccc);
        assert_eq!(rccc.asks_for(Bytes::new(9000)), Bytes::new(9500), "with what it owes");
        assert_eq!(rccc.asks_for(Bytes::MAX), Bytes::new(13_000));
        rccc.on_credit(Time::ZERO, Bytes::new(2500));
        assert_eq!(rccc.asks_for(Bytes::new(9000)), Bytes::new(2500 + 7000));
    }

    #[test]
    fn what_was_trimmed_is_given_unasked() {
        let (mut rccc, mut grants) = (rccc(), Grants::default());
        sends(&mut rccc);
        assert!(!grants.on_packet(Time::ZERO, rccc.asks_for(Bytes::ZERO), Bytes::ZERO), "all is sent");
        assert!(grants.on_packet(Time::ZERO, Bytes::new(500), PACKET));
        rccc.on_trimmed(Time::ZERO, &Trimmed { payload: PACKET, in_flight: Bytes::ZERO });
        assert_eq!(rccc.asks_for(PACKET), Bytes::new(500));
        assert_eq!(grants.grant(PACKET) + grants.grant(PACKET), Bytes::new(1500));
        rccc.on_credit(Time::ZERO, grants.granted());
        assert_eq!(rccc.asks_for(PACKET), Bytes::new(500), "it is given and not used");
        assert_eq!(sends(&mut rccc), 1);
    }

    #[test]
    fn a_timeout_lets_one_packet_ask() {
        let mut rccc = rccc();
        sends(&mut rccc);
        let (in_flight, first_lost, next_sequence) = (Bytes::new(1000), 0, 13_000);
        rccc.on_loss(Time::ZERO, &Loss { in_flight, first_lost, next_sequence, kind: LossKind::Timeout });
        assert_eq!(sends(&mut rccc), 1);
    }

    #[test]
    fn a_receiver_gives_what_was_asked_for_packet_by_packet() {
        let mut grants = Grants::default();
        assert!(!grants.on_packet(Time::ZERO, Bytes::ZERO, Bytes::ZERO));
        assert!(grants.on_packet(Time::ZERO, Bytes::new(1500), Bytes::ZERO));
        assert!(!grants.on_packet(Time::ZERO, Bytes::new(2500), Bytes::ZERO), "it waits already");
        for (more, total, again) in [(1000, 1000, true), (1000, 2000, true), (500, 2500, false)] {
            assert_eq!(grants.grant(PACKET), Bytes::new(more));
            assert_eq!(grants.granted(), Bytes::new(total));
            assert_eq!(grants.waits(), again);
        }
        assert!(
            !grants.on_packet(Time::ZERO, Bytes::new(2000), Bytes::ZERO),
            "what another packet asked for before"
        );
    }

    /// A flow that asked for 1500 bytes has them. Its turn to hear so again gives it nothing, and is its only one.
    #[test]
    fn a_receiver_that_repeats_its_credit_gives_nothing_more() {
        let (mut grants, at) = (Grants::default(), Time::new);
        assert!(grants.on_packet(at(7), Bytes::new(1500), Bytes::ZERO));
        assert_eq!((grants.grant(Bytes::new(4000)), grants.waits()), (Bytes::new(1500), false));
        assert!(!grants.on_packet(at(9), Bytes::new(1500), Bytes::ZERO), "it has all that it asks for");
        assert_eq!(grants.last_packet(), at(9));
        grants.wait();
        assert!(grants.waits());
        assert_eq!((grants.grant(PACKET), grants.granted()), (Bytes::ZERO, Bytes::new(1500)));
        assert!(!grants.waits());
        grants.wait();
        assert!(!grants.on_packet(at(11), Bytes::new(2500), Bytes::ZERO), "it waits already");
        assert_eq!(grants.grant(PACKET), PACKET);
    }

    /// Of packets of 1082 bytes on the wire, 82 are no payload. The second uses up the credit, so the rate changes.
    #[test]
    fn payload_uses_up_credit_and_a_flow_that_goes_on_has_some() {
        let mut rccc = Rccc { credit: 2_000, overhead: 82, ..rccc() };
        let packet = Bytes::new(1082);
        assert_eq!([(); 2].map(|()| rccc.on_sent(Time::ZERO, packet)), [false, true]);
        assert_eq!((rccc.sent, rccc.rate()), (2_000, Rate::ZERO));
        for (rested, credit) in [(false, 2_001), (true, 2_000 + 12_500)] {
            rccc.on_quiet(rested);
            assert_eq!((rccc.credit, rccc.rate()), (credit, Rate::MAX));
        }
    }
}

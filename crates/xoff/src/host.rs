//! Hosts: applications hand flows to transports, transports hand packets to the adapter, and the adapter feeds the
//! link.
//!
//! A host is an end of the fabric: it sends and receives flows. A flow starts at its time, or when an application
//! begins it. Its transport cuts it into packets and decides when each may leave. Packets cross the host's delay, wait
//! in the adapter's queue, and go onto the wire. At the other end a packet crosses the delay, may wait for an
//! interrupt, and reaches the receiving side of its transport. That answers with an acknowledgement, which goes back
//! the same way and lets the sender go on.
//!
//! Each part owns its state and borrows what it needs. `Adapter` has the queue and the port, `Sendings` and
//! `Receptions` the flows of either direction, `Roce` what queue pairs share. `Applications` has the flows that wait
//! for others, `Intake` and `Interrupts` the way in. This file dispatches: what has happened, to which part that goes,
//! and what the host does with the answer.

mod adapter;
mod answers;
mod applications;
mod by_queue_pair;
mod cnps;
mod connections;
mod credit;
mod flow;
mod intake;
mod interrupts;
mod letters;
mod limiters;
mod notification_points;
mod pending;
mod persistent_queue_pairs;
mod queue_pair;
mod queue_pairs;
mod receiving;
mod receptions;
mod roce;
mod sending;
mod sendings;
mod skipping;
mod small_queues;
mod sprayers;

#[cfg(target_pointer_width = "64")]
use std::mem::offset_of;
use std::slice::from_mut;

use crate::agenda::{Agenda, Context};
use crate::application::Plans;
use crate::classes::PRIORITIES;
use crate::kernel::prefetch::prefetch;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::observer::{DropReason, Observer, Release};
use crate::packet::{ACKNOWLEDGEMENT, Flight, Packet};
use crate::pause_frames::{self, PauseFrames};
use crate::pfc::{Durations, Reactions};
use crate::port::Port;
use crate::switch::marking::QueueMarker;
use crate::topology::NodeId;
use crate::transport::tcp::TcpSender;
pub use adapter::Lines;
use adapter::{Adapter, Sent};
pub use applications::{Applications, Happened, Reception};
use connections::OpenConnections;
use credit::CreditTurns;
pub use flow::{FinishedFlow, Flow, FlowStart, Repairs, UnfinishedFlow};
use intake::Intake;
pub use intake::SlowTime;
use interrupts::Interrupts;
use limiters::{Limiter, Limiters};
use pending::{Due, Pending};
use receptions::Receptions;
use roce::Roce;
use sendings::{Sending, Sendings};
pub use skipping::Pace;
use sprayers::Sprayers;
pub use sprayers::SprayingCounters;

/// Stands in a table for a flow whose state is gone.
const GONE: u32 = u32::MAX;
const NOT_SEEN: u32 = u32::MAX - 1;

/// Purpose of a host's timer. The order is that of equal deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TimerKey {
    /// The next packet that a slow adapter takes in.
    Intake,
    /// The interrupt or poll that hands packets up.
    Interrupt,
    /// Retransmission or pacing of a flow, by its number at this host.
    Sending(u32),
    /// A pending acknowledgement, by the flow's number among the flows received here.
    Reception(u32),
    /// The notification point of a persistent queue pair, by its place.
    NotificationPoint(u32),
    /// CNPs that are being made.
    Cnp,
    /// Credit for the next turn.
    Credit,
    /// The credit of a persistent queue pair, by the place of its account.
    CreditAccount(u32),
    /// The next packet of a queue pair, by the flow's number at this host.
    Pacing(u32),
    /// The congestion control of a queue pair, by the flow's number at this host.
    CongestionControl(u32),
    /// The next packet of a limited flow, by its number at this host.
    Limiter(u32),
    /// The reaction point of a limited flow, by its number at this host.
    ReactionPoint(u32),
    /// The next query of an aggregator, by its plan.
    Query(u32),
    /// A response, by its place among the responses that wait.
    Response(u32),
    /// The next step of a rank, by its plan.
    Collective(u32),
    /// A step of a job, by its place among the steps that wait for their time.
    Job(u32),
    /// The choice of a free stream, by its place among those steps. All that is ready at the same time comes before.
    Stream(u32),
    /// A message that a program sends now.
    Begin,
    /// A time of which a program wants to hear.
    Wake,
    /// The end of a flow, by its number at this host.
    End(u32),
}

impl TimerKey {
    /// Whether the time is set by a workload or an application, and not by what happens to packets.
    fn is_planned(self) -> bool {
        use TimerKey::{Begin, Collective, End, Job, Query, Response, Stream, Wake};
        matches!(self, Query(_) | Response(_) | Collective(_) | Job(_) | Stream(_) | Begin | Wake | End(_))
    }
}

/// Counters of a host since the start. Those that nearly every packet adds to come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HostCounters {
    /// Data packets received.
    pub data_delivered: u64,
    /// Payload bytes received.
    pub payload_delivered: Bytes,
    /// Payload bytes received in vain: duplicates, or out of order at a receiver that keeps nothing out of order.
    pub payload_in_vain: Bytes,
    /// Acknowledgements sent, of any kind.
    pub acknowledgements_sent: u64,
    /// Acknowledgements received.
    pub acknowledgements_delivered: u64,
    /// Data packets sent, retransmissions and SYNs included.
    pub data_sent: u64,
    /// Data packets sent again.
    pub data_retransmitted: u64,
    /// Flows handed to a transport.
    pub started: u64,
    /// Flows finished: acknowledged whole at this sender, or received whole here where nothing is acknowledged.
    pub finished: u64,
    /// CNPs sent, which `acknowledgements_sent` counts too.
    pub cnps_sent: u64,
    /// Packets of credit sent, which `acknowledgements_sent` counts too.
    pub credits_sent: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Congestion notification messages (802.1Qau) received by the adapter.
    pub cnms_received: u64,
    /// Headers received of packets whose payload a switch has cut off.
    pub trimmed_delivered: u64,
}

impl HostCounters {
    /// Payload bytes received, each counted once.
    pub fn goodput(&self) -> Bytes {
        self.payload_delivered - self.payload_in_vain
    }
}

/// One host. Three cache lines behind the adapter hold what packets touch: data one of them and the last,
/// acknowledgements another and the last.
#[derive(Debug)]
#[repr(C)]
pub struct Host {
    adapter: Adapter,
    sendings: Sendings,
    receptions: Receptions,
    connections: OpenConnections,
    finished: Vec<FinishedFlow>,
    /// Padding that begins the last of the hot cache lines where it should.
    gap: [u64; 2],
    /// Everything that the host does later. Its last field, the time when the first of it is due, begins the last hot
    /// cache line.
    pending: Pending,
    id: NodeId,
    /// Counters since the start.
    pub counters: HostCounters,
    roce: Roce,
    limiters: Limiters,
    applications: Applications,
    interrupts: Interrupts,
    reactions: Reactions,
    /// Packets that wait before a slow adapter; `None` where the adapter is never slow.
    intake: Option<Box<Intake>>,
}

// Of 64-bit machines; where pointers are shorter, lines begin elsewhere and only speed differs.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(offset_of!(Host, sendings).is_multiple_of(64));
    assert!(offset_of!(Host, receptions).is_multiple_of(64));
    assert!(offset_of!(Host, id) % 64 == size_of::<Time>());
};

/// State of a sender of TCP that series record.
#[derive(Clone, Copy, Debug)]
pub struct TcpState {
    /// Running share of marked bytes, of a congestion control that keeps one.
    pub alpha: Option<f64>,
    /// Slow-start threshold, from the first reduction on.
    pub threshold: Option<Bytes>,
    /// Smoothed round-trip time, from the first sample on.
    pub round_trip: Option<Span>,
    /// State in which losses are repaired, by its number in Linux (`tcp_ca_state`).
    pub recovery: u8,
}

impl TcpState {
    fn of(sender: &TcpSender) -> Self {
        Self {
            alpha: sender.alpha(),
            threshold: sender.threshold(),
            round_trip: sender.smoothed_rtt(),
            recovery: sender.state() as u8,
        }
    }
}

impl Host {
    /// A host with nothing to do. `rng` is the random stream of its jitter.
    pub fn new(id: NodeId, port: Port, marker: Option<QueueMarker>, reactions: Reactions, rng: Rng) -> Self {
        Self {
            adapter: Adapter::new(port, marker, rng),
            sendings: Sendings::new(),
            receptions: Receptions::new(),
            connections: OpenConnections::default(),
            finished: Vec::new(),
            gap: [0; 2],
            pending: Pending::default(),
            id,
            counters: HostCounters::default(),
            roce: Roce::default(),
            limiters: Limiters::new(),
            applications: Applications::default(),
            interrupts: Interrupts::default(),
            reactions,
            intake: None,
        }
    }

    /// Makes the adapter slow at `slow_times`, given in order, and has it pause senders by `frames`. At other times it
    /// takes in at `rate`, as its link brings packets.
    #[must_use]
    pub fn with_slow_times(self, slow_times: Vec<SlowTime>, rate: Rate, frames: PauseFrames) -> Self {
        Self { intake: Some(Box::new(Intake::new(slow_times, rate, frames))), ..self }
    }

    /// Has the link bring packets at `rate`, and the host give credit at this rate.
    #[must_use]
    pub fn receiving_at(self, rate: Rate) -> Self {
        let roce = Roce { credit: CreditTurns::at(rate), ..self.roce };
        Self { roce, ..self }
    }

    /// Lets the host spray packets. `rng` is the random stream of their entropies.
    #[must_use]
    pub fn with_spraying(self, rng: Rng) -> Self {
        let roce = Roce { sprayers: Some(Box::new(Sprayers::new(rng))), ..self.roce };
        Self { roce, ..self }
    }

    /// Counters of the host's sprayed packets.
    pub fn spraying(&self) -> SprayingCounters {
        self.roce.sprayers.as_ref().map_or(SprayingCounters::default(), |sprayers| sprayers.counters)
    }

    /// Lets the adapter's packets line up, so that none is an event before it reaches the other end of the link. That
    /// holds only where all are of one class and no observer looks at the queue.
    #[must_use]
    pub fn with_lines(self, lines: Lines) -> Self {
        Self { adapter: self.adapter.with_lines(lines), ..self }
    }

    /// Counts what has happened by `now` without an event.
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.settle(now, context);
        self.settle_small_queues(now, context);
    }

    /// Prefetches what every packet touches.
    pub fn prefetch(&self) {
        self.adapter.port.prefetch();
        prefetch(&raw const self.sendings);
        prefetch(&raw const self.receptions);
        prefetch(&raw const self.id);
    }

    /// Prefetches the indices of flows, of which those of few flows are one cache line.
    pub fn prefetch_indices(&self) {
        self.sendings.prefetch_index();
        self.receptions.flows.prefetch();
    }

    /// Prefetches the state of the flow to which a packet that arrives belongs.
    pub fn prefetch_flow(&self, packet: &Packet) {
        if packet.is(ACKNOWLEDGEMENT) {
            self.sendings.prefetch_flow(packet.flow());
        } else {
            self.receptions.prefetch_flow(packet.reception());
        }
    }

    /// Number of the host among the nodes.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The adapter's port.
    pub fn port(&self) -> &Port {
        &self.adapter.port
    }

    /// The adapter's port, to change it.
    pub fn port_mut(&mut self) -> &mut Port {
        &mut self.adapter.port
    }

    /// Bytes waiting in the adapter.
    pub fn queued(&self) -> Bytes {
        self.adapter.queued()
    }

    /// Bytes of one class waiting in the adapter.
    pub fn queued_of(&self, priority: usize) -> Bytes {
        self.adapter.queued[priority]
    }

    /// Flows finished so far, in order of their finish.
    pub fn finished(&self) -> &[FinishedFlow] {
        &self.finished
    }

    /// Takes the flows finished so far, in order of their finish, out of the host.
    pub fn take_finished(&mut self) -> Vec<FinishedFlow> {
        std::mem::take(&mut self.finished)
    }

    /// Time at which a flow to this host was whole, by the number under which the host knows it.
    pub fn received_at(&self, reception: u32, plans: &Plans) -> Option<Time> {
        match plans.arrival(reception) {
            Some(arrival) => self.applications.received_at(arrival),
            None => self.receptions.flows.received_at(reception),
        }
    }

    /// Drops the records of the flows that finished last, up to one of an application. Returns how many there were.
    pub fn forget_finished(&mut self, plans: &Plans) -> u64 {
        let before = self.finished.len();
        let of_application =
            self.finished.iter().rposition(|finished| plans.arrival(finished.flow.reception).is_some());
        self.finished.truncate(of_application.map_or(0, |place| place + 1));
        (before - self.finished.len()) as u64
    }

    /// The applications of the host and what they have done.
    pub fn applications(&self) -> &Applications {
        &self.applications
    }

    /// Numbers of the flows under way: sent here and not done.
    pub fn flows_under_way(&self) -> impl Iterator<Item = u32> {
        self.sendings.iter().map(Sending::number)
    }

    /// Records of the flows under way, which are sent here and not done.
    pub fn unfinished(&self) -> impl Iterator<Item = UnfinishedFlow> {
        self.sendings.iter().map(Sending::so_far)
    }

    /// Number and window of each flow under way whose transport has a window.
    pub fn windows(&self) -> impl Iterator<Item = (u32, Bytes)> {
        self.with_congestion_control().filter_map(|sending| Some((sending.number(), sending.window()?)))
    }

    /// Number and state of each flow of TCP under way whose connection is open.
    pub fn tcp_states(&self) -> impl Iterator<Item = (u32, TcpState)> {
        self.sendings.iter().filter_map(|sending| Some((sending.number(), TcpState::of(sending.tcp()?))))
    }

    /// Number and rate of each flow under way just before `now`, that is before any timer of a congestion control that
    /// is due at `now`.
    pub fn rates_before(&self, now: Time) -> impl Iterator<Item = (u32, Rate)> {
        let just_before = Time::new(now.get().saturating_sub(1));
        self.with_congestion_control()
            .map(move |sending| (sending.number(), self.rate_at(just_before, sending)))
    }

    /// Flows under way, except flows that have passed their persistent queue pair on: another flow has the congestion
    /// control.
    fn with_congestion_control(&self) -> impl Iterator<Item = &Sending> {
        self.sendings.iter().filter(|sending| self.passed_on(sending).is_none())
    }

    /// Rate of a flow at `now`: the lower of its congestion control's and its limiter's, or that of the link where
    /// neither decides one. It is zero while another flow has its queue pair.
    fn rate_at(&self, now: Time, sending: &Sending) -> Rate {
        if self.passed_on(sending).is_some() {
            return Rate::ZERO;
        }
        let limiter = self.limiters.get(sending.limiter as usize).map(Limiter::rate);
        [sending.rate_at(now), limiter].into_iter().flatten().min().unwrap_or(self.port().rate())
    }

    /// Tells the observer the rate of a flow, which may have changed.
    #[inline]
    fn report_rate(&self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if context.observer.watches_rates()
            && let Some(sending) = self.sendings.get(slot)
        {
            let rate = self.rate_at(context.now, sending);
            context.observer.on_rate(context.now, self.id, sending.number(), rate);
        }
    }

    /// Time by `now` in which the adapter has told its switch to pause.
    pub fn off_durations(&self, now: Time) -> Durations {
        self.intake.as_ref().map_or(Durations::default(), |intake| intake.off_durations(now))
    }

    /// Packets inside this host: in the adapter, in the host's delay or before an interrupt.
    pub fn packets_inside(&self) -> impl Iterator<Item = &Packet> {
        let in_adapter =
            self.intake.iter().flat_map(|intake| intake.packets()).chain(self.adapter.port.queued());
        in_adapter.chain(self.pending.packets()).chain(self.interrupts.waiting.iter())
    }

    /// Announces a flow, which starts no sooner than the flows announced before.
    pub fn announce(&mut self, start: FlowStart) {
        self.pending.announce(start);
    }

    /// Announces a flow that may start sooner than flows announced before.
    pub fn announce_among(&mut self, start: FlowStart) {
        self.pending.announce_among(start);
    }

    /// Time of the host's next own event; `Time::MAX` for none.
    #[inline]
    pub fn due(&self) -> Time {
        self.pending.due()
    }

    /// Handles the packet, flow start or timer that is due now.
    pub fn on_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self.pending.take(context.now) {
            Some(Due::Inbound(packet)) => self.receive(packet, context),
            Some(Due::Outbound(packet)) => self.on_outbound(packet, context),
            Some(Due::Start(start)) => self.start_flow(start, context),
            Some(Due::Timer(time, key)) => self.on_timer(time, key, context),
            None => {}
        }
    }

    /// Handles a packet that has arrived whole at the adapter.
    // As a call, this and the next cost seven instructions a packet-hop.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_arrival(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if packet.is_of_adapter() {
            return self.on_adapter_frame(packet, context);
        }
        if context.fabric.has_slow_receivers {
            self.take_in(packet, context);
        } else {
            self.on_taken_in(packet, context);
        }
    }

    /// Hands a packet that has arrived to an adapter that may be slow.
    #[cold]
    fn take_in(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Self { intake, adapter, pending, .. } = self;
        let taken_in = match intake {
            Some(intake) => intake.take(packet, &mut adapter.port, pending, context),
            None => Some(packet),
        };
        if let Some(packet) = taken_in {
            self.on_taken_in(packet, context);
        }
    }

    /// Goes on with the first packet that waits before a slow adapter.
    #[cold]
    fn on_intake_timer(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Self { intake: Some(intake), adapter, pending, .. } = self else { return };
        if let Some(packet) = intake.on_timer(&mut adapter.port, pending, context) {
            self.on_taken_in(packet, context);
        }
    }

    /// Handles a packet that the adapter has taken in, which now crosses the host's delay.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_taken_in(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let delay = context.fabric.inbound_delay;
        if delay == Span::ZERO || context.fabric.is_in_adapter(&packet) {
            self.receive(packet, context);
        } else {
            self.pending.bring_in(Flight { arrives: context.now + delay, packet });
        }
    }

    /// Handles a frame for the adapter itself: a pause frame or a CNM.
    #[cold]
    fn on_adapter_frame(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match packet.control() {
            Some(control) => {
                let due = self.reactions.on_frame(0, context.now, control.into());
                context.agenda.pause_due(self.adapter.port.id(), due);
            }
            None => self.on_cnm(&packet, context),
        }
    }

    /// Handles what is due of pauses at the adapter. Returns when something is due next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let frames = self.intake.as_deref_mut().map(Intake::frames);
        pause_frames::on_due(&mut self.reactions, frames, from_mut(&mut self.adapter.port), context)
    }

    /// Takes the link down. The adapter keeps its packets and forgets every pause that the other end has asked for.
    pub fn on_link_down(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.reactions.forget(0);
        self.adapter.port.take_down(context);
        (0..PRIORITIES).for_each(|priority| self.adapter.port.withhold(priority, true, context));
    }

    /// Brings the link up again.
    pub fn on_link_up(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.port.bring_up();
        (0..PRIORITIES).for_each(|priority| self.adapter.port.withhold(priority, false, context));
        if let Some(intake) = self.intake.as_mut().filter(|intake| intake.pauses_senders()) {
            intake.tell_senders(&mut self.adapter.port, context);
        }
    }

    /// Loses a packet that was on its way when the link failed.
    pub fn lose(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.port.drop(packet, DropReason::LinkDown, None, context);
    }

    /// Puts a packet that has crossed the host's delay into the adapter.
    fn on_outbound(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.observer.on_crossed(context.now, &packet);
        if self.adapter.accept(packet, context) == Sent::Queued && !packet.is(ACKNOWLEDGEMENT) {
            self.on_entered_adapter(&packet);
        }
    }

    /// Starts the flows that an application has begun, one after another.
    #[cold]
    fn start_flows(
        &mut self,
        starts: impl IntoIterator<Item = FlowStart>,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        for start in starts {
            self.start_flow(start, context);
        }
    }

    /// Starts a flow, which gets the next number.
    fn start_flow(&mut self, mut start: FlowStart, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.started += 1;
        let number = self.sendings.next_number();
        start.flow.number = number;
        let slot = self.begin_sending(start, context);
        context.observer.on_released(context.now, self.id, number, Release::Start);
        self.report_rate(slot, context);
        self.go_on_sending(slot, context);
    }

    /// Hands a timer that may expire to the part that it is for.
    fn on_timer(&mut self, time: Time, key: TimerKey, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match key {
            TimerKey::Intake => self.on_intake_timer(context),
            TimerKey::Interrupt => self.on_interrupt_timer(time, context),
            TimerKey::Sending(number) => self.on_sending_timer(number, time, context),
            TimerKey::Reception(number) => self.on_reception_timer(number, time, context),
            TimerKey::NotificationPoint(place) => self.on_notification_timer(place, time, context),
            TimerKey::Cnp => self.on_cnp_timer(time, context),
            TimerKey::Credit => self.on_credit_timer(time, context),
            TimerKey::CreditAccount(place) => self.on_account_timer(place, time, context),
            TimerKey::Pacing(number) => self.on_pacing_timer(number, time, context),
            TimerKey::CongestionControl(number) => self.on_control_timer(number, time, context),
            TimerKey::Limiter(number) => self.on_limiter_timer(number, time, context),
            TimerKey::ReactionPoint(number) => {
                self.on_reaction_point_timer(number, time, context);
            }
            TimerKey::Query(plan) => {
                let starts = self.applications.begin_query(plan, self.id, &mut self.pending, context);
                self.start_flows(starts, context);
            }
            TimerKey::Response(place) => {
                let start = self.applications.begin_response(place, self.id, context);
                self.start_flows(start, context);
            }
            TimerKey::Collective(plan) => {
                let starts = self.applications.begin_step(plan, self.id, &mut self.pending, context);
                self.start_flows(starts, context);
            }
            TimerKey::Job(place) | TimerKey::Stream(place) => {
                let start = self.applications.on_job_timer(place, self.id, &mut self.pending, context);
                self.start_flows(start, context);
            }
            TimerKey::Begin => {
                let start = self.take_begin();
                self.start_flows(start, context);
            }
            TimerKey::Wake => self.on_wake(),
            TimerKey::End(number) => self.on_end_timer(number, context),
        }
    }

    /// Handles the end of a transmission that something waits for. Returns when the end of the next one must be heard
    /// of.
    #[inline]
    pub fn on_end_of_transmission(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        if self.adapter.small_queues.is_some() {
            return self.on_departure(context);
        }
        if self.adapter.port.send_pause_frame(context) {
            return self.adapter.port.next_end();
        }
        if let Some(packet) = self.adapter.transmit_next(context) {
            if !packet.is(ACKNOWLEDGEMENT) {
                self.on_left_adapter(&packet, context);
            }
            let priority = packet.priority();
            if self.roce.turns.wait(priority) {
                let beside = self.adapter.queued[priority];
                if beside == Bytes::ZERO || !context.fabric.is_in_adapter(&packet) {
                    self.take_turns(priority, beside, context);
                }
            }
        }
        self.adapter.port.next_end()
    }

    /// Takes a packet that has crossed the host's delay: it is handed up, or waits for an interrupt or poll. To take the
    /// delay before that wait and not after it changes no time, since all packets wait as long.
    #[inline]
    fn receive(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if context.fabric.hands_up_together && !context.fabric.is_in_adapter(&packet) {
            return self.wait_to_be_handed_up(&packet, context);
        }
        self.count_received(&packet, context);
        self.hand_up(&packet, context);
    }

    /// Has a packet wait for an interrupt or poll, which may come at once.
    #[cold]
    fn wait_to_be_handed_up(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { interrupts, pending, .. } = self;
        let host = &context.fabric.host;
        let comes_now = match (&host.interrupt_moderation, host.poll_time) {
            (Some(moderation), _) => interrupts.wait(packet, moderation, context.now, pending),
            (None, poll_time) => {
                interrupts.wait_for_poll(packet, poll_time.unwrap_or_default(), context.now, pending)
            }
        };
        if comes_now {
            self.on_interrupt(context);
        }
    }

    /// Interrupts the host, or has it poll again, if the first packet has waited long enough.
    #[cold]
    fn on_interrupt_timer(&mut self, time: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if self.interrupts.expires(time, &mut self.pending) {
            if let Some(poll_time) = context.fabric.host.poll_time {
                self.interrupts.poll_again(poll_time, context.now);
            }
            self.on_interrupt(context);
        }
    }

    /// Hands up every packet that waits for the interrupt or poll, with segments of one flow joined where the host does so.
    #[cold]
    fn on_interrupt(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let most = context.fabric.host.receive_offload;
        while let Some(packet) = self.interrupts.next() {
            self.count_received(&packet, context);
            let up = match most {
                Some(most) if !packet.is(ACKNOWLEDGEMENT) => self.interrupts.join(packet, most),
                _ => Some(packet),
            };
            if let Some(packet) = up {
                self.hand_up(&packet, context);
            }
        }
        let mut index = 0;
        while let Some(&segment) = self.interrupts.joined.get(index) {
            self.hand_up(&segment, context);
            index += 1;
        }
        self.interrupts.joined.clear();
    }

    #[inline]
    fn count_received(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.observer.on_received(context.now, packet);
        if packet.is(ACKNOWLEDGEMENT) {
            self.counters.acknowledgements_delivered += 1;
        } else if packet.is_trimmed() {
            self.counters.trimmed_delivered += 1;
        } else {
            self.counters.data_delivered += 1;
            self.counters.payload_delivered += Bytes::new(packet.length());
        }
    }

    /// Hands a packet to the sending or the receiving side of its transport.
    #[inline]
    fn hand_up(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if packet.is(ACKNOWLEDGEMENT) {
            self.on_acknowledgement(packet, context);
        } else if packet.is_trimmed() {
            self.on_trimmed(packet, context);
        } else {
            self.on_data(packet, context);
        }
    }
}

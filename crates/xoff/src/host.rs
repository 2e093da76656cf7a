//! Hosts: applications hand flows to transports, transports hand packets to the adapter, the adapter feeds the link.
//! This file says what happens at each event; each side, queue and timer is a module of its own.

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
mod small_queues;
mod sprayers;

use std::mem::offset_of;
use std::slice::from_mut;

use crate::agenda::{Agenda, Context};
use crate::application::Plans;
use crate::classes::PRIORITIES;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::observer::{DropReason, Observer, Release};
use crate::packet::{ACKNOWLEDGEMENT, Flight, Packet};
use crate::pause_frames::{self, PauseFrames};
use crate::pfc::{Durations, Reactions};
use crate::port::Port;
use crate::switch::marking::QueueMarker;
use crate::topology::NodeId;
pub use adapter::Lines;
use adapter::{Adapter, Sent};
pub use applications::Applications;
use connections::OpenConnections;
pub use flow::{FinishedFlow, Flow, FlowStart, UnfinishedFlow};
use intake::Intake;
pub use intake::SlowTime;
use interrupts::Interrupts;
use limiters::{Limiter, Limiters};
use pending::{Due, Pending};
use receptions::Receptions;
use roce::Roce;
use sendings::{Sending, Sendings};
use sprayers::Sprayers;
pub use sprayers::SprayingCounters;

/// A table entry for a flow whose state is gone, or not there yet.
const GONE: u32 = u32::MAX;
const NOT_SEEN: u32 = u32::MAX - 1;

/// What a timer of a host is for. The order is the order of equal deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TimerKey {
    /// What an adapter that is slow has taken in.
    Intake,
    /// Packets that have arrived.
    Interrupt,
    /// Retransmission or pacing of a flow, by its number at this host.
    Sending(u32),
    /// A pending acknowledgement, by the flow's number among those received here.
    Reception(u32),
    /// The notification point of a persistent queue pair, by its place.
    NotificationPoint(u32),
    /// CNPs that are being made.
    Cnp,
    /// Credit for whoever's turn is next.
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
    /// A response, by its place among those that wait.
    Response(u32),
    /// The next step of a rank, by its plan.
    Collective(u32),
    /// A flow of a job, by its place among those that wait for their time.
    Job(u32),
    /// The end of a flow, by its number at this host.
    End(u32),
}

/// What a host has done since the start; first what nearly every packet adds to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HostCounters {
    /// Data packets received.
    pub data_delivered: u64,
    /// Payload bytes received.
    pub payload_delivered: Bytes,
    /// Those of them that were there before, or came out of order to a receiver that keeps nothing of the kind.
    pub payload_in_vain: Bytes,
    /// Acknowledgements sent, of any kind.
    pub acknowledgements_sent: u64,
    /// Acknowledgements received.
    pub acknowledgements_delivered: u64,
    /// Data packets sent, retransmissions and SYNs included.
    pub data_sent: u64,
    /// Of them, sent again.
    pub data_retransmitted: u64,
    /// Flows handed to a transport.
    pub started: u64,
    /// Flows finished: acknowledged whole at this sender, or received whole here where nothing is acknowledged.
    pub finished: u64,
    /// Of the acknowledgements sent, CNPs.
    pub cnps_sent: u64,
    /// Of the acknowledgements sent, packets of credit.
    pub credits_sent: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Congestion notification messages (802.1Qau) received by the adapter.
    pub cnms_received: u64,
    /// Headers received of packets that switches have trimmed.
    pub trimmed_delivered: u64,
}

impl HostCounters {
    /// Payload bytes received, each once.
    pub fn goodput(&self) -> Bytes {
        self.payload_delivered - self.payload_in_vain
    }
}

/// One host. Behind the adapter, three cache lines hold what packets touch: of data one and the last, of acknowledgements
/// another and the last.
#[derive(Debug)]
#[repr(C)]
pub struct Host {
    adapter: Adapter,
    sendings: Sendings,
    receptions: Receptions,
    connections: OpenConnections,
    finished: Vec<FinishedFlow>,
    /// So that the last of these lines begins where it should.
    gap: [u64; 2],
    /// Ends with when the first is due, with which the last of these lines begins.
    pending: Pending,
    id: NodeId,
    /// What it has done.
    pub counters: HostCounters,
    roce: Roce,
    limiters: Limiters,
    applications: Applications,
    interrupts: Interrupts,
    reactions: Reactions,
    /// Nothing where the adapter takes in whatever comes.
    intake: Option<Box<Intake>>,
}

const _: () = assert!(offset_of!(Host, sendings).is_multiple_of(64));
const _: () = assert!(offset_of!(Host, receptions).is_multiple_of(64));
const _: () = assert!(offset_of!(Host, id) % 64 == size_of::<Time>());

impl Host {
    /// A host with nothing to do; `rng` is the stream of its jitter.
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

    /// The same host, whose adapter is slow at these times, in their order, and pauses senders in these frames.
    #[must_use]
    pub fn with_slow_times(self, slow_times: Vec<SlowTime>, frames: PauseFrames) -> Self {
        Self { intake: Some(Box::new(Intake::new(slow_times, frames))), ..self }
    }

    /// The same host, which may spray; `rng` is the stream of its entropies.
    #[must_use]
    pub fn with_spraying(self, rng: Rng) -> Self {
        let roce = Roce { sprayers: Some(Box::new(Sprayers::new(rng))), ..self.roce };
        Self { roce, ..self }
    }

    /// What became of its sprayed packets.
    pub fn spraying(&self) -> SprayingCounters {
        self.roce.sprayers.as_ref().map_or(SprayingCounters::default(), |sprayers| sprayers.counters)
    }

    /// The same host; if its adapter's packets line up, none of them is an event until it arrives at the other end of the link. Only
    /// where they are of one class, and nobody looks.
    #[must_use]
    pub fn with_lines(self, lines: Lines) -> Self {
        Self { adapter: self.adapter.with_lines(lines), ..self }
    }

    /// Counts what has happened by now and was no event.
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.settle(now, context);
        self.settle_small_queues(now, context);
    }

    /// Its number.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The adapter's port.
    pub fn port(&self) -> &Port {
        &self.adapter.port
    }

    /// The same.
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

    /// The same, which this host then no longer has.
    pub fn take_finished(&mut self) -> Vec<FinishedFlow> {
        std::mem::take(&mut self.finished)
    }

    /// When a flow to this host was whole, by the number under which it knows it.
    pub fn received_at(&self, reception: u32, plans: &Plans) -> Option<Time> {
        match plans.arrival(reception) {
            Some(arrival) => self.applications.received_at(arrival),
            None => self.receptions.flows.received_at(reception),
        }
    }

    /// What its applications have done.
    pub fn applications(&self) -> &Applications {
        &self.applications
    }

    /// Numbers of the flows that the transports still have something to do for.
    pub fn flows_under_way(&self) -> impl Iterator<Item = u32> {
        self.sendings.iter().map(Sending::number)
    }

    /// What there is of those flows.
    pub fn unfinished(&self) -> impl Iterator<Item = UnfinishedFlow> {
        self.sendings.iter().map(Sending::so_far)
    }

    /// Number and window of each flow under way that has one.
    pub fn windows(&self) -> impl Iterator<Item = (u32, Bytes)> {
        self.with_congestion_control().filter_map(|sending| Some((sending.number(), sending.window()?)))
    }

    /// Number and rate of each flow under way, before anything that its congestion control's timer does at this instant.
    pub fn rates_before(&self, now: Time) -> impl Iterator<Item = (u32, Rate)> {
        let just_before = Time::new(now.get().saturating_sub(1));
        self.with_congestion_control()
            .map(move |sending| (sending.number(), self.rate_at(just_before, sending)))
    }

    /// Flows under way but those that share a congestion control with the one that has it.
    fn with_congestion_control(&self) -> impl Iterator<Item = &Sending> {
        self.sendings.iter().filter(|sending| self.passed_on(sending).is_none())
    }

    /// The rate of a flow by now: its congestion control's or its limiter's, the lower; where neither decides one, that of the link.
    /// Nothing while another flow has its queue pair.
    fn rate_at(&self, now: Time, sending: &Sending) -> Rate {
        if self.passed_on(sending).is_some() {
            return Rate::ZERO;
        }
        let limiter = self.limiters.get(sending.limiter as usize).map(Limiter::rate);
        [sending.rate_at(now), limiter].into_iter().flatten().min().unwrap_or(self.port().rate())
    }

    /// The rate of a flow may have changed.
    #[inline]
    fn report_rate(&self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if context.observer.watches_rates()
            && let Some(sending) = self.sendings.get(slot)
        {
            let rate = self.rate_at(context.now, sending);
            context.observer.on_rate(context.now, self.id, sending.number(), rate);
        }
    }

    /// For how long by now it has told its switch to pause.
    pub fn off_durations(&self, now: Time) -> Durations {
        self.intake.as_ref().map_or(Durations::default(), |intake| intake.off_durations(now))
    }

    /// Packets that are in this host: waiting in the adapter, in the host's delay or for an interrupt.
    pub fn packets_inside(&self) -> impl Iterator<Item = &Packet> {
        let in_adapter =
            self.intake.iter().flat_map(|intake| intake.packets()).chain(self.adapter.port.queued());
        in_adapter.chain(self.pending.packets()).chain(self.interrupts.waiting.iter())
    }

    /// Announces a flow. Flows are announced in order of their start.
    pub fn announce(&mut self, start: FlowStart) {
        self.pending.announce(start);
    }

    /// When it next does something by itself; `Time::MAX` for never.
    #[inline]
    pub fn due(&self) -> Time {
        self.pending.due()
    }

    /// Does the one thing that is due now.
    pub fn on_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self.pending.take(context.now) {
            Some(Due::Inbound(packet)) => self.receive(packet, context),
            Some(Due::Outbound(packet)) => self.on_outbound(packet, context),
            Some(Due::Start(start)) => self.start_flow(start, context),
            Some(Due::Timer(time, key)) => self.on_timer(time, key, context),
            None => {}
        }
    }

    /// A packet has arrived whole at the adapter.
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

    /// A packet has arrived where adapters may be slow.
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

    /// An adapter that is slow at times may have taken in the first packet that waits.
    #[cold]
    fn on_intake_timer(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Self { intake: Some(intake), adapter, pending, .. } = self else { return };
        if let Some(packet) = intake.on_timer(&mut adapter.port, pending, context) {
            self.on_taken_in(packet, context);
        }
    }

    /// The adapter has taken in a packet.
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

    /// A frame for the adapter itself has arrived: a pause frame or a CNM.
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

    /// Something about pauses of the adapter is due. Returns when something is next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let frames = self.intake.as_deref_mut().map(Intake::frames);
        pause_frames::on_due(&mut self.reactions, frames, from_mut(&mut self.adapter.port), context)
    }

    /// The link fails: what its other end has said of pauses is forgotten, and the adapter keeps what it has.
    pub fn on_link_down(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.reactions.forget(0);
        self.adapter.port.take_down(context);
        (0..PRIORITIES).for_each(|priority| self.adapter.port.withhold(priority, true, context));
    }

    /// The link works again.
    pub fn on_link_up(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.port.bring_up();
        (0..PRIORITIES).for_each(|priority| self.adapter.port.withhold(priority, false, context));
        if let Some(intake) = self.intake.as_mut().filter(|intake| intake.pauses_senders()) {
            intake.tell_senders(&mut self.adapter.port, context);
        }
    }

    /// A packet was on its way when the link failed.
    pub fn lose(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.adapter.port.drop(packet, DropReason::LinkDown, None, context);
    }

    /// A packet has crossed the host's delay and reaches the adapter.
    fn on_outbound(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.observer.on_crossed(context.now, &packet);
        if self.adapter.accept(packet, context) == Sent::Queued && !packet.is(ACKNOWLEDGEMENT) {
            self.on_entered_adapter(&packet);
        }
    }

    /// Starts what an application has begun, one flow after another.
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

    /// A timer may expire.
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
            TimerKey::Job(place) => {
                let start = self.applications.begin_job_flow(place, self.id, context);
                self.start_flows(start, context);
            }
            TimerKey::End(number) => self.on_end_timer(number, context),
        }
    }

    /// The transmission has ended and something waits for that.
    /// Returns when the end of the next one must be heard of.
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

    /// A packet has arrived and crossed the host's delay. That the delay comes before the wait for an interrupt, and not
    /// after it, changes no time: all wait as long.
    #[inline]
    fn receive(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if let Some(moderation) = &context.fabric.host.interrupt_moderation
            && !context.fabric.is_in_adapter(&packet)
        {
            if self.interrupts.wait(&packet, moderation, context.now, &mut self.pending) {
                self.on_interrupt(context);
            }
            return;
        }
        self.count_received(&packet, context);
        self.hand_up(&packet, context);
    }

    /// The first packet that waits for an interrupt may have waited long enough.
    #[cold]
    fn on_interrupt_timer(&mut self, time: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if self.interrupts.expires(time, &mut self.pending) {
            self.on_interrupt(context);
        }
    }

    /// The adapter interrupts the host: all that is waiting is handed up.
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

    /// A packet reaches the transport.
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

//! Egress port of a switch or adapter: eight queues, the scheduler that picks among them, and the start of a link.
//!
//! A packet that finds the port idle starts at once, and needs no event. The end of a transmission is an event only
//! when a packet that is not paused waits for it. Where packets leave in the order of arrival they *line up* instead:
//! each is handed to the link as it arrives, with the time at which it starts, and no transmission is an event.

mod carried;
mod shaper;

use std::mem::offset_of;

use crate::agenda::{Agenda, Context, Fabric, LaneId};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::prefetch::prefetch;
use crate::kernel::ring::{InLine, Ring};
use crate::kernel::rng::{Rng, below};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time, TransmissionClock};
use crate::observer::{DropReason, Dropped, Observer};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, MOST_HOPS_COUNTED, Packet, Stub};
use crate::pfc::{Change, PauseFrame};
use crate::scheduler::strict_priority::StrictPriority;
use crate::scheduler::{self, Scheduler};
use crate::topology::PortId;
use carried::Irregular;
pub use shaper::Shaper;

/// Counters of a port since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PortCounters {
    /// Packets put on the wire, without pause frames.
    pub packets: u64,
    /// Bytes put on the wire, preambles and gaps included.
    pub wire_bytes: Bytes,
    /// Packets marked.
    pub marked: u64,
    /// Data packets dropped, by reason.
    pub dropped_data: [u64; DropReason::ALL.len()],
    /// Acknowledgements, congestion notification messages and headers of trimmed packets dropped, by reason.
    pub dropped_acknowledgements: [u64; DropReason::ALL.len()],
    /// Frames sent that pause a class.
    pub pause_frames: u64,
    /// Frames sent that only resume classes.
    pub resume_frames: u64,
    /// Time that the port's classes have been paused, summed over classes, in pauses that are over.
    pub paused: Span,
}

impl PortCounters {
    /// Counts a dropped packet.
    #[cold]
    fn count_drop(&mut self, packet: &Packet, reason: DropReason) {
        let counters =
            if packet.has_payload() { &mut self.dropped_data } else { &mut self.dropped_acknowledgements };
        counters[reason as usize] += 1;
    }

    /// Packets dropped, of any kind and for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_data.iter().chain(&self.dropped_acknowledgements).sum()
    }
}

/// One egress port of a switch or an adapter. Every packet touches its first cache line; a queue is in one line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port {
    busy_until: Time,
    /// Start of the first packet that has lined up; `Time::MAX` if none has.
    next_start: Time,
    clock: TransmissionClock,
    lane: LaneId,
    delay: Span,
    id: PortId,
    /// Bit n is set while queue n holds a packet, and [`CONTROL`] while a pause frame waits.
    waiting: u16,
    /// Bit n is set while class n is held: paused by the neighbour, or without credits.
    /// The other bits are [`CORRUPTS`], [`TRACES`], [`IN_ADAPTER`], [`TAKES_TURNS`], [`DOWN`], [`LOOKS_CLOSER`]
    /// and [`SHAPED`].
    state: u16,
    /// Counters since the start of the run.
    pub counters: PortCounters,
    /// Packets that have lined up and have not been counted as started.
    line: Ring<Departure>,
    /// The longest of the pauses that are over.
    longest_pause: Span,
    /// Congestion notification messages among the acknowledgements dropped.
    cnms_dropped: u64,
    /// Headers of trimmed packets among the acknowledgements dropped.
    trimmed_dropped: u64,
    queues: [InLine<Packet>; PRIORITIES],
    scheduler: scheduler::Algorithm,
    /// Pause frame that waits for the wire, ahead of all queues.
    pause_frame: PauseFrame,
    paused_since: [Time; PRIORITIES],
    link_errors: Option<Box<LinkErrors>>,
    /// Transmissions that the counters alone do not tell of, if there are any.
    irregular: Option<Box<Irregular>>,
    /// Token bucket that limits what the port sends, if it has one.
    shaper: Option<Box<Shaper>>,
}

const _: () = assert!(offset_of!(Port, counters.marked) == 64);
const _: () = assert!(offset_of!(Port, queues).is_multiple_of(size_of::<InLine<Packet>>()));

/// Part of a packet that has lined up which is still to be counted. The packet itself is on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Departure {
    /// Time at which the packet's first bit leaves.
    pub starts: Time,
    /// Class, sizes and flags of the packet.
    pub packet: Stub,
    /// Number of the packet's flow, as in [`Header::flow`](crate::packet::Header::flow).
    pub flow: u32,
}

/// Errors of a link, which corrupt packets at random.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    rate: Ratio,
    rng: Rng,
}

impl LinkErrors {
    /// Corrupts the share `rate` of packets, by draws from `rng`.
    pub fn new(rate: Ratio, rng: Rng) -> Self {
        Self { rate, rng }
    }

    fn strike(&mut self) -> bool {
        below(&mut self.rng, self.rate.denominator()) < self.rate.numerator()
    }
}

/// Number of lined-up packets after which the port counts the packets that have started.
const COUNTED_AT_ONCE: usize = 32;

/// Bit of the pause frame among the classes that wait; a pause frame is never held.
const CONTROL: u16 = 1 << PRIORITIES;
/// Set if the link corrupts packets. Beside the classes that are held, so that one look at `state` asks for all.
const CORRUPTS: u16 = 1 << 15;
/// Bit set if packets are stamped, or written into, as they leave the port.
const TRACES: u16 = 1 << 14;
/// Bit set at an adapter's port, which stamps packets; a switch's port writes into packets.
const IN_ADAPTER: u16 = 1 << 13;
/// Bit set if the port's scheduler is another than strict priority, which has no state to look up.
const TAKES_TURNS: u16 = 1 << 12;
/// Bit set while the port's link is down.
const DOWN: u16 = 1 << 11;
/// Set while the port looks closer at packets that arrive: the watchdog drops those of some class, or there is a shaper.
const LOOKS_CLOSER: u16 = 1 << 10;
/// Bit set if packets need tokens to leave.
const SHAPED: u16 = 1 << 9;

impl Port {
    /// A port at the start of a link.
    pub fn new(id: PortId, rate: Rate, delay: Span, scheduler: &scheduler::Parameters) -> Self {
        let is_strict = matches!(scheduler, scheduler::Parameters::StrictPriority(_));
        Self {
            busy_until: Time::ZERO,
            next_start: Time::MAX,
            clock: TransmissionClock::new(rate),
            lane: id,
            delay,
            id,
            waiting: 0,
            state: if is_strict { 0 } else { TAKES_TURNS },
            counters: PortCounters::default(),
            line: Ring::new(),
            queues: std::array::from_fn(|_| InLine::default()),
            longest_pause: Span::ZERO,
            scheduler: scheduler.start(),
            pause_frame: PauseFrame::default(),
            paused_since: [Time::ZERO; PRIORITIES],
            cnms_dropped: 0,
            trimmed_dropped: 0,
            link_errors: None,
            irregular: None,
            shaper: None,
        }
    }

    /// Prefetches what a packet touches.
    pub fn prefetch(&self) {
        prefetch(&raw const self.busy_until);
        prefetch(&raw const self.line);
    }

    /// Prefetches where the next packet that lines up is noted.
    pub fn prefetch_line(&self) {
        self.line.prefetch_next_slot();
    }

    /// Name by which the engine knows the way from this port.
    pub fn lane(&self) -> LaneId {
        self.lane
    }

    /// Puts the port on a link that corrupts packets.
    #[must_use]
    pub fn with_link_errors(self, errors: LinkErrors) -> Self {
        Self { state: self.state | CORRUPTS, link_errors: Some(Box::new(errors)), ..self }
    }

    /// Has the port stamp packets, in an adapter, or write telemetry into packets, in a switch.
    #[must_use]
    pub fn with_traces(self, in_adapter: bool) -> Self {
        let role = if in_adapter { IN_ADAPTER } else { 0 };
        Self { state: self.state | TRACES | role, ..self }
    }

    /// Sets the name by which the engine knows the way from this port.
    pub fn set_lane(&mut self, lane: LaneId) {
        self.lane = lane;
    }

    /// Index in the whole network.
    pub fn id(&self) -> PortId {
        self.id
    }

    /// Bytes put on the wire by now; of a packet under way only the bytes that have left.
    pub fn wire_bytes_by(&self, now: Time) -> Bytes {
        self.counters.wire_bytes - self.still_to_go(self.busy_until.min(self.next_start), now)
    }

    /// Bytes that have not left by now of a packet whose transmission ends at `ends`.
    pub fn still_to_go(&self, ends: Time, now: Time) -> Bytes {
        if ends <= now {
            return Bytes::ZERO;
        }
        self.clock_under_way(now).bytes_in(ends.since(now))
    }

    /// One-way propagation delay of the port's link.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Rate of the port's link.
    pub fn rate(&self) -> Rate {
        self.clock.rate()
    }

    /// Time that `wire` bytes take on the port's link.
    pub fn transmission_time(&self, wire: Bytes) -> Span {
        self.clock.transmission_time(wire)
    }

    /// Bit n is set while class n has a packet that may start, and [`CONTROL`] while a pause frame waits.
    #[inline]
    fn ready(&self) -> u16 {
        self.waiting & !self.state
    }

    /// Whether a packet or pause frame waits that may start.
    #[inline]
    pub fn has_ready(&self) -> bool {
        self.ready() != 0
    }

    /// Whether a packet of this class that arrives now would start at once.
    #[inline]
    pub fn starts_at_once(&self, priority: usize, now: Time) -> bool {
        self.busy_until <= now && self.ready() == 0 && !self.is_held(priority)
    }

    /// Whether a packet of this class that arrives now would start at once, at a port where nothing waits, nothing is
    /// dropped and no tokens are needed.
    #[inline]
    pub fn lets_pass(&self, priority: usize, now: Time) -> bool {
        self.busy_until <= now && self.waiting == 0 && self.state & (1 << priority | DOWN | LOOKS_CLOSER) == 0
    }

    /// Whether a packet that arrives now has to wait for the end of a transmission, at a port where nothing is dropped and
    /// no tokens are needed.
    #[inline]
    pub fn makes_wait(&self, now: Time) -> bool {
        self.busy_until > now && self.state & (DOWN | LOOKS_CLOSER) == 0
    }

    /// Whether a class is held: paused, or without credits.
    #[inline]
    pub fn is_held(&self, priority: usize) -> bool {
        self.state & 1 << priority != 0
    }

    /// Congestion notification messages dropped, for any reason.
    pub fn cnms_dropped(&self) -> u64 {
        self.cnms_dropped
    }

    /// Headers of trimmed packets dropped, for any reason.
    pub fn trimmed_dropped(&self) -> u64 {
        self.trimmed_dropped
    }

    /// Time that the port's classes have been paused by now, summed over classes.
    pub fn paused_by(&self, now: Time) -> Span {
        self.counters.paused + self.pauses_under_way(now).sum()
    }

    /// The longest time by now that one of the port's classes has been paused without a break.
    pub fn longest_pause_by(&self, now: Time) -> Span {
        self.pauses_under_way(now).fold(self.longest_pause, Span::max)
    }

    fn pauses_under_way(&self, now: Time) -> impl Iterator<Item = Span> {
        let paused_since = (0..PRIORITIES).filter_map(|class| self.paused_since(class));
        paused_since.map(move |since| now.max(since).since(since))
    }

    /// Start of the pause of a class, if it is paused.
    pub fn paused_since(&self, priority: usize) -> Option<Time> {
        let since = self.paused_since[priority];
        (self.is_held(priority) && since != Time::MAX).then_some(since)
    }

    /// Whether a packet waits only because its class is held.
    pub fn holds_back(&self) -> bool {
        self.waiting & self.state != 0
    }

    /// Pauses a class, except for the transmission under way, or resumes it, at once if the wire is free.
    pub fn apply(&mut self, change: Change, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Change { priority, pauses, .. } = change;
        if pauses == self.is_held(priority) {
            return;
        }
        self.state ^= 1 << priority;
        context.observer.on_pause(context.now, self.id, priority, pauses);
        if pauses {
            self.paused_since[priority] = context.now;
            if self.is_shaped() {
                self.look_when_it_opens(context);
            }
            return;
        }
        let paused = context.now.since(self.paused_since[priority]);
        self.counters.paused += paused;
        self.longest_pause = self.longest_pause.max(paused);
        if self.ready() != 0 {
            context.agenda.end_of_transmission(self.id, self.free_from(context.now));
        }
    }

    /// Holds a class for want of credits, or no longer. This counts as no pause.
    pub fn withhold(
        &mut self,
        priority: usize,
        is_withheld: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if is_withheld == self.is_held(priority) {
            return;
        }
        self.state ^= 1 << priority;
        self.paused_since[priority] = Time::MAX;
        if self.ready() != 0 {
            context.agenda.end_of_transmission(self.id, self.free_from(context.now));
        }
    }

    /// Whether the port's link is down.
    #[inline]
    pub fn is_down(&self) -> bool {
        self.state & DOWN != 0
    }

    /// Whether a packet that arrives may have to be dropped, or to wait for tokens: the port's link is down, the watchdog
    /// drops packets of some class, or there is a shaper.
    #[inline]
    pub fn looks_closer(&self) -> bool {
        self.state & (DOWN | LOOKS_CLOSER) != 0
    }

    /// Tells the port whether the watchdog drops packets that arrive for some class.
    pub fn let_go(&mut self, lets_go: bool) {
        let looks_closer = lets_go || self.is_shaped();
        self.state = if looks_closer { self.state | LOOKS_CLOSER } else { self.state & !LOOKS_CLOSER };
    }

    /// Takes the port down with its link: both ends forget the pauses that they have told each other.
    pub fn take_down(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.cut_off(context.now);
        self.state |= DOWN;
        self.waiting &= !CONTROL;
        self.pause_frame = PauseFrame::default();
        for priority in 0..PRIORITIES {
            self.apply(Change { port: 0, priority, pauses: false }, context);
        }
    }

    /// Brings the port up with its link.
    pub fn bring_up(&mut self) {
        self.state &= !DOWN;
    }

    /// Sets the rate of the port's link, for packets that have not begun to leave.
    pub fn set_rate(&mut self, rate: Rate, now: Time) {
        let clock = TransmissionClock::new(rate);
        self.keep_rate(clock, now);
        self.clock = clock;
    }

    /// Packets of one class that wait.
    pub fn queued_of(&self, priority: usize) -> impl Iterator<Item = &Packet> {
        self.queues[priority].0.iter()
    }

    /// Whether a packet of a class waits.
    pub fn has_queued(&self, priority: usize) -> bool {
        self.waiting & 1 << priority != 0
    }

    /// Packets waiting, queue by queue.
    pub fn queued(&self) -> impl Iterator<Item = &Packet> {
        self.queues.iter().flat_map(|queue| queue.0.iter())
    }

    /// Tells the other end for how many quanta classes must pause, as soon as the wire is free.
    /// Replaces what a frame that still waits says of these classes.
    pub fn say_pause(
        &mut self,
        classes: Classes,
        quanta: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.is_down() {
            return;
        }
        // Where the wire is free and something is ready, it has only just become so, and its start is an event of now.
        let starts_at_once = self.busy_until <= context.now && self.ready() == 0;
        self.waiting |= CONTROL;
        self.pause_frame.say(classes, quanta);
        if starts_at_once {
            self.put_pause_frame_on_wire(context);
        } else {
            context.agenda.end_of_transmission(self.id, self.end_under_way(context.now));
        }
    }

    /// End of the transmission under way, behind which others may have lined up.
    fn end_under_way(&self, now: Time) -> Time {
        let next = self.line.iter().find(|departure| departure.starts > now);
        next.map_or(self.free_from(now), |next| next.starts)
    }

    /// Sends the pause frame on the free wire if one waits, and returns whether one did.
    #[inline]
    pub fn send_pause_frame(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> bool {
        let waits = self.waiting & CONTROL != 0;
        if waits {
            self.put_pause_frame_on_wire(context);
        }
        waits
    }

    #[cold]
    #[inline(never)]
    fn put_pause_frame_on_wire(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.waiting &= !CONTROL;
        let frame = std::mem::take(&mut self.pause_frame);
        if frame.pauses() {
            self.counters.pause_frames += 1;
        } else {
            self.counters.resume_frames += 1;
        }
        if self.busy_until <= context.now {
            self.put_on_wire(frame.into(), context);
        } else {
            self.put_ahead(frame.into(), context);
        }
    }

    /// Puts a frame on the wire ahead of packets that have lined up and have not started.
    fn put_ahead(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let wire = context.fabric.wire(&packet);
        let takes = self.clock.transmission_time(wire);
        self.line.change_from_back(|departure| {
            let waits = departure.starts >= context.now;
            departure.starts = if waits { departure.starts + takes } else { departure.starts };
            waits
        });
        self.next_start = self.line.front().map_or(Time::MAX, |next| next.starts);
        self.busy_until = self.busy_until + takes;
        self.counters.wire_bytes += wire;
        context.agenda.deliver_ahead(self.id, context.now + takes + self.delay, packet, takes);
    }

    /// Adds a packet to its queue, behind a transmission under way or while its class is paused.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn enqueue(&mut self, packet: Packet, agenda: &mut impl Agenda) {
        let priority = packet.priority();
        if self.ready() == 0 && !self.is_held(priority) {
            agenda.end_of_transmission(self.id, self.busy_until);
        }
        self.waiting |= 1 << priority;
        self.queues[priority].0.push_back(packet);
    }

    /// Adds a packet at the head of its queue, which must not be empty.
    #[cold]
    pub fn enqueue_first(&mut self, packet: Packet) {
        self.queues[packet.priority()].0.push_ahead(packet, |_| true);
    }

    /// Puts a packet on the wire, which must be free, at a port whose packets line up.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn lead(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.packets += 1;
        self.put_on_wire(packet, context);
    }

    /// Puts a packet on the wire behind all others, to start at `starts`, which is no event.
    /// Only for a port where nothing changes the order of packets or holds them up.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn line_up(
        &mut self,
        packet: Packet,
        starts: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let wire = context.fabric.wire(&packet);
        debug_assert!(self.busy_until <= starts, "one packet at a time");
        self.next_start = self.next_start.min(starts);
        self.line.push_back(Departure { starts, packet: packet.stub(), flow: packet.flow() });
        self.busy_until = starts + self.clock.transmission_time(wire);
        context.agenda.deliver(self.lane, self.busy_until + self.delay, packet);
    }

    /// Lined-up packet with `behind` others behind it.
    #[inline]
    pub fn lined_up_before(&self, behind: u32) -> &Departure {
        self.line.nth_back(behind)
    }

    /// Whether enough packets have lined up for the port to count the packets that have started.
    #[inline]
    pub fn has_many_lined_up(&self) -> bool {
        // Of a long line some have started every so often.
        self.line.next_slot() % COUNTED_AT_ONCE == COUNTED_AT_ONCE - 1
    }

    /// Counts the packets that have lined up and started by now, and has `see` look at each.
    #[inline]
    pub fn settle(&mut self, now: Time, fabric: &Fabric, mut see: impl FnMut(&Departure)) {
        let (mut packets, mut wire_bytes) = (0, Bytes::ZERO);
        let next = self.line.take_while(|departure| {
            let has_started = departure.starts <= now;
            if has_started {
                packets += 1;
                wire_bytes += fabric.wire_of(departure.packet);
                see(departure);
            }
            has_started
        });
        self.next_start = next.map_or(Time::MAX, |next| next.starts);
        self.counters.packets += packets;
        self.counters.wire_bytes += wire_bytes;
    }

    /// Counts the first packet that has lined up, if it has started by now.
    #[inline]
    pub fn settle_next(&mut self, now: Time, fabric: &Fabric) -> Option<Departure> {
        if self.next_start > now {
            return None;
        }
        let departure = self.line.take_front();
        self.next_start = self.line.front().map_or(Time::MAX, |next| next.starts);
        self.counters.packets += 1;
        self.counters.wire_bytes += fabric.wire_of(departure.packet);
        Some(departure)
    }

    /// Start of the first packet that has lined up; `Time::MAX` if none has.
    #[inline]
    pub fn next_start(&self) -> Time {
        self.next_start
    }

    /// Marks a packet that has lined up, has left and is on its way.
    #[cold]
    pub fn mark_departed(
        &mut self,
        departure: &Departure,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.counters.marked += u64::from(!departure.packet.is(ACKNOWLEDGEMENT));
        let ends = departure.starts + self.clock.transmission_time(context.fabric.wire_of(departure.packet));
        context.agenda.mark_in_flight(self.id, ends + self.delay, self.line.len());
    }

    /// Takes the packet that the scheduler picks, and tells the scheduler if its class has run empty.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn dequeue(&mut self) -> Option<Packet> {
        self.pick::<true>()
    }

    /// Takes the packet that the scheduler picks. The caller tells the scheduler of a class that has run empty.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn dequeue_quietly(&mut self) -> Option<Packet> {
        self.pick::<false>()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn pick<const TELLS: bool>(&mut self) -> Option<Packet> {
        let ready = self.ready();
        debug_assert_eq!(ready & CONTROL, 0, "pause frames go first");
        if ready == 0 {
            return None;
        }
        let (takes_turns, ready) = (self.takes_turns(), Classes::from_mask(ready as u8));
        let queues = &self.queues;
        let head = |class: usize| queues[class].0.front().map_or(Bytes::ZERO, Packet::frame);
        let priority =
            if takes_turns { self.scheduler.pick(ready, head) } else { StrictPriority.pick(ready, head) };
        let queue = &mut self.queues[priority].0;
        let packet = queue.take_front();
        if queue.is_empty() {
            self.waiting &= !(1 << priority);
            if TELLS && takes_turns {
                self.scheduler.on_empty(priority);
            }
        }
        Some(packet)
    }

    /// Whether classes take turns, so that the scheduler must be told which run empty.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        self.state & TAKES_TURNS != 0
    }

    /// Tells the scheduler that a class has run empty.
    pub fn tell_empty(&mut self, class: usize) {
        self.scheduler.on_empty(class);
    }

    /// Takes the first packet of a class, whether or not it may start.
    pub fn take(&mut self, priority: usize) -> Option<Packet> {
        let packet = self.queues[priority].0.pop_front()?;
        if self.queues[priority].0.is_empty() {
            self.waiting &= !(1 << priority);
            if self.takes_turns() {
                self.scheduler.on_empty(priority);
            }
        }
        Some(packet)
    }

    /// Marks a packet that enters or leaves a queue of this port, if it can be marked. Marks on acknowledgements have
    /// no effect and are not counted.
    pub fn mark(
        &mut self,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if !packet.is(ECN_CAPABLE) {
            return false;
        }
        if !packet.is(ACKNOWLEDGEMENT) {
            self.counters.marked += 1;
            context.observer.on_mark(context.now, self.id, packet.priority());
        }
        packet.mark();
        true
    }

    /// Puts a packet on the wire, which must be free. `waiting` answers how many bytes wait, for telemetry.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn transmit(
        &mut self,
        packet: Packet,
        waiting: impl FnOnce(&Packet) -> Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.counters.packets += 1;
        let care = self.state & (CORRUPTS | TRACES | SHAPED);
        let is_traced = packet.has_deferred_stamp() && !packet.is(ACKNOWLEDGEMENT);
        if care == 0 || care == TRACES && !is_traced {
            self.put_on_wire(packet, context);
        } else {
            self.transmit_with_care(packet, is_traced, waiting, context);
        }
    }

    #[cold]
    #[inline(never)]
    fn transmit_with_care(
        &mut self,
        packet: Packet,
        is_traced: bool,
        waiting: impl FnOnce(&Packet) -> Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.is_shaped() {
            self.take_tokens(&packet, context.now);
        }
        if self.state & CORRUPTS != 0 && self.corrupts(&packet, context) {
            self.occupy_wire(&packet, context);
            context.agenda.end_of_transmission(self.id, self.busy_until);
        } else if is_traced {
            self.trace(packet, waiting, context);
        } else {
            self.put_on_wire(packet, context);
        }
    }

    #[cold]
    fn corrupts(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) -> bool {
        let strikes = self.link_errors.as_mut().is_some_and(|errors| errors.strike());
        if strikes {
            self.drop(packet, DropReason::LinkError, None, context);
        }
        strikes
    }

    /// Drops the payload of a packet that would have left by this port. `room` is the room that it found.
    #[cold]
    pub fn trim(
        &mut self,
        packet: &Packet,
        room: Option<Room>,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.tell_drop(packet, DropReason::Trimmed, room, context);
    }

    /// Drops a packet that would have left, or has left, by this port. `room` is the room that it found, if it was
    /// dropped for that.
    #[cold]
    pub fn drop(
        &mut self,
        packet: &Packet,
        reason: DropReason,
        room: Option<Room>,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.tell_drop(packet, reason, room, context);
        self.cnms_dropped += u64::from(packet.is_cnm());
        self.trimmed_dropped += u64::from(packet.is_header());
        context.forget(packet);
    }

    fn tell_drop(
        &mut self,
        packet: &Packet,
        reason: DropReason,
        room: Option<Room>,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.counters.count_drop(packet, reason);
        let dropped = Dropped { port: self.id, reason, room, packet: *packet };
        context.observer.on_drop(context.now, &dropped);
    }

    /// Transmits a packet with telemetry. An adapter stamps it with its clock as the first bit leaves; a switch
    /// writes the bytes sent and the bytes that wait, of all classes. The record is written last: it is far away in
    /// memory, and the packet would wait for it on its way to the ring.
    fn trace(
        &mut self,
        packet: Packet,
        waiting: impl FnOnce(&Packet) -> Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (now, sent) = (context.now, self.counters.wire_bytes);
        let Some(record) = packet.record() else {
            return self.put_on_wire(packet.with_stamp(now.get()), context);
        };
        if self.state & IN_ADAPTER != 0 {
            self.put_on_wire(packet, context);
            return context.agenda.telemetry().depart(record, now);
        }
        let hops = packet.hops();
        if hops == MOST_HOPS_COUNTED {
            // Rerouted on its way, it has come by more switches than any path has.
            return self.put_on_wire(packet, context);
        }
        self.put_on_wire(packet.after_hop(self.id), context);
        context.agenda.telemetry().write(record, hops, now, self.rate(), sent, waiting(&packet));
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn put_on_wire(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.occupy_wire(&packet, context);
        context.agenda.deliver(self.lane, self.busy_until + self.delay, packet);
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn occupy_wire(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        debug_assert!(self.busy_until <= context.now, "one packet at a time");
        let wire = context.fabric.wire(packet);
        self.busy_until = context.now + self.clock.transmission_time(wire);
        self.counters.wire_bytes += wire;
        if packet.control().is_none() {
            context.observer.on_sent(context.now, self.id, packet, wire, self.busy_until);
        }
    }

    /// Time at which the end of the transmission under way must be heard of; `Time::MAX` if nothing waits for it.
    #[inline]
    pub fn next_end(&self) -> Time {
        if self.ready() == 0 { Time::MAX } else { self.busy_until }
    }

    /// Time at which the wire is free, not before now.
    #[inline]
    pub fn free_from(&self, now: Time) -> Time {
        self.busy_until.max(now)
    }

    /// End of the transmission under way, or of the last one.
    #[inline]
    pub fn busy_until(&self) -> Time {
        self.busy_until
    }
}

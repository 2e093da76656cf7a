//! Ingress accounting: how many lossless bytes in the switch came in by which port, and when the sender there must
//! pause.
//!
//! A switch cannot drop a lossless packet, so it must stop the sender in time. It therefore counts each such packet at
//! the port and class by which it came in (an *ingress queue*), from its arrival until it has left. A packet counts in
//! one of three parts. It goes into the reserve of its ingress queue if it fits, else into the shared pool of all
//! lossless classes. If the pool is full or the queue may not use it after its pause, it goes into the headroom, which
//! is set aside for what arrives after a pause. Without headroom left it is dropped. It is counted out in the opposite
//! order.
//!
//! A pause is sent when the arrival of a packet leaves the queue with at least its threshold of the pool (XOFF), or in
//! the headroom at all. A resume is sent when a departure leaves it `xon_offset` below that (XON), or empty. Where the
//! headroom scheme pauses ports, a second control does the same for all queues of a port together; either of the two
//! pauses, and neither cancels the other (decision 17). The buffer policy answers the threshold. The headroom scheme
//! (`headroom/`) answers how much headroom there is and how far below the threshold a queue pauses. Bytes are counted
//! here and nowhere else.

use super::ample::Ample;
use super::buffer_policy::{self, BufferPolicy, Occupancy};
use super::headroom::{Arrival, Held, Scheme};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, PauseReason};
use crate::pause_frames::PfcRequest;
use crate::pfc::{Durations, OffTime};

/// Bytes of one lossless class that came in by one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Queue {
    reserved: Bytes,
    shared: Bytes,
    headroom: Bytes,
}

impl Queue {
    fn bytes(&self) -> Bytes {
        self.reserved + self.shared + self.headroom
    }
}

/// Bytes of all lossless classes that came in by one port, and the pauses of its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Port {
    shared: Bytes,
    headroom: Bytes,
    /// Classes whose queue pauses by itself.
    queues_off: Classes,
    /// Whether the port pauses as a whole.
    is_off: bool,
}

impl Port {
    /// Classes that the sender must pause. The two controls run side by side, and either pauses.
    const fn off(&self) -> Classes {
        if self.is_off { Classes::ALL } else { self.queues_off }
    }
}

/// Sizes of the memory for lossless classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Bytes of the shared pool.
    pub shared: Bytes,
    /// Bytes for each port and lossless class, used before the shared pool.
    pub reserved: Bytes,
    /// Bytes below the threshold at which a queue or port lets its sender resume [delta].
    pub xon_offset: Bytes,
    /// Number of ports.
    pub ports: usize,
    /// The lossless classes.
    pub classes: Classes,
}

impl Sizes {
    /// Number of queues that may hold packets: lossless classes of all ports.
    pub fn queues(&self) -> u64 {
        self.ports as u64 * u64::from(self.classes.count())
    }
}

/// Thresholds at which queues pause.
#[derive(Clone, Debug)]
struct Xoff {
    /// Answers how many bytes of the pool a queue may hold.
    policy: buffer_policy::Parameters,
    /// Whether all lossless classes have the same threshold.
    is_of_all: bool,
}

impl Xoff {
    fn new(policy: buffer_policy::Parameters, classes: Classes) -> Self {
        let mut alphas = classes.iter().map(|class| policy.alpha(class));
        let first = alphas.next();
        Self { is_of_all: alphas.all(|alpha| Some(alpha) == first), policy }
    }
}

/// Thresholds at which queues pause, where ports differ.
#[derive(Clone, Debug)]
struct XoffOfPorts {
    different: Vec<Xoff>,
    /// Index into `different`, port by port.
    places: Vec<u32>,
}

impl XoffOfPorts {
    #[inline]
    fn at(&self, port: usize) -> &Xoff {
        &self.different[self.places[port] as usize]
    }
}

/// Finds the levels below which a packet goes into the pool and its sender hears nothing, whatever its port and class.
/// There are none with reserves, which come first, and where the scheme follows arrivals or pauses ports.
fn ample_room(
    sizes: &Sizes,
    headroom: &Scheme,
    pool: &Occupancy,
    policies: &[&buffer_policy::Parameters],
) -> Ample {
    if sizes.reserved > Bytes::ZERO || headroom.follows_arrivals() || headroom.pauses_ports() {
        return Ample::default();
    }
    let margins = (0..sizes.ports)
        .flat_map(|port| sizes.classes.iter().map(move |priority| headroom.margin(port, priority)));
    let margin = margins.max().unwrap_or_default();
    let levels = policies.iter().map(|policy| Ample::of(std::slice::from_ref(pool), policy));
    levels
        .reduce(|one, other| Ample { used: one.used.min(other.used), queue: one.queue.min(other.queue) })
        .map(|level| Ample { queue: level.queue.saturating_sub(margin), ..level })
        .unwrap_or_default()
}

/// Memory of lossless classes, counted by the ports where packets came in.
#[derive(Debug)]
pub struct Ingress {
    /// Pause thresholds where all ports have the same ones.
    xoff: Xoff,
    /// Thresholds where ports differ.
    xoff_of_ports: Option<XoffOfPorts>,
    headroom: Scheme,
    pool: Occupancy,
    queues: Vec<Queue>,
    ports: Vec<Port>,
    headroom_used: Bytes,
    headroom_peak: Bytes,
    sizes: Sizes,
    off: OffTime,
    /// Levels below which a packet goes into the pool and its sender hears nothing.
    ample: Ample,
}

impl Ingress {
    /// Empty memory of ports that are alike.
    pub fn new(sizes: Sizes, xoff: buffer_policy::Parameters, headroom: Scheme) -> Self {
        let pool = Occupancy::empty(sizes.shared, sizes.queues());
        Self {
            ample: ample_room(&sizes, &headroom, &pool, &[&xoff]),
            xoff: Xoff::new(xoff, sizes.classes),
            xoff_of_ports: None,
            headroom,
            pool,
            queues: vec![Queue::default(); sizes.ports * PRIORITIES],
            ports: vec![Port::default(); sizes.ports],
            headroom_used: Bytes::ZERO,
            headroom_peak: Bytes::ZERO,
            sizes,
            off: OffTime::default(),
        }
    }

    /// Empty memory of ports each of which has its own policy.
    ///
    /// # Panics
    ///
    /// Panics if there are no ports.
    pub fn of_ports(sizes: Sizes, xoff: &[buffer_policy::Parameters], headroom: Scheme) -> Self {
        let mut different: Vec<&buffer_policy::Parameters> = Vec::new();
        let places: Vec<u32> = xoff
            .iter()
            .map(|policy| {
                let place = different.iter().position(|other| *other == policy).unwrap_or_else(|| {
                    different.push(policy);
                    different.len() - 1
                });
                place as u32
            })
            .collect();
        let classes = sizes.classes;
        let same = Self::new(sizes, xoff[0].clone(), headroom);
        if different.len() == 1 {
            return same;
        }
        let ample = ample_room(&same.sizes, &same.headroom, &same.pool, &different);
        let different = different.into_iter().map(|policy| Xoff::new(policy.clone(), classes)).collect();
        Self { xoff_of_ports: Some(XoffOfPorts { different, places }), ample, ..same }
    }

    /// Index of the ingress queue of a port and class.
    #[inline]
    pub const fn queue(port: u32, priority: usize) -> usize {
        port as usize * PRIORITIES + priority
    }

    /// Port of an ingress queue.
    pub const fn port(queue: usize) -> usize {
        queue / PRIORITIES
    }

    /// Class of an ingress queue.
    pub const fn priority(queue: usize) -> usize {
        queue % PRIORITIES
    }

    /// The lossless classes.
    pub fn classes(&self) -> Classes {
        self.sizes.classes
    }

    /// Number of ingress queues, of all classes.
    pub fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Bytes in all queues: in reserves, pool and headroom.
    pub fn used(&self) -> Bytes {
        self.queues.iter().map(Queue::bytes).sum()
    }

    /// Bytes in the shared pool.
    pub fn shared_used(&self) -> Bytes {
        self.pool.shared_used
    }

    /// Bytes in the headroom of all queues.
    pub fn headroom_used(&self) -> Bytes {
        self.headroom_used
    }

    /// Bytes of headroom that are set aside.
    pub fn headroom_set_aside(&self) -> Bytes {
        self.headroom.set_aside()
    }

    /// Bytes of one queue in the headroom.
    pub fn headroom_of(&self, queue: usize) -> Bytes {
        self.queues[queue].headroom
    }

    /// Headroom for a queue, and the part of it that is held.
    pub fn headroom_room(&self, queue: usize) -> Room {
        let number = Self::port(queue);
        let (queue, port) = (self.queues[queue].headroom, self.ports[number].headroom);
        self.headroom.room(number, &Held { queue, port, all: self.headroom_used })
    }

    /// The most bytes that were ever in the headroom of all queues.
    pub fn headroom_peak(&self) -> Bytes {
        self.headroom_peak
    }

    /// Number of queues that pause, by themselves or with their port.
    pub fn queues_off(&self) -> u64 {
        self.off.classes()
    }

    /// Time for which senders have been told to pause by now.
    pub fn durations(&self, now: Time) -> Durations {
        self.off.by(now)
    }

    /// Bytes in a queue: in its reserve, the pool and the headroom.
    pub fn bytes(&self, queue: usize) -> Bytes {
        self.queues[queue].bytes()
    }

    /// Counts a packet in if it fits, and returns what the sender is told, whether it fits or not.
    /// A packet that finds its queue at the threshold, because others have lowered it, still counts in the pool if that
    /// has room. The headroom is for packets that arrive after the pause.
    pub fn admit(&mut self, now: Time, index: usize, frame: Bytes) -> (PfcRequest, Result<(), DropReason>) {
        let admitted = self.place(index, frame);
        if admitted.is_ok() {
            self.headroom.on_arrival(now, &self.arrival(index, frame));
        }
        let request = self.pause_if_due(now, index, admitted.is_err());
        self.check();
        (request, admitted)
    }

    /// Whether a packet surely goes into the pool, and its sender hears nothing.
    #[inline]
    pub fn has_ample_room(&self, index: usize, frame: Bytes) -> bool {
        self.pool.shared_used + frame <= self.ample.used
            && self.queues[index].shared + frame < self.ample.queue
            && self.ports[Self::port(index)].off().is_empty()
    }

    /// Counts a packet in where there is ample room.
    #[inline]
    pub fn admit_where_ample(&mut self, index: usize, frame: Bytes) {
        debug_assert!(self.has_ample_room(index, frame), "asked before");
        self.queues[index].shared += frame;
        self.ports[Self::port(index)].shared += frame;
        self.pool.shared_used += frame;
        debug_assert_eq!(self.pause_if_due(Time::ZERO, index, false), PfcRequest::NOTHING, "asked or not");
        self.check();
    }

    fn arrival(&self, index: usize, frame: Bytes) -> Arrival {
        let (port, priority) = (Self::port(index), Self::priority(index));
        Arrival { port, priority, frame, shared: self.queues[index].shared }
    }

    /// Whether [`Self::pass`] must hear of packets.
    #[inline]
    pub fn watches_passing(&self) -> bool {
        self.headroom.watches_passing()
    }

    /// Hears of a packet that has left without waiting and counts nowhere. Returns what the sender is told, because
    /// the headroom scheme may now answer otherwise for its queue.
    pub fn pass(&mut self, now: Time, index: usize, frame: Bytes) -> PfcRequest {
        self.headroom.on_arrival(now, &self.arrival(index, frame));
        if self.queues[index].bytes() == Bytes::ZERO && self.ports[Self::port(index)].shared == Bytes::ZERO {
            return PfcRequest::NOTHING;
        }
        self.pause_if_due(now, index, false)
    }

    /// Finds the part of memory in which a packet counts (DSH, Algorithm 1): private, then shared, then insurance.
    /// Differs: at equality a packet still fits its reserve, and a queue at its threshold pauses (decision 14).
    fn place(&mut self, index: usize, frame: Bytes) -> Result<(), DropReason> {
        let number = Self::port(index);
        let is_off = self.ports[number].queues_off.contains(Self::priority(index));
        let shares_queue = !is_off
            || self.headroom.shares_after_pause()
            || self.queues[index].shared < self.threshold(index);
        let (queue, port, headroom) = (&mut self.queues[index], &mut self.ports[number], &self.headroom);
        let fits_pool = self.pool.shared_used + frame <= self.pool.shared;
        let shares_port = !port.is_off || headroom.shares_after_port_pause(number);
        if queue.reserved + frame <= self.sizes.reserved {
            queue.reserved += frame;
        } else if fits_pool && shares_queue && shares_port {
            queue.shared += frame;
            port.shared += frame;
            self.pool.shared_used += frame;
        } else {
            if !self.headroom_room(index).fits(frame) {
                return Err(DropReason::HeadroomFull);
            }
            self.queues[index].headroom += frame;
            self.ports[number].headroom += frame;
            self.headroom_used += frame;
            self.headroom_peak = self.headroom_peak.max(self.headroom_used);
        }
        Ok(())
    }

    /// Pauses the queue or port of a packet that has arrived, if it is above its level.
    /// After a drop it pauses whatever the level, if it holds a packet whose departure will resume it.
    fn pause_if_due(&mut self, now: Time, index: usize, dropped: bool) -> PfcRequest {
        let (number, priority) = (Self::port(index), Self::priority(index));
        let (xoff, port_xoff) = self.xoff_levels(index);
        let (queue, before) = (&self.queues[index], self.ports[number]);
        let mut after = before;
        // Nothing would resume a queue without packets.
        let is_above = queue.bytes() > Bytes::ZERO && queue.shared >= xoff;
        if let Some(port_xoff) = port_xoff {
            let dropped = dropped && after.shared > Bytes::ZERO;
            after.is_off |= dropped || after.headroom > Bytes::ZERO || after.shared > port_xoff;
            after.queues_off |= Classes::only_if(is_above, priority);
        } else {
            let dropped = dropped && queue.bytes() > Bytes::ZERO;
            let is_off = dropped || queue.headroom > Bytes::ZERO || is_above;
            after.queues_off |= Classes::only_if(is_off, priority);
        }
        self.change(now, number, before, after)
    }

    /// Counts a packet out, and returns what the sender is told.
    #[inline]
    pub fn remove(&mut self, now: Time, index: usize, frame: Bytes) -> PfcRequest {
        let (queue, port) = (&mut self.queues[index], &mut self.ports[Self::port(index)]);
        if !port.off().is_empty() {
            return self.remove_from_paused(now, index, frame);
        }
        // The port pauses nothing, so that its headroom is empty.
        let from_shared = frame.min(queue.shared);
        queue.shared -= from_shared;
        queue.reserved -= frame - from_shared;
        port.shared -= from_shared;
        self.pool.shared_used -= from_shared;
        self.check();
        PfcRequest::NOTHING
    }

    /// Counts a packet out whose port pauses, and resumes what is low enough.
    #[inline(never)]
    fn remove_from_paused(&mut self, now: Time, index: usize, frame: Bytes) -> PfcRequest {
        let (queue, port) = (&mut self.queues[index], &mut self.ports[Self::port(index)]);
        let from_headroom = frame.min(queue.headroom);
        let from_shared = (frame - from_headroom).min(queue.shared);
        queue.headroom -= from_headroom;
        queue.shared -= from_shared;
        queue.reserved -= frame - from_headroom - from_shared;
        port.headroom -= from_headroom;
        port.shared -= from_shared;
        self.headroom_used -= from_headroom;
        self.pool.shared_used -= from_shared;
        self.check();
        self.resume_if_due(now, index)
    }

    fn resume_if_due(&mut self, now: Time, index: usize) -> PfcRequest {
        let (number, priority) = (Self::port(index), Self::priority(index));
        let (xoff, port_xoff) = self.xoff_levels(index);
        let (queue, before) = (&self.queues[index], self.ports[number]);
        let is_low = queue.headroom == Bytes::ZERO && queue.shared + self.sizes.xon_offset <= xoff;
        let mut after = before;
        // With a threshold below the offset a queue would never resume.
        if is_low || queue.bytes() == Bytes::ZERO {
            after.queues_off.remove(priority);
        }
        if let Some(port_xoff) = port_xoff {
            let is_low = after.shared + self.sizes.xon_offset <= port_xoff || after.shared == Bytes::ZERO;
            after.is_off &= after.headroom > Bytes::ZERO || !is_low;
        }
        self.change(now, number, before, after)
    }

    fn change(&mut self, now: Time, number: usize, before: Port, after: Port) -> PfcRequest {
        if (before.queues_off, before.is_off) == (after.queues_off, after.is_off) {
            return PfcRequest::NOTHING;
        }
        let classes = |port: Port| port.off().count();
        let controls = |port: Port| if port.is_off { 1 } else { classes(port) };
        self.off.change(now, (classes(before), classes(after)), (controls(before), controls(after)));
        self.ports[number] = after;
        PfcRequest { pause: after.off() - before.off(), resume: before.off() - after.off() }
    }

    /// Whether the sender of a queue is paused: it was told to pause, and not to resume since.
    pub fn is_off(&self, queue: usize) -> bool {
        self.ports[Self::port(queue)].off().contains(Self::priority(queue))
    }

    /// Whether a port is paused as a whole: it was told to pause, and not to resume since.
    pub fn is_port_off(&self, port: usize) -> bool {
        self.ports[port].is_off
    }

    /// Reason for which the sender of a queue was told to pause, as of the packet that did it.
    pub fn reason(&self, queue: usize) -> PauseReason {
        let held = &self.queues[queue];
        if self.ports[Self::port(queue)].is_off {
            PauseReason::Port
        } else if held.headroom > Bytes::ZERO || held.shared < self.xoff_levels(queue).0 {
            PauseReason::PoolFull
        } else {
            PauseReason::Threshold
        }
    }

    /// Bytes of the pool with which a queue pauses [`X_qoff`], and above which its port pauses as a whole if
    /// ports do [`X_poff`].
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn xoff_levels(&self, index: usize) -> (Bytes, Option<Bytes>) {
        let threshold = self.threshold(index);
        let margin = self.headroom.margin(Self::port(index), Self::priority(index));
        let port_xoff = self.headroom.pauses_ports().then(|| self.port_threshold(index, threshold));
        // DSH: a queue pauses at T - phi-hat, T without a margin; its port at N_q T (equation 11).
        (threshold.saturating_sub(margin), port_xoff)
    }

    /// Sum of the thresholds of all lossless classes (DSH, equation 11); the threshold of the class at hand is
    /// `of_one`.
    #[inline]
    fn port_threshold(&self, index: usize, of_one: Bytes) -> Bytes {
        let xoff = self.xoff(index);
        if xoff.is_of_all {
            of_one.saturating_mul(self.sizes.classes.count().into())
        } else {
            self.sum_of_thresholds(&xoff.policy)
        }
    }

    #[cold]
    fn sum_of_thresholds(&self, policy: &buffer_policy::Parameters) -> Bytes {
        let thresholds = self.sizes.classes.iter().map(|class| policy.threshold(class, &self.pool));
        thresholds.fold(Bytes::ZERO, Bytes::saturating_add)
    }

    #[inline]
    fn xoff(&self, index: usize) -> &Xoff {
        match &self.xoff_of_ports {
            None => &self.xoff,
            Some(own) => own.at(Self::port(index)),
        }
    }

    fn threshold(&self, index: usize) -> Bytes {
        self.xoff(index).policy.threshold(Self::priority(index), &self.pool)
    }

    /// Asserts in debug builds that the counters add up.
    fn check(&self) {
        if cfg!(debug_assertions) {
            let sum = |of: fn(&Queue) -> Bytes| self.queues.iter().map(of).sum::<Bytes>();
            let shared = sum(|queue| queue.shared);
            assert_eq!(self.pool.shared_used, shared, "the pool holds what its queues hold");
            assert_eq!(self.headroom_used, sum(|queue| queue.headroom), "so does the headroom");
            assert!(shared <= self.pool.shared, "the pool is not overfull");
            assert!(self.headroom_used <= self.headroom.set_aside(), "the headroom is not overfull");
            assert!(
                self.queues.iter().all(|queue| queue.reserved <= self.sizes.reserved),
                "no reserve is overfull"
            );
            for (port, queues) in self.ports.iter().zip(self.queues.chunks(PRIORITIES)) {
                let of_port = |of: fn(&Queue) -> Bytes| queues.iter().map(of).sum::<Bytes>();
                assert_eq!(port.shared, of_port(|queue| queue.shared), "a port holds what its queues hold");
                assert_eq!(
                    port.headroom,
                    of_port(|queue| queue.headroom),
                    "a port holds what its queues hold"
                );
                for (priority, queue) in queues.iter().enumerate() {
                    let is_off = port.off().contains(priority);
                    assert!(
                        is_off || queue.headroom == Bytes::ZERO,
                        "headroom is for what comes after a pause"
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer_policy::complete_sharing::CompleteSharing;
    use super::super::buffer_policy::dynamic_threshold::DynamicThreshold;
    use super::super::buffer_policy::static_threshold::StaticThreshold;
    use super::super::headroom::{self, Link};
    use super::*;
    use crate::kernel::units::{Rate, Ratio, Span};
    use crate::reading::from_text;

    const FRAME: Bytes = Bytes::new(1000);
    const NOTHING: PfcRequest = PfcRequest::NOTHING;

    const fn pause(pause: u8) -> PfcRequest {
        PfcRequest { pause: Classes::from_mask(pause), resume: Classes::NONE }
    }

    const fn resume(resume: u8) -> PfcRequest {
        PfcRequest { pause: Classes::NONE, resume: Classes::from_mask(resume) }
    }

    /// Of four ports with two lossless classes, of which each may need 2000 bytes at worst.
    fn ingress(
        xoff: buffer_policy::Parameters,
        shared: u64,
        reserved: u64,
        xon_offset: u64,
        scheme: &str,
    ) -> Ingress {
        let sizes = Sizes {
            shared: Bytes::new(shared),
            reserved: Bytes::new(reserved),
            xon_offset: Bytes::new(xon_offset),
            ports: 4,
            classes: Classes::from_mask(0b11),
        };
        let link = Link { rate: Rate::from_gbps(1), delay: Span::ZERO, worst_case: FRAME * 2 };
        let scheme = from_text::<headroom::Parameters>(scheme);
        Ingress::new(sizes, xoff, scheme.start(&[link; 4], 2).unwrap())
    }

    fn fixed(threshold: u64) -> buffer_policy::Parameters {
        buffer_policy::Parameters::StaticThreshold(StaticThreshold { threshold: Bytes::new(threshold) })
    }

    fn dynamic() -> buffer_policy::Parameters {
        buffer_policy::Parameters::DynamicThreshold(DynamicThreshold::default())
    }

    /// One more packet for a queue; `None` if it is dropped.
    fn admit(ingress: &mut Ingress, queue: usize) -> Option<PfcRequest> {
        let (request, admitted) = ingress.admit(Time::ZERO, queue, FRAME);
        admitted.ok().map(|()| request)
    }

    fn remove(ingress: &mut Ingress, queue: usize) -> PfcRequest {
        ingress.remove(Time::ZERO, queue, FRAME)
    }

    #[test]
    fn each_port_pauses_by_its_own_threshold() {
        let same = ingress(fixed(2000), 20_000, 0, 0, "scheme = 'sih'");
        let policies = [2000, 4000, 2000, 3000].map(fixed);
        let mut ingress = Ingress::of_ports(same.sizes, &policies, same.headroom);
        let packets_until_a_pause = |ingress: &mut Ingress, port: u32| {
            let queue = Ingress::queue(port, 1);
            (1..=9).find(|_| admit(ingress, queue) == Some(pause(0b10))).unwrap()
        };
        assert_eq!([0, 1, 2, 3].map(|port| packets_until_a_pause(&mut ingress, port)), [2, 4, 2, 3]);
        assert_eq!([1, 3].map(|port| remove(&mut ingress, Ingress::queue(port, 1))), [resume(0b10); 2]);
    }

    /// DSH (ToN 2025), algorithm 1, by hand: two packets of 1048 bytes are private, and the 149th shared one asks for the pause.
    /// Differs: the paper has that one in the headroom already (decision 14).
    #[test]
    fn the_first_packet_beyond_the_threshold_asks_for_a_pause_and_the_next_takes_headroom() {
        let alpha = DynamicThreshold { alpha: Ratio::new(1, 16), alpha_by_priority: None };
        let xoff = buffer_policy::Parameters::DynamicThreshold(alpha);
        let mut ingress = ingress(xoff, 2_649_088, 3072, 0, "scheme = 'sih'\nsize = '56840B'");
        let mut take = || ingress.admit(Time::ZERO, 0, Bytes::new(1048));
        for packet in 1..=2 + 148 {
            assert_eq!(take().0, NOTHING, "{packet}");
        }
        let (request, admitted) = take();
        assert_eq!((request, admitted.is_ok()), (pause(1), true));
        assert_eq!(take(), (NOTHING, Ok(())));
        assert_eq!(ingress.queues[0].headroom, Bytes::new(1048));
    }

    #[test]
    fn thresholds_without_end_add_up_to_one_without_end() {
        let alphas = [9_000_000_000_000, 1, 1, 1, 1, 1, 1, 1].map(|alpha| Ratio::new(alpha, 1));
        let unequal = DynamicThreshold { alpha: Ratio::new(1, 1), alpha_by_priority: Some(Box::new(alphas)) };
        for xoff in [
            buffer_policy::Parameters::CompleteSharing(CompleteSharing {}),
            buffer_policy::Parameters::DynamicThreshold(unequal),
        ] {
            let mut ingress = ingress(xoff, 4_000_000, 0, 0, "scheme = 'dsh'");
            for queue in [0, 1, 0, 1] {
                assert_eq!(admit(&mut ingress, queue), Some(NOTHING));
            }
        }
    }

    /// DSH (ToN 2025), equation 11, by hand: 5,000,000 of 14,185,216 shared bytes are taken, alpha 1/16, 7 classes.
    #[test]
    fn a_port_pauses_above_the_threshold_of_all_its_queues() {
        let alpha = DynamicThreshold { alpha: Ratio::new(1, 16), alpha_by_priority: None };
        let xoff = buffer_policy::Parameters::DynamicThreshold(alpha);
        let mut ingress = ingress(xoff, 14_185_216, 0, 0, "scheme = 'dsh'");
        ingress.sizes.classes = Classes::from_mask(0b111_1111);
        let mut take = |queue, bytes| ingress.admit(Time::ZERO, queue, Bytes::new(bytes)).0;
        take(8, 5_000_000 - 4_018_532);
        assert_eq!(take(0, 4_018_532), pause(1));
        assert_eq!(take(0, 1), pause(0xfe));
    }

    /// Four ports of two classes send to each other at random. One copy of the memory takes the short way where room is ample,
    /// the other never does, and both count the same.
    #[test]
    fn where_room_is_ample_a_packet_is_admitted_as_anywhere() {
        let policies = [fixed(9_000), dynamic(), fixed(40_000), fixed(7_000)];
        for scheme in ["scheme = 'sih'", "scheme = 'adaptive'", "scheme = 'oversubscribed'\nratio = '1/8'"] {
            let copy = || {
                let same = ingress(dynamic(), 60_000, 0, 0, scheme);
                Ingress::of_ports(same.sizes, &policies, same.headroom)
            };
            let (mut asks, mut hurries, mut held, mut state) = (copy(), copy(), Vec::new(), 1u64);
            let mut ample = 0;
            for _ in 0..3000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let drawn = (state >> 33) as usize;
                if drawn.is_multiple_of(2) && !held.is_empty() {
                    let queue = held.swap_remove(drawn / 2 % held.len());
                    assert_eq!(remove(&mut asks, queue), remove(&mut hurries, queue));
                    continue;
                }
                let queue = Ingress::queue(drawn as u32 / 2 % 4, drawn / 8 % 2);
                let answer = admit(&mut asks, queue);
                if hurries.has_ample_room(queue, FRAME) {
                    hurries.admit_where_ample(queue, FRAME);
                    assert_eq!(answer, Some(NOTHING));
                    ample += 1;
                } else {
                    assert_eq!(answer, admit(&mut hurries, queue));
                }
                held.extend(answer.map(|_| queue));
                assert_eq!((&asks.queues, &asks.ports), (&hurries.queues, &hurries.ports));
            }
            assert!((100..1400).contains(&ample), "{ample} of about 1500");
        }
    }

    /// A reserve comes first, and DSH pauses ports and follows what arrives.
    #[test]
    fn room_is_never_ample_beside_a_reserve_or_under_a_scheme_that_follows_arrivals() {
        for ingress in [
            ingress(fixed(20_000), 90_000, 1000, 0, "scheme = 'sih'"),
            ingress(fixed(20_000), 90_000, 0, 0, "scheme = 'dsh'"),
        ] {
            assert!(!ingress.has_ample_room(0, FRAME));
        }
    }

    /// Of 100 kB free a class may have a tenth, another four: together they may have half, whichever of them has a packet next.
    #[test]
    fn a_port_pauses_above_the_sum_of_thresholds_that_differ() {
        let mut alphas = [Ratio::new(1, 10); 8];
        alphas[1] = Ratio::new(4, 10);
        let alpha = DynamicThreshold { alpha: Ratio::new(1, 1), alpha_by_priority: Some(Box::new(alphas)) };
        let xoff = buffer_policy::Parameters::DynamicThreshold(alpha);
        let mut ingress = ingress(xoff, 100_000, 0, 0, "scheme = 'dsh'");
        for packet in 1..=33 {
            assert!(admit(&mut ingress, packet % 2).is_some());
            assert!(!ingress.is_port_off(0), "{packet}");
        }
        assert!(admit(&mut ingress, 0).is_some());
        assert!(ingress.is_port_off(0), "34 kB are above half of 66 kB");
    }

    #[test]
    fn a_queue_fills_reserve_then_pool_then_headroom() {
        let mut ingress = ingress(fixed(2000), 9000, 1000, 1000, "scheme = 'sih'");
        let filling: Vec<_> = (0..6).map(|_| admit(&mut ingress, 0)).collect();
        assert_eq!(
            filling,
            [Some(NOTHING), Some(NOTHING), Some(pause(1)), Some(NOTHING), Some(NOTHING), None]
        );
        assert_eq!((ingress.bytes(0), ingress.shared_used()), (FRAME * 5, FRAME * 2));
        assert_eq!((ingress.used(), ingress.headroom_of(0), ingress.queues_off()), (FRAME * 5, FRAME * 2, 1));
        let draining: Vec<_> = (0..5).map(|_| remove(&mut ingress, 0)).collect();
        assert_eq!(draining, [NOTHING, NOTHING, resume(1), NOTHING, NOTHING]);
        assert_eq!(
            (ingress.used(), ingress.headroom_of(0), ingress.queues_off()),
            (Bytes::ZERO, Bytes::ZERO, 0)
        );
        assert_eq!((ingress.headroom_peak(), ingress.headroom_set_aside()), (FRAME * 2, FRAME * 16));
    }

    #[test]
    fn a_pause_has_a_reason() {
        let mut ingress = ingress(fixed(2000), 9000, 0, 0, "scheme = 'sih'");
        let reasons = [(); 3].map(|()| {
            assert!(admit(&mut ingress, 0).is_some());
            ingress.reason(0)
        });
        // One packet of the pool is no reason yet, two are the threshold, and the third is in the headroom.
        assert_eq!(reasons[1..], [PauseReason::Threshold, PauseReason::PoolFull]);
        let mut ingress = self::ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'");
        (0..5).for_each(|_| assert!(admit(&mut ingress, 0).is_some()));
        assert_eq!([0, 1, 8].map(|queue| ingress.reason(queue) == PauseReason::Port), [true, true, false]);
    }

    /// Two classes of four ports share a partitioned pool of 16 kB: 2 kB each.
    #[test]
    fn lossless_queues_of_all_ports_count_as_queues_of_the_pool() {
        let policy = from_text::<buffer_policy::Parameters>("policy = 'static_partition'");
        let mut ingress = ingress(policy, 16_000, 0, 0, "scheme = 'sih'");
        assert_eq!([admit(&mut ingress, 9), admit(&mut ingress, 9)], [Some(NOTHING), Some(pause(2))]);
        assert_eq!((ingress.queues(), ingress.classes()), (4 * PRIORITIES, Classes::from_mask(0b11)));
    }

    /// Another port has filled the pool of 3000 B, far below the thresholds. There is no insurance, so the packet is
    /// dropped, and the packet that the port holds will resume it.
    #[test]
    fn a_drop_for_want_of_insurance_pauses_a_port_that_holds_a_packet() {
        let mut ingress = ingress(fixed(50_000), 3000, 0, 0, "scheme = 'dsh'\ninsurance = '0B'");
        assert_eq!([8, 0, 0].map(|queue| admit(&mut ingress, queue)), [Some(NOTHING); 3]);
        let (request, admitted) = ingress.admit(Time::ZERO, 8, FRAME);
        assert_eq!((request, admitted), (pause(0xff), Err(DropReason::HeadroomFull)));
        assert_eq!(remove(&mut ingress, 8), resume(0xff));
    }

    /// Queue 0 has brought the port above 4000 B; the packet of queue 1 that then came is in the insurance until it leaves.
    #[test]
    fn a_port_stays_paused_while_any_of_its_queues_is_in_the_insurance() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'");
        (0..5).for_each(|_| assert!(admit(&mut ingress, 0).is_some()));
        assert_eq!((admit(&mut ingress, 1), ingress.headroom_of(1)), (Some(NOTHING), FRAME));
        (0..5).for_each(|_| assert_eq!(remove(&mut ingress, 0), NOTHING));
        assert_eq!(remove(&mut ingress, 1), resume(0xff));
    }

    /// A port of two classes pauses above 4000 B; with an offset of 1000 B it resumes at 3000 B.
    #[test]
    fn a_port_resumes_an_offset_below_its_threshold() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 1000, "scheme = 'dsh'");
        (0..5).for_each(|_| assert!(admit(&mut ingress, 0).is_some()));
        assert_eq!([(); 3].map(|()| remove(&mut ingress, 0)), [NOTHING, resume(0xfe), NOTHING]);
    }

    /// Of a pool of 3000 B without thresholds and 2000 B of headroom for all, one queue has taken what there was when another's next
    /// packet is dropped.
    #[test]
    fn without_a_threshold_a_queue_pauses_because_the_pool_is_full() {
        let policy = from_text::<buffer_policy::Parameters>("policy = 'complete_sharing'");
        let mut ingress = ingress(policy, 3000, 0, 0, "scheme = 'oversubscribed'\nratio = '1/8'");
        assert_eq!(admit(&mut ingress, 8), Some(NOTHING));
        while admit(&mut ingress, 0).is_some() {}
        assert_eq!(ingress.admit(Time::ZERO, 8, FRAME).0, pause(1));
        assert_eq!([0, 8].map(|queue| ingress.reason(queue)), [PauseReason::PoolFull; 2]);
        assert_eq!(ingress.headroom_of(8), Bytes::ZERO);
    }

    #[test]
    fn a_threshold_that_others_lower_pauses_at_the_next_packet() {
        let mut ingress = ingress(dynamic(), 10_000, 0, 0, "scheme = 'sih'");
        (0..4).for_each(|_| assert_eq!(admit(&mut ingress, 0), Some(NOTHING)));
        (0..2).for_each(|_| assert_eq!(admit(&mut ingress, 8), Some(NOTHING)));
        assert_eq!(admit(&mut ingress, 8), Some(pause(1)));
        assert_eq!(admit(&mut ingress, 0), Some(pause(1)));
        assert_eq!(ingress.shared_used(), FRAME * 8);
        assert_eq!(admit(&mut ingress, 0), Some(NOTHING));
        assert_eq!((ingress.shared_used(), ingress.headroom_used()), (FRAME * 8, FRAME));
    }

    #[test]
    fn an_empty_queue_always_resumes() {
        let mut ingress = ingress(fixed(1000), 9000, 0, 5000, "scheme = 'sih'");
        assert_eq!(admit(&mut ingress, 0), Some(pause(1)));
        assert_eq!(admit(&mut ingress, 0), Some(NOTHING));
        assert_eq!(remove(&mut ingress, 0), NOTHING);
        assert_eq!(remove(&mut ingress, 0), resume(1));
    }

    /// Two classes may hold 2 T together: one goes on above T, after its pause, until the port pauses; then it takes the
    /// insurance. The port resumes once that is empty, and the queue stays paused until it is below T.
    #[test]
    fn a_queue_of_dsh_uses_what_its_port_may_hold_before_the_port_pauses() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'");
        let filling: Vec<_> = (0..8).map(|_| admit(&mut ingress, 0)).collect();
        let (nothing, dropped) = (Some(NOTHING), None);
        let expected =
            [nothing, Some(pause(1)), nothing, nothing, Some(pause(0xfe)), nothing, nothing, dropped];
        assert_eq!(filling, expected);
        assert_eq!((ingress.shared_used(), ingress.headroom_used()), (FRAME * 5, FRAME * 2));
        assert_eq!(admit(&mut ingress, 8), nothing, "another port");
        let draining: Vec<_> = (0..5).map(|_| remove(&mut ingress, 0)).collect();
        assert_eq!(draining, [NOTHING, NOTHING, resume(0xfe), NOTHING, resume(1)]);
    }

    #[test]
    fn the_pause_of_a_queue_and_of_its_port_do_not_cancel_each_other() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'");
        (0..4).for_each(|_| assert!(admit(&mut ingress, 0).is_some()));
        assert_eq!(admit(&mut ingress, 1), Some(pause(0xfe)));
        assert!(ingress.is_port_off(0) && ingress.is_off(0) && ingress.is_off(1));
        // Queue 1 is empty, and the port is low enough again; queue 0 is not.
        assert_eq!(remove(&mut ingress, 1), resume(0xfe));
        assert!(ingress.is_off(0) && !ingress.is_off(1));
    }

    #[test]
    fn without_shared_headroom_the_first_packet_after_a_pause_pauses_the_port() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'\nshared_headroom = false");
        let filling: Vec<_> = (0..3).map(|_| admit(&mut ingress, 0)).collect();
        assert_eq!(filling, [Some(NOTHING), Some(pause(1)), Some(pause(0xfe))]);
        assert_eq!(ingress.headroom_used(), FRAME);
    }

    #[test]
    fn without_insurance_a_port_that_pauses_goes_on_in_the_pool_until_that_is_full() {
        let mut ingress = ingress(fixed(2000), 7000, 0, 0, "scheme = 'dsh'\ninsurance = '0B'");
        let filling: Vec<_> = (0..8).map(|_| admit(&mut ingress, 0).is_some()).collect();
        assert_eq!(filling, [true, true, true, true, true, true, true, false]);
    }

    #[test]
    fn without_insurance_a_drop_pauses_no_queue_that_has_nothing_to_resume_it() {
        let mut ingress = ingress(dynamic(), 7000, 0, 0, "scheme = 'dsh'\ninsurance = '0B'");
        assert!((0..8).map(|_| admit(&mut ingress, 0)).last().is_some_and(|last| last.is_none()));
        let elsewhere = Ingress::queue(1, 0);
        let (request, admitted) = ingress.admit(Time::ZERO, elsewhere, FRAME);
        assert_eq!((request, admitted.is_err(), ingress.is_off(elsewhere)), (NOTHING, true, false));
    }

    #[test]
    fn only_the_port_without_insurance_goes_on_in_the_pool() {
        let scheme =
            "scheme = 'dsh'\nat_ports = [{ ports = [1], insurance = '0B' }, { ports = [2], size = '3000B' }]";
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, scheme);
        for (port, admitted) in [(0, 5 + 2), (1, 12), (2, 5 + 3)] {
            let queue = Ingress::queue(port, 0);
            let filling = (0..12).filter(|_| admit(&mut ingress, queue).is_some());
            assert_eq!(filling.count(), admitted, "port {port}");
        }
        assert_eq!((ingress.shared_used(), ingress.headroom_used()), (FRAME * 22, FRAME * 5));
    }

    #[test]
    fn a_drop_for_want_of_headroom_pauses_the_queue() {
        let scheme = "scheme = 'oversubscribed'\nratio = 0.0625";
        let mut ingress = ingress(dynamic(), 2000, 0, 0, scheme);
        assert_eq!(admit(&mut ingress, 0), Some(pause(1)));
        assert_eq!(admit(&mut ingress, 8), Some(pause(1)));
        assert_eq!(admit(&mut ingress, 1), Some(pause(2)));
        assert_eq!(
            ingress.admit(Time::ZERO, 9, FRAME),
            (NOTHING, Err(DropReason::HeadroomFull)),
            "the pool and the headroom are full; nothing would resume an empty queue"
        );
        assert_eq!(ingress.admit(Time::ZERO, 0, FRAME), (NOTHING, Err(DropReason::HeadroomFull)));
        assert_eq!(ingress.headroom_room(0), Room { held: FRAME, limit: FRAME }, "of the pool");
    }

    /// Port 0 holds 4 kB of class 1, and its two classes may have 12 kB together. Port 1 then takes 5 kB and leaves 1 kB
    /// free, so that they may have 2 kB. The port hears of that when a packet of class 0 passes.
    #[test]
    fn a_packet_that_passes_an_empty_queue_pauses_a_port_whose_threshold_others_have_lowered() {
        let mut ingress = ingress(dynamic(), 10_000, 0, 0, "scheme = 'dsh'");
        (0..4).for_each(|_| assert_eq!(admit(&mut ingress, 1), Some(NOTHING)));
        (0..5).for_each(|_| assert!(admit(&mut ingress, Ingress::queue(1, 0)).is_some()));
        assert_eq!(ingress.pass(Time::ZERO, 0, FRAME), pause(0xff));
    }

    /// Ports 1 and 2 fill the pool of 4000 B, and every threshold is zero. The packet in the reserve of queue 0 will
    /// resume it. Queue 1 has none that would.
    #[test]
    fn a_packet_that_passes_pauses_a_queue_in_its_reserve_and_no_empty_one() {
        let mut ingress = ingress(dynamic(), 4000, 1000, 0, "scheme = 'dsh'");
        for (port, packets) in [(0, 1), (1, 1 + 3), (2, 1 + 1)] {
            (0..packets).for_each(|_| assert!(admit(&mut ingress, Ingress::queue(port, 0)).is_some()));
        }
        assert_eq!((ingress.shared_used(), ingress.is_off(0)), (FRAME * 4, false));
        assert_eq!(ingress.pass(Time::ZERO, 1, FRAME), NOTHING);
        assert_eq!(ingress.pass(Time::ZERO, 0, FRAME), pause(1));
        assert_eq!(remove(&mut ingress, 0), resume(1));
    }

    #[test]
    fn pauses_of_a_port_count_as_one_and_as_eight() {
        let mut ingress = ingress(fixed(2000), 90_000, 0, 0, "scheme = 'dsh'");
        let at = |now| Time::new(now);
        (0..4).for_each(|now| assert!(ingress.admit(at(now), 0, FRAME).1.is_ok()));
        // Off since 1; the port from 10 to 30.
        assert_eq!(ingress.admit(at(10), 0, FRAME).0, pause(0xfe));
        assert_eq!(ingress.remove(at(30), 0, FRAME), resume(0xfe));
        let durations =
            Durations { by_class: Span::new(9 + 8 * 20 + 10), port_as_one: Span::new(9 + 20 + 10) };
        assert_eq!(ingress.durations(at(40)), durations);
    }
}

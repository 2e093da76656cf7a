//! Ingress accounting: which bytes of lossless classes came in by which port, and when that port is to be paused.
//! A packet is counted in the reserve of its port and class, then in the shared pool, then in the headroom, which is for
//! what arrives after a pause; it is counted out in the opposite order.

use super::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;
use crate::observer::{DropReason, PauseReason};
use crate::packet::PRIORITIES;

/// Bytes of one lossless class that came in by one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Queue {
    reserved: Bytes,
    shared: Bytes,
    headroom: Bytes,
    /// Whether the sender was told to pause, and not to resume since.
    is_off: bool,
}

impl Queue {
    fn bytes(&self) -> Bytes {
        self.reserved + self.shared + self.headroom
    }
}

/// What the sender at the other end of a port is told about one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// Nothing new.
    Nothing,
    /// To pause.
    Pause,
    /// To resume.
    Resume,
}

/// Sizes of the memory for lossless classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// The shared pool.
    pub shared: Bytes,
    /// For each port and lossless class, used before the shared pool.
    pub reserved: Bytes,
    /// For each lossless class of each port.
    pub headroom: Vec<Bytes>,
    /// How far below the threshold a queue must be before its sender resumes [delta].
    pub xon_offset: Bytes,
    /// Queues that may hold packets: lossless classes of all ports.
    pub queues: u64,
}

/// The memory of lossless classes, as the ports see it by which packets come in.
#[derive(Debug)]
pub struct Ingress {
    /// Answers the threshold at which a queue's sender pauses [XOFF].
    xoff: buffer_policy::Parameters,
    pool: Occupancy,
    queues: Vec<Queue>,
    sizes: Sizes,
}

impl Ingress {
    /// Empty memory.
    pub fn new(sizes: Sizes, xoff: buffer_policy::Parameters) -> Self {
        Self {
            xoff,
            pool: Occupancy { shared: sizes.shared, shared_used: Bytes::ZERO, queues: sizes.queues },
            queues: vec![Queue::default(); sizes.headroom.len() * PRIORITIES],
            sizes,
        }
    }

    /// The index of a class at the port by which its packets come in.
    #[inline]
    pub const fn queue(port: u16, priority: usize) -> usize {
        port as usize * PRIORITIES + priority
    }

    /// The port of a queue.
    pub const fn port(queue: usize) -> usize {
        queue / PRIORITIES
    }

    /// The class of a queue.
    pub const fn priority(queue: usize) -> usize {
        queue % PRIORITIES
    }

    /// The number of queues, of all classes.
    pub fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Bytes of all kinds in all queues.
    pub fn used(&self) -> Bytes {
        self.queues.iter().map(Queue::bytes).sum()
    }

    /// Bytes in the shared pool.
    pub fn shared_used(&self) -> Bytes {
        self.pool.shared_used
    }

    /// Bytes of all kinds in a queue.
    pub fn bytes(&self, queue: usize) -> Bytes {
        self.queues[queue].bytes()
    }

    /// Counts a packet in. The packet that finds its queue at the threshold, because others have lowered it, still counts
    /// as shared if the pool has room: the headroom is for what comes after the pause.
    pub fn admit(&mut self, index: usize, frame: Bytes) -> Result<FlowControl, DropReason> {
        let threshold = self.threshold(index);
        let queue = &mut self.queues[index];
        let fits_pool = self.pool.shared_used + frame <= self.pool.shared;
        if queue.reserved + frame <= self.sizes.reserved {
            queue.reserved += frame;
        } else if fits_pool && (queue.shared < threshold || !queue.is_off) {
            queue.shared += frame;
            self.pool.shared_used += frame;
        } else if queue.headroom + frame <= self.sizes.headroom[Self::port(index)] {
            queue.headroom += frame;
        } else {
            return Err(DropReason::HeadroomFull);
        }
        let flow_control = self.pause_if_due(index);
        self.check();
        Ok(flow_control)
    }

    fn pause_if_due(&mut self, index: usize) -> FlowControl {
        let threshold = self.threshold(index);
        let queue = &mut self.queues[index];
        if queue.is_off || queue.headroom == Bytes::ZERO && queue.shared < threshold {
            return FlowControl::Nothing;
        }
        queue.is_off = true;
        FlowControl::Pause
    }

    /// Counts a packet out.
    pub fn remove(&mut self, index: usize, frame: Bytes) -> FlowControl {
        let queue = &mut self.queues[index];
        let from_headroom = frame.min(queue.headroom);
        let from_shared = (frame - from_headroom).min(queue.shared);
        queue.headroom -= from_headroom;
        queue.shared -= from_shared;
        queue.reserved -= frame - from_headroom - from_shared;
        self.pool.shared_used -= from_shared;
        self.check();
        let threshold = self.threshold(index);
        let queue = &mut self.queues[index];
        let is_low = queue.headroom == Bytes::ZERO && queue.shared + self.sizes.xon_offset <= threshold;
        // With a threshold below the offset a queue would never resume.
        if queue.is_off && (is_low || queue.bytes() == Bytes::ZERO) {
            queue.is_off = false;
            return FlowControl::Resume;
        }
        FlowControl::Nothing
    }

    /// Whether the sender of a queue was told to pause, and not to resume since.
    pub fn is_off(&self, queue: usize) -> bool {
        self.queues[queue].is_off
    }

    /// Why the sender of a queue was told to pause, as of the packet that did it.
    pub fn reason(&self, queue: usize) -> PauseReason {
        if self.queues[queue].headroom > Bytes::ZERO { PauseReason::PoolFull } else { PauseReason::Threshold }
    }

    fn threshold(&self, index: usize) -> Bytes {
        self.xoff.threshold(Self::priority(index), &self.pool)
    }

    /// The invariants, checked after every packet in debug builds.
    fn check(&self) {
        if cfg!(debug_assertions) {
            let shared: Bytes = self.queues.iter().map(|queue| queue.shared).sum();
            assert_eq!(self.pool.shared_used, shared, "the pool holds what its queues hold");
            assert!(shared <= self.pool.shared, "the pool is not overfull");
            for (index, queue) in self.queues.iter().enumerate() {
                assert!(queue.reserved <= self.sizes.reserved, "no reserve is overfull");
                assert!(queue.headroom <= self.sizes.headroom[Self::port(index)], "no headroom is overfull");
                assert!(
                    queue.headroom == Bytes::ZERO || queue.is_off,
                    "headroom is for what comes after a pause"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer_policy::dynamic_threshold::DynamicThreshold;
    use super::super::buffer_policy::static_threshold::StaticThreshold;
    use super::*;

    fn sizes(shared: u64, reserved: u64, headroom: u64, xon_offset: u64) -> Sizes {
        Sizes {
            shared: Bytes::new(shared),
            reserved: Bytes::new(reserved),
            headroom: vec![Bytes::new(headroom); 4],
            xon_offset: Bytes::new(xon_offset),
            queues: 4,
        }
    }

    fn fixed(threshold: u64, sizes: Sizes) -> Ingress {
        let threshold = Bytes::new(threshold);
        Ingress::new(sizes, buffer_policy::Parameters::StaticThreshold(StaticThreshold { threshold }))
    }

    const FRAME: Bytes = Bytes::new(1000);

    #[test]
    fn a_queue_fills_reserve_then_pool_then_headroom() {
        use FlowControl::{Nothing, Pause, Resume};
        let mut ingress = fixed(2000, sizes(9000, 1000, 2000, 1000));
        let filling: Vec<_> = (0..6).map(|_| ingress.admit(0, FRAME)).collect();
        let full = Err(DropReason::HeadroomFull);
        assert_eq!(filling, [Ok(Nothing), Ok(Nothing), Ok(Pause), Ok(Nothing), Ok(Nothing), full]);
        assert_eq!((ingress.bytes(0), ingress.shared_used()), (FRAME * 5, FRAME * 2));
        let draining: Vec<_> = (0..5).map(|_| ingress.remove(0, FRAME)).collect();
        assert_eq!(draining, [Nothing, Nothing, Resume, Nothing, Nothing]);
    }

    #[test]
    fn a_threshold_that_others_lower_pauses_at_the_next_packet() {
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold::default());
        let mut ingress = Ingress::new(sizes(10_000, 0, 5000, 0), policy);
        (0..4).for_each(|_| assert_eq!(ingress.admit(0, FRAME), Ok(FlowControl::Nothing)));
        (0..2).for_each(|_| assert_eq!(ingress.admit(8, FRAME), Ok(FlowControl::Nothing)));
        assert_eq!(ingress.admit(8, FRAME), Ok(FlowControl::Pause));
        assert_eq!(ingress.admit(0, FRAME), Ok(FlowControl::Pause));
        assert_eq!(ingress.shared_used(), FRAME * 8);
        assert_eq!(ingress.admit(0, FRAME), Ok(FlowControl::Nothing));
        assert_eq!(ingress.shared_used(), FRAME * 8);
    }

    #[test]
    fn an_empty_queue_always_resumes() {
        let mut ingress = fixed(1000, sizes(9000, 0, 9000, 5000));
        assert_eq!(ingress.admit(0, FRAME), Ok(FlowControl::Pause));
        assert_eq!(ingress.admit(0, FRAME), Ok(FlowControl::Nothing));
        assert_eq!(ingress.remove(0, FRAME), FlowControl::Nothing);
        assert_eq!(ingress.remove(0, FRAME), FlowControl::Resume);
    }
}

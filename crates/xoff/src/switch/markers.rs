//! Markers of one switch: on its queues, its ports and its shared pools.
//!
//! Each marker that is set is asked about each packet, and one that says yes is enough to mark it. None is skipped
//! because another has said yes, so that no marker changes the random numbers that another draws. Queues and ports may
//! have another marker where their link has another rate, and queues where they are of another class. Below a length at
//! which no marker answers or remembers anything, a single comparison stands for all of them (decision 12).

use super::marking::{AnyMarker, Departure, Level, When};
use super::mmu::Mmu;
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Time};

/// Marker of all places of one kind.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// The marker; `None` where places of this kind are not marked.
    pub marker: Option<AnyMarker>,
    /// Moment at which the marker is asked.
    pub when: When,
}

/// Markers of all queues or of all ports.
#[derive(Clone, Debug)]
pub enum OnPlaces {
    /// One marker for every place.
    Alike(Placed),
    /// Several markers, and for each place the index of its marker.
    Several(Vec<Placed>, Vec<u32>),
}

/// Every marker of one switch.
#[derive(Clone, Debug)]
pub struct Markers {
    queues: OnPlaces,
    ports: OnPlaces,
    pools: Placed,
    /// Place of `pools` for which the packets of each port count.
    pool_of: Vec<u32>,
    /// Bytes in a queue from which on markers are asked about a packet that enters the queue. Below, none answers or
    /// remembers anything.
    asked_from: Bytes,
    /// Bytes at a port from which on markers are asked about a packet that leaves the port.
    asked_at_dequeue_from: Bytes,
    /// Bytes at a port below which no marker answers or remembers anything.
    quiet_below: Bytes,
    any_at_enqueue: bool,
    /// Whether any marker follows arrivals and departures.
    any_follows: bool,
    /// The lossless classes.
    lossless: Classes,
    rng: Rng,
}

/// A packet as markers see it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Time at which the packet enters or leaves its queue.
    pub now: Time,
    /// Bytes of memory that the packet takes.
    pub frame: Bytes,
    /// Whether the packet can be marked.
    pub is_ecn_capable: bool,
}

impl Candidate {
    fn beside(&self, others: Bytes) -> Level {
        Level { now: self.now, others, frame: self.frame }
    }
}

impl Placed {
    /// Whether the marker of a place, if asked at this moment, marks a packet beside `others` bytes.
    fn marks(
        &mut self,
        place: usize,
        packet: Candidate,
        moment: When,
        others: impl FnOnce() -> Bytes,
        rng: &mut Rng,
    ) -> bool {
        let Some(marker) = &mut self.marker else { return false };
        let waits = packet.is_ecn_capable || marker.drops_at_head();
        if moment != if waits { self.when } else { When::Enqueue } {
            return false;
        }
        marker.signal(place, &packet.beside(others()), rng).marks(packet.is_ecn_capable)
    }

    /// Whether no marker here looks at departures or follows them.
    pub fn looks_at_arrivals_only(&self) -> bool {
        self.marker.as_ref().is_none_or(|marker| self.when == When::Enqueue && !marker.follows())
    }

    /// Whether a marker here looks at departures, and the bytes left behind alone decide whether a packet is marked.
    pub fn goes_by_length_left(&self) -> bool {
        self.when == When::Dequeue && self.marker.as_ref().is_some_and(AnyMarker::is_threshold)
    }

    /// Bytes from which on the marker is asked. Below, it answers and remembers nothing.
    fn asked_from(&self) -> Bytes {
        match self.marker.as_ref().map(AnyMarker::silent_up_to) {
            None => Bytes::MAX,
            Some(silent) => silent.map_or(Bytes::ZERO, |length| length.saturating_add(Bytes::new(1))),
        }
    }

    /// The marker, if it follows arrivals and departures.
    fn follower(&mut self) -> Option<&mut AnyMarker> {
        self.marker.as_mut().filter(|marker| marker.follows())
    }
}

impl OnPlaces {
    /// Marker at a place.
    pub fn at(&self, place: usize) -> &Placed {
        match self {
            Self::Alike(placed) => placed,
            Self::Several(several, of_place) => &several[of_place[place] as usize],
        }
    }

    #[inline]
    fn at_mut(&mut self, place: usize) -> &mut Placed {
        match self {
            Self::Alike(placed) => placed,
            Self::Several(several, of_place) => &mut several[of_place[place] as usize],
        }
    }

    /// All different markers.
    pub fn all(&self) -> &[Placed] {
        match self {
            Self::Alike(placed) => std::slice::from_ref(placed),
            Self::Several(several, _) => several,
        }
    }
}

impl Markers {
    /// Markers on the bytes of queues and of ports, and on the shared bytes of pools, which all draw from `rng`.
    /// `pool_of` is, for each port, the place of `pools` for which its packets count.
    pub fn new(queues: OnPlaces, ports: OnPlaces, pools: Placed, pool_of: Vec<u32>, rng: Rng) -> Self {
        let all = || queues.all().iter().chain(ports.all()).chain([&pools]);
        let any_at_enqueue = all().any(|placed| placed.marker.is_some() && placed.when == When::Enqueue);
        let any_follows = all().filter_map(|placed| placed.marker.as_ref()).any(AnyMarker::follows);
        let from = queues.all().iter().chain(ports.all()).map(Placed::asked_from).min();
        let quiet_below = from.filter(|_| pools.marker.is_none()).unwrap_or(Bytes::ZERO);
        // Only the length of the queue is at hand before anything is asked.
        let goes_by_queues = ports.all().iter().all(|placed| placed.marker.is_none());
        let asked_from = if goes_by_queues { quiet_below } else { Bytes::ZERO };
        // A port holds what its queues hold, and a pool more than that.
        let at_dequeue = |placed: &&Placed| placed.marker.is_some() && placed.when == When::Dequeue;
        let from_ports = queues.all().iter().chain(ports.all()).filter(at_dequeue).map(Placed::asked_from);
        let from_pools = Some(&pools).filter(at_dequeue).map(|_| Bytes::ZERO);
        let asked_at_dequeue_from = from_ports.chain(from_pools).min().unwrap_or(Bytes::MAX);
        Self {
            queues,
            ports,
            pools,
            pool_of,
            asked_from,
            asked_at_dequeue_from,
            quiet_below,
            any_at_enqueue: any_at_enqueue || any_follows,
            any_follows,
            lossless: Classes::NONE,
            rng,
        }
    }

    /// Sets the lossless classes. Their packets are in memory of their own, of which no pool's marker hears.
    #[must_use]
    pub fn with_lossless(self, lossless: Classes) -> Self {
        Self { lossless, ..self }
    }

    /// Whether a queue's packets are in the pool of their port.
    fn is_in_pool(&self, queue: usize) -> bool {
        !self.lossless.contains(queue % PRIORITIES)
    }

    /// Bytes at a port below which no marker answers or remembers anything.
    #[inline]
    pub fn quiet_below(&self) -> Bytes {
        self.quiet_below
    }

    /// Bytes in a queue below which no marker is asked about a packet that enters it.
    pub fn asked_from(&self) -> Bytes {
        self.asked_from
    }

    /// Whether a packet that enters `queue` is marked.
    /// Markers that look at dequeue are asked here about packets that they would have to drop, so that no memory is
    /// taken and given up half-way.
    #[inline]
    pub fn at_enqueue(&mut self, queue: usize, mmu: &Mmu, packet: impl FnOnce() -> Candidate) -> bool {
        if mmu.queue_bytes(queue) < self.asked_from {
            return false;
        }
        let packet = packet();
        (self.any_at_enqueue || !packet.is_ecn_capable)
            && self.ask(queue, mmu, packet, When::Enqueue, Bytes::ZERO)
    }

    /// Whether a packet that leaves `queue` is marked, or dropped if it cannot be marked. `held` of its bytes are still
    /// counted in memory.
    #[inline]
    pub fn at_dequeue(&mut self, queue: usize, mmu: &Mmu, packet: Candidate, held: Bytes) -> bool {
        self.asks_at_dequeue(Mmu::port(queue), mmu) && self.ask(queue, mmu, packet, When::Dequeue, held)
    }

    /// Whether any marker is asked about a packet that leaves a port now.
    #[inline]
    pub fn asks_at_dequeue(&self, port: usize, mmu: &Mmu) -> bool {
        self.may_mark_departures(|| mmu.port_bytes(port))
    }

    /// Whether a packet that leaves a port with `bytes` bytes may be marked.
    #[inline]
    pub fn may_mark_departures(&self, bytes: impl FnOnce() -> Bytes) -> bool {
        self.asked_at_dequeue_from != Bytes::MAX && bytes() >= self.asked_at_dequeue_from
    }

    /// Whether no marker ever looks at packets that leave, or hears of them.
    pub fn ignores_departures(&self) -> bool {
        !self.any_follows && self.asked_at_dequeue_from == Bytes::MAX
    }

    /// Whether anything has to look at the packet that leaves a port next, or to hear of it.
    #[inline]
    pub fn look_at_departure(&self, port: usize, mmu: &Mmu) -> bool {
        self.any_follows || self.asks_at_dequeue(port, mmu)
    }

    /// Tells followers that the packet of the last [`Markers::at_enqueue`] was not taken into `queue`.
    #[cold]
    pub fn on_refusal(&mut self, queue: usize) {
        self.tell(queue, AnyMarker::on_refusal);
    }

    /// Tells followers that the packet at the head of `queue` is dropped without a question to any marker.
    #[cold]
    pub fn on_loss(&mut self, queue: usize) {
        self.tell(queue, AnyMarker::on_loss);
    }

    /// Tells each marker that follows the packets of `queue` of one, with the marker's own place.
    fn tell(&mut self, queue: usize, hear: impl Fn(&mut AnyMarker, usize)) {
        let (port, is_in_pool) = (Mmu::port(queue), self.is_in_pool(queue));
        let pool = is_in_pool.then_some((self.pool_of[port] as usize, &mut self.pools));
        let own = [(queue, self.queues.at_mut(queue)), (port, self.ports.at_mut(port))];
        for (place, placed) in own.into_iter().chain(pool) {
            if let Some(marker) = placed.follower() {
                hear(marker, place);
            }
        }
    }

    /// Tells followers that `leaving` bytes at the head of `queue` are about to leave memory.
    #[inline]
    pub fn on_departure(&mut self, queue: usize, mmu: &Mmu, now: Time, leaving: Bytes) {
        if self.any_follows {
            self.tell_of_departure(queue, mmu, now, leaving);
        }
    }

    #[inline(never)]
    fn tell_of_departure(&mut self, queue: usize, mmu: &Mmu, now: Time, leaving: Bytes) {
        let is_in_pool = self.is_in_pool(queue);
        let Self { queues, ports, pools, pool_of, .. } = self;
        let port = Mmu::port(queue);
        let departure = |before, after| Departure { now, before, after };
        if let Some(marker) = queues.at_mut(queue).follower() {
            let before = mmu.queue_bytes(queue);
            marker.on_departure(queue, &departure(before, before - leaving));
        }
        if let Some(marker) = ports.at_mut(port).follower() {
            let before = mmu.port_bytes(port);
            marker.on_departure(port, &departure(before, before - leaving));
        }
        if let Some(marker) = pools.follower().filter(|_| is_in_pool) {
            let (before, after) = (mmu.shared_beside(queue, Bytes::ZERO), mmu.shared_beside(queue, leaving));
            marker.on_departure(pool_of[port] as usize, &departure(before, after));
        }
    }

    #[inline(never)]
    fn tell_of_arrival(&mut self, queue: usize, mmu: &Mmu, packet: Candidate) {
        let is_in_pool = self.is_in_pool(queue);
        let Self { queues, ports, pools, pool_of, .. } = self;
        let port = Mmu::port(queue);
        if let Some(marker) = queues.at_mut(queue).follower() {
            marker.on_arrival(queue, &packet.beside(mmu.queue_bytes(queue)));
        }
        if let Some(marker) = ports.at_mut(port).follower() {
            marker.on_arrival(port, &packet.beside(mmu.port_bytes(port)));
        }
        if let Some(marker) = pools.follower().filter(|_| is_in_pool) {
            let others = mmu.shared_beside(queue, Bytes::ZERO);
            marker.on_arrival(pool_of[port] as usize, &packet.beside(others));
        }
    }

    #[inline(never)]
    fn ask(&mut self, queue: usize, mmu: &Mmu, packet: Candidate, moment: When, held: Bytes) -> bool {
        if self.any_follows && moment == When::Enqueue {
            self.tell_of_arrival(queue, mmu, packet);
        }
        let is_in_pool = self.is_in_pool(queue);
        let Self { queues, ports, pools, pool_of, rng, .. } = self;
        let port = Mmu::port(queue);
        let on_queue =
            queues.at_mut(queue).marks(queue, packet, moment, || mmu.queue_bytes(queue) - held, rng);
        let on_port = ports.at_mut(port).marks(port, packet, moment, || mmu.port_bytes(port) - held, rng);
        let on_pool = is_in_pool
            && pools.marks(pool_of[port] as usize, packet, moment, || mmu.shared_beside(queue, held), rng);
        on_queue | on_port | on_pool
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer_policy::{self, complete_sharing::CompleteSharing};
    use super::super::marking::{self, Place};
    use super::super::mmu::{Pool, Reserve};
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::{Rate, Span};
    use crate::reading::from_text;

    const FRAME: Bytes = Bytes::new(1_000);
    const CAPABLE: Candidate = Candidate { now: Time::ZERO, frame: FRAME, is_ecn_capable: true };

    /// Three ports, of which the first and the last share a pool; each has a reserve of one packet.
    fn mmu() -> Mmu {
        let pool = |ports: &[u32]| Pool { shared: Bytes::new(100_000), ports: ports.to_vec() };
        let policy = buffer_policy::Parameters::CompleteSharing(CompleteSharing {});
        Mmu::new(&[pool(&[0, 2]), pool(&[1])], Reserve::PerPort(FRAME), policy, 2)
    }

    fn placed(kind: &str, when: When, places: usize) -> Placed {
        let parameters: marking::Parameters = from_text(kind);
        let place = Place { drops_at_head: true, ..Place::at(Rate::from_gbps(1), FRAME) };
        Placed { marker: Some(parameters.start(&vec![place; places]).unwrap()), when }
    }

    fn threshold(packets: u64, when: When) -> Placed {
        placed(&format!("kind = 'threshold'\nthreshold = '{packets}kB'"), when, 24)
    }

    fn markers(queues: Placed, ports: Placed, pools: Placed) -> Markers {
        on_ports(OnPlaces::Alike(queues), OnPlaces::Alike(ports), pools)
    }

    fn on_ports(queues: OnPlaces, ports: OnPlaces, pools: Placed) -> Markers {
        Markers::new(queues, ports, pools, vec![0, 1, 0], stream(1, Purpose::Marking, 0))
    }

    fn fill(mmu: &mut Mmu, packets: &[(u32, usize)]) {
        for &(port, priority) in packets {
            mmu.admit(Mmu::queue(port, priority), FRAME).unwrap();
        }
    }

    /// Two packets in each of two queues of port 0, five on port 2: of the pool 2 x 2 + 5 less a reserved one each.
    #[test]
    fn each_place_has_its_own_length() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0), (0, 0), (0, 1), (0, 1), (2, 0), (2, 0), (2, 0), (2, 0), (2, 0)]);
        let none = Placed::default;
        let at = |packets| threshold(packets, When::Enqueue);
        let marks = |queues, ports, pools| {
            markers(queues, ports, pools).at_enqueue(Mmu::queue(0, 0), &mmu, || CAPABLE)
        };
        assert_eq!([1, 2].map(|packets| marks(at(packets), none(), none())), [true, false]);
        assert_eq!([3, 4].map(|packets| marks(none(), at(packets), none())), [true, false]);
        assert_eq!([6, 7].map(|packets| marks(none(), none(), at(packets))), [true, false]);
    }

    /// The pool is long, but class 1 is lossless and not in it.
    #[test]
    fn packets_of_lossless_classes_are_in_no_pool_of_a_port() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0); 5]);
        let mut markers = markers(Placed::default(), Placed::default(), threshold(2, When::Enqueue))
            .with_lossless(Classes::only(1));
        assert!(markers.at_enqueue(Mmu::queue(0, 0), &mmu, || CAPABLE));
        assert!(!markers.at_enqueue(Mmu::queue(0, 1), &mmu, || CAPABLE));
    }

    /// Three packets in a queue of each port: port 0 marks above two and port 1 above five; port 2 has no marker.
    #[test]
    fn each_port_has_its_own_marker() {
        let mut mmu = mmu();
        fill(&mut mmu, &[0, 1, 2].map(|port| [(port, 0); 3]).concat());
        let at = |packets, when| threshold(packets, when);
        let several = |when, of_place: Vec<u32>| {
            OnPlaces::Several(vec![at(2, when), at(5, when), Placed::default()], of_place)
        };
        let of_queue = || [0, 1, 2].map(|port| [port; PRIORITIES]).concat();
        let none = || OnPlaces::Alike(Placed::default());
        for mut markers in [
            on_ports(several(When::Enqueue, of_queue()), none(), Placed::default()),
            on_ports(none(), several(When::Enqueue, vec![0, 1, 2]), Placed::default()),
        ] {
            let marks = |port| markers.at_enqueue(Mmu::queue(port, 0), &mmu, || CAPABLE);
            assert_eq!([0, 1, 2].map(marks), [true, false, false]);
        }
        let mut markers = on_ports(several(When::Dequeue, of_queue()), none(), Placed::default());
        let marks = |port| markers.at_dequeue(Mmu::queue(port, 0), &mmu, CAPABLE, Bytes::ZERO);
        assert_eq!([0, 1, 2].map(marks), [true, false, false]);
    }

    /// Three packets in each of two queues of a port: class 0 marks above five, class 1 above two, as they come or as they
    /// leave.
    #[test]
    fn each_class_has_its_own_marker() {
        let mut mmu = mmu();
        fill(&mut mmu, &[0, 1].map(|class| [(0, class); 3]).concat());
        let markers = |of_0, of_1| {
            let queues = OnPlaces::Several(vec![threshold(5, of_0), threshold(2, of_1)], [0, 1].repeat(12));
            on_ports(queues, OnPlaces::Alike(Placed::default()), Placed::default())
        };
        for (of_0, of_1) in [(When::Enqueue, When::Enqueue), (When::Dequeue, When::Enqueue)] {
            let mut markers = markers(of_0, of_1);
            let marks = |class| markers.at_enqueue(Mmu::queue(0, class), &mmu, || CAPABLE);
            assert_eq!([0, 1].map(marks), [false, true]);
        }
        for (of_1, marked) in [(When::Dequeue, true), (When::Enqueue, false)] {
            let mut markers = markers(When::Dequeue, of_1);
            let marks = |class| markers.at_dequeue(Mmu::queue(0, class), &mmu, CAPABLE, Bytes::ZERO);
            assert_eq!([0, 1].map(marks), [false, marked]);
        }
    }

    /// At dequeue the packet itself does not count, whether memory has let it go already or not.
    #[test]
    fn a_packet_that_leaves_is_not_counted_at_any_place() {
        for (held, packets) in [(Bytes::ZERO, 4), (FRAME, 5)] {
            let mut mmu = mmu();
            fill(&mut mmu, &vec![(1, 0); packets]);
            let marks = |queue, port, pool| {
                let place = |packets| threshold(packets, When::Dequeue);
                let mut markers = markers(place(queue), place(port), place(pool));
                markers.at_dequeue(Mmu::queue(1, 0), &mmu, CAPABLE, held)
            };
            // Four others, of which one is in the reserve.
            assert!(marks(3, 9, 9) && marks(9, 3, 9) && marks(9, 9, 2) && !marks(4, 4, 3), "{held}");
        }
    }

    #[test]
    fn what_cannot_be_marked_is_asked_about_as_it_enters() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0), (0, 0)]);
        let incapable = Candidate { is_ecn_capable: false, ..CAPABLE };
        let mut markers = markers(threshold(1, When::Dequeue), Placed::default(), Placed::default());
        assert!(markers.at_enqueue(0, &mmu, || incapable) && !markers.at_enqueue(0, &mmu, || CAPABLE));
        assert!(
            !markers.at_dequeue(0, &mmu, incapable, Bytes::ZERO)
                && markers.at_dequeue(0, &mmu, CAPABLE, Bytes::ZERO)
        );
    }

    /// RED on the pool draws as often whether or not the queue has said yes: the streams stay together.
    #[test]
    fn every_marker_is_asked_whatever_the_others_say() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0); 10]);
        let red = "kind = 'red'\nminimum = '1kB'\nmaximum = '90kB'\nprobability = 0.5";
        let next_draw = |queue: Placed| {
            let mut markers = markers(queue, Placed::default(), placed(red, When::Enqueue, 2));
            markers.at_enqueue(0, &mmu, || CAPABLE);
            crate::kernel::rng::unit_interval(&mut markers.rng)
        };
        let (yes, no) = (next_draw(threshold(1, When::Enqueue)), next_draw(threshold(99, When::Enqueue)));
        assert!((yes - no).abs() < f64::EPSILON);
    }

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(microseconds)
    }

    /// Of CoDel, what cannot be marked is asked about as it leaves, and of no other marker.
    #[test]
    fn only_what_drops_at_the_head_is_asked_there_about_what_cannot_be_marked() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0); 9]);
        let incapable = Candidate { is_ecn_capable: false, ..CAPABLE };
        let codel = placed("kind = 'codel'\ntarget = '1us'\ninterval = '2us'", When::Dequeue, 24);
        for (packet, port, drops) in [
            (CAPABLE, Placed::default(), true),
            (incapable, Placed::default(), true),
            (incapable, threshold(1, When::Dequeue), true),
        ] {
            let mut markers = markers(codel.clone(), port.clone(), Placed::default());
            let refuses = port.marker.is_some();
            (0..9).for_each(|_| assert_eq!(markers.at_enqueue(0, &mmu, || packet), refuses));
            let mut leaves =
                |now| markers.at_dequeue(0, &mmu, Candidate { now: at(now), ..packet }, Bytes::ZERO);
            assert_eq!([1, 2, 3].map(&mut leaves), [false, false, drops]);
        }
    }

    #[test]
    fn a_marker_says_what_it_looks_at() {
        let red =
            |when| placed("kind = 'red'\nminimum = '1kB'\nmaximum = '90kB'\nprobability = 0.5", when, 24);
        let codel = placed("kind = 'codel'\ntarget = '1us'\ninterval = '2us'", When::Dequeue, 24);
        let pi = placed("kind = 'pi'\nreference = '10kB'", When::Enqueue, 24);
        for (placed, arrivals_only, by_length_left) in [
            (Placed::default(), true, false),
            (threshold(1, When::Enqueue), true, false),
            (threshold(1, When::Dequeue), false, true),
            (red(When::Enqueue), true, false),
            (red(When::Dequeue), false, false),
            (codel, false, false),
            (pi, false, false),
        ] {
            assert_eq!(placed.looks_at_arrivals_only(), arrivals_only, "{placed:?}");
            assert_eq!(placed.goes_by_length_left(), by_length_left, "{placed:?}");
        }
    }

    /// A queue marks above 5000 bytes, so that it is asked from 5001 on.
    #[test]
    fn markers_are_asked_from_the_first_length_at_which_they_mark() {
        for (bytes, marks) in [(4_999, false), (5_000, false), (5_001, true), (5_002, true)] {
            for when in [When::Enqueue, When::Dequeue] {
                let mut mmu = mmu();
                mmu.admit(Mmu::queue(1, 0), Bytes::new(bytes)).unwrap();
                let mut on_queues = markers(threshold(5, when), Placed::default(), Placed::default());
                assert_eq!(on_queues.quiet_below(), Bytes::new(5_001));
                assert_eq!(on_queues.asks_at_dequeue(1, &mmu), marks && when == When::Dequeue, "{bytes}");
                assert_eq!(on_queues.look_at_departure(1, &mmu), marks && when == When::Dequeue, "{bytes}");
                let marked = match when {
                    When::Enqueue => on_queues.at_enqueue(Mmu::queue(1, 0), &mmu, || CAPABLE),
                    When::Dequeue => on_queues.at_dequeue(Mmu::queue(1, 0), &mmu, CAPABLE, Bytes::ZERO),
                };
                assert_eq!(marked, marks, "{bytes}, {when:?}");
            }
        }
        let of_pool = markers(threshold(5, When::Enqueue), Placed::default(), threshold(9, When::Enqueue));
        assert_eq!(of_pool.quiet_below(), Bytes::ZERO, "a port does not know what its pool holds");
    }

    #[test]
    fn a_packet_that_several_markers_mark_is_marked() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0); 9]);
        let at = |packets| threshold(packets, When::Enqueue);
        for (queue, port, pool) in [(1, 1, 99), (1, 99, 1), (99, 1, 1), (1, 1, 1)] {
            let mut markers = markers(at(queue), at(port), at(pool));
            assert!(markers.at_enqueue(0, &mmu, || CAPABLE), "{queue} {port} {pool}");
        }
    }

    /// CoDel keeps the time of each packet: what was refused, or lost without a question, must not count as waiting.
    #[test]
    fn followers_hear_of_what_is_refused_lost_and_sent() {
        let mut mmu = mmu();
        fill(&mut mmu, &[(0, 0); 9]);
        let codel = placed("kind = 'codel'\ntarget = '1us'\ninterval = '2us'", When::Dequeue, 24);
        let mut markers = markers(codel, Placed::default(), Placed::default());
        let arrives = |markers: &mut Markers, now| {
            markers.at_enqueue(0, &mmu, || Candidate { now: at(now), ..CAPABLE });
        };
        (0..3).for_each(|_| arrives(&mut markers, 0));
        markers.on_refusal(0);
        markers.on_loss(0);
        arrives(&mut markers, 12);
        let mut leaves = |now| {
            markers.on_departure(0, &mmu, at(now), FRAME);
            markers.at_dequeue(0, &mmu, Candidate { now: at(now), ..CAPABLE }, Bytes::ZERO)
        };
        // One packet of the first three has waited for 9 us, and what leaves at 12 us has just come.
        assert_eq!([9, 12].map(&mut leaves), [false, false]);
    }

    /// RED on an average in which the newest length counts half, from 1 kB on. Of packets that waited the last one leaves
    /// after a millisecond: the average falls from then on, and not before.
    #[test]
    fn an_average_falls_while_its_place_is_empty() {
        let red = || {
            let parameters =
                "kind = 'red'\nminimum = '1kB'\nmaximum = '1001B'\nprobability = 1\nweight = 0.5";
            placed(parameters, When::Enqueue, 24)
        };
        let none = Placed::default;
        let marks = |mut markers: Markers, comes: u64| {
            let mut mmu = mmu();
            let queue = Mmu::queue(1, 0);
            fill(&mut mmu, &[(1, 0); 5]);
            (0..9).for_each(|_| {
                markers.at_enqueue(queue, &mmu, || CAPABLE);
            });
            (0..4).for_each(|_| mmu.remove(queue, FRAME));
            markers.on_departure(queue, &mmu, at(1_000), FRAME);
            mmu.remove(queue, FRAME);
            markers.at_enqueue(queue, &mmu, || Candidate { now: at(comes), ..CAPABLE })
        };
        for (comes, marked) in [(1_000, true), (2_000, false)] {
            assert_eq!(marks(markers(red(), none(), none()), comes), marked);
            assert_eq!(marks(markers(none(), red(), none()), comes), marked);
        }
    }

    /// RED marks on an average above 3 kB as packets leave. Each of two packets that came beside 4 kB counts half: 3 kB.
    #[test]
    fn a_packet_is_heard_of_once_as_it_arrives() {
        let red = "kind = 'red'\nminimum = '3kB'\nmaximum = '3001B'\nprobability = 1\nweight = 0.5";
        let mut mmu = mmu();
        fill(&mut mmu, &[(1, 0); 4]);
        let mut markers = markers(placed(red, When::Dequeue, 24), Placed::default(), Placed::default());
        let queue = Mmu::queue(1, 0);
        (0..2).for_each(|_| assert!(!markers.at_enqueue(queue, &mmu, || CAPABLE)));
        let leaves = |markers: &mut Markers| markers.at_dequeue(queue, &mmu, CAPABLE, Bytes::ZERO);
        assert_eq!([(); 3].map(|()| leaves(&mut markers)), [false; 3]);
        markers.at_enqueue(queue, &mmu, || CAPABLE);
        assert!(leaves(&mut markers), "3.5 kB on average");
    }

    #[test]
    fn a_kind_is_asked_when_its_settings_say_or_when_it_can_answer() {
        let when = |kind: &str| from_text::<marking::Parameters>(kind).when();
        let red = "kind = 'red'\nminimum = '1kB'\nmaximum = '9kB'\nprobability = 1";
        for kind in ["kind = 'threshold'\nthreshold = '1kB'", red] {
            assert_eq!(when(kind), When::Enqueue);
            assert_eq!(when(&format!("{kind}\nwhen = 'dequeue'")), When::Dequeue);
        }
        assert_eq!(
            [when("kind = 'bcc'"), when("kind = 'bcc'\nwhen = 'enqueue'")],
            [When::Dequeue, When::Enqueue]
        );
        assert_eq!(when("kind = 'codel'"), When::Dequeue);
    }
}

//! In-band telemetry (INT): switches write records into packets, and acknowledgements bring the records back to
//! senders. Packed as HPCC's code packs it (SIGCOMM 2019).
//!
//! A packet carries the number of a record alone. All threads share the records, without locks: only the node that has
//! a packet touches its record, and the barrier between windows orders nodes of different threads. Which number a
//! packet gets depends on threads, and nothing depends on the number.
//!
//! Differs: a queue longer than its field is written as the field's maximum and does not wrap. A sender learns nothing
//! from two packets so far apart that another field may have wrapped in between.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::kernel::prefetch::prefetch;
use crate::kernel::units::{Bytes, Rate, Span, Time};

/// Most switches that one packet has room for.
pub const MOST_HOPS: usize = 5;
/// Most different rates that ports can tell of.
pub const MOST_RATES: usize = 8;

const SENT_UNIT: u64 = 128;
const QUEUE_UNIT: u64 = 80;
const RATE_BITS: u32 = 3;
const TIME_BITS: u32 = 24;
const SENT_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;
const _: () = assert!(RATE_BITS + TIME_BITS + SENT_BITS + QUEUE_BITS == u64::BITS);

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// Word that one switch writes as a packet leaves.
/// From the highest bits: 3 of the code of the port's rate; 24 of the time in nanoseconds; 20 of the bytes the port has
/// sent, in units of 128; 17 of the bytes that wait, in units of 80. Time and bytes sent are modulo 2^24 and 2^20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hop(u64);

impl Hop {
    fn new(code: usize, now: Time, sent: Bytes, queue: Bytes) -> Self {
        let time = now.as_nanoseconds() & mask(TIME_BITS);
        let sent = (sent.get() / SENT_UNIT) & mask(SENT_BITS);
        let queue = (queue.get() / QUEUE_UNIT).min(mask(QUEUE_BITS));
        Self((((code as u64) << TIME_BITS | time) << SENT_BITS | sent) << QUEUE_BITS | queue)
    }

    const fn code(self) -> usize {
        (self.0 >> (u64::BITS - RATE_BITS)) as usize
    }

    const fn time(self) -> u64 {
        self.0 >> (SENT_BITS + QUEUE_BITS) & mask(TIME_BITS)
    }

    const fn sent(self) -> u64 {
        self.0 >> QUEUE_BITS & mask(SENT_BITS)
    }

    const fn queue(self) -> Bytes {
        Bytes::new((self.0 & mask(QUEUE_BITS)) * QUEUE_UNIT)
    }
}

/// Words that the switches on a packet's path have written, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Time when the packet's first bit left the adapter.
    departure: Time,
    hops: [Hop; MOST_HOPS],
    /// Nanoseconds from the departure until the acknowledgement came back, at most `u32::MAX`.
    round_trip: u32,
    length: u8,
    /// Hash of the path [pathID].
    path: u16,
}

impl Trail {
    /// Returns the time when the acknowledgement came back.
    fn heard(&self) -> Time {
        self.departure + Span::from_nanoseconds(self.round_trip.into())
    }

    /// Returns the longer of two spans: between the departures, and between the returns.
    fn behind(&self, earlier: &Self) -> Span {
        let between = |one: Time, other: Time| one.max(other).since(one.min(other));
        between(self.departure, earlier.departure).max(between(self.heard(), earlier.heard()))
    }
}

/// Bytes that a port has sent, and that have waited there, from one packet of a flow to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Rate of the port's link [B].
    pub rate: Rate,
    /// Time between the two packets.
    pub span: Span,
    /// Bytes that the port put on the wire between the two packets.
    pub sent: Bytes,
    /// Bytes that waited when the earlier packet left.
    pub queue_before: Bytes,
    /// Bytes that waited when the later packet left.
    pub queue: Bytes,
}

/// Content of a packet's record when its acknowledgement has brought it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Window when the packet was sent; zero where records have no windows.
    sent_window: Bytes,
    trail: Trail,
}

impl Record {
    /// Returns the time when the packet's first bit left the adapter.
    pub fn departure(&self) -> Time {
        self.trail.departure
    }
}

/// Record that an acknowledgement brings back, with all that is needed to read it.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Words of the switches on the path.
    pub trail: &'a Trail,
    /// Window when the packet was sent; zero where the algorithm needs none.
    pub sent_window: Bytes,
    rates: &'a [Rate],
    unambiguous: Span,
}

impl<'a> Reading<'a> {
    /// Returns an interval for each port on the path since an earlier packet.
    /// Leaves out a port that both packets left in the same nanosecond. Returns none after another path, or where a
    /// field may have wrapped in between.
    pub fn since(&self, earlier: &'a Trail) -> impl Iterator<Item = Interval> + use<'a> {
        let Self { trail, rates, unambiguous, .. } = *self;
        let is_same_path = (earlier.length, earlier.path) == (trail.length, trail.path);
        let is_recent = trail.behind(earlier) < unambiguous;
        let hops = if is_same_path && is_recent { usize::from(trail.length) } else { 0 };
        let pairs = earlier.hops.iter().zip(&trail.hops).take(hops);
        pairs.filter(|(before, after)| before.time() != after.time()).map(|(before, after)| Interval {
            rate: rates[after.code()],
            span: Span::from_nanoseconds(after.time().wrapping_sub(before.time()) & mask(TIME_BITS)),
            sent: Bytes::new((after.sent().wrapping_sub(before.sent()) & mask(SENT_BITS)) * SENT_UNIT),
            queue_before: before.queue(),
            queue: after.queue(),
        })
    }
}

const WORDS_OF_LINE: usize = 8;
/// Records that a thread takes at once.
const RECORDS_OF_BLOCK: u32 = 4096;

/// Records of all packets under way.
/// A record begins with the time when the packet's first bit left the adapter. Behind that is a word for each switch on
/// the longest path; the packet knows how many are written. The last word, if any algorithm needs it, is the window
/// when the packet was sent.
///
/// Records lie on shelves, each as long as all before it together. So there are as many as packets need, none ever
/// moves, and a number leads to its record without a search.
#[derive(Debug, Default)]
pub struct Records {
    /// Shelves by the binary logarithm of the least number on them.
    shelves: [OnceLock<Shelf>; u32::BITS as usize],
    /// Binary logarithm of the words of a record. No record lies across lines, and short paths need less of the cache.
    shift: u32,
    has_sent_windows: bool,
    blocks_taken: AtomicU32,
    /// Rates by their codes.
    rates: Vec<Rate>,
    /// Span within which no field wraps, not even at the busiest port.
    unambiguous: Span,
}

/// Records with numbers from one power of two to the next.
#[derive(Debug)]
struct Shelf {
    words: Box<[AtomicU64]>,
    /// Place of record 0, if the shelf began with it. The first record begins where a cache line does.
    origin: usize,
}

impl Shelf {
    /// Returns the shelf that begins with record number `first` and has as many records.
    fn new(first: u32, shift: u32) -> Self {
        let length = (first as usize) << shift;
        let words = zeroed(length + WORDS_OF_LINE);
        let line = size_of::<u64>() * WORDS_OF_LINE;
        let address = words.as_ptr().addr();
        let before = (address.next_multiple_of(line) - address) / size_of::<u64>();
        Self { words, origin: before.wrapping_sub(length) }
    }
}

impl Records {
    /// Returns records for ports with links of the given rates, on paths of at most `switches` switches. At most
    /// [`MOST_RATES`] rates and [`MOST_HOPS`] switches. Without rates no packet has a record.
    pub fn new(rates: Vec<Rate>, switches: usize, has_sent_windows: bool) -> Arc<Self> {
        debug_assert!(rates.len() <= MOST_RATES, "a rate has a code");
        debug_assert!(rates.is_empty() || switches <= MOST_HOPS, "a switch has a word");
        let shift = (1 + switches + usize::from(has_sent_windows)).next_power_of_two().trailing_zeros();
        let of_bytes = |rate: &Rate| rate.transmission_time(Bytes::new(SENT_UNIT << SENT_BITS));
        let of_time = Span::from_nanoseconds(1 << TIME_BITS);
        let unambiguous = rates.iter().map(of_bytes).fold(of_time, Span::min);
        Arc::new(Self { shift, has_sent_windows, rates, unambiguous, ..Self::default() })
    }

    /// Returns a word of a record, whose place there is `place`.
    #[inline]
    fn word(&self, number: u32, place: usize) -> &AtomicU64 {
        let shelf = self.shelves[(number | 1).ilog2() as usize].get().expect("a record was taken before");
        &shelf.words[shelf.origin.wrapping_add((number as usize) << self.shift) + place]
    }

    #[inline]
    fn departure(&self, number: u32) -> &AtomicU64 {
        self.word(number, 0)
    }

    #[inline]
    fn hop(&self, number: u32, place: usize) -> &AtomicU64 {
        self.word(number, 1 + place)
    }

    fn sent_window(&self, number: u32) -> Option<&AtomicU64> {
        self.has_sent_windows.then(|| self.word(number, (1 << self.shift) - 1))
    }

    /// Takes records with numbers that follow one another, on one shelf, where nobody has them yet.
    fn take_block(&self, free: &mut Vec<u32>) {
        // Numbers below a block's length stay unused, as no shelf is that short.
        let block = self.blocks_taken.fetch_add(1, Ordering::Relaxed) + 1;
        let first = block.checked_mul(RECORDS_OF_BLOCK).expect("fewer than 2^32 packets carry telemetry");
        let shelf = first.ilog2();
        self.shelves[shelf as usize].get_or_init(|| Shelf::new(1 << shelf, self.shift));
        free.extend((first..=first + (RECORDS_OF_BLOCK - 1)).rev());
    }
}

/// Returns `words` words of zero. The system gives address space alone, and memory as pages are first touched.
#[allow(unsafe_code)]
#[allow(clippy::cast_ptr_alignment, reason = "the layout is that of the words")]
fn zeroed(words: usize) -> Box<[AtomicU64]> {
    assert!(words > 0, "there is something to allocate");
    let layout = Layout::array::<AtomicU64>(words).expect("records fit into the address space");
    // SAFETY: the layout has a size, and is that of a boxed slice of as many words. All bits 0 are a valid `AtomicU64`.
    unsafe {
        let first = alloc_zeroed(layout).cast::<AtomicU64>();
        if first.is_null() {
            handle_alloc_error(layout);
        }
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(first, words))
    }
}

/// One thread's access to the records of all threads.
#[derive(Debug, Default)]
pub struct Telemetry {
    records: Arc<Records>,
    /// Numbers of records that this thread may give to packets.
    free: Vec<u32>,
}

impl Telemetry {
    /// Returns a thread's access to the given records.
    pub fn new(records: Arc<Records>) -> Self {
        Self { records, free: Vec::new() }
    }

    /// The number of a record for a new packet.
    pub fn take(&mut self) -> u32 {
        loop {
            match self.free.pop() {
                Some(number) => return number,
                None => self.records.take_block(&mut self.free),
            }
        }
    }

    /// Prefetches a record that is read or written soon.
    /// The number may be anything where the packet is a frame between the two ends of a link; a prefetch of any address
    /// is harmless.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(shelf) = self.records.shelves[(number | 1).ilog2() as usize].get() {
            let place = shelf.origin.wrapping_add((number as usize) << self.records.shift);
            prefetch(shelf.words.as_ptr().wrapping_add(place));
        }
    }

    /// Frees a record for use by another packet.
    pub fn free(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Remembers the window when a packet is sent, where records have windows.
    pub fn remember(&self, number: u32, window: Bytes) {
        if let Some(word) = self.records.sent_window(number) {
            word.store(window.get(), Ordering::Relaxed);
        }
    }

    /// Notes that the first bit of a packet leaves the adapter.
    pub fn depart(&self, number: u32, now: Time) {
        self.records.departure(number).store(now.get(), Ordering::Relaxed);
    }

    /// Notes that a packet leaves a switch by a port of rate `rate`, after `hop` other switches. The port has put
    /// `sent` bytes on the wire before, and `queue` bytes wait.
    #[inline]
    pub fn write(&self, number: u32, hop: usize, now: Time, rate: Rate, sent: Bytes, queue: Bytes) {
        let code = self.records.rates.iter().position(|&known| known == rate);
        let code = code.expect("every link's rate has a code");
        let Hop(word) = Hop::new(code, now, sent, queue);
        self.records.hop(number, hop).store(word, Ordering::Relaxed);
    }

    /// Reads the record of a packet that is back after `hops` switches on path `path`, and frees the record.
    pub fn collect(&mut self, number: u32, hops: usize, path: u16, now: Time) -> Record {
        let departure = Time::new(self.records.departure(number).load(Ordering::Relaxed));
        let round_trip = u32::try_from(now.since(departure).as_nanoseconds()).unwrap_or(u32::MAX);
        let mut trail = Trail { departure, round_trip, length: hops as u8, path, ..Trail::default() };
        for (place, hop) in trail.hops.iter_mut().enumerate().take(hops) {
            *hop = Hop(self.records.hop(number, place).load(Ordering::Relaxed));
        }
        let sent_window = self.records.sent_window(number);
        let sent_window = sent_window.map_or(Bytes::ZERO, |word| Bytes::new(word.load(Ordering::Relaxed)));
        self.free(number);
        Record { sent_window, trail }
    }

    /// Returns a record with the rates that its codes stand for.
    pub fn reading<'a>(&'a self, record: &'a Record) -> Reading<'a> {
        let Records { rates, unambiguous, .. } = &*self.records;
        let Record { sent_window, trail } = record;
        Reading { trail, sent_window: *sent_window, rates, unambiguous: *unambiguous }
    }

    /// Returns the number of records that packets under way have. `threads` are all threads of a run.
    pub fn in_use(threads: &[Self]) -> usize {
        let blocks = threads.first().map_or(0, |one| one.records.blocks_taken.load(Ordering::Relaxed));
        blocks as usize * RECORDS_OF_BLOCK as usize
            - threads.iter().map(|thread| thread.free.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::from_gbps(100);

    fn telemetry() -> Telemetry {
        Telemetry::new(Records::new(vec![Rate::from_gbps(25), RATE], MOST_HOPS, false))
    }

    fn nanoseconds(time: u64) -> Time {
        Time::new(time * 1000)
    }

    /// Returns the record of a packet that passed one port at `time` nanoseconds and departed 1 ns before.
    fn passed(telemetry: &mut Telemetry, time: u64, sent: u64, queue: u64) -> Record {
        let number = telemetry.take();
        telemetry.depart(number, nanoseconds(time - 1));
        telemetry.write(number, 0, nanoseconds(time), RATE, Bytes::new(sent), Bytes::new(queue));
        let record = telemetry.collect(number, 1, 0, nanoseconds(time + 1));
        assert_eq!((record.departure(), record.sent_window), (nanoseconds(time - 1), Bytes::ZERO));
        record
    }

    #[test]
    fn a_sender_learns_what_ports_did_between_its_packets() {
        let mut telemetry = telemetry();
        let earlier = passed(&mut telemetry, 1_000, 128_000, 800);
        let later = passed(&mut telemetry, 3_000, 148_000, 1_659);
        let interval = Interval {
            rate: RATE,
            span: Span::from_microseconds(2),
            sent: Bytes::new((148_000 / 128 - 1_000) * 128),
            queue_before: Bytes::new(800),
            queue: Bytes::new(1_600),
        };
        let reading = telemetry.reading(&later);
        assert_eq!(reading.since(&earlier.trail).collect::<Vec<_>>(), [interval]);
        assert_eq!(reading.since(&later.trail).count(), 0, "no time has passed");
        assert_eq!(reading.since(&Trail::default()).count(), 0, "another path");
    }

    #[test]
    fn time_and_bytes_wrap_and_a_queue_does_not() {
        let mut telemetry = telemetry();
        let (time, sent) = (1 << TIME_BITS, SENT_UNIT << SENT_BITS);
        let earlier = passed(&mut telemetry, time - 5, sent - 128, 0);
        let later = passed(&mut telemetry, time + 4, sent + 256, 1 << 40);
        let interval = telemetry.reading(&later).since(&earlier.trail).next().unwrap();
        assert_eq!((interval.span, interval.sent), (Span::from_nanoseconds(9), Bytes::new(384)));
        assert_eq!(interval.queue, Bytes::new(((1 << 17) - 1) * 80));
    }

    /// A port of 100 Gb/s sends the 134,217,728 bytes that its field holds in 10.737 ms, and the field of the time holds 16.777 ms.
    /// How long the round trip takes makes no difference.
    #[test]
    fn nothing_is_known_of_a_time_in_which_a_field_may_have_wrapped() {
        let knows = |rate: Rate, departs: u64, heard: u64| {
            let mut telemetry = Telemetry::new(Records::new(vec![rate], MOST_HOPS, false));
            let first = (0, 100_000_000);
            let [earlier, later] = [first, (first.0 + departs, first.1 + heard)].map(|(departs, heard)| {
                let number = telemetry.take();
                telemetry.depart(number, nanoseconds(departs));
                telemetry.write(number, 0, nanoseconds(departs + 1), rate, Bytes::ZERO, Bytes::ZERO);
                telemetry.collect(number, 1, 0, nanoseconds(heard))
            });
            telemetry.reading(&later).since(&earlier.trail).count() == 1
        };
        assert!(knows(RATE, 10_737_418, 10) && !knows(RATE, 10_737_419, 10));
        assert!(knows(RATE, 10, 10_737_418) && !knows(RATE, 10, 10_737_419));
        let slow = Rate::from_gbps(10);
        assert!(knows(slow, (1 << TIME_BITS) - 1, 10) && !knows(slow, 1 << TIME_BITS, 10));
    }

    #[test]
    fn a_packet_crosses_five_switches() {
        let mut telemetry = telemetry();
        let number = telemetry.take();
        telemetry.depart(number, Time::ZERO);
        for hop in 0..MOST_HOPS as u64 {
            let waiting = Bytes::new(80 * hop);
            telemetry.write(number, hop as usize, nanoseconds(hop), RATE, Bytes::ZERO, waiting);
        }
        let trail = telemetry.collect(number, MOST_HOPS, 0, nanoseconds(9)).trail;
        let queues = trail.hops.map(|hop| hop.queue().get());
        assert_eq!((queues, trail.length), ([0, 80, 160, 240, 320], 5));
    }

    #[test]
    fn a_record_remembers_the_window_behind_all_that_five_switches_write() {
        let mut telemetry = Telemetry::new(Records::new(vec![RATE], MOST_HOPS, true));
        let windows = [250_000, 1].map(Bytes::new);
        let numbers = windows.map(|window| {
            let number = telemetry.take();
            telemetry.remember(number, window);
            telemetry.depart(number, Time::ZERO);
            for hop in 0..MOST_HOPS {
                telemetry.write(number, hop, nanoseconds(mask(TIME_BITS)), RATE, Bytes::MAX, Bytes::MAX);
            }
            number
        });
        let collected = numbers.map(|number| telemetry.collect(number, MOST_HOPS, 0, Time::ZERO));
        assert_eq!(collected.map(|record| telemetry.reading(&record).sent_window), windows);
    }

    /// 40,000 packets have records on four shelves.
    #[test]
    fn there_are_as_many_records_as_packets_under_way() {
        for switches in [1, MOST_HOPS] {
            let mut telemetry = Telemetry::new(Records::new(vec![RATE], switches, true));
            let numbers: Vec<u32> = (0..40_000).map(|_| telemetry.take()).collect();
            for (value, &number) in (0..).zip(&numbers) {
                telemetry.depart(number, Time::new(value));
                telemetry.remember(number, Bytes::new(value));
                telemetry.write(number, switches - 1, nanoseconds(value), RATE, Bytes::ZERO, Bytes::ZERO);
            }
            for (value, &number) in (0..).zip(&numbers) {
                telemetry.prefetch(number);
                let Record { sent_window, trail } = telemetry.collect(number, switches, 0, Time::new(value));
                assert_eq!((trail.departure, sent_window), (Time::new(value), Bytes::new(value)));
                assert_eq!(trail.hops[switches - 1].time(), value);
            }
            assert_eq!(Telemetry::in_use(&[telemetry]), 0);
        }
    }

    #[test]
    fn threads_share_records_and_know_how_many_are_in_use() {
        let records = Records::new(vec![RATE], 3, false);
        let mut threads = [(); 2].map(|()| Telemetry::new(Arc::clone(&records)));
        let taken: Vec<u32> =
            (0..2 * RECORDS_OF_BLOCK as usize).map(|place| threads[place % 2].take()).collect();
        let mut distinct = taken.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((distinct.len(), Telemetry::in_use(&threads)), (taken.len(), taken.len()));
        threads[0].depart(taken[1], Time::new(3));
        assert_eq!(threads[1].collect(taken[1], 0, 0, Time::new(3)).departure(), Time::new(3));
        taken.iter().filter(|&&number| number != taken[1]).for_each(|&number| threads[0].free(number));
        assert_eq!(Telemetry::in_use(&threads), 0);
    }
}

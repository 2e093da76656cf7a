//! Bits that a port has put on the wire by some time, exact where a transmission is under way, and where a link fails or
//! changes its rate meanwhile.
//!
//! A transmission keeps the rate at which it began. A link that fails cuts the transmission off.

use super::{Departure, Port};
use crate::agenda::Fabric;
use crate::kernel::units::{Time, TransmissionClock};

/// Transmissions that were under way when their link changed, or that do not follow one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Irregular {
    /// End of the last packet that has lined up and started, where packets may line up with pauses between them;
    /// `Time::MAX` elsewhere.
    last_ends: Time,
    /// End of the last transmission during which the link got another rate.
    until: Time,
    /// Clock of that transmission.
    clock: TransmissionClock,
    /// Picobits that the link carried because transmissions kept their rate, less those that its new rates allowed.
    kept: i128,
    /// End that the last transmission would have had that the link cut off.
    cut_until: Time,
    /// Picobits that never left because the link had failed.
    cut: u128,
}

impl Port {
    /// Picobits put on the wire by `now`, preambles and gaps included; of a packet under way those that have left.
    ///
    /// A link at a steady rate never carries more than that rate times `now`.
    pub fn picobits_by(&self, now: Time) -> u128 {
        let counted = self.counters.wire_bytes.picobits();
        let irregular = self.irregular.as_deref();
        let (cut, last_ends) = irregular.map_or((0, Time::MAX), |of| (of.cut, of.last_ends));
        let ends = self.busy_until.min(self.next_start).min(last_ends);
        let is_under_way = ends > now && !self.is_cut_off();
        let to_go = if is_under_way { self.rate_until(ends, now) } else { 0 };
        counted.saturating_sub(cut + to_go)
    }

    /// Picobits that the link carried by `now` beyond what its rates allowed, because transmissions keep the rate at
    /// which they began. Negative where the rate rose.
    pub fn kept_by(&self, now: Time) -> i128 {
        let Some(irregular) = self.irregular.as_deref() else { return 0 };
        let is_under_way = irregular.until > now && !self.is_cut_off();
        irregular.kept - if is_under_way { self.kept_until(irregular.until, now) } else { 0 }
    }

    /// Tells the port of the last packet that has lined up and started, if others may start later than it ends.
    pub fn note_last(&mut self, departure: Option<&Departure>, fabric: &Fabric) {
        if let Some(Departure { starts, packet, .. }) = departure {
            let ends = *starts + self.clock.transmission_time(fabric.wire_of(*packet));
            self.irregular().last_ends = ends;
        }
    }

    /// Clock of the transmission under way.
    pub(super) fn clock_under_way(&self, now: Time) -> TransmissionClock {
        match self.irregular.as_deref() {
            Some(&Irregular { until, clock, .. }) if until > now => clock,
            _ => self.clock,
        }
    }

    /// Notes that the link gets another rate than that of `self.clock`, which a transmission under way keeps.
    pub(super) fn keep_rate(&mut self, other: TransmissionClock, now: Time) {
        if self.busy_until <= now || self.is_cut_off() {
            return;
        }
        let (until, clock) = (self.busy_until, self.clock_under_way(now));
        let span = until.since(now);
        let [before, then] = [self.clock, other].map(|clock| clock.rate().picobits_in(span).cast_signed());
        let irregular = self.irregular();
        irregular.kept += before - then;
        (irregular.until, irregular.clock) = (until, clock);
    }

    /// Notes that the link fails, which cuts off a transmission under way.
    pub(super) fn cut_off(&mut self, now: Time) {
        if self.busy_until <= now || self.is_cut_off() {
            return;
        }
        let (until, cut) = (self.busy_until, self.rate_until(self.busy_until, now));
        let kept = self.kept_until(until, now);
        let irregular = self.irregular();
        irregular.cut += cut;
        irregular.kept -= kept;
        irregular.cut_until = until;
    }

    /// Whether the link has cut off the latest transmission.
    fn is_cut_off(&self) -> bool {
        self.irregular.as_deref().is_some_and(|irregular| irregular.cut_until >= self.busy_until)
    }

    /// Picobits of the transmission under way from `now` to `until`.
    fn rate_until(&self, until: Time, now: Time) -> u128 {
        self.clock_under_way(now).rate().picobits_in(until.since(now))
    }

    /// Picobits that the transmission under way carries from `now` to `until` beyond what the link's rate allows.
    fn kept_until(&self, until: Time, now: Time) -> i128 {
        let at_rate = self.clock.rate().picobits_in(until.since(now));
        self.rate_until(until, now).cast_signed() - at_rate.cast_signed()
    }

    fn irregular(&mut self) -> &mut Irregular {
        self.irregular.get_or_insert_with(|| {
            let clock = self.clock;
            Box::new(Irregular {
                last_ends: Time::MAX,
                until: Time::ZERO,
                clock,
                kept: 0,
                cut_until: Time::ZERO,
                cut: 0,
            })
        })
    }
}

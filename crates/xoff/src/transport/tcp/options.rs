//! State of a sender that only some of the transport's options need, kept apart so that other flows do not carry it.

use super::forward_rto::ForwardRto;
use super::rack::Rack;
use super::reduction::Reduction;
use super::schedule::Schedule;
use super::segmentation::Segmentation;
use super::timing::Timing;
use crate::congestion_control::WindowUnit;
use crate::kernel::units::{Span, Time};
use crate::scenario::{Host, Recovery, Reduces, RtoFloor, Tcp};

/// Tail loss probe of a flow (RFC 8985, section 7).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// First byte not sent after the probe that is out [`TLP.end_seq`].
    pub(super) end: Option<u64>,
    /// Whether the probe that is out was sent before.
    pub(super) again: bool,
    /// Whether the next segment is a probe, and goes whatever the window; with the inflation to go back to.
    pub(super) due: Option<u64>,
}

/// Parts of a sender that it has by its settings.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// Whether segments may leave without more than a note of their times.
    pub(super) lets_all_leave: bool,
    /// Trains of segmentation offload, if the host has it.
    pub(super) segmentation: Option<Segmentation>,
    /// Timed segment, if there are no timestamps.
    pub(super) timing: Option<Timing>,
    pub(super) reduction: Option<Reduction>,
    pub(super) rack: Option<Rack>,
    pub(super) probe: Option<Probe>,
    pub(super) forward_rto: Option<ForwardRto>,
    /// Timers, where there are more than that of retransmissions, or where that runs otherwise.
    pub(super) schedule: Option<Schedule>,
}

impl Options {
    /// Parts that a flow has by its settings, unless it has none.
    pub(super) fn of(settings: &Tcp, host: &Host) -> Option<Box<Self>> {
        let segment = settings.payload.get();
        let unit = match settings.window_unit {
            WindowUnit::Bytes => 1,
            WindowUnit::Segments => segment,
        };
        let rack = (settings.recovery == Recovery::Rack).then(Rack::default);
        let has_timers = rack.is_some()
            || settings.tail_loss_probe
            || settings.rto_floor == RtoFloor::Variation
            || settings.clock_granularity > Span::ZERO;
        let mut options = Self {
            lets_all_leave: false,
            segmentation: host.segmentation_offload.map(|longest| Segmentation::new(longest.get(), segment)),
            timing: (!settings.timestamps).then(Timing::default),
            reduction: (settings.reduction == Reduces::Proportionally).then(|| Reduction::new(unit)),
            rack,
            probe: settings.tail_loss_probe.then(Probe::default),
            forward_rto: settings.f_rto.then(ForwardRto::default),
            schedule: has_timers.then(|| Schedule::new(settings)),
        };
        options.lets_all_leave = options.segmentation.is_none() && options.are_at_rest();
        options.are_any().then(|| Box::new(options))
    }

    fn are_any(&self) -> bool {
        let Self { lets_all_leave: _, segmentation, timing, reduction, rack, probe, forward_rto, schedule } =
            self;
        segmentation.is_some()
            || timing.is_some()
            || reduction.is_some()
            || rack.is_some()
            || probe.is_some()
            || forward_rto.is_some()
            || schedule.is_some()
    }

    /// Whether every acknowledgement concerns a part.
    pub(super) fn hear_every_acknowledgement(&self) -> bool {
        let Self { timing, rack, probe, schedule, .. } = self;
        timing.is_some() || rack.is_some() || probe.is_some() || schedule.is_some()
    }

    /// Whether an acknowledgement in order concerns RACK and the timers alone: nothing was sent twice, no probe is out or due,
    /// and no single segment is timed.
    pub(super) fn are_at_rest(&self) -> bool {
        let Self { timing, rack, probe, .. } = self;
        timing.is_none()
            && rack.as_ref().is_none_or(|rack| !rack.has_repeats())
            && probe.is_none_or(|probe| probe.end.is_none() && probe.due.is_none())
    }

    /// Takes in that a new segment leaves of a flow that has nothing to repair.
    #[inline]
    pub(super) fn on_new(&mut self, now: Time) {
        if let Some(rack) = &mut self.rack {
            rack.on_new(now);
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.heard = now;
        }
    }

    /// Takes in that a segment leaves, for the first time or again.
    pub(super) fn on_sent(&mut self, now: Time, segment: u64, length: u64, is_reducing: bool) {
        if let Some(reduction) = &mut self.reduction
            && is_reducing
        {
            reduction.on_sent(length);
        }
        if let Some(rack) = &mut self.rack {
            rack.on_sent(now, segment);
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.heard = now;
        }
    }
}

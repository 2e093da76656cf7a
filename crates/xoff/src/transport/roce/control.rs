//! What a queue pair tells its congestion control, whichever flow has it.

use crate::congestion_control::{Ack, Algorithm, Needs, Trimmed};
use crate::kernel::units::{Bytes, Time};
use crate::packet::Packet;
use crate::telemetry::{Reading, Telemetry};

/// What an acknowledgement says to a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged {
    /// Payload bytes that were not acknowledged before.
    pub newly_acked: u64,
    /// Payload bytes of the queue pair, of all flows, that are acknowledged, if nothing is missing.
    pub cumulative: u64,
    /// When the packet left that is acknowledged.
    pub departure: Time,
    /// Payload bytes of that packet.
    pub timed: Bytes,
    /// Whether it was marked, where that is told.
    pub echo: bool,
    /// Whether it has come without its payload: then nothing is acknowledged.
    pub trimmed: bool,
}

impl Acknowledged {
    /// Says it, with what is next to be sent, of the queue pair's bytes, how many are in flight, and what switches have written.
    #[inline]
    pub(super) fn tell(
        self,
        control: &mut Algorithm,
        now: Time,
        next_sequence: u64,
        in_flight: u64,
        telemetry: Option<Reading<'_>>,
    ) {
        let in_flight = Bytes::new(in_flight);
        if self.trimmed {
            return control.on_trimmed(now, &Trimmed { payload: self.timed, in_flight });
        }
        let ack = Ack {
            newly_acked: Bytes::new(self.newly_acked),
            echo: self.echo,
            cumulative: self.cumulative,
            next_sequence,
            in_flight,
            window_limited: true,
            rtt: Some(now.since(self.departure)),
            timed: self.timed,
            telemetry,
        };
        control.on_ack(now, &ack);
    }
}

/// Hands on what an ACK or a NACK brings back to a congestion control with these needs: when the packet left that it answers, and what
/// switches have written into that. The stamp of data that is sent on credit is no time: as far as anybody can tell, nothing left before.
#[inline]
pub fn with_reading<T>(
    needs: Needs,
    answer: &Packet,
    telemetry: &mut Telemetry,
    now: Time,
    hear: impl FnOnce(Time, Option<Reading<'_>>) -> T,
) -> T {
    if needs == Needs::Credit {
        return hear(Time::ZERO, None);
    }
    let Some(number) = answer.record() else { return hear(Time::new(answer.stamp()), None) };
    let record = telemetry.collect(number, answer.hops(), answer.path(), now);
    hear(record.departure(), Some(telemetry.reading(&record)))
}

/// Has a timer expire as often as it has been due by now.
pub(super) fn settle(control: &mut Algorithm, now: Time) {
    while control.next_timer() <= now {
        control.on_timer(control.next_timer());
    }
}

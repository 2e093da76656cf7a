//! Messages of a queue pair to its congestion control, whichever flow has the queue pair.

use crate::congestion_control::{Ack, Algorithm, Needs, Trimmed};
use crate::kernel::units::{Bytes, Time};
use crate::packet::Packet;
use crate::telemetry::{Reading, Telemetry};

/// News that an acknowledgement has for a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged {
    /// Payload bytes that were not acknowledged before.
    pub newly_acked: u64,
    /// Payload bytes of the queue pair, of all flows, that are acknowledged without a gap.
    pub cumulative: u64,
    /// Time at which the acknowledged packet left.
    pub departure: Time,
    /// Payload bytes of the acknowledged packet.
    pub timed: Bytes,
    /// Whether the acknowledged packet was marked, where acknowledgements tell.
    pub echo: bool,
    /// Whether the packet has come without its payload: then nothing is acknowledged.
    pub trimmed: bool,
}

impl Acknowledged {
    /// Tells `control`, with the next byte of the queue pair to send, the bytes in flight, and what switches have
    /// written.
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

/// Hands on what an ACK or a NACK brings back: when the packet left that it answers, and what switches have written
/// into that. The stamp of data that is sent on credit is no time, and then the answer is the start of the run.
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

/// Lets a timer expire as often as it has been due by now.
pub(super) fn settle(control: &mut Algorithm, now: Time) {
    while control.next_timer() <= now {
        control.on_timer(control.next_timer());
    }
}

//! Dynamic and shared headroom (DSH, ToN 2025): each port has insurance headroom for one worst case, all other memory is
//! one shared pool, and a queue pauses as far below its threshold as it may still need. A port whose queues have used up
//! together what they may hold pauses as a whole, which is what makes the insurance enough.
//! Differs: as printed, Algorithm 3 takes the absolute deviation from the average gradient, which could only fall; here it
//! is the signed one. The threshold at which a port resumes is printed once as a difference to itself; here it is
//! `xon_offset` below the one at which it pauses.
//! Differs: where only one queue of a port has had packets for the window of Algorithm 4, the margin is zero; otherwise it
//! is the latest estimate, and not the one at the last change of queues.
//! Where the paper is silent: a packet of a paused port that fits the reserve of its queue goes there; the estimate is kept
//! between zero and Phi; the time between two packets counts as no less than the time of the second on the wire.

mod estimator;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::estimator::{Estimate, Gains, Line};
use super::{Arrival, HeadroomScheme, Held, Link, Refusal, sizes};
use crate::kernel::units::{Bytes, Ratio, Span, Time};

/// What can be set of DSH.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Bytes that one class of a port may need at worst [Phi]. Left out, by formula for its link.
    pub size: Option<Bytes>,
    /// Insurance headroom of each port; `0B` for none, and then packets can be lost. Left out, one worst case.
    pub insurance: Option<Bytes>,
    /// Whether queues get headroom from the shared pool. Without it a queue pauses at its threshold, and what arrives after
    /// that takes the insurance and pauses the port.
    pub shared_headroom: bool,
    /// How the headroom that a queue needs is estimated.
    pub estimator: EstimatorKind,
    /// Weight of the newest gradient in the average gradient, above 0 and at most 1 [w_g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gradient_weight: Ratio,
    /// Weight of the newest deviation in the mean deviation, above 0 and at most 1 [w_v].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub deviation_weight: Ratio,
    /// Mean deviations by which the gradient is overestimated [k].
    pub deviation_factor: u16,
    /// A queue that was the only one of its port to have packets for so long pauses at its threshold.
    pub window: Span,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            size: None,
            insurance: None,
            shared_headroom: true,
            estimator: EstimatorKind::default(),
            gradient_weight: Ratio::new(1, 4),
            deviation_weight: Ratio::new(1, 4),
            deviation_factor: 4,
            window: Span::from_milliseconds(10),
        }
    }
}

/// How the headroom that a queue needs is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EstimatorKind {
    /// With division and multiplication (Algorithm 2).
    #[default]
    Arithmetic,
    /// With tables of logarithms and exponents, shifts, and a step map from the gradient to the headroom (Algorithm 3).
    Tables,
}

/// What is known of one queue.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Queue {
    last: Time,
    shared: Bytes,
    estimate: Estimate,
}

/// Which queues of one port have had packets lately (Algorithm 4).
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// The queue of the last packet.
    priority: Option<u8>,
    /// When that queue's turn began.
    since: Time,
    /// Whether another queue had packets within the window.
    alternate: bool,
}

/// One port. What every packet touches is in its first cache line and in that of its queue.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Port {
    line: Line,
    insurance: Bytes,
    turns: Turns,
    queues: [Queue; 8],
}

/// Insurance of each port, and what is estimated of its queues.
#[derive(Clone, Debug)]
pub struct Dsh {
    ports: Vec<Port>,
    gains: Gains,
    window: Span,
    classes: u64,
    shared_headroom: bool,
    is_insured: bool,
}

impl Dsh {
    /// Headroom for these links.
    ///
    /// # Errors
    ///
    /// An insurance that is less than one worst case, or gains that the hardware form cannot have.
    pub fn new(parameters: &Parameters, links: &[Link], classes: u64) -> Result<Self, Refusal> {
        let port = |(link, worst): (&Link, Bytes)| Port {
            line: Line::new(link.rate, worst),
            insurance: parameters.insurance.unwrap_or(worst),
            turns: Turns::default(),
            queues: [Queue::default(); 8],
        };
        let ports: Vec<Port> = links.iter().zip(sizes(parameters.size, links)).map(port).collect();
        for (link, &Port { insurance, .. }) in links.iter().zip(&ports) {
            if insurance > Bytes::ZERO && insurance < link.worst_case {
                return Err(Refusal {
                    key: if parameters.insurance.is_some() { "insurance" } else { "size" },
                    problem: format!("insures a port with {insurance}, which is less than one worst case"),
                    expected: format!(
                        "expected at least {}, or insurance = \"0B\" for none",
                        link.worst_case
                    ),
                });
            }
        }
        let gains = Gains::new(parameters)?;
        Ok(Self {
            ports,
            gains,
            window: parameters.window,
            classes,
            shared_headroom: parameters.shared_headroom,
            is_insured: parameters.insurance != Some(Bytes::ZERO),
        })
    }
}

impl HeadroomScheme for Dsh {
    type Parameters = Parameters;

    fn set_aside(&self) -> Bytes {
        self.ports.iter().map(|port| port.insurance).sum()
    }

    fn kept(&self, port: usize) -> Bytes {
        self.ports[port].insurance
    }

    fn fits(&self, port: usize, held: &Held, frame: Bytes) -> bool {
        held.port + frame <= self.ports[port].insurance
    }

    fn on_arrival(&mut self, now: Time, arrival: &Arrival) {
        let Port { line, turns, queues, .. } = &mut self.ports[arrival.port];
        let queue = &mut queues[arrival.priority];
        let change = arrival.shared.get().cast_signed() - queue.shared.get().cast_signed();
        let elapsed = now.since(queue.last);
        queue.estimate.on_arrival(line, &self.gains, change, elapsed, arrival.frame);
        queue.last = now;
        queue.shared = arrival.shared;
        turns.on_arrival(now, arrival.priority as u8, self.window);
    }

    fn margin(&self, port: usize, priority: usize) -> Bytes {
        let Port { line, turns, queues, .. } = &self.ports[port];
        if self.shared_headroom && turns.alternate {
            queues[priority].estimate.needed(line, &self.gains)
        } else {
            Bytes::ZERO
        }
    }

    fn port_threshold(&self, threshold: Bytes) -> Option<Bytes> {
        Some(threshold * self.classes)
    }

    fn shares_after_pause(&self) -> bool {
        self.shared_headroom
    }

    fn shares_after_port_pause(&self) -> bool {
        !self.is_insured
    }
}

impl Turns {
    fn on_arrival(&mut self, now: Time, priority: u8, window: Span) {
        if self.priority != Some(priority) {
            self.alternate = self.priority.is_some();
            self.priority = Some(priority);
            self.since = now;
        } else if now.since(self.since) > window {
            self.alternate = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Rate;

    fn links() -> [Link; 1] {
        [Link {
            rate: Rate::from_gbps(100),
            delay: Span::from_microseconds(2),
            worst_case: Bytes::new(56_840),
        }]
    }

    fn dsh(parameters: &str) -> Result<Dsh, Refusal> {
        Dsh::new(&toml::from_str(parameters).unwrap(), &links(), 7)
    }

    fn arrive(dsh: &mut Dsh, microseconds: u64, priority: usize, shared: u64) -> Bytes {
        let now = Time::ZERO + Span::from_microseconds(microseconds);
        let frame = Bytes::new(1000);
        dsh.on_arrival(now, &Arrival { port: 0, priority, frame, shared: Bytes::new(shared) });
        dsh.margin(0, priority)
    }

    /// `facts/algorithms.md` 20: with 7 classes and T of 574,076 bytes.
    #[test]
    fn a_port_pauses_at_the_threshold_of_all_its_queues() {
        let dsh = dsh("size = '60000B'").unwrap();
        assert_eq!(dsh.port_threshold(Bytes::new(574_076)), Some(Bytes::new(4_018_532)));
    }

    #[test]
    fn the_margin_is_zero_until_queues_alternate_and_after_one_is_alone_for_the_window() {
        let mut dsh = dsh("size = '60000B'").unwrap();
        // Grows at line rate: 12,500 bytes a microsecond.
        assert_eq!(arrive(&mut dsh, 1, 3, 12_500), Bytes::ZERO);
        assert_eq!(arrive(&mut dsh, 2, 3, 25_000), Bytes::ZERO);
        assert!(arrive(&mut dsh, 2, 4, 12_500) > Bytes::ZERO);
        assert_eq!(arrive(&mut dsh, 3, 3, 37_500), Bytes::new(60_000));
        assert!(arrive(&mut dsh, 10_003, 3, 40_000) > Bytes::ZERO);
        assert_eq!(arrive(&mut dsh, 10_004, 3, 52_500), Bytes::ZERO);
    }

    #[test]
    fn without_shared_headroom_a_queue_pauses_at_its_threshold() {
        let mut dsh = dsh("size = '60000B'\nshared_headroom = false").unwrap();
        arrive(&mut dsh, 1, 3, 12_500);
        assert_eq!(arrive(&mut dsh, 2, 4, 12_500), Bytes::ZERO);
        assert!(!dsh.shares_after_pause());
    }

    #[test]
    fn an_insurance_below_one_worst_case_is_refused() {
        let refusal = dsh("insurance = '50000B'").unwrap_err();
        assert_eq!(refusal.key, "insurance");
        assert_eq!(dsh("size = '50000B'").unwrap_err().key, "size");
        assert_eq!(dsh("insurance = '0B'").unwrap().set_aside(), Bytes::ZERO);
        assert!(!dsh("insurance = '0B'").unwrap().fits(
            0,
            &Held { queue: Bytes::ZERO, port: Bytes::ZERO, all: Bytes::ZERO },
            Bytes::new(1)
        ));
    }
}

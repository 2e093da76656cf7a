//! Dynamic and shared headroom (DSH, ToN 2025): headroom comes from the shared pool, and a port keeps insurance for one
//! worst case.
//!
//! At a packet's arrival, DSH decides three things. First, where the packet counts (Algorithm 1): in the reserve of its
//! queue, else in the shared pool, else in the insurance of its port. A paused queue still uses the shared pool, which
//! is what makes headroom *shared*. Only a paused port, or a full pool, turns to the insurance.
//! Second, how early the queue pauses: at its threshold less the bytes that it may still need. This margin follows from
//! how fast the queue grows, on average and at most (Algorithms 2 and 3), which makes headroom *dynamic*. A queue that
//! has its port to itself needs no margin (Algorithm 4).
//! Third, whether the port pauses as a whole: once its queues hold more than all their thresholds together (equation
//! 11). After that at most one worst case arrives, and the insurance is enough for it.
//!
//! Differs: as printed, Algorithm 3 takes the absolute deviation from the average gradient, which could only fall. Here
//! it is the signed one. The threshold at which a port resumes is printed once as a difference to itself. Here it is
//! `xon_offset` below the one at which it pauses.
//! Differs: if only one queue of a port has had packets for the window of Algorithm 4, the margin is zero. Otherwise it
//! is the latest estimate, and not the one at the last change of queues.
//!
//! Left open by the paper: with thresholds that differ by class, a port pauses above their sum. A packet of a paused
//! port that fits the reserve of its queue goes there. The estimate is kept between zero and Phi. The time between two
//! packets counts as no less than the time of the second on the wire.

mod estimator;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::estimator::{Estimate, Gains, Line};
use super::at_ports::{not_among, tables};
use super::{Arrival, HeadroomScheme, Held, Link, Refusal};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Ratio, Span, Time};

/// Settings of DSH.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Bytes that one class of a port may need at worst [Phi]. Left out, by formula for its link.
    pub size: Option<Bytes>,
    /// Insurance headroom of each port; `0B` for none, and then packets can be lost. Left out, one worst case.
    pub insurance: Option<Bytes>,
    /// At ports of these numbers, over `size` and `insurance`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_ports: Vec<PortInsurance>,
    /// Whether queues get headroom from the shared pool. Without it a queue pauses at its threshold, and packets that
    /// arrive after that take the insurance and pause the port.
    pub shared_headroom: bool,
    /// Form of the estimate of the headroom that a queue needs.
    pub estimator: EstimatorKind,
    /// Weight of the newest gradient in the average gradient, at least 1/65536 and at most 1 [w_g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gradient_weight: Ratio,
    /// Weight of the newest deviation in the mean deviation, at least 1/65536 and at most 1 [w_v].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub deviation_weight: Ratio,
    /// Mean deviations by which the gradient is overestimated [k].
    pub deviation_factor: u16,
    /// Time after which a queue pauses at its threshold, if it was the only queue of its port with packets.
    pub window: Span,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            size: None,
            insurance: None,
            at_ports: Vec::new(),
            shared_headroom: true,
            estimator: EstimatorKind::default(),
            gradient_weight: Ratio::new(1, 4),
            deviation_weight: Ratio::new(1, 4),
            deviation_factor: 4,
            window: Span::from_milliseconds(10),
        }
    }
}

/// Headroom of some ports, with DSH; keys left out are as for all ports.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortInsurance {
    /// Numbers of the ports; no port is named twice.
    #[schemars(extend("minItems" = 1))]
    pub ports: Vec<u32>,
    /// Bytes that one class of each of them may need at worst [Phi].
    #[serde(default)]
    pub size: Option<Bytes>,
    /// Insurance headroom of each of them; `0B` for none.
    #[serde(default)]
    pub insurance: Option<Bytes>,
}

/// Form of the estimate of the headroom that a queue needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EstimatorKind {
    /// With division and multiplication (Algorithm 2).
    #[default]
    Arithmetic,
    /// With tables of logarithms and exponents, shifts, and a step map from the gradient to the headroom (Algorithm 3).
    Tables,
}

/// State of one queue.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Queue {
    last: Time,
    shared: Bytes,
    estimate: Estimate,
}

/// Turns of the queues of one port: which have had packets lately (Algorithm 4).
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// Queue of the last packet.
    priority: Option<u8>,
    /// Time at which the turn of the last packet's queue began.
    since: Time,
    /// Whether another queue had packets within the window.
    alternate: bool,
}

/// One port. Every packet touches its first cache line and that of the packet's queue.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Port {
    line: Line,
    insurance: Bytes,
    turns: Turns,
    queues: [Queue; 8],
}

/// Dynamic and shared headroom of one switch: the insurance of each port, and the estimates of its queues.
#[derive(Clone, Debug)]
pub struct Dsh {
    ports: Vec<Port>,
    gains: Gains,
    window: Span,
    shared_headroom: bool,
}

impl Dsh {
    /// Headroom for the ports of `links`.
    ///
    /// # Errors
    ///
    /// Refuses ports that are not there or named twice, and gains that the hardware form cannot have.
    pub fn new(parameters: &Parameters, links: &[Link], _classes: u64) -> Result<Self, Refusal> {
        let own = tables(parameters.at_ports.iter().map(|table| table.ports.as_slice()), links.len())?;
        let port = |(link, &own): (&Link, &Option<usize>)| {
            let worst = parameters.size_of(own).unwrap_or(link.worst_case);
            Port {
                line: Line::new(link.rate, worst),
                insurance: parameters.insurance_of(own).unwrap_or(worst),
                turns: Turns::default(),
                queues: [Queue::default(); 8],
            }
        };
        let ports: Vec<Port> = links.iter().zip(&own).map(port).collect();
        let gains = Gains::new(parameters)?;
        Ok(Self { ports, gains, window: parameters.window, shared_headroom: parameters.shared_headroom })
    }
}

impl Port {
    fn is_insured(&self) -> bool {
        self.insurance > Bytes::ZERO
    }
}

/// Settings of a port; `own` is the place of the table that names it, if one does.
impl Parameters {
    fn size_of(&self, own: Option<usize>) -> Option<Bytes> {
        own.and_then(|place| self.at_ports[place].size).or(self.size)
    }

    fn insurance_of(&self, own: Option<usize>) -> Option<Bytes> {
        own.and_then(|place| self.at_ports[place].insurance).or(self.insurance)
    }
}

impl HeadroomScheme for Dsh {
    type Parameters = Parameters;

    fn with_size_at(mut parameters: Parameters, ports: Vec<u32>, size: Bytes) -> Option<Parameters> {
        let named = parameters.at_ports.iter().flat_map(|table| &table.ports);
        let ports = not_among(ports, named);
        if !ports.is_empty() {
            parameters.at_ports.push(PortInsurance { ports, size: Some(size), insurance: None });
        }
        Some(parameters)
    }

    fn set_aside(&self) -> Bytes {
        self.ports.iter().map(|port| port.insurance).sum()
    }

    fn kept(&self, port: usize) -> Bytes {
        self.ports[port].insurance
    }

    fn room(&self, port: usize, held: &Held) -> Room {
        Room { held: held.port, limit: self.ports[port].insurance }
    }

    fn follows_arrivals(&self) -> bool {
        true
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

    /// True with shared headroom: whether queues take turns follows from every packet of their port.
    fn watches_passing(&self) -> bool {
        self.shared_headroom
    }

    fn margin(&self, port: usize, priority: usize) -> Bytes {
        let Port { line, turns, queues, .. } = &self.ports[port];
        if self.shared_headroom && turns.alternate {
            queues[priority].estimate.needed(line, &self.gains)
        } else {
            Bytes::ZERO
        }
    }

    fn pauses_ports(&self) -> bool {
        true
    }

    fn shares_after_pause(&self) -> bool {
        self.shared_headroom
    }

    fn shares_after_port_pause(&self, port: usize) -> bool {
        !self.ports[port].is_insured()
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
    use crate::reading::from_text;

    fn links() -> [Link; 1] {
        [Link {
            rate: Rate::from_gbps(100),
            delay: Span::from_microseconds(2),
            worst_case: Bytes::new(56_840),
        }]
    }

    fn dsh(parameters: &str) -> Result<Dsh, Refusal> {
        Dsh::new(&from_text(parameters), &links(), 7)
    }

    fn arrive(dsh: &mut Dsh, microseconds: u64, priority: usize, shared: u64) -> Bytes {
        let now = Time::ZERO + Span::from_microseconds(microseconds);
        let frame = Bytes::new(1000);
        dsh.on_arrival(now, &Arrival { port: 0, priority, frame, shared: Bytes::new(shared) });
        dsh.margin(0, priority)
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
    fn an_insurance_is_as_large_as_it_is_said_to_be() {
        let held = |port| Held { queue: Bytes::ZERO, port: Bytes::new(port), all: Bytes::ZERO };
        let fits = |parameters, port| dsh(parameters).unwrap().room(0, &held(port)).fits(Bytes::new(1));
        assert!(!fits("insurance = '0B'", 0));
        assert_eq!(["insurance = '50kB'", "size = '50kB'"].map(|less| fits(less, 49_999)), [true, true]);
        assert_eq!(["insurance = '50kB'", "size = '50kB'"].map(|less| fits(less, 50_000)), [false, false]);
    }

    /// Of 25 and 100 Gb/s.
    fn mixed(parameters: &str) -> Result<Dsh, Refusal> {
        let link = |gbps, worst_case| Link {
            rate: Rate::from_gbps(gbps),
            delay: Span::from_nanoseconds(1500),
            worst_case: Bytes::new(worst_case),
        };
        let links = [link(25, 16_215), link(100, 44_340), link(25, 16_215)];
        Dsh::new(&from_text(parameters), &links, 7)
    }

    #[test]
    fn a_port_has_the_insurance_and_the_estimates_of_its_own_link() {
        let mut dsh =
            mixed("at_ports = [{ ports = [2], size = '20kB' }, { ports = [0], insurance = '30kB' }]")
                .unwrap();
        assert_eq!([0, 1, 2].map(|port| dsh.kept(port).get()), [30_000, 44_340, 20_000]);
        assert_eq!(dsh.set_aside().get(), 94_340);
        let fits = |dsh: &Dsh, port, held| {
            let held = Held { queue: Bytes::ZERO, port: Bytes::new(held), all: Bytes::ZERO };
            dsh.room(port, &held).fits(Bytes::new(1000))
        };
        assert!(
            fits(&dsh, 2, 19_000) && !fits(&dsh, 2, 19_001) && fits(&dsh, 0, 29_000) && fits(&dsh, 1, 43_340)
        );
        // Grown at line rate and more: what each needs is its worst case, and never its insurance.
        for (port, worst) in [(0, 16_215), (1, 44_340), (2, 20_000)] {
            for (priority, shared) in [(3, 12_500), (4, 25_000), (3, 37_500)] {
                let arrival = Arrival { port, priority, frame: Bytes::new(1000), shared: Bytes::new(shared) };
                dsh.on_arrival(Time::ZERO + Span::from_microseconds(1), &arrival);
            }
            assert_eq!(dsh.margin(port, 3).get(), worst);
        }
    }

    #[test]
    fn a_port_without_insurance_goes_on_in_the_pool_and_others_do_not() {
        let dsh = mixed("at_ports = [{ ports = [1], insurance = '0B' }]").unwrap();
        assert_eq!([0, 1, 2].map(|port| dsh.shares_after_port_pause(port)), [false, true, false]);
        let but_one = mixed("insurance = '0B'\nat_ports = [{ ports = [1], insurance = '50kB' }]").unwrap();
        assert_eq!([0, 1, 2].map(|port| but_one.shares_after_port_pause(port)), [true, false, true]);
    }

    /// Two queues of 50 kB take turns for 400 us: a margin would be for growth, of which there is none.
    #[test]
    fn a_queue_whose_length_stays_needs_hardly_any_margin() {
        let mut dsh = dsh("size = '60000B'").unwrap();
        let margins: Vec<_> =
            (1..=400).map(|at| arrive(&mut dsh, at, 3 + (at % 2) as usize, 50_000)).collect();
        assert!(margins[1] > Bytes::new(6_000) && margins[399] < Bytes::new(600), "{margins:?}");
    }
}

//! DCQCN as a fluid: flows of any starting rates share one queue whose RED marks reach them a control loop later
//! (SIGCOMM 2015, equations 5 to 9).
//! Each flow has a rate, a target rate and alpha, and the queue grows with the sum of rates less the link's. Equations
//! give how often a flow is cut and raised at a probability of marks. Defaults are the parameters as deployed. Left
//! out: hyper increase, which the paper's model lacks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::integration::Model;
use super::{Integration, Observed, Packets, Series};
use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// Settings of the model.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct Parameters {
    /// Rate of the link that all flows share [C].
    #[schemars(extend("x-above" = "0bps"))]
    pub rate: Rate,
    /// Number of flows that share the link [N].
    #[schemars(extend("minimum" = 1, "maximum" = 10_000))]
    pub flows: u32,
    /// Size of a packet, the unit in which the equations count.
    #[schemars(extend("x-at-least" = "1B"))]
    pub packet: Bytes,
    /// Rates at which flows start, in turn, but never above `rate`; the last counts for all that follow. Left out,
    /// those of figure 11.
    #[schemars(extend("minItems" = 1))]
    pub initial_rates: Vec<Rate>,
    /// Times at which flows start, in turn; the last counts for all that follow. Left out, at once.
    pub starts: Vec<Span>,
    /// Alpha of a flow that starts, 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Ratio,
    /// Bytes in the queue at the start.
    pub initial_queue: Bytes,
    /// Bytes in the queue up to which no packet is marked [`K_min`].
    pub minimum: Bytes,
    /// Bytes in the queue above which every packet is marked [`K_max`].
    #[schemars(extend("x-at-least-key" = "minimum"))]
    pub maximum: Bytes,
    /// Probability of a mark at `maximum`, 0 to 1 [`P_max`].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub probability: f64,
    /// Time from a mark in the queue until its flow reacts. The paper prints none; 50 us is that of the authors' code
    /// [tau*].
    #[schemars(extend("x-at-least-key" = "step"))]
    pub delay: Span,
    /// Least time from one CNP of a flow to the next [tau].
    #[schemars(extend("x-at-least-key" = "step"))]
    pub cnp_interval: Span,
    /// Time without a CNP after which alpha falls [tau'].
    #[schemars(extend("x-at-least-key" = "step"))]
    pub alpha_period: Span,
    /// Weight of the newest period in alpha, above 0 and at most 1 [g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Time from one increase by the timer to the next [T].
    #[schemars(extend("x-at-least-key" = "step"))]
    pub timer: Span,
    /// Bytes sent from one increase by the byte counter to the next; `0B` switches the counter off [B].
    pub byte_counter: Bytes,
    /// Increases by the timer, or by the byte counter, that are fast recovery [F].
    pub fast_recovery: u32,
    /// Step by which an increase after fast recovery raises the target rate [`R_AI`].
    pub additive_increase: Rate,
    /// Time span and step of the integration.
    #[serde(flatten)]
    pub integration: Integration,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rate: Rate::from_gbps(40),
            flows: 2,
            packet: Bytes::new(1000),
            initial_rates: [40, 5].map(Rate::from_gbps).to_vec(),
            starts: Vec::new(),
            initial_alpha: Ratio::new(1, 1),
            initial_queue: Bytes::ZERO,
            minimum: Bytes::new(5_000),
            maximum: Bytes::new(200_000),
            probability: 0.01,
            delay: Span::from_microseconds(50),
            cnp_interval: Span::from_microseconds(50),
            alpha_period: Span::from_microseconds(55),
            gain: Ratio::new(1, 256),
            timer: Span::from_microseconds(55),
            byte_counter: Bytes::new(10_000_000),
            fast_recovery: 5,
            additive_increase: Rate::new(40_000_000),
            integration: Integration::default(),
        }
    }
}

/// Fixed point of the equations, at which equal flows would stay for ever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// Probability of a mark [p*].
    pub probability: f64,
    /// Bytes in the queue [q*]; `maximum` where no shorter queue has that probability.
    pub queue: f64,
    /// Target rate less rate of each flow, in bits per second.
    pub above_rate: f64,
    /// Alpha of each flow.
    pub alpha: f64,
}

/// Model in packets and seconds.
pub(super) struct Dcqcn {
    packets: Packets,
    /// Rate of the link [C].
    capacity: f64,
    flows: Vec<Flow>,
    initial_alpha: f64,
    initial_queue: f64,
    minimum: f64,
    maximum: f64,
    probability: f64,
    delay: f64,
    cnp_interval: f64,
    alpha_period: f64,
    gain: f64,
    timer: f64,
    byte_counter: Option<f64>,
    fast_recovery: f64,
    additive_increase: f64,
}

struct Flow {
    start: f64,
    initial_rate: f64,
}

/// Numbers of a flow in a state, behind that of the queue: rate [`R_C`], target rate [`R_T`], alpha.
const FLOW: usize = 3;

/// Effect of a flow's marks one control loop later.
struct Feedback {
    /// Value that alpha tends to: the probability of a CNP in `alpha_period`.
    alpha: f64,
    /// Cuts per second, one for each CNP [a / tau].
    cnps: f64,
    /// Increases per second [`R_C` (b + d)].
    increases: f64,
    /// Increases per second that are not fast recovery [`R_C` (c + e)].
    additive: f64,
}

const FEEDBACK: usize = 4;

impl Feedback {
    fn write(&self, echo: &mut [f64]) {
        echo.copy_from_slice(&[self.alpha, self.cnps, self.increases, self.additive]);
    }

    fn read(echo: &[f64]) -> Self {
        Self { alpha: echo[0], cnps: echo[1], increases: echo[2], additive: echo[3] }
    }
}

/// Chances of marks, from which the feedback of every flow follows.
struct Marks {
    /// Probability that a packet is marked [p].
    probability: f64,
    /// Hazard -ln(1 - p): a packet after n others is the first marked with a chance of p exp(-n hazard).
    hazard: f64,
    /// Increases by the byte counter per packet [b], and those among them that are not fast recovery [c].
    bytes: (f64, f64),
}

impl Dcqcn {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let packets = Packets::of(parameters.packet);
        let flow = |number: u32| Flow {
            start: of_turn(&parameters.starts, number as usize).map_or(0.0, Span::as_seconds),
            initial_rate: packets.per_second(
                of_turn(&parameters.initial_rates, number as usize)
                    .map_or(parameters.rate, |rate| rate.min(parameters.rate)),
            ),
        };
        let counts_bytes = parameters.byte_counter > Bytes::ZERO;
        Self {
            capacity: packets.per_second(parameters.rate),
            flows: (0..parameters.flows).map(flow).collect(),
            initial_alpha: parameters.initial_alpha.as_f64(),
            initial_queue: packets.in_bytes(parameters.initial_queue),
            minimum: packets.in_bytes(parameters.minimum),
            maximum: packets.in_bytes(parameters.maximum),
            probability: parameters.probability,
            delay: parameters.delay.as_seconds(),
            cnp_interval: parameters.cnp_interval.as_seconds(),
            alpha_period: parameters.alpha_period.as_seconds(),
            gain: parameters.gain.as_f64(),
            timer: parameters.timer.as_seconds(),
            byte_counter: counts_bytes.then(|| packets.in_bytes(parameters.byte_counter)),
            fast_recovery: f64::from(parameters.fast_recovery),
            additive_increase: packets.per_second(parameters.additive_increase),
            packets,
        }
    }

    /// Probability that a packet is marked at this queue (equation 5).
    fn marked(&self, queue: f64) -> f64 {
        if queue <= self.minimum {
            0.0
        } else if queue <= self.maximum {
            self.probability * (queue - self.minimum) / (self.maximum - self.minimum)
        } else {
            1.0
        }
    }

    fn marks(&self, probability: f64) -> Marks {
        let hazard = -libm::log1p(-probability);
        let chances = |packets: f64| cycle(probability, hazard, packets, 1.0 / packets, self.fast_recovery);
        Marks { probability, hazard, bytes: self.byte_counter.map_or((0.0, 0.0), chances) }
    }

    /// Returns the effect of marks on a flow at a rate (the terms a to e of equations 7 to 9, each with its factor).
    fn feedback(&self, marks: &Marks, rate: f64) -> Feedback {
        let Marks { probability, hazard, bytes } = *marks;
        let at_least_one = |seconds: f64| {
            // Nothing sent, nothing marked, even where all is marked and its hazard without end.
            if rate > 0.0 { -libm::expm1(-seconds * rate * hazard) } else { 0.0 }
        };
        let by_timer = cycle(probability, hazard, self.timer * rate, 1.0 / self.timer, self.fast_recovery);
        Feedback {
            alpha: at_least_one(self.alpha_period),
            cnps: at_least_one(self.cnp_interval) / self.cnp_interval,
            increases: rate * bytes.0 + by_timer.0,
            additive: rate * bytes.1 + by_timer.1,
        }
    }

    /// Rate of a flow, 0 before it starts.
    fn rate(&self, flow: usize, seconds: f64, state: &[f64]) -> f64 {
        if seconds < self.flows[flow].start { 0.0 } else { state[1 + FLOW * flow] }
    }
}

/// Returns the entry of a list for a flow: its own, or the last.
fn of_turn<T: Copy>(list: &[T], number: usize) -> Option<T> {
    list.get(number).or(list.last()).copied()
}

/// Returns how many cycles of `packets` packets end without a mark, and how many of these begin after `fast_recovery`
/// others.
///
/// A mark ends a cycle early. The unit is one in which there are `each` cycles without marks (the terms b and c, or d
/// and e).
fn cycle(probability: f64, hazard: f64, packets: f64, each: f64, fast_recovery: f64) -> (f64, f64) {
    if probability == 0.0 {
        return (each, each);
    }
    if probability >= 1.0 {
        return (0.0, 0.0);
    }
    let length = packets * hazard;
    let shortened = if length > 0.0 { length / libm::expm1(length) } else { 1.0 };
    let all = each * probability / hazard * shortened;
    (all, all * libm::exp(-fast_recovery * length))
}

impl Model for Dcqcn {
    fn width(&self) -> usize {
        1 + FLOW * self.flows.len()
    }

    fn echo_width(&self) -> usize {
        FEEDBACK * self.flows.len()
    }

    fn delay(&self) -> f64 {
        self.delay
    }

    fn begin(&self, state: &mut [f64]) {
        state[0] = self.initial_queue;
        for (numbers, flow) in state[1..].chunks_exact_mut(FLOW).zip(&self.flows) {
            numbers.copy_from_slice(&[flow.initial_rate, flow.initial_rate, self.initial_alpha]);
        }
    }

    fn echo(&self, seconds: f64, state: &[f64], echo: &mut [f64]) {
        let marks = self.marks(self.marked(state[0]));
        for (flow, echo) in echo.chunks_exact_mut(FEEDBACK).enumerate() {
            self.feedback(&marks, self.rate(flow, seconds, state)).write(echo);
        }
    }

    fn slope(&self, seconds: f64, state: &[f64], echo: &[f64], slope: &mut [f64]) {
        let mut arriving = 0.0;
        let numbers = state[1..].chunks_exact(FLOW).zip(slope[1..].chunks_exact_mut(FLOW));
        let echoes = echo.chunks_exact(FEEDBACK);
        for ((flow, echo), (numbers, slopes)) in self.flows.iter().zip(echoes).zip(numbers) {
            if seconds < flow.start {
                slopes.fill(0.0);
                continue;
            }
            let (rate, above_rate, alpha) = (numbers[0], numbers[1] - numbers[0], numbers[2]);
            let feedback = Feedback::read(echo);
            arriving += rate;
            // Equation 9: R_C' = (R_T - R_C) R_C (b + d) / 2 - R_C alpha a / (2 tau).
            slopes[0] = above_rate * feedback.increases / 2.0 - rate * alpha * feedback.cnps / 2.0;
            // Equation 8: R_T' = R_AI R_C (c + e) - (R_T - R_C) a / tau.
            slopes[1] = self.additive_increase * feedback.additive - above_rate * feedback.cnps;
            // Equation 7: alpha' = g / tau' (1 - (1 - p)^(tau' R_C) - alpha).
            slopes[2] = self.gain / self.alpha_period * (feedback.alpha - alpha);
        }
        // Equation 6: q' = sum of R_C - C.
        slope[0] = arriving - self.capacity;
    }

    fn confine(&self, state: &mut [f64]) {
        state[0] = state[0].max(0.0);
        for flow in state[1..].chunks_exact_mut(FLOW) {
            flow[0] = flow[0].min(self.capacity);
            flow[1] = flow[1].min(self.capacity);
        }
    }
}

impl Observed for Dcqcn {
    fn series(&self) -> Vec<Series> {
        let of_flow = |flow| {
            ["rate", "target_rate", "alpha"].map(|quantity| Series {
                quantity,
                flow: Some(flow),
                values: Vec::new(),
            })
        };
        let queue = Series { quantity: "queue", flow: None, values: Vec::new() };
        std::iter::once(queue).chain((0u32..).take(self.flows.len()).flat_map(of_flow)).collect()
    }

    fn record(&self, seconds: f64, state: &[f64], series: &mut [Series]) {
        series[0].values.push(state[0] * self.packets.bytes);
        for (flow, series) in series[1..].chunks_exact_mut(FLOW).enumerate() {
            let numbers = &state[1 + FLOW * flow..][..FLOW];
            series[0].values.push(self.rate(flow, seconds, state) * self.packets.bits());
            series[1].values.push(numbers[1] * self.packets.bits());
            series[2].values.push(numbers[2]);
        }
    }
}

impl Parameters {
    /// Finds the fixed point of equal flows, where the slopes of equations 6 to 9 are zero.
    ///
    /// Returns none where it has target rates above the link's, which no flow has. One flow alone never fills a queue.
    pub fn fixed_point(&self) -> Option<FixedPoint> {
        let model = Dcqcn::new(self);
        let rate = model.capacity / f64::from(self.flows);
        let feedback = |probability| model.feedback(&model.marks(probability), rate);
        let above_rate = |feedback: &Feedback| model.additive_increase * feedback.additive / feedback.cnps;
        // Cuts weigh more than increases the more is marked: what is left of their difference changes sign once.
        let too_many = |probability| {
            let feedback = feedback(probability);
            rate * feedback.alpha * feedback.cnps > above_rate(&feedback) * feedback.increases
        };
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        while low.max(f64::MIN_POSITIVE) * (1.0 + 4.0 * f64::EPSILON) < high {
            let middle = f64::midpoint(low, high);
            *(if too_many(middle) { &mut high } else { &mut low }) = middle;
        }
        let feedback = feedback(high);
        let ramp = (model.maximum - model.minimum) / model.probability;
        let queue = if high <= model.probability { model.minimum + high * ramp } else { model.maximum };
        let above_rate = above_rate(&feedback);
        (rate + above_rate <= model.capacity).then(|| FixedPoint {
            probability: high,
            queue: queue * model.packets.bytes,
            above_rate: above_rate * model.packets.bits(),
            alpha: feedback.alpha,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_flows(flows: u32) -> Parameters {
        Parameters { flows, ..Parameters::default() }
    }

    /// Computed by a script from equations 5 to 9, with the parameters as deployed.
    #[test]
    fn fixed_points_are_those_of_the_equations() {
        for (flows, probability, queue_kb) in
            [(2, 0.000_78, 20.15), (4, 0.001_89, 41.81), (8, 0.004_55, 93.77), (10, 0.006_03, 122.62)]
        {
            let found = with_flows(flows).fixed_point().unwrap();
            assert!((found.probability - probability).abs() < 5e-6, "{flows}: {found:?}");
            assert!((found.queue / 1000.0 - queue_kb).abs() < 0.005, "{flows}: {found:?}");
        }
        let two = with_flows(2).fixed_point().unwrap();
        assert!((two.above_rate / 1e9 - 0.218).abs() < 5e-4, "{two:?}");
        assert!((two.alpha - 0.1014).abs() < 5e-5, "{two:?}");
        let sixteen = with_flows(16).fixed_point().unwrap();
        assert!((sixteen.probability - 0.010_87).abs() < 5e-6, "{sixteen:?}");
        assert!((sixteen.queue - 200_000.0).abs() < 1e-6, "no length below has that probability");
    }

    #[test]
    fn a_flow_alone_has_no_fixed_point() {
        assert!(with_flows(1).fixed_point().is_none());
    }

    /// The terms as printed, where nothing is marked, everything, and in between.
    #[test]
    fn feedback_is_that_of_the_printed_terms() {
        let model = Dcqcn::new(&Parameters::default());
        let rate = 2.5e6;
        let none = model.feedback(&model.marks(0.0), rate);
        assert_eq!((none.alpha, none.cnps), (0.0, 0.0));
        let each = rate / 10_000.0 + 1.0 / 55e-6;
        assert!((none.increases - each).abs() < 1e-6 && (none.additive - each).abs() < 1e-6);
        let all = model.feedback(&model.marks(1.0), rate);
        assert_eq!((all.alpha, all.increases, all.additive), (1.0, 0.0, 0.0));
        assert!((all.cnps - 1.0 / 50e-6).abs() < 1e-6);

        let marked: f64 = 0.001;
        let kept = 1.0 - marked;
        let some = model.feedback(&model.marks(marked), rate);
        let cycles = |packets: f64| {
            let all = marked / (kept.powf(-packets) - 1.0);
            (all, all * kept.powf(5.0 * packets))
        };
        let ((b, c), (d, e)) = (cycles(10_000.0), cycles(55e-6 * rate));
        for (found, printed) in [
            (some.alpha, 1.0 - kept.powf(55e-6 * rate)),
            (some.cnps, (1.0 - kept.powf(50e-6 * rate)) / 50e-6),
            (some.increases, rate * (b + d)),
            (some.additive, rate * (c + e)),
        ] {
            assert!((found / printed - 1.0).abs() < 1e-9, "{found} {printed}");
        }
    }

    /// At the fixed point nothing moves.
    #[test]
    fn equal_flows_at_the_fixed_point_stay_there() {
        let still = with_flows(2).fixed_point().unwrap();
        let model = Dcqcn::new(&Parameters::default());
        let rate = model.capacity / 2.0;
        let flow = [rate, rate + still.above_rate / model.packets.bits(), still.alpha];
        let state: Vec<f64> =
            std::iter::once(still.queue / 1000.0).chain(flow.into_iter().cycle().take(6)).collect();
        let (mut echo, mut slope) = (vec![0.0; 8], vec![0.0; 7]);
        model.echo(1.0, &state, &mut echo);
        model.slope(1.0, &state, &echo, &mut slope);
        for (slope, number) in slope.iter().zip(&state) {
            assert!(slope.abs() < 1e-6 * number, "{slope} {number}");
        }
    }
}

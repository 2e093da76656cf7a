//! DCTCP as a fluid: equal windows share one queue that marks every packet above a threshold, and marks are felt a
//! round trip later (Alizadeh, Javanmard and Prabhakar, SIGMETRICS 2011, equations 1 to 3).
//! The state is a window, alpha and the queue. It has no fixed point but a cycle: the queue swings about its threshold.

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
    #[schemars(extend("minimum" = 1))]
    pub flows: u32,
    /// Size of a packet, the unit in which the equations count.
    #[schemars(extend("x-at-least" = "1B"))]
    pub packet: Bytes,
    /// Round trip while the queue is empty [d].
    #[schemars(extend("x-at-least-key" = "step"))]
    pub round_trip: Span,
    /// Bytes in the queue above which every packet is marked [K].
    pub threshold: Bytes,
    /// Weight of the newest window in alpha, above 0 and at most 1 [g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Alpha at the start, 0 to 1, at which time windows just fill the path.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Ratio,
    /// Time span and step of the integration.
    #[serde(flatten)]
    pub integration: Integration,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rate: Rate::from_gbps(10),
            flows: 2,
            packet: Bytes::new(1500),
            round_trip: Span::from_microseconds(100),
            threshold: Bytes::new(60_000),
            gain: Ratio::new(1, 16),
            initial_alpha: Ratio::new(1, 1),
            integration: Integration::default(),
        }
    }
}

/// Model in packets and seconds.
pub(super) struct Dctcp {
    packets: Packets,
    /// Rate of the link [C].
    capacity: f64,
    flows: f64,
    round_trip: f64,
    threshold: f64,
    gain: f64,
    initial_alpha: f64,
}

impl Dctcp {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let packets = Packets::of(parameters.packet);
        Self {
            capacity: packets.per_second(parameters.rate),
            flows: f64::from(parameters.flows),
            round_trip: parameters.round_trip.as_seconds(),
            threshold: packets.in_bytes(parameters.threshold),
            gain: parameters.gain.as_f64(),
            initial_alpha: parameters.initial_alpha.as_f64(),
            packets,
        }
    }
}

/// Model whose state is the window of each flow [W], alpha and the queue [q], in this order.
impl Model for Dctcp {
    fn width(&self) -> usize {
        3
    }

    fn echo_width(&self) -> usize {
        1
    }

    /// Round trip with the queue at its threshold, in seconds [R*].
    fn delay(&self) -> f64 {
        self.round_trip + self.threshold / self.capacity
    }

    fn begin(&self, state: &mut [f64]) {
        state.copy_from_slice(&[self.capacity * self.round_trip / self.flows, self.initial_alpha, 0.0]);
    }

    /// Writes 1 if packets are marked at this queue, and 0 if not [p].
    fn echo(&self, _seconds: f64, state: &[f64], echo: &mut [f64]) {
        echo[0] = f64::from(u8::from(state[2] > self.threshold));
    }

    fn slope(&self, _seconds: f64, state: &[f64], echo: &[f64], slope: &mut [f64]) {
        let (window, alpha, queue, marked) = (state[0], state[1], state[2], echo[0]);
        let round_trips = 1.0 / (self.round_trip + queue / self.capacity);
        // Equation 1: W' = 1 / R - W alpha / (2 R) p.
        slope[0] = round_trips * (1.0 - window * alpha / 2.0 * marked);
        // Equation 2: alpha' = g / R (p - alpha).
        slope[1] = self.gain * round_trips * (marked - alpha);
        // Equation 3: q' = N W / R - C.
        slope[2] = self.flows * window * round_trips - self.capacity;
    }

    fn confine(&self, state: &mut [f64]) {
        state[2] = state[2].max(0.0);
    }
}

impl Observed for Dctcp {
    fn series(&self) -> Vec<Series> {
        let quantities = ["window", "alpha", "queue"];
        quantities.map(|quantity| Series { quantity, flow: None, values: Vec::new() }).into()
    }

    fn record(&self, _seconds: f64, state: &[f64], series: &mut [Series]) {
        let numbers = [state[0] * self.packets.bytes, state[1], state[2] * self.packets.bytes];
        for (series, number) in series.iter_mut().zip(numbers) {
            series.values.push(number);
        }
    }
}

//! Oversubscribed headroom: one pool for all queues, smaller than they may need together.
//! As in SONiC's shared headroom pool and in Azure (NSDI 2023). The pool can run out, and then lossless packets are
//! dropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::at_ports::{self, PortHeadroom, sizes};
use super::per_queue::PerQueue;
use super::{HeadroomScheme, Held, Link, Refusal};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Ratio};

/// Settings of oversubscribed headroom.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes that one lossless class of a port may need [Phi]. Left out, by formula for its link.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// At ports of these numbers, over `size`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_ports: Vec<PortHeadroom>,
    /// Share of the bytes that all queues may need that is set aside, above 0 and at most 1.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub ratio: Ratio,
    /// Headroom that is smaller by `ratio`.
    #[serde(default)]
    pub of: OversubscriptionOf,
}

/// Headroom that is oversubscribed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OversubscriptionOf {
    /// The pool that all queues share; each may take as much of it as it may need.
    #[default]
    Pool,
    /// The headroom of each queue, which it does not share.
    Queue,
}

/// Headroom of each port's classes, and their pool.
#[derive(Clone, Debug)]
pub struct Oversubscribed {
    queues: PerQueue,
    pool: Bytes,
}

impl Oversubscribed {
    /// Headroom for the ports of `links`.
    ///
    /// # Errors
    ///
    /// Ports that are not there, or named twice.
    pub fn new(parameters: &Parameters, links: &[Link], classes: u64) -> Result<Self, Refusal> {
        let mut sizes = sizes(parameters.size, &parameters.at_ports, links)?;
        if parameters.of == OversubscriptionOf::Queue {
            for size in &mut sizes {
                *size = parameters.ratio.of(*size);
            }
        }
        let queues = PerQueue { sizes, classes };
        let pool = match parameters.of {
            OversubscriptionOf::Pool => parameters.ratio.of(queues.all()),
            OversubscriptionOf::Queue => queues.all(),
        };
        Ok(Self { queues, pool })
    }
}

impl HeadroomScheme for Oversubscribed {
    type Parameters = Parameters;

    fn with_size_at(mut parameters: Parameters, ports: Vec<u32>, size: Bytes) -> Option<Parameters> {
        at_ports::add(&mut parameters.at_ports, ports, size);
        Some(parameters)
    }

    fn set_aside(&self) -> Bytes {
        self.pool
    }

    /// Bytes that all other queues leave of the pool.
    fn kept(&self, port: usize) -> Bytes {
        let own = self.queues.sizes[port];
        own.min(self.pool.saturating_sub(self.queues.all() - own))
    }

    /// Headroom of the queue itself, or of the whole pool where less of the pool is free.
    fn room(&self, port: usize, held: &Held) -> Room {
        let (own, pool) = (self.queues.room(port, held.queue), Room { held: held.all, limit: self.pool });
        if own.free() < pool.free() { own } else { pool }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::tomahawk;
    use super::*;

    #[test]
    fn a_queue_takes_what_it_needs_until_the_pool_is_empty() {
        let scheme = tomahawk("scheme = 'oversubscribed'\nsize = '60000B'\nratio = 0.8");
        let fits = |queue, all| {
            let held = Held { queue: Bytes::new(queue), port: Bytes::ZERO, all: Bytes::new(all) };
            scheme.room(0, &held).fits(Bytes::new(1000))
        };
        assert!(fits(59_000, 10_751_000) && !fits(59_001, 0) && !fits(0, 10_751_001));
    }
}

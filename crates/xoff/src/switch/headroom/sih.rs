//! Static and independent headroom (SIH): for every lossless class of a port as much as its link may need, used or not
//! (DSH, section 3.1, equation 3).
//! Switches of today do this.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::at_ports::{self, PortHeadroom, sizes};
use super::per_queue::PerQueue;
use super::{HeadroomScheme, Held, Link, Refusal};
use crate::kernel::room::Room;
use crate::kernel::units::Bytes;

/// Settings of SIH.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Bytes for packets that arrive after a pause, for each lossless class of each port [Phi]. Left out, by formula
    /// for its link.
    pub size: Option<Bytes>,
    /// At ports of these numbers, over `size`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_ports: Vec<PortHeadroom>,
}

/// Headroom of each port's classes.
#[derive(Clone, Debug)]
pub struct Sih(PerQueue);

impl Sih {
    /// Headroom for the ports of `links`.
    ///
    /// # Errors
    ///
    /// Ports that are not there, or named twice.
    pub fn new(parameters: &Parameters, links: &[Link], classes: u64) -> Result<Self, Refusal> {
        let sizes = sizes(parameters.size, &parameters.at_ports, links)?;
        Ok(Self(PerQueue { sizes, classes }))
    }
}

impl HeadroomScheme for Sih {
    type Parameters = Parameters;

    fn with_size_at(mut parameters: Parameters, ports: Vec<u32>, size: Bytes) -> Option<Parameters> {
        at_ports::add(&mut parameters.at_ports, ports, size);
        Some(parameters)
    }

    fn set_aside(&self) -> Bytes {
        self.0.all()
    }

    fn kept(&self, port: usize) -> Bytes {
        self.0.sizes[port]
    }

    fn room(&self, port: usize, held: &Held) -> Room {
        self.0.room(port, held.queue)
    }
}

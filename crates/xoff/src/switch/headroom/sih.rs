//! Static and independent headroom (SIH): the same for every lossless class of every port, whether it is used or not
//! (DSH, section 3.1, equation 3). What switches do today.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::per_queue::PerQueue;
use super::{HeadroomScheme, Held, Link, Refusal, sizes};
use crate::kernel::units::Bytes;

/// What can be set of SIH.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Bytes for what comes after a pause, for each lossless class of each port [Phi]. Left out, by formula for its link.
    pub size: Option<Bytes>,
}

/// Headroom of each port's classes.
#[derive(Clone, Debug)]
pub struct Sih(PerQueue);

impl Sih {
    /// Headroom for these links.
    ///
    /// # Errors
    ///
    /// None.
    pub fn new(parameters: &Parameters, links: &[Link], classes: u64) -> Result<Self, Refusal> {
        Ok(Self(PerQueue { sizes: sizes(parameters.size, links), classes }))
    }
}

impl HeadroomScheme for Sih {
    type Parameters = Parameters;

    fn set_aside(&self) -> Bytes {
        self.0.all()
    }

    fn kept(&self, port: usize) -> Bytes {
        self.0.sizes[port]
    }

    fn fits(&self, port: usize, held: &Held, frame: Bytes) -> bool {
        self.0.fits(port, held.queue, frame)
    }
}

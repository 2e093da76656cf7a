//! Markers from outside of this crate, as trait objects.

use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Level, Marker, Place, Signal, Unfit, When};
use crate::kernel::rng::Rng;
use crate::tagged::outside::{Family, Scheme};

/// Marker from outside with its settings, before it is on any place.
pub trait Foreign: Send + Sync {
    /// Moment at which the marker wants to be asked.
    fn when(&self) -> When;
    /// Starts one marker for all of `places`.
    fn start(&self, places: &[Place]) -> Result<Box<dyn ForeignMarker>, Unfit>;
}

/// Marker from outside on its places. Every [`Marker`] that can be copied is one.
pub trait ForeignMarker: Marker + Debug + Send {
    /// Returns a copy of the marker, which goes on by itself.
    fn copied(&self) -> Box<dyn ForeignMarker>;
}

impl<T: Marker + Clone + Debug + Send + 'static> ForeignMarker for T {
    fn copied(&self) -> Box<dyn ForeignMarker> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn ForeignMarker> {
    fn clone(&self) -> Self {
        self.as_ref().copied()
    }
}

/// Settings of a marker.
struct Started<T: Marker> {
    parameters: T::Parameters,
}

impl<T: Marker + Clone + Debug + Send + 'static> Foreign for Started<T>
where
    T::Parameters: Send + Sync,
{
    fn when(&self) -> When {
        T::when(&self.parameters)
    }
    fn start(&self, places: &[Place]) -> Result<Box<dyn ForeignMarker>, Unfit> {
        Ok(Box::new(T::new(&self.parameters, places)?))
    }
}

/// Marker of a scheme that nobody has looked for, in a scenario that is not run.
#[derive(Clone, Debug)]
pub(super) struct Unknown;

impl Marker for Unknown {
    type Parameters = ();
    fn when((): &()) -> When {
        When::Enqueue
    }
    fn new((): &(), _places: &[Place]) -> Result<Self, Unfit> {
        Ok(Self)
    }
    fn signal(&mut self, _place: usize, _level: &Level, _rng: &mut Rng) -> Signal {
        Signal::None
    }
}

/// Returns a marker as a scheme for [`Schemes`](crate::schemes::Schemes).
pub fn scheme<T>(name: &str) -> Scheme
where
    T: Marker + Clone + Debug + Send + 'static,
    T::Parameters: DeserializeOwned + Serialize + JsonSchema + Send + Sync,
{
    Scheme::of::<T::Parameters, dyn Foreign>(Family::Marking, name, |parameters| {
        Arc::new(Started::<T> { parameters })
    })
}

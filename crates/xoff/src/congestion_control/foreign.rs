//! Congestion controls from outside of this crate, as trait objects.

use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{CongestionControl, Flow, Granting, Needs};
use crate::tagged::outside::{Family, Scheme};

/// Congestion control from outside with its settings, from which the state of each flow is made.
pub trait Foreign: Send + Sync {
    /// Returns the signals that the algorithm reacts to.
    fn needs(&self) -> Needs;
    /// Returns the rule by which receivers give credit, for an algorithm that needs it.
    fn granting(&self) -> Option<Granting> {
        None
    }
    /// Makes the state of one flow.
    fn start(&self, flow: &Flow) -> Box<dyn ForeignFlow>;
}

/// State of one flow under a congestion control from outside. Every [`CongestionControl`] that can be copied is one.
pub trait ForeignFlow: CongestionControl + Debug + Send {
    /// Returns a copy of the state, which goes on by itself.
    fn copied(&self) -> Box<dyn ForeignFlow>;
}

impl<T: CongestionControl + Clone + Debug + Send + 'static> ForeignFlow for T {
    fn copied(&self) -> Box<dyn ForeignFlow> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn ForeignFlow> {
    fn clone(&self) -> Self {
        self.as_ref().copied()
    }
}

/// Settings of a congestion control, with what makes the state of a flow.
struct Started<T: CongestionControl, New> {
    parameters: T::Parameters,
    new: Arc<New>,
}

impl<T, New> Foreign for Started<T, New>
where
    T: CongestionControl + Clone + Debug + Send + 'static,
    T::Parameters: Send + Sync,
    New: Fn(&T::Parameters, &Flow) -> T + Send + Sync,
{
    fn needs(&self) -> Needs {
        T::needs(&self.parameters)
    }
    fn granting(&self) -> Option<Granting> {
        T::granting(&self.parameters)
    }
    fn start(&self, flow: &Flow) -> Box<dyn ForeignFlow> {
        Box::new((self.new)(&self.parameters, flow))
    }
}

/// Returns a congestion control as a scheme for [`Schemes`](crate::schemes::Schemes), with the function that makes the
/// state of a flow.
pub fn scheme<T, New>(name: &str, new: New) -> Scheme
where
    T: CongestionControl + Clone + Debug + Send + 'static,
    T::Parameters: DeserializeOwned + Serialize + JsonSchema + Send + Sync,
    New: Fn(&T::Parameters, &Flow) -> T + Send + Sync + 'static,
{
    let new = Arc::new(new);
    Scheme::of::<T::Parameters, dyn Foreign>(Family::CongestionControl, name, move |parameters| {
        Arc::new(Started::<T, New> { parameters, new: Arc::clone(&new) })
    })
}

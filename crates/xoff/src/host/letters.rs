//! Letters between the adapters of one host that has one inside its server besides the one into the fabric.
//!
//! Applications live with the adapter into the fabric. The one inside begins flows for them, and says which have come
//! and which are done. The worker that runs both delivers letters as soon as they are written, at the same instant.

use super::{FlowStart, Host};
use crate::agenda::{Agenda, Context, Fabric};
use crate::application::Arrival;
use crate::observer::Observer;
use crate::topology::NodeId;

/// A letter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Letter {
    /// To the adapter inside: a flow to begin.
    Begin(FlowStart),
    /// To the applications: a flow to this host is whole, of this class.
    Whole { arrival: Arrival, priority: u8 },
    /// To the applications: a flow from this host is done.
    Sent(Arrival),
}

/// Whether `host` is the adapter of a host inside its server.
pub(super) fn is_inside_server(host: NodeId, fabric: &Fabric) -> bool {
    fabric.servers.is_some_and(|servers| servers.is_inside(host))
}

impl Host {
    /// Whether the other adapter of the same host is to hear of anything.
    #[inline]
    pub fn has_letters(&self) -> bool {
        !self.applications.letters.is_empty()
    }

    /// Hears what the `other` adapter of the same host has written, which may write back at once.
    pub fn read_letters(&mut self, other: &mut Self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        for letter in std::mem::take(&mut other.applications.letters) {
            match letter {
                Letter::Begin(start) => self.start_flow(start, context),
                Letter::Whole { arrival, priority } => {
                    self.applications.on_whole(arrival, priority, self.id, &mut self.pending, context);
                }
                Letter::Sent(arrival) => {
                    self.applications.on_sent(arrival, self.id, &mut self.pending, context);
                }
            }
        }
    }
}

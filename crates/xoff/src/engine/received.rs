//! Bytes received by an instant, at which the measured time begins or ends.

use crate::host::Host;
use crate::kernel::units::Bytes;
use crate::topology::NodeId;

/// Bytes that hosts have received so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Payload of all flows, each byte once.
    pub payload: Bytes,
    /// Bytes of each flow that has begun to arrive and is not complete, sorted by (source, number at the source).
    arriving: Vec<(NodeId, u32, Bytes)>,
}

impl Received {
    /// Returns the bytes that the given hosts have received.
    pub fn by(hosts: &[Host]) -> Self {
        let mut arriving: Vec<_> = hosts.iter().flat_map(Host::arriving).collect();
        arriving.sort_unstable();
        Self { payload: hosts.iter().map(|host| host.counters.goodput()).sum(), arriving }
    }

    /// Adds the bytes of each arriving flow that `skipped` says, by source and number there.
    pub(super) fn add(&mut self, skipped: impl Fn(NodeId, u32) -> Bytes) {
        for (source, number, bytes) in &mut self.arriving {
            *bytes += skipped(*source, *number);
        }
    }

    /// Joins the bytes received by the hosts of all threads.
    pub(super) fn merge(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.payload += part.payload;
            all.arriving.extend(part.arriving);
        }
        all.arriving.sort_unstable();
        all
    }

    /// Returns the bytes received of a flow that has arrived in part; nothing if no byte has come, or every byte.
    pub fn of(&self, source: NodeId, number: u32) -> Option<Bytes> {
        let place =
            self.arriving.binary_search_by_key(&(source, number), |&(source, number, _)| (source, number));
        Some(self.arriving[place.ok()?].2)
    }
}

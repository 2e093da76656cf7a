//! Prefetching ahead of the running cluster.
//!
//! On a network larger than the caches, all that a cluster touches has left them since the cluster ran last. What it
//! touches hangs together: a lane says where its first packet is, and that packet says of which flow it is. A prefetch
//! that has to read such a word first would itself wait for memory. So the engine prefetches in four steps, each one
//! cluster nearer, and each step reads only what the step before it has brought.

use super::windows::Window;
use super::{Content, LocalCluster, Worker};
use crate::engine::counts::Counting;
use crate::switch::Switch;
use crate::switch::shared_memory::{LinedUp, SharedMemory};

/// Fewest lanes of a thread for which the engine prefetches ahead. The caches hold what belongs to fewer, about 2 kB a
/// lane. Debug builds, which tests run, prefetch ahead on small networks too.
pub(super) const MANY_LANES: usize = if cfg!(debug_assertions) { 8 } else { 512 };

impl<O: Counting> Worker<O> {
    /// Returns the first cluster from `from` on that has something to do in a window; without one, the end of the
    /// window's clusters.
    pub(super) fn next_due(&self, from: usize, window: &Window) -> usize {
        let is_due = |&cluster: &usize| self.wheel.is_due(cluster, window.horizon(&self.clusters[cluster]));
        (from..window.clusters.end).find(is_due).unwrap_or(window.clusters.end)
    }

    /// Prefetches for the cluster that runs now, and for the three that run behind it, in this order.
    // A cluster that is not of this window costs a few lines of cache.
    #[inline(never)]
    pub(super) fn prefetch_ahead(&self, [now, nearest, second, third]: [usize; 4]) {
        if let Some(local) = self.clusters.get(third) {
            self.wheel.prefetch_cluster(third, local.lanes());
            if let Content::Host(place) = local.content {
                self.hosts[place as usize].prefetch();
            }
        }
        if let Some(local) = self.clusters.get(second) {
            self.wheel.prefetch_first_two(local.lanes());
            if let Content::Host(place) = local.content {
                self.hosts[place as usize].prefetch_indices();
            } else if let Some(switch) = self.lined_up(local) {
                switch.prefetch_ports();
            }
        }
        if let Some(local) = self.clusters.get(nearest) {
            if let Content::Host(place) = local.content {
                if let Some(packet) = self.wheel.front(local.lanes.0) {
                    self.hosts[place as usize].prefetch_flow(packet);
                }
            } else if let Some(switch) = self.lined_up(local) {
                switch.prefetch_queues();
                switch.lanes().for_each(|lane| self.wheel.prefetch_lane(lane));
            }
        }
        if let Some(switch) = self.lined_up(&self.clusters[now]) {
            switch.lanes().for_each(|lane| self.wheel.prefetch_next_slot(lane));
        }
    }

    fn lined_up(&self, local: &LocalCluster) -> Option<&LinedUp> {
        let Content::OnlyArrivals(place) = local.content else { return None };
        match &self.switches[place as usize] {
            Switch::SharedMemory(SharedMemory::LinedUp(switch)) => Some(switch),
            _ => None,
        }
    }
}

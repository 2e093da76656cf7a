//! What is worth knowing of a switch before it runs: thresholds that were computed, and those that come into play too late.

use std::collections::{BTreeMap, BTreeSet};

use super::SharedMemoryLayout;
use crate::kernel::units::Bytes;
use crate::plan::bcc;
use crate::switch::marking::{AnyMarker, Range};
use crate::switch::mmu::Pool;

impl SharedMemoryLayout {
    /// One line for each thing worth knowing of any of its pools.
    pub fn notes(&self) -> BTreeSet<String> {
        self.pools.iter().flat_map(|pool| self.notes_of_pool(pool)).collect()
    }

    fn notes_of_pool(&self, pool: &Pool) -> impl Iterator<Item = String> {
        let thresholds = self.marks.pool_range(pool.ports[0]);
        let mut ports_by_threshold: BTreeMap<Bytes, u64> = BTreeMap::new();
        for threshold in pool.ports.iter().filter_map(|port| self.marks.least_port_threshold(*port)) {
            *ports_by_threshold.entry(threshold).or_default() += 1;
        }
        let computed = thresholds.filter(|_| matches!(self.marks.pools.marker, Some(AnyMarker::Bcc(_))));
        let computed = computed.map(|range| {
            let (minimum, maximum) = (range.none_up_to.get(), range.all_above.get());
            format!("bcc computes minimum = {minimum}B and maximum = {maximum}B")
        });
        let of_ports = ports_by_threshold
            .into_iter()
            .flat_map(move |(port, ports)| [too_early(thresholds, port), self.too_late(pool, port, ports)]);
        computed.into_iter().chain(of_ports.flatten())
    }

    /// What is dropped before so many ports of a pool reach their threshold.
    fn too_late(&self, pool: &Pool, threshold: Bytes, ports: u64) -> Option<String> {
        let reserved = self.reserve.size();
        let busy =
            bcc::drops_before_marking_from(pool.shared, self.least_alpha?, reserved, threshold, ports)?;
        Some(format!(
            "with {busy} busy ports, packets are dropped before their threshold of {threshold} marks any"
        ))
    }
}

/// What a pool marks before one of its ports does.
fn too_early(of_pool: Option<Range>, of_port: Bytes) -> Option<String> {
    let Range { none_up_to, .. } = of_pool.filter(|range| range.none_up_to < of_port)?;
    Some(format!(
        "a single busy port is marked by its pool, above {none_up_to}, before its own threshold of {of_port}"
    ))
}

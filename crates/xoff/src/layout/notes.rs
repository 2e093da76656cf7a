//! What is worth knowing of a switch before it runs: thresholds that were computed, and those that come into play too late.

use std::collections::BTreeSet;

use super::SharedMemoryLayout;
use crate::plan::bcc;
use crate::switch::marking::AnyMarker;
use crate::switch::mmu::Pool;

impl SharedMemoryLayout {
    /// One line for each thing worth knowing of any of its pools.
    pub fn notes(&self) -> BTreeSet<String> {
        self.pools.iter().flat_map(|pool| self.notes_of_pool(pool)).collect()
    }

    fn notes_of_pool(&self, pool: &Pool) -> impl Iterator<Item = String> + use<> {
        let thresholds = self.marks.pool_range(pool.ports[0]);
        let port_threshold = self.marks.least_port_threshold();
        let computed = thresholds.filter(|_| matches!(self.marks.pools.marker, Some(AnyMarker::Bcc(_))));
        let computed = computed.map(|range| {
            let (minimum, maximum) = (range.none_up_to.get(), range.all_above.get());
            format!("bcc computes minimum = {minimum}B and maximum = {maximum}B")
        });
        let too_early = thresholds.zip(port_threshold).filter(|(range, port)| range.none_up_to < *port);
        let too_early = too_early.map(|(range, port)| {
            format!(
                "a single busy port is marked by its pool, above {}, before its own threshold of {port}",
                range.none_up_to
            )
        });
        let too_late = port_threshold.and_then(|port| {
            let reserved = self.reserve.size();
            let ports = pool.ports.len() as u64;
            let busy = bcc::drops_before_marking_from(pool.shared, self.least_alpha?, reserved, port, ports)?;
            Some(format!(
                "with {busy} busy ports, packets are dropped before their threshold of {port} marks any"
            ))
        });
        [computed, too_early, too_late].into_iter().flatten()
    }
}

//! Notes for the user about a shared-memory switch: computed thresholds, thresholds that come too late or after a
//! pause, and short headroom.

use std::collections::{BTreeMap, BTreeSet};

use super::lossless::Lossless;
use super::most_held::MostHeld;
use super::pause_first::PauseFirst;
use super::{SharedMemoryLayout, least_alpha};
use crate::classes::Classes;
use crate::kernel::units::Bytes;
use crate::plan::bcc;
use crate::switch::marking::{AnyMarker, Range};
use crate::switch::mmu::Pool;

impl SharedMemoryLayout {
    /// Lists the notes for the user, a line each.
    pub fn notes(&self) -> BTreeSet<String> {
        let of_pools = self.pools.iter().flat_map(|pool| {
            let of_pool = self.marks.pool_range(pool.ports[0]);
            let computed = of_pool.filter(|_| matches!(self.marks.pools.marker, Some(AnyMarker::Bcc(_))));
            let computed = computed.map(|range| {
                let (minimum, maximum) = (range.none_up_to.get(), range.all_above.get());
                format!("bcc computes minimum = {minimum}B and maximum = {maximum}B")
            });
            let of_drops =
                if self.droppable.is_empty() { Vec::new() } else { self.notes_of_drops(pool, of_pool) };
            computed.into_iter().chain(of_drops)
        });
        let of_headroom = self.lossless.iter().flat_map(Lossless::shortfalls);
        let of_mmus = self.shared_by_mmus();
        let of_trimming = self.trims_in_vain();
        let of_chip = self.deep_chip.map(|chip| {
            let off_chip = chip.off_chip.unwrap_or(Bytes::ZERO);
            format!(
                "{} has {off_chip} off the chip besides, for virtual output queues, which are left out; total says another \
                 size",
                chip.name
            )
        });
        of_pools
            .chain(of_chip)
            .chain(of_mmus)
            .chain(of_headroom)
            .chain(self.pauses_before_marks())
            .chain(of_trimming)
            .collect()
    }

    /// Notes packets that are dropped although the switch trims, and headers of trimmed packets that come late or are
    /// dropped.
    fn trims_in_vain(&self) -> Vec<String> {
        let Some(trimming) = &self.trimming else { return Vec::new() };
        let mut notes = Vec::new();
        if self.pushes_out() {
            let policy = self.policy.spelling();
            notes.push(format!(
                "what {policy} pushes out was in memory already, and is dropped and not trimmed"
            ));
        }
        if self.droppable.contains(trimming.priority.into()) {
            let class = trimming.priority;
            notes.push(format!(
                "headers of trimmed packets wait behind the data of class {class}, and have no room where that has none; set \
                 trimming.priority to a class without data"
            ));
        }
        notes
    }

    /// Notes that lossless classes have the memory of several MMUs, although a port of the chip reaches only one.
    fn shared_by_mmus(&self) -> Option<String> {
        let (of_one, _) = (self.of_one_mmu?, self.lossless.as_ref()?);
        Some(format!(
            "lossless classes share the memory of all MMUs, of which a port of the chip reaches one; `total = \"{of_one}\"` \
             instead of `chip` gives them what one has"
        ))
    }

    /// Notes lossless classes whose senders are paused before their queues mark, unless several ports feed one.
    fn pauses_before_marks(&self) -> Vec<String> {
        let ports: BTreeSet<u32> = self.pools.iter().flat_map(|pool| pool.ports.iter().copied()).collect();
        let mut classes_by_order: BTreeMap<PauseFirst, Vec<String>> = BTreeMap::new();
        for class in self.pausable.iter() {
            let thresholds: BTreeSet<Bytes> =
                ports.iter().filter_map(|port| self.marks.queue_threshold(*port, class)).collect();
            for threshold in thresholds {
                let lossless = self.lossless.as_ref().expect("a class is lossless");
                if let Some(order) = PauseFirst::of(lossless.unpaused(class), threshold, ports.len()) {
                    classes_by_order.entry(order).or_default().push(class.to_string());
                }
            }
        }
        classes_by_order.iter().map(|(order, classes)| order.note(&classes.join(", "))).collect()
    }

    fn notes_of_drops(&self, pool: &Pool, of_pool: Option<Range>) -> Vec<String> {
        let mut ports_by_threshold: BTreeMap<(Bytes, Classes), u64> = BTreeMap::new();
        for port in &pool.ports {
            for threshold in self.thresholds(*port) {
                *ports_by_threshold.entry(threshold).or_default() += 1;
            }
        }
        let most = self.most_held(pool);
        let is_reached = |threshold: Bytes| most.is_none_or(|most| threshold < most.port);
        let of_ports = ports_by_threshold.into_iter().flat_map(|((threshold, classes), ports)| {
            let too_late = self.too_late(pool, threshold, classes, ports).filter(|_| is_reached(threshold));
            [too_early(of_pool, threshold), too_late]
        });
        let out_of_reach = most.map(|most| self.out_of_reach(pool, most));
        of_ports.flatten().chain(out_of_reach.into_iter().flatten()).collect()
    }

    /// Returns the lengths of a port above which packets begin to be marked, each with the classes that it marks.
    fn thresholds(&self, port: u32) -> BTreeSet<(Bytes, Classes)> {
        let mut classes_by_threshold: BTreeMap<Bytes, Classes> = BTreeMap::new();
        for class in self.droppable.iter() {
            if let Some(threshold) = self.marks.least_port_threshold(port, class) {
                classes_by_threshold.entry(threshold).or_default().insert(class);
            }
        }
        classes_by_threshold.into_iter().collect()
    }

    /// Returns the most bytes that a queue or port of a pool can hold, if no class is lossless. With lossless classes
    /// it is not known.
    fn most_held(&self, pool: &Pool) -> Option<MostHeld> {
        let held = || MostHeld::of(pool, &self.policy, self.reserve, self.classes);
        self.lossless.is_none().then(held)
    }

    /// Notes that packets of `classes` are dropped before `ports` ports of a pool reach the threshold at which
    /// marking begins.
    fn too_late(&self, pool: &Pool, threshold: Bytes, classes: Classes, ports: u64) -> Option<String> {
        let (alpha, reserved) = (least_alpha(&self.policy, classes)?, self.reserve.size());
        let busy = bcc::drops_before_marking_from(pool.shared, alpha, reserved, threshold, ports)?;
        let with = if busy == 1 { "a single busy port".to_owned() } else { format!("{busy} busy ports") };
        Some(format!("with {with}, packets are dropped before their threshold of {threshold} marks any"))
    }

    /// Notes markers that never mark, or whose probability never reaches its maximum.
    fn out_of_reach(&self, pool: &Pool, most: MostHeld) -> Vec<String> {
        let mut classes_by_note: BTreeMap<String, Classes> = BTreeMap::new();
        for &port in &pool.ports {
            for class in self.droppable.iter() {
                let of_queue = self.marks.queue_reach(port, class);
                if let Some(note) = reached_late(of_queue, "queue", most.queues[class]) {
                    classes_by_note.entry(note).or_default().insert(class);
                }
            }
            if let Some(note) = reached_late(self.marks.port_reach(port), "port", most.port) {
                classes_by_note.insert(note, self.droppable);
            }
        }
        let told = |(note, classes): (String, Classes)| {
            if classes == self.droppable { note } else { of_classes(classes, &note) }
        };
        classes_by_note.into_iter().map(told).collect()
    }
}

/// Prefixes a note with the classes that it is about.
fn of_classes(classes: Classes, note: &str) -> String {
    let numbers: Vec<String> = classes.iter().map(|class| class.to_string()).collect();
    format!("class {}: {note}", numbers.join(", "))
}

/// Notes a queue or port that drops packets before its marker marks all of them. `most` is the most bytes that it
/// holds.
fn reached_late(range: Option<Range>, place: &str, most: Bytes) -> Option<String> {
    let (Range { none_up_to, all_above }, limit) = (range?, most + Bytes::new(1));
    let drops = format!("a {place} drops packets from {limit} on");
    if none_up_to + Bytes::new(1) >= limit {
        return Some(format!("{drops}, and marks only above {none_up_to}: never"));
    }
    (all_above >= limit).then(|| format!("{drops}, and marks every packet only above {all_above}"))
}

/// Notes a pool whose marker marks packets of a port before the port's own marker does.
fn too_early(of_pool: Option<Range>, of_port: Bytes) -> Option<String> {
    let Range { none_up_to, .. } = of_pool.filter(|range| range.none_up_to < of_port)?;
    Some(format!(
        "a single busy port is marked by its pool, above {none_up_to}, before its own threshold of {of_port}"
    ))
}

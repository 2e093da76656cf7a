//! Markers of a shared-memory switch, started from its settings.

use super::Subject;
use super::marking_keys::{Key, Of};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio};
use crate::scenario::{ClassNumber, Marking, Quirk, Scenario, ScenarioError, SwitchSettings, SwitchTable};
use crate::switch::markers::{Markers, OnPlaces, Placed};
use crate::switch::marking::{self, AnyMarker, Place, Range, Unfit};
use crate::switch::mmu::{Mmu, Pool, Reserve};

/// Markers on queues, ports and pools before the run.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    queues: OnPlaces,
    ports: OnPlaces,
    pub(super) pools: Placed,
    pool_of: Vec<u32>,
}

impl Marks {
    pub(super) fn markers(&self, rng: Rng) -> Markers {
        let Self { queues, ports, pools, pool_of } = self.clone();
        Markers::new(queues, ports, pools, pool_of, rng)
    }

    /// Whether marking depends only on the length of the packet's own port, as it arrives or after it has left.
    pub(super) fn look_at_own_port_only(&self) -> bool {
        let suits = |placed: &Placed| placed.looks_at_arrivals_only() || placed.goes_by_length_left();
        self.pools.marker.is_none() && self.at_ports().all(suits)
    }

    /// Whether a marker has to look at packets as they leave.
    pub(super) fn look_at_departures(&self) -> bool {
        self.at_ports().any(Placed::goes_by_length_left)
    }

    fn at_ports(&self) -> impl Iterator<Item = &Placed> {
        self.queues.all().iter().chain(self.ports.all())
    }

    /// Length of a port, or of a class's queue there, above which packets of that class begin to be marked. The smaller
    /// counts if both have a marker.
    pub(super) fn least_port_threshold(&self, port: u32, class: usize) -> Option<Bytes> {
        let placed = [self.on_queue(port, class), self.on_port(port)].into_iter();
        placed.filter_map(|placed| placed.marker.as_ref()?.range(0)).map(|range| range.none_up_to).min()
    }

    /// Length of a class's queue at a port above which its packets begin to be marked, if no marker on the port or pool
    /// marks them as well.
    pub(super) fn queue_threshold(&self, port: u32, class: usize) -> Option<Bytes> {
        let alone = self.on_port(port).marker.is_none() && self.pools.marker.is_none();
        self.on_queue(port, class).marker.as_ref().filter(|_| alone)?.range(0).map(|range| range.none_up_to)
    }

    /// Lengths between which marking of a class's queue at a port begins and ends, whether by its length or by a mean.
    pub(super) fn queue_reach(&self, port: u32, class: usize) -> Option<Range> {
        reach(self.on_queue(port, class))
    }

    /// Lengths between which marking of a port itself begins and ends, whether by its length or by a mean.
    pub(super) fn port_reach(&self, port: u32) -> Option<Range> {
        reach(self.on_port(port))
    }

    /// Length of a class's queue at a port, or of the port itself, above which every packet is marked. The smaller counts
    /// if both have a marker.
    pub(super) fn all_marked_above(&self, port: u32, class: usize) -> Option<Bytes> {
        let placed = [self.on_queue(port, class), self.on_port(port)].into_iter();
        placed.filter_map(|placed| placed.marker.as_ref()?.range(0)).map(|range| range.all_above).min()
    }

    fn on_queue(&self, port: u32, class: usize) -> &Placed {
        self.queues.at(Mmu::queue(port, class))
    }

    fn on_port(&self, port: u32) -> &Placed {
        self.ports.at(port as usize)
    }

    /// Whether any marker marks packets of these classes.
    pub(super) fn mark(&self, classes: Classes, lossless: Classes) -> bool {
        self.asked_about(classes, lossless).next().is_some()
    }

    /// Whether any marker drops packets of these classes that are not ECN-capable.
    pub(super) fn drop_incapable(&self, classes: Classes, lossless: Classes) -> bool {
        self.asked_about(classes, lossless).any(AnyMarker::drops_incapable)
    }

    /// Markers of packets of these classes. Packets of lossless classes are in no pool.
    fn asked_about(&self, classes: Classes, lossless: Classes) -> impl Iterator<Item = &AnyMarker> {
        let ports = self.pool_of.len() as u32;
        let on_pools = Some(&self.pools).filter(|_| !(classes - lossless).is_empty());
        let on_queues =
            classes.iter().flat_map(move |class| (0..ports).map(move |port| self.on_queue(port, class)));
        self.ports.all().iter().chain(on_pools).chain(on_queues).filter_map(|placed| placed.marker.as_ref())
    }

    /// Lengths of a port's pool between which marking begins and ends.
    pub(super) fn pool_range(&self, port: u32) -> Option<Range> {
        self.pools.marker.as_ref()?.range(self.pool_of[port as usize] as usize)
    }
}

fn reach(placed: &Placed) -> Option<Range> {
    placed.marker.as_ref().and_then(|marker| marker.range(0).or_else(|| marker.reach(0)))
}

/// Makes the markers of a switch with these pools.
pub(super) fn of(
    settings: &SwitchSettings,
    pools: &[Pool],
    reserve: Reserve,
    least_alpha: Option<Ratio>,
    subject: &Subject<'_>,
) -> Result<Marks, ScenarioError> {
    let ports = pools.iter().map(|pool| pool.ports.len()).sum::<usize>();
    let pool_of = pool_of(pools, ports);
    // Counting at each port by itself makes a place of each port, which looks at its pool.
    let counts_bytes = Quirk::RedCountsBytes.is_in(&settings.quirks);
    let (largest_frame, cell) = (subject.scenario.largest_frame(), settings.memory.cell);
    let shapers = subject.shapers(settings)?;
    let empties_at = |port: u32| {
        let shaped = shapers[port as usize].map(|shaper| shaper.rate);
        shaped.map_or(subject.rate(port), |shaped| shaped.min(subject.rate(port)))
    };
    let on_port = |port: u32| Place { cell, counts_bytes, ..Place::at(empties_at(port), largest_frame) };
    let on_pool = |pool: &Pool| {
        let facts = subject.facts(pool, reserve, least_alpha);
        Place { pool: Some(facts), rate: facts.rate, ..on_port(0) }
    };
    let on_ports: Vec<Place> = (0..ports as u32).map(on_port).collect();
    let on_queue = |port: &Place| [Place { drops_at_head: true, ..*port }; PRIORITIES];
    let on_queues: Vec<Place> = on_ports.iter().flat_map(on_queue).collect();
    let on_pools: Vec<Place> = match (counts_bytes, &settings.marking.pool) {
        (_, None) => Vec::new(),
        (true, _) => pool_of.iter().map(|&pool| on_pool(&pools[pool as usize])).collect(),
        (false, _) => pools.iter().map(on_pool).collect(),
    };

    subject.check_chip(settings)?;
    let deciding = |of, port| Key::deciding(of, subject.rate(port), &settings.marking);
    let of_classes = |port| (0..PRIORITIES as u8).map(move |class| (port, Of::Class(ClassNumber(class))));
    let queues = (0..ports as u32).flat_map(of_classes).map(|(port, of)| deciding(of, port));
    let itself = (0..ports as u32).map(|port| deciding(Of::Ports, port));
    let marks = Marks {
        queues: subject.place_each(queues, &settings.marking, &on_queues)?,
        ports: subject.place_each(itself, &settings.marking, &on_ports)?,
        pools: subject.place(Key::POOL, &settings.marking, &on_pools)?,
        pool_of: if counts_bytes { (0..ports as u32).collect() } else { pool_of },
    };
    subject.check_pool_marker(&marks.pools, &on_pools)?;
    Ok(marks)
}

/// Makes the marker of an adapter whose link has this rate.
pub fn adapter_marker(scenario: &Scenario, rate: Rate) -> Result<Placed, ScenarioError> {
    let Some(parameters) = &scenario.host.marking else { return Ok(Placed::default()) };
    let places = [Place::at(rate, scenario.largest_frame()); PRIORITIES];
    let marker = parameters
        .start(&places)
        .map_err(|Unfit { problem, expected }| ScenarioError::at("host.marking", problem, expected))?;
    Ok(Placed { marker: Some(marker), when: parameters.when() })
}

/// Rejects a marker of adapters that cannot start, or whose threshold an adapter's queue never exceeds.
pub fn check_adapter_marker(scenario: &Scenario) -> Result<(), ScenarioError> {
    let reach = adapter_marker(scenario, Rate::from_gbps(1))?.marker.and_then(|marker| marker.reach(0));
    let end = reach.map(|reach| reach.all_above).zip(scenario.host.adapter_queue);
    if let Some((end, most)) = end.filter(|(end, most)| end >= most) {
        let problem = format!("it is set to {end}, and packets are dropped from {most} on");
        return Err(ScenarioError::at(
            "host.marking",
            problem,
            "expected less, or a larger host.adapter_queue",
        ));
    }
    Ok(())
}

/// Returns the index of each port's pool.
fn pool_of(pools: &[Pool], ports: usize) -> Vec<u32> {
    let mut pool_of = vec![0; ports];
    for (index, pool) in pools.iter().enumerate() {
        pool.ports.iter().for_each(|&port| pool_of[port as usize] = index as u32);
    }
    pool_of
}

impl Subject<'_> {
    /// Makes the markers of all queues or of all ports, from the key that decides at each, if one does.
    fn place_each(
        &self,
        deciding: impl Iterator<Item = Option<Key>>,
        marking: &Marking,
        places: &[Place],
    ) -> Result<OnPlaces, ScenarioError> {
        let mut keys: Vec<Option<Key>> = Vec::new();
        let mut index = |key| {
            keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
        };
        let of_place: Vec<u32> = deciding.map(|key| index(key) as u32).collect();
        let placed =
            |key: &Option<Key>| key.map_or(Ok(Placed::default()), |key| self.place(key, marking, places));
        let mut several = keys.iter().map(placed).collect::<Result<Vec<_>, _>>()?;
        Ok(match several.len() {
            1 => OnPlaces::Alike(several.remove(0)),
            _ => OnPlaces::Several(several, of_place),
        })
    }

    fn place(&self, key: Key, marking: &Marking, places: &[Place]) -> Result<Placed, ScenarioError> {
        let Some(parameters) = key.parameters(marking) else { return Ok(Placed::default()) };
        let marker = parameters
            .start(places)
            .map_err(|Unfit { problem, expected }| self.refuse_marker(key, &problem, expected))?;
        Ok(Placed { marker: Some(marker), when: parameters.when() })
    }

    fn refuse_marker(&self, key: Key, problem: &str, expected: &str) -> ScenarioError {
        let says = |table: &SwitchTable| {
            table.marking.as_ref().and_then(|marking| key.parameters(marking)).is_some()
        };
        let key = self.scenario.switch_key(self.name, says, &format!("marking.{key}"));
        ScenarioError::at(key, format!("on {}, {problem}", self.name), expected)
    }

    /// Rejects markers on a chip that cannot mark.
    fn check_chip(&self, settings: &SwitchSettings) -> Result<(), ScenarioError> {
        match (Key::all(&settings.marking).next(), settings.memory.chip) {
            (Some(key), Some(chip)) if !chip.0.ecn => {
                let problem = format!("the chip {} marks nothing", chip.0.name);
                Err(self.refuse_marker(key, &problem, "expected a chip with ECN, or no marker"))
            }
            _ => Ok(()),
        }
    }

    /// Rejects a marker whose threshold is not below the size of its pool, which would never mark every packet.
    fn check_pool_marker(&self, placed: &Placed, places: &[Place]) -> Result<(), ScenarioError> {
        let Some(marker) = &placed.marker else { return Ok(()) };
        for (index, pool) in places.iter().filter_map(|place| place.pool).enumerate() {
            let shared = pool.shared;
            if shared == Bytes::ZERO {
                let problem = "there is no shared pool: reserves have all memory";
                return Err(self.refuse_marker(
                    Key::POOL,
                    problem,
                    "expected more memory, or smaller reserves",
                ));
            }
            if let Some(Range { all_above, .. }) =
                marker.reach(index).filter(|reach| reach.all_above >= shared)
            {
                let problem =
                    format!("it is set to {all_above}, which is not below the pool's size, {shared}");
                let expected = "expected less, or a larger pool";
                return Err(self.refuse_marker(Key::POOL, &problem, expected));
            }
        }
        Ok(())
    }

    /// Rate at which a port sends.
    fn rate(&self, port: u32) -> Rate {
        let network = self.fabric.network;
        network.links[network.ports.of(self.node)[port as usize].link as usize].rate_from(self.node)
    }

    fn facts(&self, pool: &Pool, reserve: Reserve, alpha: Option<Ratio>) -> marking::Pool {
        marking::Pool {
            shared: pool.shared,
            ports: pool.ports.len() as u64,
            rate: pool.ports.iter().map(|port| self.rate(*port)).max().unwrap_or(Rate::ZERO),
            together: pool.ports.iter().map(|port| self.rate(*port)).sum(),
            alpha,
            reserved: reserve.size(),
            round_trip: self.fabric.round_trip(),
            lambda: self.fabric.lambda,
        }
    }
}

//! The markers of one switch, started from its settings.

use super::Subject;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio};
use crate::packet::PRIORITIES;
use crate::scenario::{Marking, Quirk, ScenarioError, SwitchSettings, SwitchTable};
use crate::switch::markers::{Markers, Placed};
use crate::switch::marking::{self, Place, Range, Unfit};
use crate::switch::mmu::{Pool, Reserve};

/// Markers before the run.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    queues: Placed,
    ports: Placed,
    pub(super) pools: Placed,
    pool_of: Vec<u16>,
}

impl Marks {
    pub(super) fn markers(&self, rng: Rng) -> Markers {
        let Self { queues, ports, pools, pool_of } = self.clone();
        Markers::new(queues, ports, pools, pool_of, rng)
    }

    /// The length of a queue or port above which each of its packets is marked, the least if both are.
    pub(super) fn least_port_threshold(&self) -> Option<Bytes> {
        let ranges = [&self.queues, &self.ports].map(|placed| placed.marker.as_ref()?.range(0));
        ranges.into_iter().flatten().map(|range| range.all_above).min()
    }

    /// Where marking of a port's pool begins and ends.
    pub(super) fn pool_range(&self, port: u16) -> Option<Range> {
        self.pools.marker.as_ref()?.range(self.pool_of[usize::from(port)].into())
    }
}

/// The markers of a switch with these pools.
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
    let counted_packet = counts_bytes.then(|| subject.scenario.largest_frame());
    let elsewhere = Place { pool: None, counted_packet };
    let on_pool = |pool| Place { pool: Some(subject.facts(pool, reserve, least_alpha)), counted_packet };
    let on_pools: Vec<Place> = match (counts_bytes, &settings.marking.pool) {
        (_, None) => Vec::new(),
        (true, _) => pool_of.iter().map(|&pool| on_pool(&pools[usize::from(pool)])).collect(),
        (false, _) => pools.iter().map(on_pool).collect(),
    };

    let Marking { queue, port, pool } = &settings.marking;
    let marks = Marks {
        queues: subject.place("queue", queue.as_ref(), &vec![elsewhere; ports * PRIORITIES])?,
        ports: subject.place("port", port.as_ref(), &vec![elsewhere; ports])?,
        pools: subject.place("pool", pool.as_ref(), &on_pools)?,
        pool_of: if counts_bytes { (0..ports as u16).collect() } else { pool_of },
    };
    subject.check_pool_marker(&marks.pools, &on_pools)?;
    Ok(marks)
}

/// The index of each port's pool.
fn pool_of(pools: &[Pool], ports: usize) -> Vec<u16> {
    let mut pool_of = vec![0; ports];
    for (index, pool) in pools.iter().enumerate() {
        pool.ports.iter().for_each(|&port| pool_of[usize::from(port)] = index as u16);
    }
    pool_of
}

impl Subject<'_> {
    fn place(
        &self,
        key: &str,
        parameters: Option<&marking::Parameters>,
        places: &[Place],
    ) -> Result<Placed, ScenarioError> {
        let Some(parameters) = parameters else { return Ok(Placed::default()) };
        let marker = parameters
            .start(places)
            .map_err(|Unfit { problem, expected }| self.refuse_marker(key, &problem, expected))?;
        Ok(Placed { marker: Some(marker), when: parameters.when() })
    }

    fn refuse_marker(&self, key: &str, problem: &str, expected: &str) -> ScenarioError {
        let of = |marking: &Marking| match key {
            "queue" => marking.queue.is_some(),
            "port" => marking.port.is_some(),
            _ => marking.pool.is_some(),
        };
        let says = |table: &SwitchTable| table.marking.as_ref().is_some_and(of);
        let key = self.scenario.switch_key(self.name, says, &format!("marking.{key}"));
        ScenarioError::at(key, format!("on {}, {problem}", self.name), expected)
    }

    /// A pool that cannot be fuller than where marking ends is never marked as it should be.
    fn check_pool_marker(&self, placed: &Placed, places: &[Place]) -> Result<(), ScenarioError> {
        let Some(marker) = &placed.marker else { return Ok(()) };
        for (index, pool) in places.iter().filter_map(|place| place.pool).enumerate() {
            let shared = pool.shared;
            if shared == Bytes::ZERO {
                let problem = "there is no shared pool: reserves have all memory";
                return Err(self.refuse_marker("pool", problem, "expected more memory, or smaller reserves"));
            }
            if let Some(range) = marker.range(index).filter(|range| range.all_above >= shared) {
                let all_above = range.all_above;
                let problem = format!(
                    "every packet is marked above {all_above}, which is not below the pool's size, {shared}"
                );
                let expected = "expected a smaller threshold or a larger pool";
                return Err(self.refuse_marker("pool", &problem, expected));
            }
        }
        Ok(())
    }

    fn facts(&self, pool: &Pool, reserve: Reserve, alpha: Option<Ratio>) -> marking::Pool {
        let network = self.fabric.network;
        let ports = network.ports.of(self.node);
        let rate = |port: &u16| network.links[ports[usize::from(*port)].link as usize].rate;
        marking::Pool {
            shared: pool.shared,
            ports: pool.ports.len() as u64,
            rate: pool.ports.iter().map(rate).max().unwrap_or(Rate::ZERO),
            alpha,
            reserved: reserve.size(),
            round_trip: self.fabric.round_trip(),
            lambda: self.fabric.lambda,
        }
    }
}

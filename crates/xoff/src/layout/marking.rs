//! The markers of one switch, started from its settings.

use super::Subject;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Rate, Ratio};
use crate::packet::PRIORITIES;
use crate::scenario::{Marking, Quirk, ScenarioError, SwitchSettings};
use crate::switch::buffer_policy::BufferPolicy;
use crate::switch::markers::{Markers, Placed};
use crate::switch::marking::{self, AnyMarker, Place, Unfit};
use crate::switch::mmu::{Pool, Reserve};

/// Markers before the run.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    queues: Placed,
    ports: Placed,
    pools: Placed,
    pool_of: Vec<u16>,
}

impl Marks {
    pub(super) fn markers(&self, rng: Rng) -> Markers {
        let Self { queues, ports, pools, pool_of } = self.clone();
        Markers::new(queues, ports, pools, pool_of, rng)
    }
}

/// The markers of a switch with these pools.
pub(super) fn of(
    settings: &SwitchSettings,
    pools: &[Pool],
    reserve: Reserve,
    subject: &Subject<'_>,
) -> Result<Marks, ScenarioError> {
    let ports = pools.iter().map(|pool| pool.ports.len()).sum::<usize>();
    let counts_bytes = Quirk::RedCountsBytes.is_in(&settings.quirks);
    let counted_packet = counts_bytes.then(|| subject.scenario.largest_frame());
    let Marking { queue, port, pool } = &settings.marking;
    let beside_pools = Place { pool: None, counted_packet };
    let on_pool = |pool| Place { pool: Some(subject.facts(settings, pool, reserve)), counted_packet };

    let pool_of = pool_of(pools, ports);
    let mut marks = Marks {
        queues: subject.everywhere("queue", queue.as_ref(), &beside_pools, ports * PRIORITIES)?,
        ports: subject.everywhere("port", port.as_ref(), &beside_pools, ports)?,
        pools: Placed::default(),
        pool_of: if counts_bytes { (0..ports as u16).collect() } else { pool_of.clone() },
    };
    if let Some(parameters) = pool {
        let places: Vec<usize> = if counts_bytes {
            pool_of.into_iter().map(usize::from).collect()
        } else {
            (0..pools.len()).collect()
        };
        let start = |index: usize| {
            let marker = subject.start("pool", parameters, &on_pool(&pools[index]))?;
            subject.check_pool_marker(&marker, &pools[index])?;
            Ok(marker)
        };
        let markers = places.into_iter().map(start).collect::<Result<_, ScenarioError>>()?;
        marks.pools = Placed { markers, when: parameters.when() };
    }
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
    fn everywhere(
        &self,
        key: &str,
        parameters: Option<&marking::Parameters>,
        place: &Place,
        count: usize,
    ) -> Result<Placed, ScenarioError> {
        let Some(parameters) = parameters else { return Ok(Placed::default()) };
        let marker = self.start(key, parameters, place)?;
        Ok(Placed { markers: vec![marker; count], when: parameters.when() })
    }

    fn start(
        &self,
        key: &str,
        parameters: &marking::Parameters,
        place: &Place,
    ) -> Result<AnyMarker, ScenarioError> {
        parameters
            .start(place)
            .map_err(|Unfit { problem, expected }| self.refuse_marker(key, &problem, expected))
    }

    fn refuse_marker(&self, key: &str, problem: &str, expected: &str) -> ScenarioError {
        let of = |marking: &Marking| match key {
            "queue" => marking.queue.is_some(),
            "port" => marking.port.is_some(),
            _ => marking.pool.is_some(),
        };
        let says = |table: &crate::scenario::SwitchTable| table.marking.as_ref().is_some_and(of);
        let key = self.scenario.switch_key(self.name, says, &format!("marking.{key}"));
        ScenarioError::at(key, format!("on {}, {problem}", self.name), expected)
    }

    /// A pool that cannot be fuller than where marking ends is never marked as it should be.
    fn check_pool_marker(&self, marker: &AnyMarker, pool: &Pool) -> Result<(), ScenarioError> {
        let shared = pool.shared;
        if shared.get() == 0 {
            let problem = "there is no shared pool: reserves have all memory";
            return Err(self.refuse_marker("pool", problem, "expected more memory, or smaller reserves"));
        }
        match marker.range() {
            Some(range) if range.all_above >= shared => {
                let problem = format!(
                    "every packet is marked above {}, which is not below the pool's size, {shared}",
                    range.all_above
                );
                let expected = "expected a smaller threshold or a larger pool";
                Err(self.refuse_marker("pool", &problem, expected))
            }
            _ => Ok(()),
        }
    }

    fn facts(&self, settings: &SwitchSettings, pool: &Pool, reserve: Reserve) -> marking::Pool {
        let network = self.fabric.network;
        let ports = network.ports.of(self.node);
        let rate = |port: &u16| network.links[ports[usize::from(*port)].link as usize].rate;
        marking::Pool {
            shared: pool.shared,
            ports: pool.ports.len() as u64,
            rate: pool.ports.iter().map(rate).max().unwrap_or(Rate::ZERO),
            alpha: least_alpha(settings, self.fabric.classes),
            reserved: reserve.size(),
            round_trip: self.fabric.round_trip(),
            lambda: self.fabric.lambda,
        }
    }
}

/// The least alpha of the classes in use.
fn least_alpha(settings: &SwitchSettings, classes: u8) -> Option<Ratio> {
    let used = (0..PRIORITIES).filter(|priority| classes & (1 << priority) != 0);
    let alphas = used.filter_map(|priority| settings.buffer.alpha(priority));
    alphas.min_by(|one, other| one.as_f64().total_cmp(&other.as_f64()))
}

//! Pools of a switch's shared memory, each with its ports; every port is in exactly one.

use super::Subject;
use crate::kernel::units::Bytes;
use crate::scenario::{Chip, Memory, PoolTable, Quirk, ScenarioError, SwitchSettings, SwitchTable};
use crate::switch::buffer_policy::{BufferPolicy, Occupancy};
use crate::switch::mmu::{Pool, Reserve};

/// Makes the pools of a switch. `lossless` is the memory of its lossless classes, which is kept apart.
pub(super) fn of(
    settings: &SwitchSettings,
    reserve: Reserve,
    lossless: Bytes,
    subject: &Subject<'_>,
) -> Result<Vec<Pool>, ScenarioError> {
    let memory = &settings.memory;
    let ports = subject.fabric.network.ports.of(subject.node).len() as u32;
    subject.check_keys(memory, ports)?;
    let tables = match &memory.pools {
        Some(tables) => {
            subject.check_cover(tables, ports)?;
            tables.clone()
        }
        None => in_order(memory.ports_of_a_pool(ports), ports),
    };
    let part = memory.part(ports, lossless);
    let pool = |table: PoolTable| {
        let shared = match table.shared.or(memory.shared_per_pool) {
            Some(shared) => shared,
            None => subject
                .beside_reserves(part, reserve.of_ports(table.ports.len() as u64, subject.lossy_queues()))?,
        };
        subject.check_size(memory, shared.max(reserve.size()))?;
        Ok(Pool { shared, ports: table.ports })
    };
    let pools = tables.into_iter().map(pool).collect::<Result<Vec<Pool>, ScenarioError>>()?;
    if lossless > Bytes::ZERO {
        subject.check_beside_lossless(
            memory,
            &pools,
            lossless + reserve.of_ports(ports.into(), subject.lossy_queues()),
        )?;
    }
    Ok(pools)
}

/// Puts ports into pools in order of their numbers, `ports_of_a_pool` in each.
fn in_order(ports_of_a_pool: u32, ports: u32) -> Vec<PoolTable> {
    let numbers: Vec<u32> = (0..ports).collect();
    let chunks = numbers.chunks(ports_of_a_pool as usize);
    chunks.map(|ports| PoolTable { ports: ports.to_vec(), shared: None }).collect()
}

impl Memory {
    /// Number of the switch's ports; for a chip all ports of the chip, in use or not.
    fn all_ports(&self, ports: u32) -> u32 {
        self.chip.map_or(ports, |chip| chip.0.all_ports())
    }

    fn ports_of_a_pool(&self, ports: u32) -> u32 {
        let pools = self.chip.map_or(1, |chip| chip.0.mmus);
        self.ports_per_pool.unwrap_or_else(|| self.all_ports(ports).div_ceil(pools)).max(1)
    }

    /// Memory of one pool, reserves included, where all pools have equal parts of what lossless classes leave.
    fn part(&self, ports: u32, lossless: Bytes) -> Bytes {
        let parts = match &self.pools {
            Some(pools) => pools.len() as u64,
            None => u64::from(self.all_ports(ports).div_ceil(self.ports_of_a_pool(ports))),
        };
        Bytes::new(self.all().saturating_sub(lossless).get() / parts.max(1))
    }

    /// Memory of one MMU, for a chip with several.
    pub(super) fn of_one_mmu(&self) -> Option<Bytes> {
        let chip = self.chip.filter(|_| self.total.is_none() && self.shared_per_pool.is_none())?.0;
        let memory = chip.memory.filter(|_| chip.mmus > 1)?;
        Some(Bytes::new(memory.get() / u64::from(chip.mmus)))
    }

    /// Chip with memory off the chip, if the scenario does not say how much memory there is.
    pub(super) fn deep_chip(&self) -> Option<&'static Chip> {
        let chip = self.chip.filter(|_| self.total.is_none() && self.shared_per_pool.is_none())?.0;
        chip.off_chip.is_some().then_some(chip)
    }

    /// Memory of the switch, reserves included.
    pub(super) fn all(&self) -> Bytes {
        let of_chip = self.chip.and_then(|chip| chip.0.memory);
        self.total.or(of_chip).unwrap_or(Self::DEFAULT_TOTAL)
    }
}

impl Subject<'_> {
    /// Makes an error at the key of the last table that sets it.
    pub(super) fn refuse(
        &self,
        key: &str,
        says: impl Fn(&SwitchTable) -> bool,
        problem: &str,
        expected: &str,
    ) -> ScenarioError {
        let key = self.scenario.switch_key(self.name, says, key);
        ScenarioError::at(key, format!("{} {problem}", self.name), expected)
    }

    /// Number of queues of a port that share a pool. Lossless classes have memory of their own.
    pub(super) fn lossy_queues(&self) -> u64 {
        let lossy = self.fabric.classes - self.scenario.lossless_classes();
        lossy.count().max(1).into()
    }

    /// Rejects a chip of unknown memory, where no key says how much there is.
    pub(super) fn check_chip_memory(&self, memory: &Memory) -> Result<(), ScenarioError> {
        let Memory { total: None, shared_per_pool: None, chip: Some(chip), .. } = memory else {
            return Ok(());
        };
        if chip.0.memory.is_some() {
            return Ok(());
        }
        let problem = format!("is a {}, whose memory is not public", chip.0.name);
        Err(self.refuse("chip", |table| table.chip.is_some(), &problem, "expected total beside it"))
    }

    fn check_keys(&self, memory: &Memory, ports: u32) -> Result<(), ScenarioError> {
        if let Some(chip) = memory.chip.filter(|chip| ports > chip.0.all_ports()) {
            let problem = format!("has {ports} ports, and the chip {} for them", chip.0.all_ports());
            let expected = "expected a chip with more, or a topology that needs fewer; see `xoff list chips`";
            return Err(self.refuse("chip", |table| table.chip.is_some(), &problem, expected));
        }
        if memory.total.is_some() && memory.shared_per_pool.is_some() {
            let says = |table: &SwitchTable| table.shared_per_pool.is_some();
            let problem = "has both total and shared_per_pool";
            return Err(self.refuse("shared_per_pool", says, problem, "expected one of them"));
        }
        if memory.pools.is_some() && memory.ports_per_pool.is_some() {
            let says = |table: &SwitchTable| table.pools.is_some();
            let problem = "has both pools and ports_per_pool";
            return Err(self.refuse("pools", says, problem, "expected one of them"));
        }
        Ok(())
    }

    /// Rejects pools that do not contain every port exactly once.
    fn check_cover(&self, tables: &[PoolTable], ports: u32) -> Result<(), ScenarioError> {
        let refuse = |problem: String| {
            let expected = format!("expected each of the ports 0 to {} in exactly one pool", ports - 1);
            Err(self.refuse("pools", |table| table.pools.is_some(), &problem, &expected))
        };
        let mut pools_of = vec![0; ports as usize];
        for &port in tables.iter().flat_map(|table| &table.ports) {
            match pools_of.get_mut(port as usize) {
                Some(count) => *count += 1,
                None => return refuse(format!("has no port {port}")),
            }
        }
        match pools_of.iter().position(|count| *count != 1) {
            Some(port) if pools_of[port] == 0 => refuse(format!("has port {port} in no pool")),
            Some(port) => refuse(format!("has port {port} in {} pools", pools_of[port])),
            None => Ok(()),
        }
    }

    /// Returns the shared bytes of a pool: its part of memory less the reserves of its ports.
    fn beside_reserves(&self, part: Bytes, reserved: Bytes) -> Result<Bytes, ScenarioError> {
        if reserved <= part {
            return Ok(part - reserved);
        }
        let problem = format!("reserves {reserved} for the ports of a pool, more than its memory of {part}");
        let expected = "expected more memory, or smaller `reserved_per_port` and `reserved_per_queue`";
        Err(self.refuse("total", |table| table.total.is_some(), &problem, expected))
    }

    /// Rejects a policy that lets a class have less than one packet of an empty pool, where the packet itself counts
    /// towards the threshold.
    pub(super) fn check_quirks(
        &self,
        settings: &SwitchSettings,
        reserve: Reserve,
        pools: &[Pool],
    ) -> Result<(), ScenarioError> {
        let frame = settings.memory.taken_by(self.scenario.largest_frame());
        if !Quirk::ThresholdWithPacket.is_in(&settings.quirks) || reserve.size() >= frame {
            return Ok(());
        }
        let classes = self.fabric.classes.iter();
        for (class, pool) in classes.flat_map(|class| pools.iter().map(move |pool| (class, pool))) {
            let queues = pool.ports.len() as u64 * u64::from(self.fabric.classes.count());
            let empty = Occupancy::empty(pool.shared, queues);
            let threshold = settings.buffer.threshold(class, &empty);
            if threshold < frame {
                let problem =
                    format!("lets class {class} have {threshold} of an empty pool, less than one packet");
                let expected = format!("expected at least {frame}, or no quirk `threshold_with_packet`");
                return Err(self.refuse("buffer", |table| table.buffer.is_some(), &problem, &expected));
            }
        }
        Ok(())
    }

    /// Rejects pools of a given size that leave lossless classes and reserves too little memory.
    fn check_beside_lossless(
        &self,
        memory: &Memory,
        pools: &[Pool],
        others: Bytes,
    ) -> Result<(), ScenarioError> {
        if memory.shared_per_pool.is_some() && memory.chip.is_none() {
            let problem =
                "says how much other classes share, and nothing says how much memory lossless ones have";
            let expected = "expected `total` instead, of which pools get what is left";
            return Err(self.refuse(
                "shared_per_pool",
                |table| table.shared_per_pool.is_some(),
                problem,
                expected,
            ));
        }
        let (shared, all): (Bytes, Bytes) = (pools.iter().map(|pool| pool.shared).sum(), memory.all());
        if shared + others <= all {
            return Ok(());
        }
        let problem = format!(
            "has pools of {shared} beside {others} of lossless classes and reserves, together more than its memory of {all}"
        );
        let expected = "expected more memory, smaller pools, or a smaller `pfc.lossless_pool`";
        let (key, says) = self.sized_by(memory);
        Err(self.refuse(key, says, &problem, expected))
    }

    /// Returns the key that decides the size of pools, and whether a table sets it.
    fn sized_by(&self, memory: &Memory) -> (&'static str, fn(&SwitchTable) -> bool) {
        let leaves_to_lossy =
            |table: &SwitchTable| table.pfc.as_ref().is_some_and(|pfc| pfc.lossy_pool.is_some());
        if memory.pools.is_some() {
            ("pools", |table| table.pools.is_some())
        } else if memory.shared_per_pool.is_none() {
            ("total", |table| table.total.is_some())
        } else if self.scenario.switch.iter().any(|table| table.matches(self.name) && leaves_to_lossy(table))
        {
            ("pfc.lossy_pool", leaves_to_lossy)
        } else {
            ("shared_per_pool", |table| table.shared_per_pool.is_some())
        }
    }

    fn check_size(&self, memory: &Memory, most: Bytes) -> Result<(), ScenarioError> {
        let frame = memory.taken_by(self.scenario.largest_frame());
        if most >= frame {
            return Ok(());
        }
        let problem = format!("has a pool of {most}, smaller than one packet");
        let expected = format!("expected at least {frame}, the largest frame of the transports");
        let (key, says) = self.sized_by(memory);
        Err(self.refuse(key, says, &problem, &expected))
    }
}

//! Layout of lossless classes: from their settings to the memory that they share, and the headroom of every port.

use std::collections::BTreeSet;

use super::Subject;
use super::memory::LosslessMemory;
use super::most_held::most_shared;
use super::pauses::pause_frames;
use crate::classes::Classes;
use crate::kernel::units::{Bytes, Rate};
use crate::pause_frames;
use crate::scenario::{MOST_BYTES, Pausing as Settings, ScenarioError, SwitchSettings, SwitchTable};
use crate::switch::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::switch::headroom::{self, Held, Scheme};
use crate::switch::ingress::{Ingress, Sizes};
use crate::switch::mmu::Reserve;
use crate::switch::pausing::Pausing;
use crate::topology::Link;

/// Lossless classes of a switch before the run.
#[derive(Clone, Debug)]
pub(super) struct Lossless {
    /// The lossless classes.
    pub(super) classes: Classes,
    sizes: Sizes,
    /// Policy by which the senders into each port pause.
    xoff: Vec<buffer_policy::Parameters>,
    headroom: Scheme,
    /// Links of the switch's ports, at the highest rates that they come to have.
    links: Vec<headroom::Link>,
    pause_frames: pause_frames::Settings,
}

impl Lossless {
    pub(super) fn pausing(&self) -> Pausing {
        let ingress = Ingress::of_ports(self.sizes.clone(), &self.xoff, self.headroom.clone());
        Pausing::new(ingress, self.pause_frames.start())
    }

    /// Bytes of memory that lossless classes have.
    pub(super) fn memory(&self) -> Bytes {
        self.sizes.shared + self.sizes.reserved * self.sizes.queues() + self.headroom.set_aside()
    }

    /// Memory that lossless classes have, piece by piece.
    pub(super) fn divided(&self) -> LosslessMemory {
        let Sizes { shared, reserved, xon_offset, .. } = self.sizes;
        let none = Held { queue: Bytes::ZERO, port: Bytes::ZERO, all: Bytes::ZERO };
        LosslessMemory {
            shared: shared.get(),
            reserved: reserved.get(),
            xon_offset: xon_offset.get(),
            headroom: self.headroom.set_aside().get(),
            headroom_of_ports: (0..self.links.len())
                .map(|port| self.headroom.room(port, &none).limit.get())
                .collect(),
        }
    }

    /// The most bytes of a class that can have come in by one port, by two and so on before the first sender is paused.
    /// Ports hold most if they fill one after another: a port is held against a threshold that others have lowered only
    /// if more comes by it.
    pub(super) fn unpaused(&self, class: usize) -> impl Iterator<Item = Bytes> {
        let Sizes { shared, reserved, .. } = self.sizes;
        let mut pool = Occupancy::empty(shared, self.sizes.queues());
        (1..).map(move |ports| {
            let most = self.xoff.iter().map(|policy| most_shared(policy, class, &pool)).max();
            pool.shared_used += most.unwrap_or(Bytes::ZERO);
            pool.shared_used + reserved * ports
        })
    }

    /// One line for each link over which more may arrive after a pause than headroom surely has room for.
    pub(super) fn shortfalls(&self) -> impl Iterator<Item = String> {
        let kept = (0..self.links.len()).map(|port| self.headroom.kept(port));
        self.links.iter().zip(kept).filter(|(link, kept)| *kept < link.worst_case).map(|(link, kept)| {
            let headroom::Link { rate, delay, worst_case } = link;
            format!(
                "after a pause up to {worst_case} of a class may come over a link of {rate} and {delay}, and headroom is sure \
                 to have room for {kept}: lossless packets may be dropped"
            )
        })
    }
}

/// Lays out the lossless classes of a switch with `total` memory, if there are any.
pub(super) fn of(
    settings: &SwitchSettings,
    reserve: Reserve,
    total: Bytes,
    subject: &Subject<'_>,
) -> Result<Option<Lossless>, ScenarioError> {
    let classes = subject.scenario.lossless_classes();
    let Some(pfc) = subject.pausing_of(settings.pfc.as_ref())? else { return Ok(None) };
    let xoff: Vec<buffer_policy::Parameters> =
        subject.rates_in().map(|rate| pfc.xoff_at(rate).clone()).collect();
    let headroom = subject.headroom_of(pfc)?;
    let Settings { xon_offset, reserved, lossless_pool, lossy_pool, .. } = *pfc;
    let is_static =
        |policy: &buffer_policy::Parameters| matches!(policy, buffer_policy::Parameters::StaticThreshold(_));
    let pool_may_be_full = !xoff.iter().all(is_static);
    let link = |link: &Link| {
        // No memory is larger, and sums over ports and classes have room.
        let wire = subject.after_pause(link, pool_may_be_full).min(Bytes::new(MOST_BYTES));
        let worst_case = settings.memory.cell.map_or(wire, |cell| subject.most_taken(wire, cell));
        headroom::Link { rate: link.rate_to(subject.node), delay: link.delay, worst_case }
    };
    let links: Vec<headroom::Link> = subject.links().map(link).collect();
    let at_most = |of: &Link| link(&subject.at_their_highest(of));
    let headroom = headroom.start(&links, u64::from(classes.count())).map_err(|refusal| {
        subject.refuse_pfc(&format!(".headroom.{}", refusal.key), &refusal.problem, &refusal.expected)
    })?;
    let ports = links.len() as u64;
    let queues = ports * u64::from(classes.count());
    let aside = headroom.set_aside() + reserved * queues + reserve.of_ports(ports, subject.lossy_queues());
    subject.check_set_aside(aside, ports, total)?;
    let shared = subject.shared_of(total - aside, lossless_pool, lossy_pool)?;
    let largest_frame = settings.memory.taken_by(subject.scenario.largest_frame());
    for (key, policy) in subject.policies(pfc) {
        subject.check_xoff(&key, policy)?;
        subject.check_static_threshold(&key, policy, largest_frame, queues, shared)?;
        if let Some(offset) = xon_offset {
            subject.check_xon_offset(offset, policy, queues, shared)?;
        }
    }
    Ok(Some(Lossless {
        classes,
        sizes: Sizes {
            shared,
            reserved,
            xon_offset: xon_offset.unwrap_or(largest_frame * 2),
            ports: links.len(),
            classes,
        },
        xoff,
        headroom,
        links: subject.links().map(at_most).collect(),
        pause_frames: pause_frames(subject)?,
    }))
}

/// Whether a table sets a key of `pfc`; any key, if `key` is empty.
fn says(table: &SwitchTable, key: &str) -> bool {
    table.pfc.as_ref().is_some_and(|pfc| pfc.says(key))
}

impl Subject<'_> {
    fn refuse_pfc(&self, key: &str, problem: &str, expected: &str) -> ScenarioError {
        let first = key.split('.').nth(1).unwrap_or_default();
        let said = self.scenario.switch.iter().any(|table| table.matches(self.name) && says(table, first));
        let first = if said { first } else { "" };
        self.refuse(&format!("pfc{key}"), |table| says(table, first), problem, expected)
    }

    /// Settings of a switch's pauses, or `None` if no class is lossless. Refuses settings without lossless classes, and
    /// the reverse.
    fn pausing_of<'a>(&self, said: Option<&'a Settings>) -> Result<Option<&'a Settings>, ScenarioError> {
        let classes = self.scenario.lossless_classes();
        if classes.is_empty() && said.is_some() {
            let expected = "expected [[class]] with lossless = true, or no pfc here";
            return Err(self.refuse_pfc("", "pauses senders, and no class is lossless", expected));
        }
        if let (Some(class), None) = (classes.lowest(), said) {
            let problem = format!("says nothing of pauses, and class {class} is lossless");
            let expected = "expected pfc, {} for its defaults, or no lossless class";
            return Err(self.refuse_pfc("", &problem, expected));
        }
        Ok(said)
    }

    /// Policies by which senders pause, each with its key.
    fn policies<'b>(
        &self,
        pfc: &'b Settings,
    ) -> impl Iterator<Item = (String, &'b buffer_policy::Parameters)> + use<'b> {
        let rates: BTreeSet<Rate> = self.rates_in().collect();
        let of_all = rates.iter().any(|rate| pfc.at_rate.get(rate).is_none_or(|at| at.xoff.is_none()));
        let at_rates = pfc.at_rate.iter().filter(move |(rate, _)| rates.contains(rate));
        let at_rates =
            at_rates.filter_map(|(rate, at)| Some((format!(".at_rate.{rate}.xoff"), at.xoff.as_ref()?)));
        of_all.then(|| (".xoff".to_owned(), &pfc.xoff)).into_iter().chain(at_rates)
    }

    /// Parameters of headroom, with the sizes that are set for ports by their rate.
    fn headroom_of(&self, pfc: &Settings) -> Result<headroom::Parameters, ScenarioError> {
        let mut found = pfc.headroom.clone();
        for (rate, at) in &pfc.at_rate {
            let Some(size) = at.headroom else { continue };
            let of_rate = (0..).zip(self.rates_in()).filter(|(_, of_port)| of_port == rate);
            let ports: Vec<u32> = of_rate.map(|(port, _)| port).collect();
            found = found.with_size_at(ports, size).ok_or_else(|| {
                let expected = "expected none, or another scheme";
                let problem = format!("computes headroom itself: {}", pfc.headroom.spelling());
                self.refuse_pfc(&format!(".at_rate.{rate}.headroom"), &problem, expected)
            })?;
        }
        Ok(found)
    }

    fn check_set_aside(&self, aside: Bytes, ports: u64, total: Bytes) -> Result<(), ScenarioError> {
        if aside <= total {
            return Ok(());
        }
        let problem = format!(
            "sets aside {aside} for headroom and reserves of {ports} ports, more than its memory of {total}"
        );
        let expected = "expected more memory, a smaller headroom, another scheme, or fewer lossless classes";
        Err(self.refuse_pfc(".headroom", &problem, expected))
    }

    /// Bytes of the lossless classes' pool, in the memory that headroom and reserves leave.
    /// The pool is as large as set, or all that the pool of the lossy classes leaves, or three quarters.
    fn shared_of(
        &self,
        left: Bytes,
        lossless_pool: Option<Bytes>,
        lossy_pool: Option<Bytes>,
    ) -> Result<Bytes, ScenarioError> {
        let (key, asked) = match (lossless_pool, lossy_pool) {
            (Some(_), Some(_)) => {
                let problem = "has both lossy_pool and lossless_pool";
                return Err(self.refuse_pfc(".lossy_pool", problem, "expected one of them"));
            }
            (None, Some(lossy)) => (".lossy_pool", lossy),
            (lossless, None) => (".lossless_pool", lossless.unwrap_or(Bytes::new(left.get() / 4 * 3))),
        };
        if asked > left {
            let expected = format!("expected at most {left}, what headroom and reserves leave");
            return Err(self.refuse_pfc(key, &format!("has a pool of {asked}"), &expected));
        }
        Ok(if lossy_pool.is_some() { left - asked } else { asked })
    }

    /// Rejects policies that push out lossless packets, or follow the queues of ingress ports.
    fn check_xoff(&self, key: &str, xoff: &buffer_policy::Parameters) -> Result<(), ScenarioError> {
        if xoff.only_answers() {
            return Ok(());
        }
        let problem = format!("pauses lossless classes by `{}`, which is for lossy ones", xoff.spelling());
        Err(self.refuse_pfc(key, &problem, "expected dynamic_threshold or another policy without a memory"))
    }

    /// Rejects a static threshold for which the pool is too small if every queue reaches it.
    fn check_static_threshold(
        &self,
        key: &str,
        xoff: &buffer_policy::Parameters,
        largest_frame: Bytes,
        queues: u64,
        pool: Bytes,
    ) -> Result<(), ScenarioError> {
        let buffer_policy::Parameters::StaticThreshold(policy) = xoff else { return Ok(()) };
        let most = (policy.threshold + largest_frame) * queues;
        if most <= pool {
            return Ok(());
        }
        let problem =
            format!("may hold {most} in {queues} queues of lossless classes, and their pool is {pool}");
        let expected = "expected a smaller threshold, a larger pool, or a dynamic_threshold";
        Err(self.refuse_pfc(&format!("{key}.threshold"), &problem, expected))
    }

    /// Rejects an offset of XON below XOFF that is more than the highest XOFF, that of an empty pool.
    fn check_xon_offset(
        &self,
        offset: Bytes,
        xoff: &buffer_policy::Parameters,
        queues: u64,
        pool: Bytes,
    ) -> Result<(), ScenarioError> {
        let empty = Occupancy::empty(pool, queues);
        let thresholds = self.scenario.lossless_classes().iter().map(|class| xoff.threshold(class, &empty));
        // Where no threshold ends it, the pool does.
        let highest = thresholds.max().filter(|&highest| highest < Bytes::MAX).unwrap_or(pool);
        if offset <= highest {
            return Ok(());
        }
        let problem = format!("has XON {offset} below XOFF, which is never higher than {highest}");
        Err(self.refuse_pfc(".xon_offset", &problem, &format!("expected at most {highest}")))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::units::Bytes;
    use crate::layout::SwitchLayout;
    use crate::scenario::Scenario;
    use crate::simulation::Simulation;
    use crate::switch::buffer_policy::{BufferPolicy, Occupancy};
    use crate::workload::Files;

    /// Four hosts at 100 Gb/s and 2 us, one lossless class, 1 MB.
    fn problem(pfc: &str) -> String {
        problem_of_switch(&format!("pfc = {{ {pfc} }}"))
    }

    fn text(switch: &str) -> String {
        format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
             class = [{{ priority = 3, lossless = true }}]\n\
             pfc.reaction_quanta = 60\n\
             transport.roce = {{ kind = 'roce', control_priority = 3 }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB', priority = 3 }}]\n\
             switch = [{{ total = '1MB', {switch} }}]"
        )
    }

    fn problem_of_switch(switch: &str) -> String {
        let text = text(switch);
        let made =
            Scenario::from_toml(&text, &[]).and_then(|scenario| Simulation::new(&scenario, &Files::new()));
        made.map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    #[test]
    fn a_switch_says_how_it_pauses() {
        assert_eq!(problem_of_switch("pfc = {}"), "accepted");
        assert_eq!(
            problem_of_switch("release = 'transmission_end'"),
            "switch.pfc: switch0 says nothing of pauses, and class 3 is lossless; expected pfc, {} for its defaults, \
             or no lossless class"
        );
    }

    #[test]
    fn headroom_must_fit_into_memory() {
        assert_eq!(problem("headroom = { scheme = 'sih', size = '240kB' }"), "accepted");
        assert_eq!(
            problem("headroom = { scheme = 'sih', size = '250001B' }"),
            "switch[0].pfc.headroom: switch0 sets aside 1000004B for headroom and reserves of 4 ports, more than its \
             memory of 1MB; expected more memory, a smaller headroom, another scheme, or fewer lossless classes"
        );
    }

    /// The link holds 2.5 x 10^19 bytes, more than 64 bits count.
    #[test]
    fn headroom_of_a_link_of_any_length_is_refused_as_too_much() {
        let text = text("pfc = {}")
            .replace("rate = '100Gbps', delay = '2us'", "rate = '1000Tbps', delay = '100000s'");
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        let error = Simulation::new(&scenario, &Files::new()).unwrap_err();
        assert!(error.to_string().contains("sets aside 1048576GiB for headroom"), "{error}");
    }

    #[test]
    fn insurance_may_be_less_than_one_worst_case() {
        assert_eq!(problem("headroom = { scheme = 'dsh', insurance = '0B' }"), "accepted");
        assert_eq!(problem("headroom = { scheme = 'dsh', insurance = '50kB' }"), "accepted");
    }

    #[test]
    fn gains_are_shares() {
        assert_eq!(
            problem("headroom = { scheme = 'dsh', gradient_weight = 1.5 }"),
            "switch[0].pfc.headroom.gradient_weight: 1.5 is too large; expected a value above 0 and at most 1"
        );
    }

    #[test]
    fn xon_is_not_below_nothing() {
        let of_static = "lossless_pool = '400kB', xoff = { policy = 'static_threshold', threshold = '20kB' }";
        assert_eq!(problem(&format!("{of_static}, xon_offset = '20kB'")), "accepted");
        assert_eq!(
            problem(&format!("{of_static}, xon_offset = '30kB'")),
            "switch[0].pfc.xon_offset: switch0 has XON 30kB below XOFF, which is never higher than 20kB; expected at \
             most 20kB"
        );
        let dynamic = "lossless_pool = '400kB', xoff = { policy = 'dynamic_threshold', alpha = '1/16' }";
        assert_eq!(problem(&format!("{dynamic}, xon_offset = '25kB'")), "accepted");
        assert_eq!(
            problem(&format!("{dynamic}, xon_offset = '25001B'")),
            "switch[0].pfc.xon_offset: switch0 has XON 25001B below XOFF, which is never higher than 25kB; expected \
             at most 25kB"
        );
        let parts = "lossless_pool = '400kB', xoff = { policy = 'static_partition' }";
        assert_eq!(problem(&format!("{parts}, xon_offset = '100kB'")), "accepted");
        assert!(problem(&format!("{parts}, xon_offset = '100001B'")).ends_with("expected at most 100kB"));
    }

    /// Headroom of four ports is 228,968 bytes.
    #[test]
    fn pools_leave_lossless_classes_their_memory() {
        let pool = |bytes: u64| {
            let pools = format!("pools = [{{ ports = [0, 1, 2, 3], shared = '{bytes}B' }}]");
            problem_of_switch(&format!("pfc = {{ lossless_pool = '400kB' }}, {pools}"))
        };
        assert_eq!(pool(371_032), "accepted");
        assert_eq!(
            pool(371_033),
            "switch[0].pools: switch0 has pools of 371033B beside 628968B of lossless classes and reserves, together more \
             than its memory of 1MB; expected more memory, smaller pools, or a smaller `pfc.lossless_pool`"
        );
    }

    #[test]
    fn one_of_two_pools_is_said() {
        assert_eq!(problem("lossy_pool = '200kB'"), "accepted");
        assert_eq!(
            problem("lossy_pool = '200kB', lossless_pool = '200kB'"),
            "switch[0].pfc.lossy_pool: switch0 has both lossy_pool and lossless_pool; expected one of them"
        );
    }

    /// One of four ports; the worst case is 57,242 bytes.
    fn notes(headroom: &str) -> Vec<String> {
        let scenario = Scenario::from_toml(&text(&format!("pfc.headroom = {{ {headroom} }}")), &[]).unwrap();
        Simulation::new(&scenario, &Files::new()).unwrap().notes()
    }

    /// Three ports down of 25 Gb/s and 1 us, one up of 100 Gb/s and 4 us. For what comes after a pause of 1106 bytes on the wire:
    /// 3 x 1106 + 84, 64 x 80 quanta and 2 x 3125 in flight, and 3 x 1106 + 84, 64 x 394 and 2 x 50,000.
    const OF_DOWN: u64 = 14_772;
    const OF_UP: u64 = 128_618;

    fn mixed(total: u64, headroom: &str) -> Result<Simulation, String> {
        let link = |host: &str, link: &str| format!("{{ between = ['{host}', 'switch0'], {link} }}");
        let down =
            ["host0", "host1", "host2"].map(|host| link(host, "rate = '25Gbps', delay = '1us'")).join(", ");
        let text = format!(
            "topology = {{ kind = 'custom', hosts = ['host0', 'host1', 'host2', 'host3'], switches = ['switch0'], \
             links = [{down}, {}] }}\n\
             class = [{{ priority = 3, lossless = true }}, {{ priority = 4, lossless = true }}]\n\
             transport.roce = {{ kind = 'roce', control_priority = 3 }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB', priority = 3 }}]\n\
             switch = [{{ nodes = 'switch0' }}, {{ total = '{total}B', pfc = {{ lossless_pool = '9kB'{headroom} }} }}]",
            link("host3", "rate = '100Gbps', delay = '4us'")
        );
        let made =
            Scenario::from_toml(&text, &[]).and_then(|scenario| Simulation::new(&scenario, &Files::new()));
        made.map_err(|error| error.to_string())
    }

    #[test]
    fn ports_that_differ_need_together_what_each_needs() {
        let of_one_class = 3 * OF_DOWN + OF_UP;
        let by_hand =
            format!("scheme = 'sih', size = '{OF_DOWN}B', at_ports = [{{ ports = [3], size = '{OF_UP}B' }}]");
        for (headroom, aside) in [
            ("", 2 * of_one_class),
            ("scheme = 'adaptive'", 2 * of_one_class),
            ("scheme = 'dsh'", of_one_class),
            ("scheme = 'oversubscribed', ratio = '1/2'", of_one_class),
            (by_hand.as_str(), 2 * of_one_class),
            ("scheme = 'dsh', at_ports = [{ ports = [0, 1, 2], insurance = '0B' }]", OF_UP),
        ] {
            let headroom =
                if headroom.is_empty() { String::new() } else { format!(", headroom = {{ {headroom} }}") };
            // Beside a pool of lossless classes, room for one packet of others.
            assert!(mixed(aside + 11_000, &headroom).is_ok(), "{headroom}");
            assert_eq!(
                mixed(aside - 1, &headroom).unwrap_err(),
                format!(
                    "switch[1].pfc.headroom: switch0 sets aside {} for headroom and reserves of 4 ports, more than its memory \
                     of {}; expected more memory, a smaller headroom, another scheme, or fewer lossless classes",
                    Bytes::new(aside),
                    Bytes::new(aside - 1)
                )
            );
        }
    }

    #[test]
    fn ports_are_named_by_their_numbers_and_once() {
        let problem = |at_ports: &str| {
            let headroom = format!(", headroom = {{ scheme = 'dsh', at_ports = [{at_ports}] }}");
            mixed(1_000_000, &headroom).map_or_else(|error| error, |_| "accepted".to_owned())
        };
        assert_eq!(
            problem("{ ports = [3], size = '130kB' }, { ports = [0, 2], insurance = '15kB' }"),
            "accepted"
        );
        assert_eq!(
            problem("{ ports = [3], size = '130kB' }, { ports = [4], size = '130kB' }"),
            "switch[1].pfc.headroom.at_ports[1].ports: switch0 has no port 4; expected each of the ports 0 to 3 at most once"
        );
        assert_eq!(
            problem("{ ports = [3, 3] }"),
            "switch[1].pfc.headroom.at_ports[0].ports: switch0 has port 3 twice; expected each of the ports 0 to 3 at most once"
        );
    }

    /// Headroom of three ports and the kB that each pauses at in an empty pool, of a switch with links of 25, 25 and 100 Gb/s.
    fn ports(pfc: &str) -> Result<(Vec<u64>, Vec<u64>), String> {
        let text = format!(
            "topology = {{ kind = 'dumbbell', left = 2, right = 1, \
             host_link = {{ rate = '25Gbps', delay = '1us' }}, middle_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
             class = [{{ priority = 3, lossless = true }}]\n\
             transport.roce = {{ kind = 'roce', control_priority = 3 }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB', priority = 3 }}]\n\
             [[switch]]\ntotal = '3MB'\n[switch.pfc]\nlossless_pool = '1MB'\n{pfc}"
        );
        let scenario = Scenario::from_toml(&text, &[]).map_err(|error| error.to_string())?;
        let simulation = Simulation::new(&scenario, &Files::new()).map_err(|error| error.to_string())?;
        let SwitchLayout::SharedMemory(layout) = simulation.layout(3) else { panic!("a shared memory") };
        let lossless = layout.lossless.as_ref().unwrap();
        let empty = Occupancy::empty(lossless.sizes.shared, lossless.sizes.queues());
        let thresholds = lossless.xoff.iter().map(|policy| policy.threshold(3, &empty).get() / 1000);
        Ok((lossless.divided().headroom_of_ports, thresholds.collect()))
    }

    #[test]
    fn ports_of_a_rate_have_what_is_said_of_it() {
        let at_rate = "at_rate.100Gbps = { xoff = { policy = 'dynamic_threshold', alpha = '1/2' }, headroom = '200kB' }";
        assert_eq!(
            ports(&format!("headroom = {{ scheme = 'sih', size = '40kB' }}\n{at_rate}")),
            Ok((vec![40_000, 40_000, 200_000], vec![125, 125, 500]))
        );
    }

    /// Each scheme sets aside what a port needs by its number, else by its rate, else like all ports. Oversubscribed
    /// headroom of the ratio 1/2 sets aside half of that.
    #[test]
    fn a_size_by_number_goes_before_one_by_rate() {
        for (scheme, share) in
            [("'sih'", 1), ("'dsh'", 1), ("'oversubscribed', of = 'queue', ratio = '1/2'", 2)]
        {
            let headroom = |rest: &str, at_rate: &str| {
                let scheme = format!("headroom = {{ scheme = {scheme}, size = '40kB'{rest} }}");
                let sizes = ports(&format!("{scheme}\nat_rate.{at_rate}")).unwrap().0;
                sizes.into_iter().map(|size| size * share).collect::<Vec<_>>()
            };
            assert_eq!(headroom("", "100Gbps.headroom = '200kB'"), [40_000, 40_000, 200_000], "{scheme}");
            let by_number = |ports: &str| format!(", at_ports = [{{ ports = {ports}, size = '50kB' }}]");
            assert_eq!(
                headroom(&by_number("[1]"), "25Gbps.headroom = '30kB'"),
                [30_000, 50_000, 40_000],
                "{scheme}"
            );
            assert_eq!(
                headroom(&by_number("[0, 1]"), "25Gbps.headroom = '30kB'"),
                [50_000, 50_000, 40_000],
                "{scheme}"
            );
        }
    }

    #[test]
    fn what_cannot_be_of_a_rate_is_refused() {
        assert_eq!(
            ports("at_rate.40Gbps.headroom = '60kB'").unwrap_err(),
            "switch[0].pfc.at_rate.40Gbps: no port of a switch \"*\" has this rate; expected 25Gbps or 100Gbps"
        );
        assert_eq!(
            ports("headroom = { scheme = 'adaptive' }\nat_rate.25Gbps.headroom = '60kB'").unwrap_err(),
            "switch[0].pfc.at_rate.25Gbps.headroom: left computes headroom itself: adaptive; expected none, or another scheme"
        );
        assert!(
            ports("at_rate.25Gbps.xoff = { policy = 'abm' }")
                .unwrap_err()
                .starts_with("switch[0].pfc.at_rate.25Gbps.xoff: left pauses lossless classes by `abm`")
        );
    }

    #[test]
    fn headroom_of_a_port_that_may_not_do_is_noted() {
        let notes = |at_ports: &str| {
            let headroom =
                format!(", headroom = {{ scheme = 'sih', size = '200kB', at_ports = [{at_ports}] }}");
            mixed(3_000_000, &headroom).unwrap().notes()
        };
        assert_eq!(notes("{ ports = [0, 1], size = '14772B' }, { ports = [3], size = '128618B' }"), [""; 0]);
        assert_eq!(
            notes("{ ports = [0, 1], size = '14771B' }, { ports = [3], size = '128618B' }"),
            [
                "switch0: after a pause up to 14772B of a class may come over a link of 25Gbps and 1us, and headroom is sure to \
              have room for 14771B: lossless packets may be dropped"
            ]
        );
    }

    #[test]
    fn headroom_that_may_not_do_once_a_link_is_faster_is_noted() {
        let notes = |rates: &[&str]| {
            let event =
                |rate: &&str| format!("{{ at = '1ms', between = ['right', 'left'], rate = '{rate}' }}");
            let events: Vec<String> = rates.iter().map(event).collect();
            let text = format!(
                "topology = {{ kind = 'dumbbell', left = 1, right = 1, \
                 host_link = {{ rate = '25Gbps', delay = '2us' }}, middle_link = {{ rate = '25Gbps', delay = '2us' }} }}\n\
                 class = [{{ priority = 3, lossless = true }}]\n\
                 pfc.reaction_quanta = 60\n\
                 transport.roce = {{ kind = 'roce', control_priority = 3 }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB', priority = 3 }}]\n\
                 switch = [{{ total = '1MB', pfc = {{}} }}]\n\
                 link_event = [{}]",
                events.join(", ").replacen("1ms", "2ms", rates.len() - 1)
            );
            let scenario = Scenario::from_toml(&text, &[]).unwrap();
            let mut notes = Simulation::new(&scenario, &Files::new()).unwrap().notes();
            notes.retain(|note| note.starts_with("left"));
            notes
        };
        assert_eq!(notes(&["10Gbps"]), [""; 0]);
        assert_eq!(
            notes(&["100Gbps", "10Gbps"]),
            [
                "left and 1 more: after a pause up to 57242B of a class may come over a link of 100Gbps and 2us, and headroom \
                 is sure to have room for 19742B: lossless packets may be dropped"
            ]
        );
    }

    #[test]
    fn headroom_that_may_not_do_is_noted() {
        let short = |kept: &str| {
            [format!(
                "switch0: after a pause up to 57242B of a class may come over a link of 100Gbps and 2us, and headroom is \
                 sure to have room for {kept}: lossless packets may be dropped"
            )]
        };
        for enough in
            ["scheme = 'sih'", "scheme = 'sih', size = '57242B'", "scheme = 'adaptive'", "scheme = 'dsh'"]
        {
            assert_eq!(notes(enough), [""; 0], "{enough}");
        }
        assert_eq!(notes("scheme = 'sih', size = '57241B'"), short("57241B"));
        assert_eq!(notes("scheme = 'dsh', insurance = '0B'"), short("0B"));
        assert_eq!(notes("scheme = 'oversubscribed', ratio = '1/2', of = 'queue'"), short("28621B"));
        assert_eq!(notes("scheme = 'oversubscribed', size = '60kB', ratio = '9/10'"), short("36kB"));
    }
}

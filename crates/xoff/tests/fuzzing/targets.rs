//! Fuzz targets: functions from any bytes to nothing, which panic where a law is broken.
//!
//! `fuzz/` builds each of them with libFuzzer, and the tests beside this file run them on the files of `fuzz/corpora`.
//! Text targets ask for one clear line where input is refused. What is accepted reads back the same, and the first
//! microseconds of its run are simulated. The last two targets simulate small networks to their end.

use arbitrary::Unstructured;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use xoff::internals::scenario::Stop;
use xoff::plan::headroom::{Headroom, Link};
use xoff::plan::{bcc, headroom};
use xoff::settings::{document, read_fraction, read_quantity, value};
use xoff::units::{Bytes, Rate, Ratio, Span};
use xoff::{Execution, Files, Report, Scenario, ScenarioError, Simulation, fluid};

use crate::random::{self, Ends};
use crate::{accounts, reference};

/// Nodes of the largest network of which a run is begun.
const MOST_NODES: usize = 40;
/// Rate in bit/s of all links together up to which a run is begun.
const MOST_TOGETHER: u128 = 2_000_000_000_000;
/// Time that is simulated of a scenario that was read.
const BEGINNING: Span = Span::from_microseconds(20);

/// Reads the text of a scenario file. It may name four files: a trace, a job, a list of sizes and a matrix.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(scenario) = accepted(Scenario::from_toml(text, &[])) {
        begin(&scenario, &files());
    }
}

/// Makes changes to a scenario. The first byte chooses which, and every line after it is a `KEY=VALUE`.
pub fn overrides(bytes: &[u8]) {
    let Some((&which, changes)) = bytes.split_first() else { return };
    let Ok(changes) = std::str::from_utf8(changes) else { return };
    let changes: Vec<String> = changes.lines().map(str::to_owned).collect();
    let text = BASES[usize::from(which) % BASES.len()];
    for line in Scenario::left_out(text, &changes) {
        assert_is_line(&line);
    }
    if let Some(scenario) = accepted(Scenario::from_toml(text, &changes)) {
        begin(&scenario, &files());
    }
    if let Some(parameters) = accepted(fluid::Parameters::with_changes("dcqcn", &changes)) {
        let _ = parameters.recorded_numbers().checked_add(parameters.remembered_numbers());
    }
    for change in &changes {
        value(change);
    }
}

/// Reads a table of numbers. The first byte chooses its kind, and the others are its text.
pub fn tables(bytes: &[u8]) {
    let Some((&which, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let workload = TABLES[usize::from(which) % TABLES.len()];
    let scenario = Scenario::from_toml(&format!("{STAR}workload = [{{ {workload} }}]\n"), &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let files = scenario.files().into_iter().map(|file| (file.path, text.to_owned())).collect();
    begin(&scenario, &files);
}

/// Computes what is planned from numbers in the ranges of files, and reads documents and quantities.
pub fn plan(bytes: &[u8]) {
    let mut numbers = Unstructured::new(bytes);
    let _ = plan_from(&mut numbers);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    accepted(document(text));
    let text = Value::from(text);
    for (dimension, most) in [("time", MOST_PICOSECONDS), ("size", MOST_BYTES), ("rate", MOST_RATE)] {
        assert!(!read_quantity(dimension, &text).is_ok_and(|number| number > most), "{text}");
    }
    let _ = read_fraction(&text);
}

/// Sends packets through one shared-memory switch. The first eight bytes draw the switch, and each six after them are a
/// burst of packets: its hosts, size, priority, and the time until the next.
pub fn switch(bytes: &[u8]) {
    let settings = (random::switch(), random::lossless_switch(), proptest::bool::ANY, 2..6_u32);
    let Some(((lossy, lossless, is_lossless, hosts), arrivals)) = drawn(bytes, settings) else { return };
    let (text, files) = star_of_bursts(if is_lossless { &lossless } else { &lossy }, hosts, arrivals);
    let _shown = Shown(&text);
    let scenario = Scenario::from_toml(&text, &[]).and_then(|scenario| Simulation::new(&scenario, &files));
    if let Some(simulation) = accepted(scenario) {
        hold_all_laws(&simulation);
    }
}

/// Simulates a small network in the reference engine, and with one thread and two. The first eight bytes draw the
/// scenario, and each two after them change one quantity of it. It then ends early, as it may not be one that ends.
pub fn network(bytes: &[u8]) {
    let Some((text, changes)) = drawn(bytes, random::scenario(Ends::ANY)) else { return };
    let changes = changes.as_chunks().0;
    let text = changes.iter().fold(text, |text, &change| with_another_quantity(&text, change));
    let end = if changes.is_empty() { &[][..] } else { &["stop.at=60us".to_owned()] };
    let scenario =
        Scenario::from_toml(&text, end).and_then(|scenario| Simulation::new(&scenario, &random::files()));
    if let Some(simulation) = accepted(scenario) {
        hold_all_laws(&simulation);
    }
}

/// Numbers that quantities may have instead of their own.
const NUMBERS: [u16; 16] = [0, 1, 2, 3, 5, 7, 10, 41, 64, 100, 199, 300, 333, 1000, 1460, 1500];

/// Replaces the number of one quantity of a text, such as the 20 of `'20kB'`.
fn with_another_quantity(text: &str, [place, number]: [u8; 2]) -> String {
    let mut parts: Vec<&str> = text.split('\'').collect();
    let is_quantity = |part: &&str| part.starts_with(|first: char| first.is_ascii_digit());
    let places: Vec<usize> = (1..parts.len()).step_by(2).filter(|&at| is_quantity(&parts[at])).collect();
    let Some(&at) = places.get(usize::from(place) % places.len().max(1)) else { return text.to_owned() };
    let unit = parts[at].trim_start_matches(|one: char| !one.is_ascii_alphabetic());
    let other = format!("{}{unit}", NUMBERS[usize::from(number) % NUMBERS.len()]);
    parts[at] = &other;
    parts.join("'")
}

/// Text of the scenario that is run, printed if a law is broken. A fuzzer aborts before that, and a plain test prints it.
struct Shown<'a>(&'a str);

impl Drop for Shown<'_> {
    #[allow(clippy::print_stdout, reason = "libtest shows it if the test fails")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.0);
        }
    }
}

/// Holds the laws of whole runs.
fn hold_all_laws(simulation: &Simulation) {
    let (mut slow, on_wires) = reference::run(simulation);
    accounts::every_packet_is_accounted_for(&slow);
    accounts::every_record_is_some_packets(&slow, &on_wires);
    accounts::no_lossless_packet_is_dropped(simulation, &slow);
    accounts::memory_holds_what_its_queues_hold(&slow);
    let expected = Report::new(simulation, &mut slow).digest;
    let Stop { at, after_flows, .. } = simulation.scenario().stop;
    for threads in [1, 2] {
        let mut outcome = simulation.run(Execution::with_threads(threads), &mut |_| true);
        accounts::every_packet_is_accounted_for(&outcome);
        if at.is_none() && after_flows.is_none() && !outcome.stood_still {
            accounts::nothing_is_left(&outcome);
        }
        assert_eq!(Report::new(simulation, &mut outcome).digest, expected, "{threads} threads");
    }
}

/// Returns the value that a strategy draws with the first eight bytes as the seed, and the other bytes.
fn drawn<T: std::fmt::Debug>(bytes: &[u8], strategy: impl Strategy<Value = T>) -> Option<(T, &[u8])> {
    let (first, others) = bytes.split_first_chunk::<8>()?;
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(first);
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let tree = strategy.new_tree(&mut TestRunner::new_with_rng(config, rng));
    tree.ok().map(|tree| (tree.current(), others))
}

/// Returns what was read. Errors are one clear line.
fn accepted<T>(read: Result<T, ScenarioError>) -> Option<T> {
    read.map_err(|error| {
        assert!(
            !error.key.is_empty() && !error.problem.is_empty() && !error.expected().is_empty(),
            "{error:?}"
        );
        assert_is_line(&error.to_string());
    })
    .ok()
}

/// Holds that a text for users is one line that can be read whole.
fn assert_is_line(text: &str) {
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(text.len() < 4_000, "{} bytes: {text:?}", text.len());
}

/// Lays out a scenario that was read, holds that its text reads back the same, and begins its run if that is small.
fn begin(scenario: &Scenario, files: &Files) {
    assert_eq!(accepted(Scenario::from_toml(&scenario.to_toml(), &[])).as_ref(), Some(scenario));
    let mut beginning = scenario.clone();
    let end = scenario.stop.at.map_or(BEGINNING, |at| at.min(BEGINNING));
    beginning.stop.at = Some(end);
    let Some(simulation) = accepted(Simulation::new(scenario, files)) else { return };
    for note in simulation.notes() {
        assert_is_line(&note);
    }
    let network = simulation.network();
    let rates = network.links.iter().flat_map(|link| link.rates);
    let is_small = network.nodes.len() <= MOST_NODES
        && rates.map(|rate| u128::from(rate.get())).sum::<u128>() <= MOST_TOGETHER;
    if is_small
        && let Some(simulation) = accepted(Simulation::new(&beginning, files))
        && accepted(simulation.check_undriven()).is_some()
    {
        let mut outcome = simulation.run(Execution::with_threads(1), &mut |_| true);
        accounts::every_packet_is_accounted_for(&outcome);
        Report::new(&simulation, &mut outcome);
    }
}

/// Longest time of a file in picoseconds, largest size in bytes and highest rate in bit/s.
const MOST_PICOSECONDS: u64 = 100_000_000_000_000_000;
const MOST_BYTES: u64 = 1 << 48;
const MOST_RATE: u64 = 1_000_000_000_000_000;

fn plan_from(numbers: &mut Unstructured) -> arbitrary::Result<()> {
    let [shared, reserved, largest] = [(); 3].map(|()| numbers.int_in_range(0..=MOST_BYTES).map(Bytes::new));
    let [rate, together] = [(); 2].map(|()| numbers.int_in_range(1..=MOST_RATE).map(Rate::new));
    let [delay, ramp] = [(); 2].map(|()| numbers.int_in_range(0..=MOST_PICOSECONDS).map(Span::new));
    let (shared, reserved, largest, rate, together, delay, ramp) =
        (shared?, reserved?, largest?, rate?, together?, delay?, ramp?);
    let mut ratio = || -> arbitrary::Result<Ratio> {
        Ok(Ratio::new(numbers.int_in_range(1..=1 << 32)?, numbers.int_in_range(1..=1 << 32)?))
    };
    let (alpha, lambda) = (ratio()?, ratio()?);
    let link = Link {
        rate,
        pause_rate: together,
        delay,
        largest,
        reaction_quanta: headroom::reaction_quanta(rate),
        pool_may_be_full: numbers.arbitrary()?,
    };
    let parts = Headroom::of(&link);
    assert!(parts.published().total() <= parts.total());
    let pool = bcc::Pool { shared, rate, together, alpha, reserved, round_trip: delay, lambda, ramp };
    match pool.thresholds() {
        Ok(thresholds) => {
            assert!(
                thresholds.minimum <= thresholds.maximum && thresholds.maximum <= shared,
                "{thresholds:?}"
            );
        }
        Err(infeasible) => assert_is_line(&infeasible.to_string()),
    }
    let busy = numbers.int_in_range(1..=1_000_u64)?;
    assert!(bcc::share(shared, alpha, busy).get() <= shared.get() / busy);
    let from = bcc::drops_before_marking_from(shared, alpha, reserved, largest, busy);
    assert!(from.is_none_or(|from| from <= busy));
    Ok(())
}

/// Scenario without the workload that reads a table.
const STAR: &str = "topology = { kind = 'star', hosts = 4, host_link = { rate = '10Gbps', delay = '1us' } }\n\
                    class = [{ priority = 0, lossless = true }, { priority = 1 }]\n\
                    transport.a = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' } }\n\
                    stop.arrivals_end = '15us'\n";

/// Workloads that name a table.
const TABLES: [&str; 5] = [
    "kind = 'trace', transport = 'a', file = 'trace.csv'",
    "kind = 'job', transport = 'a', file = 'job.csv', local_rate = '40Gbps'",
    "kind = 'poisson', transport = 'a', sizes = 'sizes.csv', load = 0.5, of = 'host'",
    "kind = 'incast', transport = 'a', sizes = 'sizes.csv', fan_in = 2, groups = 3, every = '5us'",
    "kind = 'collective', transport = 'a', operation = 'all_to_all', matrix = 'matrix.csv', compute = '1us'",
];

/// Scenarios to be changed, with a table of every family between them.
const BASES: [&str; 3] = [
    "topology = { kind = 'star', hosts = 4, host_link = { rate = '10Gbps', delay = '1us' } }\n\
     switch = [{ total = '1MB', buffer = { policy = 'dynamic_threshold', alpha = 1 }, \
     marking.queue = { kind = 'threshold', threshold = '30kB' } }]\n\
     transport.a = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' } }\n\
     workload = [{ kind = 'incast', transport = 'a', fan_in = 2, size = '5kB', groups = 3, every = '5us' }]\n",
    "topology = { kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 2, \
     host_link = { rate = '25Gbps', delay = '100ns' }, fabric_link = { rate = '25Gbps', delay = '300ns' } }\n\
     class = [{ priority = 0, lossless = true }]\n\
     pfc = { detection_time = '9us', watchdog = {} }\n\
     switch = [{ total = '9MB', pfc = { xoff = { policy = 'static_threshold', threshold = '20kB' }, \
     headroom = { scheme = 'dsh' } } }]\n\
     transport.a = { kind = 'roce', congestion_control = { algorithm = 'dcqcn' } }\n\
     workload = [{ kind = 'poisson', transport = 'a', sizes = 'web_search', load = 0.9, of = 'core' }, \
     { kind = 'collective', transport = 'a', operation = 'all_reduce', size = '90kB' }]\n\
     slow_receiver = [{ hosts = ['host0'], rate = '1Gbps', end = '15us' }]\n\
     link_event = [{ at = '5us', between = ['leaf0', 'spine0'], state = 'down' }]\n",
    "topology = { kind = 'fabric', supernodes = 2, ports_per_supernode = 2, \
     host_link = { rate = '10Gbps', delay = '100ns' }, card_link = { rate = '10Gbps', delay = '0ns' }, \
     supernode_link = { rate = '10Gbps', delay = '1us' } }\n\
     class = [{ priority = 0, lossless = true }]\n\
     switch = [{ kind = 'cioq', input = { buffer = '9MB', queues = 'per_destination', \
     congestion_point = { sampling = 'occupancy', set_point = '2kB' } }, output = { buffer = '90kB' }, \
     crossbar = { matching = 'islip' }, internal = { input = '100kB', output = '100kB' } }]\n\
     transport.a = { kind = 'constant_rate', payload = '1000B', rate = '9Gbps' }\n\
     workload = [{ kind = 'permutation', transport = 'a', size = '9kB' }]\n\
     observe = { queues = { every = '3us' }, pauses = true }\n",
];

/// Texts of files that scenarios may name.
fn files() -> Files {
    let mut files = random::files();
    let trace =
        "source,destination,size_bytes,start_ns,priority\nhost0,host1,5000,0,0\nhost1,host0,10,1000,7\n";
    let sizes = "size_bytes,cumulative_probability\n100,0\n1000,0.5\n30000,1\n";
    let matrix = "0,1000,20,3\n1,0,1,1\n9000,0,0,0\n5,5,5,0\n";
    for (name, text) in [("trace.csv", trace), ("sizes.csv", sizes), ("matrix.csv", matrix)] {
        files.insert(name.to_owned(), text.to_owned());
    }
    files
}

/// Payloads of the packets of bursts.
const PAYLOADS: [u64; 3] = [64, 1000, 1460];

/// Writes a star around a switch and, for each size of packets, a trace of what hosts send.
fn star_of_bursts(switch: &str, hosts: u32, bytes: &[u8]) -> (String, Files) {
    const HEADER: &str = "source,destination,size_bytes,start_ns,priority\n";
    let mut traces = PAYLOADS.map(|_| HEADER.to_owned());
    let mut now = 0;
    for &[ends, payload, size, size_high, priority, gap] in bytes.as_chunks().0 {
        let (source, other) = (u32::from(ends) % hosts, u32::from(ends) / hosts % (hosts - 1));
        let destination = (source + 1 + other) % hosts;
        let size = 1 + u32::from(u16::from_le_bytes([size, size_high])) % 20_000;
        let trace = &mut traces[usize::from(payload) % PAYLOADS.len()];
        let row = format!("host{source},host{destination},{size},{now},{}\n", priority % 8);
        trace.push_str(&row);
        now += u64::from(gap) * 20;
    }
    let (mut transports, mut workloads, mut files) = (Vec::new(), Vec::new(), Files::new());
    for (payload, trace) in PAYLOADS.into_iter().zip(traces) {
        let name = format!("of_{payload}");
        transports.push(format!("{name} = {{ kind = 'constant_rate', payload = '{payload}B' }}"));
        if trace.len() > HEADER.len() {
            workloads.push(format!("{{ kind = 'trace', transport = '{name}', file = '{name}.csv' }}"));
            files.insert(format!("{name}.csv"), trace);
        }
    }
    let text = format!(
        "topology = {{ kind = 'star', hosts = {hosts}, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
         links = [{{ between = ['host1', 'switch0'], rate = '3Gbps' }}] }}\n{switch}\n\
         transport = {{ {} }}\nworkload = [{}]\n",
        transports.join(", "),
        workloads.join(", ")
    );
    (text, files)
}

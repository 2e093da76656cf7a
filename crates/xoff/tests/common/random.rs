//! Random small scenarios: every topology, policy, marker, recovery and workload, with links of any length.
//!
//! Every choice shrinks towards the first of its list.

use proptest::prelude::*;
use proptest::sample::select;
use xoff::{Files, Scenario, Simulation};

const RATES: &[&str] = &["10Gbps", "100Gbps", "25Gbps", "1Gbps", "3Gbps"];
const DELAYS: &[&str] = &["1us", "0ns", "1ns", "199ns", "200ns", "300ns", "5us"];

/// Condition that ends a random scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Nothing: the scenario ends when every flow is done.
    Drained,
    /// A number of flows is done.
    AfterFlows,
    /// The time, whatever is under way.
    InTheMiddle,
}

impl Ends {
    /// Every way to end.
    pub(crate) const ANY: &[Self] = &[Self::Drained, Self::AfterFlows, Self::InTheMiddle];
}

/// Draws the text of a scenario that ends in one of these ways.
pub(crate) fn scenario(ends: &'static [Ends]) -> impl Strategy<Value = String> {
    let switches = prop_oneof![3 => switch(), 3 => lossless_switch(), 2 => cioq(false)];
    let network = prop_oneof![8 => (topology(), switches), 2 => (fabric(), cioq(true))];
    let tables = (network, host(), tcp(), roce(), constant_rate());
    let workloads = prop::collection::vec(workload(), 1..4);
    let text = (tables, workloads, select(ends), 0..1000_u32).prop_map(
        |((((topology, hosts), switch), host, tcp, roce, constant_rate), workloads, ends, seed)| {
            let workloads: Vec<String> =
                workloads.iter().map(|workload| workload.text(hosts, ends)).collect();
            let stop = match ends {
                Ends::Drained => "",
                Ends::AfterFlows => ", after_flows = 3, period = '7us'",
                Ends::InTheMiddle => ", at = '43us'",
            };
            format!(
                "title = 'random'\nseed = {seed}\ntopology = {topology}\nhost = {{ {host} }}\n\
                 {switch}\ntransport.tcp = {{ kind = 'tcp', {tcp} }}\ntransport.roce = {{ kind = 'roce', {roce} }}\n\
                 transport.steady = {{ kind = 'constant_rate', {constant_rate} }}\n\
                 workload = [\n    {},\n]\nstop = {{ arrivals_end = '40us'{stop} }}\n",
                workloads.join(",\n    ")
            )
        },
    );
    let text = text.prop_filter("markers and packets have a place", |text| has_places(text));
    let changes = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(link_change(), 1..5)];
    let slow = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(slow_receiver(), 1..4)];
    let after = (routing(), measure(), duplicate_threshold(), queue_pairs(), spraying(), scale_up());
    (text, changes, slow, after).prop_map(|(text, changes, slow, after)| {
        let (routing, measure, threshold, queue_pairs, spraying, scale_up) = after;
        let text = text.replacen("kind = 'tcp', ", &format!("kind = 'tcp', {threshold}"), 1);
        let text = with_keys(text, "kind = 'roce', ", queue_pairs);
        let text = with_keys(text, "topology = { ", routing);
        let text = with_keys(text, "kind = 'roce', ", spraying);
        let text = without_livelocks(text);
        let text = with_servers(text, scale_up);
        let text = with_link_changes(with_all_that_fit(text, &slow), &changes);
        measure.to_owned() + &text
    })
}

/// Draws the rule by which switches choose among shortest paths.
fn routing() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "",
        "routing = 'packet_spraying', ",
        "routing = 'adaptive', ",
        "routing = 'flowlet', flowlet_gap = '2us', ",
        "routing = 'adaptive_flowlet', flowlet_gap = '300ns', ",
    ])
}

/// Draws the duplicates that TCP takes for a loss.
fn duplicate_threshold() -> impl Strategy<Value = &'static str> {
    text(&["", "", "duplicate_threshold = 1, ", "duplicate_threshold = 7, "])
}

/// Draws the largest window of queue pairs, and whether they persist.
fn queue_pairs() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "connections = 'persistent', ",
        "maximum_window = '20kB', ",
        "",
        "connections = 'persistent', maximum_window = '20kB', queue_pairs = 3, ",
    ])
}

/// Draws the way in which queue pairs spray their packets.
fn spraying() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "",
        "spraying = { algorithm = 'oblivious', entropies = 3 }, ",
        "spraying = { algorithm = 'reps' }, ",
        "spraying = { algorithm = 'reps', entropies = 9, freezing_timeout = '1ms', explore_packets = 2 }, ",
    ])
}

/// Draws the measured time.
fn measure() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "",
        "measure.start = '20us'\n",
        "measure.end = '39us'\n",
        "measure = { start = '11us', end = '31us' }\n",
    ])
}

/// Adds keys behind the text with which a topology or a transport begins, if they fit.
fn with_keys(text: String, behind: &str, keys: &str) -> String {
    if keys.is_empty() {
        return text;
    }
    let other = text.replacen(behind, &format!("{behind}{keys}"), 1);
    if is_accepted(&other) { other } else { text }
}

/// Has CoDel mark packets of queue pairs, and not drop them, in scenarios that end when flows are done.
///
/// Timeouts of queue pairs do not grow. Queue pairs that have lost packets together send them together again, 5 ms later
/// and every 5 ms, and CoDel drops the same ones for ever.
fn without_livelocks(text: String) -> String {
    let may_last_for_ever = text.contains("'codel'") && !text.contains(", at = '43us'");
    if may_last_for_ever { with_keys(text, "kind = 'roce', ", "ecn_capable = true, ") } else { text }
}

/// Draws the network that joins hosts in pairs.
fn scale_up() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "",
        "scale_up = { hosts_per_server = 2, link = { rate = '100Gbps', delay = '100ns' } }\n",
        "scale_up = { hosts_per_server = 2, stride = 2, link = { rate = '3Gbps', delay = '1us' } }\n",
        "scale_up = { hosts_per_server = 2, link = { rate = '1Gbps', delay = '0ns' } }\n",
    ])
}

/// Adds those servers, and collectives by server, if they fit.
fn with_servers(text: String, scale_up: &str) -> String {
    if scale_up.is_empty() {
        return text;
    }
    let other = scale_up.to_owned() + &text;
    let sums = if scale_up.contains("stride") { "rings" } else { "hierarchical" };
    let by_server = other
        .replace(
            "operation = 'all_reduce', size",
            &format!("operation = 'all_reduce', algorithm = '{sums}', size"),
        )
        .replace("algorithm = 'pairwise'", "algorithm = 'hierarchical'");
    [by_server, other].into_iter().find(|text| is_accepted(text)).unwrap_or(text)
}

/// Draws a table about hosts whose adapters are slow for some time.
fn slow_receiver() -> impl Strategy<Value = String> {
    let rate = text(&["", "rate = '300Mbps'\n", "rate = '2Gbps'\n", "rate = '9Gbps'\n"]);
    let buffer = text(&["", "buffer = '9500B'\nxon_offset = '0B'\n", "buffer = '20kB'\n"]);
    (text(&["host1", "host0", "host*"]), rate, buffer, 0..50_u32, 1..60_u32).prop_map(
        |(hosts, rate, buffer, start, length)| {
            let end = start + length;
            format!(
                "[[slow_receiver]]\nhosts = ['{hosts}']\n{rate}{buffer}start = '{start}us'\nend = '{end}us'\n"
            )
        },
    )
}

/// Rows of random jobs. The flow `again` waits for what its host has sent and received.
const JOB: &str = "flow,source,destination,size_bytes,priority,after,delay_ns\n\
                   there,host0,host1,3000,1,,500\n\
                   last,host1,host0,1461,7,again,0\n\
                   back,host1,host0,1,4,there,0\n\
                   other,host1,host0,5000,2,,2000\n\
                   again,host0,host1,9000,1,back there other,700\n";

/// Rows of random jobs that compute as well, on two streams.
const COMPUTING: &str = "flow,source,destination,size_bytes,priority,after,delay_ns,compute_ns,stream\n\
                         first,host0,,,,,0,900,0\n\
                         second,host0,,,,,0,2500,0\n\
                         beside,host0,,,,,100,700,1\n\
                         there,host0,host1,4000,1,first beside,0,,\n\
                         here,host1,host1,7000,,there,0,,\n\
                         back,host1,host0,1461,4,there here,300,,\n\
                         end,host0,host0,0,,second back,0,,\n";

/// Files that random scenarios name.
pub(crate) fn files() -> Files {
    Files::from(
        [("job.csv", JOB), ("computing.csv", COMPUTING)]
            .map(|(name, text)| (name.to_owned(), text.to_owned())),
    )
}

fn is_accepted(text: &str) -> bool {
    let scenario = Scenario::from_toml(text, &[]);
    scenario.and_then(|scenario| Simulation::new(&scenario, &files())).is_ok()
}

/// Adds those tables that fit one after another.
fn with_all_that_fit(text: String, tables: &[String]) -> String {
    tables.iter().fold(text, |text, table| {
        let longer = format!("{text}{table}");
        if is_accepted(&longer) { longer } else { text }
    })
}

/// Changes of the link at some place in the network's list.
#[derive(Clone, Debug)]
struct LinkChange {
    place: prop::sample::Index,
    at: u32,
    /// First change, and the second after so many more microseconds.
    first: &'static str,
    second: Option<(u32, &'static str)>,
}

fn link_change() -> impl Strategy<Value = LinkChange> {
    let fails = text(&[
        "state = 'down'",
        "state = 'down', convergence = '3us'",
        "state = 'down', convergence = '20us'",
    ]);
    let comes_back = text(&["state = 'up'", "state = 'up', convergence = '3us'"]);
    let fails = (fails, prop::option::weighted(0.8, (1..30_u32, comes_back)));
    let slows = (
        text(&[
            "rate = '3Gbps'",
            "rate = '100Gbps'",
            "rate = '3Gbps', rate_back = '40Gbps'",
            "rate_back = '100Gbps'",
        ]),
        Just(None),
    );
    (any::<prop::sample::Index>(), 0..60_u32, prop_oneof![3 => fails, 1 => slows])
        .prop_map(|(place, at, (first, second))| LinkChange { place, at, first, second })
}

/// Adds those changes that fit one after another.
fn with_link_changes(text: String, changes: &[LinkChange]) -> String {
    if changes.is_empty() || !is_accepted(&text) {
        return text;
    }
    let scenario = Scenario::from_toml(&text, &[]).expect("it is accepted");
    let simulation = Simulation::new(&scenario, &files()).expect("it is accepted");
    let network = simulation.network();
    let tables: Vec<String> = changes
        .iter()
        .map(|LinkChange { place, at, first, second }| {
            let [one, other] = place.get(&network.links).ends.map(|end| &network.nodes[end as usize].name);
            let event = |at: u32, what| {
                format!(
                    "[[link_event]]\nat = '{at}us'\nbetween = ['{one}', '{other}']\n{}\n",
                    str::replace(what, ", ", "\n")
                )
            };
            let second = second.map(|(after, what)| event(at + after, what)).unwrap_or_default();
            format!("{}{second}", event(*at, first))
        })
        .collect();
    with_all_that_fit(text, &tables)
}

/// Whether every marker can sit where it is, packets are not always dropped, nor before it is reached, and pauses last
/// until they are repeated. Everything else must fit.
fn has_places(text: &str) -> bool {
    let scenario = Scenario::from_toml(text, &[]);
    let simulation = scenario.and_then(|scenario| Simulation::new(&scenario, &files()));
    let has_none = |error: &str| {
        [".marking.", "less than one packet", "pfc.pause_quanta"].iter().any(|part| error.contains(part))
    };
    simulation.map_or_else(|error| !has_none(&error.to_string()), |_| true)
}

fn text(choices: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    select(choices)
}

/// Draws the rate of the other direction of a link.
fn rate_back() -> impl Strategy<Value = &'static str> {
    text(&["", "", "", ", rate_back = '1Gbps'", ", rate_back = '40Gbps'"])
}

fn link() -> impl Strategy<Value = String> {
    let errors = text(&["", "", "", ", error_rate = 0.001"]);
    (text(RATES), text(DELAYS), errors, rate_back()).prop_map(|(rate, delay, errors, rate_back)| {
        format!("rate = '{rate}', delay = '{delay}'{errors}{rate_back}")
    })
}

/// Draws a topology, with its number of hosts. These are called `host0` and so on.
fn topology() -> impl Strategy<Value = (String, u32)> {
    let star = (2..6_u32, link()).prop_map(|(hosts, link)| {
        (format!("{{ kind = 'star', hosts = {hosts}, host_link = {{ {link} }} }}"), hosts)
    });
    let dumbbell = (1..4_u32, 1..4_u32, link(), link()).prop_map(|(left, right, host, middle)| {
        let links = format!("host_link = {{ {host} }}, middle_link = {{ {middle} }}");
        (format!("{{ kind = 'dumbbell', left = {left}, right = {right}, {links} }}"), left + right)
    });
    let clos = (2..4_u32, 1..4_u32, 1..4_u32, link(), link(), 0..9_u32, any::<bool>()).prop_map(
        |(leaves, spines, hosts, host, fabric, seed, failure)| {
            let size = format!("leaves = {leaves}, spines = {spines}, hosts_per_leaf = {hosts}");
            let links = format!("host_link = {{ {host} }}, fabric_link = {{ {fabric} }}");
            let failed = if failure && spines > 1 { "['leaf0', 'spine0']" } else { "" };
            let rest = format!("hash_seed = {seed}, failed_links = [{failed}]");
            (format!("{{ kind = 'leaf_spine', {size}, {links}, {rest} }}"), leaves * hosts)
        },
    );
    let tree = (select(vec![2_u32, 4]), link(), link()).prop_map(|(k, host, fabric)| {
        let links = format!("host_link = {{ {host} }}, fabric_link = {{ {fabric} }}");
        (format!("{{ kind = 'fat_tree', k = {k}, {links} }}"), k * k * k / 4)
    });
    let clos3 = (1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, link(), link()).prop_map(
        |(pods, tors, leaves, spines, host, fabric)| {
            let size =
                format!("pods = {pods}, tors_per_pod = {tors}, leaves_per_pod = {leaves}, spines = {spines}");
            let links = format!("hosts_per_tor = 2, host_link = {{ {host} }}, fabric_link = {{ {fabric} }}");
            (format!("{{ kind = 'clos3', {size}, {links} }}"), pods * tors * 2)
        },
    );
    prop_oneof![star, dumbbell, clos, clos3, tree, custom()]
}

/// Draws line cards and elements, on links with credits.
fn fabric() -> impl Strategy<Value = (String, u32)> {
    let internal = (text(RATES), text(DELAYS), rate_back())
        .prop_map(|(rate, delay, rate_back)| format!("rate = '{rate}', delay = '{delay}'{rate_back}"));
    let internal = prop::collection::vec(internal, 2);
    (1..4_u32, 1..4_u32, link(), internal).prop_map(|(supernodes, ports, host, internal)| {
        let ports = ports + u32::from(supernodes == 1);
        let size = format!("supernodes = {supernodes}, ports_per_supernode = {ports}");
        let links = format!("card_link = {{ {} }}, supernode_link = {{ {} }}", internal[0], internal[1]);
        (format!("{{ kind = 'fabric', {size}, host_link = {{ {host} }}, {links} }}"), supernodes * ports)
    })
}

/// Draws switches in a row or a ring, where every link has a rate and a delay of its own, so that clusters have any
/// shape.
fn custom() -> impl Strategy<Value = (String, u32)> {
    (1..4_usize, 2..6_usize, any::<bool>(), prop::collection::vec(link(), 9)).prop_map(
        |(switches, hosts, ring, links)| {
            let mut links = links.into_iter();
            let mut joined = Vec::new();
            let mut join = |one: String, other: String| {
                let link = links.next().unwrap_or_default();
                joined.push(format!("{{ between = ['{one}', '{other}'], {link} }}"));
            };
            (0..hosts).for_each(|host| join(format!("host{host}"), format!("switch{}", host % switches)));
            (1..switches).for_each(|switch| join(format!("switch{}", switch - 1), format!("switch{switch}")));
            if ring && switches == 3 {
                join("switch0".to_owned(), "switch2".to_owned());
            }
            let names = |name: &str, count: usize| {
                (0..count).map(|index| format!("'{name}{index}'")).collect::<Vec<_>>().join(", ")
            };
            let nodes =
                format!("hosts = [{}], switches = [{}]", names("host", hosts), names("switch", switches));
            (format!("{{ kind = 'custom', {nodes}, links = [{}] }}", joined.join(", ")), hosts as u32)
        },
    )
}

fn host() -> impl Strategy<Value = String> {
    let delay = text(&["delay = '0ns'", "delay = '100ns'", "delay = '3us'"]);
    let jitter = any::<bool>();
    let queues = text(&[
        "",
        ", adapter_queue = '20kB'",
        ", small_queue = '3kB'",
        ", marking = { kind = 'threshold', threshold = '4kB' }",
        ", cnp_delay = '2us', cnp_spacing = '1us'",
        ", marking = { kind = 'red', minimum = '2kB', maximum = '9kB', probability = 0.3, when = 'dequeue' }",
        ", marking = { kind = 'red', minimum = '1kB', maximum = '9kB', probability = 0.3, weight = '1/8', uniform = true }",
        ", marking = { kind = 'pi', reference = '2kB', a = 0.1, b = 0.05, interval = '2us' }",
    ]);
    let bursts = text(&[
        "",
        ", segmentation_offload = '9kB'",
        ", interrupt_moderation = { time = '3us', packets = 4 }",
        ", interrupt_moderation = { time = '700ns' }, receive_offload = '9kB'",
        ", interrupt_moderation = {}, segmentation_offload = '64kB', receive_offload = '64kB'",
        ", poll_time = '2us'",
        ", poll_time = '900ns', segmentation_offload = '64kB', receive_offload = '64kB'",
        ", receive_offload = '9kB'",
    ]);
    (delay, jitter, queues, bursts, scheduler()).prop_map(|(delay, jitter, queues, bursts, scheduler)| {
        format!("{delay}, jitter = {jitter}{queues}{bursts}, {scheduler}")
    })
}

/// Draws memories from a few packets on, of one pool or several. A reserve leaves room for a packet in the pool, and a
/// pool is larger than the end of its marking.
pub(crate) fn switch() -> impl Strategy<Value = String> {
    let memory = text(&[
        "total = '1MB'",
        "total = '10kB'",
        "total = '60kB'",
        "total = '150kB', reserved_per_queue = '1500B'",
        "total = '150kB', reserved_per_port = '4kB'",
        "total = '150kB', reserved_per_queue = '2kB', cell = { size = '208B' }",
        "shared_per_pool = '11kB', ports_per_pool = 1",
        "shared_per_pool = '30kB', ports_per_pool = 2, reserved_per_port = '4kB'",
        "chip = 'tomahawk', total = '1MB', reserved_per_queue = '1500B', quirks = ['bcc_ns2']",
        "shared_per_pool = '30kB', reserved_per_port = '10kB', quirks = ['leaking_reserve']",
    ]);
    let policy = text(&[
        "policy = 'complete_sharing'",
        "policy = 'static_partition'",
        "policy = 'dynamic_threshold', alpha = 1",
        "policy = 'dynamic_threshold', alpha = '1/8'",
        "policy = 'dynamic_threshold', alpha = 8",
        "policy = 'dynamic_threshold', alpha_by_priority = [1, '1/8', 8, '1/2', 2, 1, 4, '1/16']",
        "policy = 'abm', alpha = 2, interval = '3us'",
        "policy = 'abm', alpha_by_priority = [1, '1/8', 8, '1/2', 2, 1, 4, '1/16'], interval = '500ns', \
         unscheduled = '5kB', alpha_unscheduled = 8, congested_from = '1/2'",
        "policy = 'longest_queue_drop'",
        "policy = 'occamy'",
        "policy = 'occamy', alpha = 1, memory_bandwidth = '20Gbps', burst = '10kB'",
        "policy = 'occamy', alpha_by_priority = [1, '1/8', 8, '1/2', 2, 1, 4, '1/16'], burst = '1B'",
    ]);
    let marking = text(&[
        "",
        ", marking.queue = { kind = 'threshold', threshold = '5kB' }",
        ", marking.queue = { kind = 'threshold', threshold = '5kB', when = 'dequeue' }",
        ", marking.queue = { kind = 'red', minimum = '2kB', maximum = '20kB', probability = 0.3 }",
        ", marking.queue = { kind = 'red', minimum = '2kB', maximum = '20kB', probability = 0.3, when = 'dequeue' }",
        ", marking.queue = { kind = 'red', minimum = '1kB', maximum = '9kB', probability = 0.3, weight = '1/4', gentle = true }",
        ", marking.queue = { kind = 'red', minimum = '1kB', maximum = '9kB', probability = 0.3, bytes = true, uniform = true }",
        ", marking.queue = { kind = 'pi', reference = '3kB', a = 0.1, b = 0.05, interval = '1us' }",
        ", marking.queue = { kind = 'red', minimum = '2kB', maximum = '9kB', probability = 0.3, marks_only = true }",
        ", marking.queue = { kind = 'codel', target = '200ns', interval = '1us' }",
        ", marking.queue_by_priority = { 0 = { kind = 'threshold', threshold = '4kB' }, \
         1 = { kind = 'codel', target = '1us', interval = '10us', ce_threshold = '1us' }, \
         3 = { kind = 'red', minimum = '2kB', maximum = '9kB', probability = 0.3, when = 'dequeue' } }",
    ]);
    let port = text(&[
        "",
        ", marking.port = { kind = 'pi', reference = '2kB', a = 0.1, b = 0.05, interval = '3us', mean_packet = '1kB' }",
        ", marking.port = { kind = 'red', minimum = '1kB', maximum = '8kB', probability = 0.3, weight = '1/4', when = 'dequeue' }",
        ", marking.port = { kind = 'threshold', threshold = '7kB', when = 'dequeue' }",
        ", marking.port = { kind = 'red', minimum = '1kB', maximum = '30kB', probability = 0.5, uniform = true }",
    ]);
    let pool = text(&[
        "",
        ", marking.pool = { kind = 'pi', reference = '5kB', a = 0.01, b = 0.005, interval = '1us' }",
        ", marking.pool = { kind = 'threshold', threshold = '9kB' }",
        ", marking.pool = { kind = 'red', minimum = '3kB', maximum = '9500B', probability = 0.4, uniform = true }",
        ", marking.pool = { kind = 'red', minimum = '1kB', maximum = '9kB', probability = 0.4, when = 'dequeue' }",
        ", marking.pool = { kind = 'bcc', shared = '9kB', rate = '1Gbps', round_trip = '1us', ramp = '1us', ports = 2, \
         lambda = 1, alpha = 1 }",
    ]);
    let release = text(&["transmission_start", "transmission_end"]);
    let trimming = text(&["", ", trimming = {}", ", trimming = { size = '200B', priority = 0 }"]);
    let rest = (release, trimming, scheduler(), shapers());
    let marking = (marking, port, pool).prop_map(|(queue, port, pool)| format!("{queue}{port}{pool}"));
    (memory, policy, marking, rest).prop_map(
        |(memory, policy, marking, (release, trimming, scheduler, shapers))| {
            let shapers = if policy.contains("occamy") { "" } else { shapers };
            format!(
                "switch = [{{ {memory}, buffer = {{ {policy} }}{marking}, release = '{release}'{trimming}, {scheduler}\
                 {shapers} }}]"
            )
        },
    )
}

/// Draws switches of which some or all classes are lossless, in pools of a few packets or more.
pub(crate) fn lossless_switch() -> impl Strategy<Value = String> {
    let xoff = text(&[
        "policy = 'static_threshold', threshold = '3kB' }, lossless_pool = '1MB'",
        "policy = 'dynamic_threshold', alpha = 1 }, lossless_pool = '20kB'",
        "policy = 'dynamic_threshold', alpha = '1/8' }, lossless_pool = '1MB'",
        "policy = 'dynamic_threshold', alpha = 8 }, lossless_pool = '100kB'",
        "policy = 'static_partition' }, lossless_pool = '1MB'",
    ]);
    let xon = text(&["", ", xon_offset = '0B'", ", xon_offset = '2500B', reserved = '2kB'"]);
    let cell = text(&["", ", cell = { size = '208B' }", ", cell = { size = '256B', metadata = '0B' }"]);
    let headroom = text(&[
        "",
        ", headroom = { scheme = 'adaptive' }",
        ", headroom = { scheme = 'dsh' }",
        ", headroom = { scheme = 'dsh', estimator = 'tables', window = '1us' }",
        ", headroom = { scheme = 'dsh', shared_headroom = false }",
        ", headroom = { scheme = 'oversubscribed', ratio = '1/2' }",
        ", headroom = { scheme = 'oversubscribed', ratio = '1/16', of = 'queue' }",
        ", headroom = { scheme = 'sih', at_ports = [{ ports = [0], size = '1MB' }] }",
        ", headroom = { scheme = 'dsh', at_ports = [{ ports = [0], insurance = '6MB' }] }",
    ]);
    let pfc = text(&[
        "",
        "form = 'on_off'",
        "pause_quanta = 286",
        "reaction_quanta = 0, pause_quanta = 400",
        "detection_time = '3us', watchdog = {}",
        "form = 'on_off', detection_time = '7us', watchdog = { restoration_time = '1us' }",
        "detection_time = '5us', watchdog = { action = 'forward', restoration_time = '2us' }",
    ]);
    let marking = text(&[
        "",
        ", marking.queue = { kind = 'threshold', threshold = '5kB' }",
        ", marking.queue = { kind = 'codel', target = '500ns', interval = '3us', ce_threshold = '200ns' }",
        ", marking.queue = { kind = 'pi', reference = '3kB', a = 0.1, b = 0.05, interval = '1us' }",
    ]);
    let release = text(&["transmission_start", "transmission_end"]);
    let rest = (release, scheduler(), shapers());
    (any::<u8>(), xoff, xon, headroom, pfc, cell, marking, rest).prop_map(
        |(lossless, xoff, xon, headroom, pfc, cell, marking, (release, scheduler, shapers))| {
            let class = |priority: u8| {
                format!(
                    "{{ priority = {priority}, lossless = {} }}",
                    lossless & 1 << priority != 0 || priority == 0
                )
            };
            let classes: Vec<String> = (0..8_u8).map(class).collect();
            let pausing = format!("pfc = {{ xoff = {{ {xoff}{xon}{headroom} }}");
            format!(
                "class = [{}]\npfc = {{ {pfc} }}\n\
                 switch = [{{ total = '400MB'{cell}, {pausing}{marking}, release = '{release}', {scheduler}{shapers} }}]",
                classes.join(", ")
            )
        },
    )
}

/// Draws queues at inputs and outputs, of a few frames of any transport or more. Some, all or no classes are lossless.
/// Switches of a fabric have links with credits.
fn cioq(is_of_fabric: bool) -> impl Strategy<Value = String> {
    let lossless = select(vec![0_u8, 1, 0b1010_0001, u8::MAX]);
    let input = text(&[
        "",
        ", xoff = '10kB', xon = '0B'",
        ", xoff = '10kB', queues = 'one'",
        ", xoff = '30kB', xon = '29kB', queues = 'per_destination'",
    ]);
    let point = text(&[
        "",
        ", congestion_point = { sampling = 'occupancy', set_point = '2kB', interval = '3kB', keep_alive = '1us' }",
        ", congestion_point = { sampling = 'two_samples', set_point = '5kB', interval = '9kB', cnm_priority = 5 }",
        ", congestion_point = { sampling = 'arrival', set_point = '1kB', interval = '2kB', spread = 0 }",
        ", congestion_point = { sampling = 'occupancy', set_point = '9kB' }, marking = { kind = 'threshold', threshold = '2kB' }",
        ", marking = { kind = 'threshold', threshold = '3kB', when = 'dequeue' }",
        ", marking = { kind = 'red', minimum = '1kB', maximum = '9kB', probability = 0.3, weight = '1/8', uniform = true }",
        ", marking = { kind = 'pi', reference = '3kB', a = 0.1, b = 0.05, interval = '1us' }",
    ]);
    let at_output = text(&[
        "",
        ", congestion_point = { sampling = 'arrival', set_point = '3kB', interval = '3kB' }",
        ", marking = { kind = 'threshold', threshold = '3kB' }",
        ", marking = { kind = 'red', minimum = '2kB', maximum = '9kB', probability = 0.3, when = 'dequeue' }",
        ", marking = { kind = 'pi', reference = '2kB', a = 0.1, b = 0.05, interval = '2us' }",
    ]);
    let copies = any::<bool>();
    let internal = text(&["100kB", "1MB"]);
    let unit = text(&["64B", "1B", "1000B"]);
    let output = text(&["80kB", "1MB"]);
    let crossbar = text(&[
        "{ matching = 'islip' }",
        "{ matching = 'islip', iterations = 1, speedup = 1 }",
        "{ matching = 'islip', iterations = 9, speedup = '3/2' }",
        "{ matching = 'round_robin', speedup = '1/2' }",
    ]);
    let pfc = text(&["", "form = 'on_off'", "pause_quanta = 286"]);
    let buffers = (input, point, unit, output, at_output, internal, copies);
    (lossless, buffers, crossbar, pfc, scheduler()).prop_map(
        move |(lossless, (input, point, unit, output, at_output, internal, copies), crossbar, pfc, scheduler)| {
            let class = |priority: u8| {
                format!("{{ priority = {priority}, lossless = {} }}", lossless & 1 << priority != 0)
            };
            let classes: Vec<String> = (0..8_u8).map(class).collect();
            let (buffer, input, pfc) = if lossless == 0 { ("30kB", "", "") } else { ("400MB", input, pfc) };
            let copies = copies && input.contains("per_destination");
            let of_fabric = format!(
                "reliable_delivery = {copies}, internal = {{ input = '{internal}', output = '{internal}' }}, "
            );
            let of_fabric = if is_of_fabric { of_fabric } else { String::new() };
            format!(
                "class = [{}]\npfc = {{ {pfc} }}\n\
                 switch = [{{ kind = 'cioq', unit = '{unit}', input = {{ buffer = '{buffer}'{input}{point} }}, \
                 output = {{ buffer = '{output}'{at_output} }}, {of_fabric}crossbar = {crossbar}, {scheduler} }}]",
                classes.join(", ")
            )
        },
    )
}

/// Draws shapers of ports, with buckets that hold a frame of any transport.
fn shapers() -> impl Strategy<Value = &'static str> {
    text(&[
        "",
        "",
        "",
        ", shapers = { '*' = { rate = '900Mbps', burst = '10kB' } }",
        ", shapers = { host0 = { rate = '2Gbps', burst = '30kB' }, host1 = { rate = '7777777777bps', burst = '9100B' } }",
    ])
}

fn scheduler() -> impl Strategy<Value = &'static str> {
    text(&[
        "scheduler = { kind = 'strict_priority' }",
        "scheduler = { kind = 'deficit_round_robin' }",
        "scheduler = { kind = 'deficit_round_robin', quantum = '200B', weights = [1, 2, 3, 4, 5, 6, 7, 8], strict = [2, 5] }",
    ])
}

fn tcp() -> impl Strategy<Value = String> {
    let payload = select(vec![1460_u32, 50, 100, 1000, 8960]);
    let control = text(&[
        "algorithm = 'reno'",
        "algorithm = 'dctcp'",
        "algorithm = 'dctcp', echo = 'new_state'",
        "algorithm = 'dctcp', initial_alpha = 0",
        "algorithm = 'ecn_star'",
        "algorithm = 'cubic'",
        "algorithm = 'cubic', ecn = true",
    ]);
    let recovery = text(&["sack", "new_reno", "rack", "reno"]);
    let kernel = text(&[
        "",
        "",
        ", preset = 'linux', initial_rto = '1ms'",
        ", preset = 'linux', initial_rto = '300us', clock_granularity = '20us'",
        ", growth = 'bytes', window_unit = 'segments', reduction = 'proportionally', tail_loss_probe = true",
        ", growth = 'segments', loss_reduces = 'window', f_rto = true, initial_threshold = '20kB'",
        ", tail_loss_probe = true, f_rto = true, rto_floor = 'variation', idle_restart = 'halving'",
        ", reduction = 'proportionally', quick_acknowledgements = 4, quick_echo = true, clock_granularity = '50us'",
    ]);
    let acknowledge = text(&["1", "2", "3, acknowledge_timeout = '5us'", "1, acknowledgement = '200B'"]);
    let window = text(&["10", "1", "40", "10, maximum_window = '30kB'"]);
    let rto = text(&["200us", "30us", "1ms"]);
    let connections = text(&[
        "connections = 'per_flow'",
        "connections = 'persistent'",
        "connections = 'persistent', slow_start_restart = false",
        "connections = 'per_flow', handshake = true",
        "connections = 'persistent', handshake = true",
    ]);
    let timestamps = text(&["", ", timestamps = false"]);
    let ecn = text(&["", ", ecn_capable = 'data'"]);
    (payload, control, recovery, acknowledge, window, rto, (connections, timestamps, ecn, kernel)).prop_map(
        |(payload, control, recovery, acknowledge, window, rto, (connections, timestamps, ecn, kernel))| {
            format!(
                "payload = '{payload}B', congestion_control = {{ {control} }}, recovery = '{recovery}', \
                 acknowledge_every = {acknowledge}, initial_window = {window}, minimum_rto = '{rto}', maximum_rto = '20ms', \
                 {connections}{timestamps}{ecn}{kernel}"
            )
        },
    )
}

/// Draws a RoCE transport. Timeouts are longer than all that hosts have to send at once. Queue pairs do not back off,
/// and would fill links of strict priority with repetitions for ever.
fn roce() -> impl Strategy<Value = String> {
    let payload = select(vec![1024_u32, 100, 4096]);
    let control = text(&[
        "",
        ", congestion_control = { algorithm = 'dcqcn' }",
        ", congestion_control = { algorithm = 'dcqcn', preset = 'mellanox', timer = '20us' }",
        ", congestion_control = { algorithm = 'dcqcn', cnp_interval = '3us', byte_counter = '5kB', fast_recovery = 1, \
         cnp_clock = 'free_running', timer = '7us', minimum_rate = '1Gbps' }",
        ", congestion_control = { algorithm = 'hpcc' }",
        ", congestion_control = { algorithm = 'hpcc', base_rtt = '20us', maximum_stages = 0 }, telemetry = '9B'",
        ", congestion_control = { algorithm = 'power_tcp' }",
        ", congestion_control = { algorithm = 'power_tcp', old_window = 'sent' }",
        ", congestion_control = { algorithm = 'theta_power_tcp', expected_flows = 3 }",
        ", congestion_control = { algorithm = 'timely', low_rtt = '10us', high_rtt = '20us', segment = '1B' }",
        ", congestion_control = { algorithm = 'swift', base_target = '5us', target_range = '10us' }",
        ", congestion_control = { algorithm = 'nscc', target_delay = '3us', quick_adapt_targets = 1, quick_adapt_share = 1 }",
        ", congestion_control = { algorithm = 'rccc' }",
        ", congestion_control = { algorithm = 'rccc', initial_credit = 0, maximum_credit = 0.3, credit_rate = 0.8, packets_per_credit = 1 }",
    ]);
    let recovery = text(&[
        "{ kind = 'go_back_n', timeout = '9ms', nack_interval = '20us' }",
        "{ kind = 'go_back_n', timeout = '5ms' }",
        "{ kind = 'selective_repeat', timeout_low = '5ms', timeout_high = '9ms', timeouts_with_pfc = true }",
        "{ kind = 'selective_repeat', window = '1B', timeout_low = '5ms', timeout_high = '5ms', timeouts_with_pfc = true }",
    ]);
    let acknowledge = text(&["1", "4", "1, acknowledgement = '200B'"]);
    let class = text(&["7", "0", "3, cnp_priority = 7"]);
    (payload, control, recovery, acknowledge, class).prop_map(
        |(payload, control, recovery, acknowledge, class)| {
            let windows = ["hpcc", "power_tcp", "swift", "nscc", "'1B'"];
            let waits = windows.iter().any(|window| control.contains(window) || recovery.contains(window));
            let acknowledge = if waits { acknowledge.replace('4', "1") } else { acknowledge.to_owned() };
            format!(
                "payload = '{payload}B'{control}, recovery = {recovery}, acknowledge_every = {acknowledge}, \
                 control_priority = {class}"
            )
        },
    )
}

fn constant_rate() -> impl Strategy<Value = String> {
    text(&["payload = '1000B'", "payload = '1000B', rate = '2Gbps'", "payload = '64B', rate = '7Gbps'"])
        .prop_map(ToOwned::to_owned)
}

/// Workload table, except for keys that depend on the number of hosts and on the end of the run.
#[derive(Clone, Copy, Debug)]
struct Workload {
    kind: usize,
    transport: &'static str,
    size: &'static str,
    priority: &'static str,
    start: &'static str,
    number: u32,
}

/// Draws a workload whose flows are a few packets long for any payload.
fn workload() -> impl Strategy<Value = Workload> {
    let size = text(&["1000B", "1B", "1460B", "1461B", "7kB", "30kB"]);
    let start = text(&["0ns", "1us", "1234567ps"]);
    let priority = text(&["0", "1", "2", "3", "4", "5", "6", "7", "[2, 5]", "[0, 1, 7]"]);
    (0..8_usize, text(&["tcp", "roce", "tcp", "roce", "steady"]), size, priority, start, 1..5_u32).prop_map(
        |(kind, transport, size, priority, start, number)| Workload {
            kind,
            transport,
            size,
            priority,
            start,
            number,
        },
    )
}

impl Workload {
    fn text(self, hosts: u32, ends: Ends) -> String {
        let Self { kind, mut transport, size, priority, start, number } = self;
        let kind = match kind {
            0 => {
                let fan_in = number.min(hosts - 1);
                format!(
                    "kind = 'incast', fan_in = {fan_in}, size = '{size}', groups = {number}, every = '20us'"
                )
            }
            1 => format!("kind = 'permutation', size = '{size}'"),
            2 => format!(
                "kind = 'poisson', sizes = {{ fixed = '{number}kB' }}, load = 0.{number}, of = 'host', batch = {number}"
            ),
            4 => {
                let fan_in = if hosts > 2 { "[1, 2]" } else { "1" };
                format!(
                    "kind = 'incast', fan_in = {fan_in}, flows = {}, sizes = {{ fixed = '{size}' }}, \
                     receivers = ['host1'], load = 0.{number}, of = 'receivers', groups = {number}",
                    number + 1
                )
            }
            5 => {
                transport = if transport == "steady" { "tcp" } else { transport };
                let pace = ["", ", every = '5us'", ", mean_interval = '9us'"][number as usize % 3];
                format!(
                    "kind = 'query', fan_in = {}, request = '{number}kB', response_total = '{size}', queries = {number}, \
                     jitter = '{number}us'{pace}",
                    number.min(hosts - 1)
                )
            }
            7 => {
                transport = if transport == "steady" { "tcp" } else { transport };
                let of = ["operation = 'all_reduce'", "operation = 'all_gather', order = 'random'"];
                let direct = "operation = 'all_reduce', algorithm = 'direct', ranks = ['host0', 'host1']";
                let of = [of[0], of[1], "operation = 'all_to_all', algorithm = 'pairwise'", direct];
                let shares: Vec<u32> = (0..hosts).map(|host| host % 3).collect();
                let more = match number {
                    2 => ", stragglers = [{ drawn = 1, late = '3us', compute = '2us' }]".to_owned(),
                    3 if hosts.is_multiple_of(2) => format!(", shares = {shares:?}"),
                    _ => String::new(),
                };
                let flows = if size == "1B" || more.contains("shares") { 1 } else { number };
                format!(
                    "kind = 'collective', {}, size = '{size}', iterations = {number}, compute = '{number}us', \
                     flows_per_part = {flows}{more}",
                    of[number as usize - 1]
                )
            }
            6 => {
                let transport = if transport == "steady" { "tcp" } else { transport };
                let file = ["file = 'job.csv'", "file = 'computing.csv', local_rate = '40Gbps'"]
                    [number as usize % 2];
                return format!("{{ kind = 'job', {file}, transport = '{transport}', start = '{start}' }}");
            }
            3 if ends == Ends::InTheMiddle => {
                transport = if transport == "steady" { "tcp" } else { transport };
                "kind = 'long_lived', pairs = [['host0', 'host1']]".to_owned()
            }
            _ => {
                let end = if transport == "tcp" && number > 2 {
                    "end = '20us'".to_owned()
                } else {
                    format!("size = '{size}'")
                };
                let starts = ["stagger = '700ns'", "starts_within = '3us'"][number as usize % 2];
                let flows = format!("flows_per_pair = {number}, {starts}, {end}");
                format!("kind = 'long_lived', pairs = [['host1', 'host0'], ['host0', 'host1']], {flows}")
            }
        };
        format!("{{ {kind}, transport = '{transport}', priority = {priority}, start = '{start}' }}")
    }
}

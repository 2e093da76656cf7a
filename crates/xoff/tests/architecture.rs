//! Law that dependencies point one way: the parts of the crate that each part may name, held against the sources.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Part of the crate.
struct Part {
    /// Module path of the part.
    path: &'static str,
    /// Parts that it may name, apart from itself.
    may_name: &'static [&'static str],
    /// Reason for these.
    because: &'static str,
}

const fn part(path: &'static str, may_name: &'static [&'static str], because: &'static str) -> Part {
    Part { path, may_name, because }
}

/// Parts of the crate, from the one that knows least to the one that knows most.
const PARTS: &[Part] = &[
    part("kernel", &[], "knows no network word and nothing of ours."),
    part("tagged", &[], "is a macro that any family may use."),
    part("reading", &[], "reads any struct."),
    part("classes", &[], "is sets of numbers."),
    part("telemetry", &["kernel"], "is what switches write and senders read, and knows neither."),
    part(
        "congestion_control",
        &["kernel", "tagged", "telemetry"],
        "a family sees numbers, and never another family.",
    ),
    part(
        "switch::buffer_policy",
        &["kernel", "tagged"],
        "a policy sees occupancies and answers a threshold.",
    ),
    part(
        "switch::headroom",
        &["kernel", "tagged"],
        "a scheme gets thresholds as numbers, and knows neither queues nor packets.",
    ),
    part(
        "switch::congestion_point",
        &["kernel", "tagged"],
        "a congestion point sees numbers, and frames only as places in a buffer.",
    ),
    part(
        "scheduler",
        &["classes", "kernel", "tagged"],
        "picks among queues of which it sees only the first packets' sizes.",
    ),
    part("spraying", &["kernel", "tagged"], "chooses numbers, and knows neither packets nor paths."),
    part("switch::cell", &["kernel"], "turns a size into a size."),
    part("plan", &["kernel"], "is formulas on numbers."),
    part("fluid", &["kernel", "tagged"], "is equations on numbers."),
    part(
        "switch::marking",
        &["kernel", "tagged", "plan", "switch::cell"],
        "a marker sees a level and never knows what it sits on; where its thresholds come from is a formula.",
    ),
    part("switch::matching", &["kernel", "tagged"], "a matching sees who asks for whom, and never what."),
    part("application::schedule", &["kernel"], "is numbers of ranks and bytes."),
    part(
        "scenario",
        &[
            "classes",
            "switch::matching",
            "kernel",
            "reading",
            "tagged",
            "fluid",
            "application::schedule",
            "congestion_control",
            "scheduler",
            "spraying",
            "switch::buffer_policy",
            "switch::cell",
            "switch::congestion_point",
            "switch::headroom",
            "switch::marking",
        ],
        "settings are plain data; families declare their own parameters, and the scenario lists them.",
    ),
    part("topology", &["kernel", "scenario"], "turns settings into nodes and links."),
    part("routing", &["kernel", "scenario", "topology"], "finds paths in a network and knows no packet."),
    part(
        "packet",
        &["kernel", "routing", "topology"],
        "names nodes, and the five-tuple that routing hashes.",
    ),
    part("observer", &["kernel", "packet", "topology"], "hears of packets, nodes and ports."),
    part(
        "application",
        &["classes", "kernel", "application::schedule", "topology"],
        "names hosts, and sees of flows only that they are whole.",
    ),
    part(
        "agenda",
        &[
            "classes",
            "kernel",
            "application",
            "observer",
            "packet",
            "routing",
            "scenario",
            "topology",
            "congestion_control",
            "telemetry",
        ],
        "is all that a node sees of its engine.",
    ),
    part("pfc", &["classes", "kernel", "packet"], "what pause frames say and when it takes effect."),
    part(
        "port",
        &["classes", "kernel", "observer", "agenda", "packet", "pfc", "scheduler", "topology"],
        "is shared by switches and adapters.",
    ),
    part(
        "pause_frames",
        &["classes", "kernel", "observer", "agenda", "packet", "pfc", "port"],
        "says through ports, of switches and of adapters, what pauses.",
    ),
    part("queued_flows", &["observer", "packet"], "counts packets by flow."),
    part(
        "transport",
        &["kernel", "packet", "scenario", "congestion_control", "telemetry"],
        "is the one family that drives another: its congestion control.",
    ),
    part(
        "workload",
        &["classes", "kernel", "application", "application::schedule", "scenario", "topology"],
        "draws flows, plans applications and never sees a packet.",
    ),
    part(
        "switch",
        &[
            "classes",
            "kernel",
            "observer",
            "agenda",
            "packet",
            "port",
            "topology",
            "switch::matching",
            "routing",
            "scenario",
            "switch::buffer_policy",
            "switch::cell",
            "switch::congestion_point",
            "switch::headroom",
            "switch::marking",
            "pfc",
            "pause_frames",
            "queued_flows",
        ],
        "puts its families together and knows neither hosts nor the engine.",
    ),
    part(
        "host",
        &[
            "classes",
            "kernel",
            "application",
            "observer",
            "agenda",
            "packet",
            "port",
            "scenario",
            "topology",
            "spraying",
            "transport",
            "congestion_control",
            "pfc",
            "pause_frames",
            "queued_flows",
            "switch::marking",
        ],
        "puts transports, what sprays their packets, the adapter and its markers together and knows neither switches nor the engine.",
    ),
    part(
        "engine",
        &[
            "classes",
            "kernel",
            "application",
            "observer",
            "agenda",
            "packet",
            "port",
            "scenario",
            "telemetry",
            "topology",
            "routing",
            "workload",
            "switch",
            "host",
        ],
        "runs hosts and switches, which never name it.",
    ),
    part(
        "layout",
        &[
            "classes",
            "kernel",
            "congestion_control",
            "telemetry",
            "packet",
            "plan",
            "scenario",
            "topology",
            "pause_frames",
            "pfc",
            "port",
            "switch::matching",
            "routing",
            "scheduler",
            "switch",
            "switch::buffer_policy",
            "switch::cell",
            "switch::congestion_point",
            "switch::headroom",
            "switch::marking",
        ],
        "turns settings into switches that can be built.",
    ),
    part(
        "watch",
        &["classes", "kernel", "scenario", "topology", "engine"],
        "resolves what is to be recorded.",
    ),
    part(
        "simulation",
        &[
            "classes",
            "kernel",
            "application",
            "congestion_control",
            "telemetry",
            "observer",
            "agenda",
            "packet",
            "port",
            "scenario",
            "topology",
            "routing",
            "workload",
            "switch",
            "host",
            "scheduler",
            "switch::marking",
            "engine",
            "layout",
            "watch",
            "pfc",
            "plan",
        ],
        "lays everything out and hands it to the engine.",
    ),
    part(
        "flow_path",
        &["kernel", "application", "topology", "routing", "engine", "simulation"],
        "asks a laid-out scenario for one flow, without running it.",
    ),
    part(
        "ideal",
        &["kernel", "scenario", "topology", "routing", "simulation", "flow_path"],
        "computes from a laid-out scenario, without running it.",
    ),
    part(
        "notes",
        &[
            "classes",
            "kernel",
            "application",
            "congestion_control",
            "layout",
            "scenario",
            "topology",
            "workload",
            "simulation",
            "flow_path",
            "ideal",
        ],
        "reads a laid-out scenario, and what an idle network shows, and warns.",
    ),
    part(
        "diagnosis",
        &["classes", "kernel", "packet", "port", "topology", "host", "switch", "engine"],
        "reads queues as a run has left them.",
    ),
    part(
        "report",
        &[
            "diagnosis",
            "kernel",
            "application",
            "observer",
            "packet",
            "pfc",
            "port",
            "topology",
            "host",
            "switch",
            "engine",
            "simulation",
            "ideal",
            "watch",
            "scenario",
        ],
        "reads what a run has left.",
    ),
    part(
        "driven",
        &["kernel", "scenario", "topology", "workload", "host", "engine", "simulation", "report"],
        "lets a program step through a run, which knows nothing of it.",
    ),
    part(
        "why",
        &["congestion_control", "observer", "report", "scenario", "simulation"],
        "explains flows by what a report has of their packets.",
    ),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the sources are there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let nested = paths.map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The module path of a source file: `switch/mmu.rs` is `switch::mmu`.
fn module(file: &Path) -> Vec<String> {
    let relative = file.strip_prefix(source()).expect("a source").with_extension("");
    relative.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Whether a file holds tests only, by what the file above it says.
fn is_of_tests(file: &Path) -> bool {
    let (Some(name), Some(folder)) = (file.file_stem(), file.parent()) else { return false };
    let above = std::fs::read_to_string(folder.with_extension("rs")).unwrap_or_default();
    above.contains(&format!("#[cfg(test)]\nmod {};", name.display()))
}

/// The code of a file without its tests, which stand at its foot, and without comments.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("a source can be read");
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'));
    let lines = lines.into_iter().take(tests.unwrap_or(usize::MAX));
    lines.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules that a file names by `crate::` or `super::`, wherever it does.
fn named(file: &Path) -> Vec<Vec<String>> {
    let own = module(file);
    let code = code(file);
    let mut named = Vec::new();
    for (position, word) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        if code[..position].ends_with("super::") || code[..position].ends_with('$') {
            continue;
        }
        let mut rest = &code[position..];
        let mut path = if word == "crate::" { Vec::new() } else { own.clone() };
        while let Some(after) = rest.strip_prefix("super::") {
            path.pop();
            rest = after;
        }
        rest = rest.strip_prefix("crate::").unwrap_or(rest);
        assert!(!path.is_empty() || !rest.starts_with('{'), "{}: one `use` for each module", file.display());
        let names = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':');
        path.extend(names.take(1).flat_map(|names| names.split("::")).map(ToOwned::to_owned));
        named.push(path);
    }
    named
}

/// The part that a module path belongs to: the one with the longest name that begins it.
fn part_of(path: &[String]) -> Option<&'static Part> {
    let path = format!("{}::", path.join("::"));
    let candidates = PARTS.iter().filter(|part| path.starts_with(&format!("{}::", part.path)));
    candidates.max_by_key(|part| part.path.len())
}

#[test]
fn every_part_names_only_what_it_may() {
    let mut problems = String::new();
    let looked_at = |file: &PathBuf| !file.ends_with("src/lib.rs") && !is_of_tests(file);
    for file in files(&source()).into_iter().filter(looked_at) {
        let part = part_of(&module(&file)).unwrap_or_else(|| panic!("{} is no part", file.display()));
        for path in named(&file) {
            let Some(other) = part_of(&path) else {
                panic!("{} names crate::{}, which is no part", file.display(), path.join("::"))
            };
            if other.path != part.path && !part.may_name.contains(&other.path) {
                let (own, other) = (part.path, other.path);
                writeln!(problems, "{} names {other}, but {own} {}", file.display(), part.because)
                    .expect("writing to a string");
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// Order of the table, which rules out circles: their parts could only be understood together.
#[test]
fn every_part_names_only_parts_before_it() {
    for (place, part) in PARTS.iter().enumerate() {
        let is_before = |name: &str| PARTS[..place].iter().any(|before| before.path == name);
        let later: Vec<&str> = part.may_name.iter().copied().filter(|name| !is_before(name)).collect();
        assert!(later.is_empty(), "{} names {later:?}, which come later", part.path);
    }
}

#[test]
fn nothing_that_is_simulated_knows_how_it_is_run() {
    let runs = [
        "engine",
        "watch",
        "simulation",
        "flow_path",
        "ideal",
        "notes",
        "diagnosis",
        "report",
        "driven",
        "why",
    ];
    let models = PARTS.iter().filter(|part| !runs.contains(&part.path));
    for part in models {
        assert!(part.may_name.iter().all(|name| !runs.contains(name)), "{} is a model", part.path);
    }
}

#[test]
fn the_table_names_parts_that_exist() {
    let is_part = |name: &str| PARTS.iter().any(|part| part.path == name);
    assert!(PARTS.iter().flat_map(|part| part.may_name).all(|name| is_part(name)));
    let exists =
        |part: &Part| files(&source()).iter().any(|file| module(file).join("::").starts_with(part.path));
    assert!(PARTS.iter().all(exists));
}

//! From text or tables to a `Scenario` and back.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::error::{ErrorKind, ScenarioError};
use super::overrides::OF_SCENARIOS;
use super::schema::Node;
use super::{Scenario, absent, conform, overrides, presets};
use crate::reading::from_value;
use crate::tagged::outside::Schemes;

impl Scenario {
    /// Reads the text of a scenario file, with the `KEY=VALUE` overrides applied.
    ///
    /// ```
    /// use xoff::Scenario;
    ///
    /// let text = r#"
    /// topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
    /// transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
    /// workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
    /// "#;
    /// let scenario = Scenario::from_toml(text, &["seed=7".to_owned()])?;
    /// assert_eq!(scenario.seed, 7);
    ///
    /// // An error is one line, which says what to do.
    /// let error = Scenario::from_toml(text, &["topology.hots=8".to_owned()]).unwrap_err();
    /// assert!(error.to_string().contains("hosts"));
    /// # Ok::<(), xoff::ScenarioError>(())
    /// ```
    pub fn from_toml(text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        Self::from_value(&read_table(text)?, overrides)
    }

    /// Reads the text of a scenario file that may name schemes from outside of this crate, with the `KEY=VALUE` overrides
    /// applied. See [`schemes`](crate::schemes).
    pub fn with_schemes(text: &str, overrides: &[String], schemes: &Schemes) -> Result<Self, ScenarioError> {
        schemes.at_hand(|| Self::from_toml(text, overrides))
    }

    /// Reads a scenario that is already a table, with the `KEY=VALUE` overrides applied.
    pub fn from_value(table: &Table, overrides: &[String]) -> Result<Self, ScenarioError> {
        let scenario = absent::read(table, overrides)?;
        scenario.validate()?;
        Ok(scenario)
    }

    /// A line for each table of a scenario file's text that loses keys, because overrides name another kind for it and do not set them.
    pub fn left_out(text: &str, overrides: &[String]) -> Vec<String> {
        let Ok(mut table) = text.parse::<Table>() else { return Vec::new() };
        let replaced =
            overrides::apply(&mut table, Node::root(), overrides, OF_SCENARIOS).unwrap_or_default();
        replaced.iter().map(ToString::to_string).collect()
    }

    /// Every key by itself is right; whether the tables fit together is not asked.
    pub(super) fn from_table(mut table: Table) -> Result<Self, ScenarioError> {
        presets::fill(&mut table);
        conforming(table, Node::root())
    }

    /// Writes the scenario as a file with all defaults, which reads back as the same scenario. Tables of switches that
    /// override one another stay as they were written.
    ///
    /// ```
    /// # let text = r#"
    /// # topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
    /// # transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
    /// # workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
    /// # "#;
    /// use xoff::Scenario;
    ///
    /// let scenario = Scenario::from_toml(text, &[])?;
    /// let complete = scenario.to_toml();
    /// assert!(complete.contains("minimum_rto"));
    /// assert_eq!(Scenario::from_toml(&complete, &[])?, scenario);
    /// # Ok::<(), xoff::ScenarioError>(())
    /// ```
    pub fn to_toml(&self) -> String {
        self.to_toml_with(&BTreeMap::new())
    }
}

/// Reads a file's text as TOML.
pub(super) fn read_table(text: &str) -> Result<Table, ScenarioError> {
    text.parse::<Table>().map_err(|error| syntax_error(text, &error))
}

/// Reads a table that stands at a node of the schema.
pub(super) fn conforming<T: DeserializeOwned>(table: Table, node: Node) -> Result<T, ScenarioError> {
    let value = Value::Table(table);
    conform::check(node, &value, "")?;
    // What conforms to the schema is readable: only a schema that says less than its type leads to this error.
    from_value(value).map_err(|error| ScenarioError::at("scenario", error.to_string(), "see `xoff explain`"))
}

/// Returns a line of a file, or a key, as a message shows it: 80 characters of it at most.
pub(super) fn shortened(line: &str) -> String {
    const MOST: usize = 80;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

fn syntax_error(text: &str, error: &toml::de::Error) -> ScenarioError {
    let span = error.span().unwrap_or(0..0);
    let line = text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
    let problem = match error.message() {
        // In the parser's words "recursion limit", or "max recursion depth".
        message if message.contains("recurs") => "is nested too deeply".to_owned(),
        message => message.replace('\n', ", ").replace(", expected nothing", ""),
    };
    let place = shortened(text.lines().nth(line - 1).unwrap_or_default().trim());
    let problem = if place.is_empty() { problem } else { format!("{problem} in `{place}`") };
    let is_too_large = ["too large", "i128"].iter().any(|said| error.message().contains(said));
    let expected = if is_too_large {
        format!("expected whole numbers of at most {}", i64::MAX)
    } else {
        "expected TOML, with text and quantities in quotes, such as rate = \"100Gbps\"".to_owned()
    };
    ScenarioError::at(format!("line {line}"), problem, expected).of_kind(ErrorKind::Syntax)
}

#[cfg(test)]
mod tests {
    use super::super::words::choices;
    use super::*;

    const DEMO: &str = r#"
title = "Web search at 60 % load"
[topology]
kind = "leaf_spine"
leaves = 4
spines = 4
hosts_per_leaf = 8
host_link = { rate = "100Gbps", delay = "1us" }
fabric_link = { rate = "100Gbps", delay = "1us" }
[[switch]]
total = "16MB"
buffer = { policy = "dynamic_threshold", alpha = 1 }
marking.queue = { kind = "threshold", threshold = "100kB" }
[transport.dctcp]
kind = "tcp"
congestion_control = { algorithm = "dctcp" }
[[workload]]
kind = "poisson"
transport = "dctcp"
sizes = "web_search"
load = 0.6
of = "core"
[stop]
arrivals_end = "10ms"
"#;

    fn problem(overrides: &[&str]) -> String {
        let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
        Scenario::from_toml(DEMO, &overrides)
            .map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    /// The demo with a piece of its text replaced.
    fn problem_with(old: &str, new: &str) -> String {
        assert!(DEMO.contains(old), "{old}");
        let text = DEMO.replace(old, new);
        Scenario::from_toml(&text, &[]).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    const RATE: &str = "expected a rate with its unit (bps, kbps, Mbps, Gbps, Tbps), such as \"100Gbps\"";
    const SIZE: &str = "expected a size with its unit (B, kB, KiB, MB, MiB, GB, GiB), such as \"720kB\"";

    /// Issue 2, "Bad input", and what a hand at the keyboard does wrong besides.
    #[test]
    fn a_wrong_value_is_answered_in_one_line_with_key_and_remedy() {
        let rate = "topology.host_link.rate";
        let policies = choices(crate::switch::buffer_policy::Parameters::NAMES.iter().copied());
        let chips = choices(super::super::chips().iter().map(|chip| chip.name.as_str()));
        for (change, expected) in [
            ("switch.buffer.alfa=", "switch[0].buffer.alfa: unknown key `alfa`; did you mean `alpha`? known keys: `policy`, `alpha`, `alpha_by_priority`".to_owned()),
            ("stop.perid=", "stop.perid: unknown key `perid`; did you mean `period`? known keys: `arrivals_end`, `after_flows`, `at`, `period`".to_owned()),
            ("switch.buffer.alfa=2", "switch[0].buffer.alfa: unknown key `alfa`; did you mean `alpha`? known keys: `policy`, `alpha`, `alpha_by_priority`".to_owned()),
            ("topology.host_link.rate=100", format!("{rate}: 100 has no unit; {RATE}")),
            ("topology.host_link.rate=100us", format!("{rate}: \"100us\" is a time, not a rate; {RATE}")),
            ("topology.host_link.rate=1Gb", format!("{rate}: \"1Gb\" has an unknown unit \"Gb\"; {RATE}")),
            ("topology.host_link.rate=-1Gbps", format!("{rate}: \"-1Gbps\" is negative; {RATE}")),
            ("topology.host_link.rate=0Gbps", format!("{rate}: \"0Gbps\" is too small; expected a value above 0bps")),
            ("topology.host_link.rate=true", format!("{rate}: true is not a rate; {RATE}")),
            ("topology.host_link.error_rate=1", "topology.host_link.error_rate: 1 is too large; expected a value at least 0 and below 1".to_owned()),
            ("topology.leaves=0", "topology.leaves: 0 is too small; expected a value at least 1".to_owned()),
            ("workload.load=0", "workload[0].load: 0 is too small; expected a value above 0 and at most 1".to_owned()),
            ("workload.load=1.5", "workload[0].load: 1.5 is too large; expected a value above 0 and at most 1".to_owned()),
            ("workload.load=nan", "workload[0].load: nan is not a number; expected a value above 0 and at most 1".to_owned()),
            ("workload.load=high", "workload[0].load: \"high\" does not fit; expected a number, above 0 and at most 1".to_owned()),
            ("workload.priority=8", "workload[0].priority: 8 is too large; expected a value at least 0 and at most 7".to_owned()),
            ("workload.transport=dctpc", "workload[0].transport: there is no transport \"dctpc\"; did you mean \"dctcp\"? expected \"dctcp\", or a table [transport.dctpc]".to_owned()),
            ("workload.sizes={ fixed = \"0B\" }", "workload[0].sizes.fixed: \"0B\" is too small; expected a value at least 1B".to_owned()),
            ("workload.sizes=5", "workload[0].sizes: 5 does not fit; expected text in quotes, or a table with `fixed`".to_owned()),
            ("switch.total=1kB", "switch[0].total: 1kB is smaller than one packet; expected at least 1518B, the largest frame of the transports".to_owned()),
            ("switch.total=1.5B", format!("switch[0].total: \"1.5B\" is not a whole number of B; {SIZE}")),
            ("switch.buffer.alpha=0", "switch[0].buffer.alpha: 0 is too small; expected a value above 0".to_owned()),
            ("switch.buffer.policy=dynamic_treshold", format!("switch[0].buffer.policy: unknown policy \"dynamic_treshold\"; did you mean \"dynamic_threshold\"? expected {policies}")),
            ("switch.buffer={ policy = \"complete_sharing\", alpha = 3 }", "switch[0].buffer.alpha: unknown key `alpha`; it belongs to policy = \"dynamic_threshold\"; known keys: `policy`".to_owned()),
            ("switch.marking.queue={ kind = \"red\", minimum = \"2kB\", maximum = \"2kB\", probability = 0.1 }", "switch[0].marking.queue.maximum: \"2kB\" is not above `minimum`, \"2kB\"; expected a value above `minimum`".to_owned()),
            ("switch.marking.pool={ kind = \"red\", minimum = \"2kB\", maximum = \"1kB\", probability = 0.1 }", "switch[0].marking.pool.maximum: \"1kB\" is not above `minimum`, \"2kB\"; expected a value above `minimum`".to_owned()),
            ("switch.marking.port={ kind = \"red\", minimum = \"2kB\", maximum = \"3kB\", probability = 1.1 }", "switch[0].marking.port.probability: 1.1 is too large; expected a value at least 0 and at most 1".to_owned()),
            ("pfc.watchdog.detection_time=1ms", "pfc.watchdog.detection_time: unknown key `detection_time`; it is `pfc.detection_time`; known keys: `action`, `restoration_time`".to_owned()),
            ("switch.marking.at_rate.100Gb.queue.kind=codel", format!("switch[0].marking.at_rate.100Gb: \"100Gb\" has an unknown unit \"Gb\"; {RATE}")),
            ("switch.marking.at_rate.0Gbps.queue.kind=codel", "switch[0].marking.at_rate.0Gbps: \"0Gbps\" is too small; expected a value above 0bps".to_owned()),
            ("switch.marking.at_rate.100Gbps.pool.kind=bcc", "switch[0].marking.at_rate.100Gbps.pool: unknown key `pool`; it is `switch[0].marking.pool`; known keys: `queue`, `queue_by_priority`, `port`".to_owned()),
            ("switch.marking.at_rate={ 25Gbps = {}, 25000Mbps = {} }", "switch[0].marking.at_rate.25000Mbps: the same as `25Gbps`; expected one of them".to_owned()),
            ("switch.marking.queue_by_priority.8.kind=codel", "switch[0].marking.queue_by_priority.8: \"8\" is no class; expected the number of a class, 0 to 7".to_owned()),
            ("switch.marking.queue_by_priority.3.kind=cdel", "switch[0].marking.queue_by_priority.3.kind: unknown kind \"cdel\"; did you mean \"codel\"? expected \"threshold\" or \"red\" or \"pi\" or \"codel\" or \"bcc\"".to_owned()),
            ("switch.marking.queue_by_priority=3", "switch[0].marking.queue_by_priority: 3 does not fit; expected tables by the number of a class, 0 to 7".to_owned()),
            ("switch.marking.at_rate=25Gbps", format!("switch[0].marking.at_rate: \"25Gbps\" does not fit; expected tables by {}", &RATE[9..])),
            ("switch.chip=tomahawkk", "switch[0].chip: unknown value \"tomahawkk\"; did you mean \"tomahawk\"? expected CHIPS".replace("CHIPS", &chips)),
            ("transport.dctcp.payload=0B", "transport.dctcp.payload: \"0B\" is too small; expected a value at least 1B".to_owned()),
            ("transport.dctcp.payload=65500B", "transport.dctcp.payload: 65558B make a frame; expected payload and headers of at most 65535B together".to_owned()),
            ("transport.dctcp.maximum_rto=1ms", "transport.dctcp.maximum_rto: \"1ms\" is not at least `minimum_rto`, \"5ms\"; expected a value at least `minimum_rto`".to_owned()),
            ("transport.dctcp.congestion_control.gain=2", "transport.dctcp.congestion_control.gain: 2 is too large; expected a value above 0 and at most 1".to_owned()),
            ("transport.dctcp.recovery=newreno", "transport.dctcp.recovery: unknown value \"newreno\"; did you mean \"new_reno\"? expected \"sack\" or \"rack\" or \"new_reno\" or \"reno\"".to_owned()),
            ("stop.period=0s", "stop.period: \"0s\" is too small; expected a value above 0s".to_owned()),
            ("measure.size_classes=[\"2kB\", \"1kB\"]", "measure.size_classes: \"2kB\", \"1kB\" do not increase; expected each above the one before".to_owned()),
            ("measure.size_classes=[\"2kB\"]", format!("measure.size_classes: a list of 1; expected a list of 2, each {}, each above the one before", &SIZE[9..])),
            ("topology.leaves=4294967296", "topology.leaves: 4294967296 is too large; expected a value at least 1 and at most 4294967295".to_owned()),
            ("seed=18446744073709551615", "seed: \"18446744073709551615\" is too large; expected a value at least 0 and at most 9223372036854775807".to_owned()),
            ("seed=-9223372036854775809", "seed: \"-9223372036854775809\" is too small; expected a value at least 0".to_owned()),
            ("seed=1.5", "seed: 1.5 does not fit; expected a whole number, at least 0".to_owned()),
            ("topology.host_link=3", "topology.host_link: 3 does not fit; expected a table with `rate`, `rate_back`, `delay`, `error_rate`, `flow_control`".to_owned()),
            ("observe.queues={ every = 10 }", "observe.queues.every: 10 has no unit; expected \"change\", or a time with its unit (ps, ns, us, ms, s), such as \"1us\"".to_owned()),
        ] {
            assert_eq!(problem(&[change]), expected, "{change}");
        }
    }

    #[test]
    fn a_key_that_stands_elsewhere_is_answered_with_its_place() {
        for (change, expected) in [
            ("pfc.restoration_time=1ms", "restoration_time`; it is `pfc.watchdog.restoration_time`; known"),
            ("workload[0].seed=1", "seed`; it is `seed`, outside of all tables; known"),
            ("topology.delay=1us", "delay`; it is `topology.host_link.delay`; known"),
            ("transport.dctcp.jitter=true", "jitter`; known"),
        ] {
            let (key, _) = change.split_once('=').unwrap();
            let begin = format!("{key}: unknown key `");
            assert!(problem(&[change]).starts_with(&(begin + expected)), "{}", problem(&[change]));
        }
    }

    #[test]
    fn what_an_override_has_taken_away_is_not_what_the_file_lacks() {
        let blamed = |change: &str| problem(&[change]);
        assert!(
            blamed("workload.kind=permutation").starts_with(
                "workload[0].transport: missing, as workload.kind=permutation replaces the table; expected name"
            ),
            "{}",
            blamed("workload.kind=permutation")
        );
        assert!(blamed("workload[0].kind=permutation").contains("[0].kind=permutation replaces the table"));
        assert!(blamed("topology.kind=star").contains(", as topology.kind=star replaces the table; "));
        let without_load = DEMO.replace("load = 0.6\n", "");
        let other = Scenario::from_toml(&without_load, &["workload.start=1us".to_owned()]).unwrap_err();
        assert!(other.to_string().starts_with("workload[0].load: missing; "), "{other}");
    }

    #[test]
    fn what_is_left_out_is_named_with_what_it_is() {
        assert_eq!(
            problem_with("load = 0.6\n", ""),
            "workload[0].load: missing; expected offered load as a share of a capacity (a number, above 0 and at most 1)"
        );
        assert_eq!(
            problem_with("host_link = { rate = \"100Gbps\", delay = \"1us\" }\nfabric", "fabric"),
            "topology.host_link: missing; expected the link of every host (a table with `rate`, `rate_back`, `delay`, `error_rate`, `flow_control`)"
        );
        assert_eq!(
            problem_with("kind = \"tcp\"\n", ""),
            "transport.dctcp.kind: missing; expected \"tcp\" or \"roce\" or \"constant_rate\""
        );
        let rest = DEMO.split("[[workload]]").next().unwrap();
        assert!(Scenario::from_toml(rest, &[]).unwrap_err().to_string().starts_with("workload: missing; "));
    }

    #[test]
    fn text_that_is_not_toml_is_answered_with_its_line() {
        let remedy = "expected TOML, with text and quantities in quotes, such as rate = \"100Gbps\"";
        for (old, new, expected) in [
            ("leaves = 4\n", "leaves = 4\nleaves = 5\n", "line 6: duplicate key in `leaves = 5`"),
            ("load = 0.6", "load = 0.6Gbps", "line 21: invalid float in `load = 0.6Gbps`"),
            (
                "leaves = 4\n",
                "leaves =\n",
                "line 5: string values must be quoted, expected literal string in `leaves =`",
            ),
        ] {
            assert_eq!(problem_with(old, new), format!("{expected}; {remedy}"));
        }
        let beyond = problem_with("leaves = 4\n", "leaves = 18446744073709551615\n");
        let remedy = "expected whole numbers of at most 9223372036854775807";
        assert!(beyond.ends_with(&format!("in `leaves = 18446744073709551615`; {remedy}")), "{beyond}");
        let below = problem_with("leaves = 4", "leaves = -9223372036854775809");
        assert!(below.ends_with(&remedy), "{below}");
        let long = problem_with("leaves = 4", &format!("leaves = {}", "[".repeat(10_000)));
        assert!(long.len() < 300, "{long}");
    }

    #[test]
    fn the_demo_is_read_with_its_defaults() {
        let scenario = Scenario::from_toml(DEMO, &[]).unwrap();
        assert_eq!(scenario.seed, 1);
        assert_eq!(problem(&["switch.buffer.alpha=1/16", "workload[0].load=1"]), "accepted");
        assert!(scenario.to_toml().contains("payload = \"1460B\""), "{}", scenario.to_toml());
        assert_eq!(Scenario::from_toml(&scenario.to_toml(), &[]), Ok(scenario));
    }
}

//! A congestion control in a crate of its own: a segment more each round, a share less after a loss.
//! `cargo run -p out-of-tree` compares it with Reno where eight hosts send to one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xoff::schemes::{Ack, CongestionControl, Flow, Loss, LossKind, Schemes, congestion_control};
use xoff::units::{Bytes, Ratio, Time};
use xoff::{Files, Report, Scenario, ScenarioError};

/// Settings, which are keys of the scenario.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Share of the window that a loss leaves, above 0 and below 1.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    keeps: Ratio,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { keeps: Ratio::new(1, 2) }
    }
}

/// State of one flow.
#[derive(Clone, Debug)]
struct Gentle {
    window: Bytes,
    segment: Bytes,
    keeps: Ratio,
}

impl CongestionControl for Gentle {
    type Parameters = Parameters;

    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        if ack.window_limited {
            self.window += Bytes::new(self.segment.get() * ack.newly_acked.get() / self.window.get());
        }
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        let left = self.keeps.of(self.window).max(self.segment);
        self.window = if loss.kind == LossKind::Timeout { self.segment } else { left };
    }

    fn window(&self) -> Bytes {
        self.window
    }
}

/// Runs eight flows into one host under a congestion control, given as TOML.
fn run(congestion_control: &str) -> Result<Report, ScenarioError> {
    let text = format!(
        r#"
        topology = {{ kind = "star", hosts = 9, host_link = {{ rate = "10Gbps", delay = "5us" }} }}
        switch = [{{ total = "100kB" }}]
        transport.tcp = {{ kind = "tcp", congestion_control = {congestion_control} }}
        workload = [{{ kind = "incast", transport = "tcp", fan_in = 8, size = "1MB", groups = 1 }}]
        "#
    );
    xoff::run(&Scenario::with_schemes(&text, &[], &schemes())?, &Files::new(), 1, &mut |_| true)
}

/// Lists the congestion control under its name in scenarios.
fn schemes() -> Schemes {
    let new = |parameters: &Parameters, flow: &Flow| {
        let &Flow { initial_window: window, segment, .. } = flow;
        Gentle { window, segment, keeps: parameters.keeps }
    };
    let mut schemes = Schemes::default();
    schemes.add("gentle", congestion_control::<Gentle, _>("gentle", new));
    schemes
}

fn main() -> Result<(), ScenarioError> {
    let algorithms = ["\"reno\"", "\"gentle\"", "\"gentle\", keeps = \"7/8\""];
    for algorithm in algorithms {
        let Report { totals, digest, .. } = run(&format!("{{ algorithm = {algorithm} }}"))?;
        println!("{algorithm:25} {:4} drops, digest {:.8}", totals.packets.dropped, digest);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the digest of a run, or the sentence of its error.
    fn digest(congestion_control: &str) -> String {
        run(congestion_control).map_or_else(|error| error.to_string(), |report| report.digest)
    }

    #[test]
    fn a_registered_scheme_runs_with_its_parameters() {
        let by_default = digest(r#"{ algorithm = "gentle" }"#);
        assert_eq!(by_default, digest(r#"{ algorithm = "gentle", keeps = 0.5 }"#));
        assert_ne!(by_default, digest(r#"{ algorithm = "gentle", keeps = "7/8" }"#));
        assert_ne!(by_default, digest(r#"{ algorithm = "reno" }"#));
    }

    #[test]
    fn its_keys_are_checked_as_those_of_any_other() {
        let key = "transport.tcp.congestion_control";
        assert_eq!(
            digest(r#"{ algorithm = "gentle", kepps = 0.5 }"#),
            format!(
                "{key}.kepps: unknown key `kepps`; did you mean `keeps`? known keys: `algorithm`, `keeps`"
            )
        );
        assert_eq!(
            digest(r#"{ algorithm = "gentle", keeps = 1 }"#),
            format!("{key}.keeps: 1 is too large; expected a value above 0 and below 1")
        );
        assert!(digest(r#"{ algorithm = "gentel" }"#).contains("did you mean \"gentle\"?"));
    }

    #[test]
    fn a_scenario_is_written_with_all_its_keys() {
        let text = r#"
            topology = { kind = "star", hosts = 2, host_link = { rate = "10Gbps", delay = "5us" } }
            transport.tcp = { kind = "tcp", congestion_control = { algorithm = "gentle" } }
            workload = [{ kind = "permutation", transport = "tcp", size = "1kB" }]"#;
        let scenario = Scenario::with_schemes(text, &[], &schemes()).unwrap();
        let complete = scenario.to_toml();
        assert!(complete.contains("algorithm = \"gentle\"\nkeeps = "), "{complete}");
        assert_eq!(Scenario::with_schemes(&complete, &[], &schemes()), Ok(scenario));
        let other = Scenario::from_toml(&complete, &[]).unwrap_err();
        assert!(other.to_string().contains("unknown algorithm \"gentle\""), "{other}");
    }
}

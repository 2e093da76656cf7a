//! Requests of a page, and their answers.

use serde::Deserialize;
use serde_json::{Value, json};
use xoff::network::port_names;
use xoff::why::{self, Asked};
use xoff::{Execution, Files, Progress, Report, Scenario, ScenarioError, Simulation, Summary, catalogue};

use crate::columns::column;

/// Request, told apart by its key `ask`.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Request {
    /// Everything that an editor completes and explains.
    Catalogue,
    /// Whether a scenario can run, and what it would take.
    Check {
        #[serde(flatten)]
        scenario: Changed,
    },
    /// The results of a scenario, whose columns can be asked for until the next run.
    Run {
        #[serde(flatten)]
        scenario: Changed,
    },
    /// The critical path of a finished flow of the last run, by its row, from running the scenario again.
    Why { row: usize },
    /// Numbers of the last run, as 64-bit floats in the machine's order.
    Column { table: String, name: String },
}

/// Scenario in TOML, changes as `--set` takes them, and the text of files by the paths that the scenario has for them.
#[derive(Clone, Deserialize)]
struct Changed {
    text: String,
    #[serde(default)]
    changes: Vec<String>,
    #[serde(default)]
    files: Files,
}

/// Run that a page has asked for.
struct Run {
    changed: Changed,
    scenario: Scenario,
    report: Report,
}

/// Conversation with a page.
#[derive(Default)]
pub struct Session {
    last: Option<Run>,
}

impl Session {
    /// Answers a request. An answer in JSON that has a key `error` says why there is no other.
    ///
    /// `progress` is called as the simulator's [`xoff::run`] calls it.
    pub fn answer(&mut self, request: &[u8], progress: &mut dyn FnMut(&Progress) -> bool) -> Vec<u8> {
        let answer = match serde_json::from_slice(request) {
            Ok(Request::Catalogue) => Ok(json!({ "keys": catalogue::keys(), "sizes": sizes() })),
            Ok(Request::Check { scenario }) => check(&scenario),
            Ok(Request::Run { scenario }) => self.run(&scenario, progress),
            Ok(Request::Why { row }) => self.why(row, progress),
            Ok(Request::Column { table, name }) => {
                let found = self.last.as_ref().and_then(|last| column(&last.report, &table, &name));
                return found.unwrap_or_default().into_iter().flat_map(f64::to_ne_bytes).collect();
            }
            Err(error) => Ok(json!({ "error": { "told": error.to_string() } })),
        };
        let answer = answer.unwrap_or_else(|error| {
            json!({ "error": {
                "key": error.key, "kind": error.kind.name(), "problem": error.problem, "expected": error.expected(),
                "told": error.to_string(),
            } })
        });
        answer.to_string().into_bytes()
    }

    fn run(
        &mut self,
        changed: &Changed,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Value, ScenarioError> {
        self.last = None; // its memory is needed
        let (scenario, simulation) = laid_out(changed)?;
        let mut outcome = simulation.run(Execution::with_threads(1), progress);
        let report = Report::new(&simulation, &mut outcome);
        let answer = json!({
            "summary": Summary::new(&scenario, &report),
            "hosts": simulation.network().hosts,
            "names": {
                "nodes": report.node_names, "series": report.series_names, "transports": report.transport_names,
                "quantities": report.quantity_names, "reasons": report.reason_names,
                "ports": port_names(simulation.network()).collect::<Vec<_>>(),
            },
        });
        self.last = Some(Run { changed: changed.clone(), scenario, report });
        Ok(answer)
    }

    fn why(&self, row: usize, progress: &mut dyn FnMut(&Progress) -> bool) -> Result<Value, ScenarioError> {
        let flow = self.last.as_ref().and_then(|last| Some((last, Asked::of_row(&last.report, row)?)));
        let Some((Run { changed, scenario, report }, flow)) = flow else {
            return Err(ScenarioError::at(
                "",
                format!("there is no flow {row}"),
                "expected a row of the last run",
            ));
        };
        let mut recorded = changed.clone();
        recorded.changes.extend(flow.changes(scenario, report));
        let (_, simulation) = laid_out(&recorded)?;
        let mut outcome = simulation.run(Execution::with_threads(1), progress);
        let again = Report::new(&simulation, &mut outcome);
        let Some(path) = flow.critical_path(scenario, report, &simulation, &again) else {
            let remedy = "ask about a flow with fewer packets";
            return Err(ScenarioError::at(
                "observe.memory",
                "the packets of this flow take more memory",
                remedy,
            ));
        };
        let name = |port: u32| again.series_names[port as usize].clone();
        let stretches = path.stretches.iter();
        let whole = stretches.clone().map(|stretch| stretch.until - stretch.since).sum::<i64>();
        let parts =
            why::parts(stretches.map(|stretch| {
                (stretch.cause, stretch.place, stretch.reason, stretch.until - stretch.since)
            }));
        Ok(json!({
            "round_trips": path.round_trips,
            "time_ns": whole as f64 / 1000.0,
            "parts": parts.iter().map(|part| json!({
                "cause": part.cause.names()[0], "words": part.cause.names()[1], "place": part.place.map(name),
                "reason": part.reason.map(why::named::DropReason::name), "time_ns": part.time as f64 / 1000.0,
                "share": part.share,
            })).collect::<Vec<_>>(),
            "stretches": path.stretches.iter().map(|stretch| json!({
                "cause": stretch.cause.names()[0], "place": stretch.place.map(name),
                "since_ns": stretch.since as f64 / 1000.0, "until_ns": stretch.until as f64 / 1000.0,
            })).collect::<Vec<_>>(),
        }))
    }
}

fn laid_out(changed: &Changed) -> Result<(Scenario, Simulation), ScenarioError> {
    let scenario = Scenario::from_toml(&changed.text, &changed.changes)?;
    if let Some(file) = scenario.files().into_iter().find(|file| !changed.files.contains_key(&file.path)) {
        let problem = format!("names the file \"{}\", and the page reads no files", file.path);
        return Err(ScenarioError::at(file.key, problem, "run it with xoff on your own machine"));
    }
    let simulation = Simulation::new(&scenario, &changed.files)?;
    simulation.check_undriven()?;
    Ok((scenario, simulation))
}

fn check(scenario: &Changed) -> Result<Value, ScenarioError> {
    let (scenario, simulation) = laid_out(scenario)?;
    let offered = simulation.offered();
    Ok(json!({
        "title": scenario.title,
        "seed": scenario.seed,
        "notes": simulation.notes(),
        "flows": offered.flows,
        "bytes": offered.bytes,
        "packet_hops": offered.packet_hops,
        "cpu_seconds": offered.cpu_seconds(),
    }))
}

/// Names of the lists of flow sizes, with what each is.
fn sizes() -> Vec<Value> {
    let lists = catalogue::sizes().iter();
    lists.map(|list| json!({ "name": list.name, "about": list.description })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
        transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
        workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
        "#;

    fn answer(session: &mut Session, request: &Value) -> Value {
        let bytes = session.answer(request.to_string().as_bytes(), &mut |_| true);
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn a_run_has_the_digest_of_the_simulator_and_columns_by_name() {
        let mut session = Session::default();
        let told = answer(&mut session, &json!({ "ask": "run", "text": SMALL }));
        let report =
            xoff::run(&Scenario::from_toml(SMALL, &[]).unwrap(), &Files::new(), 1, &mut |_| true).unwrap();
        assert_eq!(told["summary"]["digest"], report.digest);
        let column = json!({ "ask": "column", "table": "flows", "name": "size_bytes" }).to_string();
        let bytes = session.answer(column.as_bytes(), &mut |_| true);
        assert_eq!(bytes, 100_000f64.to_ne_bytes().repeat(4));
    }

    #[test]
    fn a_flow_is_explained_by_parts_that_add_up() {
        let mut session = Session::default();
        answer(&mut session, &json!({ "ask": "run", "text": SMALL }));
        let why = answer(&mut session, &json!({ "ask": "why", "row": 0 }));
        let parts = why["parts"].as_array().unwrap();
        let shares: f64 = parts.iter().filter_map(|part| part["share"].as_f64()).sum();
        assert!((shares - 1.0).abs() < 1e-9 && why["time_ns"].as_f64() > Some(0.0), "{why}");
        assert!(answer(&mut session, &json!({ "ask": "why", "row": 9 }))["error"].is_object());
    }

    #[test]
    fn a_scenario_that_cannot_run_is_answered_with_key_and_remedy() {
        let changes = ["topology.hosts=many"];
        let told =
            answer(&mut Session::default(), &json!({ "ask": "check", "text": SMALL, "changes": changes }));
        assert_eq!(told["error"]["key"], "topology.hosts");
        let traced = json!(["workload={ kind = 'trace', transport = 'tcp', file = 'a.csv' }"]);
        let told =
            answer(&mut Session::default(), &json!({ "ask": "run", "text": SMALL, "changes": traced }));
        assert_eq!(told["error"]["key"], "workload[0].file");
    }

    #[test]
    fn a_check_says_what_a_run_would_take() {
        let told = answer(&mut Session::default(), &json!({ "ask": "check", "text": SMALL }));
        assert_eq!((&told["flows"], &told["bytes"]), (&json!(4.0), &json!(400_000.0)));
        assert!(told["cpu_seconds"][0].as_f64() < told["cpu_seconds"][1].as_f64());
    }

    #[test]
    fn the_catalogue_has_every_key() {
        let told = answer(&mut Session::default(), &json!({ "ask": "catalogue" }));
        let names: Vec<&str> =
            told["keys"].as_array().unwrap().iter().filter_map(|key| key["name"].as_str()).collect();
        assert!(names.contains(&"switch.buffer.alpha") && names.contains(&"dctcp"), "{names:?}");
    }
}

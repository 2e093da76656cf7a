//! Plans of jobs, read from a CSV: `flow,source,destination,size_bytes,priority,after,delay_ns`. Flows begin when
//! others are done, so none is drawn here.

use std::collections::BTreeMap;

use super::FlowSpec;
use super::csv_rows::{self, for_each_row};
use super::setup::Setup;
use crate::application::Plans;
use crate::application::job::{Plan, Row};
use crate::kernel::units::{Span, Time};
use crate::scenario::{self, ScenarioError};
use crate::topology::nearest;

const COLUMNS: [&str; 7] = ["flow", "source", "destination", "size_bytes", "priority", "after", "delay_ns"];

/// Plan of a job; no flow is known beforehand.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) plan: Plan,
}

impl Job {
    pub(super) fn new(settings: &scenario::Job, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let transport = setup.template(&settings.transport)?.transport;
        let text = setup.text("file", &settings.file)?;
        let mut file = File::default();
        for_each_row(&settings.file, text, COLUMNS, |at, fields| file.read(at, fields, setup))?;
        if file.rows.is_empty() {
            return Err(setup.holds_no_flow(&settings.file));
        }
        file.resolve()?;
        let File { names, lines, rows, .. } = file;
        let plan = Plan::new(setup.index, Time::ZERO + settings.start, transport, rows);
        let plan = plan.map_err(|cycle| {
            let quoted: Vec<String> =
                cycle.iter().map(|&flow| format!("\"{}\"", names[flow as usize])).collect();
            let problem = match quoted.as_slice() {
                [itself] => format!("{itself} waits for itself"),
                several => format!("{} wait for one another", several.join(", ")),
            };
            ScenarioError::at(&lines[cycle[0] as usize], problem, "expected flows that can begin")
        })?;
        Ok(Self { plan: plan.with_names(names) })
    }
}

impl Iterator for Job {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        None
    }
}

/// Rejects jobs in which a host receives more flows than can be told apart.
pub(super) fn check_turns(plans: &Plans) -> Result<(), ScenarioError> {
    let most = plans.most_turns();
    let mut jobs = (0..plans.all().len()).filter_map(|plan| plans.job(plan));
    match jobs.find(|plan| plan.turns() > most) {
        None => Ok(()),
        Some(plan) => {
            let key = format!("workload[{}].file", plan.workload);
            let expected = format!("expected at most {most} between so many hosts");
            Err(ScenarioError::at(key, format!("sends a host {} flows", plan.turns()), expected))
        }
    }
}

/// Rows of the file, as far as it has been read.
#[derive(Default)]
struct File {
    names: Vec<String>,
    /// Place of each flow, `FILE line N`.
    lines: Vec<String>,
    rows: Vec<Row>,
    /// Names of the flows that each flow waits for.
    after: Vec<Vec<String>>,
    by_name: BTreeMap<String, u32>,
}

impl File {
    fn read(&mut self, at: &str, fields: [&str; 7], setup: &Setup<'_>) -> Result<(), ScenarioError> {
        let [name, source, destination, size, priority, after, delay] = fields;
        if name.is_empty() || name.contains(char::is_whitespace) {
            let problem = format!("flow is \"{name}\"");
            return Err(ScenarioError::at(at, problem, "expected a name without spaces"));
        }
        let (source, destination) = csv_rows::ends(at, source, destination, setup)?;
        let size = csv_rows::size(at, size)?;
        let priority = csv_rows::priority(at, priority, setup)?;
        let delay = Span::new(csv_rows::picoseconds(at, "delay_ns", delay)?);
        let position = self.rows.len() as u32;
        if let Some(&other) = self.by_name.get(name) {
            let problem = format!("there is a flow \"{name}\" already, in {}", self.lines[other as usize]);
            return Err(ScenarioError::at(at, problem, "expected another name"));
        }
        self.by_name.insert(name.to_owned(), position);
        self.names.push(name.to_owned());
        self.lines.push(at.to_owned());
        self.after.push(after.split_whitespace().map(str::to_owned).collect());
        self.rows.push(Row { source, destination, size, priority, after: Vec::new(), delay });
        Ok(())
    }

    /// Replaces names by positions, which may be of flows further down.
    fn resolve(&mut self) -> Result<(), ScenarioError> {
        for position in 0..self.rows.len() {
            let at = &self.lines[position];
            let source = self.rows[position].source;
            let mut found = Vec::new();
            for name in &self.after[position] {
                let Some(&before) = self.by_name.get(name) else {
                    let meant = nearest(name, self.names.iter().map(String::as_str));
                    let problem = format!("after: there is no flow \"{name}\"");
                    let error = ScenarioError::at(at, problem, "expected names of flows");
                    return Err(error.of_unknown_name(meant));
                };
                let row = &self.rows[before as usize];
                if row.source != source && row.destination != source {
                    let problem = format!("after: \"{name}\" neither begins nor ends at this flow's source");
                    let expected =
                        "expected flows from there or to there, of which the host knows when they are done";
                    return Err(ScenarioError::at(at, problem, expected));
                }
                found.push(before);
            }
            found.sort_unstable();
            found.dedup();
            self.rows[position].after = found;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{scenario, source_with, star};
    use super::super::{Files, plans};
    use crate::application::job::Plan;

    fn job(rows: &str) -> Result<Plan, String> {
        let text = format!("flow,source,destination,size_bytes,priority,after,delay_ns\n{rows}");
        let files = Files::from([("job.csv".to_owned(), text)]);
        let scenario = scenario(&star(4), "kind = 'job'\nfile = 'job.csv'\nstart = '1us'");
        let (_, source) = source_with(&scenario, &files).map_err(|error| error.to_string())?;
        assert_eq!(source.clone().count(), 0, "no flow is known beforehand");
        let plans = plans(&[source]).map_err(|error| error.to_string())?;
        Ok(plans.job(0).unwrap().clone())
    }

    #[test]
    fn rows_wait_for_rows_above_and_below() {
        let plan = job("back,host1,host0,200,3,there,0\nthere,host0,host1,100,0,,20\n").unwrap();
        let rows: Vec<_> = plan.flows().iter().map(|flow| &flow.row).collect();
        assert_eq!(rows[0].after, [1]);
        assert_eq!((rows[1].source, rows[1].destination, rows[1].delay.get()), (0, 1, 20_000));
        assert_eq!((plan.start.get(), plan.classes().mask()), (1_000_000, 0b1001));
        assert_eq!((plan.computing.get(), rows[0].size.get()), (20_000, 200));
    }

    #[test]
    fn what_cannot_be_is_named_by_its_line() {
        let good = "there,host0,host1,100,0,,20\n";
        for (row, problem) in [
            (
                "back,host1,host0,200,0,ther,0",
                "after: there is no flow \"ther\"; did you mean \"there\"? expected names of flows",
            ),
            (
                "other,host2,host0,200,0,there,0",
                "after: \"there\" neither begins nor ends at this flow's source; expected flows from there or to there, of which \
                 the host knows when they are done",
            ),
            (
                "there,host1,host0,200,0,,0",
                "there is a flow \"there\" already, in job.csv line 2; expected another name",
            ),
            ("a b,host1,host0,200,0,,0", "flow is \"a b\"; expected a name without spaces"),
            ("back,host1,host1,200,0,,0", "\"host1\" would send to itself; expected two different hosts"),
            (
                "back,host1,host0,0,0,,0",
                "size_bytes is \"0\"; expected a whole number, at least 1 and at most 281474976710656",
            ),
            (
                "back,host1,host0,200,0,,",
                "delay_ns is \"\"; expected a whole number, at least 0 and at most 100000000000000",
            ),
            ("back,host1,host0,200,0,back,0", "\"back\" waits for itself; expected flows that can begin"),
        ] {
            assert_eq!(job(&format!("{good}{row}\n")).unwrap_err(), format!("job.csv line 3: {problem}"));
        }
        assert_eq!(
            job("").unwrap_err(),
            "workload[0].file: \"job.csv\" holds no flow; expected a row for each"
        );
        let circle = "a,host0,host1,1,0,b,0\nb,host1,host0,1,0,a,0\n";
        assert_eq!(
            job(&format!("{good}{circle}")).unwrap_err(),
            "job.csv line 4: \"b\", \"a\" wait for one another; expected flows that can begin"
        );
    }
}

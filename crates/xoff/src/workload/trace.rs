//! Trace: flows read from a CSV of `source,destination,size_bytes,start_ns,priority`, in any order.

use super::FlowSpec;
use super::csv_rows::{self, At, for_each_row};
use super::setup::Setup;
use crate::kernel::units::Time;
use crate::scenario::{self, ScenarioError};

const COLUMNS: [&str; 5] = ["source", "destination", "size_bytes", "start_ns", "priority"];

/// Source of a trace's flows.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    flows: std::vec::IntoIter<FlowSpec>,
}

impl Trace {
    pub(super) fn new(settings: &scenario::Trace, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let template = setup.template(&settings.transport)?;
        let text = setup.text("file", &settings.file)?;
        let mut flows = Vec::new();
        for_each_row(&settings.file, text, COLUMNS, |at, fields| {
            flows.push(flow(at, fields, template, setup)?);
            Ok(())
        })?;
        if flows.is_empty() {
            return Err(setup.holds_no_flow(&settings.file));
        }
        // The sort is stable: flows that start together keep the order of the file.
        flows.sort_by_key(|flow| flow.start);
        Ok(Self { flows: flows.into_iter() })
    }
}

fn flow(
    at: At<'_>,
    fields: [&str; 5],
    template: FlowSpec,
    setup: &Setup<'_>,
) -> Result<FlowSpec, ScenarioError> {
    let [source, destination, size, start, priority] = fields;
    let (source, destination) = csv_rows::ends(at, source, destination, setup)?;
    let size = csv_rows::size(at, size)?;
    let start = Time::new(csv_rows::picoseconds(at, "start_ns", start)?);
    let priority = csv_rows::priority(at, priority, setup)?;
    Ok(FlowSpec { start, source, destination, size, priority, ..template })
}

impl Iterator for Trace {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        self.flows.next()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{scenario, source_with, star};
    use super::super::{Files, FlowSpec, ScenarioError};

    fn flows(rows: &str) -> Result<Vec<FlowSpec>, ScenarioError> {
        let text = format!("source,destination,size_bytes,start_ns,priority\n{rows}");
        let files = Files::from([("flows.csv".to_owned(), text)]);
        let scenario = scenario(&star(4), "kind = 'trace'\nfile = 'flows.csv'");
        Ok(source_with(&scenario, &files)?.1.collect())
    }

    #[test]
    fn a_file_without_a_row_is_refused() {
        let problem = flows("").unwrap_err().to_string();
        assert_eq!(problem, "workload[0].file: \"flows.csv\" holds no flow; expected a row for each");
    }

    #[test]
    fn rows_are_sorted_by_start_and_keep_their_order_where_it_is_equal() {
        let rows = "host0,host1,100,20,0\nhost1,host2,200,10,7\nhost2,host3,300,10,1\n";
        let flows: Vec<_> = flows(rows)
            .unwrap()
            .iter()
            .map(|flow| (flow.source, flow.destination, flow.size.get(), flow.start.get(), flow.priority))
            .collect();
        assert_eq!(flows, [(1, 2, 200, 10_000, 7), (2, 3, 300, 10_000, 1), (0, 1, 100, 20_000, 0)]);
    }

    #[test]
    fn a_malformed_row_is_named_by_its_line() {
        let good = "host0,host1,100,20,0\n";
        let cases = [
            ("host0,host1,100,20", "has 4 fields"),
            (
                "host0,hots1,100,20,0",
                "\"hots1\" does not exist; did you mean \"host1\"? expected the name of a host",
            ),
            ("switch0,host1,100,20,0", "\"switch0\" is a switch"),
            ("host1,host1,100,20,0", "\"host1\" would send to itself"),
            (
                "host0,host1,0,20,0",
                "size_bytes is \"0\"; expected a whole number, at least 1 and at most 281474976710656",
            ),
            ("host0,host1,-1,20,0", "size_bytes is \"-1\"; expected a whole number, at least 1 and at most"),
            ("host0,host1,1.5,20,0", "size_bytes is \"1.5\""),
            ("host0,host1,100,-1,0", "start_ns is \"-1\"; expected a whole number, at least 0"),
            (
                "host0,host1,100,18446744073709552,0",
                "start_ns is \"18446744073709552\"; expected a whole number, at least 0 and at most 100000000000000",
            ),
            ("host0,host1,100,20,8", "priority is \"8\"; expected a whole number, at least 0 and at most 7"),
        ];
        for (row, problem) in cases {
            let error = flows(&format!("{good}{row}\n")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("flows.csv line 3: {problem}")), "{row}: {error}");
        }
    }

    #[test]
    fn a_class_that_does_not_exist_is_named_by_the_line_of_its_flow() {
        let classes = "[[class]]\npriority = 0\n[[class]]\npriority = 3";
        let scenario = scenario(&star(4), &format!("kind = 'trace'\nfile = 'flows.csv'\n{classes}"));
        let text =
            "source,destination,size_bytes,start_ns,priority\nhost0,host1,100,20,3\nhost0,host1,100,20,5\n";
        let files = Files::from([("flows.csv".to_owned(), text.to_owned())]);
        let error = source_with(&scenario, &files).unwrap_err().to_string();
        assert_eq!(
            error,
            "flows.csv line 3: there is no class 5; expected one of 0, 3, or a table [[class]] for it"
        );
    }

    #[test]
    fn a_file_that_was_not_read_is_refused() {
        let scenario = scenario(&star(4), "kind = 'trace'\nfile = 'flows.csv'");
        let error = source_with(&scenario, &Files::new()).unwrap_err().to_string();
        assert!(error.contains("workload[0].file: \"flows.csv\" was not read"), "{error}");
    }
}

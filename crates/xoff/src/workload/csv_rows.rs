//! Rows of a CSV file with a known header, whose errors name the file and the line.

use std::ops::RangeInclusive;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use super::setup::Setup;
use crate::kernel::units::Bytes;
use crate::scenario::{MOST_BYTES, MOST_PICOSECONDS, ScenarioError};
use crate::topology::NodeId;

const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;

/// Place of a row, which errors name as `FILE line N`.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
}

impl From<At<'_>> for String {
    fn from(at: At<'_>) -> Self {
        format!("{} line {}", at.file, at.line)
    }
}

/// Calls `row` for every row, with its place for errors.
pub(super) fn for_each_row<const COLUMNS: usize>(
    file: &str,
    text: &str,
    columns: [&str; COLUMNS],
    mut row: impl FnMut(At<'_>, [&str; COLUMNS]) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = reader().from_reader(text.as_bytes());
    check_header(file, &mut reader, &columns)?;
    for_each_record(file, text, &mut reader, &columns.join(","), |at, record| {
        if record.len() != COLUMNS {
            return Err(malformed(at, format!("has {} fields", record.len()), &columns.join(",")));
        }
        row(at, std::array::from_fn(|column| &record[column]))
    })
}

/// Calls `row` for every row of a file without a header, with its place for errors.
pub(super) fn for_each_row_without_header(
    file: &str,
    text: &str,
    expected: &str,
    row: impl FnMut(At<'_>, &StringRecord) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = reader().has_headers(false).from_reader(text.as_bytes());
    for_each_record(file, text, &mut reader, expected, row)
}

fn reader() -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.flexible(true).trim(Trim::All);
    builder
}

fn for_each_record(
    file: &str,
    text: &str,
    reader: &mut Reader<&[u8]>,
    expected: &str,
    mut row: impl FnMut(At<'_>, &StringRecord) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let mut record = StringRecord::new();
    let mut lines = Lines { text, counted: 0, line: 1 };
    loop {
        let at = At { file, line: lines.of(reader.position().byte()) };
        let unreadable = |error: csv::Error| malformed(at, error.to_string(), expected);
        if !reader.read_record(&mut record).map_err(unreadable)? {
            return Ok(());
        }
        row(at, &record)?;
    }
}

/// Counter of lines as an editor counts them. The CSV reader's own count lags after `\r\n` and blank lines.
struct Lines<'a> {
    text: &'a str,
    counted: usize,
    line: usize,
}

impl Lines<'_> {
    /// Returns the line of the first row that begins at or after byte `byte`.
    fn of(&mut self, byte: u64) -> usize {
        let rest = &self.text[byte as usize..];
        let row = self.text.len() - rest.trim_start_matches(['\r', '\n']).len();
        self.line += self.text[self.counted..row].matches('\n').count();
        self.counted = row;
        self.line
    }
}

fn check_header(file: &str, reader: &mut Reader<&[u8]>, columns: &[&str]) -> Result<(), ScenarioError> {
    let (at, expected) = (At { file, line: 1 }, columns.join(","));
    let header = reader.headers().map_err(|error| malformed(at, error.to_string(), &expected))?;
    if header.iter().eq(columns.iter().copied()) {
        return Ok(());
    }
    let found = header.iter().collect::<Vec<_>>().join(",");
    Err(malformed(at, format!("the header is \"{found}\""), &expected))
}

fn malformed(at: At<'_>, problem: String, expected: &str) -> ScenarioError {
    ScenarioError::at(at, problem, format!("expected {expected}"))
}

/// Parses a whole number of a row.
pub(super) fn whole_number(
    at: At<'_>,
    column: &str,
    field: &str,
    range: RangeInclusive<u64>,
) -> Result<u64, ScenarioError> {
    field.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = range.into_inner();
        let expected = format!("expected a whole number, at least {least} and at most {most}");
        ScenarioError::at(at, format!("{column} is \"{field}\""), expected)
    })
}

/// Finds the two hosts of a flow in a row.
pub(super) fn ends(
    at: At<'_>,
    source: &str,
    destination: &str,
    setup: &Setup<'_>,
) -> Result<(NodeId, NodeId), ScenarioError> {
    if source == destination {
        let problem = format!("\"{source}\" would send to itself");
        return Err(ScenarioError::at(at, problem, "expected two different hosts"));
    }
    Ok((host(at, source, setup)?, host(at, destination, setup)?))
}

/// Finds a host of a row.
pub(super) fn host(at: At<'_>, name: &str, setup: &Setup<'_>) -> Result<NodeId, ScenarioError> {
    match setup.names.find(name) {
        Some(host) if host < setup.network.fabric_hosts() => Ok(host),
        _ => setup.names.host(&String::from(at), name),
    }
}

/// Parses the size of a flow in a row, from `size_bytes`.
pub(super) fn size(at: At<'_>, field: &str) -> Result<Bytes, ScenarioError> {
    whole_number(at, "size_bytes", field, 1..=MOST_BYTES).map(Bytes::new)
}

/// Parses the class of a flow in a row, from `priority`. The scenario must have it.
pub(super) fn priority(at: At<'_>, field: &str, setup: &Setup<'_>) -> Result<u8, ScenarioError> {
    let priority = whole_number(at, "priority", field, 0..=7)? as u8;
    setup.scenario.check_class(at, priority)?;
    Ok(priority)
}

/// Parses a time in nanoseconds, and returns picoseconds.
pub(super) fn picoseconds(at: At<'_>, column: &str, field: &str) -> Result<u64, ScenarioError> {
    let most = MOST_PICOSECONDS / PICOSECONDS_PER_NANOSECOND;
    whole_number(at, column, field, 0..=most).map(|nanoseconds| nanoseconds * PICOSECONDS_PER_NANOSECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<String>, ScenarioError> {
        let mut lines = Vec::new();
        for_each_row("a.csv", text, ["x", "y"], |at, [x, y]| {
            lines.push(format!("{}: {x} {y}", String::from(at)));
            Ok(())
        })?;
        Ok(lines)
    }

    #[test]
    fn rows_know_their_line_past_blank_ones() {
        let rows = lines("x,y\r\n1,2\r\n\n\n 3 , 4\r\n5,6").unwrap();
        assert_eq!(rows, ["a.csv line 2: 1 2", "a.csv line 5: 3 4", "a.csv line 6: 5 6"]);
    }

    #[test]
    fn header_and_number_of_fields_are_checked() {
        let refusal = |text| lines(text).unwrap_err().to_string();
        assert_eq!(refusal("y,x\n1,2\n"), "a.csv line 1: the header is \"y,x\"; expected x,y");
        assert_eq!(refusal("x,y\n1,2\n1\n"), "a.csv line 3: has 1 fields; expected x,y");
        assert_eq!(refusal(""), "a.csv line 1: the header is \"\"; expected x,y");
    }
}

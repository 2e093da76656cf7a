//! Plans of jobs, read from a CSV: `flow,source,destination,size_bytes,priority,after,delay_ns`, and perhaps
//! `compute_ns,stream`. Operations begin when others are done, so no flow is drawn here.
//!
//! The text is read twice, once for names and once for all else, as an operation may wait for one further down. Errors
//! that are found later than that read it again, to find the line. So each operation takes no memory but its own.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::FlowSpec;
use super::csv_rows::{self, At, for_each_row};
use super::setup::Setup;
use crate::application::Plans;
use crate::application::job::{Fault, LONGEST_COMPUTING, Names, Plan, Rows, Work};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::scenario::{self, MOST_BYTES, ScenarioError};
use crate::topology::{NodeId, nearest};

const COLUMNS: [&str; 9] =
    ["flow", "source", "destination", "size_bytes", "priority", "after", "delay_ns", "compute_ns", "stream"];
/// Number of columns of a file that has flows alone.
const OF_FLOWS: usize = 7;
/// Most operations of a job, and most dependencies.
const MOST: usize = u32::MAX as usize - 1;

/// Plan of a job; no flow is known beforehand.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) plan: Arc<Plan>,
}

impl Job {
    pub(super) fn new(settings: &scenario::Job, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let transport = setup.template(&settings.transport)?.transport;
        let file = File::new(settings, setup)?;
        let names = file.names()?;
        if names.names.is_empty() {
            return Err(setup.holds_no_flow(&settings.file));
        }
        let rows = file.rows(&names)?;
        let start = Time::ZERO + settings.start;
        let plan = Plan::new(setup.index, start, transport, settings.local_rate, rows);
        let plan = plan.map_err(|fault| file.refusal(&fault, &names.names))?;
        Ok(Self { plan: Arc::new(plan.with_names(names.names)) })
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

/// File of a job.
struct File<'a> {
    path: &'a str,
    text: &'a str,
    /// Whether the file has the columns of all operations.
    is_wide: bool,
    local_rate: Option<Rate>,
    setup: &'a Setup<'a>,
}

impl<'a> File<'a> {
    fn new(settings: &'a scenario::Job, setup: &'a Setup<'a>) -> Result<Self, ScenarioError> {
        let text = setup.text("file", &settings.file)?;
        let columns = text.lines().next().unwrap_or_default().matches(',').count() + 1;
        let (is_wide, local_rate) = (columns > OF_FLOWS, settings.local_rate);
        Ok(Self { path: &settings.file, text, is_wide, local_rate, setup })
    }

    /// Calls `row` for every row. Columns that the file has not are empty.
    fn for_each(
        &self,
        mut row: impl FnMut(At<'_>, [&str; 9]) -> Result<(), ScenarioError>,
    ) -> Result<(), ScenarioError> {
        if self.is_wide {
            return for_each_row(self.path, self.text, COLUMNS, row);
        }
        let columns: [&str; OF_FLOWS] = std::array::from_fn(|column| COLUMNS[column]);
        for_each_row(self.path, self.text, columns, |at, fields| {
            row(at, std::array::from_fn(|column| fields.get(column).copied().unwrap_or_default()))
        })
    }

    /// Reads the names of all operations.
    fn names(&self) -> Result<Index, ScenarioError> {
        let mut index = Index::new();
        self.for_each(|at, [name, ..]| {
            if name.is_empty() || name.contains(char::is_whitespace) {
                let problem = format!("flow is \"{name}\"");
                return Err(ScenarioError::at(at, problem, "expected a name without spaces"));
            }
            if let Err(other) = index.insert(name) {
                let other = self.place(other);
                let problem = format!("there is a flow \"{name}\" already, in {other}");
                return Err(ScenarioError::at(at, problem, "expected another name"));
            }
            if index.names.len() > MOST || !index.names.push(name) {
                let expected =
                    "expected a job whose names take up to 2 GiB together; shorten them, or divide it";
                return Err(ScenarioError::at(at, "there are too many operations", expected));
            }
            Ok(())
        })?;
        Ok(index)
    }

    /// Reads all operations.
    fn rows(&self, names: &Index) -> Result<Rows, ScenarioError> {
        let (mut rows, mut after) = (Rows::default(), Vec::new());
        self.for_each(|at, fields| {
            let (source, work) = self.work(at, fields)?;
            let [.., named, delay, _, _] = fields;
            let delay = Span::new(csv_rows::picoseconds(at, "delay_ns", delay)?);
            after.clear();
            for name in named.split_whitespace() {
                let Some(before) = names.find(name) else {
                    let meant = nearest(name, names.names.iter());
                    let problem = format!("after: there is no flow \"{name}\"");
                    let error = ScenarioError::at(at, problem, "expected names of flows");
                    return Err(error.of_unknown_name(meant));
                };
                after.push(before);
            }
            after.sort_unstable();
            after.dedup();
            if rows.dependencies() + after.len() > MOST {
                let expected = "expected a job of fewer; join some in a row of its own";
                return Err(ScenarioError::at(at, "there are too many dependencies", expected));
            }
            rows.push(source, work, &after, delay);
            Ok(())
        })?;
        for position in 0..rows.len() as u32 {
            if let Some(before) = rows.unheard_of(position) {
                let name = names.names.get(before);
                let problem = format!("after: \"{name}\" neither begins nor ends at this flow's source");
                let expected =
                    "expected flows from there or to there, of which the host knows when they are done";
                return Err(ScenarioError::at(self.place(position), problem, expected));
            }
        }
        Ok(rows)
    }

    /// Reads the host of an operation, and its work.
    fn work(&self, at: At<'_>, fields: [&str; 9]) -> Result<(NodeId, Work), ScenarioError> {
        let [_, source, destination, size, priority, _, _, compute, stream] = fields;
        if self.is_wide && destination.is_empty() {
            let host = csv_rows::host(at, source, self.setup)?;
            return Ok((host, computation(at, size, compute, stream)?));
        }
        if !(compute.is_empty() && stream.is_empty()) {
            let problem = "there is a destination and a computation";
            return Err(ScenarioError::at(at, problem, "expected one of both; a row can wait for another"));
        }
        if self.is_wide && source == destination {
            let host = csv_rows::host(at, source, self.setup)?;
            let size = csv_rows::whole_number(at, "size_bytes", size, 0..=MOST_BYTES)?;
            return Ok((host, Work::Local { size: self.local_size(at, size)? }));
        }
        let (source, destination) = csv_rows::ends(at, source, destination, self.setup)?;
        let size = csv_rows::size(at, size)?;
        let priority = csv_rows::priority(at, priority, self.setup)?;
        Ok((source, Work::Flow { destination, size, priority }))
    }

    /// Checks that a host hands bytes to itself within the longest time that there is.
    fn local_size(&self, at: At<'_>, size: u64) -> Result<Bytes, ScenarioError> {
        let size = Bytes::new(size);
        match self.local_rate {
            Some(rate) if size > rate.bytes_in(LONGEST_COMPUTING) => {
                let problem = format!("size_bytes is \"{}\", which takes more than 100000 s", size.get());
                Err(ScenarioError::at(at, problem, "expected a higher local_rate, or fewer bytes"))
            }
            _ => Ok(size),
        }
    }

    /// Returns the place of the operation at a position.
    fn place(&self, position: u32) -> String {
        let (mut count, mut place) = (0, String::new());
        let read = self.for_each(|at, _| {
            if count == position {
                place = at.into();
            }
            count += 1;
            Ok(())
        });
        // A row further down may be no row at all.
        debug_assert!(read.is_err() || !place.is_empty(), "every operation has a row");
        place
    }

    /// Makes the error of operations that are no job.
    fn refusal(&self, fault: &Fault, names: &Names) -> ScenarioError {
        let quoted = |operation: u32| format!("\"{}\"", names.get(operation));
        match fault {
            Fault::TooLong(operation) => {
                let problem = format!("{} could end after more than 100000 s only", quoted(*operation));
                let expected = "expected less computing one after another";
                ScenarioError::at(self.place(*operation), problem, expected)
            }
            Fault::Cycle(cycle) => {
                let problem = match cycle.as_slice() {
                    [itself] => format!("{} waits for itself", quoted(*itself)),
                    several => {
                        let several: Vec<String> = several.iter().map(|&one| quoted(one)).collect();
                        format!("{} wait for one another", several.join(", "))
                    }
                };
                ScenarioError::at(self.place(cycle[0]), problem, "expected flows that can begin")
            }
        }
    }
}

/// Reads a computation.
fn computation(at: At<'_>, size: &str, compute: &str, stream: &str) -> Result<Work, ScenarioError> {
    if !size.is_empty() {
        let problem = format!("there is a size_bytes \"{size}\" without a destination");
        return Err(ScenarioError::at(at, problem, "expected a destination, or compute_ns alone"));
    }
    let duration = Span::new(csv_rows::picoseconds(at, "compute_ns", compute)?);
    let stream = match stream {
        "" => 0,
        number => csv_rows::whole_number(at, "stream", number, 0..=u32::MAX.into())? as u32,
    };
    Ok(Work::Compute { stream, duration })
}

/// Index of names: a hash table of positions.
struct Index {
    names: Names,
    /// Positions where their hashes point to or behind; `u32::MAX` in empty places. At most half are in use.
    places: Vec<u32>,
    hasher: RandomState,
}

impl Index {
    fn new() -> Self {
        Self { names: Names::default(), places: vec![u32::MAX; 16], hasher: RandomState::new() }
    }

    /// Returns the position of a name, or else the empty place for it.
    fn look_up(&self, name: &str) -> Result<u32, usize> {
        let mask = self.places.len() - 1;
        let mut place = self.hasher.hash_one(name) as usize & mask;
        loop {
            match self.places[place] {
                u32::MAX => return Err(place),
                position if self.names.get(position) == name => return Ok(position),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.look_up(name).ok()
    }

    /// Gives the next position to a name. Fails with the position that the name has already.
    fn insert(&mut self, name: &str) -> Result<(), u32> {
        if (self.names.len() + 1) * 2 > self.places.len() {
            self.places = vec![u32::MAX; self.places.len() * 2];
            for position in 0..self.names.len() as u32 {
                if let Err(place) = self.look_up(self.names.get(position)) {
                    self.places[place] = position;
                }
            }
        }
        match self.look_up(name) {
            Ok(position) => Err(position),
            Err(place) => {
                self.places[place] = self.names.len() as u32;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{scenario, source_with, star};
    use super::super::{Files, plans};
    use crate::application::job::{Plan, Work};
    use crate::kernel::units::{Bytes, Span};

    const OF_FLOWS: &str = "flow,source,destination,size_bytes,priority,after,delay_ns";

    fn job(rows: &str) -> Result<Plan, String> {
        read(OF_FLOWS, rows, "")
    }

    /// Reads a file with the columns of computations.
    fn wide(rows: &str) -> Result<Plan, String> {
        read(&format!("{OF_FLOWS},compute_ns,stream"), rows, "local_rate = '1kbps'")
    }

    fn read(header: &str, rows: &str, keys: &str) -> Result<Plan, String> {
        let files = Files::from([("job.csv".to_owned(), format!("{header}\n{rows}"))]);
        let workload = format!("kind = 'job'\nfile = 'job.csv'\nstart = '1us'\n{keys}");
        let scenario = scenario(&star(4), &workload);
        let (_, source) = source_with(&scenario, &files).map_err(|error| error.to_string())?;
        assert_eq!(source.clone().count(), 0, "no flow is known beforehand");
        let plans = plans(&[source]).map_err(|error| error.to_string())?;
        Ok(plans.job(0).unwrap().clone())
    }

    #[test]
    fn rows_wait_for_rows_above_and_below() {
        let plan = job("back,host1,host0,200,3,there,0\nthere,host0,host1,100,0,,20\n").unwrap();
        assert_eq!(plan.after(0), [1]);
        assert_eq!((plan.host(1), plan.destination(1), plan.delay(1).get()), (0, 1, 20_000));
        assert_eq!((plan.start.get(), plan.classes().mask()), (1_000_000, 0b1001));
        let (destination, size) = (0, Bytes::new(200));
        assert_eq!(
            (plan.computing.get(), plan.work(0)),
            (20_000, Work::Flow { destination, size, priority: 3 })
        );
        assert_eq!(plan.names().iter().collect::<Vec<_>>(), ["back", "there"]);
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

    #[test]
    fn rows_compute_and_stay_within_a_host() {
        let rows = "a,host1,,,,,3,20,\nb,host1,,,,a,0,0,7\nhere,host1,host1,5,,,0,,\n\
                    all,host1,host1,0,,a b here,0,,\ngo,host1,host2,5,2,all,0,,\n";
        let plan = wide(rows).unwrap();
        let computes =
            |stream, nanoseconds| Work::Compute { stream, duration: Span::from_nanoseconds(nanoseconds) };
        let local = |size| Work::Local { size: Bytes::new(size) };
        let works: Vec<Work> = (0..4).map(|operation| plan.work(operation)).collect();
        assert_eq!(works, [computes(0, 20), computes(7, 0), local(5), local(0)]);
        assert_eq!((plan.after(3), plan.destination(3), plan.flows()), (&[0, 1, 2][..], 1, 1));
        assert_eq!(plan.duration(2), Some(Span::from_microseconds(40_000)));
    }

    #[test]
    fn operations_that_cannot_be_are_named_by_their_line() {
        let good = "there,host0,host1,100,0,,20,,\n";
        let day = 86_400_000_000_000_u64;
        for (row, problem) in [
            (
                "a,host1,,,,,0,,",
                "compute_ns is \"\"; expected a whole number, at least 0 and at most 100000000000000",
            ),
            (
                "a,host1,,,,,0,100000000000001,",
                "compute_ns is \"100000000000001\"; expected a whole number, at least 0 and at most 100000000000000",
            ),
            (
                "a,host1,,,,,0,1,-1",
                "stream is \"-1\"; expected a whole number, at least 0 and at most 4294967295",
            ),
            (
                "a,host1,,5,,,0,1,",
                "there is a size_bytes \"5\" without a destination; expected a destination, or compute_ns alone",
            ),
            (
                "a,host1,host2,5,0,,0,1,",
                "there is a destination and a computation; expected one of both; a row can wait for another",
            ),
            (
                "a,hst1,,,,,0,1,",
                "\"hst1\" does not exist; did you mean \"host1\"? expected the name of a host",
            ),
            (
                "a,host1,host2,0,0,,0,,",
                "size_bytes is \"0\"; expected a whole number, at least 1 and at most 281474976710656",
            ),
            (
                "a,host1,host1,99999999999999,,,0,,",
                "size_bytes is \"99999999999999\", which takes more than 100000 s; expected a higher local_rate, or fewer bytes",
            ),
            (
                "a,host2,,,,there,0,1,",
                "after: \"there\" neither begins nor ends at this flow's source; expected flows from there or to there, of which \
                 the host knows when they are done",
            ),
            ("a,host1,,,,a,0,1,", "\"a\" waits for itself; expected flows that can begin"),
            (
                &format!("a,host1,,,,b,{day},1,\nb,host1,,,,,0,{day},"),
                "\"a\" could end after more than 100000 s only; expected less computing one after another",
            ),
        ] {
            assert_eq!(wide(&format!("{good}{row}\n")).unwrap_err(), format!("job.csv line 3: {problem}"));
        }
        let header = "flow,source,destination,size_bytes,priority,after,delay_ns,stream";
        assert_eq!(
            read(header, "", "").unwrap_err(),
            format!("job.csv line 1: the header is \"{header}\"; expected {OF_FLOWS},compute_ns,stream")
        );
    }
}

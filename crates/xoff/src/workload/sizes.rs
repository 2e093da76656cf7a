//! Flow sizes: lists of `size_bytes,cumulative_probability`, linear between their points.
//!
//! Sampling follows the field's reference generators (HPCC's `traffic_gen/custom_rand.py`, `cdf.c` of
//! HKUST-SING/TrafficGenerator). The mean that sets an arrival rate comes from the same list.
//!
//! ```
//! let web_search = xoff::catalogue::sizes().iter().find(|list| list.name == "web_search").expect("it comes with xoff");
//! assert_eq!(web_search.mean().round(), 1_711_250.0);
//! ```

use super::csv_rows::{At, for_each_row, whole_number};
use super::load::Volume;
use super::setup::Setup;
use crate::kernel::units::Bytes;
use crate::scenario::{MOST_BYTES, ScenarioError, Sizes};
use crate::topology::nearest;

/// List of flow sizes that comes with xoff.
#[derive(Clone, Copy, Debug)]
pub struct NamedList {
    /// Name of the list in scenarios.
    pub name: &'static str,
    /// Measured traffic, in one line.
    pub description: &'static str,
    /// Origin of the list's points.
    pub origin: &'static str,
    text: &'static str,
}

impl NamedList {
    /// Makes the distribution of the list.
    pub fn distribution(&self) -> SizeDistribution {
        SizeDistribution::parse(self.name, self.text).expect("the lists that come with xoff are well formed")
    }

    /// Mean flow size in bytes.
    pub fn mean(&self) -> f64 {
        self.distribution().mean()
    }
}

macro_rules! named_lists {
    ($($name:ident: $description:literal, $origin:literal;)*) => {
        const CATALOGUE: &[NamedList] = &[$(NamedList {
            name: stringify!($name),
            description: $description,
            origin: $origin,
            text: include_str!(concat!("../../data/flow-size-cdf/", stringify!($name), ".csv")),
        }),*];
    };
}

named_lists! {
    web_search: "Web search cluster of the DCTCP paper",
        "Alizadeh et al., SIGCOMM 2010, Figure 4; points as in HPCC's and BCC's repositories";
    data_mining: "Data mining cluster of the VL2 paper; 2 % of its flows are above 100 MB",
        "Greenberg et al., SIGCOMM 2009; points as in BCC's repository";
    data_mining_short: "Data mining in another reading, with a mean 2.5 times smaller",
        "Greenberg et al., SIGCOMM 2009; points as in inet-tub/ns3-datacenter";
    cache: "Facebook cache followers",
        "Roy et al., SIGCOMM 2015; points as in BCC's repository";
    hadoop: "Facebook Hadoop",
        "Roy et al., SIGCOMM 2015; points as in HPCC's repository";
    hadoop_large: "Facebook Hadoop in another reading, with a mean 28 times larger",
        "Roy et al., SIGCOMM 2015; points as in inet-tub/ns3-datacenter";
    storage: "Alibaba storage, 2019",
        "Li et al. (HPCC), SIGCOMM 2019; points as in HPCC's repository";
    google_rpc: "Google remote procedure calls, 2008",
        "Montazeri et al. (Homa), SIGCOMM 2018; points as in HPCC's repository";
}

/// Lists of flow sizes that come with xoff.
pub fn catalogue() -> &'static [NamedList] {
    CATALOGUE
}

/// Finds the list of flow sizes named `name`. Any other name in a scenario is the path of a file.
pub fn named(name: &str) -> Option<&'static NamedList> {
    CATALOGUE.iter().find(|list| list.name == name)
}

/// Distribution of flow sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    /// Size in bytes and probability of a flow not larger, both increasing. The last probability is 1.
    points: Vec<(f64, f64)>,
}

impl SizeDistribution {
    /// Makes a distribution in which every flow has the same size.
    pub fn fixed(size: Bytes) -> Self {
        Self { points: vec![(size.as_f64(), 1.0)] }
    }

    /// Parses a CSV of `size_bytes,cumulative_probability`, or lines of a size and a percentage as simulators of the
    /// HPCC family read them; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let mut points = Points { rows: Vec::new(), column: CSV_COLUMNS[1], whole: 1.0 };
        if is_percent_form(text) {
            points = Points { rows: Vec::new(), column: "the percentage", whole: 100.0 };
            for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
                let at = At { file, line: line + 1 };
                let fields: Vec<&str> = row.split_whitespace().collect();
                let &[size, percent] = fields.as_slice() else {
                    let problem = format!("has {} fields", fields.len());
                    return Err(ScenarioError::at(at, problem, "expected a size in bytes and a percentage"));
                };
                points.add(at, size, percent)?;
            }
        } else {
            for_each_row(file, text, CSV_COLUMNS, |at, [size, probability]| {
                points.add(at, size, probability)
            })?;
        }
        points.complete(file)
    }

    /// Mean size in bytes.
    pub fn mean(&self) -> f64 {
        let (first_size, first_probability) = self.points[0];
        let segments =
            self.points.windows(2).map(|pair| f64::midpoint(pair[0].0, pair[1].0) * (pair[1].1 - pair[0].1));
        segments.fold(first_size * first_probability, |sum, segment| sum + segment)
    }

    /// Mean size, and mean number of packets of `packet` bytes that carry a flow.
    pub(super) fn volume(&self, packet: Bytes) -> Volume {
        let (first_size, first_probability) = self.points[0];
        let atom = Volume::of(Bytes::from_f64(first_size).max(Bytes::new(1)), packet).packets;
        let segments = self.points.windows(2).map(|pair| {
            let [(from, before), (to, after)] = [pair[0], pair[1]];
            (packets_up_to(to, packet) - packets_up_to(from, packet)) / (to - from) * (after - before)
        });
        let packets = segments.fold(atom * first_probability, |sum, segment| sum + segment);
        Volume { payload: self.mean(), packets }
    }

    /// Returns the size at a uniform variate in [0, 1), rounded down, at least one byte.
    pub fn sample(&self, uniform: f64) -> Bytes {
        Bytes::from_f64(self.size_at(uniform)).max(Bytes::new(1))
    }

    /// Interpolates the size between the two points around `uniform`. The first point is an atom of probability.
    fn size_at(&self, uniform: f64) -> f64 {
        let above = self.points.partition_point(|&(_, probability)| probability < uniform);
        let (size, probability) = self.points[above];
        let Some(&(size_below, probability_below)) = above.checked_sub(1).map(|below| &self.points[below])
        else {
            return size;
        };
        size_below + (size - size_below) * (uniform - probability_below) / (probability - probability_below)
    }

    /// Makes the distribution that a workload's `sizes` names.
    pub(super) fn new(sizes: &Sizes, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        match sizes {
            Sizes::Fixed { fixed: Bytes::ZERO } => {
                Err(setup.error("sizes.fixed", "is zero", "expected at least 1B"))
            }
            Sizes::Fixed { fixed } => Ok(Self::fixed(*fixed)),
            Sizes::Named(name) => match (named(name), setup.files.get(name)) {
                (Some(list), _) => Ok(list.distribution()),
                (None, Some(text)) => Self::parse(name, text),
                (None, None) => Err(unknown(name, setup)),
            },
        }
    }
}

const CSV_COLUMNS: [&str; 2] = ["size_bytes", "cumulative_probability"];

/// Whether a text begins with two numbers and a space between them, as files of the HPCC family do.
fn is_percent_form(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let fields: Vec<&str> = first.split_whitespace().collect();
    fields.len() == 2 && fields.iter().all(|field| field.parse::<f64>().is_ok())
}

/// Rows of a size distribution that have been read.
struct Points {
    rows: Vec<(f64, f64)>,
    /// Name of the second column in errors.
    column: &'static str,
    /// Number in the second column that is all flows: 1, or 100 percent.
    whole: f64,
}

impl Points {
    /// Adds a row, whose numbers must be above those of the row before.
    fn add(&mut self, at: At<'_>, size: &str, part: &str) -> Result<(), ScenarioError> {
        let size = Bytes::new(whole_number(at, "size_bytes", size, 0..=MOST_BYTES)?).as_f64();
        let part = part.parse().ok().filter(|part| (0.0..=self.whole).contains(part)).ok_or_else(|| {
            let expected = format!("expected a number from 0 to {}", self.whole);
            ScenarioError::at(at, format!("{} is \"{part}\"", self.column), expected)
        })?;
        if let Some(&before) = self.rows.last() {
            increasing(at, "size_bytes", before.0, size)?;
            increasing(at, self.column, before.1, part)?;
        }
        self.rows.push((size, part));
        Ok(())
    }

    /// Returns the distribution, which must end with a size above 0 and all flows.
    fn complete(self, file: &str) -> Result<SizeDistribution, ScenarioError> {
        let problem = match self.rows.last() {
            Some(&(size, part)) if size > 0.0 && part >= self.whole => {
                let points = self.rows.iter().map(|&(size, part)| (size, part / self.whole)).collect();
                return Ok(SizeDistribution { points });
            }
            Some(&(_, part)) if part >= self.whole => "every size is 0".to_owned(),
            Some((_, part)) => format!("ends where {} is {part}", self.column),
            None => "has no rows".to_owned(),
        };
        let expected =
            format!("expected a last row with a size above 0, where {} is {}", self.column, self.whole);
        Err(ScenarioError::at(file, problem, expected))
    }
}

/// Integrates from 0 to `size` the packets that carry a flow whose size is rounded down, at least one byte.
fn packets_up_to(size: f64, packet: Bytes) -> f64 {
    let packet = packet.as_f64();
    let beyond_first_byte = (size - 1.0).max(0.0);
    let full = (beyond_first_byte / packet).floor();
    let in_full = packet * full * (full + 1.0) / 2.0;
    size.min(1.0) + in_full + (beyond_first_byte - full * packet) * (full + 1.0)
}

fn unknown(name: &str, setup: &Setup<'_>) -> ScenarioError {
    let expected = "expected a name from `xoff list sizes`, or a file, whose name has a point or a slash";
    let error = setup.error("sizes", format!("\"{name}\" does not exist"), expected);
    error.of_unknown_name(nearest(name, CATALOGUE.iter().map(|list| list.name)))
}

fn increasing(at: At<'_>, column: &str, before: f64, value: f64) -> Result<(), ScenarioError> {
    if value > before {
        return Ok(());
    }
    let problem = format!("{column} goes from {before} to {value}");
    Err(ScenarioError::at(at, problem, "expected every row to be above the one before"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(rows: &str) -> Result<SizeDistribution, ScenarioError> {
        SizeDistribution::parse("a.csv", &format!("size_bytes,cumulative_probability\n{rows}"))
    }

    /// Computed by hand from the list, as HPCC's `custom_rand.py` interpolates.
    #[test]
    fn web_search_samples_as_the_reference_generators_do() {
        let sizes = named("web_search").unwrap().distribution();
        let vectors = [
            (0.10, 6_666.67),
            (0.15, 10_000.0),
            (0.25, 25_000.0),
            (0.50, 73_076.92),
            (0.65, 600_000.0),
            (0.75, 1_500_000.0),
            (0.95, 8_571_428.57),
            (0.99, 23_333_333.33),
            (0.999, 29_333_333.33),
        ];
        for (uniform, size) in vectors {
            assert!((sizes.size_at(uniform) - size).abs() < 0.006, "{uniform}: {}", sizes.size_at(uniform));
        }
        assert_eq!(sizes.sample(0.50), Bytes::new(73_076));
        assert_eq!(sizes.sample(0.0), Bytes::new(1));
    }

    /// Computed from the points of each origin. The unrounded points of `hadoop_large` have a mean of 3,423,728.
    #[test]
    fn the_means_are_those_of_the_origins() {
        let means = [
            ("web_search", 1_711_250.0),
            ("data_mining", 12_658_198.6),
            ("data_mining_short", 5_036_535.0),
            ("cache", 935_452.5),
            ("hadoop", 120_420.8),
            ("hadoop_large", 3_422_156.8),
            ("storage", 40_869.8),
            ("google_rpc", 2_891.6),
        ];
        assert_eq!(means.len(), catalogue().len());
        for (name, mean) in means {
            let computed = named(name).unwrap().mean();
            assert!((computed / mean - 1.0).abs() < 2e-5, "{name}: {computed}");
        }
    }

    /// The web search of the HPCC family, `WebSearch_distribution.txt`, in its own form.
    #[test]
    fn sizes_with_percentages_are_those_of_the_csv() {
        let text = "0 0\n10000 15\n20000 20\n30000\t30\n50000 40\n80000 53\n200000 60\n1000000 70\n2000000 80\n\
                    5000000 90\n10000000 97\n\n30000000 100\n";
        assert_eq!(SizeDistribution::parse("a.txt", text), Ok(named("web_search").unwrap().distribution()));
        let error = |text| SizeDistribution::parse("a.txt", text).unwrap_err().to_string();
        assert!(error("0 0\n10 50\n").contains("ends where the percentage is 50"));
        assert!(error("0 0\n10 101\n").contains("a.txt line 2: the percentage is \"101\""));
        assert!(error("0 0\n10\n").contains("a.txt line 2: has 1 fields"));
    }

    #[test]
    fn a_first_probability_above_zero_is_an_atom() {
        let sizes = list("1,0.5\n3,1\n").unwrap();
        assert_eq!([0.0, 0.3, 0.5, 0.75].map(|uniform| sizes.sample(uniform).get()), [1, 1, 1, 2]);
        assert!((sizes.mean() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn packets_are_counted_as_samples_take_them() {
        let packet = Bytes::new(1000);
        for list in catalogue() {
            let sizes = list.distribution();
            let uniform = (0..1_000_000).map(|index| (f64::from(index) + 0.5) / 1e6);
            let packets: u64 = uniform.map(|at| sizes.sample(at).get().div_ceil(packet.get())).sum();
            let counted = sizes.volume(packet).packets * 1e6;
            assert!((counted / packets as f64 - 1.0).abs() < 1e-3, "{}: {counted} of {packets}", list.name);
        }
        assert_eq!(
            Volume::of(Bytes::new(64), packet),
            SizeDistribution::fixed(Bytes::new(64)).volume(packet)
        );
    }

    #[test]
    fn fixed_sizes_are_fixed() {
        let sizes = SizeDistribution::fixed(Bytes::new(1000));
        assert_eq!((sizes.sample(0.0), sizes.sample(0.999)), (Bytes::new(1000), Bytes::new(1000)));
        assert!((sizes.mean() - 1000.0).abs() < 1e-12);
    }

    #[test]
    fn malformed_lists_are_refused_by_line() {
        let refusal = |rows: &str| list(rows).unwrap_err().to_string();
        assert!(refusal("0,0\n10,0.5\n10,1\n").starts_with("a.csv line 4: size_bytes goes from 10 to 10"));
        assert!(refusal("0,0\n10,0\n20,1\n").starts_with("a.csv line 3: cumulative_probability goes"));
        assert!(refusal("0,0\n10,0.9\n").starts_with("a.csv: ends where cumulative_probability is 0.9"));
        assert!(refusal("0,0\n10,nan\n").starts_with("a.csv line 3: cumulative_probability is \"nan\""));
        assert!(refusal("-1,0\n10,1\n").starts_with("a.csv line 2: size_bytes is \"-1\""));
        assert!(refusal("").starts_with("a.csv: has no rows"));
        assert!(refusal("0,1\n").starts_with("a.csv: every size is 0"));
    }

    proptest! {
        #![proptest_config(crate::cases::cases(256))]

        #[test]
        fn larger_variates_never_give_smaller_flows(one in 0.0..1.0_f64, other in 0.0..1.0_f64) {
            for list in catalogue() {
                let sizes = list.distribution();
                prop_assert!(sizes.sample(one.min(other)) <= sizes.sample(one.max(other)));
            }
        }
    }
}

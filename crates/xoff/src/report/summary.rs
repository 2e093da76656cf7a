//! Summary of a run: completion times, slowdowns and goodputs of its flows, and the counters of the network.
//!
//! docs/summary.md has the meaning of each number. Times are in microseconds where a key ends in `_us`. A number that
//! nothing decides, such as a percentile of no flows, is none.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    BufferTotals, CollectiveColumns, CollectiveTotals, Deadlocked, FastForwardTotals, FlowRow, JobTotals,
    LetGo, PacketTotals, PfcTotals, QcnTotals, QueryColumns, QueryTotals, Report, Storm, UnfinishedColumns,
};
use crate::host::SprayingCounters;
use crate::kernel::statistics::{mean, quantile, sum};
use crate::kernel::units::Bytes;
use crate::scenario::Scenario;

/// Numbers of a run, in the order of `summary.json`.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::struct_excessive_bools)] // each is a key of `summary.json`
pub struct Summary {
    /// Name of the run.
    pub title: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Whether the caller ended the run.
    pub interrupted: bool,
    /// Bytes at which small ends and medium ends.
    pub size_classes_bytes: [u64; 2],
    /// End of the run.
    pub end_ns: u64,
    /// Measured time.
    pub measured: MeasuredTime,
    /// Flows of the measured time.
    pub flows: FlowNumbers,
    /// Packets by their fate.
    pub packets: PacketTotals,
    /// Share of packets that were dropped.
    pub loss_rate: f64,
    /// Payload received in the measured time over that time.
    pub goodput_gbps: f64,
    /// Priority flow control.
    pub pfc: PfcNumbers,
    /// Congestion notification messages.
    pub qcn: QcnTotals,
    /// Spraying by senders.
    pub spraying: SprayingCounters,
    /// Packet memory of switches.
    pub buffer: BufferTotals,
    /// Whether there is a deadlock.
    pub deadlock: bool,
    /// Queues of the deadlock.
    pub deadlock_cycle: Vec<Deadlocked>,
    /// Number of queues that will never send.
    pub stuck_queues: usize,
    /// Whether the run ended because nothing could move any longer.
    pub stood_still: bool,
    /// Whether the run was cut off at the longest time that a run can last.
    pub reached_time_limit: bool,
    /// Time from which on nothing was recorded, if records were cut off.
    pub recorded_until_ns: Option<u64>,
    /// Ports that were paused without a break for the detection time.
    pub storms: Vec<Storm>,
    /// Interventions of watchdogs.
    pub watchdog: Vec<LetGo>,
    /// Counters of the engine.
    pub engine: EngineNumbers,
    /// Times that were skipped; left out where every packet was simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_forward: Option<FastForwardTotals>,
    /// Flows of each workload, in the order of the scenario.
    pub workloads: Vec<WorkloadNumbers>,
    /// Hash of all integer results.
    pub digest: String,
    /// Queries.
    pub queries: QueryNumbers,
    /// Collectives, workload by workload.
    pub collectives: Vec<CollectiveNumbers>,
    /// Jobs.
    pub jobs: Vec<JobNumbers>,
}

/// Measured time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasuredTime {
    /// Begin.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// Flows that started in it and were not finished at the end.
    pub unfinished: usize,
}

/// Completion times and slowdowns of some flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)] // each is its name
pub struct Completion {
    pub count: usize,
    pub fct_mean_us: Option<f64>,
    pub fct_p50_us: Option<f64>,
    pub fct_p95_us: Option<f64>,
    pub fct_p99_us: Option<f64>,
    pub fct_p999_us: Option<f64>,
    pub slowdown_mean: Option<f64>,
    pub slowdown_p50: Option<f64>,
    pub slowdown_p95: Option<f64>,
    pub slowdown_p99: Option<f64>,
    pub slowdown_p999: Option<f64>,
}

/// Goodputs of unfinished flows over the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct UnfinishedNumbers {
    /// Least goodput.
    pub unfinished_goodput_min_gbps: Option<f64>,
    /// Mean goodput.
    pub unfinished_goodput_mean_gbps: Option<f64>,
    /// Greatest goodput.
    pub unfinished_goodput_max_gbps: Option<f64>,
    /// Jain's index of fairness of the flows without end, if there are two or more.
    pub long_lived_jain_index: Option<f64>,
}

/// Flows by size class, and counts of all.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FlowNumbers {
    /// All flows.
    pub all: Completion,
    /// Flows below the first of the size classes' bounds.
    pub small: Completion,
    /// Flows from the first bound to below the second.
    pub medium: Completion,
    /// Flows from the second bound on.
    pub large: Completion,
    /// Flows handed to transports.
    pub started: u64,
    /// Flows that had not finished at the end.
    pub unfinished: u64,
    /// Finished flows without a row; left out where every flow has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_row: Option<u64>,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Goodputs of unfinished flows.
    #[serde(flatten)]
    pub of_unfinished: UnfinishedNumbers,
}

/// Flows of one workload; those of queries are requests and responses.
#[derive(Clone, Debug, Serialize)]
pub struct WorkloadNumbers {
    /// Kind of the workload.
    pub kind: &'static str,
    /// Name of the transport.
    pub transport: String,
    /// Flows that had not finished at the end.
    pub unfinished: usize,
    /// Goodputs of these.
    #[serde(flatten)]
    pub of_unfinished: UnfinishedNumbers,
    /// Completion times and slowdowns of the others.
    #[serde(flatten)]
    pub completion: Completion,
}

/// Counts and times of priority flow control, in microseconds.
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs)] // `PfcTotals` has them
pub struct PfcNumbers {
    pub pause_frames: u64,
    pub resume_frames: u64,
    pub paused_us: f64,
    pub longest_pause_us: f64,
    pub off_us: f64,
    pub off_port_as_one_us: f64,
    pub headroom_peak_bytes: u64,
    pub storms: u64,
    pub interventions: u64,
}

/// Counters of the engine.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EngineNumbers {
    /// Events, which depend on the way the run was carried out.
    pub events: u64,
    /// Links crossed by packets of any kind.
    pub packet_hops: u64,
}

/// Counters of queries, and completion times of those of the measured time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct QueryNumbers {
    /// Counters.
    #[serde(flatten)]
    pub totals: QueryTotals,
    /// Mean completion time.
    pub completion_mean_us: Option<f64>,
    /// Median completion time.
    pub completion_p50_us: Option<f64>,
    /// 95th percentile of completion times.
    pub completion_p95_us: Option<f64>,
    /// 99th percentile of completion times.
    pub completion_p99_us: Option<f64>,
    /// Share of complete queries with a timeout.
    pub timeout_fraction: Option<f64>,
}

/// Counters of the collectives of a workload, and times and bandwidths of those of the measured time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CollectiveNumbers {
    /// Counters.
    #[serde(flatten)]
    pub totals: CollectiveTotals,
    /// Mean completion time.
    pub completion_mean_us: Option<f64>,
    /// Median completion time.
    pub completion_p50_us: Option<f64>,
    /// 99th percentile of completion times.
    pub completion_p99_us: Option<f64>,
    /// Longest completion time.
    pub completion_max_us: Option<f64>,
    /// Mean time of an iteration: per group, first start to last end, over its number of collectives.
    pub iteration_mean_us: Option<f64>,
    /// Mean bus bandwidth.
    pub bus_bandwidth_mean_gbps: Option<f64>,
    /// Least bus bandwidth.
    pub bus_bandwidth_min_gbps: Option<f64>,
}

/// Counters of a job.
#[derive(Clone, Copy, Debug, Serialize)]
#[allow(missing_docs)] // `JobTotals` has them
pub struct JobNumbers {
    pub workload: usize,
    pub flows: u64,
    pub started: u64,
    pub finished: u64,
    pub computations: u64,
    pub computed: u64,
    pub computing_us: f64,
    pub completion_us: Option<f64>,
}

impl Summary {
    /// Sums up the report of a scenario's run.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let (totals, pathologies) = (&report.totals, &report.pathologies);
        let (packets, measured) = (totals.packets, totals.measured);
        let measured_ns = measured.end_ns - measured.start_ns;
        let flows = flows(scenario, report);
        Self {
            title: scenario.title.clone(),
            seed: scenario.seed,
            interrupted: report.interrupted,
            size_classes_bytes: scenario.measure.size_classes.map(Bytes::get),
            end_ns: totals.end_ns,
            measured: MeasuredTime {
                start_ns: measured.start_ns,
                end_ns: measured.end_ns,
                unfinished: report.unfinished.measured.iter().filter(|&&is_measured| is_measured).count(),
            },
            loss_rate: share(packets.dropped as f64, packets.sent).unwrap_or_default(),
            goodput_gbps: share((measured.payload_delivered_bytes * 8) as f64, measured_ns)
                .unwrap_or_default(),
            packets,
            pfc: totals.pfc.into(),
            qcn: totals.qcn,
            spraying: totals.spraying,
            buffer: totals.buffer,
            deadlock: !pathologies.deadlock.is_empty(),
            deadlock_cycle: pathologies.deadlock.clone(),
            stuck_queues: pathologies.stuck_queues,
            stood_still: pathologies.stood_still,
            reached_time_limit: pathologies.reached_time_limit,
            recorded_until_ns: totals.recorded_until_ns,
            storms: pathologies.storms.clone(),
            watchdog: pathologies.watchdog.clone(),
            fast_forward: totals.fast_forward,
            engine: EngineNumbers { events: totals.events, packet_hops: totals.packet_hops },
            workloads: workloads(scenario, report, &flows.all),
            flows,
            digest: report.digest.clone(),
            queries: QueryNumbers::new(&report.queries, totals.queries),
            collectives: totals
                .collectives
                .iter()
                .map(|of_workload| CollectiveNumbers::new(&report.collectives, *of_workload))
                .collect(),
            jobs: totals.jobs.iter().map(|of_job| (*of_job).into()).collect(),
        }
    }
}

fn share(part: f64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part / whole as f64)
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1000.0
}

fn flows(scenario: &Scenario, report: &Report) -> FlowNumbers {
    let [all, small, medium, large] = by_class(&report.flows.rows, scenario.measure.size_classes);
    FlowNumbers {
        all,
        small,
        medium,
        large,
        started: report.totals.flows_started,
        unfinished: report.totals.flows_unfinished,
        without_row: Some(report.totals.flows_without_row).filter(|&count| count > 0),
        timeouts: report.totals.timeouts,
        of_unfinished: UnfinishedNumbers::new(&report.unfinished, None),
    }
}

/// Returns the numbers of all, small, medium and large flows. A flow of just the size of a bound is in the class above.
fn by_class(rows: &[FlowRow], [small, medium]: [Bytes; 2]) -> [Completion; 4] {
    [
        Completion::of(rows, |_| true),
        Completion::of(rows, |row| row.size < small),
        Completion::of(rows, |row| small <= row.size && row.size < medium),
        Completion::of(rows, |row| medium <= row.size),
    ]
}

fn workloads(scenario: &Scenario, report: &Report, of_all: &Completion) -> Vec<WorkloadNumbers> {
    let is_alone = scenario.workload.len() == 1;
    let of_workload = |(index, workload): (u16, &crate::scenario::Workload)| WorkloadNumbers {
        kind: workload.spelling(),
        transport: workload.transport().to_owned(),
        unfinished: report.unfinished.workload.iter().filter(|&&own| own == u32::from(index)).count(),
        of_unfinished: UnfinishedNumbers::new(&report.unfinished, Some(index.into())),
        completion: if is_alone {
            *of_all
        } else {
            Completion::of(&report.flows.rows, |row| row.workload == index)
        },
    };
    (0..).zip(&scenario.workload).map(of_workload).collect()
}

impl Completion {
    /// Returns the numbers of the flows that count and belong to some set.
    fn of(rows: &[FlowRow], belongs: impl Fn(&FlowRow) -> bool) -> Self {
        let counted = || rows.iter().filter(|row| row.measured && belongs(row));
        // One list at a time, because a run may have millions of flows.
        let nanoseconds = |row: &FlowRow| row.finish.as_nanoseconds() - row.start.as_nanoseconds();
        let times = ordered(counted().map(|row| microseconds(nanoseconds(row))));
        let found = Self {
            count: times.len(),
            fct_mean_us: mean(&times),
            fct_p50_us: quantile(&times, 500),
            fct_p95_us: quantile(&times, 950),
            fct_p99_us: quantile(&times, 990),
            fct_p999_us: quantile(&times, 999),
            ..Self::default()
        };
        drop(times);
        let slowdowns = ordered(counted().map(FlowRow::slowdown));
        Self {
            slowdown_mean: mean(&slowdowns),
            slowdown_p50: quantile(&slowdowns, 500),
            slowdown_p95: quantile(&slowdowns, 950),
            slowdown_p99: quantile(&slowdowns, 990),
            slowdown_p999: quantile(&slowdowns, 999),
            ..found
        }
    }
}

fn ordered(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

impl UnfinishedNumbers {
    /// Returns the numbers of the unfinished flows of one workload, or of all.
    fn new(unfinished: &UnfinishedColumns, workload: Option<u32>) -> Self {
        let belongs = |row: &usize| {
            let is_asked = workload.is_none_or(|workload| unfinished.workload[*row] == workload);
            is_asked && !unfinished.goodput_gbps[*row].is_nan()
        };
        let rows: Vec<usize> = (0..unfinished.goodput_gbps.len()).filter(belongs).collect();
        let goodputs = ordered(rows.iter().map(|&row| unfinished.goodput_gbps[row]));
        let endless: Vec<f64> = rows
            .iter()
            .filter(|&&row| unfinished.size_bytes[row] == u64::MAX)
            .map(|&row| unfinished.goodput_gbps[row])
            .collect();
        let squares: Vec<f64> = endless.iter().map(|goodput| goodput * goodput).collect();
        let squares = endless.len() as f64 * sum(&squares);
        Self {
            unfinished_goodput_min_gbps: goodputs.first().copied(),
            unfinished_goodput_mean_gbps: mean(&goodputs),
            unfinished_goodput_max_gbps: goodputs.last().copied(),
            long_lived_jain_index: (endless.len() > 1 && squares > 0.0)
                .then(|| sum(&endless).powi(2) / squares),
        }
    }
}

impl From<PfcTotals> for PfcNumbers {
    fn from(totals: PfcTotals) -> Self {
        Self {
            pause_frames: totals.pause_frames,
            resume_frames: totals.resume_frames,
            paused_us: microseconds(totals.paused_ns),
            longest_pause_us: microseconds(totals.longest_pause_ns),
            off_us: microseconds(totals.off_ns),
            off_port_as_one_us: microseconds(totals.off_port_as_one_ns),
            headroom_peak_bytes: totals.headroom_peak_bytes,
            storms: totals.storms,
            interventions: totals.interventions,
        }
    }
}

impl QueryNumbers {
    fn new(queries: &QueryColumns, totals: QueryTotals) -> Self {
        let rows: Vec<usize> = (0..queries.measured.len()).filter(|&row| queries.measured[row]).collect();
        let times = ordered(rows.iter().map(|&row| microseconds(queries.completion_ns[row])));
        let with_timeouts = rows.iter().filter(|&&row| queries.timeouts[row] > 0).count();
        Self {
            totals,
            completion_mean_us: mean(&times),
            completion_p50_us: quantile(&times, 500),
            completion_p95_us: quantile(&times, 950),
            completion_p99_us: quantile(&times, 990),
            timeout_fraction: share(with_timeouts as f64, rows.len() as u64),
        }
    }
}

impl CollectiveNumbers {
    fn new(collectives: &CollectiveColumns, totals: CollectiveTotals) -> Self {
        let belongs =
            |&row: &usize| collectives.measured[row] && collectives.workload[row] as usize == totals.workload;
        let rows: Vec<usize> = (0..collectives.measured.len()).filter(belongs).collect();
        let times = ordered(rows.iter().map(|&row| microseconds(collectives.completion_ns[row])));
        let bandwidths = ordered(rows.iter().map(|&row| collectives.bus_bandwidth_gbps[row]));
        Self {
            totals,
            completion_mean_us: mean(&times),
            completion_p50_us: quantile(&times, 500),
            completion_p99_us: quantile(&times, 990),
            completion_max_us: times.last().copied(),
            iteration_mean_us: time_of_each(collectives, &rows),
            bus_bandwidth_mean_gbps: mean(&bandwidths),
            bus_bandwidth_min_gbps: bandwidths.first().copied(),
        }
    }
}

/// Returns the mean time of an iteration: per group, first start to last end, over its number of collectives.
fn time_of_each(collectives: &CollectiveColumns, rows: &[usize]) -> Option<f64> {
    let mut groups: BTreeMap<u32, (u64, u64, u32)> = BTreeMap::new();
    for &row in rows {
        let (start, finish, count) = groups.entry(collectives.group[row]).or_insert((u64::MAX, 0, 0));
        *start = collectives.start_ns[row].min(*start);
        *finish = collectives.finish_ns[row].max(*finish);
        *count += 1;
    }
    let of_group =
        |&(start, finish, count): &(u64, u64, u32)| (finish - start) as f64 / f64::from(count) / 1000.0;
    mean(&groups.values().map(of_group).collect::<Vec<_>>())
}

impl From<JobTotals> for JobNumbers {
    fn from(totals: JobTotals) -> Self {
        Self {
            workload: totals.workload,
            flows: totals.flows,
            started: totals.started,
            finished: totals.finished,
            computations: totals.computations,
            computed: totals.computed,
            computing_us: microseconds(totals.computing_ns),
            completion_us: totals.completion_ns.map(microseconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::{Span, Time};

    /// Flows of some sizes, each with its completion time in ns; slowdowns are that time in us.
    fn flows(of_each: &[(u64, u64)]) -> Vec<FlowRow> {
        let flow = |&(size, nanoseconds): &(u64, u64)| {
            let mut row = FlowRow::default();
            row.size = Bytes::new(size);
            row.finish = Time::ZERO + Span::from_nanoseconds(nanoseconds);
            row.ideal = Span::from_nanoseconds(1000);
            row.measured = true;
            row
        };
        of_each.iter().map(flow).collect()
    }

    #[test]
    fn a_size_on_a_bound_belongs_to_the_class_above() {
        let rows = flows(&[99, 100, 999, 1000].map(|size| (size, 1000)));
        let classes = by_class(&rows, [Bytes::new(100), Bytes::new(1000)]);
        assert_eq!(classes.map(|class| class.count), [4, 1, 2, 1]);
    }

    #[test]
    fn flows_that_are_not_measured_stay_out_and_an_empty_class_has_no_numbers() {
        let mut rows = flows(&[(1, 1000), (1, 9000)]);
        rows[1].measured = false;
        let [all, .., large] = by_class(&rows, [Bytes::new(100), Bytes::new(1000)]);
        assert_eq!((all.count, all.fct_mean_us, all.slowdown_mean), (1, Some(1.0), Some(1.0)));
        assert_eq!(large, Completion::default());
    }

    #[test]
    fn completion_times_are_in_microseconds() {
        let rows = flows(&(0..100).rev().map(|time| (1, 1000 * time)).collect::<Vec<_>>());
        let all = Completion::of(&rows, |_| true);
        assert_eq!((all.fct_p50_us, all.fct_p99_us, all.fct_mean_us), (Some(50.0), Some(99.0), Some(49.5)));
        assert_eq!(all.slowdown_p95, Some(95.0));
    }

    #[test]
    fn flows_without_end_share_as_jains_index_says() {
        let unfinished = |goodputs: &[f64], sizes: &[u64]| UnfinishedColumns {
            goodput_gbps: goodputs.to_vec(),
            size_bytes: sizes.to_vec(),
            workload: (0..).take(sizes.len()).collect(),
            ..UnfinishedColumns::default()
        };
        let found = UnfinishedNumbers::new(&unfinished(&[1.0, 5.0, 3.0], &[u64::MAX, 1000, u64::MAX]), None);
        assert_eq!(found.unfinished_goodput_min_gbps, Some(1.0));
        assert_eq!(found.unfinished_goodput_mean_gbps, Some(3.0));
        assert_eq!(found.unfinished_goodput_max_gbps, Some(5.0));
        assert_eq!(found.long_lived_jain_index, Some(16.0 / 20.0));
        let late = unfinished(&[f64::NAN, 1.0, 3.0], &[u64::MAX; 3]);
        assert_eq!(UnfinishedNumbers::new(&late, None).long_lived_jain_index, Some(16.0 / 20.0));
        let of_one = UnfinishedNumbers::new(&late, Some(2));
        assert_eq!((of_one.unfinished_goodput_mean_gbps, of_one.long_lived_jain_index), (Some(3.0), None));
        assert_eq!(UnfinishedNumbers::new(&late, Some(0)), UnfinishedNumbers::default());
    }

    #[test]
    fn queries_are_summed_up_by_completion_time_and_timeouts() {
        let queries = QueryColumns {
            completion_ns: vec![4000, 1000, 3000, 2000, 9000],
            timeouts: vec![0, 2, 0, 1, 0],
            measured: vec![true, true, true, true, false],
            ..QueryColumns::default()
        };
        let found =
            QueryNumbers::new(&queries, QueryTotals { started: 5, late: 1, ..QueryTotals::default() });
        assert_eq!((found.totals.started, found.totals.late), (5, 1));
        assert_eq!((found.completion_mean_us, found.completion_p50_us), (Some(2.5), Some(3.0)));
        assert_eq!((found.completion_p99_us, found.timeout_fraction), (Some(4.0), Some(0.5)));
        let none = QueryNumbers::new(&QueryColumns::default(), QueryTotals::default());
        assert_eq!((none.completion_p50_us, none.timeout_fraction), (None, None));
    }

    #[test]
    fn collectives_are_summed_up_by_workload() {
        let collectives = CollectiveColumns {
            workload: vec![1, 1, 2, 1, 1],
            group: vec![0, 0, 0, 1, 0],
            start_ns: vec![0, 3000, 0, 500, 9000],
            finish_ns: vec![4000, 4000, 9000, 1500, 18000],
            completion_ns: vec![4000, 1000, 9000, 1000, 9000],
            bus_bandwidth_gbps: vec![20.0, 80.0, 5.0, 80.0, 7.0],
            measured: vec![true, true, true, true, false],
            ..CollectiveColumns::default()
        };
        let [first, second, none] = [1, 2, 3].map(|workload| {
            let totals = CollectiveTotals {
                workload,
                operation: "",
                algorithm: "",
                ranks: 2,
                groups: 2,
                size_bytes: 0,
                started: 0,
                finished: 0,
                unfinished: 0,
            };
            CollectiveNumbers::new(&collectives, totals)
        });
        assert_eq!((first.completion_mean_us, first.completion_p50_us), (Some(2.0), Some(1.0)));
        assert_eq!((first.completion_max_us, first.bus_bandwidth_mean_gbps), (Some(4.0), Some(60.0)));
        assert_eq!(first.bus_bandwidth_min_gbps, Some(20.0));
        assert_eq!(first.iteration_mean_us, Some(f64::midpoint(4.0 / 2.0, 1.0)));
        assert_eq!((second.completion_mean_us, second.bus_bandwidth_min_gbps), (Some(9.0), Some(5.0)));
        assert_eq!((none.completion_max_us, none.iteration_mean_us), (None, None));
    }
}

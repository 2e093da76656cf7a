//! Columns of a report as JavaScript's numbers. Exact up to 2^53; a number that there is not is NaN.

use xoff::Report;
use xoff::columns::FlowRow;

/// A number of a column, as JavaScript has it.
trait Number: Copy {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty: $largest_is_none:expr),*) => {$(
        impl Number for $type {
            fn number(self) -> f64 {
                if $largest_is_none && self == <$type>::MAX { f64::NAN } else { self as f64 }
            }
        }
    )*};
}
numbers!(u8: true, u32: true, u64: true, f64: false);

fn each<T: Number>(column: &[T]) -> Vec<f64> {
    column.iter().map(|value| value.number()).collect()
}

/// Returns a column by the names of its table and its own, as in the files of a result; none of an unknown name.
pub(crate) fn column(report: &Report, table: &str, name: &str) -> Option<Vec<f64>> {
    macro_rules! of {
        ($table:ident: $($column:ident),*) => {
            match name {
                $(stringify!($column) => each(&report.$table.$column),)*
                _ => return None,
            }
        };
    }
    Some(match table {
        "flows" => return of_flows(&report.flows.rows, name),
        "unfinished" => {
            of!(unfinished: source, destination, number, size_bytes, received_bytes, goodput_gbps)
        }
        "ports" => {
            of!(ports: port, device, peer, rate_bps, utilization, packets, wire_bytes, marked, dropped,
            pause_frames, resume_frames, paused_ns, longest_pause_ns)
        }
        "series" => of!(series: time_ns, quantity, name, priority, value),
        "pauses" => of!(pauses: device, port, paused_device, paused_port, priority, start_ns, end_ns, reason),
        _ => return None,
    })
}

fn of_flows(rows: &[FlowRow], name: &str) -> Option<Vec<f64>> {
    let each = |value: &dyn Fn(&FlowRow) -> f64| rows.iter().map(value).collect();
    Some(match name {
        "source" => each(&|row| row.source.into()),
        "destination" => each(&|row| row.destination.into()),
        "number" => each(&|row| row.number.into()),
        "workload" => each(&|row| row.workload.into()),
        "size_bytes" => each(&|row| row.size.as_f64()),
        "start_ns" => each(&|row| row.start.as_nanoseconds() as f64),
        "fct_ns" => each(&|row| (row.finish.as_nanoseconds() - row.start.as_nanoseconds()) as f64),
        "slowdown" => each(&FlowRow::slowdown),
        "measured" => each(&|row| f64::from(u8::from(row.measured))),
        _ => return None,
    })
}

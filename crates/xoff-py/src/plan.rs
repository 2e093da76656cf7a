//! The formulas of planning, as JSON or plain numbers. Ratios come as numerator and denominator.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use xoff::plan::headroom::{Headroom, Link, PUBLISHED_REACTION_QUANTA};
use xoff::plan::{bcc, headroom as formula};
use xoff::settings::congestion_point;
use xoff::units::{Bytes, Rate, Ratio, Span};

fn link(
    rate_bps: u64,
    delay: Span,
    largest_bytes: u64,
    reaction_quanta: u16,
    pool_may_be_full: bool,
) -> PyResult<Link> {
    if rate_bps == 0 {
        return Err(PyValueError::new_err("a link of rate 0 carries nothing"));
    }
    let (rate, largest) = (Rate::new(rate_bps), Bytes::new(largest_bytes));
    Ok(Link { rate, pause_rate: rate, delay, largest, reaction_quanta, pool_may_be_full })
}

/// The parts of the headroom of one class of one port, in bytes, as the papers count them.
#[pyfunction]
pub(crate) fn published_headroom(rate_bps: u64, delay_ns: u64, largest_bytes: u64) -> PyResult<String> {
    let delay = Span::from_nanoseconds(delay_ns);
    let link = link(rate_bps, delay, largest_bytes, PUBLISHED_REACTION_QUANTA, false)?;
    let parts = Headroom::of(&link).published();
    let Headroom { wait, propagation, reaction, response, last_propagation, .. } = parts;
    let parts = json!({
        "wait_bytes": wait.get(), "propagation_bytes": propagation.get(), "reaction_bytes": reaction.get(),
        "response_bytes": response.get(), "last_propagation_bytes": last_propagation.get(),
        "total_bytes": parts.total().get(),
    });
    Ok(parts.to_string())
}

/// The headroom of one class of one port, in bytes.
#[pyclass(frozen, get_all, module = "xoff._xoff")]
pub(crate) struct HeadroomBytes {
    /// As the papers count it.
    published: u64,
    /// Published headroom and the pause frame.
    with_pause_frame: u64,
    /// Headroom that simulations set aside under a dynamic threshold.
    under_dynamic_threshold: u64,
}

/// The headroom of one class of one port.
#[pyfunction]
pub(crate) fn headroom(
    rate_bps: u64,
    delay_ps: u64,
    largest_bytes: u64,
    reaction_quanta: u16,
) -> PyResult<HeadroomBytes> {
    let of = |pool_may_be_full| {
        let link = link(rate_bps, Span::new(delay_ps), largest_bytes, reaction_quanta, pool_may_be_full)?;
        Ok::<_, PyErr>(Headroom::of(&link))
    };
    let threshold_stays = of(false)?;
    Ok(HeadroomBytes {
        published: threshold_stays.published().total().get(),
        with_pause_frame: threshold_stays.total().get(),
        under_dynamic_threshold: of(true)?.total().get(),
    })
}

/// Quanta that a port of this rate may take to react to a pause frame (IEEE 802.3, 31B.3.7).
#[pyfunction]
pub(crate) fn reaction_quanta(rate_bps: u64) -> u16 {
    formula::reaction_quanta(Rate::new(rate_bps))
}

/// Buffer for full throughput, in round trips at the port's rate, of a congestion control of which BCC says it.
#[pyfunction]
pub(crate) fn bcc_lambda(algorithm: &str) -> Option<(u64, u64)> {
    bcc::lambda(algorithm).map(|lambda| (lambda.numerator(), lambda.denominator()))
}

/// Returns the bytes that a queue requires of a pool, and the pool's minimum and maximum thresholds in bytes.
#[pyfunction]
#[pyo3(signature = (
    *, shared_bytes, rate_bps, together_bps, alpha, reserved_bytes, round_trip_ps, buffer_round_trips, ramp_ps
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn bcc_thresholds(
    shared_bytes: u64,
    rate_bps: u64,
    together_bps: u64,
    alpha: (u64, u64),
    reserved_bytes: u64,
    round_trip_ps: u64,
    buffer_round_trips: (u64, u64),
    ramp_ps: u64,
) -> PyResult<(u64, u64, u64)> {
    let pool = bcc::Pool {
        shared: Bytes::new(shared_bytes),
        rate: Rate::new(rate_bps),
        together: Rate::new(together_bps),
        alpha: Ratio::new(alpha.0, alpha.1),
        reserved: Bytes::new(reserved_bytes),
        round_trip: Span::new(round_trip_ps),
        lambda: Ratio::new(buffer_round_trips.0, buffer_round_trips.1),
        ramp: Span::new(ramp_ps),
    };
    let bcc::Thresholds { required, minimum, maximum } =
        pool.thresholds().map_err(|infeasible| PyValueError::new_err(infeasible.to_string()))?;
    Ok((required.get(), minimum.get(), maximum.get()))
}

/// Shared bytes that each of so many saturated queues holds under Dynamic Threshold.
#[pyfunction]
pub(crate) fn saturated_share(shared_bytes: u64, alpha: (u64, u64), busy: u64) -> u64 {
    bcc::share(Bytes::new(shared_bytes), Ratio::new(alpha.0, alpha.1), busy).get()
}

/// The number of saturated ports from which on packets are dropped before a port's threshold marks any, if there is one.
#[pyfunction]
pub(crate) fn drops_before_marking_from(
    shared_bytes: u64,
    alpha: (u64, u64),
    reserved_bytes: u64,
    port_threshold_bytes: u64,
    ports: u64,
) -> Option<u64> {
    let [shared, reserved, threshold] = [shared_bytes, reserved_bytes, port_threshold_bytes].map(Bytes::new);
    bcc::drops_before_marking_from(shared, Ratio::new(alpha.0, alpha.1), reserved, threshold, ports)
}

/// Ports that can each have what they need before memory is overfull.
#[pyfunction]
pub(crate) fn ports_that_fit(memory_bytes: u64, required_bytes: u64) -> PyResult<u64> {
    if required_bytes == 0 {
        return Err(PyValueError::new_err("any number of ports fits that need nothing"));
    }
    Ok(bcc::ports_that_fit(Bytes::new(memory_bytes), Bytes::new(required_bytes)))
}

/// Returns the feedback of a QCN congestion point for an occupancy, 0 to 63, and the bytes until its next sample.
#[pyfunction]
pub(crate) fn qcn_sample(
    set_point_bytes: u64,
    weight: (u64, u64),
    interval_bytes: u64,
    occupancy_bytes: u64,
    before_bytes: u64,
) -> (u8, u64) {
    let settings = congestion_point::Settings {
        set_point: Bytes::new(set_point_bytes),
        weight: Ratio::new(weight.0, weight.1),
        interval: Bytes::new(interval_bytes),
        ..congestion_point::Settings::default()
    };
    let feedback = settings.feedback(Bytes::new(occupancy_bytes), Bytes::new(before_bytes));
    let interval = settings.interval_after(feedback);
    (feedback.map_or(0, congestion_point::Feedback::get), interval.get())
}

//! The catalogue of keys, algorithms, flow sizes and chips, as JSON.

use pyo3::prelude::*;
use serde_json::json;
use xoff::catalogue::{self, Chip, chips as chip_table};
use xoff::units::Bytes;

use crate::error::raise;

/// The JSON Schema of a scenario.
#[pyfunction]
pub(crate) fn schema() -> String {
    catalogue::schema().to_string()
}

/// Explains a key, an algorithm or a kind. Returns a list, as several may have the name.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, name: &str) -> PyResult<String> {
    let found = catalogue::explain(name).map_err(|error| raise(py, error))?;
    Ok(json!(found).to_string())
}

/// Every algorithm, policy, marker, topology, transport and workload.
#[pyfunction]
pub(crate) fn algorithms() -> String {
    json!(catalogue::list()).to_string()
}

/// The flow-size distributions that come with xoff.
#[pyfunction]
pub(crate) fn sizes() -> String {
    let lists = catalogue::sizes().iter().map(|list| {
        json!({ "name": list.name, "about": list.description, "source": list.origin, "mean_bytes": list.mean() })
    });
    json!(lists.collect::<Vec<_>>()).to_string()
}

/// The chips that a switch can be built on.
#[pyfunction]
pub(crate) fn chips() -> String {
    let chips = chip_table().iter().map(|chip| {
        let Chip { name, ports, rate, uplinks, memory, off_chip, mmus, cell, ecn, source } = chip;
        let mut entry = json!({
            "name": name, "about": chip.about(), "source": source, "ports": ports, "rate_bps": rate.get(),
            "uplink_ports": uplinks.map_or(0, |uplinks| uplinks.ports),
            "uplink_rate_bps": uplinks.map(|uplinks| uplinks.rate.get()), "ecn": ecn,
            "off_chip_bytes": off_chip.map(Bytes::get), "mmus": mmus, "cell_bytes": cell.map(Bytes::get),
        });
        if let Some(memory) = memory {
            entry["memory_bytes"] = json!(memory.get());
            entry["kibibytes_per_port"] = json!(chip.kibibytes_per_port());
            entry["kibibytes_per_port_per_gbps"] = json!(chip.kibibytes_per_port_per_gbps());
        }
        entry
    });
    json!(chips.collect::<Vec<_>>()).to_string()
}

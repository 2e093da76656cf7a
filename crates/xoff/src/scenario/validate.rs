//! What one key cannot show: rules between the tables of a scenario, checked before anything runs.
//! The range of a single key stands beside its field; what needs the network's nodes is checked when it is built.

use super::words::did_you_mean;
use super::{Incast, Scenario, ScenarioError, SwitchSettings, Transport, Workload};
use crate::kernel::units::Bytes;

/// Largest frame on any link: what a 16-bit length can say.
const LARGEST_FRAME: Bytes = Bytes::new(65_535);
/// A flow's transport is stored in a byte.
const MOST_TRANSPORTS: usize = 255;

type Checked = Result<(), ScenarioError>;

impl Scenario {
    /// Whether the tables fit together.
    pub fn validate(&self) -> Checked {
        self.check_transports()?;
        for (index, workload) in self.workload.iter().enumerate() {
            self.check_transport_name(&format!("workload[{index}].transport"), workload.transport())?;
            check_groups(index, workload)?;
        }
        self.check_memory()?;
        self.check_end()
    }

    fn check_transports(&self) -> Checked {
        let count = self.transport.len();
        if count > MOST_TRANSPORTS {
            let expected = format!("expected at most {MOST_TRANSPORTS}");
            return Err(ScenarioError::at("transport", format!("{count} tables"), expected));
        }
        for (name, transport) in &self.transport {
            let frame = transport.largest_frame();
            if frame > LARGEST_FRAME {
                let problem = format!("{frame} make a frame");
                let expected =
                    format!("expected payload and headers of at most {} together", LARGEST_FRAME.get());
                return Err(ScenarioError::at(
                    format!("transport.{name}.payload"),
                    problem,
                    format!("{expected} bytes"),
                ));
            }
        }
        Ok(())
    }

    fn check_transport_name(&self, key: &str, name: &str) -> Checked {
        if self.transport.contains_key(name) {
            return Ok(());
        }
        let problem = format!("there is no transport \"{name}\"");
        if self.transport.is_empty() {
            return Err(ScenarioError::at(key, problem, format!("expected a table [transport.{name}]")));
        }
        let names = || self.transport.keys().map(String::as_str);
        let meant = did_you_mean(name, names(), '"');
        let known = super::words::choices(names());
        Err(ScenarioError::at(
            key,
            problem,
            format!("{meant}expected {known}, or a table [transport.{name}]"),
        ))
    }

    /// The largest frame any transport sends, acknowledgements included.
    pub fn largest_frame(&self) -> Bytes {
        self.transport.values().map(Transport::largest_frame).max().unwrap_or(Bytes::ZERO)
    }

    /// A memory that no packet fits in would drop everything.
    fn check_memory(&self) -> Checked {
        let frame = self.largest_frame();
        let totals = self
            .switch
            .iter()
            .enumerate()
            .map(|(index, table)| (format!("switch[{index}].total"), table.total));
        let adapter = ("host.adapter_queue".to_owned(), self.host.adapter_queue);
        for (key, size) in totals.chain([adapter]) {
            if let Some(size) = size.filter(|size| *size < frame) {
                let expected = format!("expected at least {frame}, the largest frame of the transports");
                return Err(ScenarioError::at(key, format!("{size} is smaller than one packet"), expected));
            }
        }
        Ok(())
    }

    /// Whether a switch's reserves fit into its memory, given how many ports it has and how many classes are in use.
    pub fn check_reserves(&self, node: &str, ports: u64, classes: u64) -> Checked {
        let settings = self.switch_settings(node);
        let SwitchSettings { total, reserved_per_port, reserved_per_queue, .. } = settings;
        let reserved = (reserved_per_queue * classes + reserved_per_port) * ports;
        if reserved <= total {
            return Ok(());
        }
        let problem =
            format!("{node} reserves {reserved} for {ports} ports, more than its memory of {total}");
        let expected = "expected a larger `total`, or smaller `reserved_per_port` and `reserved_per_queue`";
        Err(ScenarioError::at(
            self.switch_key(node, |table| table.total.is_some(), "total"),
            problem,
            expected,
        ))
    }

    /// Whether the run ends by itself.
    fn check_end(&self) -> Checked {
        let stop = &self.stop;
        let says_end = stop.at.is_some();
        let counts = stop.after_flows.is_some() && self.workload.iter().any(Workload::has_finite_flows);
        for (index, workload) in self.workload.iter().enumerate() {
            let key = |name| format!("workload[{index}].{name}");
            if !workload.has_finite_flows() && !says_end && !counts {
                let problem = "flows without end, and nothing that ends the run";
                let remedy = "expected a `size`, or stop.at";
                return Err(ScenarioError::at(key("size"), problem, remedy));
            }
            if workload.arrives_for_ever() && !says_end && !counts && stop.arrivals_end.is_none() {
                let problem = "flows arrive for ever, and nothing ends the run";
                let remedy = "expected stop.arrivals_end, stop.after_flows or stop.at";
                return Err(ScenarioError::at(key("kind"), problem, remedy));
            }
        }
        Ok(())
    }
}

/// Groups that repeat need the time between them.
fn check_groups(index: usize, workload: &Workload) -> Checked {
    match workload {
        Workload::Incast(Incast { every: None, groups, .. }) if *groups != Some(1) => Err(ScenarioError::at(
            format!("workload[{index}].every"),
            "missing",
            "expected the time from one group to the next, or groups = 1",
        )),
        _ => Ok(()),
    }
}

impl Transport {
    /// The largest frame it sends.
    pub fn largest_frame(&self) -> Bytes {
        match self {
            Self::Tcp(tcp) => tcp.payload.saturating_add(tcp.headers).max(tcp.acknowledgement),
            Self::ConstantRate(constant) => constant.payload.saturating_add(constant.headers),
        }
    }
}

impl Workload {
    /// The name of its transport.
    pub fn transport(&self) -> &str {
        match self {
            Self::Poisson(workload) => &workload.transport,
            Self::LongLived(workload) => &workload.transport,
            Self::Incast(workload) => &workload.transport,
            Self::Permutation(workload) => &workload.transport,
            Self::Trace(workload) => &workload.transport,
        }
    }

    /// Whether its flows have a last byte.
    fn has_finite_flows(&self) -> bool {
        match self {
            Self::LongLived(workload) => workload.size.is_some(),
            Self::Permutation(workload) => workload.size.is_some(),
            Self::Poisson(_) | Self::Incast(_) | Self::Trace(_) => true,
        }
    }

    /// Whether new flows come as long as the run lasts.
    fn arrives_for_ever(&self) -> bool {
        match self {
            Self::Poisson(_) => true,
            Self::Incast(workload) => workload.groups.is_none(),
            Self::LongLived(_) | Self::Permutation(_) | Self::Trace(_) => false,
        }
    }
}

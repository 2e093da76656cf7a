//! A scenario, and running it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use xoff::network::SwitchLayout;
use xoff::network::port_names;
use xoff::network::{Network, PortId};
use xoff::schemes::Schemes;
use xoff::settings::CongestionControl;
use xoff::settings::Every;
use xoff::units::{Rate, Span};
use xoff::{Execution, Report, ScenarioError, Simulation, Summary};

use crate::error::raise;
use crate::result::RawResult;
use crate::schemes::{Faults, PythonFinder};
use crate::typed::typed;
use crate::watch::Watch;

/// A checked scenario.
#[pyclass(frozen, module = "xoff._xoff")]
pub(crate) struct Scenario {
    inner: xoff::Scenario,
    file: Option<String>,
    /// Faults of schemes in Python; nothing where the scenario has none.
    faults: Option<Arc<Faults>>,
}

impl Scenario {
    /// The scenario, as the simulator takes it.
    pub(crate) fn inner(&self) -> &xoff::Scenario {
        &self.inner
    }

    /// The error with the scenario's file, unless it is about another.
    pub(crate) fn raise(&self, py: Python<'_>, error: ScenarioError) -> PyErr {
        raise(py, in_file(error, self.file.as_ref()))
    }

    /// Returns where schemes in Python note their faults, if there are any, with the network whose flows they name.
    pub(crate) fn faults(&self, py: Python<'_>) -> PyResult<Option<(Arc<Faults>, Network)>> {
        let Some(faults) = &self.faults else { return Ok(None) };
        let network = Network::build(&self.inner.topology, self.inner.scale_up.as_ref());
        Ok(Some((Arc::clone(faults), network.map_err(|error| self.raise(py, error))?)))
    }

    /// Returns the first fault of a scheme since it was last asked for.
    fn fault(&self, py: Python<'_>, network: Option<&Network>) -> Option<PyErr> {
        self.faults.as_ref()?.take(py, network)
    }

    fn unknown(&self, py: Python<'_>, name: &str) -> PyErr {
        let problem = format!("there is no {name}");
        self.raise(py, ScenarioError::at("", problem, "expected a name of the scenario"))
    }

    /// The position of a transport among all, by its name.
    fn transport(&self, py: Python<'_>, name: &str) -> PyResult<u8> {
        let position = self.inner.transport.keys().position(|known| known == name);
        position.map(|position| position as u8).ok_or_else(|| self.unknown(py, name))
    }
}

/// Returns the least and the greatest time on one core of a run that offers so much, in seconds.
#[pyfunction]
pub(crate) fn cpu_seconds(flows: f64, packet_hops: f64) -> (f64, f64) {
    xoff::Offered { flows, packet_hops, ..xoff::Offered::default() }.cpu_seconds().into()
}

/// The names of some ports.
fn names_of(ports: &[PortId], network: &Network) -> Vec<String> {
    let names: Vec<String> = port_names(network).collect();
    ports.iter().map(|&port| names[port as usize].clone()).collect()
}

fn in_file(error: ScenarioError, file: Option<&String>) -> ScenarioError {
    match (file, &error.file) {
        (Some(file), None) => error.in_file(file),
        _ => error,
    }
}

#[pymethods]
impl Scenario {
    #[new]
    #[pyo3(signature = (text, overrides = vec![], file = None, find = None))]
    fn new(
        py: Python<'_>,
        text: &str,
        overrides: Vec<String>,
        file: Option<String>,
        find: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let faults = Arc::<Faults>::default();
        let schemes = match find {
            Some(find) => {
                let finder = PythonFinder { find, faults: Arc::clone(&faults) };
                Schemes::default().with_finder(Arc::new(finder))
            }
            None => Schemes::default().with_unknown_files(),
        };
        let inner = xoff::Scenario::with_schemes(text, &overrides, &schemes)
            .map_err(|error| raise(py, in_file(error, file.as_ref())))?;
        let faults = Some(faults).filter(|faults| faults.has_schemes());
        Ok(Self { inner, file, faults })
    }

    /// A line for each table of a scenario's text that loses keys, because changes name another kind for it and do not set them.
    #[staticmethod]
    fn left_out(text: &str, overrides: Vec<String>) -> Vec<String> {
        xoff::Scenario::left_out(text, &overrides)
    }

    /// Name of the run in tables and reports; empty if it has no title.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// Seed of every random stream.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Flow sizes in bytes at which small ends and medium ends.
    #[getter]
    fn size_classes(&self) -> (u64, u64) {
        let [small, medium] = self.inner.measure.size_classes;
        (small.get(), medium.get())
    }

    /// Time at which the last flow may start, if it is set.
    #[getter]
    fn arrivals_end_ns(&self) -> Option<f64> {
        self.inner.stop.arrivals_end.map(|span| span.get() as f64 / 1000.0)
    }

    /// Kind and transport of every workload, in their order.
    #[getter]
    fn workloads(&self) -> Vec<(&str, &str)> {
        self.inner.workload.iter().map(|workload| (workload.spelling(), workload.transport())).collect()
    }

    /// Whether every drop of some port is recorded.
    #[getter]
    fn observes_drops(&self) -> bool {
        self.inner.observe.drops.as_ref().is_some_and(|drops| drops.every == Every::Change)
    }

    /// Whether the packets of some flow are recorded.
    #[getter]
    fn observes_packets(&self) -> bool {
        !self.inner.observe.packets.is_empty()
    }

    /// Whether pauses are recorded.
    #[getter]
    fn observes_pauses(&self) -> bool {
        self.inner.observe.pauses
    }

    /// Whether headroom is recorded.
    #[getter]
    fn observes_headroom(&self) -> bool {
        self.inner.observe.headroom
    }

    /// Number of flows that end the run, if it is set.
    #[getter]
    fn after_flows(&self) -> Option<u64> {
        self.inner.stop.after_flows
    }

    /// Whether a scheme in Python has part in it.
    #[getter]
    fn has_schemes(&self) -> bool {
        self.faults.is_some()
    }

    /// The scenario with its defaults filled in, but those of switches, and with other paths of the files that it names.
    #[pyo3(signature = (paths = BTreeMap::new()))]
    fn to_toml(&self, paths: BTreeMap<String, String>) -> String {
        self.inner.to_toml_with(&paths)
    }

    /// Returns all settings, with the defaults filled in, but for those of switches; keys that are not set are left out.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        typed(py, &self.inner)
    }

    /// Returns the settings of one switch, to which all tables come; keys that are not set are left out.
    fn switch_settings<'py>(&self, py: Python<'py>, node: &str) -> PyResult<Bound<'py, PyAny>> {
        typed(py, &self.inner.switch_settings(node).table(node.to_owned()))
    }

    /// Returns how a switch divides its memory, given the text of each file by its path. Raises ScenarioError if there is no such
    /// switch, or it has no shared memory.
    fn switch_memory<'py>(
        &self,
        py: Python<'py>,
        files: BTreeMap<String, String>,
        node: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let simulation = Simulation::new(&self.inner, &files).map_err(|error| self.raise(py, error))?;
        let network = simulation.network();
        let found = network.names().find(node).filter(|&node| !network.is_host(node));
        match found.map(|node| simulation.layout(node)) {
            Some(SwitchLayout::SharedMemory(layout)) => typed(py, &layout.memory()),
            Some(SwitchLayout::Cioq(_)) => {
                let expected = "expected one of kind = \"shared_memory\"";
                Err(self.raise(py, ScenarioError::at(node, "has no shared memory".to_owned(), expected)))
            }
            None => {
                let expected = "expected one of those that `xoff topology` prints";
                Err(self.raise(py, ScenarioError::at(node, "is no switch".to_owned(), expected)))
            }
        }
    }

    /// Returns what adapters can be told of a transport's DCQCN, for a link of so many bits per second. In order:
    /// gain, timer in ns, additive and hyper increase in bits per second, least ns between two CNPs. Returns nothing
    /// for another congestion control.
    fn dcqcn_of_adapters(&self, transport: &str, rate_bps: u64) -> Option<(f64, u64, u64, u64, u64)> {
        match self.inner.transport.get(transport)?.congestion_control()? {
            CongestionControl::Dcqcn(dcqcn) => {
                let (gain, timer, additive, hyper, between_cnps) = dcqcn.of_adapters(Rate::new(rate_bps));
                let nanoseconds = |span: Span| span.get() / 1000;
                Some((gain, nanoseconds(timer), additive.get(), hyper.get(), nanoseconds(between_cnps)))
            }
            _ => None,
        }
    }

    /// The largest frame of any transport, in bytes.
    #[getter]
    fn largest_frame(&self) -> u64 {
        self.inner.largest_frame().get()
    }

    /// Key and path of every file it names.
    fn files(&self) -> Vec<(String, String)> {
        self.inner.files().into_iter().map(|reference| (reference.key, reference.path)).collect()
    }

    /// Checks all that can be checked without running, given the text of each file by its path, and says what is worth
    /// knowing of a scenario that can be run.
    fn check(&self, py: Python<'_>, files: BTreeMap<String, String>) -> PyResult<Vec<String>> {
        let checked = py.detach(|| Simulation::new(&self.inner, &files).map(|simulation| simulation.notes()));
        match self.fault(py, None) {
            Some(fault) => Err(fault),
            None => checked.map_err(|error| self.raise(py, error)),
        }
    }

    /// Returns about how much the workloads offer, given the text of each file by its path: flows, bytes and
    /// packet-hops.
    fn offered(&self, py: Python<'_>, files: BTreeMap<String, String>) -> PyResult<(f64, f64, f64)> {
        let offered =
            py.detach(|| Simulation::new(&self.inner, &files).map(|simulation| simulation.offered()));
        let offered = offered.map_err(|error| self.raise(py, error))?;
        Ok((offered.flows, offered.bytes, offered.packet_hops))
    }

    /// Returns the number of hosts, that number with their adapters inside servers, and every port, those of hosts
    /// first. A port has its name, the name of the port at the other end of its link, and the link's state. That
    /// state is its bits per second, its delay in ns, the share of packets that it corrupts, and whether it has
    /// failed.
    #[allow(clippy::type_complexity)]
    fn topology(&self, py: Python<'_>) -> PyResult<(u32, u32, Vec<(String, String, u64, f64, f64, bool)>)> {
        let network = Network::build(&self.inner.topology, self.inner.scale_up.as_ref())
            .map_err(|error| self.raise(py, error))?;
        let names: Vec<String> = port_names(&network).collect();
        let ports = (0..network.nodes.len() as u32).flat_map(|node| network.ports.of(node));
        let rows = (0..).zip(ports).map(|(id, port)| {
            let rate = network.rate_of(id).get();
            let link = &network.links[port.link as usize];
            let [name, peer] = [id, network.ports.other_end(id)].map(|end| names[end as usize].clone());
            let delay_ns = link.delay.get() as f64 / 1000.0;
            (name, peer, rate, delay_ns, link.error_rate.as_f64(), link.failed)
        });
        Ok((network.fabric_hosts(), network.hosts, rows.collect()))
    }

    /// The flow of a number at a host: whom it is for, its priority, when it starts in ns, and the ports that its data
    /// leaves by: of its one path, or of all that it may take, and whether it is one. Nothing if there will never be such a flow.
    #[allow(clippy::type_complexity)]
    fn path(
        &self,
        py: Python<'_>,
        files: BTreeMap<String, String>,
        source: &str,
        number: u32,
    ) -> PyResult<Option<(String, u8, u64, Vec<String>, bool)>> {
        let simulation = Simulation::new(&self.inner, &files).map_err(|error| self.raise(py, error))?;
        let network = simulation.network();
        let host = network.names().find(source).filter(|&node| network.is_host(node));
        let Some(path) = host.and_then(|host| xoff::network::path_of(&simulation, host, number)) else {
            return Ok(None);
        };
        let ports = names_of(&path.ports, network);
        let destination = network.nodes[path.destination as usize].name.clone();
        Ok(Some((destination, path.priority, path.start.as_nanoseconds(), ports, path.is_one)))
    }

    /// The ports that data of a flow leaves by, as `path` has them, by its ends, its transport and its number at its source. Raises
    /// ScenarioError for a name that is none.
    fn ports_of(
        &self,
        py: Python<'_>,
        files: BTreeMap<String, String>,
        ends: (String, String),
        transport: &str,
        number: u32,
    ) -> PyResult<(Vec<String>, bool)> {
        let simulation = Simulation::new(&self.inner, &files).map_err(|error| self.raise(py, error))?;
        let (network, names) = (simulation.network(), simulation.network().names());
        let find = |name: &str| names.find(name).ok_or_else(|| self.unknown(py, name));
        let ends = [find(&ends.0)?, find(&ends.1)?];
        let transport = self.transport(py, transport)?;
        let ports = xoff::network::ports_of(&simulation, ends, transport, number);
        Ok((names_of(&ports, network), simulation.parallel_paths(transport).is_none()))
    }

    /// Returns of each flow whether its data may leave by a port, as packets are routed when the run begins. A flow
    /// is its source, its destination, its transport and its number at its source. Raises ScenarioError for a name
    /// that is none.
    fn crosses(
        &self,
        py: Python<'_>,
        files: BTreeMap<String, String>,
        port: &str,
        flows: Vec<(String, String, String, u32)>,
    ) -> PyResult<Vec<bool>> {
        let unknown = |name: &str| self.unknown(py, name);
        let simulation = Simulation::new(&self.inner, &files).map_err(|error| self.raise(py, error))?;
        let (network, names) = (simulation.network(), simulation.network().names());
        let port_id = port_names(network).position(|name| name == port).ok_or_else(|| unknown(port))?;
        let crosses = |(source, destination, transport, number): &(String, String, String, u32)| {
            let host = |name: &str| names.find(name).ok_or_else(|| unknown(name));
            let transport = self.transport(py, transport)?;
            let ends = [host(source)?, host(destination)?];
            let ports = xoff::network::ports_of(&simulation, ends, transport, *number);
            Ok(ports.contains(&(port_id as u32)))
        };
        flows.iter().map(crosses).collect()
    }

    /// Simulates it, without holding the GIL. `progress` ends the run by returning False, and so does Ctrl-C.
    #[pyo3(signature = (files, threads = 1, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        files: BTreeMap<String, String>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<RawResult> {
        let mut watch = Watch::new(progress);
        let faults = self.faults.as_deref();
        let has_failed = || faults.is_some_and(Faults::any);
        let run = || {
            let simulation = Simulation::new(&self.inner, &files)?;
            simulation.check_undriven()?;
            drop(files); // the text of a job may take hundreds of megabytes
            let execution = Execution::with_threads(threads);
            let mut outcome = simulation.run(execution, &mut |state| !has_failed() && watch.goes_on(state));
            let report = Report::new(&simulation, &mut outcome);
            let summary = Summary::new(&self.inner, &report);
            Ok((report, summary, has_failed().then(|| simulation.network().clone())))
        };
        // One thread that calls Python all the time would only lose by giving up the lock between calls.
        let ran = if threads == 1 && faults.is_some() { run() } else { py.detach(run) };
        let (report, summary, network) = ran.map_err(|error: ScenarioError| self.raise(py, error))?;
        if let Some(error) = self.fault(py, network.as_ref()).or(watch.failure) {
            return Err(error);
        }
        RawResult::new(py, report, &summary)
    }
}

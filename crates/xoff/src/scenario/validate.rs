//! Rules between the tables of a scenario, which one key cannot show, checked before anything runs. The range of a
//! single key stands beside its field. The network's build checks the rules that need its nodes.

use super::words::{is_line, nearest};
use super::{Host, Marking, QueuePairs, Roce, Routing, Scenario, ScenarioError, Shaper, Transport, Workload};
use crate::congestion_control::{self, Needs};
use crate::kernel::units::{Bytes, Span};
use crate::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};

/// Largest frame on any link: what a 16-bit length can say.
const LARGEST_FRAME: Bytes = Bytes::new(65_535);
/// A flow's transport is stored in a byte.
const MOST_TRANSPORTS: usize = 255;
/// And the position of its workload in two.
const MOST_WORKLOADS: usize = 1 << 16;

const ONE_LINE: &str = "expected one line of text";

type Checked = Result<(), ScenarioError>;

impl Scenario {
    /// Whether the tables fit together.
    pub fn validate(&self) -> Checked {
        if !is_line(&self.title) {
            return Err(ScenarioError::at("title", "has control characters or several lines", ONE_LINE));
        }
        self.check_transports()?;
        at_most("workload", self.workload.len(), MOST_WORKLOADS)?;
        self.check_classes()?;
        self.check_alphas()?;
        for (index, workload) in self.workload.iter().enumerate() {
            self.check_transport_name(&format!("workload[{index}].transport"), workload.transport())?;
        }
        self.check_routing()?;
        self.check_memory()?;
        self.check_offloads()?;
        self.check_cnp_engine()?;
        self.check_end()?;
        self.check_measure()
    }

    /// Flowlets have gaps, and telemetry is of one path.
    fn check_routing(&self) -> Checked {
        let Routing { kind, flowlet_gap, .. } = self.topology.routing();
        if flowlet_gap.is_some() && !kind.is_by_flowlet() {
            let problem = format!("routing by \"{kind}\" knows no flowlets");
            let expected = "expected routing = \"flowlet\" or \"adaptive_flowlet\", or no such key";
            return Err(ScenarioError::at("topology.flowlet_gap", problem, expected));
        }
        let sprayed =
            self.workload.iter().map(Workload::transport).find(|name| self.transport[*name].is_sprayed());
        if let Some(name) = sprayed.filter(|_| kind.balances_load()) {
            let problem =
                format!("\"{kind}\" takes no notice of entropies, by which transport.{name} sprays");
            return Err(ScenarioError::at("topology.routing", problem, "expected \"ecmp\", or no spraying"));
        }
        let names = self.workload.iter().map(Workload::transport);
        let mut readers = names.filter(|name| match &self.transport[*name] {
            Transport::Roce(roce) => roce.needs().reads_telemetry(),
            _ => false,
        });
        match readers.next().filter(|_| kind.is_by_packet()) {
            Some(name) => {
                let problem = format!(
                    "\"{kind}\" sends packets of a flow by several paths, and transport.{name} goes by the telemetry of one"
                );
                let expected = "expected \"ecmp\" or routing by flowlets, or another congestion control";
                Err(ScenarioError::at("topology.routing", problem, expected))
            }
            None => Ok(()),
        }
    }

    fn check_transports(&self) -> Checked {
        at_most("transport", self.transport.len(), MOST_TRANSPORTS)?;
        for (name, transport) in &self.transport {
            if !is_line(name) {
                let problem = format!("the name {name:?} has control characters or several lines");
                return Err(ScenarioError::at("transport", problem, ONE_LINE));
            }
            check_congestion_control(name, transport)?;
            check_telemetry(name, transport)?;
            check_queue_pairs(name, transport)?;
            check_credit(name, transport)?;
            check_cnp(name, transport)?;
            check_spraying(name, transport)?;
            check_initial_timeout(name, transport)?;
            check_acknowledgements(name, transport)?;
            let frame = transport.largest_frame();
            if frame > LARGEST_FRAME {
                let problem = format!("{frame} make a frame");
                let most = LARGEST_FRAME.get();
                let expected = format!("expected payload and headers of at most {most}B together");
                return Err(ScenarioError::at(format!("transport.{name}.payload"), problem, expected));
            }
        }
        Ok(())
    }

    /// No list has a class twice, and where classes have tables, flows, messages and schedulers know no other.
    fn check_classes(&self) -> Checked {
        let tables: Vec<u8> = self.class.iter().map(|class| class.priority).collect();
        check_once(&tables, |index| format!("class[{index}].priority"))?;
        let of_workloads = self.workload.iter().enumerate().filter_map(|(index, workload)| {
            Some((format!("workload[{index}].priority"), workload.priority()?.all()))
        });
        for (key, classes) in of_workloads.clone() {
            check_once(classes, |index| format!("{key}[{index}]"))?;
        }
        let of_flows = of_workloads
            .flat_map(|(key, classes)| classes.iter().map(move |&priority| (key.clone(), priority)));
        let of_control = self.transport.iter().flat_map(|(name, transport)| {
            let priorities = transport.control_priorities();
            priorities.map(move |(key, class)| (format!("transport.{name}.{key}"), class))
        });
        let of_cnms = self
            .congestion_points()
            .filter_map(|(key, point)| Some((format!("{key}.cnm_priority"), point.settings().cnm_priority?)));
        let of_switches = self.switch.iter().enumerate().filter_map(|(index, table)| {
            Some((format!("switch[{index}].scheduler"), table.scheduler.as_ref()?))
        });
        let of_schedulers = of_switches.chain([("host.scheduler".to_owned(), &self.host.scheduler)]);
        for (key, scheduler) in of_schedulers.clone() {
            check_once(scheduler.strict(), |index| format!("{key}.strict[{index}]"))?;
        }
        let of_schedulers = of_schedulers.flat_map(|(key, scheduler)| {
            let strict = scheduler.strict().iter().enumerate();
            strict.map(move |(index, &priority)| (format!("{key}.strict[{index}]"), priority))
        });
        let of_marking = self.switch.iter().enumerate().flat_map(|(index, table)| {
            let classes = table.marking.iter().flat_map(Marking::classes);
            classes.map(move |(key, priority)| (format!("switch[{index}].marking.{key}"), priority))
        });
        let of_trimming = self.switch.iter().enumerate().filter_map(|(index, table)| {
            Some((format!("switch[{index}].trimming.priority"), table.trimming.as_ref()?.priority))
        });
        of_flows
            .chain(of_control)
            .chain(of_trimming)
            .chain(of_cnms)
            .chain(of_schedulers)
            .chain(of_marking)
            .try_for_each(|(key, priority)| self.check_class(&key, priority))
    }

    /// Rejects a class without a table, where classes have tables.
    pub(crate) fn check_class(&self, key: impl Into<String>, priority: u8) -> Checked {
        let classes = || self.class.iter().map(|class| class.priority);
        if self.class.is_empty() || classes().any(|class| class == priority) {
            return Ok(());
        }
        let listed = classes().map(|class| class.to_string()).collect::<Vec<_>>().join(", ");
        let problem = format!("there is no class {priority}");
        let expected = format!("expected one of {listed}, or a table [[class]] for it");
        Err(ScenarioError::at(key, problem, expected))
    }

    /// A watchdog has nothing to watch where no class is lossless. This is asked only after the switches are laid out: if they
    /// cannot have a watchdog at all, a lossless class would not help.
    pub(crate) fn check_watchdog(&self) -> Checked {
        if self.pfc.watchdog.is_none() || self.has_lossless_class() {
            return Ok(());
        }
        let expected = "expected [[class]] with lossless = true, or no watchdog";
        Err(ScenarioError::at("pfc.watchdog", "no class is lossless", expected))
    }

    /// An alpha for each class leaves none for which one alpha for all would count.
    fn check_alphas(&self) -> Checked {
        for (index, table) in self.switch.iter().enumerate() {
            let buffer = table.buffer.as_ref().map(|policy| ("buffer".to_owned(), policy));
            let pfc = table
                .pfc
                .iter()
                .flat_map(|pfc| pfc.policies().map(|(key, policy)| (format!("pfc.{key}"), policy)));
            for (key, policy) in buffer.into_iter().chain(pfc) {
                let buffer_policy::Parameters::DynamicThreshold(policy) = policy else { continue };
                if policy.alpha_by_priority.is_some() && policy.alpha != DynamicThreshold::default().alpha {
                    let problem =
                        format!("is {}, and `alpha_by_priority` decides for every class", policy.alpha);
                    let expected = "expected one of them";
                    return Err(ScenarioError::at(format!("switch[{index}].{key}.alpha"), problem, expected));
                }
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
            let error = ScenarioError::at(key, problem, format!("expected a table [transport.{name}]"));
            return Err(error.of_unknown_name(None));
        }
        let names = || self.transport.keys().map(String::as_str);
        let known = super::words::choices(names());
        let error =
            ScenarioError::at(key, problem, format!("expected {known}, or a table [transport.{name}]"));
        Err(error.of_unknown_name(nearest(name, names())))
    }

    /// A memory or a bucket that no packet fits in would let none pass.
    fn check_memory(&self) -> Checked {
        let frame = self.largest_frame();
        let totals = self
            .switch
            .iter()
            .enumerate()
            .map(|(index, table)| (format!("switch[{index}].total"), table.total));
        let bursts = self.switch.iter().enumerate().flat_map(|(index, table)| {
            let burst = move |(name, shaper): (&String, &Shaper)| {
                (format!("switch[{index}].shapers.{name}.burst"), Some(shaper.burst))
            };
            table.shapers.iter().map(burst)
        });
        let adapter = ("host.adapter_queue".to_owned(), self.host.adapter_queue);
        for (key, size) in totals.chain(bursts).chain([adapter]) {
            if let Some(size) = size.filter(|size| *size < frame) {
                let expected = format!("expected at least {frame}, the largest frame of the transports");
                return Err(ScenarioError::at(key, format!("{size} is smaller than one packet"), expected));
            }
        }
        Ok(())
    }

    /// Packets wait for interrupts or for polls, and what joins or is cut is a segment at least.
    fn check_offloads(&self) -> Checked {
        let Host { segmentation_offload, receive_offload, interrupt_moderation, poll_time, .. } = self.host;
        if poll_time.is_some() && interrupt_moderation.is_some() {
            let problem = "is there beside host.interrupt_moderation";
            return Err(ScenarioError::at("host.poll_time", problem, "expected one of them"));
        }
        let segment = self.largest_segment();
        for (key, size) in [("segmentation", segmentation_offload), ("receive", receive_offload)] {
            if let Some(size) = size.filter(|size| *size < segment) {
                let problem = format!("{size} is smaller than one segment");
                let expected = format!("expected at least {segment}, the largest payload of the transports");
                return Err(ScenarioError::at(format!("host.{key}_offload"), problem, expected));
            }
        }
        Ok(())
    }

    /// A CNP that is a flag of an ACK cannot be held back by the host's `cnp_delay` and `cnp_spacing`.
    fn check_cnp_engine(&self) -> Checked {
        let Some((name, _)) = self.transport.iter().find(|(_, transport)| transport.flags_cnps()) else {
            return Ok(());
        };
        for (key, time) in [("cnp_delay", self.host.cnp_delay), ("cnp_spacing", self.host.cnp_spacing)] {
            if time > Span::ZERO {
                let problem = format!("CNPs of transport.{name} are flags of ACKs, which do not wait {time}");
                let expected = format!("expected no such key, or transport.{name}.cnp = \"78B\"");
                return Err(ScenarioError::at(format!("host.{key}"), problem, expected));
            }
        }
        Ok(())
    }

    fn largest_segment(&self) -> Bytes {
        let payloads = self.transport.values().map(|transport| transport.packet_sizes().payload);
        payloads.max().unwrap_or(Bytes::ZERO)
    }

    /// Whether a flow of this workload is handed over at once, and nothing but the end of it stops that: an adapter
    /// that never drops holds it back, but not across a host's delay.
    fn never_pauses(&self, workload: &Workload) -> bool {
        let at_once = self.transport.get(workload.transport());
        let at_once = matches!(at_once, Some(Transport::ConstantRate(constant)) if constant.rate.is_none());
        let host = &self.host;
        at_once && (host.jitter || host.delay > Span::ZERO || host.adapter_queue.is_some())
    }

    /// Whether there is a measured time, and something that may start in it.
    fn check_measure(&self) -> Checked {
        let (measure, stop) = (&self.measure, &self.stop);
        let refuse = |key: &str, problem: &str, expected: &str| {
            Err(ScenarioError::at(key, problem.to_owned(), format!("expected {expected}")))
        };
        if measure.end.is_some_and(|end| end <= measure.start) {
            return refuse("measure.end", "is not after measure.start", "a later time");
        }
        if stop.at.is_some_and(|at| at <= measure.start) {
            return refuse("measure.start", "is not before stop.at", "an earlier time, or a later stop.at");
        }
        let only_finite = self.workload.iter().all(Workload::has_finite_flows);
        if only_finite && stop.arrivals_end.is_some_and(|end| end <= measure.start) {
            let expected = "an earlier time, or a later stop.arrivals_end";
            return refuse(
                "measure.start",
                "is not before stop.arrivals_end: no flow starts after it",
                expected,
            );
        }
        Ok(())
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
            if !workload.has_finite_flows() && self.never_pauses(workload) {
                let problem = "flows without end and without a rate, which nothing in the host holds back";
                let remedy = "expected a `size`, or a `rate` of the transport";
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

fn at_most(key: &str, tables: usize, most: usize) -> Checked {
    if tables > most {
        return Err(ScenarioError::at(key, format!("{tables} tables"), format!("expected at most {most}")));
    }
    Ok(())
}

/// A congestion control hears only what its transport can tell.
fn check_congestion_control(name: &str, transport: &Transport) -> Checked {
    let (control, in_adapter) = match transport {
        Transport::Tcp(tcp) => (Some(&tcp.congestion_control), false),
        Transport::Roce(roce) => (roce.congestion_control.as_ref(), true),
        Transport::ConstantRate(_) => return Ok(()),
    };
    let Some(control) = control.filter(|control| control.is_known()) else { return Ok(()) };
    let problem = match control.needs() {
        Needs::Acknowledgements(_) if in_adapter => "goes by losses and echoes, of which RoCE does not tell",
        Needs::Cnps(_) if !in_adapter => "needs CNPs, which only RoCE sends",
        Needs::Delay { .. } if !in_adapter => "needs the adapter's clock, which only RoCE has",
        Needs::Telemetry { .. } if !in_adapter => "needs telemetry, which only RoCE carries",
        Needs::Credit if !in_adapter => "needs credit, which only receivers of RoCE give",
        _ => return check_cut_by(name, control),
    };
    let expected = if in_adapter {
        "expected one for adapters, such as dcqcn or hpcc, or none at all"
    } else {
        "expected one that TCP's acknowledgements serve"
    };
    let key = format!("transport.{name}.congestion_control.algorithm");
    Err(ScenarioError::at(key, format!("{} {problem}", control.spelling()), expected))
}

/// DCQCN's cuts have a choice of alpha only where CNPs raise it.
fn check_cut_by(name: &str, control: &congestion_control::Parameters) -> Checked {
    let congestion_control::Parameters::Dcqcn(dcqcn) = control else { return Ok(()) };
    if dcqcn.cut_by.is_none() || dcqcn.rises_at_cnp() {
        return Ok(());
    }
    let key = format!("transport.{name}.congestion_control.cut_by");
    let problem = "alpha rises at the end of periods, and no CNP changes it";
    Err(ScenarioError::at(key, problem, "expected no such key, or alpha_rises = \"at_cnp\""))
}

/// Every answer to a marked packet carries a CNP that is a flag, so it has neither an interval nor a class of its own.
fn check_cnp(name: &str, transport: &Transport) -> Checked {
    let Transport::Roce(roce) = transport else { return Ok(()) };
    if !roce.flags_cnps() {
        return Ok(());
    }
    let key = format!("transport.{name}.cnp");
    if let Needs::Cnps(point) = roce.needs()
        && point.interval > Span::ZERO
    {
        let problem =
            format!("0B makes CNPs a flag of ACKs, and this one would come every {}", point.interval);
        let expected = "expected cnp_interval = \"0s\" of the congestion control, or a frame such as \"78B\"";
        return Err(ScenarioError::at(key, problem, expected));
    }
    if roce.cnp_priority.is_some() {
        let problem = "0B makes CNPs a flag of ACKs, which have the class control_priority";
        return Err(ScenarioError::at(key, problem, "expected no cnp_priority, or a frame such as \"78B\""));
    }
    Ok(())
}

/// Senders that spray hear of marks by acknowledgements, and of no one path.
fn check_spraying(name: &str, transport: &Transport) -> Checked {
    let Transport::Roce(roce) = transport else { return Ok(()) };
    let Some(spraying) = &roce.spraying else { return Ok(()) };
    let (key, algorithm) = (format!("transport.{name}.spraying"), spraying.spelling());
    if roce.needs().reads_telemetry() {
        let problem =
            "packets of a flow take several paths, and its congestion control goes by the telemetry of one";
        return Err(ScenarioError::at(key, problem, "expected another congestion control, or no spraying"));
    }
    if transport.sends_cnps() && spraying.reads_marks() {
        let problem = format!(
            "{algorithm} hears of marks by acknowledgements, and this transport answers them by CNPs"
        );
        let expected =
            "expected a congestion control that sends none, such as nscc, or algorithm = \"oblivious\"";
        return Err(ScenarioError::at(key, problem, expected));
    }
    Ok(())
}

/// Queue pairs are counted only where they last.
fn check_queue_pairs(name: &str, transport: &Transport) -> Checked {
    let Transport::Roce(Roce { queue_pairs, connections, .. }) = transport else { return Ok(()) };
    if *queue_pairs == 1 || *connections == QueuePairs::Persistent {
        return Ok(());
    }
    let problem = format!("is {queue_pairs}, and every flow has a queue pair of its own");
    let expected = "expected connections = \"persistent\" beside it";
    Err(ScenarioError::at(format!("transport.{name}.queue_pairs"), problem, expected))
}

/// Receivers give credit in frames that links carry.
fn check_credit(name: &str, transport: &Transport) -> Checked {
    match transport.granting() {
        Some(granting) if granting.frame > LARGEST_FRAME => {
            let key = format!("transport.{name}.congestion_control.credit");
            let expected = format!("expected at most {}B", LARGEST_FRAME.get());
            Err(ScenarioError::at(key, format!("{} make a frame", granting.frame), expected))
        }
        _ => Ok(()),
    }
}

/// Packets have room for telemetry only where something reads it.
fn check_telemetry(name: &str, transport: &Transport) -> Checked {
    match transport {
        Transport::Roce(roce) if roce.telemetry.is_some() && !roce.needs().reads_telemetry() => {
            let problem = "nothing reads it";
            let expected = "expected a congestion control that does, such as hpcc, or no such key";
            Err(ScenarioError::at(format!("transport.{name}.telemetry"), problem, expected))
        }
        _ => Ok(()),
    }
}

/// A timeout that begins above its maximum would never be in force.
fn check_initial_timeout(name: &str, transport: &Transport) -> Checked {
    let Transport::Tcp(tcp) = transport else { return Ok(()) };
    let Some(initial) = tcp.initial_rto.filter(|&initial| initial > tcp.maximum_rto) else { return Ok(()) };
    let problem = format!("{initial} is above `maximum_rto`, {}", tcp.maximum_rto);
    let expected = "expected at most `maximum_rto`";
    Err(ScenarioError::at(format!("transport.{name}.initial_rto"), problem, expected))
}

/// Rejects acknowledgements so rare that a window stays full while its flow waits for one.
fn check_acknowledgements(name: &str, transport: &Transport) -> Checked {
    let Transport::Roce(roce) = transport else { return Ok(()) };
    let every = u64::from(roce.acknowledge_every);
    let wrong = |problem, expected: &str| {
        Err(ScenarioError::at(format!("transport.{name}.acknowledge_every"), problem, expected))
    };
    if let Some(control) =
        roce.congestion_control.as_ref().filter(|control| every > 1 && control.has_window())
    {
        let problem =
            format!("{} may allow a single packet until an acknowledgement comes", control.spelling());
        return wrong(problem, "expected 1");
    }
    let Some(window) = roce.most_in_flight() else { return Ok(()) };
    let most = (window.get() / roce.payload.get()).max(1);
    if every > most {
        let key = if roce.maximum_window == Some(window) { "maximum_window" } else { "recovery.window" };
        let problem = format!("`{key}` holds {most} full packets, and is not acknowledged before {every}");
        return wrong(problem, &format!("expected at most {most}, or a larger window"));
    }
    Ok(())
}

/// Refuses the second of two equal classes.
fn check_once(classes: &[u8], key: impl Fn(usize) -> String) -> Checked {
    let twice = (0..classes.len()).find(|&index| classes[..index].contains(&classes[index]));
    twice.map_or(Ok(()), |index| {
        let problem = format!("class {} is there twice", classes[index]);
        Err(ScenarioError::at(key(index), problem, "expected it once"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(workloads: &str, rest: &str) -> Result<Scenario, ScenarioError> {
        let text = format!(
            r#"
            topology = {{ kind = "star", hosts = 4, host_link = {{ rate = "10Gbps", delay = "1us" }} }}
            transport.reno = {{ kind = "tcp", congestion_control = {{ algorithm = "reno" }} }}
            workload = [{workloads}]
            {rest}"#
        );
        Scenario::from_toml(&text, &[])
    }

    fn problem(workloads: &str, rest: &str) -> String {
        scenario(workloads, rest).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    /// Of a scenario with this transport beside another.
    fn problem_of_transport(table: &str) -> String {
        problem(POISSON, &format!("stop.at = \"1ms\"\ntransport.x = {{ {table} }}"))
    }

    const POISSON: &str = r#"{ kind = "poisson", transport = "reno", sizes = "x", load = 0.5, of = "host" }"#;
    const ENDLESS: &str = r#"{ kind = "permutation", transport = "reno" }"#;

    #[test]
    fn titles_and_names_are_of_one_line() {
        for worse in ["\\n", "\\u0000", "\\u001b", "\\u0085", "\\u2028", "\\ufffe"] {
            let titled = problem(POISSON, &format!("stop.at = \"1ms\"\ntitle = \"a{worse}b\""));
            assert_eq!(titled, "title: has control characters or several lines; expected one line of text");
            let named = problem(
                POISSON,
                &format!("stop.at = \"1ms\"\ntransport.\"a{worse}b\".kind = \"constant_rate\""),
            );
            assert!(named.starts_with("transport: the name \"a\\"), "{named}");
        }
        assert_eq!(problem(POISSON, "stop.at = \"1ms\"\ntitle = \"60 % über 😀\""), "accepted");
    }

    #[test]
    fn arrivals_need_an_end() {
        let expected = "workload[0].kind: flows arrive for ever, and nothing ends the run; \
                        expected stop.arrivals_end, stop.after_flows or stop.at";
        assert_eq!(problem(POISSON, ""), expected);
        for stop in ["arrivals_end = \"1ms\"", "after_flows = 3", "at = \"1ms\""] {
            assert_eq!(problem(POISSON, &format!("stop.{stop}")), "accepted");
        }
        let incast =
            |keys| format!(r#"{{ kind = "incast", transport = "reno", fan_in = 3, size = "1kB", {keys} }}"#);
        assert_eq!(problem(&incast("every = \"1ms\""), ""), expected);
        assert_eq!(problem(&incast("every = \"1ms\", groups = 2"), ""), "accepted");
        assert_eq!(problem(&incast("groups = 1"), ""), "accepted");
    }

    #[test]
    fn something_may_start_in_the_measured_time() {
        let of = |workload: &str, keys: &str| problem(workload, keys);
        assert_eq!(
            of(POISSON, "stop.at = \"2ms\"\nmeasure = { start = \"1ms\", end = \"1.5ms\" }"),
            "accepted"
        );
        assert_eq!(
            of(POISSON, "stop.at = \"2ms\"\nmeasure = { start = \"1ms\", end = \"1ms\" }"),
            "measure.end: is not after measure.start; expected a later time"
        );
        assert_eq!(
            of(POISSON, "stop.at = \"2ms\"\nmeasure.start = \"2ms\""),
            "measure.start: is not before stop.at; expected an earlier time, or a later stop.at"
        );
        let too_late = "stop = { arrivals_end = \"1ms\", at = \"3ms\" }\nmeasure.start = \"2ms\"";
        assert_eq!(
            of(POISSON, too_late),
            "measure.start: is not before stop.arrivals_end: no flow starts after it; \
             expected an earlier time, or a later stop.arrivals_end"
        );
        assert_eq!(of(ENDLESS, too_late), "accepted");
    }

    #[test]
    fn there_are_no_more_workloads_than_flows_can_tell() {
        let mut many = scenario(POISSON, "stop.after_flows = 3").unwrap();
        many.workload = vec![many.workload[0].clone(); MOST_WORKLOADS];
        assert_eq!(many.validate(), Ok(()));
        many.workload.push(many.workload[0].clone());
        let problem = many.validate().unwrap_err().to_string();
        assert_eq!(problem, "workload: 65537 tables; expected at most 65536");
    }

    #[test]
    fn flows_without_end_need_the_runs_end() {
        let expected = "workload[0].size: flows without end, and nothing that ends the run; \
                        expected a `size`, or stop.at";
        assert_eq!(problem(ENDLESS, ""), expected);
        assert_eq!(problem(ENDLESS, "stop.arrivals_end = \"1ms\""), expected);
        assert_eq!(problem(ENDLESS, "stop.after_flows = 3"), expected);
        assert_eq!(problem(ENDLESS, "stop.at = \"1ms\""), "accepted");
        assert_eq!(problem(&format!("{ENDLESS}, {POISSON}"), "stop.after_flows = 3"), "accepted");
    }

    #[test]
    fn a_flow_without_end_that_nothing_holds_back_is_refused() {
        let burst = ENDLESS.replace("reno", "burst");
        let at_end = "stop.at = \"1ms\"\ntransport.burst.kind = \"constant_rate\"";
        assert_eq!(problem(&burst, at_end), "accepted");
        for key in ["delay = \"1us\"", "jitter = true", "adapter_queue = \"9kB\""] {
            let expected = "workload[0].size: flows without end and without a rate, which nothing in the host \
                            holds back; expected a `size`, or a `rate` of the transport";
            assert_eq!(problem(&burst, &format!("{at_end}\nhost.{key}")), expected);
            assert_eq!(problem(ENDLESS, &format!("{at_end}\nhost.{key}")), "accepted");
        }
    }

    #[test]
    fn there_are_at_most_255_transports() {
        let table = |index| format!("[transport.t{index}]\nkind = \"constant_rate\"\n");
        let tables = |count| (0..count).map(table).collect::<Vec<_>>().concat();
        assert_eq!(problem(POISSON, &format!("stop.at = \"1s\"\n{}", tables(254))), "accepted");
        let problem = problem(POISSON, &format!("stop.at = \"1s\"\n{}", tables(255)));
        assert_eq!(problem, "transport: 256 tables; expected at most 255");
    }

    #[test]
    fn offloads_are_of_a_segment_at_least() {
        let host = |keys: &str| problem(POISSON, &format!("stop.at = \"1ms\"\nhost = {{ {keys} }}"));
        for key in ["segmentation_offload", "interrupt_moderation = {}, receive_offload"] {
            assert_eq!(host(&format!("{key} = \"1460B\"")), "accepted");
            let name = key.rsplit(' ').next().unwrap_or_default();
            let expected = format!(
                "host.{name}: 1459B is smaller than one segment; \
                 expected at least 1460B, the largest payload of the transports"
            );
            assert_eq!(host(&format!("{key} = \"1459B\"")), expected);
        }
    }

    #[test]
    fn packets_wait_for_interrupts_or_for_polls() {
        let host = |keys: &str| problem(POISSON, &format!("stop.at = \"1ms\"\nhost = {{ {keys} }}"));
        for keys in ["", ", poll_time = '1us'", ", interrupt_moderation = {}"] {
            assert_eq!(host(&format!("receive_offload = '64kB'{keys}")), "accepted");
        }
        assert_eq!(
            host("poll_time = '1us', interrupt_moderation = {}"),
            "host.poll_time: is there beside host.interrupt_moderation; expected one of them"
        );
        assert_eq!(
            host("poll_time = '0s'"),
            "host.poll_time: \"0s\" is too small; expected a value above 0s"
        );
    }

    #[test]
    fn flows_have_classes_that_are_there() {
        let stop = "stop.at = \"1ms\"";
        let classes = |classes| problem(POISSON, &format!("{stop}\n{classes}"));
        assert_eq!(classes("class = [{ priority = 0 }, { priority = 3, lossless = true }]"), "accepted");
        assert_eq!(
            classes("class = [{ priority = 3 }, { priority = 5 }]"),
            "workload[0].priority: there is no class 0; expected one of 3, 5, or a table [[class]] for it"
        );
        assert_eq!(
            classes("class = [{ priority = 0 }, { priority = 0 }]"),
            "class[1].priority: class 0 is there twice; expected it once"
        );
    }

    #[test]
    fn classes_that_go_first_are_there() {
        let scheduler = |strict| format!("scheduler = {{ kind = 'deficit_round_robin', strict = {strict} }}");
        let switch = |strict, classes| {
            problem(POISSON, &format!("stop.at = \"1ms\"\n{classes}\nswitch = [{{ {} }}]", scheduler(strict)))
        };
        let classes = "class = [{ priority = 0 }, { priority = 7 }]";
        assert_eq!(switch("[7]", classes), "accepted");
        assert_eq!(switch("[5]", ""), "accepted");
        let expected = "there is no class 5; expected one of 0, 7, or a table [[class]] for it";
        assert_eq!(switch("[7, 5]", classes), format!("switch[0].scheduler.strict[1]: {expected}"));
        let host = format!("stop.at = \"1ms\"\n{classes}\nhost = {{ {} }}", scheduler("[5]"));
        assert_eq!(problem(POISSON, &host), format!("host.scheduler.strict[0]: {expected}"));
    }

    #[test]
    fn classes_that_are_marked_are_there() {
        let marked = |class: u8, classes| {
            let by_priority =
                format!("queue_by_priority.{class} = {{ kind = 'threshold', threshold = '9kB' }}");
            ["", "at_rate.10Gbps."].map(|at| {
                problem(
                    POISSON,
                    &format!("stop.at = \"1ms\"\n{classes}\nswitch = [{{ marking.{at}{by_priority} }}]"),
                )
            })
        };
        let classes = "class = [{ priority = 0 }, { priority = 7 }]";
        assert_eq!(marked(7, classes), ["accepted"; 2]);
        assert_eq!(marked(5, ""), ["accepted"; 2]);
        let expected = "there is no class 5; expected one of 0, 7, or a table [[class]] for it";
        assert_eq!(
            marked(5, classes),
            ["", "at_rate.10Gbps."]
                .map(|at| format!("switch[0].marking.{at}queue_by_priority.5: {expected}"))
        );
    }

    #[test]
    fn classes_that_go_first_are_named_once() {
        let strict = "scheduler = { kind = 'deficit_round_robin', strict = [3, 3] }";
        let twice = "strict[1]: class 3 is there twice; expected it once";
        let of = |table: &str| problem(POISSON, &format!("stop.at = \"1ms\"\n{table}"));
        assert_eq!(of(&format!("switch = [{{ {strict} }}]")), format!("switch[0].scheduler.{twice}"));
        assert_eq!(of(&format!("host = {{ {strict} }}")), format!("host.scheduler.{twice}"));
    }

    #[test]
    fn one_alpha_or_one_for_each_class() {
        let of = |keys: &str| {
            let policy = format!("{{ policy = 'dynamic_threshold', {keys} }}");
            problem(POISSON, &format!("stop.at = \"1ms\"\nswitch = [{{ buffer = {policy} }}]"))
        };
        let each = "alpha_by_priority = [1, 1, 1, 2, 1, 1, 1, 1]";
        assert_eq!(of(each), "accepted");
        assert_eq!(of("alpha = 4"), "accepted");
        assert_eq!(
            of(&format!("alpha = 4, {each}")),
            "switch[0].buffer.alpha: is 4, and `alpha_by_priority` decides for every class; expected one of them"
        );
    }

    #[test]
    fn messages_of_congestion_points_have_classes_that_are_there() {
        let with = |classes, priority: u8| {
            let point = format!("{{ sampling = 'arrival', cnm_priority = {priority} }}");
            let switch = format!("switch = [{{ kind = 'cioq', output = {{ congestion_point = {point} }} }}]");
            problem(POISSON, &format!("stop.at = '1ms'\n{classes}\n{switch}"))
        };
        let classes = "class = [{ priority = 0 }, { priority = 7 }]";
        assert_eq!((with(classes, 7), with("", 5)), ("accepted".to_owned(), "accepted".to_owned()));
        assert_eq!(
            with(classes, 5),
            "switch[0].output.congestion_point.cnm_priority: there is no class 5; \
             expected one of 0, 7, or a table [[class]] for it"
        );
    }

    #[test]
    fn flows_draw_from_classes_that_are_there_once() {
        let rest = "stop.at = \"1ms\"\nclass = [{ priority = 1 }, { priority = 2 }]";
        let drawn = |list| problem(&POISSON.replace("load", &format!("priority = {list}, load")), rest);
        assert_eq!(drawn("[1, 2]"), "accepted");
        assert_eq!(
            drawn("[1, 3]"),
            "workload[0].priority: there is no class 3; expected one of 1, 2, or a table [[class]] for it"
        );
        assert_eq!(drawn("[2, 1, 2]"), "workload[0].priority[2]: class 2 is there twice; expected it once");
        assert_eq!(
            drawn("[1, 8]"),
            "workload[0].priority[1]: 8 is too large; expected a value at least 0 and at most 7"
        );
        assert_eq!(
            drawn("8"),
            "workload[0].priority: 8 is too large; expected a value at least 0 and at most 7"
        );
        let class = "a whole number, at least 0 and at most 7";
        assert_eq!(
            drawn("[]"),
            format!("workload[0].priority: a list of 0; expected a list of at least 1, each {class}")
        );
        assert_eq!(
            drawn("'1'"),
            format!(
                "workload[0].priority: \"1\" does not fit; expected {class}, or a list of at least 1, each {class}"
            )
        );
    }

    #[test]
    fn congestion_controls_are_told_what_they_need() {
        for algorithm in ["dcqcn", "hpcc", "power_tcp", "theta_power_tcp", "timely", "swift", "nscc"] {
            let control = format!("congestion_control = {{ algorithm = '{algorithm}' }}");
            assert_eq!(problem_of_transport(&format!("kind = 'roce', {control}")), "accepted");
            assert!(
                problem_of_transport(&format!("kind = 'tcp', {control}"))
                    .ends_with("TCP's acknowledgements serve")
            );
        }
        assert_eq!(
            problem_of_transport("kind = 'roce', congestion_control = { algorithm = 'dctcp' }"),
            "transport.x.congestion_control.algorithm: dctcp goes by losses and echoes, of which RoCE does not tell; \
             expected one for adapters, such as dcqcn or hpcc, or none at all"
        );
        assert_eq!(
            problem_of_transport("kind = 'tcp', congestion_control = { algorithm = 'hpcc' }"),
            "transport.x.congestion_control.algorithm: hpcc needs telemetry, which only RoCE carries; \
             expected one that TCP's acknowledgements serve"
        );
    }

    /// Otherwise a flow waits for an acknowledgement that nobody owes it.
    #[test]
    fn what_fills_a_window_is_acknowledged() {
        let transport = |table: &str| problem_of_transport(&format!("kind = 'roce', {table}"));
        let every = |packets: u32, algorithm: &str| {
            transport(&format!(
                "acknowledge_every = {packets}, congestion_control = {{ algorithm = '{algorithm}' }}"
            ))
        };
        for algorithm in ["hpcc", "power_tcp", "theta_power_tcp", "swift", "nscc"] {
            assert_eq!(every(1, algorithm), "accepted");
            let expected = "may allow a single packet until an acknowledgement comes; expected 1";
            assert_eq!(every(2, algorithm), format!("transport.x.acknowledge_every: {algorithm} {expected}"));
        }
        for algorithm in ["dcqcn", "timely"] {
            assert_eq!(every(64, algorithm), "accepted");
        }
        let selective = |packets: u32| {
            transport(&format!("acknowledge_every = {packets}, recovery = {{ kind = 'selective_repeat' }}"))
        };
        assert_eq!(selective(97), "accepted", "of 1024 B, 97 are in 100 kB");
        assert_eq!(
            selective(98),
            "transport.x.acknowledge_every: `recovery.window` holds 97 full packets, and is not acknowledged before 98; \
             expected at most 97, or a larger window"
        );
        let go_back_n =
            |packets: u32| transport(&format!("acknowledge_every = {packets}, maximum_window = '8kB'"));
        assert_eq!(go_back_n(7), "accepted");
        assert_eq!(
            go_back_n(8),
            "transport.x.acknowledge_every: `maximum_window` holds 7 full packets, and is not acknowledged before 8; \
             expected at most 7, or a larger window"
        );
    }

    #[test]
    fn cnps_that_are_flags_have_no_interval_and_no_class() {
        let flags = |keys: &str, of_control: &str| {
            let control = format!("congestion_control = {{ algorithm = 'dcqcn'{of_control} }}");
            problem_of_transport(&format!("kind = 'roce', cnp = '0B', {keys}{control}"))
        };
        assert_eq!(flags("", ", preset = 'mellanox'"), "accepted");
        assert_eq!(flags("", ", cnp_interval = '0s'"), "accepted");
        assert_eq!(
            flags("", ""),
            "transport.x.cnp: 0B makes CNPs a flag of ACKs, and this one would come every 50us; \
             expected cnp_interval = \"0s\" of the congestion control, or a frame such as \"78B\""
        );
        assert_eq!(
            flags("cnp_priority = 6, ", ", preset = 'mellanox'"),
            "transport.x.cnp: 0B makes CNPs a flag of ACKs, which have the class control_priority; \
             expected no cnp_priority, or a frame such as \"78B\""
        );
        let control = "congestion_control = { algorithm = 'dcqcn', preset = 'mellanox' }";
        let x = format!("transport.x = {{ kind = 'roce', cnp = '0B', {control} }}");
        assert_eq!(
            problem(POISSON, &format!("stop.at = '1ms'\nhost.cnp_delay = '1us'\n{x}")),
            "host.cnp_delay: CNPs of transport.x are flags of ACKs, which do not wait 1us; \
             expected no such key, or transport.x.cnp = \"78B\""
        );
    }

    #[test]
    fn dcqcn_has_a_choice_of_alpha_only_where_cnps_raise_it() {
        let dcqcn = |keys: &str| {
            let control =
                format!("congestion_control = {{ algorithm = 'dcqcn', cut_by = 'new_alpha'{keys} }}");
            problem_of_transport(&format!("kind = 'roce', {control}"))
        };
        assert_eq!(dcqcn(""), "accepted");
        assert_eq!(
            dcqcn(", preset = 'mellanox'"),
            "transport.x.congestion_control.cut_by: alpha rises at the end of periods, and no CNP changes it; \
             expected no such key, or alpha_rises = \"at_cnp\""
        );
        assert_eq!(dcqcn(", preset = 'mellanox', alpha_rises = 'at_cnp'"), "accepted");
    }

    #[test]
    fn credit_is_given_in_frames_by_adapters() {
        let with_credit = |credit: &str, keys: &str| {
            let control =
                format!("congestion_control = {{ algorithm = 'rccc', credit = '{credit}' }}, {keys}");
            problem_of_transport(&control)
        };
        let rccc = |keys: &str| with_credit("65kB", keys);
        assert_eq!(rccc("kind = 'roce', payload = '1000B'"), "accepted");
        assert_eq!(rccc("kind = 'roce', connections = 'persistent'"), "accepted");
        let larger = with_credit("70kB", "kind = 'roce'");
        assert!(
            larger.starts_with("transport.x.congestion_control.credit: 70kB make a frame; expected"),
            "{larger}"
        );
        assert_eq!(
            rccc("kind = 'tcp'"),
            "transport.x.congestion_control.algorithm: rccc needs credit, which only receivers of RoCE give; \
             expected one that TCP's acknowledgements serve"
        );
    }

    #[test]
    fn timeouts_of_tcp_begin_and_stay_within_their_bounds() {
        let tcp = |keys: &str| {
            let table = format!("kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, {keys}");
            problem_of_transport(&table)
        };
        assert_eq!(tcp("minimum_rto = '1ms', initial_rto = '3ms', maximum_rto = '3ms'"), "accepted");
        assert_eq!(
            tcp("minimum_rto = '1ms', initial_rto = '4ms', maximum_rto = '3ms'"),
            "transport.x.initial_rto: 4ms is above `maximum_rto`, 3ms; expected at most `maximum_rto`"
        );
        assert_eq!(
            tcp("minimum_rto = '4ms', maximum_rto = '3ms'"),
            "transport.x.maximum_rto: \"3ms\" is not at least `minimum_rto`, \"4ms\"; \
             expected a value at least `minimum_rto`"
        );
    }

    #[test]
    fn telemetry_is_for_those_who_read_it() {
        let roce = |algorithm: &str| {
            let table = format!(
                "kind = 'roce', telemetry = '60B', congestion_control = {{ algorithm = '{algorithm}' }}"
            );
            problem_of_transport(&table)
        };
        assert_eq!(roce("power_tcp"), "accepted");
        assert_eq!(
            roce("swift"),
            "transport.x.telemetry: nothing reads it; \
             expected a congestion control that does, such as hpcc, or no such key"
        );
    }

    #[test]
    fn control_packets_have_a_class_that_is_there() {
        let rest = "stop.at = \"1ms\"\nclass = [{ priority = 0 }]\ntransport.x = { kind = 'roce' }";
        assert_eq!(
            problem(POISSON, rest),
            "transport.x.control_priority: there is no class 7; expected one of 0, or a table [[class]] for it"
        );
    }

    #[test]
    fn a_reaction_point_cuts_and_recovers() {
        let set = |key: &str| problem(POISSON, &format!("stop.at = \"1ms\"\nhost.reaction_point.{key}"));
        for accepted in ["gain = 1", "cycles = 1", "minimum_rate = \"1bps\"", "minimum_decrease = \"1/2\""] {
            assert_eq!(set(accepted), "accepted");
        }
        for (key, value) in [
            ("gain", "0"),
            ("gain", "\"129/128\""),
            ("minimum_decrease", "0"),
            ("minimum_decrease", "2"),
            ("minimum_rate", "\"0bps\""),
            ("cycles", "0"),
            ("byte_counter", "\"0B\""),
            ("timer", "\"0s\""),
        ] {
            let refused = set(&format!("{key} = {value}"));
            let names_key = refused.starts_with(&format!("host.reaction_point.{key}: "));
            assert!(names_key && refused.contains("; expected "), "{refused}");
        }
    }

    #[test]
    fn a_congestion_point_measures_something() {
        let set = |key: &str| {
            let point = format!("{{ sampling = \"occupancy\", {key} }}");
            problem(
                POISSON,
                &format!("stop.at = \"1ms\"\nswitch = [{{ input = {{ congestion_point = {point} }} }}]"),
            )
        };
        for accepted in ["spread = 0", "spread = \"99/100\"", "weight = \"1/2\"", "interval = \"1B\""] {
            assert_eq!(set(accepted), "accepted");
        }
        for (key, value) in [
            ("interval", "\"0B\""),
            ("set_point", "\"0B\""),
            ("weight", "0"),
            ("spread", "1"),
            ("keep_alive", "\"0s\""),
            ("cnm_priority", "8"),
        ] {
            let refused = set(&format!("{key} = {value}"));
            let names_key = refused.starts_with(&format!("switch[0].input.congestion_point.{key}: "));
            assert!(names_key && refused.contains("; expected "), "{refused}");
        }
    }

    #[test]
    fn an_adapter_must_hold_a_packet() {
        assert_eq!(
            problem(POISSON, "stop.at = \"1ms\"\nhost.adapter_queue = \"1kB\""),
            "host.adapter_queue: 1kB is smaller than one packet; \
             expected at least 1518B, the largest frame of the transports"
        );
    }
}

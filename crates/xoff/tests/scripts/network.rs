//! Network of a script: a sender and a receiver at one switch, or on two ways of which one is longer.

use std::fmt::Write as _;

use xoff::internals::engine::{Outcome, PacketEvent, Step};
use xoff::internals::observer::PacketKind;
use xoff::internals::packet::{
    ACKNOWLEDGEMENT, ECHO, ECN_CAPABLE, EVERYTHING, Packet, REPEATED, WINDOW_REDUCED,
};
use xoff::internals::scenario::Transport;
use xoff::units::{Span, Time};
use xoff::{Files, Report, Scenario, Simulation};

use crate::script::{Fate, Script};
use crate::strikes;
use crate::transcript::{ALL, End, Line, Pause, Sent, Transcript};

/// Runs a script. Each fate is found in the run with all fates before it, as it names the packet that it befalls.
pub(crate) fn run(script: &Script) -> Transcript {
    let mut strikes = [Vec::new(), Vec::new()];
    let mut left: Vec<&Fate> = script.fates.iter().collect();
    loop {
        let (seen, is_right) = run_with(script, &strikes);
        let found: Vec<Option<usize>> = left.iter().map(|fate| find(fate, &seen)).collect();
        let Some(first) = found.iter().flatten().min() else {
            let name = &script.name;
            assert!(left.is_empty(), "{name}: never sent, so that nothing befalls it: {:?}\n{seen}", left[0]);
            assert!(
                is_right,
                "{name}: a packet is lost that was to be marked, or the other way round\n{seen}"
            );
            return seen;
        };
        // An end hears no sooner of what befalls a packet.
        let until = seen.lines[*first].time + Span::new(script.round_trip.get() / 2);
        let end = seen.lines[*first].end;
        let mut places = found.into_iter();
        left.retain(|fate| {
            let place = places.next().flatten();
            let Some(place) = place.filter(|&place| seen.lines[place].time < until && fate.end == end) else {
                return true;
            };
            let earlier = seen.lines[..place].iter().filter(|line| line.end == end).count();
            strikes[usize::from(end == End::Sender)].push(earlier as u64);
            false
        });
    }
}

/// Returns the place of the packet in a transcript that a fate befalls.
fn find(fate: &Fate, seen: &Transcript) -> Option<usize> {
    let is_alike = |line: &Line| {
        let is_sent = match (&line.sent, &fate.sent) {
            (Sent::Data { number, .. }, Sent::Data { number: named, .. })
            | (Sent::Ack { number, .. }, Sent::Ack { number: named, .. })
            | (Sent::Nack { number, .. }, Sent::Nack { number: named, .. }) => number == named,
            (sent, named) => sent == named,
        };
        is_sent && (line.end, line.flow) == (fate.end, fate.flow)
    };
    let mut alike = seen.lines.iter().enumerate().filter(|(_, line)| is_alike(line));
    Some(alike.nth(fate.before)?.0)
}

fn transport(said: &str) -> String {
    match said.split_once(' ').expect("a transport has a kind") {
        ("tcp", rest) => {
            let (preset, algorithm) = rest.split_once(' ').expect("a preset, and a congestion control");
            format!("{{ kind = 'tcp', preset = '{preset}', congestion_control.algorithm = '{algorithm}' }}")
        }
        (_, recovery) => format!("{{ kind = 'roce', recovery.kind = '{recovery}' }}"),
    }
}

fn scenario(script: &Script, strikes: &[Vec<u64>; 2]) -> String {
    let Script { rate, round_trip, .. } = script;
    let picoseconds = |span: Span| format!("{}ps", span.get());
    let link = |from: &str, to: &str, delay: Span| {
        format!("{{ between = ['{from}', '{to}'], rate = '{rate}', delay = '{}' }}", picoseconds(delay))
    };
    let quarter = Span::new(round_trip.get() / 4);
    let near = Span::from_nanoseconds(300);
    let mut links = vec![link("sender", "left", quarter)];
    let (switches, more) = if let Some(detour) = script.detour {
        // Acknowledgements have a way of their own.
        let far = quarter.saturating_sub(near);
        links.extend([
            link("receiver", "right", far),
            link("left", "right", near),
            link("left", "long", Span::new(detour.longer.get() / 2)),
            link("long", "right", Span::new(detour.longer.get() / 2) + near),
            link("right", "back", Span::new(near.get() / 2)),
            link("back", "left", Span::new(near.get() / 2)),
        ]);
        let event = |at: Time, state: &str| {
            let at = picoseconds(at.since(Time::ZERO));
            format!("{{ at = '{at}', between = ['left', 'right'], state = '{state}' }}")
        };
        let more = format!(
            "link_event = [{}, {}]\nroute = [{{ switch = 'right', to = 'left', via = 'back' }}, \
             {{ switch = 'left', to = 'right', via = 'right' }}]",
            event(detour.from, "down"),
            event(detour.until, "up")
        );
        ("'left', 'right', 'long', 'back'", more)
    } else {
        links.push(link("receiver", "left", quarter));
        ("'left'", String::new())
    };
    let mut text = String::new();
    let [to_sender, to_receiver] = strikes;
    let marking = format!("{{ kind = 'strikes', at = [{to_sender:?}, {to_receiver:?}] }}");
    let marking = if script.detour.is_some() { String::new() } else { format!(", marking.port = {marking}") };
    writeln!(
        text,
        "topology = {{ kind = 'custom', hosts = ['sender', 'receiver'], switches = [{switches}], links = [{}] }}\n\
         switch = [{{ total = '1GB'{marking} }}]\n\
         transport.it = {}\n\
         workload = [{{ kind = 'trace', transport = 'it', file = 'flows.csv' }}]\n{more}",
        links.join(", "),
        transport(&script.transport)
    )
    .expect("memory");
    let sampled = Span::new(round_trip.get() / 100);
    writeln!(
        text,
        "[observe]\npackets = ['sender']\npauses = true\n\
         windows = {{ every = 'change', of = ['sender'] }}\nrates = {{ every = 'change', of = ['sender'] }}"
    )
    .expect("memory");
    if script.transport.starts_with("tcp") {
        for key in ["thresholds", "recovery_states", "alphas"] {
            writeln!(text, "{key} = {{ every = '{}', of = ['sender'] }}", picoseconds(sampled))
                .expect("memory");
        }
    }
    text
}

fn files(script: &Script, payload: u64) -> Files {
    let mut rows = "source,destination,size_bytes,start_ns,priority\n".to_owned();
    for flow in &script.flows {
        let (size, start) = (flow.packets * payload, flow.start.as_nanoseconds());
        writeln!(rows, "sender,receiver,{size},{start},{}", flow.class).expect("memory");
    }
    Files::from([("flows.csv".to_owned(), rows)])
}

/// Runs a script with packets struck, by their places in the order in which each end sends them. Returns whether as
/// many packets are lost and marked as the script says.
fn run_with(script: &Script, strikes: &[Vec<u64>; 2]) -> (Transcript, bool) {
    let text = scenario(script, strikes);
    let scenario = Scenario::with_schemes(&text, &script.settings, &strikes::schemes());
    let scenario = scenario.unwrap_or_else(|error| panic!("{}: {error}\n{text}", script.name));
    let payload = match scenario.transport.values().next().expect("there is one") {
        Transport::Tcp(tcp) => tcp.payload.get(),
        Transport::Roce(roce) => roce.payload.get(),
        Transport::ConstantRate(_) => panic!("no script is about this one"),
    };
    let simulation = Simulation::new(&scenario, &files(script, payload));
    let simulation = simulation.unwrap_or_else(|error| panic!("{}: {error}\n{text}", script.name));
    let mut outcome = simulation.run(xoff::Execution::with_threads(1), &mut |_| true);
    let lines = Lines { simulation: &simulation, payload, highest: Vec::new() }.of(&outcome);
    let report = Report::new(&simulation, &mut outcome);
    let packets = &report.totals.packets;
    let lost = script.fates.iter().filter(|fate| fate.loses).count() as u64;
    let struck = packets.dropped_not_ecn_capable + packets.acknowledgements_dropped;
    let is_right = struck == lost && packets.marked == script.fates.len() as u64 - lost;
    (Transcript { lines, ..asked(&report, payload) }, is_right)
}

/// Maker of lines from what was recorded.
struct Lines<'a> {
    simulation: &'a Simulation,
    payload: u64,
    /// End of what each flow has sent so far.
    highest: Vec<u64>,
}

impl Lines<'_> {
    fn of(mut self, outcome: &Outcome) -> Vec<Line> {
        outcome.packets.iter().filter_map(|event| self.line(event)).collect()
    }

    /// Makes the line of a packet that a host begins to send.
    fn line(&mut self, event: &PacketEvent) -> Option<Line> {
        let PacketEvent { time, ref packet, step: Step::Sent { port, .. } } = *event else { return None };
        let (node, _) = self.simulation.network().ports.place(port);
        if node != packet.source() {
            return None;
        }
        let end = if packet.is(ACKNOWLEDGEMENT) { End::Receiver } else { End::Sender };
        Some(Line { time, end, flow: packet.flow() + 1, sent: self.sent(packet) })
    }

    fn sent(&mut self, packet: &Packet) -> Sent {
        let payload = self.payload;
        let (sequence, length) = (packet.sequence(), packet.length());
        let block = (length > 0).then(|| {
            let start = sequence + u64::from(packet.reception());
            (start / payload + 1, (start + length).div_ceil(payload))
        });
        let number = if sequence == EVERYTHING { ALL } else { sequence.div_ceil(payload) };
        match self.simulation.fabric().kind(packet) {
            PacketKind::Data if length == 0 => Sent::Syn,
            PacketKind::Data => {
                let flow = packet.flow() as usize;
                self.highest.resize(self.highest.len().max(flow + 1), 0);
                let again = sequence < self.highest[flow];
                self.highest[flow] = self.highest[flow].max(sequence + length);
                Sent::Data {
                    number: sequence / payload + 1,
                    again,
                    reduced: packet.is(ECN_CAPABLE) && packet.is(WINDOW_REDUCED),
                }
            }
            PacketKind::Nack => Sent::Nack { number: number + 1, block },
            PacketKind::Cnp => Sent::Cnp,
            _ if number == 0 && block.is_none() => Sent::Syn,
            _ => Sent::Ack { number, block, repeats: packet.is(REPEATED), echo: packet.is(ECHO) },
        }
    }
}

/// Everything but the packets.
fn asked(report: &Report, payload: u64) -> Transcript {
    let nanoseconds = |time: u64| Time::ZERO + Span::from_nanoseconds(time);
    let series = &report.series;
    let values = series.quantity.iter().zip(&series.value).zip(&series.time_ns).filter_map(
        |((&kind, &value), &time)| {
            let (name, value) = match report.quantity_names[kind as usize] {
                "window" => ("window", value / payload as f64),
                "threshold" => ("ssthresh", value / payload as f64),
                "rate" => ("rate", value / 1e9),
                "alpha" => ("alpha", value),
                "recovery_state" => ("state", value),
                _ => return None,
            };
            Some((nanoseconds(time), name, value))
        },
    );
    let of = &report.pauses;
    let mut pauses = Vec::new();
    for (index, &class) in of.priority.iter().enumerate() {
        pauses.push((nanoseconds(of.xoff_ns[index]), Pause::Xoff, class));
        pauses.push((nanoseconds(of.start_ns[index]), Pause::Stops, class));
        if of.end_ns[index] != u64::MAX {
            pauses.push((nanoseconds(of.end_ns[index]), Pause::GoesOn, class));
        }
    }
    pauses.sort_by_key(|&(time, ..)| time);
    let (packets, pfc) = (&report.totals.packets, &report.totals.pfc);
    let totals = vec![
        ("packets sent", packets.sent),
        ("packets sent again", packets.retransmitted),
        ("packets dropped", packets.dropped),
        ("packets marked", packets.marked),
        ("CNPs", packets.cnps_sent),
        ("timeouts", report.totals.timeouts),
        ("pause frames", pfc.pause_frames),
        ("resume frames", pfc.resume_frames),
        ("bytes of headroom", pfc.headroom_peak_bytes),
    ];
    Transcript { lines: Vec::new(), pauses, values: values.collect(), totals }
}

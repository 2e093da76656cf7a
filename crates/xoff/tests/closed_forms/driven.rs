//! A program that drives a simulation gets the results that the same flows give as a trace, and its reactions those
//! that the same dependencies give as a job.

use std::collections::BTreeMap;
use std::fmt::Write;

use xoff::driven::{DrivenSimulation, End, Event, Message, Send, Step};
use xoff::network::NodeId;
use xoff::units::{Bytes, Span, Time};
use xoff::{Files, Report, Scenario};

use crate::common::random::{self, Ends};
use crate::common::{PLAIN, law_of_random_texts, report, simulation_of};

/// Random numbers of one scenario.
struct Dice(u64);

impl Dice {
    fn of(text: &str) -> Self {
        Self(
            text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            }),
        )
    }

    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn ends(&mut self, hosts: u32) -> (NodeId, NodeId) {
        let source = self.below(hosts.into()) as u32;
        let others = self.below(u64::from(hosts) - 1) as u32;
        (source, others + u32::from(others >= source))
    }
}

/// A message of one of the random workloads.
#[derive(Clone, Debug)]
struct Planned {
    source: NodeId,
    destination: NodeId,
    size: u64,
    /// Time of the start, or delay after the last of `after`.
    nanoseconds: u64,
    after: Vec<usize>,
}

/// Adds a workload before those of a random scenario. None if the scenario cannot have it.
fn with_workload(text: &str, workload: &str, file: (&str, &str)) -> Option<(Scenario, Files)> {
    let text = text.replacen(
        "workload = [\n",
        &format!("workload = [\n    {{ {workload}, transport = 'tcp' }},\n"),
        1,
    );
    let mut files = random::files();
    files.insert(file.0.to_owned(), file.1.to_owned());
    let scenario = Scenario::from_toml(&text, &[]).ok()?;
    xoff::Simulation::new(&scenario, &files).ok()?;
    Some((scenario, files))
}

fn plain(scenario: &Scenario, files: &Files) -> Report {
    report(&xoff::Simulation::new(scenario, files).expect("it was laid out before"), PLAIN)
}

fn results(report: &Report) -> String {
    let mut totals = serde_json::to_value(&report.totals).expect("totals are numbers");
    totals["events"] = 0.into();
    totals["jobs"] = serde_json::Value::Null;
    let Report { pathologies, unfinished, queries, .. } = report;
    format!("{totals} {:?} {unfinished:?} {queries:?}", pathologies.watchdog)
}

fn send(planned: &Planned) -> Send<'static> {
    Send::new(planned.source, planned.destination, Bytes::new(planned.size))
}

fn at(nanoseconds: u64) -> Time {
    Time::ZERO + Span::from_nanoseconds(nanoseconds)
}

/// Messages are sent ahead, at their time, or between two steps; some ends are listened to, which changes nothing.
#[test]
fn messages_that_a_program_sends_are_those_of_a_trace() {
    let count = std::cell::Cell::new(0);
    law_of_random_texts("messages_that_a_program_sends_are_those_of_a_trace", 60, Ends::ANY, |text| {
        let hosts = simulation_of(text, &[], &random::files()).network().fabric_hosts();
        let dice = &mut Dice::of(text);
        let mut messages: Vec<Planned> = (0..=dice.below(20))
            .map(|_| {
                let (source, destination) = dice.ends(hosts);
                let (size, nanoseconds) = (1 + dice.below(30_000), dice.below(40) * dice.below(1_000));
                Planned { source, destination, size, nanoseconds, after: Vec::new() }
            })
            .collect();
        messages.sort_by_key(|message| message.nanoseconds);
        let mut rows = "source,destination,size_bytes,start_ns,priority\n".to_owned();
        for Planned { source, destination, size, nanoseconds, .. } in &messages {
            writeln!(rows, "host{source},host{destination},{size},{nanoseconds},0").unwrap();
        }
        let Some((trace, files)) =
            with_workload(text, "kind = 'trace', file = 'rows.csv'", ("rows.csv", &rows))
        else {
            return;
        };
        let Some((scenario, _)) = with_workload(text, "kind = 'driven'", ("rows.csv", &rows)) else { return };
        let expected = plain(&trace, &files);
        let mut driven = DrivenSimulation::new(&scenario, &files).unwrap();
        let way = dice.below(3);
        let mut starts = BTreeMap::new();
        for (position, message) in messages.iter().enumerate() {
            let start = at(message.nanoseconds);
            if way == 0 {
                let sent = driven.send(Send { at: Some(start), ..send(message) }).unwrap();
                listen(&mut driven, sent, dice);
            } else if way == 1 {
                starts.insert(driven.at(start, None).unwrap(), position);
            }
        }
        let mut rest = messages.iter().filter(|_| way == 2);
        let mut next = rest.next();
        loop {
            let until = next.map_or(Time::MAX, |message| at(message.nanoseconds));
            match driven.next(until, &mut |_| true).unwrap() {
                Some(Step { event: Event::Due(timer), .. }) => {
                    let sent = driven.send(send(&messages[starts[&timer]])).unwrap();
                    listen(&mut driven, sent, dice);
                }
                Some(_) => {}
                None if driven.is_over() => break,
                None => {
                    let Some(message) = next else { break };
                    let sent = driven.send(send(message)).unwrap();
                    listen(&mut driven, sent, dice);
                    next = rest.next();
                }
            }
        }
        let report = driven.finish();
        assert_eq!(results(&report), results(&expected), "{text}\n{rows}");
        assert_eq!(report.digest, expected.digest, "{text}\n{rows}");
        count.set(count.get() + 1);
    });
    assert!(count.get() >= 30, "of most random scenarios, not of {}", count.get());
}

fn listen(driven: &mut DrivenSimulation, sent: Message, dice: &mut Dice) {
    for end in [End::Receiver, End::Sender] {
        if dice.below(3) == 0 {
            driven.listen(sent, end).unwrap();
        }
    }
}

/// Every message begins some time after others are done at its source: whole where they were sent to it, acknowledged
/// where it had sent them.
#[test]
fn reactions_of_a_program_are_the_dependencies_of_a_job() {
    let count = std::cell::Cell::new(0);
    law_of_random_texts("reactions_of_a_program_are_the_dependencies_of_a_job", 100, Ends::ANY, |text| {
        let hosts = simulation_of(text, &[], &random::files()).network().fabric_hosts();
        let dice = &mut Dice::of(text);
        // Packets that are handed up together arm timers of one deadline, which expire in the order of the numbers by
        // which the receiver knows the flows; a job numbers them by sender.
        if text.contains("interrupt_moderation") || text.contains("poll_time") {
            return;
        }
        let mut messages: Vec<Planned> = Vec::new();
        for _ in 0..=dice.below(25) {
            let (source, destination) = dice.ends(hosts);
            let near = |other: &Planned| other.source == source || other.destination == source;
            let mut after: Vec<usize> = (0..messages.len()).filter(|&other| near(&messages[other])).collect();
            after.retain(|_| dice.below(3) == 0);
            // Of two operations that become ready at one instant, a job begins either first.
            let is_first =
                |other: &Planned| other.nanoseconds > 0 || other.after.iter().all(|one| !after.contains(one));
            let at_once = after.len() == 1 && messages.iter().all(is_first) && dice.below(3) > 0;
            let nanoseconds = if at_once { 0 } else { 1 + dice.below(3_000) };
            messages.push(Planned { source, destination, size: 1 + dice.below(20_000), nanoseconds, after });
        }
        let mut rows = "flow,source,destination,size_bytes,priority,after,delay_ns\n".to_owned();
        for (position, Planned { source, destination, size, nanoseconds, after }) in
            messages.iter().enumerate()
        {
            let after: Vec<String> = after.iter().map(ToString::to_string).collect();
            let after = after.join(" ");
            writeln!(rows, "{position},host{source},host{destination},{size},0,{after},{nanoseconds}")
                .unwrap();
        }
        let Some((job, files)) = with_workload(text, "kind = 'job', file = 'rows.csv'", ("rows.csv", &rows))
        else {
            return;
        };
        let Some((scenario, _)) = with_workload(text, "kind = 'driven'", ("rows.csv", &rows)) else { return };
        let expected = plain(&job, &files);
        let report = as_a_program(&messages, &scenario, &files);
        assert_eq!(results(&report), results(&expected), "{text}\n{rows}");
        assert_eq!(report.digest, expected.digest, "{text}\n{rows}");
        count.set(count.get() + 1);
    });
    assert!(count.get() >= 20, "of most random scenarios, not of {}", count.get());
}

fn as_a_program(messages: &[Planned], scenario: &Scenario, files: &Files) -> Report {
    let mut driven = DrivenSimulation::new(scenario, files).unwrap();
    let mut missing: Vec<usize> = messages.iter().map(|message| message.after.len()).collect();
    let (mut timers, mut sent) = (BTreeMap::new(), BTreeMap::new());
    for (position, message) in messages.iter().enumerate() {
        if message.after.is_empty() {
            let timer = driven.at(at(message.nanoseconds), Some(message.source)).unwrap();
            timers.insert(timer, position);
        }
    }
    while let Some(Step { time, host, event }) = driven.next(Time::MAX, &mut |_| true).unwrap() {
        match event {
            Event::Due(timer) => {
                let position = timers[&timer];
                let message = driven.send(send(&messages[position])).unwrap();
                assert_eq!(host, Some(messages[position].source));
                driven.listen(message, End::Receiver).unwrap();
                driven.listen(message, End::Sender).unwrap();
                sent.insert(message, position);
            }
            Event::Complete(message, _) => {
                let done = sent[&message];
                for (position, next) in messages.iter().enumerate() {
                    if next.after.contains(&done) && Some(next.source) == host {
                        missing[position] -= 1;
                        if missing[position] == 0 {
                            let start = time + Span::from_nanoseconds(next.nanoseconds);
                            timers.insert(driven.at(start, host).unwrap(), position);
                        }
                    }
                }
            }
        }
    }
    driven.finish()
}

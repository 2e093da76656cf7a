//! Reader of scripts, and the judge of a transcript by one.

use serde_json::json;
use xoff::settings::read_quantity;
use xoff::units::{Span, Time};

use crate::transcript::{ALL, End, Line, Pause, Sent, Transcript, at};

/// Flow that the sender has to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    pub packets: u64,
    pub start: Time,
    pub class: u8,
}

/// Fate of one packet in the network.
#[derive(Clone, Debug)]
pub(crate) struct Fate {
    pub end: End,
    pub flow: u32,
    /// The packet, or an acknowledgement by its number alone.
    pub sent: Sent,
    /// Transmissions of this packet that come through before.
    pub before: usize,
    /// Whether the network loses it. Otherwise the network marks it.
    pub loses: bool,
}

/// Time in which packets go a longer way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detour {
    pub longer: Span,
    pub from: Time,
    pub until: Time,
}

/// Script as it is written.
#[derive(Debug)]
pub(crate) struct Script {
    pub name: String,
    /// Standard or paper, with the section.
    pub source: String,
    /// The rule in one sentence.
    pub says: String,
    /// "agrees", or how and why it does not.
    pub xoff: String,
    pub rate: String,
    pub round_trip: Span,
    pub transport: String,
    /// Further keys of the scenario, each with its value.
    pub settings: Vec<String>,
    pub flows: Vec<Flow>,
    pub fates: Vec<Fate>,
    pub detour: Option<Detour>,
    pub expected: Expected,
}

/// One thing that a script wants to see, from one of its lines.
#[derive(Clone, Debug)]
enum Wanted {
    Packet {
        from: Time,
        to: Time,
        line: Line,
    },
    NothingMore(End),
    Pause(Time, Pause, u8),
    Value {
        time: Time,
        name: String,
        value: f64,
        exact_to: f64,
    },
    Total(String, u64),
    /// The script does not look at packets before this time.
    SkipTo(Time),
}

/// Packets that a script does not look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftOut {
    Ack,
    Data,
}

impl LeftOut {
    fn has(self, sent: &Sent) -> bool {
        match self {
            Self::Ack => matches!(sent, Sent::Ack { .. }),
            Self::Data => matches!(sent, Sent::Data { .. }),
        }
    }
}

/// Everything that a script wants to see.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    tolerance: Span,
    left_out: Vec<LeftOut>,
    /// Each with the number of its line.
    wanted: Vec<(usize, Wanted)>,
}

/// Words of one line, taken from the left.
struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    fn of(line: &'a str) -> Self {
        let mut words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        words.reverse();
        Self(words)
    }

    fn next(&mut self) -> Result<&'a str, String> {
        self.0.pop().ok_or_else(|| "it ends too early".to_owned())
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.0.last() == Some(&word);
        if found {
            self.0.pop();
        }
        found
    }

    fn rest(&mut self) -> String {
        let rest: Vec<&str> = self.0.drain(..).rev().collect();
        rest.join(" ")
    }

    fn span(&mut self) -> Result<Span, String> {
        let text = format!("{}{}", self.next()?, self.next()?);
        let read = read_quantity("time", &json!(text)).map_err(|error| error.problem)?;
        Ok(Span::new(read))
    }

    fn time(&mut self) -> Result<Time, String> {
        Ok(Time::ZERO + self.span()?)
    }

    fn number(&mut self) -> Result<u64, String> {
        let word = self.next()?;
        word.parse().map_err(|_| format!("{word:?} is no number"))
    }

    /// Reads `5-8`, or `5` alone.
    fn range(&mut self) -> Result<(u64, u64), String> {
        let word = self.next()?;
        range_of(word).ok_or_else(|| format!("{word:?} is no packet, nor a range as 5-8"))
    }

    /// Reads all of the ranges that follow.
    fn ranges(&mut self) -> Result<Vec<u64>, String> {
        let mut all = Vec::new();
        while self.0.last().is_some_and(|word| range_of(word).is_some()) {
            let (first, last) = self.range()?;
            all.extend(first..=last);
        }
        if all.is_empty() { Err("no packet is named".to_owned()) } else { Ok(all) }
    }

    fn flow(&mut self) -> Result<u32, String> {
        if self.take("flow") { Ok(self.number()? as u32) } else { Ok(1) }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.0.last() {
            None => Ok(()),
            Some(word) => Err(format!("{word:?} is not expected here")),
        }
    }
}

fn range_of(word: &str) -> Option<(u64, u64)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some((first.parse().ok()?, last.parse().ok()?))
}

impl Script {
    /// Reads the script of this name.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, String> {
        let mut script = Self {
            name: name.to_owned(),
            source: String::new(),
            says: String::new(),
            xoff: "agrees".to_owned(),
            rate: String::new(),
            round_trip: Span::ZERO,
            transport: String::new(),
            settings: Vec::new(),
            flows: Vec::new(),
            fates: Vec::new(),
            detour: None,
            expected: Expected::default(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            script.line(number, line).map_err(|problem| format!("{name}.txt:{number}: {problem}"))?;
        }
        if script.source.is_empty() || script.says.is_empty() {
            return Err(format!("{name}.txt: it has no line `# source: ...`, or none `# says: ...`"));
        }
        Ok(script)
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let heads =
            [("# source: ", &mut self.source), ("# says: ", &mut self.says), ("# xoff: ", &mut self.xoff)];
        for (head, place) in heads {
            if let Some(said) = line.strip_prefix(head) {
                said.clone_into(place);
            }
        }
        if let Some(setting) = line.strip_prefix("set ") {
            self.settings.push(setting.to_owned());
            return Ok(());
        }
        let line = line.split('#').next().unwrap_or_default();
        let mut words = Words::of(line);
        let Some(first) = words.0.last().copied() else { return Ok(()) };
        if first.starts_with(|letter: char| letter.is_ascii_digit()) {
            let wanted = self.expected.timed(&mut words)?;
            self.expected.wanted.extend(wanted.into_iter().map(|wanted| (number, wanted)));
            return words.end();
        }
        match words.next()? {
            "network" => {
                self.rate = format!("{}{}", words.next()?, words.next()?);
                words.take("rtt");
                self.round_trip = words.span()?;
                self.expected.tolerance = Span::new(self.round_trip.get() / 100);
            }
            "tolerance" => self.expected.tolerance = words.span()?,
            "tcp" | "roce" => {
                words.0.push(first);
                self.transport = words.rest();
            }
            "send" => self.flows.push(flow(&mut words)?),
            "lose" => self.add_fates(&mut words, true)?,
            "mark" => self.add_fates(&mut words, false)?,
            "detour" => {
                let longer = words.span()?;
                words.take("from");
                let from = words.time()?;
                words.take("until");
                self.detour = Some(Detour { longer, from, until: words.time()? });
            }
            "leave" => {
                words.take("out");
                self.expected.left_out.push(if words.take("ack") { LeftOut::Ack } else { LeftOut::Data });
                words.take("data");
            }
            "skip" => {
                words.take("to");
                self.expected.wanted.push((number, Wanted::SkipTo(words.time()?)));
            }
            "total" => {
                let value = words.number()?;
                self.expected.wanted.push((number, Wanted::Total(words.rest(), value)));
            }
            end @ ("sender" | "receiver") => {
                if words.rest() != "nothing more" {
                    return Err("without a time only `nothing more` can follow".to_owned());
                }
                self.expected.wanted.push((number, Wanted::NothingMore(end_of(end))));
            }
            word => return Err(format!("{word:?} is no word of this language")),
        }
        words.end()
    }

    fn add_fates(&mut self, words: &mut Words<'_>, loses: bool) -> Result<(), String> {
        let flow = words.flow()?;
        let (end, all) = packets(words)?;
        let mut before = 0;
        while words.take("again") {
            before += 1;
        }
        self.fates.extend(all.into_iter().map(|sent| Fate { end, flow, sent, before, loses }));
        Ok(())
    }
}

fn end_of(word: &str) -> End {
    if word == "sender" { End::Sender } else { End::Receiver }
}

fn flow(words: &mut Words<'_>) -> Result<Flow, String> {
    let packets = words.number()?;
    words.take("packets");
    let mut flow = Flow { packets, start: Time::ZERO, class: 0 };
    if words.take("in") {
        words.take("class");
        flow.class = words.number()? as u8;
    }
    if words.take("at") {
        flow.start = words.time()?;
    }
    Ok(flow)
}

/// Reads packets without what they carry.
fn packets(words: &mut Words<'_>) -> Result<(End, Vec<Sent>), String> {
    if words.take("ack") {
        let ack = |number| Sent::Ack { number, block: None, repeats: false, echo: false };
        let numbers = if words.take("all") { vec![ALL] } else { words.ranges()? };
        return Ok((End::Receiver, numbers.into_iter().map(ack).collect()));
    }
    if words.take("nack") {
        let nack = |number| Sent::Nack { number, block: None };
        return Ok((End::Receiver, words.ranges()?.into_iter().map(nack).collect()));
    }
    if words.take("cnp") {
        return Ok((End::Receiver, vec![Sent::Cnp]));
    }
    if words.take("syn") {
        return Ok((End::Sender, vec![Sent::Syn]));
    }
    let data = |number| Sent::Data { number, again: false, reduced: false };
    Ok((End::Sender, words.ranges()?.into_iter().map(data).collect()))
}

impl Expected {
    /// Reads a line that begins with a time.
    fn timed(&self, words: &mut Words<'_>) -> Result<Vec<Wanted>, String> {
        let from = words.time()?;
        let to = if words.take("to") { words.time()? } else { from };
        let wanted = match words.next()? {
            end @ ("sender" | "receiver") => {
                let end = end_of(end);
                let pause = [("stops", Pause::Stops), ("resumes", Pause::GoesOn)];
                for (word, pause) in pause {
                    if words.take(word) {
                        return class(words).map(|class| vec![Wanted::Pause(from, pause, class)]);
                    }
                }
                let flow = words.flow()?;
                let line = |sent| Line { time: from, end, flow, sent };
                let (from, to) = (self.earliest(from), to + self.tolerance);
                let wanted = |sent| Wanted::Packet { from, to, line: line(sent) };
                described(words)?.into_iter().map(wanted).collect()
            }
            "switch" => {
                words.take("pauses");
                vec![Wanted::Pause(from, Pause::Xoff, class(words)?)]
            }
            "state" => {
                let word = words.next()?;
                let states = [("open", 0.0), ("cwr", 2.0), ("recovery", 3.0), ("loss", 4.0)];
                let state = states.iter().find(|(name, _)| *name == word);
                let (_, value) = state.ok_or_else(|| format!("{word:?} is no state"))?;
                vec![Wanted::Value { time: from, name: "state".to_owned(), value: *value, exact_to: 0.1 }]
            }
            name => {
                let word = words.next()?;
                let value = word.parse().map_err(|_| format!("{word:?} is no number"))?;
                let digits = word.split_once('.').map_or("", |(_, digits)| digits);
                let exact_to = digits.chars().fold(0.5, |unit, _| unit / 10.0);
                words.0.clear();
                vec![Wanted::Value { time: from, name: name.to_owned(), value, exact_to }]
            }
        };
        Ok(wanted)
    }

    fn earliest(&self, time: Time) -> Time {
        Time::ZERO + time.since(Time::ZERO).saturating_sub(self.tolerance)
    }

    /// Returns expectations of which one is wrong by a little: by a packet, a class or a unit of the last digit. Those
    /// of nothing more have none.
    pub(crate) fn spoiled(&self) -> impl Iterator<Item = Self> {
        (0..self.wanted.len()).filter_map(|place| {
            let mut spoiled = self.clone();
            match &mut spoiled.wanted[place].1 {
                Wanted::Packet { from, to, line } => match &mut line.sent {
                    Sent::Data { number, .. } | Sent::Ack { number, .. } | Sent::Nack { number, .. } => {
                        *number -= 1;
                    }
                    Sent::Syn | Sent::Cnp => (*from, *to) = (*to, *to + to.since(*from)),
                },
                Wanted::Pause(_, _, class) => *class += 1,
                Wanted::Value { value, exact_to, .. } => *value += 3.0 * *exact_to,
                Wanted::Total(_, value) => *value += 1,
                Wanted::NothingMore(_) | Wanted::SkipTo(_) => return None,
            }
            Some(spoiled)
        })
    }

    /// Returns the first thing in which a transcript is not as expected.
    pub(crate) fn differs(&self, seen: &Transcript) -> Option<String> {
        let mut judge = Judge { expected: self, seen, passed: Vec::new(), pauses: 0, skipped: Time::ZERO };
        self.wanted.iter().find_map(|(number, wanted)| {
            let problem = judge.misses(wanted)?;
            Some(format!("line {number}: {problem}"))
        })
    }
}

fn class(words: &mut Words<'_>) -> Result<u8, String> {
    words.take("class");
    Ok(words.number()? as u8)
}

/// Reads packets with all that they carry.
fn described(words: &mut Words<'_>) -> Result<Vec<Sent>, String> {
    let (_, mut all) = packets(words)?;
    if words.take("every") {
        words.take("second");
        all = all.into_iter().step_by(2).collect();
    }
    while let Ok(word) = words.next() {
        if word == "sack" {
            let (first, last) = words.range()?;
            let mut lasts = last..=last;
            if words.take("growing") {
                words.take("to");
                lasts = last..=words.number()?;
            }
            let with = |last| all.iter().map(move |sent| with_block(sent, (first, last)));
            all = lasts.flat_map(with).collect();
            continue;
        }
        for sent in &mut all {
            match (word, sent) {
                ("again", Sent::Data { again, .. }) => *again = true,
                ("cwr", Sent::Data { reduced, .. }) => *reduced = true,
                ("ece", Sent::Ack { echo, .. }) => *echo = true,
                ("dsack", Sent::Ack { repeats, .. }) => *repeats = true,
                _ => return Err(format!("{word:?} says nothing of such a packet")),
            }
        }
    }
    Ok(all)
}

fn with_block(sent: &Sent, told: (u64, u64)) -> Sent {
    let mut sent = sent.clone();
    if let Sent::Ack { block, .. } | Sent::Nack { block, .. } = &mut sent {
        *block = Some(told);
    }
    sent
}

/// Judge of a transcript, which takes what is expected in order.
struct Judge<'a> {
    expected: &'a Expected,
    seen: &'a Transcript,
    /// Numbers of the lines that were expected so far.
    passed: Vec<usize>,
    pauses: usize,
    skipped: Time,
}

impl Judge<'_> {
    /// Returns the next packet of an end that no line has asked for.
    fn next_of(&self, end: End) -> Option<(usize, &Line)> {
        let after = self.passed.iter().rev().find(|&&number| self.seen.lines[number].end == end);
        let from = after.map_or(0, |number| number + 1);
        let mut lines = self.seen.lines.iter().enumerate().skip(from);
        let is_seen = |sent: &Sent| !self.expected.left_out.iter().any(|left_out| left_out.has(sent));
        lines.find(|(_, line)| line.end == end && line.time >= self.skipped && is_seen(&line.sent))
    }

    fn misses(&mut self, wanted: &Wanted) -> Option<String> {
        match wanted {
            Wanted::Packet { from, to, line } => {
                let Some((number, seen)) = self.next_of(line.end) else {
                    return Some(format!("never comes: {line}"));
                };
                let is_right =
                    (seen.flow, &seen.sent) == (line.flow, &line.sent) && (*from..=*to).contains(&seen.time);
                if !is_right {
                    return Some(format!("expected {line}\n      but comes {seen}"));
                }
                self.passed.push(number);
                None
            }
            Wanted::NothingMore(end) => {
                let (_, seen) = self.next_of(*end)?;
                Some(format!("expected nothing more, but comes {seen}"))
            }
            Wanted::Pause(time, pause, class) => {
                let seen = self.seen.pauses.get(self.pauses);
                self.pauses += 1;
                let Some(&(when, what, of)) = seen else { return Some("no more pauses".to_owned()) };
                let near = self.expected.earliest(*time) <= when && when <= *time + self.expected.tolerance;
                let is_right = near && (what, of) == (*pause, *class);
                (!is_right).then(|| format!("but comes {what:?} of class {of} at {}", at(when)))
            }
            Wanted::Value { time, name, value, exact_to } => {
                let of_name = self.seen.values.iter().filter(|(_, of, _)| of == name);
                let Some(&(_, _, seen)) = of_name.take_while(|(when, ..)| when <= time).last() else {
                    return Some(format!("no {name} is known by then"));
                };
                // A little more than half of the last digit, for what rounding adds.
                let is_right = (seen - value).abs() <= exact_to * 1.001;
                (!is_right).then(|| format!("{name} is {seen}, and not {value}"))
            }
            Wanted::Total(name, value) => {
                let seen = self.seen.totals.iter().find(|(of, _)| of == name);
                let Some(&(_, seen)) = seen else { return Some(format!("there is no total of {name:?}")) };
                (seen != *value).then(|| format!("{seen} {name}, and not {value}"))
            }
            Wanted::SkipTo(time) => {
                self.skipped = *time;
                None
            }
        }
    }
}

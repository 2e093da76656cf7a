//! The C interface of xoff: a simulation that a program drives.
//!
//! All times are in picoseconds and all sizes in bytes. A function that fails returns -1 or a null pointer, and
//! [`xoff_error`] then has one line that says why. No panic crosses the interface: it becomes such a failure, after which
//! the simulation can only be freed. A simulation belongs to one thread at a time. Texts are UTF-8 and end with a zero
//! byte.

// Pointers of C programs are what this crate is about. Every function says what it expects of them.
#![allow(unsafe_code)]
// One clause holds for all: a pointer is null, or what the functions here returned and `xoff_free` has not taken.
#![allow(clippy::missing_safety_doc)]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;

use xoff::driven::{DrivenSimulation, End, Event, Message, Send, Step};
use xoff::units::{Bytes, Time};
use xoff::{Files, Report, Scenario, ScenarioError};

/// Time that never comes: as `until_ps`, until nothing is left to do; as `at_ps`, now.
pub const XOFF_NEVER: u64 = u64::MAX;

/// Host that is none: as `host` of `xoff_at`, every host.
pub const XOFF_EVERYWHERE: u32 = u32::MAX;

/// Simulation under way.
pub struct XoffSimulation {
    state: State,
}

#[allow(clippy::large_enum_variant)]
enum State {
    Running(DrivenSimulation),
    Finished(Report, CString),
    /// A panic has left it as it is.
    Broken,
}

/// Kind of event.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum XoffKind {
    /// A time has come: `id` is what `xoff_at` returned.
    Due = 0,
    /// A message is whole at its receiver: `id` is what `xoff_send` returned.
    Received = 1,
    /// A message is acknowledged at its sender, or has left where nothing is acknowledged.
    Acknowledged = 2,
}

/// Event to which the program may react.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct XoffEvent {
    /// Kind of event.
    pub kind: XoffKind,
    /// Host where it happened, or `XOFF_EVERYWHERE`.
    pub host: u32,
    /// Message or timer.
    pub id: u64,
    /// Time at which it happened.
    pub time_ps: u64,
}

/// Finished flow.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct XoffFlow {
    /// Sending host.
    pub source: u32,
    /// Receiving host.
    pub destination: u32,
    /// Bytes.
    pub size: u64,
    /// Time of its start.
    pub start_ps: u64,
    /// Time when the last byte was at the receiver.
    pub received_ps: u64,
    /// Time when the last byte was acknowledged at the sender.
    pub finish_ps: u64,
}

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

type Answer<T> = Result<T, String>;

fn keep_error(line: &str) {
    let line = CString::new(line.replace('\0', " ")).unwrap_or_default();
    ERROR.with(|error| *error.borrow_mut() = line);
}

/// Calls `act`; a failure or a panic becomes `failed`.
fn guarded<T>(failed: T, act: impl FnOnce() -> Answer<T>) -> T {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(line)) => {
            keep_error(&line);
            failed
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            keep_error(&format!("xoff has a fault: {text}"));
            failed
        }
    }
}

/// Calls `act` with the simulation under way. A panic leaves the simulation broken.
///
/// # Safety
///
/// The pointer is null or came from `xoff_new` or `xoff_open`, is not freed, and nobody else uses it.
unsafe fn with_running<T>(
    simulation: *mut XoffSimulation,
    failed: T,
    act: impl FnOnce(&mut DrivenSimulation) -> Answer<T>,
) -> T {
    guarded(failed, || {
        // SAFETY: as the caller promises.
        let simulation = unsafe { simulation.as_mut() }.ok_or("simulation: is a null pointer")?;
        match std::mem::replace(&mut simulation.state, State::Broken) {
            State::Running(mut running) => {
                let answer = act(&mut running);
                simulation.state = State::Running(running);
                answer
            }
            State::Broken => Err("simulation: has had a fault; free it".to_owned()),
            finished @ State::Finished(..) => {
                simulation.state = finished;
                Err("simulation: is finished".to_owned())
            }
        }
    })
}

/// # Safety
///
/// The pointer is null or a text that ends with a zero byte.
unsafe fn text<'a>(name: &str, text: *const c_char) -> Answer<&'a str> {
    if text.is_null() {
        return Err(format!("{name}: is a null pointer"));
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{name}: is no UTF-8"))
}

fn laid_out(text: &str, file: Option<&Path>) -> Answer<*mut XoffSimulation> {
    let named = |error: ScenarioError| match file {
        Some(file) if error.file.is_none() => error.in_file(file.display().to_string()).to_string(),
        _ => error.to_string(),
    };
    let scenario = Scenario::from_toml(text, &[]).map_err(named)?;
    let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let mut files = Files::new();
    for reference in scenario.files() {
        let path = folder.join(&reference.path);
        let read = std::fs::read_to_string(&path);
        let text = read.map_err(|error| format!("{}: {}: {error}", reference.key, path.display()))?;
        files.insert(reference.path, text);
    }
    let state = State::Running(DrivenSimulation::new(&scenario, &files).map_err(named)?);
    Ok(Box::into_raw(Box::new(XoffSimulation { state })))
}

/// Lays out a scenario of TOML text, with a workload of kind `driven`. Files that it names are looked for in the working
/// directory. Returns null on failure. `xoff_free` frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_new(toml: *const c_char) -> *mut XoffSimulation {
    // SAFETY: as the C program promises.
    guarded(ptr::null_mut(), || laid_out(unsafe { text("toml", toml) }?, None))
}

/// Lays out the scenario of a TOML file; files that it names are looked for in its folder. Returns null on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_open(path: *const c_char) -> *mut XoffSimulation {
    guarded(ptr::null_mut(), || {
        // SAFETY: as the C program promises.
        let path = unsafe { text("path", path) }?;
        let toml = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        laid_out(&toml, Some(Path::new(path)))
    })
}

/// Frees a simulation. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_free(simulation: *mut XoffSimulation) {
    guarded((), || {
        if !simulation.is_null() {
            // SAFETY: it came from a box, and the C program gives it back once.
            drop(unsafe { Box::from_raw(simulation) });
        }
        Ok(())
    });
}

/// Returns the line that says why the last function failed on this thread. It stays until the next failure there.
#[unsafe(no_mangle)]
pub extern "C" fn xoff_error() -> *const c_char {
    ERROR.with(|error| error.borrow().as_ptr())
}

/// Returns the number of hosts, or -1. Hosts are numbered from 0 in the order of the topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_hosts(simulation: *mut XoffSimulation) -> i64 {
    // SAFETY: as the C program promises.
    unsafe {
        with_running(simulation, -1, |running| Ok(i64::from(running.simulation().network().fabric_hosts())))
    }
}

/// Returns the number of the host of this name, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_host(simulation: *mut XoffSimulation, name: *const c_char) -> i64 {
    // SAFETY: as the C program promises.
    unsafe {
        with_running(simulation, -1, |running| {
            running.host("name", text("name", name)?).map(i64::from).map_err(|error| error.to_string())
        })
    }
}

/// Returns simulated time; in reaction to an event, the time of the event. `XOFF_NEVER` on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_now_ps(simulation: *mut XoffSimulation) -> u64 {
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, XOFF_NEVER, |running| Ok(running.now().get())) }
}

/// Returns the time from a reaction at one host to the first that the program may do anywhere else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_reach_ps(simulation: *mut XoffSimulation) -> u64 {
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, XOFF_NEVER, |running| Ok(running.reach().get())) }
}

/// Keeps no row of flows that finish from now on, so that memory does not grow with them. Returns 0 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_forget_flows(simulation: *mut XoffSimulation) -> c_int {
    // SAFETY: as the C program promises.
    unsafe {
        with_running(simulation, -1, |running| {
            running.forget_flows();
            Ok(0)
        })
    }
}

/// Sends a message of `size` bytes, which starts at `at_ps`, or now with `XOFF_NEVER`. `priority` is its traffic class, or
/// -1 for the first of the driven workload. Writes its handle to `message`. Returns 0 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_send(
    simulation: *mut XoffSimulation,
    source: u32,
    destination: u32,
    size: u64,
    priority: c_int,
    at_ps: u64,
    message: *mut u64,
) -> c_int {
    let act = |running: &mut DrivenSimulation| {
        let priority = match priority {
            -1 => None,
            class => {
                Some(u8::try_from(class).map_err(|_| format!("priority: {class} is none; expected 0 to 7"))?)
            }
        };
        let at = (at_ps != XOFF_NEVER).then_some(Time::new(at_ps));
        let send = Send { priority, at, ..Send::new(source, destination, Bytes::new(size)) };
        let sent = running.send(send).map_err(|error| error.to_string())?;
        // SAFETY: as the C program promises.
        if let Some(message) = unsafe { message.as_mut() } {
            *message = sent.0;
        }
        Ok(0)
    };
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, -1, act) }
}

/// Has `xoff_next` return an event when a message is complete: where it is whole (`XOFF_KIND_RECEIVED`), or where it is
/// acknowledged (`XOFF_KIND_ACKNOWLEDGED`). It must be called before the message starts, or at the time at which it does.
/// The handle is spent when both ends are complete. Returns 0 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_listen(simulation: *mut XoffSimulation, message: u64, kind: c_int) -> c_int {
    const RECEIVED: c_int = XoffKind::Received as c_int;
    const ACKNOWLEDGED: c_int = XoffKind::Acknowledged as c_int;
    let act = |running: &mut DrivenSimulation| {
        let end = match kind {
            RECEIVED => End::Receiver,
            ACKNOWLEDGED => End::Sender,
            _ => {
                return Err(format!(
                    "kind: {kind} is no end of a message; expected {RECEIVED} or {ACKNOWLEDGED}"
                ));
            }
        };
        running.listen(Message(message), end).map(|()| 0).map_err(|error| error.to_string())
    };
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, -1, act) }
}

/// Has `xoff_next` return an event at a time, at a host, or with `XOFF_EVERYWHERE` when every host has run up to it.
/// Writes the number of the timer to `timer`. Returns 0 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_at(
    simulation: *mut XoffSimulation,
    time_ps: u64,
    host: u32,
    timer: *mut u64,
) -> c_int {
    let act = |running: &mut DrivenSimulation| {
        let host = (host != XOFF_EVERYWHERE).then_some(host);
        let set = running.at(Time::new(time_ps), host).map_err(|error| error.to_string())?;
        // SAFETY: as the C program promises.
        if let Some(timer) = unsafe { timer.as_mut() } {
            *timer = set.0;
        }
        Ok(0)
    };
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, -1, act) }
}

/// Goes on to the next event and writes it to `event`, or to `until_ps`, of which nothing happens yet. Returns 1 for an
/// event, 0 for none, -1 on failure. The program reacts before the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_next(
    simulation: *mut XoffSimulation,
    until_ps: u64,
    event: *mut XoffEvent,
) -> c_int {
    let act = |running: &mut DrivenSimulation| {
        let step = running.next(Time::new(until_ps), &mut |_| true).map_err(|error| error.to_string())?;
        let Some(Step { time, host, event: what }) = step else { return Ok(0) };
        let (kind, id) = match what {
            Event::Due(timer) => (XoffKind::Due, timer.0),
            Event::Complete(message, End::Receiver) => (XoffKind::Received, message.0),
            Event::Complete(message, End::Sender) => (XoffKind::Acknowledged, message.0),
        };
        // SAFETY: as the C program promises.
        let event = unsafe { event.as_mut() }.ok_or("event: is a null pointer")?;
        *event = XoffEvent { kind, host: host.unwrap_or(XOFF_EVERYWHERE), id, time_ps: time.get() };
        Ok(1)
    };
    // SAFETY: as the C program promises.
    unsafe { with_running(simulation, -1, act) }
}

/// Function that reacts to an event, called with what was given to `xoff_run_until`. It returns 0 to go on. It may call all
/// other functions but this one, `xoff_finish` and `xoff_free`, and throws nothing.
pub type XoffReaction = Option<unsafe extern "C" fn(data: *mut c_void, event: *const XoffEvent) -> c_int>;

/// Goes on to `until_ps` and calls `reaction` for every event. Returns 0, what a reaction returned other than that, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_run_until(
    simulation: *mut XoffSimulation,
    until_ps: u64,
    reaction: XoffReaction,
    data: *mut c_void,
) -> c_int {
    let mut event = XoffEvent { kind: XoffKind::Due, host: 0, id: 0, time_ps: 0 };
    loop {
        // SAFETY: as the C program promises. Nothing here holds the simulation while the reaction runs.
        match unsafe { xoff_next(simulation, until_ps, &raw mut event) } {
            1 => {}
            ended => return ended,
        }
        if let Some(reaction) = reaction {
            // SAFETY: the function is of this type, and the event lives.
            let answer = unsafe { reaction(data, &raw const event) };
            if answer != 0 {
                return answer;
            }
        }
    }
}

/// Ends the run now. Returns its digest and its totals as JSON, which stays until the simulation is freed; null on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_finish(simulation: *mut XoffSimulation) -> *const c_char {
    guarded(ptr::null(), || {
        // SAFETY: as the C program promises.
        let simulation = unsafe { simulation.as_mut() }.ok_or("simulation: is a null pointer")?;
        simulation.state = match std::mem::replace(&mut simulation.state, State::Broken) {
            State::Running(running) => {
                let report = running.finish();
                let json = serde_json::json!({ "digest": report.digest, "totals": report.totals });
                let json = CString::new(json.to_string()).map_err(|error| error.to_string())?;
                State::Finished(report, json)
            }
            other => other,
        };
        match &simulation.state {
            State::Finished(_, json) => Ok(json.as_ptr()),
            _ => Err("simulation: has had a fault; free it".to_owned()),
        }
    })
}

/// Writes finished flow number `index`, in order of start, to `flow`. Returns 1, 0 beyond the last, or -1 before
/// `xoff_finish`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xoff_flow(
    simulation: *mut XoffSimulation,
    index: u64,
    flow: *mut XoffFlow,
) -> c_int {
    guarded(-1, || {
        // SAFETY: as the C program promises.
        let simulation = unsafe { simulation.as_ref() }.ok_or("simulation: is a null pointer")?;
        let State::Finished(report, _) = &simulation.state else {
            return Err("simulation: is under way; expected xoff_finish before".to_owned());
        };
        let row = usize::try_from(index).ok().and_then(|index| report.flows.rows.get(index));
        let Some(row) = row else { return Ok(0) };
        // SAFETY: as the C program promises.
        let flow = unsafe { flow.as_mut() }.ok_or("flow: is a null pointer")?;
        *flow = XoffFlow {
            source: row.source,
            destination: row.destination,
            size: row.size.get(),
            start_ps: row.start.get(),
            received_ps: row.received.get(),
            finish_ps: row.finish.get(),
        };
        Ok(1)
    })
}

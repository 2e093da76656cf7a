//! The part of a job in one host.

use super::{Applications, JobStep, NewFlow, Step};
use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::job::{Part, Plan, Work};
use crate::host::TimerKey;
use crate::host::flow::FlowStart;
use crate::host::pending::Pending;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::topology::NodeId;

impl Applications {
    /// Sets the time of every operation of a job that waits for none.
    pub(super) fn begin_job(&mut self, index: u32, plan: &Plan, pending: &mut Pending) {
        self.go_on_with_job(index, pending, |part, begin| part.first(plan, begin));
    }

    /// Sets the time of every operation that this host's part hands over.
    fn go_on_with_job<T: Default>(
        &mut self,
        index: u32,
        pending: &mut Pending,
        act: impl FnOnce(&mut Part, &mut dyn FnMut(u32, Time)) -> T,
    ) -> T {
        let Self { parts, job_steps, .. } = self;
        let Some(part) = parts.get_mut(index) else { return T::default() };
        act(part, &mut |operation, at| {
            let key = job_steps.insert(JobStep { plan: index, step: Step::Begin(operation) }) as u32;
            pending.once(TimerKey::Job(key), at);
        })
    }

    /// Takes the step of a job that has waited in this place. Returns the start of its flow, if it begins one.
    #[cold]
    pub(in crate::host) fn on_job_timer(
        &mut self,
        key: u32,
        host: NodeId,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<FlowStart> {
        let JobStep { plan: index, step } = self.job_steps.remove(key as usize);
        let (plans, now) = (&context.fabric.plans, context.now);
        let plan = plans.job(index as usize)?;
        let part = self.parts.get_mut(index)?;
        match step {
            Step::Begin(operation) => match plan.work(operation) {
                Work::Flow { destination, size, priority } => {
                    part.on_begin();
                    let (channel, turn) = plan.arrival(operation);
                    let channel = plans.channel(index as usize, channel);
                    let reception = plans.number(Arrival { channel, turn });
                    let new = NewFlow { host, destination, reception, size, priority };
                    return new.start(&plans.all()[index as usize], &mut self.letters, context);
                }
                Work::Compute { stream, .. } => {
                    let free = part.on_ready(stream, operation, now);
                    self.choose_for(index, free, now, pending);
                }
                Work::Local { .. } => {
                    let end = part.on_begin_local(plan, operation, now);
                    self.end_later(index, operation, end, pending);
                }
            },
            Step::Choose(stream) => {
                if let Some((operation, end)) = part.choose(plan, stream, now) {
                    self.end_later(index, operation, end, pending);
                }
            }
            Step::End(operation) => {
                let free = self.go_on_with_job(index, pending, |part, begin| {
                    part.on_computed(plan, operation, now, begin)
                });
                self.choose_for(index, free, now, pending);
            }
        }
        None
    }

    /// Sets the time at which a computation or local operation is done.
    fn end_later(&mut self, plan: u32, operation: u32, end: Time, pending: &mut Pending) {
        let key = self.job_steps.insert(JobStep { plan, step: Step::End(operation) }) as u32;
        pending.once(TimerKey::Job(key), end);
    }

    /// Has a free stream choose what it computes, after everything else of this instant has become ready.
    fn choose_for(&mut self, plan: u32, stream: Option<u32>, now: Time, pending: &mut Pending) {
        if let Some(stream) = stream {
            let key = self.job_steps.insert(JobStep { plan, step: Step::Choose(stream) }) as u32;
            pending.once(TimerKey::Stream(key), now);
        }
    }

    /// Hears that a flow to this host is whole.
    pub(super) fn on_job_flow(
        &mut self,
        index: usize,
        plan: &Plan,
        flow: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_whole(plan, flow, now, begin);
        self.go_on_with_job(index as u32, pending, act);
    }

    /// Hears that a flow from this host is acknowledged, or has left where nothing is.
    pub(super) fn on_job_flow_sent(
        &mut self,
        index: usize,
        plan: &Plan,
        flow: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_done(plan, flow, now, begin);
        self.go_on_with_job(index as u32, pending, act);
    }
}

//! Heun's method with a history: second order, and the equations are evaluated at whole steps only. What a state does to
//! others a delay later is worked out once, when the state is reached, and interpolated between steps.

use super::Integration;

/// Delay differential equations whose past matters after one constant delay.
pub(super) trait Model {
    /// How many numbers a state has.
    fn width(&self) -> usize;
    /// How many numbers of it matter later.
    fn echo_width(&self) -> usize;
    /// The delay after which they do, in seconds; at least a step.
    fn delay(&self) -> f64;
    /// The state at time 0, and all the time before.
    fn begin(&self, state: &mut [f64]);
    /// What matters of a state once the delay is over.
    fn echo(&self, seconds: f64, state: &[f64], echo: &mut [f64]);
    /// How fast each number of a state changes, per second, given what is felt of the past.
    fn slope(&self, seconds: f64, state: &[f64], echo: &[f64], slope: &mut [f64]);
    /// Puts back within its bounds what a step has led out.
    fn confine(&self, state: &mut [f64]);
}

/// Numbers that are advanced from one question whether to go on to the next.
const PATIENCE: u64 = 1 << 16;

/// Shows `observe` the state at time 0 and from then on at every multiple of `every`.
pub(super) fn integrate(
    model: &dyn Model,
    integration: &Integration,
    observe: &mut dyn FnMut(f64, &[f64]),
    goes_on: &mut dyn FnMut(f64) -> bool,
) {
    let &Integration { duration, step, every } = integration;
    let (steps, stride) = (duration.get() / step.get(), every.get() / step.get());
    let patience = (PATIENCE / model.width() as u64).max(1);
    let step = step.as_seconds();

    let mut state = vec![0.0; model.width()];
    model.begin(&mut state);
    let mut history = History::new(model, step, &state);
    let mut predicted = state.clone();
    let mut slopes = [vec![0.0; model.width()], vec![0.0; model.width()]];
    let mut felt = vec![0.0; model.echo_width()];
    history.felt(&mut felt);
    observe(0.0, &state);

    for number in 1..=steps {
        let [first, second] = &mut slopes;
        let (before, now) = ((number - 1) as f64 * step, number as f64 * step);
        model.slope(before, &state, &felt, first);
        for ((predicted, state), slope) in predicted.iter_mut().zip(&state).zip(&*first) {
            *predicted = state + step * slope;
        }
        model.confine(&mut predicted);
        history.advance();
        history.felt(&mut felt);
        model.slope(now, &predicted, &felt, second);
        for ((state, first), second) in state.iter_mut().zip(&*first).zip(&*second) {
            *state += 0.5 * step * (first + second);
        }
        model.confine(&mut state);
        model.echo(now, &state, history.newest());
        if number % stride == 0 {
            observe(now, &state);
        }
        if number % patience == 0 && !goes_on(number as f64 / steps as f64) {
            return;
        }
    }
}

/// The echoes of the latest steps, in a ring.
struct History {
    echoes: Vec<f64>,
    width: usize,
    /// Steps that fit the delay, and what is left of it as a share of a step.
    whole: usize,
    rest: f64,
    /// Place of the newest step.
    newest: usize,
}

impl History {
    fn new(model: &dyn Model, step: f64, state: &[f64]) -> Self {
        let width = model.echo_width();
        let steps = model.delay() / step;
        // A delay of whole steps is not to become one less by rounding.
        let whole = (steps + 1e-9).floor();
        let mut echo = vec![0.0; width];
        model.echo(0.0, state, &mut echo);
        let (rest, whole) = ((steps - whole).max(0.0), whole as usize);
        Self { echoes: echo.repeat(whole + 2), width, whole, rest, newest: 0 }
    }

    fn length(&self) -> usize {
        self.whole + 2
    }

    /// Goes to the next step, whose echo is to be written.
    fn advance(&mut self) {
        self.newest = (self.newest + 1) % self.length();
    }

    fn newest(&mut self) -> &mut [f64] {
        let place = self.newest;
        &mut self.echoes[place * self.width..][..self.width]
    }

    /// What is felt at the newest step: the echo of a delay before.
    fn felt(&self, felt: &mut [f64]) {
        let at = |age: usize| {
            let place = (self.newest + self.length() - age) % self.length();
            &self.echoes[place * self.width..][..self.width]
        };
        let (after, before) = (at(self.whole), at(self.whole + 1));
        for ((felt, after), before) in felt.iter_mut().zip(after).zip(before) {
            *felt = after + self.rest * (before - after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Span;

    /// x'(t) = -x(t - delay), x = 1 until 0: by the method of steps 1 - t up to one delay, then
    /// 1 - t + (t - delay)^2 / 2 up to two.
    struct Decay {
        delay: f64,
    }

    impl Model for Decay {
        fn width(&self) -> usize {
            1
        }
        fn echo_width(&self) -> usize {
            1
        }
        fn delay(&self) -> f64 {
            self.delay
        }
        fn begin(&self, state: &mut [f64]) {
            state[0] = 1.0;
        }
        fn echo(&self, _seconds: f64, state: &[f64], echo: &mut [f64]) {
            echo[0] = state[0];
        }
        fn slope(&self, _seconds: f64, _state: &[f64], echo: &[f64], slope: &mut [f64]) {
            slope[0] = -echo[0];
        }
        fn confine(&self, _state: &mut [f64]) {}
    }

    fn last(delay: f64, step_us: u64) -> f64 {
        let step = Span::from_microseconds(step_us);
        let integration = Integration { duration: Span::from_milliseconds(150), step, every: step };
        let mut last = f64::NAN;
        integrate(&Decay { delay }, &integration, &mut |_, state| last = state[0], &mut |_| true);
        last
    }

    #[test]
    fn a_delay_of_whole_steps_is_met_exactly() {
        let (delay, time) = (0.1, 0.15);
        let exact = 1.0 - time + (time - delay) * (time - delay) / 2.0;
        assert!((last(delay, 100) - exact).abs() < 1e-12);
    }

    /// The kink of the slope at one delay lies within a step, where the order is lost once; halving the step still
    /// divides the error by about four.
    #[test]
    fn a_delay_between_steps_is_interpolated() {
        let (delay, time) = (0.100_05, 0.15);
        let exact = 1.0 - time + (time - delay) * (time - delay) / 2.0;
        let error = |step_us| (last(delay, step_us) - exact).abs();
        assert!(error(100) < 2e-9, "{}", error(100));
    }

    #[test]
    fn what_is_told_to_stop_stops() {
        let step = Span::from_microseconds(1);
        let integration = Integration { duration: Span::from_milliseconds(100), step, every: step };
        let mut observed = 0;
        integrate(&Decay { delay: 0.01 }, &integration, &mut |_, _| observed += 1, &mut |_| false);
        assert_eq!(observed, PATIENCE + 1);
    }
}

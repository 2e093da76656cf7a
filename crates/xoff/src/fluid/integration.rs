//! Heun's method for equations with one constant delay: second order, and evaluated at whole steps only.
//!
//! The part of a state that matters a delay later, its echo, is computed once when the state is reached. Between steps
//! echoes are interpolated.

use super::Integration;

/// Delay differential equations whose past matters after one constant delay.
pub(super) trait Model {
    /// Count of numbers in a state.
    fn width(&self) -> usize;
    /// Count of numbers in an echo, the part of a state that matters later.
    fn echo_width(&self) -> usize;
    /// Delay after which an echo matters, in seconds; at least a step.
    fn delay(&self) -> f64;
    /// Writes the state at time 0, which also holds for all the time before.
    fn begin(&self, state: &mut [f64]);
    /// Writes the echo of a state.
    fn echo(&self, seconds: f64, state: &[f64], echo: &mut [f64]);
    /// Writes how fast each number of a state changes, per second, given the echo that is felt now.
    fn slope(&self, seconds: f64, state: &[f64], echo: &[f64], slope: &mut [f64]);
    /// Puts numbers that a step has led out of their bounds back.
    fn confine(&self, state: &mut [f64]);
}

/// Numbers that are advanced between two calls of `goes_on`.
const PATIENCE: u64 = 1 << 16;

/// Advances a model, and shows `observe` the state at time 0 and at every multiple of `every`.
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

/// Echoes of the latest steps, in a ring.
struct History {
    echoes: Vec<f64>,
    width: usize,
    /// Whole steps that fit the delay.
    whole: usize,
    /// Remainder of the delay, as a share of a step.
    rest: f64,
    /// Place of the newest step in the ring.
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

    /// Writes the echo that is felt at the newest step, that of one delay before.
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

    /// Equation x'(t) = -x(t - delay), x = 1 until 0. By the method of steps x is 1 - t up to one delay, then 1 - t +
    /// (t - delay)^2 / 2 up to two.
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

    /// The kink of the slope at one delay lies within a step, where the order is lost once. Halving the step still
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

//! Notes on runs that skip steady times, or would if something did not stand in the way.

use super::Simulation;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    if simulation.scenario().fast_forward().is_none() {
        return Vec::new();
    }
    let note = match simulation.never_skips() {
        Some(why) => format!("engine.fast_forward: nothing will be skipped, because {why}"),
        None => "engine.fast_forward: steady times are skipped, so results are approximate; the run has one thread"
            .to_owned(),
    };
    vec![note]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{long_lived, notes};

    #[test]
    fn a_run_that_may_skip_is_noted_and_one_that_cannot_says_why() {
        let of = |more: &str| {
            let workload = long_lived("['host1', 'host0']", "transport = 'reno', size = '1kB'");
            let all = notes(&workload, more);
            all.into_iter().filter(|note| note.starts_with("engine")).collect::<Vec<_>>()
        };
        let engine = "engine = { fast_forward = {} }";
        assert_eq!(of(""), [""; 0]);
        assert_eq!(
            of(engine),
            [
                "engine.fast_forward: steady times are skipped, so results are approximate; the run has one thread"
            ]
        );
        let slow = format!("{engine}\nslow_receiver = [{{ hosts = ['host1'], rate = '1Gbps' }}]");
        let why = "[[slow_receiver]] has adapters that are slow at times";
        assert_eq!(of(&slow), [format!("engine.fast_forward: nothing will be skipped, because {why}")]);
    }
}

//! Parts of completion times: the stretches of critical paths that have one cause, at one place.

use super::{Cause, Picoseconds};

/// Share of a path's time from which transmission on one link is a part of its own.
const SLOW_LINK: f64 = 0.25;

/// All stretches of critical paths that have one cause, at one place. `P` names places, `R` reasons of drops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<P, R> {
    /// Cause.
    pub cause: Cause,
    /// Place of these stretches, where it is news.
    pub place: Option<P>,
    /// Reason of a drop there.
    pub reason: Option<R>,
    /// Length of these stretches together.
    pub time: Picoseconds,
    /// Share of the completion times.
    pub share: f64,
}

/// Returns the parts of the completion times of several flows together, the longest first.
///
/// Takes the cause, the place, the reason and the length of each stretch.
pub fn parts<P: Copy + PartialEq, R: Copy + PartialEq>(
    stretches: impl Iterator<Item = (Cause, Option<P>, Option<R>, Picoseconds)>,
) -> Vec<Part<P, R>> {
    let mut found: Vec<Part<P, R>> = Vec::new();
    for (cause, place, reason, time) in stretches {
        let place = place.filter(|_| cause != Cause::Propagation);
        let same = |part: &&mut Part<P, R>| (part.cause, part.place, part.reason) == (cause, place, reason);
        match found.iter_mut().find(same) {
            Some(part) => part.time += time,
            None => found.push(Part { cause, place, reason, time, share: 0.0 }),
        }
    }
    let whole = found.iter().map(|part| part.time).sum::<Picoseconds>() as f64;
    // All links of a path have a share of its bits; only where one is what takes long is it news which.
    let is_short =
        |part: &Part<P, R>| part.cause == Cause::Transmission && (part.time as f64) < SLOW_LINK * whole;
    let (short, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(is_short);
    let time = short.iter().map(|part| part.time).sum();
    found.push(Part { cause: Cause::Transmission, place: None, reason: None, time, share: 0.0 });
    found.retain(|part| part.time > 0);
    for part in &mut found {
        part.share = part.time as f64 / whole;
    }
    found.sort_by_key(|part| -part.time);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_share_a_part_unless_one_takes_long_and_propagation_has_no_place() {
        let none = None::<()>;
        let stretches = [
            (Cause::Transmission, Some("a"), none, 30),
            (Cause::Propagation, Some("a"), none, 5),
            (Cause::Transmission, Some("b"), none, 10),
            (Cause::Queueing, Some("b"), none, 40),
            (Cause::Transmission, Some("c"), none, 10),
            (Cause::Propagation, Some("b"), none, 5),
        ];
        let found = parts(stretches.into_iter()).into_iter().map(|part| (part.cause, part.place, part.share));
        let expected = [
            (Cause::Queueing, Some("b"), 0.4),
            (Cause::Transmission, Some("a"), 0.3),
            (Cause::Transmission, None, 0.2),
            (Cause::Propagation, None, 0.1),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

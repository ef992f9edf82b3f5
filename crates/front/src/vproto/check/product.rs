//! Which of several sequences can win when they run side by side (language.md §5).
//!
//! Sequences of literals, sets and fixed counts are positions in a list of steps; all of them look at the same byte,
//! the first to complete wins, ties go to the earlier. A sequence that is not of this sort is left out by the caller:
//! with more rivals no sequence wins more often, so "never wins" stays true.

use rustc_hash::FxHashSet;
use vproto_ir::ByteSet;

/// A repeated set. `skip` steps are left out as a whole where the first byte is not in the set (a literal with `?`).
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub set: ByteSet,
    pub min: u32,
    pub max: Option<u32>,
    pub skip: usize,
}

/// More joint positions than this are not followed.
const MOST_STATES: usize = 4096;
/// Steps of single sequences after which the answer is given up.
const MOST_STEPS: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Position {
    step: usize,
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Dead,
    At(Position),
    Done,
}

/// Where the sequences that still live are, by their index.
type Joint = Vec<(usize, Position)>;

/// All sequences at their start; none if one of them can be empty.
fn start(sequences: &[Vec<Step>]) -> Option<Joint> {
    let first = Position { step: 0, count: 0 };
    sequences.iter().enumerate().map(|(i, s)| Some((i, settle(s, first)?))).collect()
}

/// Which sequences win on some input; none where that is too much to tell.
pub(super) fn winners(sequences: &[Vec<Step>]) -> Option<Vec<bool>> {
    let classes = classes(sequences);
    let mut wins = vec![false; sequences.len()];
    let start = start(sequences)?;
    let mut steps = 0;
    let mut seen = FxHashSet::default();
    seen.insert(start.clone());
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        for byte in classes.iter().map(|&b| Some(b)).chain([None]) {
            steps += state.len();
            let (winner, next) = joint(sequences, &state, byte);
            if let Some(winner) = winner {
                wins[winner] = true;
            } else if !next.is_empty() && !seen.contains(&next) {
                if seen.len() == MOST_STATES || steps > MOST_STEPS {
                    return None;
                }
                seen.insert(next.clone());
                open.push(next);
            }
        }
    }
    Some(wins)
}

/// A shortest text that sequence `loser` accepts by itself, with the rival that wins on it and how many of its bytes
/// were looked at by then.
pub(super) fn rival(sequences: &[Vec<Step>], loser: usize) -> Option<(Vec<u8>, usize, usize)> {
    let text = shortest(&sequences[loser])?;
    let mut state = start(sequences)?;
    for (seen, byte) in text.iter().map(|&b| Some(b)).chain([None]).enumerate() {
        let (winner, next) = joint(sequences, &state, byte);
        if let Some(winner) = winner {
            return (winner != loser).then_some((text, winner, seen + 1));
        }
        state = next;
    }
    None
}

/// One byte (or the end) for all: who wins, else where all are.
fn joint(sequences: &[Vec<Step>], state: &Joint, byte: Option<u8>) -> (Option<usize>, Joint) {
    let mut next = Joint::new();
    for &(index, position) in state {
        match advance(&sequences[index], position, byte) {
            Outcome::At(position) => next.push((index, position)),
            Outcome::Done => return (Some(index), next),
            Outcome::Dead => {}
        }
    }
    (None, next)
}

/// One byte (or the end) for one sequence. Completing by looking at a byte and by taking it are one moment.
fn advance(steps: &[Step], mut position: Position, byte: Option<u8>) -> Outcome {
    while let Some(step) = steps.get(position.step) {
        let open = step.max.is_none_or(|max| position.count < max);
        if open && byte.is_some_and(|b| step.set.contains(b)) {
            // Above the minimum an unbounded count makes no difference.
            let count = if step.max.is_none() {
                (position.count + 1).min(step.min.max(1))
            } else {
                position.count + 1
            };
            return settle(steps, Position { count, ..position }).map_or(Outcome::Done, Outcome::At);
        }
        if position.count >= step.min {
            position = Position { step: position.step + 1, count: 0 };
        } else if position.count == 0 && step.skip > 0 {
            position = Position { step: position.step + step.skip, count: 0 };
        } else {
            return Outcome::Dead;
        }
    }
    Outcome::Done
}

/// Goes on from a step that reached its maximum; none at the end of the sequence.
fn settle(steps: &[Step], mut position: Position) -> Option<Position> {
    while steps.get(position.step)?.max == Some(position.count) {
        position = Position { step: position.step + 1, count: 0 };
    }
    Some(position)
}

/// One byte of each class of bytes that no set tells apart; letters before others.
fn classes(sequences: &[Vec<Step>]) -> Vec<u8> {
    let mut sets: Vec<ByteSet> = Vec::new();
    for step in sequences.iter().flatten() {
        if !sets.contains(&step.set) {
            sets.push(step.set);
        }
    }
    let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
    let order = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(0..=255);
    let mut classes = Vec::new();
    for byte in order {
        let signature: Vec<bool> = sets.iter().map(|s| s.contains(byte)).collect();
        if seen.insert(signature) {
            classes.push(byte);
        }
    }
    classes
}

/// A shortest text that completes a sequence (perhaps only at the end of input).
fn shortest(steps: &[Step]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        if step.skip > 0 {
            at += step.skip;
            continue;
        }
        let byte = classes(&[vec![step.clone()]]).into_iter().find(|&b| step.set.contains(b));
        for _ in 0..step.min.min(64) {
            text.push(byte?);
        }
        at += 1;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Vec<Step> {
        text.bytes().map(|b| Step { set: ByteSet::byte(b), min: 1, max: Some(1), skip: 0 }).collect()
    }

    fn run(set: ByteSet, min: u32, max: Option<u32>) -> Step {
        Step { set, min, max, skip: 0 }
    }

    #[test]
    fn a_longer_literal_loses_to_its_prefix() {
        let sequences = [literal("GET"), literal("GETS"), literal("PUT")];
        assert_eq!(winners(&sequences), Some(vec![true, false, true]));
        assert_eq!(rival(&sequences, 1), Some((b"GETS".to_vec(), 0, 3)));
    }

    #[test]
    fn order_does_not_help_the_longer_one() {
        assert_eq!(winners(&[literal("GETS"), literal("GET")]), Some(vec![false, true]));
    }

    #[test]
    fn a_run_and_a_literal_both_win() {
        let letters = vec![run(ByteSet::range(b'A', b'Z'), 1, None)];
        assert_eq!(winners(&[literal("MAIL "), letters.clone()]), Some(vec![true, true]));
        // On a tie the earlier wins: the literal completes by taking the blank, the run by looking at it.
        assert_eq!(winners(&[letters, literal("MAIL ")]), Some(vec![true, false]));
    }

    #[test]
    fn bounded_runs_are_counted() {
        let digits = |n| vec![run(ByteSet::digits(), n, Some(n))];
        assert_eq!(winners(&[digits(3), digits(2), digits(4)]), Some(vec![false, true, false]));
        assert_eq!(winners(&[vec![run(ByteSet::digits(), 1, Some(1_000_000))], literal("a")]), None);
    }
}

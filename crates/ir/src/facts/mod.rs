//! What follows from a module's text alone: FIRST sets, emptiness, how alternatives decide, byte counts.
//!
//! All of it is static. Where language.md speaks "of the moment" (a token whose `max` is 0 now, or whose `if=` is
//! false now, is not there), the facts say [`When::Moment`] and whoever runs the description asks the token itself;
//! sets are then the static union, absent tokens included, as the expected set of an exception is.
//!
//! Rules that language.md leaves open, decided here for everyone who reads the facts:
//! - "can complete without input" looks at the tokens of the line, not at its children: completing a line is what
//!   comes before its children are entered. A call's target is followed into the children, down to its `return`;
//! - a code block, `notify:` or `enum{}:v` *behind* the first token is transparent; an `if {…}` there is "the line's
//!   first condition", and FIRST ends before it;
//! - `return`, `reset`, `break`, `bang` and `back:` behind tokens that may be empty complete the line without input;
//! - a token with `until` is never empty: `max=0` only says that its text must come at once.

mod entry;
mod length;
#[cfg(test)]
mod tests;

use crate::byteset::ByteSet;
use crate::grammar::{Module, TokenKind};
use crate::ids::{BranchingId, Id, LabelId, LineId, Table, TokenId, TreeId};

/// Whether something holds, statically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// At no time.
    Never,
    /// It depends on `if=`, on a bound computed at run time, or on the text of `match:`.
    Moment,
    /// Always, as far as can be told without running: conditions count as true.
    Always,
}

impl When {
    /// The contrary; `Moment` stays.
    #[must_use]
    pub fn negated(self) -> When {
        match self {
            When::Never => When::Always,
            When::Moment => When::Moment,
            When::Always => When::Never,
        }
    }
}

/// A number of bytes, bounds included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// The least number.
    pub min: u64,
    /// The greatest number; none where it has no static bound.
    pub max: Option<u64>,
}

impl Bytes {
    /// No byte.
    pub const NONE: Bytes = Bytes { min: 0, max: Some(0) };
    /// Any number.
    pub const ANY: Bytes = Bytes { min: 0, max: None };
    /// What cannot be passed at all: the neutral element of [`Bytes::or`].
    const IMPASSABLE: Bytes = Bytes { min: u64::MAX, max: Some(0) };

    /// Exactly `n`.
    pub fn exactly(n: u64) -> Bytes {
        Bytes { min: n, max: Some(n) }
    }

    /// One after the other.
    #[must_use]
    pub fn then(self, next: Bytes) -> Bytes {
        let max = self.max.zip(next.max).and_then(|(a, b)| a.checked_add(b));
        Bytes { min: self.min.saturating_add(next.min), max }
    }

    /// One or the other.
    #[must_use]
    pub fn or(self, other: Bytes) -> Bytes {
        Bytes { min: self.min.min(other.min), max: self.max.zip(other.max).map(|(a, b)| a.max(b)) }
    }

    /// `low` to `high` times.
    #[must_use]
    pub fn times(self, low: u64, high: Option<u64>) -> Bytes {
        let max = match (self.max, high) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(a), Some(b)) => a.checked_mul(b),
            _ => None,
        };
        Bytes { min: self.min.saturating_mul(low), max }
    }
}

/// How an alternative is decided on when its branching is entered (language.md §2, "Enter a branching").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decides {
    /// The condition or code decides alone and needs no byte: true takes the line, false moves on. Before it stand
    /// only tokens without bytes.
    Condition(TokenId),
    /// The line is taken: it begins with `notify:`, `enum{…}:v`, `return`, `reset`, `break`, `bang`, `back:`, with a
    /// `call:`/`jmp:` whose target needs no byte, or it can complete without input.
    Taken,
    /// The next byte decides: one of [`LineFacts::first`] takes the line.
    Byte {
        /// Where all before the line's first condition may be empty: on another byte (and at the end) that condition
        /// decides.
        otherwise: Option<TokenId>,
        /// Whether it depends on the moment: tokens at the head may be absent, up to the whole line, which is then
        /// taken without a byte.
        moment: bool,
    },
    /// The line begins with `< >`: it starts together with all other such lines of its branching, at the place of the
    /// first alternative that needs a byte, on a byte of their sets.
    Parallel,
}

/// Of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenFacts {
    /// The bytes it can begin with, never with what follows it. `match:` has every byte; `call:` and `jmp:` have the
    /// set of their target.
    pub first: ByteSet,
    /// Whether it can complete without input. A `min` of 0 that was not written does not count. Of tokens without
    /// bytes: always. Of `call:`: by its options, or if its target can `return` without input. Of `jmp:`: if the
    /// target can complete without input.
    pub empty: When,
    /// Whether its line needs no byte to be taken where it stands first: see [`Decides::Taken`], and conditions and
    /// code too. Of `call:` and `jmp:` it is [`LabelFacts::free`] of the target.
    pub alone: When,
    /// Whether it is not there: its `if=` is false, its `max` or `times` is 0, its text empty.
    pub absent: When,
    /// Whether `first` is smaller at some moments than the static set: its own, or inside a call's target.
    pub varies: bool,
    /// How many bytes it takes.
    pub bytes: Bytes,
}

/// Of a line, its children left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFacts {
    /// The bytes that take the line: FIRST through optional tokens, up to its first condition.
    pub first: ByteSet,
    /// Whether its tokens can complete without input.
    pub empty: When,
    /// How it decides as an alternative. Of a handler line (`catch:`, `finish:`) it means nothing.
    pub decides: Decides,
    /// How many bytes it takes.
    pub bytes: Bytes,
}

/// Of a branching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchingFacts {
    /// The union of the bytes that take its alternatives: the expected set where none is suitable.
    pub first: ByteSet,
    /// Whether its first alternative needs a byte to be decided.
    pub needs_byte: When,
}

/// Of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeFacts {
    /// FIRST of its depth-0 branching.
    pub first: ByteSet,
    /// Whether a byte is needed to enter it.
    pub needs_byte: When,
}

/// Of a label as the target of `call:` and `jmp:`: the rest of its line, and what is below where that may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelFacts {
    /// The bytes that may come first, conditions passed over.
    pub first: ByteSet,
    /// Whether `first` is smaller at some moments.
    pub varies: bool,
    /// Whether `return` can be reached without input.
    pub returns: When,
    /// Whether a leaf, `return`, `reset`, `break` or `back:` can be reached without input.
    pub completes: When,
    /// Whether the target begins with code, a condition, `notify:` and the like: a line that begins with a call of it
    /// is taken without a byte.
    pub free: When,
    /// Whether the target needs a byte: it does not if it is `free`, or can return without input. A confined call of 0
    /// bytes is not made if it does.
    pub needs_byte: When,
    /// Bytes until it returns; `min` is `u64::MAX` where no `return` can be reached.
    pub bytes: Bytes,
}

/// All static facts of one module.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Of tokens.
    pub tokens: Table<TokenId, TokenFacts>,
    /// Of lines.
    pub lines: Table<LineId, LineFacts>,
    /// Of branchings.
    pub branchings: Table<BranchingId, BranchingFacts>,
    /// Of trees.
    pub trees: Table<TreeId, TreeFacts>,
    /// Of labels.
    pub labels: Table<LabelId, LabelFacts>,
}

impl Facts {
    /// Computes the facts of a module.
    pub fn of(module: &Module) -> Facts {
        let (mut tokens, mut labels) = entry::solve(module);
        length::measure(module, &mut tokens, &mut labels);
        let lines: Table<LineId, LineFacts> =
            module.lines.ids().map(|line| line_facts(module, &tokens, line)).collect();
        let branchings: Table<BranchingId, BranchingFacts> =
            module.branchings.ids().map(|b| branching_facts(module, &lines, b)).collect();
        let tree =
            |b: BranchingId| TreeFacts { first: branchings[b].first, needs_byte: branchings[b].needs_byte };
        let trees = module.trees.rows().iter().map(|t| tree(t.branching)).collect();
        Facts { tokens, lines, branchings, trees, labels }
    }
}

/// Whether a token ends its line's control: nothing behind it is reached.
pub fn leaves(kind: &TokenKind) -> bool {
    use TokenKind::{Back, Break, Jump, Reset, Return};
    matches!(kind, Return | Reset | Break | Back(_) | Jump(_))
}

fn line_facts(module: &Module, tokens: &Table<TokenId, TokenFacts>, line: LineId) -> LineFacts {
    let mut facts =
        LineFacts { first: ByteSet::EMPTY, empty: When::Always, decides: Decides::Taken, bytes: Bytes::NONE };
    let (mut otherwise, mut moment) = (None, false);
    for &id in &module.lines[line].tokens {
        let token = &tokens[id];
        facts.bytes = facts.bytes.then(token.bytes);
        if facts.empty > When::Never && otherwise.is_none() {
            match &module.tokens[id].kind {
                TokenKind::If(_) => otherwise = Some(id),
                _ => {
                    facts.first = facts.first | token.first;
                    moment |= token.varies;
                }
            }
        }
        facts.empty = facts.empty.min(token.empty);
        if leaves(&module.tokens[id].kind) {
            break;
        }
    }
    facts.decides = decides(module, tokens, line, &facts, otherwise, moment);
    facts
}

fn decides(
    module: &Module,
    tokens: &Table<TokenId, TokenFacts>,
    line: LineId,
    facts: &LineFacts,
    otherwise: Option<TokenId>,
    moment: bool,
) -> Decides {
    let Some(head) = module.first_token(line) else { return Decides::Taken };
    match &module.tokens[head].kind {
        TokenKind::Code(_) | TokenKind::If(_) => return Decides::Condition(head),
        TokenKind::Parallel(_) => return Decides::Parallel,
        _ => {}
    }
    // What a line begins with is seen through `begin:` and `end:`; only code must come first to decide.
    let mut rest = module.lines[line].tokens.iter().map(|&t| (t, &module.tokens[t].kind));
    if let Some((token, kind)) =
        rest.find(|(token, kind)| !opens_spans(kind) && tokens[*token].absent < When::Always)
        && tokens[token].alone == When::Always
        && !matches!(kind, TokenKind::Code(_) | TokenKind::If(_))
    {
        return Decides::Taken;
    }
    match otherwise {
        Some(condition) if facts.first.is_empty() => Decides::Condition(condition),
        None if facts.empty == When::Always => Decides::Taken,
        _ => Decides::Byte { otherwise, moment },
    }
}

/// Whether a token is one of those through which FIRST is computed: labels and the ends of spans.
fn opens_spans(kind: &TokenKind) -> bool {
    use TokenKind::{Begin, BeginDigest, End, EndDigest, EndModule, Label};
    matches!(kind, Label(_) | Begin(_) | BeginDigest(..) | End(_) | EndDigest(_) | EndModule(_))
}

fn branching_facts(
    module: &Module,
    lines: &Table<LineId, LineFacts>,
    branching: BranchingId,
) -> BranchingFacts {
    let alternatives = &module.branchings[branching].alternatives;
    let by_byte = |line: &&LineId| matches!(lines[**line].decides, Decides::Byte { .. } | Decides::Parallel);
    let first = alternatives.iter().filter(by_byte).fold(ByteSet::EMPTY, |set, &l| set | lines[l].first);
    let needs_byte = alternatives.first().map_or(When::Never, |&line| match lines[line].decides {
        Decides::Condition(_) | Decides::Taken => When::Never,
        Decides::Byte { moment: true, .. } => When::Moment,
        Decides::Byte { moment: false, .. } | Decides::Parallel => When::Always,
    });
    BranchingFacts { first, needs_byte }
}

/// A table of `n` rows that are all alike.
fn filled<I: Id, T: Clone>(n: usize, row: T) -> Table<I, T> {
    std::iter::repeat_n(row, n).collect()
}

//! FIRST sets and emptiness: those of the moment, which choose alternatives, and the static ones, which error
//! messages show (language.md §2, "Enter a branching").

use super::runner::Runner;
use crate::eval;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::{Bound, Call, Counts, LineRole, Max, Min, Parallel, TokenKind, Until};
use vproto_ir::ids::{BranchingId, LineId, TokenId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::portable::CodeKind;

/// An exception of a bound or of `if=` that was asked for while a choice was made: token and kind.
pub type Asked<T> = Result<T, (TokenId, ErrorKind)>;

/// Which FIRST is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// With the values that variables have now.
    Moment,
    /// Whatever the values: tokens that may be absent are included, and so is what follows them.
    Static,
}

/// How an alternative is decided.
pub enum Choice {
    /// It is taken without a byte.
    AtOnce,
    /// By its first token, a condition or a block, at this index.
    Condition(usize),
    /// By the next byte.
    Byte(ByteSet),
    /// A byte of the set takes it; on another, or none, the condition at this index decides.
    ByteOrCondition(ByteSet, usize),
}

/// What a token that takes bytes may begin with.
pub struct First {
    /// The bytes.
    pub set: ByteSet,
    /// Whether it may be passed without a byte.
    pub optional: bool,
}

/// What can be said of a place that is called or jumped to, before a byte is seen.
#[derive(Clone, Copy)]
pub struct Target {
    /// The bytes that it may begin with.
    pub set: ByteSet,
    /// It begins with code, a condition, `notify:` or what else needs no byte.
    pub free: bool,
    /// It may reach a `return` without a byte.
    pub returns: bool,
    /// It may come to an end, other than by `return`, without a byte.
    pub ends: bool,
}

impl Target {
    const NOTHING: Target = Target { set: ByteSet::EMPTY, free: false, returns: false, ends: false };

    /// Whether a call of it takes a byte to go on.
    pub fn needs_byte(&self) -> bool {
        !(self.free || self.returns)
    }
}

/// Places that are looked through without a byte between them; behind so many any byte may follow. No sensible
/// description comes near, and a hostile one does not exhaust the stack.
const MOST_PLACES: usize = 500;

/// Places that are being looked at.
type Seen = Vec<(LineId, usize)>;

impl<'g> Runner<'g> {
    /// How an alternative is decided at this moment.
    pub fn choice(&self, line: LineId) -> Asked<Choice> {
        let mut set = ByteSet::EMPTY;
        let mut bytes = false;
        for (index, &token) in self.module.lines[line].tokens.iter().enumerate() {
            match &self.module.tokens[token].kind {
                TokenKind::Code(_) if !bytes && self.only_labels_before(line, index) => {
                    return Ok(Choice::Condition(index));
                }
                TokenKind::If(_) if bytes => return Ok(Choice::ByteOrCondition(set, index)),
                TokenKind::If(_) => return Ok(Choice::Condition(index)),
                TokenKind::Notify { .. } | TokenKind::EnumInit(_) | TokenKind::Bang if !bytes => {
                    return Ok(Choice::AtOnce);
                }
                TokenKind::Return | TokenKind::Reset | TokenKind::Break | TokenKind::Back(_) => {
                    return Ok(Choice::AtOnce);
                }
                TokenKind::Jump(label) => {
                    let label = &self.module.labels[*label];
                    let place = (label.line, label.index as usize);
                    let target = self.target(place, Time::Moment, &mut Vec::new())?;
                    let byte = Choice::Byte(set | target.set);
                    let ends = target.returns || target.ends;
                    return Ok(if ends || target.free && !bytes { Choice::AtOnce } else { byte });
                }
                TokenKind::Call(call) => {
                    let Some(target) = self.call_target(token, call, Time::Moment, &mut Vec::new())? else {
                        continue;
                    };
                    if target.free && !bytes {
                        return Ok(Choice::AtOnce);
                    }
                    bytes |= !target.set.is_empty();
                    set = set | target.set;
                    if !target.returns {
                        return Ok(Choice::Byte(set));
                    }
                }
                _ => {
                    let Some(first) = self.byte_first(token, Time::Moment)? else {
                        continue;
                    };
                    bytes = true;
                    set = set | first.set;
                    if !first.optional {
                        return Ok(Choice::Byte(set));
                    }
                }
            }
        }
        Ok(Choice::AtOnce)
    }

    /// The bytes that some alternative of a branching may begin with, whatever the variables hold. Alternatives that a
    /// condition or code decides have none.
    pub fn expected_at(&self, branching: BranchingId) -> ByteSet {
        let alternatives = &self.module.branchings[branching].alternatives;
        let needs_byte = |line: &&LineId| {
            let first = self.module.first_token(**line).map(|token| &self.module.tokens[token].kind);
            !matches!(first, Some(TokenKind::If(_) | TokenKind::Code(_) | TokenKind::Notify { .. }))
        };
        let sets = alternatives.iter().filter(needs_byte).map(|&line| self.static_first(line));
        sets.fold(ByteSet::EMPTY, |a, b| a | b)
    }

    /// The static FIRST of an alternative, up to its first condition.
    fn static_first(&self, line: LineId) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for &token in &self.module.lines[line].tokens {
            let (more, through) = match &self.module.tokens[token].kind {
                TokenKind::If(_) | TokenKind::Return | TokenKind::Reset | TokenKind::Break => break,
                TokenKind::Back(_) => break,
                TokenKind::Jump(label) => {
                    let label = &self.module.labels[*label];
                    let place = (label.line, label.index as usize);
                    let target = self.target(place, Time::Static, &mut Vec::new());
                    (target.map_or(ByteSet::EMPTY, |t| t.set), false)
                }
                TokenKind::Call(call) => match self.call_target(token, call, Time::Static, &mut Vec::new()) {
                    Ok(Some(target)) => {
                        let absent = self.may_be_left_out(token, call, &target);
                        (target.set, target.returns || absent)
                    }
                    _ => (ByteSet::EMPTY, true),
                },
                _ => match self.byte_first(token, Time::Static) {
                    Ok(Some(first)) => (first.set, first.optional),
                    _ => (ByteSet::EMPTY, true),
                },
            };
            set = set | more;
            if !through {
                break;
            }
        }
        set
    }

    /// What a `call:` that would be made goes to; none where it would not be made.
    pub fn call_target(
        &self,
        token: TokenId,
        call: &Call,
        time: Time,
        seen: &mut Seen,
    ) -> Asked<Option<Target>> {
        let label = &self.module.labels[call.label];
        let place = (label.line, label.index as usize);
        if time == Time::Static {
            return self.target(place, time, seen).map(Some);
        }
        if !self.present(token)? {
            return Ok(None);
        }
        let value = |bound| self.bound(bound).map_err(|kind| (token, kind));
        if let Some(times) = call.times
            && value(times)? == 0
        {
            return Ok(None);
        }
        let target = self.target(place, time, seen)?;
        match call.max {
            Some(max) if target.needs_byte() && value(max)? == 0 => Ok(None),
            _ => Ok(Some(target)),
        }
    }

    /// What can be said of a place in a line and all that follows it.
    pub fn target(&self, place: (LineId, usize), time: Time, seen: &mut Seen) -> Asked<Target> {
        if seen.contains(&place) {
            return Ok(Target::NOTHING);
        }
        if seen.len() >= MOST_PLACES {
            return Ok(Target { set: ByteSet::ALL, ..Target::NOTHING });
        }
        seen.push(place);
        let target = self.target_unseen(place, time, seen);
        seen.pop();
        target
    }

    fn target_unseen(&self, (line, index): (LineId, usize), time: Time, seen: &mut Seen) -> Asked<Target> {
        let mut all = Target::NOTHING;
        let mut bytes = false;
        for &token in self.module.lines[line].tokens.get(index..).unwrap_or(&[]) {
            match &self.module.tokens[token].kind {
                TokenKind::Code(_) | TokenKind::If(_) | TokenKind::Notify { .. } | TokenKind::EnumInit(_) => {
                    all.free |= !bytes;
                }
                TokenKind::Return => {
                    return Ok(Target { returns: true, ..all });
                }
                TokenKind::Reset | TokenKind::Break | TokenKind::Back(_) => {
                    return Ok(Target { ends: true, free: all.free || !bytes, ..all });
                }
                TokenKind::Jump(label) => {
                    let label = &self.module.labels[*label];
                    let next = self.target((label.line, label.index as usize), time, seen)?;
                    return Ok(joined(all, next, bytes));
                }
                TokenKind::Call(call) => {
                    let Some(next) = self.call_target(token, call, time, seen)? else {
                        continue;
                    };
                    let absent = time == Time::Static && self.may_be_left_out(token, call, &next);
                    all.set = all.set | next.set;
                    all.free |= next.free && !bytes;
                    bytes = true;
                    if !next.returns && !absent {
                        return Ok(all);
                    }
                }
                _ => {
                    let Some(first) = self.byte_first(token, time)? else {
                        continue;
                    };
                    bytes = true;
                    all.set = all.set | first.set;
                    if !first.optional {
                        return Ok(all);
                    }
                }
            }
        }
        match self.module.lines[line].children {
            Some(children) => Ok(joined(all, self.branching_target(children, time, seen)?, bytes)),
            None => Ok(Target { ends: true, ..all }),
        }
    }

    fn branching_target(&self, branching: BranchingId, time: Time, seen: &mut Seen) -> Asked<Target> {
        let mut all = Target::NOTHING;
        for (i, &line) in self.module.branchings[branching].alternatives.iter().enumerate() {
            let one = self.target((line, 0), time, seen)?;
            all.set = all.set | one.set;
            all.free |= one.free && i == 0;
            all.returns |= one.returns;
            all.ends |= one.ends;
        }
        Ok(all)
    }

    /// What a token that takes bytes may begin with; none of a token without bytes, or of one that is not there.
    pub fn byte_first(&self, token: TokenId, time: Time) -> Asked<Option<First>> {
        let Some((set, counts)) = self.own_first(token, time)? else {
            return Ok(None);
        };
        if time == Time::Static {
            let optional =
                self.may_be_absent(token) || counts.is_some_and(|c| c.min_written && may_be_none(&c));
            return Ok(Some(First { set, optional }));
        }
        if !self.present(token)? {
            return Ok(None);
        }
        let Some(counts) = counts else {
            return Ok(Some(First { set, optional: false }));
        };
        // A token that its `max` takes away has no `min` to ask for.
        let refused = |kind| (token, kind);
        if self.most(&counts).map_err(refused)? == 0 && !self.has_until(token) {
            return Ok(None);
        }
        let optional = counts.min_written && self.bounds(&counts).map_err(refused)?.min == 0;
        Ok(Some(First { set, optional }))
    }

    /// Set and counts of a token that takes bytes; none of other tokens, and of `match:` of an empty text.
    fn own_first(&self, token: TokenId, time: Time) -> Asked<Option<(ByteSet, Option<Counts>)>> {
        Ok(match &self.module.tokens[token].kind {
            TokenKind::Scan(scan) => {
                let signs = if scan.sign { ByteSet::from_iter(*b"+-") } else { ByteSet::EMPTY };
                let text = match &scan.until {
                    Some(Until::Text(text)) => text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::byte(b)),
                    Some(Until::Var(var)) if time == Time::Moment => {
                        self.store.text(*var).first().map_or(ByteSet::EMPTY, |&b| ByteSet::byte(b))
                    }
                    Some(Until::Var(_)) => ByteSet::ALL,
                    None => ByteSet::EMPTY,
                };
                // With a `max` of 0 the text must come at once.
                let only_text = matches!(scan.until, Some(Until::Text(_)))
                    && match (time, scan.counts.max) {
                        (_, Max::Fixed(max)) => max == 0,
                        (Time::Moment, Max::Expr(_)) if self.present(token)? => {
                            self.bounds(&scan.counts).map_err(|kind| (token, kind))?.max == 0
                        }
                        _ => false,
                    };
                let set = if only_text { text } else { scan.set | signs | text };
                Some((set, Some(scan.counts)))
            }
            TokenKind::Literal(literal) => {
                let set = literal.text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::letter(b, literal.fold));
                Some((set, Some(literal.counts)))
            }
            TokenKind::Match { var, counts } => match (time, self.store.text(*var).first()) {
                (Time::Static, _) => Some((ByteSet::ALL, Some(*counts))),
                (Time::Moment, Some(&byte)) => Some((ByteSet::byte(byte), Some(*counts))),
                (Time::Moment, None) => None,
            },
            TokenKind::Varint(_) => Some((ByteSet::ALL, None)),
            TokenKind::EnumText(token) => {
                let letters = token
                    .texts
                    .iter()
                    .filter_map(|(_, text, fold)| text.first().map(|&byte| ByteSet::letter(byte, *fold)));
                Some((letters.fold(ByteSet::EMPTY, |a, b| a | b), None))
            }
            TokenKind::Parallel(parallel) => Some((self.parallel_first(parallel, time)?, None)),
            TokenKind::Module(sub) => Some((sub.set, Some(sub.counts))),
            _ => None,
        })
    }

    /// The union of the FIRST sets of all sequences.
    pub fn parallel_first(&self, parallel: &Parallel, time: Time) -> Asked<ByteSet> {
        let mut sets = parallel.sequences.iter().map(|sequence| self.sequence_first(sequence, time));
        sets.try_fold(ByteSet::EMPTY, |a, b| Ok(a | b?))
    }

    pub fn sequence_first(&self, sequence: &[TokenId], time: Time) -> Asked<ByteSet> {
        let mut set = ByteSet::EMPTY;
        for &token in sequence {
            if let Some(first) = self.byte_first(token, time)? {
                set = set | first.set;
                if !first.optional {
                    break;
                }
            }
        }
        Ok(set)
    }

    /// Whether `if=` lets the token be there now.
    pub fn present(&self, token: TokenId) -> Asked<bool> {
        match self.module.tokens[token].condition {
            Some(condition) => {
                eval::truth(self, &self.module.symbols.exprs[condition]).map_err(|kind| (token, kind))
            }
            None => Ok(true),
        }
    }

    /// Whether there are values with which the token is not there.
    fn may_be_absent(&self, token: TokenId) -> bool {
        let token_ = &self.module.tokens[token];
        let bounded = match &token_.kind {
            TokenKind::Scan(scan) => zero_max(&scan.counts) && scan.until.is_none(),
            TokenKind::Literal(literal) => zero_max(&literal.counts),
            TokenKind::Module(sub) => zero_max(&sub.counts),
            TokenKind::Match { .. } => true,
            _ => false,
        };
        bounded || token_.condition.is_some()
    }

    /// Whether there are values with which a call is not made.
    fn may_be_left_out(&self, token: TokenId, call: &Call, target: &Target) -> bool {
        let zero = |bound: Option<Bound>| matches!(bound, Some(Bound::Fixed(0) | Bound::Expr(_)));
        self.may_be_absent(token) || zero(call.times) || zero(call.max) && target.needs_byte()
    }

    fn has_until(&self, token: TokenId) -> bool {
        matches!(&self.module.tokens[token].kind, TokenKind::Scan(scan) if scan.until.is_some())
    }

    /// Whether only labels stand before a token of a line.
    fn only_labels_before(&self, line: LineId, index: usize) -> bool {
        let tokens = &self.module.lines[line].tokens[..index];
        tokens.iter().all(|&token| matches!(self.module.tokens[token].kind, TokenKind::Label(_)))
    }

    /// The index of the `< >` that a line begins with, behind nothing but labels.
    pub fn parallel_at_start(&self, line: LineId) -> Option<usize> {
        let tokens = &self.module.lines[line].tokens;
        let kind = |token: TokenId| &self.module.tokens[token].kind;
        let index = tokens.iter().position(|&token| !matches!(kind(token), TokenKind::Label(_)))?;
        matches!(kind(tokens[index]), TokenKind::Parallel(_)).then_some(index)
    }

    /// Whether a line is one of the handlers.
    pub fn is_handler(&self, line: LineId) -> bool {
        self.module.lines[line].role != LineRole::Alternative
    }

    /// Whether code is a condition that the interpreter can ask; opaque code counts as a false one.
    pub fn code(&self, token: TokenId) -> Option<&'g CodeKind> {
        match self.module.tokens[token].kind {
            TokenKind::Code(code) | TokenKind::If(code) => Some(&self.module.symbols.codes[code].kind),
            _ => None,
        }
    }
}

fn joined(before: Target, next: Target, bytes: bool) -> Target {
    Target {
        set: before.set | next.set,
        free: before.free || next.free && !bytes,
        returns: before.returns || next.returns,
        ends: before.ends || next.ends,
    }
}

fn zero_max(counts: &Counts) -> bool {
    matches!(counts.max, Max::Fixed(0) | Max::Expr(_))
}

fn may_be_none(counts: &Counts) -> bool {
    matches!(counts.min, Min::Fixed(0) | Min::Expr(_)) || zero_max(counts)
}

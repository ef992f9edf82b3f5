//! FIRST of the moment (language.md §2): chains of tests for alternatives whose head depends on `if=`, on bounds
//! computed at run time, on the text of `match:`, or on a `call:` into such a place.
//!
//! A chain is asked a [`Goal`] about a [`Spot`] and ends in one of two states, `yes` and `no`. One link is one
//! reserved state that is filled from a queue, so long heads cost no stack; equal questions share one link, so that
//! tails are shared. Calls at a head are followed into their target with a stack of what they return to; a
//! target that is on that stack already adds nothing to a union.
//!
//! Chains multiply where calls head targets that begin with calls. Beyond [`LINKS`] links heads are taken by their
//! static facts: as if nothing were absent.

use super::Lowering;
use super::build::Ahead;
use rustc_hash::FxHashMap;
use vproto_ir::ByteSet;
use vproto_ir::facts::{When, leaves};
use vproto_ir::grammar::{Bound, Call, Counts, Max, Min, Parallel, TokenKind, Until};
use vproto_ir::ids::{BranchingId, ExprId, Id, LabelId, LineId, SiteId, StateId, TokenId};
use vproto_ir::machine::{Handler, Predicate};

/// Most links of one module.
const LINKS: usize = 200_000;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// Of an alternative, without a byte: is it taken now (`yes`), does it need a byte (`no`), or did its condition
    /// decide against it (`third`)?
    Take {
        /// Only labels, `begin:`, `end:` and absent tokens were passed.
        lead: bool,
        /// A token that is there and may take bytes was passed.
        bytes: bool,
    },
    /// Is the byte in hand one that may come first?
    Byte,
    /// Of a call's target: does it begin with something that needs no byte?
    Begins,
    /// Can `return` be reached without a byte; with `leaf`: can anything that completes?
    Returns {
        /// Whether the end of a leaf line will do.
        leaf: bool,
    },
}

impl Goal {
    /// The first question to an alternative.
    pub(super) const TAKE: Goal = Goal::Take { lead: true, bytes: false };
}

/// A row of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Row {
    Line(LineId),
    /// A sequence of a `< >`.
    Sequence(TokenId, u32),
}

/// A place in the description, and how it was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Spot {
    row: Row,
    index: u32,
    /// Its `if=` was found true.
    there: bool,
    /// It lies in the target of a `call:` or `jmp:`: conditions are passed over, children count.
    deep: bool,
    /// The calls and jumps on the way.
    stack: Option<u32>,
}

/// A call or jump on the way.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    label: LabelId,
    behind: Behind,
    below: Option<u32>,
}

/// Where `return` goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Behind {
    /// Behind the call.
    Spot(Row, u32, bool),
    /// Where the frame below says: a `jmp:`.
    Below,
    /// It answers the question.
    Answer,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    goal: Goal,
    spot: Spot,
    yes: StateId,
    no: StateId,
    third: StateId,
    handler: Handler,
}

/// Links and frames of one module.
#[derive(Default)]
pub(super) struct Chains {
    links: FxHashMap<Key, StateId>,
    queue: Vec<(Key, StateId)>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<Frame, u32>,
}

/// Whether a token is there at all now.
enum Presence {
    /// Always.
    There,
    /// Never: a bound is 0.
    Absent,
    /// Not while an expression is 0.
    Unless(ExprId),
}

impl Spot {
    fn next(self) -> Spot {
        Spot { index: self.index + 1, there: false, ..self }
    }
}

impl Key {
    /// The same question elsewhere.
    fn at(self, spot: Spot) -> Key {
        Key { spot, ..self }
    }
}

impl Lowering<'_> {
    /// A question to an alternative; `yes` runs it.
    pub(super) fn chain(
        &mut self,
        goal: Goal,
        id: BranchingId,
        line: LineId,
        no: StateId,
        third: StateId,
    ) -> StateId {
        let run = self.run[line.index()];
        self.chain_to(goal, id, line, run, no, third)
    }

    /// A question to an alternative.
    pub(super) fn chain_to(
        &mut self,
        goal: Goal,
        id: BranchingId,
        line: LineId,
        yes: StateId,
        no: StateId,
        third: StateId,
    ) -> StateId {
        let spot = Spot { row: Row::Line(line), index: 0, there: false, deep: false, stack: None };
        self.link(Key { goal, spot, yes, no, third, handler: self.outward.handler[id.index()] })
    }

    /// Whether a call's target needs no byte now.
    pub(super) fn needs_no_byte(
        &mut self,
        label: LabelId,
        handler: Handler,
        yes: StateId,
        no: StateId,
    ) -> StateId {
        self.needs_none_from(None, label, handler, yes, no)
    }

    /// The same for a call at a head, behind calls that lead there.
    fn needs_none_from(
        &mut self,
        stack: Option<u32>,
        label: LabelId,
        handler: Handler,
        yes: StateId,
        no: StateId,
    ) -> StateId {
        let Some(spot) = self.enter(stack, label, Behind::Answer) else { return no };
        let key = Key { goal: Goal::Returns { leaf: false }, spot, yes, no, third: no, handler };
        let returns = self.link(key);
        self.link(Key { goal: Goal::Begins, no: returns, third: returns, ..key })
    }

    /// Fills all links that were asked for.
    pub(super) fn run_chains(&mut self) {
        while let Some((key, state)) = self.chains.queue.pop() {
            let next = self.answer(key);
            self.out.fill_join(state, Ahead::to(next));
        }
    }

    fn link(&mut self, key: Key) -> StateId {
        if let Some(&state) = self.chains.links.get(&key) {
            return state;
        }
        let state = self.out.reserve();
        self.chains.links.insert(key, state);
        self.chains.queue.push((key, state));
        state
    }

    fn push(&mut self, frame: Frame) -> u32 {
        if let Some(&id) = self.chains.frame_ids.get(&frame) {
            return id;
        }
        let id = u32::try_from(self.chains.frames.len()).expect("frames are fewer than links");
        self.chains.frames.push(frame);
        self.chains.frame_ids.insert(frame, id);
        id
    }

    /// Enters a target, unless it is on the stack already or chains have grown too long.
    fn enter(&mut self, below: Option<u32>, label: LabelId, behind: Behind) -> Option<Spot> {
        let mut at = below;
        while let Some(id) = at {
            let frame = self.chains.frames[id as usize];
            if frame.label == label {
                return None;
            }
            at = frame.below;
        }
        if self.chains.links.len() > LINKS {
            return None;
        }
        let stack = Some(self.push(Frame { label, behind, below }));
        let place = &self.module.labels[label];
        Some(Spot { row: Row::Line(place.line), index: place.index, there: false, deep: true, stack })
    }

    /// Where `return` goes on this way.
    fn returned(&self, spot: Spot) -> Option<Spot> {
        let mut at = spot.stack;
        while let Some(id) = at {
            let frame = self.chains.frames[id as usize];
            at = frame.below;
            match frame.behind {
                Behind::Spot(row, index, deep) => {
                    return Some(Spot { row, index, there: false, deep, stack: at });
                }
                Behind::Below => {}
                Behind::Answer => return None,
            }
        }
        None
    }

    fn token_at(&self, spot: Spot) -> Option<TokenId> {
        match spot.row {
            Row::Line(line) => self.module.lines[line].tokens.get(spot.index as usize).copied(),
            Row::Sequence(group, sequence) => {
                let TokenKind::Parallel(group) = &self.module.tokens[group].kind else { return None };
                group.sequences[sequence as usize].get(spot.index as usize).copied()
            }
        }
    }

    /// One link: the state that answers, or that asks on.
    fn answer(&mut self, key: Key) -> StateId {
        let Some(id) = self.token_at(key.spot) else { return self.end(key) };
        let token = &self.module.tokens[id];
        let site = self.out.site(token.span, key.handler, None);
        if let (Some(condition), false) = (token.condition, key.spot.there) {
            let there = self.link(key.at(Spot { there: true, ..key.spot }));
            let next = self.link(key.at(key.spot.next()));
            return self.out.test(Predicate::If(condition), there, next, site);
        }
        match self.presence(&token.kind) {
            Presence::There => self.matched(key, id, site),
            Presence::Absent => self.absent_at(key),
            Presence::Unless(bound) => {
                let absent = self.absent_at(key);
                let present = self.matched(key, id, site);
                self.out.test(Predicate::Zero(bound), absent, present, site)
            }
        }
    }

    /// Whether a bound of 0 takes the token away. A confined call of 0 bytes is made if its target needs none.
    fn presence(&self, kind: &TokenKind) -> Presence {
        let of_max = |max: Max| match max {
            Max::Fixed(0) => Presence::Absent,
            Max::Expr(e) => Presence::Unless(e),
            Max::Fixed(_) | Max::None => Presence::There,
        };
        match kind {
            TokenKind::Scan(scan) if scan.until.is_none() => of_max(scan.counts.max),
            TokenKind::Literal(literal) => of_max(literal.counts.max),
            TokenKind::Match { counts, .. } => of_max(counts.max),
            TokenKind::Module(sub) => of_max(sub.counts.max),
            TokenKind::Call(call) => match call.times {
                Some(Bound::Fixed(0)) => Presence::Absent,
                Some(Bound::Expr(e)) => Presence::Unless(e),
                _ => Presence::There,
            },
            _ => Presence::There,
        }
    }

    /// A token that its bounds leave there; an empty text is not there all the same.
    fn matched(&mut self, key: Key, id: TokenId, site: SiteId) -> StateId {
        let present = self.head(key, id, site);
        let TokenKind::Match { var, .. } = self.module.tokens[id].kind else { return present };
        let absent = self.absent_at(key);
        let size = self.out.size_of(var);
        self.out.test(Predicate::Zero(size), absent, present, site)
    }

    /// A token that is there.
    fn head(&mut self, key: Key, id: TokenId, site: SiteId) -> StateId {
        let module = self.module;
        match &module.tokens[id].kind {
            TokenKind::Call(call) => self.call_head(key, call, site),
            TokenKind::Jump(label) => self.jump_head(key, *label),
            TokenKind::Parallel(group) if key.goal == Goal::Byte && self.facts.tokens[id].varies => {
                self.group_head(key, id, group)
            }
            kind => match key.goal {
                Goal::Byte => self.byte_head(key, id, kind, site),
                Goal::Take { lead, bytes } => self.take_head(key, id, kind, site, lead, bytes),
                Goal::Begins => self.begins_head(key, kind),
                Goal::Returns { leaf } => self.returns_head(key, kind, site, leaf),
            },
        }
    }

    /// The end of a row.
    fn end(&mut self, key: Key) -> StateId {
        let Row::Line(line) = key.spot.row else { return key.no };
        if !key.spot.deep {
            return if matches!(key.goal, Goal::Take { .. }) { key.yes } else { key.no };
        }
        let children = self.module.lines[line].children;
        let lines = children.map_or(&[][..], |b| &self.module.branchings[b].alternatives);
        let child = |&line: &LineId| Spot { row: Row::Line(line), index: 0, there: false, ..key.spot };
        match key.goal {
            Goal::Begins => match lines.first() {
                Some(first) => self.link(key.at(child(first))),
                None => key.no,
            },
            Goal::Returns { leaf: true } if children.is_none() => key.yes,
            _ => lines.iter().rev().fold(key.no, |no, line| {
                let spot = child(line);
                self.link(Key { spot, no, third: no, ..key })
            }),
        }
    }

    /// Is it one of the token's first bytes, or of what follows where the token may be empty?
    fn byte_head(&mut self, key: Key, id: TokenId, kind: &TokenKind, site: SiteId) -> StateId {
        if let TokenKind::If(code) = kind
            && !key.spot.deep
            && matches!(key.spot.row, Row::Line(_))
        {
            return self.out.test(Predicate::Code(*code), key.yes, key.no, site);
        }
        if leaves(kind) {
            return match (kind, self.returned(key.spot)) {
                (TokenKind::Return, Some(spot)) => self.link(key.at(spot)),
                _ => key.no,
            };
        }
        let next = self.link(key.at(key.spot.next()));
        let rest = self.if_empty(kind, next, key.no, site);
        let first = self.facts.tokens[id].first;
        match kind {
            TokenKind::Match { var, .. } => {
                let starts = self.out.test(Predicate::Starts(*var), key.yes, rest, site);
                self.look(ByteSet::ALL, starts, rest, site)
            }
            TokenKind::Scan(scan) => match (&scan.until, scan.counts.max) {
                (Some(Until::Text(text)), Max::Expr(max)) => {
                    let any = self.look(first, key.yes, rest, site);
                    let head = text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::byte(b));
                    let text_only = self.look(head, key.yes, rest, site);
                    self.out.test(Predicate::Zero(max), text_only, any, site)
                }
                _ => self.look(first, key.yes, rest, site),
            },
            _ if first.is_empty() => rest,
            _ => self.look(first, key.yes, rest, site),
        }
    }

    /// `then` where a token that is there may be empty now, else `other`.
    fn if_empty(&mut self, kind: &TokenKind, then: StateId, other: StateId, site: SiteId) -> StateId {
        let of_counts = |counts: &Counts| match counts.min {
            Min::Fixed(0) if counts.min_written => Ok(true),
            Min::Expr(e) => Err(e),
            Min::Fixed(_) | Min::Max => Ok(false),
        };
        let empty = match kind {
            TokenKind::Scan(scan) if scan.until.is_some() => Ok(false),
            TokenKind::Scan(scan) => of_counts(&scan.counts),
            TokenKind::Literal(literal) => of_counts(&literal.counts),
            TokenKind::Module(sub) => of_counts(&sub.counts),
            TokenKind::Varint(_) | TokenKind::EnumText(_) | TokenKind::Parallel(_) => Ok(false),
            TokenKind::Match { counts, .. } => of_counts(counts),
            _ => Ok(true),
        };
        match empty {
            Ok(true) => then,
            Ok(false) => other,
            Err(e) => self.out.test(Predicate::Zero(e), then, other, site),
        }
    }

    /// Whether a token takes bytes at all.
    fn takes_bytes(kind: &TokenKind) -> bool {
        matches!(
            kind,
            TokenKind::Scan(_)
                | TokenKind::Literal(_)
                | TokenKind::Match { .. }
                | TokenKind::Varint(_)
                | TokenKind::EnumText(_)
                | TokenKind::Parallel(_)
                | TokenKind::Module(_)
        )
    }

    fn take_head(
        &mut self,
        key: Key,
        id: TokenId,
        kind: &TokenKind,
        site: SiteId,
        lead: bool,
        bytes: bool,
    ) -> StateId {
        let passed = |goal| Key { goal, ..key.at(key.spot.next()) };
        match kind {
            // Code decides only as the very first token; behind absent ones it runs with the line.
            TokenKind::Label(_)
            | TokenKind::Begin(_)
            | TokenKind::BeginDigest(..)
            | TokenKind::End(_)
            | TokenKind::EndDigest(_)
            | TokenKind::EndModule(_)
            | TokenKind::Code(_) => self.link(passed(key.goal)),
            TokenKind::If(_) if bytes => key.no,
            TokenKind::If(code) => self.out.test(Predicate::Code(*code), key.yes, key.third, site),
            _ if leaves(kind) || (lead && self.facts.tokens[id].alone == When::Always) => key.yes,
            _ if Self::takes_bytes(kind) => {
                let next = self.link(passed(Goal::Take { lead: false, bytes: true }));
                self.if_empty(kind, next, key.no, site)
            }
            _ => self.link(passed(Goal::Take { lead: false, bytes })),
        }
    }

    fn begins_head(&mut self, key: Key, kind: &TokenKind) -> StateId {
        match kind {
            TokenKind::Label(_)
            | TokenKind::Begin(_)
            | TokenKind::BeginDigest(..)
            | TokenKind::End(_)
            | TokenKind::EndDigest(_)
            | TokenKind::EndModule(_) => self.absent_at(key),
            TokenKind::Return => key.no,
            _ if Self::takes_bytes(kind) => key.no,
            _ => key.yes,
        }
    }

    fn returns_head(&mut self, key: Key, kind: &TokenKind, site: SiteId, leaf: bool) -> StateId {
        match kind {
            TokenKind::Return => match self.returned(key.spot) {
                Some(spot) => self.link(key.at(spot)),
                None => key.yes,
            },
            _ if leaves(kind) => {
                if leaf {
                    key.yes
                } else {
                    key.no
                }
            }
            _ => {
                let next = self.link(key.at(key.spot.next()));
                self.if_empty(kind, next, key.no, site)
            }
        }
    }

    /// A call that `times` does not take away.
    fn call_head(&mut self, key: Key, call: &Call, site: SiteId) -> StateId {
        let needs = self.facts.labels[call.label].needs_byte;
        let absent = self.absent_at(key);
        let made = self.made_head(key, call.label);
        let zero = match call.max {
            None => None,
            Some(Bound::Fixed(0)) => Some(None),
            Some(Bound::Fixed(_)) => None,
            Some(Bound::Expr(e)) => Some(Some(e)),
        };
        let Some(zero) = zero else { return made };
        let left_out = match needs {
            When::Never => made,
            When::Always => absent,
            When::Moment => self.needs_none_from(key.spot.stack, call.label, key.handler, made, absent),
        };
        match zero {
            None => left_out,
            Some(e) => self.out.test(Predicate::Zero(e), left_out, made, site),
        }
    }

    /// The same question behind a token that is not there.
    fn absent_at(&mut self, key: Key) -> StateId {
        self.link(key.at(key.spot.next()))
    }

    /// A call that is made.
    fn made_head(&mut self, key: Key, label: LabelId) -> StateId {
        let facts = self.facts.labels[label];
        let next = key.spot.next();
        let behind = Behind::Spot(next.row, next.index, next.deep);
        match key.goal {
            Goal::Byte if !facts.varies => {
                let rest = if facts.returns == When::Never { key.no } else { self.absent_at(key) };
                let rest = match facts.returns {
                    When::Moment => self.returns_now(key, label, rest, key.no),
                    _ => rest,
                };
                let site = self.here(key);
                self.look(facts.first, key.yes, rest, site)
            }
            Goal::Byte => match self.enter(key.spot.stack, label, behind) {
                Some(spot) => self.link(key.at(spot)),
                None if facts.returns == When::Never => key.no,
                None => self.absent_at(key),
            },
            Goal::Begins => self.begins_now(key, label, key.no),
            Goal::Take { lead, bytes } => {
                let otherwise = match facts.returns {
                    When::Never => key.no,
                    _ => {
                        let goal = Goal::Take { lead: false, bytes: bytes || !facts.first.is_empty() };
                        let behind = self.link(Key { goal, ..key.at(next) });
                        self.returns_now(key, label, behind, key.no)
                    }
                };
                if lead { self.begins_now(key, label, otherwise) } else { otherwise }
            }
            Goal::Returns { .. } => match facts.returns {
                When::Never => key.no,
                When::Always => self.absent_at(key),
                When::Moment => match self.enter(key.spot.stack, label, behind) {
                    Some(spot) => self.link(key.at(spot)),
                    None => key.no,
                },
            },
        }
    }

    /// `yes` where a target begins now with something that needs no byte, else `otherwise`.
    fn begins_now(&mut self, key: Key, label: LabelId, otherwise: StateId) -> StateId {
        match self.facts.labels[label].free {
            When::Never => otherwise,
            When::Always => key.yes,
            When::Moment => match self.enter(key.spot.stack, label, Behind::Answer) {
                Some(spot) => {
                    self.link(Key { goal: Goal::Begins, spot, no: otherwise, third: otherwise, ..key })
                }
                None => otherwise,
            },
        }
    }

    /// Whether a target can return without a byte now.
    fn returns_now(&mut self, key: Key, label: LabelId, yes: StateId, no: StateId) -> StateId {
        match self.facts.labels[label].returns {
            When::Never => no,
            When::Always => yes,
            When::Moment => {
                let Some(spot) = self.enter(key.spot.stack, label, Behind::Answer) else { return no };
                let goal = Goal::Returns { leaf: false };
                self.link(Key { goal, spot, yes, no, third: no, handler: key.handler })
            }
        }
    }

    /// The site of the token at hand.
    fn here(&mut self, key: Key) -> SiteId {
        let span = self.token_at(key.spot).map(|t| self.module.tokens[t].span).unwrap_or_default();
        self.out.site(span, key.handler, None)
    }

    fn jump_head(&mut self, key: Key, label: LabelId) -> StateId {
        let facts = self.facts.labels[label];
        match key.goal {
            Goal::Byte if !facts.varies => {
                let site = self.here(key);
                self.look(facts.first, key.yes, key.no, site)
            }
            Goal::Byte => match self.enter(key.spot.stack, label, Behind::Below) {
                Some(spot) => self.link(key.at(spot)),
                None => key.no,
            },
            Goal::Begins => self.begins_now(key, label, key.no),
            Goal::Take { lead, .. } => {
                let otherwise = match facts.completes {
                    When::Never => key.no,
                    When::Always => key.yes,
                    When::Moment => match self.enter(key.spot.stack, label, Behind::Answer) {
                        Some(spot) => {
                            self.link(Key { goal: Goal::Returns { leaf: true }, spot, third: key.no, ..key })
                        }
                        None => key.no,
                    },
                };
                if lead { self.begins_now(key, label, otherwise) } else { otherwise }
            }
            Goal::Returns { .. } => match self.enter(key.spot.stack, label, Behind::Below) {
                Some(spot) => self.link(key.at(spot)),
                None => key.no,
            },
        }
    }

    /// A `< >`: one of its sequences takes the byte.
    fn group_head(&mut self, key: Key, id: TokenId, group: &Parallel) -> StateId {
        (0..group.sequences.len()).rev().fold(key.no, |no, index| {
            let row = Row::Sequence(id, u32::try_from(index).expect("sequences are tokens"));
            let spot = Spot { row, index: 0, there: false, ..key.spot };
            self.link(Key { spot, no, third: no, ..key })
        })
    }
}

//! FIRST and emptiness of tokens and labels: the least fixpoint over calls and jumps.

use super::{Bytes, LabelFacts, TokenFacts, When, filled, leaves, opens_spans};
use crate::byteset::ByteSet;
use crate::grammar::{Bound, Call, Counts, Literal, Max, Min, Module, Parallel, Scan, TokenKind, Until};
use crate::ids::{Id, LabelId, LineId, Table, TokenId};
use rustc_hash::FxHashMap;

type Tokens = Table<TokenId, TokenFacts>;
type Labels = Table<LabelId, LabelFacts>;

const UNKNOWN: LabelFacts = LabelFacts {
    first: ByteSet::EMPTY,
    varies: false,
    returns: When::Never,
    completes: When::Never,
    free: When::Never,
    needs_byte: When::Always,
    bytes: Bytes::ANY,
};

/// Facts of all tokens and labels, byte counts left out.
pub(super) fn solve(module: &Module) -> (Tokens, Labels) {
    let mut labels: Labels = filled(module.labels.len(), UNKNOWN);
    let mut tokens: Tokens = filled(module.tokens.len(), transparent());
    refresh(module, &mut tokens, &labels);
    let mut readers: Vec<Vec<LabelId>> = vec![Vec::new(); labels.len()];
    let mut queue: Vec<LabelId> = labels.ids().collect();
    let mut queued = vec![true; labels.len()];
    while let Some(label) = queue.pop() {
        queued[label.index()] = false;
        let mut walk = Walk::new(module, &tokens, &labels);
        let found = walk.target(label);
        for read in walk.read {
            let known = &mut readers[read.index()];
            if !known.contains(&label) {
                known.push(label);
            }
        }
        if found == labels[label] {
            continue;
        }
        labels[label] = found;
        for &reader in &readers[label.index()] {
            if !queued[reader.index()] {
                queued[reader.index()] = true;
                queue.push(reader);
            }
        }
    }
    refresh(module, &mut tokens, &labels);
    (tokens, labels)
}

/// Facts of all tokens from the facts of the labels.
fn refresh(module: &Module, tokens: &mut Tokens, labels: &Labels) {
    // The tokens of `< >` stand before or behind it in the table; nested groups settle in as many rounds as they nest.
    for id in module.tokens.ids() {
        tokens[id] = token_facts(module, tokens, labels, id);
    }
    let groups: Vec<TokenId> = module.tokens.ids().filter(|&t| is_group(module, t)).collect();
    loop {
        let mut changed = false;
        for &id in groups.iter().rev() {
            let facts = token_facts(module, tokens, labels, id);
            changed |= facts != tokens[id];
            tokens[id] = facts;
        }
        if !changed {
            return;
        }
    }
}

fn is_group(module: &Module, token: TokenId) -> bool {
    matches!(module.tokens[token].kind, TokenKind::Parallel(_))
}

/// What one token can begin with, seen from the label facts known so far.
fn token_facts(module: &Module, tokens: &Tokens, labels: &Labels, id: TokenId) -> TokenFacts {
    let token = &module.tokens[id];
    let mut facts = kind_facts(&token.kind, tokens, labels);
    if token.condition.is_some() {
        facts.empty = facts.empty.max(When::Moment);
        facts.alone = facts.alone.min(When::Moment);
        facts.absent = facts.absent.max(When::Moment);
    }
    facts.varies |= facts.empty == When::Moment || facts.absent == When::Moment;
    facts
}

fn kind_facts(kind: &TokenKind, tokens: &Tokens, labels: &Labels) -> TokenFacts {
    match kind {
        TokenKind::Scan(scan) => scan_facts(scan),
        TokenKind::Literal(literal) => literal_facts(literal),
        TokenKind::Match { counts, .. } => TokenFacts {
            absent: no_count(counts).max(When::Moment),
            ..byte_facts(
                if counts.max == Max::Fixed(0) { ByteSet::EMPTY } else { ByteSet::ALL },
                empty(counts).max(When::Moment),
            )
        },
        TokenKind::Varint(_) => byte_facts(ByteSet::ALL, When::Never),
        TokenKind::EnumText(texts) => {
            let heads =
                texts.texts.iter().filter_map(|(_, text, fold)| Some(ByteSet::letter(*text.first()?, *fold)));
            byte_facts(heads.fold(ByteSet::EMPTY, |a, b| a | b), When::Never)
        }
        TokenKind::Parallel(group) => group_facts(group, tokens),
        TokenKind::Module(sub) => TokenFacts {
            absent: no_count(&sub.counts),
            ..byte_facts(
                if sub.counts.max == Max::Fixed(0) { ByteSet::EMPTY } else { sub.set },
                empty(&sub.counts),
            )
        },
        TokenKind::Call(call) => call_facts(call, &labels[call.label]),
        TokenKind::Jump(label) => {
            let target = &labels[*label];
            TokenFacts {
                varies: target.varies,
                alone: target.free,
                ..byte_facts(target.first, target.completes)
            }
        }
        TokenKind::Begin(_)
        | TokenKind::BeginDigest(..)
        | TokenKind::End(_)
        | TokenKind::EndDigest(_)
        | TokenKind::EndModule(_)
        | TokenKind::Label(_) => transparent(),
        TokenKind::EnumInit(_)
        | TokenKind::Code(_)
        | TokenKind::If(_)
        | TokenKind::Notify { .. }
        | TokenKind::Return
        | TokenKind::Reset
        | TokenKind::Break
        | TokenKind::Bang
        | TokenKind::Back(_) => TokenFacts { alone: When::Always, ..transparent() },
    }
}

/// A token without bytes that decides nothing.
fn transparent() -> TokenFacts {
    byte_facts(ByteSet::EMPTY, When::Always)
}

fn byte_facts(first: ByteSet, empty: When) -> TokenFacts {
    TokenFacts { first, empty, alone: When::Never, absent: When::Never, varies: false, bytes: Bytes::NONE }
}

fn scan_facts(scan: &Scan) -> TokenFacts {
    if let Some(until) = &scan.until {
        let head = match until {
            Until::Text(text) => text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::byte(b)),
            Until::Var(_) => ByteSet::ALL,
        };
        let content = if scan.counts.max == Max::Fixed(0) { ByteSet::EMPTY } else { scan.set };
        // With a `max` of 0 the text must come at once.
        let varies = matches!((until, scan.counts.max), (Until::Text(_), Max::Expr(_)));
        return TokenFacts { varies, ..byte_facts(content | head, When::Never) };
    }
    let signs = if scan.sign { ByteSet::from_iter(*b"+-") } else { ByteSet::EMPTY };
    let first = if scan.counts.max == Max::Fixed(0) { ByteSet::EMPTY } else { scan.set | signs };
    TokenFacts { absent: no_count(&scan.counts), ..byte_facts(first, empty(&scan.counts)) }
}

fn literal_facts(literal: &Literal) -> TokenFacts {
    let head = literal.text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::letter(b, literal.fold));
    let first = if literal.counts.max == Max::Fixed(0) { ByteSet::EMPTY } else { head };
    TokenFacts { absent: no_count(&literal.counts), ..byte_facts(first, empty(&literal.counts)) }
}

/// Whether a count allows to take nothing. A `min` of 0 that was not written does not count; one of the moment does
/// if it was written; `min` is clamped to `max`, so a `max` of 0 takes nothing.
fn empty(counts: &Counts) -> When {
    let by_min = match counts.min {
        Min::Fixed(0) if counts.min_written => When::Always,
        Min::Expr(_) => When::Moment,
        Min::Fixed(_) | Min::Max => When::Never,
    };
    by_min.max(no_count(counts))
}

/// Whether `max` is 0: then the token is not there.
fn no_count(counts: &Counts) -> When {
    match counts.max {
        Max::Fixed(0) => When::Always,
        Max::Expr(_) => When::Moment,
        Max::Fixed(_) | Max::None => When::Never,
    }
}

fn group_facts(group: &Parallel, tokens: &Tokens) -> TokenFacts {
    let mut facts = byte_facts(ByteSet::EMPTY, When::Never);
    for sequence in &group.sequences {
        let mut reach = When::Always;
        for &id in sequence {
            if reach > When::Never {
                facts.first = facts.first | tokens[id].first;
                facts.varies |= tokens[id].varies;
            }
            reach = reach.min(tokens[id].empty);
        }
        facts.empty = facts.empty.max(reach);
    }
    facts
}

fn call_facts(call: &Call, target: &LabelFacts) -> TokenFacts {
    let skipped = |bound: &Option<Bound>| match bound {
        None => When::Never,
        Some(Bound::Fixed(0)) => When::Always,
        Some(Bound::Fixed(_)) => When::Never,
        Some(Bound::Expr(_)) => When::Moment,
    };
    let by_times = skipped(&call.times);
    // A confined call of no bytes is left out only if its target needs a byte.
    let by_max = skipped(&call.max).min(target.needs_byte);
    let absent = by_times.max(by_max);
    TokenFacts {
        first: if absent == When::Always { ByteSet::EMPTY } else { target.first },
        empty: absent.max(target.returns),
        alone: target.free.min(absent.negated()),
        absent,
        varies: target.varies,
        bytes: Bytes::NONE,
    }
}

/// The walk over all that can be reached from a label without taking a byte.
struct Walk<'a> {
    module: &'a Module,
    tokens: &'a Tokens,
    labels: &'a Labels,
    /// Labels whose facts were read.
    read: Vec<LabelId>,
    /// Lines that wait, with how they are reached.
    open: Vec<(LineId, usize, When)>,
    /// The best way in which each line was reached.
    seen: FxHashMap<LineId, When>,
}

impl<'a> Walk<'a> {
    fn new(module: &'a Module, tokens: &'a Tokens, labels: &'a Labels) -> Walk<'a> {
        Walk { module, tokens, labels, read: Vec::new(), open: Vec::new(), seen: FxHashMap::default() }
    }

    fn target(&mut self, label: LabelId) -> LabelFacts {
        let place = &self.module.labels[label];
        let mut facts = LabelFacts { needs_byte: When::Always, ..UNKNOWN };
        self.open.push((place.line, place.index as usize, When::Always));
        while let Some((line, index, reach)) = self.open.pop() {
            self.line(line, index, reach, &mut facts);
        }
        facts.free = self.begins(place.line, place.index as usize);
        facts.needs_byte = facts.free.max(facts.returns).negated();
        facts
    }

    /// Goes through the tokens of a line from `index` while they may be empty, then queues its children.
    fn line(&mut self, line: LineId, index: usize, mut reach: When, facts: &mut LabelFacts) {
        let row = &self.module.lines[line];
        for &id in row.tokens.iter().skip(index) {
            let token = self.now(id);
            facts.first = facts.first | token.first;
            facts.varies |= token.varies;
            match &self.module.tokens[id].kind {
                TokenKind::Return => facts.returns = facts.returns.max(reach),
                TokenKind::Jump(label) => {
                    facts.returns = facts.returns.max(reach.min(self.labels[*label].returns))
                }
                _ => {}
            }
            reach = reach.min(token.empty);
            if leaves(&self.module.tokens[id].kind) {
                facts.completes = facts.completes.max(reach);
                return;
            }
            if reach == When::Never {
                return;
            }
        }
        let Some(children) = row.children else {
            facts.completes = facts.completes.max(reach);
            return;
        };
        for &child in &self.module.branchings[children].alternatives {
            let best = self.seen.entry(child).or_insert(When::Never);
            if *best < reach {
                *best = reach;
                self.open.push((child, 0, reach));
            }
        }
    }

    /// The facts of a token as the labels known so far have it.
    fn now(&mut self, id: TokenId) -> TokenFacts {
        match &self.module.tokens[id].kind {
            TokenKind::Call(Call { label, .. }) | TokenKind::Jump(label) => {
                self.read.push(*label);
                token_facts(self.module, self.tokens, self.labels, id)
            }
            _ => self.tokens[id],
        }
    }

    /// Whether the place begins with something that needs no byte; through labels, `begin:` and `end:`, down to first
    /// alternatives where a line has nothing else.
    fn begins(&mut self, mut line: LineId, mut index: usize) -> When {
        let (mut some, mut all) = (When::Never, When::Always);
        loop {
            for &id in self.module.lines[line].tokens.iter().skip(index) {
                let kind = &self.module.tokens[id].kind;
                if opens_spans(kind) {
                    continue;
                }
                let token = self.now(id);
                // What returns at once is a matter of `returns`.
                let alone = if matches!(kind, TokenKind::Return) { When::Never } else { token.alone };
                if token.absent < When::Always {
                    (some, all) = (some.max(alone), all.min(alone));
                }
                if token.absent == When::Never {
                    return if some == all { some } else { When::Moment };
                }
            }
            let children = self.module.lines[line].children;
            let below = children.and_then(|b| self.module.branchings[b].alternatives.first().copied());
            let Some(next) = below else { return some.min(When::Moment) };
            (line, index) = (next, 0);
        }
    }
}

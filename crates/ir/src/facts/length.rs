//! Byte counts of tokens, and of calls until their target returns.

use super::{Bytes, LabelFacts, TokenFacts, filled, leaves};
use crate::grammar::{Bound, Call, Counts, Max, Min, Module, Scan, TokenKind, Until};
use crate::ids::{BranchingId, Id, LabelId, LineId, Table, TokenId, TreeId};

type Tokens = Table<TokenId, TokenFacts>;
type Labels = Table<LabelId, LabelFacts>;

/// After so many rounds without a fixpoint the least counts of calls are given up (0 is always right).
const ROUNDS: usize = 64;
/// Nesting below which the greatest count of a call is computed; deeper ones have none.
const DEPTH: usize = 64;

/// Fills in `bytes` of tokens and labels.
pub(super) fn measure(module: &Module, tokens: &mut Tokens, labels: &mut Labels) {
    for id in module.tokens.ids() {
        if !matches!(module.tokens[id].kind, TokenKind::Parallel(_)) {
            tokens[id].bytes = own_bytes(module, labels, id);
        }
    }
    groups(module, tokens);
    let shortest = Shortest::solve(module, tokens);
    for id in module.labels.ids() {
        labels[id].bytes = Bytes { min: shortest.labels[id], max: None };
    }
    let count = module.labels.len();
    let caught = caught_trees(module);
    let mut longest =
        Longest { module, tokens, caught, memory: vec![None; count], entered: vec![false; count] };
    for id in module.labels.ids() {
        labels[id].bytes.max = longest.label(id, 0);
    }
    for id in module.tokens.ids() {
        if matches!(module.tokens[id].kind, TokenKind::Call(_)) {
            tokens[id].bytes = own_bytes(module, labels, id);
        }
    }
}

/// Counts of `< >` from those of their tokens, inner ones first or not.
fn groups(module: &Module, tokens: &mut Tokens) {
    loop {
        let mut changed = false;
        for (id, token) in module.tokens.iter().rev() {
            let TokenKind::Parallel(group) = &token.kind else { continue };
            let sum = |s: &Vec<TokenId>| s.iter().fold(Bytes::NONE, |sum, &t| sum.then(tokens[t].bytes));
            let bytes = group.sequences.iter().map(sum).fold(Bytes::IMPASSABLE, Bytes::or);
            changed |= tokens[id].bytes != bytes;
            tokens[id].bytes = bytes;
        }
        if !changed {
            return;
        }
    }
}

fn own_bytes(module: &Module, labels: &Labels, id: TokenId) -> Bytes {
    let token = &module.tokens[id];
    let bytes = kind_bytes(&token.kind, labels);
    if token.condition.is_some() { bytes.or(Bytes::NONE) } else { bytes }
}

fn kind_bytes(kind: &TokenKind, labels: &Labels) -> Bytes {
    match kind {
        TokenKind::Scan(scan) => scan_bytes(scan),
        TokenKind::Literal(literal) => {
            let count = counted(&literal.counts);
            Bytes::exactly(literal.text.len() as u64).times(count.min, count.max)
        }
        TokenKind::Match { .. } => Bytes::ANY,
        TokenKind::Varint(varint) => Bytes { min: 1, max: Some(u64::from(varint.max)) },
        TokenKind::EnumText(texts) => {
            let lengths = texts.texts.iter().map(|(_, text, _)| Bytes::exactly(text.len() as u64));
            lengths.fold(Bytes::IMPASSABLE, Bytes::or)
        }
        TokenKind::Module(sub) => Bytes { min: 0, ..counted(&sub.counts) },
        TokenKind::Call(call) => call_bytes(call, labels[call.label].bytes),
        _ => Bytes::NONE,
    }
}

fn scan_bytes(scan: &Scan) -> Bytes {
    let mut bytes = counted(&scan.counts);
    match &scan.until {
        Some(Until::Text(text)) => bytes = Bytes { min: 0, ..bytes }.then(Bytes::exactly(text.len() as u64)),
        Some(Until::Var(_)) => bytes = Bytes { min: 0, ..bytes }.then(Bytes { min: 1, max: Some(255) }),
        None => {}
    }
    if scan.sign { bytes.then(Bytes { min: 0, max: Some(1) }) } else { bytes }
}

/// What the bounds say: `min` is clamped to `max`.
fn counted(counts: &Counts) -> Bytes {
    let max = match counts.max {
        Max::Fixed(n) => Some(n),
        Max::Expr(_) | Max::None => None,
    };
    let min = match (counts.min, counts.max) {
        (_, Max::Expr(_)) | (Min::Expr(_), _) | (Min::Max, Max::None) => 0,
        (Min::Fixed(n), _) => max.map_or(n, |m| n.min(m)),
        (Min::Max, Max::Fixed(n)) => n,
    };
    Bytes { min, max }
}

/// A confined call takes exactly its bytes, or none; a repeated one what its rounds take.
fn call_bytes(call: &Call, target: Bytes) -> Bytes {
    match call.max {
        Some(Bound::Fixed(n)) if call.times.is_none() => return Bytes { min: n, max: Some(n) },
        Some(Bound::Fixed(n)) => return Bytes { min: 0, max: Some(n) },
        Some(Bound::Expr(_)) => return Bytes::ANY,
        None => {}
    }
    match call.times {
        None => target,
        Some(Bound::Fixed(n)) => target.times(n, Some(n)),
        Some(Bound::Expr(_)) => target.times(0, None),
    }
}

/// Fewest bytes from each branching and label to a `return`, over all ways.
struct Shortest {
    branchings: Table<BranchingId, u64>,
    labels: Table<LabelId, u64>,
}

impl Shortest {
    fn solve(module: &Module, tokens: &Tokens) -> Shortest {
        let mut now = Shortest {
            branchings: filled(module.branchings.len(), u64::MAX),
            labels: filled(module.labels.len(), u64::MAX),
        };
        let caught = caught_trees(module);
        for _ in 0..ROUNDS {
            if !now.round(module, tokens, &caught) {
                return now;
            }
        }
        now.labels = filled(module.labels.len(), 0);
        now
    }

    /// One round over all branchings and labels; whether anything became shorter.
    fn round(&mut self, module: &Module, tokens: &Tokens, caught: &Table<TreeId, bool>) -> bool {
        let mut changed = false;
        for id in module.branchings.ids().rev() {
            let ways =
                module.branchings[id].alternatives.iter().map(|&line| self.line(module, tokens, line, 0));
            let best = ways.min().unwrap_or(u64::MAX);
            changed |= best < self.branchings[id];
            self.branchings[id] = best;
        }
        for id in module.labels.ids().rev() {
            let label = &module.labels[id];
            let tree = module.branchings[module.lines[label.line].branching].tree;
            // An exception can cut a line short before its handler returns.
            let best =
                if caught[tree] { 0 } else { self.line(module, tokens, label.line, label.index as usize) };
            changed |= best < self.labels[id];
            self.labels[id] = best;
        }
        changed
    }

    fn line(&self, module: &Module, tokens: &Tokens, line: LineId, index: usize) -> u64 {
        let row = &module.lines[line];
        let mut sum = 0u64;
        for &id in row.tokens.iter().skip(index) {
            match &module.tokens[id].kind {
                TokenKind::Return => return sum,
                TokenKind::Jump(label) => return sum.saturating_add(self.labels[*label]),
                TokenKind::Back(branching) => return sum.saturating_add(self.branchings[*branching]),
                TokenKind::Reset | TokenKind::Break => return u64::MAX,
                TokenKind::Call(call) => sum = sum.saturating_add(self.call(module, id, call)),
                _ => sum = sum.saturating_add(tokens[id].bytes.min),
            }
        }
        let next = row.children.unwrap_or_else(|| loop_target(module, line));
        sum.saturating_add(self.branchings[next])
    }

    fn call(&self, module: &Module, id: TokenId, call: &Call) -> u64 {
        let target = Bytes { min: self.labels[call.label], max: None };
        if module.tokens[id].condition.is_some() { 0 } else { call_bytes(call, target).min }
    }
}

/// The branching that a leaf line goes back to.
fn loop_target(module: &Module, line: LineId) -> BranchingId {
    let mut branching = module.lines[line].branching;
    while let Some(parent) = module.branchings[branching].parent {
        if !module.lines[parent].continues {
            break;
        }
        branching = module.lines[parent].branching;
    }
    branching
}

/// Trees in which some branching has a `catch:` line.
fn caught_trees(module: &Module) -> Table<TreeId, bool> {
    let mut caught = filled(module.trees.len(), false);
    for (_, branching) in module.branchings.iter() {
        caught[branching.tree] |= branching.catch.is_some();
    }
    caught
}

/// Most bytes from a label to `return`, where every way there is straight: no loop, no handler, little nesting.
struct Longest<'a> {
    module: &'a Module,
    tokens: &'a Tokens,
    caught: Table<TreeId, bool>,
    memory: Vec<Option<Option<u64>>>,
    entered: Vec<bool>,
}

impl Longest<'_> {
    fn label(&mut self, label: LabelId, depth: usize) -> Option<u64> {
        if let Some(known) = self.memory[label.index()] {
            return known;
        }
        if self.entered[label.index()] || depth > DEPTH {
            return None;
        }
        self.entered[label.index()] = true;
        let place = &self.module.labels[label];
        let tree = self.module.branchings[self.module.lines[place.line].branching].tree;
        let found = if self.caught[tree] { None } else { self.line(place.line, place.index as usize, depth) };
        self.memory[label.index()] = Some(found);
        found
    }

    fn line(&mut self, line: LineId, index: usize, depth: usize) -> Option<u64> {
        if depth > DEPTH {
            return None;
        }
        let row = &self.module.lines[line];
        let mut sum = 0u64;
        for &id in row.tokens.iter().skip(index) {
            let kind = &self.module.tokens[id].kind;
            match kind {
                TokenKind::Return => return Some(sum),
                TokenKind::Jump(label) => return sum.checked_add(self.label(*label, depth + 1)?),
                _ if leaves(kind) => return None,
                TokenKind::Call(call) => {
                    let inner = Bytes { min: 0, max: self.label(call.label, depth + 1) };
                    sum = sum.checked_add(call_bytes(call, inner).max?)?;
                }
                _ => sum = sum.checked_add(self.tokens[id].bytes.max?)?,
            }
        }
        let children = row.children?;
        let mut longest = 0;
        for &child in &self.module.branchings[children].alternatives {
            longest = longest.max(self.line(child, 0, depth + 1)?);
        }
        sum.checked_add(longest)
    }
}

//! Alternatives that are never taken, and those that share first bytes.
//!
//! A branching is greedy: an alternative is looked at only where all above it declined, and one byte decides. So what
//! matters of an alternative is the set of bytes that it takes whatever the moment, its *sure* set.

use super::{Context, byte_name};
use rustc_hash::FxHashMap;
use vproto_ir::ByteSet;
use vproto_ir::facts::{Decides, When};
use vproto_ir::grammar::{Max, Min, Scan, TokenKind, Until};
use vproto_ir::ids::{BranchingId, LineId, TokenId};
use vproto_ir::portable::{CodeKind, Expr, ExprKind, TextQuery};
use vproto_source::code::flow;
use vproto_source::{Diagnostic, Diagnostics};

pub(super) fn check(cx: &Context<'_>, out: &mut Diagnostics) {
    for id in cx.module.branchings.ids() {
        if cx.reach.branching(id) {
            Choice::new(cx, id).run(out);
        }
    }
}

/// Whether entering a branching can fail without a byte taken: no alternative is taken in any case, and some byte
/// takes none.
pub(super) fn can_fail(cx: &Context<'_>, branching: BranchingId) -> bool {
    let mut choice = Choice::new(cx, branching);
    choice.run(&mut Diagnostics::new());
    choice.closed.is_none() && !choice.covered.is_all()
}

/// One pass over the alternatives of a branching, from top to bottom.
struct Choice<'a, 'b> {
    cx: &'b Context<'a>,
    branching: BranchingId,
    /// Bytes that an alternative so far takes in any case.
    covered: ByteSet,
    /// Alternatives so far with the bytes they take first, in order.
    owners: Vec<(LineId, ByteSet)>,
    /// The alternative that is always taken.
    closed: Option<LineId>,
    /// Conditions so far that call nothing, by their text.
    conditions: FxHashMap<&'a str, TokenId>,
}

impl<'a, 'b> Choice<'a, 'b> {
    fn new(cx: &'b Context<'a>, branching: BranchingId) -> Choice<'a, 'b> {
        Choice {
            cx,
            branching,
            covered: ByteSet::EMPTY,
            owners: Vec::new(),
            closed: None,
            conditions: FxHashMap::default(),
        }
    }

    fn run(&mut self, out: &mut Diagnostics) {
        let alternatives = &self.cx.module.branchings[self.branching].alternatives;
        let mut group = Some(self.group());
        for &line in alternatives {
            let decides = self.cx.facts.lines[line].decides;
            if matches!(decides, Decides::Byte { .. } | Decides::Parallel)
                && let Some(group) = group.take()
            {
                self.add_group(&group, out);
            }
            match decides {
                Decides::Parallel => {}
                _ if self.closed.is_some() => self.report_closed(line, out),
                Decides::Condition(token) => self.add_condition(line, token, out),
                Decides::Taken => self.closed = Some(line),
                Decides::Byte { otherwise, moment } => self.add_byte(line, otherwise.is_some(), moment, out),
            }
        }
    }

    /// The lines that begin with `< >`.
    fn group(&self) -> Vec<LineId> {
        let alternatives = self.cx.module.branchings[self.branching].alternatives.iter().copied();
        alternatives.filter(|&l| self.cx.facts.lines[l].decides == Decides::Parallel).collect()
    }

    /// They start together, at the place of the first alternative that needs a byte.
    fn add_group(&mut self, group: &[LineId], out: &mut Diagnostics) {
        for &line in group {
            if self.closed.is_some() {
                self.report_closed(line, out);
                continue;
            }
            let first = self.cx.facts.lines[line].first;
            self.own(line, first);
        }
    }

    /// Notes the bytes that a line is the first to take. So there are 256 owners at most.
    fn own(&mut self, line: LineId, sure: ByteSet) {
        let fresh = sure - self.covered;
        if !fresh.is_empty() {
            self.owners.push((line, fresh));
            self.covered = self.covered | sure;
        }
    }

    fn add_condition(&mut self, line: LineId, token: TokenId, out: &mut Diagnostics) {
        if self.cx.always_true(token) {
            self.closed = Some(line);
            return;
        }
        let Some(text) = pure_text(self.cx, token) else { return };
        match self.conditions.get(text) {
            None => drop(self.conditions.insert(text, token)),
            Some(&same) => out.push(
                self.unreachable(line, "the same condition was false above")
                    .with_label(self.cx.span(same), "asked first"),
            ),
        }
    }

    fn add_byte(&mut self, line: LineId, conditional: bool, moment: bool, out: &mut Diagnostics) {
        let facts = &self.cx.facts.lines[line];
        if !conditional && facts.empty == When::Never && !may_begin_alone(self.cx, line) {
            self.compare(line, facts.first, out);
        }
        let sure = if moment { sure_set(self.cx, line) } else { facts.first };
        self.own(line, sure);
    }

    /// Compares an alternative that a byte decides with those above.
    fn compare(&self, line: LineId, first: ByteSet, out: &mut Diagnostics) {
        let Some(byte) = (first & self.covered).first() else { return };
        let Some(&(owner, _)) = self.owners.iter().find(|(_, set)| set.contains(byte)) else { return };
        if first.is_subset(&self.covered) {
            self.report_covered(line, owner, first, byte, out);
        } else if let Some((owner, byte)) = self.ambiguous(first) {
            self.report_ambiguous(line, owner, byte, out);
        }
    }

    /// The alternative above that takes a byte of `first` and may regret it. Not doubtful: an alternative for "all the
    /// rest" (a set of more than half of all bytes) below one that is no literal of several letters, and one below an
    /// alternative that only asks for this one byte and whose bytes it has all (`"\\" b8:escaped` above `[ -~]`).
    fn ambiguous(&self, first: ByteSet) -> Option<(LineId, u8)> {
        let doubtful = |&(owner, set): &(LineId, ByteSet)| {
            let byte = (set & first).first()?;
            if first.len() > 128 && self.second_letter(owner).is_none() {
                return None;
            }
            let exact = self.cx.facts.lines[owner].first.is_subset(&first) && one_byte_head(self.cx, owner);
            (!exact).then_some((owner, byte))
        };
        self.owners.iter().find_map(doubtful)
    }

    fn unreachable(&self, line: LineId, label: &str) -> Diagnostic {
        let span = self.cx.head_span(line);
        Diagnostic::new(flow::UNREACHABLE_ALTERNATIVE, "this alternative is never taken", span, label)
    }

    fn report_closed(&self, line: LineId, out: &mut Diagnostics) {
        let Some(closed) = self.closed else { return };
        let why = match self.cx.facts.lines[closed].decides {
            Decides::Condition(_) => "is always true",
            Decides::Taken if self.cx.facts.lines[closed].first.is_empty() => {
                "is always taken, it needs no byte"
            }
            _ => "is always taken, it can complete without input",
        };
        out.push(
            self.unreachable(line, "not reached")
                .with_label(self.cx.head_span(closed), why)
                .with_help("put it above the alternative that is always taken"),
        );
    }

    fn report_covered(&self, line: LineId, owner: LineId, first: ByteSet, byte: u8, out: &mut Diagnostics) {
        let literals = self.literal(line).zip(self.literal(owner));
        let byte = byte_name(byte);
        if literals.is_some() && !matches!(self.cx.facts.lines[owner].decides, Decides::Parallel) {
            out.push(
                Diagnostic::new(
                    flow::LOST_LITERAL,
                    "this literal is never matched: the choice is greedy",
                    self.cx.head_span(line),
                    format!("begins with {byte} too"),
                )
                .with_label(self.cx.head_span(owner), format!("{byte} takes this alternative for good"))
                .with_help("put both in `< >` (`<\"GET\", \"GE\">`), in an `enum{…}`, or their common beginning in the line above"),
            );
            return;
        }
        let all =
            if first.len() == 1 { format!("begins with {byte}") } else { format!("begins with {first}") };
        out.push(
            self.unreachable(line, &all)
                .with_label(self.cx.head_span(owner), format!("{byte} takes this alternative"))
                .with_help("put the more special alternative above, or both in `< >`"),
        );
    }

    fn report_ambiguous(&self, line: LineId, owner: LineId, byte: u8, out: &mut Diagnostics) {
        let second = self.second_letter(owner);
        let byte = byte_name(byte);
        if let Some(second) = second {
            out.push(self.lost_to_literal(line, owner, &byte, second));
            return;
        }
        out.push(
            Diagnostic::new(
                flow::AMBIGUOUS_FIRST,
                "two alternatives begin with the same byte",
                self.cx.head_span(line),
                format!("{byte} can begin this one, but never takes it"),
            )
            .with_label(
                self.cx.head_span(owner),
                format!("on {byte} this one is taken for good, whatever follows"),
            )
            .with_help("put both in `< >` to run them side by side, or make their first bytes differ"),
        );
    }

    /// A literal takes its first letter for good: what goes on otherwise than the literal is lost.
    fn lost_to_literal(&self, line: LineId, owner: LineId, byte: &str, second: u8) -> Diagnostic {
        let second = byte_name(second);
        let text = |line| self.cx.module.first_token(line).map(|t| self.cx.text(t)).unwrap_or_default();
        Diagnostic::new(
            flow::AMBIGUOUS_FIRST,
            "two alternatives begin with the same byte",
            self.cx.head_span(line),
            format!("{byte} can begin this one, but never takes it"),
        )
        .with_label(
            self.cx.head_span(owner),
            format!("on {byte} this one is taken for good: {byte} without {second} behind it is refused"),
        )
        .with_help(format!(
            "begin both lines with `< >`, which runs them side by side: `<{}>` above `<{}>`; on a tie the upper one wins",
            text(owner),
            text(line)
        ))
    }

    /// The second letter of a literal that begins a line and must be there.
    fn second_letter(&self, line: LineId) -> Option<u8> {
        let token = self.literal(line)?;
        match self.cx.kind(token) {
            TokenKind::Literal(literal) if literal.counts.min != Min::Fixed(0) => {
                literal.text.get(1).copied()
            }
            _ => None,
        }
    }

    /// The line's first token, if it is a literal.
    fn literal(&self, line: LineId) -> Option<TokenId> {
        self.cx.module.first_token(line).filter(|&t| matches!(self.cx.kind(t), TokenKind::Literal(_)))
    }
}

/// Whether the first token of a line that takes bytes takes exactly one.
fn one_byte_head(cx: &Context<'_>, line: LineId) -> bool {
    let mut bytes = cx.module.lines[line].tokens.iter().map(|&t| cx.facts.tokens[t].bytes);
    bytes.find(|b| b.max != Some(0)).is_some_and(|b| b.min == 1 && b.max == Some(1))
}

/// Whether a line may begin, at some moments, with a token that needs no byte: where those before it are absent.
fn may_begin_alone(cx: &Context<'_>, line: LineId) -> bool {
    for &id in &cx.module.lines[line].tokens {
        let token = &cx.facts.tokens[id];
        let transparent = token.first.is_empty() && token.alone == When::Never;
        if token.alone > When::Never {
            return true;
        }
        if !transparent && token.empty != When::Moment {
            return false;
        }
    }
    true
}

/// The bytes that take a line at every moment at which it needs a byte.
///
/// At any moment FIRST is the union up to the first token that is there and cannot be empty; which token that is, is
/// not known, so it is the intersection over all of them.
fn sure_set(cx: &Context<'_>, line: LineId) -> ByteSet {
    let (mut sure, mut optional) = (ByteSet::ALL, ByteSet::EMPTY);
    for &id in &cx.module.lines[line].tokens {
        let token = &cx.facts.tokens[id];
        match (cx.kind(id), token.empty) {
            // Where all before it is absent the condition decides.
            (TokenKind::If(_), _) => return sure & optional,
            // A set that is smaller at some moments inside of a call, or a text known only at run time.
            (TokenKind::Call(_) | TokenKind::Jump(_), _) if token.varies => return ByteSet::EMPTY,
            (TokenKind::Match { .. } | TokenKind::Parallel(_), _) => return ByteSet::EMPTY,
            // Where the bound is 0 now, the text must come at once.
            (TokenKind::Scan(Scan { until: Some(until), counts, .. }), _) if counts.max != Max::None => {
                return sure & (optional | until_head(until));
            }
            (_, When::Always) => optional = optional | token.first,
            (_, When::Moment) => sure = sure & (optional | token.first),
            (_, When::Never) => return sure & (optional | token.first),
        }
    }
    sure
}

/// The first byte of a text that ends a token; none where it is known only at run time.
fn until_head(until: &Until) -> ByteSet {
    match until {
        Until::Text(text) => text.first().map_or(ByteSet::EMPTY, |&b| ByteSet::byte(b)),
        Until::Var(_) => ByteSet::EMPTY,
    }
}

/// The text of a condition that calls nothing: two of one text ask the same.
fn pure_text<'a>(cx: &Context<'a>, token: TokenId) -> Option<&'a str> {
    let TokenKind::If(code) = cx.kind(token) else { return None };
    let code = &cx.module.symbols.codes[*code];
    matches!(&code.kind, CodeKind::Condition(expr) if is_pure(expr)).then(|| code.text.trim())
}

/// Whether an expression calls no function of the user. Its depth is bounded by the parser.
pub(super) fn is_pure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(..) => false,
        ExprKind::Unary(_, a) => is_pure(a),
        ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => is_pure(a) && is_pure(b),
        ExprKind::Conditional(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        ExprKind::Query(TextQuery::Contains(b) | TextQuery::StartsWith(b), a) => is_pure(a) && is_pure(b),
        ExprKind::Query(_, a) => is_pure(a),
        _ => true,
    }
}

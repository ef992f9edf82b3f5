//! Inputs: bytes that a description would take, and what mutation makes of them.
//!
//! The walk follows lines as the language runs them, keeps numbers that it writes, and so gets lengths right most of
//! the time. It need not be exact: what it gets wrong is an input with an error in it.

use crate::Choices;
use std::collections::BTreeMap;
use vproto_ir::ByteSet;
use vproto_ir::grammar::{Bound, Counts, Grammar, LineRole, Max, Min, Module, Store, TokenKind, Until};
use vproto_ir::ids::{BranchingId, ExprId, LineId, ModuleId, TokenId, VarId};
use vproto_ir::portable::{BinaryOp, CodeKind, Expr, ExprKind, Stmt, TextQuery, UnaryOp};
use vproto_ir::symbols::VarType;

/// An input of about `size` bytes or less.
pub fn grow(c: &mut Choices, grammar: &Grammar, size: usize) -> Vec<u8> {
    let mut walk = Walk { c, grammar, out: Vec::new(), size, steps: 0 };
    walk.module(grammar.root, 0);
    walk.out
}

/// The input with a few bytes changed, dropped, doubled, moved or cut off.
pub fn mutate(c: &mut Choices, input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + c.below(3) {
        let at = c.below(bytes.len() + 1);
        match c.below(7) {
            0 | 1 if at < bytes.len() => bytes[at] = letter(c),
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            3 => bytes.insert(at, letter(c)),
            4 => bytes.truncate(at),
            5 => {
                let end = (at + 1 + c.below(6)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let end = (at + 1 + c.below(4)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

fn letter(c: &mut Choices) -> u8 {
    match c.below(4) {
        0 => c.byte(),
        1 => c.below(5) as u8,
        _ => b"aabbc;,\n01 d"[c.below(12)],
    }
}

struct Walk<'w, 'b> {
    c: &'w mut Choices<'b>,
    grammar: &'w Grammar,
    out: Vec<u8>,
    size: usize,
    steps: usize,
}

/// Numbers and texts of one module's run.
#[derive(Default)]
struct Values {
    numbers: BTreeMap<VarId, i64>,
    texts: BTreeMap<VarId, Vec<u8>>,
}

/// Why a line was left.
enum Left {
    /// It ran to its end.
    Done,
    /// `return`.
    Returned,
    /// Somewhere else is next.
    To(BranchingId),
    /// Enough.
    Over,
}

const STEPS: usize = 400;
const DEPTH: usize = 12;

impl Walk<'_, '_> {
    fn module(&mut self, id: ModuleId, depth: usize) {
        let module = &self.grammar.modules[id];
        let mut values = Values::default();
        for (var, row) in module.symbols.vars.iter() {
            values.numbers.insert(var, row.start.unwrap_or(0) as i64);
        }
        self.branching(module, module.trees.rows()[0].branching, &mut values, depth);
    }

    fn tired(&mut self) -> bool {
        self.steps += 1;
        self.steps > STEPS || self.out.len() >= self.size
    }

    /// Runs branchings until `return`, or until it is enough.
    fn branching(&mut self, module: &Module, first: BranchingId, values: &mut Values, depth: usize) {
        let mut at = first;
        loop {
            if self.tired() {
                return;
            }
            let Some(line) = self.alternative(module, at, values) else { return };
            match self.line(module, line, 0, values, depth) {
                Left::Returned | Left::Over => return,
                Left::To(next) => at = next,
                Left::Done => at = self.behind(module, line),
            }
        }
    }

    /// The branching that follows a line.
    fn behind(&self, module: &Module, line: LineId) -> BranchingId {
        let row = &module.lines[line];
        if let Some(children) = row.children {
            return children;
        }
        let mut at = row.branching;
        while let Some(parent) = module.branchings[at].parent
            && module.lines[parent].continues
        {
            at = module.lines[parent].branching;
        }
        at
    }

    /// A condition that holds is preferred; else any alternative.
    fn alternative(&mut self, module: &Module, at: BranchingId, values: &Values) -> Option<LineId> {
        let lines = &module.branchings[at].alternatives;
        for &line in lines {
            let head = module.first_token(line).map(|t| &module.tokens[t].kind);
            if let Some(TokenKind::If(code) | TokenKind::Code(code)) = head
                && let CodeKind::Condition(e) = &module.symbols.codes[*code].kind
                && values.number(e) != 0
                && self.c.chance(80)
            {
                return Some(line);
            }
        }
        if self.c.chance(3) {
            return module.branchings[at].catch;
        }
        lines
            .get(self.c.below(lines.len()))
            .copied()
            .filter(|&l| module.lines[l].role == LineRole::Alternative)
    }

    fn line(
        &mut self,
        module: &Module,
        line: LineId,
        from: usize,
        values: &mut Values,
        depth: usize,
    ) -> Left {
        for &token in module.lines[line].tokens.iter().skip(from) {
            if self.tired() {
                return Left::Over;
            }
            match self.token(module, token, values, depth) {
                Left::Done => {}
                left => return left,
            }
        }
        Left::Done
    }

    fn token(&mut self, module: &Module, id: TokenId, values: &mut Values, depth: usize) -> Left {
        let token = &module.tokens[id];
        if token.condition.is_some_and(|e| values.expr(module, e) == 0) {
            return Left::Done;
        }
        match &token.kind {
            TokenKind::Scan(scan) => {
                if scan.sign && self.c.chance(40) {
                    self.out.push(b"+-"[self.c.below(2)]);
                }
                let count = self.count(module, scan.counts, values, scan.until.is_some());
                let start = self.out.len();
                for _ in 0..count {
                    let byte = self.member(&scan.set);
                    self.out.push(byte);
                }
                let taken = self.out[start..].to_vec();
                values.store(module, &scan.store, &taken);
                match &scan.until {
                    Some(Until::Text(text)) => self.out.extend(text),
                    Some(Until::Var(var)) => self.out.extend(values.text(*var)),
                    None => {}
                }
            }
            TokenKind::Literal(literal) => {
                for _ in 0..self.count(module, literal.counts, values, false) {
                    self.out.extend(&literal.text);
                }
            }
            TokenKind::Match { var, counts } => {
                for _ in 0..self.count(module, *counts, values, false) {
                    self.out.extend(values.text(*var));
                }
            }
            TokenKind::Varint(varint) => {
                let value = self.c.below(6) as u8;
                self.out.push(value);
                varint.var.into_iter().for_each(|v| {
                    values.numbers.insert(v, i64::from(value));
                });
            }
            TokenKind::EnumText(texts) => {
                let (value, text, _) = &texts.texts[self.c.below(texts.texts.len())];
                self.out.extend(text);
                values.numbers.insert(texts.var, *value as i64);
            }
            TokenKind::Parallel(group) => {
                let sequence = &group.sequences[self.c.below(group.sequences.len())];
                for &token in sequence {
                    if depth < DEPTH && !self.tired() {
                        self.token(module, token, values, depth + 1);
                    }
                }
            }
            TokenKind::Module(sub) => {
                let VarType::Module(id) = module.symbols.vars[sub.var].ty else { return Left::Done };
                let count = self.count(module, sub.counts, values, false);
                let start = self.out.len();
                if depth < DEPTH {
                    self.module(id, depth + 1);
                }
                if !matches!(sub.counts.max, Max::None) && self.c.chance(90) {
                    self.out.resize(start + count, b'a');
                }
            }
            TokenKind::Call(call) => return self.call(module, call, values, depth),
            TokenKind::Jump(label) => {
                let label = &module.labels[*label];
                if depth >= DEPTH {
                    return Left::Over;
                }
                return match self.line(module, label.line, label.index as usize, values, depth + 1) {
                    Left::Done => Left::To(self.behind(module, label.line)),
                    left => left,
                };
            }
            TokenKind::Code(code) => {
                if let CodeKind::Block(statements) = &module.symbols.codes[*code].kind {
                    values.run(statements);
                }
            }
            TokenKind::Return => return Left::Returned,
            TokenKind::Break => return Left::Over,
            TokenKind::Reset => return Left::To(module.trees.rows()[0].branching),
            TokenKind::Back(branching) => return Left::To(*branching),
            _ => {}
        }
        Left::Done
    }

    fn call(
        &mut self,
        module: &Module,
        call: &vproto_ir::grammar::Call,
        values: &mut Values,
        depth: usize,
    ) -> Left {
        let label = &module.labels[call.label];
        let bound = |values: &Values, bound: Bound| match bound {
            Bound::Fixed(n) => n as usize,
            Bound::Expr(e) => values.expr(module, e).clamp(0, 40) as usize,
        };
        let times = call.times.map_or(1, |t| bound(values, t)).min(5);
        let kept: Vec<_> =
            call.keep.iter().map(|v| (*v, values.numbers.get(v).copied().unwrap_or(0))).collect();
        let start = self.out.len();
        let limit = call.max.map(|m| bound(values, m));
        let outer = self.size;
        if let Some(limit) = limit {
            self.size = outer.min(start + limit);
        }
        for _ in 0..times {
            if depth >= DEPTH || self.tired() {
                break;
            }
            match self.line(module, label.line, label.index as usize, values, depth + 1) {
                Left::Done => {
                    let next = self.behind(module, label.line);
                    self.branching(module, next, values, depth + 1);
                }
                Left::To(next) => self.branching(module, next, values, depth + 1),
                Left::Returned | Left::Over => {}
            }
        }
        self.size = outer;
        if let Some(limit) = limit
            && self.c.chance(92)
        {
            self.out.resize(start + limit, b'b');
        }
        values.numbers.extend(kept);
        Left::Done
    }

    /// How many bytes or literals.
    fn count(&mut self, module: &Module, counts: Counts, values: &Values, until: bool) -> usize {
        let most = match counts.max {
            Max::Fixed(n) => n.min(40) as usize,
            Max::Expr(e) => values.expr(module, e).clamp(0, 40) as usize,
            Max::None => 60,
        };
        let least = match counts.min {
            Min::Fixed(n) => n.min(40) as usize,
            Min::Expr(e) => values.expr(module, e).clamp(0, 40) as usize,
            Min::Max => most,
        };
        let least = if until { 0 } else { least.min(most) };
        let spread = (most - least).min(4);
        least + self.c.below(spread + 1)
    }

    /// A member, small or readable ones first.
    fn member(&mut self, set: &ByteSet) -> u8 {
        for _ in 0..6 {
            let byte = letter(self.c);
            if set.contains(byte) {
                return byte;
            }
        }
        let members: Vec<u8> = set.iter().collect();
        members.get(self.c.below(members.len())).copied().unwrap_or(b'a')
    }
}

impl Values {
    fn text(&self, var: VarId) -> Vec<u8> {
        self.texts.get(&var).cloned().unwrap_or_default()
    }

    fn store(&mut self, module: &Module, store: &Store, taken: &[u8]) {
        match store {
            Store::Digits { var, radix, .. } => {
                let text = String::from_utf8_lossy(taken);
                let value = i64::from_str_radix(&text, u32::from(*radix)).unwrap_or(0);
                self.numbers.insert(*var, value);
            }
            Store::Binary { var, big, .. } => {
                let fold = |n: i64, b: &u8| (n << 8 | i64::from(*b)) & 0xffff_ffff;
                let value = if *big { taken.iter().fold(0, fold) } else { taken.iter().rev().fold(0, fold) };
                let truth = module.symbols.vars[*var].ty == VarType::Bool;
                self.numbers.insert(*var, if truth { i64::from(value != 0) } else { value });
            }
            Store::Text { var, append, .. } => {
                let mut text = if *append { self.text(*var) } else { Vec::new() };
                text.extend(taken);
                self.texts.insert(*var, text);
            }
            Store::Bits { fields, little } if !little => {
                let mut all = taken.iter().fold(0u128, |n, b| n << 8 | u128::from(*b));
                for field in fields.iter().rev() {
                    let value = all & ((1 << field.bits) - 1);
                    all >>= field.bits;
                    field.var.into_iter().for_each(|v| {
                        self.numbers.insert(v, value as i64);
                    });
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, statements: &[Stmt]) {
        for statement in statements {
            if let Stmt::Assign(var, e) = statement {
                let value = self.number(e);
                self.numbers.insert(*var, value);
            }
        }
    }

    fn expr(&self, module: &Module, id: ExprId) -> i64 {
        self.number(&module.symbols.exprs[id])
    }

    /// About the value of an expression. Its depth is bounded by the front-end.
    fn number(&self, e: &Expr) -> i64 {
        match &e.kind {
            ExprKind::Int(n) => *n,
            ExprKind::Bool(b) => i64::from(*b),
            ExprKind::Var(v) => self.numbers.get(v).copied().unwrap_or(0),
            ExprKind::Left => 9,
            ExprKind::Offset => 3,
            ExprKind::Unary(UnaryOp::Not, a) => i64::from(self.number(a) == 0),
            ExprKind::Unary(UnaryOp::Negate, a) => self.number(a).wrapping_neg(),
            ExprKind::Unary(UnaryOp::Complement, a) => !self.number(a),
            ExprKind::Conditional(q, a, b) => self.number(if self.number(q) != 0 { a } else { b }),
            ExprKind::Binary(op, a, b) => binary(*op, self.number(a), self.number(b)),
            ExprKind::Query(TextQuery::Size, a) => match a.kind {
                ExprKind::Var(v) => self.texts.get(&v).map_or(0, Vec::len) as i64,
                _ => 0,
            },
            _ => 0,
        }
    }
}

fn binary(op: BinaryOp, a: i64, b: i64) -> i64 {
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Remainder => a.checked_rem(b).unwrap_or(0),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Less => i64::from(a < b),
        BinaryOp::Greater => i64::from(a > b),
        BinaryOp::LessEqual => i64::from(a <= b),
        BinaryOp::GreaterEqual => i64::from(a >= b),
        BinaryOp::Equal => i64::from(a == b),
        BinaryOp::NotEqual => i64::from(a != b),
        BinaryOp::And => i64::from(a != 0 && b != 0),
        BinaryOp::Or => i64::from(a != 0 || b != 0),
        _ => 0,
    }
}

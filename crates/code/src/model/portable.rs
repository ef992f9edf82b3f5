//! Portable code: checked arithmetic where a value could leave 64 bits, plain arithmetic where it provably cannot.
//!
//! An expression that can fail sets the local `bad`; the caller tests it once, behind the whole expression. What a
//! failed expression computes meanwhile is not used.

use super::r#gen::Gen;
use crate::tree::{Callee, Expr, Op, Stmt, Ty, label};
use vproto_ir::ids::{Id, VarId};
use vproto_ir::portable::{self, BinaryOp, ExprKind, TextChange, TextQuery, Type, UnaryOp};
use vproto_ir::symbols::{Var, VarType};

/// What becomes of a block's outcomes.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The place that events of the block report.
    pub site: vproto_ir::ids::SiteId,
    /// `return true`, or the end of the block: a label to go to.
    pub good: crate::tree::Label,
    /// `return false`.
    pub wrong: Vec<Stmt>,
    /// `overflow`.
    pub overflow: Vec<Stmt>,
    /// `limit`.
    pub limit: Vec<Stmt>,
}

const I64: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

/// The least and greatest value of an integer expression, as far as types tell.
pub fn range(expr: &portable::Expr, vars: &dyn Fn(VarId, Option<VarId>) -> VarType) -> (i128, i128) {
    let hull = |values: [i128; 4]| {
        (values.iter().copied().min().unwrap_or(I64.0), values.iter().copied().max().unwrap_or(I64.1))
    };
    let found = match &expr.kind {
        ExprKind::Int(value) => (i128::from(*value), i128::from(*value)),
        ExprKind::Var(var) => vars(*var, None).range().unwrap_or(I64),
        ExprKind::Member(parser, var) => vars(*parser, Some(*var)).range().unwrap_or(I64),
        ExprKind::Offset | ExprKind::Left => (0, I64.1),
        ExprKind::Bool(_) | ExprKind::Query(..) => (0, i128::from(u32::MAX)),
        ExprKind::Unary(UnaryOp::Not, _) => (0, 1),
        ExprKind::Unary(UnaryOp::Negate, a) => {
            let (low, high) = range(a, vars);
            (-high, -low)
        }
        ExprKind::Conditional(_, a, b) => {
            let (a, b) = (range(a, vars), range(b, vars));
            (a.0.min(b.0), a.1.max(b.1))
        }
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (range(a, vars), range(b, vars));
            match op {
                BinaryOp::Add => (x.0 + y.0, x.1 + y.1),
                BinaryOp::Subtract => (x.0 - y.1, x.1 - y.0),
                BinaryOp::Multiply => hull([
                    x.0.saturating_mul(y.0),
                    x.0.saturating_mul(y.1),
                    x.1.saturating_mul(y.0),
                    x.1.saturating_mul(y.1),
                ]),
                BinaryOp::BitAnd if x.0 >= 0 => (0, x.1),
                BinaryOp::BitAnd if y.0 >= 0 => (0, y.1),
                BinaryOp::BitOr | BinaryOp::BitXor if x.0 >= 0 && y.0 >= 0 => {
                    let most = x.1.max(y.1).unsigned_abs();
                    (0, (most.next_power_of_two() * 2 - 1) as i128)
                }
                BinaryOp::Remainder if x.0 >= 0 => (0, x.1),
                BinaryOp::Divide | BinaryOp::ShiftRight if x.0 >= 0 => (0, x.1),
                BinaryOp::ShiftLeft if x.0 >= 0 && y.0 >= 0 && y.1 <= 63 => (x.0, x.1 << y.1),
                BinaryOp::Divide
                | BinaryOp::Remainder
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor => I64,
                _ => (0, 1),
            }
        }
        _ => I64,
    };
    (found.0.max(I64.0 * 2), found.1.min(I64.1 * 2))
}

impl Gen<'_> {
    /// The type of a variable, or of one of a sub-parser.
    pub fn var_type(&self, var: VarId, member: Option<VarId>) -> VarType {
        let ty = self.m.symbols.vars[var].ty;
        match (member, ty) {
            (Some(member), VarType::Module(of)) => self.program.machines[of].symbols.vars[member].ty,
            _ => ty,
        }
    }

    /// A variable, or one of a sub-parser.
    pub fn member(&self, parser: VarId, member: VarId) -> Option<&Var> {
        match self.m.symbols.vars[parser].ty {
            VarType::Module(of) => self.program.machines[of].symbols.vars.get(member),
            _ => None,
        }
    }

    fn range_of(&self, expr: &portable::Expr) -> (i128, i128) {
        range(expr, &|var, member| self.var_type(var, member))
    }

    fn fits(&self, expr: &portable::Expr) -> bool {
        let (low, high) = self.range_of(expr);
        I64.0 <= low && high <= I64.1
    }

    /// A call of the runtime that may set `bad`.
    fn checked(&mut self, name: &'static str, mut arguments: Vec<Expr>) -> Expr {
        arguments.push(self.local("bad"));
        Expr::runtime(name, arguments)
    }

    /// The value as a signed number of 64 bits.
    pub fn int(&mut self, expr: &portable::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Int(value) => Expr::Signed(*value),
            ExprKind::Bool(value) => Expr::Signed(i64::from(*value)),
            ExprKind::Var(var) => self.scalar(expr, Expr::Var(*var)),
            ExprKind::Member(parser, var) => self.scalar(expr, Expr::Member(*parser, *var)),
            ExprKind::EnumMember(of, member) => {
                let (_, value) = self.m.symbols.enums[*of].members[*member as usize];
                match i64::try_from(value) {
                    Ok(value) => Expr::Signed(value),
                    Err(_) => self.checked("to_int", vec![Expr::Int(value)]),
                }
            }
            ExprKind::Offset => {
                let offset = self.offset();
                Expr::Cast(Ty::Signed(64), Box::new(offset))
            }
            ExprKind::Left => self.left(),
            ExprKind::Unary(UnaryOp::Complement, a) => {
                let a = self.int(a);
                Expr::runtime("complement", vec![a])
            }
            ExprKind::Unary(UnaryOp::Negate, a) => {
                let zero = portable::Expr { kind: ExprKind::Int(0), ..(**a).clone() };
                self.arithmetic(expr, BinaryOp::Subtract, &zero, a)
            }
            ExprKind::Conditional(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.int(a), self.int(b));
                Expr::Choose(Box::new(c), Box::new(a), Box::new(b))
            }
            ExprKind::Query(TextQuery::Size, text) => {
                let text = self.text(text);
                Expr::Cast(Ty::Signed(64), Box::new(text.method("size", vec![])))
            }
            ExprKind::Binary(op, a, b) if is_arithmetic(*op) => self.arithmetic(expr, *op, a, b),
            ExprKind::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.argument(a)).collect();
                let call = Expr::Call(Callee::User(*function), arguments);
                Expr::Cast(Ty::Signed(64), Box::new(call))
            }
            _ => {
                let truth = self.truth(expr);
                Expr::Cast(Ty::Signed(64), Box::new(truth))
            }
        }
    }

    fn scalar(&mut self, expr: &portable::Expr, value: Expr) -> Expr {
        if self.fits(expr) {
            Expr::Cast(Ty::Signed(64), Box::new(value))
        } else {
            self.checked("to_int", vec![value])
        }
    }

    fn arithmetic(
        &mut self,
        whole: &portable::Expr,
        op: BinaryOp,
        a: &portable::Expr,
        b: &portable::Expr,
    ) -> Expr {
        let fits = self.fits(whole);
        let (low, high) = self.range_of(b);
        let (least, _) = self.range_of(a);
        let (a, b) = (self.int(a), self.int(b));
        let small = least >= 0 && low >= 0 && high <= 63;
        match op {
            BinaryOp::Add if fits => a.op(Op::Add, b),
            BinaryOp::Subtract if fits => a.op(Op::Sub, b),
            BinaryOp::Multiply if fits => a.op(Op::Mul, b),
            BinaryOp::Divide if low > 0 => a.op(Op::Div, b),
            BinaryOp::Remainder if low > 0 => a.op(Op::Rem, b),
            BinaryOp::ShiftLeft if small && fits => a.op(Op::Shl, b),
            BinaryOp::ShiftRight if small => a.op(Op::Shr, b),
            BinaryOp::BitAnd => a.op(Op::And, b),
            BinaryOp::BitOr => a.op(Op::Or, b),
            BinaryOp::BitXor => a.op(Op::Xor, b),
            BinaryOp::Add => self.checked("add", vec![a, b]),
            BinaryOp::Subtract => self.checked("subtract", vec![a, b]),
            BinaryOp::Multiply => self.checked("multiply", vec![a, b]),
            BinaryOp::Divide => self.checked("divide", vec![a, b]),
            BinaryOp::Remainder => self.checked("remainder", vec![a, b]),
            BinaryOp::ShiftLeft => self.checked("shift_left", vec![a, b]),
            _ => self.checked("shift_right", vec![a, b]),
        }
    }

    /// Whether the value is not zero.
    pub fn truth(&mut self, expr: &portable::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Bool(value) => Expr::Bool(*value),
            ExprKind::Var(var) if self.m.symbols.vars[*var].ty == VarType::Bool => Expr::Var(*var),
            ExprKind::Unary(UnaryOp::Not, a) => self.truth(a).negated(),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                a.op(Op::Both, b)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                a.op(Op::Either, b)
            }
            ExprKind::Binary(op, a, b) if !is_arithmetic(*op) => {
                let (a, b) = if a.ty == Type::Text {
                    (self.text(a), self.text(b))
                } else {
                    (self.int(a), self.int(b))
                };
                a.op(comparison(*op), b)
            }
            ExprKind::Query(TextQuery::Empty, text) => self.text(text).method("empty", vec![]),
            ExprKind::Query(TextQuery::Contains(part), text) => {
                let (text, part) = (self.text(text), self.text(part));
                Expr::runtime("contains", vec![text, part])
            }
            ExprKind::Query(TextQuery::StartsWith(part), text) => {
                let (text, part) = (self.text(text), self.text(part));
                Expr::runtime("starts_with", vec![text, part])
            }
            _ => self.int(expr).op(Op::NotEqual, Expr::Signed(0)),
        }
    }

    /// The bytes of a text.
    pub fn text(&mut self, expr: &portable::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Text(bytes) => Expr::Text(bytes.clone()),
            ExprKind::Var(var) => Expr::runtime("bytes", vec![Expr::Var(*var)]),
            ExprKind::Member(parser, var) => Expr::runtime("bytes", vec![Expr::Member(*parser, *var)]),
            ExprKind::Conditional(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.text(a), self.text(b));
                Expr::Choose(Box::new(c), Box::new(a), Box::new(b))
            }
            _ => {
                let parts = self.parts(expr);
                Expr::runtime("bytes", vec![Expr::runtime("join", parts)])
            }
        }
    }

    /// The parts of a concatenation, from left to right.
    fn parts(&mut self, expr: &portable::Expr) -> Vec<Expr> {
        match &expr.kind {
            ExprKind::Concat(a, b) => {
                let mut parts = self.parts(a);
                parts.extend(self.parts(b));
                parts
            }
            _ => vec![self.text(expr)],
        }
    }

    /// An argument of a user's function. A lone variable is passed as it is.
    pub fn argument(&mut self, expr: &portable::Expr) -> Expr {
        match (&expr.kind, expr.ty) {
            (ExprKind::Var(var), _) => Expr::Var(*var),
            (ExprKind::Member(parser, var), _) => Expr::Member(*parser, *var),
            (ExprKind::Call(function, arguments), _) => {
                let arguments = arguments.iter().map(|a| self.argument(a)).collect();
                Expr::Call(Callee::User(*function), arguments)
            }
            (_, Type::Text) => self.text(expr),
            (_, Type::Bool) => self.truth(expr),
            _ => self.int(expr),
        }
    }

    /// Runs `make`, and says whether what it made may set `bad`.
    pub fn guarded<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let before = self.locals.remove("bad");
        let made = make(self);
        let fails = self.locals.contains("bad");
        if before {
            self.locals.insert("bad".to_owned());
        }
        (made, fails)
    }

    /// Evaluates into local `name`, and does `otherwise` where it fails.
    pub fn evaluate(&mut self, name: &str, expr: &portable::Expr, otherwise: Vec<Stmt>) {
        let (value, fails) = self.guarded(|g| g.int(expr));
        let target = self.local(name);
        if fails {
            self.put(Stmt::Set(Expr::local("bad"), Expr::Bool(false)));
        }
        self.put(Stmt::Set(target, value));
        if fails {
            self.put(Stmt::unless_rare(Expr::local("bad"), otherwise));
        }
    }

    /// A condition, then statements for both outcomes; `overflow` where it fails.
    pub fn condition(&mut self, expr: &portable::Expr, overflow: Vec<Stmt>) -> Expr {
        let (value, fails) = self.guarded(|g| g.truth(expr));
        if !fails {
            return value;
        }
        let truth = self.local("truth");
        self.put(Stmt::Set(Expr::local("bad"), Expr::Bool(false)));
        self.put(Stmt::Set(truth.clone(), value));
        self.put(Stmt::unless_rare(Expr::local("bad"), overflow));
        truth
    }

    /// A block of statements.
    pub fn block(&mut self, block: &[portable::Stmt], outcomes: &Outcomes) {
        for stmt in block {
            match stmt {
                portable::Stmt::Assign(var, expr) => self.assign(*var, expr, outcomes),
                portable::Stmt::Text(var, change) => self.change(*var, change, outcomes),
                portable::Stmt::If(condition, then, other) => {
                    let condition = self.condition(condition, outcomes.overflow.clone());
                    let then = self.apart(|g| g.block(then, outcomes));
                    let other = self.apart(|g| g.block(other, outcomes));
                    self.put(Stmt::If(condition, crate::tree::Odds::Even, then, other));
                }
                portable::Stmt::Notify(function, arguments) => {
                    let arguments: Vec<&portable::Expr> = arguments.iter().collect();
                    self.notify(*function, &arguments, outcomes.site, outcomes.overflow.clone());
                }
                portable::Stmt::Return(None) => return self.put(Stmt::Jump(outcomes.good.clone())),
                portable::Stmt::Return(Some(expr)) => {
                    let truth = self.condition(expr, outcomes.overflow.clone());
                    match truth {
                        Expr::Bool(true) => {}
                        Expr::Bool(false) => self.out.extend(outcomes.wrong.clone()),
                        truth => self.put(Stmt::when(truth.negated(), outcomes.wrong.clone())),
                    }
                    return self.put(Stmt::Jump(outcomes.good.clone()));
                }
                portable::Stmt::Print(text, span) => self.print(text, *span),
            }
        }
    }

    /// A statement of the user's in the target's language gets a function of its own, where no local hides a name.
    fn print(&mut self, text: &str, span: vproto_source::Span) {
        let name = format!("print{}", self.fresh());
        let mut body = self.builtins(text);
        body.push(Stmt::Native(text.to_owned(), span));
        self.functions.push(crate::tree::Function {
            name: name.clone(),
            doc: String::new(),
            role: crate::tree::FunctionRole::Print,
            locals: Vec::new(),
            body,
        });
        self.put(Stmt::Do(Expr::Call(Callee::Own(name), Vec::new())));
    }

    /// Native code may name `offset` and `left`: they are saved here, and become locals of its function.
    pub fn builtins(&mut self, text: &str) -> Vec<Stmt> {
        let mut locals = Vec::new();
        if names(text, "offset") {
            let value = self.offset();
            let field = self.field("offset", Ty::Unsigned(64), "offset that code of the description sees");
            self.put(Stmt::Set(field.clone(), value));
            locals.push(Stmt::Let("offset".to_owned(), Ty::Unsigned(64), field));
        }
        if names(text, "left") {
            let value = self.left();
            let field = self.field("left", Ty::Signed(64), "bytes left that code of the description sees");
            self.put(Stmt::Set(field.clone(), value));
            locals.push(Stmt::Let("left".to_owned(), Ty::Signed(64), field));
        }
        locals
    }

    fn assign(&mut self, var: VarId, expr: &portable::Expr, outcomes: &Outcomes) {
        let ty = self.m.symbols.vars[var].ty;
        if ty == VarType::Bool {
            let truth = self.condition(expr, outcomes.overflow.clone());
            return self.put(Stmt::Set(Expr::Var(var), truth));
        }
        let (low, high) = self.range_of(expr);
        let (least, most) = ty.range().unwrap_or(I64);
        let (value, fails) = self.guarded(|g| g.int(expr));
        if !fails && least <= low && high <= most {
            return self.put(Stmt::Set(Expr::Var(var), Expr::CastVar(var, Box::new(value))));
        }
        let local = self.local("value");
        if fails {
            self.put(Stmt::Set(Expr::local("bad"), Expr::Bool(false)));
        }
        self.put(Stmt::Set(local.clone(), value));
        let mut wrong = if fails { Expr::local("bad") } else { Expr::Bool(false) };
        let mut either = |test: Expr| {
            wrong = match &wrong {
                Expr::Bool(false) => test,
                before => before.clone().op(Op::Either, test),
            }
        };
        if least > I64.0 && low < least {
            either(local.clone().lt(Expr::Signed(i64::try_from(least).unwrap_or(0))));
        }
        if most < I64.1 && high > most {
            either(local.clone().op(Op::Greater, Expr::Signed(i64::try_from(most).unwrap_or(0))));
        }
        self.put(Stmt::unless_rare(wrong, outcomes.overflow.clone()));
        self.put(Stmt::Set(Expr::Var(var), Expr::CastVar(var, Box::new(local))));
    }

    fn change(&mut self, var: VarId, change: &TextChange, outcomes: &Outcomes) {
        let limit = self.text_limit(var);
        let target = Expr::Var(var);
        let (call, fails) = self.guarded(|g| match change {
            TextChange::Clear => (Expr::runtime("clear", vec![target]), false),
            TextChange::Swap(other) => (Expr::runtime("swap", vec![target, Expr::Var(*other)]), false),
            TextChange::Set(expr) => {
                let mut arguments = vec![target, Expr::Int(limit)];
                arguments.extend(g.parts(expr));
                (Expr::runtime("assign", arguments), true)
            }
            TextChange::Append(expr) => {
                let mut arguments = vec![target.clone(), Expr::Int(limit)];
                arguments.push(Expr::runtime("bytes", vec![target]));
                arguments.extend(g.parts(expr));
                (Expr::runtime("assign", arguments), true)
            }
            TextChange::Push(expr) => {
                let value = g.int(expr);
                (g.checked("push", vec![target, Expr::Int(limit), value]), true)
            }
            TextChange::PushUtf8(expr) => {
                let value = g.int(expr);
                (g.checked("push_utf8", vec![target, Expr::Int(limit), value]), true)
            }
        });
        let (call, limited) = call;
        if fails {
            self.local("bad");
            self.put(Stmt::Set(Expr::local("bad"), Expr::Bool(false)));
        }
        if !limited {
            return self.put(Stmt::Do(call));
        }
        let held = self.local("truth");
        self.put(Stmt::Set(held.clone(), call));
        if fails {
            self.put(Stmt::unless_rare(Expr::local("bad"), outcomes.overflow.clone()));
        }
        self.put(Stmt::unless_rare(held.negated(), outcomes.limit.clone()));
    }

    /// Most bytes that a text variable may hold.
    pub fn text_limit(&self, var: VarId) -> u64 {
        let limits = &self.m.symbols.limits;
        match self.m.symbols.vars[var].ty {
            VarType::View => u64::from(limits.view),
            VarType::Array { capacity } => u64::from(capacity),
            _ => u64::from(limits.string),
        }
    }

    /// The label behind a block, and jumps to it.
    pub fn good(&mut self) -> crate::tree::Label {
        let n = self.fresh();
        label("good", n)
    }

    /// The name of an expression's variable, for comments.
    pub fn var_name(&self, var: VarId) -> &str {
        self.m.symbols.vars.rows().get(var.index()).map_or("", |v| v.name.as_str())
    }
}

/// Whether a text of the target's language has a word, not as a member or a function.
fn names(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(|c: char| is_word(c) || c == '.' || c == '>' || c == ':')
            && !after.starts_with(is_word)
            && !after.trim_start().starts_with('(')
    })
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        Multiply | Divide | Remainder | Add | Subtract | ShiftLeft | ShiftRight | BitAnd | BitXor | BitOr
    )
}

fn comparison(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Less => Op::Less,
        BinaryOp::LessEqual => Op::LessEqual,
        BinaryOp::Greater => Op::Greater,
        BinaryOp::GreaterEqual => Op::GreaterEqual,
        BinaryOp::NotEqual => Op::NotEqual,
        _ => Op::Equal,
    }
}

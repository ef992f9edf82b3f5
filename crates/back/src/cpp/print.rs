//! Statements and expressions of the neutral tree as C++.

use super::Module;
use vproto_code::model::goto::local_type;
use vproto_code::tree::{Callee, Event, Expr, Odds, Op, Stmt, Ty};
use vproto_code::writer::Writer;
use vproto_ir::ids::{Id, SiteId, VarId};
use vproto_ir::symbols::{Role, VarType};

/// How tightly an operator binds; greater binds tighter.
fn precedence(op: Op) -> u8 {
    match op {
        Op::Mul | Op::Div | Op::Rem => 12,
        Op::Add | Op::Sub => 11,
        Op::Shl | Op::Shr => 10,
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => 8,
        Op::Equal | Op::NotEqual => 7,
        Op::And => 6,
        Op::Xor => 5,
        Op::Or => 4,
        Op::Both => 3,
        Op::Either => 2,
    }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Add => "+",
        Op::Sub => "-",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Less => "<",
        Op::LessEqual => "<=",
        Op::Greater => ">",
        Op::GreaterEqual => ">=",
        Op::Equal => "==",
        Op::NotEqual => "!=",
        Op::And => "&",
        Op::Xor => "^",
        Op::Or => "|",
        Op::Both => "&&",
        Op::Either => "||",
    }
}

/// A byte string as a C++ literal, broken so that no escape runs into what follows.
pub fn literal(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'?' => out.push_str("\\?"),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// A type of the tree.
pub fn ty(ty: Ty, held: &str) -> String {
    match ty {
        Ty::Unsigned(bits) => format!("std::uint{bits}_t"),
        Ty::Signed(bits) => format!("std::int{bits}_t"),
        Ty::Bool => "bool".to_owned(),
        Ty::Cursor => "vproto::cursor".to_owned(),
        Ty::Bytes => "std::string_view".to_owned(),
        Ty::Number => "vproto::capture".to_owned(),
        Ty::Held => held.to_owned(),
        Ty::Digest => "vproto::digest".to_owned(),
        Ty::Search => "vproto::search".to_owned(),
        Ty::Threads => "threads_type".to_owned(),
    }
}

impl Module<'_> {
    /// An expression; parentheses where it binds less tightly than `least`.
    pub fn expr(&self, expr: &Expr, least: u8) -> String {
        let wrap = |text: String, own: u8| if own < least { format!("({text})") } else { text };
        match expr {
            Expr::Int(u64::MAX) => "vproto::never".to_owned(),
            Expr::Int(n) if *n > 0x7fff_ffff => format!("{n}u"),
            Expr::Int(n) => n.to_string(),
            Expr::Signed(i64::MIN) => "INT64_MIN".to_owned(),
            Expr::Signed(n) if *n < 0 => format!("({n})"),
            Expr::Signed(n) => n.to_string(),
            Expr::Bool(b) => b.to_string(),
            Expr::Text(bytes) => format!("std::string_view({}, {})", literal(bytes), bytes.len()),
            Expr::Local(name) => self.names.local(name),
            Expr::Field(name) => self.field_name(name),
            Expr::Element(name, index) => {
                let (array, field) = name.split_once('.').unwrap_or((name.as_str(), ""));
                format!("state_.{array}[{}].{field}", self.expr(index, 0))
            }
            Expr::Frame(name) => format!("frame.{name}"),
            Expr::Var(var) => self.var(*var),
            Expr::Member(parser, var) => self.member(*parser, *var),
            Expr::SubParser(var) => self.names.var(*var).to_owned(),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, least),
            Expr::Not(inner) => match &**inner {
                Expr::Binary(Op::Equal, a, b) => self.binary(Op::NotEqual, a, b, least),
                Expr::Binary(Op::NotEqual, a, b) => self.binary(Op::Equal, a, b, least),
                Expr::Bool(b) => (!b).to_string(),
                inner => format!("!{}", self.expr(inner, 14)),
            },
            Expr::Choose(c, a, b) => {
                let text = format!("{} ? {} : {}", self.expr(c, 2), self.expr(a, 2), self.expr(b, 1));
                wrap(text, 1)
            }
            Expr::Byte(at) => match &**at {
                Expr::Binary(Op::Add, base, offset) if matches!(**offset, Expr::Int(_)) => {
                    format!("{}[{}]", self.expr(base, 15), self.expr(offset, 0))
                }
                at => format!("*{}", self.expr(at, 14)),
            },
            Expr::Distance(a, b) => format!("vproto::distance({}, {})", self.expr(a, 0), self.expr(b, 0)),
            Expr::Piece(a, b) => format!("vproto::piece({}, {})", self.expr(a, 0), self.expr(b, 0)),
            Expr::In(set, byte) => self.set_test(*set, byte, least),
            Expr::Skip(set, from, to) => {
                let (from, to) = (self.expr(from, 0), self.expr(to, 0));
                match self.parser.hot_sets.iter().position(|hot| hot == set) {
                    Some(index) => {
                        format!(
                            "{}.template run<{index}, set{set}>({from}, {to})",
                            self.names.local("blocks")
                        )
                    }
                    None => {
                        let first = self.names.local("first");
                        format!("{}run<scan_level, set{set}>({from}, {to}, {first})", self.scope("run"))
                    }
                }
            }
            Expr::Lookup(table, byte) => format!("table{table}[{}]", self.expr(byte, 0)),
            Expr::Cast(to, inner) => match &**inner {
                Expr::Int(_) if !matches!(to, Ty::Bool | Ty::Signed(_)) => self.expr(inner, least),
                inner => format!("static_cast<{}>({})", ty(*to, ""), self.expr(inner, 0)),
            },
            Expr::CastVar(var, inner) => {
                format!("static_cast<{}>({})", self.var_type(*var), self.expr(inner, 0))
            }
            Expr::Call(callee, arguments) => self.call(callee, arguments),
        }
    }

    fn binary(&self, op: Op, a: &Expr, b: &Expr, least: u8) -> String {
        if matches!(op, Op::Add | Op::Sub) && is_cursor(a) && !matches!(b, Expr::Int(n) if *n < 1 << 20) {
            let name = if op == Op::Add { "forward" } else { "back" };
            return format!("vproto::{name}({}, {})", self.expr(a, 0), self.expr(b, 0));
        }
        let own = precedence(op);
        // Parentheses between bit operators, and between && and ||, keep compilers and readers calm.
        let mixed = |side: &Expr| match side {
            Expr::Binary(inner, ..) => {
                let bits = |o: Op| matches!(o, Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr);
                *inner != op && (bits(op) || bits(*inner) || matches!(op, Op::Either) && *inner == Op::Both)
            }
            _ => false,
        };
        let side = |e: &Expr, least: u8| {
            if mixed(e) { format!("({})", self.expr(e, 0)) } else { self.expr(e, least) }
        };
        let text = format!("{} {} {}", side(a, own), symbol(op), side(b, own + 1));
        if own < least { format!("({text})") } else { text }
    }

    fn set_test(&self, set: usize, byte: &Expr, least: u8) -> String {
        let members: Vec<u8> = self.parser.sets[set].iter().take(2).collect();
        let text = self.expr(byte, 14);
        match members[..] {
            [one] => {
                let text = format!("{text} == {}", letter(one));
                if least > 7 { format!("({text})") } else { text }
            }
            _ => format!("set{set}::has({})", self.expr(byte, 0)),
        }
    }

    /// A field of the saved context.
    pub fn field_name(&self, name: &str) -> String {
        match self.parser.fields.iter().find(|f| f.name == name) {
            Some(field) if matches!(field.ty, Ty::Held | Ty::Threads) => format!("{name}_"),
            _ => format!("state_.{name}"),
        }
    }

    /// A variable of the user's object.
    pub fn var(&self, var: VarId) -> String {
        match self.machine().symbols.vars[var].ty {
            VarType::Module(_) => self.names.var(var).to_owned(),
            _ => format!("this->{}", self.names.var(var)),
        }
    }

    fn member(&self, parser: VarId, var: VarId) -> String {
        let VarType::Module(of) = self.machine().symbols.vars[parser].ty else { return String::new() };
        format!("{}.{}", self.names.var(parser), self.all[of.index()].var(var))
    }

    /// The namespace of a function of the runtime: in large parsers some are not to be inlined.
    fn scope(&self, function: &str) -> &'static str {
        let large = ["run", "same_folded", "fold_digits", "fold_varint", "fold_binary", "finish_text"];
        if self.is_dealt_out() && large.contains(&function) { "vproto::apart::" } else { "vproto::" }
    }

    fn arguments(&self, arguments: &[Expr]) -> String {
        arguments.iter().map(|a| self.expr(a, 1)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, callee: &Callee, arguments: &[Expr]) -> String {
        let list = self.arguments(arguments);
        match callee {
            Callee::Runtime("handler_of", _) => format!("handlers[{list}]"),
            Callee::Runtime("call_handler", _) => format!("call_handlers[{list}]"),
            Callee::Runtime("tree_of", _) => format!("call_trees[{list}]"),
            Callee::Runtime("call_fence", _) => format!("call_fences[{list}]"),
            Callee::Runtime("rest_place", _) => format!("rests[{list}].place"),
            Callee::Runtime("rest_count", _) => format!("rests[{list}].count"),
            Callee::Runtime("rest_folds", _) => format!("rests[{list}].folds"),
            Callee::Runtime("rest_text", _) => {
                format!("std::string_view(rests[{list}].text, rests[{list}].count)")
            }
            Callee::Runtime("trie", numbers) => {
                format!("trie{}[{list}]", numbers.first().copied().unwrap_or(0))
            }
            Callee::Runtime("outer_offset", _) => self.outer(&list),
            Callee::Runtime("bytes", _) => format!("std::string_view({list})"),
            Callee::Runtime(name, numbers) if numbers.is_empty() => format!("vproto::{name}({list})"),
            Callee::Runtime(name, numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                format!("{}{name}<{}>({list})", self.scope(name), numbers.join(", "))
            }
            Callee::Method(of, "begin") => format!("vproto::begin({})", self.expr(of, 0)),
            Callee::Method(of, name) => format!("{}.{name}({list})", self.expr(of, 15)),
            Callee::User(function) => {
                let stream = self.machine().symbols.functions[*function].role == Role::Stream;
                let suffix = if self.options.classic && stream { "_piece" } else { "" };
                format!("this->{}{suffix}({list})", self.names.function(*function))
            }
            Callee::Own(name) => format!("{name}({list})"),
        }
    }

    /// Statements of a block.
    pub fn stmts(&self, stmts: &[Stmt], w: &mut Writer) {
        for (i, stmt) in stmts.iter().enumerate() {
            self.stmt(stmt, w);
            // A label needs a statement.
            let label = matches!(stmt, Stmt::Label(_));
            let rest = stmts[i + 1..].iter().all(|s| matches!(s, Stmt::Label(_) | Stmt::Comment(_)));
            if label && rest && !stmts[i + 1..].iter().any(|s| matches!(s, Stmt::Label(_))) {
                w.line(";");
            }
        }
    }

    fn stmt(&self, stmt: &Stmt, w: &mut Writer) {
        match stmt {
            Stmt::Comment(text) => {
                w.blank();
                w.line(format!("// {text}"));
            }
            Stmt::Label(label) => {
                w.margin(format!("    {}:", label.0));
            }
            Stmt::Jump(label) => w.line(format!("goto {};", label.0)),
            Stmt::Set(place, value) => w.line(format!("{} = {};", self.expr(place, 0), self.expr(value, 0))),
            Stmt::Add(place, Expr::Int(1)) => w.line(format!("++{};", self.expr(place, 14))),
            Stmt::Add(place, value) if is_cursor(place) && !matches!(value, Expr::Int(_)) => {
                let place = self.expr(place, 0);
                w.line(format!("{place} = vproto::forward({place}, {});", self.expr(value, 0)));
            }
            Stmt::Add(place, value) => w.line(format!("{} += {};", self.expr(place, 0), self.expr(value, 0))),
            Stmt::Let(name, of, value) => {
                w.line(format!(
                    "const {} {} = {};",
                    ty(*of, ""),
                    self.names.local(name),
                    self.expr(value, 0)
                ));
            }
            Stmt::Do(value) => w.line(format!("{};", self.expr(value, 0))),
            Stmt::If(condition, odds, then, other) => self.choice(condition, *odds, then, other, w),
            Stmt::While(condition, body) => {
                let condition = match condition {
                    Expr::Bool(true) => "for (;;) {".to_owned(),
                    condition => format!("while ({}) {{", self.expr(condition, 0)),
                };
                w.block(condition, "}", |w| self.stmts(body, w));
            }
            Stmt::Switch(on, cases, other) => self.switch(on, cases, other, w),
            Stmt::Block(body) => w.block("{", "}", |w| self.stmts(body, w)),
            Stmt::Return(value) => w.line(format!("return {};", self.expr(value, 0))),
            Stmt::Native(text, _) => w.lines(text),
            Stmt::Trace(event) => self.event(event, w),
        }
    }

    fn choice(&self, condition: &Expr, odds: Odds, then: &[Stmt], other: &[Stmt], w: &mut Writer) {
        let text = self.expr(condition, 0);
        let text = match (odds, condition) {
            (_, Expr::Bool(false)) => return self.stmts(other, w),
            (_, Expr::Bool(true)) if other.is_empty() => {
                return w.block("{", "}", |w| self.stmts(then, w));
            }
            (Odds::Even, _) => text,
            (Odds::Likely, _) => format!("vproto::likely({text})"),
            (Odds::Unlikely, _) => format!("vproto::unlikely({text})"),
        };
        if let ([only], []) = (then, other)
            && let Stmt::Jump(label) = only
        {
            return w.line(format!("if ({text}) goto {};", label.0));
        }
        if then.is_empty() && other.is_empty() {
            return;
        }
        if let (Some(line), []) = (self.on_a_line(then), other) {
            return w.line(format!("if ({text}) {{ {line} }}"));
        }
        w.open(format!("if ({text}) {{"));
        self.stmts(then, w);
        if !other.is_empty() {
            w.turn("} else {");
            self.stmts(other, w);
        }
        w.close("}");
    }

    /// A few simple statements as one line.
    fn on_a_line(&self, stmts: &[Stmt]) -> Option<String> {
        let simple = |s: &Stmt| matches!(s, Stmt::Set(..) | Stmt::Add(..) | Stmt::Jump(_) | Stmt::Do(_));
        if stmts.len() > 3 || !stmts.iter().all(simple) {
            return None;
        }
        let mut w = Writer::new("");
        self.stmts(stmts, &mut w);
        let text = w.finish().trim_end().replace('\n', " ");
        (text.len() <= 90).then_some(text)
    }

    fn switch(&self, on: &Expr, cases: &[(Vec<u64>, Vec<Stmt>)], other: &[Stmt], w: &mut Writer) {
        w.open(format!("switch ({}) {{", self.expr(on, 0)));
        for (numbers, body) in cases {
            let labels: Vec<String> = numbers.iter().map(|n| format!("case {n}:")).collect();
            if let [Stmt::Jump(label)] = &body[..] {
                w.line(format!("{} goto {};", labels.join(" "), label.0));
                continue;
            }
            if let (Some(line), Some(Stmt::Jump(_))) = (self.on_a_line(body), body.last()) {
                w.line(format!("{} {{ {line} }}", labels.join(" ")));
                continue;
            }
            w.block(format!("{} {{", labels.join(" ")), "}", |w| {
                self.stmts(body, w);
                if !matches!(body.last(), Some(Stmt::Jump(_) | Stmt::Return(_))) {
                    w.line("break;");
                }
            });
        }
        match other {
            [] => w.line("default: break;"),
            [Stmt::Jump(label)] => w.line(format!("default: goto {};", label.0)),
            other => w.block("default: {", "}", |w| {
                self.stmts(other, w);
                if !matches!(other.last(), Some(Stmt::Jump(_) | Stmt::Return(_))) {
                    w.line("break;");
                }
            }),
        }
        w.close("}");
    }

    fn here(&self, site: SiteId) -> String {
        let site = &self.machine().sites[site];
        let file = site.file.and_then(|f| self.machine().files.get(f as usize));
        format!("{}, {}", site.line, file.map_or("nullptr".to_owned(), |f| literal(f.as_bytes())))
    }

    fn event(&self, event: &Event, w: &mut Writer) {
        let symbols = &self.machine().symbols;
        let name = |f: vproto_ir::ids::FunctionId| literal(symbols.functions[f].name.as_bytes());
        match event {
            Event::Capture(site, at_expr, var) => {
                let value = self.traced(*var, None);
                let name = literal(symbols.vars[*var].name.as_bytes());
                let at = self.expr(at_expr, 0);
                w.line(format!(
                    "trace_.capture({}, {}, {name}, {value});",
                    self.outer(&at),
                    self.here(*site)
                ));
            }
            Event::Piece { buffer, site, function, bytes, last, at: at_expr } => {
                if *last {
                    let at = self.expr(at_expr, 0);
                    w.line(format!(
                        "trace_.data({buffer}, {}, {}, {});",
                        self.outer(&at),
                        self.here(*site),
                        name(*function)
                    ));
                } else {
                    w.line(format!("trace_.piece({buffer}, {});", self.expr(bytes, 0)));
                }
            }
            Event::SpanBegin { buffer, site, function } => {
                w.line(format!("trace_.span_begin({buffer}, {}, {});", self.here(*site), name(*function)));
            }
            Event::SpanPiece { buffer, bytes } => {
                w.line(format!("trace_.piece({buffer}, {});", self.expr(bytes, 0)));
            }
            Event::SpanEnd { buffer, site, function, at: at_expr } => {
                let at = self.outer(&self.expr(at_expr, 0));
                match site {
                    Some(site) => {
                        let name = name(*function);
                        w.line(format!("trace_.data({buffer}, {at}, {}, {name});", self.here(*site)));
                    }
                    None => w.line(format!("trace_.span_end({buffer}, {at});")),
                }
            }
            Event::Notify(site, at_expr, function, arguments) => {
                let at = self.outer(&self.expr(at_expr, 0));
                w.line(format!("trace_.notify({at}, {}, {});", self.here(*site), name(*function)));
                for (argument, of) in arguments {
                    let value = match argument {
                        Expr::Var(var) => self.traced(*var, None),
                        Expr::Member(parser, var) => self.traced(*parser, Some(*var)),
                        other => match of {
                            Some(of) => format!(
                                "static_cast<std::uint64_t>({}), {}::{}_names",
                                self.expr(other, 0),
                                self.names.result,
                                self.names.enumeration(*of)
                            ),
                            None => self.expr(other, 1),
                        },
                    };
                    w.line(format!("trace_.argument({value});"));
                }
                w.line("trace_.notified();");
            }
            Event::Error => {
                w.line(format!("trace_.failure({}, error());", self.outer("OFFSET")));
            }
        }
    }

    /// An offset of the module's stream as one of the outer stream.
    fn outer(&self, offset: &str) -> String {
        if offset == "OFFSET" {
            let (first, p) = (self.names.local("first"), self.names.local("p"));
            return format!("trace_.outer + vproto::distance({first}, {p})");
        }
        // These are offsets of bytes of earlier fragments, which the outer stream may have far behind.
        if offset.starts_with("state_.closed") {
            return offset.to_owned();
        }
        if offset == "state_.log_offset" && self.is_sub() {
            return "state_.log_outer".to_owned();
        }
        let base = self.names.local("base");
        match offset.strip_prefix(&format!("{base} + ")) {
            Some(rest) => format!("trace_.outer + {rest}"),
            None => format!("trace_.outer + ({offset} - {base})"),
        }
    }

    /// A variable as the trace shows it: its value, and the members of its enum.
    fn traced(&self, var: VarId, member: Option<VarId>) -> String {
        let (machine, names, text) = match (member, self.machine().symbols.vars[var].ty) {
            (Some(member), VarType::Module(of)) => {
                let inner = &self.program.machines[of];
                (inner, &self.all[of.index()], self.member(var, member))
            }
            _ => (self.machine(), self.names, self.var(var)),
        };
        match machine.symbols.vars[member.unwrap_or(var)].ty {
            VarType::Enum { of, .. } => {
                format!(
                    "static_cast<std::uint64_t>({text}), {}::{}_names",
                    names.result,
                    names.enumeration(of)
                )
            }
            _ => text,
        }
    }
}

/// A byte as a character literal.
pub fn letter(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'\\' => "'\\\\'".to_owned(),
        b'\n' => "'\\n'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        0x20..=0x7e => format!("'{}'", char::from(byte)),
        _ => byte.to_string(),
    }
}

fn is_cursor(expr: &Expr) -> bool {
    match expr {
        Expr::Local(name) => {
            matches!(name.as_str(), "p" | "first" | "stop" | "end") || local_type(name) == Ty::Cursor
        }
        Expr::Field(name) => name.starts_with("span"),
        Expr::Binary(Op::Add | Op::Sub, a, _) => is_cursor(a),
        Expr::Call(Callee::Method(_, "begin"), _) => true,
        _ => false,
    }
}

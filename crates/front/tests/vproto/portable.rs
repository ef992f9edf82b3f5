//! Portable code: what is understood, with which precedence and types, and what is opaque.

use crate::module;
use vproto_ir::ids::Table;
use vproto_ir::portable::{BinaryOp, Code, CodeKind, Expr, ExprKind, Stmt, TextChange, TextQuery, UnaryOp};
use vproto_ir::symbols::Symbols;

const HEAD: &str = "u8:x u16:y i32:z bool:b string:s string_view:v enum{one, two}:e ";

fn symbols(code: &str) -> Symbols {
    module(&format!("{HEAD}{code} \"q\"")).symbols
}

fn last(codes: &Table<vproto_ir::ids::CodeId, Code>) -> CodeKind {
    codes.rows().last().expect("there is code").kind.clone()
}

fn condition(code: &str) -> String {
    let symbols = symbols(&format!("if {{{code}}}"));
    match last(&symbols.codes) {
        CodeKind::Condition(expr) => show(&expr, &symbols),
        other => panic!("{code}: {other:?}"),
    }
}

fn block(code: &str) -> Vec<String> {
    let symbols = symbols(&format!("{{{code}}}"));
    match last(&symbols.codes) {
        CodeKind::Block(block) => block.iter().map(|s| show_stmt(s, &symbols)).collect(),
        other => panic!("{code}: {other:?}"),
    }
}

fn is_opaque(code: &str) -> bool {
    matches!(last(&symbols(code).codes), CodeKind::Opaque { .. })
}

/// An expression with all its parentheses.
fn show(expr: &Expr, symbols: &Symbols) -> String {
    let sub = |e: &Expr| show(e, symbols);
    match &expr.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Text(t) => format!("{:?}", String::from_utf8_lossy(t)),
        ExprKind::Var(v) => symbols.vars[*v].name.clone(),
        ExprKind::Member(v, m) => format!("{}.{m}", symbols.vars[*v].name),
        ExprKind::EnumMember(e, i) => symbols.enums[*e].members[*i as usize].0.clone(),
        ExprKind::Offset => "offset".into(),
        ExprKind::Left => "left".into(),
        ExprKind::Unary(op, a) => {
            let sign = match op {
                UnaryOp::Negate => "-",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
            };
            format!("{sign}{}", sub(a))
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", sub(a), sign(*op), sub(b)),
        ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", sub(c), sub(a), sub(b)),
        ExprKind::Query(TextQuery::Size, t) => format!("{}.size()", sub(t)),
        ExprKind::Query(TextQuery::Empty, t) => format!("{}.empty()", sub(t)),
        ExprKind::Query(TextQuery::Contains(a), t) => format!("{}.contains({})", sub(t), sub(a)),
        ExprKind::Query(TextQuery::StartsWith(a), t) => format!("{}.starts_with({})", sub(t), sub(a)),
        ExprKind::Concat(a, b) => format!("({} ++ {})", sub(a), sub(b)),
        ExprKind::Call(f, a) => format!("{f}({})", a.iter().map(sub).collect::<Vec<_>>().join(", ")),
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

fn show_stmt(stmt: &Stmt, symbols: &Symbols) -> String {
    let sub = |e: &Expr| show(e, symbols);
    let all = |b: &[Stmt]| b.iter().map(|s| show_stmt(s, symbols)).collect::<Vec<_>>().join(" ");
    match stmt {
        Stmt::Assign(v, e) => format!("{} = {};", symbols.vars[*v].name, sub(e)),
        Stmt::Text(v, change) => {
            let name = &symbols.vars[*v].name;
            match change {
                TextChange::Set(e) => format!("{name} = {};", sub(e)),
                TextChange::Append(e) => format!("{name} += {};", sub(e)),
                TextChange::Clear => format!("{name}.clear();"),
                TextChange::Swap(o) => format!("{name}.swap({});", symbols.vars[*o].name),
                TextChange::Push(e) => format!("{name}.push({});", sub(e)),
                TextChange::PushUtf8(e) => format!("{name}.push_utf8({});", sub(e)),
            }
        }
        Stmt::If(c, a, b) => format!("if {} {{ {} }} else {{ {} }}", sub(c), all(a), all(b)),
        Stmt::Notify(f, a) => {
            format!("{}({});", symbols.functions[*f].name, a.iter().map(sub).collect::<Vec<_>>().join(", "))
        }
        Stmt::Return(e) => format!("return {};", e.as_ref().map(sub).unwrap_or_default()),
        Stmt::Print(text, _) => format!("<{text}>"),
    }
}

#[test]
fn precedence_is_that_of_c() {
    assert_eq!(condition("x + y * z - 1"), "((x + (y * z)) - 1)");
    assert_eq!(condition("x << 1 + 2 < 3"), "((x << (1 + 2)) < 3)");
    assert_eq!(condition("x & 1 == 0"), "(x & (1 == 0))");
    assert_eq!(condition("x | y ^ z & 1"), "(x | (y ^ (z & 1)))");
    assert_eq!(condition("x || y && !b"), "(x || (y && !b))");
    assert_eq!(condition("x == 1 ? y : b ? 2 : 3"), "((x == 1) ? y : (b ? 2 : 3))");
    assert_eq!(condition("-x - -1"), "(-x - -1)");
    assert_eq!(condition("~(x + 1)"), "~(x + 1)");
    assert_eq!(condition("x - y - z"), "((x - y) - z)");
}

#[test]
fn numbers_and_texts() {
    assert_eq!(condition("x == 0x1F + 0b11 + 010 + 7u"), "(x == (((31 + 3) + 8) + 7))");
    assert_eq!(
        condition("x == 'A' || x == '\\n' || x == '\\x41'"),
        "(((x == 65) || (x == 10)) || (x == 65))"
    );
    assert_eq!(condition("z == -9223372036854775808"), "(z == -9223372036854775808)");
    assert_eq!(condition("s == \"a\\tb\" /* why */"), "(s == \"a\\tb\")");
    assert_eq!(condition("s + \"x\" != v"), "((s ++ \"x\") != v)");
    assert_eq!(condition("s.size() > 3 && !v.empty()"), "((s.size() > 3) && !v.empty())");
    assert_eq!(condition("s.contains(\"x\") || v.starts_with(s)"), "(s.contains(\"x\") || v.starts_with(s))");
    assert_eq!(condition("offset % 4 == left;"), "((offset % 4) == left)");
    assert_eq!(condition("e == two || one != e || e == 1"), "(((e == two) || (one != e)) || (e == 1))");
}

#[test]
fn statements() {
    assert_eq!(
        block(" x = 1; y += x; z <<= 2; x++; --y; "),
        ["x = 1;", "y = (y + x);", "z = (z << 2);", "x = (x + 1);", "y = (y - 1);"]
    );
    assert_eq!(
        block("if (x) y = 1; else if (b) { y = 2; z = 3; } else foo(x, s);"),
        ["if x { y = 1; } else { if b { y = 2; z = 3; } else { foo(x, s); } }"]
    );
    assert_eq!(
        block("s = \"a\" + v; s += \"x\"; s.clear(); s.push('c'); s.push_utf8(0x20ac);"),
        ["s = (\"a\" ++ v);", "s += \"x\";", "s.clear();", "s.push(99);", "s.push_utf8(8364);"]
    );
    assert_eq!(block("return x == 1"), ["return (x == 1);"]);
    assert_eq!(block("return;"), ["return ;"]);
    assert_eq!(block(";;"), [""; 0]);
    assert_eq!(block("e = two; v.clear();"), ["e = two;", "v.clear();"]);
    assert_eq!(
        block("printf(\"%u)\\n\", x[1], ')'); x = 2;"),
        ["<printf(\"%u)\\n\", x[1], ')');>", "x = 2;"]
    );
}

#[test]
fn all_else_is_opaque() {
    for code in [
        "{ std::cout << x; }",
        "{ int q = 3; }",
        "{ for (;;) {} }",
        "{ x = f(y); }",
        "{ q[1] = 2; }",
        "{ x = y = 1; }",
        "if {f(x)}",
        "if {x == 1.5}",
        "if {s < v}",
        "{cpp: x = 1; }",
        "{rust: self.x = 1; }",
    ] {
        assert!(is_opaque(code), "{code}");
    }
    // A name that is only mentioned in opaque code makes no function.
    assert!(symbols("{ foo(x); std::abort(); }").functions.is_empty());
}

#[test]
fn the_language_of_opaque_code_is_kept() {
    let symbols = symbols("{rust: self.x = 1; } if {std::f()}");
    let code = &symbols.codes.rows()[0];
    assert_eq!(code.kind, CodeKind::Opaque { language: Some("rust".into()), condition: false });
    assert_eq!(code.text, " self.x = 1; ");
    assert_eq!(symbols.codes.rows()[1].kind, CodeKind::Opaque { language: None, condition: true });
}

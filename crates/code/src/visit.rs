//! Walks over the code tree.

use crate::tree::{Event, Expr, Stmt};
use std::collections::BTreeSet;

/// The locals whose value some statement reads; what is only assigned to is not among them.
pub fn read_locals(body: &[Stmt]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    statements(body, &mut |expr| {
        if let Expr::Local(name) = expr {
            found.insert(name.clone());
        }
    });
    found
}

/// Whether some statement calls a function of the parser.
pub fn calls(body: &[Stmt], function: &str) -> bool {
    let mut found = false;
    statements(body, &mut |expr| {
        found |= matches!(expr, Expr::Call(crate::tree::Callee::Own(name), _) if name == function);
    });
    found
}

/// The locals that some statement names, be it to assign to them.
pub fn named_locals(body: &[Stmt]) -> BTreeSet<String> {
    let mut found = read_locals(body);
    let mut work: Vec<&Stmt> = body.iter().collect();
    while let Some(stmt) = work.pop() {
        match stmt {
            Stmt::Set(Expr::Local(name), _) | Stmt::Add(Expr::Local(name), _) => {
                found.insert(name.clone());
            }
            Stmt::If(_, _, a, b) => work.extend(a.iter().chain(b)),
            Stmt::While(_, a) | Stmt::Block(a) => work.extend(a),
            Stmt::Switch(_, cases, other) => work.extend(cases.iter().flat_map(|(_, c)| c).chain(other)),
            _ => {}
        }
    }
    found
}

fn statements(body: &[Stmt], see: &mut dyn FnMut(&Expr)) {
    for stmt in body {
        match stmt {
            Stmt::Set(Expr::Local(_), value) | Stmt::Add(Expr::Local(_), value) | Stmt::Let(_, _, value) => {
                expression(value, see);
            }
            Stmt::Set(place, value) | Stmt::Add(place, value) => {
                expression(place, see);
                expression(value, see);
            }
            Stmt::Do(value) | Stmt::Return(value) => expression(value, see),
            Stmt::If(condition, _, then, other) => {
                expression(condition, see);
                statements(then, see);
                statements(other, see);
            }
            Stmt::While(condition, body) => {
                expression(condition, see);
                statements(body, see);
            }
            Stmt::Switch(on, cases, other) => {
                expression(on, see);
                cases.iter().for_each(|(_, body)| statements(body, see));
                statements(other, see);
            }
            Stmt::Block(body) => statements(body, see),
            Stmt::Trace(event) => parts(event).into_iter().for_each(|e| expression(e, see)),
            Stmt::Comment(_) | Stmt::Label(_) | Stmt::Jump(_) | Stmt::Native(..) => {}
        }
    }
}

fn parts(event: &Event) -> Vec<&Expr> {
    match event {
        Event::Capture(_, at, _) | Event::SpanEnd { at, .. } => vec![at],
        Event::Piece { bytes, at, .. } => vec![bytes, at],
        Event::SpanPiece { bytes, .. } => vec![bytes],
        Event::Notify(_, at, _, arguments) => {
            std::iter::once(at).chain(arguments.iter().map(|(e, _)| e)).collect()
        }
        Event::SpanBegin { .. } | Event::Error => Vec::new(),
    }
}

/// An expression and all inside of it.
fn expression(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Element(_, a) | Expr::Not(a) | Expr::Byte(a) | Expr::In(_, a) | Expr::Lookup(_, a) => {
            expression(a, see);
        }
        Expr::Cast(_, a) | Expr::CastVar(_, a) => expression(a, see),
        Expr::Binary(_, a, b) | Expr::Distance(a, b) | Expr::Piece(a, b) | Expr::Skip(_, a, b) => {
            expression(a, see);
            expression(b, see);
        }
        Expr::Choose(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, see)),
        Expr::Call(callee, arguments) => {
            if let crate::tree::Callee::Method(object, _) = callee {
                expression(object, see);
            }
            arguments.iter().for_each(|e| expression(e, see));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignment_is_no_reading() {
        let body = [Stmt::Set(Expr::local("a"), Expr::local("b")), Stmt::Add(Expr::local("c"), Expr::Int(1))];
        assert_eq!(read_locals(&body), BTreeSet::from(["b".to_owned()]));
    }
}

//! A machine of many states becomes several functions: C++ compilers take longer than linear time for one.
//!
//! The states are dealt out to *parts* in their order, by preference cut where a tree begins. A jump to a label of
//! another function leaves with the label's number in `goal`; the main function, which keeps the routines, calls the part
//! that has the label. Locals live in `w` in between: each part loads those that it names and stores them when it
//! leaves. A machine of few states stays one function, whose jumps are free.

use super::r#gen::Gen;
use crate::tree::{Callee, Expr, Field, Function, FunctionRole, Label, Op, Stmt, Ty, label};
use crate::visit::named_locals;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use vproto_ir::ids::StateId;
use vproto_ir::machine::Kind;

/// What one state adds to the function: its statements, and those that are rarely reached.
pub struct Segment {
    /// The state.
    pub state: StateId,
    /// Its statements; they do not run on into the next segment.
    pub body: Vec<Stmt>,
    /// What stands behind the last state.
    pub cold: Vec<Stmt>,
}

/// How large functions may be, in statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// A machine with no more stays one function.
    pub whole: usize,
    /// About so many are one part.
    pub part: usize,
    /// So many states have a label each; in a larger machine regions of branchings are tables.
    pub labels: usize,
}

impl Sizes {
    /// Everything is dealt out and every region is a table: for tests, whose machines are small.
    pub fn tiny() -> Sizes {
        Sizes { whole: 0, part: 40, labels: 0 }
    }
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { whole: 4000, part: 500, labels: 300 }
    }
}

/// Locals of the main function that parts see and do not change.
const FIXED: [&str; 4] = ["first", "stop", "base", "ending"];

/// The functions of a machine that is dealt out, and the locals that they share.
pub struct Split {
    /// The body of the main function.
    pub main: Vec<Stmt>,
    /// Parts.
    pub parts: Vec<Function>,
    /// What is in `w`.
    pub shared: Vec<Field>,
}

impl Gen<'_> {
    /// Deals the states out, if there are many. `around` is what stands before and behind them in the main function.
    pub fn split(&self, segments: Vec<Segment>, before: Vec<Stmt>, behind: Vec<Stmt>) -> Split {
        let total: usize = segments.iter().map(size_of).sum();
        if total <= self.options.sizes.whole {
            let (bodies, colds): (Vec<_>, Vec<_>) = segments.into_iter().map(|s| (s.body, s.cold)).unzip();
            let main = [before, bodies.concat(), colds.concat(), behind].concat();
            return Split { main: super::goto::tidy(main), parts: Vec::new(), shared: Vec::new() };
        }
        let bodies = self.deal(segments);
        let (mut main, mut behind) = (before, behind);
        let exports = Exports::new(&[main.clone(), behind.clone()].concat(), &bodies);
        let shared = self.shared();
        let mut parts = Vec::new();
        for (index, mut body) in bodies.into_iter().enumerate() {
            exports.rename(&mut body, index + 1);
            parts.push(part(index, super::goto::tidy(exports.entry(index + 1, body)), &shared));
        }
        exports.rename(&mut main, 0);
        exports.rename(&mut behind, 0);
        main.extend(trampoline(&exports, &parts, &shared));
        main.extend(behind);
        Split { main: super::goto::tidy(main), parts, shared }
    }

    /// Consecutive states together, about as many as a part may have.
    fn deal(&self, segments: Vec<Segment>) -> Vec<Vec<Stmt>> {
        let heads: FxHashSet<StateId> = self
            .facts
            .calls
            .iter()
            .filter_map(|call| match &self.m.state(*call).kind {
                Kind::Call { to, .. } => Some(to.to),
                _ => None,
            })
            .collect();
        let most = self.options.sizes.part;
        let mut bodies: Vec<Vec<Stmt>> = Vec::new();
        let (mut body, mut cold, mut size) = (Vec::new(), Vec::new(), 0);
        for segment in segments {
            let begins_tree = heads.contains(&segment.state);
            if size > most || size > most / 2 && begins_tree {
                bodies.push([std::mem::take(&mut body), std::mem::take(&mut cold)].concat());
                size = 0;
            }
            size += size_of(&segment);
            body.extend(segment.body);
            cold.extend(segment.cold);
        }
        bodies.push([body, cold].concat());
        bodies
    }

    /// What is handed from part to part.
    fn shared(&self) -> Vec<Field> {
        let fixed = FIXED.iter().map(|name| fixed_field(name));
        let moved = ["p", "end"].iter().map(|name| field(name, Ty::Cursor));
        let locals = self.local_fields().into_iter().filter(|l| l.count == 0 && l.name != "goal");
        fixed.chain(moved).chain(locals).collect()
    }
}

fn field(name: &str, ty: Ty) -> Field {
    Field { name: name.to_owned(), ty, count: 0, doc: String::new(), start: 0 }
}

fn fixed_field(name: &str) -> Field {
    field(name, if matches!(name, "first" | "stop") { Ty::Cursor } else { Ty::Unsigned(64) })
}

/// Statements, those inside others too.
fn size_of(segment: &Segment) -> usize {
    count(&segment.body) + count(&segment.cold)
}

fn count(body: &[Stmt]) -> usize {
    let inner = |stmt: &Stmt| match stmt {
        Stmt::If(_, _, a, b) => count(a) + count(b),
        Stmt::While(_, a) | Stmt::Block(a) => count(a),
        Stmt::Switch(_, cases, other) => cases.iter().map(|(_, c)| count(c)).sum::<usize>() + count(other),
        _ => 0,
    };
    body.iter().map(|stmt| 1 + inner(stmt)).sum()
}

/// Labels that other functions jump to. Function 0 is the main one.
struct Exports {
    home: FxHashMap<Label, usize>,
    numbers: FxHashMap<Label, u64>,
    /// By number: the function and the label.
    labels: Vec<(usize, Label)>,
}

impl Exports {
    fn new(main: &[Stmt], bodies: &[Vec<Stmt>]) -> Exports {
        let mut home = FxHashMap::default();
        let functions: Vec<&[Stmt]> = std::iter::once(main).chain(bodies.iter().map(Vec::as_slice)).collect();
        for (index, body) in functions.iter().enumerate() {
            walk(body, &mut |stmt| {
                if let Stmt::Label(label) = stmt {
                    home.insert(label.clone(), index);
                }
            });
        }
        let mut wanted = BTreeSet::new();
        for (index, body) in functions.iter().enumerate() {
            walk(body, &mut |stmt| {
                if let Stmt::Jump(label) = stmt
                    && let Some(of) = home.get(label)
                    && *of != index
                {
                    wanted.insert((*of, label.clone()));
                }
            });
        }
        let labels: Vec<(usize, Label)> = wanted.into_iter().collect();
        let numbers = labels.iter().enumerate().map(|(n, (_, label))| (label.clone(), n as u64)).collect();
        Exports { home, numbers, labels }
    }

    /// Jumps out of a function leave it.
    fn rename(&self, body: &mut Vec<Stmt>, function: usize) {
        let leave = if function == 0 { "away" } else { "leave" };
        for stmt in std::mem::take(body) {
            match stmt {
                Stmt::Jump(target) if self.home.get(&target).is_some_and(|of| *of != function) => {
                    let number = self.numbers.get(&target).copied().unwrap_or(0);
                    body.push(Stmt::Set(Expr::local("goal"), Expr::Int(number)));
                    body.push(Stmt::jump(leave, ""));
                }
                Stmt::If(c, odds, mut a, mut b) => {
                    self.rename(&mut a, function);
                    self.rename(&mut b, function);
                    body.push(Stmt::If(c, odds, a, b));
                }
                Stmt::While(c, mut a) => {
                    self.rename(&mut a, function);
                    body.push(Stmt::While(c, a));
                }
                Stmt::Block(mut a) => {
                    self.rename(&mut a, function);
                    body.push(Stmt::Block(a));
                }
                Stmt::Switch(on, mut cases, mut other) => {
                    cases.iter_mut().for_each(|(_, c)| self.rename(c, function));
                    self.rename(&mut other, function);
                    body.push(Stmt::Switch(on, cases, other));
                }
                other => body.push(other),
            }
        }
    }

    /// The numbers of a function's labels that others jump to; those of the main function come first.
    fn numbers_of(&self, function: usize) -> Vec<u64> {
        let from = self.labels.partition_point(|(of, _)| *of < function);
        let to = self.labels.partition_point(|(of, _)| *of <= function);
        (from as u64..to as u64).collect()
    }

    /// The switch over those labels.
    fn cases(&self, function: usize) -> Vec<(Vec<u64>, Vec<Stmt>)> {
        let target = |number: &u64| vec![Stmt::Jump(self.labels[*number as usize].1.clone())];
        self.numbers_of(function).into_iter().map(|number| (vec![number], target(&number))).collect()
    }

    /// A part's body behind the switch that enters it.
    fn entry(&self, function: usize, body: Vec<Stmt>) -> Vec<Stmt> {
        let other = vec![Stmt::jump("leave", "")];
        let mut whole = vec![Stmt::Switch(Expr::local("goal"), self.cases(function), other)];
        whole.extend(body);
        whole
    }
}

fn walk(body: &[Stmt], see: &mut dyn FnMut(&Stmt)) {
    for stmt in body {
        see(stmt);
        match stmt {
            Stmt::If(_, _, a, b) => {
                walk(a, see);
                walk(b, see);
            }
            Stmt::While(_, a) | Stmt::Block(a) => walk(a, see),
            Stmt::Switch(_, cases, other) => {
                cases.iter().for_each(|(_, c)| walk(c, see));
                walk(other, see);
            }
            _ => {}
        }
    }
}

fn shared_local(name: &str) -> Expr {
    Expr::Local(format!("w.{name}"))
}

/// The function of a part.
fn part(index: usize, body: Vec<Stmt>, shared: &[Field]) -> Function {
    let named = named_locals(&body);
    let fixed = |f: &Field| FIXED.contains(&f.name.as_str());
    let mut own: Vec<Field> =
        shared.iter().filter(|f| fixed(f) || named.contains(&f.name)).cloned().collect();
    let load = own.iter().map(|f| Stmt::Set(Expr::local(&f.name), shared_local(&f.name)));
    let store =
        own.iter().filter(|f| !fixed(f)).map(|f| Stmt::Set(shared_local(&f.name), Expr::local(&f.name)));
    let mut whole: Vec<Stmt> = load.collect();
    whole.extend(body);
    whole.push(Stmt::label("leave", ""));
    whole.extend(store);
    whole.push(Stmt::Return(Expr::local("goal")));
    if named.contains("scratch") {
        own.push(Field { count: 256, ..field("scratch", Ty::Unsigned(8)) });
    }
    Function {
        name: format!("part{index}_"),
        doc: "States that are near each other.".to_owned(),
        role: FunctionRole::Part,
        locals: own,
        body: whole,
    }
}

/// Calls the part that has the wanted label, until it is one of the main function's.
fn trampoline(exports: &Exports, parts: &[Function], shared: &[Field]) -> Vec<Stmt> {
    let goal = Expr::local("goal");
    let changed = || shared.iter().filter(|f| !FIXED.contains(&f.name.as_str()));
    let mut body = vec![Stmt::label("away", "")];
    body.extend(changed().map(|f| Stmt::Set(shared_local(&f.name), Expr::local(&f.name))));
    let calls = parts.iter().enumerate().map(|(index, part)| {
        let call = Expr::Call(Callee::Own(part.name.clone()), vec![Expr::local("w"), goal.clone()]);
        (exports.numbers_of(index + 1), vec![Stmt::Set(goal.clone(), call)])
    });
    let calls: Vec<_> = calls.filter(|(numbers, _)| !numbers.is_empty()).collect();
    let own = Expr::Int(exports.numbers_of(0).len() as u64);
    let pick = Stmt::Switch(goal.clone(), calls, vec![Stmt::Set(goal.clone(), Expr::Int(0))]);
    body.push(Stmt::While(goal.clone().op(Op::GreaterEqual, own), vec![pick]));
    body.extend(changed().map(|f| Stmt::Set(Expr::local(&f.name), shared_local(&f.name))));
    body.push(Stmt::Switch(goal, exports.cases(0), vec![Stmt::Jump(label("uncaught", ""))]));
    body
}

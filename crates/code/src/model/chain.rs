//! Chain plans: items of exact length behind one test of length, with the actions of the states they replace.

use super::facts::Captures;
use super::r#gen::Gen;
use crate::tree::{Expr, Op as Do, Stmt};
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::StateId;
use vproto_ir::machine::{Bound, Chain, Kind, Layout, Plan, Text};

impl Gen<'_> {
    /// The plans that stand at a state.
    pub fn plans(&mut self, id: StateId) {
        let m = self.m;
        for index in self.plans_at.get(&id).cloned().unwrap_or_default() {
            let Plan::Chain(chain) = &m.plans[index];
            self.chain(chain);
        }
    }

    /// Plans by the state at which they stand, without those that do no more than the state itself.
    pub fn find_plans(&mut self) {
        for (index, Plan::Chain(chain)) in self.m.plans.iter().enumerate() {
            let own =
                match &self.m.state(chain.at).kind {
                    Kind::Literal { text: Text::Bytes(text), next, .. } => Some((text.len(), next)),
                    Kind::Scan {
                        set, lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, next, ..
                    } if lo == hi && set.is_all() => Some((*hi as usize, next)),
                    _ => None,
                };
            let same = own.is_some_and(|(length, next)| {
                next.to == chain.to && matches!(&chain.layouts[..], [one] if one.bytes.len() == length)
            });
            if !same {
                self.plans_at.entry(chain.at).or_default().push(index);
            }
        }
    }

    fn chain(&mut self, chain: &Chain) {
        let longest = chain.layouts.iter().map(|layout| layout.bytes.len()).max().unwrap_or(0) as u64;
        for layout in &chain.layouts {
            let p = Expr::local("p");
            let enough = p.clone().to(Expr::local("end")).op(Do::GreaterEqual, Expr::Int(longest));
            let test =
                self.checks(&layout.bytes).into_iter().fold(enough, |all, check| all.op(Do::Both, check));
            let body = self.apart(|g| g.walk_layout(chain, layout));
            self.put(Stmt::likely(test, body));
        }
    }

    /// Wide compares for known bytes, then one test a class.
    fn checks(&mut self, bytes: &[ByteSet]) -> Vec<Expr> {
        let mut checks = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let run = bytes[at..].iter().take_while(|set| letter(set).is_some()).count();
            if run >= 2 {
                let text: Vec<u8> =
                    bytes[at..at + run].iter().filter_map(|set| letter(set).map(|l| l.0)).collect();
                let folded = bytes[at..at + run].iter().any(|set| letter(set).is_some_and(|l| l.1));
                let name = if folded { "same_folded" } else { "same" };
                let from = self.plus(at);
                let text = if folded { folded_text(&bytes[at..at + run], text) } else { Some(text) };
                if let Some(text) = text {
                    let arguments = vec![from, Expr::Text(text)];
                    checks.push(Expr::runtime_with(name, vec![run as u64], arguments));
                    at += run;
                    continue;
                }
            }
            if !bytes[at].is_all() {
                let byte = self.plus(at).byte();
                checks.push(self.contains(&bytes[at], byte));
            }
            at += 1;
        }
        checks
    }

    fn plus(&self, at: usize) -> Expr {
        if at == 0 { Expr::local("p") } else { Expr::local("p").plus(Expr::Int(at as u64)) }
    }

    fn walk_layout(&mut self, chain: &Chain, layout: &Layout) {
        let mut at = 0;
        let mut captures = self.facts.at(chain.at);
        let mut visible = false;
        for (place, action) in &layout.actions {
            if *place > at {
                self.advance(u64::from(place - at), &captures);
                at = *place;
            }
            self.action(action, &captures);
            captures.step(action);
            let edge = vproto_ir::machine::Edge { actions: vec![action.clone()], to: chain.to };
            visible |= super::facts::visible_edge(self.m, &edge);
        }
        let rest = layout.bytes.len() as u64 - u64::from(at);
        if rest > 0 {
            self.advance(rest, &captures);
        }
        self.enter(chain.to, visible);
    }

    /// Takes bytes that were checked; captures may still refuse one.
    fn advance(&mut self, count: u64, captures: &Captures) {
        self.put(Stmt::Add(Expr::local("p"), Expr::Int(count)));
        let state = self.state;
        if let Some(token) = captures.open.last().and_then(|span| self.token_state(*span)) {
            self.state = token;
        }
        self.show_bytes(captures, Some(count));
        self.state = state;
    }

    /// The states that chains replace keep their labels; this one is where a chain stands.
    pub fn has_plan(&self, id: StateId) -> bool {
        self.plans_at.contains_key(&id)
    }
}

/// The one letter of a set, and whether both cases of it are members.
fn letter(set: &ByteSet) -> Option<(u8, bool)> {
    let members: Vec<u8> = set.iter().take(3).collect();
    match members[..] {
        [one] => Some((one, false)),
        [upper, lower] if upper.is_ascii_uppercase() && upper.to_ascii_lowercase() == lower => {
            Some((lower, true))
        }
        _ => None,
    }
}

/// Lower-case letters, if every letter of the run takes both cases.
fn folded_text(sets: &[ByteSet], text: Vec<u8>) -> Option<Vec<u8>> {
    let all =
        sets.iter().all(|set| letter(set).is_some_and(|(byte, folds)| folds || !byte.is_ascii_alphabetic()));
    all.then_some(text)
}

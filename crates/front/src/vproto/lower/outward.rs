//! What lies around a branching: where a leaf line returns to, and who takes an exception.
//!
//! Both questions walk outward over parent lines. They are answered for all branchings at once, outer ones first,
//! so that nesting 10,000 deep costs no more than its size.

use super::build::Builder;
use vproto_ir::grammar::{Branching, LineRole, Module};
use vproto_ir::ids::{BranchingId, Id, MarkId, SiteId, StateId};
use vproto_ir::machine::{Action, Edge, ErrorKind, Handler, Kind, Op, Predicate};

/// Per branching: its states and what is outside of it.
pub(super) struct Outward {
    /// The state that enters it.
    pub(super) entry: Vec<StateId>,
    /// Who takes what its alternatives raise.
    pub(super) handler: Vec<Handler>,
    /// Who takes what its handler lines raise.
    pub(super) outer_handler: Vec<Handler>,
    /// Where a leaf line of it goes.
    pub(super) leaf: Vec<StateId>,
    /// Who would be asked at its dispatch.
    pub(super) site: Vec<SiteId>,
    /// The first state of its `catch:` line.
    pub(super) catch: Vec<Option<StateId>>,
}

/// The mark that every entry of a branching stores.
pub(super) fn mark_of(branching: BranchingId) -> MarkId {
    MarkId::from_index(branching.index())
}

/// The actions of entering a branching.
pub(super) fn entering(id: BranchingId, branching: &Branching) -> Vec<Action> {
    let mut actions = vec![Action { op: Op::Mark(mark_of(id)), site: None }];
    if branching.home {
        actions.push(Action { op: Op::Home(branching.tree), site: None });
    }
    actions
}

impl Outward {
    /// Reserves the states of all branchings and answers for them.
    pub(super) fn new(module: &Module, out: &mut Builder<'_>) -> Outward {
        let mut ids: Vec<BranchingId> = module.branchings.ids().collect();
        ids.sort_by_key(|&b| module.branchings[b].depth);
        let entry = ids.iter().map(|_| out.reserve()).collect();
        let catch = module.branchings.iter().map(|(_, b)| b.catch.map(|_| out.reserve())).collect();
        let count = ids.len();
        let mut all = Outward {
            entry,
            handler: vec![Handler::Stop; count],
            outer_handler: vec![Handler::Stop; count],
            leaf: vec![StateId(0); count],
            site: Vec::new(),
            catch,
        };
        ids.iter().for_each(|&b| all.find_handlers(module, b));
        all.site = module.branchings.ids().map(|b| all.site_of(module, out, b)).collect();
        ids.iter().for_each(|&b| all.find_leaf(module, out, b));
        all
    }

    fn find_handlers(&mut self, module: &Module, id: BranchingId) {
        let branching = &module.branchings[id];
        let outer = match branching.parent {
            None => Handler::Up,
            Some(parent) if module.lines[parent].continues || branching.home => {
                let line = &module.lines[parent];
                match line.role {
                    LineRole::Alternative => self.handler[line.branching.index()],
                    LineRole::Catch | LineRole::Finish => self.outer_handler[line.branching.index()],
                }
            }
            Some(_) => Handler::Stop,
        };
        self.outer_handler[id.index()] = outer;
        self.handler[id.index()] = self.catch[id.index()].map_or(outer, Handler::Catch);
    }

    /// At a branching errors name the first token of its first alternative.
    fn site_of(&self, module: &Module, out: &mut Builder<'_>, id: BranchingId) -> SiteId {
        let branching = &module.branchings[id];
        let lines = branching.alternatives.iter().chain(&branching.finish).chain(&branching.catch);
        let line = lines.copied().next().or(branching.parent);
        let span = line.map(|l| module.lines[l].span).unwrap_or_default();
        out.site(span, self.handler[id.index()], None)
    }

    /// `test moved` of the branching that a leaf returns to; not moved: on outward, and at a home the error.
    fn find_leaf(&mut self, module: &Module, out: &mut Builder<'_>, id: BranchingId) {
        let branching = &module.branchings[id];
        let outer = branching.parent.map(|parent| module.lines[parent].branching);
        if let (Some(parent), Some(outer)) = (branching.parent, outer)
            && module.lines[parent].continues
        {
            self.leaf[id.index()] = self.leaf[outer.index()];
            return;
        }
        let site = self.site[id.index()];
        let other = match outer {
            Some(outer) if !branching.home => self.leaf[outer.index()],
            _ => out.state(Kind::Raise(ErrorKind::NoProgress), Some(site)),
        };
        let test = Kind::Test {
            what: Predicate::Moved(mark_of(id)),
            then: Edge::to(self.entry[id.index()]),
            other: Edge::to(other),
        };
        self.leaf[id.index()] = out.state(test, Some(site));
    }
}

//! Small changes that several passes make.

use vproto_ir::analyses::steps;
use vproto_ir::ids::{Id, SiteId, StateId};
use vproto_ir::machine::{Action, Edge, Handler, Kind, Machine, Site, State};

/// Makes holes of states that nothing leads to.
pub fn sweep(machine: &mut Machine) {
    let drop = steps::droppable(machine);
    for (id, state) in machine.states.iter_mut() {
        if drop[id.index()] {
            *state = None;
        }
    }
}

/// The edge that does what `first` does and then what `second` does, whose actions belong to a state of `site`.
pub fn join(first: &Edge, second: &Edge, site: Option<SiteId>) -> Edge {
    let own = |a: &Action| Action { op: a.op.clone(), site: a.site.or(site) };
    let actions = first.actions.iter().cloned().chain(second.actions.iter().map(own)).collect();
    Edge { actions, to: second.to }
}

/// The actions of an edge with the places that they have at their state.
pub fn placed(edge: &Edge, site: Option<SiteId>) -> Edge {
    join(&Edge::to(edge.to), edge, site)
}

/// A site like another one that reports `wants`.
pub fn site_with(machine: &mut Machine, site: SiteId, wants: Option<String>) -> SiteId {
    let wanted = Site { wants, ..machine.sites[site].clone() };
    let known = machine.sites.iter().find(|(_, s)| **s == wanted).map(|(id, _)| id);
    known.unwrap_or_else(|| machine.sites.push(wanted))
}

/// Appends a state.
pub fn add(machine: &mut Machine, kind: Kind, site: Option<SiteId>) -> StateId {
    machine.states.push(Some(State { kind, site }))
}

/// Lets every edge, every handler and the start lead where `target` says.
pub fn redirect(machine: &mut Machine, target: impl Fn(StateId) -> StateId) {
    machine.start = target(machine.start);
    for (_, site) in machine.sites.iter_mut() {
        if let Handler::Catch(state) = &mut site.handler {
            *state = target(*state);
        }
    }
    for (_, state) in machine.states.iter_mut() {
        let Some(state) = state else { continue };
        state.kind.edges_mut().into_iter().for_each(|e| e.to = target(e.to));
    }
}

//! `fold_equal`: states that cannot be told apart become one. Kind, actions, places and the captures that are open
//! belong to equality: error lines and columns are behaviour. Targets come before their users, and the whole is
//! repeated, for a fold may make users in a loop equal.

use super::edit;
use rustc_hash::FxHashMap;
use vproto_ir::analyses::captures::{Captures, captures};
use vproto_ir::ids::{Id, SiteId, StateId};
use vproto_ir::machine::{Handler, Machine, Site, State};

/// Stands for the state itself in its own edges.
const SELF: StateId = StateId(u32::MAX);

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    let (open, _) = captures(machine);
    let order = targets_first(machine);
    loop {
        let targets = fold(machine, &order, &open);
        if targets.iter().enumerate().all(|(i, t)| t.index() == i) {
            break;
        }
        edit::redirect(machine, |id| targets[id.index()]);
        for (i, target) in targets.iter().enumerate() {
            if target.index() != i {
                machine.states[StateId::from_index(i)] = None;
            }
        }
    }
    edit::sweep(machine);
}

/// The state that each state becomes.
fn fold(machine: &Machine, order: &[StateId], open: &[Option<Captures>]) -> Vec<StateId> {
    let mut targets: Vec<StateId> = machine.states.ids().collect();
    let sites = equal_sites(machine);
    let mut known: FxHashMap<(State, &Option<Captures>), StateId> = FxHashMap::default();
    for &id in order {
        let Some(state) = &machine.states[id] else { continue };
        let mut key = state.clone();
        let site = |site: &mut Option<SiteId>| *site = site.map(|s| sites[s.index()]);
        site(&mut key.site);
        for edge in key.kind.edges_mut() {
            edge.to = if edge.to == id { SELF } else { targets[edge.to.index()] };
            edge.actions.iter_mut().for_each(|a| site(&mut a.site));
        }
        targets[id.index()] = *known.entry((key, &open[id.index()])).or_insert(id);
    }
    targets
}

/// The first site that says the same.
fn equal_sites(machine: &Machine) -> Vec<SiteId> {
    let mut known: FxHashMap<&Site, SiteId> = FxHashMap::default();
    machine.sites.iter().map(|(id, site)| *known.entry(site).or_insert(id)).collect()
}

/// States in an order in which those that an edge leads to come before it, save in loops.
fn targets_first(machine: &Machine) -> Vec<StateId> {
    let mut seen = vec![false; machine.states.len()];
    let mut order = Vec::new();
    let handlers = machine.sites.iter().filter_map(|(_, s)| match s.handler {
        Handler::Catch(state) => Some(state),
        _ => None,
    });
    for root in handlers.chain([machine.start]) {
        let mut path = vec![(root, 0)];
        while let Some((id, next)) = path.pop() {
            let Some(state) = &machine.states[id] else { continue };
            if next == 0 && std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match state.kind.edges().get(next) {
                Some(edge) => {
                    path.push((id, next + 1));
                    path.push((edge.to, 0));
                }
                None => order.push(id),
            }
        }
    }
    order
}

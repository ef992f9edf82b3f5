//! `inline`: the states of a small tree take the place of a plain call to it.
//!
//! Only calls without fence, count and `keep`, to trees that do not call themselves, share no state with what calls
//! them, ask for no progress and end no spans. The limit of calls counts: where it can be exceeded, only trees
//! without calls, called from the stream's own tree, are inlined.

use super::edit;
use rustc_hash::{FxHashMap, FxHashSet};
use vproto_ir::analyses::steps;
use vproto_ir::ids::{Id, SiteId, StateId};
use vproto_ir::machine::{Handler, Kind, Machine, Op, Predicate, Site, State};

/// Most states of a tree that is called once.
const LARGE: usize = 256;
/// Most states that the copies of one tree may come to.
const COPIES: usize = 96;

/// Runs the pass.
pub fn run(machine: &mut Machine) {
    if machine.symbols.limits.calls == 0 {
        return;
    }
    // One level of calls a round; trees that call themselves are left, so the rounds end.
    for _ in 0..MOST_ROUNDS {
        let calls = calls(machine);
        if calls.is_empty() {
            break;
        }
        for (call, body) in calls {
            inline(machine, call, &body);
        }
        edit::sweep(machine);
    }
}

/// Deepest nesting of calls that is followed.
const MOST_ROUNDS: usize = 16;

/// Calls that can be replaced, each with the states of its callee: callees that call others wait for a later round.
fn calls(machine: &Machine) -> Vec<(StateId, Vec<StateId>)> {
    let mut targets: FxHashMap<StateId, Vec<StateId>> = FxHashMap::default();
    for (id, state) in machine.states.iter() {
        if let Some(State { kind: Kind::Call { to, .. }, .. }) = state {
            targets.entry(to.to).or_default().push(id);
        }
    }
    let mut entries: Vec<StateId> = targets.keys().copied().collect();
    entries.sort();
    let bottom = bottom(machine);
    let mut found = Vec::new();
    for entry in entries {
        let callers = &targets[&entry];
        let Some(body) = body(machine, entry) else { continue };
        let plain = |id: &StateId| {
            let call = &machine.state(*id).kind;
            matches!(call, Kind::Call { fence: false, times: false, keep, .. } if keep.is_empty())
                && (machine.symbols.limits.calls_exact || bottom[id.index()])
        };
        let size = body.len();
        if size > LARGE || (callers.len() > 1 && size * callers.len() > COPIES) {
            continue;
        }
        let owned = |id: &StateId| bottom[id.index()];
        let own: FxHashSet<StateId> = body.iter().copied().collect();
        if body.iter().any(owned) || callers.iter().any(|call| own.contains(call)) {
            continue;
        }
        found.extend(callers.iter().filter(|c| plain(c)).map(|c| (*c, body.clone())));
    }
    // A body must not change while it waits, so no call that is replaced may stand in a body of this round.
    let replaced: FxHashSet<StateId> = found.iter().map(|(call, _)| *call).collect();
    found.retain(|(_, body)| !body.iter().any(|state| replaced.contains(state)));
    found
}

/// The states that the bottom activation can be in.
fn bottom(machine: &Machine) -> Vec<bool> {
    let mut seen = vec![false; machine.states.len()];
    let mut work = vec![machine.start];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        work.extend(own_successors(machine, machine.state(id)));
    }
    seen
}

/// What comes next in the same activation.
fn own_successors(machine: &Machine, state: &State) -> Vec<StateId> {
    let mut next: Vec<StateId> = Vec::new();
    let sites = state.kind.edges().into_iter().flat_map(|e| e.actions.iter().map(|a| a.site));
    next.extend(sites.chain([state.site]).filter_map(|site| steps::handler(machine, site)));
    match &state.kind {
        Kind::Call { next: edge, .. } => next.push(edge.to),
        kind => next.extend(kind.edges().iter().map(|e| e.to)),
    }
    next
}

/// The states of a callee, if they can stand elsewhere.
fn body(machine: &Machine, entry: StateId) -> Option<Vec<StateId>> {
    let mut seen: FxHashSet<StateId> = FxHashSet::default();
    let mut body = Vec::new();
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        let state = machine.state(id);
        if !may_move(machine, state) || body.len() > LARGE {
            return None;
        }
        body.push(id);
        work.extend(own_successors(machine, state));
    }
    Some(body)
}

fn may_move(machine: &Machine, state: &State) -> bool {
    let unmoved = !matches!(
        &state.kind,
        Kind::Test { what: Predicate::Moved(_) | Predicate::MovedBottom(_), .. } | Kind::End(_)
    );
    let calls = matches!(state.kind, Kind::Call { .. }) && !machine.symbols.limits.calls_exact;
    let resets = |op: &Op| matches!(op, Op::Unspan(_) | Op::Reset | Op::Mark(_));
    unmoved && !calls && !state.kind.edges().iter().flat_map(|e| &e.actions).any(|a| resets(&a.op))
}

/// Copies the body to where the call stands.
fn inline(machine: &mut Machine, call: StateId, body: &[StateId]) {
    let State { kind: Kind::Call { to, next, .. }, site } = machine.state(call).clone() else { return };
    let first = machine.states.next_id().index();
    let copies: FxHashMap<StateId, StateId> =
        body.iter().enumerate().map(|(i, id)| (*id, StateId::from_index(first + i))).collect();
    let outer = site.map_or(Handler::Stop, |s| machine.sites[s].handler);
    let mut sites: FxHashMap<SiteId, SiteId> = FxHashMap::default();
    for id in body {
        let mut state = machine.state(*id).clone();
        if state.kind == Kind::Ret {
            state = State { kind: Kind::Act { next: edit::placed(&next, site) }, site: None };
        } else {
            moved_sites(machine, &mut state, &copies, outer, &mut sites);
            let into = if let Kind::Call { to, .. } = &state.kind { Some(to.clone()) } else { None };
            for edge in state.kind.edges_mut() {
                edge.to = copies.get(&edge.to).copied().unwrap_or(edge.to);
                edge.actions.retain(|a| !matches!(a.op, Op::Home(_)));
            }
            // What is called from the body keeps its own activation.
            if let (Kind::Call { to, .. }, Some(into)) = (&mut state.kind, into) {
                *to = into;
            }
        }
        machine.states.push(Some(state));
    }
    let mut entry = edit::placed(&to, site);
    entry.to = copies[&to.to];
    entry.actions.retain(|a| !matches!(a.op, Op::Home(_)));
    machine.states[call] = Some(State { kind: Kind::Act { next: entry }, site: None });
}

/// Sites of the copies: `!up` is the handler of the call, handlers of the body are their copies.
fn moved_sites(
    machine: &mut Machine,
    state: &mut State,
    copies: &FxHashMap<StateId, StateId>,
    outer: Handler,
    known: &mut FxHashMap<SiteId, SiteId>,
) {
    let mut place = |site: &mut Option<SiteId>| {
        let Some(old) = *site else { return };
        if let Some(new) = known.get(&old) {
            *site = Some(*new);
            return;
        }
        let handler = match machine.sites[old].handler {
            Handler::Up => outer,
            Handler::Catch(state) => Handler::Catch(copies.get(&state).copied().unwrap_or(state)),
            Handler::Stop => Handler::Stop,
        };
        let new = machine.sites.push(Site { handler, ..machine.sites[old].clone() });
        known.insert(old, new);
        *site = Some(new);
    };
    place(&mut state.site);
    let sites = state.kind.edges_mut().into_iter().flat_map(|e| e.actions.iter_mut().map(|a| &mut a.site));
    sites.for_each(place);
}

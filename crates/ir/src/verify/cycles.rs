//! Invariant 7: every cycle that takes no byte passes the `then` edge of a `moved m` whose target marks m.
//!
//! Such edges are left out (what hangs on them lies behind a byte); what remains must have no cycle. A call is one
//! step where its callee can come back empty, and always with a fence or a count; its callee is not entered, for
//! recursion is bounded by the stack.

use super::Found;
use crate::analyses::empty;
use crate::ids::{Id, StateId};
use crate::machine::Machine;

/// Reports one state of each cycle.
pub fn check(found: &mut Found<'_>, live: &[bool]) {
    let machine = found.machine;
    let graph = graph(machine, live);
    for state in cyclic(&graph) {
        found.add(
            7,
            StateId::from_index(state),
            "a cycle through it takes no byte and passes no progress test",
        );
    }
}

fn graph(machine: &Machine, live: &[bool]) -> Vec<Vec<usize>> {
    let calls = empty::emptiness(machine);
    let mut graph = vec![Vec::new(); machine.states.len()];
    for (id, state) in machine.states.iter() {
        let Some(state) = state else { continue };
        if live[id.index()] {
            let ways = empty::ways(machine, id, state, &calls);
            graph[id.index()] = ways.iter().filter(|w| !w.remarks).map(|w| w.to.index()).collect();
        }
    }
    graph
}

/// One node of each cycle found by a depth-first walk, without recursion.
fn cyclic(graph: &[Vec<usize>]) -> Vec<usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut colour = vec![NEW; graph.len()];
    let mut reported = vec![false; graph.len()];
    let mut found = Vec::new();
    for root in 0..graph.len() {
        if colour[root] != NEW {
            continue;
        }
        colour[root] = OPEN;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&to) = graph[*node].get(*next) else {
                colour[*node] = DONE;
                path.pop();
                continue;
            };
            *next += 1;
            match colour[to] {
                OPEN if !std::mem::replace(&mut reported[to], true) => found.push(to),
                NEW => {
                    colour[to] = OPEN;
                    path.push((to, 0));
                }
                _ => {}
            }
        }
    }
    found
}

//! Invariant 12: a plan does what the states would have done.
//!
//! Each layout of a chain is walked through the states, a set of bytes at a time. The walk asks nothing of the
//! analysis that makes plans; only what a capture may refuse is asked of the same place.

use super::Found;
use crate::analyses::chain::{Entries, Opened};
use crate::analyses::effects::is_visible;
use crate::byteset::ByteSet;
use crate::ids::{Id, StateId};
use crate::machine::{Action, Bound, Chain, Edge, Kind, Layout, Machine, Op, Plan, Text};

/// Checks all plans: there may be fewer than an analysis finds, and one a state at most.
pub fn check(found: &mut Found<'_>) {
    let machine = found.machine;
    if machine.plans.is_empty() {
        return;
    }
    let entries = Entries::new(machine);
    let mut planned = vec![false; machine.states.len()];
    for Plan::Chain(chain) in &machine.plans {
        if std::mem::replace(&mut planned[chain.at.index()], true) {
            found.add(12, chain.at, "it has two plans");
        }
        let longest_first = chain.layouts.is_sorted_by_key(|l| std::cmp::Reverse(l.bytes.len()));
        if chain.layouts.is_empty() || !longest_first {
            found.add(12, chain.at, "the layouts of its plan are not in order of length");
        }
        for layout in &chain.layouts {
            if let Err(why) = walk(machine, &entries, chain, layout) {
                found.add(12, chain.at, format!("its plan is not what the states do: {why}"));
            }
        }
    }
}

/// A walk along a layout.
struct Walk<'a> {
    machine: &'a Machine,
    layout: &'a Layout,
    state: StateId,
    /// Bytes and actions of the layout that lie behind.
    taken: usize,
    acted: usize,
    open: Vec<Opened>,
}

/// What a state does next.
enum Step<'a> {
    /// Takes a byte and stays.
    Takes,
    /// Leaves.
    Leaves(&'a Edge),
}

fn walk(machine: &Machine, entries: &Entries<'_>, chain: &Chain, layout: &Layout) -> Result<(), String> {
    let Some(open) = entries.open_at(chain.at) else { return Err("nothing leads to it".to_string()) };
    let mut walk = Walk { machine, layout, state: chain.at, taken: 0, acted: 0, open };
    // A state takes a byte or is left; what takes none is passed once.
    let mut passed = 0;
    while passed <= machine.states.len() {
        let mut count = 0;
        let edge = loop {
            match walk.step(count)? {
                Step::Takes => {
                    walk.take()?;
                    count += 1;
                }
                Step::Leaves(edge) => break edge,
            }
        };
        let before = walk.taken;
        walk.follow(edge)?;
        let over = walk.taken == layout.bytes.len() && walk.acted == layout.actions.len();
        if over && walk.state == chain.to {
            return Ok(());
        }
        if edge.actions.iter().any(|a| is_visible(machine, &a.op)) {
            return Err("something visible happens in the midst of it".to_string());
        }
        passed = if count > 0 || walk.taken > before { 0 } else { passed + 1 };
    }
    Err("it goes round without a byte".to_string())
}

impl<'a> Walk<'a> {
    /// The bytes that come next.
    fn next(&self) -> Result<&'a ByteSet, String> {
        self.layout.bytes.get(self.taken).ok_or_else(|| format!("{} looks at a byte behind it", self.state))
    }

    /// The next bytes are all of a set; false: none is.
    fn all_of(&self, set: &ByteSet) -> Result<bool, String> {
        let next = self.next()?;
        match (next.intersects(set), (*next - *set).is_empty()) {
            (true, true) => Ok(true),
            (false, _) => Ok(false),
            _ => Err(format!("{} tells bytes apart that it does not", self.state)),
        }
    }

    /// What the state does that has taken so many bytes.
    fn step(&self, count: u64) -> Result<Step<'a>, String> {
        let machine = self.machine;
        let unfit = || Err(format!("{} is no state of a chain, or raises", self.state));
        match &machine.state(self.state).kind {
            Kind::Scan { set, lo: Bound::Fixed(lo), hi: Bound::Fixed(hi), until: None, next, .. } => {
                if count >= *hi {
                    Ok(Step::Leaves(next))
                } else if self.all_of(set)? {
                    Ok(Step::Takes)
                } else if count >= *lo {
                    Ok(Step::Leaves(next))
                } else {
                    unfit()
                }
            }
            Kind::Literal { text: Text::Bytes(text), fold, next } => match text.get(count as usize) {
                None => Ok(Step::Leaves(next)),
                Some(letter) if self.all_of(&ByteSet::letter(*letter, *fold))? => Ok(Step::Takes),
                Some(_) => unfit(),
            },
            Kind::Dispatch { alts, other, .. } => {
                for (set, edge) in alts {
                    if self.all_of(set)? {
                        return Ok(Step::Leaves(edge));
                    }
                }
                other.as_ref().map_or_else(unfit, |edge| Ok(Step::Leaves(edge)))
            }
            Kind::Act { next } => Ok(Step::Leaves(next)),
            _ => unfit(),
        }
    }

    fn take(&mut self) -> Result<(), String> {
        self.next()?;
        self.taken += 1;
        if self.open.iter().any(|opened| opened.may_refuse(self.machine, self.taken)) {
            return Err(format!("a capture may refuse byte {}", self.taken));
        }
        Ok(())
    }

    /// The actions of an edge are the next ones of the layout, at the same places.
    fn follow(&mut self, edge: &Edge) -> Result<(), String> {
        let site = self.machine.state(self.state).site;
        for action in &edge.actions {
            if action.op == Op::Take {
                self.take()?;
                continue;
            }
            let own = Action { op: action.op.clone(), site: action.site.or(site) };
            let planned = self.layout.actions.get(self.acted);
            if !planned.is_some_and(|(at, a)| *at as usize == self.taken && *a == own) {
                return Err(format!("action {} differs", self.acted));
            }
            self.acted += 1;
            Opened::track(&mut self.open, &action.op, self.taken);
        }
        self.state = edge.to;
        Ok(())
    }
}

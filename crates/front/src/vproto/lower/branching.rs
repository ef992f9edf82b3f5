//! Branchings: which alternative is taken.
//!
//! Alternatives are lowered from the last to the first, each in front of what happens if it is not suitable. That
//! is kept twice: where a byte was asked for already, and where only conditions were tried. The second one starts
//! the `< >` of the branching when it comes to the first alternative that needs a byte, and raises `condition` where
//! there is none.

use super::Lowering;
use super::chain::Goal;
use super::outward::entering;
use super::token::Context;
use vproto_ir::ByteSet;
use vproto_ir::facts::Decides;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{BranchingId, Id, LineId, StateId, TokenId};
use vproto_ir::machine::{Edge, ErrorKind, Kind, Predicate};

/// What looks at the next byte: a dispatch that can still grow at the front.
#[derive(Clone)]
struct Look {
    /// Sets with their states, the last one first; earlier sets win.
    reversed: Vec<(ByteSet, StateId)>,
    /// Where other bytes go; none: they are the exception.
    other: Option<StateId>,
    /// Where the end of input goes.
    eof: Option<StateId>,
    /// The state, once it was asked for.
    closed: Option<StateId>,
}

/// The `< >` of a branching.
struct Group {
    /// FIRST of them all.
    first: ByteSet,
    /// The state that starts them.
    par: StateId,
    /// Lines, where FIRST is of the moment.
    moment: Vec<LineId>,
}

impl Look {
    /// No alternative is left.
    fn fail(finish: Option<StateId>) -> Look {
        Look { reversed: Vec::new(), other: None, eof: finish, closed: None }
    }

    /// Without a look.
    fn at(state: StateId) -> Look {
        Look { reversed: Vec::new(), other: Some(state), eof: Some(state), closed: Some(state) }
    }

    fn in_front(&mut self, first: ByteSet, then: StateId) {
        self.reversed.push((first, then));
        self.closed = None;
    }
}

impl Lowering<'_> {
    /// Fills the entry state of a branching.
    pub(super) fn branching(&mut self, id: BranchingId) {
        let first = self.alternatives(id);
        let next = Edge { actions: entering(id, &self.module.branchings[id]), to: first };
        self.out.fill(self.outward.entry[id.index()], Kind::Act { next }, None);
    }

    fn alternatives(&mut self, id: BranchingId) -> StateId {
        let branching = &self.module.branchings[id];
        let site = self.outward.site[id.index()];
        let finish = branching.finish.map(|line| self.run[line.index()]);
        let group = self.group_of(id);
        let lines = &branching.alternatives;
        let decided = |l: &LineId| {
            !matches!(
                self.facts.lines[*l].decides,
                Decides::Condition(_) | Decides::Byte { moment: true, .. }
            )
        };
        let asks = lines.iter().position(decided).unwrap_or(lines.len());
        let mut asked = Look::fail(finish);
        // Behind conditions alone nothing was asked for; with no alternative at all only the end can be.
        let mut unasked = match lines.is_empty() {
            true => self.close(id, &mut asked),
            false => self.out.state(Kind::Raise(ErrorKind::Condition), Some(site)),
        };
        for (index, &line) in lines.iter().enumerate().rev() {
            let decides = self.facts.lines[line].decides;
            if index > asks {
                self.alternative(id, line, decides, &mut asked);
                continue;
            }
            let first_look = |this: &mut Self, asked: &Look| this.with_group(id, &group, asked.clone());
            match decides {
                Decides::Condition(token) => {
                    let then = self.taken_by_condition(line, token);
                    unasked = self.condition_test(id, token, then, unasked);
                    self.alternative(id, line, decides, &mut asked);
                }
                Decides::Byte { moment: true, .. } => {
                    let rest = self.close(id, &mut asked);
                    let bytes = self.chain(Goal::Byte, id, line, rest, rest);
                    let look = first_look(self, &Look::at(bytes));
                    unasked = self.chain(Goal::TAKE, id, line, look, unasked);
                    asked = Look::at(self.chain(Goal::TAKE, id, line, bytes, rest));
                }
                Decides::Taken => {
                    self.alternative(id, line, decides, &mut asked);
                    unasked = self.run[line.index()];
                }
                Decides::Byte { .. } | Decides::Parallel => {
                    self.alternative(id, line, decides, &mut asked);
                    unasked = first_look(self, &asked);
                }
            }
        }
        unasked
    }

    /// An alternative in front of the others, where a byte was asked for already and `< >` were tried.
    fn alternative(&mut self, id: BranchingId, line: LineId, decides: Decides, asked: &mut Look) {
        let run = self.run[line.index()];
        match decides {
            Decides::Parallel => {}
            Decides::Taken => *asked = Look::at(run),
            Decides::Condition(token) => {
                let then = self.taken_by_condition(line, token);
                let rest = self.close(id, asked);
                *asked = Look::at(self.condition_test(id, token, then, rest));
            }
            Decides::Byte { moment: true, .. } => {
                let rest = self.close(id, asked);
                let bytes = self.chain(Goal::Byte, id, line, rest, rest);
                *asked = Look::at(self.chain(Goal::TAKE, id, line, bytes, rest));
            }
            Decides::Byte { otherwise, moment: false } => {
                if let Some(token) = otherwise {
                    let rest = self.close(id, asked);
                    *asked = Look::at(self.condition_test(id, token, run, rest));
                }
                asked.in_front(self.facts.lines[line].first, run);
            }
        }
    }

    /// Where a line goes on when its condition has taken it: behind it, unless more than labels stands before it.
    fn taken_by_condition(&self, line: LineId, token: TokenId) -> StateId {
        match self.behind_head.get(&line) {
            Some(&behind) if self.module.first_token(line) == Some(token) => behind,
            _ => self.run[line.index()],
        }
    }

    fn condition_test(&mut self, id: BranchingId, token: TokenId, then: StateId, other: StateId) -> StateId {
        let row = &self.module.tokens[token];
        let (TokenKind::If(code) | TokenKind::Code(code)) = row.kind else { return other };
        let site = self.out.site(row.span, self.outward.handler[id.index()], None);
        self.out.test(Predicate::Code(code), then, other, site)
    }

    /// The state of a look.
    fn close(&mut self, id: BranchingId, look: &mut Look) -> StateId {
        if let Some(state) = look.closed {
            return state;
        }
        let mut seen = ByteSet::EMPTY;
        let mut alts = Vec::new();
        for &(first, then) in look.reversed.iter().rev() {
            let own = first - seen;
            seen = seen | first;
            if !own.is_empty() {
                alts.push((own, Edge::to(then)));
            }
        }
        let site =
            if look.other.is_none() { self.failing_site(id, seen) } else { self.outward.site[id.index()] };
        let kind = Kind::Dispatch { alts, other: look.other.map(Edge::to), eof: look.eof.map(Edge::to) };
        let state = self.out.state(kind, Some(site));
        look.closed = Some(state);
        state
    }

    /// The last dispatch reports what any alternative could begin with.
    fn failing_site(&mut self, id: BranchingId, own: ByteSet) -> vproto_ir::ids::SiteId {
        let wanted = self.facts.branchings[id].first;
        let plain = self.outward.site[id.index()];
        if wanted == own {
            return plain;
        }
        let mut site = self.out.machine.sites[plain].clone();
        site.wants = Some(wanted.to_string());
        self.out.intern(site)
    }

    /// All `< >` that begin alternatives, as one group.
    fn group_of(&mut self, id: BranchingId) -> Option<Group> {
        let branching = &self.module.branchings[id];
        let context = Context { handler: self.outward.handler[id.index()], forked: false };
        let mut forks = Vec::new();
        let mut group = Group { first: ByteSet::EMPTY, par: StateId(0), moment: Vec::new() };
        let mut place = None;
        let mut moment = false;
        for &line in &branching.alternatives {
            let Some(head) = self.module.first_token(line) else { continue };
            let (Decides::Parallel, TokenKind::Parallel(parallel)) =
                (self.facts.lines[line].decides, &self.module.tokens[head].kind)
            else {
                continue;
            };
            let behind = self.behind_head[&line];
            forks.extend(self.forks(parallel, head, context, behind));
            group.first = group.first | self.facts.tokens[head].first;
            group.moment.push(line);
            moment |= self.facts.tokens[head].varies;
            place = place.or(Some(self.module.tokens[head].span));
        }
        let span = place?;
        if !moment {
            group.moment.clear();
        }
        let site = self.out.site(span, context.handler, Some(group.first.to_string()));
        group.par = self.out.state(Kind::Par { forks }, Some(site));
        Some(group)
    }

    /// The look of the first alternative that needs a byte, with the branching's `< >` before it.
    fn with_group(&mut self, id: BranchingId, group: &Option<Group>, mut look: Look) -> StateId {
        let Some(group) = group else { return self.close(id, &mut look) };
        if group.moment.is_empty() {
            look.in_front(group.first, group.par);
            return self.close(id, &mut look);
        }
        let mut next = self.close(id, &mut look);
        for &line in group.moment.iter().rev() {
            next = self.chain_to(Goal::Byte, id, line, group.par, next, next);
        }
        next
    }
}

//! Lines, from right to left, and the sequences of `< >`.

use super::Lowering;
use super::build::Ahead;
use super::token::Context;
use vproto_ir::grammar::{LineRole, Parallel, TokenKind};
use vproto_ir::ids::{Id, LineId, StateId, TokenId};
use vproto_ir::machine::{Edge, Kind, Op, Status};

/// A sequence of a `< >` that waits to be lowered: groups nest, and nesting must cost no stack.
pub(super) struct Sequence {
    /// The reserved state it starts at.
    head: StateId,
    /// Its tokens.
    tokens: Vec<TokenId>,
    /// Where the group stands.
    context: Context,
    /// The group's token, for the place of `win`.
    group: TokenId,
    /// What runs when it has won.
    behind: StateId,
}

impl Lowering<'_> {
    /// Lowers a line: where it starts is `run`, and where it goes on behind its head `behind_head`.
    pub(super) fn line(&mut self, id: LineId) {
        let line = &self.module.lines[id];
        let of = line.branching.index();
        let handler = match line.role {
            LineRole::Alternative => self.outward.handler[of],
            LineRole::Catch | LineRole::Finish => self.outward.outer_handler[of],
        };
        let context = Context { handler, forked: false };
        let mut next = self.end_of(id, context);
        let head = self.decided_head(id);
        for (index, &token) in line.tokens.iter().enumerate().rev() {
            if Some(index) == head {
                let behind = self.out.join(next);
                self.behind_head.insert(id, behind);
                // Labels in front of the head let others run it as any token.
                next = Ahead::to(behind);
                if index == 0 {
                    break;
                }
            }
            next = self.token(token, context, next);
        }
        self.run[id.index()] = self.out.join(next);
        self.handler_line(id);
    }

    /// The index of the head that the branching deals with: a condition, code or `< >` behind nothing but labels.
    fn decided_head(&self, id: LineId) -> Option<usize> {
        let line = &self.module.lines[id];
        if line.role != LineRole::Alternative {
            return None;
        }
        let kinds = line.tokens.iter().map(|&t| &self.module.tokens[t].kind);
        let (index, kind) = kinds.enumerate().find(|(_, kind)| !matches!(kind, TokenKind::Label(_)))?;
        matches!(kind, TokenKind::If(_) | TokenKind::Code(_) | TokenKind::Parallel(_)).then_some(index)
    }

    /// What follows the last token.
    fn end_of(&mut self, id: LineId, context: Context) -> Ahead {
        let line = &self.module.lines[id];
        if line.role == LineRole::Finish {
            let site = self.out.site(line.span, context.handler, None);
            return Ahead::to(self.out.state(Kind::End(Status::Complete), Some(site)));
        }
        match line.children {
            Some(children) => Ahead::to(self.outward.entry[children.index()]),
            None => Ahead::to(self.outward.leaf[line.branching.index()]),
        }
    }

    /// The state that takes exceptions, if the line is a `catch:`.
    fn handler_line(&mut self, id: LineId) {
        let line = &self.module.lines[id];
        let Some(state) = self.outward.catch[line.branching.index()] else { return };
        if line.role != LineRole::Catch {
            return;
        }
        let run = Ahead::to(self.run[id.index()]);
        let unspan = self.unspan_of(line.branching);
        let next = unspan.into_iter().fold(run, |next, mark| next.silently(Op::Unspan(mark)));
        self.out.fill_join(state, next);
    }

    /// A `< >` that stands where a byte token could.
    pub(super) fn group(&mut self, group: &Parallel, id: TokenId, context: Context, next: Ahead) -> Ahead {
        let behind = self.out.join(next);
        let forks = self.forks(group, id, context, behind);
        let span = self.module.tokens[id].span;
        let wants = self.facts.tokens[id].first.to_string();
        let site = self.out.site(span, context.handler, Some(wants));
        Ahead::to(self.out.state(Kind::Par { forks }, Some(site)))
    }

    /// The threads of a `< >`; `behind` runs when one has won.
    pub(super) fn forks(
        &mut self,
        group: &Parallel,
        id: TokenId,
        context: Context,
        behind: StateId,
    ) -> Vec<Edge> {
        let mut forks = Vec::new();
        for tokens in &group.sequences {
            let head = self.out.reserve();
            forks.push(Edge::to(head));
            self.waiting.push(Sequence { head, tokens: tokens.clone(), context, group: id, behind });
        }
        forks
    }

    /// Lowers the sequences that wait, and those found in them.
    pub(super) fn sequences(&mut self) {
        while let Some(sequence) = self.waiting.pop() {
            self.sequence(sequence);
        }
    }

    /// `bang` decides at once: what follows it runs as a part of what stands around the group.
    fn sequence(&mut self, sequence: Sequence) {
        let bang = |t: &TokenId| matches!(self.module.tokens[*t].kind, TokenKind::Bang);
        let decided = sequence.tokens.iter().position(bang);
        let inside = Context { forked: true, ..sequence.context };
        let mut next = Ahead::to(sequence.behind);
        if decided.is_none() {
            let site = self.out.site(self.module.tokens[sequence.group].span, sequence.context.handler, None);
            next = Ahead::to(self.out.state(Kind::Win { next: next.edge() }, Some(site)));
        }
        for (index, &token) in sequence.tokens.iter().enumerate().rev() {
            // What is decided stays decided: a second `bang` has nothing to drop.
            if decided.is_some_and(|first| index > first) && bang(&token) {
                continue;
            }
            let context = match decided {
                Some(bang) if index > bang => sequence.context,
                _ => inside,
            };
            next = self.token(token, context, next);
        }
        self.out.fill_join(sequence.head, next);
    }
}

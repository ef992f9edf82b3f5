//! Calls and returns, exceptions, and what happens where a byte is lacking.

use super::code::Code;
use super::parser::{AtEnd, Core, Cx, Frame, Line, Mark, Outcome, Raised, Skip, Stop, call_edges};
use crate::trace::{EventKind, Found};
use vproto_ir::ids::{SiteId, StateId, VarId};
use vproto_ir::machine::{ErrorKind, Form, Handler, Kind, Op, State};

impl Core {
    /// Reaches a call: it is made, or stepped over.
    pub fn call(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        id: StateId,
        state: &State,
    ) -> Result<(), Raised> {
        let Kind::Call { to, next, fence, times, needs, keep, .. } = &state.kind else { return Ok(()) };
        let registers = line.registers;
        if *times && registers.rep == 0 {
            return self.go(line, cx, next, state.site);
        }
        if *fence {
            if self.left(line.pos).is_some_and(|left| registers.hi > left) {
                return Err(Raised::new(ErrorKind::Limit, state.site));
            }
            if registers.hi == 0 && *needs {
                return self.go(line, cx, next, state.site);
            }
        }
        let limits = cx.code.machine.symbols.limits;
        if !limits.calls_exact && self.frames.len() >= limits.calls as usize {
            return Err(Raised::new(ErrorKind::Limit, state.site));
        }
        self.frames.push(Frame {
            call: id,
            outer_fence: fence.then_some(self.fence),
            rounds: times.then_some(registers.rep),
            start: line.pos,
            home: line.pos,
            keep: keep.iter().map(|var| self.store.scalar(*var)).collect(),
            began: self.sequence,
        });
        self.marks.resize(self.marks.len() + cx.code.mark_count, Mark::UNSET);
        if *fence {
            self.fence = line.pos.saturating_add(registers.hi);
            self.set_window(cx);
        }
        self.go(line, cx, to, state.site)
    }

    /// `ret`: the next round, or on behind the call. A rest of the fence is left to be skipped. `used_up`: it was not the
    /// state that asked for it, but the end of the call's bytes.
    ///
    /// # Errors
    /// Nothing to return to, or a round that took nothing.
    pub fn ret(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        site: Option<SiteId>,
        used_up: bool,
    ) -> Result<(), Raised> {
        let Some(frame) = self.frames.last_mut() else { return Err(Raised::new(ErrorKind::Return, site)) };
        let call = frame.call;
        let own_fence = frame.outer_fence.is_some();
        let call_site = cx.code.state(call).site;
        let Some((to, next)) = call_edges(cx.code, call) else { return Ok(()) };
        if let Some(rounds) = frame.rounds {
            let empty = frame.start == line.pos;
            let spent = own_fence && line.pos == self.fence && (rounds > 1 || empty && used_up);
            if spent || empty {
                self.pop(cx);
                let kind = if spent { ErrorKind::Minimum } else { ErrorKind::NoProgress };
                let found = spent.then_some(Found::End);
                return Err(Raised { found, ..Raised::new(kind, call_site) });
            }
            if rounds > 1 {
                frame.rounds = Some(rounds - 1);
                frame.start = line.pos;
                frame.home = line.pos;
                frame.began = self.sequence;
                self.marks_mut(cx.code).fill(Mark::UNSET);
                return self.go(line, cx, to, call_site);
            }
        }
        match self.pop(cx) {
            Some(end) if end > line.pos => {
                self.skip = Some(Skip { to: end, call, handler: None });
                Ok(())
            }
            _ => self.go(line, cx, next, call_site),
        }
    }

    /// Pops a call: what it kept and the fence outside come back. The end of its own fence, if it has one.
    fn pop(&mut self, cx: &Cx<'_>) -> Option<u64> {
        let frame = self.frames.pop()?;
        if let Kind::Call { keep, .. } = &cx.code.state(frame.call).kind {
            restore(self, keep, &frame.keep);
        }
        self.marks.truncate(self.marks.len() - cx.code.mark_count);
        let outer = frame.outer_fence?;
        let end = std::mem::replace(&mut self.fence, outer);
        self.set_window(cx);
        Some(end)
    }

    /// The bytes of the innermost confined call are used up where its tree is at home, or at a `finish:` line.
    pub fn return_at_fence(&mut self, line: &mut Line, cx: &mut Cx<'_>) -> Result<(), Raised> {
        let Some(owner) = self.fence_owner() else { return Ok(()) };
        while self.frames.len() > owner + 1 {
            self.pop(cx);
        }
        line.spans.clear();
        line.group = None;
        self.ret(line, cx, None, true)
    }

    fn fence_owner(&self) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.outer_fence.is_some())
    }

    /// Works off a skip. False: its bytes are not all there.
    pub fn work_off(&mut self, line: &mut Line, cx: &mut Cx<'_>) -> bool {
        let Some(skip) = self.skip.take() else { return true };
        self.set_window(cx);
        line.pos = skip.to.min(self.end);
        if line.pos < skip.to {
            let site = cx.code.state(skip.call).site;
            let raised = Raised { found: Some(Found::End), ..Raised::new(ErrorKind::Minimum, site) };
            match self.at_end {
                AtEnd::More => self.skip = Some(skip),
                AtEnd::Stream => self.fail(line, cx, &raised, Outcome::Incomplete),
                AtEnd::Fence | AtEnd::Limit => return self.raise(line, cx, &raised),
            }
            return false;
        }
        if let Some(handler) = skip.handler {
            line.enter(handler);
            return true;
        }
        let Some((_, next)) = call_edges(cx.code, skip.call) else { return true };
        let site = cx.code.state(skip.call).site;
        match self.go(line, cx, next, site) {
            Ok(()) => true,
            Err(raised) => self.raise(line, cx, &raised),
        }
    }

    /// A line lacks a byte: at a fence the call may return, at the end the stream may be complete.
    pub fn lack(&mut self, line: &mut Line, cx: &mut Cx<'_>, raised: &Raised) -> bool {
        match self.at_end {
            AtEnd::Fence => {
                let home = self.fence_owner().map(|owner| self.frames[owner].home);
                if home != Some(line.pos) {
                    return self.raise(line, cx, raised);
                }
                match self.return_at_fence(line, cx) {
                    Ok(()) => true,
                    Err(raised) => self.raise(line, cx, &raised),
                }
            }
            AtEnd::Limit | AtEnd::Stream if self.bottom_home == line.pos => {
                self.complete(line, cx);
                false
            }
            AtEnd::Stream => {
                self.fail(line, cx, raised, Outcome::Incomplete);
                false
            }
            AtEnd::Limit | AtEnd::More => self.raise(line, cx, raised),
        }
    }

    /// Throws an exception. True: somebody caught it, and the parser goes on there.
    pub fn raise(&mut self, line: &mut Line, cx: &mut Cx<'_>, raised: &Raised) -> bool {
        self.cut_pieces_short(line, cx);
        let caught = match raised.kind {
            ErrorKind::NoProgress => None,
            _ if self.saw_end => None,
            _ => self.handler(cx.code, raised.site),
        };
        let Some((depth, handler)) = caught else {
            let outcome = if raised.incomplete { Outcome::Incomplete } else { Outcome::Failed };
            self.fail(line, cx, raised, outcome);
            return false;
        };
        if cx.options.tells {
            let failure = self.failure(cx, line, raised);
            self.emit(cx, line.pos, EventKind::Caught(failure));
        }
        line.spans.clear();
        line.group = None;
        let mut skip = None;
        while self.frames.len() > depth {
            let call = self.frames[self.frames.len() - 1].call;
            if let Some(to) = self.pop(cx) {
                skip = Some(Skip { to, call, handler: Some(handler) });
            }
        }
        self.leading_unspan(line, cx, handler);
        line.enter(handler);
        self.skip = skip.filter(|skip| skip.to > line.pos);
        true
    }

    /// Spans close where the exception was, before anything is skipped.
    fn leading_unspan(&mut self, line: &mut Line, cx: &mut Cx<'_>, handler: StateId) {
        let Kind::Act { next } = &cx.code.state(handler).kind else { return };
        let Some(Op::Unspan(mark)) = next.actions.first().map(|action| &action.op) else { return };
        if let Some(number) = cx.code.mark(*mark) {
            self.unspan_since(line, cx, number);
        }
    }

    /// Who takes an exception of this place: the number of frames that stay, and the first state of the handler.
    fn handler(&self, code: &Code, site: Option<SiteId>) -> Option<(usize, StateId)> {
        let mut site = site?;
        let mut depth = self.frames.len();
        loop {
            match code.machine.sites[site].handler {
                Handler::Stop => return None,
                Handler::Catch(state) => return Some((depth, state)),
                Handler::Up => {
                    depth = depth.checked_sub(1)?;
                    site = code.state(self.frames[depth].call).site?;
                }
            }
        }
    }

    /// Bytes of a `data` token that does not complete are handed on all the same, held-back letters too.
    fn cut_pieces_short(&mut self, line: &mut Line, cx: &mut Cx<'_>) {
        if line.held > 0 {
            let text = super::expect::until_text(cx.code, line).unwrap_or_default();
            self.release(line, cx, &text, 0);
        }
        for open in std::mem::take(&mut line.spans) {
            let Form::Pieces { function, .. } = cx.code.machine.spans[open.span].form else { continue };
            let site = open.site;
            let bytes = open.pieces(cx.code, &self.store, cx, line.pos);
            if !bytes.is_empty() {
                self.emit_data(cx, function, bytes, site, line.pos);
            }
        }
    }

    /// The parser is over, by an error.
    pub fn fail(&mut self, line: &mut Line, cx: &mut Cx<'_>, raised: &Raised, outcome: Outcome) {
        let failure = self.failure(cx, line, raised);
        self.cut_pieces_short(line, cx);
        self.unspan(line, cx, 0);
        self.emit(cx, line.pos, EventKind::Error(failure));
        self.outcome = Some(outcome);
        self.found = raised.found;
    }

    /// The parser is over, by `break`.
    pub fn stop(&mut self, line: &mut Line, cx: &mut Cx<'_>) {
        self.cut_pieces_short(line, cx);
        self.unspan(line, cx, 0);
        self.outcome = Some(Outcome::Stopped);
    }

    /// The stream is complete, if the joined modules are.
    pub fn complete(&mut self, line: &mut Line, cx: &mut Cx<'_>) {
        for var in self.used.clone() {
            let Some((_, site)) = self.joined.iter().find(|(joined, _)| *joined == var).copied() else {
                continue;
            };
            let ended = self.finish_sub(line.pos, cx, var, AtEnd::Stream);
            if matches!(ended, Outcome::Incomplete | Outcome::Failed) {
                let raised = Raised { found: self.sub_found(var), ..Raised::new(ErrorKind::Module, site) };
                self.fail(line, cx, &raised, ended);
                return;
            }
        }
        self.cut_pieces_short(line, cx);
        self.unspan(line, cx, 0);
        self.outcome = Some(Outcome::Complete);
    }
}

fn restore(core: &mut Core, keep: &[VarId], values: &[i128]) {
    for (var, value) in keep.iter().zip(values) {
        core.store.set_scalar(*var, *value);
    }
}

impl super::parser::Parser {
    /// Runs until bytes are lacking or the parser is over.
    pub fn drive(&mut self, cx: &mut Cx<'_>) {
        let (core, line) = (&mut self.core, &mut self.main);
        core.set_window(cx);
        while core.outcome.is_none() {
            if core.skip.is_some() && !core.work_off(line, cx) {
                return;
            }
            if core.skip.is_some() || core.outcome.is_some() {
                continue;
            }
            let on = match super::run::run(core, line, cx) {
                Ok(Stop::Skip) => true,
                Ok(_) => false,
                Err(raised) if raised.lack => core.lack(line, cx, &raised),
                Err(raised) => core.raise(line, cx, &raised),
            };
            if !on {
                return;
            }
        }
    }
}

//! `call:` with its options, `return`, and the skip of what a confined call leaves.

use super::first::Time;
use super::runner::{Activation, Control, Frame, Raised, Runner, Step, Stepped};
use super::token::Look;
use crate::eval::Environment;
use crate::trace::Found;
use vproto_ir::grammar::Call;
use vproto_ir::ids::{LineId, TokenId};
use vproto_ir::machine::ErrorKind;

impl<'g> Runner<'g> {
    /// Makes a call, if it is to be made. Asked in this order: `if`; `times`; `max` above `left`; `max` 0 with a target
    /// that needs a byte; depth.
    pub fn call(&mut self, line: LineId, index: usize, call: &Call) -> Result<(), Raised> {
        let token = self.module.lines[line].tokens[index];
        let refused = |runner: &Self, kind| runner.exception(line, token, kind);
        if !self.present(token).map_err(|(_, kind)| refused(self, kind))? {
            return Ok(());
        }
        let asked = |bound: Option<_>| bound.map(|bound| self.bound(bound)).transpose();
        let times = asked(call.times).map_err(|kind| refused(self, kind))?;
        if times == Some(0) {
            return Ok(());
        }
        let max = asked(call.max).map_err(|kind| refused(self, kind))?;
        if max.zip(self.left()).is_some_and(|(max, left)| max > left) {
            return Err(refused(self, ErrorKind::Limit));
        }
        let label = &self.module.labels[call.label];
        let place = (label.line, label.index as usize);
        if max == Some(0) {
            let target = self.target(place, Time::Moment, &mut Vec::new());
            if target.map_err(|(token, kind)| self.exception(line, token, kind))?.needs_byte() {
                return Ok(());
            }
        }
        let limits = self.module.symbols.limits;
        if !limits.calls_exact && self.activations.len() > limits.calls as usize {
            return Err(refused(self, ErrorKind::Limit));
        }
        let limit = max.map(|max| self.position.saturating_add(max));
        let keep = call.keep.iter().map(|&var| (var, self.store.scalar(var))).collect();
        let frame = Frame { line, index, token, limit, rounds: times, round: self.position, keep };
        let tree = self.module.branchings[self.module.lines[place.0].branching].tree;
        self.push_activation(tree, Some(frame));
        self.control = Control::Line { line: place.0, index: place.1 };
        Ok(())
    }

    /// `return`.
    pub fn return_from(&mut self, line: LineId, token: TokenId) -> Result<(), Raised> {
        if self.activations.last().is_none_or(|a| a.call.is_none()) {
            return Err(self.exception(line, token, ErrorKind::Return));
        }
        self.end_round(false)
    }

    /// A round of the innermost call is over, by `return` or because the bytes of the call are used up.
    pub fn end_round(&mut self, used_up: bool) -> Result<(), Raised> {
        let position = self.position;
        let fence = self.at_fence();
        let Some(activation) = self.activations.last_mut() else {
            return Ok(());
        };
        let Some(frame) = &mut activation.call else {
            return Ok(());
        };
        let Some(rounds) = &mut frame.rounds else {
            self.leave();
            return Ok(());
        };
        *rounds -= 1;
        let left = *rounds;
        let empty = frame.round == position;
        let confined = frame.limit == Some(position) && fence;
        if confined && (left > 0 || empty && used_up) {
            return Err(self.failed_call(ErrorKind::Minimum, Some(Found::End)));
        }
        if empty {
            return Err(self.failed_call(ErrorKind::NoProgress, None));
        }
        if left == 0 {
            self.leave();
            return Ok(());
        }
        self.next_round();
        Ok(())
    }

    /// The next round of `times`: a fresh start.
    fn next_round(&mut self) {
        let (position, began) = (self.position, self.tick());
        let Some(activation) = self.activations.last_mut() else {
            return;
        };
        activation.home = position;
        activation.entered.clear();
        activation.jumped.clear();
        activation.began = began;
        let Some(frame) = &mut activation.call else {
            return;
        };
        frame.round = position;
        if let vproto_ir::grammar::TokenKind::Call(call) = &self.module.tokens[frame.token].kind {
            let label = &self.module.labels[call.label];
            self.control = Control::Line { line: label.line, index: label.index as usize };
        }
    }

    /// The innermost call ends by an exception at its own token.
    fn failed_call(&mut self, kind: ErrorKind, found: Option<Found>) -> Raised {
        let Some(frame) = self.pop_frame() else {
            return self.exception(LineId(0), self.current, kind);
        };
        Raised { found, ..self.exception(frame.line, frame.token, kind) }
    }

    /// The innermost call is over: what is left of its bytes is skipped, and the line of the call goes on.
    fn leave(&mut self) {
        let Some(frame) = self.pop_frame() else {
            return;
        };
        let then = (frame.line, frame.index + 1);
        self.control = match frame.limit {
            Some(end) if end > self.position => Control::Skip { end, call: (frame.line, frame.index), then },
            _ => Control::Line { line: then.0, index: then.1 },
        };
    }

    /// Takes the innermost frame off the stack and restores what it kept.
    pub fn pop_frame(&mut self) -> Option<Frame> {
        let Activation { call, .. } = self.activations.pop()?;
        let frame = call?;
        for &(var, value) in &frame.keep {
            self.store.set_scalar(var, value);
        }
        Some(frame)
    }

    /// Skips what is left of a confined call.
    pub fn skip(
        &mut self,
        end: u64,
        call: (LineId, usize),
        then: (LineId, usize),
        look: Option<Look>,
    ) -> Stepped {
        if self.position >= end {
            self.control = Control::Line { line: then.0, index: then.1 };
            return Ok(Step::Moved);
        }
        self.control = Control::Skip { end, call, then };
        match look {
            None => Ok(Step::Rest),
            Some(Look::Byte(byte)) => {
                self.take(byte, true);
                Ok(Step::Took)
            }
            Some(Look::End) => {
                let token = self.module.lines[call.0].tokens[call.1];
                let raised = self.exception(call.0, token, ErrorKind::Minimum);
                let incomplete = self.ending == Some(true);
                Err(Raised { found: Some(Found::End), incomplete, ..raised })
            }
        }
    }
}

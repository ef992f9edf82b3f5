//! Sub-parsers: `vproto:m:v` runs module m as v, on bytes that the parent hands it.

use super::runner::{Control, Ending, Failed, Raised, Runner, Step, Stepped};
use super::token::{Bounds, Look};
use crate::eval::{self, Environment};
use crate::store;
use crate::trace::{Found, Value};
use vproto_ir::grammar::SubParser;
use vproto_ir::ids::{ExprId, LineId, ModuleId, TokenId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::portable::ExprKind;
use vproto_ir::symbols::VarType;

/// A sub-parser that was used.
pub struct Sub<'g> {
    pub var: VarId,
    pub runner: Box<Runner<'g>>,
    /// The token that used it last, with its line.
    pub last: (LineId, TokenId),
    /// It is joined: it is finished at the end only.
    pub joined: bool,
    /// It stands at the start of a stream; the next token begins it.
    pub fresh: bool,
}

/// A token that feeds a sub-parser.
pub struct Feeding<'g> {
    sub: &'g SubParser,
    bounds: Bounds,
    count: u64,
    key: Vec<u8>,
}

impl<'g> Runner<'g> {
    /// Enters a token that feeds a sub-parser.
    pub fn enter_module(&mut self, line: LineId, index: usize, sub: &'g SubParser) -> Result<(), Raised> {
        let token = self.module.lines[line].tokens[index];
        let refused = |runner: &Self, kind| runner.exception(line, token, kind);
        if !self.present(token).map_err(|(_, kind)| refused(self, kind))? {
            return Ok(());
        }
        let bounds = self.bounds(&sub.counts).map_err(|kind| refused(self, kind))?;
        let key = sub.xor.map(|var| self.store.text(var).to_vec());
        if key.as_ref().is_some_and(Vec::is_empty) {
            return Err(refused(self, ErrorKind::Condition));
        }
        let set = self.prepare(line, token, sub, bounds);
        set.map_err(|kind| refused(self, kind))?;
        let feeding = Feeding { sub, bounds, count: 0, key: key.unwrap_or_default() };
        self.control = Control::Module { line, index, feeding };
        Ok(())
    }

    /// Resets the sub-parser unless it is joined, sets its variables, and lets it run up to its first byte.
    fn prepare(
        &mut self,
        line: LineId,
        token: TokenId,
        sub: &SubParser,
        bounds: Bounds,
    ) -> Result<(), ErrorKind> {
        let VarType::Module(id) = self.module.symbols.vars[sub.var].ty else {
            return Err(ErrorKind::Condition);
        };
        let found = self.subs.iter().position(|known| known.var == sub.var);
        let begin = found.is_none_or(|i| !sub.join || self.subs[i].fresh);
        let option = |&(var, expr): &(VarId, ExprId)| Ok((var, self.option(id, var, expr)?));
        let options = sub.sets.iter().map(option).collect::<Result<Vec<_>, ErrorKind>>()?;
        let fence = self.left();
        let limit = match (fence, bounds.max) {
            _ if sub.join => None,
            (Some(left), max) => Some(left.min(max)),
            (None, u64::MAX) => None,
            (None, max) => Some(max),
        };
        let outer = self.outer;
        let index = match found {
            Some(i) => i,
            None => {
                let mut runner = Box::new(Runner::new(self.grammar, self.files, id));
                runner.tells = self.tells;
                self.subs.push(Sub { var: sub.var, runner, last: (line, token), joined: false, fresh: true });
                self.subs.len() - 1
            }
        };
        let known = &mut self.subs[index];
        if begin {
            let tells = known.runner.tells;
            *known.runner = Runner::new(self.grammar, self.files, id);
            known.runner.tells = tells;
            known.runner.end = limit;
        }
        known.last = (line, token);
        known.joined = sub.join;
        known.fresh = false;
        for (var, value) in options {
            match value {
                Value::Int(number) => known.runner.store.set_scalar(var, number),
                Value::Bytes(bytes) => known.runner.store.set_text(var, bytes),
                Value::F32(value) => known.runner.store.set_f32(var, value),
                Value::F64(value) => known.runner.store.set_f64(var, value),
                Value::Bool(_) | Value::Member(_) => {}
            }
        }
        known.runner.outer = outer;
        if begin {
            known.runner.begin();
        }
        let events = std::mem::take(&mut known.runner.out);
        self.out.extend(events);
        Ok(())
    }

    /// The value of an option `x=e`, which must fit variable x of the module. Scalars are numbers.
    fn option(&self, module: ModuleId, var: VarId, expr: ExprId) -> Result<Value, ErrorKind> {
        let symbols = &self.grammar.modules[module].symbols;
        let expr = &self.module.symbols.exprs[expr];
        let ty = symbols.vars[var].ty;
        if let Some((least, greatest)) = ty.range() {
            let lone = match expr.kind {
                ExprKind::Var(own) => Some(self.store.scalar(own)),
                _ => None,
            };
            let number = lone.map_or_else(|| eval::integer(self, expr).map(i128::from), Ok)?;
            let number = if ty == VarType::Bool { i128::from(number != 0) } else { number };
            let fits = (least..=greatest).contains(&number);
            return if fits { Ok(Value::Int(number)) } else { Err(ErrorKind::Overflow) };
        }
        let value = eval::argument(self, expr)?;
        match &value {
            Value::Bytes(bytes) if bytes.len() > store::limit(symbols, ty) => Err(ErrorKind::Limit),
            _ => Ok(value),
        }
    }

    /// Hands a byte on, or ends the token.
    pub fn feed_module(
        &mut self,
        line: LineId,
        index: usize,
        mut feeding: Feeding<'g>,
        look: Option<Look>,
    ) -> Stepped {
        let token = self.module.lines[line].tokens[index];
        if let Some(failed) = self.sub_failed(feeding.sub.var) {
            return Err(self.module_failed(line, token, &failed));
        }
        let stopped = self.sub_stopped(feeding.sub.var);
        if feeding.count >= feeding.bounds.max || stopped && feeding.bounds.max == u64::MAX {
            return self.leave_module(line, index, &feeding, false);
        }
        match look {
            None => {
                self.control = Control::Module { line, index, feeding };
                Ok(Step::Rest)
            }
            Some(Look::Byte(byte)) if feeding.sub.set.contains(byte) => {
                let taken = stopped || self.feed_sub(&feeding, byte);
                if taken {
                    let outer = self.outer;
                    self.take(byte, true);
                    self.outer = if stopped { self.outer } else { outer };
                    feeding.count += 1;
                }
                self.control = Control::Module { line, index, feeding };
                Ok(if taken { Step::Took } else { Step::Moved })
            }
            Some(look) => {
                let stream = look == Look::End && self.ending == Some(true) && !self.at_fence();
                if feeding.count >= feeding.bounds.min {
                    return self.leave_module(line, index, &feeding, stream);
                }
                if !feeding.sub.join
                    && let Some(failed) = self.finish_sub(feeding.sub.var, stream)
                {
                    return Err(self.module_failed(line, token, &failed));
                }
                let kind = if look == Look::End { ErrorKind::Minimum } else { ErrorKind::Mismatch };
                let raised = self.exception(line, token, kind);
                let expected = feeding.sub.set.to_string();
                let raised = Raised { expected, found: Some(Found::from(look)), ..raised };
                if look == Look::End { self.lack(raised) } else { Err(raised) }
            }
        }
    }

    /// The token is over: the sub-parser is finished, unless it is joined, and the line goes on.
    fn leave_module(&mut self, line: LineId, index: usize, feeding: &Feeding<'g>, stream: bool) -> Stepped {
        let token = self.module.lines[line].tokens[index];
        if !feeding.sub.join
            && let Some(failed) = self.finish_sub(feeding.sub.var, stream)
        {
            return Err(self.module_failed(line, token, &failed));
        }
        self.control = Control::Line { line, index: index + 1 };
        Ok(Step::Moved)
    }

    fn feed_sub(&mut self, feeding: &Feeding<'g>, byte: u8) -> bool {
        let mask = match feeding.key.len() {
            0 => 0,
            size => feeding.key[(feeding.count % size as u64) as usize],
        };
        let outer = self.outer;
        let Some(sub) = self.sub(feeding.sub.var) else {
            return false;
        };
        sub.runner.outer = outer;
        let taken = sub.runner.feed(Look::Byte(byte ^ mask));
        let events = std::mem::take(&mut sub.runner.out);
        self.outer = sub.runner.outer;
        self.out.extend(events);
        taken
    }

    /// No more bytes come for a sub-parser; its failure, if it fails.
    fn finish_sub(&mut self, var: VarId, stream: bool) -> Option<Failed> {
        let outer = self.outer;
        let sub = self.sub(var)?;
        sub.runner.outer = outer;
        let ending = sub.runner.finish(stream);
        let events = std::mem::take(&mut sub.runner.out);
        self.out.extend(events);
        match ending {
            Ending::Failed(failed) => Some(failed),
            Ending::Complete | Ending::Stopped => None,
        }
    }

    /// `end:v` finishes a joined module and resets it; its variables stay readable until it is used again.
    pub fn end_module(&mut self, line: LineId, token: TokenId, var: VarId) -> Result<(), Raised> {
        if self.sub(var).is_none_or(|sub| sub.fresh) {
            return Ok(());
        }
        let failed = self.finish_sub(var, true);
        if let Some(sub) = self.sub(var) {
            sub.fresh = true;
        }
        match failed {
            Some(failed) => Err(self.module_failed(line, token, &Failed { incomplete: false, ..failed })),
            None => Ok(()),
        }
    }

    /// Finishes the joined modules in order of first use, up to the first that fails.
    pub fn finish_joined(&mut self) -> Option<(Raised, Failed)> {
        for i in 0..self.subs.len() {
            let sub = &self.subs[i];
            if !sub.joined || sub.fresh {
                continue;
            }
            let ((line, token), var) = (sub.last, sub.var);
            if let Some(failed) = self.finish_sub(var, true) {
                return Some((self.module_failed(line, token, &failed), failed));
            }
        }
        None
    }

    /// The exception of a module that failed; it found what the module found.
    fn module_failed(&self, line: LineId, token: TokenId, failed: &Failed) -> Raised {
        let incomplete = failed.incomplete && self.ending == Some(true);
        Raised { found: failed.found, incomplete, ..self.exception(line, token, ErrorKind::Module) }
    }

    fn sub(&mut self, var: VarId) -> Option<&mut Sub<'g>> {
        self.subs.iter_mut().find(|sub| sub.var == var)
    }

    fn sub_stopped(&mut self, var: VarId) -> bool {
        self.sub(var).is_some_and(|sub| matches!(sub.runner.ended(), Some(Ending::Stopped)))
    }

    fn sub_failed(&mut self, var: VarId) -> Option<Failed> {
        match self.sub(var)?.runner.ended() {
            Some(Ending::Failed(failed)) => Some(failed.clone()),
            _ => None,
        }
    }
}

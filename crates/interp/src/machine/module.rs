//! Sub-parsers: bytes of a token are the stream of another module's parser.

use super::code::Tables;
use super::parser::{AtEnd, Core, Cx, Expect, Line, NEVER, Outcome, Parser, Raised};
use super::run::bounds;
use super::span::unmask;
use crate::trace::{Found, Value};
use crate::{eval, store};
use vproto_ir::ids::{ExprId, Id, SiteId, StateId, VarId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Kind, State};
use vproto_ir::symbols::{Symbols, VarType};

impl Core {
    /// Feeds a sub-parser. Some edge: its token is over.
    pub fn module<'c>(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'c>,
        id: StateId,
        state: &'c State,
    ) -> Result<Option<&'c Edge>, Raised> {
        let Kind::Module { var, lo, hi, join, xor, sets, next, .. } = &state.kind else { return Ok(None) };
        let Tables::Set(table) = &cx.code.tables[id.index()] else { return Ok(None) };
        let bounded = *hi != Bound::Unbounded;
        let (lo, hi) = bounds(line, *lo, *hi);
        let key = xor.map(|key| self.store.text(key).to_vec());
        if line.fresh {
            line.fresh = false;
            if key.as_ref().is_some_and(Vec::is_empty) {
                return Err(Raised::new(ErrorKind::Condition, state.site));
            }
            let limit = if bounded { hi } else { NEVER };
            self.enter_module(line, cx, *var, *join, limit, sets, state.site)?;
        }
        loop {
            self.sub_alive(*var, state.site)?;
            let stopped = matches!(self.sub_outcome(*var), Some(Outcome::Stopped | Outcome::Complete));
            if line.registers.n >= hi || stopped && !bounded {
                return self
                    .leave_module(line, cx, *var, *join, AtEnd::Limit, state.site)
                    .map(|()| Some(next));
            }
            let room = hi - line.registers.n;
            let window = cx.slice(line.pos, self.end.min(line.pos.saturating_add(room)));
            let run = table.run(window);
            if run > 0 {
                let before = line.registers.n;
                let taken = if stopped { run } else { self.feed(line, cx, *var, run, key.as_deref()) };
                line.pos += taken as u64;
                line.registers.n = before + taken as u64;
                if taken < run || !stopped && self.sub_outcome(*var).is_some() {
                    continue;
                }
            }
            if line.registers.n >= hi {
                continue;
            }
            return self.module_ends(line, cx, (id, state), *var, *join, lo, next);
        }
    }

    /// The window has no more bytes for the module: why?
    #[allow(clippy::too_many_arguments)]
    fn module_ends<'c>(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'c>,
        (id, state): (StateId, &'c State),
        var: VarId,
        join: bool,
        lo: u64,
        next: &'c Edge,
    ) -> Result<Option<&'c Edge>, Raised> {
        let enough = line.registers.n >= lo;
        if line.pos < self.end {
            let byte = cx.slice(line.pos, line.pos + 1)[0];
            if !enough {
                self.leave_module(line, cx, var, join, AtEnd::Limit, state.site)?;
                return Err(Raised::at_byte(ErrorKind::Mismatch, state.site, id, byte));
            }
            return self.leave_module(line, cx, var, join, AtEnd::Limit, state.site).map(|()| Some(next));
        }
        let how = match self.at_end {
            AtEnd::More => return Ok(None),
            AtEnd::Fence | AtEnd::Limit => AtEnd::Limit,
            AtEnd::Stream => AtEnd::Stream,
        };
        self.see_end();
        if !enough {
            self.leave_module(line, cx, var, join, how, state.site)?;
            return Err(Raised::lacking(state.site, Expect::State(id)));
        }
        self.leave_module(line, cx, var, join, how, state.site).map(|()| Some(next))
    }

    /// A token enters a module: it begins anew, or is joined; then its options are set.
    #[allow(clippy::too_many_arguments)]
    fn enter_module(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        join: bool,
        limit: u64,
        sets: &[(VarId, ExprId)],
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let Some(module) = cx.code.module_of(var) else { return Ok(()) };
        let values: Result<Vec<_>, Raised> =
            sets.iter().map(|(member, expr)| Ok((*member, self.option(line, cx, *expr, site)?))).collect();
        let values = values?;
        let runs = self.joined.iter().position(|(joined, _)| *joined == var);
        let limit = limit.min(self.left(line.pos).unwrap_or(NEVER));
        if !join || runs.is_none() {
            let mut sub = Parser::sub(cx.program, module);
            sub.core.limit = if join { NEVER } else { limit };
            self.subs[var.index()] = Some(Box::new(sub));
        }
        runs.map(|at| self.joined.remove(at));
        if join {
            self.joined.push((var, site));
        }
        if !self.used.contains(&var) {
            self.used.push(var);
        }
        for (member, value) in values {
            self.set_option(cx, var, member, value, site)?;
        }
        self.feed(line, cx, var, 0, None);
        Ok(())
    }

    /// The value of an option.
    fn option(
        &mut self,
        line: &Line,
        cx: &mut Cx<'_>,
        expr: ExprId,
        site: Option<SiteId>,
    ) -> Result<Value, Raised> {
        let code = cx.code;
        let value = eval::argument(&self.env(line, cx, site), &code.machine.symbols.exprs[expr]);
        value.map_err(|kind| Raised::new(kind, site))
    }

    /// `x=e`: the value must fit the module's variable.
    fn set_option(
        &mut self,
        cx: &Cx<'_>,
        var: VarId,
        member: VarId,
        value: Value,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let (Some(module), Some(sub)) = (cx.code.module_of(var), &mut self.subs[var.index()]) else {
            return Ok(());
        };
        let symbols = &cx.program.module(module).machine.symbols;
        let ty = symbols.vars[member].ty;
        let store = &mut sub.core.store;
        let number = match value {
            Value::Int(number) => number,
            Value::Bool(truth) => i128::from(truth),
            Value::Member(name) => member_value(symbols, ty, &name).unwrap_or_default(),
            Value::F32(value) => {
                store.set_f32(member, value);
                return Ok(());
            }
            Value::F64(value) => {
                store.set_f64(member, value);
                return Ok(());
            }
            Value::Bytes(bytes) if bytes.len() > store::limit(symbols, ty) => {
                return Err(Raised::new(ErrorKind::Limit, site));
            }
            Value::Bytes(bytes) => {
                store.set_text(member, bytes);
                return Ok(());
            }
        };
        let number = if ty == VarType::Bool { i128::from(number != 0) } else { number };
        if !ty.range().is_some_and(|(least, greatest)| (least..=greatest).contains(&number)) {
            return Err(Raised::new(ErrorKind::Overflow, site));
        }
        store.set_scalar(member, number);
        Ok(())
    }

    /// Hands the next `run` bytes on. How many the module took.
    fn feed(&mut self, line: &Line, cx: &mut Cx<'_>, var: VarId, run: usize, key: Option<&[u8]>) -> usize {
        let Some(mut sub) = self.subs[var.index()].take() else { return run };
        sub.core.delta = self.delta.wrapping_add(line.pos).wrapping_sub(sub.main.pos);
        let bytes = cx.slice(line.pos, line.pos + run as u64);
        let taken = match key {
            Some(key) => {
                let mut plain = bytes.to_vec();
                unmask(&mut plain, key, line.registers.n);
                sub.feed(cx, &plain, var)
            }
            None => {
                let start = (line.pos - cx.base) as usize;
                let bytes = &cx.bytes[start..start + run];
                sub.feed(cx, bytes, var)
            }
        };
        self.subs[var.index()] = Some(sub);
        taken
    }

    /// The token of a module is over: so is the module's stream, if it is not joined.
    fn leave_module(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        join: bool,
        how: AtEnd,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        if join {
            return Ok(());
        }
        match self.finish_sub(line.pos, cx, var, how) {
            Outcome::Complete | Outcome::Stopped => Ok(()),
            Outcome::Incomplete | Outcome::Failed => self.sub_alive(var, site),
        }
    }

    /// What the exception found that ended a module.
    pub fn sub_found(&self, var: VarId) -> Option<Found> {
        self.subs[var.index()].as_ref().and_then(|sub| sub.core.found)
    }

    /// A module that failed is an exception of the token that feeds it.
    fn sub_alive(&self, var: VarId, site: Option<SiteId>) -> Result<(), Raised> {
        let outcome = self.sub_outcome(var);
        if matches!(outcome, Some(Outcome::Failed | Outcome::Incomplete)) {
            let (found, incomplete) = (self.sub_found(var), outcome == Some(Outcome::Incomplete));
            return Err(Raised { found, incomplete, ..Raised::new(ErrorKind::Module, site) });
        }
        Ok(())
    }

    fn sub_outcome(&self, var: VarId) -> Option<Outcome> {
        self.subs[var.index()].as_ref().and_then(|sub| sub.core.outcome)
    }

    /// Tells a sub-parser that its stream is over.
    pub fn finish_sub(&mut self, pos: u64, cx: &mut Cx<'_>, var: VarId, how: AtEnd) -> Outcome {
        let Some(mut sub) = self.subs[var.index()].take() else { return Outcome::Complete };
        sub.core.delta = self.delta.wrapping_add(pos).wrapping_sub(sub.main.pos);
        let outcome = sub.end(cx, var, how);
        self.subs[var.index()] = Some(sub);
        outcome
    }
}

/// The number of an enum's member; an option names a member of the module's own type, or of one that is alike.
fn member_value(symbols: &Symbols, ty: VarType, name: &str) -> Option<i128> {
    let VarType::Enum { of, .. } = ty else { return None };
    symbols.enums[of].members.iter().find(|(member, _)| member == name).map(|(_, value)| i128::from(*value))
}

impl Parser {
    /// Takes bytes as a sub-parser. How many it took.
    fn feed(&mut self, cx: &mut Cx<'_>, bytes: &[u8], var: VarId) -> usize {
        let before = self.main.pos;
        let Some(module) = cx.code.module_of(var) else { return bytes.len() };
        let mut inner = Cx {
            program: cx.program,
            code: cx.program.module(module),
            options: cx.options,
            bytes,
            base: before,
            sink: &mut *cx.sink,
        };
        self.parse(&mut inner);
        (self.main.pos - before) as usize
    }

    /// Ends as a sub-parser.
    fn end(&mut self, cx: &mut Cx<'_>, var: VarId, how: AtEnd) -> Outcome {
        let Some(module) = cx.code.module_of(var) else { return Outcome::Complete };
        let mut inner = Cx {
            program: cx.program,
            code: cx.program.module(module),
            options: cx.options,
            bytes: &[],
            base: self.main.pos,
            sink: &mut *cx.sink,
        };
        self.finish(&mut inner, how)
    }

    /// Takes a fragment; `cx.base` is where the parser stands.
    pub fn parse(&mut self, cx: &mut Cx<'_>) {
        if self.core.outcome.is_some() {
            return;
        }
        self.drive(cx);
        self.core.cut(&mut self.main, cx);
        self.wipe(cx);
    }

    /// No more bytes come.
    pub fn finish(&mut self, cx: &mut Cx<'_>, how: AtEnd) -> Outcome {
        if self.core.outcome.is_none() {
            self.core.finishing = how;
            self.drive(cx);
            self.core.finishing = AtEnd::More;
        }
        self.core.outcome.unwrap_or(Outcome::Incomplete)
    }
}

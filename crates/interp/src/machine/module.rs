//! Sub-parsers: bytes of a token are the stream of another module's parser.

use super::code::Tables;
use super::parser::{AtEnd, Core, Cx, Expect, Line, NEVER, Outcome, Parser, Raised};
use super::run::bounds;
use super::span::unmask;
use crate::store::Read;
use crate::{eval, trace::Found};
use vproto_ir::ids::{ExprId, Id, SiteId, StateId, VarId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Kind, State};
use vproto_ir::portable::Type;
use vproto_ir::symbols::VarType;

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
                if matches!(self.sub_outcome(*var), Some(Outcome::Failed | Outcome::Incomplete)) {
                    return Err(Raised::new(ErrorKind::Module, state.site));
                }
                if taken < run {
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
        if !join {
            let mut sub = Parser::sub(cx.program, module);
            sub.core.limit = limit;
            self.subs[var.index()] = Some(Box::new(sub));
        } else if !self.joined.contains(&var) {
            self.joined.push(var);
        }
        for (member, expr) in sets {
            self.set_option(line, cx, var, *member, *expr, site)?;
        }
        Ok(())
    }

    /// `x=e`: the value must fit the module's variable.
    fn set_option(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        member: VarId,
        expr: ExprId,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let Some(module) = cx.code.module_of(var) else { return Ok(()) };
        let ty = cx.program.module(module).machine.symbols.vars[member].ty;
        let code = cx.code;
        let expr = &code.machine.symbols.exprs[expr];
        let raised = |kind| Raised::new(kind, site);
        if expr.ty == Type::Text {
            let bytes = eval::text(&self.env(line, cx, site), expr).map_err(raised)?.into_owned();
            if let Some(sub) = &mut self.subs[var.index()] {
                sub.core.store.set_text(member, bytes);
            }
            return Ok(());
        }
        let env = self.env(line, cx, site);
        let lone = match (&expr.kind, ty.range()) {
            (vproto_ir::portable::ExprKind::Var(var), Some(_)) => match eval::Environment::read(&env, *var) {
                Read::Scalar(value) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let value = match lone {
            Some(value) => value,
            None => i128::from(eval::integer(&env, expr).map_err(raised)?),
        };
        let value = if ty == VarType::Bool { i128::from(value != 0) } else { value };
        if !ty.range().is_some_and(|(least, greatest)| (least..=greatest).contains(&value)) {
            return Err(Raised::new(ErrorKind::Overflow, site));
        }
        if let Some(sub) = &mut self.subs[var.index()] {
            sub.core.store.set_scalar(member, value);
        }
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
            Outcome::Incomplete | Outcome::Failed => {
                let found = (how == AtEnd::Stream).then_some(Found::End);
                Err(Raised { found, ..Raised::new(ErrorKind::Module, site) })
            }
        }
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

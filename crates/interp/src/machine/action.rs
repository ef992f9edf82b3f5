//! The actions on edges.

use super::env::Env;
use super::group::Deed;
use super::parser::{AtEnd, Core, Cx, Line, Mark, NEVER, Outcome, Raised};
use super::span::{self, Open, Room, Stored, Values};
use crate::store::Store;
use crate::trace::{EventKind, Found};
use vproto_ir::grammar::Bound;
use vproto_ir::ids::{SiteId, SpanId, VarId};
use vproto_ir::machine::{Action, Edge, ErrorKind, Form, Op};

impl Core {
    /// Follows an edge: its actions, then its target.
    #[inline]
    pub fn go(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        edge: &Edge,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        self.actions(line, cx, &edge.actions, site)?;
        line.enter(edge.to);
        Ok(())
    }

    /// Runs actions in order; `site` is the place of those without one of their own.
    pub fn actions(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        actions: &[Action],
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        for action in actions {
            self.action(line, cx, &action.op, action.site.or(site))?;
        }
        Ok(())
    }

    fn action(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        op: &Op,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        match op {
            Op::Take => return self.take(line, cx, site),
            Op::Open(span) => return self.open(line, cx, *span, site),
            Op::Commit(span) => {
                if let Some(open) = remove(line, *span) {
                    let end = line.pos - line.held;
                    return self.commit(line, cx, open, end, line.pos, site);
                }
            }
            Op::Close(span) => {
                let end = line.pos;
                if let Some(open) = line.spans.iter_mut().rev().find(|open| open.span == *span) {
                    open.closed = Some(end);
                }
            }
            Op::Deliver(span) => {
                if let Some(open) = remove(line, *span) {
                    let end = open.closed.unwrap_or(line.pos);
                    return self.commit(line, cx, open, end, end, site);
                }
            }
            Op::DropSpan(span) => drop(remove(line, *span)),
            Op::SetLo(expr) => line.registers.lo = self.env(line, cx, site).bound(*expr)?,
            Op::SetHi(expr) => line.registers.hi = self.env(line, cx, site).bound(*expr)?,
            Op::SetRep(expr) => line.registers.rep = self.env(line, cx, site).bound(*expr)?,
            Op::SetLoFixed(n) => line.registers.lo = *n,
            Op::SetHiFixed(n) => line.registers.hi = *n,
            Op::SetLoToHi => line.registers.lo = line.registers.hi,
            Op::SetRepFixed(n) => line.registers.rep = *n,
            Op::CountRep => line.registers.rep = line.registers.rep.saturating_add(1),
            Op::Begin(span) => self.begin(line, cx, *span, site),
            Op::End(span) => return self.end(line, cx, *span, site),
            Op::EndModule(var) => return self.end_module(line, cx, *var, site),
            Op::Notify(function, args) if line.log.is_none() => {
                return self.env(line, cx, site).call(*function, args);
            }
            Op::Notify(function, args) => {
                let deed = Deed::Notify { function: *function, args: args.clone() };
                return self.put_off_or_do(line, cx, deed, site, line.pos);
            }
            Op::Code(code) => {
                return self.put_off_or_do(line, cx, Deed::Code { code: *code }, site, line.pos);
            }
            Op::SetVar(var, value) => {
                return self.put(line, cx, *var, Stored::Scalar(i128::from(*value)), site);
            }
            Op::InitVar(var, value) => {
                let (value, pos) = (Stored::Scalar(i128::from(*value)), line.pos);
                return self.put_at(line, cx, *var, value, true, site, pos);
            }
            Op::Mark(mark) => {
                if let Some(number) = cx.code.mark(*mark) {
                    self.sequence += 1;
                    let mark = Mark { pos: line.pos, sequence: self.sequence };
                    self.marks_mut(cx.code)[number] = mark;
                }
            }
            Op::Home(tree) => self.enter_home(cx.code, *tree, line.pos),
            Op::Unspan(mark) => {
                if let Some(number) = cx.code.mark(*mark) {
                    self.unspan_since(line, cx, number);
                }
            }
            Op::Reset => self.reset(line, cx),
        }
        Ok(())
    }

    /// Portable code of a line of control.
    #[inline]
    pub fn env<'e, 'c>(&'e mut self, line: &Line, cx: &'e mut Cx<'c>, site: Option<SiteId>) -> Env<'e, 'c> {
        Env { core: self, cx, pos: line.pos, site }
    }

    /// Takes the byte in hand.
    fn take(&mut self, line: &mut Line, cx: &mut Cx<'_>, site: Option<SiteId>) -> Result<(), Raised> {
        let byte = cx.slice(line.pos, line.pos + 1)[0];
        if let Err((_, kind)) = span::take(cx.code, line, &[byte]) {
            return Err(Raised { found: Some(Found::Byte(byte)), ..Raised::new(kind, site) });
        }
        line.pos += 1;
        Ok(())
    }

    /// `open`: the variable is cleared, save in a thread (determinised or not) and with `append`.
    fn open(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        span: SpanId,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let code = cx.code;
        let mut room = Room::FREE;
        let def = &code.machine.spans[span];
        let clears = !line.is_thread() && !def.private;
        match &def.form {
            Form::Pieces { xor: Some(key), .. } if self.store.text(*key).is_empty() => {
                return Err(Raised::new(ErrorKind::Condition, site));
            }
            Form::Pieces { .. } if line.is_thread() => {
                // They are kept until the thread wins.
                room = Room { bytes: code.machine.symbols.limits.string as usize, strict: true };
            }
            Form::String { var, append, keep } => {
                let keep = match keep {
                    Some(Bound::Fixed(n)) => Some(*n),
                    Some(Bound::Expr(expr)) => Some(self.env(line, cx, site).bound(*expr)?),
                    None => None,
                };
                room = self.text_room(line, cx, *var, *append, keep, clears);
            }
            Form::Array { var, append } | Form::View { var, append } => {
                room = self.text_room(line, cx, *var, *append, None, clears);
            }
            Form::Digits { var, .. }
            | Form::Binary { var, .. }
            | Form::Varint { var: Some(var), .. }
            | Form::Float { var, .. }
                if clears =>
            {
                self.clear(cx, *var)
            }
            Form::Bits { fields, .. } if clears => {
                fields.iter().filter_map(|field| field.var).for_each(|var| self.clear(cx, var));
            }
            _ => {}
        }
        line.spans.push(Open::new(span, site, line.pos, room));
        Ok(())
    }

    fn text_room(
        &mut self,
        line: &Line,
        cx: &Cx<'_>,
        var: VarId,
        append: bool,
        keep: Option<u64>,
        clears: bool,
    ) -> Room {
        if clears && !append {
            self.clear(cx, var);
        }
        let existing = if append { held(&self.store, line, var) } else { 0 };
        Room::of(cx.code, var, existing, keep)
    }

    fn clear(&mut self, cx: &Cx<'_>, var: VarId) {
        self.store.initialise(&cx.code.machine.symbols, var);
    }

    /// `commit`, `deliver`: hands on or stores what lies before `end`; the event stands at `pos`.
    fn commit(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        open: Open,
        end: u64,
        pos: u64,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let code = cx.code;
        if let Form::Pieces { function, .. } = &code.machine.spans[open.span].form {
            let bytes = open.pieces(code, &self.store, cx, end);
            return self.put_off_or_do(line, cx, Deed::Data { function: *function, bytes }, site, pos);
        }
        let values = open.values(code, cx, end).map_err(|kind| Raised::new(kind, site))?;
        match values {
            Values::None => {}
            Values::One(var, value) => self.put_at(line, cx, var, value, false, site, pos)?,
            Values::Many(values) => {
                for (var, value) in values {
                    self.put_at(line, cx, var, value, false, site, pos)?;
                }
            }
        }
        Ok(())
    }

    /// Stores a variable here, with its event.
    pub fn put(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        value: Stored,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let pos = line.pos;
        self.put_at(line, cx, var, value, false, site, pos)
    }

    #[allow(clippy::too_many_arguments)]
    fn put_at(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        value: Stored,
        silent: bool,
        site: Option<SiteId>,
        pos: u64,
    ) -> Result<(), Raised> {
        self.put_off_or_do(line, cx, Deed::Store { var, value, silent }, site, pos)
    }

    /// Does it, or lets the thread's log do it once it has won.
    fn put_off_or_do(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        deed: Deed,
        site: Option<SiteId>,
        pos: u64,
    ) -> Result<(), Raised> {
        match self.put_off(line, deed, site, pos) {
            Some(deed) => self.perform(cx, deed, site, pos),
            None => Ok(()),
        }
    }

    /// Stores a variable, with its event.
    ///
    /// # Errors
    /// Deferred code has left too little room for what is appended; or `swap` fails.
    pub fn store_value(
        &mut self,
        cx: &mut Cx<'_>,
        var: VarId,
        value: Stored,
        silent: bool,
        site: Option<SiteId>,
        pos: u64,
    ) -> Result<(), Raised> {
        match value {
            Stored::Scalar(value) => self.store.set_scalar(var, value),
            Stored::Swapped { plain, swapped, swap } => {
                let other = Env { core: self, cx, pos, site }.truth(swap)?;
                self.store.set_scalar(var, if other { swapped } else { plain });
            }
            Stored::F32(value) => self.store.set_f32(var, value),
            Stored::F64(value) => self.store.set_f64(var, value),
            Stored::Text(bytes) => self.store.set_text(var, bytes),
            Stored::Append(bytes) => {
                let room = Room::of(cx.code, var, self.store.text(var).len(), None);
                if room.strict && bytes.len() > room.bytes {
                    return Err(Raised::new(ErrorKind::Limit, site));
                }
                self.store.append_text(var, &bytes[..bytes.len().min(room.bytes)]);
            }
        }
        if !silent {
            let value = self.store.value(&cx.code.machine.symbols, var);
            let kind = EventKind::Capture { at: cx.code.at(site), name: cx.code.var_name(var), value };
            self.emit(cx, pos, kind);
        }
        Ok(())
    }

    /// `reset`: as before the first byte, save for the position.
    fn reset(&mut self, line: &mut Line, cx: &mut Cx<'_>) {
        self.unspan(line, cx, 0);
        self.store.clone_from(&cx.code.start);
        self.frames.clear();
        self.marks = vec![Mark::UNSET; cx.code.mark_count];
        self.fence = NEVER;
        self.bottom_home = line.pos;
        self.joined.clear();
        self.used.clear();
        self.subs.iter_mut().for_each(|sub| *sub = None);
        line.spans.clear();
        self.set_window(cx);
    }

    /// `end` of a joined module: its stream is over, and the next token begins it anew. Until then its variables stay.
    fn end_module(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        var: VarId,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let Some(at) = self.joined.iter().position(|(joined, _)| *joined == var) else { return Ok(()) };
        self.joined.remove(at);
        let outcome = self.finish_sub(line.pos, cx, var, AtEnd::Stream);
        match outcome {
            Outcome::Complete | Outcome::Stopped => Ok(()),
            Outcome::Incomplete | Outcome::Failed => {
                let found = self.sub_found(var);
                Err(Raised { found, ..Raised::new(ErrorKind::Module, site) })
            }
        }
    }
}

/// How many bytes a text variable holds, with what a thread has stored for itself.
fn held(store: &Store, line: &Line, var: VarId) -> usize {
    let mut held = store.text(var).len();
    for entry in line.log.iter().flatten() {
        match &entry.what {
            Deed::Store { var: stored, value: Stored::Text(bytes), .. } if *stored == var => {
                held = bytes.len()
            }
            Deed::Store { var: stored, value: Stored::Append(bytes), .. } if *stored == var => {
                held += bytes.len()
            }
            _ => {}
        }
    }
    held
}

fn remove(line: &mut Line, span: SpanId) -> Option<Open> {
    let at = line.spans.iter().rposition(|open| open.span == span)?;
    Some(line.spans.remove(at))
}

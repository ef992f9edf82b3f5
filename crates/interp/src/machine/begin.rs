//! `begin … end` spans: one slot per function or check value, bytes handed on fragment by fragment.

use super::group::Deed;
use super::parser::{Core, Cx, Line, NEVER, Raised};
use super::span::Stored;
use crate::digest::Digester;
use crate::trace::EventKind;
use vproto_ir::ids::{FunctionId, SiteId, SpanId, VarId};
use vproto_ir::machine::{ErrorKind, Form};

/// A span that is open.
#[derive(Clone, Debug)]
pub(super) struct BeginSlot {
    /// The token that began it.
    site: Option<SiteId>,
    /// First offset whose byte is not in `kept`.
    from: u64,
    /// Its place in the order of entries and `begin`s.
    pub sequence: u64,
    /// What is kept of its bytes.
    kept: Kept,
}

#[derive(Clone, Debug)]
enum Kept {
    /// All of them, for the trace.
    Bytes(FunctionId, Vec<u8>),
    /// A check value in the making.
    Digest(VarId, Digester),
}

impl BeginSlot {
    /// Takes the bytes of the fragment up to an offset.
    pub fn cut(&mut self, cx: &Cx<'_>, end: u64) {
        if end <= self.from {
            return;
        }
        let bytes = cx.slice(self.from, end);
        match &mut self.kept {
            Kept::Bytes(_, kept) => kept.extend_from_slice(bytes),
            Kept::Digest(_, digester) => digester.bytes(bytes),
        }
        self.from = end;
    }
}

impl Core {
    /// The slots that a line of control sees.
    fn slots<'a>(&'a mut self, line: &'a mut Line) -> &'a mut Vec<Option<BeginSlot>> {
        line.begins.as_mut().unwrap_or(&mut self.begins)
    }

    /// Makes a thread's view of the slots its own before it changes them.
    fn own_slots(&self, line: &mut Line) {
        if line.is_thread() && line.begins.is_none() {
            line.begins = Some(self.begins.clone());
        }
    }

    /// `begin`: a span of the same name that is open ends here.
    pub fn begin(&mut self, line: &mut Line, cx: &mut Cx<'_>, span: SpanId, site: Option<SiteId>) {
        let Some(slot) = cx.code.slot(span) else { return };
        self.own_slots(line);
        if let Some(old) = self.slots(line)[slot].take() {
            self.cut_short(line, cx, old);
        }
        let kept = match cx.code.machine.spans[span].form {
            Form::Begin(function) => Kept::Bytes(function, Vec::new()),
            Form::Digest(digest, var) => Kept::Digest(var, Digester::new(digest)),
            _ => return,
        };
        self.sequence += 1;
        let begun = BeginSlot { site, from: line.pos, sequence: self.sequence, kept };
        self.slots(line)[slot] = Some(begun);
    }

    /// `end`: nothing where the span is not open.
    ///
    /// # Errors
    /// A check value that does not fit its variable.
    pub fn end(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        span: SpanId,
        site: Option<SiteId>,
    ) -> Result<(), Raised> {
        let Some(slot) = cx.code.slot(span) else { return Ok(()) };
        self.own_slots(line);
        let Some(mut open) = self.slots(line)[slot].take() else { return Ok(()) };
        open.cut(cx, line.pos);
        match open.kept {
            Kept::Bytes(function, bytes) => self.data(line, cx, function, bytes, site),
            Kept::Digest(var, digester) => {
                let value = i128::from(digester.value());
                let range = cx.code.machine.symbols.vars[var].ty.range();
                if range.is_none_or(|(_, greatest)| value > greatest) {
                    return Err(Raised::new(ErrorKind::Overflow, site));
                }
                return self.put(line, cx, var, Stored::Scalar(value), site);
            }
        }
        Ok(())
    }

    /// Ends a span where its `end` was not reached: bytes are handed on, a check value stores nothing.
    fn cut_short(&mut self, line: &mut Line, cx: &mut Cx<'_>, mut open: BeginSlot) {
        open.cut(cx, line.pos);
        if let Kept::Bytes(function, bytes) = open.kept {
            self.data(line, cx, function, bytes, open.site);
        }
    }

    /// Ends all spans that began after an entry of a branching, in the order in which they began.
    pub fn unspan(&mut self, line: &mut Line, cx: &mut Cx<'_>, after: u64) {
        let mut open: Vec<BeginSlot> = Vec::new();
        for slot in &mut self.begins {
            if slot.as_ref().is_some_and(|begun| begun.sequence > after) {
                open.extend(slot.take());
            }
        }
        open.sort_by_key(|begun| begun.sequence);
        for begun in open {
            self.cut_short(line, cx, begun);
        }
    }

    /// Ends the spans begun since a branching was entered; where the activation did not enter it, since its own start.
    pub fn unspan_since(&mut self, line: &mut Line, cx: &mut Cx<'_>, mark: usize) {
        let entered = self.marks_mut(cx.code)[mark].sequence;
        let began = self.frames.last().map_or(0, |frame| frame.began);
        self.unspan(line, cx, if entered == NEVER { began } else { entered });
    }

    /// Hands the bytes of a function on, or logs them.
    pub fn data(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        f: FunctionId,
        bytes: Vec<u8>,
        site: Option<SiteId>,
    ) {
        let pos = line.pos;
        if let Some(Deed::Data { function, bytes }) =
            self.put_off(line, Deed::Data { function: f, bytes }, site, pos)
        {
            self.emit_data(cx, function, bytes, site, pos);
        }
    }

    /// Hands the bytes of a function on.
    pub fn emit_data(&self, cx: &mut Cx<'_>, f: FunctionId, bytes: Vec<u8>, site: Option<SiteId>, pos: u64) {
        let kind = EventKind::Data { at: cx.code.at(site), name: cx.code.function_name(f), bytes };
        self.emit(cx, pos, kind);
    }
}

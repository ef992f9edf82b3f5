//! Captures: what becomes of the bytes between `open` and `commit`.
//!
//! While a fragment lasts a capture is two offsets. Only at a cut are its bytes kept, as its form says; forms that
//! refuse a byte look at bytes as they are taken.

use super::code::Code;
use super::number::{Number, wrapped};
use super::parser::{Core, Cx, Line};
use crate::store::{self, Store};
use std::borrow::Cow;
use vproto_ir::grammar::{BitField, IntType};
use vproto_ir::ids::{ExprId, SiteId, SpanId, VarId};
use vproto_ir::machine::{ErrorKind, Form};
use vproto_ir::symbols::VarType;

/// A capture that is open, or closed and waiting for its thread to win.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// Which.
    pub span: SpanId,
    /// The token, for a piece that is cut short.
    pub site: Option<SiteId>,
    /// First offset whose byte is not in `buffer`.
    from: u64,
    /// Bytes of earlier fragments, as far as they are stored.
    buffer: Vec<u8>,
    /// Where it was closed.
    pub closed: Option<u64>,
    /// How many bytes are stored at most; text forms only.
    room: usize,
    /// Whether a byte beyond `room` is refused.
    strict: bool,
    /// Bytes that count to the bound.
    count: u64,
    /// Value so far of a form that is a number.
    number: Number,
}

/// What a capture stores.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// An integer, a boolean or an enum's number.
    Scalar(i128),
    /// An integer in one byte order or the other, as an expression says when it is stored.
    Swapped { plain: i128, swapped: i128, swap: ExprId },
    /// A float.
    F32(f32),
    /// A float.
    F64(f64),
    /// Bytes in place of what was there.
    Text(Vec<u8>),
    /// Bytes behind what is there.
    Append(Vec<u8>),
}

impl Open {
    /// A capture that begins at an offset; `existing` is the length of what it appends to.
    pub fn new(span: SpanId, site: Option<SiteId>, from: u64, room: Room) -> Open {
        Open {
            span,
            site,
            from,
            buffer: Vec::new(),
            closed: None,
            room: room.bytes,
            strict: room.strict,
            count: 0,
            number: Number::default(),
        }
    }
}

/// The bound of a capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// How many bytes are stored.
    pub bytes: usize,
    /// Whether one more is refused.
    pub strict: bool,
}

impl Room {
    /// No bound.
    pub const FREE: Room = Room { bytes: usize::MAX, strict: false };

    /// Of a text variable that holds `existing` bytes already.
    pub fn of(code: &Code, var: VarId, existing: usize, keep: Option<u64>) -> Room {
        let symbols = &code.machine.symbols;
        let limit = store::limit(symbols, symbols.vars[var].ty);
        let array = matches!(symbols.vars[var].ty, VarType::Array { .. });
        match keep {
            Some(keep) => {
                let keep = usize::try_from(keep).unwrap_or(usize::MAX);
                Room { bytes: keep.min(limit).saturating_sub(existing), strict: keep > limit }
            }
            None => Room { bytes: limit.saturating_sub(existing), strict: !array },
        }
    }
}

/// A byte that a capture refuses: how many were taken before it, and why.
pub(super) type Refusal = (usize, ErrorKind);

/// Shows bytes to all open captures of a line as they are taken.
#[inline]
pub(super) fn take(code: &Code, line: &mut Line, bytes: &[u8]) -> Result<(), Refusal> {
    if line.spans.is_empty() {
        return Ok(());
    }
    take_all(code, line, bytes)
}

fn take_all(code: &Code, line: &mut Line, bytes: &[u8]) -> Result<(), Refusal> {
    let mut refusal: Option<Refusal> = None;
    for open in line.spans.iter_mut().filter(|open| open.closed.is_none()) {
        let upto = refusal.map_or(bytes.len(), |(taken, _)| taken);
        if let Err((taken, kind)) = open.take(code, &bytes[..upto]) {
            // The last thread of a group leaves: nobody takes the byte.
            let private = code.machine.spans[open.span].private;
            refusal = Some((taken, if private { ErrorKind::Mismatch } else { kind }));
        }
    }
    refusal.map_or(Ok(()), Err)
}

impl Open {
    fn take(&mut self, code: &Code, bytes: &[u8]) -> Result<(), Refusal> {
        let def = &code.machine.spans[self.span];
        match &def.form {
            Form::String { .. } | Form::View { .. } | Form::Pieces { .. } => self.take_text(def.trim, bytes),
            Form::Digits { radix, ty, .. } => self.number.digits(u32::from(*radix), *ty, bytes),
            Form::Varint { max, ty, .. } => self.number.groups(*max, *ty, bytes),
            Form::Binary { var, .. } if is_bool(code, *var) => {
                self.number.any(bytes);
                Ok(())
            }
            Form::Binary { big, ty, swap: None, .. } => self.number.binary(*big, *ty, bytes),
            Form::Binary { .. } => Ok(()),
            Form::Array { .. }
            | Form::Bits { .. }
            | Form::Float { .. }
            | Form::Begin(_)
            | Form::Digest(..) => Ok(()),
        }
    }

    /// Leading blanks of a trimmed text do not count to the bound.
    fn take_text(&mut self, trim: bool, bytes: &[u8]) -> Result<(), Refusal> {
        if !self.strict {
            return Ok(());
        }
        let leading = if trim && self.count == 0 { leading_blanks(bytes) } else { 0 };
        let room = self.room as u64 - self.count;
        let counted = (bytes.len() - leading) as u64;
        if counted > room {
            return Err((leading + room as usize, ErrorKind::Limit));
        }
        self.count += counted;
        Ok(())
    }

    /// Stores bytes of a fragment that ends, or of a text that turned out to be content.
    fn absorb(&mut self, code: &Code, bytes: &[u8]) {
        let def = &code.machine.spans[self.span];
        let text = match def.form {
            Form::String { .. } | Form::Array { .. } | Form::View { .. } => true,
            Form::Digits { .. } | Form::Varint { .. } => return,
            Form::Binary { var, swap, .. } if swap.is_none() || is_bool(code, var) => return,
            _ => false,
        };
        let leading = if text && def.trim && self.buffer.is_empty() { leading_blanks(bytes) } else { 0 };
        let bytes = &bytes[leading..];
        let room = if text { self.room.saturating_sub(self.buffer.len()) } else { usize::MAX };
        self.buffer.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// All bytes of the capture up to an offset, as far as they are stored.
    fn content<'a>(&'a mut self, code: &Code, cx: &'a Cx<'_>, end: u64) -> Cow<'a, [u8]> {
        let tail = if end > self.from { cx.slice(self.from, end) } else { &[] };
        let def = &code.machine.spans[self.span];
        let text = matches!(def.form, Form::String { .. } | Form::Array { .. } | Form::View { .. });
        if self.buffer.is_empty() {
            let leading = if text && def.trim { leading_blanks(tail) } else { 0 };
            let tail = &tail[leading..];
            let room = if text { self.room } else { usize::MAX };
            return Cow::Borrowed(&tail[..tail.len().min(room)]);
        }
        self.absorb(code, tail);
        Cow::Owned(std::mem::take(&mut self.buffer))
    }

    /// Keeps what the fragment has of the capture; letters that are held back are not yet its content.
    pub fn cut(&mut self, code: &Code, cx: &Cx<'_>, pos: u64, held: u64) {
        let end = self.closed.unwrap_or(pos - held);
        if end > self.from {
            self.absorb(code, cx.slice(self.from, end));
            self.from = end;
        }
    }

    /// Letters of a half-seen text, `[start, end)` of the stream, turned out to be content. Those that came in
    /// earlier fragments are taken from the text.
    pub fn release(&mut self, code: &Code, text: &[u8], start: u64, end: u64, base: u64) {
        let end = end.min(base);
        if self.from < end && self.from >= start {
            self.absorb(code, &text[(self.from - start) as usize..(end - start) as usize]);
            self.from = end;
        }
    }

    /// The bytes of a capture of form `pieces`, up to an offset.
    pub fn pieces(mut self, code: &Code, store: &Store, cx: &Cx<'_>, end: u64) -> Vec<u8> {
        let mut bytes = self.content(code, cx, end).into_owned();
        if let Form::Pieces { xor: Some(key), .. } = code.machine.spans[self.span].form {
            unmask(&mut bytes, store.text(key), 0);
        }
        bytes
    }

    /// What the capture stores, variable by variable.
    ///
    /// # Errors
    /// The value does not fit.
    pub fn values(mut self, code: &Code, cx: &Cx<'_>, end: u64) -> Result<Values, ErrorKind> {
        let def = &code.machine.spans[self.span];
        Ok(match &def.form {
            Form::String { var, append, .. } | Form::Array { var, append } | Form::View { var, append } => {
                let content = self.content(code, cx, end);
                let piece = if def.trim { without_trailing_blanks(&content) } else { &content };
                let stored = if *append { Stored::Append } else { Stored::Text };
                Values::One(*var, stored(piece.to_vec()))
            }
            Form::Digits { var, ty, .. } => Values::One(*var, Stored::Scalar(self.number.of_digits(*ty))),
            Form::Varint { var: Some(var), ty, .. } => {
                Values::One(*var, Stored::Scalar(self.number.of_groups(*ty)))
            }
            Form::Binary { var, .. } if is_bool(code, *var) => {
                Values::One(*var, Stored::Scalar(self.number.of_bool()))
            }
            Form::Binary { var, big, swap: None, ty } => {
                Values::One(*var, Stored::Scalar(self.number.of_binary(*big, *ty)?))
            }
            Form::Binary { var, big, ty, swap: Some(swap) } => {
                let content = self.content(code, cx, end);
                let of = |big| Number::whole(&content, big, *ty);
                let (plain, swapped) = (of(*big)?, of(!*big)?);
                Values::One(*var, Stored::Swapped { plain, swapped, swap: *swap })
            }
            Form::Bits { fields, little } => {
                let content = self.content(code, cx, end);
                Values::Many(bit_fields(&content, fields, *little))
            }
            Form::Float { var, big } => {
                let content = self.content(code, cx, end);
                let bits = join(&content, *big);
                let value = if content.len() == 4 {
                    Stored::F32(f32::from_bits(bits as u32))
                } else {
                    Stored::F64(f64::from_bits(bits))
                };
                Values::One(*var, value)
            }
            Form::Varint { var: None, .. } | Form::Pieces { .. } | Form::Begin(_) | Form::Digest(..) => {
                Values::None
            }
        })
    }
}

/// What a capture stores.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// Nothing.
    None,
    /// One variable.
    One(VarId, Stored),
    /// Bit fields.
    Many(Vec<(VarId, Stored)>),
}

impl Core {
    /// Keeps what the fragment has of everything that is open. Afterwards nothing points into the fragment.
    pub fn cut(&mut self, line: &mut Line, cx: &Cx<'_>) {
        let pos = line.pos;
        for slot in self.begins.iter_mut().chain(line.begins.iter_mut().flatten()).flatten() {
            slot.cut(cx, pos);
        }
        for open in &mut line.spans {
            open.cut(cx.code, cx, pos, line.held);
        }
        if let Some(group) = &mut line.group {
            for thread in &mut group.threads {
                self.cut(thread, cx);
            }
        }
    }
}

/// Combines bytes with those of a key; the first one stands `offset` bytes behind the token's start.
pub(super) fn unmask(bytes: &mut [u8], key: &[u8], offset: u64) {
    if key.is_empty() {
        return;
    }
    let start = (offset % key.len() as u64) as usize;
    for (byte, key) in bytes.iter_mut().zip(key.iter().cycle().skip(start)) {
        *byte ^= key;
    }
}

fn is_bool(code: &Code, var: VarId) -> bool {
    code.machine.symbols.vars[var].ty == VarType::Bool
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn leading_blanks(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| !is_blank(byte)).unwrap_or(bytes.len())
}

fn without_trailing_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// The number that up to eight bytes make.
fn join(bytes: &[u8], big: bool) -> u64 {
    let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    if big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) }
}

fn bit_fields(bytes: &[u8], fields: &[BitField], little: bool) -> Vec<(VarId, Stored)> {
    let mut at = 0usize;
    let mut values = Vec::with_capacity(fields.len());
    for field in fields {
        let width = usize::from(field.bits);
        let mut value = 0u64;
        for i in 0..width {
            let bit = at + i;
            let byte = bytes.get(bit / 8).copied().unwrap_or(0);
            if little {
                value |= u64::from(byte >> (bit % 8) & 1) << i;
            } else {
                value = value << 1 | u64::from(byte >> (7 - bit % 8) & 1);
            }
        }
        at += width;
        if let Some(var) = field.var {
            let ty = IntType { bits: field.bits, signed: field.signed, wrap: false };
            values.push((var, Stored::Scalar(wrapped(i128::from(value), ty))));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_fields_of_both_orders() {
        let field = |var, bits, signed| BitField { var: Some(VarId(var)), bits, signed };
        let numbers = |bytes: &[u8], fields: &[BitField], little| -> Vec<i128> {
            let stored = bit_fields(bytes, fields, little);
            stored.iter().map(|(_, v)| if let Stored::Scalar(n) = v { *n } else { -1 }).collect()
        };
        let fields = [field(0, 4, false), field(1, 12, true)];
        assert_eq!(numbers(&[0x1f, 0xfe], &fields, false), [1, -2]);
        assert_eq!(numbers(&[0xe1, 0xff], &fields, true), [1, -2]);
    }

    #[test]
    fn a_key_is_cyclic_from_the_start_of_the_token() {
        let mut bytes = [0u8; 5];
        unmask(&mut bytes, &[1, 2, 3], 2);
        assert_eq!(bytes, [3, 1, 2, 3, 1]);
    }
}

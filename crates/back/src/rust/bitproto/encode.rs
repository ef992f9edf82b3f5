//! Encoding: one store for each word, the OR of the pieces in it.
//!
//! Bits that wait for a full byte are in `c`. In a loop that they pass through, `k0` (for level 0) brings them from
//! one iteration to the next.

use super::Printer;
use super::expression::{Expression, literal};
use super::names::storage;
use super::place::{Access, Element, base, index_text, let_line};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Index, Leaf, Loop, Piece, Source, Step};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::{self, EncodeOp, Part};

/// The word that is put together.
#[derive(Clone, Copy)]
struct Word {
    /// Bits that are stored.
    stored: u32,
    /// Bits of its type: 32 or 64.
    bits: u32,
}

impl Printer<'_> {
    /// `encode_x`: the message into exactly its bytes.
    pub(super) fn print_encode(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        if plan.bytes == 0 {
            return;
        }
        let ops = shape::encode(&plan.steps, self.options.word);
        let m = if plan.steps.iter().all(is_constant) { "_" } else { "m" };
        w.blank();
        let parameters =
            [format!("{m}: &{}", self.message_type(id)), format!("s: &mut [u8; {}]", plan.bytes)];
        self.open_function(&format!("fn encode_{}", self.names.function(id)), &parameters, "", w);
        self.encode_ops(id, &ops, 0, "c", w);
        w.close("}");
    }

    /// Prints the actions; `carry` is the name of the carry at their beginning, the result that at their end.
    fn encode_ops(&self, id: MessageId, ops: &[EncodeOp], depth: u32, carry: &str, w: &mut Writer) -> String {
        let mut carry = carry.to_owned();
        let s = base(depth);
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry: with, parts } => {
                    let word = Word { stored: bytes * 8, bits: if *bytes == 8 { 64 } else { 32 } };
                    self.word(id, with.then_some(carry.as_str()), parts, word, w);
                    let to = byte + bytes;
                    match bytes {
                        1 => w.line(format!("{s}[{byte}] = w as u8;")),
                        2 => w.line(format!("{s}[{byte}..{to}].copy_from_slice(&(w as u16).to_le_bytes());")),
                        _ => w.line(format!("{s}[{byte}..{to}].copy_from_slice(&w.to_le_bytes());")),
                    }
                }
                EncodeOp::Carry { carry: with, parts } => {
                    let word = Word { stored: 32, bits: 32 };
                    self.word(id, with.then_some(carry.as_str()), parts, word, w);
                    w.line("let c = w & 0xff;");
                    "c".clone_into(&mut carry);
                }
                EncodeOp::Loop { of, body, .. } => {
                    carry = self.encode_loop(id, of, body, depth, &carry, w);
                }
                EncodeOp::Copy(copy) => self.encode_copy(id, copy, depth, w),
                EncodeOp::Call(call) => {
                    self.encode_call(id, call, depth, &carry, w);
                    "c".clone_into(&mut carry);
                }
            }
        }
        carry
    }

    fn encode_loop(
        &self,
        id: MessageId,
        of: &Loop,
        body: &[EncodeOp],
        depth: u32,
        carry: &str,
        w: &mut Writer,
    ) -> String {
        let kept = format!("k{}", of.level);
        let through = !of.at.is_multiple_of(8);
        if through && carry != kept {
            w.line(format!("let mut {kept} = {carry};"));
        }
        open_loop("&mut ", of, depth, w);
        let last = self.encode_ops(id, body, depth + 1, &kept, w);
        if through && last != kept {
            w.line(format!("{kept} = {last};"));
        }
        w.close("}");
        kept
    }

    /// The value of a word as `w`.
    fn word(&self, id: MessageId, carry: Option<&str>, parts: &[Part], word: Word, w: &mut Writer) {
        let carried = carry.map(|c| Expression::atom(c, 32).to_unsigned(word.bits).text().to_owned());
        // Each operand with the lines that have to stand before it.
        let mut operands: Vec<(String, String)> = carried.into_iter().map(|c| (String::new(), c)).collect();
        for part in parts {
            let mut before = Writer::new("");
            let values = self.part(id, part, word, &mut before);
            let mut before = before.finish();
            operands.extend(values.into_iter().map(|v| (std::mem::take(&mut before), v)));
        }
        let ty = word.bits;
        match operands.as_slice() {
            [] => w.line(format!("let w: u{ty} = 0;")),
            [(before, one)] => {
                w.lines(before);
                let_line(&format!("w: u{ty}"), one, w);
            }
            [(before, first), others @ ..] => {
                w.lines(before);
                let_line(&format!("mut w: u{ty}"), first, w);
                for (before, other) in others {
                    w.lines(before);
                    w.line(format!("w |= {other};"));
                }
            }
        }
    }

    /// The shifted values of a piece in the type of the word. Bits above the word may stay where the store drops them.
    fn part(&self, id: MessageId, part: &Part, word: Word, w: &mut Writer) -> Vec<String> {
        let piece = &part.piece;
        let shift = part.shift;
        let moved = |e: Expression, by: i32| -> String {
            let e = if by < 0 { e } else { e.to_unsigned(word.bits) };
            e.shifted(by).to_unsigned(word.bits).text().to_owned()
        };
        // Values of several elements, each with its first bit and number of bits: those that reach into the word.
        let inside = |(from, bits, _): &(u32, u32, Expression)| {
            let at = shift + from.cast_signed();
            at < word.stored.cast_signed() && at + bits.cast_signed() > 0
        };
        let placed = |(from, _, e): (u32, u32, Expression)| moved(e, shift + from.cast_signed());
        match &piece.source {
            Source::Leaf(place, leaf) => {
                let dirty = shift >= 0 && shift.unsigned_abs() + piece.bits >= word.stored;
                let place = self.place(id, place, Access::Read, w).0;
                vec![moved(self.leaf_value(&place, *leaf, piece.bits, dirty, word.bits), shift)]
            }
            Source::Bytes(place, count) => {
                let Some(element) = self.element(id, place, Access::Read, w) else { return Vec::new() };
                let groups = if is_u8(&element.ty) { split_bytes(*count) } else { singles(*count) };
                let value = |(from, n)| (from * 8, n * 8, self.bytes_value(&element, from, n, word.bits));
                groups.into_iter().map(value).filter(inside).map(placed).collect()
            }
            Source::Bools(place, count) => {
                let Some(element) = self.element(id, place, Access::Read, w) else { return Vec::new() };
                bools_values(&element, *count).into_iter().filter(inside).map(placed).collect()
            }
            Source::Mark(size) => {
                let size = u64::from(*size);
                let value = if shift < 0 { size >> shift.unsigned_abs() } else { size << shift };
                let value = value & (u64::MAX >> (64 - word.bits));
                if value == 0 { Vec::new() } else { vec![literal(value)] }
            }
        }
    }

    /// A value in at least so many bits. With `dirty`, bits above may be set.
    fn leaf_value(&self, place: &str, leaf: Leaf, bits: u32, dirty: bool, word: u32) -> Expression {
        let stored = storage(bits);
        let wide = stored.max(word);
        let value = match leaf {
            Leaf::Bool => return Expression::atom(format!("u{wide}::from({place})"), wide),
            Leaf::Enum(_) => Expression::atom(format!("{place}.0"), stored).to_unsigned(wide),
            Leaf::Float if bits == 16 => {
                Expression::atom(format!("bp::half_bits({place})"), stored).to_unsigned(wide)
            }
            Leaf::Float => Expression::atom(format!("{place}.to_bits()"), stored).to_unsigned(wide),
            Leaf::Int => {
                let own = Expression::atom(place, stored);
                match bits == stored && stored < wide {
                    true => own.cast(&format!("u{stored}"), stored).to_unsigned(wide),
                    false => own.cast(&format!("u{wide}"), wide),
                }
            }
            _ => Expression::atom(place, stored).to_unsigned(wide),
        };
        if bits == stored || dirty { value } else { value.masked(bits) }
    }

    /// `n` elements of 8 bits.
    fn bytes_value(&self, element: &Element, from: u32, n: u32, word: u32) -> Expression {
        if n == 1 {
            let one = element.at(from);
            return match element.ty {
                Type::Int(_) => Expression::atom(one, 0).cast("u8", 8),
                Type::Enum(_) => Expression::atom(format!("{one}.0"), 8),
                _ => Expression::atom(one, 8),
            }
            .to_unsigned(word);
        }
        let at = index_text(&element.index, from);
        let bits = if n == 8 { 64 } else { 32 };
        Expression::atom(format!("bp::load{}(&{}, {at})", n * 8, element.array), bits)
    }

    fn encode_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let Some(element) = self.element(id, &copy.place, Access::Read, w) else { return };
        let s = base(depth);
        let (from, n) = (copy.at / 8, copy.element_bytes);
        let to = from + copy.count * n;
        if is_u8(&element.ty) && n == 1 {
            return w.line(format!("{s}[{from}..{to}].copy_from_slice(&{});", element.array));
        }
        let own = if matches!(copy.leaf, Leaf::Enum(_)) { "v.0" } else { "v" };
        let array = &element.array;
        w.line(format!("let a = &{array};"));
        if n == 1 {
            w.open(format!("for (t, v) in {s}[{from}..{to}].iter_mut().zip(a) {{"));
            w.line(format!("*t = {};", if own == "v" { "*v as u8" } else { own }));
        } else {
            w.line(format!("let t = {s}[{from}..{to}].chunks_exact_mut({n});"));
            w.open("for (t, v) in t.zip(a) {");
            w.line(format!("t.copy_from_slice(&{own}.to_le_bytes());"));
        }
        w.close("}");
    }

    fn encode_call(&self, id: MessageId, call: &Call, depth: u32, carry: &str, w: &mut Writer) {
        let name = self.names.function(call.message);
        let place = self.place(id, &call.place, Access::Read, w).0;
        let s = base(depth);
        let (byte, phase, bits) = (call.at / 8, call.at % 8, call.bits);
        let bytes = bits.div_ceil(8);
        let live = !(phase + bits).is_multiple_of(8);
        w.line(format!("let a = &{place};"));
        if phase == 0 {
            w.open(format!("if let Some(t) = {s}[{byte}..].first_chunk_mut() {{"));
            w.line(format!("encode_{name}(a, t);"));
            w.close("}");
            if live {
                w.line(format!("let c = u32::from({s}[{}]);", byte + bits / 8));
            }
            return;
        }
        w.line(format!("let mut t = [0; {bytes}];"));
        w.line(format!("encode_{name}(a, &mut t);"));
        let keep = if live { "let c = " } else { "" };
        w.line(format!("{keep}bp::append(&mut {s}[{byte}..], {carry}, {phase}, &t, {bits});"));
    }
}

/// Up to eight flags as numbers of 32 bits, each with its first bit and number of bits.
fn bools_values(element: &Element, count: u32) -> Vec<(u32, u32, Expression)> {
    let grouped = if count == 8 { 8 } else { count / 4 * 4 };
    let mut values = Vec::new();
    if grouped > 0 {
        let function = if grouped == 8 { "gather" } else { "gather4" };
        let at = index_text(&element.index, 0);
        let call = format!("bp::{function}(&{}, {at})", element.array);
        values.push((0, grouped, Expression::atom(call, 32)));
    }
    let one = |i| (i, 1, Expression::atom(format!("u32::from({})", element.at(i)), 32));
    values.extend((grouped..count).map(one));
    values
}

/// Bytes in groups of 8, 4, 2 and 1: first byte and number.
pub(super) fn split_bytes(count: u32) -> Vec<(u32, u32)> {
    let mut groups = Vec::new();
    let mut from = 0;
    while let Some(n) = [8, 4, 2, 1].into_iter().find(|&n| n <= count - from) {
        groups.push((from, n));
        from += n;
    }
    groups
}

/// Bytes one by one.
pub(super) fn singles(count: u32) -> Vec<(u32, u32)> {
    (0..count).map(|i| (i, 1)).collect()
}

/// Whether elements of the type are bytes as they are.
pub(super) fn is_u8(ty: &Type) -> bool {
    matches!(ty, Type::Byte | Type::Char | Type::Uint(_))
}

/// `for i0 in … {` with the bytes of the iteration as `s1`.
pub(super) fn open_loop(borrow: &str, of: &Loop, depth: u32, w: &mut Writer) {
    let i = format!("i{}", of.level);
    w.open(format!("for {i} in 0..{} {{", of.count));
    let start = index_text(&Index { level: Some(of.level), step: of.stride, add: of.at / 8 }, 0);
    let bytes = (of.at % 8 + of.stride * 8).div_ceil(8);
    w.line(format!("let s{} = {borrow}{}[{start}..][..{bytes}];", depth + 1, base(depth)));
}

/// Whether a step needs nothing of the message.
fn is_constant(step: &Step) -> bool {
    match step {
        Step::Piece(Piece { source: Source::Mark(_), .. }) => true,
        Step::Loop(l) => l.body.iter().all(is_constant),
        _ => false,
    }
}

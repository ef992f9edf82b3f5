//! Encoding: words as ORs of shifted values, written by one `Struct` for each stretch without loops.

use super::names::{at_byte, index_text, mask, number};
use super::{Body, Printer};
use vproto_ir::wire::plan::{Call, Copy, Leaf, Loop, Piece, Place, Select, Source};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::{self, EncodeOp, Part};

/// A stretch of words and copies that lie behind each other.
#[derive(Default)]
struct Stretch {
    start: Option<u32>,
    format: String,
    values: Vec<String>,
}

/// Which bits of a value go where: `bits` bits from bit `from` of it to bit `to` of the word.
#[derive(Clone, Copy)]
struct Window {
    from: u32,
    bits: u32,
    to: u32,
}

impl Printer<'_> {
    /// `_bp_put`: the message into its bytes, which begin at offset `b` of `s`.
    pub(super) fn put(&self, id: MessageId, body: &mut Body) {
        let ops = shape::encode(&self.plan.messages[id.index()].steps, 8);
        body.w.open("def _bp_put(self, s: _bytearray, b: _int) -> None:");
        if ops.is_empty() {
            body.w.line("pass");
        }
        self.put_ops(id, &ops, 0, body);
        body.w.close("");
    }

    fn put_ops(&self, id: MessageId, ops: &[EncodeOp], depth: u32, body: &mut Body) {
        let mut stretch = Stretch::default();
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry, parts } => {
                    stretch.start.get_or_insert(*byte);
                    stretch.format.push(match bytes {
                        8 => 'Q',
                        4 => 'I',
                        2 => 'H',
                        _ => 'B',
                    });
                    let word = self.word(id, *carry, parts, bytes * 8, body);
                    stretch.values.push(word);
                    if *carry {
                        // The carry is a variable that later operations set anew.
                        self.flush(&mut stretch, depth, body);
                    }
                }
                EncodeOp::Copy(copy) => self.put_copy(id, copy, &mut stretch, body),
                EncodeOp::Carry { carry, parts } => {
                    self.flush(&mut stretch, depth, body);
                    let word = self.word(id, *carry, parts, 8, body);
                    body.w.line(format!("c = {word}"));
                }
                EncodeOp::Loop { of, body: inner, .. } => {
                    self.flush(&mut stretch, depth, body);
                    self.put_loop(id, of, inner, depth, body);
                }
                EncodeOp::Call(call) => {
                    self.flush(&mut stretch, depth, body);
                    self.put_call(id, call, depth, body);
                }
            }
        }
        self.flush(&mut stretch, depth, body);
    }

    fn flush(&self, stretch: &mut Stretch, depth: u32, body: &mut Body) {
        let Stretch { start: Some(start), format, values } = std::mem::take(stretch) else { return };
        let layout = body.format(&format);
        body.w.open(format!("{layout}.pack_into("));
        body.w.line(format!("s, {},", at_byte(depth, start)));
        values.iter().for_each(|v| body.w.line(format!("{v},")));
        body.w.close(")");
    }

    fn put_loop(&self, id: MessageId, of: &Loop, ops: &[EncodeOp], depth: u32, body: &mut Body) {
        let known = body.locals.len();
        body.open_loop(of, depth);
        self.put_ops(id, ops, depth + 1, body);
        body.w.close("");
        body.locals.truncate(known);
    }

    fn put_copy(&self, id: MessageId, copy: &Copy, stretch: &mut Stretch, body: &mut Body) {
        let holder = copy.place.0.split_last().map_or(&[][..], |(_, holder)| holder);
        let list = self.container(id, holder, body);
        stretch.start.get_or_insert(copy.at / 8);
        if copy.leaf == Leaf::Byte {
            stretch.format += &format!("{}s", copy.count);
            return stretch.values.push(list);
        }
        let code = code_of(copy.element_bytes, false);
        stretch.format += &format!("{}{code}", copy.count);
        let bits = number(mask(copy.element_bytes * 8));
        stretch.values.push(format!("*[v & {bits} for v in {list}]"));
    }

    fn put_call(&self, id: MessageId, call: &Call, depth: u32, body: &mut Body) {
        let place = self.place(id, &call.place.0, body);
        let (phase, byte) = (call.at % 8, call.at / 8);
        if phase == 0 {
            body.w.line(format!("{place}._bp_put(s, {})", at_byte(depth, byte)));
            if !call.bits.is_multiple_of(8) {
                body.w.line(format!("c = s[{}]", at_byte(depth, byte + call.bits / 8)));
            }
            return;
        }
        body.w.line(format!("p = _bytearray({})", call.bits.div_ceil(8)));
        body.w.line(format!("{place}._bp_put(p, 0)"));
        body.w.line(format!("c |= _int.from_bytes(p, \"little\") << {phase}"));
        let whole = (phase + call.bits) / 8;
        if whole > 0 {
            let (from, to) = (at_byte(depth, byte), at_byte(depth, byte + whole));
            let bits = 8 * whole;
            body.w.line(format!("s[{from}:{to}] = (c & (1 << {bits}) - 1).to_bytes({whole}, \"little\")"));
            body.w.line(format!("c >>= {bits}"));
        }
    }

    /// The value of a word of so many bits.
    fn word(&self, id: MessageId, carry: bool, parts: &[Part], bits: u32, body: &mut Body) -> String {
        let mut operands = Vec::new();
        let mut constant = 0;
        if carry {
            operands.push("c".to_owned());
        }
        for part in parts {
            let by = part.shift.unsigned_abs();
            let (from, to) = if part.shift < 0 { (by, 0) } else { (0, by) };
            let window = Window { from, to, bits: (part.piece.bits - from).min(bits - to) };
            match &part.piece.source {
                Source::Mark(size) => constant |= (u64::from(*size) >> from & mask(window.bits)) << to,
                _ => self.part(id, &part.piece, window, body, &mut operands),
            }
        }
        if constant != 0 || operands.is_empty() {
            operands.push(number(constant));
        }
        operands.join(" | ")
    }

    fn part(
        &self,
        id: MessageId,
        piece: &Piece,
        window: Window,
        body: &mut Body,
        operands: &mut Vec<String>,
    ) {
        match &piece.source {
            Source::Leaf(place, leaf) => {
                let mut text = self.place(id, &place.0, body);
                if *leaf == Leaf::Float {
                    text = format!("_bp_bits{}({text})", piece.bits);
                }
                operands.push(leaf_text(&text, *leaf == Leaf::Bool, piece.bits, window));
            }
            Source::Bytes(place, count) if self.in_bytearray(id, place) && *count > 1 => {
                let Some((Select::Index(index), holder)) = place.0.split_last() else { return };
                let list = self.container(id, holder, body);
                let (from, to) = (index_text(index, 0), index_text(index, *count));
                let text = format!("_int.from_bytes({list}[{from}:{to}], \"little\")");
                operands.push(leaf_text(&text, false, piece.bits, window));
            }
            Source::Bytes(place, count) => self.elements(id, place, *count, 8, window, body, operands),
            Source::Bools(place, count) => self.elements(id, place, *count, 1, window, body, operands),
            Source::Mark(_) => {}
        }
    }

    /// Elements of 8 or 1 bits, each by itself.
    #[allow(clippy::too_many_arguments)]
    fn elements(
        &self,
        id: MessageId,
        place: &Place,
        count: u32,
        bits: u32,
        window: Window,
        body: &mut Body,
        operands: &mut Vec<String>,
    ) {
        let Some((Select::Index(index), holder)) = place.0.split_last() else { return };
        let list = self.container(id, holder, body);
        let end = window.from + window.bits;
        for i in 0..count {
            let start = (i * bits).max(window.from);
            let stop = ((i + 1) * bits).min(end);
            if start < stop {
                let to = window.to + start - window.from;
                let inner = Window { from: start - i * bits, bits: stop - start, to };
                let text = format!("{list}[{}]", index_text(index, i));
                operands.push(leaf_text(&text, bits == 1, bits, inner));
            }
        }
    }

    /// Whether the elements lie in a `bytearray`.
    pub(super) fn in_bytearray(&self, id: MessageId, place: &Place) -> bool {
        matches!(self.type_at(id, &place.0), Type::Byte | Type::Char)
    }
}

/// The bits of a window of a value, at their place.
fn leaf_text(value: &str, is_bool: bool, _bits: u32, window: Window) -> String {
    if is_bool {
        // True for anything that is not zero.
        return format!("({value} and {})", number(1 << window.to));
    }
    let low = match window.from {
        0 => value.to_owned(),
        from => format!("{value} >> {from}"),
    };
    let masked = format!("({low} & {})", number(mask(window.bits)));
    if window.to == 0 { masked } else { format!("{masked} << {}", window.to) }
}

/// The letter of an integer in formats of `struct`.
pub(super) fn code_of(bytes: u32, signed: bool) -> char {
    let code = match bytes {
        8 => 'Q',
        4 => 'I',
        2 => 'H',
        _ => 'B',
    };
    if signed { code.to_ascii_lowercase() } else { code }
}

impl Body {
    /// The name of the `Struct` of a format.
    pub(super) fn format(&mut self, format: &str) -> String {
        let known = self.formats.iter().position(|f| f == format);
        let number = known.unwrap_or(self.formats.len());
        if known.is_none() {
            self.formats.push(format.to_owned());
        }
        format!("_bp_layout_{number}")
    }

    /// `for i in ...:` with the offset of the iteration's bytes.
    pub(super) fn open_loop(&mut self, of: &Loop, depth: u32) {
        self.w.open(format!("for i{} in _range({}):", of.level, of.count));
        let start = at_byte(depth, of.at / 8);
        let step = if of.stride == 1 { String::new() } else { format!("{} * ", of.stride) };
        self.w.line(format!("b{} = {start} + {step}i{}", depth + 1, of.level));
    }
}

//! Encoding: one store for each word, the OR of the pieces in it.

use super::Context;
use super::names::{hex, mask, storage};
use super::pairs::paired;
use super::place::{at_byte, base, joined};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Leaf, Loop, Piece, Place, Source, Step};
use vproto_ir::wire::schema::MessageId;
use vproto_ir::wire::shape::{self, EncodeOp, Part};

impl Context<'_> {
    /// `bp_encode_X`: the message into exactly its bytes.
    pub(super) fn print_encode(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let plan = &self.plan.messages[id.index()];
        let pairs = if self.options.word == 8 { paired(&plan.steps) } else { plan.steps.clone() };
        let ops = shape::encode(&pairs, self.options.word);
        w.blank();
        w.line(format!(
            "{} void bp_encode_{name}{}(const {} *BITPROTO_RESTRICT m, unsigned char *BITPROTO_RESTRICT s)",
            self.linkage(),
            self.words_suffix(id),
            self.struct_type(id)
        ));
        w.open("{");
        declare_indices(&plan.steps, w);
        if uses_carry(&ops) {
            w.line("unsigned c;");
        }
        if plan.steps.iter().all(|s| self.is_empty(s)) {
            w.line("(void)m;");
        }
        if ops.is_empty() {
            w.line("(void)s;");
        }
        self.encode_ops(id, &ops, 0, w);
        w.close("}");
    }

    /// What the name of the plain functions ends with where others choose between them and windows.
    pub(super) fn words_suffix(&self, id: MessageId) -> &'static str {
        if self.has_windows(id) { "_words" } else { "" }
    }

    fn encode_ops(&self, id: MessageId, ops: &[EncodeOp], depth: u32, w: &mut Writer) {
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry, parts } => {
                    let word = self.word(id, *carry, parts, *bytes);
                    w.lines(&store(depth, *byte, *bytes, &word));
                }
                EncodeOp::Carry { carry, parts } => {
                    let word = self.word(id, *carry, parts, 4);
                    w.line(format!("c = (unsigned)({word}) & 0xffu;"));
                }
                EncodeOp::Loop { of, body, .. } => self.encode_loop(id, of, body, depth, w),
                EncodeOp::Copy(copy) => self.encode_copy(id, copy, depth, w),
                EncodeOp::Call(call) => self.encode_call(id, call, depth, w),
            }
        }
    }

    /// The value of a word of so many bytes, of type `uint32_t` or `uint64_t`.
    fn word(&self, id: MessageId, carry: bool, parts: &[Part], bytes: u32) -> String {
        let wide = bytes == 8;
        if self.options.word == 4 && parts.len() > 1 {
            return self.nested(id, carry, parts, bytes * 8);
        }
        let mut operands = Vec::new();
        if carry {
            operands.push(if wide { "(uint64_t)c".to_owned() } else { "(uint32_t)c".to_owned() });
        }
        for group in groups(parts, wide) {
            match group {
                [part] => operands.push(self.part(id, part, bytes * 8)),
                [first, ..] => operands.push(self.group(id, group, first.shift)),
                [] => {}
            }
        }
        joined(&operands)
    }

    /// A word of 32 bits from its highest part down, `(b << 3 | a) << 7 | c`: processors that shift an operand for
    /// nothing (ARM) need a load, a mask and one `orr` for each part.
    fn nested(&self, id: MessageId, carry: bool, parts: &[Part], word_bits: u32) -> String {
        let mut text = String::new();
        let mut above = 0;
        for (i, part) in parts.iter().enumerate().rev() {
            let at = part.shift.max(0);
            let reaches_top = at.unsigned_abs() + part.piece.bits >= word_bits;
            let value = match self.piece_value(id, &part.piece, part.shift >= 0 && reaches_top) {
                _ if part.shift < 0 => self.part(id, part, word_bits),
                (value, 32) => value,
                (value, _) => format!("(uint32_t){value}"),
            };
            text = match i + 1 == parts.len() {
                true => value,
                false => format!("({text}) << {} | {value}", above - at),
            };
            above = at;
        }
        match (above, carry) {
            (0, _) => text,
            (_, true) => format!("({text}) << {above} | (uint32_t)c"),
            (_, false) => format!("({text}) << {above}"),
        }
    }

    /// Neighbours that fit into 32 bits, put together there before they are moved into a word of 64.
    fn group(&self, id: MessageId, parts: &[Part], shift: i32) -> String {
        let moved = |part: &Part| Part { piece: part.piece.clone(), shift: part.shift - shift };
        let inner: Vec<String> = parts.iter().map(|part| self.part(id, &moved(part), 32)).collect();
        let text = format!("(uint64_t)({})", joined(&inner));
        if shift == 0 { text } else { format!("{text} << {shift}") }
    }

    /// One shifted piece in the type of its word. Bits above the word may stay where the store drops them.
    fn part(&self, id: MessageId, part: &Part, word_bits: u32) -> String {
        let piece = &part.piece;
        let ty_bits = if word_bits == 64 { 64 } else { 32 };
        let fits_below = part.shift >= 0 && part.shift.unsigned_abs() + piece.bits >= word_bits;
        let (value, value_bits) = self.piece_value(id, piece, fits_below);
        let ty = format!("(uint{ty_bits}_t)");
        let by = part.shift.unsigned_abs();
        match part.shift {
            0 if value_bits == ty_bits => value,
            0 => format!("{ty}{value}"),
            1.. if value_bits == ty_bits => format!("{value} << {by}"),
            1.. => format!("{ty}{value} << {by}"),
            _ if value_bits == ty_bits => format!("{value} >> {by}"),
            _ => format!("{ty}({value} >> {by})"),
        }
    }

    /// A piece's value as an operand of `<<`, and whether it has 32 or 64 bits. With `dirty`, bits above the piece
    /// may be set.
    fn piece_value(&self, id: MessageId, piece: &Piece, dirty: bool) -> (String, u32) {
        let bits = piece.bits;
        let wide = if bits > 32 { 64 } else { 32 };
        match &piece.source {
            Source::Leaf(place, leaf) => (self.leaf_value(id, place, *leaf, bits, dirty), wide),
            Source::Bytes(place, count) => (self.bytes_value(id, place, *count), wide),
            Source::Bools(place, count) => (self.bools_value(id, place, *count), 32),
            Source::Mark(size) => (hex(u64::from(*size), 32), 32),
        }
    }

    fn leaf_value(&self, id: MessageId, place: &Place, leaf: Leaf, bits: u32, dirty: bool) -> String {
        let text = self.place(id, place);
        let wide = if bits > 32 { 64 } else { 32 };
        let stored = storage(bits);
        match leaf {
            Leaf::Bool => self.bool_value(&text),
            Leaf::Float => format!("bp_bits_f{bits}({text})"),
            Leaf::Int if bits == stored && bits < 32 => format!("(uint32_t)(uint{bits}_t){text}"),
            _ if bits == stored || dirty => format!("(uint{wide}_t){text}"),
            _ => format!("((uint{wide}_t){text} & {})", hex(mask(bits), bits)),
        }
    }

    /// Up to eight bytes of an array.
    fn bytes_value(&self, id: MessageId, place: &Place, count: u32) -> String {
        if count == 8 && self.is_pair(id, place) {
            return format!("bp_pair(&{})", self.place(id, place));
        }
        let pieces: Vec<String> = split_bytes(count)
            .map(|(from, n)| {
                let pointer = format!("(const unsigned char *)&{}", self.place_further(id, place, from));
                let load = if n == 1 {
                    format!("(uint32_t)*({pointer})")
                } else {
                    format!("bp_load{}({pointer})", n * 8)
                };
                match from {
                    0 if count > 4 && n < 8 => format!("(uint64_t){load}"),
                    0 => load,
                    _ if count > 4 => format!("(uint64_t){load} << {}", from * 8),
                    _ => format!("{load} << {}", from * 8),
                }
            })
            .collect();
        if pieces.len() == 1 { pieces.concat() } else { format!("({})", pieces.join(" | ")) }
    }

    fn bools_value(&self, id: MessageId, place: &Place, count: u32) -> String {
        if count == 8 && !self.is_c89() {
            return format!("bp_gather(&{})", self.place(id, place));
        }
        let grouped = if count >= 4 && !self.is_c89() { 4 } else { 0 };
        let mut bits = Vec::new();
        if grouped > 0 {
            bits.push(format!("bp_gather4(&{})", self.place(id, place)));
        }
        for i in grouped..count {
            let value = self.bool_value(&self.place_further(id, place, i));
            bits.push(if i == 0 { value } else { format!("{value} << {i}") });
        }
        if bits.len() == 1 { bits.concat() } else { format!("({})", joined(&bits)) }
    }

    /// A bool as 0 or 1. In C89 it is a byte with any value.
    fn bool_value(&self, place: &str) -> String {
        if self.is_c89() { format!("(uint32_t)({place} ? 1u : 0u)") } else { format!("(uint32_t){place}") }
    }

    fn encode_loop(&self, id: MessageId, of: &Loop, body: &[EncodeOp], depth: u32, w: &mut Writer) {
        open_loop("unsigned char", of, depth, w);
        self.encode_ops(id, body, depth + 1, w);
        w.close("}");
    }

    fn encode_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let place = self.place(id, &copy.place);
        let size = copy.count * copy.element_bytes;
        let target = at_byte(depth, copy.at / 8);
        if copy.element_bytes == 1 {
            return w.line(format!("memcpy({target}, &{place}, {size});"));
        }
        w.margin("#if BITPROTO_LITTLE_ENDIAN");
        w.line(format!("memcpy({target}, &{place}, {size});"));
        w.margin("#else");
        let element = self.element(id, copy);
        let bits = copy.element_bytes * 8;
        let wide = if bits == 64 { 64 } else { 32 };
        let value = match copy.leaf {
            Leaf::Int if bits < 32 => format!("(uint{wide}_t)(uint{bits}_t){element}"),
            _ => format!("(uint{wide}_t){element}"),
        };
        let n = copy.element_bytes;
        w.block("{", "}", |w| {
            w.line("size_t k;");
            w.block(format!("for (k = 0; k < {}u; k++) {{", copy.count), "}", |w| {
                w.line(format!("bp_store{bits}({target} + {n}u * k, {value});"));
            });
        });
        w.margin("#endif");
    }

    /// The element `k` of a copy.
    pub(super) fn element(&self, id: MessageId, copy: &Copy) -> String {
        let first = self.place(id, &copy.place);
        format!("{}[k]", first.strip_suffix("[0]").unwrap_or(&first))
    }

    fn encode_call(&self, id: MessageId, call: &Call, depth: u32, w: &mut Writer) {
        let name = self.function_name(call.message);
        let place = self.place(id, &call.place);
        let target = at_byte(depth, call.at / 8);
        let phase = call.at % 8;
        if phase == 0 {
            w.line(format!("bp_encode_{name}(&{place}, {target});"));
            if !call.bits.is_multiple_of(8) {
                w.line(format!("c = {}[{}];", base(depth), call.at / 8 + call.bits / 8));
            }
            return;
        }
        w.block("{", "}", |w| {
            w.line(format!("unsigned char t[{}];", call.bits.div_ceil(8)));
            w.line(format!("bp_encode_{name}(&{place}, t);"));
            w.line(format!("c = bp_append({target}, c, {phase}u, t, {}u);", call.bits));
        });
    }
}

/// Parts of a word of 64 bits in groups that fit into 32; in other words each part is a group.
fn groups(parts: &[Part], wide: bool) -> Vec<&[Part]> {
    let whole = |p: &Part| p.shift >= 0 && p.shift.unsigned_abs() + p.piece.bits <= 64;
    let mut groups = Vec::new();
    let mut rest = parts;
    while let [first, behind @ ..] = rest {
        let fits = |p: &&Part| {
            let end = (p.shift - first.shift).unsigned_abs() + p.piece.bits;
            wide && whole(first) && whole(p) && end <= 32
        };
        let more = behind.iter().take_while(fits).count();
        let (group, others) = rest.split_at(1 + more);
        groups.push(group);
        rest = others;
    }
    groups
}

/// Bytes in groups of 8, 4, 2 and 1: first byte and number.
pub(super) fn split_bytes(count: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let n = [8, 4, 2, 1].into_iter().find(|&n| n <= count - from)?;
        from += n;
        Some((from - n, n))
    })
}

fn store(depth: u32, byte: u32, bytes: u32, word: &str) -> String {
    if bytes == 1 {
        return format!("{}[{byte}] = (unsigned char)({word});", base(depth));
    }
    format!("bp_store{}({},\n        {word});", bytes * 8, at_byte(depth, byte))
}

/// `for (i = ...) {` with the pointer to the iteration's bytes.
pub(super) fn open_loop(ty: &str, of: &Loop, depth: u32, w: &mut Writer) {
    let i = format!("i{}", of.level);
    w.open(format!("for ({i} = 0; {i} < {}u; {i}++) {{", of.count));
    let start = at_byte(depth, of.at / 8);
    w.line(format!("{ty} *s{} = {start} + {}u * {i};", depth + 1, of.stride));
}

/// Declares the loop variables that the steps use.
pub(super) fn declare_indices(steps: &[Step], w: &mut Writer) {
    let depth = loop_depth(steps);
    if depth > 0 {
        let names: Vec<String> = (0..depth).map(|i| format!("i{i}")).collect();
        w.line(format!("size_t {};", names.join(", ")));
    }
}

/// How many loops stand in each other.
fn loop_depth(steps: &[Step]) -> u32 {
    let depth = |s: &Step| match s {
        Step::Loop(l) => 1 + loop_depth(&l.body),
        _ => 0,
    };
    steps.iter().map(depth).max().unwrap_or(0)
}

fn uses_carry(ops: &[EncodeOp]) -> bool {
    ops.iter().any(|op| match op {
        EncodeOp::Carry { .. } => true,
        EncodeOp::Call(call) => !call.at.is_multiple_of(8) || !call.bits.is_multiple_of(8),
        EncodeOp::Loop { body, .. } => uses_carry(body),
        _ => false,
    })
}

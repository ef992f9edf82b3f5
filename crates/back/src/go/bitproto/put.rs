//! Encoding.

use super::{Printer, array, base, open_loop};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Leaf, Place, Source};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::{self, EncodeOp, Part};

/// Where a value goes in a word: how far it is shifted to the left, and the word's bits.
#[derive(Clone, Copy)]
struct Into {
    shift: i32,
    word: u32,
}

impl Printer<'_> {
    /// `BpPut`: the message into exactly its bytes.
    pub(super) fn put(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        let ops = shape::encode(&plan.steps, 8);
        w.line("// BpPut writes the message to its bytes.");
        w.open(format!("func (m *{}) BpPut(s []byte) {{", self.message_name(id)));
        if plan.bytes > 0 {
            w.line(format!("b := (*[{}]byte)(s)", plan.bytes));
            let mut body = Writer::new("\t");
            self.put_ops(id, &ops, 0, &mut body);
            declare(&body.finish(), w);
        }
        w.close("}");
        w.blank();
    }

    fn put_ops(&self, id: MessageId, ops: &[EncodeOp], depth: u32, w: &mut Writer) {
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry, parts } => {
                    self.word(id, *carry, parts, bytes * 8, w);
                    let b = base(depth);
                    match bytes {
                        1 => w.line(format!("{b}[{byte}] = byte(w)")),
                        n => w.line(format!(
                            "binary.LittleEndian.PutUint{}({}, {})",
                            n * 8,
                            array(depth, *byte, *n),
                            cast_word(*n)
                        )),
                    }
                }
                EncodeOp::Carry { carry, parts } => {
                    self.word(id, *carry, parts, 8, w);
                    w.line("c = w");
                }
                EncodeOp::Loop { of, body, .. } => {
                    open_loop(of, depth, w);
                    self.put_ops(id, body, depth + 1, w);
                    w.close("}");
                }
                EncodeOp::Copy(copy) => self.put_copy(id, copy, depth, w),
                EncodeOp::Call(call) => self.put_call(id, call, depth, w),
            }
        }
    }

    fn put_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let place = self.place(id, &copy.place, 0).0;
        let list = place.strip_suffix("[0]").unwrap_or(&place);
        let (at, n) = (copy.at / 8, copy.element_bytes);
        let bytes = array(depth, at, n * copy.count);
        if copy.leaf == Leaf::Byte && self.is_plain_bytes(id, &copy.place) {
            return w.line(format!("copy({bytes}, {list}[:])"));
        }
        if copy.count <= 8 && n > 1 {
            for k in 0..copy.count {
                let bytes = array(depth, at + k * n, n);
                w.line(format!("binary.LittleEndian.PutUint{0}({bytes}, uint{0}({list}[{k}]))", n * 8));
            }
            return;
        }
        w.block(format!("for k, t := 0, {bytes}; k < {}; k++ {{", copy.count), "}", |w| match n {
            1 => w.line(format!("t[k] = byte({list}[k])")),
            n => {
                w.line(format!("binary.LittleEndian.PutUint{0}(t, uint{0}({list}[k]))", n * 8));
                w.line(format!("t = t[{n}:]"));
            }
        });
    }

    fn put_call(&self, id: MessageId, call: &Call, depth: u32, w: &mut Writer) {
        let place = self.place(id, &call.place, 0).0;
        let (phase, byte, b) = (call.at % 8, call.at / 8, base(depth));
        if phase == 0 {
            w.line(format!("{place}.BpPut({})", array(depth, byte, call.bits.div_ceil(8))));
            if !call.bits.is_multiple_of(8) {
                w.line(format!("c = uint64({b}[{}])", byte + call.bits / 8));
            }
            return;
        }
        w.open("{");
        w.line(format!("var p [{}]byte", call.bits.div_ceil(8)));
        w.line(format!("{place}.BpPut(p[:])"));
        w.open("for k, x := range p {");
        w.line(format!("c |= uint64(x) << {phase}"));
        w.open(format!("if k < {} {{", (phase + call.bits) / 8));
        w.line(format!("{b}[{byte}+k] = byte(c)"));
        w.line("c >>= 8");
        w.close("}");
        w.close("}");
        w.close("}");
    }

    /// Whether the elements have the very type `byte`.
    pub(super) fn is_plain_bytes(&self, id: MessageId, place: &Place) -> bool {
        matches!(self.place(id, place, 0).1, Type::Byte | Type::Char)
    }

    /// Sets `w` to the parts of a word of so many bits.
    fn word(&self, id: MessageId, carry: bool, parts: &[Part], word: u32, w: &mut Writer) {
        let mut first = !carry;
        if carry {
            w.line("w = c");
        }
        for part in parts {
            let into = Into { shift: part.shift, word };
            match &part.piece.source {
                Source::Leaf(place, _) => self.leaf(id, place, 0, (part.piece.bits, into), &mut first, w),
                Source::Bytes(place, count) => self.bytes(id, place, *count, into, &mut first, w),
                Source::Bools(place, count) => self.bools(id, place, *count, into, &mut first, w),
                Source::Mark(size) => {
                    let by = part.shift.unsigned_abs();
                    let value = u64::from(*size);
                    let value = if part.shift < 0 { value >> by } else { value << by };
                    let value = value & (u64::MAX >> (64 - word.max(8)));
                    w.line(format!("w {} 0x{value:x}", if first { "=" } else { "|=" }));
                    first = false;
                }
            }
        }
        if first {
            w.line("w = 0");
        }
    }

    /// Array elements of eight bits each, in words where their type is `byte` itself.
    fn bytes(&self, id: MessageId, place: &Place, count: u32, into: Into, first: &mut bool, w: &mut Writer) {
        let plain = self.is_plain_bytes(id, place);
        let mut done = 0;
        while done < count {
            let fits = |n: &u32| plain && *n <= count - done;
            let n = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            let into = Into { shift: into.shift + (done * 8).cast_signed(), word: into.word };
            if n == 1 {
                self.leaf(id, place, done, (8, into), first, w);
            } else if is_in(n * 8, into) {
                let list = self.slice(id, place, done, n);
                w.line(format!("v = {}", as_word(n, &format!("binary.LittleEndian.Uint{}({list})", n * 8))));
                merge(into, first, w);
            }
            done += n;
        }
    }

    /// `bool` elements, from the last one on: doubling and adding is one instruction.
    fn bools(&self, id: MessageId, place: &Place, count: u32, into: Into, first: &mut bool, w: &mut Writer) {
        let wanted = |i: &u32| is_in(1, Into { shift: into.shift + i.cast_signed(), word: into.word });
        let from = (0..count).find(wanted).unwrap_or(0);
        for (k, i) in (0..count).filter(wanted).rev().enumerate() {
            let bit = format!("bpBit(bool({}))", self.place(id, place, i).0);
            w.line(if k == 0 { format!("v = {bit}") } else { format!("v += v + {bit}") });
        }
        merge(Into { shift: into.shift + from.cast_signed(), word: into.word }, first, w);
    }

    fn leaf(
        &self,
        id: MessageId,
        place: &Place,
        further: u32,
        (bits, into): (u32, Into),
        first: &mut bool,
        w: &mut Writer,
    ) {
        if !is_in(bits, into) {
            return;
        }
        let (text, ty) = self.place(id, place, further);
        let ends = into.shift + bits.cast_signed() >= into.word.cast_signed();
        match self.schema.strip(&ty) {
            Type::Bool => w.line(format!("v = bpBit(bool({text}))")),
            Type::Float(16) => w.line(format!("v = uint64(bpHalfBits(float32({text})))")),
            Type::Float(32) => w.line(format!("v = uint64(math.Float32bits(float32({text})))")),
            Type::Float(_) => w.line(format!("v = math.Float64bits(float64({text}))")),
            // What lies above the word needs no mask.
            _ if bits == 64 || (ends && into.shift >= 0) => w.line(format!("v = uint64({text})")),
            _ if [8, 16, 32].contains(&bits) => w.line(format!("v = uint64(uint{bits}({text}))")),
            _ => w.line(format!("v = uint64({text}) & 0x{:x}", u64::MAX >> (64 - bits))),
        }
        merge(into, first, w);
    }
}

/// Whether a value has bits within its word.
fn is_in(bits: u32, into: Into) -> bool {
    into.shift + bits.cast_signed() > 0 && into.shift < into.word.cast_signed()
}

/// Puts `v` in its place in `w`.
fn merge(into: Into, first: &mut bool, w: &mut Writer) {
    let assign = if std::mem::take(first) { "=" } else { "|=" };
    let by = into.shift.unsigned_abs();
    w.line(match into.shift {
        0 => format!("w {assign} v"),
        1.. => format!("w {assign} v << {by}"),
        _ => format!("w {assign} v >> {by}"),
    });
}

fn cast_word(bytes: u32) -> String {
    if bytes == 8 { "w".to_owned() } else { format!("uint{}(w)", bytes * 8) }
}

/// A value of so many bytes as `uint64`.
pub(super) fn as_word(bytes: u32, text: &str) -> String {
    if bytes == 8 { text.to_owned() } else { format!("uint64({text})") }
}

/// The variables that a body uses, then the body.
pub(super) fn declare(body: &str, w: &mut Writer) {
    let sets = |l: &str, name: &str| {
        let rest = l.trim_start().strip_prefix(name).unwrap_or_default();
        rest.starts_with(" = ") || rest.starts_with(" |= ")
    };
    let uses = |name: &str| body.lines().any(|l| sets(l, name));
    let used: Vec<&str> = ["c", "v", "w"].into_iter().filter(|n| uses(n)).collect();
    if !used.is_empty() {
        w.line(format!("var {} uint64", used.join(", ")));
    }
    w.lines(body.trim_end());
}

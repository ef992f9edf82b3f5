//! Windows of struct memory moved at once by `pext` and `pdep`, on x86-64 processors that have them.
//!
//! Members of a struct stand in wire order. Up to eight bytes of them are a *window*: its value bits, taken together
//! by `pext`, are a run of the message, and `pdep` brings a run back. Which way is taken is decided once when the
//! program starts; the layout is proven by assertions at compile time. Only messages without loops get it.

use super::Context;
use super::encode::split_bytes;
use super::names::{mask, storage};
use super::place::joined;
use std::collections::BTreeMap;
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Leaf, Source, Step};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::loads;

/// What stands around code for these processors.
const CONDITION: &str = "#if defined(__x86_64__) && defined(__GNUC__) && !defined(BITPROTO_NO_SIMD)";

/// A part of the message in wire order.
enum Bits {
    /// A mark.
    Mark(u64),
    /// A value in the struct: first byte, stored bytes, number of bits, whether it has a sign.
    Leaf { offset: u32, bytes: u32, bits: u32, signed: bool },
}

/// Consecutive leaves within eight bytes.
#[derive(Default)]
struct Window {
    /// First byte in the struct.
    offset: u32,
    /// Bytes up to the end of the last leaf.
    bytes: u32,
    /// First bit in the message.
    at: u32,
    /// Number of bits.
    bits: u32,
    /// The value bits.
    mask: u64,
    /// Sign bits of leaves, by the distance from sign to the end of storage.
    signs: BTreeMap<u32, u64>,
    /// The value if it is a mark.
    mark: Option<u64>,
}

impl Context<'_> {
    /// Whether the message gets windows.
    pub(super) fn has_windows(&self, id: MessageId) -> bool {
        let message = self.schema.message(id);
        let packed = self.schema.protos.iter().any(|p| p.options.c_struct_packing_alignment > 0);
        let straight = self.plan.messages[id.index()].steps.iter().all(is_integer);
        let plain = !self.options.standard.is_cpp() && !self.is_c89();
        self.options.simd && plain && !packed && straight && message.bytes() >= 8 && self.layout(id).0 >= 8
    }

    /// `bp_encode_X` and `bp_decode_X` that choose the way, with the windows.
    pub(super) fn print_windows(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let mut leaves = Vec::new();
        self.leaves(&Type::Message(id), 0, &mut leaves);
        let windows = windows(&leaves);
        w.blank();
        w.line(CONDITION);
        self.print_assertion(id, w);
        w.line("__attribute__((target(\"bmi2\")))");
        w.line(format!(
            "static void bp_encode_{name}_bmi2(const struct {name} *m, unsigned char *BITPROTO_RESTRICT s)"
        ));
        w.open("{");
        w.line("const unsigned char *p = (const unsigned char *)m;");
        self.encode_windows(id, &windows, w);
        w.close("}");
        w.blank();
        w.line("__attribute__((target(\"bmi2\")))");
        w.line(format!(
            "static void bp_decode_{name}_bmi2(struct {name} *m, const unsigned char *BITPROTO_RESTRICT s)"
        ));
        w.open("{");
        w.line("unsigned char *BITPROTO_RESTRICT p = (unsigned char *)m;");
        w.line("uint64_t v;");
        if windows.iter().any(|w| !w.signs.is_empty()) {
            w.line("uint64_t g;");
        }
        self.decode_windows(id, &windows, w);
        w.close("}");
        w.line("#endif");
        for (verb, parameters) in [
            ("encode", format!("const struct {name} *m, unsigned char *s")),
            ("decode", format!("struct {name} *m, const unsigned char *s")),
        ] {
            w.blank();
            w.line(format!("static void bp_{verb}_{name}({parameters})"));
            w.open("{");
            w.margin(CONDITION);
            w.block("if (bp_bmi2) {", "}", |w| w.lines(&format!("bp_{verb}_{name}_bmi2(m, s);\nreturn;")));
            w.margin("#endif");
            w.line(format!("bp_{verb}_{name}_words(m, s);"));
            w.close("}");
        }
    }

    /// An array of negative size if a member does not stand where it is taken from.
    fn print_assertion(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let mut tests = vec![format!("sizeof(struct {name}) == {}", self.layout(id).0)];
        let mut offset = 0;
        for field in &self.schema.message(id).fields {
            let (size, align) = self.size(&field.ty);
            offset = u32::next_multiple_of(offset, align);
            tests.push(format!("offsetof(struct {name}, {}) == {offset}", self.member(&field.name)));
            offset += size;
        }
        w.line(format!("typedef char bp_layout_{name}["));
        w.lines(&format!("    {}", tests.join(" &&\n    ")));
        w.line("    ? 1 : -1];");
    }

    /// Each word is stored as soon as its windows are there: few of them live at a time. Two words that hold nothing but
    /// neighbouring windows of 64 bits are shifted at once.
    fn encode_windows(&self, id: MessageId, windows: &[Window], w: &mut Writer) {
        let bytes = self.schema.message(id).bytes();
        let mut printed = vec![false; windows.len()];
        let mut word = 0;
        while word < bytes.div_ceil(8) {
            let left = bytes - word * 8;
            if let Some((first, right)) = pair_of_words(windows, word * 64).filter(|_| left >= 16) {
                let from = windows[first].offset;
                w.line(format!("bp_shift2(s + {}, p + {from}, {right});", word * 8));
                word += 2;
                continue;
            }
            for i in in_word(windows, word * 64) {
                if !std::mem::replace(&mut printed[i], true) {
                    w.line(format!("const uint64_t x{i} = {};", self.load_window(id, &windows[i])));
                }
            }
            let operands = word_operands(windows, word * 64);
            if left >= 8 {
                w.lines(&format!("bp_store64(s + {},\n        {});", word * 8, joined(&operands)));
            } else {
                store_tail(word * 8, left, &joined(&operands), w);
            }
            word += 1;
        }
    }

    /// The value bits of a window, together.
    fn load_window(&self, id: MessageId, window: &Window) -> String {
        if let Some(mark) = window.mark {
            return format!("{mark}u");
        }
        // A window at the end begins earlier, so that nothing behind the struct is read.
        let from = window.offset.min(self.layout(id).0 - 8);
        let by = (window.offset - from) * 8;
        let load = format!("bp_load64(p + {from})");
        match window.mask {
            u64::MAX => load,
            m if m == mask(window.bits) && by == 0 => format!("{load} & {m:#x}u"),
            m => format!("_pext_u64({load}, {:#x}u)", m << by),
        }
    }

    fn decode_windows(&self, id: MessageId, windows: &[Window], w: &mut Writer) {
        let size = self.layout(id).0;
        let end = self.schema.message(id).bytes();
        for window in windows.iter().filter(|w| w.mark.is_none()) {
            let parts = loads(window.at, window.bits, end, 8);
            let text = |l: &vproto_ir::wire::shape::Load| {
                let load = match l.bytes {
                    1 => format!("(uint64_t)s[{}]", l.byte),
                    n => format!("(uint64_t)bp_load{}(s + {})", n * 8, l.byte),
                };
                let down = if l.shift == 0 { load } else { format!("{load} >> {}", l.shift) };
                if l.left == 0 { down } else { format!("({down}) << {}", l.left) }
            };
            let parts: Vec<String> = parts.iter().map(text).collect();
            let raw = parts.join(" |\n        ");
            // Bits above the run are harmless: pdep drops them.
            let value = match window.mask {
                u64::MAX => raw,
                m if m == mask(window.bits) => format!("({raw}) & {m:#x}u"),
                m => format!("_pdep_u64({raw}, {m:#x}u)"),
            };
            w.lines(&format!("v = {value};"));
            for (distance, signs) in &window.signs {
                w.line(format!("g = v & {signs:#x}u;"));
                w.line(format!("v |= (g << {}) - (g << 1);", distance + 1));
            }
            if window.offset + 8 <= size {
                w.line(format!("bp_store64(p + {}, v);", window.offset));
                continue;
            }
            for (first, n) in split_bytes(window.bytes) {
                let at = window.offset + first;
                let part = if first == 0 { "v".to_owned() } else { format!("(v >> {})", first * 8) };
                match n {
                    1 => w.line(format!("p[{at}] = (unsigned char){part};")),
                    8 => w.line(format!("bp_store64(p + {at}, v);")),
                    _ => w.line(format!("bp_store{}(p + {at}, (uint32_t){part});", n * 8)),
                }
            }
        }
    }

    /// Size and alignment of a struct on x86-64.
    fn layout(&self, id: MessageId) -> (u32, u32) {
        let (mut size, mut align) = (0, 1);
        for field in &self.schema.message(id).fields {
            let (field_size, field_align) = self.size(&field.ty);
            size = u32::next_multiple_of(size, field_align) + field_size;
            align = align.max(field_align);
        }
        // An empty struct has one byte.
        (size.max(1).next_multiple_of(align), align)
    }

    fn size(&self, ty: &Type) -> (u32, u32) {
        match self.schema.strip(ty) {
            Type::Bool => (1, 1),
            Type::Message(id) => self.layout(*id),
            Type::Array(a) => {
                let (size, align) = self.size(&a.element);
                (size.saturating_mul(a.capacity), align)
            }
            leaf => {
                let bytes = storage(self.schema.bits(leaf) as u32) / 8;
                (bytes, bytes)
            }
        }
    }

    /// The bits of a value at a byte of the struct, in wire order.
    fn leaves(&self, ty: &Type, offset: u32, out: &mut Vec<Bits>) {
        match self.schema.strip(ty) {
            Type::Message(id) => {
                let message = self.schema.message(*id);
                if message.marked {
                    out.push(Bits::Mark(u64::from(message.bits)));
                }
                let mut at = 0;
                for field in &message.fields {
                    let (size, align) = self.size(&field.ty);
                    at = u32::next_multiple_of(at, align);
                    self.leaves(&field.ty, offset + at, out);
                    at += size;
                }
            }
            Type::Array(a) if self.schema.bits(&a.element) == 0 && !a.marked => {}
            Type::Array(a) => {
                if a.marked {
                    out.push(Bits::Mark(u64::from(a.capacity)));
                }
                let size = self.size(&a.element).0;
                if self.schema.bits(&a.element) > 0 {
                    (0..a.capacity).for_each(|i| self.leaves(&a.element, offset + i * size, out));
                }
            }
            leaf => {
                let bits = self.schema.bits(leaf) as u32;
                let signed = matches!(leaf, Type::Int(_));
                let bytes = if *leaf == Type::Bool { 1 } else { storage(bits) / 8 };
                out.push(Bits::Leaf { offset, bytes, bits, signed });
            }
        }
    }
}

/// Stores the last, incomplete word.
fn store_tail(byte: u32, left: u32, value: &str, w: &mut Writer) {
    w.block("{", "}", |w| {
        w.lines(&format!("const uint64_t t = {value};"));
        for (first, n) in split_bytes(left) {
            let at = byte + first;
            let part = if first == 0 { "t".to_owned() } else { format!("(t >> {})", first * 8) };
            match n {
                1 => w.line(format!("s[{at}] = (unsigned char){part};")),
                _ => w.line(format!("bp_store{}(s + {at}, (uint32_t){part});", n * 8)),
            }
        }
    });
}

/// Leaves gathered into windows, as many as fit into each.
fn windows(leaves: &[Bits]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let mut at = 0;
    for leaf in leaves {
        match leaf {
            Bits::Mark(value) => {
                windows.push(Window { at, bits: 16, mark: Some(*value), ..Window::default() });
                at += 16;
            }
            Bits::Leaf { offset, bytes, bits, signed } => {
                let fits = |w: &&mut Window| w.mark.is_none() && offset + bytes <= w.offset + 8;
                if windows.last_mut().as_ref().filter(|w| fits(w)).is_none() {
                    windows.push(Window { offset: *offset, at, ..Window::default() });
                }
                if let Some(window) = windows.last_mut() {
                    let by = (offset - window.offset) * 8;
                    window.mask |= mask(*bits) << by;
                    window.bits += bits;
                    window.bytes = offset + bytes - window.offset;
                    if *signed && *bits < bytes * 8 {
                        *window.signs.entry(bytes * 8 - bits).or_default() |= 1 << (by + bits - 1);
                    }
                }
                at += bits;
            }
        }
    }
    windows
}

/// The windows that reach into the word at a bit of the message.
fn in_word(windows: &[Window], word: u32) -> Vec<usize> {
    let inside = |(_, w): &(usize, &Window)| w.at < word + 64 && w.at + w.bits > word && w.bits > 0;
    windows.iter().enumerate().filter(inside).map(|(i, _)| i).collect()
}

/// The same, shifted to their places.
fn word_operands(windows: &[Window], word: u32) -> Vec<String> {
    let shifted = |i: usize| match (windows[i].at, word) {
        (at, word) if at > word => format!("x{i} << {}", at - word),
        (at, word) if at < word => format!("x{i} >> {}", word - at),
        _ => format!("x{i}"),
    };
    in_word(windows, word).into_iter().map(shifted).collect()
}

/// Whether the two words from a bit on consist of three windows of 64 bits that follow each other in memory: the first
/// one, and how far it is shifted to the right.
fn pair_of_words(windows: &[Window], word: u32) -> Option<(usize, u32)> {
    let [first, second] = in_word(windows, word)[..] else { return None };
    let [same, third] = in_word(windows, word + 64)[..] else { return None };
    let (a, b, c) = (windows.get(first)?, windows.get(second)?, windows.get(third)?);
    let whole = [a, b, c].iter().all(|w| w.mask == u64::MAX && w.mark.is_none());
    let follow = b.offset == a.offset + 8 && c.offset == b.offset + 8;
    (second == same && whole && follow && a.at < word).then(|| (first, word - a.at))
}

/// Whether a step is a piece that has in memory the bits that it has on the wire.
fn is_integer(step: &Step) -> bool {
    match step {
        Step::Piece(piece) => !matches!(piece.source, Source::Leaf(_, Leaf::Float)),
        _ => false,
    }
}

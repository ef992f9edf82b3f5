//! Decoding what the same version wrote: one load for each piece, in words that stay within the message.

use super::Context;
use super::encode::{declare_indices, open_loop, split_bytes};
use super::names::{hex, mask, storage};
use super::place::{at_byte, base};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Leaf, Loop, Piece, Place, Source, Step, marks};
use vproto_ir::wire::schema::MessageId;
use vproto_ir::wire::shape::{Load, loads};

/// Where a piece is read from: the base and the byte behind it.
#[derive(Clone, Copy)]
struct Base {
    depth: u32,
    end: u32,
}

impl Context<'_> {
    /// `bp_decode_X`, and `bp_same_X` where there are marks.
    pub(super) fn print_decode(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let plan = &self.plan.messages[id.index()];
        w.blank();
        w.line(format!(
            "{} void bp_decode_{name}{}({} *BITPROTO_RESTRICT m, const unsigned char *BITPROTO_RESTRICT s)",
            self.linkage(),
            self.words_suffix(id),
            self.struct_type(id)
        ));
        w.open("{");
        declare_indices(&plan.steps, w);
        if plan.steps.iter().all(|s| self.is_empty(s)) {
            w.line("(void)m;");
            w.line("(void)s;");
        }
        self.decode_steps(id, &plan.steps, Base { depth: 0, end: plan.bytes }, w);
        w.close("}");
        if self.has_windows(id) {
            self.print_windows(id, w);
        }
        if plan.has_marks {
            self.print_same(id, w);
        }
    }

    /// Whether nothing is decoded from a step.
    pub(super) fn is_empty(&self, step: &Step) -> bool {
        match step {
            Step::Piece(p) => matches!(p.source, Source::Mark(_)),
            Step::Loop(l) => l.body.iter().all(|s| self.is_empty(s)),
            _ => false,
        }
    }

    fn decode_steps(&self, id: MessageId, steps: &[Step], from: Base, w: &mut Writer) {
        for step in steps.iter().filter(|s| !self.is_empty(s)) {
            match step {
                Step::Piece(piece) => self.decode_piece(id, piece, from, w),
                Step::Loop(l) => self.decode_loop(id, l, from, w),
                Step::Copy(copy) => self.decode_copy(id, copy, from.depth, w),
                Step::Call(call) => self.decode_call(id, call, from.depth, w),
            }
        }
    }

    fn decode_piece(&self, id: MessageId, piece: &Piece, from: Base, w: &mut Writer) {
        match &piece.source {
            Source::Leaf(place, leaf) => {
                let value = self.read(piece.at, piece.bits, *leaf, from);
                w.lines(&format!("{} = {value};", self.place(id, place)));
            }
            Source::Bytes(place, count) => self.decode_bytes(id, piece.at, place, *count, from, w),
            Source::Bools(place, count) => self.decode_bools(id, piece.at, place, *count, from, w),
            Source::Mark(_) => {}
        }
    }

    /// The value of a leaf, cast to its storage.
    fn read(&self, at: u32, bits: u32, leaf: Leaf, from: Base) -> String {
        if leaf == Leaf::Float {
            return format!("bp_f{bits}({})", self.read(at, bits, Leaf::Uint, from));
        }
        let loads = loads(at, bits, from.end, self.options.word);
        let stored = storage(bits);
        let (word, word_bits, shift) = match loads.as_slice() {
            [load] => (load_text(load, from.depth), if load.bytes == 8 { 64 } else { 32 }, load.shift),
            several => {
                let parts: Vec<String> = several.iter().map(|l| part_text(l, from.depth, bits)).collect();
                (format!("({})", parts.join(" |\n        ")), if bits > 32 { 64 } else { 32 }, 0)
            }
        };
        let loaded = if let [load] = loads.as_slice() { load.bytes * 8 } else { bits };
        match leaf {
            Leaf::Bool => format!("({} & 1u) != 0", shifted(&word, shift)),
            Leaf::Int if bits == stored => format!("(int{stored}_t){}", parenthesized(&word, shift)),
            Leaf::Int => {
                let left = word_bits - shift - bits;
                let up = if left == 0 { word } else { format!("({word} << {left})") };
                format!("(int{stored}_t)((int{word_bits}_t){up} >> {})", word_bits - bits)
            }
            _ if bits == stored || shift + bits == loaded => {
                format!("({}){}", self.unsigned_type(leaf, stored), parenthesized(&word, shift))
            }
            _ => {
                let ty = self.unsigned_type(leaf, stored);
                format!("({ty})({} & {})", shifted(&word, shift), hex(mask(bits), bits))
            }
        }
    }

    fn decode_bytes(&self, id: MessageId, at: u32, place: &Place, count: u32, from: Base, w: &mut Writer) {
        if at.is_multiple_of(8) {
            let target = format!("&{}", self.place(id, place));
            return w.line(format!("memcpy({target}, {}, {count});", at_byte(from.depth, at / 8)));
        }
        for (first, n) in split_bytes(count) {
            let element = self.place_further(id, place, first);
            let value = self.read(at + first * 8, n * 8, Leaf::Uint, from);
            let target = format!("(unsigned char *)&{element}");
            match n {
                1 => w.lines(&format!("*({target}) = {value};")),
                _ => w.lines(&format!("bp_store{}({target}, {value});", n * 8)),
            }
        }
    }

    fn decode_bools(&self, id: MessageId, at: u32, place: &Place, count: u32, from: Base, w: &mut Writer) {
        if count == 8 && self.options.word != 4 {
            let value = self.read(at, 8, Leaf::Uint, from);
            return w.lines(&format!("bp_spread(&{}, {value});", self.place(id, place)));
        }
        let grouped = count / 4 * 4;
        for i in (0..grouped).step_by(4) {
            let value = self.read(at + i, 4, Leaf::Uint, from);
            w.lines(&format!("bp_spread4(&{}, {value});", self.place_further(id, place, i)));
        }
        for i in grouped..count {
            let value = self.read(at + i, 1, Leaf::Bool, from);
            w.lines(&format!("{} = {value};", self.place_further(id, place, i)));
        }
    }

    fn decode_loop(&self, id: MessageId, of: &Loop, from: Base, w: &mut Writer) {
        open_loop("const unsigned char", of, from.depth, w);
        let end = (of.at % 8 + of.stride * 8).div_ceil(8);
        self.decode_steps(id, &of.body, Base { depth: from.depth + 1, end }, w);
        w.close("}");
    }

    fn decode_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let place = self.place(id, &copy.place);
        let size = copy.count * copy.element_bytes;
        let source = at_byte(depth, copy.at / 8);
        if copy.element_bytes == 1 {
            return w.line(format!("memcpy(&{place}, {source}, {size});"));
        }
        w.margin("#if BITPROTO_LITTLE_ENDIAN");
        w.line(format!("memcpy(&{place}, {source}, {size});"));
        w.margin("#else");
        let (n, bits) = (copy.element_bytes, copy.element_bytes * 8);
        let ty = match copy.leaf {
            Leaf::Int => format!("int{bits}_t"),
            leaf => self.unsigned_type(leaf, bits),
        };
        w.block("{", "}", |w| {
            w.line("size_t k;");
            w.block(format!("for (k = 0; k < {}u; k++) {{", copy.count), "}", |w| {
                let element = self.element(id, copy);
                w.line(format!("{element} = ({ty})bp_load{bits}({source} + {n}u * k);"));
            });
        });
        w.margin("#endif");
    }

    fn decode_call(&self, id: MessageId, call: &Call, depth: u32, w: &mut Writer) {
        let name = self.function_name(call.message);
        let place = self.place(id, &call.place);
        inside(call, depth, w, |bytes| format!("bp_decode_{name}(&{place}, {bytes});"));
    }

    /// `bp_same_X`: whether all marks hold this version's values. Each is read only if those before it were right.
    fn print_same(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let steps = marks(self.plan, &self.plan.messages[id.index()].steps);
        w.blank();
        w.line(format!("{} int bp_same_{name}(const unsigned char *s)", self.linkage()));
        w.open("{");
        declare_indices(&steps, w);
        self.same_steps(&steps, 0, w);
        w.line("return 1;");
        w.close("}");
    }

    fn same_steps(&self, steps: &[Step], depth: u32, w: &mut Writer) {
        for step in steps {
            match step {
                Step::Piece(Piece { at, source: Source::Mark(own), .. }) => {
                    let test = format!("{} != {}", mark_text(*at, depth), hex(u64::from(*own), 32));
                    w.block(format!("if ({test}) {{"), "}", |w| w.line("return 0;"));
                }
                Step::Loop(of) => {
                    open_loop("const unsigned char", of, depth, w);
                    self.same_steps(&of.body, depth + 1, w);
                    w.close("}");
                }
                Step::Call(call) => {
                    let name = self.function_name(call.message);
                    inside(call, depth, w, |bytes| {
                        format!("if (!bp_same_{name}({bytes})) {{\n    return 0;\n}}")
                    });
                }
                _ => {}
            }
        }
    }
}

/// A statement on the bytes of a nested message: in place at a byte boundary, else on a copy.
fn inside(call: &Call, depth: u32, w: &mut Writer, statement: impl Fn(&str) -> String) {
    let source = at_byte(depth, call.at / 8);
    if call.at.is_multiple_of(8) {
        return w.lines(&statement(&source));
    }
    w.block("{", "}", |w| {
        w.line(format!("unsigned char t[{}];", call.bits.div_ceil(8)));
        w.line(format!("bp_extract(t, {source}, {}u, {}u);", call.at % 8, call.bits));
        w.lines(&statement("t"));
    });
}

/// 16 bits at any bit, read from no byte beyond them.
fn mark_text(at: u32, depth: u32) -> String {
    let (s, byte, phase) = (base(depth), at / 8, at % 8);
    if phase == 0 {
        return format!("((unsigned){s}[{byte}] | (unsigned){s}[{}] << 8)", byte + 1);
    }
    let top = hex(mask(phase), 32);
    format!(
        "((unsigned){s}[{byte}] >> {phase} | (unsigned){s}[{}] << {} | ((unsigned){s}[{}] & {top}) << {})",
        byte + 1,
        8 - phase,
        byte + 2,
        16 - phase
    )
}

fn load_text(load: &Load, depth: u32) -> String {
    match load.bytes {
        1 => format!("(uint32_t){}[{}]", base(depth), load.byte),
        n => format!("bp_load{}({})", n * 8, at_byte(depth, load.byte)),
    }
}

/// One of several loads, moved to its place in a value of `bits` bits.
fn part_text(load: &Load, depth: u32, bits: u32) -> String {
    let text = shifted(&load_text(load, depth), load.shift);
    let text = if load.shift + load.bits == load.bytes * 8 {
        format!("({text})")
    } else {
        format!("({text} & {})", hex(mask(load.bits), load.bits))
    };
    let text = if bits > 32 { format!("(uint64_t){text}") } else { text };
    if load.left == 0 { text } else { format!("{text} << {}", load.left) }
}

fn shifted(word: &str, shift: u32) -> String {
    if shift == 0 { word.to_owned() } else { format!("{word} >> {shift}") }
}

fn parenthesized(word: &str, shift: u32) -> String {
    if shift == 0 { word.to_owned() } else { format!("({word} >> {shift})") }
}

//! Decoding what the same version wrote: one load for each piece, in words that stay within the message.

use super::Printer;
use super::encode::{is_u8, open_loop, singles, split_bytes};
use super::expression::{Expression, literal};
use super::names::storage;
use super::place::{Access, Element, assign, base, index_text, let_line};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Leaf, Loop, Piece, Place, Source, Step, marks};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::{Load, loads};

/// Where a piece is read from: the base and the byte behind it.
#[derive(Clone, Copy)]
struct Base {
    depth: u32,
    end: u32,
}

impl Printer<'_> {
    /// `decode_x`, and `same_x` where there are marks.
    pub(super) fn print_decode(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        if plan.bytes == 0 {
            return;
        }
        let empty = plan.steps.iter().all(is_empty);
        let (m, s) = if empty { ("_", "_") } else { ("m", "s") };
        let parameters =
            [format!("{m}: &mut {}", self.message_type(id)), format!("{s}: &[u8; {}]", plan.bytes)];
        w.blank();
        let name = format!("fn decode_{}", self.names.function(id));
        if empty {
            w.line(format!("{name}({}) {{}}", parameters.join(", ")));
        } else {
            self.open_function(&name, &parameters, "", w);
            self.decode_steps(id, &plan.steps, Base { depth: 0, end: plan.bytes }, w);
            w.close("}");
        }
        if plan.has_marks {
            self.print_same(id, w);
        }
    }

    fn decode_steps(&self, id: MessageId, steps: &[Step], from: Base, w: &mut Writer) {
        for step in steps.iter().filter(|s| !is_empty(s)) {
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
                let place = self.place(id, place, Access::Write, w).0;
                let value = self.read(piece.at, piece.bits, *leaf, from, w);
                assign(&place, &value, w);
            }
            Source::Bytes(place, count) => self.decode_bytes(id, piece.at, place, *count, from, w),
            Source::Bools(place, count) => self.decode_bools(id, piece.at, place, *count, from, w),
            Source::Mark(_) => {}
        }
    }

    /// The value of a leaf in its own type. Bits of several words are put together as `v` first.
    fn read(&self, at: u32, bits: u32, leaf: Leaf, from: Base, w: &mut Writer) -> String {
        let loads = loads(at, bits, from.end, self.options.word);
        let (word, shift, loaded) = match loads.as_slice() {
            [load] => (load_word(load, from.depth), load.shift, load.bytes * 8),
            several => {
                let ty = if bits > 32 { 64 } else { 32 };
                for (i, load) in several.iter().enumerate() {
                    let part = part_of(load, from.depth, ty);
                    match i {
                        0 => let_line("mut v", part.text(), w),
                        _ => w.line(format!("v |= {};", part.text())),
                    }
                }
                (Expression::atom("v", ty), 0, bits)
            }
        };
        let stored = storage(bits);
        match leaf {
            Leaf::Bool => {
                format!("{} != 0", word.shifted(-shift.cast_signed()).masked(1).text())
            }
            Leaf::Int => signed(&word, shift, bits),
            _ => {
                let value = word.shifted(-shift.cast_signed());
                let clean = bits == stored || shift + bits == loaded;
                let value = if clean { value } else { value.masked(bits) };
                let value = value.to_unsigned(stored);
                match leaf {
                    Leaf::Enum(of) => format!("{}({})", self.enum_type(of), value.text()),
                    Leaf::Float => float(bits, value.text()),
                    _ => value.text().to_owned(),
                }
            }
        }
    }

    fn decode_bytes(&self, id: MessageId, at: u32, place: &Place, count: u32, from: Base, w: &mut Writer) {
        let Some(element) = self.element(id, place, Access::Write, w) else { return };
        let plain = is_u8(&element.ty);
        if plain && at.is_multiple_of(8) {
            let (s, byte) = (base(from.depth), at / 8);
            let bytes = format!("&{s}[{byte}..{}]", byte + count);
            return w.line(format!("{}.copy_from_slice({bytes});", range(&element, 0, count)));
        }
        for (first, n) in if plain { split_bytes(count) } else { singles(count) } {
            if n == 1 {
                let leaf = match element.ty {
                    Type::Int(_) => Leaf::Int,
                    Type::Enum(id) => Leaf::Enum(id),
                    _ => Leaf::Uint,
                };
                let value = self.read(at + first * 8, 8, leaf, from, w);
                assign(&element.at(first), &value, w);
                continue;
            }
            let value = self.read(at + first * 8, n * 8, Leaf::Uint, from, w);
            if value != "v" {
                let_line("v", &value, w);
            }
            w.line(format!("{}.copy_from_slice(&v.to_le_bytes());", range(&element, first, n)));
        }
    }

    fn decode_bools(&self, id: MessageId, at: u32, place: &Place, count: u32, from: Base, w: &mut Writer) {
        let Some(element) = self.element(id, place, Access::Write, w) else { return };
        let grouped = if count == 8 { 8 } else { count / 4 * 4 };
        if grouped > 0 {
            let function = if grouped == 8 { "spread" } else { "spread4" };
            // The function drops bits above.
            let loads = loads(at, grouped, from.end, self.options.word);
            let value = match loads.as_slice() {
                [load] => {
                    let value = load_word(load, from.depth).shifted(-load.shift.cast_signed());
                    value.to_unsigned(32).text().to_owned()
                }
                _ => format!("u32::from({})", self.read(at, grouped, Leaf::Uint, from, w)),
            };
            let_line("v", &format!("bp::{function}({value})"), w);
            w.line(format!("{}.copy_from_slice(&v);", range(&element, 0, grouped)));
        }
        for i in grouped..count {
            let value = self.read(at + i, 1, Leaf::Bool, from, w);
            assign(&element.at(i), &value, w);
        }
    }

    fn decode_loop(&self, id: MessageId, of: &Loop, from: Base, w: &mut Writer) {
        open_loop("&", of, from.depth, w);
        let end = (of.at % 8 + of.stride * 8).div_ceil(8);
        self.decode_steps(id, &of.body, Base { depth: from.depth + 1, end }, w);
        w.close("}");
    }

    fn decode_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let Some(element) = self.element(id, &copy.place, Access::Write, w) else { return };
        let (s, from, n) = (base(depth), copy.at / 8, copy.element_bytes);
        let to = from + copy.count * n;
        if is_u8(&element.ty) && n == 1 {
            return w.line(format!("{}.copy_from_slice(&{s}[{from}..{to}]);", element.array));
        }
        w.line(format!("let a = &mut {};", element.array));
        w.line(format!("let t = {s}[{from}..{to}].chunks_exact({n});"));
        w.open("for (v, t) in a.iter_mut().zip(t) {");
        let load = match n {
            1 => Expression::atom("t[0]", 8),
            8 => Expression::atom("bp::load64(t, 0)", 64),
            n => Expression::atom(format!("bp::load{}(t, 0)", n * 8), 32),
        };
        let value = match copy.leaf {
            Leaf::Int => load.cast(&format!("i{}", n * 8), n * 8),
            _ => load.to_unsigned(n * 8),
        };
        match copy.leaf {
            Leaf::Enum(of) => w.line(format!("*v = {}({});", self.enum_type(of), value.text())),
            _ => w.line(format!("*v = {};", value.text())),
        }
        w.close("}");
    }

    fn decode_call(&self, id: MessageId, call: &Call, depth: u32, w: &mut Writer) {
        let name = self.names.function(call.message);
        let place = self.place(id, &call.place, Access::Write, w).0;
        w.line(format!("let a = &mut {place};"));
        inside(call, depth, w, |t, w| w.line(format!("decode_{name}(a, {t});")));
    }

    /// `same_x`: whether all marks hold this version's values. Each is read only if those before it were right.
    fn print_same(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        let steps = marks(self.plan, &plan.steps);
        let parameters = [format!("s: &[u8; {}]", plan.bytes)];
        w.blank();
        self.open_function(&format!("fn same_{}", self.names.function(id)), &parameters, " -> bool", w);
        self.same_steps(&steps, 0, w);
        w.line("true");
        w.close("}");
    }

    fn same_steps(&self, steps: &[Step], depth: u32, w: &mut Writer) {
        for step in steps {
            match step {
                Step::Piece(Piece { at, source: Source::Mark(own), .. }) => {
                    let test = format!("{} != {}", mark_text(*at, depth, w), literal(u64::from(*own)));
                    w.block(format!("if {test} {{"), "}", |w| w.line("return false;"));
                }
                Step::Loop(of) => {
                    open_loop("&", of, depth, w);
                    self.same_steps(&of.body, depth + 1, w);
                    w.close("}");
                }
                Step::Call(call) => {
                    let name = self.names.function(call.message);
                    inside(call, depth, w, |t, w| {
                        w.block(format!("if !same_{name}({t}) {{"), "}", |w| w.line("return false;"));
                    });
                }
                _ => {}
            }
        }
    }
}

/// The number of these bits.
pub(super) fn float(bits: u32, value: &str) -> String {
    match bits {
        16 => format!("bp::half({value})"),
        n => format!("f{n}::from_bits({value})"),
    }
}

/// Whether nothing is decoded from a step.
fn is_empty(step: &Step) -> bool {
    match step {
        Step::Piece(p) => matches!(p.source, Source::Mark(_)),
        Step::Loop(l) => l.body.iter().all(is_empty),
        _ => false,
    }
}

/// Elements of an array, all of them by its name alone.
fn range(element: &Element, first: u32, count: u32) -> String {
    if count == element.capacity {
        return element.array.clone();
    }
    let from = index_text(&element.index, first);
    match element.index.level {
        None => format!("{}[{from}..{}]", element.array, index_text(&element.index, first + count)),
        Some(_) => format!("{}[{from}..][..{count}]", element.array),
    }
}

/// A statement on the bytes of a nested message: in place at a byte boundary, else on a copy.
fn inside(call: &Call, depth: u32, w: &mut Writer, statement: impl Fn(&str, &mut Writer)) {
    let (s, byte, phase) = (base(depth), call.at / 8, call.at % 8);
    if phase == 0 {
        let t = if byte == 0 { format!("{s}.first_chunk()") } else { format!("{s}[{byte}..].first_chunk()") };
        return w.block(format!("if let Some(t) = {t} {{"), "}", |w| statement("t", w));
    }
    w.line(format!("let t = bp::extract(&{s}[{byte}..], {phase}, {});", call.bits));
    statement("&t", w);
}

/// 16 bits at any bit, read from no byte beyond them; put together as `v` if they are not whole bytes.
fn mark_text(at: u32, depth: u32, w: &mut Writer) -> String {
    let (s, byte, phase) = (base(depth), at / 8, at % 8);
    if phase == 0 {
        return format!("bp::load16({s}, {byte})");
    }
    w.line(format!("let v = bp::load16({s}, {byte}) | u32::from({s}[{}]) << 16;", byte + 2));
    format!("(v >> {phase}) & 0xffff")
}

fn load_word(load: &Load, depth: u32) -> Expression {
    let s = base(depth);
    match load.bytes {
        1 => Expression::atom(format!("{s}[{}]", load.byte), 8),
        n => Expression::atom(format!("bp::load{}({s}, {})", n * 8, load.byte), if n == 8 { 64 } else { 32 }),
    }
}

/// One of several loads, moved to its place in a value of `ty` bits.
fn part_of(load: &Load, depth: u32, ty: u32) -> Expression {
    let value = load_word(load, depth).shifted(-load.shift.cast_signed());
    let value = if load.shift + load.bits == load.bytes * 8 { value } else { value.masked(load.bits) };
    value.to_unsigned(ty).shifted(load.left.cast_signed())
}

/// The bits of a word from `shift` on as a signed value.
fn signed(word: &Expression, shift: u32, bits: u32) -> String {
    let stored = storage(bits);
    if bits == stored {
        return word.shifted(-shift.cast_signed()).cast(&format!("i{stored}"), stored).text().to_owned();
    }
    let word = if word.bits() < stored.max(32) { word.to_unsigned(stored.max(32)) } else { word.clone() };
    let left = word.bits() - shift - bits;
    let up = word.shifted(left.cast_signed()).cast(&format!("i{}", word.bits()), word.bits());
    let down = up.shifted(-(word.bits() - bits).cast_signed());
    if word.bits() == stored {
        down.text().to_owned()
    } else {
        down.cast(&format!("i{stored}"), stored).text().to_owned()
    }
}

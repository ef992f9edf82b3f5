//! Encoding, and decoding of messages whose layout does not vary.

use super::{Printer, member};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Index, Leaf, Loop, Piece, Place, Select, Source, Step};
use vproto_ir::wire::schema::{MessageId, Type};
use vproto_ir::wire::shape::{self, EncodeOp, Part};

fn base(depth: u32) -> String {
    if depth == 0 { "s".to_owned() } else { format!("s{depth}") }
}

fn index_text(index: &Index, further: u32) -> String {
    let add = index.add + further;
    let Some(level) = index.level else { return add.to_string() };
    let scaled = if index.step == 1 { format!("i{level}") } else { format!("{}*i{level}", index.step) };
    if add == 0 { scaled } else { format!("{scaled}+{add}") }
}

fn mask(bits: u32) -> String {
    format!("0x{:x}", u64::MAX >> (64 - bits.clamp(1, 64)))
}

fn open_loop(of: &Loop, depth: u32, w: &mut Writer) {
    let i = format!("i{}", of.level);
    w.open(format!("for {i} := 0; {i} < {}; {i}++ {{", of.count));
    let step = if of.stride == 1 { i } else { format!("{}*{i}", of.stride) };
    let start = of.at / 8;
    let offset = if start == 0 { step } else { format!("{start}+{step}") };
    w.line(format!("s{} := {}[{offset}:]", depth + 1, base(depth)));
}

impl Printer<'_> {
    /// The expression of a place, `further` elements behind, and its type.
    fn place(&self, root: MessageId, place: &Place, further: u32) -> (String, Type) {
        let mut text = "m".to_owned();
        let mut ty = Type::Message(root);
        for (i, select) in place.0.iter().enumerate() {
            let inner = self.schema.strip(&ty).clone();
            match (select, inner) {
                (Select::Field(index), Type::Message(id)) => {
                    let field = &self.schema.message(id).fields[*index];
                    text += &format!(".{}", member(&field.name));
                    ty = field.ty.clone();
                }
                (Select::Index(index), Type::Array(array)) => {
                    let further = if i + 1 == place.0.len() { further } else { 0 };
                    text += &format!("[{}]", index_text(index, further));
                    ty = array.element;
                }
                // Plans select fields of messages and elements of arrays only.
                _ => {}
            }
        }
        (text, ty)
    }

    /// `BpPut`: the message into exactly its bytes.
    pub(super) fn put(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        w.line("// BpPut writes the message to its bytes.");
        w.open(format!("func (m *{}) BpPut(s []byte) {{", self.message_name(id)));
        if plan.bytes > 0 {
            w.line(format!("_ = s[{}]", plan.bytes - 1));
            w.line("var c, v, w uint64");
            w.line("_, _, _ = c, v, w");
        }
        self.put_ops(id, &shape::encode(&plan.steps, 8), 0, w);
        w.close("}");
        w.blank();
    }

    fn put_ops(&self, id: MessageId, ops: &[EncodeOp], depth: u32, w: &mut Writer) {
        let s = base(depth);
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry, parts } => {
                    self.word(id, *carry, parts, bytes * 8, w);
                    match bytes {
                        1 => w.line(format!("{s}[{byte}] = byte(w)")),
                        8 => w.line(format!("binary.LittleEndian.PutUint64({s}[{byte}:], w)")),
                        n => {
                            w.line(format!("binary.LittleEndian.PutUint{0}({s}[{byte}:], uint{0}(w))", n * 8))
                        }
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
                EncodeOp::Copy(copy) => {
                    let place = self.place(id, &copy.place, 0).0;
                    let list = place.strip_suffix("[0]").unwrap_or(&place);
                    let (at, n) = (copy.at / 8, copy.element_bytes);
                    if copy.leaf == Leaf::Byte && !list.is_empty() && self.is_plain_bytes(id, &copy.place) {
                        w.line(format!("copy({s}[{at}:], {list}[:])"));
                        continue;
                    }
                    w.open(format!("for k := 0; k < {}; k++ {{", copy.count));
                    match n {
                        1 => w.line(format!("{s}[{at}+k] = byte({list}[k])")),
                        n => w.line(format!(
                            "binary.LittleEndian.PutUint{0}({s}[{at}+{n}*k:], uint{0}({list}[k]))",
                            n * 8
                        )),
                    }
                    w.close("}");
                }
                EncodeOp::Call(call) => {
                    let place = self.place(id, &call.place, 0).0;
                    let (phase, byte) = (call.at % 8, call.at / 8);
                    if phase == 0 {
                        w.line(format!("{place}.BpPut({s}[{byte}:])"));
                        if !call.bits.is_multiple_of(8) {
                            w.line(format!("c = uint64({s}[{}])", byte + call.bits / 8));
                        }
                        continue;
                    }
                    w.open("{");
                    w.line(format!("var p [{}]byte", call.bits.div_ceil(8)));
                    w.line(format!("{place}.BpPut(p[:])"));
                    w.open("for k, x := range p {");
                    w.line(format!("c |= uint64(x) << {phase}"));
                    w.open(format!("if k < {} {{", (phase + call.bits) / 8));
                    w.line(format!("{s}[{byte}+k] = byte(c)"));
                    w.line("c >>= 8");
                    w.close("}");
                    w.close("}");
                    w.close("}");
                }
            }
        }
    }

    /// Whether the elements have the very type `byte`.
    fn is_plain_bytes(&self, id: MessageId, place: &Place) -> bool {
        self.place(id, place, 0).1 == Type::Byte
    }

    /// Sets `w`.
    fn word(&self, id: MessageId, carry: bool, parts: &[Part], bits: u32, w: &mut Writer) {
        w.line(if carry { "w = c" } else { "w = 0" });
        for part in parts {
            match &part.piece.source {
                Source::Leaf(place, _) => self.leaf(id, place, 0, part.piece.bits, part.shift, w),
                Source::Bytes(place, count) => self.leaves(id, place, *count, 8, part.shift, bits, w),
                Source::Bools(place, count) => self.leaves(id, place, *count, 1, part.shift, bits, w),
                Source::Mark(size) => {
                    let by = part.shift.unsigned_abs();
                    let value = u64::from(*size);
                    let value = if part.shift < 0 { value >> by } else { value << by };
                    w.line(format!("w |= 0x{value:x}"));
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn leaves(
        &self,
        id: MessageId,
        place: &Place,
        count: u32,
        size: u32,
        shift: i32,
        bits: u32,
        w: &mut Writer,
    ) {
        for i in 0..count {
            let to = shift + (i * size).cast_signed();
            if to + size.cast_signed() > 0 && to < bits.cast_signed() {
                self.leaf(id, place, i, size, to, w);
            }
        }
    }

    fn leaf(&self, id: MessageId, place: &Place, further: u32, bits: u32, shift: i32, w: &mut Writer) {
        let (text, ty) = self.place(id, place, further);
        match self.schema.strip(&ty) {
            Type::Bool => w.line(format!("v = bpBit(bool({text}))")),
            _ if bits == 64 => w.line(format!("v = uint64({text})")),
            _ => w.line(format!("v = uint64({text}) & {}", mask(bits))),
        }
        let by = shift.unsigned_abs();
        match shift {
            0 => w.line("w |= v"),
            1.. => w.line(format!("w |= v << {by}")),
            _ => w.line(format!("w |= v >> {by}")),
        }
    }

    /// `BpGet`: the message from exactly its bytes.
    pub(super) fn get(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        w.line("// BpGet sets all fields from the message's bytes.");
        w.open(format!("func (m *{}) BpGet(s []byte) {{", self.message_name(id)));
        if plan.bytes > 0 {
            w.line(format!("_ = s[{}]", plan.bytes - 1));
            w.line("var v uint64");
            w.line("_ = v");
        }
        let mut named = 0;
        self.get_steps(id, &plan.steps, 0, &mut named, w);
        w.close("}");
        w.blank();
    }

    fn get_steps(&self, id: MessageId, steps: &[Step], depth: u32, named: &mut u32, w: &mut Writer) {
        let s = base(depth);
        let mut pieces = Vec::new();
        for step in steps {
            if let Step::Piece(piece) = step {
                pieces.push(piece);
                continue;
            }
            self.get_pieces(id, &std::mem::take(&mut pieces), depth, named, w);
            match step {
                Step::Loop(of) => {
                    open_loop(of, depth, w);
                    self.get_steps(id, &of.body, depth + 1, named, w);
                    w.close("}");
                }
                Step::Copy(copy) => {
                    let (place, ty) = self.place(id, &copy.place, 0);
                    let list = place.strip_suffix("[0]").unwrap_or(&place);
                    let (at, n) = (copy.at / 8, copy.element_bytes);
                    if ty == Type::Byte {
                        w.line(format!("copy({list}[:], {s}[{at}:])"));
                        continue;
                    }
                    let ty = self.ty(&ty);
                    w.open(format!("for k := 0; k < {}; k++ {{", copy.count));
                    match n {
                        1 => w.line(format!("{list}[k] = {ty}({s}[{at}+k])")),
                        n => w.line(format!(
                            "{list}[k] = {ty}(binary.LittleEndian.Uint{}({s}[{at}+{n}*k:]))",
                            n * 8
                        )),
                    }
                    w.close("}");
                }
                Step::Call(call) => {
                    let place = self.place(id, &call.place, 0).0;
                    if call.at.is_multiple_of(8) {
                        w.line(format!("{place}.BpGet({s}[{}:])", call.at / 8));
                    } else {
                        w.line(format!(
                            "{place}.BpRead(&bpReader{{s: {s}, at: {}, limit: 1 << 30}})",
                            call.at
                        ));
                    }
                }
                Step::Piece(_) => {}
            }
        }
        self.get_pieces(id, &pieces, depth, named, w);
    }

    fn get_pieces(&self, id: MessageId, pieces: &[&Piece], depth: u32, named: &mut u32, w: &mut Writer) {
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
        let s = base(depth);
        let (mut at, end) = (first.at / 8, (last.at + last.bits).div_ceil(8));
        let mut words = Vec::new();
        while at < end {
            let bytes = [8, 4, 2].into_iter().find(|n| *n <= end - at).unwrap_or(1);
            let name = format!("w{named}");
            *named += 1;
            match bytes {
                1 => w.line(format!("{name} := uint64({s}[{at}])")),
                n => w.line(format!("{name} := uint64(binary.LittleEndian.Uint{}({s}[{at}:]))", n * 8)),
            }
            words.push((name, at * 8, bytes * 8));
            at += bytes;
        }
        for piece in pieces {
            match &piece.source {
                Source::Leaf(place, _) => self.get_leaf(id, place, 0, (piece.at, piece.bits), &words, w),
                Source::Bytes(place, count) => {
                    (0..*count).for_each(|i| self.get_leaf(id, place, i, (piece.at + 8 * i, 8), &words, w));
                }
                Source::Bools(place, count) => {
                    (0..*count).for_each(|i| self.get_leaf(id, place, i, (piece.at + i, 1), &words, w));
                }
                Source::Mark(_) => {}
            }
        }
    }

    fn get_leaf(
        &self,
        id: MessageId,
        place: &Place,
        further: u32,
        (at, bits): (u32, u32),
        words: &[(String, u32, u32)],
        w: &mut Writer,
    ) {
        let (text, ty) = self.place(id, place, further);
        let mut assign = "v =";
        for (name, start, size) in words {
            if *start >= at + bits || at >= start + size {
                continue;
            }
            match at.cast_signed() - start.cast_signed() {
                0 => w.line(format!("{assign} {name}")),
                by @ 1.. => w.line(format!("{assign} {name} >> {by}")),
                by => w.line(format!("{assign} {name} << {}", by.unsigned_abs())),
            }
            assign = "v |=";
        }
        super::evolve::assign(self.schema.strip(&ty), &text, &self.ty(&ty), bits, w);
    }
}

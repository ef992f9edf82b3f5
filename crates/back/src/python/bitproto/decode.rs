//! Decoding what the same version wrote: words taken by one `Struct` for each stretch without loops.

use super::encode::code_of;
use super::names::{at_byte, index_text, mask, number};
use super::{Body, Printer};
use vproto_ir::wire::plan::{Call, Copy, Leaf, Loop, Piece, Place, Select, Source, Step, marks};
use vproto_ir::wire::schema::MessageId;

/// A word in a local variable.
struct Word {
    name: String,
    /// First bit, from the base.
    at: u32,
    bits: u32,
}

impl Printer<'_> {
    /// `_bp_get`: the message from its bytes, which begin at offset `b` of `s`.
    pub(super) fn get(&self, id: MessageId, body: &mut Body) {
        let steps = &self.plan.messages[id.index()].steps;
        body.w.open("def _bp_get(self, s: _Bytes, b: _int) -> None:");
        if steps.iter().all(is_empty) {
            body.w.line("pass");
        }
        self.get_steps(id, steps, 0, body);
        body.w.close("");
    }

    fn get_steps(&self, id: MessageId, steps: &[Step], depth: u32, body: &mut Body) {
        let mut pieces: Vec<&Piece> = Vec::new();
        for step in steps {
            if let Step::Piece(piece) = step {
                pieces.push(piece);
                continue;
            }
            self.get_pieces(id, &std::mem::take(&mut pieces), depth, body);
            match step {
                Step::Loop(l) if !is_empty(step) => self.get_loop(id, l, depth, body),
                Step::Copy(copy) => self.get_copy(id, copy, depth, body),
                Step::Call(call) => self.get_call(id, call, depth, body),
                _ => {}
            }
        }
        self.get_pieces(id, &pieces, depth, body);
    }

    /// Pieces that lie behind each other.
    fn get_pieces(&self, id: MessageId, pieces: &[&Piece], depth: u32, body: &mut Body) {
        let wanted = |p: &&&Piece| !matches!(p.source, Source::Mark(_));
        let first = pieces.iter().find(wanted);
        let last = pieces.iter().rev().find(wanted);
        let (Some(first), Some(last)) = (first, last) else { return };
        let (start, end) = (first.at / 8, (last.at + last.bits).div_ceil(8));
        let mut words = Vec::new();
        let mut format = String::new();
        let mut at = start;
        while at < end {
            let bytes = [8, 4, 2].into_iter().find(|n| *n <= end - at).unwrap_or(1);
            format.push(code_of(bytes, false));
            words.push(Word { name: format!("w{}", words.len()), at: at * 8, bits: bytes * 8 });
            at += bytes;
        }
        let names: Vec<&str> = words.iter().map(|w| w.name.as_str()).collect();
        let comma = if names.len() == 1 { "," } else { "" };
        let layout = body.format(&format);
        let from = at_byte(depth, start);
        body.w.line(format!("{}{comma} = {layout}.unpack_from(s, {from})", names.join(", ")));
        for piece in pieces.iter().filter(wanted) {
            self.get_piece(id, piece, &words, body);
        }
    }

    fn get_piece(&self, id: MessageId, piece: &Piece, words: &[Word], body: &mut Body) {
        match &piece.source {
            Source::Leaf(place, leaf) => {
                let target = self.place(id, &place.0, body);
                self.get_leaf(&target, *leaf, piece.at, piece.bits, words, body);
            }
            Source::Bytes(place, count) if self.in_bytearray(id, place) && *count > 1 => {
                let Some((Select::Index(index), holder)) = place.0.split_last() else { return };
                let list = self.container(id, holder, body);
                let (from, to) = (index_text(index, 0), index_text(index, *count));
                let value = bits_text(piece.at, piece.bits, words);
                body.w.line(format!("{list}[{from}:{to}] = ({value}).to_bytes({count}, \"little\")"));
            }
            Source::Bytes(place, count) => self.get_elements(id, place, *count, 8, piece.at, words, body),
            Source::Bools(place, count) => self.get_elements(id, place, *count, 1, piece.at, words, body),
            Source::Mark(_) => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn get_elements(
        &self,
        id: MessageId,
        place: &Place,
        count: u32,
        bits: u32,
        at: u32,
        words: &[Word],
        body: &mut Body,
    ) {
        let Some((Select::Index(index), holder)) = place.0.split_last() else { return };
        let list = self.container(id, holder, body);
        let leaf = self.leaf_at(id, place);
        for i in 0..count {
            let target = format!("{list}[{}]", index_text(index, i));
            self.get_leaf(&target, leaf, at + i * bits, bits, words, body);
        }
    }

    /// The kind of leaf at a place.
    fn leaf_at(&self, id: MessageId, place: &Place) -> Leaf {
        use vproto_ir::wire::schema::Type;
        match self.type_at(id, &place.0) {
            Type::Bool => Leaf::Bool,
            Type::Int(_) => Leaf::Int,
            Type::Enum(id) => Leaf::Enum(id),
            Type::Byte | Type::Char => Leaf::Byte,
            Type::Float(_) => Leaf::Float,
            _ => Leaf::Uint,
        }
    }

    fn get_leaf(&self, target: &str, leaf: Leaf, at: u32, bits: u32, words: &[Word], body: &mut Body) {
        let value = bits_text(at, bits, words);
        match leaf {
            Leaf::Bool => {
                let word = words.iter().find(|w| at < w.at + w.bits);
                let Some(word) = word else { return };
                body.w.line(format!("{target} = {} & {} != 0", word.name, number(1 << (at - word.at))));
            }
            Leaf::Int => {
                let sign = number(1 << (bits - 1));
                body.w.line(format!("{target} = ({value} ^ {sign}) - {sign}"));
            }
            Leaf::Float => body.w.line(format!("{target} = _bp_float{bits}({value})")),
            Leaf::Enum(id) => {
                body.w.line(format!("v = {value}"));
                body.w.line(format!("{target} = {}.get(v, v)", self.enum_map(id)));
            }
            _ => body.w.line(format!("{target} = {value}")),
        }
    }

    fn get_loop(&self, id: MessageId, of: &Loop, depth: u32, body: &mut Body) {
        let known = body.locals.len();
        body.open_loop(of, depth);
        self.get_steps(id, &of.body, depth + 1, body);
        body.w.close("");
        body.locals.truncate(known);
    }

    fn get_copy(&self, id: MessageId, copy: &Copy, depth: u32, body: &mut Body) {
        let holder = copy.place.0.split_last().map_or(&[][..], |(_, holder)| holder);
        let list = self.container(id, holder, body);
        let from = at_byte(depth, copy.at / 8);
        if copy.leaf == Leaf::Byte {
            let to = at_byte(depth, copy.at / 8 + copy.count);
            return body.w.line(format!("{list}[:] = s[{from}:{to}]"));
        }
        let code = code_of(copy.element_bytes, copy.leaf == Leaf::Int);
        let layout = body.format(&format!("{}{code}", copy.count));
        let values = format!("{layout}.unpack_from(s, {from})");
        match copy.leaf {
            Leaf::Enum(id) => {
                let map = self.enum_map(id);
                body.w.line(format!("{list}[:] = [{map}.get(v, v) for v in {values}]"));
            }
            _ => body.w.line(format!("{list}[:] = {values}")),
        }
    }

    fn get_call(&self, id: MessageId, call: &Call, depth: u32, body: &mut Body) {
        let place = self.place(id, &call.place.0, body);
        let (bytes, offset) = inside(call, depth, body);
        body.w.line(format!("{place}._bp_get({bytes}, {offset})"));
    }

    /// `_bp_same`: whether all marks hold this version's values.
    pub(super) fn same(&self, id: MessageId, body: &mut Body) {
        let steps = marks(self.plan, &self.plan.messages[id.index()].steps);
        body.w.line("@_staticmethod");
        body.w.open("def _bp_same(s: _Bytes, b: _int) -> _bool:");
        self.same_steps(&steps, 0, body);
        body.w.line("return True");
        body.w.close("");
    }

    fn same_steps(&self, steps: &[Step], depth: u32, body: &mut Body) {
        for step in steps {
            match step {
                Step::Piece(Piece { at, source: Source::Mark(own), .. }) => {
                    let test = format!("{} != {own}", mark_text(*at, depth));
                    body.w.block(format!("if {test}:"), "", |w| w.line("return False"));
                }
                Step::Loop(of) => {
                    body.open_loop(of, depth);
                    self.same_steps(&of.body, depth + 1, body);
                    body.w.close("");
                }
                Step::Call(call) => {
                    let (bytes, offset) = inside(call, depth, body);
                    let name = self.type_name(&self.schema.message(call.message).head);
                    let test = format!("not {name}._bp_same({bytes}, {offset})");
                    body.w.block(format!("if {test}:"), "", |w| w.line("return False"));
                }
                _ => {}
            }
        }
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

/// Buffer and offset of a nested message: in place at a byte boundary, else moved.
fn inside(call: &Call, depth: u32, body: &mut Body) -> (String, String) {
    let byte = call.at / 8;
    let phase = call.at % 8;
    if phase == 0 {
        return ("s".to_owned(), at_byte(depth, byte));
    }
    let (from, to) = (at_byte(depth, byte), at_byte(depth, byte + (phase + call.bits).div_ceil(8)));
    let size = call.bits.div_ceil(8);
    body.w.line(format!(
        "p = (_int.from_bytes(s[{from}:{to}], \"little\") >> {phase} & (1 << {}) - 1).to_bytes({size}, \"little\")",
        call.bits
    ));
    ("p".to_owned(), "0".to_owned())
}

/// 16 bits at any bit.
fn mark_text(at: u32, depth: u32) -> String {
    let (byte, phase) = (at / 8, at % 8);
    let end = at_byte(depth, byte + (phase + 16).div_ceil(8));
    let bytes = format!("_int.from_bytes(s[{}:{end}], \"little\")", at_byte(depth, byte));
    if phase == 0 { bytes } else { format!("{bytes} >> {phase} & 65535") }
}

/// The bits of a piece, from the words that hold them. It binds tighter than `^`.
fn bits_text(at: u32, bits: u32, words: &[Word]) -> String {
    let end = at + bits;
    let mut operands = Vec::new();
    let mut is_clean = false;
    for word in words.iter().filter(|w| w.at < end && at < w.at + w.bits) {
        let name = &word.name;
        operands.push(match (at.checked_sub(word.at), word.at.saturating_sub(at)) {
            (Some(0), _) | (None, 0) => name.clone(),
            (Some(shift), _) => format!("{name} >> {shift}"),
            (None, shift) => format!("{name} << {shift}"),
        });
        is_clean = word.at + word.bits == end;
    }
    let joined = operands.join(" | ");
    match (operands.len(), is_clean) {
        (1, true) => joined,
        (1, false) => format!("{joined} & {}", number(mask(bits))),
        (_, true) => format!("({joined})"),
        (_, false) => format!("({joined}) & {}", number(mask(bits))),
    }
}

//! Decoding what the same version wrote.

use super::put::{as_word, declare};
use super::{Printer, array, base, open_loop};
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Call, Copy, Piece, Place, Source, Step, marks};
use vproto_ir::wire::schema::{MessageId, Type};

/// Words of the buffer that stand in variables, each loaded just before its first use: Go keeps the order of loads
/// and stores, and words loaded earlier would lie on the stack meanwhile.
struct Words {
    depth: u32,
    /// Number of the next variable.
    named: u32,
    /// The byte behind the last piece.
    end: u32,
    /// Variable, first bit, number of bits.
    loaded: Vec<(String, u32, u32)>,
}

impl Words {
    /// Loads what is missing up to bit `end`; the words that hold bits from `at` on.
    fn cover(&mut self, at: u32, end: u32, w: &mut Writer) -> &[(String, u32, u32)] {
        let mut from = self.loaded.last().map_or(0, |l| l.1 + l.2).max(at / 8 * 8);
        while from < end {
            let left = self.end - from / 8;
            let bytes = [8, 4, 2].into_iter().find(|n| *n <= left).unwrap_or(1);
            let name = format!("w{}", self.named);
            self.named += 1;
            let byte = from / 8;
            match bytes {
                1 => w.line(format!("{name} := uint64({}[{byte}])", base(self.depth))),
                n => {
                    let text = format!("binary.LittleEndian.Uint{}({})", n * 8, array(self.depth, byte, n));
                    w.line(format!("{name} := {}", as_word(n, &text)));
                }
            }
            self.loaded.push((name, from, bytes * 8));
            from += bytes * 8;
        }
        let first = self.loaded.iter().position(|l| l.1 + l.2 > at).unwrap_or(0);
        &self.loaded[first..]
    }

    /// Sets `v` to the bits from `at` on; whether they stand alone in it.
    fn value(&mut self, at: u32, bits: u32, w: &mut Writer) -> bool {
        let mut assign = "v =";
        let mut alone = false;
        for (name, start, size) in self.cover(at, at + bits, w) {
            if *start >= at + bits {
                break;
            }
            match at.cast_signed() - start.cast_signed() {
                0 => w.line(format!("{assign} {name}")),
                by @ 1.. => w.line(format!("{assign} {name} >> {by}")),
                by => w.line(format!("{assign} {name} << {}", by.unsigned_abs())),
            }
            // The only word, and nothing above the value in it.
            alone = assign == "v =" && start + size == at + bits;
            assign = "v |=";
        }
        alone
    }
}

impl Printer<'_> {
    /// `BpGet`: the message from exactly its bytes. `BpSame`: whether they are of this very version.
    pub(super) fn get(&self, id: MessageId, w: &mut Writer) {
        let plan = &self.plan.messages[id.index()];
        let name = self.message_name(id);
        w.line("// BpGet sets all fields from the message's bytes.");
        w.open(format!("func (m *{name}) BpGet(s []byte) {{"));
        let mut body = Writer::new("\t");
        let mut named = 0;
        self.get_steps(id, &plan.steps, 0, &mut named, &mut body);
        let body = body.finish();
        if !body.trim().is_empty() {
            w.line(format!("b := (*[{}]byte)(s)", plan.bytes));
            declare(&body, w);
        }
        w.close("}");
        w.blank();
        if plan.has_marks {
            w.line("// BpSame tells whether all marks hold this version's sizes.");
            w.open(format!("func (m *{name}) BpSame(s []byte) bool {{"));
            w.line(format!("b := (*[{}]byte)(s)", plan.bytes));
            self.same_steps(id, &marks(self.plan, &plan.steps), 0, w);
            w.line("return true");
            w.close("}");
            w.blank();
        }
    }

    fn same_steps(&self, id: MessageId, steps: &[Step], depth: u32, w: &mut Writer) {
        for step in steps {
            match step {
                Step::Piece(Piece { at, source: Source::Mark(own), .. }) => {
                    let n = if at.is_multiple_of(8) { 2 } else { 3 };
                    w.open(format!("if bpMark({}, {}) != {own} {{", array(depth, at / 8, n), at % 8));
                    w.line("return false");
                    w.close("}");
                }
                Step::Loop(of) => {
                    open_loop(of, depth, w);
                    self.same_steps(id, &of.body, depth + 1, w);
                    w.close("}");
                }
                Step::Call(call) => {
                    let place = self.place(id, &call.place, 0).0;
                    inside(call, depth, w, |bytes, w| {
                        w.open(format!("if !{place}.BpSame({bytes}) {{"));
                        w.line("return false");
                        w.close("}");
                    });
                }
                _ => {}
            }
        }
    }

    fn get_steps(&self, id: MessageId, steps: &[Step], depth: u32, named: &mut u32, w: &mut Writer) {
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
                Step::Copy(copy) => self.get_copy(id, copy, depth, w),
                Step::Call(call) => {
                    let place = self.place(id, &call.place, 0).0;
                    inside(call, depth, w, |bytes, w| w.line(format!("{place}.BpGet({bytes})")));
                }
                Step::Piece(_) => {}
            }
        }
        self.get_pieces(id, &pieces, depth, named, w);
    }

    fn get_copy(&self, id: MessageId, copy: &Copy, depth: u32, w: &mut Writer) {
        let (place, ty) = self.place(id, &copy.place, 0);
        let list = place.strip_suffix("[0]").unwrap_or(&place);
        let (at, n) = (copy.at / 8, copy.element_bytes);
        let bytes = array(depth, at, n * copy.count);
        if matches!(ty, Type::Byte | Type::Char) {
            return w.line(format!("copy({list}[:], {bytes})"));
        }
        let ty = self.ty(&ty);
        if copy.count <= 8 && n > 1 {
            for k in 0..copy.count {
                let bytes = array(depth, at + k * n, n);
                w.line(format!("{list}[{k}] = {ty}(binary.LittleEndian.Uint{}({bytes}))", n * 8));
            }
            return;
        }
        w.block(format!("for k, t := 0, {bytes}; k < {}; k++ {{", copy.count), "}", |w| match n {
            1 => w.line(format!("{list}[k] = {ty}(t[k])")),
            n => {
                w.line(format!("{list}[k] = {ty}(binary.LittleEndian.Uint{}(t))", n * 8));
                w.line(format!("t = t[{n}:]"));
            }
        });
    }

    fn get_pieces(&self, id: MessageId, pieces: &[&Piece], depth: u32, named: &mut u32, w: &mut Writer) {
        let Some(last) = pieces.last() else { return };
        let end = (last.at + last.bits).div_ceil(8);
        let mut words = Words { depth, named: *named, end, loaded: Vec::new() };
        for piece in pieces {
            match &piece.source {
                Source::Leaf(place, _) => self.get_leaf(id, place, 0, (piece.at, piece.bits), &mut words, w),
                Source::Bytes(place, count) => self.get_bytes(id, place, *count, piece.at, &mut words, w),
                Source::Bools(place, count) => {
                    (0..*count).for_each(|i| self.get_leaf(id, place, i, (piece.at + i, 1), &mut words, w));
                }
                Source::Mark(_) => {}
            }
        }
        *named = words.named;
    }

    fn get_bytes(
        &self,
        id: MessageId,
        place: &Place,
        count: u32,
        at: u32,
        words: &mut Words,
        w: &mut Writer,
    ) {
        let plain = self.is_plain_bytes(id, place);
        let mut done = 0;
        while done < count {
            let fits = |n: &u32| plain && *n <= count - done;
            let n = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            if n == 1 {
                self.get_leaf(id, place, done, (at + 8 * done, 8), words, w);
            } else {
                words.value(at + 8 * done, 8 * n, w);
                let list = self.slice(id, place, done, n);
                let value = if n == 8 { "v".to_owned() } else { format!("uint{}(v)", n * 8) };
                w.line(format!("binary.LittleEndian.PutUint{}({list}, {value})", n * 8));
            }
            done += n;
        }
    }

    fn get_leaf(
        &self,
        id: MessageId,
        place: &Place,
        further: u32,
        (at, bits): (u32, u32),
        words: &mut Words,
        w: &mut Writer,
    ) {
        let (text, ty) = self.place(id, place, further);
        let alone = words.value(at, bits, w);
        super::assign(self.schema.strip(&ty), &text, &self.ty(&ty), (bits, alone), w);
    }
}

/// Statements on the bytes of a nested message: in place at a byte boundary, else on a copy.
fn inside(call: &Call, depth: u32, w: &mut Writer, statements: impl Fn(&str, &mut Writer)) {
    let (phase, byte, size) = (call.at % 8, call.at / 8, call.bits.div_ceil(8));
    if phase == 0 {
        return statements(&array(depth, byte, size), w);
    }
    w.open("{");
    w.line(format!("var p [{size}]byte"));
    let whole = (phase + call.bits).div_ceil(8);
    w.line(format!("bpShift(p[:], {}, {phase})", array(depth, byte, whole)));
    statements("p[:]", w);
    w.close("}");
}

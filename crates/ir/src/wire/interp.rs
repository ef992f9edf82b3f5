//! Runs a plan: the proof that plan and shapes say what [`super::naive`] says.
//!
//! Encoding executes the stores of [`super::shape::encode`], decoding the loads of [`super::shape::loads`], exactly
//! as a printed program would. Bytes of another version are handed to the naive decoder, as printed programs have a
//! second path for them too.

use super::naive::{self, DecodeError};
use super::plan::{Call, Copy, Loop, Piece, Place, Plan, Select, Source, Step, marks};
use super::schema::{MessageId, Schema};
use super::shape::{EncodeOp, Part, encode as shape_encode, loads};
use super::value::Value;

/// The wire bytes of a message, with stores of at most `word` bytes.
pub fn encode(schema: &Schema, plan: &Plan, id: MessageId, value: &Value, word: u32) -> Vec<u8> {
    let plan_of = &plan.messages[id.index()];
    let mut run = Encoder { schema, plan, root: value, word, iterations: Vec::new(), carry: 0 };
    // Bytes that no store touches would show as 0xaa.
    let mut out = vec![0xaa; plan_of.bytes as usize];
    run.ops(&shape_encode(&plan_of.steps, word), 0, &mut out);
    out
}

/// The message that begins the bytes, and how many bytes it takes.
pub fn decode(
    schema: &Schema,
    plan: &Plan,
    id: MessageId,
    bytes: &[u8],
    word: u32,
) -> Result<(Value, usize), DecodeError> {
    let plan_of = &plan.messages[id.index()];
    let used = plan_of.bytes as usize;
    let mut run = Decoder { schema, plan, bytes, word, iterations: Vec::new() };
    if plan_of.has_marks && !run.same_version(&marks(plan, &plan_of.steps), 0) {
        return naive::decode(schema, id, bytes);
    }
    if bytes.len() < used {
        return Err(DecodeError::Short);
    }
    let mut value = Value::zero_message(schema, id);
    run.steps(&plan_of.steps, 0, plan_of.bytes, &mut value);
    Ok((value, used))
}

struct Encoder<'a> {
    schema: &'a Schema,
    plan: &'a Plan,
    root: &'a Value,
    word: u32,
    iterations: Vec<u32>,
    carry: u64,
}

impl Encoder<'_> {
    fn ops(&mut self, ops: &[EncodeOp], base: u32, out: &mut [u8]) {
        for op in ops {
            match op {
                EncodeOp::Store { byte, bytes, carry, parts } => {
                    let word = self.word_of(*carry, parts);
                    let at = (base + byte) as usize;
                    out[at..at + *bytes as usize].copy_from_slice(&word.to_le_bytes()[..*bytes as usize]);
                }
                EncodeOp::Carry { carry, parts } => self.carry = self.word_of(*carry, parts) & 0xff,
                EncodeOp::Loop { of, body, .. } => self.repeat(of, body, base, out),
                EncodeOp::Copy(copy) => self.copy(copy, base, out),
                EncodeOp::Call(call) => self.call(call, base, out),
            }
        }
    }

    fn word_of(&self, carry: bool, parts: &[Part]) -> u64 {
        let start = if carry { self.carry } else { 0 };
        parts.iter().fold(start, |word, part| {
            let value = self.piece(&part.piece);
            word | if part.shift < 0 { value >> -part.shift } else { value << part.shift }
        })
    }

    /// The value of a piece, not wider than its bits.
    fn piece(&self, piece: &Piece) -> u64 {
        let raw = match &piece.source {
            Source::Leaf(place, _) => self.leaf(place, 0),
            Source::Bytes(place, n) => (0..*n).fold(0, |v, i| v | (self.leaf(place, i) & 0xff) << (8 * i)),
            Source::Bools(place, n) => (0..*n).fold(0, |v, i| v | (self.leaf(place, i) & 1) << i),
            Source::Mark(size) => u64::from(*size),
        };
        raw & (u64::MAX >> (64 - piece.bits))
    }

    /// The value at a place, or `further` elements behind it.
    fn leaf(&self, place: &Place, further: u32) -> u64 {
        find(self.root, place, &self.iterations, further).map_or(0, Value::bits)
    }

    fn repeat(&mut self, of: &Loop, body: &[EncodeOp], base: u32, out: &mut [u8]) {
        for i in 0..of.count {
            self.iterations.push(i);
            self.ops(body, base + of.at / 8 + i * of.stride, out);
            self.iterations.pop();
        }
    }

    fn copy(&mut self, copy: &Copy, base: u32, out: &mut [u8]) {
        let size = copy.element_bytes as usize;
        for i in 0..copy.count {
            let at = (base + copy.at / 8) as usize + i as usize * size;
            out[at..at + size].copy_from_slice(&self.leaf(&copy.place, i).to_le_bytes()[..size]);
        }
    }

    fn call(&mut self, call: &Call, base: u32, out: &mut [u8]) {
        let zero = Value::zero_message(self.schema, call.message);
        let value = find(self.root, &call.place, &self.iterations, 0).unwrap_or(&zero);
        let inner = encode(self.schema, self.plan, call.message, value, self.word);
        let phase = call.at % 8;
        let carry = if phase == 0 { 0 } else { self.carry };
        let at = (base + call.at / 8) as usize;
        let mut bits = carry;
        let mut have = phase;
        let mut left = call.bits;
        let mut done = 0;
        for byte in inner {
            let n = left.min(8);
            bits |= u64::from(byte) << have;
            have += n;
            left -= n;
            if have >= 8 {
                out[at + done] = bits as u8;
                done += 1;
                bits >>= 8;
                have -= 8;
            }
        }
        self.carry = bits;
    }
}

struct Decoder<'a> {
    schema: &'a Schema,
    plan: &'a Plan,
    bytes: &'a [u8],
    word: u32,
    iterations: Vec<u32>,
}

impl Decoder<'_> {
    /// Whether all marks hold their own values. A place is looked at only after all marks before it were right, so
    /// that positions are; bytes that are not there make it false.
    fn same_version(&mut self, steps: &[Step], base: u32) -> bool {
        steps.iter().all(|step| match step {
            Step::Piece(Piece { at, source: Source::Mark(own), .. }) => {
                let bit = u64::from(base) * 8 + u64::from(*at);
                read_bits(self.bytes, bit, 16) == Some(u64::from(*own))
            }
            Step::Loop(l) => (0..l.count).all(|i| self.same_version(&l.body, base + l.at / 8 + i * l.stride)),
            Step::Call(c) => self.same_version_inside(c, base),
            _ => true,
        })
    }

    fn same_version_inside(&mut self, call: &Call, base: u32) -> bool {
        let at = u64::from(base) * 8 + u64::from(call.at);
        let Some(inner) = extract(self.bytes, at, call.bits) else { return false };
        let steps = marks(self.plan, &self.plan.messages[call.message.index()].steps);
        let mut decoder = Decoder { bytes: &inner, iterations: Vec::new(), ..*self };
        decoder.same_version(&steps, 0)
    }

    /// Decodes steps; `end` is the byte behind the last one of this base.
    fn steps(&mut self, steps: &[Step], base: u32, end: u32, value: &mut Value) {
        for step in steps {
            match step {
                Step::Piece(piece) => self.piece(piece, base, end, value),
                Step::Loop(l) => {
                    let inner_end = (l.at % 8 + l.stride * 8).div_ceil(8);
                    for i in 0..l.count {
                        self.iterations.push(i);
                        self.steps(&l.body, base + l.at / 8 + i * l.stride, inner_end, value);
                        self.iterations.pop();
                    }
                }
                Step::Copy(copy) => self.copy(copy, base, value),
                Step::Call(call) => self.call(call, base, value),
            }
        }
    }

    fn load(&self, byte: u32, bytes: u32) -> u64 {
        let at = byte as usize;
        self.bytes[at..at + bytes as usize].iter().rev().fold(0, |word, &b| word << 8 | u64::from(b))
    }

    fn piece(&mut self, piece: &Piece, base: u32, end: u32, value: &mut Value) {
        let raw = loads(piece.at, piece.bits, end, self.word).into_iter().fold(0, |raw, load| {
            let word = self.load(base + load.byte, load.bytes) >> load.shift;
            raw | (word & (u64::MAX >> (64 - load.bits))) << load.left
        });
        match &piece.source {
            Source::Leaf(place, _) => self.set(value, place, 0, raw, piece.bits),
            Source::Bytes(place, n) => (0..*n).for_each(|i| self.set(value, place, i, raw >> (8 * i), 8)),
            Source::Bools(place, n) => (0..*n).for_each(|i| self.set(value, place, i, raw >> i, 1)),
            Source::Mark(_) => {}
        }
    }

    fn set(&self, value: &mut Value, place: &Place, further: u32, raw: u64, bits: u32) {
        if let Some(leaf) = find_mut(value, place, &self.iterations, further) {
            leaf.set_bits(raw, bits);
        }
    }

    fn copy(&self, copy: &Copy, base: u32, value: &mut Value) {
        for i in 0..copy.count {
            let raw = self.load(base + copy.at / 8 + i * copy.element_bytes, copy.element_bytes);
            self.set(value, &copy.place, i, raw, copy.element_bytes * 8);
        }
    }

    fn call(&self, call: &Call, base: u32, value: &mut Value) {
        let at = u64::from(base) * 8 + u64::from(call.at);
        let inner = extract(self.bytes, at, call.bits).unwrap_or_default();
        let decoded = decode(self.schema, self.plan, call.message, &inner, self.word);
        if let (Ok((decoded, _)), Some(target)) = (decoded, find_mut(value, &call.place, &self.iterations, 0))
        {
            *target = decoded;
        }
    }
}

/// `count` bits from a bit on, if they are there.
fn read_bits(bytes: &[u8], at: u64, count: u32) -> Option<u64> {
    let bit = |i: u64| Some(u64::from(bytes.get(usize::try_from(i / 8).ok()?)? >> (i % 8) & 1));
    (0..u64::from(count)).try_fold(0, |v, i| Some(v | bit(at + i)? << i))
}

/// Bits as a message of their own.
fn extract(bytes: &[u8], at: u64, bits: u32) -> Option<Vec<u8>> {
    let byte = |i: u32| read_bits(bytes, at + u64::from(i) * 8, (bits - i * 8).min(8)).map(|b| b as u8);
    (0..bits.div_ceil(8)).map(byte).collect()
}

fn find<'a>(root: &'a Value, place: &Place, iterations: &[u32], further: u32) -> Option<&'a Value> {
    let last = place.0.len().saturating_sub(1);
    place.0.iter().enumerate().try_fold(root, |value, (i, select)| {
        value.at(index_of(select, iterations) + if i == last { further as usize } else { 0 })
    })
}

fn find_mut<'a>(
    root: &'a mut Value,
    place: &Place,
    iterations: &[u32],
    further: u32,
) -> Option<&'a mut Value> {
    let last = place.0.len().saturating_sub(1);
    place.0.iter().enumerate().try_fold(root, |value, (i, select)| {
        value.at_mut(index_of(select, iterations) + if i == last { further as usize } else { 0 })
    })
}

fn index_of(select: &Select, iterations: &[u32]) -> usize {
    match select {
        Select::Field(i) => *i,
        Select::Index(index) => index.value(iterations) as usize,
    }
}

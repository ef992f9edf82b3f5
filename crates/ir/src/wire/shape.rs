//! Shapes: which word of the buffer holds which piece.
//!
//! [`encode`] turns the steps of a plan into stores of words, each an OR of shifted pieces; bits that do not fill a
//! byte before a loop, a call or the end of a loop's body are *carried*: they wait in one variable of 8 bits.
//! [`loads`] says with which loads a piece is read back. Both depend on the target's word size only; whether a word
//! is accessed at once or byte by byte is the printer's choice.

use super::plan::{Call, Copy, Loop, Piece, Step};

/// One action of encoding. Bytes are counted from the base, as in the plan.
#[derive(Clone, Debug)]
pub enum EncodeOp {
    /// Stores `bytes` (1, 2, 4 or 8) bytes at `byte`: the OR of the parts, and of the carry if `carry`.
    Store {
        /// First byte, from the base.
        byte: u32,
        /// Number of bytes.
        bytes: u32,
        /// Whether the carry is ORed in; it holds the lowest bits.
        carry: bool,
        /// What the word holds.
        parts: Vec<Part>,
    },
    /// Sets the carry: the OR of the parts, and of the carry itself if `carry`.
    Carry {
        /// Whether the old carry stays in.
        carry: bool,
        /// What the carry holds.
        parts: Vec<Part>,
    },
    /// A loop; if `carry`, the carry is live at the beginning and the end of each iteration.
    Loop {
        /// The loop of the plan; its body is replaced by `body`.
        of: Loop,
        /// Whether the carry is in use.
        carry: bool,
        /// One iteration.
        body: Vec<EncodeOp>,
    },
    /// Whole elements at a byte boundary.
    Copy(Copy),
    /// A nested message. At a byte boundary (`at % 8 == 0`) it is encoded in place; afterwards the carry is the last
    /// byte if that is not full. At another bit it is encoded aside, and its bits are appended to the carry.
    Call(Call),
}

/// A piece within a word.
#[derive(Clone, Debug)]
pub struct Part {
    /// The piece.
    pub piece: Piece,
    /// How far its value is shifted to the left; to the right if negative.
    pub shift: i32,
}

/// One load of decoding: `(word at byte) >> shift`, its lowest `bits` bits, moved left by `left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// First byte, from the base.
    pub byte: u32,
    /// Number of bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Shift to the right.
    pub shift: u32,
    /// Number of bits of the value in this word.
    pub bits: u32,
    /// Where they belong in the value.
    pub left: u32,
}

/// Stores and carries of steps that make up a whole message. `word` is the largest store in bytes: 1, 2, 4 or 8.
pub fn encode(steps: &[Step], word: u32) -> Vec<EncodeOp> {
    let mut shaper = Shaper { word, ops: Vec::new(), pending: Vec::new(), carry: false, from: 0 };
    shaper.steps(steps);
    let end = steps.last().map_or(0, |s| s.at() + s.bits());
    shaper.flush(end.next_multiple_of(8));
    shaper.ops
}

struct Shaper {
    word: u32,
    ops: Vec<EncodeOp>,
    /// Pieces that are not stored yet, or not wholly.
    pending: Vec<Piece>,
    /// Whether the carry variable holds bits of the byte at `from`.
    carry: bool,
    /// The bit, at a byte boundary, up to which everything is stored.
    from: u32,
}

impl Shaper {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Piece(piece) => self.pending.push(piece.clone()),
                Step::Copy(copy) => {
                    self.flush(copy.at);
                    self.from = copy.at + copy.count * copy.element_bytes * 8;
                    self.ops.push(EncodeOp::Copy(copy.clone()));
                }
                Step::Call(call) => {
                    self.suspend(call.at);
                    let end = call.at + call.bits;
                    self.from = end / 8 * 8;
                    self.carry = end != self.from;
                    self.ops.push(EncodeOp::Call(call.clone()));
                }
                Step::Loop(l) => self.repeat(l),
            }
        }
    }

    fn repeat(&mut self, l: &Loop) {
        self.suspend(l.at);
        let carry = !l.at.is_multiple_of(8);
        let mut inner = Shaper { word: self.word, ops: Vec::new(), pending: Vec::new(), carry, from: 0 };
        inner.steps(&l.body);
        inner.suspend(l.at % 8 + l.stride * 8);
        self.ops.push(EncodeOp::Loop { of: l.clone(), carry, body: inner.ops });
        self.from = (l.at + l.count * l.stride * 8) / 8 * 8;
        self.carry = carry;
    }

    /// Stores all whole bytes before bit `end`; the rest goes to the carry.
    fn suspend(&mut self, end: u32) {
        self.flush(end / 8 * 8);
        if !self.pending.is_empty() {
            let parts = self.parts(end);
            self.ops.push(EncodeOp::Carry { carry: self.carry, parts });
            self.carry = true;
            self.pending.clear();
        }
    }

    /// Stores the bytes up to bit `end`, a byte boundary, in words as large as fit.
    fn flush(&mut self, end: u32) {
        while self.from < end {
            let left = (end - self.from) / 8;
            let mut bytes = self.word;
            while bytes > left {
                bytes /= 2;
            }
            let next = self.from + bytes * 8;
            let parts = self.parts(next);
            self.ops.push(EncodeOp::Store { byte: self.from / 8, bytes, carry: self.carry, parts });
            self.pending.retain(|p| p.at + p.bits > next);
            self.carry = false;
            self.from = next;
        }
    }

    /// The pending pieces before bit `end`, as parts of the word that begins at `from`.
    fn parts(&self, end: u32) -> Vec<Part> {
        let before = self.pending.iter().filter(|p| p.at < end);
        before
            .map(|p| Part { piece: p.clone(), shift: p.at.cast_signed() - self.from.cast_signed() })
            .collect()
    }
}

/// The loads that bring the piece's bits together, from the bytes before `end` of the base and with words of at
/// most `word` bytes.
pub fn loads(at: u32, bits: u32, end: u32, word: u32) -> Vec<Load> {
    let mut loads = Vec::new();
    let mut done = 0;
    while done < bits {
        let bit = at + done;
        let byte = bit / 8;
        let wanted = (bit % 8 + bits - done).div_ceil(8).next_power_of_two().min(word);
        let load = one_load(byte, wanted, end);
        let shift = bit - load.0 * 8;
        let got = (bits - done).min(load.1 * 8 - shift);
        loads.push(Load { byte: load.0, bytes: load.1, shift, bits: got, left: done });
        done += got;
    }
    loads
}

/// Where to load a word of `wanted` bytes that holds `byte`: moved to the left, or smaller, if it would pass `end`.
fn one_load(byte: u32, wanted: u32, end: u32) -> (u32, u32) {
    let mut bytes = wanted;
    while bytes > 1 && bytes > end {
        bytes /= 2;
    }
    (byte.min(end.saturating_sub(bytes)), bytes)
}

//! The tokens that take bytes, one byte at a time, without any knowledge of lines, handlers or parallel states.
//!
//! A [`Running`] token is handed one look after the other. Bounds are worked out before it is made; storing is the
//! caller's work: a completed token only says what is to be stored ([`Effect`]).

use super::number::{Binary, Digits, Groups, bit_fields};
use super::until::{Meaning, Search};
use crate::trace::{Found, quoted};
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::{BitField, EnumText, Literal, Scan, Varint};
use vproto_ir::ids::{ExprId, FunctionId, VarId};
use vproto_ir::machine::ErrorKind;

/// What a token is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The next byte.
    Byte(u8),
    /// There is none: the end of the input, of a confined call, or of a module's input.
    End,
}

/// What a token does about it.
pub enum Answer {
    /// It took the byte.
    Took,
    /// It is complete without the byte.
    Complete,
    /// It cannot go on.
    Raise(Reason),
}

/// Why a token cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The kind of exception.
    pub kind: ErrorKind,
    /// As the trace prints it.
    pub expected: String,
    /// What was looked at.
    pub found: Option<Found>,
}

/// What a token leaves behind, or what is deferred until a parallel state wins.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// Numbers are stored.
    Scalars(Vec<(VarId, i128)>),
    /// A binary integer is stored: big-endian and little-endian value, the order written, and the swap.
    Swapped { var: VarId, big: i128, little: i128, order: bool, swap: ExprId },
    /// A float is stored.
    F32(VarId, f32),
    /// A float is stored.
    F64(VarId, f64),
    /// Bytes are stored, or appended.
    Text { var: VarId, bytes: Vec<u8>, append: bool },
    /// Bytes go to the user.
    Data(FunctionId, Vec<u8>),
    /// A check value is stored.
    Digest(VarId, u32),
}

/// The two bounds of a token, `min <= max`.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Least number of bytes or literals.
    pub min: u64,
    /// Greatest number.
    pub max: u64,
}

/// What a text token needs to know of its variable.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Bytes that the variable holds already.
    pub base: usize,
    /// More are dropped (`init`, an array's capacity).
    pub keep: Option<usize>,
    /// More are the exception `limit`.
    pub limit: usize,
}

/// A token that is running.
#[derive(Clone)]
pub enum Running<'g> {
    /// Bytes of a set.
    Scan(RunningScan<'g>),
    /// A literal, or the bytes of a variable.
    Literal(RunningLiteral),
    /// `varint`.
    Varint(&'g Varint, Groups, bool),
    /// `enum{a "A"}`: the texts still possible, and the letters seen.
    Enum(&'g EnumText, Vec<usize>, usize),
}

/// A running scan.
#[derive(Clone)]
pub struct RunningScan<'g> {
    scan: &'g Scan,
    bounds: Bounds,
    count: u64,
    /// Whether a sign may still come.
    sign: bool,
    search: Option<Search>,
    piece: Piece<'g>,
    done: bool,
}

/// A running literal.
#[derive(Clone)]
pub struct RunningLiteral {
    text: Vec<u8>,
    fold: bool,
    bounds: Bounds,
    repeated: u64,
    letters: usize,
}

/// What has become of a scan's bytes so far.
#[derive(Clone)]
pub enum Piece<'g> {
    /// Nothing.
    Skip,
    /// For the user; with the key of `xor`, and how many bytes are kept where they wait for a decision.
    Stream { function: FunctionId, bytes: Vec<u8>, key: Vec<u8>, most: usize },
    /// Digits; `blank` is set once a blank followed them.
    Digits { var: VarId, digits: Digits, trim: bool, started: bool, blank: bool },
    /// A binary integer.
    Binary { var: VarId, binary: Binary, big: bool, swap: Option<ExprId>, boolean: bool },
    /// Text.
    Text { var: VarId, bytes: Vec<u8>, append: bool, trim: bool, room: Room },
    /// Bit fields.
    Bits { fields: &'g [BitField], little: bool, bytes: Vec<u8> },
    /// A float.
    Float { var: VarId, big: bool, bytes: Vec<u8> },
}

impl<'g> Running<'g> {
    /// A scan that is about to take its first byte.
    pub fn scan(scan: &'g Scan, bounds: Bounds, search: Option<Search>, piece: Piece<'g>) -> Running<'g> {
        let sign = scan.sign;
        Running::Scan(RunningScan { scan, bounds, count: 0, sign, search, piece, done: false })
    }

    /// Bytes for the user are kept until the parallel state that takes them has won.
    pub fn keeps(&mut self, bytes: usize) {
        if let Running::Scan(RunningScan { piece: Piece::Stream { most, .. }, .. }) = self {
            *most = bytes;
        }
    }

    /// A literal before its first letter.
    pub fn literal(literal: &Literal, bounds: Bounds) -> Running<'g> {
        Running::text(literal.text.clone(), literal.fold, bounds)
    }

    /// A text before its first letter.
    pub fn text(text: Vec<u8>, fold: bool, bounds: Bounds) -> Running<'g> {
        Running::Literal(RunningLiteral { text, fold, bounds, repeated: 0, letters: 0 })
    }

    /// Whether the token is complete without looking at a further byte.
    pub fn done(&self) -> bool {
        match self {
            Running::Scan(scan) if scan.search.is_some() => scan.done,
            Running::Scan(scan) => scan.count >= scan.bounds.max,
            Running::Literal(literal) => literal.repeated >= literal.bounds.max || literal.text.is_empty(),
            Running::Varint(_, _, done) => *done,
            Running::Enum(token, alive, letters) => alive.iter().any(|&i| token.texts[i].1.len() == *letters),
        }
    }

    /// Shows the token a byte, or that there is none.
    pub fn look(&mut self, look: Look) -> Answer {
        let answer = match (&mut *self, look) {
            (Running::Scan(scan), Look::Byte(byte)) => scan.byte(byte),
            (Running::Literal(literal), Look::Byte(byte)) => literal.byte(byte),
            (Running::Varint(_, groups, done), Look::Byte(byte)) => match groups.push(byte) {
                Ok(last) => {
                    *done = last;
                    Ok(Answer::Took)
                }
                Err(_) => Err(ErrorKind::Overflow),
            },
            (Running::Enum(token, alive, letters), Look::Byte(byte)) => {
                enum_byte(token, alive, letters, byte)
            }
            (running, Look::End) if running.may_end() => Ok(Answer::Complete),
            (_, Look::End) => Err(ErrorKind::Minimum),
        };
        answer.unwrap_or_else(|kind| Answer::Raise(self.reason(kind, look)))
    }

    fn may_end(&self) -> bool {
        match self {
            Running::Scan(scan) => scan.search.is_none() && scan.count >= scan.bounds.min,
            Running::Literal(literal) => literal.letters == 0 && literal.repeated >= literal.bounds.min,
            Running::Varint(..) | Running::Enum(..) => false,
        }
    }

    fn reason(&self, kind: ErrorKind, look: Look) -> Reason {
        let search = matches!(self, Running::Scan(scan) if scan.search.is_some());
        let shown = matches!(kind, ErrorKind::Mismatch | ErrorKind::Minimum) || search;
        let expected = if shown { self.expected() } else { String::new() };
        Reason { kind, expected, found: Some(look.into()) }
    }

    /// What the token would take, as the trace prints it.
    pub fn expected(&self) -> String {
        match self {
            Running::Scan(RunningScan { search: Some(search), .. }) => quoted(search.text(), false),
            Running::Literal(literal) => quoted(&literal.text, literal.fold),
            _ => self.next_bytes().to_string(),
        }
    }

    /// The bytes that the token would take now.
    pub fn next_bytes(&self) -> ByteSet {
        match self {
            Running::Scan(scan) => scan.next_bytes(),
            Running::Literal(literal) => ByteSet::letter(literal.text[literal.letters], literal.fold),
            Running::Varint(..) => ByteSet::ALL,
            Running::Enum(token, alive, letters) => {
                let next = |&i: &usize| ByteSet::letter(token.texts[i].1[*letters], token.texts[i].2);
                alive.iter().map(next).fold(ByteSet::EMPTY, |a, b| a | b)
            }
        }
    }

    /// What the completed token leaves behind.
    ///
    /// # Errors
    /// `Overflow` of a binary integer whose fit is known only at its end.
    pub fn effect(self) -> Result<Effect, ErrorKind> {
        match self {
            Running::Scan(scan) => scan.piece.effect(),
            Running::Literal(_) => Ok(Effect::None),
            Running::Varint(token, groups, _) => {
                let stored = token.var.map(|var| (var, groups.value()));
                Ok(stored.map_or(Effect::None, |pair| Effect::Scalars(vec![pair])))
            }
            Running::Enum(token, alive, letters) => {
                let text = alive.iter().map(|&i| &token.texts[i]).find(|text| text.1.len() == letters);
                Ok(text.map_or(Effect::None, |text| Effect::Scalars(vec![(token.var, i128::from(text.0))])))
            }
        }
    }

    /// What the user gets of a token that was cut short: all that it took, held-back letters included.
    pub fn handed_on(self) -> Effect {
        match self {
            Running::Scan(RunningScan { search, mut piece, .. }) => {
                let held = search.map(|search| search.held().to_vec()).unwrap_or_default();
                held.iter().for_each(|&byte| piece.stream(byte));
                match piece {
                    Piece::Stream { function, bytes, .. } if !bytes.is_empty() => {
                        Effect::Data(function, bytes)
                    }
                    _ => Effect::None,
                }
            }
            _ => Effect::None,
        }
    }
}

impl From<Look> for Found {
    fn from(look: Look) -> Found {
        match look {
            Look::Byte(byte) => Found::Byte(byte),
            Look::End => Found::End,
        }
    }
}

fn enum_byte(
    token: &EnumText,
    alive: &mut Vec<usize>,
    letters: &mut usize,
    byte: u8,
) -> Result<Answer, ErrorKind> {
    let takes = |&i: &usize| ByteSet::letter(token.texts[i].1[*letters], token.texts[i].2).contains(byte);
    let left: Vec<usize> = alive.iter().copied().filter(takes).collect();
    if left.is_empty() {
        return Err(ErrorKind::Mismatch);
    }
    *alive = left;
    *letters += 1;
    Ok(Answer::Took)
}

impl RunningScan<'_> {
    fn byte(&mut self, byte: u8) -> Result<Answer, ErrorKind> {
        if self.search.is_some() {
            return self.search_byte(byte);
        }
        if self.scan.set.contains(byte) {
            self.piece.push(byte)?;
            self.sign = self.sign && self.piece.before_digits();
            self.count += 1;
            return Ok(Answer::Took);
        }
        if self.sign && matches!(byte, b'+' | b'-') {
            self.sign = false;
            self.piece.sign(byte);
            return Ok(Answer::Took);
        }
        if self.count >= self.bounds.min { Ok(Answer::Complete) } else { Err(ErrorKind::Mismatch) }
    }

    fn search_byte(&mut self, byte: u8) -> Result<Answer, ErrorKind> {
        let Some(search) = &mut self.search else {
            return Err(ErrorKind::Mismatch);
        };
        let Meaning::Before { released, byte: plain, held } = search.meaning(byte) else {
            self.done = true;
            return Ok(Answer::Took);
        };
        let mut before = search.text()[..released].to_vec();
        before.extend(plain.then_some(byte));
        if before.iter().any(|&b| !self.scan.set.contains(b)) {
            return Err(ErrorKind::Mismatch);
        }
        if self.count + before.len() as u64 > self.bounds.max {
            return Err(ErrorKind::Limit);
        }
        before.iter().try_for_each(|&b| self.piece.push(b))?;
        self.count += before.len() as u64;
        search.hold(held);
        Ok(Answer::Took)
    }

    fn next_bytes(&self) -> ByteSet {
        let signs = if self.sign { ByteSet::from_iter(*b"+-") } else { ByteSet::EMPTY };
        let text = self.search.as_ref().map_or(ByteSet::EMPTY, Search::next_letter);
        self.scan.set | signs | text
    }
}

impl RunningLiteral {
    fn byte(&mut self, byte: u8) -> Result<Answer, ErrorKind> {
        if ByteSet::letter(self.text[self.letters], self.fold).contains(byte) {
            self.letters += 1;
            if self.letters == self.text.len() {
                self.letters = 0;
                self.repeated += 1;
            }
            return Ok(Answer::Took);
        }
        let between = self.letters == 0 && self.repeated >= self.bounds.min;
        if between { Ok(Answer::Complete) } else { Err(ErrorKind::Mismatch) }
    }
}

impl Piece<'_> {
    /// A byte of the set. On an error the byte is not taken.
    fn push(&mut self, byte: u8) -> Result<(), ErrorKind> {
        let blank = matches!(byte, b' ' | b'\t');
        match self {
            Piece::Skip => {}
            Piece::Stream { bytes, most, .. } if bytes.len() >= *most => return Err(ErrorKind::Limit),
            Piece::Stream { .. } => self.stream(byte),
            Piece::Digits { trim: true, started, blank: seen, .. } if blank => *seen |= *started,
            Piece::Digits { blank: true, .. } => return Err(ErrorKind::Mismatch),
            Piece::Digits { digits, started, .. } => {
                digits.push(byte).map_err(|_| ErrorKind::Overflow)?;
                *started = true;
            }
            Piece::Binary { binary, boolean: true, .. } => binary.push(byte, None).unwrap_or(()),
            Piece::Binary { binary, big, swap, .. } => {
                let order = if swap.is_none() { Some(*big) } else { None };
                binary.push(byte, order).map_err(|_| ErrorKind::Overflow)?;
            }
            Piece::Text { bytes, trim: true, .. } if blank && bytes.is_empty() => {}
            Piece::Text { bytes, room, .. } => {
                let size = room.base.saturating_add(bytes.len());
                if room.keep.is_some_and(|keep| size >= keep) {
                    return Ok(());
                }
                if size >= room.limit {
                    return Err(ErrorKind::Limit);
                }
                bytes.push(byte);
            }
            Piece::Bits { bytes, .. } | Piece::Float { bytes, .. } => bytes.push(byte),
        }
        Ok(())
    }

    /// A byte for the user's function; `xor` keys count from the start of the token.
    fn stream(&mut self, byte: u8) {
        if let Piece::Stream { bytes, key, .. } = self {
            let mask = if key.is_empty() { 0 } else { key[bytes.len() % key.len()] };
            bytes.push(byte ^ mask);
        }
    }

    fn sign(&mut self, byte: u8) {
        if let Piece::Digits { digits, started, .. } = self {
            *started = true;
            if byte == b'-' {
                digits.negate();
            }
        }
    }

    /// Whether a sign may still come: only blanks that are dropped have been seen.
    fn before_digits(&self) -> bool {
        matches!(self, Piece::Digits { trim: true, started: false, .. })
    }

    fn effect(self) -> Result<Effect, ErrorKind> {
        match self {
            Piece::Skip => Ok(Effect::None),
            Piece::Stream { function, bytes, .. } => Ok(Effect::Data(function, bytes)),
            Piece::Digits { var, digits, .. } => {
                let value = digits.value().map_err(|_| ErrorKind::Overflow)?;
                Ok(Effect::Scalars(vec![(var, value)]))
            }
            Piece::Binary { var, binary, boolean: true, .. } => {
                Ok(Effect::Scalars(vec![(var, i128::from(binary.any()))]))
            }
            Piece::Binary { var, binary, big, swap: None, .. } => {
                let value = binary.value(big).map_err(|_| ErrorKind::Overflow)?;
                Ok(Effect::Scalars(vec![(var, value)]))
            }
            Piece::Binary { var, binary, big, swap: Some(swap), .. } => {
                let value = |order| binary.value(order).map_err(|_| ErrorKind::Overflow);
                Ok(Effect::Swapped { var, big: value(true)?, little: value(false)?, order: big, swap })
            }
            Piece::Text { var, mut bytes, append, trim, .. } => {
                while trim && matches!(bytes.last(), Some(b' ' | b'\t')) {
                    bytes.pop();
                }
                Ok(Effect::Text { var, bytes, append })
            }
            Piece::Bits { fields, little, bytes } => Ok(Effect::Scalars(bit_fields(&bytes, fields, little))),
            Piece::Float { var, big, bytes } => Ok(float(var, big, &bytes)),
        }
    }
}

fn float(var: VarId, big: bool, bytes: &[u8]) -> Effect {
    let mut bytes = bytes.to_vec();
    if !big {
        bytes.reverse();
    }
    match (<[u8; 4]>::try_from(&*bytes), <[u8; 8]>::try_from(&*bytes)) {
        (Ok(four), _) => Effect::F32(var, f32::from_be_bytes(four)),
        (_, Ok(eight)) => Effect::F64(var, f64::from_be_bytes(eight)),
        _ => Effect::None,
    }
}

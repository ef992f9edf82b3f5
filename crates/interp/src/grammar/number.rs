//! Integers in the making: digits, binary bytes, bit fields, groups of seven bits.

use vproto_ir::grammar::{BitField, IntType};
use vproto_ir::ids::VarId;

/// The value does not fit its type.
#[derive(Debug, PartialEq, Eq)]
pub struct Overflow;

/// Smallest and largest value of a type.
pub fn range(ty: IntType) -> (i128, i128) {
    let bits = u32::from(ty.bits);
    if ty.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The value if it fits; wrapped where the type says so.
pub fn fit(value: i128, ty: IntType) -> Result<i128, Overflow> {
    let (least, greatest) = range(ty);
    match (least..=greatest).contains(&value) {
        true => Ok(value),
        false if ty.wrap => Ok(sign(value & ((1 << ty.bits) - 1), ty.bits, ty.signed)),
        false => Err(Overflow),
    }
}

/// The low `bits` of a value as two's complement where `signed`.
fn sign(value: i128, bits: u8, signed: bool) -> i128 {
    if signed && bits > 0 && value >> (bits - 1) & 1 == 1 { value - (1 << bits) } else { value }
}

/// Digits with perhaps a sign in front.
#[derive(Clone, Debug)]
pub struct Digits {
    radix: u8,
    ty: IntType,
    magnitude: i128,
    negative: bool,
}

impl Digits {
    /// No digit yet: zero.
    pub fn new(radix: u8, ty: IntType) -> Digits {
        Digits { radix, ty, magnitude: 0, negative: false }
    }

    /// A minus sign was seen.
    pub fn negate(&mut self) {
        self.negative = true;
    }

    /// Takes a digit; a byte that is none is ignored.
    pub fn push(&mut self, byte: u8) -> Result<(), Overflow> {
        let Some(digit) = char::from(byte).to_digit(u32::from(self.radix)) else {
            return Ok(());
        };
        let magnitude = self.magnitude * i128::from(self.radix) + i128::from(digit);
        if self.ty.wrap {
            self.magnitude = magnitude & i128::from(u64::MAX);
            return Ok(());
        }
        fit(if self.negative { -magnitude } else { magnitude }, self.ty)?;
        self.magnitude = magnitude;
        Ok(())
    }

    /// The value of the digits.
    pub fn value(&self) -> Result<i128, Overflow> {
        fit(if self.negative { -self.magnitude } else { self.magnitude }, self.ty)
    }
}

/// A binary integer of which neither the length nor, before it ends, the byte order need be known.
#[derive(Clone, Debug)]
pub struct Binary {
    ty: IntType,
    count: usize,
    /// Read as big-endian; wraps at 64 bits only where the type wraps.
    big: i128,
    /// The first eight bytes, read as little-endian.
    little: u64,
    /// Bytes from the ninth on: all zero, all ones.
    rest: (bool, bool),
    /// Whether any byte is not zero.
    any: bool,
    /// The last byte.
    last: u8,
}

impl Binary {
    /// No byte yet: zero.
    pub fn new(ty: IntType) -> Binary {
        Binary { ty, count: 0, big: 0, little: 0, rest: (true, true), any: false, last: 0 }
    }

    /// Whether any byte is not zero.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Takes a byte. `order` is the byte order where it is known already: then a byte too many is found at once.
    pub fn push(&mut self, byte: u8, order: Option<bool>) -> Result<(), Overflow> {
        let mut next = self.clone();
        next.take(byte);
        let decided = match order {
            Some(true) => true,
            Some(false) => !self.ty.signed,
            None => false,
        };
        if let (true, Some(big)) = (decided, order) {
            next.value(big)?;
        }
        *self = next;
        Ok(())
    }

    fn take(&mut self, byte: u8) {
        let first = self.count == 0 && self.ty.signed;
        let digit = if first { i128::from(byte as i8) } else { i128::from(byte) };
        // Beyond 2^72 nothing fits any more, so clamping there keeps both the range and the verdict.
        self.big = (self.big * 256 + digit).clamp(-(1 << 72), 1 << 72);
        if self.ty.wrap {
            self.big &= i128::from(u64::MAX);
        }
        if self.count < 8 {
            self.little |= u64::from(byte) << (8 * self.count);
        } else {
            self.rest = (self.rest.0 && byte == 0, self.rest.1 && byte == 0xff);
        }
        self.count += 1;
        self.any |= byte != 0;
        self.last = byte;
    }

    /// The value in one byte order.
    pub fn value(&self, big: bool) -> Result<i128, Overflow> {
        if big {
            return fit(self.big, self.ty);
        }
        let bits = 8 * self.count.min(8) as u8;
        let negative = self.ty.signed && self.last & 0x80 != 0;
        let low = sign(i128::from(self.little), bits, self.ty.signed && (self.count <= 8 || negative));
        let fill = if negative { self.rest.1 && low < 0 } else { self.rest.0 };
        match self.ty.wrap || self.count <= 8 || fill {
            true => fit(low, self.ty),
            false => Err(Overflow),
        }
    }
}

/// The values of bit fields, in the order of the wire. The first field takes the highest bits, or with `little` the
/// lowest.
pub fn bit_fields(bytes: &[u8], fields: &[BitField], little: bool) -> Vec<(VarId, i128)> {
    let bit = |at: usize| {
        let byte = bytes.get(at / 8).copied().unwrap_or(0);
        if little { byte >> (at % 8) & 1 } else { byte >> (7 - at % 8) & 1 }
    };
    let mut values = Vec::new();
    let mut at = 0;
    for field in fields {
        let width = usize::from(field.bits);
        let value = (0..width).fold(0_i128, |value, i| {
            let next = i128::from(bit(at + i));
            if little { value | next << i } else { value << 1 | next }
        });
        if let Some(var) = field.var {
            values.push((var, sign(value, field.bits, field.signed)));
        }
        at += width;
    }
    values
}

/// Groups of seven bits, least significant first.
#[derive(Clone, Debug)]
pub struct Groups {
    ty: IntType,
    max: u8,
    count: u8,
    value: i128,
}

impl Groups {
    /// No group yet.
    pub fn new(max: u8, ty: IntType) -> Groups {
        Groups { ty, max, count: 0, value: 0 }
    }

    /// Takes a byte; true where it is the last one.
    pub fn push(&mut self, byte: u8) -> Result<bool, Overflow> {
        let last = byte < 0x80;
        if self.count == 9 && byte > 1 || self.count + 1 >= self.max && !last {
            return Err(Overflow);
        }
        let value = self.value | i128::from(byte & 0x7f) << (7 * self.count);
        if !self.ty.wrap {
            fit(value, IntType { signed: false, bits: self.unsigned_bits(), wrap: false })?;
        }
        self.value = value;
        self.count += 1;
        Ok(last)
    }

    /// A signed variable holds the two's complement of its width.
    fn unsigned_bits(&self) -> u8 {
        self.ty.bits
    }

    /// The value.
    pub fn value(&self) -> i128 {
        let mask = (1 << self.ty.bits) - 1;
        sign(self.value & mask, self.ty.bits, self.ty.signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(bytes: &[u8], big: bool, bits: u8, signed: bool) -> Result<i128, Overflow> {
        let mut binary = Binary::new(IntType { bits, signed, wrap: false });
        for &byte in bytes {
            binary.push(byte, Some(big))?;
        }
        binary.value(big)
    }

    #[test]
    fn binary_integers() {
        assert_eq!(binary(&[0xff, 0xfe], true, 16, true), Ok(-2));
        assert_eq!(binary(&[0xfe, 0xff], false, 16, true), Ok(-2));
        assert_eq!(binary(&[0; 20], true, 8, false), Ok(0));
        assert_eq!(binary(&[1, 0], true, 8, false), Err(Overflow));
        assert_eq!(binary(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0], false, 8, false), Ok(1));
        assert_eq!(binary(&[1, 1], false, 8, false), Err(Overflow));
        assert_eq!(binary(&[0xff; 10], true, 8, true), Ok(-1));
        assert_eq!(binary(&[0xff; 10], false, 8, true), Ok(-1));
        assert_eq!(binary(&[0xff; 8], true, 64, false), Ok(i128::from(u64::MAX)));
        assert_eq!(binary(&[0xff; 9], true, 64, false), Err(Overflow));
    }

    #[test]
    fn digits_and_groups() {
        let mut digits = Digits::new(10, IntType { bits: 8, signed: true, wrap: false });
        digits.negate();
        assert!(b"128".iter().all(|&b| digits.push(b).is_ok()));
        assert_eq!(digits.value(), Ok(-128));
        assert_eq!(digits.push(b'0'), Err(Overflow));
        let ty = IntType { bits: 64, signed: false, wrap: false };
        let mut groups = Groups::new(10, ty);
        assert!((0..9).all(|_| groups.push(0xff) == Ok(false)));
        assert_eq!(groups.push(2), Err(Overflow));
        assert_eq!(groups.push(1), Ok(true));
        assert_eq!(groups.value(), i128::from(u64::MAX));
        assert_eq!(Groups::new(1, ty).push(0x80), Err(Overflow));
    }

    #[test]
    fn fields_of_bits() {
        let field = |var, bits| BitField { var: Some(VarId(var)), bits, signed: false };
        let fields = [field(0, 4), field(1, 12)];
        assert_eq!(bit_fields(&[0x12, 0x34], &fields, false), [(VarId(0), 1), (VarId(1), 0x234)]);
        assert_eq!(bit_fields(&[0x12, 0x34], &fields, true), [(VarId(0), 2), (VarId(1), 0x341)]);
    }
}

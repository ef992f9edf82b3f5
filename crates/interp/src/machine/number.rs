//! Integers in the making. A byte that makes the value too large is refused where it stands, as far as the byte order
//! is known before the end.

use super::span::Refusal;
use vproto_ir::grammar::IntType;
use vproto_ir::machine::ErrorKind;

/// An integer of which some bytes were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Number {
    value: i128,
    /// Bytes or groups so far; of digits: whether any was seen.
    count: u64,
    /// Whether a `-` came first.
    negative: bool,
    /// Whether a blank came behind a digit or a sign.
    blank: bool,
    /// Whether a byte was neither zero, nor all ones, from the ninth on.
    beyond: Beyond,
    /// The last byte.
    last: u8,
}

/// The bytes of a little-endian integer from the ninth on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Beyond {
    /// There are none.
    #[default]
    None,
    /// They are all zero.
    Zeros,
    /// They are all ones.
    Ones,
    /// Neither.
    Mixed,
}

impl Number {
    /// Takes digits, with blanks around them and a sign in front where the token allows them.
    pub fn digits(&mut self, radix: u32, ty: IntType, bytes: &[u8]) -> Result<(), Refusal> {
        for (i, &byte) in bytes.iter().enumerate() {
            let Some(digit) = char::from(byte).to_digit(radix) else {
                match byte {
                    b' ' | b'\t' => self.blank |= self.count > 0,
                    _ => {
                        self.negative |= byte == b'-';
                        self.count = 1;
                    }
                }
                continue;
            };
            if self.blank {
                return Err((i, ErrorKind::Mismatch));
            }
            self.count = 1;
            let next = self.value * i128::from(radix) + i128::from(digit);
            let signed = if self.negative { -next } else { next };
            if ty.wrap {
                self.value = next & i128::from(u64::MAX);
            } else if fits(signed, ty) {
                self.value = next;
            } else {
                return Err((i, ErrorKind::Overflow));
            }
        }
        Ok(())
    }

    /// The value of digits.
    pub fn of_digits(&self, ty: IntType) -> i128 {
        wrapped(if self.negative { -self.value } else { self.value }, ty)
    }

    /// Takes groups of seven bits, least significant first.
    pub fn groups(&mut self, max: u8, ty: IntType, bytes: &[u8]) -> Result<(), Refusal> {
        for (i, &byte) in bytes.iter().enumerate() {
            let value = self.value | i128::from(byte & 0x7f) << (7 * self.count.min(9));
            let tenth = self.count == 9 && byte > 1;
            let endless = self.count + 1 >= u64::from(max) && byte >= 0x80;
            if tenth || endless || !ty.wrap && value >> ty.bits != 0 {
                return Err((i, ErrorKind::Overflow));
            }
            self.value = value;
            self.count += 1;
        }
        Ok(())
    }

    /// The value of groups.
    pub fn of_groups(&self, ty: IntType) -> i128 {
        wrapped(self.value, ty)
    }

    /// Takes bytes of a boolean: true where any of them is not zero.
    pub fn any(&mut self, bytes: &[u8]) {
        if bytes.iter().any(|&byte| byte != 0) {
            self.value = 1;
        }
    }

    /// The value of a boolean.
    pub fn of_bool(&self) -> i128 {
        self.value
    }

    /// Takes bytes of a binary integer. Little-endian ones with a sign are checked at the end only.
    pub fn binary(&mut self, big: bool, ty: IntType, bytes: &[u8]) -> Result<(), Refusal> {
        for (i, &byte) in bytes.iter().enumerate() {
            let mut next = self.clone();
            next.push(byte, big, ty);
            if !ty.wrap && (big || !ty.signed) && next.of_binary(big, ty).is_err() {
                return Err((i, ErrorKind::Overflow));
            }
            *self = next;
        }
        Ok(())
    }

    fn push(&mut self, byte: u8, big: bool, ty: IntType) {
        self.last = byte;
        if big {
            let first = self.count == 0 && ty.signed;
            let digit = if first { i128::from(byte as i8) } else { i128::from(byte) };
            self.value = self.value * 256 + digit;
            if ty.wrap {
                self.value &= i128::from(u64::MAX);
            }
        } else if self.count < 8 {
            self.value |= i128::from(byte) << (8 * self.count);
        } else {
            self.beyond = match (self.beyond, byte) {
                (Beyond::None | Beyond::Zeros, 0) => Beyond::Zeros,
                (Beyond::None | Beyond::Ones, 0xff) => Beyond::Ones,
                _ => Beyond::Mixed,
            };
        }
        self.count += 1;
    }

    /// The value of a binary integer.
    ///
    /// # Errors
    /// It does not fit.
    pub fn of_binary(&self, big: bool, ty: IntType) -> Result<i128, ErrorKind> {
        let value = if big { self.value } else { self.of_little(ty)? };
        if ty.wrap || fits(value, ty) { Ok(wrapped(value, ty)) } else { Err(ErrorKind::Overflow) }
    }

    fn of_little(&self, ty: IntType) -> Result<i128, ErrorKind> {
        let negative = ty.signed && self.last & 0x80 != 0;
        if self.count <= 8 {
            let bits = 8 * self.count as u32;
            return Ok(if negative { self.value - (1 << bits) } else { self.value });
        }
        let low = if negative { i128::from(self.value as u64 as i64) } else { self.value };
        let filled = match self.beyond {
            Beyond::Ones => negative && low < 0,
            Beyond::Zeros => !negative,
            Beyond::None | Beyond::Mixed => false,
        };
        if ty.wrap || filled { Ok(low) } else { Err(ErrorKind::Overflow) }
    }

    /// The value of a whole binary integer.
    ///
    /// # Errors
    /// It does not fit.
    pub fn whole(bytes: &[u8], big: bool, ty: IntType) -> Result<i128, ErrorKind> {
        let mut number = Number::default();
        bytes.iter().for_each(|&byte| number.push(byte, big, ty));
        number.of_binary(big, ty)
    }
}

fn fits(value: i128, ty: IntType) -> bool {
    let (least, greatest) = if ty.signed {
        (-(1i128 << (ty.bits - 1)), (1i128 << (ty.bits - 1)) - 1)
    } else {
        (0, (1i128 << ty.bits) - 1)
    };
    (least..=greatest).contains(&value)
}

/// The value modulo 2^bits, in two's complement where the type is signed.
pub(super) fn wrapped(value: i128, ty: IntType) -> i128 {
    let modulus = 1i128 << ty.bits;
    let low = value.rem_euclid(modulus);
    if ty.signed && low >= modulus / 2 { low - modulus } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(bits: u8, signed: bool) -> IntType {
        IntType { bits, signed, wrap: false }
    }

    #[test]
    fn numbers_wrap_into_their_width() {
        assert_eq!(wrapped(300, ty(8, false)), 44);
        assert_eq!(wrapped(-1, ty(8, false)), 255);
        assert_eq!(wrapped(200, ty(8, true)), -56);
        assert_eq!(wrapped(i128::from(u64::MAX), ty(64, true)), -1);
    }

    #[test]
    fn the_digit_too_many_is_refused() {
        let mut number = Number::default();
        assert_eq!(number.digits(10, ty(8, true), b"-128"), Ok(()));
        assert_eq!(number.of_digits(ty(8, true)), -128);
        assert_eq!(number.digits(10, ty(8, true), b"0"), Err((0, ErrorKind::Overflow)));
        assert_eq!(Number::default().digits(10, ty(8, false), b" 00025 6"), Err((7, ErrorKind::Mismatch)));
        assert_eq!(Number::default().digits(16, ty(8, false), b"0fF0"), Err((3, ErrorKind::Overflow)));
    }

    #[test]
    fn binary_integers_of_any_length() {
        let of = |bytes: &[u8], big, ty| {
            let mut number = Number::default();
            number.binary(big, ty, bytes).map_err(|(at, _)| Some(at))?;
            number.of_binary(big, ty).map_err(|_| None)
        };
        assert_eq!(of(&[0xff, 0xfe], true, ty(16, true)), Ok(-2));
        assert_eq!(of(&[0xfe, 0xff], false, ty(16, true)), Ok(-2));
        assert_eq!(of(&[0; 20], true, ty(8, false)), Ok(0));
        assert_eq!(of(&[0, 1, 0], true, ty(8, false)), Err(Some(2)));
        assert_eq!(of(&[1, 1], false, ty(8, false)), Err(Some(1)));
        assert_eq!(of(&[0, 1], false, ty(8, true)), Err(None));
        assert_eq!(of(&[0xff; 10], true, ty(8, true)), Ok(-1));
        assert_eq!(of(&[0xff; 10], false, ty(8, true)), Ok(-1));
        assert_eq!(of(&[0xff; 8], true, ty(64, false)), Ok(i128::from(u64::MAX)));
        assert_eq!(of(&[0xff; 9], true, ty(64, false)), Err(Some(8)));
    }

    #[test]
    fn groups_of_seven_bits() {
        let mut number = Number::default();
        assert_eq!(number.groups(10, ty(64, false), &[0xff; 9]), Ok(()));
        assert_eq!(number.groups(10, ty(64, false), &[2]), Err((0, ErrorKind::Overflow)));
        assert_eq!(number.groups(10, ty(64, false), &[1]), Ok(()));
        assert_eq!(number.of_groups(ty(64, false)), i128::from(u64::MAX));
        assert_eq!(Number::default().groups(2, ty(64, false), &[0x80, 0x80]), Err((1, ErrorKind::Overflow)));
        assert_eq!(Number::default().groups(5, ty(8, false), &[0x80, 0x02]), Err((1, ErrorKind::Overflow)));
    }
}

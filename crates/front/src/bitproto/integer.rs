//! Integers of any size: constants of a schema have arbitrary precision, and `/` rounds down.
//!
//! Sizes are bounded by [`MAX_DIGITS`]; what is larger is answered with `None`.

use std::cmp::Ordering;

/// Most decimal digits that a constant may have.
pub const MAX_DIGITS: usize = 4300;
/// Limbs that hold [`MAX_DIGITS`] digits.
const MAX_LIMBS: usize = 447;

/// An integer: sign and magnitude, least significant limb first, without leading zero limbs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integer {
    negative: bool,
    limbs: Vec<u32>,
}

impl From<u64> for Integer {
    fn from(n: u64) -> Integer {
        Integer::new(false, vec![n as u32, (n >> 32) as u32])
    }
}

impl Integer {
    fn new(negative: bool, mut limbs: Vec<u32>) -> Integer {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Integer { negative: negative && !limbs.is_empty(), limbs }
    }

    /// Reads digits of a base up to 16; `None` if they are too many or none.
    pub fn parse(digits: &str, base: u32) -> Option<Integer> {
        let digits = digits.trim_start_matches('0');
        if digits.len() > MAX_DIGITS {
            return None;
        }
        let mut limbs: Vec<u32> = Vec::new();
        for c in digits.chars() {
            scale(&mut limbs, base, c.to_digit(base)?);
        }
        Integer::new(false, limbs).bounded()
    }

    fn bounded(self) -> Option<Integer> {
        (self.limbs.len() <= MAX_LIMBS).then_some(self)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// As 64 bits, if it is in their range.
    pub fn to_u64(&self) -> Option<u64> {
        match (self.negative, self.limbs.as_slice()) {
            (false, []) => Some(0),
            (false, &[a]) => Some(u64::from(a)),
            (false, &[a, b]) => Some(u64::from(a) | u64::from(b) << 32),
            _ => None,
        }
    }

    /// Sum.
    pub fn add(&self, other: &Integer) -> Option<Integer> {
        if self.negative == other.negative {
            return Integer::new(self.negative, add(&self.limbs, &other.limbs)).bounded();
        }
        match compare(&self.limbs, &other.limbs) {
            Ordering::Less => Some(Integer::new(other.negative, subtract(&other.limbs, &self.limbs))),
            _ => Some(Integer::new(self.negative, subtract(&self.limbs, &other.limbs))),
        }
    }

    /// Difference.
    pub fn sub(&self, other: &Integer) -> Option<Integer> {
        self.add(&Integer::new(!other.negative, other.limbs.clone()))
    }

    /// Product.
    pub fn mul(&self, other: &Integer) -> Option<Integer> {
        let mut limbs = vec![0_u32; self.limbs.len() + other.limbs.len()];
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.limbs.iter().enumerate() {
                let sum = u64::from(a) * u64::from(b) + u64::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u32;
                carry = sum >> 32;
            }
            limbs[i + other.limbs.len()] = carry as u32;
        }
        Integer::new(self.negative != other.negative, limbs).bounded()
    }

    /// Quotient rounded down; `None` for a zero divisor.
    pub fn div(&self, other: &Integer) -> Option<Integer> {
        if other.is_zero() {
            return None;
        }
        let (quotient, remainder) = divide(&self.limbs, &other.limbs);
        let negative = self.negative != other.negative;
        let rounded = Integer::new(negative, quotient);
        if negative && !Integer::new(false, remainder).is_zero() {
            return rounded.sub(&Integer::from(1));
        }
        Some(rounded)
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut limbs = self.limbs.clone();
        let mut groups = Vec::new();
        while !limbs.is_empty() {
            let mut rest = 0_u64;
            for limb in limbs.iter_mut().rev() {
                let n = rest << 32 | u64::from(*limb);
                *limb = (n / 1_000_000_000) as u32;
                rest = n % 1_000_000_000;
            }
            groups.push(rest);
            while limbs.last() == Some(&0) {
                limbs.pop();
            }
        }
        let first = groups.pop().unwrap_or(0);
        write!(f, "{}{first}", if self.negative { "-" } else { "" })?;
        groups.iter().rev().try_for_each(|g| write!(f, "{g:09}"))
    }
}

/// `limbs = limbs * factor + addend`.
fn scale(limbs: &mut Vec<u32>, factor: u32, addend: u32) {
    let mut carry = u64::from(addend);
    for limb in limbs.iter_mut() {
        let n = u64::from(*limb) * u64::from(factor) + carry;
        *limb = n as u32;
        carry = n >> 32;
    }
    if carry > 0 {
        limbs.push(carry as u32);
    }
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn add(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut carry = 0;
    let limb = |s: &[u32], i: usize| u64::from(s.get(i).copied().unwrap_or(0));
    let mut sum: Vec<u32> = Vec::new();
    for i in 0..a.len().max(b.len()) {
        let n = limb(a, i) + limb(b, i) + carry;
        sum.push(n as u32);
        carry = n >> 32;
    }
    sum.push(carry as u32);
    sum
}

/// `a - b` for `a >= b`.
fn subtract(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut borrow = 0;
    let mut difference = Vec::new();
    for (i, &x) in a.iter().enumerate() {
        let n = i64::from(x) - i64::from(b.get(i).copied().unwrap_or(0)) - borrow;
        difference.push(n as u32);
        borrow = i64::from(n < 0);
    }
    difference
}

/// Quotient and remainder, bit by bit; `b` is not zero.
fn divide(a: &[u32], b: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut quotient = vec![0; a.len()];
    if let &[divisor] = b {
        let mut rest = 0_u64;
        for (i, &limb) in a.iter().enumerate().rev() {
            let n = rest << 32 | u64::from(limb);
            quotient[i] = (n / u64::from(divisor)) as u32;
            rest = n % u64::from(divisor);
        }
        return (quotient, vec![rest as u32]);
    }
    let mut rest: Vec<u32> = Vec::new();
    for i in (0..a.len() * 32).rev() {
        scale(&mut rest, 2, a[i / 32] >> (i % 32) & 1);
        if compare(&rest, b) != Ordering::Less {
            rest = subtract(&rest, b);
            while rest.last() == Some(&0) {
                rest.pop();
            }
            quotient[i / 32] |= 1 << (i % 32);
        }
    }
    (quotient, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(s: &str) -> Integer {
        let (negative, digits) = s.strip_prefix('-').map_or((false, s), |d| (true, d));
        let n = Integer::parse(digits, 10).expect("a number of the test");
        Integer::new(negative, n.limbs)
    }

    #[test]
    fn computes_beyond_64_bits() {
        let a = int("123456789012345678901234567890");
        let b = int("-98765432109876543210");
        let text = |n: Option<Integer>| n.expect("in range").to_string();
        assert_eq!(text(a.add(&b)), "123456788913580246791358024680");
        assert_eq!(text(a.sub(&b)), "123456789111111111011111111100");
        assert_eq!(text(a.mul(&b)), "-12193263113702179522496570642237463801111263526900");
        assert_eq!(text(a.div(&b)), "-1249999989");
        assert_eq!(text(int("-7").div(&int("2"))), "-4");
        assert_eq!(text(int("7").div(&int("2"))), "3");
        assert_eq!(text(b.sub(&b)), "0");
        assert_eq!(a.div(&int("0")), None);
        assert_eq!(Integer::parse("ff", 16).and_then(|n| n.to_u64()), Some(255));
        assert_eq!(Integer::parse(&"9".repeat(4301), 10), None);
    }
}

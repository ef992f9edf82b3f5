// Parts of generated bitproto code. Each part begins with a line "@part NAME: parts it needs"; the generator copies
// the parts that a file uses into its module `bp`.

// @part load16:
/// Two bytes.
#[inline(always)]
pub(super) fn load16(s: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 2];
    bytes.copy_from_slice(&s[at..at + 2]);
    u32::from(u16::from_le_bytes(bytes))
}

// @part load32:
/// Four bytes.
#[inline(always)]
pub(super) fn load32(s: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&s[at..at + 4]);
    u32::from_le_bytes(bytes)
}

// @part load64:
/// Eight bytes.
#[inline(always)]
pub(super) fn load64(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&s[at..at + 8]);
    u64::from_le_bytes(bytes)
}

// @part gather:
/// Eight flags as eight bits.
#[inline(always)]
pub(super) fn gather(flags: &[bool], at: usize) -> u32 {
    let mut bytes = [0; 8];
    for (byte, flag) in bytes.iter_mut().zip(&flags[at..at + 8]) {
        *byte = u8::from(*flag);
    }
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

// @part gather4:
/// Four flags as four bits.
#[inline(always)]
pub(super) fn gather4(flags: &[bool], at: usize) -> u32 {
    let mut bytes = [0; 4];
    for (byte, flag) in bytes.iter_mut().zip(&flags[at..at + 4]) {
        *byte = u8::from(*flag);
    }
    (u32::from_le_bytes(bytes).wrapping_mul(0x0102_0408) >> 24) & 15
}

// @part spread4:
/// The lowest four bits as four flags.
#[inline(always)]
pub(super) fn spread4(v: u32) -> [bool; 4] {
    let bytes = (v & 15).wrapping_mul(0x0020_4081) & 0x0101_0101;
    bytes.to_le_bytes().map(|byte| byte != 0)
}

// @part spread:
/// The lowest eight bits as eight flags.
#[inline(always)]
pub(super) fn spread(v: u32) -> [bool; 8] {
    let low = (v & 15).wrapping_mul(0x0020_4081) & 0x0101_0101;
    let high = ((v >> 4) & 15).wrapping_mul(0x0020_4081) & 0x0101_0101;
    let bytes = u64::from(low) | u64::from(high) << 32;
    bytes.to_le_bytes().map(|byte| byte != 0)
}

// @part append:
/// Appends `bits` bits of `t` behind the `phase` bits in `carry`; whole bytes go to `s`, the rest is returned.
pub(super) fn append(s: &mut [u8], mut carry: u32, phase: u32, t: &[u8], bits: u32) -> u32 {
    let mut have = phase;
    let mut left = bits;
    let mut whole = s.iter_mut();
    for byte in t {
        carry |= u32::from(*byte) << have;
        have += left.min(8);
        left -= left.min(8);
        if have >= 8 {
            if let Some(to) = whole.next() {
                *to = carry as u8;
            }
            carry >>= 8;
            have -= 8;
        }
    }
    carry
}

// @part extract:
/// The `bits` bits of `s` behind the first `phase` ones.
pub(super) fn extract<const N: usize>(s: &[u8], phase: u32, bits: u32) -> [u8; N] {
    let mut t = [0; N];
    let mut left = bits;
    for (i, byte) in t.iter_mut().enumerate() {
        let next = s.get(i + 1).copied().unwrap_or(0);
        let v = (u32::from(s[i]) | u32::from(next) << 8) >> phase;
        *byte = (v & ((1 << left.min(8)) - 1)) as u8;
        left -= left.min(8);
    }
    t
}

// @part reader: error
/// Reads bit by bit what another version wrote: bits at or past `limit` are zero, those past `end` are missing.
pub(super) struct Reader<'a> {
    s: &'a [u8],
    at: u64,
    end: u64,
    pub(super) limit: u64,
    short: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(s: &'a [u8]) -> Self {
        let end = 8 * s.len() as u64;
        Reader {
            s,
            at: 0,
            end,
            limit: u64::MAX,
            short: false,
        }
    }

    /// The number of bytes that were read.
    pub(super) fn used(&self) -> Result<usize, Error> {
        match self.short {
            true => Err(Error::Short),
            false => Ok(self.at.div_ceil(8) as usize),
        }
    }

    /// Whether nothing more is to be read before the limit.
    pub(super) fn done(&self) -> bool {
        self.short || self.at >= self.limit
    }

    /// The next bits, at most 64.
    #[inline(never)]
    pub(super) fn take(&mut self, bits: u32) -> u64 {
        if self.done() {
            return 0;
        }
        let n = u64::from(bits).min(self.limit - self.at);
        if self.at > self.end || n > self.end - self.at {
            self.short = true;
            return 0;
        }
        let (mut v, mut got) = (0, 0);
        while got < n {
            let k = (8 - self.at % 8).min(n - got);
            let byte = self.s.get((self.at / 8) as usize);
            let byte = byte.map_or(0, |byte| u64::from(*byte));
            v |= ((byte >> (self.at % 8)) & ((1 << k) - 1)) << got;
            got += k;
            self.at += k;
        }
        v
    }

    /// Nothing more is left: what is read now is zero.
    pub(super) fn stop(&mut self) {
        self.limit = self.limit.min(self.at);
    }
}

// @part signed:
/// The lowest bits of `v` with the sign of the highest of them.
pub(super) fn signed(v: u64, bits: u32) -> i64 {
    (v << (64 - bits)) as i64 >> (64 - bits)
}

// @part enter: reader
impl Reader<'_> {
    /// Begins a marked message; returns the limit around it.
    pub(super) fn enter(&mut self) -> u64 {
        let (start, outer) = (self.at, self.limit);
        self.limit = outer.min(start + self.take(16).max(16));
        outer
    }

    /// Ends a marked message: goes on right behind it.
    pub(super) fn leave(&mut self, outer: u64) {
        if self.limit > self.end {
            self.short = true;
        }
        self.at = self.limit;
        self.limit = outer;
    }
}

// @part skip: reader
impl Reader<'_> {
    /// Passes over bits.
    pub(super) fn skip(&mut self, bits: u64) {
        if self.done() {
            return;
        }
        self.at += bits.min(self.limit - self.at);
        if self.at > self.end {
            self.short = true;
        }
    }
}

// @part text:
/// Text that goes to a buffer as long as it fits.
pub(super) struct Text<'a> {
    pub(super) to: &'a mut [u8],
    pub(super) length: usize,
}

impl core::fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.length + text.len();
        let to = self.to.get_mut(self.length..end).ok_or(core::fmt::Error)?;
        to.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

// @part get:
/// Bits at any place, 1 to 64.
#[inline(always)]
pub(super) fn get(s: &[u8], at: usize, bits: u32) -> Option<u64> {
    let bytes = (at % 8 + bits as usize).div_ceil(8);
    let mut word = [0; 16];
    word[..bytes].copy_from_slice(s.get(at / 8..at / 8 + bytes)?);
    let v = (u128::from_le_bytes(word) >> (at % 8)) as u64;
    Some(v & (u64::MAX >> (64 - bits)))
}

// @part set:
/// Replaces bits at any place and leaves those around them.
#[inline(always)]
pub(super) fn set(s: &mut [u8], at: usize, bits: u32, v: u64) -> Option<()> {
    let bytes = (at % 8 + bits as usize).div_ceil(8);
    let place = s.get_mut(at / 8..at / 8 + bytes)?;
    let mut word = [0; 16];
    word[..bytes].copy_from_slice(place);
    let mask = u128::from(u64::MAX >> (64 - bits)) << (at % 8);
    let new = u128::from_le_bytes(word) & !mask | (u128::from(v) << (at % 8)) & mask;
    place.copy_from_slice(&new.to_le_bytes()[..bytes]);
    Some(())
}

// @part error:
/// Why a message was neither encoded nor decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The bytes end before the message does.
    Short,
    /// The buffer has no room for the whole.
    Full,
    /// A value is out of its range.
    Range,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Error::Short => "the bytes end before the message does",
            Error::Full => "the buffer has no room for the whole",
            Error::Range => "a value is out of its range",
        })
    }
}

impl core::error::Error for Error {}

// @part stream: error
/// The beginning of a message of a stream whose end has not arrived yet.
#[derive(Clone, Debug)]
pub struct Stream<const N: usize> {
    buffer: [u8; N],
    have: usize,
}

impl<const N: usize> Stream<N> {
    /// The stream before its first byte.
    pub const fn new() -> Self {
        Stream {
            buffer: [0; N],
            have: 0,
        }
    }

    /// Reads a message from what is kept and from `s`, and moves `s` behind what was taken from it.
    pub(super) fn next(
        &mut self,
        s: &mut &[u8],
        mut decode: impl FnMut(&[u8]) -> Result<usize, Error>,
    ) -> Result<bool, Error> {
        let before = self.have;
        if before == 0 {
            if let Ok(used) = decode(s) {
                *s = &s[used..];
                return Ok(true);
            }
        }
        let n = s.len().min(N - before);
        self.buffer[before..before + n].copy_from_slice(&s[..n]);
        match decode(&self.buffer[..before + n]) {
            Ok(used) => {
                *s = &s[used.saturating_sub(before)..];
                self.have = 0;
                Ok(true)
            }
            Err(_) if before + n == N && n < s.len() => Err(Error::Full),
            Err(_) => {
                *s = &s[n..];
                self.have += n;
                Ok(false)
            }
        }
    }
}

impl<const N: usize> Default for Stream<N> {
    fn default() -> Self {
        Self::new()
    }
}

// @part half:
/// The number of 16 bits.
pub(super) fn half(n: u16) -> f32 {
    let n = u32::from(n);
    let (sign, exponent, low) = ((n & 0x8000) << 16, (n >> 10) & 31, n & 0x3ff);
    let exponent = match exponent {
        0 => {
            let v = low as f32 / 16_777_216.0;
            return if sign == 0 { v } else { -v };
        }
        31 => 255,
        e => e + 112,
    };
    f32::from_bits(sign | exponent << 23 | low << 13)
}

// @part half_bits:
/// The 16 bits of the nearest number, of two of the even one.
pub(super) fn half_bits(v: f32) -> u16 {
    let n = v.to_bits();
    let (sign, mut low) = ((n >> 16) & 0x8000, n & 0x007f_ffff);
    let mut exponent = ((n >> 23) & 255) as i32 - 112;
    let mut drop = 13;
    if exponent == 143 {
        let kept = (low >> 13) | u32::from(low != 0 && low >> 13 == 0);
        return (sign | 0x7c00 | kept) as u16;
    }
    if exponent > 30 {
        return (sign | 0x7c00) as u16;
    }
    if exponent < -10 {
        return sign as u16;
    }
    if exponent <= 0 {
        low |= 0x0080_0000;
        drop = 14 - exponent;
        exponent = 0;
    }
    let out = (exponent as u32) << 10 | low >> drop;
    let (rest, middle) = (low & ((1 << drop) - 1), 1 << (drop - 1));
    let up = rest > middle || (rest == middle && out & 1 != 0);
    (sign | (out + u32::from(up))) as u16
}

// @part from_text:
/// The text before the first 0; empty if it is no UTF-8.
pub(super) fn text(s: &[u8]) -> &str {
    let end = s.iter().position(|b| *b == 0).unwrap_or(s.len());
    core::str::from_utf8(s.get(..end).unwrap_or_default()).unwrap_or_default()
}

// @part write_text: from_text
/// A text of JSON.
pub(super) fn write_text(s: &[u8], w: &mut dyn core::fmt::Write) -> core::fmt::Result {
    w.write_str("\"")?;
    for c in text(s).chars() {
        match c {
            '"' | '\\' => write!(w, "\\{c}")?,
            '\0'..='\x1f' => write!(w, "\\u{:04x}", u32::from(c))?,
            c => w.write_char(c)?,
        }
    }
    w.write_str("\"")
}

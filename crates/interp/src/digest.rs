//! Check values of `begin:crc32:v … end:v`, one byte at a time.

use vproto_ir::grammar::Digest;

/// A check value in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digester {
    digest: Digest,
    /// CRC register, sum, or the low half of Adler-32.
    low: u32,
    /// The high half of Adler-32.
    high: u32,
    /// Whether the next byte of `inet16` is the high one of its word.
    even: bool,
}

impl Digester {
    /// Before the first byte.
    pub fn new(digest: Digest) -> Digester {
        let low = match digest {
            Digest::Crc32 => u32::MAX,
            Digest::Adler32 => 1,
            _ => 0,
        };
        Digester { digest, low, high: 0, even: true }
    }

    /// Takes one byte.
    pub fn byte(&mut self, byte: u8) {
        let byte32 = u32::from(byte);
        match self.digest {
            Digest::Crc32 => self.low = crc32_step(self.low, byte),
            Digest::Adler32 => {
                self.low = (self.low + byte32) % ADLER_MODULUS;
                self.high = (self.high + self.low) % ADLER_MODULUS;
            }
            Digest::Xor8 => self.low ^= byte32,
            Digest::Sum8 => self.low = (self.low + byte32) & 0xff,
            Digest::Sum16 => self.low = (self.low + byte32) & 0xffff,
            Digest::Inet16 => {
                let word = if self.even { byte32 << 8 } else { byte32 };
                let sum = self.low + word;
                self.low = (sum & 0xffff) + (sum >> 16);
                self.even = !self.even;
            }
        }
    }

    /// Takes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.byte(byte));
    }

    /// The check value of the bytes so far.
    pub fn value(&self) -> u32 {
        match self.digest {
            Digest::Crc32 => !self.low,
            Digest::Adler32 => self.high << 16 | self.low,
            Digest::Inet16 => !self.low & 0xffff,
            Digest::Xor8 | Digest::Sum8 | Digest::Sum16 => self.low,
        }
    }
}

/// The largest prime below 2^16 (RFC 1950 §8.2).
const ADLER_MODULUS: u32 = 65_521;

/// The reflected polynomial of Ethernet and zlib, bit by bit.
fn crc32_step(register: u32, byte: u8) -> u32 {
    let mut register = register ^ u32::from(byte);
    for _ in 0..8 {
        register = if register & 1 == 1 { register >> 1 ^ 0xedb8_8320 } else { register >> 1 };
    }
    register
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(digest: Digest, bytes: &[u8]) -> u32 {
        let mut digester = Digester::new(digest);
        digester.bytes(bytes);
        digester.value()
    }

    #[test]
    fn known_values() {
        assert_eq!(of(Digest::Crc32, b"123456789"), 0xcbf4_3926);
        assert_eq!(of(Digest::Adler32, b"Wikipedia"), 0x11e6_0398);
        assert_eq!(of(Digest::Xor8, b"abc"), 0x60);
        assert_eq!(of(Digest::Sum8, &[0xff, 2]), 1);
        assert_eq!(of(Digest::Sum16, &[0xff; 258]), 258 * 255 - 65536);
        assert_eq!(of(Digest::Inet16, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2 & 0xffff);
        assert_eq!(of(Digest::Inet16, &[0xff, 0xff, 0x01]), !0x0100 & 0xffff);
        assert_eq!(of(Digest::Crc32, b""), 0);
        assert_eq!(of(Digest::Adler32, b""), 1);
        assert_eq!(of(Digest::Inet16, b""), 0xffff);
    }
}

//! The source of all choices.

/// A stream of choices: pseudo-random without end from a seed, or bytes that a fuzzer gives and then always the first.
pub struct Choices<'a> {
    bytes: &'a [u8],
    state: Option<u64>,
}

impl<'a> Choices<'a> {
    /// Pseudo-random choices.
    pub fn seeded(seed: u64) -> Choices<'a> {
        Choices { bytes: &[], state: Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d) }
    }

    /// Choices that a fuzzer makes.
    pub fn from_bytes(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes, state: None }
    }

    fn word(&mut self) -> u64 {
        if let Some(state) = &mut self.state {
            // SplitMix64.
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            return z ^ (z >> 31);
        }
        let taken = self.bytes.len().min(2);
        let (head, rest) = self.bytes.split_at(taken);
        self.bytes = rest;
        head.iter().fold(0, |word, &b| word << 8 | u64::from(b))
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let word = self.word();
        if n == 0 { 0 } else { (word % n as u64) as usize }
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent.min(100)
    }

    /// One of several.
    pub fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }
}

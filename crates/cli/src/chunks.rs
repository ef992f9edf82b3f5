//! Cutting the input into fragments: `--chunk N`, `--chunk random:SEED`.

use std::str::FromStr;

/// How the input is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunks {
    /// So many bytes at a time, at least 1.
    Fixed(usize),
    /// Random pieces of 0 to 64 bytes; the state of the generator.
    Random(u64),
}

impl FromStr for Chunks {
    type Err = String;

    fn from_str(text: &str) -> Result<Chunks, String> {
        let wrong = || "expected a number of bytes from 1, or random:SEED".to_owned();
        match text.strip_prefix("random:") {
            Some(seed) => seed.parse().map(Chunks::Random).map_err(|_| wrong()),
            None => text.parse().ok().filter(|&n| n > 0).map(Chunks::Fixed).ok_or_else(wrong),
        }
    }
}

impl Chunks {
    /// The size of the next fragment.
    pub fn next_size(&mut self) -> usize {
        match self {
            Chunks::Fixed(n) => *n,
            Chunks::Random(state) => {
                *state = splitmix(*state);
                let mixed = *state ^ (*state >> 31);
                // Small pieces are where parsers fail: half of them have at most 3 bytes.
                if mixed & 1 == 0 { (mixed >> 8) as usize % 4 } else { (mixed >> 8) as usize % 65 }
            }
        }
    }
}

/// One step of a full-period generator (Vigna's splitmix64 increment and mix).
fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_draws() {
        assert_eq!("7".parse(), Ok(Chunks::Fixed(7)));
        assert!("0".parse::<Chunks>().is_err());
        let mut random: Chunks = "random:1".parse().expect("a seed");
        let sizes: Vec<usize> = (0..200).map(|_| random.next_size()).collect();
        assert!(sizes.contains(&0) && sizes.iter().any(|&n| n > 30) && sizes.iter().all(|&n| n < 65));
    }
}

//! Fragmentations: where an input is cut.

/// Sizes of the fragments of one run, in order; their sum is the input's length. Zeros are empty fragments.
pub type Fragments = Vec<usize>;

/// Inputs up to this size are cut at every pair of positions.
pub const PAIRS: usize = 64;

/// The fragmentations that a case is played with: whole; byte by byte, also with an empty fragment before each;
/// cut at every position; for short inputs at every pair of positions; and some random ones.
pub fn all(length: usize, seed: u64) -> Vec<Fragments> {
    let mut runs = few(length, seed);
    runs.extend((1..length).map(|at| vec![at, length - at]));
    if length <= PAIRS {
        let pairs = (1..length).flat_map(|a| (a + 1..length).map(move |b| (a, b)));
        runs.extend(pairs.map(|(a, b)| vec![a, b - a, length - b]));
    }
    runs
}

/// Whole, byte by byte, byte by byte with empty fragments, and four random ones.
pub fn few(length: usize, seed: u64) -> Vec<Fragments> {
    let mut runs = vec![vec![length], vec![1; length]];
    runs.push((0..length).flat_map(|_| [0, 1]).collect());
    runs.extend((0..4).map(|i| random(length, seed.wrapping_mul(31).wrapping_add(i))));
    runs
}

/// Random pieces of 0 to 20 bytes, mostly small.
pub fn random(length: usize, seed: u64) -> Fragments {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut sizes = Vec::new();
    let mut left = length;
    while left > 0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = (state >> 40) as usize;
        let size = if draw.is_multiple_of(2) { draw / 2 % 4 } else { draw / 2 % 21 };
        sizes.push(size.min(left));
        left -= size.min(left);
    }
    sizes
}

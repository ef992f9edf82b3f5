//! Random descriptions: both interpreters must print the same trace, whole and at any cut; the machine as it was lowered
//! and after all passes.
//!
//! The test run plays 200 descriptions. `VPROTO_RANDOM=5000` plays more, from `VPROTO_SEED=n` on; `VPROTO_SKIP='<|reset'`
//! leaves out what holds such texts; `VPROTO_LOUD=1` names each seed. Differences are shrunk and printed in the form of
//! `tests/corpus`, where each belongs before it is mended.

mod race;

use race::run::{Difference, race_seed};

const DESCRIPTIONS: usize = 200;
/// More differences than this are not worth the time to shrink them.
const SHOWN: usize = 8;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn random_descriptions_have_one_meaning() {
    let wanted = number("VPROTO_RANDOM").map_or(DESCRIPTIONS, |n| n as usize);
    let mut seed = number("VPROTO_SEED").unwrap_or(1);
    let (mut played, mut refused) = (0, 0);
    let mut differences: Vec<Difference> = Vec::new();
    while played < wanted && differences.len() < SHOWN {
        if number("VPROTO_LOUD").is_some() {
            eprintln!("seed {seed}");
        }
        match race_seed(seed) {
            None => refused += 1,
            Some(Ok(())) => played += 1,
            Some(Err(difference)) => {
                played += 1;
                differences.push(*difference);
            }
        }
        seed += 1;
        assert!(
            refused < 50 + 9 * (played + 50),
            "most descriptions are refused: {refused} of {}",
            refused + played
        );
    }
    for difference in differences.iter_mut() {
        difference.shrink();
        eprintln!("{difference}");
    }
    assert!(differences.is_empty(), "{} differences in {played} descriptions", differences.len());
}

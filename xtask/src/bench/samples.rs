//! What racing programs print: a line `CASE CONTESTANT NUMBER` for each measurement, in the order of repetitions. A
//! program has all contestants of a case in it and lets them run in turn, so that samples of the same number were
//! measured next to each other.

use super::stats::Spread;
use std::collections::BTreeMap;

/// Samples by case and contestant.
#[derive(Debug, Default)]
pub struct Samples {
    of: BTreeMap<(String, String), Vec<f64>>,
}

impl Samples {
    /// Adds what a program printed.
    ///
    /// # Errors
    /// A line of another form.
    pub fn add(&mut self, output: &str) -> Result<(), String> {
        for line in output.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let parsed = match words.as_slice() {
                [case, who, number] => number.parse().ok().map(|n: f64| (*case, *who, n)),
                _ => None,
            };
            let (case, who, number) = parsed.ok_or_else(|| format!("no sample: {line}"))?;
            self.of.entry((case.to_owned(), who.to_owned())).or_default().push(number);
        }
        Ok(())
    }

    /// The samples of a contestant; none if it did not run.
    pub fn get(&self, case: &str, who: &str) -> &[f64] {
        self.of.get(&(case.to_owned(), who.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// How many times as much `peer` took as `own`, if both ran.
    pub fn ratio(&self, case: &str, peer: &str, own: &str) -> Option<Spread> {
        Spread::of_ratios(self.get(case, peer), self.get(case, own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_ratios() {
        let mut samples = Samples::default();
        samples.add("a/x peer 10\na/x own 5\na/x peer 12\na/x own 6\n").expect("samples");
        assert_eq!(samples.ratio("a/x", "peer", "own").map(|s| s.median), Some(2.0));
        assert_eq!(samples.ratio("a/x", "peer", "nobody"), None);
        assert!(samples.add("a/x peer").is_err() && samples.add("a/x peer much").is_err());
    }
}

//! Medians and their spread.

/// A median with the quartiles around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// A quarter of the values is smaller.
    pub low: f64,
    /// Half of them are.
    pub median: f64,
    /// Three quarters are.
    pub high: f64,
}

impl Spread {
    /// Of values in any order; `None` of none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Spread { low: at(&sorted, 0.25)?, median: at(&sorted, 0.5)?, high: at(&sorted, 0.75)? })
    }

    /// Of the ratios of values that were measured next to each other.
    pub fn of_ratios(above: &[f64], below: &[f64]) -> Option<Spread> {
        let ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
        Spread::of(&ratios)
    }

    /// The geometric mean of several.
    pub fn geometric(spreads: &[Spread]) -> Option<Spread> {
        if spreads.is_empty() {
            return None;
        }
        let mean = |of: fn(&Spread) -> f64| {
            let logarithms: f64 = spreads.iter().map(|s| of(s).ln()).sum();
            (logarithms / spreads.len() as f64).exp()
        };
        Some(Spread { low: mean(|s| s.low), median: mean(|s| s.median), high: mean(|s| s.high) })
    }
}

/// The value below which this share of sorted values lies, between neighbours in proportion.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(position.floor() as usize)?;
    let above = *sorted.get(position.ceil() as usize)?;
    Some(below + (above - below) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).expect("values");
        assert_eq!(spread, Spread { low: 1.75, median: 2.5, high: 3.25 });
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn ratios_are_those_of_the_same_repetition() {
        // Another load in the second repetition changes both alike.
        let spread = Spread::of_ratios(&[10.0, 30.0, 10.0], &[5.0, 15.0, 5.0]).expect("values");
        assert_eq!((spread.low, spread.high), (2.0, 2.0));
        let mean = Spread::geometric(&[spread, Spread { low: 8.0, median: 8.0, high: 8.0 }]).expect("two");
        assert!((mean.median - 4.0).abs() < 1e-9);
    }
}

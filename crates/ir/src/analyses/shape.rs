//! Shapes of byte states, and what stops them.

use super::first::first;
use crate::byteset::ByteSet;
use crate::ids::StateId;
use crate::machine::{Bound, Kind, Machine, Text};

/// The shape of a byte state. Shapes are facts, not kinds: passes have one spelling of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Exactly one byte.
    Byte,
    /// One byte or none.
    Option,
    /// Any number, at least so many (0 or 1).
    Run(u8),
    /// Exactly so many, two or more.
    Fixed(u64),
    /// Every byte, with a bound worked out at run time or none.
    Bulk,
    /// Other counts.
    Counted,
    /// Up to a text.
    Until,
    /// Letters.
    Literal(usize),
    /// Letters known at run time.
    Match,
    /// Looks at a byte.
    Look,
    /// Another kind.
    Other,
}

/// The shape of a kind of state.
pub fn shape(kind: &Kind) -> Shape {
    match kind {
        Kind::Scan { until: Some(_), .. } => Shape::Until,
        Kind::Scan { set, lo, hi, .. } => match (*lo, *hi) {
            (Bound::Fixed(1), Bound::Fixed(1)) => Shape::Byte,
            (Bound::Fixed(0), Bound::Fixed(1)) => Shape::Option,
            (Bound::Fixed(a), Bound::Fixed(b)) if a == b => Shape::Fixed(a),
            _ if set.is_all() => Shape::Bulk,
            (Bound::Fixed(lo @ (0 | 1)), Bound::Unbounded) => Shape::Run(lo as u8),
            _ => Shape::Counted,
        },
        Kind::Literal { text: Text::Bytes(text), .. } => Shape::Literal(text.len()),
        Kind::Literal { text: Text::Var(_), .. } => Shape::Match,
        Kind::Dispatch { .. } => Shape::Look,
        _ => Shape::Other,
    }
}

/// The bytes that end a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stops {
    /// Those that what follows takes.
    pub delimiters: ByteSet,
    /// Those that nothing takes.
    pub errors: ByteSet,
    /// Ranges of the scan's own set.
    pub ranges: usize,
    /// Whether NUL is one of the scan's bytes.
    pub nul: bool,
    /// Whether all, some or none of the bytes from 0x80 are; `None`: some.
    pub high: Option<bool>,
}

/// The stops of a scan; nothing for other states.
pub fn stops(machine: &Machine, id: StateId) -> Option<Stops> {
    let Kind::Scan { set, next, until: None, .. } = &machine.state(id).kind else { return None };
    let delimiters = first(machine, next.to) - *set;
    let upper = ByteSet::range(0x80, 0xff);
    let high = if upper.is_subset(set) {
        Some(true)
    } else if upper.intersects(set) {
        None
    } else {
        Some(false)
    };
    let errors = !*set - delimiters;
    Some(Stops { delimiters, errors, ranges: set.ranges().len(), nul: set.contains(0), high })
}

//! Portable expressions over the pool of variables.

use crate::Choices;

const NUMBERS: &[&str] = &["n0", "n1", "n2", "k0", "s0", "z0"];

/// An expression that is small and not negative most of the time: a bound.
pub(crate) fn bound(c: &mut Choices) -> String {
    let shapes = [
        "n0",
        "n1",
        "n0 & 3",
        "n1 & 1",
        "n2 % 3",
        "n0 - n1",
        "2 - n0",
        "n0 ? 1 : 0",
        "n0 + 1",
        "n1 * 2",
        "3",
        "left & 3",
        "offset % 3",
        "t0.size()",
        "(n0 ^ n1) & 7",
        "left > 9 ? 2 : left",
    ];
    c.pick(&shapes).to_string()
}

/// A bound for a confined call.
pub(crate) fn confinement(c: &mut Choices) -> String {
    match c.below(6) {
        0 => "left".to_string(),
        1 => "left & 7".to_string(),
        2 => "5".to_string(),
        3 => format!("{} & 15", c.pick(NUMBERS)),
        _ => bound(c),
    }
}

/// A truth value.
pub(crate) fn condition(c: &mut Choices) -> String {
    let number = c.pick(NUMBERS).to_string();
    match c.below(12) {
        0 => format!("{number} & 1"),
        1 => format!("{number} == {}", c.below(4)),
        2 => format!("{number} < {}", c.below(5)),
        3 => format!("{number} != {}", c.pick(NUMBERS)),
        4 => "t0.empty()".to_string(),
        5 => "t0 == \"a\"".to_string(),
        6 => "left > 3".to_string(),
        7 => "offset % 2 == 0".to_string(),
        8 => format!("!({number} > 1)"),
        9 => format!("{number} == 1 || n1 == 2"),
        10 => "z0".to_string(),
        _ => format!("{number} >= 1 && n0 < 200"),
    }
}

/// A block of statements.
pub(crate) fn block(c: &mut Choices) -> String {
    let statement = match c.below(13) {
        0 => "n0 = n0 + 1;".to_string(),
        1 => format!("n1 = {};", bound(c)),
        2 => format!("n2 = {};", c.below(4)),
        3 => "t0.clear();".to_string(),
        4 => "t0.push(97);".to_string(),
        5 => "t1 = t0 + \"b\";".to_string(),
        6 => format!("if ({}) {{ n0 = 1; }} else {{ n1 = 0; }}", condition(c)),
        7 => format!("return {};", condition(c)),
        8 => "k0 -= 1;".to_string(),
        9 => "z0 = !z0;".to_string(),
        10 => "t0 += \"ab\";".to_string(),
        11 => "t0.swap(t1);".to_string(),
        _ => format!("n2 = {} ? 2 : n1 & 1;", c.pick(NUMBERS)),
    };
    format!("{{ {statement} }}")
}

/// An argument of `notify:`.
pub(crate) fn argument(c: &mut Choices) -> String {
    match c.below(6) {
        0 => "t0".to_string(),
        1 => "offset".to_string(),
        2 => "left".to_string(),
        3 => bound(c),
        _ => c.pick(NUMBERS).to_string(),
    }
}

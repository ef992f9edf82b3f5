//! Tokens that take bytes.

use crate::Choices;
use crate::expression::{bound, condition};

const SETS: &[&str] = &[
    "[a]",
    "[ab]",
    "[a-c]",
    "[^a]",
    "[^\\n]",
    "[0-9]",
    "[ ]",
    "[,;]",
    "[\\x00-\\x03]",
    "[^ab,]",
    "[a-z0-9]",
    "[b-d]",
    "[^;]",
];
const WORDS: &[&str] = &["a", "b", "ab", "aab", "abc", ",", ";", "\\n", "b\\n", "01", "Ab"];

/// What a place allows.
#[derive(Clone, Copy, Default)]
pub(crate) struct Allowed {
    /// Counts that let the token take nothing.
    pub(crate) empty: bool,
    /// Bounds at run time, `if=`, long `until`.
    pub(crate) moment: bool,
    /// Sub-parsers of other modules.
    pub(crate) modules: bool,
    /// An array was captured before.
    pub(crate) key: bool,
}

/// A token that takes bytes.
pub(crate) fn byte_token(c: &mut Choices, allowed: Allowed) -> String {
    match c.below(24) {
        0..=3 => set(c, allowed),
        4..=7 => redirected(c, allowed),
        8..=11 => literal(c, allowed),
        12 | 13 => digits(c, allowed),
        14 | 15 => binary(c, allowed),
        16 => fields(c),
        17 => with(c.pick(&["varint:n0", "varint:k0", "varint"]), &some_max(c, 3), false, c, allowed),
        18 => data(c, allowed),
        19 => text(c, allowed),
        20 => until(c, allowed),
        21 if allowed.moment => with("match:t0", &[], false, c, allowed),
        22 if allowed.modules => module(c),
        _ => with("b8:n0", &[], false, c, allowed),
    }
}

fn some_max(c: &mut Choices, most: usize) -> Vec<String> {
    if c.chance(50) { vec![format!("max={}", 1 + c.below(most))] } else { Vec::new() }
}

/// A name with its options; `if=` among them now and then.
fn with(name: &str, options: &[String], if_shown: bool, c: &mut Choices, allowed: Allowed) -> String {
    let mut options = options.to_vec();
    if allowed.moment && (if_shown || c.chance(12)) {
        options.push(format!("if={}", condition(c)));
    }
    if options.is_empty() { name.to_string() } else { format!("{name}({})", options.join(", ")) }
}

/// Counts as options.
fn counts(c: &mut Choices, allowed: Allowed) -> Vec<String> {
    let mut options = Vec::new();
    let run_time = allowed.moment && c.chance(40);
    match c.below(6) {
        0 | 1 => {
            let low = usize::from(!allowed.empty) + c.below(2);
            options.push(format!("min={low}"));
            if c.chance(60) {
                options.push(format!("max={}", low.max(1) + c.below(3)));
            }
        }
        2 if run_time && allowed.empty => options.push(format!("min={}", bound(c))),
        3 if run_time && allowed.empty => {
            options.push(format!("min={}", bound(c)));
            options.push(format!("max={}", bound(c)));
        }
        4 if run_time => options.push(format!("max={}", bound(c))),
        _ => options.push(format!("max={}", 1 + c.below(3))),
    }
    options
}

fn set(c: &mut Choices, allowed: Allowed) -> String {
    let mut name = c.pick(SETS).to_string();
    match c.below(6) {
        0 if allowed.empty => name.push('?'),
        1 if allowed.empty => name.push('*'),
        2 => name.push('+'),
        3 => {
            let counts = counts(c, allowed);
            return with(&name, &counts, false, c, allowed);
        }
        _ => {}
    }
    with(&name, &[], false, c, allowed)
}

fn redirected(c: &mut Choices, allowed: Allowed) -> String {
    let target = match c.below(9) {
        0 | 1 => "string:t0",
        2 => "string:t1",
        3 => "string_view:w0",
        4 => "array:r0",
        5 => "d0",
        6 => "d1",
        _ => return number(c, allowed),
    };
    let mut options = if c.chance(50) { counts(c, allowed) } else { Vec::new() };
    if target == "array:r0" {
        options.push("init=4".to_string());
    }
    if target.starts_with("string:") && c.chance(20) {
        options.push(format!("init={}", 1 + c.below(3)));
    }
    if target != "d0" && target != "d1" {
        if c.chance(15) {
            options.push("append".to_string());
        }
        if c.chance(15) {
            options.push("trim".to_string());
        }
    }
    with(&format!("{}->{target}", c.pick(SETS)), &options, false, c, allowed)
}

fn number(c: &mut Choices, allowed: Allowed) -> String {
    let name =
        c.pick(&["[0-9]->uint:n1", "[0-9a-f]->hex:n1", "[0-9]->int:s0", "[a-d]->be:k0", "[a-d]->le:n2"]);
    let options = if name.contains("e:") { some_max(c, 2) } else { counts(c, allowed) };
    let options = if options.is_empty() { vec!["max=1".to_string()] } else { options };
    with(name, &options, false, c, allowed)
}

fn literal(c: &mut Choices, allowed: Allowed) -> String {
    let word = c.pick(WORDS);
    let mut name = if c.chance(25) { format!("'{word}'") } else { format!("\"{word}\"") };
    match c.below(8) {
        0 if allowed.empty => name.push('?'),
        1 if allowed.empty => name.push('*'),
        2 => {
            let counts = counts(c, allowed);
            return with(&name, &counts, false, c, allowed);
        }
        _ => {}
    }
    with(&name, &[], false, c, allowed)
}

fn digits(c: &mut Choices, allowed: Allowed) -> String {
    let name = c.pick(&["u8:n0", "u8:n1", "u16:k0", "h8:n2", "i8:s0", "i16:s0", "u8", "i32"]);
    let mut options = if c.chance(40) { counts(c, allowed) } else { Vec::new() };
    if name.contains(':') && c.chance(10) {
        options.push("wrap".to_string());
    }
    with(name, &options, false, c, allowed)
}

fn binary(c: &mut Choices, allowed: Allowed) -> String {
    let name = c.pick(&[
        "b8:n0", "b8:n1", "be16:k0", "le16:k0", "be24:q0", "le32:q0", "bool:z0", "b8", "be16", "bef32:g0",
        "b8:s0",
    ]);
    let mut options = Vec::new();
    if name.starts_with("be16:") && c.chance(30) {
        options.push("swap=n0 & 1".to_string());
    }
    if name == "b8:s0" {
        options.push("signed".to_string());
    }
    with(name, &options, false, c, allowed)
}

fn fields(c: &mut Choices) -> String {
    c.pick(&["bits{n0:2 n1:3 z0:1 _:2}", "bitsle{n1:4 n2:4}", "bits{_:6 k0:10}", "bits{n0:8}"]).to_string()
}

fn data(c: &mut Choices, allowed: Allowed) -> String {
    let name = c.pick(&["data:d0", "data:d1", "data"]);
    let mut options = match c.below(5) {
        0 if allowed.empty => Vec::new(),
        1 if allowed.empty => vec!["min=0".to_string(), format!("max={}", 1 + c.below(4))],
        2 | 3 if allowed.moment => vec![format!("max={}", bound(c))],
        _ => vec![format!("max={}", 1 + c.below(4))],
    };
    if allowed.key && name != "data" && c.chance(25) {
        options.push("xor=r0".to_string());
    }
    with(name, &options, false, c, allowed)
}

fn text(c: &mut Choices, allowed: Allowed) -> String {
    let name = c.pick(&["string:t0", "string:t1", "string_view:w0", "array:r0"]);
    let mut options = counts(c, allowed);
    if name == "array:r0" {
        options.push("init=4".to_string());
    }
    if c.chance(20) {
        options.push("append".to_string());
    }
    if c.chance(20) {
        options.push("trim".to_string());
    }
    with(name, &options, false, c, allowed)
}

fn until(c: &mut Choices, allowed: Allowed) -> String {
    let name = c.pick(&["data:d0", "string:t0", "string_view:w0", "data"]);
    let texts: &[&str] = if allowed.moment {
        &["\"a\"", "\"\\n\"", "\"ab\"", "\"aab\"", "\"abab\"", "t1"]
    } else {
        &["\"a\"", "\"\\n\"", "\",\""]
    };
    let mut options = vec![format!("until={}", c.pick(texts))];
    if c.chance(30) {
        options.push(format!(
            "max={}",
            if allowed.moment && c.chance(40) { bound(c) } else { c.below(5).to_string() }
        ));
    }
    if name == "string:t0" && c.chance(20) {
        options.push("append".to_string());
    }
    with(name, &options, false, c, allowed)
}

fn module(c: &mut Choices) -> String {
    let limit = match c.below(4) {
        0 => "max=3".to_string(),
        1 => "max=n0".to_string(),
        2 => "max=left & 7".to_string(),
        _ => format!("max={}", bound(c)),
    };
    match c.below(6) {
        0 => format!("vproto:sub:x0({limit})"),
        1 => format!("vproto:sub:x0({limit}, n0=n1)"),
        2 | 3 => format!("vproto:sub:x1({limit}, join)"),
        4 => "[^;]->vproto:sub:x0".to_string(),
        _ => "vproto:sub:x0".to_string(),
    }
}

/// A `< >`.
pub(crate) fn parallel(c: &mut Choices, depth: usize) -> String {
    let sequences: Vec<String> = (0..1 + c.below(3)).map(|_| sequence(c, depth)).collect();
    format!("<{}>", sequences.join(", "))
}

/// A sequence that cannot be empty.
fn sequence(c: &mut Choices, depth: usize) -> String {
    let strict = Allowed::default();
    let loose = Allowed { empty: true, ..strict };
    let mut tokens =
        vec![if depth < 2 && c.chance(15) { parallel(c, depth + 1) } else { byte_token(c, strict) }];
    for _ in 0..c.below(3) {
        let token = match c.below(14) {
            0 | 1 => format!("notify:{}", c.pick(&["e", "f(n0)", "g(t0)", "h(offset)"])),
            2 => "{ n2 = n2 + 1; }".to_string(),
            3 => "if {n0 < 2}".to_string(),
            4 => "bang".to_string(),
            5 => "break".to_string(),
            6 if depth < 2 => parallel(c, depth + 1),
            7 => byte_token(c, Allowed { moment: true, ..strict }),
            _ => byte_token(c, loose),
        };
        tokens.push(token);
    }
    tokens.join(" ")
}

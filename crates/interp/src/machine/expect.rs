//! What a state would have accepted, as errors print it.

use super::code::{Code, fixed_text};
use super::parser::{Core, Expect, Line, Raised};
use vproto_ir::byteset::{ByteSet, quoted};
use vproto_ir::machine::{Kind, Text, Until};

/// The `expected` of an error.
pub(super) fn text(core: &Core, code: &Code, line: &Line, raised: &Raised) -> String {
    let wants = raised.site.and_then(|site| code.machine.sites[site].wants.clone());
    match &raised.expect {
        Expect::Nothing => String::new(),
        Expect::Set(set) => {
            if set.is_empty() {
                wants.unwrap_or_default()
            } else {
                set.to_string()
            }
        }
        Expect::State(id) => wants.unwrap_or_else(|| match &code.state(*id).kind {
            Kind::Scan { until: Some(_), .. } => quoted(&until_text(code, line).unwrap_or_default(), false),
            Kind::Literal { text: Text::Var(var), .. } => quoted(core.store.text(*var), false),
            Kind::Literal { text, fold, .. } => quoted(fixed_text(text).unwrap_or_default(), *fold),
            _ => set(core, code, line, &raised.expect).to_string(),
        }),
    }
}

/// The bytes that a state would have taken next.
pub(super) fn set(core: &Core, code: &Code, line: &Line, expect: &Expect) -> ByteSet {
    let id = match expect {
        Expect::Nothing => return ByteSet::EMPTY,
        Expect::Set(set) => return *set,
        Expect::State(id) => *id,
    };
    let k = line.registers.k as usize;
    match &code.state(id).kind {
        Kind::Scan { until: Some(_), .. } => ByteSet::ALL,
        Kind::Scan { set, .. } | Kind::Module { set, .. } => *set,
        Kind::Literal { text: Text::Var(var), fold, .. } => letter(core.store.text(*var), k, *fold),
        Kind::Literal { text, fold, .. } => letter(fixed_text(text).unwrap_or_default(), k, *fold),
        Kind::Dispatch { alts, .. } => alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set),
        _ => ByteSet::EMPTY,
    }
}

fn letter(text: &[u8], k: usize, fold: bool) -> ByteSet {
    text.get(k).map_or(ByteSet::EMPTY, |byte| ByteSet::letter(*byte, fold))
}

/// The text that ends the running scan.
pub(super) fn until_text(code: &Code, line: &Line) -> Option<Vec<u8>> {
    if let Some(borders) = &line.until {
        return Some(borders.text.clone());
    }
    match &code.state(line.state?).kind {
        Kind::Scan { until: Some(Until::Text(text)), .. } => Some(text.clone()),
        _ => None,
    }
}

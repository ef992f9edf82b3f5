//! The fixed parts of generated Rust: `runtime/rust/bitproto.rs`, of which each file gets what it uses.

use std::collections::BTreeSet;

const SOURCE: &str = include_str!("../../../../../runtime/rust/bitproto.rs");

/// Texts in generated code and the parts that define what they name.
const USES: [(&str, &str); 22] = [
    ("bp::load16(", "load16"),
    ("bp::load32(", "load32"),
    ("bp::load64(", "load64"),
    ("bp::gather(", "gather"),
    ("bp::gather4(", "gather4"),
    ("bp::spread(", "spread"),
    ("bp::spread4(", "spread4"),
    ("bp::append(", "append"),
    ("bp::extract(", "extract"),
    ("bp::Reader", "reader"),
    ("bp::signed(", "signed"),
    ("r.enter(", "enter"),
    ("r.skip(", "skip"),
    ("bp::Text", "text"),
    ("bp::Error", "error"),
    ("bp::Stream", "stream"),
    ("bp::get(", "get"),
    ("bp::set(", "set"),
    ("bp::half(", "half"),
    ("bp::half_bits(", "half_bits"),
    ("bp::text(", "from_text"),
    ("bp::write_text(", "write_text"),
];

/// A part of the source: its name, the parts it needs, its text.
struct Part {
    name: &'static str,
    needs: &'static str,
    text: &'static str,
}

/// The parts that `body` uses, in the order of the source.
pub(super) fn parts(body: &str) -> String {
    let parts: Vec<Part> = SOURCE.split("// @part ").skip(1).filter_map(parse).collect();
    let uses = USES.iter().filter(|u| body.contains(u.0));
    let mut wanted: BTreeSet<&str> = uses.map(|u| u.1).collect();
    for part in &parts {
        if wanted.contains(part.name) {
            wanted.extend(part.needs.split_whitespace());
        }
    }
    let texts = parts.iter().filter(|p| wanted.contains(p.name)).map(|p| p.text);
    texts.collect::<Vec<_>>().join("\n\n")
}

fn parse(part: &'static str) -> Option<Part> {
    let (head, text) = part.split_once('\n')?;
    let (name, needs) = head.split_once(':')?;
    Some(Part { name, needs, text: text.trim_end_matches('\n') })
}

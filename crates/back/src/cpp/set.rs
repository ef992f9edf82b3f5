//! Sets of bytes: a type with a test of membership.

use super::print::letter;
use vproto_code::writer::Writer;
use vproto_ir::byteset::ByteSet;

/// Prints the type of a set.
pub(super) fn print(index: usize, set: &ByteSet, w: &mut Writer) {
    w.open(format!("struct set{index} {{  // {set}"));
    let inside = set.ranges();
    let outside = (!*set).ranges();
    let test = if set.is_all() {
        "(static_cast<void>(c), true)".to_owned()
    } else if inside.len() <= 2 {
        tests(&inside, false)
    } else if outside.len() <= 2 {
        tests(&outside, true)
    } else {
        w.open("static constexpr unsigned char members[256] = {");
        for row in 0..4u16 {
            let row = (row * 64..row * 64 + 64).map(|b| if set.contains(b as u8) { "1" } else { "0" });
            w.line(format!("{},", row.collect::<Vec<_>>().join(",")));
        }
        w.close("};");
        "members[c] != 0".to_owned()
    };
    w.line(format!("static constexpr bool has(unsigned char c) {{ return {test}; }}"));
    if let Some(stops) = stops(set) {
        w.line("// Marks bytes that may stop a run: the lowest mark is one that `has` decides.");
        w.line(format!("static constexpr std::uint64_t stops(std::uint64_t w) {{ return {stops}; }}"));
    }
    w.close("};");
}

/// An expression that marks, in a word of eight bytes, those that are not of the set: compares of a few bytes and of
/// all bytes below one. Members among the latter are marked too, if they are few.
fn stops(set: &ByteSet) -> Option<String> {
    let outside = !*set;
    let below =
        (0..=0x80u16).take_while(|b| *b < 0x80).filter(|b| outside.contains(*b as u8)).collect::<Vec<_>>();
    // The longest stretch from zero of which at least three quarters stop.
    let mut edge = 0u16;
    for (count, byte) in below.iter().enumerate() {
        if (count as u16 + 1) * 4 >= (byte + 1) * 3 && byte + 1 > 3 {
            edge = byte + 1;
        }
    }
    let singles: Vec<u8> = outside.iter().filter(|b| u16::from(*b) >= edge).take(4).collect();
    if singles.len() > 3 || edge == 0 && singles.is_empty() || set.len() < 128 {
        return None;
    }
    let mut parts: Vec<String> = singles.iter().map(|b| format!("vproto::equal(w, {b})")).collect();
    if edge > 0 {
        parts.insert(0, format!("vproto::below(w, {edge})"));
    }
    Some(parts.join(" | "))
}

fn tests(ranges: &[(u8, u8)], negate: bool) -> String {
    let one = |(low, high): (u8, u8)| -> String {
        let (low_text, span) = (letter(low), high - low);
        match (low, high, negate) {
            (l, h, false) if l == h => format!("c == {low_text}"),
            (l, h, true) if l == h => format!("c != {low_text}"),
            (0, _, false) => format!("c <= {}", letter(high)),
            (0, _, true) => format!("c > {}", letter(high)),
            (_, 255, false) => format!("c >= {low_text}"),
            (_, 255, true) => format!("c < {low_text}"),
            (_, _, false) => format!("static_cast<unsigned char>(c - {low_text}) <= {span}"),
            (_, _, true) => format!("static_cast<unsigned char>(c - {low_text}) > {span}"),
        }
    };
    let parts: Vec<String> = ranges.iter().map(|r| one(*r)).collect();
    parts.join(if negate { " && " } else { " || " })
}

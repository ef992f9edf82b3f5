//! The fixed parts of generated C: `runtime/c/bitproto.c`, of which each file gets what it uses.

use super::{Context, Endian, Standard};
use std::collections::BTreeSet;

const SOURCE: &str = include_str!("../../../../../runtime/c/bitproto.c");

/// Names in generated code and the parts that define them.
const USES: [(&str, &str); 32] = [
    ("BITPROTO_RESTRICT", "restrict"),
    ("BITPROTO_LITTLE_ENDIAN", "order"),
    ("bp_load16(", "load16"),
    ("bp_load32(", "load32"),
    ("bp_load64(", "load64"),
    ("bp_store16(", "store16"),
    ("bp_store32(", "store32"),
    ("bp_store64(", "store64"),
    ("bp_pair(", "pair"),
    ("bp_gather(", "gather"),
    ("bp_spread(", "spread"),
    ("bp_gather4(", "gather4"),
    ("bp_spread4(", "spread4"),
    ("bp_append(", "append"),
    ("bp_extract(", "extract"),
    ("bp_take(", "reader"),
    ("bp_signed(", "signed"),
    ("bp_enter(", "enter"),
    ("bp_skip(", "skip"),
    ("struct bp_text", "json"),
    ("if (bp_bmi2)", "bmi2"),
    ("bp_shift2(", "shift2"),
    ("bp_put_unsigned(", "json_unsigned"),
    ("bp_put_signed(", "json_signed"),
    ("bp_put_float(", "json_float"),
    ("bp_put_chars(", "json_chars"),
    ("bp_f16(", "f16"),
    ("bp_f32(", "f32"),
    ("bp_f64(", "f64"),
    ("bp_bits_f16(", "bits_f16"),
    ("bp_bits_f32(", "bits_f32"),
    ("bp_bits_f64(", "bits_f64"),
];

/// A part of the source: its name, the parts it needs, its text.
struct Part {
    name: &'static str,
    needs: &'static str,
    text: &'static str,
}

impl Context<'_> {
    /// The parts that `body` uses, in the order of the source.
    pub(crate) fn runtime(&self, body: &str) -> String {
        let parts: Vec<Part> = SOURCE.split("/* @part ").skip(1).filter_map(parse).collect();
        let mut wanted: BTreeSet<&str> = USES.iter().filter(|u| body.contains(u.0)).map(|u| u.1).collect();
        // Parts need earlier ones only.
        for part in parts.iter().rev() {
            if wanted.contains(part.name) {
                wanted.extend(part.needs.split_whitespace());
            }
        }
        let mut text = self.preamble(&wanted);
        for part in parts.iter().filter(|p| wanted.contains(p.name)) {
            text += part.text;
            text += "\n";
        }
        if self.options.standard.is_cpp() {
            return text.replace("static BP_INLINE ", "inline ").replace("static ", "inline ");
        }
        text
    }

    /// The part that accessors use.
    pub(crate) fn bits_part(&self) -> String {
        let part = SOURCE.split("/* @part ").skip(1).filter_map(parse).find(|p| p.name == "bits");
        let text = part.map_or("", |p| p.text);
        if self.options.standard.is_cpp() {
            text.replace("static BP_INLINE ", "inline ")
        } else {
            text.to_owned()
        }
    }

    /// What the options decide before the parts ask.
    fn preamble(&self, wanted: &BTreeSet<&str>) -> String {
        let mut text = String::new();
        if wanted.contains("order") {
            text += match self.options.endian {
                Endian::Both => "",
                Endian::Little => "#define BITPROTO_LITTLE_ENDIAN 1\n\n",
                Endian::Big => "#define BITPROTO_LITTLE_ENDIAN 0\n\n",
            };
        }
        text += match self.options.standard {
            Standard::Cpp17 | Standard::Cpp98 => "",
            Standard::C99 => "#define BP_INLINE inline\n\n",
            Standard::C89 => {
                "#if defined(__GNUC__)\n#define BP_INLINE __inline__\n#else\n#define BP_INLINE\n#endif\n\n"
            }
        };
        text
    }
}

fn parse(part: &'static str) -> Option<Part> {
    let (head, text) = part.split_once("*/\n")?;
    let (name, needs) = head.trim().split_once(':')?;
    Some(Part { name, needs, text: text.trim_end_matches('\n') })
}

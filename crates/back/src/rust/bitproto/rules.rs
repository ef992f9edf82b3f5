//! Ranges, defaults and texts: extensions.

use super::Printer;
use super::names::{escaped, storage};
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{Field, MessageId, Scalar, Type};

impl Printer<'_> {
    fn ranged(&self) -> Vec<bool> {
        self.schema.messages_with(|f| f.rules.range.is_some())
    }

    /// Whether a message has ranges.
    pub(super) fn has_ranges(&self, id: MessageId) -> bool {
        self.schema.root().options.extensions.is_some() && self.ranged()[id.index()]
    }

    /// What a field holds in a new message.
    pub(super) fn first_value(&self, field: &Field) -> String {
        match (&field.rules.default, self.schema.strip(&field.ty)) {
            (None, _) => self.zero(&field.ty),
            (Some(Scalar::Integer(n)), Type::Enum(id)) => format!("{}({n})", self.enum_type(*id)),
            (Some(Scalar::Text(text)), Type::Array(array)) => {
                let zeros = std::iter::repeat_n(0, array.capacity as usize - text.len());
                let bytes: Vec<String> = text.bytes().chain(zeros).map(|b| b.to_string()).collect();
                format!("[{}]", bytes.join(", "))
            }
            (Some(value), _) => literal(value),
        }
    }

    /// `check`, and the methods of texts.
    pub(super) fn rules(&self, id: MessageId, w: &mut Writer) {
        let fields = &self.schema.message(id).fields;
        if self.has_ranges(id) {
            w.blank();
            w.line(
                "/// The number of the first field that has a value out of its range, 0 if there is none.",
            );
            w.open("pub fn check(&self) -> u8 {");
            let ranged = self.ranged();
            for field in fields {
                let inner = self.schema.message_in(&field.ty).is_some_and(|id| ranged[id.index()]);
                if inner || field.rules.range.is_some() {
                    self.check(field, &field.ty, &format!("self.{}", escaped(&field.name)), 0, w);
                }
            }
            w.line("0");
            w.close("}");
        }
        for field in fields.iter().filter(|f| self.schema.text_capacity(&f.ty).is_some()) {
            let (name, place) = (&field.name, escaped(&field.name));
            w.blank();
            w.line("/// The text up to its first 0; empty if it is no UTF-8.");
            w.open(format!("pub fn {name}_text(&self) -> &str {{"));
            w.line(format!("bp::text(&self.{place})"));
            w.close("}");
            w.blank();
            w.line("/// Sets the text, cut to its capacity.");
            w.open(format!("pub fn set_{name}_text(&mut self, text: &str) {{"));
            w.line("let bytes = text.bytes().chain(core::iter::repeat(0));");
            w.open(format!("for (to, byte) in self.{place}.iter_mut().zip(bytes) {{"));
            w.line("*to = byte;");
            w.close("}");
            w.close("}");
        }
    }

    fn check(&self, field: &Field, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        let leaf = match self.schema.strip(ty) {
            Type::Array(array) => {
                let v = format!("v{depth}");
                w.open(format!("for {v} in {place}.iter() {{"));
                self.check(field, &array.element, &v, depth + 1, w);
                return w.close("}");
            }
            leaf => leaf,
        };
        let test = match (&field.rules.range, leaf) {
            (_, Type::Message(_)) => Some(format!("{place}.check() != 0")),
            (Some((low, high)), leaf) => {
                let value = if depth > 0 { format!("*{place}") } else { place.to_owned() };
                outside(&value, leaf, low, high)
            }
            (None, _) => None,
        };
        if let Some(test) = test {
            w.block(format!("if {test} {{"), "}", |w| w.line(format!("return {};", field.number)));
        }
    }
}

fn literal(value: &Scalar) -> String {
    match value {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Integer(n) => n.to_string(),
        Scalar::Float(v) => format!("{v:?}"),
        Scalar::Text(text) => format!("{text:?}"),
    }
}

/// The test for a value out of its range; what the type cannot hold is not asked for.
fn outside(place: &str, ty: &Type, low: &Scalar, high: &Scalar) -> Option<String> {
    let (least, most) = match ty {
        Type::Int(n) => {
            let half = 1_i128 << (storage(u32::from(*n)) - 1);
            (-half, half - 1)
        }
        Type::Uint(n) => (0, (1_i128 << storage(u32::from(*n))) - 1),
        Type::Byte => (0, 255),
        _ => return Some(format!("!({}..={}).contains(&{place})", literal(low), literal(high))),
    };
    match (*low == Scalar::Integer(least), *high == Scalar::Integer(most)) {
        (true, true) => None,
        (true, false) => Some(format!("{place} > {}", literal(high))),
        (false, true) => Some(format!("{place} < {}", literal(low))),
        (false, false) => Some(format!("!({}..={}).contains(&{place})", literal(low), literal(high))),
    }
}

//! Ranges, defaults and texts: extensions.

use super::Printer;
use super::names::{literal, member};
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
            (Some(Scalar::Text(text)), Type::Array(array)) => {
                format!("_bytearray({}.encode().ljust({}, b\"\\0\"))", literal(text), array.capacity)
            }
            (Some(Scalar::Integer(n)), Type::Enum(id)) => {
                format!("{}({n})", self.type_name(&self.schema.enumeration(*id).head))
            }
            (Some(value), _) => number(value),
        }
    }

    /// `check`, and the properties of texts.
    pub(super) fn rules(&self, id: MessageId, w: &mut Writer) {
        let fields = &self.schema.message(id).fields;
        let ranged = self.ranged();
        if self.has_ranges(id) {
            w.open("def check(self) -> None:");
            w.line("\"\"\"Raises ValueError if a value is out of its range.\"\"\"");
            for field in fields {
                let inner = self.schema.message_in(&field.ty).is_some_and(|id| ranged[id.index()]);
                if inner || field.rules.range.is_some() {
                    self.check(field, &field.ty, &format!("self.{}", member(&field.name)), 0, w);
                }
            }
            w.close("");
        }
        for field in fields.iter().filter(|f| self.schema.text_capacity(&f.ty).is_some()) {
            let name = member(&field.name);
            w.line("@property");
            w.open(format!("def {name}_text(self) -> _str:"));
            w.line("\"\"\"The text up to its first 0.\"\"\"");
            w.line(format!("return _bp_text(self.{name})"));
            w.close("");
            w.line(format!("@{name}_text.setter"));
            w.open(format!("def {name}_text(self, text: _str) -> None:"));
            w.line(format!("_bp_set_text(self.{name}, text)"));
            w.close("");
        }
    }

    fn check(&self, field: &Field, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            Type::Array(array) => {
                let v = format!("v{depth}");
                w.open(format!("for {v} in {place}:"));
                self.check(field, &array.element, &v, depth + 1, w);
                w.close("");
            }
            Type::Message(_) => w.line(format!("{place}.check()")),
            _ => {
                let Some((low, high)) = &field.rules.range else { return };
                w.block(format!("if not {} <= {place} <= {}:", number(low), number(high)), "", |w| {
                    let text = format!("{} is {{{place}}}, which is out of its range", field.name);
                    w.line(format!("raise _ValueError(f\"{text}\")"));
                });
            }
        }
    }
}

fn number(value: &Scalar) -> String {
    match value {
        Scalar::Bool(true) => "True".to_owned(),
        Scalar::Bool(false) => "False".to_owned(),
        Scalar::Integer(n) => n.to_string(),
        Scalar::Float(v) => format!("{v:?}"),
        Scalar::Text(text) => literal(text),
    }
}

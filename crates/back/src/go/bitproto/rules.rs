//! Ranges, defaults and texts: extensions.

use super::{Printer, member, storage};
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

    /// `Check`, `NewX`, and the functions of texts.
    pub(super) fn rules(&self, id: MessageId, w: &mut Writer) {
        if self.schema.root().options.extensions.is_none() {
            return;
        }
        let name = self.message_name(id);
        let fields = &self.schema.message(id).fields;
        let ranged = self.ranged();
        if ranged[id.index()] {
            w.line("// Check returns an error if a value is out of its range.");
            w.open(format!("func (m *{name}) Check() error {{"));
            for field in fields {
                let inner = self.schema.message_in(&field.ty).is_some_and(|id| ranged[id.index()]);
                if inner || field.rules.range.is_some() {
                    self.check(&name, field, &field.ty, &format!("m.{}", member(&field.name)), 0, w);
                }
            }
            w.line("return nil");
            w.close("}");
            w.blank();
        }
        let defaulted = self.schema.messages_with(|f| f.rules.default.is_some());
        if defaulted[id.index()] {
            w.line(format!("// New{name} returns a message with its defaults."));
            w.open(format!("func New{name}() *{name} {{"));
            w.line(format!("m := new({name})"));
            for field in fields {
                let inner = self.schema.message_in(&field.ty).is_some_and(|id| defaulted[id.index()]);
                if inner || field.rules.default.is_some() {
                    self.init(field, &field.ty, &format!("m.{}", member(&field.name)), 0, w);
                }
            }
            w.line("return m");
            w.close("}");
            w.blank();
        }
        for field in fields.iter().filter(|f| self.schema.text_capacity(&f.ty).is_some()) {
            let text = member(&field.name);
            w.line(format!("// {text}Text returns the text up to its first 0."));
            w.line(format!("func (m *{name}) {text}Text() string {{ return bpText(m.{text}[:]) }}"));
            w.blank();
            w.line(format!("// Set{text}Text sets the text, cut to its capacity."));
            w.line(format!("func (m *{name}) Set{text}Text(text string) {{ bpSetText(m.{text}[:], text) }}"));
            w.blank();
        }
    }

    fn check(&self, message: &str, field: &Field, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            Type::Array(array) => {
                let i = format!("i{depth}");
                w.open(format!("for {i} := range {place} {{"));
                self.check(message, field, &array.element, &format!("{place}[{i}]"), depth + 1, w);
                w.close("}");
            }
            Type::Message(_) => {
                w.open(format!("if err := {place}.Check(); err != nil {{"));
                w.line("return err");
                w.close("}");
            }
            leaf => {
                let Some(test) =
                    field.rules.range.as_ref().and_then(|(low, high)| outside(place, leaf, low, high))
                else {
                    return;
                };
                w.open(format!("if {test} {{"));
                w.line(format!(
                    "return fmt.Errorf(\"bitproto: {message}.{} is %v, which is out of its range\", {place})",
                    field.name
                ));
                w.close("}");
            }
        }
    }

    fn init(&self, field: &Field, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        match (&field.rules.default, self.schema.strip(ty)) {
            (Some(Scalar::Text(text)), _) => {
                w.line(format!(
                    "bpSetText({place}[:], {})",
                    crate::c::bitproto::string_literal(text).replace("\\?", "?")
                ));
            }
            (Some(value), _) => w.line(format!("{place} = {}", literal(value))),
            (None, Type::Array(array)) => {
                let i = format!("i{depth}");
                w.open(format!("for {i} := range {place} {{"));
                self.init(field, &array.element, &format!("{place}[{i}]"), depth + 1, w);
                w.close("}");
            }
            (None, Type::Message(id)) => {
                let of =
                    self.type_name(&self.schema.message(*id).head, format!("New{}", self.message_name(*id)));
                w.line(format!("{place} = *{of}()"));
            }
            _ => {}
        }
    }
}

fn literal(value: &Scalar) -> String {
    match value {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Integer(n) => n.to_string(),
        Scalar::Float(v) => format!("{v:e}"),
        Scalar::Text(_) => String::new(),
    }
}

/// The test for a value out of its range; what the type cannot hold is not asked for.
fn outside(place: &str, ty: &Type, low: &Scalar, high: &Scalar) -> Option<String> {
    let (least, most) = match ty {
        Type::Int(n) => {
            let half = 1_i128 << (storage(u64::from(*n)) - 1);
            (-half, half - 1)
        }
        Type::Uint(n) => (0, (1_i128 << storage(u64::from(*n))) - 1),
        Type::Byte => (0, 255),
        // In this form a value that is no number is out of the range.
        _ => return Some(format!("!({place} >= {} && {place} <= {})", literal(low), literal(high))),
    };
    let mut tests = Vec::new();
    if *low != Scalar::Integer(least) {
        tests.push(format!("{place} < {}", literal(low)));
    }
    if *high != Scalar::Integer(most) {
        tests.push(format!("{place} > {}", literal(high)));
    }
    (!tests.is_empty()).then(|| tests.join(" || "))
}

//! JSON text, without reflection: the text that 1.3.2 writes in C.

use super::{Printer, member};
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{MessageId, Type};

impl Printer<'_> {
    /// `AppendJSON`.
    pub(super) fn json(&self, id: MessageId, w: &mut Writer) {
        w.line("// AppendJSON appends the JSON text of the message.");
        w.open(format!("func (m *{}) AppendJSON(s []byte) []byte {{", self.message_name(id)));
        let mut before = String::from("{");
        for (i, field) in self.schema.message(id).fields.iter().enumerate() {
            before += &format!("{}\"{}\":", if i > 0 { "," } else { "" }, field.name);
            self.json_value(&field.ty, &format!("m.{}", member(&field.name)), 0, &mut before, w);
        }
        before += "}";
        w.line(format!("return append(s, {}...)", quoted(&before)));
        w.close("}");
        w.blank();
    }

    /// Appends what stands before a value, and the value, or the most of it: the rest is the new `before`.
    fn json_value(&self, ty: &Type, place: &str, depth: u32, before: &mut String, w: &mut Writer) {
        let ty = self.schema.strip(ty);
        if matches!(ty, Type::Array(a) if a.element == Type::Char) {
            append(before, w);
            return w.line(format!("s = bpAppendText(s, {place}[:])"));
        }
        if matches!(ty, Type::Array(_)) {
            before.push('[');
        }
        append(before, w);
        match ty {
            Type::Array(array) => {
                let i = format!("i{depth}");
                w.open(format!("for {i} := 0; {i} < {}; {i}++ {{", array.capacity));
                w.block(format!("if {i} > 0 {{"), "}", |w| w.line("s = append(s, ',')"));
                self.json_value(&array.element, &format!("{place}[{i}]"), depth + 1, before, w);
                append(before, w);
                w.close("}");
                before.push(']');
            }
            Type::Message(_) => w.line(format!("s = {place}.AppendJSON(s)")),
            Type::Bool => w.line(format!("s = strconv.AppendBool(s, bool({place}))")),
            Type::Float(64) => w.line(format!("s = bpAppendFloat(s, float64({place}), 64)")),
            Type::Float(_) => w.line(format!("s = bpAppendFloat(s, float64({place}), 32)")),
            Type::Int(_) => w.line(format!("s = strconv.AppendInt(s, int64({place}), 10)")),
            _ => w.line(format!("s = strconv.AppendUint(s, uint64({place}), 10)")),
        }
    }
}

/// Appends fixed text.
fn append(text: &mut String, w: &mut Writer) {
    if !text.is_empty() {
        w.line(format!("s = append(s, {}...)", quoted(&std::mem::take(text))));
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

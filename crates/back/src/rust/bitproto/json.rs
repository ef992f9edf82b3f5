//! JSON texts: compact, fields by number under their schema names, enums and bytes as numbers.

use super::Printer;
use super::names::escaped;
use vproto_code::writer::Writer;
use vproto_ir::wire::reach::held;
use vproto_ir::wire::schema::Type;

impl Printer<'_> {
    /// `json_x` of all messages that public ones hold.
    pub(super) fn print_json(&self, w: &mut Writer) {
        for id in held(self.schema, &self.public()) {
            let fields = &self.schema.message(id).fields;
            let m = if fields.is_empty() { "_" } else { "m" };
            let parameters =
                [format!("{m}: &{}", self.message_type(id)), "w: &mut dyn core::fmt::Write".to_owned()];
            w.blank();
            let name = format!("fn json_{}", self.names.function(id));
            self.open_function(&name, &parameters, " -> core::fmt::Result", w);
            for (i, field) in fields.iter().enumerate() {
                let lead = if i == 0 { "{" } else { "," };
                w.line(format!("w.write_str(\"{lead}\\\"{}\\\":\")?;", field.name));
                self.json_value(&field.ty, &format!("m.{}", escaped(&field.name)), false, 0, w);
            }
            let end = if fields.is_empty() { "{}" } else { "}" };
            w.line(format!("w.write_str(\"{end}\")"));
            w.close("}");
        }
    }

    /// The text of a place, or of what a name refers to.
    fn json_value(&self, ty: &Type, place: &str, is_reference: bool, depth: u32, w: &mut Writer) {
        let (borrow, own) = if is_reference { ("", format!("*{place}")) } else { ("&", place.to_owned()) };
        match self.schema.strip(ty) {
            Type::Bool => {
                w.line(format!("let v = {own};"));
                w.line("w.write_str(if v { \"true\" } else { \"false\" })?;");
            }
            Type::Message(id) => {
                w.line(format!("let v = {borrow}{place};"));
                w.line(format!("json_{}(v, w)?;", self.names.function(*id)));
            }
            Type::Float(_) => {
                w.line(format!("let v = {own};"));
                w.open("if v.is_finite() {");
                w.line("write!(w, \"{v:?}\")?;");
                w.turn("} else {");
                w.line("w.write_str(\"null\")?;");
                w.close("}");
            }
            Type::Array(array) if array.element == Type::Char => {
                w.line(format!("bp::write_text({borrow}{place}, w)?;"));
            }
            Type::Array(array) => {
                let (i, item) = (format!("i{depth}"), format!("v{depth}"));
                w.line(format!("let a = {borrow}{place};"));
                w.open(format!("for ({i}, {item}) in a.iter().enumerate() {{"));
                w.line(format!("w.write_str(if {i} == 0 {{ \"[\" }} else {{ \",\" }})?;"));
                self.json_value(&array.element, &item, true, depth + 1, w);
                w.close("}");
                w.line("w.write_str(\"]\")?;");
            }
            Type::Enum(_) => {
                w.line(format!("let v = {place}.0;"));
                w.line("write!(w, \"{v}\")?;");
            }
            _ => {
                w.line(format!("let v = {own};"));
                w.line("write!(w, \"{v}\")?;");
            }
        }
    }
}

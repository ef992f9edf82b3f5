//! JSON texts: compact, fields by number under their schema names, enums and bytes as numbers.

use super::Context;
use super::names::string_literal;
use vproto_code::writer::Writer;
use vproto_ir::wire::reach::held;
use vproto_ir::wire::schema::{MessageId, Type};

impl Context<'_> {
    /// `bp_json_X` of all messages that public ones hold.
    pub(super) fn print_json(&self, w: &mut Writer) {
        for id in held(self.schema, &self.public()) {
            self.print_json_of(id, w);
        }
    }

    fn print_json_of(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        w.blank();
        let ty = self.struct_type(id);
        w.line(format!("{} void bp_json_{name}(const {ty} *m, struct bp_text *t)", self.linkage()));
        w.open("{");
        let fields = &self.schema.message(id).fields;
        if fields.is_empty() {
            w.line("(void)m;");
            w.line("bp_put(t, \"{\");");
        }
        for (i, field) in fields.iter().enumerate() {
            let lead = if i == 0 { "{" } else { "," };
            let key = string_literal(&format!("{lead}\"{}\":", field.name));
            w.line(format!("bp_put(t, {key});"));
            self.json_value(&field.ty, &format!("m->{}", self.member(&field.name)), 0, w);
        }
        w.line("bp_put(t, \"}\");");
        w.close("}");
    }

    fn json_value(&self, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            Type::Bool => w.line(format!("bp_put(t, {place} ? \"true\" : \"false\");")),
            Type::Message(id) => w.line(format!("bp_json_{}(&{place}, t);", self.function_name(*id))),
            Type::Int(_) => w.line(format!("bp_put_signed(t, {place});")),
            Type::Float(n) => {
                // Digits that bring the value back.
                let digits = if *n == 64 { 17 } else { 9 };
                w.line(format!("bp_put_float(t, (double){place}, {digits});"));
            }
            Type::Array(array) if array.element == Type::Char => {
                w.line(format!("bp_put_chars(t, &{place}[0], {}u);", array.capacity));
            }
            Type::Array(array) => {
                let i = format!("i{depth}");
                w.open("{");
                w.line(format!("size_t {i};"));
                w.block(format!("for ({i} = 0; {i} < {}u; {i}++) {{", array.capacity), "}", |w| {
                    w.line(format!("bp_put(t, {i} == 0 ? \"[\" : \",\");"));
                    self.json_value(&array.element, &format!("{place}[{i}]"), depth + 1, w);
                });
                w.line("bp_put(t, \"]\");");
                w.close("}");
            }
            Type::Enum(_) => w.line(format!("bp_put_unsigned(t, (uint64_t){place});")),
            _ => w.line(format!("bp_put_unsigned(t, {place});")),
        }
    }

    /// `JsonX` and `JsonXBuf`.
    pub(super) fn print_json_interface(&self, id: MessageId, w: &mut Writer) {
        let name = self.type_name(id);
        w.line(format!("int Json{name}Buf(const struct {name} *m, char *s, size_t size)"));
        self.json_buf_body(id, "int", w);
        w.blank();
        w.line(format!("int Json{name}(struct {name} *m, char *s)"));
        w.open("{");
        w.line(format!("return Json{name}Buf(m, s, (size_t)-1);"));
        w.close("}");
        w.blank();
    }

    /// `bp_json_X_buf` of C++.
    pub(super) fn print_json_buf(&self, id: MessageId, w: &mut Writer) {
        let (name, ty) = (self.function_name(id), self.struct_type(id));
        w.blank();
        w.line(format!("inline size_t bp_json_{name}_buf(const {ty} *m, char *s, size_t size)"));
        self.json_buf_body(id, "size_t", w);
    }

    fn json_buf_body(&self, id: MessageId, result: &str, w: &mut Writer) {
        w.open("{");
        w.line("struct bp_text t;");
        w.lines("t.to = s;\nt.size = size;\nt.length = 0;");
        w.line(format!("bp_json_{}(m, &t);", self.function_name(id)));
        w.block("if (size > 0) {", "}", |w| w.line("s[t.length < size ? t.length : size - 1u] = 0;"));
        w.line(format!("return ({result})t.length;"));
        w.close("}");
    }
}

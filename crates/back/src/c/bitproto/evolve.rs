//! Reading what other versions wrote: types walked at run time with a bounded reader.
//!
//! `bp_read_X` reads a message, `bp_skip_X` passes over one whose size depends on marks within. They follow the rules
//! in [`vproto_ir::wire`]; `DecodeX` uses them only after `bp_same_X` said that the writer was another version.

use super::Context;
use super::names::storage;
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::Leaf;
use vproto_ir::wire::reach::{Walked, walked};
use vproto_ir::wire::schema::{Array, MessageId, Type};

impl Context<'_> {
    /// `DecodeX` and `DecodeXBuf`.
    pub(super) fn print_decode_interface(&self, id: MessageId, w: &mut Writer) {
        let name = self.type_name(id);
        let plan = &self.plan.messages[id.index()];
        let head = format!("int Decode{name}Buf(struct {name} *m, const unsigned char *s, size_t len)");
        if self.has_ranges(id) {
            w.line(format!(
                "static int bp_decode_{name}_buf(struct {name} *m, const unsigned char *s, size_t len)"
            ));
            self.decode_buf_body(id, w);
            w.blank();
            w.line(head);
            w.open("{");
            w.line(format!("int used = bp_decode_{name}_buf(m, s, len);"));
            w.line(format!("return used >= 0 && bp_check_{name}(m) != 0 ? -2 : used;"));
            w.close("}");
        } else {
            w.line(head);
            self.decode_buf_body(id, w);
        }
        w.blank();
        w.line(format!("int Decode{name}(struct {name} *m, unsigned char *s)"));
        w.open("{");
        if plan.has_marks {
            w.block(format!("if (bp_same_{name}(s)) {{"), "} else {", |w| {
                w.line(format!("bp_decode_{name}(m, s);"))
            });
            w.lines(&format!(
                "    struct bp_reader r;\n    bp_begin(&r, s, (size_t)-1);\n    bp_read_{name}(m, &r);\n}}"
            ));
        } else {
            w.line(format!("bp_decode_{name}(m, s);"));
        }
        self.return_outside(id, w);
        w.line("return 0;");
        w.close("}");
        w.blank();
    }

    /// `bp_decode_X_buf` of C++.
    pub(super) fn print_decode_buf(&self, id: MessageId, w: &mut Writer) {
        let (name, ty) = (self.function_name(id), self.struct_type(id));
        w.blank();
        w.line(format!("inline int bp_decode_{name}_buf({ty} *m, const unsigned char *s, size_t len)"));
        self.decode_buf_body(id, w);
    }

    fn decode_buf_body(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let length = self.length(id);
        let plan = &self.plan.messages[id.index()];
        w.open("{");
        if plan.has_marks {
            w.line("struct bp_reader r;");
            w.block(format!("if (len >= {length} && bp_same_{name}(s)) {{"), "}", |w| {
                w.line(format!("bp_decode_{name}(m, s);"));
                w.line(format!("return {length};"));
            });
            w.lines(&format!(
                "bp_begin(&r, s, len);\nbp_read_{name}(m, &r);\nreturn r.bad ? -1 : (int)((r.at + 7u) >> 3);"
            ));
        } else {
            match plan.bytes {
                0 => w.line("(void)len;"),
                _ => w.block(format!("if (len < {length}) {{"), "}", |w| w.line("return -1;")),
            }
            w.line(format!("bp_decode_{name}(m, s);"));
            w.line(format!("return {length};"));
        }
        w.close("}");
    }

    /// The readers of all messages that public ones with marks hold, and the skippers they need.
    pub(super) fn print_readers(&self, w: &mut Writer) {
        let Walked { read, skipped } = walked(self.schema, &self.public());
        skipped.iter().for_each(|id| self.print_skipper(*id, w));
        read.iter().for_each(|id| self.print_reader(*id, w));
    }

    fn print_reader(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        let message = self.schema.message(id);
        w.blank();
        let ty = self.struct_type(id);
        w.line(format!("{} void bp_read_{name}({ty} *m, struct bp_reader *r)", self.linkage()));
        w.open("{");
        if message.marked {
            w.line("uint32_t outer = bp_enter(r);");
        }
        if message.fields.is_empty() {
            w.line("(void)m;");
            if !message.marked {
                w.line("(void)r;");
            }
        }
        for field in &message.fields {
            self.read_value(&field.ty, &format!("m->{}", self.member(&field.name)), 0, w);
        }
        if message.marked {
            w.line("bp_leave(r, outer);");
        }
        w.close("}");
    }

    fn read_value(&self, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty) as u32;
        match self.schema.strip(ty) {
            Type::Message(id) => w.line(format!("bp_read_{}(&{place}, r);", self.function_name(*id))),
            Type::Array(array) => self.read_array(array, place, depth, w),
            Type::Bool => w.line(format!("{place} = bp_take(r, 1u) != 0;")),
            Type::Int(_) => {
                w.line(format!("{place} = (int{}_t)bp_signed(bp_take(r, {bits}u), {bits}u);", storage(bits)));
            }
            Type::Float(n) => {
                let word = if *n == 64 { 64 } else { 32 };
                w.line(format!("{place} = bp_f{n}((uint{word}_t)bp_take(r, {bits}u));"));
            }
            Type::Char => w.line(format!("{place} = (char)bp_take(r, 8u);")),
            Type::Enum(id) => {
                let ty = self.unsigned_type(Leaf::Enum(*id), storage(bits));
                w.line(format!("{place} = ({ty})bp_take(r, {bits}u);"));
            }
            _ => w.line(format!("{place} = (uint{}_t)bp_take(r, {bits}u);", storage(bits))),
        }
    }

    fn read_array(&self, array: &Array, place: &str, depth: u32, w: &mut Writer) {
        let i = format!("i{depth}");
        let cap = array.capacity;
        w.open("{");
        w.line(format!("uint32_t {i};"));
        if array.marked {
            w.line(format!("uint32_t n{depth} = (uint32_t)bp_take(r, 16u);"));
            w.line(format!("uint32_t limit{depth} = r->limit;"));
        }
        w.open(format!("for ({i} = 0; {i} < {cap}u; {i}++) {{"));
        if array.marked {
            // What was not written reads as zero: nothing is left to be read.
            w.block(format!("if ({i} == n{depth} && r->at < r->limit) {{"), "}", |w| {
                w.line("r->limit = r->at;")
            });
        }
        self.read_value(&array.element, &format!("{place}[{i}]"), depth + 1, w);
        w.close("}");
        if array.marked {
            w.line(format!("r->limit = limit{depth};"));
            let more = format!("n{depth}");
            self.skip_values(&array.element, &i, &more, cap, w);
        }
        w.close("}");
    }

    /// Skips the elements from number `from` to `more`.
    fn skip_values(&self, ty: &Type, i: &str, more: &str, from: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        if bits == 0 {
            return;
        }
        if !self.schema.has_marks(ty) {
            w.block(format!("if ({more} > {from}u) {{"), "}", |w| {
                w.line(format!("bp_skip(r, ({more} - {from}u) * {bits}u);"));
            });
            return;
        }
        let test = format!("{i} < {more} && r->at < r->limit && !r->bad");
        w.block(format!("for ({i} = {from}u; {test}; {i}++) {{"), "}", |w| self.skip_value(ty, 10, w));
    }

    /// Skips one value whose size depends on marks.
    fn skip_value(&self, ty: &Type, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        match self.schema.strip(ty) {
            _ if !self.schema.has_marks(ty) => w.line(format!("bp_skip(r, {bits}u);")),
            Type::Message(id) if self.schema.message(*id).marked => w.line("bp_leave(r, bp_enter(r));"),
            Type::Message(id) => w.line(format!("bp_skip_{}(r);", self.function_name(*id))),
            Type::Array(array) => w.block("{", "}", |w| {
                let (i, n) = (format!("i{depth}"), format!("n{depth}"));
                let count = if array.marked {
                    "(uint32_t)bp_take(r, 16u)".to_owned()
                } else {
                    format!("{}u", array.capacity)
                };
                w.line(format!("uint32_t {i} = 0;"));
                w.line(format!("uint32_t {n} = {count};"));
                let element_bits = self.schema.bits(&array.element);
                if self.schema.has_marks(&array.element) {
                    let test = format!("{i} < {n} && r->at < r->limit && !r->bad");
                    w.block(format!("for (; {test}; {i}++) {{"), "}", |w| {
                        self.skip_value(&array.element, depth + 1, w);
                    });
                } else {
                    w.line(format!("bp_skip(r, ({n} - {i}) * {element_bits}u);"));
                }
            }),
            _ => {}
        }
    }

    fn print_skipper(&self, id: MessageId, w: &mut Writer) {
        let name = self.function_name(id);
        w.blank();
        w.line(format!("{} void bp_skip_{name}(struct bp_reader *r)", self.linkage()));
        w.open("{");
        for field in &self.schema.message(id).fields {
            self.skip_value(&field.ty, 0, w);
        }
        w.close("}");
    }
}

//! Reading what other versions wrote: types walked at run time with a bounded reader, see [`vproto_ir::wire`].

use super::Printer;
use super::names::{escaped, storage};
use super::place::assign;
use vproto_code::writer::Writer;
use vproto_ir::wire::reach::{Walked, walked};
use vproto_ir::wire::schema::{Array, MessageId, Type};

impl Printer<'_> {
    /// The readers of all messages that public ones with marks hold, and the skippers they need.
    pub(super) fn print_readers(&self, w: &mut Writer) {
        let Walked { read, skipped } = walked(self.schema, &self.public());
        skipped.iter().for_each(|id| self.print_skipper(*id, w));
        read.iter().for_each(|id| self.print_reader(*id, w));
    }

    fn print_reader(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let used = if message.fields.is_empty() { "_" } else { "m" };
        let reader = if message.fields.is_empty() && !message.marked { "_" } else { "r" };
        let parameters =
            [format!("{used}: &mut {}", self.message_type(id)), format!("{reader}: &mut bp::Reader<'_>")];
        w.blank();
        self.open_function(&format!("fn read_{}", self.names.function(id)), &parameters, "", w);
        if message.marked {
            w.line("let outer = r.enter();");
        }
        for field in &message.fields {
            self.read_value(&field.ty, &format!("m.{}", escaped(&field.name)), 0, w);
        }
        if message.marked {
            w.line("r.leave(outer);");
        }
        w.close("}");
    }

    fn read_value(&self, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty) as u32;
        let stored = storage(bits);
        let narrow = |text: String| if stored == 64 { text } else { format!("{text} as u{stored}") };
        let value = match self.schema.strip(ty) {
            Type::Message(id) => {
                let line = format!("read_{}(&mut {place}, r);", self.names.function(*id));
                if line.len() + w.depth() * 4 > 72 {
                    w.line(format!("let a = &mut {place};"));
                    return w.line(format!("read_{}(a, r);", self.names.function(*id)));
                }
                return w.line(line);
            }
            Type::Array(array) => return self.read_array(array, place, depth, w),
            Type::Bool => "r.take(1) != 0".to_owned(),
            Type::Int(64) => "r.take(64) as i64".to_owned(),
            Type::Int(_) if bits == stored => format!("r.take({bits}) as i{stored}"),
            Type::Int(_) => {
                let wide = format!("bp::signed(r.take({bits}), {bits})");
                if stored == 64 { wide } else { format!("{wide} as i{stored}") }
            }
            Type::Enum(id) => {
                format!("{}({})", self.enum_type(*id), narrow(format!("r.take({bits})")))
            }
            Type::Float(_) => super::decode::float(bits, &narrow(format!("r.take({bits})"))),
            _ => narrow(format!("r.take({bits})")),
        };
        assign(place, &value, w);
    }

    fn read_array(&self, array: &Array, place: &str, depth: u32, w: &mut Writer) {
        let (i, cap) = (format!("i{depth}"), array.capacity);
        if array.marked {
            w.line(format!("let (n{depth}, limit{depth}) = (r.take(16), r.limit);"));
        }
        let item = format!("v{depth}");
        w.line(format!("let a = &mut {place};"));
        if array.marked {
            w.open(format!("for ({i}, {item}) in a.iter_mut().enumerate() {{"));
            // What was not written reads as zero: nothing is left to be read.
            w.block(format!("if {i} as u64 == n{depth} {{"), "}", |w| w.line("r.stop();"));
        } else {
            w.open(format!("for {item} in a.iter_mut() {{"));
        }
        self.read_item(&array.element, &item, depth + 1, w);
        w.close("}");
        if array.marked {
            w.line(format!("r.limit = limit{depth};"));
            self.skip_values(&array.element, &format!("n{depth}.saturating_sub({cap})"), depth, w);
        }
    }

    /// An element that `item` refers to.
    fn read_item(&self, ty: &Type, item: &str, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            Type::Message(id) => w.line(format!("read_{}({item}, r);", self.names.function(*id))),
            Type::Array(array) => {
                let array = (**array).clone();
                self.read_array(&array, &format!("*{item}"), depth, w);
            }
            _ => self.read_value(ty, &format!("*{item}"), depth, w),
        }
    }

    /// Skips so many values.
    fn skip_values(&self, ty: &Type, count: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        if bits == 0 {
            return;
        }
        if !self.schema.has_marks(ty) {
            let times = if bits == 1 { String::new() } else { format!(" * {bits}") };
            return w.line(format!("r.skip({count}{times});"));
        }
        w.line(format!("let mut k{depth} = {count};"));
        w.open(format!("while k{depth} > 0 && !r.done() {{"));
        self.skip_value(ty, depth + 1, w);
        w.line(format!("k{depth} -= 1;"));
        w.close("}");
    }

    /// Skips one value.
    fn skip_value(&self, ty: &Type, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            _ if self.schema.bits(ty) == 0 => {}
            _ if !self.schema.has_marks(ty) => w.line(format!("r.skip({});", self.schema.bits(ty))),
            Type::Message(id) if self.schema.message(*id).marked => {
                w.line("let outer = r.enter();");
                w.line("r.leave(outer);");
            }
            Type::Message(id) => w.line(format!("skip_{}(r);", self.names.function(*id))),
            Type::Array(array) if array.marked => {
                w.line(format!("let n{depth} = r.take(16);"));
                self.skip_values(&array.element, &format!("n{depth}"), depth, w);
            }
            Type::Array(array) => self.skip_values(&array.element, &array.capacity.to_string(), depth, w),
            _ => {}
        }
    }

    fn print_skipper(&self, id: MessageId, w: &mut Writer) {
        w.blank();
        let parameters = ["r: &mut bp::Reader<'_>".to_owned()];
        self.open_function(&format!("fn skip_{}", self.names.function(id)), &parameters, "", w);
        for field in &self.schema.message(id).fields {
            self.skip_value(&field.ty, 0, w);
        }
        w.close("}");
    }
}

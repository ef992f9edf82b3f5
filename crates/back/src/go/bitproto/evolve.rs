//! Reading what other versions wrote, see [`vproto_ir::wire`].

use super::{Printer, assign, member};
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{Array, MessageId, Type};

/// The interface of readers, the same in all packages.
const READER: &str = "r interface {\n\tTake(int) uint64\n\tSkip(int)\n\tEnter() int\n\tLeave(int)\n\tDone() bool\n\tStop()\n\tLimit() int\n\tSetLimit(int)";

impl Printer<'_> {
    /// `BpRead`, and `BpSkip` of messages that have marks within and none themselves.
    pub(super) fn read(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let name = self.message_name(id);
        w.line("// BpRead reads the message bit by bit, whatever the writer's version was.");
        self.open_with_reader(&format!("func (m *{name}) BpRead("), w);
        if message.marked {
            w.line("outer := r.Enter()");
        }
        w.line("var v uint64");
        w.line("_ = v");
        for field in &message.fields {
            self.read_value(&field.ty, &format!("m.{}", member(&field.name)), 0, w);
        }
        if message.marked {
            w.line("r.Leave(outer)");
        }
        w.close("}");
        w.blank();
        if message.has_marks && !message.marked {
            w.line("// BpSkip passes over a message.");
            self.open_with_reader(&format!("func (m *{name}) BpSkip("), w);
            for field in &message.fields {
                self.skip_value(&field.ty, 0, w);
            }
            w.close("}");
            w.blank();
        }
    }

    fn open_with_reader(&self, start: &str, w: &mut Writer) {
        w.lines(&format!("{start}{READER}"));
        w.open("}) {");
    }

    fn read_value(&self, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty) as u32;
        match self.schema.strip(ty) {
            Type::Message(_) => w.line(format!("{place}.BpRead(r)")),
            Type::Array(array) => self.read_array(array, place, depth, w),
            leaf => {
                w.line(format!("v = r.Take({bits})"));
                assign(leaf, place, &self.ty(ty), (bits, true), w);
            }
        }
    }

    fn read_array(&self, array: &Array, place: &str, depth: u32, w: &mut Writer) {
        let (i, n, cap) = (format!("i{depth}"), format!("n{depth}"), array.capacity);
        if array.marked {
            w.open("{");
            w.line(format!("{n} := int(r.Take(16))"));
            w.line(format!("limit{depth} := r.Limit()"));
        }
        w.open(format!("for {i} := 0; {i} < {cap}; {i}++ {{"));
        if array.marked {
            w.block(format!("if {i} == {n} {{"), "}", |w| w.line("r.Stop()"));
        }
        self.read_value(&array.element, &format!("{place}[{i}]"), depth + 1, w);
        w.close("}");
        if array.marked {
            w.line(format!("r.SetLimit(limit{depth})"));
            self.skip_values(&array.element, &format!("{n} - {cap}"), depth, w);
            w.close("}");
        }
    }

    fn skip_values(&self, ty: &Type, count: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        if bits == 0 {
            return;
        }
        if !self.schema.has_marks(ty) {
            return w.line(format!("r.Skip(({count}) * {bits})"));
        }
        w.open(format!("for k{depth} := {count}; k{depth} > 0 && !r.Done(); k{depth}-- {{"));
        self.skip_value(ty, depth + 1, w);
        w.close("}");
    }

    fn skip_value(&self, ty: &Type, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            _ if !self.schema.has_marks(ty) => w.line(format!("r.Skip({})", self.schema.bits(ty))),
            Type::Message(id) if self.schema.message(*id).marked => w.line("r.Leave(r.Enter())"),
            Type::Message(_) => w.line(format!("(*{})(nil).BpSkip(r)", self.ty(ty))),
            Type::Array(array) => {
                w.open("{");
                let count =
                    if array.marked { "int(r.Take(16))".to_owned() } else { array.capacity.to_string() };
                w.line(format!("m{depth} := {count}"));
                w.line(format!("_ = m{depth}"));
                self.skip_values(&array.element, &format!("m{depth}"), depth, w);
                w.close("}");
            }
            _ => {}
        }
    }
}

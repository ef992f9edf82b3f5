//! Reading what other versions wrote: types walked at run time with a bounded reader, see [`vproto_ir::wire`].

use super::Printer;
use super::names::member;
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{Array, MessageId, Type};

/// The reader; part of each module with marks.
pub(super) const READER: &str = include_str!("../../../../../runtime/python/bitproto_reader.py");

impl Printer<'_> {
    /// `_bp_read`: the message that is next.
    pub(super) fn read(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        w.open("def _bp_read(self, r: _typing.Any) -> None:");
        if message.marked {
            w.line("outer = r.enter()");
        }
        for field in &message.fields {
            self.read_value(&field.ty, &format!("self.{}", member(&field.name)), 0, w);
        }
        if message.marked {
            w.line("r.leave(outer)");
        } else if message.fields.is_empty() {
            w.line("pass");
        }
        w.close("");
    }

    fn read_value(&self, ty: &Type, place: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        match self.schema.strip(ty) {
            Type::Message(_) => w.line(format!("{place}._bp_read(r)")),
            Type::Array(array) => self.read_array(array, place, depth, w),
            Type::Bool => w.line(format!("{place} = r.take(1) != 0")),
            Type::Int(_) => {
                let sign = 1_u64 << (bits - 1);
                w.line(format!("{place} = (r.take({bits}) ^ {sign}) - {sign}"));
            }
            Type::Float(_) => w.line(format!("{place} = _bp_float{bits}(r.take({bits}))")),
            Type::Enum(id) => {
                w.line(format!("v = r.take({bits})"));
                w.line(format!("{place} = {}.get(v, v)", self.enum_map(*id)));
            }
            _ => w.line(format!("{place} = r.take({bits})")),
        }
    }

    fn read_array(&self, array: &Array, place: &str, depth: u32, w: &mut Writer) {
        let (i, cap) = (format!("i{depth}"), array.capacity);
        if array.marked {
            w.line(format!("n{depth} = r.take(16)"));
            w.line(format!("limit{depth} = r.limit"));
        }
        w.open(format!("for {i} in _range({cap}):"));
        if array.marked {
            // What was not written reads as zero: nothing is left to be read.
            w.block(format!("if {i} == n{depth} and r.at < r.limit:"), "", |w| w.line("r.limit = r.at"));
        }
        self.read_value(&array.element, &format!("{place}[{i}]"), depth + 1, w);
        w.close("");
        if array.marked {
            w.line(format!("r.limit = limit{depth}"));
            self.skip_values(&array.element, &format!("n{depth} - {cap}"), depth, w);
        }
    }

    /// Skips `count` values.
    fn skip_values(&self, ty: &Type, count: &str, depth: u32, w: &mut Writer) {
        let bits = self.schema.bits(ty);
        if bits == 0 {
            return;
        }
        if !self.schema.has_marks(ty) {
            return w.line(format!("r.skip(({count}) * {bits})"));
        }
        w.open(format!("for _{depth} in _range({count}):"));
        w.block("if r.at >= r.limit:", "", |w| w.line("break"));
        self.skip_value(ty, depth + 1, w);
        w.close("");
    }

    fn skip_value(&self, ty: &Type, depth: u32, w: &mut Writer) {
        match self.schema.strip(ty) {
            _ if !self.schema.has_marks(ty) => w.line(format!("r.skip({})", self.schema.bits(ty))),
            Type::Message(id) if self.schema.message(*id).marked => w.line("r.leave(r.enter())"),
            Type::Message(id) => {
                w.line(format!("{}._bp_skip(r)", self.type_name(&self.schema.message(*id).head)));
            }
            Type::Array(array) => {
                let count = if array.marked { "r.take(16)".to_owned() } else { array.capacity.to_string() };
                // An array of nothing is passed over with its mark.
                w.line(format!("m{depth} = {count}"));
                self.skip_values(&array.element, &format!("m{depth}"), depth, w);
            }
            _ => {}
        }
    }

    /// `_bp_skip`: passes over a message that has no mark itself.
    pub(super) fn skip(&self, id: MessageId, w: &mut Writer) {
        w.line("@_staticmethod");
        w.open("def _bp_skip(r: _typing.Any) -> None:");
        for field in &self.schema.message(id).fields {
            self.skip_value(&field.ty, 0, w);
        }
        w.close("");
    }
}

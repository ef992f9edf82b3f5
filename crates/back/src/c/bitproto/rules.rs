//! Ranges and defaults: extensions that the wire does not know of.
//!
//! `bp_check_X` gives the number of the first field that holds, or whose message holds, a value out of its range, 0 if
//! there is none. `bp_init_X` sets the defaults. Only messages that have rules, or hold one that has, get them.

use super::Context;
use super::header::integer;
use super::names::{storage, string_literal};
use std::collections::BTreeSet;
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{Field, MessageId, Scalar, Type};

impl Context<'_> {
    /// By message: whether it has ranges.
    fn ranged(&self) -> Vec<bool> {
        self.schema.messages_with(|f| f.rules.range.is_some())
    }

    /// By message: whether it has defaults.
    fn defaulted(&self) -> Vec<bool> {
        self.schema.messages_with(|f| f.rules.default.is_some())
    }

    /// Whether a message has ranges.
    pub(crate) fn has_ranges(&self, id: MessageId) -> bool {
        self.schema.root().options.extensions.is_some() && self.ranged()[id.index()]
    }

    /// Whether a message has defaults.
    pub(crate) fn has_defaults(&self, id: MessageId) -> bool {
        self.schema.root().options.extensions.is_some() && self.defaulted()[id.index()]
    }

    /// The public messages and all that they hold, in order of definition.
    fn held_by_public(&self) -> BTreeSet<MessageId> {
        let mut found: BTreeSet<MessageId> = self.public().into_iter().collect();
        for id in (0..self.schema.messages.len()).rev().map(|i| MessageId(i as u32)) {
            if found.contains(&id) {
                let fields = self.schema.message(id).fields.iter();
                found.extend(fields.filter_map(|f| self.schema.message_in(&f.ty)));
            }
        }
        found
    }

    /// `bp_check_X` and `bp_init_X` of all messages that need them.
    pub(super) fn print_rules(&self, w: &mut Writer) {
        if self.schema.root().options.extensions.is_none() {
            return;
        }
        let (ranged, defaulted) = (self.ranged(), self.defaulted());
        for id in self.held_by_public() {
            let (name, ty) = (self.function_name(id), self.struct_type(id));
            if ranged[id.index()] {
                w.blank();
                w.line(format!("{} int bp_check_{name}(const {ty} *m)", self.linkage()));
                w.open("{");
                self.schema.message(id).fields.iter().for_each(|f| self.check_field(f, &ranged, w));
                w.line("return 0;");
                w.close("}");
            }
            if defaulted[id.index()] {
                w.blank();
                w.line(format!("{} void bp_init_{name}({ty} *m)", self.linkage()));
                w.open("{");
                self.schema.message(id).fields.iter().for_each(|f| self.init_field(f, &defaulted, w));
                w.close("}");
            }
        }
    }

    fn check_field(&self, field: &Field, ranged: &[bool], w: &mut Writer) {
        let inner = self.schema.message_in(&field.ty).filter(|id| ranged[id.index()]);
        let place = format!("m->{}", self.member(&field.name));
        let number = field.number;
        self.each(&field.ty, &place, 0, w, &|place, ty, w| {
            let test = match (&field.rules.range, inner) {
                (Some((low, high)), _) => outside(place, self.schema.strip(ty), low, high),
                (None, Some(id)) => Some(format!("bp_check_{}(&{place}) != 0", self.function_name(id))),
                (None, None) => None,
            };
            if let Some(test) = test {
                w.block(format!("if ({test}) {{"), "}", |w| w.line(format!("return {number};")));
            }
        });
    }

    fn init_field(&self, field: &Field, defaulted: &[bool], w: &mut Writer) {
        let place = format!("m->{}", self.member(&field.name));
        if let Some(default) = &field.rules.default {
            return match default {
                Scalar::Text(text) => {
                    w.line(format!("memcpy(&{place}[0], {}, {});", string_literal(text), text.len()));
                }
                value => w.line(format!("{place} = {};", self.scalar(value, &field.ty))),
            };
        }
        let Some(id) = self.schema.message_in(&field.ty).filter(|id| defaulted[id.index()]) else { return };
        self.each(&field.ty, &place, 0, w, &|place, _, w| {
            w.line(format!("bp_init_{}(&{place});", self.function_name(id)));
        });
    }

    /// A value as an expression of a type.
    pub(crate) fn scalar(&self, value: &Scalar, ty: &Type) -> String {
        match (value, self.schema.strip(ty)) {
            (Scalar::Integer(n), Type::Enum(id)) => {
                let bits = storage(u32::from(self.schema.enumeration(*id).bits));
                let cast = self.unsigned_type(vproto_ir::wire::plan::Leaf::Enum(*id), bits);
                format!("({cast}){n}")
            }
            (value, ty) => literal(value, ty),
        }
    }

    /// A statement for each element of nested arrays that hold something to look at.
    fn each(
        &self,
        ty: &Type,
        place: &str,
        depth: u32,
        w: &mut Writer,
        leaf: &dyn Fn(&str, &Type, &mut Writer),
    ) {
        let Type::Array(array) = self.schema.strip(ty) else { return leaf(place, ty, w) };
        let mut inner = Writer::new("    ");
        let i = format!("i{depth}");
        self.each(&array.element, &format!("{place}[{i}]"), depth + 1, &mut inner, leaf);
        let inner = inner.finish();
        if inner.trim().is_empty() {
            return;
        }
        w.open("{");
        w.line(format!("size_t {i};"));
        w.block(format!("for ({i} = 0; {i} < {}u; {i}++) {{", array.capacity), "}", |w| {
            w.lines(inner.trim_end());
        });
        w.close("}");
    }

    /// Leaves a function if the message has values out of their ranges.
    pub(super) fn return_outside(&self, id: MessageId, w: &mut Writer) {
        if self.has_ranges(id) {
            let name = self.function_name(id);
            w.block(format!("if (bp_check_{name}(m) != 0) {{"), "}", |w| w.line("return -2;"));
        }
    }

    /// `CheckX` and `InitX`.
    pub(super) fn print_rules_interface(&self, id: MessageId, w: &mut Writer) {
        let name = self.type_name(id);
        if self.has_ranges(id) {
            w.line(format!("int Check{name}(const struct {name} *m)"));
            w.block("{", "}", |w| w.line(format!("return bp_check_{name}(m);")));
            w.blank();
        }
        if self.has_defaults(id) {
            w.line(format!("void Init{name}(struct {name} *m)"));
            w.block("{", "}", |w| {
                w.line("memset(m, 0, sizeof *m);");
                w.line(format!("bp_init_{name}(m);"));
            });
            w.blank();
        }
    }

    /// Their prototypes.
    pub(super) fn print_rules_prototypes(&self, id: MessageId, w: &mut Writer) {
        let name = self.type_name(id);
        if self.has_ranges(id) {
            w.line(
                "/* The number of the first field that has a value out of its range, 0 if there is none. */",
            );
            w.line(format!("int Check{name}(const struct {name} *m);"));
        }
        if self.has_defaults(id) {
            w.line("/* Sets all fields to 0 or their defaults. */");
            w.line(format!("void Init{name}(struct {name} *m);"));
        }
    }
}

fn literal(value: &Scalar, ty: &Type) -> String {
    match value {
        Scalar::Bool(b) => u8::from(*b).to_string(),
        Scalar::Integer(n) => integer(&n.to_string()).unwrap_or_default(),
        Scalar::Float(v) if *ty == Type::Float(64) => format!("{v:e}"),
        Scalar::Float(v) => format!("{v:e}f"),
        Scalar::Text(text) => string_literal(text),
    }
}

/// The test for a value out of its range; what the type cannot hold is not asked for.
fn outside(place: &str, ty: &Type, low: &Scalar, high: &Scalar) -> Option<String> {
    let (bits, signed) = match ty {
        Type::Int(n) => (storage(u32::from(*n)), true),
        Type::Uint(n) => (storage(u32::from(*n)), false),
        Type::Byte => (8, false),
        // In this form a value that is no number is out of the range.
        _ => return Some(format!("!({place} >= {} && {place} <= {})", literal(low, ty), literal(high, ty))),
    };
    let (least, most) = match signed {
        true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        false => (0, (1_i128 << bits) - 1),
    };
    let mut tests = Vec::new();
    if *low != Scalar::Integer(least) {
        tests.push(format!("{place} < {}", literal(low, ty)));
    }
    if *high != Scalar::Integer(most) {
        tests.push(format!("{place} > {}", literal(high, ty)));
    }
    (!tests.is_empty()).then(|| tests.join(" || "))
}

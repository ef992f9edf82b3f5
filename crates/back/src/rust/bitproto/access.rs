//! Single fields in encoded bytes: `X::get_field(s)` and `X::set_field(s, v)`, with an index for each array on the
//! way. Bytes that are too few and indices that are too large give `None`.

use super::Printer;
use super::names::{is_snake, storage, unique};
use super::place::let_line;
use std::collections::BTreeSet;
use vproto_code::writer::Writer;
use vproto_ir::wire::access::{Accessor, Guard, accessors};
use vproto_ir::wire::schema::{MessageId, Type};

/// Names of indices.
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

impl Printer<'_> {
    /// The accessors of a message with the names of their fields.
    pub(super) fn accessors(&self, id: MessageId) -> Vec<(String, Accessor)> {
        let mut taken = BTreeSet::new();
        let all = accessors(self.schema, id).into_iter();
        // Types nest deeper than anyone names indices.
        let all = all.filter(|a| a.dimensions.len() <= INDICES.len());
        all.map(|a| (unique(a.path.join("_"), &mut taken), a)).collect()
    }

    pub(super) fn print_accessors(&self, id: MessageId, w: &mut Writer) {
        for (name, accessor) in self.accessors(id) {
            let indices = &INDICES[..accessor.dimensions.len()];
            self.print_getter(&name, &accessor, indices, w);
            self.print_setter(&name, &accessor, indices, w);
        }
    }

    fn print_getter(&self, name: &str, accessor: &Accessor, indices: &[&str], w: &mut Writer) {
        let path = accessor.path.join(".");
        let mut parameters = vec!["s: &[u8]".to_owned()];
        parameters.extend(indices.iter().map(|i| format!("{i}: usize")));
        w.blank();
        w.line(format!("/// `{path}` in encoded bytes."));
        let result = format!(" -> Option<{}>", self.ty(&accessor.ty));
        self.open_function(&format!("pub fn get_{name}"), &parameters, &result, w);
        let zero = self.zero(&accessor.ty);
        bounds(accessor, indices, w);
        for guard in &accessor.guards {
            let test = match guard {
                Guard::Size { at, size } => format!("bp::get(s, {at}, 16)? < {size}"),
                Guard::Count { at, dimension } => {
                    format!("bp::get(s, {at}, 16)? <= {} as u64", indices[*dimension])
                }
            };
            w.block(format!("if {test} {{"), "}", |w| w.line(format!("return Some({zero});")));
        }
        let (at, bits) = (position(accessor, indices), accessor.bits);
        let raw = format!("bp::get(s, {at}, {bits})?");
        let stored = storage(bits);
        let narrow = |ty: &str| if stored == 64 { String::new() } else { format!(" as {ty}{stored}") };
        let_line("v", &raw, w);
        match self.schema.strip(&accessor.ty) {
            Type::Bool => w.line("Some(v != 0)"),
            Type::Int(64) => w.line("Some(v as i64)"),
            Type::Int(_) if bits == stored => w.line(format!("Some(v as i{stored})")),
            Type::Int(_) => w.line(format!("Some(bp::signed(v, {bits}){})", narrow("i"))),
            Type::Enum(id) => w.line(format!("Some({}(v{}))", self.enum_type(*id), narrow("u"))),
            _ => w.line(format!("Some(v{})", narrow("u"))),
        }
        w.close("}");
    }

    fn print_setter(&self, name: &str, accessor: &Accessor, indices: &[&str], w: &mut Writer) {
        let path = accessor.path.join(".");
        let mut parameters = vec!["s: &mut [u8]".to_owned()];
        parameters.extend(indices.iter().map(|i| format!("{i}: usize")));
        parameters.push(format!("v: {}", self.ty(&accessor.ty)));
        w.blank();
        w.line(format!("/// Sets `{path}` in encoded bytes."));
        self.open_function(&format!("pub fn set_{name}"), &parameters, " -> Option<()>", w);
        bounds(accessor, indices, w);
        let stored = storage(accessor.bits);
        let value = match self.schema.strip(&accessor.ty) {
            Type::Int(_) => "v as u64",
            Type::Enum(_) if stored == 64 => "v.0",
            Type::Enum(_) => "u64::from(v.0)",
            Type::Bool => "u64::from(v)",
            _ if stored == 64 => "v",
            _ => "u64::from(v)",
        };
        let (at, bits) = (position(accessor, indices), accessor.bits);
        let line = format!("bp::set(s, {at}, {bits}, {value})");
        // rustfmt breaks arguments of more than 60 columns.
        if line.len() > 60 {
            w.line(format!("let at = {at};"));
            w.line(format!("bp::set(s, at, {bits}, {value})"));
        } else {
            w.line(line);
        }
        w.close("}");
    }

    /// Whether names of accessors would be warned of.
    pub(super) fn has_odd_accessors(&self, id: MessageId) -> bool {
        self.accessors(id).iter().any(|(name, _)| !is_snake(&format!("get_{name}")))
    }
}

fn bounds(accessor: &Accessor, indices: &[&str], w: &mut Writer) {
    let test = |(d, i): (&vproto_ir::wire::access::Dimension, &&str)| format!("{i} >= {}", d.capacity);
    let tests: Vec<String> = accessor.dimensions.iter().zip(indices).map(test).collect();
    if !tests.is_empty() {
        w.block(format!("if {} {{", tests.join(" || ")), "}", |w| w.line("return None;"));
    }
}

/// The bit of an element.
fn position(accessor: &Accessor, indices: &[&str]) -> String {
    let mut terms = Vec::new();
    if accessor.at > 0 || accessor.dimensions.is_empty() {
        terms.push(accessor.at.to_string());
    }
    for (dimension, index) in accessor.dimensions.iter().zip(indices) {
        terms.push(match dimension.stride {
            1 => (*index).to_owned(),
            stride => format!("{stride} * {index}"),
        });
    }
    terms.join(" + ")
}

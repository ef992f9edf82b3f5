//! Single fields in encoded bytes: `GetXField(s)` and `SetXField(s, v)`, with an index for each array on the way.

use super::names::storage;
use super::{Context, Standard};
use std::collections::BTreeSet;
use vproto_code::writer::Writer;
use vproto_ir::wire::access::{Accessor, Guard, accessors};
use vproto_ir::wire::case::pascal;
use vproto_ir::wire::names::NameStyle;
use vproto_ir::wire::plan::Leaf;
use vproto_ir::wire::schema::{MessageId, Type};

/// Names of indices.
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

/// How the accessors of a message are named and declared.
pub(crate) struct Style<'a> {
    /// What stands before the result's type.
    pub linkage: &'a str,
    /// What stands before the name of a getter.
    pub get: &'a str,
    /// What stands before the name of a setter.
    pub set: &'a str,
    /// What stands before the names of the fixed functions.
    pub bits: &'a str,
}

impl Context<'_> {
    /// All accessors of the header.
    pub(super) fn print_accessors(&self, w: &mut Writer) {
        let public = self.public();
        let any = public.iter().any(|id| !accessors(self.schema, *id).is_empty());
        if !any {
            return;
        }
        w.blank();
        w.lines("#ifndef BITPROTO_BITS\n#define BITPROTO_BITS 1");
        if self.is_c89() {
            w.lines(
                "#if defined(__GNUC__)\n#define BITPROTO_INLINE __inline__ __attribute__((unused))\n#else",
            );
            w.lines("#define BITPROTO_INLINE\n#endif");
        } else {
            w.line("#define BITPROTO_INLINE inline");
        }
        w.blank();
        w.lines(&self.bits_part().replace("BP_INLINE", "BITPROTO_INLINE"));
        w.line("#endif");
        w.blank();
        w.lines("/* Fields in encoded bytes: nothing else is decoded. Indices are not checked. */");
        let mut names = BTreeSet::new();
        let style = Style { linkage: "static BITPROTO_INLINE", get: "Get", set: "Set", bits: "" };
        for id in public {
            for accessor in accessors(self.schema, id) {
                let name = self.accessor_name(id, &accessor, &mut names);
                self.print_accessor(&accessor, &name, &style, w);
            }
        }
    }

    /// Message and path; with an underscore behind it where another accessor has that name.
    fn accessor_name(&self, id: MessageId, accessor: &Accessor, names: &mut BTreeSet<String>) -> String {
        let path = accessor.path.join("_");
        let ty = self.type_name(id);
        let mut name = match self.options.names {
            NameStyle::Reference => ty + &pascal(&path),
            NameStyle::Exact => format!("{ty}_{path}"),
        };
        while !names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// A getter and a setter.
    pub(crate) fn print_accessor(&self, accessor: &Accessor, name: &str, style: &Style<'_>, w: &mut Writer) {
        // Types nest deeper than anyone names indices.
        let Some(indices) = INDICES.get(..accessor.dimensions.len()) else { return };
        let ty = self.value_type(&accessor.ty);
        let parameters: String = indices.iter().map(|i| format!(", size_t {i}")).collect();
        let at = position(accessor, indices);
        let (bits, calls) = (accessor.bits, style.bits);
        w.blank();
        w.line(format!("{} {ty} {}{name}(const unsigned char *s{parameters})", style.linkage, style.get));
        w.open("{");
        for guard in &accessor.guards {
            let test = match guard {
                Guard::Size { at, size } => format!("{calls}bp_get_bits(s, {at}u, 16u) < {size}u"),
                Guard::Count { at, dimension } => {
                    format!("{calls}bp_get_bits(s, {at}u, 16u) <= {}", indices[*dimension])
                }
            };
            w.block(format!("if ({test}) {{"), "}", |w| w.line(format!("return ({ty})0;")));
        }
        let raw = format!("{calls}bp_get_bits(s, {at}, {bits}u)");
        match self.schema.strip(&accessor.ty) {
            Type::Bool => w.line(format!("return {raw} != 0;")),
            Type::Int(_) => w.line(format!("return ({ty}){calls}bp_sign_bits({raw}, {bits}u);")),
            _ => w.line(format!("return ({ty}){raw};")),
        }
        w.close("}");
        w.blank();
        w.line(format!("{} void {}{name}(unsigned char *s{parameters}, {ty} v)", style.linkage, style.set));
        w.open("{");
        w.line(format!("{calls}bp_set_bits(s, {at}, {bits}u, (uint64_t)v);"));
        w.close("}");
    }

    /// The type of a leaf by its name where it has one.
    fn value_type(&self, ty: &Type) -> String {
        if !self.options.standard.is_cpp() {
            return self.single_type(ty);
        }
        let bits = storage(self.schema.bits(ty) as u32);
        match self.schema.strip(ty) {
            Type::Enum(id) if self.options.standard == Standard::Cpp17 => {
                self.unsigned_type(Leaf::Enum(*id), bits)
            }
            Type::Bool => "bool".to_owned(),
            Type::Int(_) => format!("int{bits}_t"),
            _ => format!("uint{bits}_t"),
        }
    }
}

/// The bit of an element.
fn position(accessor: &Accessor, indices: &[&str]) -> String {
    let mut text = format!("{}u", accessor.at);
    for (dimension, index) in accessor.dimensions.iter().zip(indices) {
        // Positions pass 16 bits where size_t may have no more.
        text += &format!(" + {}u * {index}", dimension.stride);
    }
    text
}

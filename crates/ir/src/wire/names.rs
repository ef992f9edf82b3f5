//! Names of generated things that all C-like targets share, as bitproto 1.3.2 makes them or exactly as written.

use super::case::{pascal, snake, upper};
use super::schema::{EnumId, Head, MessageId, Schema};

/// How names are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// As bitproto 1.3.2: prefix and name are case-converted together.
    #[default]
    Reference,
    /// Prefix and spelling as written; nested names are joined by `_`.
    Exact,
}

/// C name of a message, enum or alias.
pub fn c_type(schema: &Schema, head: &Head, style: NameStyle) -> String {
    let joined = format!("{}{}", prefix(schema, head), head.joined("_"));
    match style {
        NameStyle::Reference => pascal(&joined),
        NameStyle::Exact => joined,
    }
}

/// C macro of a constant.
pub fn c_constant(schema: &Schema, head: &Head, style: NameStyle) -> String {
    let joined = format!("{}{}", prefix(schema, head), head.name);
    match style {
        NameStyle::Reference => upper(&joined),
        NameStyle::Exact => joined,
    }
}

/// C macro of an enum value: the names of enclosing messages stand in front.
pub fn c_enum_value(schema: &Schema, id: EnumId, value: &str, style: NameStyle) -> String {
    let head = &schema.enumeration(id).head;
    let scope: String = head.scope.iter().map(|s| format!("{s}_")).collect();
    let joined = format!("{}{scope}{value}", prefix(schema, head));
    match style {
        NameStyle::Reference => upper(&snake(&joined)),
        NameStyle::Exact => joined,
    }
}

/// C macro with the size of a message in bytes.
pub fn c_length(schema: &Schema, id: MessageId, style: NameStyle) -> String {
    let name = c_type(schema, &schema.message(id).head, style);
    match style {
        NameStyle::Reference => format!("BYTES_LENGTH_{}", upper(&snake(&name))),
        NameStyle::Exact => format!("BYTES_LENGTH_{name}"),
    }
}

fn prefix<'a>(schema: &'a Schema, head: &Head) -> &'a str {
    &schema.protos[head.proto.index()].options.c_name_prefix
}

//! Names and types of Rust.

use super::Printer;
use std::collections::{BTreeMap, BTreeSet};
use vproto_ir::wire::case::{pascal, snake, upper};
use vproto_ir::wire::names::NameStyle;
use vproto_ir::wire::schema::{EnumId, Head, Item, MessageId, Proto, ProtoId, Schema, Type};

/// Words that cannot be names, raw ones excepted.
const KEYWORDS: &str = " abstract as async await become box break const continue do dyn else enum extern false final \
    fn for gen if impl in let loop macro match mod move mut override priv pub ref return static struct trait true try \
    type typeof unsafe unsized use virtual where while yield ";

/// Words that have no raw form.
const NO_RAW: &str = " self Self super crate _ ";

/// What generated code says itself and items of the file must not hide.
const RESERVED: &str = " Self bp core super Option Some None Result Ok Err Default bool str usize u8 u16 u32 u64 \
    u128 i8 i16 i32 i64 i128 ";

/// A name as it can stand in the language.
pub(super) fn escaped(name: &str) -> String {
    match format!(" {name} ") {
        word if NO_RAW.contains(&word) => format!("{name}_"),
        word if KEYWORDS.contains(&word) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

/// The module of a file.
pub(super) fn module(proto: &Proto) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = proto.base_name.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}_bp"),
        false => format!("{name}_bp"),
    }
}

/// Whether the compiler takes a name for snake case.
pub(super) fn is_snake(name: &str) -> bool {
    let name = name.trim_matches('_');
    !name.contains("__") && !name.contains(|c: char| c.is_ascii_uppercase())
}

/// The name, with underscores behind it until no other has it.
pub(super) fn unique(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// Names of the items of all files.
#[derive(Debug, Default)]
pub(super) struct Names {
    of: BTreeMap<(u32, String), String>,
    functions: BTreeMap<MessageId, String>,
}

impl Names {
    pub(super) fn new(schema: &Schema, style: NameStyle) -> Names {
        let mut names = Names::default();
        let mut functions = BTreeSet::new();
        for (index, proto) in schema.protos.iter().enumerate() {
            let mut taken: BTreeSet<String> = RESERVED.split_whitespace().map(str::to_owned).collect();
            for item in &proto.items {
                let head = head(schema, *item);
                let name = unique(item_name(*item, head, style), &mut taken);
                names.of.insert((index as u32, head.path()), name);
                if let Item::Message(id) = item {
                    let from = if index == 0 { String::new() } else { format!("{}_", module(proto)) };
                    let function = format!("{from}{}", snake(&head.joined("_"))).to_ascii_lowercase();
                    names.functions.insert(*id, unique(function, &mut functions));
                }
            }
        }
        names
    }

    /// The name of an item.
    pub(super) fn of(&self, head: &Head) -> &str {
        self.of.get(&(head.proto.0, head.path())).map_or("", String::as_str)
    }

    /// What the names of a message's functions end with.
    pub(super) fn function(&self, id: MessageId) -> &str {
        self.functions.get(&id).map_or("", String::as_str)
    }
}

fn head(schema: &Schema, item: Item) -> &Head {
    match item {
        Item::Constant(id) => &schema.constants[id.index()].head,
        Item::Alias(id) => &schema.alias(id).head,
        Item::Enum(id) => &schema.enumeration(id).head,
        Item::Message(id) => &schema.message(id).head,
    }
}

fn item_name(item: Item, head: &Head, style: NameStyle) -> String {
    let name = match (style, item) {
        (NameStyle::Reference, Item::Constant(_)) => upper(&head.name),
        (NameStyle::Reference, _) => pascal(&head.joined("_")),
        (NameStyle::Exact, _) => head.joined("_"),
    };
    if name.trim_matches('_').is_empty() {
        return format!("X{name}");
    }
    let hides = match item {
        Item::Constant(_) => is_own(&name),
        Item::Enum(_) => is_own(&name) || name == "CAPACITY",
        _ => name == "CAPACITY",
    };
    if hides { format!("{name}_") } else { escaped(&name) }
}

/// Whether generated functions or their variables have such names: no pattern binds what a constant is named.
fn is_own(name: &str) -> bool {
    let functions = ["encode_", "decode_", "same_", "read_", "skip_", "json_"];
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.len() == 1 && stem.is_ascii() && !stem.chars().all(|c| c.is_ascii_uppercase())
        || stem == "limit"
        || functions.iter().any(|f| name.starts_with(f))
}

/// Bits of the integer that stores a value of so many bits.
pub(super) fn storage(bits: u32) -> u32 {
    bits.next_power_of_two().max(8)
}

impl Printer<'_> {
    /// An item as this file names it.
    pub(super) fn path(&self, head: &Head) -> String {
        let name = self.names.of(head);
        match head.proto {
            ProtoId(0) => name.to_owned(),
            other => format!("super::{}::{name}", module(&self.schema.protos[other.index()])),
        }
    }

    pub(super) fn message_type(&self, id: MessageId) -> String {
        self.path(&self.schema.message(id).head)
    }

    pub(super) fn enum_type(&self, id: EnumId) -> String {
        self.path(&self.schema.enumeration(id).head)
    }

    /// The type of a value, by its name where it has one.
    pub(super) fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Byte | Type::Char => "u8".to_owned(),
            Type::Float(64) => "f64".to_owned(),
            Type::Float(_) => "f32".to_owned(),
            Type::Uint(n) => format!("u{}", storage(u32::from(*n))),
            Type::Int(n) => format!("i{}", storage(u32::from(*n))),
            Type::Enum(id) => self.enum_type(*id),
            Type::Alias(id) => self.path(&self.schema.alias(*id).head),
            Type::Message(id) => self.message_type(*id),
            Type::Array(a) => format!("[{}; {}]", self.ty(&a.element), a.capacity),
        }
    }

    /// The zero of a type.
    pub(super) fn zero(&self, ty: &Type) -> String {
        match self.schema.strip(ty) {
            Type::Bool => "false".to_owned(),
            Type::Float(_) => "0.0".to_owned(),
            Type::Enum(id) => format!("{}(0)", self.enum_type(*id)),
            Type::Message(id) => format!("{}::new()", self.message_type(*id)),
            Type::Array(a) => format!("[{}; {}]", self.zero(&a.element), a.capacity),
            _ => "0".to_owned(),
        }
    }

    /// The values of an enum by their names, in order.
    pub(super) fn enum_values(&self, id: EnumId) -> Vec<String> {
        let mut taken = BTreeSet::from(["name".to_owned()]);
        let name = |v: &vproto_ir::wire::schema::EnumValue| match self.options.names {
            NameStyle::Reference => upper(&snake(&v.name)),
            NameStyle::Exact => v.name.clone(),
        };
        let values = self.schema.enumeration(id).values.iter();
        values.map(|v| unique(escaped(&name(v)), &mut taken)).collect()
    }
}

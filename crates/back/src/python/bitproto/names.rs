//! Names, types and places in Python.

use super::{Body, Printer};
use vproto_ir::wire::case::{snake, upper};
use vproto_ir::wire::plan::{Index, Place, Select};
use vproto_ir::wire::schema::{EnumId, Head, MessageId, Type};

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Methods and attributes of generated classes.
const MEMBERS: [&str; 6] = ["check", "BYTES_LENGTH", "encode", "decode", "to_dict", "to_json"];

/// A name as it can stand in Python.
pub(super) fn escaped(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// The attribute of a field.
pub(super) fn member(name: &str) -> String {
    // Two underscores at the beginning would be mangled inside the class.
    let clashes = MEMBERS.contains(&name) || name.starts_with("_bp_") || name.starts_with("__");
    if clashes { format!("bp_{}", name.trim_start_matches('_')) } else { escaped(name) }
}

/// The name of an enum's value.
pub(super) fn enum_value(head: &Head, value: &str) -> String {
    let scope: String = head.scope.iter().map(|s| format!("{s}_")).collect();
    escaped(&upper(&snake(&format!("{scope}{value}"))))
}

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out += &format!("\\x{:02x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}

/// The mask of the lowest `bits` bits.
pub(super) fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits.min(64)) }
}

/// A constant, in decimal where that is short.
pub(super) fn number(value: u64) -> String {
    if value < 1024 { value.to_string() } else { format!("0x{value:x}") }
}

impl Printer<'_> {
    /// The name of a message, enum or alias; behind its module's name if that is another one.
    pub(super) fn type_name(&self, head: &Head) -> String {
        let name = escaped(&head.joined("_"));
        match self.module_of(head) {
            Some(module) => format!("{module}.{name}"),
            None => name,
        }
    }

    /// The name under which the module of another file is known here.
    pub(super) fn module_of(&self, head: &Head) -> Option<String> {
        let proto = head.proto.index();
        (proto != 0).then(|| format!("_bp_{proto}"))
    }

    /// The dictionary from numbers to members of an enum.
    pub(super) fn enum_map(&self, id: EnumId) -> String {
        let head = &self.schema.enumeration(id).head;
        let name = format!("_bp_of_{}", head.joined("_"));
        match self.module_of(head) {
            Some(module) => format!("{module}.{name}"),
            None => name,
        }
    }

    /// The type of a value.
    pub(super) fn annotation(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "_bool".to_owned(),
            Type::Byte | Type::Char | Type::Uint(_) | Type::Int(_) => "_int".to_owned(),
            Type::Float(_) => "_float".to_owned(),
            Type::Enum(id) => {
                format!("_typing.Union[_int, {}]", self.type_name(&self.schema.enumeration(*id).head))
            }
            Type::Alias(id) => self.type_name(&self.schema.alias(*id).head),
            Type::Message(id) => self.type_name(&self.schema.message(*id).head),
            Type::Array(a) if matches!(self.schema.strip(&a.element), Type::Byte | Type::Char) => {
                "_bytearray".to_owned()
            }
            Type::Array(a) => format!("_typing.List[{}]", self.annotation(&a.element)),
        }
    }

    /// An expression for the value with all bits zero.
    pub(super) fn zero(&self, ty: &Type) -> String {
        match self.schema.strip(ty) {
            Type::Bool => "False".to_owned(),
            Type::Float(_) => "0.0".to_owned(),
            Type::Message(id) => format!("{}()", self.type_name(&self.schema.message(*id).head)),
            Type::Enum(id) => {
                let of = self.schema.enumeration(*id);
                let zero = of.values.iter().find(|v| v.value == 0);
                zero.map_or("0".to_owned(), |v| {
                    format!("{}.{}", self.type_name(&of.head), enum_value(&of.head, &v.name))
                })
            }
            Type::Array(a) => match self.schema.strip(&a.element) {
                Type::Byte | Type::Char => format!("_bytearray({})", a.capacity),
                Type::Message(_) | Type::Array(_) => {
                    format!("[{} for _ in _range({})]", self.zero(&a.element), a.capacity)
                }
                _ => format!("[{}] * {}", self.zero(&a.element), a.capacity),
            },
            _ => "0".to_owned(),
        }
    }

    /// The type of what a place is.
    pub(super) fn type_at(&self, root: MessageId, place: &[Select]) -> Type {
        let mut ty = Type::Message(root);
        for select in place {
            ty = match (select, self.schema.strip(&ty).clone()) {
                (Select::Field(index), Type::Message(id)) => {
                    self.schema.message(id).fields[*index].ty.clone()
                }
                (Select::Index(_), Type::Array(array)) => array.element,
                // Plans select fields of messages and elements of arrays only.
                (_, other) => other,
            };
        }
        self.schema.strip(&ty).clone()
    }

    /// The expression of a place; what it lies in is put into a local variable first.
    pub(super) fn place(&self, root: MessageId, place: &[Select], body: &mut Body) -> String {
        let Some((last, holder)) = place.split_last() else { return "self".to_owned() };
        let outer = self.container(root, holder, body);
        match last {
            Select::Field(index) => match self.type_at(root, holder) {
                Type::Message(id) => {
                    format!("{outer}.{}", member(&self.schema.message(id).fields[*index].name))
                }
                _ => outer,
            },
            Select::Index(index) => format!("{outer}[{}]", index_text(index, 0)),
        }
    }

    /// A local variable that holds a message or an array.
    pub(super) fn container(&self, root: MessageId, place: &[Select], body: &mut Body) -> String {
        if place.is_empty() {
            return "self".to_owned();
        }
        if let Some((_, name)) = body.locals.iter().find(|(known, _)| known.0 == place) {
            return name.clone();
        }
        let text = self.place(root, place, body);
        let name = format!("t{}", body.named);
        body.named += 1;
        body.w.line(format!("{name} = {text}"));
        body.locals.push((Place(place.to_vec()), name.clone()));
        name
    }
}

/// The index of an element, `further` elements behind.
pub(super) fn index_text(index: &Index, further: u32) -> String {
    let add = index.add + further;
    let Some(level) = index.level else { return add.to_string() };
    let scaled = if index.step == 1 { format!("i{level}") } else { format!("{} * i{level}", index.step) };
    if add == 0 { scaled } else { format!("{scaled} + {add}") }
}

/// A byte of a base: the offset `b`, or that of an iteration of a loop of level `depth - 1`.
pub(super) fn at_byte(depth: u32, byte: u32) -> String {
    let base = if depth == 0 { "b".to_owned() } else { format!("b{depth}") };
    if byte == 0 { base } else { format!("{base} + {byte}") }
}

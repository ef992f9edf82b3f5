//! A checked bitproto schema: the files of one compilation with all names resolved.
//!
//! Invariants, kept by the front-end: ids are valid; a type is defined before its use, so types never contain
//! themselves and nest at most [`MAX_TYPE_DEPTH`] deep; widths are 1 to 64, capacities 1 to 65535, field numbers 1 to
//! 255 and ascending in [`Message::fields`]; a message has at most 65535 bits. File 0 is the one that is compiled,
//! the others are its imports.

use vproto_source::Span;

/// How deep types nest at most: alias, array and message each count one.
pub const MAX_TYPE_DEPTH: u32 = 100;

macro_rules! schema_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The index into the table of the schema.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

schema_ids! {
    /// A file: [`Schema::protos`].
    ProtoId;
    /// A constant: [`Schema::constants`].
    ConstantId;
    /// An alias: [`Schema::aliases`].
    AliasId;
    /// An enum: [`Schema::enums`].
    EnumId;
    /// A message: [`Schema::messages`].
    MessageId;
}

/// All files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The files; the first is the compiled one.
    pub protos: Vec<Proto>,
    /// Constants of all files.
    pub constants: Vec<Constant>,
    /// Aliases of all files.
    pub aliases: Vec<Alias>,
    /// Enums of all files, nested ones included.
    pub enums: Vec<Enum>,
    /// Messages of all files, nested ones included, each after those it contains.
    pub messages: Vec<Message>,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub struct Proto {
    /// What stands after `proto`.
    pub name: String,
    /// The file's name without folder and `.bitproto`: generated files are named after it.
    pub base_name: String,
    /// Comment lines above `proto`, without slashes.
    pub doc: Vec<String>,
    /// Imports in source order.
    pub imports: Vec<Import>,
    /// Options of the file.
    pub options: Options,
    /// Definitions in source order; a nested type precedes the message it is nested in.
    pub items: Vec<Item>,
}

/// One import.
#[derive(Clone, Debug)]
pub struct Import {
    /// The imported file.
    pub proto: ProtoId,
    /// The name it has here: the alias, or the imported proto's own name.
    pub name: String,
    /// The path as written.
    pub path: String,
}

/// Options of a file. Empty text and 0 are the defaults.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `c.struct_packing_alignment`.
    pub c_struct_packing_alignment: u32,
    /// `c.name_prefix`.
    pub c_name_prefix: String,
    /// `go.package_path`.
    pub go_package_path: String,
    /// `py.module_name`.
    pub py_module_name: String,
    /// `extensions`: where it was switched on.
    pub extensions: Option<Span>,
}

/// A definition of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A constant.
    Constant(ConstantId),
    /// An alias.
    Alias(AliasId),
    /// An enum, maybe nested in messages.
    Enum(EnumId),
    /// A message, maybe nested in messages.
    Message(MessageId),
}

/// Where a definition stands and what is said of it.
#[derive(Clone, Debug)]
pub struct Head {
    /// The file.
    pub proto: ProtoId,
    /// Names of the enclosing messages, outermost first.
    pub scope: Vec<String>,
    /// The name as written.
    pub name: String,
    /// Comment lines above, without slashes.
    pub doc: Vec<String>,
    /// Where the name stands.
    pub span: Span,
}

impl Head {
    /// Scope and name joined: `Outer.Inner`.
    pub fn path(&self) -> String {
        self.joined(".")
    }

    /// Scope and name joined by `separator`.
    pub fn joined(&self, separator: &str) -> String {
        let parts: Vec<&str> = self.scope.iter().map(String::as_str).chain([self.name.as_str()]).collect();
        parts.join(separator)
    }
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Name and place.
    pub head: Head,
    /// Value.
    pub value: ConstantValue,
}

/// Value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantValue {
    /// `true`, `yes`, `false`, `no`.
    Bool(bool),
    /// An integer of any size, in decimal.
    Integer(String),
    /// A text, escapes resolved.
    Text(String),
}

/// An alias.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Name and place.
    pub head: Head,
    /// What it stands for: a base type or an array.
    pub target: Type,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Name and place.
    pub head: Head,
    /// Bits on the wire.
    pub bits: u8,
    /// Values in source order.
    pub values: Vec<EnumValue>,
}

/// One value of an enum.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Name.
    pub name: String,
    /// Number.
    pub value: u64,
    /// Comment lines above.
    pub doc: Vec<String>,
    /// Where the name stands.
    pub span: Span,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Name and place.
    pub head: Head,
    /// Whether it is extensible (`'`).
    pub marked: bool,
    /// Fields by ascending number: their order on the wire and in generated structs.
    pub fields: Vec<Field>,
    /// Size in bits, the own prefix included.
    pub bits: u32,
    /// Whether it or anything in it is marked, so that its size depends on the writer.
    pub has_marks: bool,
    /// `max_bytes`, 0 if not set.
    pub max_bytes: u64,
}

impl Message {
    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        self.bits.div_ceil(8)
    }
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Number.
    pub number: u8,
    /// Type.
    pub ty: Type,
    /// What its values have to be, and what it begins with: extensions.
    pub rules: Rules,
    /// Comment lines above.
    pub doc: Vec<String>,
    /// Where the name stands.
    pub span: Span,
}

/// What stands in brackets behind a field's number. The wire does not know of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The smallest and the largest value; of each element if the field is an array.
    pub range: Option<(Scalar, Scalar)>,
    /// The value in a new message.
    pub default: Option<Scalar>,
}

/// A value of a rule; it fits the field's type.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Of `bool`.
    Bool(bool),
    /// Of integers, `byte` and enums.
    Integer(i128),
    /// Of `floatN`.
    Float(f64),
    /// Of `string[N]`.
    Text(String),
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One bit.
    Bool,
    /// Eight bits.
    Byte,
    /// Unsigned, 1 to 64 bits.
    Uint(u8),
    /// Two's complement, 1 to 64 bits.
    Int(u8),
    /// IEEE 754 of 16, 32 or 64 bits: an extension.
    Float(u8),
    /// The element of `string[N]`, an extension: a byte of UTF-8, 0 behind the text's end. Stands in arrays only.
    Char,
    /// An enum.
    Enum(EnumId),
    /// An alias.
    Alias(AliasId),
    /// A message.
    Message(MessageId),
    /// An array.
    Array(Box<Array>),
}

/// An array; the element is not an array itself, but may be an alias of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Type of the elements.
    pub element: Type,
    /// Number of elements, 1 to 65535.
    pub capacity: u32,
    /// Whether it is extensible (`'`).
    pub marked: bool,
}

impl Schema {
    /// The compiled file.
    pub fn root(&self) -> &Proto {
        &self.protos[0]
    }

    /// A message.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// An enum.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.index()]
    }

    /// An alias.
    pub fn alias(&self, id: AliasId) -> &Alias {
        &self.aliases[id.index()]
    }

    /// The type behind aliases; never `Type::Alias`.
    pub fn strip<'a>(&'a self, ty: &'a Type) -> &'a Type {
        match ty {
            // The target of an alias is a base type or an array.
            Type::Alias(id) => &self.alias(*id).target,
            other => other,
        }
    }

    /// Size in bits, saturating.
    pub fn bits(&self, ty: &Type) -> u64 {
        match self.strip(ty) {
            Type::Bool => 1,
            Type::Byte | Type::Char => 8,
            Type::Uint(n) | Type::Int(n) | Type::Float(n) => u64::from(*n),
            Type::Enum(id) => u64::from(self.enumeration(*id).bits),
            Type::Message(id) => u64::from(self.message(*id).bits),
            Type::Array(a) => {
                let elements = self.bits(&a.element).saturating_mul(u64::from(a.capacity));
                elements.saturating_add(if a.marked { 16 } else { 0 })
            }
            Type::Alias(_) => 0,
        }
    }

    /// Whether the type holds a mark anywhere, so that its size depends on the writer.
    pub fn has_marks(&self, ty: &Type) -> bool {
        match self.strip(ty) {
            Type::Array(a) => a.marked || self.has_marks(&a.element),
            Type::Message(id) => self.message(*id).has_marks,
            _ => false,
        }
    }

    /// By message: whether a field of it, or of a message in it, passes the test.
    pub fn messages_with(&self, test: impl Fn(&Field) -> bool) -> Vec<bool> {
        let mut found: Vec<bool> = Vec::new();
        // Messages follow those that they contain.
        for message in &self.messages {
            let inner = |f: &Field| self.message_in(&f.ty).and_then(|id| found.get(id.index()).copied());
            let any = message.fields.iter().any(|f| test(f) || inner(f) == Some(true));
            found.push(any);
        }
        found
    }

    /// The message that a type is, or is an array of.
    pub fn message_in(&self, ty: &Type) -> Option<MessageId> {
        match self.strip(ty) {
            Type::Message(id) => Some(*id),
            Type::Array(array) => self.message_in(&array.element),
            _ => None,
        }
    }

    /// The type of the innermost elements; the type itself if it is no array.
    pub fn innermost<'a>(&'a self, ty: &'a Type) -> &'a Type {
        match self.strip(ty) {
            Type::Array(array) => self.innermost(&array.element),
            other => other,
        }
    }

    /// The capacity of a text.
    pub fn text_capacity(&self, ty: &Type) -> Option<u32> {
        match self.strip(ty) {
            Type::Array(array) if array.element == Type::Char => Some(array.capacity),
            _ => None,
        }
    }

    /// The messages of one file, in source order.
    pub fn messages_of(&self, proto: ProtoId) -> impl Iterator<Item = MessageId> + '_ {
        self.protos[proto.index()].items.iter().filter_map(|i| match i {
            Item::Message(id) => Some(*id),
            _ => None,
        })
    }

    /// The message of a dotted path in the compiled file.
    pub fn find_message(&self, path: &str) -> Option<MessageId> {
        self.messages_of(ProtoId(0)).find(|&id| self.message(id).head.path() == path)
    }
}

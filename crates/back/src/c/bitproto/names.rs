//! Names and types of C.

use super::{Context, Standard};
use vproto_ir::wire::names::{c_length, c_type};
use vproto_ir::wire::plan::Leaf;
use vproto_ir::wire::schema::{Head, MessageId, Type};

/// Words that cannot be names in C or, as headers serve C++ too, in C++.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if \
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct \
    switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using \
    virtual void volatile wchar_t while xor xor_eq _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary \
    _Noreturn _Static_assert _Thread_local ";

/// The member of a field: its name, with an underscore behind it where C or C++ reserves it.
fn member(name: &str) -> String {
    if KEYWORDS.contains(&format!(" {name} ")) { format!("{name}_") } else { name.to_owned() }
}

/// Bits of the integer that stores a value of so many bits.
pub(super) fn storage(bits: u32) -> u32 {
    bits.next_power_of_two().max(8)
}

impl Context<'_> {
    pub(super) fn type_name(&self, id: MessageId) -> String {
        c_type(self.schema, &self.schema.message(id).head, self.options.names)
    }

    /// The type of a message in function bodies.
    pub(super) fn struct_type(&self, id: MessageId) -> String {
        if self.options.standard.is_cpp() {
            return self.qualified(&self.schema.message(id).head);
        }
        format!("struct {}", self.type_name(id))
    }

    /// The name of a message at the end of the names of its functions.
    pub(crate) fn function_name(&self, id: MessageId) -> String {
        let head = &self.schema.message(id).head;
        match (self.options.standard.is_cpp(), head.proto.index()) {
            (false, _) => self.type_name(id),
            (true, 0) => head.joined("_"),
            (true, proto) => format!("{}_{}", self.schema.protos[proto].name, head.joined("_")),
        }
    }

    /// A type of any file by its whole name in C++.
    pub(crate) fn qualified(&self, head: &Head) -> String {
        let proto = &self.schema.protos[head.proto.index()].name;
        let parts = [proto].into_iter().chain(&head.scope).chain([&head.name]);
        parts.map(|p| format!("::{}", self.escaped(p))).collect()
    }

    /// A name as it can stand in the language.
    pub(crate) fn escaped(&self, name: &str) -> String {
        member(name)
    }

    /// The member of a field. Methods of C++ structs have their names first.
    pub(crate) fn member(&self, name: &str) -> String {
        const METHODS: [&str; 8] =
            ["encode", "encode_to", "decode", "next", "to_json", "bytes_length", "check", "init"];
        if self.options.standard.is_cpp() && METHODS.contains(&name) {
            format!("{name}_")
        } else {
            member(name)
        }
    }

    /// How functions that are not part of the interface are declared.
    pub(super) fn linkage(&self) -> &'static str {
        if self.options.standard.is_cpp() { "inline" } else { "static" }
    }

    /// What an unsigned value of so many bits is cast to.
    pub(super) fn unsigned_type(&self, leaf: Leaf, stored: u32) -> String {
        match leaf {
            Leaf::Enum(id) if self.options.standard == Standard::Cpp17 => {
                self.qualified(&self.schema.enumeration(id).head)
            }
            _ => format!("uint{stored}_t"),
        }
    }

    /// The number of bytes of a message: its macro in C, a number in C++.
    pub(super) fn length(&self, id: MessageId) -> String {
        match self.options.standard.is_cpp() {
            true => format!("{}u", self.schema.message(id).bytes()),
            false => self.length_name(id),
        }
    }

    pub(super) fn length_name(&self, id: MessageId) -> String {
        c_length(self.schema, id, self.options.names)
    }

    /// The type of a value that is no array.
    pub(crate) fn single_type(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Byte => "unsigned char".to_owned(),
            Type::Uint(n) => format!("uint{}_t", storage(u32::from(*n))),
            Type::Int(n) => format!("int{}_t", storage(u32::from(*n))),
            Type::Float(64) => "double".to_owned(),
            Type::Float(_) => "float".to_owned(),
            Type::Char => "char".to_owned(),
            Type::Enum(id) => c_type(self.schema, &self.schema.enumeration(*id).head, self.options.names),
            Type::Alias(id) => c_type(self.schema, &self.schema.alias(*id).head, self.options.names),
            Type::Message(id) => format!("struct {}", self.type_name(*id)),
            Type::Array(a) => self.single_type(&a.element),
        }
    }

    /// `TYPE NAME` or `TYPE NAME[CAPACITY]`.
    pub(super) fn declaration(&self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Array(a) => format!("{} {name}[{}]", self.single_type(&a.element), a.capacity),
            _ => format!("{} {name}", self.single_type(ty)),
        }
    }

    pub(super) fn is_c89(&self) -> bool {
        self.options.standard == Standard::C89
    }
}

/// An integer constant of 32 or 64 bits.
pub(super) fn hex(value: u64, bits: u32) -> String {
    if bits > 32 {
        // No suffix for 64 bits exists in C89.
        format!("((uint64_t)0x{:x}u << 32 | 0x{:x}u)", value >> 32, value & 0xffff_ffff)
    } else if value < 10 {
        format!("{value}u")
    } else {
        format!("0x{value:x}u")
    }
}

/// The mask of the lowest `bits` bits.
pub(super) fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// A string literal of C.
pub(crate) fn string_literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' => out += "\\\"",
            b'\\' => out += "\\\\",
            b'\n' => out += "\\n",
            b'\r' => out += "\\r",
            b'\t' => out += "\\t",
            // No trigraph can come about.
            b'?' => out += "\\?",
            0x20..=0x7e => out.push(byte as char),
            _ => out += &format!("\\{byte:03o}"),
        }
    }
    out + "\""
}

/// Text for a comment, which nothing in it ends.
pub(crate) fn comment_text(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").trim_end_matches('\\').to_owned()
}

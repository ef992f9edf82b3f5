//! Constants, types, and the public functions of messages.

use super::Printer;
use super::names::escaped;
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{AliasId, Constant, ConstantValue, EnumId, Item, MessageId, Type};

impl Printer<'_> {
    pub(super) fn print_item(&self, item: Item, w: &mut Writer) {
        w.blank();
        match item {
            Item::Constant(id) => self.constant(&self.schema.constants[id.index()], w),
            Item::Alias(id) => self.alias(id, w),
            Item::Enum(id) => self.enumeration(id, w),
            Item::Message(id) => self.structure(id, w),
        }
    }

    fn constant(&self, constant: &Constant, w: &mut Writer) {
        let name = self.names.of(&constant.head);
        let (ty, value) = match &constant.value {
            ConstantValue::Bool(value) => ("bool", value.to_string()),
            ConstantValue::Text(text) => ("&str", format!("{text:?}")),
            ConstantValue::Integer(digits) => match integer_type(digits) {
                Some(ty) => (ty, digits.clone()),
                None => return w.line(format!("// {name} is {digits}, which no integer holds.")),
            },
        };
        doc(&constant.head.doc, w);
        let line = format!("pub const {name}: {ty} = {value};");
        if line.len() <= 100 {
            return w.line(line);
        }
        w.line(format!("pub const {name}: {ty} ="));
        w.line(format!("    {value};"));
    }

    fn alias(&self, id: AliasId, w: &mut Writer) {
        let alias = self.schema.alias(id);
        doc(&alias.head.doc, w);
        w.line(format!("pub type {} = {};", self.names.of(&alias.head), self.ty(&alias.target)));
    }

    fn enumeration(&self, id: EnumId, w: &mut Writer) {
        let of = self.schema.enumeration(id);
        let name = self.names.of(&of.head);
        let storage = super::names::storage(u32::from(of.bits));
        doc(&of.head.doc, w);
        w.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]");
        w.line(format!("pub struct {name}(pub u{storage});"));
        w.blank();
        w.open(format!("impl {name} {{"));
        let values = self.enum_values(id);
        for (value, text) in of.values.iter().zip(&values) {
            doc(&value.doc, w);
            w.line(format!("pub const {text}: {name} = {name}({});", value.value));
        }
        w.blank();
        w.line("/// The value's name in the schema, if it has one.");
        w.open("pub const fn name(self) -> Option<&'static str> {");
        if of.values.is_empty() {
            w.line("None");
        } else {
            w.open("match self.0 {");
            for value in &of.values {
                w.line(format!("{} => Some({:?}),", value.value, value.name));
            }
            w.line("_ => None,");
            w.close("}");
        }
        w.close("}");
        w.close("}");
    }

    fn structure(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let name = self.names.of(&message.head);
        doc(&message.head.doc, w);
        let floats = self.schema.messages_with(|f| matches!(self.schema.innermost(&f.ty), Type::Float(_)));
        w.line(match floats[id.index()] {
            // Numbers that are none are not equal to themselves.
            true => "#[derive(Clone, Copy, Debug, PartialEq)]",
            false => "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]",
        });
        if message.fields.is_empty() {
            w.line(format!("pub struct {name} {{}}"));
        } else {
            w.open(format!("pub struct {name} {{"));
            for field in &message.fields {
                doc(&field.doc, w);
                w.line(format!("pub {}: {},", escaped(&field.name), self.ty(&field.ty)));
            }
            w.close("}");
        }
        w.blank();
        w.block(format!("impl Default for {name} {{"), "}", |w| {
            w.block("fn default() -> Self {", "}", |w| w.line("Self::new()"));
        });
        w.blank();
        w.open(format!("impl {name} {{"));
        w.line("/// The number of encoded bytes.");
        w.line(format!("pub const BYTES_LENGTH: usize = {};", message.bytes()));
        w.blank();
        let defaults = message.fields.iter().any(|f| f.rules.default.is_some());
        w.line(match defaults {
            true => "/// The message with its defaults; what has none is zero.",
            false => "/// The message whose every value is zero.",
        });
        w.open("pub const fn new() -> Self {");
        let zero = |f: &vproto_ir::wire::schema::Field| (escaped(&f.name), self.first_value(f));
        literal(&message.fields.iter().map(zero).collect::<Vec<_>>(), w);
        w.close("}");
        if self.public().contains(&id) {
            self.print_methods(id, w);
        }
        self.rules(id, w);
        w.close("}");
    }

    fn print_methods(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let (bytes, function) = (message.bytes(), self.names.function(id));
        w.blank();
        match bytes {
            0 => w.lines(EMPTY),
            _ => {
                let ranged = self.has_ranges(id);
                let encode = ENCODE.replace("@SIZE", &bytes.to_string()).replace("FUNCTION", function);
                w.lines(&if ranged { checked_encode(&encode) } else { encode });
                w.blank();
                let body = if message.has_marks { EVOLVING } else { FIXED };
                let body = body.replace("FUNCTION", function);
                w.lines(&if ranged { CHECKED_DECODE.to_owned() + &unchecked_decode(&body) } else { body });
            }
        }
        w.blank();
        w.lines(FROM_BYTES);
        if message.bits > 0 {
            w.blank();
            let ranged = self.has_ranges(id);
            w.lines(&if ranged {
                NEXT.replace("self.decode(s)", "self.decode_unchecked(s)")
            } else {
                NEXT.to_owned()
            });
        }
        if !self.options.optimize {
            w.blank();
            w.lines(&JSON.replace("FUNCTION", function));
        }
        self.print_accessors(id, w);
    }
}

/// Methods that write.
const ENCODE: &str = "/// The bytes of the message.
pub fn encode(&self) -> [u8; @SIZE] {
    let mut s = [0; @SIZE];
    encode_FUNCTION(self, &mut s);
    s
}

/// Writes the message to the beginning of `s`; the number of its bytes.
pub fn encode_to(&self, s: &mut [u8]) -> Result<usize, bp::Error> {
    let s = s.first_chunk_mut().ok_or(bp::Error::Full)?;
    encode_FUNCTION(self, s);
    Ok(Self::BYTES_LENGTH)
}";

/// Sets the message from bytes of one number.
const FIXED: &str =
    "/// Sets all fields from the beginning of `s`; the number of bytes that the message took.
pub fn decode(&mut self, s: &[u8]) -> Result<usize, bp::Error> {
    let s = s.first_chunk().ok_or(bp::Error::Short)?;
    decode_FUNCTION(self, s);
    Ok(Self::BYTES_LENGTH)
}";

/// The same where other versions wrote other numbers of bytes.
const EVOLVING: &str =
    "/// Sets all fields from the beginning of `s`; the number of bytes that the message took.
pub fn decode(&mut self, s: &[u8]) -> Result<usize, bp::Error> {
    if let Some(s) = s.first_chunk() {
        if same_FUNCTION(s) {
            decode_FUNCTION(self, s);
            return Ok(Self::BYTES_LENGTH);
        }
    }
    let mut r = bp::Reader::new(s);
    read_FUNCTION(self, &mut r);
    r.used()
}";

/// Messages without bits.
const EMPTY: &str = "/// The bytes of the message: none.
pub fn encode(&self) -> [u8; 0] {
    []
}

/// Writes nothing.
pub fn encode_to(&self, _: &mut [u8]) -> Result<usize, bp::Error> {
    Ok(0)
}

/// Reads nothing.
pub fn decode(&mut self, _: &[u8]) -> Result<usize, bp::Error> {
    Ok(0)
}";

/// Encoding that refuses values out of their ranges.
fn checked_encode(encode: &str) -> String {
    let start = "bp::Error> {\n";
    encode.replace(
        start,
        &format!("{start}    if self.check() != 0 {{\n        return Err(bp::Error::Range);\n    }}\n"),
    )
}

/// Decoding that refuses values out of their ranges, before the other kind.
const CHECKED_DECODE: &str =
    "/// Sets all fields from the beginning of `s`; the number of bytes that the message took. A value out of
/// its range is an error, with all fields set.
pub fn decode(&mut self, s: &[u8]) -> Result<usize, bp::Error> {
    let used = self.decode_unchecked(s)?;
    match self.check() {
        0 => Ok(used),
        _ => Err(bp::Error::Range),
    }
}

";

/// The function that looks at no ranges.
fn unchecked_decode(body: &str) -> String {
    body.replace("pub fn decode(", "fn decode_unchecked(")
        .replace("/// Sets all", "/// As `decode`, but looks at no range: sets all")
}

const FROM_BYTES: &str = "/// The message at the beginning of `s`.
pub fn from_bytes(s: &[u8]) -> Result<Self, bp::Error> {
    let mut m = Self::new();
    m.decode(s)?;
    Ok(m)
}";

const NEXT: &str = "/// Sets all fields from the next message of a stream, of which `s` is what has arrived last, and moves `s`
/// behind what was read. False means that more bytes are needed.
pub fn decode_next<const CAPACITY: usize>(
    &mut self,
    stream: &mut bp::Stream<CAPACITY>,
    s: &mut &[u8],
) -> Result<bool, bp::Error> {
    stream.next(s, |s| self.decode(s))
}";

const JSON: &str = "/// Writes the message as JSON.
pub fn write_json(&self, w: &mut dyn core::fmt::Write) -> core::fmt::Result {
    json_FUNCTION(self, w)
}

/// The message as JSON in a buffer.
pub fn json_in<'a>(&self, s: &'a mut [u8]) -> Result<&'a str, bp::Error> {
    let mut text = bp::Text { to: s, length: 0 };
    if json_FUNCTION(self, &mut text).is_err() {
        return Err(bp::Error::Full);
    }
    let bp::Text { to, length } = text;
    let text = to.get(..length).unwrap_or_default();
    core::str::from_utf8(text).map_err(|_| bp::Error::Full)
}";

/// `Self { … }` as rustfmt prints it.
fn literal(fields: &[(String, String)], w: &mut Writer) {
    let texts: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let line = texts.join(", ");
    match line.len() {
        0 => w.line("Self {}"),
        1..=18 => w.line(format!("Self {{ {line} }}")),
        _ => w.block("Self {", "}", |w| texts.iter().for_each(|t| w.line(format!("{t},")))),
    }
}

/// The smallest common type of an integer in decimal.
fn integer_type(digits: &str) -> Option<&'static str> {
    if digits.parse::<u64>().is_ok() {
        Some("u64")
    } else if digits.parse::<i64>().is_ok() {
        Some("i64")
    } else if digits.parse::<u128>().is_ok() {
        Some("u128")
    } else {
        digits.parse::<i128>().is_ok().then_some("i128")
    }
}

/// Comment lines as documentation.
pub(super) fn doc(lines: &[String], w: &mut Writer) {
    for line in lines {
        w.line(format!("/// {}", line.trim().replace('\t', " ")));
    }
}

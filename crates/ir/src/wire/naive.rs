//! The law: encodes and decodes bit by bit, straight from the types.
//!
//! Slow and obvious on purpose. The plan's interpreter and all generated code have to agree with it.

use super::schema::{Array, Message, MessageId, Schema, Type};
use super::value::Value;

/// Why bytes were not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end before the message does.
    Short,
}

/// The wire bytes of a message. Values out of range lose their high bits; missing ones count as zero.
pub fn encode(schema: &Schema, id: MessageId, value: &Value) -> Vec<u8> {
    let mut bits = Vec::new();
    put_message(schema, schema.message(id), value, &mut bits);
    let byte = |c: &[bool]| c.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i);
    bits.chunks(8).map(byte).collect()
}

/// The message that begins the bytes, and how many bytes it takes.
pub fn decode(schema: &Schema, id: MessageId, bytes: &[u8]) -> Result<(Value, usize), DecodeError> {
    let mut reader = Reader { bytes, position: 0, limit: u64::MAX, short: false };
    let value = get_message(schema, schema.message(id), &mut reader);
    reader.check(reader.position);
    let used = usize::try_from(reader.position.div_ceil(8)).unwrap_or(usize::MAX);
    if reader.short { Err(DecodeError::Short) } else { Ok((value, used)) }
}

fn put(bits: &mut Vec<bool>, value: u64, count: u32) {
    bits.extend((0..count).map(|i| value >> i & 1 != 0));
}

fn put_message(schema: &Schema, message: &Message, value: &Value, bits: &mut Vec<bool>) {
    if message.marked {
        put(bits, u64::from(message.bits), 16);
    }
    for (i, field) in message.fields.iter().enumerate() {
        put_type(schema, &field.ty, value.at(i).unwrap_or(&Value::Uint(0)), bits);
    }
}

fn put_type(schema: &Schema, ty: &Type, value: &Value, bits: &mut Vec<bool>) {
    match schema.strip(ty) {
        Type::Message(id) => put_message(schema, schema.message(*id), value, bits),
        Type::Array(array) => {
            if array.marked {
                put(bits, u64::from(array.capacity), 16);
            }
            for i in 0..array.capacity as usize {
                put_type(schema, &array.element, value.at(i).unwrap_or(&Value::Uint(0)), bits);
            }
        }
        leaf => put(bits, value.bits(), schema.bits(leaf) as u32),
    }
}

/// Reads bits; those at or past `limit` are zero, those past the bytes make it `short`.
struct Reader<'a> {
    bytes: &'a [u8],
    position: u64,
    limit: u64,
    short: bool,
}

impl Reader<'_> {
    fn check(&mut self, end: u64) {
        self.short |= end > self.bytes.len() as u64 * 8;
    }

    fn bit(&mut self) -> bool {
        if self.position >= self.limit || self.short {
            return false;
        }
        self.check(self.position + 1);
        let byte = self.bytes.get((self.position / 8) as usize).copied().unwrap_or(0);
        let bit = byte >> (self.position % 8) & 1 != 0;
        self.position += 1;
        bit
    }

    fn get(&mut self, count: u32) -> u64 {
        (0..count).fold(0, |value, i| value | u64::from(self.bit()) << i)
    }

    /// Whether nothing more can be read here.
    fn at_limit(&self) -> bool {
        self.short || self.position >= self.limit
    }
}

fn get_message(schema: &Schema, message: &Message, reader: &mut Reader<'_>) -> Value {
    let start = reader.position;
    let outer = reader.limit;
    if message.marked {
        let size = reader.get(16).max(16);
        reader.limit = outer.min(start + size);
    }
    let value = Value::Message(message.fields.iter().map(|f| get_type(schema, &f.ty, reader)).collect());
    if message.marked {
        reader.position = reader.limit;
        reader.check(reader.position);
        reader.limit = outer;
    }
    value
}

fn get_type(schema: &Schema, ty: &Type, reader: &mut Reader<'_>) -> Value {
    match schema.strip(ty) {
        Type::Message(id) => get_message(schema, schema.message(*id), reader),
        Type::Array(array) => get_array(schema, array, reader),
        leaf => {
            let bits = schema.bits(leaf) as u32;
            let mut value = Value::zero(schema, leaf);
            value.set_bits(reader.get(bits), bits);
            value
        }
    }
}

fn get_array(schema: &Schema, array: &Array, reader: &mut Reader<'_>) -> Value {
    let written = if array.marked { reader.get(16) as u32 } else { array.capacity };
    let mut items = Vec::new();
    for _ in 0..written.min(array.capacity) {
        items.push(get_type(schema, &array.element, reader));
    }
    let zero = Value::zero(schema, &array.element);
    items.resize(array.capacity as usize, zero);
    if schema.bits(&array.element) > 0 {
        for _ in array.capacity..written {
            if reader.at_limit() {
                break;
            }
            get_type(schema, &array.element, reader);
        }
    }
    Value::List(items)
}

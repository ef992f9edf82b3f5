//! Values of messages as trees, for the interpreters and the tests.

use super::schema::{MessageId, Schema, Type};

/// A value of some type of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of `bool`.
    Bool(bool),
    /// Of `byte`, `uintN` and enums.
    Uint(u64),
    /// Of `intN`.
    Int(i64),
    /// Of an array: one value for each element.
    List(Vec<Value>),
    /// Of a message: one value for each field, by ascending number.
    Message(Vec<Value>),
}

impl Value {
    /// The value of `ty` with all bits zero.
    pub fn zero(schema: &Schema, ty: &Type) -> Value {
        match schema.strip(ty) {
            Type::Bool => Value::Bool(false),
            Type::Int(_) => Value::Int(0),
            Type::Array(a) => Value::List(vec![Value::zero(schema, &a.element); a.capacity as usize]),
            Type::Message(id) => Value::zero_message(schema, *id),
            _ => Value::Uint(0),
        }
    }

    /// The message with all bits zero.
    pub fn zero_message(schema: &Schema, id: MessageId) -> Value {
        Value::Message(schema.message(id).fields.iter().map(|f| Value::zero(schema, &f.ty)).collect())
    }

    /// The bits of a leaf; 0 for lists and messages.
    pub fn bits(&self) -> u64 {
        match self {
            Value::Bool(b) => u64::from(*b),
            Value::Uint(u) => *u,
            Value::Int(i) => i.cast_unsigned(),
            Value::List(_) | Value::Message(_) => 0,
        }
    }

    /// The field or element of an index.
    pub fn at(&self, index: usize) -> Option<&Value> {
        match self {
            Value::List(items) | Value::Message(items) => items.get(index),
            _ => None,
        }
    }

    /// The field or element of an index, to be changed.
    pub fn at_mut(&mut self, index: usize) -> Option<&mut Value> {
        match self {
            Value::List(items) | Value::Message(items) => items.get_mut(index),
            _ => None,
        }
    }

    /// Sets a leaf from its lowest `bits` bits, extending the sign of signed ones.
    pub fn set_bits(&mut self, raw: u64, bits: u32) {
        let shift = 64 - bits.clamp(1, 64);
        match self {
            Value::Bool(b) => *b = raw & 1 != 0,
            Value::Uint(u) => *u = raw << shift >> shift,
            Value::Int(i) => *i = (raw << shift).cast_signed() >> shift,
            Value::List(_) | Value::Message(_) => {}
        }
    }
}

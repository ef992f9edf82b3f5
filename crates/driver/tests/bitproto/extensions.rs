//! What 1.3.2 does not know: random values of the schemas in `tests/bitproto/extensions`, in all languages.
//!
//! The naive interpreter makes the bytes. A message with a value out of its range is refused by each language (`-2`).

use super::lines::hex;
use super::{Suite, check_schema, vectors};
use std::fmt::Write;
use vproto_ir::wire::naive;
use vproto_ir::wire::schema::{Field, MessageId, ProtoId, Scalar, Schema, Type};
use vproto_ir::wire::value::Value;

/// The schemas with their lines.
pub fn suite() -> Suite {
    let entries = std::fs::read_dir(vectors().join("../extensions")).expect("a folder of the repository");
    let mut schemas: Vec<String> =
        entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    schemas.sort();
    let mut lines = String::new();
    schemas.iter().for_each(|file| lines_of(file, &mut lines));
    Suite { name: "extensions-", schemas, lines }
}

fn lines_of(file: &str, lines: &mut String) {
    let checked = check_schema(file);
    assert!(!checked.has_errors(), "{file}: {:?}", checked.diagnostics);
    let (schema, stem) = (&checked.schema, file.trim_end_matches(".bitproto"));
    let ranged = schema.messages_with(|f| f.rules.range.is_some());
    for id in schema.messages_of(ProtoId(0)) {
        let path = schema.message(id).head.path();
        for round in 0..40 {
            let mut maker =
                Maker { schema, state: round * 977 + u64::from(id.0), wild: false, broken: false };
            maker.wild = ranged[id.index()] && round % 4 == 3;
            let bytes = naive::encode(schema, id, &maker.message(id));
            let used = if maker.broken { -2 } else { bytes.len() as i64 };
            let _ = writeln!(lines, "{stem} {path} {0} {used} {0} -", hex(&bytes));
        }
    }
}

struct Maker<'a> {
    schema: &'a Schema,
    state: u64,
    /// Whether values may be out of their ranges.
    wild: bool,
    /// Whether one is.
    broken: bool,
}

impl Maker<'_> {
    fn next(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.state ^ self.state >> 31;
        match x % 5 {
            0 => 0,
            1 => u64::MAX,
            _ => x.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    fn message(&mut self, id: MessageId) -> Value {
        let schema = self.schema;
        Value::Message(schema.message(id).fields.iter().map(|f| self.value(&f.ty, f)).collect())
    }

    fn value(&mut self, ty: &Type, field: &Field) -> Value {
        let schema = self.schema;
        match schema.strip(ty) {
            Type::Array(a) => Value::List((0..a.capacity).map(|_| self.value(&a.element, field)).collect()),
            Type::Message(id) => self.message(*id),
            leaf => {
                let bits = schema.bits(leaf) as u32;
                let mut value = Value::zero(schema, leaf);
                value.set_bits(self.next(), bits);
                if let Type::Float(n) = leaf {
                    value = number(*n, &value);
                }
                self.within(field, leaf, value)
            }
        }
    }

    /// The value, or the range's lower end if it has to be and is not in the range.
    fn within(&mut self, field: &Field, ty: &Type, value: Value) -> Value {
        let Some((low, high)) = &field.rules.range else { return value };
        let (inside, least) = match (low, high, &value) {
            (Scalar::Integer(low), Scalar::Integer(high), Value::Int(v)) => {
                ((*low..=*high).contains(&i128::from(*v)), Value::Int(*low as i64))
            }
            (Scalar::Integer(low), Scalar::Integer(high), Value::Uint(v)) => {
                ((*low..=*high).contains(&i128::from(*v)), Value::Uint(*low as u64))
            }
            (Scalar::Float(low), Scalar::Float(high), Value::Uint(v)) => {
                let v = match ty {
                    Type::Float(64) => f64::from_bits(*v),
                    _ => f64::from(f32::from_bits(*v as u32)),
                };
                let least =
                    if *ty == Type::Float(64) { low.to_bits() } else { u64::from((*low as f32).to_bits()) };
                ((*low..=*high).contains(&v), Value::Uint(least))
            }
            _ => panic!("a range of another type"),
        };
        self.broken |= self.wild && !inside;
        if inside || self.wild { value } else { least }
    }
}

/// Bits that are no number lose their way through processors; they become 1.
fn number(bits: u8, value: &Value) -> Value {
    let exponent: u64 = match bits {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    let v = value.bits();
    let fraction = v & (exponent & exponent.wrapping_neg()).wrapping_sub(1);
    Value::Uint(if v & exponent == exponent && fraction != 0 { v & !exponent } else { v })
}

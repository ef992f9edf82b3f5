//! Bytes and values: the naive interpreter and the plan's, in all word sizes, against the vectors.

use super::{Json, check_schema, field, folder, read_json, text};
use vproto_ir::wire::naive::{self, DecodeError};
use vproto_ir::wire::plan::{self, Limits, Plan, Step};
use vproto_ir::wire::schema::{MessageId, Schema, Type};
use vproto_ir::wire::{Value, interp};

/// A value tree of a vector's `values`; missing fields are zero.
pub fn value_of(schema: &Schema, ty: &Type, json: &Json) -> Value {
    match schema.strip(ty) {
        Type::Bool => Value::Bool(json.as_bool().expect("a truth value")),
        Type::Int(_) => Value::Int(number(json).cast_signed()),
        Type::Array(a) => {
            let items = json.as_array().expect("a list");
            Value::List(items.iter().map(|j| value_of(schema, &a.element, j)).collect())
        }
        Type::Message(id) => message_of(schema, *id, json),
        _ => Value::Uint(number(json)),
    }
}

pub fn message_of(schema: &Schema, id: MessageId, json: &Json) -> Value {
    let fields = schema.message(id).fields.iter();
    let value = |f: &vproto_ir::wire::schema::Field| match json.get(&f.name) {
        Some(json) => value_of(schema, &f.ty, json),
        None => Value::zero(schema, &f.ty),
    };
    Value::Message(fields.map(value).collect())
}

/// A number, or its decimal text.
fn number(json: &Json) -> u64 {
    let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
    text.parse().unwrap_or_else(|_| text.parse::<i64>().expect("an integer").cast_unsigned())
}

fn bytes_of(json: &Json) -> Vec<u8> {
    let hex = text(json, "hex");
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

/// Limits that make everything unrolled, everything looped, everything called.
const LIMITS: [Limits; 4] = [
    Limits { unroll: 32, inline: 128, body: 16 },
    Limits { unroll: 100_000, inline: 100_000, body: 16 },
    Limits { unroll: 0, inline: 128, body: 0 },
    Limits { unroll: 4, inline: 0, body: 64 },
];

fn vector_files() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("a folder of the repository");
    let names = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|n| (n.starts_with('s') || n.starts_with('z')) && n.ends_with(".json")).collect();
    names.retain(|n| n != "s14_evolution.json");
    names.sort();
    names
}

#[test]
fn every_vector_encodes_and_decodes() {
    let mut count = 0;
    for name in vector_files() {
        let json = read_json(&name);
        let checked = check_schema(text(&json, "schema"));
        let schema = &checked.schema;
        let plans = LIMITS.map(|limits| plan::plan(schema, limits));
        for vector in field(&json, "vectors").as_array().expect("a list") {
            count += 1;
            let path = text(vector, "message");
            let id = schema.find_message(path).unwrap_or_else(|| panic!("{name}: no message {path}"));
            let value = message_of(schema, id, field(vector, "values"));
            let bytes = bytes_of(vector);
            let what = format!("{name} {path} {}", text(vector, "set"));
            assert_eq!(
                u64::from(schema.message(id).bits),
                field(vector, "nbits").as_u64().expect("bits"),
                "{what}"
            );
            agree(schema, &plans, id, &value, &bytes, &what);
        }
    }
    assert_eq!(count, 1067);
}

fn agree(schema: &Schema, plans: &[Plan], id: MessageId, value: &Value, bytes: &[u8], what: &str) {
    assert_eq!(naive::encode(schema, id, value), bytes, "{what}");
    assert_eq!(naive::decode(schema, id, bytes), Ok((value.clone(), bytes.len())), "{what}");
    for (i, plan) in plans.iter().enumerate() {
        for word in [1, 2, 4, 8] {
            assert_eq!(
                interp::encode(schema, plan, id, value, word),
                bytes,
                "{what}, plan {i}, words of {word}"
            );
            let decoded = interp::decode(schema, plan, id, bytes, word);
            assert_eq!(decoded, Ok((value.clone(), bytes.len())), "{what}, plan {i}, words of {word}");
        }
        // One byte more does no harm, one less is refused.
        if let Some(shorter) = bytes.len().checked_sub(1) {
            let decoded = interp::decode(schema, plan, id, &bytes[..shorter], 8);
            assert_eq!(decoded, Err(DecodeError::Short), "{what}, plan {i}");
        }
    }
}

#[test]
fn versions_read_each_other() {
    let json = read_json("s14_evolution.json");
    let old = check_schema(text(&json, "old")).schema;
    let new = check_schema(text(&json, "new")).schema;
    for vector in field(&json, "vectors").as_array().expect("a list") {
        let (writer, reader) =
            if text(vector, "direction") == "new_to_old" { (&new, &old) } else { (&old, &new) };
        let path = text(vector, "message");
        let find = |s: &Schema| s.find_message(path).expect("a message of both versions");
        let bytes = bytes_of(vector);
        let written = message_of(writer, find(writer), field(vector, "written"));
        assert_eq!(naive::encode(writer, find(writer), &written), bytes, "{vector}");
        let wanted = message_of(reader, find(reader), field(vector, "expected_by_reader"));
        let plan = plan::plan(reader, Limits::default());
        let decoded = interp::decode(reader, &plan, find(reader), &bytes, 8);
        assert_eq!(decoded, Ok((wanted, bytes.len())), "{vector}");
    }
}

#[test]
fn steps_follow_each_other_without_gap() {
    for name in super::schemas() {
        let schema = check_schema(&name).schema;
        for limits in LIMITS {
            for (message, of) in schema.messages.iter().zip(&plan::plan(&schema, limits).messages) {
                assert_eq!(contiguous(&of.steps, 0), message.bits, "{name} {}", message.head.path());
            }
        }
    }
}

/// The bit where the steps end.
fn contiguous(steps: &[Step], start: u32) -> u32 {
    steps.iter().fold(start, |at, step| {
        assert_eq!(step.at(), at, "{step:?}");
        if let Step::Loop(l) = step {
            assert_eq!(contiguous(&l.body, at % 8), at % 8 + l.stride * 8, "{step:?}");
        }
        at + step.bits()
    })
}

#[test]
fn big_arrays_do_not_unroll() {
    let schema = check_schema("s17_big.bitproto").schema;
    let plans = plan::plan(&schema, Limits::default());
    for (message, of) in schema.messages.iter().zip(&plans.messages) {
        assert!(plan::weight(&of.steps) <= 40, "{}: {}", message.head.path(), plan::weight(&of.steps));
    }
}

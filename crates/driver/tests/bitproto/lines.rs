//! The lines that test programs play, see `tests/bitproto/c/main.c`.

use super::{Json, check_schema, read_json, vectors};
use std::fmt::Write;
use vproto_ir::wire::naive;
use vproto_ir::wire::schema::{MessageId, Schema, Type};
use vproto_ir::wire::value::Value;

pub fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_owned();
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("{name} is missing"))
}

/// All vectors, the evolution pairs, and bytes of no good will.
pub fn lines() -> String {
    let mut out = String::new();
    let entries = std::fs::read_dir(vectors()).expect("a folder of the repository");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names.iter().filter(|n| n.starts_with(['s', 'z']) && n.ends_with(".json")) {
        if name != "s14_evolution.json" {
            vector_lines(name, &mut out);
        }
    }
    evolution_lines(&mut out);
    out
}

fn vector_lines(name: &str, out: &mut String) {
    let json = read_json(name);
    let file = text(&json, "schema");
    let stem = file.trim_end_matches(".bitproto");
    let schema = check_schema(file).schema;
    for vector in json.get("vectors").and_then(Json::as_array).into_iter().flatten() {
        let (message, bytes) = (text(vector, "message"), text(vector, "hex"));
        let size = bytes.len() / 2;
        let bytes = if bytes.is_empty() { "-" } else { bytes };
        let texts = vector.get("json_c").and_then(Json::as_str).unwrap_or("-");
        let _ = writeln!(out, "{stem} {message} {bytes} {size} {bytes} {texts}");
        let id = schema.find_message(message).expect("a message of the schema");
        if schema.message(id).has_marks && bytes != "-" {
            hostile_lines(&schema, stem, id, bytes, out);
        }
    }
}

/// Marks changed, bytes cut off and appended: whatever the naive decoder says of them.
fn hostile_lines(schema: &Schema, stem: &str, id: MessageId, bytes: &str, out: &mut String) {
    let original: Vec<u8> = (0..bytes.len() / 2)
        .map(|i| u8::from_str_radix(&bytes[2 * i..2 * i + 2], 16).expect("hex"))
        .collect();
    let mut state = original.iter().fold(1_u64, |s, b| s.wrapping_mul(31).wrapping_add(u64::from(*b)));
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for round in 0..12 {
        let mut bytes = original.clone();
        for _ in 0..=random(2) {
            let at = random(bytes.len().min(12 + round * 8));
            bytes[at] = if round % 2 == 0 { random(256) as u8 } else { bytes[at] ^ 1 << random(8) };
        }
        bytes.extend((0..random(3) * random(200)).map(|_| random(256) as u8));
        if random(4) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        let message = schema.message(id).head.path();
        let _ = match naive::decode(schema, id, &bytes) {
            Ok((value, used)) => {
                let expected = hex(&naive::encode(schema, id, &value));
                writeln!(out, "{stem} {message} {} {used} {expected} -", hex(&bytes))
            }
            Err(_) => writeln!(out, "{stem} {message} {} -1 - -", hex(&bytes)),
        };
    }
}

fn evolution_lines(out: &mut String) {
    let json = read_json("s14_evolution.json");
    for vector in json.get("vectors").and_then(Json::as_array).into_iter().flatten() {
        let reader = if text(vector, "direction") == "new_to_old" { "old" } else { "new" };
        let file = text(&json, reader);
        let schema = check_schema(file).schema;
        let id = schema.find_message(text(vector, "message")).expect("a message of both versions");
        let wanted = message_of(&schema, id, &vector["expected_by_reader"]);
        let expected = hex(&naive::encode(&schema, id, &wanted));
        let bytes = text(vector, "hex");
        let stem = file.trim_end_matches(".bitproto");
        let _ = writeln!(out, "{stem} {} {bytes} {} {expected} -", text(vector, "message"), bytes.len() / 2);
    }
}

fn message_of(schema: &Schema, id: MessageId, json: &Json) -> Value {
    let fields = schema.message(id).fields.iter();
    let value = fields.map(|f| match json.get(&f.name) {
        Some(json) => value_of(schema, &f.ty, json),
        None => Value::zero(schema, &f.ty),
    });
    Value::Message(value.collect())
}

fn value_of(schema: &Schema, ty: &Type, json: &Json) -> Value {
    let number = || {
        let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        text.parse().unwrap_or_else(|_| text.parse::<i64>().expect("an integer").cast_unsigned())
    };
    match schema.strip(ty) {
        Type::Bool => Value::Bool(json.as_bool().expect("a truth value")),
        Type::Int(_) => Value::Int(number().cast_signed()),
        Type::Message(id) => message_of(schema, *id, json),
        Type::Array(a) => Value::List(
            json.as_array().expect("a list").iter().map(|j| value_of(schema, &a.element, j)).collect(),
        ),
        _ => Value::Uint(number()),
    }
}

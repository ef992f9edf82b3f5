//! Random schemas and values against bitproto 1.3.2 itself: its Python runtime and its C with `-O`.
//!
//! It comes from PyPI into `target/`; without network the test says so and passes. `VPROTO_SEED` takes another share,
//! `VPROTO_LONG=1` a long one. What 1.3.2 is known to do wrongly is left out by `tests/bitproto/random.py`, case by case.

use super::build::run;
use super::lines::hex;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use vproto::bitproto::c::Options;
use vproto::bitproto::{CheckOptions, Loaded, Target, check, compile};
use vproto_ir::wire::naive;
use vproto_ir::wire::schema::{MessageId, ProtoId, Schema, Type};
use vproto_ir::wire::value::Value;
use vproto_testkit::skip;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/bitproto/random.py");

/// The Python in which bitproto 1.3.2 is installed.
fn reference() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("bitproto-1.3.2");
    let python = folder.join("bin/python");
    let works = |python: &Path| {
        let test = Command::new(python).args(["-c", "import bitproto, bitprotolib"]).output();
        test.is_ok_and(|o| o.status.success())
    };
    if !works(&python) {
        let _ = Command::new("python3").args(["-m", "venv"]).arg(&folder).output();
        let packages = ["install", "-q", "bitproto==1.3.2", "bitprotolib==1.0.1"];
        let _ = Command::new(folder.join("bin/pip")).args(packages).output();
    }
    works(&python).then_some(python)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 29);
        x.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (x >> 32)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 20) % n.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// Writes a schema; types so far are there to be used.
struct Maker<'r> {
    random: &'r mut Random,
    marks: bool,
    text: String,
    /// Names that can be used, with their bits.
    types: Vec<(String, u64)>,
    named: u32,
}

impl Maker<'_> {
    fn name(&mut self, prefix: &str) -> String {
        self.named += 1;
        format!("{prefix}{}", self.named)
    }

    fn single(&mut self) -> (String, u64) {
        let bits = if self.random.one_in(3) {
            [8, 16, 32, 64][self.random.below(4) as usize]
        } else {
            1 + self.random.below(64)
        };
        match self.random.below(8) {
            0 => ("bool".to_owned(), 1),
            1 => ("byte".to_owned(), 8),
            2 | 3 => (format!("uint{bits}"), bits),
            4 => (format!("int{bits}"), bits),
            _ if self.types.is_empty() => ("bool".to_owned(), 1),
            _ => self.types[self.random.below(self.types.len() as u64) as usize].clone(),
        }
    }

    fn mark(&mut self) -> &'static str {
        if self.marks && self.random.one_in(4) { "'" } else { "" }
    }

    fn field_type(&mut self) -> (String, u64) {
        let (name, bits) = self.single();
        if !self.random.one_in(3) {
            return (name, bits);
        }
        let most = (3000 / bits.max(1)).clamp(1, 40);
        let capacity = 1 + self.random.below(most);
        let mark = self.mark();
        (format!("{name}[{capacity}]{mark}"), bits * capacity + 16)
    }

    fn definition(&mut self, depth: usize) {
        let pad = "    ".repeat(depth);
        match self.random.below(if depth == 0 { 5 } else { 3 }) {
            0 => self.enumeration(depth),
            1 | 2 => self.message(depth),
            3 => {
                let (name, number) = (self.name("CONST_"), self.random.below(9));
                let _ =
                    writeln!(self.text, "{pad}const {name} = ({number} + 0x{number:x}) * 3 - {number} / 2");
            }
            _ => {
                let name = self.name("Alias");
                let bits = 1 + self.random.below(64);
                let (ty, bits) = match self.random.one_in(2) {
                    true => (format!("int{bits}"), bits),
                    false => self.field_type(),
                };
                // Named types have a name already; arrays of them may have one.
                if ty.contains('[') || ty.starts_with("int") {
                    let _ = writeln!(self.text, "{pad}type {name} = {ty}");
                    self.types.push((name, bits));
                }
            }
        }
    }

    fn enumeration(&mut self, depth: usize) {
        let pad = "    ".repeat(depth);
        let name = self.name("Enum");
        let bits = 1 + self.random.below(12);
        let _ = writeln!(self.text, "{pad}enum {name} : uint{bits} {{");
        let mut value = 0;
        for i in 0..1 + self.random.below(4) {
            if value >> bits != 0 {
                break;
            }
            let _ = writeln!(self.text, "{pad}    {}_V{i} = {value}", name.to_uppercase());
            value += 1 + self.random.below(1 << (bits / 2));
        }
        let _ = writeln!(self.text, "{pad}}}");
        self.types.push((name, bits));
    }

    fn message(&mut self, depth: usize) {
        let pad = "    ".repeat(depth);
        let name = self.name("Message");
        let mark = self.mark();
        let _ = writeln!(self.text, "{pad}message {name}{mark} {{");
        let (types, mut bits) = (self.types.len(), 16);
        if depth < 2 && self.random.one_in(3) {
            self.definition(depth + 1);
        }
        let mut number = 1 + self.random.below(3);
        let mut fields = Vec::new();
        for i in 0..self.random.below(9) {
            let (ty, size) = self.field_type();
            if bits + size < 9000 {
                bits += size;
                fields.push(format!("{pad}    {ty} field_{} = {number}\n", i + 1));
                number += 1 + self.random.below(4);
            }
        }
        // The order of lines is not that of numbers.
        while !fields.is_empty() {
            let line = fields.swap_remove(self.random.below(fields.len() as u64) as usize);
            self.text += &line;
        }
        let _ = writeln!(self.text, "{pad}}}");
        // What is nested has another name outside.
        self.types.truncate(types);
        self.types.push((name, bits));
    }
}

fn value(schema: &Schema, ty: &Type, random: &mut Random) -> Value {
    match schema.strip(ty) {
        Type::Array(a) => Value::List((0..a.capacity).map(|_| value(schema, &a.element, random)).collect()),
        Type::Message(id) => message(schema, *id, random),
        Type::Enum(id) => {
            let values = &schema.enumeration(*id).values;
            Value::Uint(values[random.below(values.len() as u64) as usize].value)
        }
        leaf => {
            let raw = match random.below(4) {
                0 => 0,
                1 => u64::MAX,
                _ => random.next(),
            };
            let mut value = Value::zero(schema, leaf);
            value.set_bits(raw, schema.bits(leaf) as u32);
            value
        }
    }
}

fn message(schema: &Schema, id: MessageId, random: &mut Random) -> Value {
    Value::Message(schema.message(id).fields.iter().map(|f| value(schema, &f.ty, random)).collect())
}

/// Whether a marked array is in a type: 1.3.2 decodes those wrongly.
fn has_marked_array(schema: &Schema, ty: &Type) -> bool {
    match schema.strip(ty) {
        Type::Array(a) => a.marked || has_marked_array(schema, &a.element),
        Type::Message(id) => schema.message(*id).fields.iter().any(|f| has_marked_array(schema, &f.ty)),
        _ => false,
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writable");
}

/// One schema with our code for it and the lines to play; whether it has any message.
fn make(folder: &Path, stem: &str, random: &mut Random, lines: &mut String) {
    let marks = random.one_in(2);
    let mut maker = Maker { random, marks, text: format!("proto {stem}\n\n"), types: Vec::new(), named: 0 };
    for _ in 0..6 {
        maker.definition(0);
    }
    let text = maker.text;
    let name = format!("{stem}.bitproto");
    write(folder, &name, &text);
    let loaded = || Loaded { name: name.clone(), bytes: text.clone().into_bytes() };
    let options = CheckOptions { quiet: true, refuse_marks: false };
    let checked = check(loaded(), &mut |_, _| Err("no imports".to_owned()), options);
    assert!(!checked.has_errors(), "{text}\n{:?}", checked.diagnostics);
    for target in [Target::Python, Target::C(Options { optimize: true, ..Options::default() })] {
        let compiled = compile(loaded(), &mut |_, _| Err(String::new()), options, &target);
        compiled.outputs.iter().for_each(|o| write(&folder.join("our"), &o.name, &o.text));
    }
    let schema = &checked.schema;
    for id in schema.messages_of(ProtoId(0)) {
        let of = schema.message(id);
        let arrays = has_marked_array(schema, &Type::Message(id));
        let flag = match schema.messages.as_slice() {
            _ if arrays => "arrays",
            all if all.iter().any(|m| m.has_marks) => "marks",
            // Their structs differ: see the table in docs/bitproto.md.
            all if all.iter().any(|m| m.fields.is_empty()) => "empty",
            _ => "-",
        };
        for _ in 0..5 {
            let bytes = hex(&naive::encode(schema, id, &message(schema, id, random)));
            let _ = writeln!(lines, "{stem} {} {bytes} {flag} {}", of.head.path(), of.bits);
        }
    }
}

#[test]
fn random_schemas() {
    let what = "random schemas against bitproto 1.3.2";
    if skip::missing("python3", what) || skip::missing("gcc", what) {
        return;
    }
    let Some(python) = reference() else {
        return skip::because(what, "bitproto 1.3.2 is not installed and could not be");
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let seed = number("VPROTO_SEED").unwrap_or(1);
    let count = if number("VPROTO_LONG").is_some() { 300 } else { 10 };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bitproto-random");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("our")).expect("a folder below target");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut lines = String::new();
    for i in 0..count {
        make(&folder, &format!("r{i}"), &mut random, &mut lines);
    }
    write(&folder, "lines", &lines);
    let output = run(Command::new(python).arg(SCRIPT).arg(&folder));
    eprintln!("{output}");
    assert!(output.contains(" 0 failures"), "seed {seed}, {}: {output}", folder.display());
}

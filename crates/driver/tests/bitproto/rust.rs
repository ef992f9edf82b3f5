//! Rust: all schemas in one crate.

use super::build::{Source, cached, run};
use super::{Suite, extensions, read_schema, schemas};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use vproto::bitproto::rust::Options;
use vproto::bitproto::{CheckOptions, NameStyle, Target, compile};
use vproto_ir::wire::access::{Accessor, accessors};
use vproto_ir::wire::case::pascal;
use vproto_ir::wire::schema::{MessageId, ProtoId, Schema, Type};
use vproto_testkit::skip;

const MAIN: &str = include_str!("../../../../tests/bitproto/rust/main.rs");

/// Words of the schemas that Rust reserves.
const KEYWORDS: [&str; 4] = ["type", "for", "in", "if"];

#[test]
fn all_vectors() {
    play("rust", &Options::default(), true, &Suite::vectors());
}

#[test]
fn extensions() {
    play("extensions-rust", &Options::default(), true, &extensions::suite());
    let options = Options { word: 4, ..Options::default() };
    play("extensions-rust-32", &options, false, &extensions::suite());
}

#[test]
fn words_of_32_bits_and_exact_names() {
    let options = Options { names: NameStyle::Exact, word: 4, ..Options::default() };
    play("rust-exact", &options, false, &Suite::vectors());
}

#[test]
fn bytes_without_json() {
    if std::env::var_os("VPROTO_LONG").is_none() {
        return skip::because("Rust with words of 8 bits", "VPROTO_LONG is not set");
    }
    let options = Options { optimize: true, word: 1, ..Options::default() };
    play("rust-bytes", &options, false, &Suite::vectors());
}

#[test]
fn clippy_and_rustfmt_have_nothing_to_say() {
    if ["clippy-driver", "rustfmt"].iter().any(|tool| skip::missing(tool, "the style of bitproto's Rust")) {
        return;
    }
    let mut sources = generate(&Options::default(), &schemas());
    let modules: String =
        sources.iter().map(|s| format!("pub mod {};\n", s.name.trim_end_matches(".rs"))).collect();
    let names: Vec<String> = sources.iter().map(|s| s.name.clone()).collect();
    // Generated modules do not say so themselves, as only the root of a crate may.
    sources.push(Source { name: "lib.rs".to_owned(), text: format!("#![no_std]\n{modules}") });
    // Not the settings of this repository.
    sources.push(Source { name: "rustfmt.toml".to_owned(), text: String::new() });
    cached("rust-style", &sources, |folder| {
        run(Command::new("rustfmt").current_dir(folder).args(["--edition", "2021", "--check"]).args(&names));
        let mut clippy = Command::new("clippy-driver");
        let flags = ["--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "-Dwarnings"];
        run(clippy.current_dir(folder).args(flags).args(["-Dclippy::all", "lib.rs"]));
    });
}

/// Positions are known: what tests bounds must be gone from optimised code, the reading of other versions included.
#[test]
fn nothing_can_panic() {
    if skip::missing("rustc", "the Rust of bitproto") {
        return;
    }
    let wanted = ["s05_arrays", "s13_ext_array", "s14_v2", "s16_telemetry", "s17_big"];
    let is_wanted = |s: &Source| wanted.iter().any(|w| s.name == format!("{w}_bp.rs"));
    let mut sources: Vec<Source> =
        generate(&Options::default(), &schemas()).into_iter().filter(is_wanted).collect();
    assert_eq!(sources.len(), wanted.len());
    let modules: String = wanted.iter().map(|w| format!("pub mod {w}_bp;\n")).collect();
    sources.push(Source { name: "lib.rs".to_owned(), text: format!("#![no_std]\n{modules}") });
    let folder = cached("rust-panics", &sources, |folder| {
        let mut rustc = Command::new("rustc");
        let flags = ["--edition", "2021", "--crate-type", "lib", "-O", "--emit", "asm", "lib.rs"];
        run(rustc.current_dir(folder).args(flags));
    });
    let code = std::fs::read_to_string(folder.join("lib.s")).expect("written by the compiler");
    let found: Vec<&str> =
        code.lines().filter(|l| l.contains("panic") || l.contains("slice_index")).take(5).collect();
    assert!(code.contains("Telemetry") && found.is_empty(), "{found:?}");
}

#[test]
fn a_filter_leaves_the_structs_and_drops_the_functions() {
    let root = read_schema("s16_telemetry.bitproto").expect("a file of the repository");
    let options = Options { optimize: true, filter: Some(vec!["Place".to_owned()]), ..Options::default() };
    let compiled = compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &Target::Rust(options));
    let text = &compiled.outputs[0].text;
    assert!(text.contains("pub struct Telemetry {") && text.contains("fn encode_place("));
    assert!(!text.contains("encode_telemetry") && !text.contains("json_"), "{text}");
}

fn generate(options: &Options, schemas: &[String]) -> Vec<Source> {
    let mut sources = Vec::new();
    for file in schemas {
        let root = read_schema(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let check = CheckOptions { quiet: true, refuse_marks: false };
        let compiled = compile(root, &mut |_, path| read_schema(path), check, &Target::Rust(options.clone()));
        assert_eq!(compiled.outputs.len(), 1, "{file}: {:?}", compiled.checked.diagnostics);
        sources.extend(compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }));
    }
    sources
}

/// Compiles all schemas into one program and plays all lines. Accessors take most of the time to compile.
fn play(what: &str, options: &Options, with_accessors: bool, suite: &Suite) {
    if skip::missing("rustc", "the Rust of bitproto") {
        return;
    }
    let mut sources = generate(options, &suite.schemas);
    let (mut modules, mut table, mut arms) = (String::new(), String::new(), String::new());
    for file in &suite.schemas {
        let stem = file.trim_end_matches(".bitproto");
        let _ = writeln!(modules, "pub mod {stem}_bp;");
        let schema = super::check_schema(file).schema;
        for id in schema.messages_of(ProtoId(0)) {
            entry(&schema, stem, id, options, with_accessors, &mut table, &mut arms);
        }
    }
    let find = format!(
        "pub fn find(schema: &str, message: &str) -> Option<fn(&crate::Line<'_>, &mut String)> {{\n    \
         Some(match (schema, message) {{\n{arms}        _ => return None,\n    }})\n}}\n"
    );
    sources.push(Source { name: "table.rs".to_owned(), text: format!("{table}{find}") });
    sources.push(Source { name: "main.rs".to_owned(), text: format!("{modules}{MAIN}") });
    sources.push(Source { name: "lines".to_owned(), text: suite.lines.clone() });
    let folder = cached(what, &sources, build);
    let output = run(Command::new(folder.join("program")).arg(folder.join("lines")));
    assert!(output.contains(" 0 failures"), "{output}");
}

fn build(folder: &Path) {
    let mut rustc = Command::new("rustc");
    let flags = ["--edition", "2021", "-Dwarnings", "-Cdebug-assertions", "main.rs", "-o", "program"];
    run(rustc.current_dir(folder).args(flags));
}

/// What the table says of a message.
fn entry(
    schema: &Schema,
    stem: &str,
    id: MessageId,
    options: &Options,
    with_accessors: bool,
    table: &mut String,
    arms: &mut String,
) {
    let message = schema.message(id);
    let joined = message.head.joined("_");
    let mut name = if options.names == NameStyle::Exact { joined } else { pascal(&joined) };
    if name == "Self" {
        name.push('_');
    }
    let number = id.0;
    let yes = |b: bool| if b { "yes" } else { "no" };
    let (stream, json) = (yes(message.bits > 0), yes(!options.optimize));
    let function = format!("{stem}_{number}");
    let all = if with_accessors { accessors(schema, id) } else { Vec::new() };
    access(schema, id, &format!("crate::{stem}_bp::{name}"), &function, all, table);
    let _ = writeln!(
        table,
        "message!({stem}_bp, {name}, {stream}, {json}, access_{function}, refuses_{function});"
    );
    let path = message.head.path();
    let _ = writeln!(arms, "        (\"{stem}\", \"{path}\") => crate::play::<crate::{stem}_bp::{name}>,");
}

/// Functions that go through all accessors of a message.
fn access(schema: &Schema, id: MessageId, ty: &str, function: &str, all: Vec<Accessor>, text: &mut String) {
    let (m, s) = if all.is_empty() { ("_", "_") } else { ("m", "s") };
    let copy = if all.is_empty() { "_" } else { "copy" };
    let _ =
        writeln!(text, "fn access_{function}({m}: &{ty}, {copy}: &mut [u8], {s}: &[u8]) -> Option<()> {{");
    let mut names = BTreeSet::new();
    let mut refused = vec!["true".to_owned()];
    for accessor in all {
        let mut name = accessor.path.join("_");
        // The printer's rule for clashes.
        while !names.insert(name.clone()) {
            name.push('_');
        }
        let indices = &["i", "j", "k", "l"][..accessor.dimensions.len()];
        let arguments: String = indices.iter().map(|i| format!(", {i}")).collect();
        for (index, dimension) in indices.iter().zip(&accessor.dimensions) {
            let _ = write!(text, "    for {index} in 0..{} {{", dimension.capacity);
        }
        let member = member(schema, id, &accessor.path);
        let zero = match schema.strip(&accessor.ty) {
            Type::Bool => "false",
            Type::Enum(_) => "Default::default()",
            _ => "0",
        };
        let _ = writeln!(
            text,
            "    if {ty}::get_{name}(s{arguments})? != {member} {{ return None; }}\n    \
             {ty}::set_{name}(copy{arguments}, {zero})?;\n    {ty}::set_{name}(copy{arguments}, {member})?;{}",
            "}".repeat(indices.len())
        );
        let zeros = ", 0".repeat(indices.len());
        refused.push(format!("{ty}::get_{name}(&[]{zeros}).is_none()"));
        refused.push(format!("{ty}::set_{name}(&mut []{zeros}, {zero}).is_none()"));
        if let Some(first) = accessor.dimensions.first() {
            let rest = ", 0".repeat(indices.len() - 1);
            refused.push(format!("{ty}::get_{name}(&[0; 9000], {}{rest}).is_none()", first.capacity));
        }
    }
    let _ = writeln!(
        text,
        "    Some(())\n}}\nfn refuses_{function}() -> bool {{\n    {}\n}}",
        refused.join("\n    && ")
    );
}

/// The field that an accessor reads, indices as they come on the way.
fn member(schema: &Schema, id: MessageId, path: &[String]) -> String {
    let mut text = "m".to_owned();
    let mut ty = Type::Message(id);
    let mut indices = ["i", "j", "k", "l"].iter();
    for name in path {
        let Type::Message(message) = schema.strip(&ty) else { panic!("{name} is in no message") };
        let field = schema.message(*message).fields.iter().find(|f| f.name == *name).expect("a field");
        text += &format!(".{}{name}", if KEYWORDS.contains(&name.as_str()) { "r#" } else { "" });
        ty = schema.strip(&field.ty).clone();
        while let Type::Array(array) = ty {
            text += &format!("[{}]", indices.next().expect("few dimensions"));
            ty = schema.strip(&array.element).clone();
        }
    }
    text
}

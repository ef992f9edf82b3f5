//! C in all its variants.

use super::build::{Source, cached, run};
use super::{Suite, check_schema, extensions, read_schema};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use vproto::bitproto::c::{Endian, Options, Standard};
use vproto::bitproto::{CheckOptions, NameStyle, Target, compile};
use vproto_ir::wire::access::accessors;
use vproto_ir::wire::case::pascal;
use vproto_ir::wire::names::c_type;
use vproto_ir::wire::schema::{MessageId, ProtoId, Schema, Type};
use vproto_testkit::skip;

pub const ENTRY: &str = include_str!("../../../../tests/bitproto/c/entry.h");
pub const MAIN: &str = include_str!("../../../../tests/bitproto/c/main.c");

/// Warnings that generated code is free of.
pub const WARNINGS: [&str; 7] =
    ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wno-unused-function", "-Werror"];

struct Variant {
    name: &'static str,
    options: Options,
    flags: &'static [&'static str],
    /// The machine: prefix of the tools' names, and what runs the program.
    machine: Option<(&'static str, &'static str)>,
}

impl Variant {
    fn tool(&self, name: &str) -> String {
        self.machine.map_or_else(|| name.to_owned(), |(prefix, _)| format!("{prefix}{name}"))
    }
}

/// IBM Z under qemu.
const BIG_ENDIAN: Option<(&str, &str)> = Some(("s390x-linux-gnu-", "qemu-s390x"));

#[test]
fn standard_mode_under_sanitizers() {
    let flags = &["-std=c99", "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    play(&Variant { name: "c99", options: Options::default(), flags, machine: None });
}

#[test]
fn optimization_mode_on_a_host_of_unknown_byte_order() {
    let options = Options { optimize: true, ..Options::default() };
    let flags = &["-std=c11", "-O1", "-DBITPROTO_LITTLE_ENDIAN=0"];
    play(&Variant { name: "order", options, flags, machine: None });
}

#[test]
fn c89_with_words_of_32_bits() {
    let options = Options { standard: Standard::C89, word: 4, ..Options::default() };
    let flags = &["-std=c89", "-O0", "-DBITPROTO_UNALIGNED=0"];
    play(&Variant { name: "c89", options, flags, machine: None });
}

#[test]
fn bytes_only() {
    let options = Options { word: 1, ..Options::default() };
    play(&Variant { name: "bytes", options, flags: &["-std=c99", "-O0"], machine: None });
}

/// Windows of struct memory where the processor has them, words of 16 bits elsewhere.
#[test]
fn windows() {
    let options = Options { simd: true, word: 2, optimize: true, ..Options::default() };
    play(&Variant { name: "simd", options, flags: &["-std=c99", "-O1"], machine: None });
}

#[test]
fn big_endian_host() {
    let flags = &["-std=c99", "-O1", "-static"];
    play(&Variant { name: "s390x", options: Options::default(), flags, machine: BIG_ENDIAN });
}

#[test]
fn big_endian_host_with_the_order_given() {
    let options = Options { endian: Endian::Big, word: 4, optimize: true, ..Options::default() };
    let flags = &["-std=c11", "-O2", "-static"];
    play(&Variant { name: "big", options, flags, machine: BIG_ENDIAN });
}

/// Compiles all schemas into one program and plays all lines.
fn play(variant: &Variant) {
    play_suite(variant, &Suite::vectors());
}

/// The extensions in C of both editions, on hosts of both orders.
#[test]
fn extensions() {
    let suite = extensions::suite();
    let flags = &["-std=c99", "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let simd = Options { simd: true, ..Options::default() };
    play_suite(&Variant { name: "c99", options: simd, flags, machine: None }, &suite);
    let options = Options { standard: Standard::C89, word: 4, ..Options::default() };
    let flags = &["-std=c89", "-O1", "-DBITPROTO_UNALIGNED=0"];
    play_suite(&Variant { name: "c89", options, flags, machine: None }, &suite);
    let flags = &["-std=c99", "-O1", "-static"];
    play_suite(&Variant { name: "s390x", options: Options::default(), flags, machine: BIG_ENDIAN }, &suite);
}

fn play_suite(variant: &Variant, suite: &Suite) {
    let runner = variant.machine.map(|m| m.1);
    let tools = [variant.tool("gcc"), variant.tool("objcopy")];
    for tool in tools.iter().map(String::as_str).chain(runner) {
        if skip::missing(tool, "the C of bitproto") {
            return;
        }
    }
    let mut sources = vec![
        Source { name: "entry.h".to_owned(), text: ENTRY.to_owned() },
        Source { name: "main.c".to_owned(), text: MAIN.to_owned() },
        Source { name: "flags".to_owned(), text: format!("{:?}", variant.flags) },
        Source { name: "lines".to_owned(), text: suite.lines.clone() },
    ];
    let mut tables = String::from(
        "#include \"entry.h\"\nstruct table { const char *schema; const struct entry *entries; };\n",
    );
    let mut rows = String::new();
    let mut stems = Vec::new();
    for file in &suite.schemas {
        let stem = file.trim_end_matches(".bitproto").to_owned();
        generate(file, &stem, variant, &mut sources);
        let _ = writeln!(tables, "extern const struct entry table_{stem}[];");
        let _ = writeln!(rows, "    {{ \"{stem}\", table_{stem} }},");
        stems.push(stem);
    }
    let _ = write!(
        tables,
        "extern const struct table tables[];\nconst struct table tables[] = {{\n{rows}    {{ 0, 0 }},\n}};\n"
    );
    sources.push(Source { name: "tables.c".to_owned(), text: tables });
    let folder =
        cached(&format!("{}{}", suite.name, variant.name), &sources, |folder| build(folder, &stems, variant));
    let program = folder.join("program");
    let mut command = runner.map_or_else(|| Command::new(&program), Command::new);
    command.args(runner.map(|_| &program));
    let output = run(command.arg(folder.join("lines")));
    assert!(output.contains(" 0 failures"), "{output}");
}

/// Header, source and table of one schema.
fn generate(file: &str, stem: &str, variant: &Variant, sources: &mut Vec<Source>) {
    let root = read_schema(file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let target = Target::C(variant.options.clone());
    let options = CheckOptions { quiet: true, refuse_marks: false };
    let compiled = compile(root, &mut |_, path| read_schema(path), options, &target);
    assert_eq!(compiled.outputs.len(), 2, "{file}: {:?}", compiled.checked.diagnostics);
    let text = table(&compiled.checked.schema, stem, variant.options.optimize);
    sources.extend(compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }));
    sources.push(Source { name: format!("{stem}_table.c"), text });
}

fn table(schema: &Schema, stem: &str, optimize: bool) -> String {
    let mut text = format!("#include \"{stem}_bp.c\"\n#include \"entry.h\"\n");
    let mut rows = String::new();
    let mut names = BTreeSet::new();
    for id in schema.messages_of(ProtoId(0)) {
        let message = schema.message(id);
        let n = c_type(schema, &message.head, NameStyle::Reference);
        let _ = writeln!(
            text,
            "static int t_encode_{n}(void *m, unsigned char *s) {{ return Encode{n}((struct {n} *)m, s); }}"
        );
        let _ = writeln!(
            text,
            "static int t_decode_{n}(void *m, unsigned char *s) {{ return Decode{n}((struct {n} *)m, s); }}"
        );
        let _ = writeln!(
            text,
            "static int t_buf_{n}(void *m, const unsigned char *s, size_t l) {{ return Decode{n}Buf((struct {n} *)m, s, l); }}"
        );
        let mut json = "0".to_owned();
        if !optimize {
            json = format!("t_json_{n}");
            let _ = writeln!(
                text,
                "static int {json}(const void *m, char *s, size_t l) {{ return Json{n}Buf((const struct {n} *)m, s, l); }}"
            );
        }
        let mut next = "0".to_owned();
        if message.bits > 0 {
            next = format!("t_next_{n}");
            let _ = writeln!(
                text,
                "static int {next}(void *m, struct BpStream *t, const unsigned char **s, size_t *l) \
                 {{ return Decode{n}Next((struct {n} *)m, t, s, l); }}"
            );
        }
        let access = access(schema, id, &n, &mut names, &mut text);
        let path = message.head.path();
        let _ = writeln!(
            rows,
            "    {{ \"{path}\", sizeof(struct {n}), t_encode_{n}, t_decode_{n}, t_buf_{n}, {json}, {access}, {next} }},"
        );
    }
    let _ = write!(
        text,
        "extern const struct entry table_{stem}[];\nconst struct entry table_{stem}[] = {{\n{rows}"
    );
    text + "    { 0, 0, 0, 0, 0, 0, 0, 0 },\n};\n"
}

/// A function that goes through all accessors of a message; the name of the function, or 0.
fn access(
    schema: &Schema,
    id: MessageId,
    n: &str,
    names: &mut BTreeSet<String>,
    text: &mut String,
) -> String {
    let all = accessors(schema, id);
    if all.is_empty() {
        return "0".to_owned();
    }
    let _ = writeln!(
        text,
        "static int t_access_{n}(const void *p, unsigned char *copy, const unsigned char *s)\n{{"
    );
    let _ = writeln!(
        text,
        "    const struct {n} *m = (const struct {n} *)p;\n    size_t i, j, k, l;\n    i = j = k = l = 0;"
    );
    for accessor in all {
        let mut name = format!("{n}{}", pascal(&accessor.path.join("_")));
        // The printer's rule for clashes.
        while !names.insert(name.clone()) {
            name.push('_');
        }
        let indices = &["i", "j", "k", "l"][..accessor.dimensions.len()];
        let arguments: String = indices.iter().map(|i| format!(", {i}")).collect();
        for (index, dimension) in indices.iter().zip(&accessor.dimensions) {
            let _ = write!(text, "    for ({index} = 0; {index} < {}u; {index}++)", dimension.capacity);
        }
        let member = member(schema, id, &accessor.path);
        let _ = writeln!(
            text,
            "    {{\n        if (Get{name}(s{arguments}) != {member}) return 1;\n        Set{name}(copy{arguments}, 0);\n        \
             Set{name}(copy{arguments}, {member});\n    }}"
        );
    }
    let _ = writeln!(text, "    (void)i; (void)j; (void)k; (void)l;\n    return 0;\n}}");
    format!("t_access_{n}")
}

/// The member that an accessor reads, indices as they come on the way.
fn member(schema: &Schema, id: MessageId, path: &[String]) -> String {
    let mut text = "m".to_owned();
    let mut ty = Type::Message(id);
    let mut indices = ["i", "j", "k", "l"].iter();
    for (at, name) in path.iter().enumerate() {
        let Type::Message(message) = schema.strip(&ty) else { panic!("{name} is in no message") };
        let field = schema.message(*message).fields.iter().find(|f| f.name == *name).expect("a field");
        let keyword = ["int", "class", "for"].contains(&name.as_str());
        text += &format!("{}{name}{}", if at == 0 { "->" } else { "." }, if keyword { "_" } else { "" });
        ty = schema.strip(&field.ty).clone();
        while let Type::Array(array) = ty {
            text += &format!("[{}]", indices.next().expect("few dimensions"));
            ty = schema.strip(&array.element).clone();
        }
    }
    text
}

/// One call of the compiler for all schemas; objects keep only their tables global, as names of schemas clash.
fn build(folder: &Path, stems: &[String], variant: &Variant) {
    let mut compiler = Command::new(variant.tool("gcc"));
    compiler.current_dir(folder).arg("-c").args(variant.flags).args(WARNINGS);
    run(compiler.args(stems.iter().map(|s| format!("{s}_table.c"))));
    for stem in stems {
        let object = format!("{stem}_table.o");
        let mut objcopy = Command::new(variant.tool("objcopy"));
        run(objcopy.current_dir(folder).arg(format!("--keep-global-symbol=table_{stem}")).arg(object));
    }
    let flags = variant.flags.iter().filter(|f| !f.starts_with("-std"));
    let mut linker = Command::new(variant.tool("gcc"));
    linker.current_dir(folder).args(flags).args(["main.c", "tables.c", "-o", "program"]);
    run(linker.args(stems.iter().map(|s| format!("{s}_table.o"))));
}

#[test]
fn a_filter_leaves_the_structs_and_drops_the_functions() {
    let options = Options { optimize: true, filter: Some(vec!["Place".to_owned()]), ..Options::default() };
    let root = read_schema("s16_telemetry.bitproto").expect("a file of the repository");
    let compiled = compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &Target::C(options));
    let all: String = compiled.outputs.iter().map(|o| o.text.as_str()).collect();
    assert!(
        all.contains("struct Telemetry {")
            && all.contains("int EncodePlace(")
            && !all.contains("EncodeTelemetry")
    );
    let root = read_schema("s16_telemetry.bitproto").expect("a file of the repository");
    let options = Options { optimize: true, filter: Some(vec!["Plaice".to_owned()]), ..Options::default() };
    let compiled = compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &Target::C(options));
    assert!(compiled.outputs.is_empty() && compiled.checked.has_errors());
}

#[test]
fn a_big_array_is_a_few_lines() {
    let checked = check_schema("s17_big.bitproto");
    let id = checked.schema.find_message("Image").expect("a message of the schema");
    assert!(checked.schema.message(id).bits > 30_000);
    let root = read_schema("s17_big.bitproto").expect("a file of the repository");
    let target = Target::C(Options::default());
    let compiled = compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &target);
    let source = &compiled.outputs[1].text;
    for function in ["bp_encode_Image(", "bp_decode_Image("] {
        let body = source.split(&format!("static void {function}")).nth(1).expect("the function");
        let lines = body.split("\n}\n").next().expect("its body").lines().count();
        assert!(lines <= 64, "{function} has {lines} lines");
    }
}

//! C++ in both its editions.

use super::build::{Source, cached, run};
use super::c::{ENTRY, MAIN, WARNINGS};
use super::{Suite, extensions, read_schema};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use vproto::bitproto::c::{Options, Standard};
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_ir::wire::schema::{ProtoId, Schema};
use vproto_testkit::skip;

/// Adapters from the test program's table to the methods.
const ADAPTERS: &str = r#"
template <class M> struct Adapt {
    static int encode(void *m, unsigned char *s) {
        static_cast<const M *>(m)->encode(s);
        return 0;
    }
    static int decode(void *m, const unsigned char *s, size_t n) { return static_cast<M *>(m)->decode(s, n); }
    static int json(const void *m, char *s, size_t n) { return (int)static_cast<const M *>(m)->to_json(s, n); }
    static int next(void *m, BpStream *t, const unsigned char **s, size_t *n) {
        return static_cast<M *>(m)->next(*t, *s, *n);
    }
};
"#;

/// What C++17 offers beyond C++98, on one message.
const CONTAINERS: &str = r#"
#include <vector>
extern "C" int containers();
extern "C" int containers() {
    s16_telemetry::Telemetry a;
    a.phase = s16_telemetry::Phase::PHASE_READY;
    a.velocity = {1, -2, 3};
    std::vector<unsigned char> bytes(s16_telemetry::Telemetry::bytes_length);
    std::array<char, 99> small{};
    s16_telemetry::Telemetry b;
    if (!a.encode(bytes) || a.encode(small) || b.decode(bytes) != 100 || b.decode(small) != -1) {
        return 1;
    }
    using T = s16_telemetry::Telemetry;
    T::set_motors_current(bytes.data(), 2, -77);
    if (T::get_velocity(bytes.data(), 1) != -2 || T::get_phase(bytes.data()) != a.phase || b.decode(bytes) != 100 ||
        b.motors[2].current != -77) {
        return 2;
    }
    b.phase = s16_telemetry::Phase::PHASE_FAULT;
    return a == b || a.decode(bytes) != 100 || b.decode(bytes) != 100 || a != b || a.to_json() != b.to_json();
}
"#;

#[test]
fn cpp17() {
    play("cpp17", Standard::Cpp17, "-std=c++17", &Suite::vectors());
    play("cpp17", Standard::Cpp17, "-std=c++17", &extensions::suite());
}

#[test]
fn cpp98() {
    play("cpp98", Standard::Cpp98, "-std=c++98", &Suite::vectors());
    play("cpp98", Standard::Cpp98, "-std=c++98", &extensions::suite());
}

fn play(name: &str, standard: Standard, flag: &str, suite: &Suite) {
    if skip::missing("g++", "the C++ of bitproto") {
        return;
    }
    let mut sources = vec![
        Source { name: "entry.h".to_owned(), text: ENTRY.to_owned() },
        Source { name: "main.c".to_owned(), text: MAIN.to_owned() },
        Source { name: "lines".to_owned(), text: suite.lines.clone() },
    ];
    let (mut includes, mut tables, mut rows) = (String::new(), String::new(), String::new());
    for file in &suite.schemas {
        let stem = file.trim_end_matches(".bitproto");
        let root = read_schema(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let target = Target::Cpp(Options { standard, ..Options::default() });
        let options = CheckOptions { quiet: true, refuse_marks: false };
        let compiled = compile(root, &mut |_, path| read_schema(path), options, &target);
        sources.extend(compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }));
        let _ = writeln!(includes, "#include \"{stem}_bp.hpp\"");
        tables += &table(&compiled.checked.schema, stem);
        let _ = writeln!(rows, "    {{ \"{stem}\", table_{stem} }},");
    }
    let main = "struct table { const char *schema; const entry *entries; };\nextern \"C\" const struct table tables[];\n";
    let extra = standard == Standard::Cpp17 && suite.name.is_empty();
    let containers = if extra { CONTAINERS } else { "" };
    let text = format!(
        "#include \"entry.h\"\n{includes}{ADAPTERS}{tables}{main}const struct table tables[] = {{\n{rows}    {{ 0, 0 }},\n}};\n\
         {containers}"
    );
    sources.push(Source { name: "all.cpp".to_owned(), text });
    let folder = cached(&format!("{}{name}", suite.name), &sources, |folder| build(folder, flag, extra));
    let output = run(Command::new(folder.join("program")).arg(folder.join("lines")));
    assert!(output.contains(" 0 failures"), "{output}");
    if extra {
        run(&mut Command::new(folder.join("extra")));
    }
}

fn table(schema: &Schema, stem: &str) -> String {
    let mut rows = String::new();
    for id in schema.messages_of(ProtoId(0)) {
        let message = schema.message(id);
        let ty = format!("{}::{}", schema.root().name, message.head.joined("::"));
        let next = if message.bits > 0 { format!("Adapt<{ty}>::next") } else { "0".to_owned() };
        let _ = writeln!(
            rows,
            "    {{ \"{}\", sizeof({ty}), Adapt<{ty}>::encode, 0, Adapt<{ty}>::decode, Adapt<{ty}>::json, 0, {next} }},",
            message.head.path()
        );
    }
    format!("static const entry table_{stem}[] = {{\n{rows}    {{ 0, 0, 0, 0, 0, 0, 0, 0 }},\n}};\n")
}

/// All headers go into one source.
fn build(folder: &Path, flag: &str, extra: bool) {
    let mut compiler = Command::new("g++");
    compiler.current_dir(folder).args(WARNINGS).args([flag, "-O0", "-c", "all.cpp"]);
    run(compiler.arg("-Wno-missing-field-initializers"));
    run(Command::new("gcc").current_dir(folder).args(["-c", "main.c"]));
    run(Command::new("g++").current_dir(folder).args(["main.o", "all.o", "-o", "program"]));
    if extra {
        std::fs::write(
            folder.join("extra.c"),
            "int containers(void);\nint main(void) { return containers(); }\n",
        )
        .expect("writable");
        run(Command::new("gcc").current_dir(folder).args(["-c", "extra.c"]));
        run(Command::new("g++").current_dir(folder).args(["extra.o", "all.o", "-o", "extra"]));
    }
}

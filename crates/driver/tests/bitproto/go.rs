//! Go: all schemas in one module, a package each.

use super::build::{Source, cached, run};
use super::{Json, Suite, extensions, read_json, read_schema};
use std::fmt::Write;
use std::process::Command;
use vproto::bitproto::go::Options;
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_ir::wire::case::pascal;
use vproto_ir::wire::schema::ProtoId;
use vproto_testkit::skip;

const MAIN: &str = include_str!("../../../../tests/bitproto/go/main.go");

#[test]
fn all_vectors() {
    play(&Suite::vectors());
}

#[test]
fn extensions() {
    play(&extensions::suite());
}

fn play(suite: &Suite) {
    if skip::missing("go", "the Go of bitproto") {
        return;
    }
    let mut sources = vec![
        Source { name: "main.go".to_owned(), text: MAIN.to_owned() },
        Source { name: "lines".to_owned(), text: suite.lines.clone() },
    ];
    let mut module = String::from("module player\n\ngo 1.21\n");
    let (mut imports, mut cases, mut uses) = (String::new(), String::new(), String::new());
    let wanted = read_json("names.json");
    let mut packages = Vec::new();
    for file in &suite.schemas {
        let stem = file.trim_end_matches(".bitproto");
        let root = read_schema(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let options = CheckOptions { quiet: true, refuse_marks: false };
        let compiled =
            compile(root, &mut |_, path| read_schema(path), options, &Target::Go(Options::default()));
        assert_eq!(compiled.outputs.len(), 1, "{file}: {:?}", compiled.checked.diagnostics);
        let schema = &compiled.checked.schema;
        let path = match schema.root().options.go_package_path.as_str() {
            "" => format!("{}_bp", schema.root().name),
            path => path.to_owned(),
        };
        // Each package is a module of its own name, as imports say it.
        let _ = write!(module, "\nrequire {path} v0.0.0\n\nreplace {path} => ./{stem}\n");
        packages.push(path.clone());
        let mut any = false;
        for id in schema.messages_of(ProtoId(0)) {
            let head = &schema.message(id).head;
            let _ = write!(
                cases,
                "\tcase \"{stem} {}\":\n\t\treturn new({stem}.{})\n",
                head.path(),
                pascal(&head.joined("_"))
            );
            any = true;
        }
        let used = names(&wanted[file], stem, &mut uses);
        if any || used {
            let _ = writeln!(imports, "import {stem} \"{path}\"");
        }
        for output in compiled.outputs {
            sources.push(Source { name: format!("{stem}@{}", output.name), text: output.text });
            sources
                .push(Source { name: format!("{stem}@go.mod"), text: format!("module {path}\n\ngo 1.21\n") });
        }
    }
    let table = format!(
        "package main\n\n{imports}\nfunc create(name string) message {{\n\tswitch name {{\n{cases}\t}}\n\tpanic(name)\n}}\n{uses}"
    );
    sources.push(Source { name: "table.go".to_owned(), text: table });
    sources.push(Source { name: "go.mod".to_owned(), text: module });
    let folder = cached(&format!("{}go", suite.name), &sources, |folder| {
        for source in &sources {
            if let Some((stem, name)) = source.name.split_once('@') {
                std::fs::create_dir_all(folder.join(stem)).expect("writable");
                std::fs::rename(folder.join(&source.name), folder.join(stem).join(name)).expect("writable");
            }
        }
        let untidy = run(Command::new("gofmt").arg("-l").arg(folder).current_dir(folder));
        let untidy: Vec<&str> = untidy.lines().filter(|l| l.ends_with("_bp.go")).collect();
        assert!(untidy.is_empty(), "gofmt changes {untidy:?}");
        let mut go = Command::new("go");
        go.current_dir(folder).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOWORK", "off");
        run(go.args(["build", "-o", "program", "."]));
        let mut vet = Command::new("go");
        vet.current_dir(folder).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOWORK", "off");
        run(vet.args(["vet", "."]).args(&packages));
    });
    let output = run(Command::new(folder.join("program")).arg(folder.join("lines")));
    assert!(output.contains(" 0 failures"), "{output}");
}

/// Declarations that use every name of 1.3.2; whether there are any.
fn names(wanted: &Json, stem: &str, text: &mut String) -> bool {
    let rows = || wanted["go"].as_array().into_iter().flatten();
    let cell = |row: &Json, i: usize| row[i].as_str().unwrap_or_default().to_owned();
    let mut any = false;
    for row in rows() {
        let name = cell(row, 2);
        let line = match cell(row, 0).as_str() {
            "message" | "enum" | "alias" => format!("var _ {stem}.{name}"),
            "length constant" | "enum value" | "constant" => format!("const _ = {stem}.{name}"),
            "field" => {
                let path = cell(row, 1);
                let owner = path.rsplit_once('.').expect("a message and a field").0;
                let is_owner = |r: &&Json| cell(r, 0) == "message" && cell(r, 1) == owner;
                let owner = cell(rows().find(is_owner).expect("its message"), 2);
                // A method has the name.
                let name = if name == "Size" { "Size_" } else { &name };
                format!("var _ = {stem}.{owner}{{}}.{name}")
            }
            _ => continue,
        };
        let _ = writeln!(text, "\n{line}");
        any = true;
    }
    any
}

#[test]
fn a_filter_leaves_the_structs_and_drops_the_functions() {
    let build = |filter: Option<&str>| {
        let root = read_schema("s16_telemetry.bitproto").expect("a file of the repository");
        let options = Options { filter: filter.map(|f| vec![f.to_owned()]) };
        let options = Target::Go(options);
        compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &options).outputs[0].text.clone()
    };
    let text = build(Some("Place"));
    assert!(text.contains("type Telemetry struct") && text.contains("func (m *Place) Encode()"));
    assert!(!text.contains("func (m *Telemetry) Encode()") && !text.contains("func (m *Motor) BpPut"));
    let text = build(Some("Telemetry"));
    assert!(!text.contains("func (m *Place) Encode()") && text.contains("func (m *Place) BpRead"));
}

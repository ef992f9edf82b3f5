//! Go: all schemas in one module, a package each.

use super::build::{Source, cached, run};
use super::lines::lines;
use super::{read_schema, schemas};
use std::fmt::Write;
use std::process::Command;
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_ir::wire::case::pascal;
use vproto_ir::wire::schema::ProtoId;

const MAIN: &str = include_str!("../../../../tests/bitproto/go/main.go");

#[test]
fn all_vectors() {
    if !Command::new("go").arg("version").output().is_ok_and(|o| o.status.success()) {
        return eprintln!("skipped: go is missing");
    }
    let mut sources = vec![
        Source { name: "main.go".to_owned(), text: MAIN.to_owned() },
        Source { name: "lines".to_owned(), text: lines() },
    ];
    let mut module = String::from("module player\n\ngo 1.21\n");
    let (mut imports, mut cases) = (String::new(), String::new());
    for file in schemas() {
        let stem = file.trim_end_matches(".bitproto");
        let root = read_schema(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let options = CheckOptions { quiet: true, refuse_marks: false };
        let compiled = compile(root, &mut |_, path| read_schema(path), options, &Target::Go);
        assert_eq!(compiled.outputs.len(), 1, "{file}: {:?}", compiled.checked.diagnostics);
        let schema = &compiled.checked.schema;
        let path = match schema.root().options.go_package_path.as_str() {
            "" => format!("{}_bp", schema.root().name),
            path => path.to_owned(),
        };
        // Each package is a module of its own name, as imports say it.
        let _ = write!(module, "\nrequire {path} v0.0.0\n\nreplace {path} => ./{stem}\n");
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
        if any {
            let _ = writeln!(imports, "import {stem} \"{path}\"");
        }
        for output in compiled.outputs {
            sources.push(Source { name: format!("{stem}@{}", output.name), text: output.text });
            sources
                .push(Source { name: format!("{stem}@go.mod"), text: format!("module {path}\n\ngo 1.21\n") });
        }
    }
    let table = format!(
        "package main\n\n{imports}\nfunc create(name string) message {{\n\tswitch name {{\n{cases}\t}}\n\tpanic(name)\n}}\n"
    );
    sources.push(Source { name: "table.go".to_owned(), text: table });
    sources.push(Source { name: "go.mod".to_owned(), text: module });
    let folder = cached("go", &sources, |folder| {
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
    });
    let output = run(Command::new(folder.join("program")).arg(folder.join("lines")));
    assert!(output.contains(" 0 failures"), "{output}");
}

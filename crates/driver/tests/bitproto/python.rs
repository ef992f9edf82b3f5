//! Python: all schemas in one process.

use super::build::{Source, cached, run};
use super::lines::lines;
use super::{read_schema, schemas, vectors};
use std::process::Command;
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_testkit::skip;

const MAIN: &str = include_str!("../../../../tests/bitproto/python/main.py");

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for file in schemas() {
        let root = read_schema(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let options = CheckOptions { quiet: true, refuse_marks: false };
        let compiled = compile(root, &mut |_, path| read_schema(path), options, &Target::Python);
        assert_eq!(compiled.outputs.len(), 1, "{file}: {:?}", compiled.checked.diagnostics);
        sources.extend(compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }));
    }
    sources
}

#[test]
fn all_vectors() {
    if skip::missing("python3", "the Python of bitproto") {
        return;
    }
    let mut sources = sources();
    sources.push(Source { name: "main.py".to_owned(), text: MAIN.to_owned() });
    sources.push(Source { name: "lines".to_owned(), text: lines() });
    let folder = cached("python", &sources, |_| {});
    let mut player = Command::new("python3");
    player.arg(folder.join("main.py")).arg(&folder).arg(folder.join("lines"));
    let output = run(player.arg(vectors().join("names.json")));
    assert!(output.contains(" 0 failures"), "{output}");
}

#[test]
fn types_are_strict() {
    if skip::missing("mypy", "the types of the Python of bitproto") {
        return;
    }
    cached("python-types", &sources(), |folder| {
        let mut mypy = Command::new("mypy");
        run(mypy.current_dir(folder).args(["--strict", "--no-error-summary", "."]));
    });
}

//! Python: all schemas in one process.

use super::build::{Source, cached, run};
use super::{Suite, extensions, read_schema, vectors};
use std::process::Command;
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_testkit::skip;

const MAIN: &str = include_str!("../../../../tests/bitproto/python/main.py");

fn sources(suite: &Suite) -> Vec<Source> {
    let mut sources = Vec::new();
    for file in &suite.schemas {
        let root = read_schema(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let options = CheckOptions { quiet: true, refuse_marks: false };
        let compiled = compile(root, &mut |_, path| read_schema(path), options, &Target::Python);
        assert_eq!(compiled.outputs.len(), 1, "{file}: {:?}", compiled.checked.diagnostics);
        sources.extend(compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }));
    }
    sources
}

#[test]
fn all_vectors() {
    play(&Suite::vectors());
}

#[test]
fn extensions() {
    play(&extensions::suite());
}

fn play(suite: &Suite) {
    if skip::missing("python3", "the Python of bitproto") {
        return;
    }
    let mut sources = sources(suite);
    sources.push(Source { name: "main.py".to_owned(), text: MAIN.to_owned() });
    sources.push(Source { name: "lines".to_owned(), text: suite.lines.clone() });
    let folder = cached(&format!("{}python", suite.name), &sources, |_| {});
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
    for suite in [Suite::vectors(), extensions::suite()] {
        cached(&format!("{}types", suite.name), &sources(&suite), |folder| {
            let mut mypy = Command::new("mypy");
            run(mypy.current_dir(folder).args(["--strict", "--no-error-summary", "."]));
        });
    }
}

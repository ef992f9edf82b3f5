//! The descriptions of `formats/`: no findings, and conformance suites where the shared data is there.

use std::fs;
use std::path::{Path, PathBuf};
use vproto::{Files, Grammar, Loader};
use vproto_testkit::case::{sorted, sources_at};
use vproto_testkit::{Case, root, skip, trace_of};

mod support;

/// All descriptions of `formats/`.
fn descriptions() -> Vec<PathBuf> {
    let folders = sorted(&root().join("formats")).into_iter().filter(|p| p.is_dir());
    let files = folders.flat_map(|f| sorted(&f));
    files.filter(|f| f.extension().is_some_and(|e| e == "vproto")).collect()
}

fn grammar_of(path: &Path) -> (Grammar, Files) {
    let case = Case {
        name: path.display().to_string(),
        sources: sources_at(path).expect("readable"),
        ..Case::default()
    };
    support::checked(&case).expect("a format has no errors")
}

#[test]
fn no_format_has_findings() {
    let all = descriptions();
    assert!(all.len() >= 10, "only {} formats", all.len());
    for path in all {
        let mut files = Files::default();
        let sources = sources_at(&path).expect("readable");
        let id = files.add(vproto::File::new(format!("{}.vproto", sources[0].name), sources[0].text.clone()));
        let loader: &mut dyn Loader = &mut support::Beside(&sources);
        let found = vproto::check(&mut files, id, loader).diagnostics;
        let shown = vproto_source::render::text(&files, &found, vproto_source::render::Style::default());
        assert!(found.is_empty(), "{}:\n{shown}", path.display());
    }
}

/// JSONTestSuite (nst/JSONTestSuite): the prefix of a file's name says what a parser must do.
#[test]
fn json_test_suite() {
    let Some(shared) = skip::without_shared("JSONTestSuite") else { return };
    let files = sorted(&shared.join("corpus/json"));
    let files: Vec<_> = files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")).collect();
    assert!(files.len() > 150);
    for description in ["json.vproto", "raw.vproto"] {
        let (grammar, texts) = grammar_of(&root().join("formats/json").join(description));
        let program = vproto::compile(&grammar, &texts).expect("the verifier finds nothing");
        for file in &files {
            let input = fs::read(file).expect("readable");
            let mut parser = vproto::machine_interpreter(&program);
            let trace = trace_of(parser.as_mut(), &input, &[input.len()]);
            let accepted = trace.last().is_some_and(|l| l.contains("\"complete\""));
            let name = file.file_name().expect("a name").to_string_lossy();
            match name.as_bytes()[0] {
                b'y' => assert!(accepted, "{description} refuses {name}: {:?}", trace.iter().rev().nth(1)),
                b'n' => assert!(!accepted, "{description} accepts {name}"),
                _ => {}
            }
        }
    }
}

//! `tests/golden/cpp/NAME.vproto` with the C++ of its parser, the runtime left out: one for each shape of a description.
//! `NAME.x.vproto` is module x of it. `BLESS=1` writes them, after a change on purpose; nothing else does.

use std::path::{Path, PathBuf};
use vproto::cpp::Options;
use vproto::{File, FileId, Files, KnownFiles};
use vproto_testkit::case::sorted;

/// The names of the descriptions, and what is asked of the generator.
fn options(name: &str) -> Options {
    Options { classic: name == "classic", no_heap: name == "no_heap", ..Options::default() }
}

fn folder() -> PathBuf {
    vproto_testkit::root().join("tests/golden/cpp")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// File names and texts, the runtime left out.
fn generated(path: &Path) -> Vec<(String, String)> {
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = Files::default();
    files.add(File::new(format!("{name}.vproto"), read(path)));
    for module in sorted(&folder()) {
        let file = module.file_name().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(inner) =
            file.strip_prefix(&format!("{name}.")).filter(|f| f.ends_with(".vproto") && *f != "vproto")
        {
            files.add(File::new(inner.to_owned(), read(&module)));
        }
    }
    let checked = vproto::check(&mut files, FileId(0), &mut KnownFiles);
    let grammar = checked.grammar.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics));
    let program = vproto::compile(&grammar, &files).expect("the verifier finds nothing");
    let made = vproto::generate_cpp(&program, &grammar, &files, &options(&name)).expect("nothing foreign");
    made.into_iter().map(|o| (o.name, parser_of(&o.text).to_owned())).collect()
}

/// The text from the first parser on; a source of `--classic` has no runtime.
fn parser_of(text: &str) -> &str {
    text.find(" is made of, and what is told")
        .map_or(text, |at| &text[text[..at].rfind("//").unwrap_or(at)..])
}

#[test]
fn parsers_are_as_written_down() {
    let mut seen = 0;
    for path in sorted(&folder()) {
        let name = path.file_name().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".vproto") || name.matches('.').count() > 1 {
            continue;
        }
        for (name, text) in generated(&path) {
            let golden = folder().join(&name);
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&golden, &text).unwrap_or_else(|e| panic!("{}: {e}", golden.display()));
            }
            let written = read(&golden);
            let differs = text.lines().zip(written.lines()).find(|(a, b)| a != b);
            assert!(text == written, "{} differs: {differs:?}; BLESS=1 writes it anew", golden.display());
        }
        seen += 1;
    }
    assert!(seen >= 9);
}

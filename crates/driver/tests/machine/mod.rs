//! What the tests of the machine interpreter share: descriptions from folders, and ways to play them.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use vproto_front::vproto::{KnownFiles, lower, parse};
use vproto_interp::Interpreter;
use vproto_ir::grammar::Grammar;
use vproto_ir::machine::Program;
use vproto_source::{File, Files};

/// An example: a description with an input and its trace.
pub struct Example {
    pub name: String,
    pub files: Files,
    pub grammar: Grammar,
    pub program: Program,
    pub input: Vec<u8>,
    pub trace: String,
}

/// All examples of the repository.
pub fn examples() -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/examples");
    let mut folders: Vec<PathBuf> = list(&root).into_iter().filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(folders.len() >= 40, "the examples are there");
    folders.iter().map(|folder| example(folder)).collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of examples is there");
    entries.map(|entry| entry.expect("its entries can be read").path()).collect()
}

fn example(folder: &Path) -> Example {
    let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
    let read = |file: &str| std::fs::read(folder.join(file)).expect("the example is complete");
    let mut files = Files::default();
    for path in list(folder) {
        if path.extension().is_some_and(|ending| ending == "vproto") {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            files.add(File::new(name, std::fs::read_to_string(&path).expect("a description is text")));
        }
    }
    let root = files.find(&format!("{name}.vproto")).expect("the description is named as its folder");
    let (grammar, program) = compile(&mut files, root);
    let trace = String::from_utf8(read("trace.jsonl")).expect("a trace is text");
    Example { name, files, grammar, program, input: read("input.bin"), trace }
}

/// The machine of a description, as it is lowered.
pub fn compile(files: &mut Files, root: vproto_source::FileId) -> (Grammar, Program) {
    let mut findings = Vec::new();
    let parsed = parse(files, root, &mut KnownFiles, &mut findings);
    let grammar = parsed.grammar.unwrap_or_else(|| panic!("it has errors: {findings:?}"));
    let program = lower::lower(&grammar, files);
    (grammar, program)
}

/// The trace of an input in pieces.
pub fn play<'a>(mut parser: impl Interpreter, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut lines = String::new();
    let mut sink = |event: vproto_interp::trace::Event| lines.push_str(&format!("{event}\n"));
    for piece in pieces {
        parser.parse(piece, &mut sink);
    }
    parser.finish(&mut sink);
    lines
}

/// Random pieces, empty ones among them.
pub fn chop(input: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut rest = input;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let size = (random % 9) as usize;
        let (piece, others) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = others;
    }
    pieces
}

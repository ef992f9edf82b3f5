//! The README shows what the command prints, and its program compiles.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use vproto_testkit::skip;

const WHOLE: &[u8] = b"\x01\0\0\0\x05hello\x02\0\0\0\0";

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    fs::read_to_string(path).expect("there is a README")
}

/// The fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let rest = text.split(&fence).skip(1);
    rest.filter_map(|block| block.split("```").next().map(str::to_owned)).collect()
}

fn vproto(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vproto")).args(args).current_dir(folder).output().expect("it starts")
}

/// A folder with the description of the README.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let description = blocks(&readme(), "text").remove(0);
    fs::write(folder.path().join("tlv.vproto"), description).expect("written");
    folder
}

#[test]
fn tables_are_what_is_printed() {
    let (folder, blocks) = (folder(), blocks(&readme(), "text"));
    for (input, block) in [(WHOLE, &blocks[1]), (&WHOLE[..WHOLE.len() - 2], &blocks[2])] {
        fs::write(folder.path().join("input.bin"), input).expect("written");
        let output = vproto(folder.path(), &["run", "tlv.vproto", "input.bin", "--events", "table"]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.ends_with(block.as_str()), "the README has\n{block}\nbut it is\n{shown}");
    }
}

#[test]
fn the_program_compiles() {
    if skip::missing("g++", "the program of the README") {
        return;
    }
    let folder = folder();
    assert!(vproto(folder.path(), &["gen", "tlv.vproto", "-o", "tlv.hpp"]).status.success());
    let program = blocks(&readme(), "cpp").remove(0);
    let (head, body) = program.split_once("tlv_parser<Mine>").expect("the program makes a parser");
    let text = format!(
        "{head}\nvoid report(const vproto::error &);\nvoid play(const char *bytes, std::size_t size) {{\n\
         tlv_parser<Mine>{body}\n}}\n"
    );
    fs::write(folder.path().join("program.cc"), text).expect("written");
    let compiler = Command::new("g++")
        .args(["-std=c++17", "-Wall", "-fsyntax-only", "program.cc"])
        .current_dir(folder.path())
        .output()
        .expect("g++ starts");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
}

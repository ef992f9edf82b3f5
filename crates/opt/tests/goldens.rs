//! `tests/ir/NAME.vproto` with `NAME.lowered.vir` and `NAME.normal.vir`: the machine as it is lowered and behind all
//! passes. `BLESS=1` writes them, after a change on purpose; nothing else does.

#[allow(dead_code)]
mod common;

use common::{findings, lowered_text};
use vproto_ir::text::print_program;
use vproto_opt::optimise;
use vproto_testkit::case::sorted;

/// The text of a machine is that of the file.
fn as_written(text: &str, path: &std::path::Path) {
    let shown = path.display();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, text).unwrap_or_else(|e| panic!("{shown}: {e}"));
    }
    let written = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{shown}: {e}"));
    assert!(text == written, "{shown} says\n{written}\nbut it is\n{text}");
}

#[test]
fn machines_are_as_written_down() {
    let mut seen = 0;
    for path in sorted(&vproto_testkit::root().join("tests/ir")) {
        if path.extension().is_none_or(|e| e != "vproto") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let lowered = lowered_text(&text);
        as_written(&print_program(&lowered), &path.with_extension("lowered.vir"));
        let normal = optimise(lowered);
        as_written(&print_program(&normal), &path.with_extension("normal.vir"));
        assert_eq!(findings(&normal), "");
        seen += 1;
    }
    assert!(seen >= 5);
}

//! `tests/ir/NAME.vproto` with `NAME.lowered.vir` and `NAME.normal.vir`: the machine as it is lowered and behind all
//! passes. `cargo run -p vproto-opt --example dump FILE [0]` prints what they should be.

#[allow(dead_code)]
mod common;

use common::{findings, lowered_text};
use vproto_ir::text::print_program;
use vproto_opt::optimise;
use vproto_testkit::case::sorted;

#[test]
fn machines_are_as_written_down() {
    let mut seen = 0;
    for path in sorted(&vproto_testkit::root().join("tests/ir")) {
        if path.extension().is_none_or(|e| e != "vproto") {
            continue;
        }
        let read = |p: &std::path::Path| {
            std::fs::read_to_string(p).unwrap_or_else(|e| panic!("{}: {e}", p.display()))
        };
        let lowered = lowered_text(&read(&path));
        assert_eq!(
            print_program(&lowered),
            read(&path.with_extension("lowered.vir")),
            "{} lowered",
            path.display()
        );
        let normal = optimise(lowered);
        assert_eq!(
            print_program(&normal),
            read(&path.with_extension("normal.vir")),
            "{} in normal form",
            path.display()
        );
        assert_eq!(findings(&normal), "");
        seen += 1;
    }
    assert!(seen >= 5);
}

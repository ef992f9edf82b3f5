//! Prints the machine of a description after a number of passes: `dump FILE [COUNT]`.
#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Write;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_default();
    let count = args.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut program = common::lowered_text(&text);
    vproto_opt::run_prefix(&mut program, count);
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{}{}", vproto_ir::text::print_program(&program), common::findings(&program));
}

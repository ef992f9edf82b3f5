//! Prints the machine of a description after a number of passes: `dump FILE [COUNT]`. Other descriptions beside the
//! file are its modules.
#[allow(dead_code)]
#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Write;
use std::path::Path;
use vproto_testkit::{Case, Source};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_default();
    let count = args.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let path = Path::new(&path);
    let mut files = vproto_testkit::case::sorted(path.parent().unwrap_or(Path::new(".")));
    files.retain(|p| p.extension().is_some_and(|e| e == "vproto"));
    files.sort_by_key(|p| p != path);
    let read = |p: &std::path::PathBuf| Source {
        name: p.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(p).unwrap_or_default(),
    };
    let case =
        Case { name: "dump".to_string(), sources: files.iter().map(read).collect(), ..Case::default() };
    let mut out = std::io::stdout().lock();
    match common::lowered(&case) {
        Ok(mut program) => {
            vproto_opt::run_prefix(&mut program, count);
            let _ = write!(out, "{}{}", vproto_ir::text::print_program(&program), common::findings(&program));
        }
        Err(e) => {
            let _ = writeln!(out, "{e}");
        }
    }
}

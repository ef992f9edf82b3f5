//! Saying what a test leaves out.
//!
//! What a test prints is swallowed unless it fails, so a test that skips looks like one that passed. These go past that,
//! straight to standard error, and into the file that `VPROTO_SKIPS` names: `cargo xtask test` shows it at its end. Where
//! `VPROTO_CI` is set (`cargo xtask test` sets it) a tool that nothing can take the place of must be there.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// Tools without which a run of all tests means little.
const REQUIRED: [&str; 2] = ["g++", "gcc"];

/// Tells that `what` is left out, and why.
pub fn because(what: &str, why: &str) {
    let line = format!("SKIPPED: {what}: {why}\n");
    // One write, so that lines of tests that run side by side stay whole; with nobody to tell nothing can be done.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("VPROTO_SKIPS") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let _ = file.and_then(|mut f| f.write_all(line.as_bytes()));
    }
}

/// Whether a program is not installed, so that `what` is left out; said then.
///
/// # Panics
/// Where all tests must run and the program is one of those that must be there.
pub fn missing(program: &str, what: &str) -> bool {
    if installed(program) {
        return false;
    }
    let must = std::env::var_os("VPROTO_CI").is_some() && REQUIRED.contains(&program);
    assert!(!must, "{what}: {program} is not installed, and nothing can take its place");
    because(what, &format!("{program} is not installed"));
    true
}

/// The folder of shared data; said where it is not there and `what` is left out.
pub fn without_shared(what: &str) -> Option<PathBuf> {
    let shared = crate::shared();
    if shared.is_none() {
        because(what, "../shared is not there");
    }
    shared
}

/// Whether a folder of `PATH` holds the program.
pub fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs_are_found() {
        assert!(super::installed("sh"));
        assert!(!super::installed("no-such-program-of-vproto"));
    }
}

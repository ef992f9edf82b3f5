//! All tests and checks.

use crate::{sh, tidy};

/// Compilers and tools that tests use, with their Debian packages and what is skipped without them.
const TOOLS: [(&str, &str, &str); 3] = [
    ("g++", "g++", "compiled C++ (nothing can take its place)"),
    ("clang++", "clang", "compiled C++ under clang"),
    ("valgrind", "valgrind", "instruction counts"),
];

/// Runs the style checks, then the tests.
///
/// # Errors
/// The first thing that fails.
pub fn run(style_only: bool) -> Result<(), String> {
    sh::run(&["cargo", "fmt", "--all", "--check"], &[])?;
    tidy::run()?;
    sh::run(&["cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    sh::run(
        &["cargo", "doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    if style_only {
        return Ok(());
    }
    install();
    sh::run(&["cargo", "test", "--workspace", "--no-fail-fast"], &[])
}

/// Writes the goldens anew.
///
/// # Errors
/// A test that fails also when it may write.
pub fn bless() -> Result<(), String> {
    sh::run(&["cargo", "test", "--workspace", "--no-fail-fast"], &[("BLESS", "1")])
}

/// Installs what is missing, where that may be done: as root on Debian.
fn install() {
    let missing: Vec<_> = TOOLS.iter().filter(|(program, ..)| !sh::has(program)).collect();
    if missing.is_empty() {
        return;
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    eprintln!("missing: {}; trying to install", packages.join(" "));
    let may = sh::has("apt-get") && std::env::var("USER").map_or(true, |u| u == "root");
    if may {
        let _ = sh::run(&["apt-get", "update", "-q"], &[]);
        let install: Vec<&str> = ["apt-get", "install", "-y", "-q"].into_iter().chain(packages).collect();
        let _ = sh::run(&install, &[("DEBIAN_FRONTEND", "noninteractive")]);
    }
    for (program, package, what) in TOOLS.iter().filter(|(program, ..)| !sh::has(program)) {
        eprintln!("SKIPPED: {what}: there is no {program} (package {package}) and it could not be installed");
    }
}

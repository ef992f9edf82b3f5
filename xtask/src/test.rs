//! All tests and checks.

use crate::sh::{self, root};
use crate::tidy;
use std::collections::BTreeSet;
use vproto_testkit::skip::installed;

/// Compilers and tools that tests use, with their Debian packages and what they are for.
/// Go is not among them: that of Debian 12 is older than what the tests need.
const TOOLS: &[(&str, &str, &str)] = &[
    (REQUIRED, "g++", "compiled C++"),
    ("clang++", "clang", "compiled C++ under clang"),
    ("valgrind", "valgrind", "instruction counts"),
    ("objcopy", "binutils", "the C of bitproto"),
    ("python3", "python3", "the Python of bitproto"),
    ("mypy", "mypy", "the types of the Python of bitproto"),
    ("s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu", "bitproto on a big-endian host"),
    ("qemu-s390x", "qemu-user", "bitproto on a big-endian host"),
    ("arm-none-eabi-gcc", "gcc-arm-none-eabi", "bitproto on Cortex-M"),
    ("qemu-system-arm", "qemu-system-arm", "bitproto on Cortex-M"),
    ("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu", "scanning with NEON"),
    ("script", "bsdutils", "the command on a terminal"),
    (TSHARK, "tshark", "the comparison of DNS"),
];

/// Compares captures of the shared corpus, and is of no use without it.
const TSHARK: &str = "tshark";

/// Without it the tests mean little.
const REQUIRED: &str = "g++";

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
    install()?;
    let skips = root().join("target/skips.txt");
    let _ = std::fs::remove_file(&skips);
    let environment = [("VPROTO_CI", "1"), ("VPROTO_SKIPS", &*skips.to_string_lossy())];
    let result = sh::run(&["cargo", "test", "--workspace", "--no-fail-fast"], &environment);
    summary(&std::fs::read_to_string(&skips).unwrap_or_default());
    result
}

/// What the tests left out; it was said among their output, where nobody finds it.
fn summary(skips: &str) {
    let lines: BTreeSet<&str> = skips.lines().collect();
    match lines.len() {
        0 => eprintln!("nothing was skipped"),
        n => eprintln!("{n} skipped:"),
    }
    lines.iter().for_each(|line| eprintln!("  {line}"));
}

/// Writes the goldens anew.
///
/// # Errors
/// A test that fails also when it may write.
pub fn bless() -> Result<(), String> {
    sh::run(&["cargo", "test", "--workspace", "--no-fail-fast"], &[("BLESS", "1")])
}

/// Installs what is missing, where that may be done: as root on Debian.
///
/// # Errors
/// What must be there is not, and could not be installed.
fn install() -> Result<(), String> {
    let of_use = |program: &str| program != TSHARK || vproto_testkit::shared().is_some();
    let wanted = TOOLS.iter().filter(|(program, ..)| of_use(program));
    let missing: Vec<_> = wanted.clone().filter(|(program, ..)| !installed(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    eprintln!("missing: {}; trying to install", packages.join(" "));
    let may = installed("apt-get") && std::env::var("USER").map_or(true, |u| u == "root");
    if may {
        let quick = ["-q", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"];
        let apt = |command: &[&'static str], packages: &[&'static str]| {
            let words: Vec<&str> = [&["apt-get"], command, &quick[..], packages].concat();
            sh::run(&words, &[("DEBIAN_FRONTEND", "noninteractive")])
        };
        // One at a time: one that this system does not have keeps none of the others away.
        if apt(&["update"], &[]).is_ok() {
            for package in packages {
                let _ = apt(&["install", "-y", "--no-install-recommends"], &[package]);
            }
        }
    }
    for (program, package, what) in wanted.filter(|(program, ..)| !installed(program)) {
        let problem = format!("there is no {program} (package {package}), and it could not be installed");
        if *program == REQUIRED {
            return Err(format!("{problem}: {what} cannot be tested"));
        }
        eprintln!("{problem}: {what} will be skipped");
    }
    Ok(())
}

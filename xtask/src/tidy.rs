//! Checks of the tree that compilers do not make: sizes of files, headings, order of dependencies.

use crate::sh::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Most lines of a source file (style.md, rule 12).
const LINES: usize = 900;

/// Crates in the order of the pipeline: each may depend only on those before it.
const ORDER: [&str; 9] = [
    "vproto-source",
    "vproto-ir",
    "vproto-front",
    "vproto-opt",
    "vproto-interp",
    "vproto-code",
    "vproto-back",
    "vproto",
    "vproto-cli",
];

/// Runs all checks.
///
/// # Errors
/// All findings, one a line.
pub fn run() -> Result<(), String> {
    let mut findings = Vec::new();
    for file in sources(&root()) {
        check_file(&file, &mut findings);
    }
    check_dependencies(&mut findings);
    if findings.is_empty() { Ok(()) } else { Err(format!("not tidy:\n  {}", findings.join("\n  "))) }
}

fn check_file(path: &Path, findings: &mut Vec<String>) {
    let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let Ok(text) = fs::read_to_string(path) else { return };
    let lines = text.lines().count();
    let generated = shown.contains("golden");
    if lines > LINES && !generated {
        findings.push(format!("{shown}: {lines} lines, more than {LINES}: split it"));
    }
    let is_module = shown.starts_with("crates/") && shown.contains("/src/") && shown.ends_with(".rs");
    if is_module && !text.starts_with("//!") {
        findings.push(format!("{shown}: begin with a `//!` comment that says the module's job"));
    }
}

/// A crate of the pipeline may use only earlier ones; tests may use any.
fn check_dependencies(findings: &mut Vec<String>) {
    for entry in fs::read_dir(root().join("crates")).into_iter().flatten().flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let value = |key: &str| text.lines().find_map(|l| l.strip_prefix(key)).map(|v| v.trim_matches('"'));
        let name = value("name = ").unwrap_or("");
        let Some(place) = ORDER.iter().position(|o| *o == name) else { continue };
        let own = text.split("[dependencies]").nth(1).unwrap_or("");
        let own = own.split("\n[").next().unwrap_or("");
        for later in &ORDER[place..] {
            if own.lines().any(|l| l.split('.').next().is_some_and(|d| d.trim() == *later)) {
                findings.push(format!("{name} depends on {later}: dependencies point one way"));
            }
        }
    }
}

/// All source files of the repository.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "node_modules" | "vectors") {
                found.extend(sources(&path));
            }
        } else if [".rs", ".hpp", ".h", ".cc", ".cpp", ".py", ".ts"].iter().any(|e| name.ends_with(e)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

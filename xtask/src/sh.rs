//! Running programs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// Runs a program in the root, its output shown; fails where it fails.
///
/// # Errors
/// The program is missing, or ends with another code than 0.
pub fn run(words: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    eprintln!("$ {}", words.join(" "));
    let status = Command::new(words[0])
        .args(&words[1..])
        .envs(environment.iter().copied())
        .current_dir(root())
        .status()
        .map_err(|e| format!("{}: {e}", words[0]))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", words.join(" "))) }
}

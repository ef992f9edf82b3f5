//! Programs of users: a description, a C++ program that includes what is generated from it, and what it prints.
//!
//! They stand in Markdown, under any heading:
//!
//! ````text
//! ```vproto             the description; ```vproto name=x for further modules
//! ```cpp run --classic  a program with `main`, built with what `vproto gen` makes with these options
//! ```output             what it prints
//! ```cpp refused        a program that must not compile
//! ```says               lines that its compiler's messages contain
//! ````
//!
//! A program belongs to the descriptions above it, up to the next heading with a description.

use crate::case::Source;
use crate::compiled::Build;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of a user, and what it must do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserProgram {
    /// File and heading, for messages.
    pub name: String,
    /// The descriptions: the root first.
    pub sources: Vec<Source>,
    /// Options of `vproto gen`.
    pub options: Vec<String>,
    /// The text of the program.
    pub text: String,
    /// What it prints; or what the compiler says.
    pub expected: Vec<String>,
    /// Whether the compiler must refuse it.
    pub refused: bool,
}

/// Reads all programs of a Markdown file.
///
/// # Errors
/// The file cannot be read, or a program has no description.
pub fn from_markdown(path: &Path) -> Result<Vec<UserProgram>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut programs: Vec<UserProgram> = Vec::new();
    let (mut sources, mut fresh, mut heading) = (Vec::new(), true, String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().to_owned();
            fresh = true;
            continue;
        }
        let Some(info) = line.strip_prefix("```") else { continue };
        let body: Vec<String> = lines.by_ref().map(str::to_owned).take_while(|l| l != "```").collect();
        let mut words = info.split_whitespace();
        match (words.next(), words.next()) {
            (Some("vproto"), name) => {
                if std::mem::take(&mut fresh) {
                    sources = Vec::new();
                }
                let name = name.and_then(|n| n.strip_prefix("name=")).unwrap_or("demo").to_owned();
                sources.push(Source { name, text: body.join("\n") + "\n" });
            }
            (Some("cpp"), Some(how @ ("run" | "refused"))) => {
                if sources.is_empty() {
                    return Err(format!("{}: {heading}: a program without a description", path.display()));
                }
                programs.push(UserProgram {
                    name: format!("{}: {heading}", path.file_name().unwrap_or_default().to_string_lossy()),
                    sources: sources.clone(),
                    options: words.map(str::to_owned).collect(),
                    text: body.join("\n") + "\n",
                    expected: Vec::new(),
                    refused: how == "refused",
                });
            }
            (Some("output" | "says"), _) => {
                if let Some(last) = programs.last_mut() {
                    last.expected = body;
                }
            }
            _ => {}
        }
    }
    Ok(programs)
}

/// A program and the files beside it, compiled; one of the same content, compiler and flags is used again.
///
/// # Errors
/// What the compiler says.
pub fn build(files: &[(String, String)], build: &Build) -> Result<PathBuf, String> {
    let mut key = format!("{} {}\n", build.compiler, build.flags.join(" "));
    for (name, text) in files {
        key.push_str(&format!("{name} {}\n{text}", text.len()));
    }
    let folder = crate::root().join(format!("target/compiled/{:016x}", crate::compiled::fnv(key.as_bytes())));
    let binary = folder.join("program");
    if binary.is_file() {
        return Ok(binary);
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    let made = folder.join(format!("program.{}", std::process::id()));
    let sources = files.iter().map(|(name, _)| name).filter(|name| name.ends_with(".cc"));
    let output = Command::new(&build.compiler)
        .args(&build.flags)
        .args(sources)
        .arg("-o")
        .arg(&made)
        .current_dir(&folder)
        .output()
        .map_err(|e| format!("{}: {e}", build.compiler))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::rename(&made, &binary).map_err(|e| format!("{}: {e}", binary.display()))?;
    Ok(binary)
}

/// What a program prints.
///
/// # Errors
/// It cannot be run, or breaks: with what it said.
pub fn run(binary: &Path) -> Result<String, String> {
    let output = Command::new(binary).output().map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} broke: {}\n{text}{said}", binary.display(), output.status))
}

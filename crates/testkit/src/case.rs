//! Cases and where they are read from.
//!
//! A Markdown file of `tests/corpus` has a title, a sentence on why it exists, and cases:
//!
//! ````text
//! # Title
//! ## name of a case
//! Why it exists.
//! ```vproto            the description; ```vproto name=x for further modules;
//!                      ```vproto file=formats/x/y.vproto names one of the repository, with its neighbours as modules
//! ```input             escapes \r \n \t \0 \\ \xHH; line ends of the block are not part of the input
//! ```set               optional: name=value, one a line
//! ```trace             the events, as JSON Lines
//! ````
//!
//! The examples of `docs/language.md` are cases of the same form, under headings of any depth; other blocks and
//! headings without an example stand between them.

use std::fs;
use std::io;
use std::path::Path;

/// A description, an input, and the events that they must give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// File and heading, for messages.
    pub name: String,
    /// The descriptions: the root first, then its modules.
    pub sources: Vec<Source>,
    /// Variables set before parsing: name and value.
    pub set: Vec<(String, String)>,
    /// The input.
    pub input: Vec<u8>,
    /// The lines of the trace, without line ends.
    pub trace: Vec<String>,
}

/// A description with its module name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// Its file name is `name.vproto`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Reads all cases of a Markdown file.
///
/// # Errors
/// The file cannot be read, or a block is malformed: a sentence that says where.
pub fn from_markdown(path: &Path) -> Result<Vec<Case>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut heading = stem.clone();
    let mut current = Case::default();
    while let Some((number, line)) = lines.next() {
        if let Some(title) = title(line) {
            finish(&mut current, &mut cases, path)?;
            heading = format!("{stem}: {title}");
        } else if let Some(info) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").collect();
            if block(&mut current, info.trim(), &body)
                .map_err(|e| format!("{}:{}: {e}", path.display(), number + 1))?
            {
                current.name.clone_from(&heading);
            }
        }
    }
    finish(&mut current, &mut cases, path)?;
    Ok(cases)
}

/// The text of a heading, whatever its depth.
fn title(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
}

fn finish(current: &mut Case, cases: &mut Vec<Case>, path: &Path) -> Result<(), String> {
    let case = std::mem::take(current);
    if case.name.is_empty() {
        return Ok(());
    }
    if case.sources.is_empty() || case.trace.is_empty() {
        return Err(format!("{}: {} lacks a description or a trace", path.display(), case.name));
    }
    cases.push(case);
    Ok(())
}

/// Adds a block to a case; false where the block is no part of one.
fn block(case: &mut Case, info: &str, body: &[&str]) -> Result<bool, String> {
    match info.split_whitespace().next().unwrap_or("") {
        "vproto" => {
            let option = |key| info.split_whitespace().find_map(|w| w.strip_prefix(key));
            if let Some(file) = option("file=") {
                case.sources = sources_at(&crate::root().join(file)).map_err(|e| format!("{file}: {e}"))?;
            } else {
                let name = option("name=").unwrap_or("demo").to_owned();
                case.sources.push(Source { name, text: body.join("\n") + "\n" });
            }
        }
        "input" => case.input.extend(unescape(&body.concat())?),
        "set" => {
            for line in body {
                let (name, value) = line.split_once('=').ok_or("expected name=value")?;
                case.set.push((name.to_owned(), value.to_owned()));
            }
        }
        "trace" => case.trace.extend(body.iter().map(|l| (*l).to_owned())),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The bytes of a text with escapes `\r \n \t \0 \\ \xHH`.
///
/// # Errors
/// Another escape.
pub fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        match rest.next() {
            Some('r') => bytes.push(b'\r'),
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('0') => bytes.push(0),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).map_err(|_| format!("bad escape \\x{digits}"))?);
            }
            other => return Err(format!("bad escape \\{}", other.unwrap_or(' '))),
        }
    }
    Ok(bytes)
}

/// Reads the case of a folder: `NAME/NAME.vproto`, other `.vproto` files, `input.bin`, `trace.jsonl`.
///
/// # Errors
/// A file that is missing or unreadable.
pub fn from_folder(folder: &Path) -> io::Result<Case> {
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let sources = sources_at(&folder.join(&name).with_extension("vproto"))?;
    let trace = fs::read_to_string(folder.join("trace.jsonl"))?.lines().map(str::to_owned).collect();
    Ok(Case { name, sources, set: Vec::new(), input: fs::read(folder.join("input.bin"))?, trace })
}

/// A description and its neighbours: all `.vproto` files of its folder, itself first.
///
/// # Errors
/// A file that is missing or unreadable.
pub fn sources_at(path: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for file in sorted(path.parent().unwrap_or(Path::new("."))) {
        if file.extension().is_some_and(|e| e == "vproto") {
            let stem = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            sources.push((file != path, Source { name: stem, text: fs::read_to_string(&file)? }));
        }
    }
    sources.sort_by_key(|(other, _)| *other);
    match sources.first() {
        Some((false, _)) => Ok(sources.into_iter().map(|(_, s)| s).collect()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "there is no such description")),
    }
}

/// All cases of the repository: `tests/examples/*/`, `tests/corpus/*.md`, `formats/*/cases.md` and the examples
/// of the manual, `docs/language.md`.
///
/// # Errors
/// As of the two readers.
pub fn all() -> Result<Vec<Case>, String> {
    let tests = crate::root().join("tests");
    let mut cases = Vec::new();
    for folder in sorted(&tests.join("examples")) {
        cases.push(from_folder(&folder).map_err(|e| format!("{}: {e}", folder.display()))?);
    }
    for file in sorted(&tests.join("corpus")) {
        if file.extension().is_some_and(|e| e == "md") {
            cases.extend(from_markdown(&file)?);
        }
    }
    for folder in sorted(&crate::root().join("formats")) {
        let file = folder.join("cases.md");
        if file.is_file() {
            cases.extend(from_markdown(&file)?);
        }
    }
    cases.extend(from_markdown(&crate::root().join("docs/language.md"))?);
    Ok(cases)
}

/// The entries of a folder by name; none where it is missing.
pub fn sorted(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(unescape("a\\r\\n\\x00\\\\é").as_deref(), Ok(&b"a\r\n\0\\\xc3\xa9"[..]));
        assert!(unescape("\\q").is_err());
    }

    #[test]
    fn headings() {
        assert_eq!(title("#### a b"), Some("a b"));
        assert_eq!(title("#a"), None);
        assert_eq!(title("a # b"), None);
    }
}

//! Descriptions that are right give no findings: the formats of this repository, its examples, and the shared examples
//! where they are. A warning there would teach people to overlook warnings. The formats give no notes either.

use std::fs;
use std::path::{Path, PathBuf};
use vproto_front::vproto;
use vproto_source::render::{Style, text};
use vproto_source::{Diagnostics, File, Files};

/// Warnings that are meant: description and code. `rule_limit_jmp` shows that what stands below a `jmp:` never runs.
const MEANT: &[(&str, &str)] = &[("rule_limit_jmp", "W0311")];

#[test]
fn good_descriptions_are_quiet() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open: Vec<PathBuf> = ["formats", "tests/examples"].iter().map(|f| root.join(f)).collect();
    open.extend(vproto_testkit::skip::without_shared("the shared examples").map(|s| s.join("examples")));
    let (mut count, mut loud) = (0, Vec::new());
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            open.extend(entries.flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "vproto") {
            count += 1;
            loud.extend(findings(&path));
        }
    }
    assert!(count > 0, "no description was found");
    assert!(loud.is_empty(), "{}\n{} descriptions of {count} are not quiet", loud.join("\n"), loud.len());
}

/// What is found in a description that is not meant.
fn findings(path: &Path) -> Option<String> {
    let mut files = Files::default();
    let folder = path.parent()?;
    let mut names: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    names.sort();
    for name in names.iter().filter(|p| p.extension().is_some_and(|e| e == "vproto")) {
        files.add(File::new(name.to_string_lossy(), fs::read_to_string(name).ok()?));
    }
    let root = files.find(&path.to_string_lossy())?;
    let mut out = Diagnostics::new();
    let parsed = vproto::parse(&mut files, root, &mut vproto::KnownFiles, &mut out);
    if let Some(grammar) = parsed.grammar {
        vproto::check::check(&grammar, &files, &mut out);
    }
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    let format = path.components().any(|c| c.as_os_str() == "formats");
    out.retain(|d| (format || !d.is_note()) && !MEANT.contains(&(stem.as_str(), d.code.0)));
    (!out.is_empty()).then(|| text(&files, &out, Style::default()))
}

//! Real descriptions: those of the repository, and the examples of the contract where they are at hand.

use std::path::{Path, PathBuf};
use vproto_front::vproto::{LoadKind, Loader, parse};
use vproto_source::{Diagnostics, File, FileId, Files};

/// Reads files beside the one that asks.
pub struct Beside;

impl Loader for Beside {
    fn load(
        &mut self,
        name: &str,
        kind: LoadKind,
        from: FileId,
        files: &mut Files,
    ) -> Result<FileId, String> {
        let ending = if kind == LoadKind::Module && !name.ends_with(".vproto") { ".vproto" } else { "" };
        let path = Path::new(&files.get(from).name).with_file_name(format!("{name}{ending}"));
        let path = path.to_string_lossy().into_owned();
        if let Some(known) = files.find(&path) {
            return Ok(known);
        }
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        Ok(files.add(File::new(path, text)))
    }
}

/// All descriptions below a folder; none where it is missing.
pub fn descriptions(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "vproto") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn all_parse(paths: &[PathBuf]) {
    for path in paths {
        let (mut files, mut out) = (Files::default(), Diagnostics::new());
        let text = std::fs::read_to_string(path).expect("it was listed");
        let root = files.add(File::new(path.to_string_lossy(), text));
        let parsed = parse(&mut files, root, &mut Beside, &mut out);
        assert!(parsed.grammar.is_some(), "{}: {out:#?}", path.display());
    }
}

#[test]
fn the_formats_parse() {
    let paths = descriptions(&root().join("formats"));
    assert!(!paths.is_empty());
    all_parse(&paths);
}

#[test]
fn the_examples_of_the_contract_parse() {
    let Some(shared) = vproto_testkit::skip::without_shared("the examples of the contract") else { return };
    let paths = descriptions(&shared.join("examples"));
    assert!(paths.len() >= 47, "{}", paths.len());
    all_parse(&paths);
}

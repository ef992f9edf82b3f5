//! Compilation of test programs, cached by content.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of a program.
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Runs a command; its output on failure ends the test.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{text}");
    text
}

/// The folder with these sources; `build` makes it once.
pub fn cached(what: &str, sources: &[Source], build: impl FnOnce(&Path)) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    for source in sources {
        (&source.name, &source.text).hash(&mut hasher);
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bitproto");
    let folder = root.join(format!("{what}-{:016x}", hasher.finish()));
    if folder.join("done").exists() {
        return folder;
    }
    // Earlier versions of the same program are of no use any more.
    for entry in std::fs::read_dir(&root).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let hash = name.strip_prefix(what).and_then(|rest| rest.strip_prefix('-'));
        if hash.is_some_and(|hash| hash.len() == 16 && !hash.contains('-')) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    std::fs::create_dir_all(&folder).expect("a folder below target");
    for source in sources {
        std::fs::write(folder.join(&source.name), &source.text).expect("writable");
    }
    build(&folder);
    std::fs::write(folder.join("done"), "").expect("writable");
    folder
}

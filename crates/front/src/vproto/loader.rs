//! The way to other files: the core is pure, so the caller reads them.

use vproto_source::{FileId, Files};

/// What a file is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// `@import n`, `vproto:n:v`: the description `n.vproto`. The name has no ending, or is a path as written in quotes.
    Module,
    /// `@include "file"`: the path as written.
    Include,
}

/// Finds and reads files that descriptions name.
pub trait Loader {
    /// Adds the file to `files`, or finds it there, and names it. `from` is the file that asks; the search begins
    /// beside it. One file has one id however often it is asked for. The error is a reason for the user.
    ///
    /// # Errors
    /// Where the file is not found or cannot be read.
    fn load(&mut self, name: &str, kind: LoadKind, from: FileId, files: &mut Files)
    -> Result<FileId, String>;
}

/// A loader that knows no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, name: &str, _: LoadKind, _: FileId, _: &mut Files) -> Result<FileId, String> {
        Err(format!("`{name}` is not there"))
    }
}

/// A loader of files that were added before, by name: `n` or `n.vproto`, beside the file that asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownFiles;

impl Loader for KnownFiles {
    fn load(
        &mut self,
        name: &str,
        kind: LoadKind,
        from: FileId,
        files: &mut Files,
    ) -> Result<FileId, String> {
        let from = &files.get(from).name;
        let folder = from.rfind('/').map_or("", |i| &from[..=i]);
        let ending = if kind == LoadKind::Module && !name.ends_with(".vproto") { ".vproto" } else { "" };
        let path = format!("{folder}{name}{ending}");
        files.find(&path).ok_or_else(|| format!("there is no file `{path}`"))
    }
}

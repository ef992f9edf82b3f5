//! What the tests of this folder share.

use vproto::{File, FileId, Files, Grammar, LoadKind, Loader};
use vproto_source::render::Style;
use vproto_testkit::{Case, Source};

/// Finds modules among the sources of a case.
pub struct Beside<'a>(pub &'a [Source]);

impl Loader for Beside<'_> {
    fn load(
        &mut self,
        name: &str,
        _kind: LoadKind,
        _from: FileId,
        files: &mut Files,
    ) -> Result<FileId, String> {
        let stem = name.strip_suffix(".vproto").unwrap_or(name);
        let path = format!("{stem}.vproto");
        if let Some(known) = files.find(&path) {
            return Ok(known);
        }
        let source = self.0.iter().find(|s| s.name == stem || s.name == name);
        let source = source.ok_or_else(|| format!("the case has no module {name}"))?;
        Ok(files.add(File::new(path, source.text.clone())))
    }
}

/// The grammar of a case; what is wrong with it otherwise.
pub fn checked(case: &Case) -> Result<(Grammar, Files), String> {
    let mut files = Files::default();
    let root = &case.sources[0];
    let id = files.add(File::new(format!("{}.vproto", root.name), root.text.clone()));
    let checked = vproto::check(&mut files, id, &mut Beside(&case.sources));
    let shown = vproto_source::render::text(&files, &checked.diagnostics, Style::default());
    let grammar =
        checked.grammar.ok_or_else(|| format!("{}: the description has errors\n{shown}", case.name))?;
    Ok((grammar, files))
}

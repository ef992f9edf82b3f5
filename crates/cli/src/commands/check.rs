//! `vproto check`

use super::verdict;
use crate::failure::{Failure, Outcome};
use crate::files::{Folders, read_description};
use crate::report::{self, Format};
use std::path::{Path, PathBuf};
use vproto::{Diagnostic, Diagnostics, Files, bitproto};

/// Find mistakes: names, types, alternatives that nothing reaches, loops without progress
#[derive(clap::Args)]
pub struct Args {
    /// Descriptions to check, and bitproto schemas (*.bitproto); imported modules are checked with them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How findings are shown; json and sarif go to standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder in which imported modules are looked up; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Exit with 1 on warnings, too
    #[arg(long)]
    deny_warnings: bool,
}

/// Checks each file; all are checked even where one has errors.
pub fn run(args: &Args) -> Outcome {
    let is_schema = |path: &&PathBuf| path.extension().is_some_and(|e| e == "bitproto");
    let (schemas, descriptions): (Vec<&PathBuf>, Vec<&PathBuf>) = args.files.iter().partition(is_schema);
    let mut fails = false;
    for path in schemas {
        fails |= check_schema(path, args)?;
    }
    if !descriptions.is_empty() {
        fails |= check_descriptions(&descriptions, args)?;
    }
    Ok(verdict(fails))
}

fn check_descriptions(paths: &[&PathBuf], args: &Args) -> Result<bool, Failure> {
    let mut files = Files::default();
    let mut all = Diagnostics::new();
    for path in paths {
        let root = read_description(path, &mut files)?;
        let found = vproto::check(&mut files, root, &mut Folders::new(&args.include)).diagnostics;
        all.extend(found.into_iter().filter(|d| !all.contains(d)).collect::<Vec<_>>());
    }
    show(&files, &all, args)
}

/// A bitproto schema with its imports.
fn check_schema(path: &Path, args: &Args) -> Result<bool, Failure> {
    let root = crate::bitproto::read(path).map_err(|e| Failure::io("read", &path.to_string_lossy(), &e))?;
    let checked = bitproto::check(root, &mut crate::bitproto::load, bitproto::CheckOptions::default());
    show(&checked.files, &checked.diagnostics, args)
}

/// Shows findings; whether they make the check fail.
fn show(files: &Files, all: &Diagnostics, args: &Args) -> Result<bool, Failure> {
    match args.format {
        Format::Text => report::to_stderr(files, all, Format::Text),
        other => report::to_stdout(files, all, other)?,
    }
    let errors = all.iter().any(Diagnostic::is_error);
    Ok(errors || args.deny_warnings && !all.iter().all(Diagnostic::is_note))
}

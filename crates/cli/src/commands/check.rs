//! `vproto check`

use super::verdict;
use crate::failure::Outcome;
use crate::files::{Folders, read_description};
use crate::report::{self, Format};
use std::path::PathBuf;
use vproto::{Diagnostic, Diagnostics, Files};

/// Find mistakes: names, types, alternatives that nothing reaches, loops without progress
#[derive(clap::Args)]
pub struct Args {
    /// Descriptions to check; imported modules are checked with them
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
    let mut files = Files::default();
    let mut all = Diagnostics::new();
    for path in &args.files {
        let root = read_description(path, &mut files)?;
        let found = vproto::check(&mut files, root, &mut Folders::new(&args.include)).diagnostics;
        all.extend(found.into_iter().filter(|d| !all.contains(d)).collect::<Vec<_>>());
    }
    match args.format {
        Format::Text => report::to_stderr(&files, &all, Format::Text),
        other => report::to_stdout(&files, &all, other)?,
    }
    let errors = all.iter().any(Diagnostic::is_error);
    Ok(verdict(errors || args.deny_warnings && !all.iter().all(Diagnostic::is_note)))
}

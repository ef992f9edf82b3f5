//! `vproto breaking`: whether peers with an old and a new version of a bitproto schema understand each other.

use crate::bitproto::{load, read, show};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vproto::bitproto::{Change, CheckOptions, Checked, check, compare};

/// Say whether a change of a bitproto schema keeps old peers working.
#[derive(Args, Debug)]
pub struct BreakingArgs {
    /// The new version.
    file: PathBuf,
    /// The old version.
    #[arg(long, value_name = "OLD")]
    against: PathBuf,
}

/// Runs the command: 0 compatible, 1 breaking or not valid.
pub fn run(args: &BreakingArgs) -> ExitCode {
    let (Some(old), Some(new)) = (checked(&args.against), checked(&args.file)) else {
        return ExitCode::FAILURE;
    };
    let changes = compare(&old.schema, &new.schema);
    let mut out = anstream::stdout();
    for change in &changes {
        let _ = writeln!(out, "{}: {}: {}", place(&old, &new, change), verdict(change), change.text);
    }
    let breaking = changes.iter().any(|c| c.breaking);
    let _ = writeln!(
        out,
        "{}",
        if breaking { "peers of the two versions misunderstand each other" } else { "compatible" }
    );
    if breaking { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn verdict(change: &Change) -> &'static str {
    if change.breaking { "breaking" } else { "compatible" }
}

/// A version that has no errors; those of another are shown.
fn checked(path: &Path) -> Option<Checked> {
    let root = match read(path) {
        Ok(root) => root,
        Err(error) => {
            let _ = writeln!(anstream::stderr(), "error: {}: {error}", path.display());
            return None;
        }
    };
    let checked = check(root, &mut load, CheckOptions { quiet: true, refuse_marks: false });
    show(&checked);
    (!checked.has_errors()).then_some(checked)
}

/// File, line and column of what changed.
fn place(old: &Checked, new: &Checked, change: &Change) -> String {
    let of = if change.in_old { old } else { new };
    let place = of.files.place(change.span);
    format!("{}:{}:{}", of.files.get(change.span.file).name, place.line, place.column)
}

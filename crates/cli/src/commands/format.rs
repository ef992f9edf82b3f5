//! `vproto fmt`

use super::verdict;
use crate::failure::{Failure, Outcome};
use crate::files::{read_description, write_file, write_stdout};
use crate::report::{self, Format};
use std::io::Read;
use std::path::{Path, PathBuf};
use vproto::{File, Files};

/// Format descriptions in place
#[derive(clap::Args)]
pub struct Args {
    /// Descriptions; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that are not formatted and exit with 1
    #[arg(long)]
    check: bool,
}

/// Formats each file; a file with errors is left as it is.
pub fn run(args: &Args) -> Outcome {
    let mut at_fault = false;
    for path in &args.files {
        at_fault |= format_one(path, args.check)?;
    }
    Ok(verdict(at_fault))
}

/// Whether the file is at fault: has errors, or is not formatted where only that is asked.
fn format_one(path: &Path, check: bool) -> Result<bool, Failure> {
    let from_stdin = path == Path::new("-");
    let mut files = Files::default();
    let id =
        if from_stdin { files.add(File::new("-", stdin()?)) } else { read_description(path, &mut files)? };
    let formatted = match vproto::format(&files.get(id).text) {
        Ok(text) => text,
        Err(diagnostics) => {
            report::to_stderr(&files, &diagnostics, Format::Text);
            return Ok(true);
        }
    };
    let changed = formatted != files.get(id).text;
    if check {
        if changed {
            write_stdout(&format!("{} is not formatted\n", path.display()))?;
        }
        return Ok(changed);
    }
    if from_stdin {
        write_stdout(&formatted)?
    } else {
        write_file(path, &formatted)?
    }
    Ok(false)
}

fn stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.map(|_| text).map_err(|e| Failure::io("read", "standard input", &e))
}

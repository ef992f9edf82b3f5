//! `vproto completions`, `vproto man`

use crate::failure::{Failure, Outcome, Verdict};
use crate::files::write_stdout;

/// Print a completion script for a shell
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page
#[derive(clap::Args)]
pub struct ManArgs {}

/// The script for a shell.
pub fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "vproto", &mut script);
    write_stdout(&String::from_utf8_lossy(&script)).map(|()| Verdict::Fine)
}

/// The manual page in roff.
pub fn man(_args: &ManArgs, command: clap::Command) -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|e| Failure::io("write", "the manual page", &e))?;
    write_stdout(&String::from_utf8_lossy(&page)).map(|()| Verdict::Fine)
}

//! Showing findings: text for people, JSON or SARIF for machines.

use crate::failure::Failure;
use crate::files::write_stdout;
use clap::ValueEnum;
use std::io::{IsTerminal, Write};
use vproto::{Diagnostics, Files};
use vproto_source::render;

/// How findings are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The source line underlined, for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
    /// One SARIF 2.1.0 document.
    Sarif,
}

/// Shows findings on standard error.
pub fn to_stderr(files: &Files, diagnostics: &Diagnostics, format: Format) {
    if diagnostics.is_empty() && format != Format::Sarif {
        return;
    }
    let mut out = anstream::stderr().lock();
    let colour = std::io::stderr().is_terminal();
    // With standard error closed there is nobody to tell.
    let _ = out.write_all(rendered(files, diagnostics, format, colour).as_bytes());
}

/// Shows findings on standard output: what `check` does for machines.
///
/// # Errors
/// Standard output cannot be written.
pub fn to_stdout(files: &Files, diagnostics: &Diagnostics, format: Format) -> Result<(), Failure> {
    write_stdout(&rendered(files, diagnostics, format, false))
}

fn rendered(files: &Files, diagnostics: &Diagnostics, format: Format, colour: bool) -> String {
    match format {
        Format::Text => {
            let style = render::Style { colour, ..render::Style::default() };
            render::text(files, diagnostics, style) + &render::summary(diagnostics) + "\n"
        }
        Format::Json => render::json(files, diagnostics),
        Format::Sarif => render::sarif(files, diagnostics, env!("CARGO_PKG_VERSION")),
    }
}

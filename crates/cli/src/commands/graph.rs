//! `vproto graph`

use super::{load, verdict};
use crate::failure::{Outcome, Verdict};
use crate::files::write_output;
use crate::report::Format;
use clap::ValueEnum;
use std::path::PathBuf;

/// Draw the state machine
#[derive(clap::Args)]
pub struct Args {
    /// The description
    file: PathBuf,
    /// The form of the picture
    #[arg(long, value_enum, default_value_t)]
    format: Picture,
    /// Where to; standard output where it is absent or `-`
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Folder in which imported modules are looked up; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
}

/// A form of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Picture {
    /// A picture for browsers and documents
    #[default]
    Svg,
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
}

/// Draws.
pub fn run(args: &Args) -> Outcome {
    let Some(loaded) = load(&args.file, &args.include, Format::Text)? else {
        return Ok(verdict(true));
    };
    let draw = match args.format {
        Picture::Svg => vproto::graph::svg,
        Picture::Dot => vproto::graph::dot,
        Picture::Mermaid => vproto::graph::mermaid,
    };
    let text = draw(&loaded.grammar, &loaded.files);
    write_output(args.output.as_deref(), &text).map(|()| Verdict::Fine)
}

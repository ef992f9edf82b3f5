//! `vproto graph`

use super::{load, verdict};
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{refuse_overwriting, write_output};
use crate::report::Format;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Draw the state machine
#[derive(clap::Args)]
pub struct Args {
    /// The description
    file: PathBuf,
    /// The form of the picture; by the ending of OUT (.svg, .dot, .gv, .mmd) where it is not given, else svg
    #[arg(long, value_enum)]
    format: Option<Picture>,
    /// Where to; standard output where it is absent or `-`
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Folder in which imported modules are looked up; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
}

/// A form of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Picture {
    /// A picture for browsers and documents
    Svg,
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
}

/// The form that is asked for.
fn form(args: &Args) -> Result<Picture, Failure> {
    let ending = args.output.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().to_lowercase());
    match (args.format, ending.as_deref()) {
        (Some(format), _) => Ok(format),
        (None, None | Some("svg")) => Ok(Picture::Svg),
        (None, Some("dot" | "gv")) => Ok(Picture::Dot),
        (None, Some("mmd" | "mermaid" | "md")) => Ok(Picture::Mermaid),
        (None, Some(other)) => Err(Failure::Usage(format!(
            "no picture has the ending .{other}: use .svg, .dot or .mmd, or --format"
        ))),
    }
}

/// Draws.
pub fn run(args: &Args) -> Outcome {
    let Some(loaded) = load(&args.file, &args.include, Format::Text)? else {
        return Ok(verdict(true));
    };
    if let Some(output) = &args.output {
        refuse_overwriting(output, &loaded.read)?;
    }
    let draw = match form(args)? {
        Picture::Svg => vproto::graph::svg,
        Picture::Dot => vproto::graph::dot,
        Picture::Mermaid => vproto::graph::mermaid,
    };
    let text = draw(&loaded.grammar, &loaded.files);
    write_output(args.output.as_deref(), &text).map(|()| Verdict::Fine)
}

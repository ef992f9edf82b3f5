//! `vproto gen`

use super::{Loaded, compiled, load, verdict};
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{refuse_overwriting, write_file, write_output, write_stdout};
use crate::report::Format;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Generate a parser
#[derive(clap::Args)]
pub struct Args {
    /// The description
    file: PathBuf,
    /// The target: cpp is C++17
    #[arg(long, value_enum, default_value_t)]
    target: Target,
    /// Where to: a file, a folder (then the names are the module's), or `-` for standard output
    #[arg(short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// The shape that users of the original vProto know: a class in .h and .cc, callbacks declared only
    #[arg(long, conflicts_with = "with_main")]
    classic: bool,
    /// A class with every callback and its exact signature, to be filled in by hand (with --classic: definitions of all
    /// callbacks); a file that exists is not written over
    #[arg(long, conflicts_with = "with_main")]
    skeleton: bool,
    /// One whole program that reads a file or standard input and prints the event trace
    #[arg(long)]
    with_main: bool,
    /// Never allocate: strings, and views that must move, live in buffers of fixed size inside the parser (`@limit string`,
    /// `@limit view`); the header states the size
    #[arg(long)]
    no_heap: bool,
    /// What becomes of views at the end of a fragment: moved to storage of the parser, or left to the caller's care
    #[arg(long, value_enum, default_value_t)]
    views: Views,
    /// The instructions that find where runs of bytes end. `auto` writes all of them, and the compiler's flags choose; the
    /// parser does the same with each
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    simd: Level,
    /// Namespace of the output
    #[arg(long, value_name = "N")]
    namespace: Option<String>,
    /// Name of the class that the parser derives from, instead of the module's result
    #[arg(long, value_name = "C")]
    output_class: Option<String>,
    /// Leave out #line directives for opaque code
    #[arg(long)]
    no_line_directives: bool,
    /// Folder in which imported modules are looked up; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Write the files that were read as a depfile for make and ninja
    #[arg(long = "MD", value_name = "FILE")]
    depfile: Option<PathBuf>,
    /// Write nothing; exit with 1 where the output is not what would be written
    #[arg(long)]
    check: bool,
    /// Print a stage of the compilation instead: the naive machine, or the one after all passes
    #[arg(long, value_name = "STAGE", value_enum)]
    dump: Option<Stage>,
    /// How findings are shown
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A target language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Target {
    /// C++17, header-only
    #[default]
    Cpp,
}

/// Instructions for runs of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Level {
    /// All of them; the widest that the compiler's flags allow is taken
    #[default]
    Auto,
    /// Byte by byte
    None,
    /// Words of eight bytes, without special instructions
    Swar,
    /// 16 bytes, compares only
    Sse2,
    /// 16 bytes, with lookups
    #[value(name = "sse4.2")]
    Sse42,
    /// 32 bytes
    Avx2,
    /// 64 bytes (AVX-512BW)
    Avx512,
    /// 16 bytes, of 64-bit ARM
    Neon,
}

impl From<Level> for vproto::cpp::Simd {
    fn from(level: Level) -> vproto::cpp::Simd {
        match level {
            Level::Auto => vproto::cpp::Simd::Auto,
            Level::None => vproto::cpp::Simd::None,
            Level::Swar => vproto::cpp::Simd::Swar,
            Level::Sse2 => vproto::cpp::Simd::Sse2,
            Level::Sse42 => vproto::cpp::Simd::Sse42,
            Level::Avx2 => vproto::cpp::Simd::Avx2,
            Level::Avx512 => vproto::cpp::Simd::Avx512,
            Level::Neon => vproto::cpp::Simd::Neon,
        }
    }
}

/// What becomes of views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Views {
    /// They stay valid: their bytes move where a fragment ends inside a message
    #[default]
    Pin,
    /// They point into the caller's buffer, which the caller keeps
    Borrow,
}

/// A stage of the compilation that can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The naive machine
    Lowered,
    /// The machine after all passes, with its plans
    Machine,
}

/// Generates, or compares with what is there.
pub fn run(args: &Args) -> Outcome {
    let Some(loaded) = load(&args.file, &args.include, args.format)? else {
        return Ok(verdict(true));
    };
    if let Some(stage) = args.dump {
        return dump(&loaded, stage, &args.output);
    }
    let options = vproto::cpp::Options {
        classic: args.classic,
        with_main: args.with_main,
        no_heap: args.no_heap,
        borrow_views: args.views == Views::Borrow,
        namespace: args.namespace.clone(),
        output_class: args.output_class.clone(),
        simd: args.simd.into(),
        line_directives: !args.no_line_directives,
        file: named_file(&args.output),
        ..vproto::cpp::Options::default()
    };
    let program = compiled(&loaded)?;
    if args.skeleton {
        return skeleton(args, &program, &options);
    }
    let generated = vproto::generate_cpp(&program, &loaded.grammar, &loaded.files, &options);
    let generated = generated.map_err(Failure::Description)?;
    let outputs: Vec<(PathBuf, String)> = place(&args.output, generated)?;
    if args.check {
        return compare(&outputs);
    }
    for (path, _) in &outputs {
        refuse_overwriting(path, &loaded.read)?;
    }
    make_folder(&args.output)?;
    for (path, text) in &outputs {
        write_output(Some(path), text)?;
    }
    if let Some(depfile) = &args.depfile {
        write_file(depfile, &rule(&outputs, &loaded.read))?;
    }
    Ok(Verdict::Fine)
}

/// A name that ends in `/` is a folder, which is made where it is not there.
fn make_folder(output: &Path) -> Result<(), Failure> {
    let shown = output.to_string_lossy();
    if !shown.ends_with('/') || output.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(output).map_err(|e| Failure::io("make", &shown, &e))
}

/// What the user fills in: an existing file has the user's work.
fn skeleton(
    args: &Args,
    program: &vproto::Verified<vproto::Program>,
    options: &vproto::cpp::Options,
) -> Outcome {
    let made = vproto::cpp::skeleton(program, options);
    for (path, text) in place(&args.output, vec![made])? {
        if path != Path::new("-") && path.exists() {
            let says =
                format!("{} exists: a skeleton is filled in by hand, and not written over", path.display());
            return Err(Failure::Usage(says));
        }
        write_output(Some(&path), &text)?;
    }
    Ok(Verdict::Fine)
}

/// The paths of the outputs: the module's own names in a folder, or beside the file that was named.
fn place(output: &Path, generated: Vec<vproto::cpp::Generated>) -> Result<Vec<(PathBuf, String)>, Failure> {
    let in_folder = output.is_dir() || output.to_string_lossy().ends_with('/');
    if in_folder {
        return Ok(generated.into_iter().map(|g| (output.join(g.name), g.text)).collect());
    }
    let single = generated.len() == 1;
    if !single && output == Path::new("-") {
        return Err(Failure::Usage("several files are generated: name a folder with -o".to_owned()));
    }
    let path = |name: &str| match Path::new(name).extension() {
        Some(extension) if !single => output.with_extension(extension),
        _ => output.to_path_buf(),
    };
    Ok(generated.into_iter().map(|g| (path(&g.name), g.text)).collect())
}

/// The name of the one file that was asked for; `#line` directives lead back to it.
fn named_file(output: &Path) -> Option<String> {
    let in_folder = output.is_dir() || output.to_string_lossy().ends_with('/');
    let named = !in_folder && output != Path::new("-");
    output.file_name().filter(|_| named).map(|n| n.to_string_lossy().into_owned())
}

fn compare(outputs: &[(PathBuf, String)]) -> Outcome {
    let mut stale = false;
    for (path, text) in outputs {
        if std::fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
            stale = true;
            write_stdout(&format!("{} is not what would be written\n", path.display()))?;
        }
    }
    Ok(verdict(stale))
}

/// A rule of make: the outputs depend on what was read.
fn rule(outputs: &[(PathBuf, String)], read: &[PathBuf]) -> String {
    let names = |paths: &mut dyn Iterator<Item = &PathBuf>| -> String {
        paths.map(|p| p.to_string_lossy().replace(' ', "\\ ")).collect::<Vec<_>>().join(" ")
    };
    format!("{}: {}\n", names(&mut outputs.iter().map(|(p, _)| p)), names(&mut read.iter()))
}

fn dump(loaded: &Loaded, stage: Stage, output: &Path) -> Outcome {
    let program = match stage {
        Stage::Lowered => vproto::lower(&loaded.grammar, &loaded.files),
        Stage::Machine => compiled(loaded)?.into_inner(),
    };
    refuse_overwriting(output, &loaded.read)?;
    write_output(Some(output), &vproto::print_program(&program)).map(|()| Verdict::Fine)
}

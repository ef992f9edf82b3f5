//! `vproto bitproto`: schemas to C, C++ and others, with the options of bitproto 1.3.2.

use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vproto::bitproto::{
    CheckOptions, Checked, Loaded, NameStyle, Output, Target, c, check, compile, go, refuse_extensions, rust,
};
use vproto_source::render::{Style, text};

/// Compile a bitproto schema.
#[derive(Args, Debug)]
pub struct BitprotoArgs {
    /// Language (c, cpp, rust, go, py), schema, and the folder for the output (default: that of the schema); with -c only the schema.
    #[arg(required = true, num_args = 1..=3, value_names = ["LANGUAGE", "FILE", "OUTDIR"])]
    words: Vec<String>,
    /// Only check: fails on errors and on warnings of the linter.
    #[arg(short = 'c', long = "check")]
    check: bool,
    /// No warnings of the linter.
    #[arg(short, long)]
    quiet: bool,
    /// The interface of optimization mode: no JSON, filters, no other difference.
    #[arg(short = 'O', long = "enable-optimization")]
    optimize: bool,
    /// With -O: functions for these messages only.
    #[arg(short = 'F', long = "filter-messages", value_delimiter = ',', requires = "optimize")]
    filter: Option<Vec<String>>,
    /// Byte order of the hosts that the code is for.
    #[arg(long, value_enum, default_value_t = EndianArg::Both)]
    endian: EndianArg,
    /// Names as bitproto 1.3.2 makes them, or prefix and spelling exactly as written.
    #[arg(long, value_enum, default_value_t = NamesArg::Reference)]
    names: NamesArg,
    /// Edition of the language: c99, c89, c++17, c++98.
    #[arg(long = "std", value_name = "EDITION")]
    standard: Option<String>,
    /// Bits of the largest word that the code works with.
    #[arg(long, value_parser = ["8", "16", "32", "64"], default_value = "64")]
    word: String,
    /// C99: use pext and pdep where the processor has them, chosen when the program starts.
    #[arg(long)]
    simd: bool,
    /// Refuse what bitproto 1.3.2 refuses: extensions, and marks with -O.
    #[arg(long = "strict-1.3")]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EndianArg {
    Both,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NamesArg {
    #[value(name = "1.3")]
    Reference,
    Exact,
}

/// Why nothing was generated.
enum Failure {
    /// What stands on the command line is not possible.
    Usage(String),
    /// Findings were shown, or a file could not be used.
    Error(String),
}

/// Runs the command: 0 done, 1 errors, 2 bad arguments.
pub fn run(args: &BitprotoArgs) -> ExitCode {
    match try_run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(text)) => fail(&text, 2),
        Err(Failure::Error(text)) => fail(&text, 1),
    }
}

fn fail(text: &str, code: u8) -> ExitCode {
    if !text.is_empty() {
        let _ = writeln!(anstream::stderr(), "error: {text}");
    }
    ExitCode::from(code)
}

fn try_run(args: &BitprotoArgs) -> Result<(), Failure> {
    let (language, file, folder) = split(args)?;
    let root = read(&file).map_err(|e| Failure::Error(format!("{}: {e}", file.display())))?;
    let options = CheckOptions { quiet: args.quiet, refuse_marks: args.strict && args.optimize };
    if args.check {
        let mut checked = check(root, &mut load, options);
        refuse(args, &mut checked);
        show(&checked);
        let fails = checked.diagnostics.iter().any(|d| d.is_error() || is_lint(d.code.0));
        return if fails { Err(Failure::Error(String::new())) } else { Ok(()) };
    }
    let language =
        language.ok_or_else(|| Failure::Usage("a language is missing: c, cpp, rust, go, py".to_owned()))?;
    let target = target(args, &language)?;
    let mut compiled = compile(root, &mut load, options, &target);
    refuse(args, &mut compiled.checked);
    show(&compiled.checked);
    if compiled.checked.has_errors() {
        return Err(Failure::Error(String::new()));
    }
    write(&folder, &compiled.outputs).map_err(Failure::Error)
}

/// `--strict-1.3` refuses extensions.
fn refuse(args: &BitprotoArgs, checked: &mut Checked) {
    if args.strict {
        refuse_extensions(checked);
    }
}

/// Language, schema and output folder of the command line.
fn split(args: &BitprotoArgs) -> Result<(Option<String>, PathBuf, PathBuf), Failure> {
    let (language, file, folder) = match args.words.as_slice() {
        [file] => (None, file, None),
        [language, file] => (Some(language), file, None),
        [language, file, folder] => (Some(language), file, Some(folder)),
        _ => return Err(Failure::Usage("LANGUAGE FILE [OUTDIR] are wanted".to_owned())),
    };
    let file = PathBuf::from(file);
    let beside = file.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok((language.cloned(), file, folder.map_or(beside, PathBuf::from)))
}

fn target(args: &BitprotoArgs, language: &str) -> Result<Target, Failure> {
    let usage = |text: String| Failure::Usage(text);
    let names = if args.names == NamesArg::Exact { NameStyle::Exact } else { NameStyle::Reference };
    let endian = match args.endian {
        EndianArg::Both => c::Endian::Both,
        EndianArg::Little => c::Endian::Little,
        EndianArg::Big => c::Endian::Big,
    };
    match (language, args.standard.as_deref()) {
        ("py", None) if args.optimize => {
            return Err(usage("there is no -O for Python: it has one mode, the fast one".to_owned()));
        }
        ("py", None) => return Ok(Target::Python),
        ("go", None) => return Ok(Target::Go(go::Options { filter: args.filter.clone() })),
        ("py" | "go" | "rust", Some(_)) => return Err(usage(format!("--std is not for {language}"))),
        _ => {}
    }
    let word = args.word.parse::<u32>().unwrap_or(64) / 8;
    let (optimize, filter) = (args.optimize, args.filter.clone());
    if language == "rust" {
        return Ok(Target::Rust(rust::Options { optimize, filter, names, word }));
    }
    let standard = match (language, args.standard.as_deref()) {
        ("c", None | Some("c99")) => c::Standard::C99,
        ("c", Some("c89")) => c::Standard::C89,
        ("cpp", None | Some("c++17")) => c::Standard::Cpp17,
        ("cpp", Some("c++98")) => c::Standard::Cpp98,
        ("c", Some(other)) => return Err(usage(format!("--std for C is c99 or c89, not {other}"))),
        ("cpp", Some(other)) => return Err(usage(format!("--std for C++ is c++17 or c++98, not {other}"))),
        _ => return Err(usage(format!("unknown language {language}: c, cpp, rust, go and py are known"))),
    };
    let options = c::Options { optimize, filter, endian, names, standard, word, simd: args.simd };
    Ok(if standard.is_cpp() { Target::Cpp(options) } else { Target::C(options) })
}

/// A file under its canonical name, so that two ways to it are one.
pub(crate) fn read(path: &Path) -> std::io::Result<Loaded> {
    let bytes = std::fs::read(path)?;
    Ok(Loaded { name: path.to_string_lossy().into_owned(), bytes })
}

/// Finds an import: absolute, or relative to the importing file.
pub(crate) fn load(from: &str, path: &str) -> Result<Loaded, String> {
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let found = folder.join(path);
    let name = std::fs::canonicalize(&found).map_err(|e| e.to_string())?;
    let start = std::fs::canonicalize(from).ok();
    // The compiled file keeps the name that the user gave it.
    let shown = if start.as_ref() == Some(&name) { PathBuf::from(from) } else { name };
    read(&shown).map_err(|e| e.to_string())
}

pub(crate) fn show(checked: &Checked) {
    let style = Style::default();
    let _ = write!(anstream::stderr(), "{}", text(&checked.files, &checked.diagnostics, style));
}

/// The linter's codes; other warnings do not make a check fail.
fn is_lint(code: &str) -> bool {
    matches!(code, "W1001" | "W1002" | "W1003" | "W1004" | "W1005")
}

fn write(folder: &Path, outputs: &[Output]) -> Result<(), String> {
    for output in outputs {
        let path = folder.join(&output.name);
        write_whole(&path, &output.text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Writes beside the place and renames, so that no half file is ever seen.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    set_readable(file.as_file())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Temporary files are private; output is as readable as any other file.
#[cfg(unix)]
fn set_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_readable(_file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

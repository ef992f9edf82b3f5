//! Cases on compiled C++: many cases become one program, which plays thousands of fragmentations in one process.
//!
//! [`Program::build`] generates a parser for each description, in a namespace of its own, compiles them with a table of
//! functions behind them, and keeps the binary under `target/compiled/` by the content of its source; so an
//! unchanged set of cases is not compiled again. [`Program::play`] hands jobs over standard input and gets back the
//! runs that differ.

use crate::case::{Case, Source};
use crate::play::{Mismatch, compare};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use vproto_back::cpp::{self, Options};
pub use vproto_back::cpp::{Simd, Sizes};
use vproto_front::vproto::{KnownFiles, lower, parse};
use vproto_ir::grammar::Grammar;
use vproto_ir::machine;
use vproto_ir::verify::Verified;
use vproto_source::{Diagnostics, File, Files};

/// How cases become a program.
#[derive(Clone, Debug)]
pub struct Build {
    /// The compiler.
    pub compiler: String,
    /// Its flags.
    pub flags: Vec<String>,
    /// Whether the passes run.
    pub optimise: bool,
    /// Whether texts are of fixed size.
    pub no_heap: bool,
    /// The instructions that scan.
    pub simd: Simd,
    /// How large functions may be.
    pub sizes: Sizes,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            compiler: "g++".to_owned(),
            flags: warnings(),
            optimise: true,
            no_heap: false,
            simd: Simd::Auto,
            sizes: Sizes::default(),
        }
    }
}

impl Build {
    /// With address and undefined-behaviour sanitizers, at an optimisation level (`-O0` compiles in half the time of
    /// `-O1`).
    pub fn sanitized(mut self, level: &str) -> Build {
        let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", level];
        self.flags.extend(flags.map(str::to_owned));
        self
    }

    /// Compiled by clang++.
    pub fn clang(mut self) -> Build {
        self.compiler = "clang++".to_owned();
        self
    }
}

/// What generated code must compile with.
pub fn warnings() -> Vec<String> {
    let flags = "-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fno-exceptions -fno-rtti";
    flags.split(' ').map(str::to_owned).collect()
}

/// A program of many cases.
#[derive(Clone, Debug)]
pub struct Program {
    binary: PathBuf,
    /// Of each case: the number of its parser in the program's table.
    parsers: Vec<usize>,
}

/// Runs of one case: lists of fragment sizes, and whether all single cuts (1) and pairs (2) are played too.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// Index of the case among those that the program was built from.
    pub number: usize,
    /// The case: its input, variables and trace.
    pub case: &'a Case,
    /// Fragmentations.
    pub runs: Vec<Vec<usize>>,
    /// 0: only these; 1: all single cuts too; 2: all pairs of cuts too.
    pub cuts: usize,
}

/// The grammar of a case.
///
/// # Errors
/// The findings, where the description has errors.
pub fn grammar(case: &Case) -> Result<(Grammar, Files), String> {
    let mut files = Files::default();
    let names = case.sources.iter().map(|s| (format!("{}.vproto", s.name), s.text.clone()));
    let ids: Vec<_> = names.map(|(name, text)| files.add(File::new(name, text))).collect();
    let root = *ids.first().ok_or_else(|| format!("{}: no description", case.name))?;
    let mut findings = Diagnostics::default();
    let parsed = parse(&mut files, root, &mut KnownFiles, &mut findings);
    parsed.grammar.map(|grammar| (grammar, files)).ok_or_else(|| format!("{}: {findings:?}", case.name))
}

/// The machine of a case, as it is lowered.
///
/// # Errors
/// As [`grammar`].
pub fn machine(case: &Case) -> Result<(machine::Program, Files), String> {
    let (grammar, files) = grammar(case)?;
    Ok((lower::lower(&grammar, &files), files))
}

/// The text of a case's parser with its trace, without `main`, and the parser's name.
///
/// # Errors
/// As [`fn@machine`].
pub fn text(case: &Case, namespace: &str, build: &Build) -> Result<(String, String), String> {
    let (mut program, files) = machine(case)?;
    if build.optimise {
        program = vproto_opt::optimise(program);
    }
    let options = Options {
        namespace: Some(namespace.to_owned()),
        with_main: true,
        no_main: true,
        no_heap: build.no_heap,
        simd: build.simd,
        sizes: build.sizes,
        files,
        ..Options::default()
    };
    let program = Verified::new(program).map_err(|found| format!("{}: {found:?}", case.name))?;
    let mut outputs = cpp::generate(&program, &options).into_iter();
    let text = outputs.next().ok_or_else(|| format!("{}: nothing was generated", case.name))?.text;
    Ok((text, cpp::parser_name(&program)))
}

impl Program {
    /// Generates and compiles, one parser for all cases of a description; a binary of the same source, compiler and
    /// flags is used again.
    ///
    /// # Errors
    /// A description has errors, the compiler is missing, or it refuses the source: with its messages.
    pub fn build(cases: &[Case], build: &Build) -> Result<Program, String> {
        let mut source = String::new();
        let mut table = String::new();
        let (firsts, parsers) = distinct(cases);
        for (number, case) in firsts.into_iter().enumerate() {
            let namespace = format!("case{number}");
            let (text, name) = text(case, &namespace, build)?;
            source.push_str(&text);
            table.push_str(&format!("        player::play<{namespace}::{name}>,\n"));
        }
        source.push_str(include_str!("player.hpp"));
        source.push_str(&format!("int main() {{\n    return player::main({{\n{table}    }});\n}}\n"));
        Ok(Program { binary: compile(&source, build)?, parsers })
    }

    /// Plays jobs in one process.
    ///
    /// # Errors
    /// The first run of each case that differs, or what the program said where it broke.
    pub fn play(&self, jobs: &[Job<'_>]) -> Result<(), String> {
        let mut child = Command::new(&self.binary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        let mut input = child.stdin.take().ok_or("no standard input")?;
        let bytes: Vec<u8> = jobs.iter().flat_map(|job| encode(job, self.parsers[job.number])).collect();
        let writer = std::thread::spawn(move || input.write_all(&bytes));
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        let _ = writer.join();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut problems = differences(&text, jobs);
        if !text.ends_with("done\n") {
            let said = String::from_utf8_lossy(&output.stderr);
            problems.push(format!("{} broke: {}\n{said}", self.binary.display(), output.status));
        }
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    }
}

/// The first case of each description, and for each case the index of its own.
fn distinct(cases: &[Case]) -> (Vec<&Case>, Vec<usize>) {
    let mut firsts: Vec<&Case> = Vec::new();
    let mut known: HashMap<&[Source], usize> = HashMap::new();
    let mut parsers = Vec::new();
    for case in cases {
        let next = firsts.len();
        let parser = *known.entry(&case.sources).or_insert(next);
        if parser == next {
            firsts.push(case);
        }
        parsers.push(parser);
    }
    (firsts, parsers)
}

/// A job as the player reads it.
fn encode(job: &Job<'_>, parser: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |out: &mut Vec<u8>, n: usize| out.extend(format!("{n}\n").bytes());
    let bytes = |out: &mut Vec<u8>, b: &[u8]| {
        out.extend(format!("{}\n", b.len()).bytes());
        out.extend(b);
        out.push(b'\n');
    };
    number(&mut out, parser);
    number(&mut out, job.case.set.len());
    for (name, value) in &job.case.set {
        bytes(&mut out, name.as_bytes());
        bytes(&mut out, value.as_bytes());
    }
    bytes(&mut out, &job.case.input);
    let trace: String = job.case.trace.iter().map(|line| format!("{line}\n")).collect();
    bytes(&mut out, trace.as_bytes());
    number(&mut out, job.runs.len());
    for run in &job.runs {
        number(&mut out, run.len());
        run.iter().for_each(|size| number(&mut out, *size));
    }
    number(&mut out, job.cuts);
    out
}

/// The runs that the program printed.
fn differences(text: &str, jobs: &[Job<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("case ") {
        let Some((line, after)) = rest[at..].split_once('\n') else { break };
        let mut numbers = line.split(' ').skip(1).filter_map(|n| n.parse::<usize>().ok());
        let (Some(number), Some(_)) = (numbers.next(), numbers.next()) else { break };
        let fragments: Vec<usize> = numbers.collect();
        let Some((size, after)) = after.split_once('\n') else { break };
        let size = size.parse().unwrap_or(0).min(after.len());
        let trace: Vec<String> = after[..size].lines().map(str::to_owned).collect();
        rest = &after[size..];
        let Some(job) = jobs.get(number) else { continue };
        let shown = match compare(job.case, &fragments, &trace) {
            Ok(()) => format!("{}: differs", job.case.name),
            Err(Mismatch { .. }) if trace.is_empty() => {
                format!("{}: a variable cannot be set", job.case.name)
            }
            Err(mismatch) => mismatch.to_string(),
        };
        problems.push(shown);
    }
    problems
}

/// Compiles a source, unless that was done before; the binary.
///
/// # Errors
/// What the compiler says.
pub fn compile(source: &str, build: &Build) -> Result<PathBuf, String> {
    let folder = crate::root().join("target/compiled");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let key = format!("{} {}\n{source}", build.compiler, build.flags.join(" "));
    let name = format!("{:016x}", fnv(key.as_bytes()));
    let binary = folder.join(&name);
    if binary.is_file() {
        return Ok(binary);
    }
    let file = folder.join(format!("{name}.cc"));
    std::fs::write(&file, source).map_err(|e| format!("{}: {e}", file.display()))?;
    let made = folder.join(format!("{name}.{}", std::process::id()));
    run_compiler(build, &file, &made)?;
    std::fs::rename(&made, &binary).map_err(|e| format!("{}: {e}", binary.display()))?;
    Ok(binary)
}

fn run_compiler(build: &Build, file: &Path, made: &Path) -> Result<(), String> {
    let output = Command::new(&build.compiler)
        .args(&build.flags)
        .arg(file)
        .arg("-o")
        .arg(made)
        .output()
        .map_err(|e| format!("{}: {e}", build.compiler))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = said.lines().take(60).collect();
    Err(format!("{} refuses {}:\n{}", build.compiler, file.display(), first.join("\n")))
}

/// A hash that is the same everywhere and always.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

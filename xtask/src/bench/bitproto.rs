//! Generated code against that of bitproto 1.3.2, which is installed from PyPI below `target/`.

mod c;
mod compile;
mod go;
mod peer;
mod python;

use super::machine;
use super::report::{Report, Row};
use super::samples::Samples;
use super::stats::Spread;
use crate::sh::{self, root};
use peer::Peer;
use std::path::{Path, PathBuf};

/// A message that is raced.
struct Case {
    /// The schema's file name without `.bitproto`, and the name of the case.
    stem: &'static str,
    /// Where it is.
    path: &'static str,
    /// The message.
    message: &'static str,
}

/// Both have 100 bytes.
const CASES: [Case; 2] = [
    Case { stem: "flight", path: "bench/bitproto/flight.bitproto", message: "Flight" },
    Case {
        stem: "s16_telemetry",
        path: "tests/bitproto/vectors/schemas/s16_telemetry.bitproto",
        message: "Telemetry",
    },
];

/// What all parts of the suite work with.
struct Bench {
    /// Scratch folder below `target/`.
    folder: PathBuf,
    /// bitproto 1.3.2.
    peer: Peer,
    /// Its library for C.
    library: Option<PathBuf>,
    /// Whether to hurry.
    quick: bool,
}

impl Bench {
    /// Compiles a schema with vproto into a folder below the scratch folder.
    fn generate(&self, words: &[&str], schema: &str, to: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(to);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let (language, options) = words.split_first().ok_or("no language")?;
        let out = folder.to_string_lossy();
        let command = ["target/debug/vproto", "bitproto", language, schema, &out, "-q"];
        sh::run(&[&command[..], options].concat(), &[])?;
        Ok(folder)
    }

    /// A number of repetitions.
    fn repetitions(&self, full: u32) -> String {
        (if self.quick { full / 10 } else { full }).max(5).to_string()
    }
}

/// Runs the suite.
///
/// # Errors
/// A tool that is missing or fails, or contestants that do not do the same.
pub(super) fn run(quick: bool, library: Option<&Path>) -> Result<Report, String> {
    sh::run(&["cargo", "build", "--quiet", "--package", "vproto-cli"], &[])?;
    let folder = root().join("target/bench/bitproto");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let library =
        library.map(|l| l.canonicalize().map_err(|e| format!("{}: {e}", l.display()))).transpose()?;
    let bench = Bench { folder, peer: Peer::install()?, library, quick };
    let mut left_out = Vec::new();
    let mut samples = Samples::default();
    for case in &CASES {
        samples.add(&c::race(&bench, case)?)?;
    }
    if bench.library.is_none() {
        left_out.push("standard mode in C, whose library (--peer-lib) was not given".to_owned());
    }
    let mut rows = c_rows(&samples);
    match go::race(&bench)? {
        Some(output) => {
            let mut samples = Samples::default();
            samples.add(&output)?;
            rows.extend(go_rows(&samples));
        }
        None => left_out.push("Go, which is not installed".to_owned()),
    }
    let mut samples = Samples::default();
    samples.add(&python::race(&bench)?)?;
    rows.extend(python_rows(&samples));
    if quick {
        left_out.push("the cost of compilation, which takes minutes".to_owned());
    } else {
        rows.extend(compile::rows(&bench)?);
    }
    let tools: [&[&str]; 4] =
        [&["gcc", "--version"], &["rustc", "--version"], &["go", "version"], &["python3", "--version"]];
    Ok(Report {
        suite: "bitproto".to_owned(),
        date: machine::today(),
        machine: machine::describe(&tools),
        left_out,
        rows,
    })
}

/// A pair of contestants: how the rows begin, the peer, ours, targets of encoding and decoding.
type Pair<'a> = (&'a str, &'a str, &'a str, Option<(f64, f64)>);

/// A row for each direction: the geometric mean over the cases, and below it each case where `single` asks for it.
fn pair_rows(
    samples: &Samples,
    (what, peer, own, targets): Pair<'_>,
    unit: &'static str,
    single: bool,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (direction, target) in [("encode", targets.map(|t| t.0)), ("decode", targets.map(|t| t.1))] {
        let name = |case: &Case| format!("{}/{direction}", case.stem);
        let ratios: Vec<Spread> = CASES.iter().filter_map(|c| samples.ratio(&name(c), peer, own)).collect();
        let Some(ratio) = Spread::geometric(&ratios) else { continue };
        let against = format!("bitproto 1.3.2, {peer}");
        let row = |what, ratio, target, values| Row { what, against: against.clone(), ratio, target, values };
        rows.push(row(format!("{what}, {direction}"), ratio, target, None));
        for (case, ratio) in CASES.iter().zip(ratios).filter(|_| single) {
            let median = |who| Spread::of(samples.get(&name(case), who)).map(|s| s.median);
            let values = median(peer).zip(median(own)).map(|(p, o)| (p, o, unit));
            rows.push(row(format!("{what}, {direction} {}", case.message), ratio, None, values));
        }
    }
    rows
}

fn c_rows(samples: &Samples) -> Vec<Row> {
    let pairs: [(Pair<'_>, bool); 5] = [
        (("C against -O", "peer", "word", Some((3.5, 4.0))), true),
        (("C --simd against -O", "peer", "simd", Some((6.5, 7.5))), true),
        (("C against standard mode", "standard", "word", Some((30.0, 30.0))), true),
        (("Rust against C of -O", "peer", "rust", None), false),
        (("Rust against our C", "word", "rust", Some((0.9, 0.9))), false),
    ];
    pairs.into_iter().flat_map(|(pair, single)| pair_rows(samples, pair, "ns", single)).collect()
}

fn go_rows(samples: &Samples) -> Vec<Row> {
    let mut rows = pair_rows(samples, ("Go against -O", "peer", "append", Some((3.0, 3.0))), "ns", true);
    // Decoding is the same whoever gives the buffer for encoding.
    let encode = pair_rows(samples, ("Go, new slices, against -O", "peer", "own", None), "ns", false);
    rows.extend(encode.into_iter().take(1));
    rows
}

fn python_rows(samples: &Samples) -> Vec<Row> {
    pair_rows(samples, ("Python", "peer", "own", Some((25.0, 25.0))), "ns", true)
}

//! `cargo xtask bench SUITE`: races against peers, in one process each, repetition by repetition.
//!
//! A suite builds programs that print samples (see [`samples`]), runs them pinned to a core ([`pin`]), and makes rows of
//! what came out: medians of the ratios of the same repetition, with quartiles ([`stats`]). The rest is the same for
//! all suites: [`report`] is the result as data, [`chart`] and [`quote`] put it into the manual.

mod bitproto;
mod chart;
mod machine;
mod pin;
mod quote;
mod report;
mod samples;
mod stats;

use crate::sh::root;
use clap::{Args, Subcommand};
use report::Report;
use std::path::PathBuf;

/// What every suite takes.
#[derive(Args, Debug)]
pub struct Common {
    /// Few repetitions and nothing that takes minutes; nothing is written but the file of --json
    #[arg(long)]
    quick: bool,
    /// Write the result to this file, too
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Suites.
#[derive(Subcommand, Debug)]
pub enum Suite {
    /// Against bitproto 1.3.2: C, Go, Python, Rust, and the cost of compilation
    Bitproto {
        #[command(flatten)]
        common: Common,
        /// The folder `lib/c` of bitproto, which no package holds; without it its standard mode is left out
        #[arg(long)]
        peer_lib: Option<PathBuf>,
    },
}

/// Runs a suite, shows its table, and writes it where it belongs.
///
/// # Errors
/// A tool that is missing or fails, or contestants that do not do the same.
pub fn run(suite: &Suite) -> Result<(), String> {
    let Suite::Bitproto { common, peer_lib } = suite;
    let report = bitproto::run(common.quick, peer_lib.as_deref())?;
    println!("{}", report.table());
    if let Some(path) = &common.json {
        write(path, &report.json())?;
    }
    if common.quick { Ok(()) } else { publish(&report) }
}

/// Results, chart and quotations in the repository.
fn publish(report: &Report) -> Result<(), String> {
    let name = &report.suite;
    write(&root().join(format!("bench/results/{name}-{}.json", report.date)), &report.json())?;
    write(&root().join(format!("docs/pictures/bench-{name}.svg")), &chart::svg(report))?;
    for file in ["README.md", &format!("docs/{name}.md")] {
        quote::replace(&root().join(file), name, &report.quotation())?;
    }
    Ok(())
}

fn write(path: &std::path::Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

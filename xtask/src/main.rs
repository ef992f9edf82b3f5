//! Repository chores: `cargo xtask demo`, `test`, `tidy`, `bless`.

#![allow(clippy::print_stdout)] // a command's findings go to standard output

mod bench;
mod compare;
mod cost;
mod count;
mod demo;
mod sh;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Chores of the vproto repository
#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Race against peers, in one process each
    Bench {
        #[command(subcommand)]
        suite: bench::Suite,
    },
    /// Parse a real HTTP request and a real packet capture with the descriptions of `formats/`
    Demo,
    /// Run all tests and checks; installs compilers that are missing where it may, and says what it skips
    Test {
        /// Only the checks of style: formatting, clippy, documentation, tidy
        #[arg(long)]
        style_only: bool,
    },
    /// Check sizes of files, headings, order of dependencies
    Tidy,
    /// Hold what `formats/` finds in the captures of ../shared/corpus against what tshark finds
    Compare,
    /// Count instructions a byte of generated parsers, by callgrind
    Count,
    /// Measure what compiling costs: the generator, lines of C++, time and memory of g++
    Cost {
        /// Longest mixed description, in lines
        #[arg(long, default_value_t = 2000)]
        lines: usize,
        /// Also each family of lines, without g++
        #[arg(long)]
        families: bool,
    },
    /// Write the expectations of goldens anew; review the difference before you commit it
    Bless,
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Bench { suite } => bench::run(&suite),
        Chore::Demo => demo::run(),
        Chore::Test { style_only } => test::run(style_only),
        Chore::Tidy => tidy::run(),
        Chore::Compare => compare::run(),
        Chore::Count => count::run(),
        Chore::Cost { lines, families } => cost::run(lines, families),
        Chore::Bless => test::bless(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

//! The `vproto` command: a thin shell around the compiler. Only this crate knows files, the terminal and the clock.

mod bitproto;
mod breaking;
mod chunks;
mod commands;
mod failure;
mod files;
mod report;
mod table;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Compiles descriptions of protocols into parsers.
///
/// A description reads as the protocol does; the parser made from it takes bytes in any fragmentation, keeps its
/// state between calls, never reads out of bounds and never grows without limit.
#[derive(Parser)]
#[command(name = "vproto", version, about, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  vproto run formats/http1/request.vproto formats/http1/examples/curl.requests.bin
      parse a file and print what was found
  vproto check my.vproto
      find mistakes without running anything
  vproto gen my.vproto --target cpp -o my.hpp
      write the parser as a C++17 header
  vproto gen my.vproto --with-main -o my.cc && g++ -O2 my.cc -o my
      a whole program that prints the event trace
  vproto graph my.vproto -o my.svg
      draw the state machine

Exit codes: 0 fine, 1 the description or the input is at fault, 2 wrong usage, 3 cannot read or write.";

#[derive(Subcommand)]
enum Command {
    Check(commands::check::Args),
    Gen(commands::generate::Args),
    Run(commands::run::Args),
    Fmt(commands::format::Args),
    Graph(commands::graph::Args),
    Explain(commands::explain::Args),
    /// Compile a bitproto schema
    Bitproto(bitproto::BitprotoArgs),
    Breaking(breaking::BreakingArgs),
    New(commands::new::Args),
    Completions(commands::helpers::CompletionsArgs),
    Man(commands::helpers::ManArgs),
}

/// Help, the version, or what is wrong with the arguments: clap's own printing takes a full device for success.
fn answer(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // With standard error closed there is nobody to tell.
        let _ = error.print();
        return ExitCode::from(2);
    }
    match error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => failure::exit(Err(failure::Failure::io("write", "standard output", &e))),
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return answer(&error),
    };
    let done = match cli.command {
        Command::Bitproto(args) => return bitproto::run(&args),
        Command::Breaking(args) => return breaking::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Gen(args) => commands::generate::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Fmt(args) => commands::format::run(&args),
        Command::Graph(args) => commands::graph::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Completions(args) => commands::helpers::completions(&args, Cli::command()),
        Command::Man(args) => commands::helpers::man(&args, Cli::command()),
    };
    failure::exit(done)
}

//! The vproto command.

mod bitproto;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Compiler of protocol descriptions and bitproto schemas.
#[derive(Parser, Debug)]
#[command(name = "vproto", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Compile a bitproto schema.
    Bitproto(bitproto::BitprotoArgs),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Bitproto(args) => bitproto::run(&args),
    }
}

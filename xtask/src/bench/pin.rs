//! Running racing programs on one core, so that no move to another one falls into a repetition.

use std::process::Command;
use vproto_testkit::skip;

/// A command that runs `program` on the last core, where `taskset` is installed.
pub fn command(program: &str) -> Command {
    if !skip::installed("taskset") {
        return Command::new(program);
    }
    let core = std::thread::available_parallelism().map_or(0, |n| n.get() - 1);
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string(), program]);
    command
}

/// Runs a command; what it printed.
///
/// # Errors
/// It is missing or fails; the text is what it said.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}

//! What the tests of the passes share: from a case to its machine, and races between machines.

use vproto_front::vproto::{KnownFiles, lower, parse};
use vproto_interp::Interpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_ir::machine::Program;
use vproto_ir::verify::{Verified, verify};
use vproto_source::{Diagnostics, File, Files};
use vproto_testkit::case::Case;

/// The machine of a case as it was lowered; none where the description has errors.
pub fn lowered(case: &Case) -> Result<Program, String> {
    let mut files = Files::default();
    let ids: Vec<_> = case
        .sources
        .iter()
        .map(|s| files.add(File::new(format!("{}.vproto", s.name), s.text.clone())))
        .collect();
    let mut findings = Diagnostics::default();
    let parsed = parse(&mut files, ids[0], &mut KnownFiles, &mut findings);
    match parsed.grammar {
        Some(grammar) => Ok(lower::lower(&grammar, &files)),
        None => Err(format!("{}: {findings:?}", case.name)),
    }
}

/// The machine of a text.
#[allow(dead_code)]
pub fn lowered_text(text: &str) -> Program {
    let source = vproto_testkit::Source { name: "demo".to_string(), text: text.to_string() };
    let case = Case { name: "demo".to_string(), sources: vec![source], ..Case::default() };
    lowered(&case).unwrap_or_else(|e| panic!("{e}"))
}

/// A parser of a machine.
pub fn parser(program: &Verified<Program>, plans: bool) -> Box<dyn Interpreter> {
    Box::new(MachineInterpreter::with_options(program, Options { plans, ..Options::default() }))
}

/// The verifier's findings as text.
pub fn findings(program: &Program) -> String {
    verify(program).iter().map(|v| format!("{v}\n")).collect()
}

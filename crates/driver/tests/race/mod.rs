//! What the races share: from a text to both interpreters, and the traces of one input.
#![allow(dead_code, reason = "each test uses a part")]

pub mod faults;
pub mod pass_faults;
pub mod run;

use std::cell::OnceCell;
use vproto::{Diagnostic, File, Files, Grammar, Program, Verified};
use vproto_front::vproto::KnownFiles;
use vproto_fuzzgen::Description;
use vproto_testkit::Case;

/// A description that passed the checker, and its machines as lowered.
pub struct Compiled {
    pub grammar: Grammar,
    pub files: Files,
    pub program: Verified<Program>,
    optimised: OnceCell<Verified<Program>>,
}

impl Compiled {
    /// The machines after all passes.
    pub fn optimised(&self) -> &Verified<Program> {
        self.optimised.get_or_init(|| {
            let program = vproto_opt::optimise(self.program.clone().into_inner());
            good(program, "behind all passes", &self.files)
        })
    }
}

/// Compiles a description; the messages of the errors where it has some.
pub fn compile(description: &Description) -> Result<Compiled, Vec<String>> {
    let mut files = Files::default();
    let mut root = None;
    for (name, text) in &description.sources {
        let id = files.add(File::new(format!("{name}.vproto"), text.clone()));
        root = root.or(Some(id));
    }
    let checked = vproto::check(&mut files, root.unwrap_or_default(), &mut KnownFiles);
    let Some(grammar) = checked.grammar else {
        return Err(checked
            .diagnostics
            .iter()
            .filter(|d| d.is_error())
            .map(|d| message(d, &files))
            .collect());
    };
    let program = good(vproto::lower(&grammar, &files), "as lowered", &files);
    Ok(Compiled { grammar, files, program, optimised: OnceCell::new() })
}

/// Random descriptions have machines that the verifier accepts; else the description is told.
fn good(program: Program, when: &str, files: &Files) -> Verified<Program> {
    vproto::verified(program).unwrap_or_else(|found| {
        let texts: String =
            files.iter().map(|(_, file)| format!("{}:\n{}\n", file.name, file.text)).collect();
        panic!("{when}: {}\n{texts}", found.title)
    })
}

fn message(d: &Diagnostic, files: &Files) -> String {
    let line = files.place(d.primary.span).line;
    format!("{:?} line {line}: {}", d.code, d.title)
}

/// The description of a case.
pub fn description_of(case: &Case) -> Description {
    Description { sources: case.sources.iter().map(|s| (s.name.clone(), s.text.clone())).collect() }
}

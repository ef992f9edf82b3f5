//! The verifier: the invariants of [`crate::machine`], each violation with the state concerned.
//!
//! [`Verified`] is made here only; back-ends take nothing else.

mod cycles;
mod ids;
mod plans;
mod registers;
mod structure;
mod threads;

use crate::analyses::captures::{Fault, captures};
use crate::analyses::steps;
use crate::ids::{Id, ModuleId, StateId};
use crate::machine::{Machine, Program};
use crate::text::{parse_program, print_program, print_state, strip_places};

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The module.
    pub module: ModuleId,
    /// The invariant's number.
    pub invariant: u8,
    /// The state concerned, if one is.
    pub state: Option<StateId>,
    /// A sentence.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.state.map_or(String::new(), |s| format!(" at {s}"));
        write!(f, "invariant {}{state} of {}: {}", self.invariant, self.module, self.message)
    }
}

/// Something that the verifier has found good.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified<T>(T);

impl Verified<Program> {
    /// Verifies a program.
    ///
    /// # Errors
    /// All violations; the program is lost, as it is of no use.
    pub fn new(program: Program) -> Result<Verified<Program>, Vec<Violation>> {
        let violations = verify(&program);
        if violations.is_empty() { Ok(Verified(program)) } else { Err(violations) }
    }

    /// The program, to be changed.
    pub fn into_inner(self) -> Program {
        self.0
    }
}

impl<T> std::ops::Deref for Verified<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// All violations of a program; none: it is good.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut all = Vec::new();
    for (module, machine) in program.machines.iter() {
        let mut found = Found { program, module, machine, violations: Vec::new() };
        verify_machine(&mut found);
        all.extend(found.violations);
    }
    if program.root.index() >= program.machines.len() {
        let message = "the root is no machine".to_string();
        all.push(Violation { module: program.root, invariant: 1, state: None, message });
    }
    if all.is_empty() {
        all.extend(verify_text(program));
    }
    all
}

/// What was found so far in one machine.
struct Found<'a> {
    program: &'a Program,
    module: ModuleId,
    machine: &'a Machine,
    violations: Vec<Violation>,
}

impl Found<'_> {
    fn add(&mut self, invariant: u8, state: impl Into<Option<StateId>>, message: impl Into<String>) {
        let (state, message) = (state.into(), message.into());
        self.violations.push(Violation { module: self.module, invariant, state, message });
    }
}

/// Analyses index by id, so what they rely on (invariant 1) is checked first and alone.
fn verify_machine(found: &mut Found<'_>) {
    ids::check(found);
    if !found.violations.is_empty() {
        return;
    }
    let live = steps::reachable(found.machine);
    structure::states(found, &live);
    registers::check(found, &live);
    check_captures(found);
    cycles::check(found, &live);
    threads::check(found);
    if found.violations.is_empty() {
        plans::check(found);
    }
}

fn check_captures(found: &mut Found<'_>) {
    for fault in captures(found.machine).1 {
        match fault {
            Fault::Differs(state) => found.add(6, state, "captures differ between two paths to it"),
            Fault::Action(state, span) => found.add(6, state, format!("an action on {span} does not fit")),
            Fault::Left(state, span) => found.add(6, state, format!("capture {span} is open here")),
        }
    }
}

/// Printing and parsing gives the same text and the same program.
fn verify_text(program: &Program) -> Option<Violation> {
    let text = print_program(program);
    let module = program.root;
    let wrong = |message: String| Some(Violation { module, invariant: 11, state: None, message });
    let parsed = match parse_program(&text) {
        Ok(parsed) => parsed,
        Err(error) => return wrong(format!("the printed text does not parse: {error}")),
    };
    let again = print_program(&parsed);
    if again != text {
        let (a, b) = text.lines().zip(again.lines()).find(|(a, b)| a != b).unwrap_or(("", ""));
        return wrong(format!("printed \"{a}\", then \"{b}\""));
    }
    let mut stripped = program.clone();
    strip_places(&mut stripped);
    if parsed != stripped {
        return wrong(format!("another program comes back{}", difference(&stripped, &parsed)));
    }
    None
}

fn difference(a: &Program, b: &Program) -> String {
    for ((_, a), (_, b)) in a.machines.iter().zip(b.machines.iter()) {
        for id in a.states.ids() {
            if a.states.get(id) != b.states.get(id) {
                return format!(": {} and {}", print_state(a, id), print_state(b, id));
            }
        }
        if a.symbols != b.symbols {
            return format!(" in the symbols of {}", a.name);
        }
        if a != b {
            return format!(" in {}", a.name);
        }
    }
    String::new()
}

//! The race: the naive law against the machine.

use super::{Compiled, compile};
use std::fmt;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vproto::{Program, Verified};
use vproto_fuzzgen::{Choices, Description, describe, grow, mutate, shrink};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_interp::machine::MachineInterpreter;
use vproto_opt::PASSES;
use vproto_testkit::{cuts, trace_of, verified};

/// Inputs of each description, and the size they grow to.
const INPUTS: usize = 6;
const SIZE: usize = 48;

/// Two traces of one input that should be one.
pub struct Difference {
    pub seed: u64,
    pub description: Description,
    pub input: Vec<u8>,
    pub found: Found,
}

/// What differed.
#[derive(Clone)]
pub struct Found {
    /// Which run.
    pub run: String,
    /// The trace of the law, whole.
    pub law: Vec<String>,
    /// The trace of that run.
    pub other: Vec<String>,
}

/// Races one random description. None: it is refused.
pub fn race_seed(seed: u64) -> Option<Result<(), Box<Difference>>> {
    let mut c = Choices::seeded(seed);
    let description = describe(&mut c);
    let skipped = std::env::var("VPROTO_SKIP").unwrap_or_default();
    if skipped
        .split('|')
        .any(|s| !s.is_empty() && description.sources.iter().any(|(_, text)| text.contains(s)))
    {
        return None;
    }
    let compiled = compile(&description).ok()?;
    for _ in 0..INPUTS {
        let grown = grow(&mut c, &compiled.grammar, SIZE);
        let input = if c.chance(60) { mutate(&mut c, &grown) } else { grown };
        if let Some(found) = race(&compiled, &input) {
            return Some(Err(Box::new(Difference { seed, description, input, found })));
        }
    }
    Some(Ok(()))
}

/// The first run that differs from the law's whole one.
pub fn race(compiled: &Compiled, input: &[u8]) -> Option<Found> {
    let law = law_of(compiled, input, &[input.len()]);
    let differs =
        |run: String, other: Vec<String>| (other != law).then(|| Found { run, law: law.clone(), other });
    let mut runs = cuts::few(input.len(), input.len() as u64);
    runs.truncate(5);
    let machine = |program: &Verified<Program>, name: &str| {
        runs.iter().enumerate().find_map(|(index, fragments)| {
            let run = || trace_of(&mut MachineInterpreter::new(program), input, fragments);
            let trace = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| vec!["panic".to_string()]);
            differs(format!("{name}, cut {index}"), trace)
        })
    };
    machine(&compiled.program, "machine")
        .or_else(|| {
            let found = machine(compiled.optimised(), "after all passes")?;
            Some(by_pass(compiled, &machine).unwrap_or(found))
        })
        .or_else(|| {
            differs("law in single bytes".to_string(), law_of(compiled, input, &vec![1; input.len()]))
        })
}

/// The first pass whose machine differs.
fn by_pass(
    compiled: &Compiled,
    machine: &dyn Fn(&Verified<Program>, &str) -> Option<Found>,
) -> Option<Found> {
    let mut program = compiled.program.clone().into_inner();
    PASSES.iter().find_map(|pass| {
        vproto_opt::run(&mut program, pass);
        machine(&verified(&program), &format!("after pass {}", pass.name))
    })
}

/// The trace of the law.
pub fn law_of(compiled: &Compiled, input: &[u8], fragments: &[usize]) -> Vec<String> {
    trace_of(&mut GrammarInterpreter::new(&compiled.grammar, &compiled.files), input, fragments)
}

impl Difference {
    /// Makes it as small as it gets.
    pub fn shrink(&mut self) {
        let differs = |d: &Description, input: &[u8]| compile(d).is_ok_and(|c| race(&c, input).is_some());
        let (description, input) = shrink(self.description.clone(), self.input.clone(), differs);
        if let Ok(compiled) = compile(&description)
            && let Some(found) = race(&compiled, &input)
        {
            (self.description, self.input, self.found) = (description, input, found);
        }
    }
}

impl fmt::Display for Difference {
    /// As a case of the corpus, with both traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## seed {} ({})", self.seed, self.found.run)?;
        for (index, (name, text)) in self.description.sources.iter().enumerate() {
            let info = if index == 0 { String::new() } else { format!(" name={name}") };
            writeln!(f, "```vproto{info}\n{}```", text.trim_end_matches('\n').to_string() + "\n")?;
        }
        writeln!(f, "```input\n{}\n```", escape(&self.input))?;
        writeln!(f, "```trace\n{}\n```", self.found.law.join("\n"))?;
        writeln!(f, "but {}:\n{}", self.found.run, self.found.other.join("\n"))
    }
}

/// The input as the corpus writes it.
pub fn escape(input: &[u8]) -> String {
    let mut out = String::new();
    for &byte in input {
        let _ = match byte {
            b'\r' => write!(out, "\\r"),
            b'\n' => write!(out, "\\n"),
            b'\t' => write!(out, "\\t"),
            b'\\' => write!(out, "\\\\"),
            0x20..=0x7e => write!(out, "{}", char::from(byte)),
            _ => write!(out, "\\x{byte:02x}"),
        };
    }
    out
}

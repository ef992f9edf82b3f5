//! Faults planted in lowering: each of them must be found by the corpus, or by the random descriptions of the test run.

mod race;

use race::faults::{FAULTS, Fault};
use race::{Compiled, compile, description_of};
use vproto::Program;
use vproto_fuzzgen::{Choices, describe, grow, mutate};
use vproto_interp::machine::MachineInterpreter;
use vproto_testkit::{case, cuts, trace_of};

/// Random descriptions that may be asked when the corpus finds nothing.
const DESCRIPTIONS: u64 = 200;

/// What both interpreters agree on: a description, an input, its trace.
struct Known {
    compiled: Compiled,
    input: Vec<u8>,
    set: Vec<(String, String)>,
    trace: Vec<String>,
}

fn corpus() -> Vec<Known> {
    let cases = case::all().expect("the corpus can be read");
    let known = cases.into_iter().filter_map(|case| {
        let compiled = compile(&description_of(&case)).ok()?;
        Some(Known { compiled, input: case.input, set: case.set, trace: case.trace })
    });
    known.collect()
}

fn random() -> Vec<Known> {
    let mut all = Vec::new();
    for seed in 1..=DESCRIPTIONS {
        let mut c = Choices::seeded(seed);
        let Ok(compiled) = compile(&describe(&mut c)) else { continue };
        let grown = grow(&mut c, &compiled.grammar, 48);
        let input = if c.chance(50) { mutate(&mut c, &grown) } else { grown };
        let trace = race::run::law_of(&compiled, &input, &[input.len()]);
        all.push(Known { compiled, input, set: Vec::new(), trace });
    }
    all
}

impl Known {
    /// Whether a run of the faulty machine shows the fault; machines that the fault leaves as they are cannot.
    fn shows(&self, fault: &Fault) -> bool {
        let mut program: Program = self.compiled.program.clone();
        program.machines.iter_mut().for_each(|(_, machine)| (fault.plant)(machine));
        if program == self.compiled.program {
            return false;
        }
        let mut runs = cuts::few(self.input.len(), 1);
        runs.truncate(3);
        runs.iter().any(|cut| {
            let mut parser = MachineInterpreter::new(&program);
            for (name, value) in &self.set {
                if vproto_interp::Interpreter::set(&mut parser, name, value).is_err() {
                    return false;
                }
            }
            trace_of(&mut parser, &self.input, cut) != self.trace
        })
    }
}

#[test]
fn every_planted_fault_is_found() {
    let (corpus, random) = (corpus(), random());
    let mut missed = Vec::new();
    for fault in FAULTS {
        let by_corpus = corpus.iter().filter(|known| known.shows(fault)).count();
        let by_random = random.iter().filter(|known| known.shows(fault)).count();
        eprintln!("{:4} cases {:4} random: {}", by_corpus, by_random, fault.name);
        if by_corpus == 0 {
            missed.push(fault.name);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

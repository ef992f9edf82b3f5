//! Faults planted in lowering and in the passes: each of them must be found by the corpus, be it that the verifier
//! refuses the machine of a case, or that its trace differs.

mod race;

use race::faults::{FAULTS, Fault};
use race::pass_faults::{BEFORE, BEHIND};
use race::{Compiled, compile, description_of};
use vproto::Program;
use vproto_fuzzgen::{Choices, describe, grow, mutate};
use vproto_interp::machine::MachineInterpreter;
use vproto_ir::verify::Verified;
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
    /// How the faulty machine shows the fault; machines that the fault leaves as they are cannot.
    fn shows(&self, fault: &Fault, stage: Stage) -> Option<Shown> {
        let sound = match stage {
            Stage::Lowered => &self.compiled.program,
            Stage::Optimised => self.compiled.optimised(),
        };
        let mut program: Program = sound.clone().into_inner();
        program.machines.iter_mut().for_each(|(_, machine)| (fault.plant)(machine));
        if program == **sound {
            return None;
        }
        let Ok(program) = Verified::new(program) else { return Some(Shown::Refused) };
        let mut runs = cuts::few(self.input.len(), 1);
        runs.truncate(3);
        let differs = runs.iter().any(|cut| {
            let mut parser = MachineInterpreter::new(&program);
            for (name, value) in &self.set {
                if vproto_interp::Interpreter::set(&mut parser, name, value).is_err() {
                    return false;
                }
            }
            trace_of(&mut parser, &self.input, cut) != self.trace
        });
        differs.then_some(Shown::Differs)
    }
}

/// How a fault shows.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Refused,
    Differs,
}

/// The machine that a fault is planted in.
#[derive(Clone, Copy)]
enum Stage {
    Lowered,
    Optimised,
}

#[test]
fn every_planted_fault_is_found() {
    let (corpus, random) = (corpus(), random());
    let mut missed = Vec::new();
    let lowered = FAULTS.iter().chain(BEFORE).map(|fault| (fault, Stage::Lowered));
    for (fault, stage) in lowered.chain(BEHIND.iter().map(|fault| (fault, Stage::Optimised))) {
        let count = |all: &[Known], how: Shown| {
            all.iter().filter(|known| known.shows(fault, stage) == Some(how)).count()
        };
        let (differ, refused) = (count(&corpus, Shown::Differs), count(&corpus, Shown::Refused));
        let by_random = random.iter().filter(|known| known.shows(fault, stage).is_some()).count();
        eprintln!("{differ:4} cases differ {refused:4} refused {by_random:4} random: {}", fault.name);
        if differ + refused == 0 {
            missed.push(fault.name);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

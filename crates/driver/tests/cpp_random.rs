//! Random descriptions: compiled C++ gives the events of the machine interpreter, cut anywhere.
//!
//! `VPROTO_CPP_RANDOM=FROM..TO` chooses other seeds, for longer runs.

use vproto_fuzzgen::{Choices, describe, grow, mutate};
use vproto_interp::machine::MachineInterpreter;
use vproto_testkit::compiled::{self, Build, Job, Program};
use vproto_testkit::{Case, Source, cuts, trace_of};

/// Descriptions that go into one program.
const TOGETHER: usize = 20;
/// Inputs of each description.
const INPUTS: usize = 6;

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("VPROTO_CPP_RANDOM").ok();
    let parsed = given.as_deref().and_then(|text| text.split_once("..")).map(|(a, b)| (a.parse(), b.parse()));
    match parsed {
        Some((Ok(from), Ok(to))) => from..to,
        _ => 0..TOGETHER as u64,
    }
}

/// A description with several inputs and their traces; none where it has errors.
fn cases_of(seed: u64, optimise: bool) -> Option<Vec<Case>> {
    let mut choices = Choices::seeded(seed);
    let description = describe(&mut choices);
    let source = |(name, text): &(String, String)| Source { name: name.clone(), text: text.clone() };
    let sources: Vec<Source> = description.sources.iter().map(source).collect();
    let mut case = Case { name: format!("seed {seed}"), sources, ..Case::default() };
    let (grammar, _) = compiled::grammar(&case).ok()?;
    let (mut program, _) = compiled::machine(&case).ok()?;
    if optimise {
        program = vproto_opt::optimise(program);
    }
    let mut cases = Vec::new();
    for round in 0..INPUTS {
        let grown = grow(&mut choices, &grammar, 40);
        case.input = if round % 2 == 0 { grown } else { mutate(&mut choices, &grown) };
        let mut parser = MachineInterpreter::new(&vproto_testkit::verified(&program));
        case.trace = trace_of(&mut parser, &case.input, &[case.input.len()]);
        cases.push(case.clone());
    }
    Some(cases)
}

fn race(optimise: bool) {
    let seeds: Vec<u64> = seeds().collect();
    let build = Build { optimise, ..Build::default() };
    let mut problems = Vec::new();
    for part in seeds.chunks(TOGETHER) {
        let cases: Vec<Vec<Case>> = part.iter().filter_map(|seed| cases_of(*seed, optimise)).collect();
        let firsts: Vec<Case> = cases.iter().map(|c| c[0].clone()).collect();
        let program = match Program::build(&firsts, &build) {
            Ok(program) => program,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let mut jobs = Vec::new();
        for (number, inputs) in cases.iter().enumerate() {
            for case in inputs {
                jobs.push(Job { number, case, runs: cuts::few(case.input.len(), 3), cuts: 1 });
            }
        }
        problems.extend(program.play(&jobs).err());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn random_descriptions_as_optimised() {
    race(true);
}

#[test]
fn random_descriptions_as_lowered() {
    race(false);
}

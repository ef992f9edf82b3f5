//! Every case of the repository after each prefix of the passes: the verifier finds nothing, and the trace is the same
//! whole, byte by byte and cut at every position, with plans and without.

mod common;

use common::{findings, lowered, parser};
use vproto_opt::{PASSES, run};
use vproto_testkit::case::{self, Case};
use vproto_testkit::cuts::Fragments;
use vproto_testkit::play;

/// Whole, byte by byte, and cut once at every position (long inputs: at many).
fn cuts(length: usize) -> Vec<Fragments> {
    let step = (length / 400).max(1);
    let whole = [vec![length], vec![1; length]];
    whole.into_iter().chain((1..length).step_by(step).map(|at| vec![at, length - at])).collect()
}

fn race(case: &Case) -> Vec<String> {
    let mut problems = Vec::new();
    let mut program = match lowered(case) {
        Ok(program) => program,
        Err(e) => return vec![e],
    };
    let cuts = cuts(case.input.len());
    for prefix in 0..=PASSES.len() {
        let last = prefix.checked_sub(1).map(|i| &PASSES[i]);
        if let Some(pass) = last {
            run(&mut program, pass);
        }
        let name = last.map_or("lowered", |p| p.name);
        let found = findings(&program);
        if !found.is_empty() {
            problems.push(format!("{} after {name}:\n{found}", case.name));
            break;
        }
        let plans = program.machines.iter().any(|(_, m)| !m.plans.is_empty());
        for with_plans in [false, true].into_iter().take(1 + usize::from(plans)) {
            if let Err(mismatch) = play(case, &cuts, || parser(&program, with_plans)) {
                problems.push(format!("after {name}, plans {with_plans}: {mismatch}"));
            }
        }
        if !problems.is_empty() {
            break;
        }
    }
    problems
}

#[test]
fn every_prefix_of_the_passes_keeps_the_trace() {
    let cases = case::all().expect("the cases can be read");
    assert!(cases.len() >= 40);
    let problems: Vec<String> = cases.iter().flat_map(race).collect();
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

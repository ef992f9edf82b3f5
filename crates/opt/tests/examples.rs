//! Every case of the repository after each prefix of the passes: the verifier finds nothing, and the trace is the same
//! whole, byte by byte and cut at every position, with plans and without.

mod common;

use common::{findings, lowered, parser};
use vproto_opt::{PASSES, run};
use vproto_testkit::case::{self, Case};
use vproto_testkit::cuts::{Fragments, few};
use vproto_testkit::{play, trace_of};

/// Whole, byte by byte, and cut once at every position (long inputs: at many).
fn every_cut(length: usize) -> Vec<Fragments> {
    let step = (length / 400).max(1);
    let whole = [vec![length], vec![1; length]];
    whole.into_iter().chain((1..length).step_by(step).map(|at| vec![at, length - at])).collect()
}

/// Plays a case after each prefix of the passes.
fn race(case: &Case, cuts: &[Fragments]) -> Vec<String> {
    let mut program = match lowered(case) {
        Ok(program) => program,
        Err(e) => return vec![e],
    };
    let mut problems = Vec::new();
    for prefix in 0..=PASSES.len() {
        let last = prefix.checked_sub(1).map(|i| &PASSES[i]);
        if let Some(pass) = last {
            run(&mut program, pass);
        }
        let name = last.map_or("lowered", |p| p.name);
        let found = findings(&program);
        if !found.is_empty() {
            problems.push(format!("{} after {name}:\n{found}", case.name));
        }
        let good = vproto_testkit::verified(&program);
        let plans = program.machines.iter().any(|(_, m)| !m.plans.is_empty());
        for with_plans in [false, true].into_iter().take(1 + usize::from(plans)) {
            if let Err(mismatch) = play(case, cuts, || parser(&good, with_plans)) {
                problems.push(format!("after {name}, plans {with_plans}: {mismatch}"));
            }
        }
        if !problems.is_empty() {
            break;
        }
    }
    problems
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_prefix_of_the_passes_keeps_the_trace_of_the_examples() {
    let folders = case::sorted(&vproto_testkit::root().join("tests/examples"));
    let read = |folder: &std::path::PathBuf| case::from_folder(folder).expect("the example can be read");
    let cases: Vec<Case> = folders.iter().filter(|f| f.is_dir()).map(read).collect();
    assert!(cases.len() >= 40);
    let problems: Vec<String> = cases.iter().flat_map(|c| race(c, &every_cut(c.input.len()))).collect();
    report(&problems);
}

/// The corpus is held to the law elsewhere; here the machine as it was lowered is what passes must keep.
#[test]
fn every_prefix_of_the_passes_keeps_the_trace_of_the_corpus() {
    let mut problems = Vec::new();
    for mut case in case::all().expect("the cases can be read") {
        let Ok(program) = lowered(&case) else { continue };
        let mut before = parser(&vproto_testkit::verified(&program), false);
        if case.set.iter().any(|(name, value)| before.set(name, value).is_err()) {
            continue;
        }
        case.trace = trace_of(before.as_mut(), &case.input, &[case.input.len()]);
        problems.extend(race(&case, &few(case.input.len(), 3)));
    }
    report(&problems);
}

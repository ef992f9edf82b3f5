//! A fixed set of cases on every shape of generated C++, run always: with and without passes, with and without a heap,
//! by both compilers.
//!
//! `VPROTO_CASES=TEXT` plays the cases of the corpus whose names contain the text instead.

use vproto_testkit::case::{self, Case};
use vproto_testkit::compiled::{Build, Job, Program};
use vproto_testkit::{cuts, skip};

/// Cases of every part of the language, and all that compiled C++ once failed.
const CASES: [&str; 14] = [
    "code: printf is skipped",
    "confined: ",
    "modules: a module",
    "parallel: a span begun in a state",
    "parallel_more: bytes for the user that wait",
    "parallel_more: groups inside of groups",
    "parallel_more: many states that split",
    "parallel_more: a text is appended to twice",
    "race: a second begin of another kind ends the first without storing it",
    "spans: ",
    "strings: a number to keep",
    "strings: string_view",
    "until: a text at run time",
    "finish: ",
];

fn chosen() -> Vec<Case> {
    let mut cases = case::all().expect("the corpus can be read");
    match std::env::var("VPROTO_CASES") {
        Ok(text) => cases.retain(|c| c.name.contains(&text)),
        Err(_) => cases.retain(|c| CASES.iter().any(|name| c.name.starts_with(name))),
    }
    assert!(!cases.is_empty(), "no case has such a name");
    cases
}

fn play(build: &Build) {
    if skip::missing(&build.compiler, "the fixed set of cases") {
        return;
    }
    let mut problems = Vec::new();
    for part in chosen().chunks(16) {
        let program = match Program::build(part, build) {
            Ok(program) => program,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let job = |(number, case): (usize, &'_ Case)| (number, cuts::few(case.input.len(), 1));
        let runs: Vec<_> = part.iter().enumerate().map(job).collect();
        let jobs = runs.into_iter().zip(part);
        let jobs = jobs.map(|((number, runs), case)| {
            let pairs = usize::from(case.input.len() <= cuts::PAIRS);
            Job { number, case, runs, cuts: 1 + pairs }
        });
        problems.extend(program.play(&jobs.collect::<Vec<_>>()).err());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn optimised() {
    play(&Build::default().sanitized("-O0"));
}

#[test]
fn as_lowered() {
    play(&Build { optimise: false, ..Build::default() }.sanitized("-O0"));
}

#[test]
fn without_heap() {
    play(&Build { no_heap: true, ..Build::default() }.sanitized("-O0"));
}

#[test]
fn by_clang() {
    play(&Build { compiler: "clang++".to_owned(), ..Build::default() }.sanitized("-O0"));
}

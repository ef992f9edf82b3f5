//! Every case of `tests/corpus` and `tests/examples` on both interpreters, cut everywhere.
//!
//! The compiled targets play the same cases in `cpp.rs`.

use vproto_testkit::{Case, case, cuts, play};

mod support;

#[test]
fn the_corpus_is_large_enough() {
    let cases = case::all().expect("the corpus can be read");
    assert!(cases.len() >= 100, "only {} cases", cases.len());
}

#[test]
fn the_grammar_interpreter_gives_every_trace() {
    on_every_case(|case| {
        let (grammar, files) = support::checked(case)?;
        play_all(case, &cuts::all(case.input.len(), 1), || vproto::grammar_interpreter(&grammar, &files))
    });
}

#[test]
fn the_lowered_machine_gives_every_trace() {
    on_every_case(|case| {
        let (grammar, files) = support::checked(case)?;
        let program = vproto::verified(vproto::lower(&grammar, &files)).map_err(|found| found.title)?;
        play_all(case, &cuts::all(case.input.len(), 2), || vproto::machine_interpreter(&program))
    });
}

#[test]
fn the_optimised_machine_gives_every_trace() {
    on_every_case(|case| {
        let (grammar, files) = support::checked(case)?;
        let program = vproto::compile(&grammar, &files).map_err(|found| found.title)?;
        play_all(case, &cuts::all(case.input.len(), 3), || vproto::machine_interpreter(&program))
    });
}

fn play_all<'p>(
    case: &Case,
    runs: &[Vec<usize>],
    fresh: impl FnMut() -> Box<dyn vproto_interp::Interpreter + 'p>,
) -> Result<(), String> {
    play(case, runs, fresh).map_err(|m| m.to_string())
}

/// Runs `check` on all cases and reports all failures together.
fn on_every_case(check: impl Fn(&Case) -> Result<(), String>) {
    let cases = case::all().expect("the corpus can be read");
    let failures: Vec<String> = cases.iter().filter_map(|c| check(c).err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases differ:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

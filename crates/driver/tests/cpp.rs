//! Generated C++: every example, compiled with all warnings as errors, prints its trace, cut anywhere.

use vproto_testkit::case::{self, Case};
use vproto_testkit::compiled::{Build, Job, Program};
use vproto_testkit::cuts;

/// Cases that go into one program: few enough that one change does not compile everything again.
const TOGETHER: usize = 12;

fn examples() -> Vec<Case> {
    let folders = case::sorted(&vproto_testkit::root().join("tests/examples"));
    let cases = folders.iter().filter(|f| f.is_dir()).map(|f| case::from_folder(f));
    cases.collect::<Result<Vec<_>, _>>().expect("examples can be read")
}

fn runs_on(build: &Build) {
    let cases = examples();
    let mut problems = Vec::new();
    for part in cases.chunks(TOGETHER) {
        let program = match Program::build(part, build) {
            Ok(program) => program,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let job = |(number, case)| {
            let case: &Case = case;
            Job {
                number,
                case,
                runs: cuts::few(case.input.len(), 1),
                cuts: 1 + usize::from(case.input.len() <= 64),
            }
        };
        let jobs: Vec<Job<'_>> = part.iter().enumerate().map(job).collect();
        if let Err(problem) = program.play(&jobs) {
            problems.push(problem);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn examples_as_optimised() {
    runs_on(&Build::default());
}

/// No pass has run: threads, marks and joins are all there.
#[test]
fn examples_as_lowered() {
    runs_on(&Build { optimise: false, ..Build::default() });
}

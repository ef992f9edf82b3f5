//! Inputs of all cases, cut short and mutated: what the machine does as it was lowered, it does after every pass, with
//! one pass left out, with plans and without, with dead registers wiped at every cut. The law is not asked here.

mod common;

use common::{lowered, parser};
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_ir::machine::Program;
use vproto_ir::verify::Verified;
use vproto_opt::{PASSES, optimise, run};
use vproto_testkit::case::{self, Case};
use vproto_testkit::cuts::{Fragments, random};
use vproto_testkit::{trace_of, verified};

/// A small generator of numbers; the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The input cut short at some places, and with bytes changed, dropped, doubled and swapped with others of its own.
fn mutations(input: &[u8], count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let start = if input.len() > 400 { &input[..400] } else { input };
    let mut all = vec![input.to_vec()];
    all.extend((0..count / 4).map(|_| start[..random.below(start.len() + 1)].to_vec()));
    while all.len() < count {
        let mut bytes = start.to_vec();
        for _ in 0..=random.below(3) {
            if bytes.is_empty() {
                break;
            }
            let (at, from) = (random.below(bytes.len()), random.below(bytes.len()));
            match random.below(6) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes[at] = bytes[from],
                3 => drop(bytes.remove(at)),
                4 => bytes.insert(at, bytes[from]),
                _ => bytes.truncate(at),
            }
        }
        all.push(bytes);
    }
    all
}

/// How often each input is mutated: a few times in the test run, more where the environment says so.
fn count() -> usize {
    std::env::var("VPROTO_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10)
}

fn trace(
    program: &Verified<Program>,
    case: &Case,
    input: &[u8],
    fragments: &Fragments,
    plans: bool,
) -> Vec<String> {
    let mut parser = parser(program, plans);
    for (name, value) in &case.set {
        parser.set(name, value).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
    trace_of(parser.as_mut(), input, fragments)
}

fn compare(
    name: &str,
    what: &str,
    input: &[u8],
    expected: &[String],
    actual: &[String],
) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let at = expected.iter().zip(actual).take_while(|(a, b)| a == b).count();
    let (a, b) = (expected.get(at), actual.get(at));
    let shown = String::from_utf8_lossy(input);
    Err(format!("{name}, {what}, input {shown:?} ({} bytes)\n  lowered {a:?}\n  now     {b:?}", input.len()))
}

/// Every machine of a case against the lowered one, over all mutations.
fn race(case: &Case, machines: &[(String, Verified<Program>)], problems: &mut Vec<String>) {
    let Ok(program) = lowered(case) else { return };
    let program = &verified(&program);
    let inputs = mutations(&case.input, count(), case.name.len() as u64);
    for (number, input) in inputs.iter().enumerate() {
        let whole = vec![input.len()];
        let cut = random(input.len(), number as u64);
        let expected = trace(program, case, input, &whole, false);
        for (what, machine) in machines {
            for (fragments, plans) in [(&whole, true), (&cut, true), (&cut, false)] {
                let actual = trace(machine, case, input, fragments, plans);
                if let Err(problem) = compare(&case.name, what, input, &expected, &actual) {
                    problems.push(problem);
                    return;
                }
            }
        }
    }
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_prefix_keeps_what_broken_inputs_do() {
    let mut problems = Vec::new();
    for case in case::all().expect("the cases can be read") {
        let Ok(mut program) = lowered(&case) else { continue };
        let mut machines = Vec::new();
        for pass in PASSES {
            run(&mut program, pass);
            machines.push((format!("after {}", pass.name), verified(&program)));
        }
        race(&case, &machines, &mut problems);
    }
    report(&problems);
}

#[test]
fn every_pass_can_be_left_out() {
    let mut problems = Vec::new();
    for case in case::all().expect("the cases can be read") {
        let Ok(program) = lowered(&case) else { continue };
        let mut machines = Vec::new();
        for (left_out, missing) in PASSES.iter().enumerate() {
            let mut other = program.clone();
            PASSES
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != left_out)
                .for_each(|(_, pass)| run(&mut other, pass));
            let found = common::findings(&other);
            assert!(found.is_empty(), "{} without {}:\n{found}", case.name, missing.name);
            machines.push((format!("without {}", missing.name), verified(&other)));
        }
        race(&case, &machines, &mut problems);
    }
    report(&problems);
}

#[test]
fn deleting_all_plans_leaves_a_correct_machine() {
    let mut problems = Vec::new();
    let mut plans = 0;
    for case in case::all().expect("the cases can be read") {
        let Ok(program) = lowered(&case) else { continue };
        let mut program = optimise(program);
        for (_, machine) in program.machines.iter_mut() {
            plans += machine.plans.len();
            machine.plans.clear();
        }
        race(&case, &[("without plans".to_string(), verified(&program))], &mut problems);
    }
    assert!(plans > 40, "{plans} plans were found");
    report(&problems);
}

#[test]
fn dead_registers_are_not_missed() {
    let mut problems = Vec::new();
    for case in case::all().expect("the cases can be read") {
        let Ok(program) = lowered(&case) else { continue };
        let lowered = verified(&program);
        for machine in [lowered.clone(), verified(&optimise(program))] {
            let options = Options { plans: true, wipe_dead: true, ..Options::default() };
            for input in mutations(&case.input, count() / 2, 7) {
                let expected = trace(&lowered, &case, &input, &vec![input.len()], false);
                let mut wiped = MachineInterpreter::with_options(&machine, options);
                for (name, value) in &case.set {
                    vproto_interp::Interpreter::set(&mut wiped, name, value)
                        .unwrap_or_else(|e| panic!("{e}"));
                }
                let actual = trace_of(&mut wiped, &input, &vec![1; input.len()]);
                problems.extend(compare(&case.name, "wiped", &input, &expected, &actual).err());
            }
        }
    }
    report(&problems);
}

//! The machine interpreter against the grammar interpreter: examples cut short and mutated give the same traces.

mod machine;

use machine::{Example, chop, examples, play};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_ir::machine::Program;
use vproto_ir::verify::Verified;

/// Inputs that look like the example's: cut short, and with bytes changed, doubled or dropped.
fn variants(example: &Example, rounds: u64) -> Vec<Vec<u8>> {
    let input = &example.input;
    let mut all: Vec<Vec<u8>> = (0..=input.len()).map(|end| input[..end].to_vec()).collect();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as usize % below.max(1)
    };
    for _ in 0..rounds {
        let mut bytes = input.clone();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            match next(5) {
                0 if !bytes.is_empty() => bytes[at] = next(256) as u8,
                1 if !bytes.is_empty() => bytes[at] = bytes[at].wrapping_add(1),
                2 if !bytes.is_empty() => drop(bytes.remove(at)),
                3 if !bytes.is_empty() => bytes.insert(at, bytes[next(bytes.len())]),
                _ => bytes.truncate(at),
            }
        }
        all.push(bytes);
    }
    all
}

/// What differs first, if anything does.
fn race(example: &Example, program: &Verified<Program>, options: &Options, rounds: u64) -> Option<String> {
    let start = MachineInterpreter::with_options(program, *options);
    for (number, input) in variants(example, rounds).iter().enumerate() {
        let law = play(GrammarInterpreter::new(&example.grammar, &example.files), [&input[..]]);
        let whole = play(start.clone(), [&input[..]]);
        let chopped = play(start.clone(), chop(input, number as u64));
        let single = play(start.clone(), input.chunks(1));
        if let Some(other) = [whole, chopped, single].iter().find(|trace| **trace != law) {
            let line = other.lines().zip(law.lines()).position(|(a, b)| a != b).unwrap_or_default();
            let of = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
            let (got, wanted) = (of(other), of(&law));
            return Some(format!("{} {input:02x?}\n  machine {got}\n  law     {wanted}", example.name));
        }
    }
    None
}

fn race_all(optimised: bool, options: &Options) {
    let race_one = |example: &Example| {
        let program = if optimised {
            vproto_opt::pipeline::optimise(example.program.clone())
        } else {
            example.program.clone()
        };
        race(example, &vproto_testkit::verified(&program), options, 60)
    };
    let failures: Vec<String> = examples().iter().filter_map(race_one).collect();
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn mutated_examples_as_lowered() {
    race_all(false, &Options::default());
}

#[test]
fn mutated_examples_behind_all_passes() {
    race_all(true, &Options::default());
}

#[test]
fn mutated_examples_by_plans() {
    race_all(true, &Options { plans: true, ..Options::default() });
}

#[test]
fn mutated_examples_with_dead_registers_wiped() {
    for optimised in [false, true] {
        race_all(optimised, &Options { wipe_dead: true, ..Options::default() });
    }
}

//! The machine interpreter on the examples: the traces are exactly theirs, however the input is cut.

mod machine;

use machine::{Example, chop, examples, play};
use vproto_interp::Interpreter;
use vproto_interp::machine::{MachineInterpreter, Options};

/// Every way to cut the input gives the trace.
fn check(example: &Example, options: &Options) -> Result<(), String> {
    let start = MachineInterpreter::with_options(&vproto_testkit::verified(&example.program), *options);
    let input = &example.input[..];
    let compare = |how: &str, trace: String| {
        if trace == example.trace {
            return Ok(());
        }
        let line = trace.lines().zip(example.trace.lines()).position(|(a, b)| a != b);
        let at = line.unwrap_or(trace.lines().count().min(example.trace.lines().count()));
        let of = |text: &str| text.lines().nth(at).unwrap_or("(nothing)").to_owned();
        let (got, wanted) = (of(&trace), of(&example.trace));
        Err(format!("{}, {how}: line {}:\n  got    {got}\n  wanted {wanted}", example.name, at + 1))
    };
    compare("whole", play(start.clone(), [input]))?;
    compare("byte by byte", play(start.clone(), input.chunks(1)))?;
    for cut in 0..=input.len() {
        let (before, after) = input.split_at(cut);
        compare(&format!("cut at {cut}"), play(start.clone(), [before, &[], after]))?;
    }
    for seed in 1..20 {
        compare(&format!("chopped by {seed}"), play(start.clone(), chop(input, seed)))?;
    }
    Ok(())
}

fn check_all(options: impl Fn(&Example) -> Options) {
    let failures: Vec<String> =
        examples().iter().filter_map(|example| check(example, &options(example)).err()).collect();
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn examples_as_lowered() {
    check_all(|_| Options::default());
}

#[test]
fn a_clone_at_any_cut_is_a_snapshot() {
    for example in examples() {
        let mut parser = MachineInterpreter::new(&vproto_testkit::verified(&example.program));
        let mut before = Vec::new();
        for (at, piece) in example.input.chunks(3).enumerate() {
            let mut lines: Vec<String> = before.clone();
            let mut snapshot = parser.clone();
            snapshot.parse(&example.input[at * 3..], &mut |event| lines.push(event.to_string()));
            snapshot.finish(&mut |event| lines.push(event.to_string()));
            assert_eq!(lines.join("\n"), example.trace.trim_end(), "{} from {}", example.name, at * 3);
            parser.parse(piece, &mut |event| before.push(event.to_string()));
        }
    }
}

//! Machines written by hand in the text form, each with an input and its trace, however the input is cut.

use vproto_interp::Interpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_ir::machine::Program;
use vproto_ir::text::parse_program;
use vproto_ir::verify::Verified;

/// The trace of an input in pieces.
fn play<'a>(start: &MachineInterpreter, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut parser = start.clone();
    let mut lines = String::new();
    let mut sink = |event: vproto_interp::trace::Event| lines.push_str(&format!("{event}\n"));
    for piece in pieces {
        parser.parse(piece, &mut sink);
        // A clone is all that there is to remember.
        parser = parser.clone();
    }
    parser.finish(&mut sink);
    lines
}

/// The trace is the same whole, byte by byte, with empty pieces between, and cut at every pair of places.
fn check(machine: &str, input: &[u8], trace: &str) {
    let program: Program = parse_program(machine).unwrap_or_else(|e| panic!("{e}"));
    let program = Verified::new(program).unwrap_or_else(|found| panic!("{found:#?}"));
    for plans in [false, true] {
        let start = MachineInterpreter::with_options(
            &program,
            Options { plans, wipe_dead: true, ..Options::default() },
        );
        assert_eq!(play(&start, [input]), trace, "whole, plans: {plans}");
        assert_eq!(play(&start, input.chunks(1)), trace, "byte by byte");
        let with_empty = input.chunks(1).flat_map(|byte| [&byte[..0], byte, &byte[..0]]);
        assert_eq!(play(&start, with_empty), trace, "with empty pieces");
        for i in 0..=input.len() {
            for j in i..=input.len() {
                let pieces = [&input[..i], &input[i..j], &input[j..]];
                assert_eq!(play(&start, pieces), trace, "cut at {i} and {j}");
            }
        }
    }
}

#[test]
fn fields_with_a_length() {
    let machine = include_str!("machine/tlv.vir");
    check(machine, b"\x01\0\0\0\x02ab\x02\0\0\0\x05cd", include_str!("machine/tlv.jsonl"));
}

#[test]
fn a_fence_with_a_handler_inside() {
    let machine = include_str!("machine/fence.vir");
    check(
        machine,
        b"\0\x07\x01\x01a\x02\x03bc\0\x03\x01\x01z\0\0\0\x02\x01\0",
        include_str!("machine/fence.jsonl"),
    );
}

#[test]
fn threads_and_ties() {
    let machine = include_str!("machine/threads.vir");
    check(machine, b"ABC GET A GETX", include_str!("machine/threads.jsonl"));
}

#[test]
fn a_text_that_is_held_back() {
    let machine = include_str!("machine/until.vir");
    check(machine, b"aaabxaab--aaaab-aab", include_str!("machine/until.jsonl"));
}

#[test]
fn a_chain_gives_what_its_states_give() {
    let machine = include_str!("machine/chain.vir");
    check(machine, b"HTTP/1.1\r\nHTTP/2.0\nHTTP/3.X", include_str!("machine/chain.jsonl"));
}

//! How many bytes a second the interpreters take: a stream of HTTP requests, whole and in pieces.
//!
//! `cargo run --release -p vproto --example throughput [DESCRIPTION.vproto [INPUT]]`

use std::io::Write as _;
use std::sync::OnceLock;
use std::time::Instant;
use vproto_front::vproto::{KnownFiles, lower, parse};
use vproto_interp::Interpreter;
use vproto_interp::grammar::GrammarInterpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_source::{File, Files};

/// Requests as browsers send them, until there are `size` bytes.
fn requests(size: usize) -> Vec<u8> {
    let mut stream = Vec::with_capacity(size + 1024);
    for number in 0.. {
        if stream.len() >= size {
            break;
        }
        let _ = write!(
            stream,
            "GET /articles/{number}/index.html?page={} HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: Mozilla/5.0 (X11; \
             Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: text/html,application/xhtml+xml,\
             application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n\
             Cookie: session=8f14e45fceea167a5a36dedd4bea2543; theme=dark\r\nConnection: keep-alive\r\n\r\n",
            number % 7
        );
    }
    stream
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = match arguments.first() {
        Some(path) => std::fs::read_to_string(path).expect("the description can be read"),
        None => include_str!("../../../tests/examples/http1request/http1request.vproto").to_owned(),
    };
    let input = match arguments.get(1) {
        Some(path) => std::fs::read(path).expect("the input can be read"),
        None => requests(16 << 20),
    };
    let mut files = Files::default();
    let root = files.add(File::new("throughput.vproto", text));
    let mut findings = Vec::new();
    let grammar = parse(&mut files, root, &mut KnownFiles, &mut findings).grammar;
    let grammar = grammar.unwrap_or_else(|| panic!("it has errors: {findings:?}"));
    let program = lower::lower(&grammar, &files);
    let optimised = vproto_testkit::verified(&vproto_opt::pipeline::optimise(program.clone()));
    let program = vproto_testkit::verified(&program);
    for piece in [usize::MAX, 1500, 1] {
        measure("as lowered", &input, piece, || MachineInterpreter::new(&program));
        measure("behind all passes", &input, piece, || MachineInterpreter::new(&optimised));
    }
    let plans = Options { plans: true, ..Options::default() };
    measure("by plans", &input, usize::MAX, || MachineInterpreter::with_options(&optimised, plans));
    measure("grammar interpreter", &input[..input.len() / 16], usize::MAX, || {
        GrammarInterpreter::new(&grammar, &files)
    });
}

/// Seconds that this thread has run, where the system tells, so that other work does not count; else seconds on the wall.
fn processor_time() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |n| n / 1e9)
}

/// The best of three runs.
fn measure<I: Interpreter>(name: &str, input: &[u8], piece: usize, new: impl Fn() -> I) {
    let mut best = f64::INFINITY;
    let mut events = 0u64;
    for _ in 0..3 {
        let mut parser = new();
        let mut last = None;
        events = 0;
        let mut sink = |event| {
            events += 1;
            last = Some(event);
        };
        let start = processor_time();
        for bytes in input.chunks(piece.min(input.len().max(1))) {
            parser.parse(bytes, &mut sink);
        }
        best = best.min(processor_time() - start);
        assert!(!parser.ended(), "it stopped early: {last:?}");
    }
    let rate = input.len() as f64 / best / 1e6;
    let size = piece.min(input.len());
    let _ = writeln!(std::io::stdout(), "{rate:8.1} MB/s {name}, in pieces of {size}, {events} events");
}

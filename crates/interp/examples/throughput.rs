//! How many bytes a second the interpreter of the machine takes: a stream of HTTP requests, whole and in pieces.
//!
//! `cargo run --release -p vproto-interp --example throughput [MACHINE.vir [INPUT]]`

use std::io::Write as _;
use std::time::Instant;
use vproto_interp::Interpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_ir::text::parse_program;

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
        Some(path) => std::fs::read_to_string(path).expect("the machine can be read"),
        None => include_str!("http.vir").to_owned(),
    };
    let program = parse_program(&text).expect("the machine is one");
    let input = match arguments.get(1) {
        Some(path) => std::fs::read(path).expect("the input can be read"),
        None => requests(16 << 20),
    };
    let mut out = std::io::stdout().lock();
    for (plans, piece) in [(false, usize::MAX), (false, 1500), (true, 1500), (false, 1)] {
        let options = Options { plans, wipe_dead: None };
        let mut best = f64::INFINITY;
        let mut events = 0u64;
        for _ in 0..3 {
            let mut parser = MachineInterpreter::with_options(&program, options.clone());
            events = 0;
            let mut last = None;
            let mut sink = |event| {
                events += 1;
                last = Some(event);
            };
            let start = Instant::now();
            for bytes in input.chunks(piece.min(input.len())) {
                parser.parse(bytes, &mut sink);
            }
            best = best.min(start.elapsed().as_secs_f64());
            parser.finish(&mut sink);
            assert!(parser.position() == input.len() as u64, "it stopped early: {last:?}");
        }
        let rate = input.len() as f64 / best / 1e6;
        let size = if piece == usize::MAX { input.len() } else { piece };
        let _ = writeln!(out, "{rate:8.1} MB/s in pieces of {size}, plans: {plans}, {events} events");
    }
}

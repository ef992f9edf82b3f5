//! Prints the trace of an input by the law, by the machine as it was lowered and behind all passes:
//! `traces FILE INPUT` with escapes in INPUT.
#[allow(dead_code)]
#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Write;
use vproto_front::vproto::{KnownFiles, parse};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_source::{Diagnostics, File, Files};
use vproto_testkit::trace_of;

fn main() {
    let mut args = std::env::args().skip(1);
    let text = std::fs::read_to_string(args.next().unwrap_or_default()).unwrap_or_default();
    let input = vproto_testkit::case::unescape(&args.next().unwrap_or_default()).unwrap_or_default();
    let mut files = Files::default();
    let root = files.add(File::new("demo.vproto", text.clone()));
    let parsed = parse(&mut files, root, &mut KnownFiles, &mut Diagnostics::default());
    let mut out = std::io::stdout().lock();
    let Some(grammar) = parsed.grammar else { return };
    let mut law = GrammarInterpreter::new(&grammar, &files);
    let lowered = common::lowered_text(&text);
    let all = vproto_opt::optimise(lowered.clone());
    let whole = [input.len()];
    let law = trace_of(&mut law, &input, &whole);
    let before =
        trace_of(common::parser(&vproto_testkit::verified(&lowered), false).as_mut(), &input, &whole);
    let after = trace_of(common::parser(&vproto_testkit::verified(&all), true).as_mut(), &input, &whole);
    for (name, trace) in [("law", law), ("lowered", before), ("passes", after)] {
        let _ = writeln!(out, "{name}\n  {}", trace.join("\n  "));
    }
}

//! What the checker says never runs, never runs: random descriptions with warnings of that sort are played by the
//! interpreter of grammars, and no event may come from a line that was called unreachable.
//!
//! `VPROTO_CLAIMS=20000` tries more descriptions, from `VPROTO_SEED=n` on.

use vproto::{File, FileId, Files, Grammar};
use vproto_front::vproto::KnownFiles;
use vproto_fuzzgen::{Choices, describe, grow, mutate};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_source::code::flow;
use vproto_testkit::trace_of;

const DESCRIPTIONS: u64 = 1500;
const INPUTS: usize = 8;
const SIZE: usize = 48;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn unreachable_lines_make_no_events() {
    let first = number("VPROTO_SEED").unwrap_or(1);
    let tries = number("VPROTO_CLAIMS").unwrap_or(DESCRIPTIONS);
    let (mut claims, mut failures) = (0, Vec::new());
    for seed in first..first + tries {
        let mut choices = Choices::seeded(seed);
        let description = describe(&mut choices);
        let mut files = Files::default();
        for (name, text) in &description.sources {
            files.add(File::new(format!("{name}.vproto"), text.clone()));
        }
        let checked = vproto::check(&mut files, FileId(0), &mut KnownFiles);
        let Some(grammar) = checked.grammar else { continue };
        let lines = unreachable(&checked.diagnostics, &files);
        claims += lines.len();
        if lines.is_empty() {
            continue;
        }
        for _ in 0..INPUTS {
            let grown = grow(&mut choices, &grammar, SIZE);
            let input = if choices.chance(60) { mutate(&mut choices, &grown) } else { grown };
            if let Some(event) = event_from(&grammar, &files, &input, &lines) {
                failures.push(format!("seed {seed}: {event}\n{}", description.sources[0].1));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{} of {claims} claims are wrong", failures.join("\n"), failures.len());
    assert!(claims > 50 || tries < DESCRIPTIONS, "only {claims} claims were tried");
}

/// Lines of the root file that never run, as the checker says. Those with a label can be entered elsewhere.
fn unreachable(diagnostics: &[vproto::Diagnostic], files: &Files) -> Vec<u32> {
    let codes =
        [flow::UNREACHABLE_ALTERNATIVE, flow::LOST_LITERAL, flow::IDLE_CATCH, flow::UNREACHABLE_TOKENS];
    let of_root = diagnostics.iter().filter(|d| d.primary.span.file == FileId(0) && codes.contains(&d.code));
    let lines = of_root.filter_map(|d| {
        let line = files.place(d.primary.span).line;
        // Tokens behind a `return` on its own line: what stands before them does run.
        let same_line = d.code == flow::UNREACHABLE_TOKENS
            && d.secondary.iter().any(|label| files.place(label.span).line == line);
        let labelled = files.get(FileId(0)).line(line).contains("label:");
        (!same_line && !labelled).then_some(line)
    });
    lines.collect()
}

/// An event of the root module from one of the lines.
fn event_from(grammar: &Grammar, files: &Files, input: &[u8], lines: &[u32]) -> Option<String> {
    let mut parser = GrammarInterpreter::new(grammar, files);
    let trace = trace_of(&mut parser, input, &[input.len()]);
    trace.into_iter().find(|event| {
        let own = !event.contains("\"module\":")
            && !event.contains("\"file\":")
            && !event.contains("\"event\":\"error\"");
        own && lines.iter().any(|line| event.contains(&format!("\"line\":{line},")))
    })
}

//! Playing a case on an interpreter.

use crate::case::Case;
use vproto_interp::Interpreter;

/// A run whose events were not those expected.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The case.
    pub case: String,
    /// The fragments of the run.
    pub fragments: Vec<usize>,
    /// The first line that differs, from 1.
    pub line: usize,
    /// The line expected; none where the trace should have ended.
    pub expected: Option<String>,
    /// The line that came; none where the trace ended.
    pub actual: Option<String>,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |line: &Option<String>| line.clone().unwrap_or_else(|| "(nothing)".to_owned());
        let fragments = match self.fragments.len() {
            0..=12 => format!("{:?}", self.fragments),
            n => format!("{n} fragments, the first {:?}", &self.fragments[..12]),
        };
        write!(f, "{}, cut {fragments}, line {} of the trace", self.case, self.line)?;
        write!(f, "\n  expected {}\n  came     {}", show(&self.expected), show(&self.actual))
    }
}

/// Events that one byte may cost: far more than any description of the tests makes of it.
const EVENTS_PER_BYTE: usize = 4096;

/// The events of one run as JSON lines.
///
/// # Panics
/// Where a parser goes round without taking bytes, and tells of each round.
pub fn trace_of(parser: &mut dyn Interpreter, input: &[u8], fragments: &[usize]) -> Vec<String> {
    let mut lines = Vec::new();
    let most = EVENTS_PER_BYTE * (input.len() + 1);
    let mut sink = |event: vproto_interp::trace::Event| {
        assert!(lines.len() < most, "the parser does not come to an end: more than {most} events");
        lines.push(event.to_string());
    };
    let mut rest = input;
    for &size in fragments {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        // Each fragment in a block of its own, so that nothing can rely on what lies around it.
        let block = piece.to_vec().into_boxed_slice();
        parser.parse(&block, &mut sink);
    }
    parser.finish(&mut sink);
    lines
}

/// Plays a case with each fragmentation on a fresh parser; the first run that differs.
///
/// # Errors
/// The first run whose events differ, or a variable that cannot be set.
pub fn play<'a, 'p>(
    case: &Case,
    runs: impl IntoIterator<Item = &'a Vec<usize>>,
    mut fresh: impl FnMut() -> Box<dyn Interpreter + 'p>,
) -> Result<(), Mismatch> {
    for fragments in runs {
        let mut parser = fresh();
        for (name, value) in &case.set {
            if let Err(problem) = parser.set(name, value) {
                return Err(differ(case, fragments, 0, None, Some(problem)));
            }
        }
        let actual = trace_of(parser.as_mut(), &case.input, fragments);
        compare(case, fragments, &actual)?;
    }
    Ok(())
}

/// Compares the lines of one run with those of the case.
///
/// # Errors
/// The first line that differs.
pub fn compare(case: &Case, fragments: &[usize], actual: &[String]) -> Result<(), Mismatch> {
    let lines = case.trace.len().max(actual.len());
    let first = (0..lines).find(|&i| case.trace.get(i) != actual.get(i));
    match first {
        None => Ok(()),
        Some(i) => Err(differ(case, fragments, i + 1, case.trace.get(i).cloned(), actual.get(i).cloned())),
    }
}

fn differ(
    case: &Case,
    fragments: &[usize],
    line: usize,
    expected: Option<String>,
    actual: Option<String>,
) -> Mismatch {
    Mismatch { case: case.name.clone(), fragments: fragments.to_vec(), line, expected, actual }
}

//! Smaller descriptions and inputs that still fail.

use crate::Description;

/// Drops lines, tokens and options, and bytes of the input, as long as `fails` stays true.
pub fn shrink(
    mut description: Description,
    mut input: Vec<u8>,
    mut fails: impl FnMut(&Description, &[u8]) -> bool,
) -> (Description, Vec<u8>) {
    loop {
        let mut smaller = false;
        for source in 0..description.sources.len() {
            for cut in [lines as Cut, words as Cut, options as Cut] {
                smaller |= shrink_text(&mut description, source, &input, cut, &mut fails);
            }
        }
        smaller |= shrink_input(&description, &mut input, &mut fails);
        if !smaller {
            return (description, input);
        }
    }
}

/// Ranges of a text that may be dropped.
type Cut = fn(&str) -> Vec<std::ops::Range<usize>>;

fn shrink_text(
    description: &mut Description,
    source: usize,
    input: &[u8],
    cut: Cut,
    fails: &mut impl FnMut(&Description, &[u8]) -> bool,
) -> bool {
    let mut smaller = false;
    let mut at = 0;
    loop {
        let text = description.sources[source].1.clone();
        let ranges = cut(&text);
        let Some(range) = ranges.get(at) else { return smaller };
        let mut tried = description.clone();
        tried.sources[source].1.replace_range(range.clone(), "");
        if fails(&tried, input) {
            *description = tried;
            smaller = true;
        } else {
            at += 1;
        }
    }
}

fn shrink_input(
    description: &Description,
    input: &mut Vec<u8>,
    fails: &mut impl FnMut(&Description, &[u8]) -> bool,
) -> bool {
    let mut smaller = false;
    for size in [16, 4, 1] {
        let mut at = 0;
        while at < input.len() {
            let mut tried = input.clone();
            tried.drain(at..(at + size).min(input.len()));
            if fails(description, &tried) {
                *input = tried;
                smaller = true;
            } else {
                at += size;
            }
        }
    }
    smaller
}

/// Each line with the lines below it; also each line alone.
fn lines(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(text.match_indices('\n').map(|(i, _)| i + 1));
    let depth = |at: usize| text[at..].bytes().take_while(|b| *b == b'\t').count();
    let mut ranges = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let next = |i: usize| starts.get(i).copied().unwrap_or(text.len());
        let mut end = index + 1;
        while end < starts.len()
            && depth(starts[end]) > depth(start)
            && !text[starts[end]..].starts_with('\n')
        {
            end += 1;
        }
        if start < next(end) {
            ranges.push(start..next(end));
        }
        if end > index + 1 {
            ranges.push(start..next(index + 1));
        }
    }
    ranges
}

/// Words with the blank before them.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let blank = matches!(c, ' ' | '\n' | '\t');
        match (start, blank) {
            (None, false) => start = Some(i),
            (Some(from), true) => {
                let begin: usize = if text[..from].ends_with(' ') { from - 1 } else { from };
                let end = if begin == from && c == ' ' { i + 1 } else { i };
                ranges.push(begin..end.min(text.len()));
                start = None;
            }
            _ => {}
        }
    }
    ranges
}

/// What stands between parentheses, braces and `< >`, whole and up to commas; counts behind tokens.
fn options(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    for (open, close) in [('(', ')'), ('{', '}'), ('<', '>')] {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|i| from + i) {
            let end = text[start..].find(close).map_or(text.len(), |i| start + i + 1);
            ranges.push(start..end);
            let inner = &text[start + 1..end.max(start + 2).min(text.len()) - 1];
            let mut at = start + 1;
            for piece in inner.split(", ") {
                let after = (at + piece.len() + 2).min(end - 1);
                ranges.push(at..after);
                if at > start + 1 {
                    ranges.push(at - 2..at + piece.len());
                }
                at += piece.len() + 2;
            }
            from = start + 1;
        }
    }
    ranges.extend(text.match_indices(['?', '*', '+', '\\']).map(|(i, m)| i..i + m.len()));
    ranges.retain(|r| r.start < r.end && text.is_char_boundary(r.start) && text.is_char_boundary(r.end));
    ranges
}

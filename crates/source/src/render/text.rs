//! Diagnostics as text: the source line underlined, code, labels, help.
//!
//! The only place that knows the crate `annotate-snippets`.

use crate::{Diagnostic, File, Files, Label, Severity, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// How the text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Terminal colours.
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 140 }
    }
}

/// Lines longer than this are not shown; their place is named instead.
const LONGEST_LINE: usize = 2000;
/// A place of more lines than this is underlined in its first line only.
const MOST_LINES: u32 = 6;

/// All diagnostics, an empty line behind each.
pub fn text(files: &Files, diagnostics: &[Diagnostic], style: Style) -> String {
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&one(files, diagnostic, &renderer));
        out.push_str("\n\n");
    }
    out
}

/// `2 errors, 1 warning`; empty where there is nothing to tell.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let of = |severity: Severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{n} {what}s")),
    };
    let parts = [
        count(of(Severity::Error), "error"),
        count(of(Severity::Warning), "warning"),
        count(of(Severity::Note), "note"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn one(files: &Files, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.title.as_str()).id(diagnostic.code.0));
    let mut file_ids = vec![diagnostic.primary.span.file];
    for label in &diagnostic.secondary {
        if !file_ids.contains(&label.span.file) {
            file_ids.push(label.span.file);
        }
    }
    for file in file_ids {
        let labels = std::iter::once((AnnotationKind::Primary, &diagnostic.primary));
        let labels = labels.chain(diagnostic.secondary.iter().map(|l| (AnnotationKind::Context, l)));
        let labels: Vec<_> = labels.filter(|(_, l)| l.span.file == file).collect();
        group = add_file(group, files.get(file), &labels);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The excerpt of one file that holds its labels.
fn add_file<'a>(group: Group<'a>, file: &'a File, labels: &[(AnnotationKind, &'a Label)]) -> Group<'a> {
    let ranges: Vec<Range<usize>> = labels.iter().map(|(_, label)| shown(file, label.span)).collect();
    let start = ranges.iter().map(|r| r.start).min().unwrap_or(0);
    let end = ranges.iter().map(|r| r.end).max().unwrap_or(0);
    let start = file.text[..start].rfind('\n').map_or(0, |i| i + 1);
    let end = file.text[end..].find('\n').map_or(file.text.len(), |i| end + i);
    let excerpt = &file.text[start..end];
    if excerpt.split('\n').any(|line| line.len() > LONGEST_LINE) {
        return labels.iter().fold(group, |group, (_, label)| add_place(group, file, label));
    }
    let annotations = labels.iter().zip(&ranges).map(|((kind, label), range)| {
        let annotation = kind.span(range.start - start..range.end - start);
        if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
    });
    let first = file.place(u32::try_from(start).unwrap_or(u32::MAX)).line as usize;
    group
        .element(Snippet::source(excerpt).path(file.name.as_str()).line_start(first).annotations(annotations))
}

/// A label without its source.
fn add_place<'a>(group: Group<'a>, file: &'a File, label: &'a Label) -> Group<'a> {
    let place = file.place(label.span.start);
    let origin =
        Origin::path(file.name.as_str()).line(place.line as usize).char_column(place.column as usize);
    let group = group.element(origin);
    if label.text.is_empty() { group } else { group.element(Level::NOTE.message(label.text.as_str())) }
}

/// The part of a span that is underlined: inside of the text, on character boundaries, not too many lines.
fn shown(file: &File, span: Span) -> Range<usize> {
    let text = &file.text;
    let down = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, mut end) = (down(span.start), down(span.end).max(down(span.start)));
    if file.place(span.end).line.saturating_sub(file.place(span.start).line) > MOST_LINES {
        end = text[start..end].find('\n').map_or(end, |i| start + i);
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, FileId};

    fn files(text: &str) -> Files {
        let mut files = Files::default();
        files.add(File::new("demo.vproto", text));
        files
    }

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn shows_code_labels_and_help() {
        let files = files("\"GE\"\n\"GET\" notify:get\n");
        let diagnostic =
            Diagnostic::new(Code("W0301"), "this alternative is never taken", span(5, 10), "begins with `G`")
                .with_label(span(0, 4), "takes every `G`")
                .with_help("put the longer literal first");
        let expected = "\
warning[W0301]: this alternative is never taken
 --> demo.vproto:2:1
  |
1 | \"GE\"
  | ---- takes every `G`
2 | \"GET\" notify:get
  | ^^^^^ begins with `G`
  |
  = help: put the longer literal first

";
        assert_eq!(text(&files, &[diagnostic], Style::default()), expected);
    }

    #[test]
    fn survives_spans_that_are_nowhere() {
        let files = files("ä\n");
        for (start, end) in [(0, 1), (1, 2), (9, 99), (3, 3)] {
            let diagnostic = Diagnostic::new(Code("E0001"), "t", span(start, end), "l");
            assert!(text(&files, &[diagnostic], Style::default()).starts_with("error[E0001]: t\n"));
        }
    }

    #[test]
    fn names_the_place_in_an_endless_line() {
        let files = files(&"x".repeat(1 << 20));
        let diagnostic = Diagnostic::new(Code("E0001"), "t", span(70_000, 70_001), "here");
        let shown = text(&files, &[diagnostic], Style::default());
        assert_eq!(shown, "error[E0001]: t\n--> demo.vproto:1:70001\n = note: here\n\n");
    }

    #[test]
    fn colours_only_on_demand() {
        let files = files("x\n");
        let diagnostic = [Diagnostic::new(Code("E0001"), "t", span(0, 1), "l")];
        assert!(text(&files, &diagnostic, Style { colour: true, width: 80 }).contains("\u{1b}["));
        assert!(!text(&files, &diagnostic, Style::default()).contains('\u{1b}'));
    }

    #[test]
    fn counts_findings() {
        let error = Diagnostic::new(Code("E0001"), "t", span(0, 0), "");
        let warning = Diagnostic::new(Code("W0301"), "t", span(0, 0), "");
        assert_eq!(summary(&[error.clone(), warning, error]), "2 errors, 1 warning");
        assert_eq!(summary(&[]), "");
    }
}

//! Diagnostics as JSON Lines: one object a finding.

use super::places;
use crate::{Diagnostic, Files, Label, Severity};
use serde::Serialize;

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: &'static str,
    title: &'a str,
    #[serde(flatten)]
    place: Where<'a>,
    labels: Vec<Where<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// A place: lines and columns from 1, columns in characters, the end exclusive; offsets in bytes from 0.
#[derive(Serialize)]
struct Where<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    start: u32,
    end: u32,
    label: &'a str,
}

/// All diagnostics, one JSON object a line.
pub fn json(files: &Files, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let finding = Finding {
            code: diagnostic.code.0,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            title: &diagnostic.title,
            place: place(files, &diagnostic.primary),
            labels: diagnostic.secondary.iter().map(|label| place(files, label)).collect(),
            help: diagnostic.help.as_deref(),
        };
        out.push_str(&serde_json::to_string(&finding).expect("strings and numbers always serialize"));
        out.push('\n');
    }
    out
}

fn place<'a>(files: &'a Files, label: &'a Label) -> Where<'a> {
    let (from, to) = places(files, label.span);
    Where {
        file: &files.get(label.span.file).name,
        line: from.line,
        column: from.column,
        end_line: to.line,
        end_column: to.column,
        start: label.span.start,
        end: label.span.end,
        label: &label.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, File, FileId, Span};

    #[test]
    fn one_object_a_line() {
        let mut files = Files::default();
        files.add(File::new("a\"b.vproto", "x\ny z\n"));
        let span = |start, end| Span::new(FileId(0), start, end);
        let found = Diagnostic::new(Code("E0001"), "bad", span(2, 3), "y").with_label(span(4, 5), "z");
        let expected = concat!(
            r#"{"code":"E0001","severity":"error","title":"bad","file":"a\"b.vproto","line":2,"column":1,"#,
            r#""end_line":2,"end_column":2,"start":2,"end":3,"label":"y","labels":[{"file":"a\"b.vproto","line":2,"#,
            r#""column":3,"end_line":2,"end_column":4,"start":4,"end":5,"label":"z"}]}"#,
            "\n"
        );
        assert_eq!(json(&files, std::slice::from_ref(&found)), expected);
        assert_eq!(
            json(&files, &[found.with_help("h"), Diagnostic::new(Code("W0301"), "t", span(0, 0), "")])
                .lines()
                .count(),
            2
        );
    }
}

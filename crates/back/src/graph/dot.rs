//! The picture for Graphviz.

use super::model::{Picture, PillKind, Row, picture};
use std::fmt::Write;
use vproto_ir::grammar::Grammar;
use vproto_source::Files;

/// A Graphviz document.
pub fn dot(grammar: &Grammar, files: &Files) -> String {
    let picture = picture(grammar, files);
    let mut out =
        String::from("digraph vproto {\n  rankdir=LR;\n  node [shape=plain, fontname=monospace];\n");
    for (i, row) in picture.rows.iter().enumerate() {
        let _ = writeln!(out, "  r{i} [label={}];", label(row));
    }
    arrows(&picture, &mut out);
    out.push_str("}\n");
    out
}

fn label(row: &Row) -> String {
    if let Some(heading) = &row.heading {
        let name = if heading.is_empty() { "●" } else { heading };
        return format!("<<b>{}</b>>", escape(name));
    }
    let handler = row.handler.map(|h| format!("<td bgcolor=\"#f3c6c0\">{h}</td>")).unwrap_or_default();
    let cells: String = row
        .pills
        .iter()
        .map(|p| format!("<td bgcolor=\"{}\">{}</td>", colour(p.kind), escape(&p.text)))
        .collect();
    format!("<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr>{handler}{cells}</tr></table>>")
}

fn arrows(picture: &Picture, out: &mut String) {
    for fork in &picture.forks {
        for line in &fork.lines {
            let _ = writeln!(out, "  r{} -> r{line};", fork.parent);
        }
    }
    for (i, row) in picture.rows.iter().enumerate() {
        if let Some(fork) = row.returns {
            let to = picture.forks[fork].parent;
            let _ = writeln!(out, "  r{i} -> r{to} [style=dashed, constraint=false];");
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Colours of the pills, the same in every form.
pub(super) fn colour(kind: PillKind) -> &'static str {
    match kind {
        PillKind::Bytes => "#dbe7f6",
        PillKind::Capture => "#cdeccf",
        PillKind::Event => "#fbe3b3",
        PillKind::Code => "#e6dcf5",
        PillKind::Flow => "#e4e6e8",
    }
}

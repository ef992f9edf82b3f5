//! The picture for Mermaid, as Markdown viewers draw it.

use super::model::picture;
use std::fmt::Write;
use vproto_ir::grammar::Grammar;
use vproto_source::Files;

/// A Mermaid flowchart.
pub fn mermaid(grammar: &Grammar, files: &Files) -> String {
    let picture = picture(grammar, files);
    let mut out = String::from("flowchart LR\n");
    for (i, row) in picture.rows.iter().enumerate() {
        match &row.heading {
            Some(heading) => {
                let name = if heading.is_empty() { " " } else { heading };
                let _ = writeln!(out, "  r{i}((\"{}\"))", escape(name));
            }
            None => {
                let words: Vec<&str> =
                    row.handler.into_iter().chain(row.pills.iter().map(|p| p.text.as_str())).collect();
                let _ = writeln!(out, "  r{i}[\"{}\"]", escape(&words.join("  ")));
            }
        }
    }
    for fork in &picture.forks {
        for line in &fork.lines {
            let _ = writeln!(out, "  r{} --> r{line}", fork.parent);
        }
    }
    for (i, row) in picture.rows.iter().enumerate() {
        if let Some(fork) = row.returns {
            let _ = writeln!(out, "  r{i} -.-> r{}", picture.forks[fork].parent);
        }
    }
    out
}

/// Mermaid's entity codes: `#` and a number or name, then `;`.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '#' | '<' | '>' | '&' | '[' | ']' | '{' | '}' | '|' | '\\' | '`' => {
                let _ = write!(out, "#{};", c as u32);
            }
            _ => out.push(c),
        }
    }
    out
}

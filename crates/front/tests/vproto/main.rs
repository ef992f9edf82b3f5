//! The front-end of vproto descriptions: what texts mean, what is said of wrong ones, and that none does harm.

mod examples;
mod findings;
mod format;
mod fuzz;
mod grammar;
mod portable;
mod trees;

use vproto_front::vproto::{KnownFiles, Parsed, parse};
use vproto_ir::grammar::{Grammar, Module, TokenKind};
use vproto_source::{Diagnostics, File, FileId, Files};

/// Parses the first of some files; the others are there to be imported and included.
pub fn parse_files(texts: &[(&str, &str)]) -> (Parsed, Files, Diagnostics) {
    let (mut files, mut out) = (Files::default(), Diagnostics::new());
    for (name, text) in texts {
        files.add(File::new(*name, *text));
    }
    let parsed = parse(&mut files, FileId(0), &mut KnownFiles, &mut out);
    (parsed, files, out)
}

/// The findings of some files as `line:column code`, with the file where it is not the first.
pub fn findings_of(texts: &[(&str, &str)]) -> Vec<String> {
    let (_, files, out) = parse_files(texts);
    let one = |d: &vproto_source::Diagnostic| {
        let place = files.place(d.primary.span);
        let file = match d.primary.span.file {
            FileId(0) => String::new(),
            other => format!("{}:", files.get(other).name),
        };
        format!("{file}{}:{} {}", place.line, place.column, d.code.0)
    };
    out.iter().map(one).collect()
}

/// The findings of one text.
pub fn findings(text: &str) -> Vec<String> {
    findings_of(&[("test.vproto", text)])
}

/// The grammar of a text that must be right.
#[track_caller]
pub fn grammar(text: &str) -> Grammar {
    grammar_of(&[("test.vproto", text)])
}

/// The grammar of files that must be right.
#[track_caller]
pub fn grammar_of(texts: &[(&str, &str)]) -> Grammar {
    let (parsed, _, out) = parse_files(texts);
    parsed.grammar.unwrap_or_else(|| panic!("no grammar: {out:#?}"))
}

/// The root module of a text that must be right.
#[track_caller]
pub fn module(text: &str) -> Module {
    let grammar = grammar(text);
    grammar.modules[grammar.root].clone()
}

/// The kinds of all tokens of a text that must be right, in the order written.
#[track_caller]
pub fn kinds(text: &str) -> Vec<TokenKind> {
    module(text).tokens.rows().iter().map(|t| t.kind.clone()).collect()
}

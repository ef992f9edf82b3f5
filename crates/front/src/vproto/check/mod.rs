//! The checker: what is wrong or doubtful in a description whose names and types are right.
//!
//! One file a family of findings. Every check reads the grammar and its static [`Facts`] and appends diagnostics; none
//! depends on another's findings. Errors are descriptions that can never do what they say; all else is a warning, and
//! where a check cannot be sure it is silent: what it reports is to be worth reading.

mod alternatives;
mod backslash;
mod calls;
mod captures;
mod cycles;
mod handlers;
mod labels;
mod names;
mod parallel;
mod product;
mod progress;
mod reach;
mod stuck;

use reach::Reach;
use vproto_ir::facts::Facts;
use vproto_ir::grammar::{Grammar, LineRole, Module, TokenKind};
use vproto_ir::ids::{BranchingId, Id, LineId, TokenId};
use vproto_ir::portable::{CodeKind, Stmt};
use vproto_source::{Diagnostics, Files, Span};

/// Findings of one module that are told; a description with more is no help to anyone.
const MOST_FINDINGS: usize = 1000;

/// Checks all modules of a program and appends what is found, in the order of the text.
pub fn check(grammar: &Grammar, files: &Files, out: &mut Diagnostics) {
    let elsewhere = names::read_elsewhere(grammar);
    for (id, module) in grammar.modules.iter() {
        let mut found = check_module(module, files, &elsewhere[id.index()]);
        found.sort_by_key(|d| (d.primary.span.file, d.primary.span.start, d.code));
        found.truncate(MOST_FINDINGS);
        out.append(&mut found);
    }
}

/// `elsewhere` tells of each variable whether another module reads or sets it.
fn check_module(module: &Module, files: &Files, elsewhere: &[bool]) -> Diagnostics {
    let mut out = Diagnostics::new();
    if module.trees.is_empty() {
        return out;
    }
    let cx = Context { module, files, facts: Facts::of(module), reach: Reach::of(module) };
    labels::check(&cx, &mut out);
    names::check(&cx, elsewhere, &mut out);
    alternatives::check(&cx, &mut out);
    parallel::check(&cx, &mut out);
    captures::check(&cx, &mut out);
    handlers::check(&cx, &mut out);
    backslash::check(&cx, &mut out);
    calls::check(&cx, &mut out);
    cycles::check(&cx, &mut out);
    progress::check(&cx, &mut out);
    stuck::check(&cx, &mut out);
    out
}

/// How the search for a handler of an exception ends in its tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    /// At this `catch:` line.
    Caught(LineId),
    /// At this branching, which is no home and whose parent line has no `\`: the exception is not caught.
    Ends(BranchingId),
    /// At the depth-0 branching: the call ends, if one is open.
    Leaves,
}

/// What every check reads.
struct Context<'a> {
    module: &'a Module,
    files: &'a Files,
    facts: Facts,
    reach: Reach,
}

impl<'a> Context<'a> {
    fn kind(&self, token: TokenId) -> &'a TokenKind {
        &self.module.tokens[token].kind
    }

    fn span(&self, token: TokenId) -> Span {
        self.module.tokens[token].span
    }

    /// The place of an alternative: its first token that is not a label, else the line.
    fn head_span(&self, line: LineId) -> Span {
        self.module.first_token(line).map_or(self.module.lines[line].span, |t| self.span(t))
    }

    /// The text of a token, cut where it is long.
    fn text(&self, token: TokenId) -> String {
        let text = self.files.text(self.span(token));
        match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_string(),
        }
    }

    /// The handler of exceptions in the lines of a branching: the `catch:` line that runs, if one of this tree does.
    /// `inside` tells that the exception is in a handler line, which never looks to itself.
    fn handler(&self, branching: BranchingId, inside: bool) -> Option<LineId> {
        match self.search(branching, inside, &|_| false) {
            Search::Caught(catch) => Some(catch),
            Search::Ends(_) | Search::Leaves => None,
        }
    }

    /// How the search for a handler ends. Parent lines of branchings that are `open` are taken to end in `\`.
    fn search(
        &self,
        mut branching: BranchingId,
        mut inside: bool,
        open: &dyn Fn(BranchingId) -> bool,
    ) -> Search {
        loop {
            let row = &self.module.branchings[branching];
            if let (Some(catch), false) = (row.catch, inside) {
                return Search::Caught(catch);
            }
            let Some(parent) = row.parent.map(|p| &self.module.lines[p]) else { return Search::Leaves };
            if !parent.continues && !row.home && !open(branching) {
                return Search::Ends(branching);
            }
            branching = parent.branching;
            inside = parent.role != LineRole::Alternative;
        }
    }

    /// The handler of exceptions in a line.
    fn line_handler(&self, line: LineId) -> Option<LineId> {
        let row = &self.module.lines[line];
        self.handler(row.branching, row.role != LineRole::Alternative)
    }

    /// Whether a condition or block is true whatever happens: a block of portable code without a `return` of a value.
    fn always_true(&self, token: TokenId) -> bool {
        let TokenKind::Code(code) = self.kind(token) else { return false };
        match &self.module.symbols.codes[*code].kind {
            CodeKind::Block(statements) => !returns_value(statements),
            CodeKind::Condition(_) | CodeKind::Opaque { .. } => false,
        }
    }

    /// Lines of a branching: alternatives and handlers.
    fn lines_of(&self, branching: BranchingId) -> impl Iterator<Item = LineId> + use<'a> {
        let row = &self.module.branchings[branching];
        row.alternatives.iter().copied().chain(row.catch).chain(row.finish)
    }

    /// The branching that a leaf line goes back to.
    fn loop_target(&self, line: LineId) -> BranchingId {
        let mut branching = self.module.lines[line].branching;
        while let Some(parent) = self.module.branchings[branching].parent {
            if !self.module.lines[parent].continues {
                break;
            }
            branching = self.module.lines[parent].branching;
        }
        branching
    }
}

/// Whether a block may end by `return e;`. Nesting is bounded by the parser.
fn returns_value(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Return(value) => value.is_some(),
        Stmt::If(_, then, other) => returns_value(then) || returns_value(other),
        _ => false,
    })
}

/// A byte as messages show it.
fn byte_name(byte: u8) -> String {
    match byte {
        b'\t' => "`\\t`".into(),
        b'\n' => "`\\n`".into(),
        b'\r' => "`\\r`".into(),
        b'`' => "'`'".into(),
        0x20..=0x7e => format!("`{}`", char::from(byte)),
        _ => format!("0x{byte:02x}"),
    }
}

/// Bytes as a literal of the language.
fn literal_name(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

//! From a place that an event names back to the description: its line, and the conditions that stand there.

use vproto_interp::trace::At;
use vproto_ir::grammar::{Bound, Counts, Grammar, Max, Min, Module, Scan, TokenKind};
use vproto_ir::ids::{BranchingId, LineId, TokenId};
use vproto_ir::portable::{CodeKind, Expr};
use vproto_source::{FileId, Files};

/// An expression that was evaluated at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// As it is written.
    pub text: String,
    /// The names of the variables that it reads, each once.
    pub variables: Vec<String>,
}

/// A place in a description, as events name it.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    files: &'a Files,
    module: &'a Module,
    file: FileId,
    line: u32,
    column: u32,
}

impl<'a> Located<'a> {
    /// Finds the place that an event of a module names; none where there is no such module or file.
    pub fn find(
        grammar: &'a Grammar,
        files: &'a Files,
        module: Option<&str>,
        at: &At,
        column: u32,
    ) -> Option<Located<'a>> {
        let module = match module {
            None => &grammar.modules[grammar.root],
            Some(name) => grammar.modules.rows().iter().find(|m| m.name == name)?,
        };
        let file = match &at.file {
            None => module.file,
            Some(name) => module.lines.rows().iter().map(|l| l.span.file).find(|&f| {
                let shown = &files.get(f).name;
                shown.rsplit(['/', '\\']).next() == Some(name.as_str())
            })?,
        };
        Some(Located { files, module, file, line: at.line, column })
    }

    /// The text of the line.
    pub fn text(&self) -> &'a str {
        let text = &self.files.get(self.file).text;
        text.lines().nth(self.line.saturating_sub(1) as usize).unwrap_or("")
    }

    /// The conditions, bounds and options that are evaluated there: those of the token; where it begins a branching that
    /// only asks conditions, those of all its alternatives.
    pub fn asked(&self) -> Vec<Asked> {
        let here = |&id: &TokenId| {
            let span = self.module.tokens[id].span;
            let place = self.files.place(span);
            span.file == self.file && place.line == self.line && place.column == self.column
        };
        // The outermost token that begins there: one in a `< >` begins behind the `<`.
        let Some(token) = self.module.tokens.ids().find(here) else { return Vec::new() };
        let mut asked = self.of_token(token);
        if let Some(branching) = self.headed_by(token) {
            let others = self.module.branchings[branching].alternatives.iter().skip(1);
            let heads = others.filter_map(|&l: &LineId| self.module.first_token(l));
            asked.extend(heads.filter(|&t| self.is_condition(t)).flat_map(|t| self.of_token(t)));
        }
        asked.retain(|a| !a.variables.is_empty());
        asked
    }

    /// The branching whose first alternative begins with this condition.
    fn headed_by(&self, token: TokenId) -> Option<BranchingId> {
        let first = |id: &BranchingId| {
            let line = self.module.branchings[*id].alternatives.first();
            line.and_then(|&l| self.module.first_token(l)) == Some(token)
        };
        self.module.branchings.ids().find(first).filter(|_| self.is_condition(token))
    }

    fn is_condition(&self, token: TokenId) -> bool {
        matches!(self.module.tokens[token].kind, TokenKind::If(_))
    }

    fn of_token(&self, token: TokenId) -> Vec<Asked> {
        let row = &self.module.tokens[token];
        let symbols = &self.module.symbols;
        let mut found: Vec<&Expr> = row.condition.iter().map(|&e| &symbols.exprs[e]).collect();
        let mut bounds: Vec<Bound> = Vec::new();
        match &row.kind {
            TokenKind::If(code) => {
                if let CodeKind::Condition(expr) = &symbols.codes[*code].kind {
                    found.push(expr);
                }
            }
            TokenKind::Scan(Scan { counts, .. }) => bounds.extend(of_counts(counts)),
            TokenKind::Literal(literal) => bounds.extend(of_counts(&literal.counts)),
            TokenKind::Module(sub) => bounds.extend(of_counts(&sub.counts)),
            TokenKind::Call(call) => bounds.extend(call.max.into_iter().chain(call.times)),
            _ => {}
        }
        found.extend(bounds.into_iter().filter_map(|b| match b {
            Bound::Expr(e) => Some(&symbols.exprs[e]),
            Bound::Fixed(_) => None,
        }));
        found.into_iter().map(|e| self.asked_of(e)).collect()
    }

    fn asked_of(&self, expr: &Expr) -> Asked {
        let mut variables: Vec<String> = Vec::new();
        for var in expr.reads().vars {
            let name = &self.module.symbols.vars[var].name;
            if !variables.contains(name) {
                variables.push(name.clone());
            }
        }
        Asked { text: self.files.text(expr.span).to_owned(), variables }
    }
}

fn of_counts(counts: &Counts) -> impl Iterator<Item = Bound> + use<> {
    let min = match counts.min {
        Min::Expr(e) => Some(Bound::Expr(e)),
        Min::Fixed(_) | Min::Max => None,
    };
    let max = match counts.max {
        Max::Expr(e) => Some(Bound::Expr(e)),
        Max::Fixed(_) | Max::None => None,
    };
    min.into_iter().chain(max)
}

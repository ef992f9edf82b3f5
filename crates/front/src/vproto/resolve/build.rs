//! Lines to the tables of the grammar.

use super::context::Context;
use super::trees::TreeLines;
use crate::vproto::ast::{self, Head, LineKind, Word};
use vproto_ir::grammar::{Branching, Line, LineRole, Module, StatedLimits, Token, TokenKind, Tree};
use vproto_ir::ids::{BranchingId, Id, LineId, Table, TokenId, TreeId};
use vproto_ir::symbols::Symbols;
use vproto_source::code::{layout, names};
use vproto_source::{Diagnostic, FileId, Span};

/// Builds the tables of a module. Names, symbols and labels are added later.
pub struct Builder<'c, 'a> {
    /// What the steps share.
    pub context: &'c mut Context<'a>,
    /// The module so far.
    pub module: Module,
    /// The branching of the line that is being built.
    pub branching: BranchingId,
    /// How many `< >` are open.
    pub inside: u32,
    line: LineId,
    /// The last line of each depth, and the index of its text line.
    open: Vec<(LineId, usize)>,
}

/// Builds all trees but those that declare.
pub fn build(context: &mut Context<'_>, trees: &[TreeLines]) -> Module {
    let module = Module {
        name: String::new(),
        file: FileId::default(),
        trees: Table::new(),
        branchings: Table::new(),
        lines: Table::new(),
        tokens: Table::new(),
        labels: Table::new(),
        symbols: Symbols::default(),
        heads: Vec::new(),
        output: None,
        docs: Vec::new(),
        stated: StatedLimits::default(),
    };
    let mut builder = Builder {
        context,
        module,
        branching: BranchingId::from_index(0),
        inside: 0,
        line: LineId::from_index(0),
        open: Vec::new(),
    };
    let lines = std::mem::take(&mut builder.context.lines);
    for tree in trees {
        if tree.declares {
            // Only for the findings: a declaration makes no token.
            tree.lines.iter().flat_map(|&i| lines[i].tokens()).for_each(|t| drop(builder.kind(t)));
            continue;
        }
        builder.tree(tree, &lines);
    }
    let module = builder.module;
    context.lines = lines;
    module
}

impl Builder<'_, '_> {
    fn tree(&mut self, tree: &TreeLines, lines: &[super::flatten::FlatLine]) {
        let id = self.module.trees.next_id();
        let first_branching = self.module.branchings.len();
        let root = self.add_branching(id, None, 0);
        self.module.trees.push(Tree { branching: root });
        self.open.clear();
        for &index in &tree.lines {
            let flat = &lines[index];
            let LineKind::Tokens { tokens, continues } = &flat.line().kind else { continue };
            let depth = flat.depth as usize;
            self.open.truncate(depth);
            self.branching = match self.open.last() {
                Some(&(parent, _)) => self.children(id, parent),
                None => root,
            };
            self.add_line(index, tokens, *continues, flat.line().span);
        }
        self.end_of_tree(first_branching, lines, tree);
    }

    fn add_branching(&mut self, tree: TreeId, parent: Option<LineId>, depth: u32) -> BranchingId {
        self.module.branchings.push(Branching {
            tree,
            parent,
            depth,
            alternatives: Vec::new(),
            catch: None,
            finish: None,
            home: depth == 0,
        })
    }

    fn children(&mut self, tree: TreeId, parent: LineId) -> BranchingId {
        if let Some(children) = self.module.lines[parent].children {
            return children;
        }
        let depth = self.module.branchings[self.module.lines[parent].branching].depth + 1;
        let children = self.add_branching(tree, Some(parent), depth);
        self.module.lines[parent].children = Some(children);
        children
    }

    fn add_line(&mut self, index: usize, tokens: &[ast::Token], continues: Option<Span>, span: Span) {
        let first = tokens.first();
        let role = match first.map(|t| &t.head) {
            Some(Head::Word(Word::Catch)) => LineRole::Catch,
            Some(Head::Word(Word::Finish)) => LineRole::Finish,
            _ => LineRole::Alternative,
        };
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => span,
        };
        let line = Line {
            branching: self.branching,
            tokens: Vec::new(),
            continues: continues.is_some(),
            children: None,
            role,
            span,
        };
        self.line = self.module.lines.push(line);
        self.open.push((self.line, index));
        self.join(role, first.map_or(span, |t| t.head_span));
        for token in tokens {
            if let Some(id) = self.token(token) {
                self.module.lines[self.line].tokens.push(id);
            }
        }
    }

    /// Adds the line to its branching.
    fn join(&mut self, role: LineRole, span: Span) {
        let line = self.line;
        let branching = &mut self.module.branchings[self.branching];
        let (slot, word) = match role {
            LineRole::Alternative => return branching.alternatives.push(line),
            LineRole::Catch => (&mut branching.catch, "catch"),
            LineRole::Finish => (&mut branching.finish, "finish"),
        };
        match slot {
            None => *slot = Some(line),
            Some(first) => {
                let first = self.module.lines[*first].span;
                self.context.report(
                    Diagnostic::new(
                        names::DOUBLE_HANDLER,
                        format!("the branching has two `{word}:` lines"),
                        span,
                        "a second one",
                    )
                    .with_label(first, "the first one"),
                );
            }
        }
    }

    /// Resolves a token and adds it to the table.
    pub fn token(&mut self, token: &ast::Token) -> Option<TokenId> {
        let (kind, condition) = self.kind(token)?;
        let index = self.module.lines[self.line].tokens.len() as u32;
        if let TokenKind::Label(label) = &kind {
            self.context.labels[label.0 as usize].place = Some((self.line, index));
        }
        Some(self.module.tokens.push(Token { kind, condition, span: token.span }))
    }

    /// What a tree shows when all its lines are there.
    fn end_of_tree(&mut self, first_branching: usize, lines: &[super::flatten::FlatLine], tree: &TreeLines) {
        let first_line = self.module.lines.len() - tree.lines.len();
        for (offset, &index) in tree.lines.iter().enumerate() {
            let line = LineId::from_index(first_line + offset);
            let LineKind::Tokens { continues: Some(backslash), .. } = &lines[index].line().kind else {
                continue;
            };
            if self.module.lines[line].children.is_none() {
                self.context.report(
                    Diagnostic::new(
                        layout::BACKSLASH_WITHOUT_CHILDREN,
                        "`\\` without lines below",
                        *backslash,
                        "no line one level deeper follows",
                    )
                    .with_help("remove the `\\`, or indent the lines that belong to it"),
                );
            }
        }
        for index in first_branching..self.module.branchings.len() {
            self.only_handlers(BranchingId::from_index(index));
        }
    }

    fn only_handlers(&mut self, id: BranchingId) {
        let branching = &self.module.branchings[id];
        if let (true, Some(catch), None) =
            (branching.alternatives.is_empty(), branching.catch, branching.finish)
        {
            let span = self.module.lines[catch].span;
            self.context.report(
                Diagnostic::new(
                    names::ONLY_HANDLERS,
                    "a branching of `catch:` alone",
                    span,
                    "nothing stands beside it that could fail",
                )
                .with_help("add an alternative of the same depth"),
            );
        }
    }
}

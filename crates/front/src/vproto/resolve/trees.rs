//! Lines to trees: blank lines, labels that are called, declarations.

use super::context::{Context, LabelInfo};
use super::each_token;
use super::flatten::FlatLine;
use super::sinks::{Sink, sink};
use crate::vproto::ast::{Head, LineKind, Token, Word};
use rustc_hash::FxHashSet;
use vproto_source::Diagnostic;
use vproto_source::code::{layout, names};

/// The lines of one tree.
#[derive(Clone, Debug, Default)]
pub struct TreeLines {
    /// Indices of its lines with tokens.
    pub lines: Vec<usize>,
    /// Whether it declares variables and parses nothing.
    pub declares: bool,
}

/// Finds the labels, then the trees. There is at least one tree unless the description has no tokens.
pub fn find(context: &mut Context<'_>) -> Vec<TreeLines> {
    let called = collect_labels(context);
    let mut trees: Vec<TreeLines> = Vec::new();
    let mut blank = false;
    for (index, flat) in context.lines.iter().enumerate() {
        if flat.is_blank() {
            blank = true;
        } else if flat.has_tokens() {
            let starts = flat.depth == 0 && (blank || starts_with_called(flat, &called));
            if starts || trees.is_empty() {
                trees.push(TreeLines::default());
            }
            trees.last_mut().expect("one was pushed").lines.push(index);
            blank = false;
        }
    }
    for tree in trees.iter_mut().skip(1) {
        tree.declares = declares(context, tree);
    }
    check_depths(context, &trees);
    if trees.is_empty() {
        empty_description(context);
    }
    trees
}

/// Collects labels and reports double ones; returns the names that some `call:` uses.
fn collect_labels(context: &mut Context<'_>) -> FxHashSet<String> {
    let mut called = FxHashSet::default();
    let mut used = FxHashSet::default();
    let mut double = Vec::new();
    let lines = std::mem::take(&mut context.lines);
    for token in lines.iter().flat_map(FlatLine::tokens) {
        each_token(token, &mut |token| {
            let Some(name) = token.names().next() else { return };
            if token.is(Word::Label) {
                if let Some(first) = context.labels.get(&name.text) {
                    double.push((name.clone(), first.name.span));
                    return;
                }
                let info = LabelInfo { name: name.clone(), place: None, used: false };
                context.labels.insert(name.text.clone(), info);
            } else if token.is(Word::Call) {
                called.insert(name.text.clone());
                used.insert(name.text.clone());
            } else if token.is(Word::Jump) {
                used.insert(name.text.clone());
            }
        });
    }
    context.lines = lines;
    for (name, first) in double {
        context.report(
            Diagnostic::new(
                names::DOUBLE_LABEL,
                format!("label `{}` is defined twice", name.text),
                name.span,
                "a second label of this name",
            )
            .with_label(first, "the first one"),
        );
    }
    for (name, info) in &mut context.labels {
        info.used = used.contains(name);
    }
    called
}

fn starts_with_called(flat: &FlatLine, called: &FxHashSet<String>) -> bool {
    let first = flat.tokens().first();
    first
        .filter(|t| t.is(Word::Label))
        .and_then(|t| t.names().next())
        .is_some_and(|n| called.contains(&n.text))
}

/// Whether all lines of a tree are lone typed tokens.
fn declares(context: &Context<'_>, tree: &TreeLines) -> bool {
    tree.lines.iter().all(|&index| {
        let flat = &context.lines[index];
        let LineKind::Tokens { tokens, continues: None } = &flat.line().kind else { return false };
        flat.depth == 0 && tokens.len() == 1 && declares_variable(&tokens[0])
    })
}

/// Whether a token names a variable with its type: what stands alone in a declarations tree.
pub fn declares_variable(token: &Token) -> bool {
    match &token.head {
        Head::Enum(_) => token.last_name().is_some(),
        Head::Word(_) | Head::Set(_) => matches!(sink(token), Ok(Sink::Store(..))),
        _ => false,
    }
}

/// Included files can make jumps that no single file shows.
fn check_depths(context: &mut Context<'_>, trees: &[TreeLines]) {
    let mut last: Option<u32> = None;
    for &index in trees.iter().flat_map(|t| &t.lines) {
        let flat = &context.lines[index];
        let most = last.map_or(0, |d| d + 1).min(crate::vproto::layout::MAX_DEPTH);
        if flat.depth > most {
            let span = flat.line().indent;
            let depth = flat.depth;
            context.lines[index].depth = most;
            context.report(Diagnostic::new(
                layout::DEPTH_JUMP,
                "the indentation jumps by more than one level",
                span,
                format!("depth {depth} in the module, but at most {most} is possible here"),
            ));
        }
        last = Some(context.lines[index].depth);
    }
}

fn empty_description(context: &mut Context<'_>) {
    let file = context.lines.first().map(|l| l.ast.file).unwrap_or_default();
    let span = vproto_source::Span::new(file, 0, 0);
    context.report(
        Diagnostic::new(names::EMPTY_DESCRIPTION, "the description is empty", span, "no line has a token")
            .with_help("a description that takes everything is `data:all`"),
    );
}

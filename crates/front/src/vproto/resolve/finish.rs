//! What only the whole module shows: the label table, homes, names with two roles, the depth of calls.

use super::calls::{CallDepth, Entries};
use super::context::Context;
use crate::vproto::ast::Name;
use vproto_ir::grammar::{Label, LineRole, Module, TokenKind};
use vproto_ir::ids::{BranchingId, TokenId};
use vproto_source::code::names;
use vproto_source::{Diagnostic, Span};

/// Completes a module.
pub fn finish(context: &mut Context<'_>, module: &mut Module) {
    module.stated = context.stated;
    labels(context, module);
    homes(module);
    functions(context);
    handlers(context, module);
    if module.labels.len() == context.labels.len() {
        call_depth(context, &Entries::of(module));
    }
    unended(context);
}

/// The label table. A label whose token is broken has no place, and then there is no table: there are errors.
fn labels(context: &mut Context<'_>, module: &mut Module) {
    let placed: Option<Vec<Label>> = context
        .labels
        .values()
        .map(|info| {
            let (line, index) = info.place?;
            Some(Label { name: info.name.text.clone(), line, index })
        })
        .collect();
    module.labels = placed.unwrap_or_default().into_iter().collect();
}

/// Marks the homes of trees besides their depth-0 branchings.
fn homes(module: &mut Module) {
    let silent = |token: &TokenId| {
        matches!(
            module.tokens[*token].kind,
            TokenKind::Label(_)
                | TokenKind::Code(_)
                | TokenKind::If(_)
                | TokenKind::Notify { .. }
                | TokenKind::Begin(_)
                | TokenKind::BeginDigest(..)
                | TokenKind::End(_)
                | TokenKind::EndDigest(_)
                | TokenKind::EndModule(_)
                | TokenKind::EnumInit(_)
        )
    };
    let mut homes: Vec<BranchingId> = Vec::new();
    for (_, line) in module.lines.iter() {
        let top = module.branchings[line.branching].depth == 0 && line.role == LineRole::Alternative;
        if top && !line.tokens.is_empty() && line.tokens.iter().all(silent) {
            homes.extend(line.children);
        }
    }
    for home in homes {
        module.branchings[home].home = true;
    }
}

/// A variable and a user function of one name, and reserved names.
fn functions(context: &mut Context<'_>) {
    let mut clashes = Vec::new();
    let mut reserved = Vec::new();
    for function in context.names.functions() {
        if let Some(var) = context.names.var(&function.name) {
            clashes.push((function.name.clone(), context.names.symbols.vars[var].span, function.span));
        }
        if matches!(function.name.as_str(), "offset" | "left") {
            reserved.push(Name { text: function.name.clone(), span: function.span });
        }
    }
    for (name, var, function) in clashes {
        context.report(
            Diagnostic::new(
                names::NAME_CLASH,
                format!("`{name}` is a variable and a function"),
                function,
                "a function of the user",
            )
            .with_label(var, "the variable")
            .with_help("both are members of the user's class: rename one of them"),
        );
    }
    for name in reserved {
        super::captures::reserved(context, &name);
    }
}

/// A `finish:` line has nothing below it. What stands in it is the checker's business.
fn handlers(context: &mut Context<'_>, module: &Module) {
    for (_, line) in module.lines.iter().filter(|(_, l)| l.role == LineRole::Finish && l.children.is_some()) {
        context.report(
            Diagnostic::new(
                names::BELOW_FINISH,
                "lines below a `finish:` line",
                line.span,
                "the input is over, nothing can branch here",
            )
            .with_help("write the tokens behind `finish:`"),
        );
    }
}

/// The exact depth of calls, where there is one.
fn call_depth(context: &mut Context<'_>, entries: &Entries) {
    let limit = context.names.symbols.limits.calls;
    if let CallDepth::Exactly(depth) = entries.depth() {
        context.names.symbols.limits.calls = depth;
        context.names.symbols.limits.calls_exact = true;
        if let Some(span) = context.calls_limit.filter(|_| depth > limit) {
            context.report(
                Diagnostic::new(
                    names::CALLS_ABOVE_LIMIT,
                    "calls go deeper than the limit",
                    span,
                    format!("{depth} calls are open at once, and they do not recurse"),
                )
                .with_help("where calls do not recurse the stack has exactly the size that they need: remove the limit"),
            );
        }
    }
}

/// Check values that are begun and never stored.
fn unended(context: &mut Context<'_>) {
    let mut open: Vec<(String, Span)> = context
        .digests
        .iter()
        .filter(|(n, _)| !context.ended.contains_key(*n))
        .map(|(n, s)| (n.clone(), *s))
        .collect();
    open.sort_by_key(|(_, span)| *span);
    for (name, span) in open {
        context.report(
            Diagnostic::new(
                names::UNENDED_DIGEST,
                format!("the check value `{name}` is never stored"),
                span,
                "no `end:` has this name",
            )
            .with_help(format!("write `end:{name}` where its bytes end")),
        );
    }
}

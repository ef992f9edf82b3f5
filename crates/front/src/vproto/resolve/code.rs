//! Code blocks and conditions: portable where they are understood, opaque where they are not.

use super::context::Context;
use crate::vproto::ast::Block;
use crate::vproto::portable::{Problem, ProblemKind, parser};
use vproto_ir::ids::CodeId;
use vproto_ir::portable::{Code, CodeKind};
use vproto_source::Diagnostic;
use vproto_source::code::names;

/// Resolves `{ … }`, or with `condition` the braces of `if { … }`.
pub fn code(context: &mut Context<'_>, block: &Block, condition: bool) -> CodeId {
    let text = context.text(block.inner).to_string();
    let kind = match &block.language {
        Some(language) => CodeKind::Opaque { language: Some(language.clone()), condition },
        None => portable(context, block, condition),
    };
    context.names.symbols.codes.push(Code { kind, span: block.span, text })
}

fn portable(context: &mut Context<'_>, block: &Block, condition: bool) -> CodeKind {
    let functions = context.names.function_count();
    let result = context.check(block.inner, |checker, text| match condition {
        true => {
            let node = parser::condition(text, block.inner)?;
            Ok(CodeKind::Condition(checker.portable_scalar(&node)?))
        }
        false => {
            let statements = parser::statements(text, block.inner)?;
            Ok(CodeKind::Block(checker.statements(&statements)?))
        }
    });
    match result {
        Ok(kind) => kind,
        Err(problem) => {
            context.names.forget_functions(functions);
            opaque(context, block, problem, condition);
            CodeKind::Opaque { language: None, condition }
        }
    }
}

/// Says why code is opaque, where that is hardly what was wanted.
fn opaque(context: &mut Context<'_>, block: &Block, problem: Problem, condition: bool) {
    if condition && context.text(block.inner).trim().is_empty() {
        context.report(
            Diagnostic::new(
                names::BAD_EXPRESSION,
                "the condition is empty",
                block.span,
                "a condition was expected",
            )
            .with_help("`{}` alone is the else of a branching"),
        );
        return;
    }
    match problem.kind {
        ProblemKind::Wrong => context.problem(problem),
        // A condition that is portable but for a name is hardly C++: it would change what is parsed.
        ProblemKind::UnknownName if condition => {
            let way_out = format!("if it is C++, write `if {{cpp: {}}}`", context.text(block.inner).trim());
            let help = match &problem.help {
                Some(near) => format!("{near} Else declare it; {way_out}"),
                None => {
                    format!("declare it by a line of its own behind a blank line (`u32:name`); {way_out}")
                }
            };
            context.problem(Problem { help: Some(help), ..problem });
        }
        ProblemKind::UnknownName => {
            let help = match &problem.help {
                Some(near) => format!("{near} If it is C++, begin the block with `cpp:` (`{{cpp: …}}`)"),
                None => "declare it, or begin the block with `cpp:` (`{cpp: …}`) if it is C++".to_owned(),
            };
            let mut diagnostic = Diagnostic::new(
                names::OPAQUE_NAME,
                problem.message,
                problem.span,
                "the description does not know it, so the code is passed to C++ as it is",
            );
            diagnostic.help = Some(help);
            context.report(diagnostic);
        }
        ProblemKind::NotUnderstood | ProblemKind::Consequence => {}
    }
}

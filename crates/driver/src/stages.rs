//! The stages of the compiler, one function each.

use crate::{Diagnostic, Diagnostics, FileId, Files, Grammar, Loader, Program, Verified};
use vproto_front::vproto as front;
use vproto_interp::Interpreter;
use vproto_interp::grammar::GrammarInterpreter;
use vproto_interp::machine::MachineInterpreter;
use vproto_source::Span;
use vproto_source::code::target::{INTERNAL, OPAQUE, SKIPPED_PRINT};

/// What a description was found to be.
#[derive(Debug)]
pub struct Checked {
    /// The grammar; none where there were errors.
    pub grammar: Option<Grammar>,
    /// All findings, in the order of the files and places.
    pub diagnostics: Diagnostics,
}

/// Parses and checks the description `root` and all that it imports through `loader`.
pub fn check(files: &mut Files, root: FileId, loader: &mut dyn Loader) -> Checked {
    let mut diagnostics = Diagnostics::new();
    let mut grammar = front::parse(files, root, loader, &mut diagnostics).grammar;
    if let Some(found) = &grammar {
        front::check::check(found, files, &mut diagnostics);
    }
    if diagnostics.iter().any(crate::Diagnostic::is_error) {
        grammar = None;
    }
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start, d.code));
    diagnostics.dedup();
    Checked { grammar, diagnostics }
}

/// The naive machines of a grammar.
pub fn lower(grammar: &Grammar, files: &Files) -> Program {
    front::lower::lower(grammar, files)
}

/// The machines of a grammar after all passes, verified.
///
/// # Errors
/// See [`verified`].
pub fn compile(grammar: &Grammar, files: &Files) -> Result<Verified<Program>, Box<Diagnostic>> {
    verified(vproto_opt::optimise(lower(grammar, files)))
}

/// A program that the verifier has found good: back-ends and the interpreter of machines take no other.
///
/// # Errors
/// The compiler has made a machine that breaks its own rules: a bug of it, not of the description.
pub fn verified(program: Program) -> Result<Verified<Program>, Box<Diagnostic>> {
    Verified::new(program).map_err(|violations| {
        let more = violations.len().saturating_sub(1);
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        let title = format!("the compiler made a machine that breaks its own rules: {first}");
        let help = "this is a bug of vproto, not of the description: please report the description with this message";
        let found = Diagnostic::new(INTERNAL, title, Span::default(), "made from this description").with_help(help);
        Box::new(match more {
            0 => found,
            _ => found.with_help(format!("{help} ({more} more rules are broken)")),
        })
    })
}

/// The text form of a program.
pub fn print_program(program: &Program) -> String {
    vproto_ir::text::print_program(program)
}

/// The interpreter of machines.
pub fn machine_interpreter(program: &Verified<Program>) -> Box<dyn Interpreter> {
    Box::new(MachineInterpreter::new(program))
}

/// The interpreter of grammars: it defines the meaning, and is slow.
pub fn grammar_interpreter<'g>(grammar: &'g Grammar, files: &'g Files) -> Box<dyn Interpreter + 'g> {
    Box::new(GrammarInterpreter::new(grammar, files))
}

/// What keeps the interpreters from running a grammar: places of code for one target only; and the `printf`s that they skip.
pub fn not_portable(grammar: &Grammar) -> Diagnostics {
    let opaque = vproto_interp::grammar::opaque_places(grammar).into_iter().map(|span| {
        Diagnostic::new(
            OPAQUE,
            "code that only a C++ compiler understands cannot be run here",
            span,
            "opaque",
        )
        .with_help("generate a program: `vproto gen --with-main`; or write it as portable code")
    });
    let skipped = vproto_interp::grammar::skipped_prints(grammar).into_iter().map(|span| {
        Diagnostic::new(SKIPPED_PRINT, "`printf` is skipped here", span, "printed by generated C++ only")
    });
    opaque.chain(skipped).collect()
}

/// The formatted text of a description.
///
/// # Errors
/// The findings that keep it from being formatted.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    front::fmt::format(text)
}

//! Portable code: text to typed expressions and statements of [`vproto_ir::portable`].
//!
//! [`lexer`] and [`parser`] read C's notation into a [`syntax`] tree without knowing any name; [`check`] gives it
//! names and types. Whoever asks decides what becomes of a [`Problem`]: in a bound it is an error, in a code block
//! most problems mean that the block is opaque.

pub mod check;
pub mod fold;
pub mod lexer;
pub mod parser;
pub mod syntax;

use vproto_source::Span;

/// Why a text is no portable code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The sort of problem.
    pub kind: ProblemKind,
    /// The place.
    pub span: Span,
    /// What is wrong there, a phrase.
    pub message: String,
    /// A remedy.
    pub help: Option<String>,
}

/// Sorts of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// It is not in the portable notation; the target's compiler may know it.
    NotUnderstood,
    /// A name that the description does not know; the user's class may.
    UnknownName,
    /// Everything is known, and it is wrong in every language.
    Wrong,
    /// It follows from an error that was reported.
    Consequence,
}

impl Problem {
    /// A text outside of the notation.
    pub fn not_understood(span: Span, message: impl Into<String>) -> Problem {
        Problem { kind: ProblemKind::NotUnderstood, span, message: message.into(), help: None }
    }

    /// A mistake.
    pub fn wrong(span: Span, message: impl Into<String>) -> Problem {
        Problem { kind: ProblemKind::Wrong, span, message: message.into(), help: None }
    }

    /// With a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

//! What the steps of resolving one module share.

use super::flatten::FlatLine;
use super::names::Names;
use crate::vproto::ast::Name;
use crate::vproto::portable::check::Checker;
use crate::vproto::portable::fold::{Folded, fold};
use crate::vproto::portable::{Problem, ProblemKind, parser};
use crate::vproto::{MAX_FINDINGS, note};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use vproto_ir::grammar::{Bound, Code, Module, StatedLimits};
use vproto_ir::ids::{ExprId, LabelId, LineId, ModuleId, Table};
use vproto_ir::portable::Expr;
use vproto_source::code::names;
use vproto_source::{Diagnostic, Diagnostics, Files, Span};

/// A label while its module is built.
#[derive(Clone, Debug)]
pub struct LabelInfo {
    /// Its name with the place of its first definition.
    pub name: Name,
    /// Where it stands; set when its line is built.
    pub place: Option<(LineId, u32)>,
    /// Whether a `call:` or `jmp:` names it.
    pub used: bool,
}

/// The state of resolving one module.
pub struct Context<'a> {
    /// All texts.
    pub files: &'a Files,
    /// Where findings go.
    pub out: &'a mut Diagnostics,
    /// The modules that are resolved already.
    pub modules: &'a Table<ModuleId, Module>,
    /// What the names behind `vproto:` mean; none where the module could not be had, which was reported.
    pub imports: FxHashMap<String, Option<ModuleId>>,
    /// The lines, included files spliced in.
    pub lines: Vec<FlatLine>,
    /// Variables, functions and so on.
    pub names: Names,
    /// Labels in the order written.
    pub labels: IndexMap<String, LabelInfo>,
    /// Names of variables that hold check values, with the place of their first `begin:`.
    pub digests: FxHashMap<String, Span>,
    /// Names behind `begin:` that are functions.
    pub spans: FxHashMap<String, Span>,
    /// Names behind `end:`.
    pub ended: FxHashMap<String, Span>,
    /// Variables that are declared, with the place.
    pub declared: IndexMap<String, Span>,
    /// Head blocks of directives.
    pub heads: Vec<(String, Code)>,
    /// `@output`
    pub output: Option<(String, Span)>,
    /// `@doc`
    pub docs: Vec<String>,
    /// `@limit calls=` with its place.
    pub calls_limit: Option<Span>,
    /// `@limit string=`, `@limit view=`
    pub stated: StatedLimits,
}

impl<'a> Context<'a> {
    /// The text under a span.
    pub fn text(&self, span: Span) -> &'a str {
        let files: &'a Files = self.files;
        files.text(span)
    }

    /// Adds a finding.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        note(self.out, diagnostic);
    }

    /// Whether a finding would still be shown.
    pub fn has_room(&self) -> bool {
        self.out.len() < MAX_FINDINGS
    }

    /// The id of a label that is known.
    pub fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.get_index_of(name).map(|i| LabelId(i as u32))
    }

    /// Runs a checker over the text of the file that holds `span`.
    pub fn check<T>(
        &mut self,
        span: Span,
        run: impl FnOnce(&mut Checker<'_>, &str) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let text: &'a str = &self.files.get(span.file).text;
        let guess = self.has_room();
        let mut checker = Checker { names: &mut self.names, modules: self.modules, text, guess };
        run(&mut checker, text)
    }

    /// Reports a problem as an error.
    pub fn problem(&mut self, problem: Problem) {
        let (code, title) = match problem.kind {
            ProblemKind::Consequence => return,
            ProblemKind::NotUnderstood => (names::NOT_PORTABLE, "this is no portable expression".to_string()),
            ProblemKind::UnknownName => (names::UNKNOWN_VARIABLE, problem.message.clone()),
            ProblemKind::Wrong => (names::BAD_EXPRESSION, "the expression is wrong".to_string()),
        };
        let label = match problem.kind {
            ProblemKind::UnknownName => "no variable, constant or enum member has this name".to_string(),
            _ => problem.message,
        };
        let mut diagnostic = Diagnostic::new(code, title, problem.span, label);
        diagnostic.help = problem.help;
        self.report(diagnostic);
    }

    /// A portable expression that gives a number or truth value; reported where it is none.
    pub fn scalar(&mut self, span: Span) -> Option<Expr> {
        let result = self.check(span, |checker, text| {
            let node = parser::expression(text, span)?;
            checker.portable_scalar(&node)
        });
        result.map_err(|problem| self.problem(problem)).ok()
    }

    /// As [`Context::scalar`], stored.
    pub fn scalar_id(&mut self, span: Span) -> Option<ExprId> {
        let expr = self.scalar(span)?;
        Some(self.names.symbols.exprs.push(expr))
    }

    /// A number or an expression; constants are folded. A negative constant is reported.
    pub fn bound(&mut self, span: Span) -> Option<Bound> {
        let expr = self.scalar(span)?;
        match fold(&expr) {
            Folded::Value(value) => match u64::try_from(value) {
                Ok(value) => Some(Bound::Fixed(value)),
                Err(_) => {
                    self.report(Diagnostic::new(
                        names::BAD_BOUND,
                        "the bound is negative",
                        span,
                        format!("this is {value}"),
                    ));
                    None
                }
            },
            Folded::Variable => Some(Bound::Expr(self.names.symbols.exprs.push(expr))),
            Folded::Overflow => {
                self.overflow(span);
                None
            }
        }
    }

    fn overflow(&mut self, span: Span) {
        self.report(
            Diagnostic::new(
                names::BAD_BOUND,
                "the constant expression has no value",
                span,
                "it overflows or divides by zero",
            )
            .with_help("portable arithmetic is on signed 64-bit integers and never wraps"),
        );
    }

    /// A constant, reported where it is none.
    pub fn constant(&mut self, span: Span) -> Option<i64> {
        let expr = self.scalar(span)?;
        match fold(&expr) {
            Folded::Value(value) => Some(value),
            Folded::Overflow => {
                self.overflow(span);
                None
            }
            Folded::Variable => {
                self.report(Diagnostic::new(
                    names::NOT_CONSTANT,
                    "a constant was expected",
                    span,
                    "its value is known at run time only",
                ));
                None
            }
        }
    }

    /// A constant, if the text is one; nothing is reported.
    pub fn quiet_constant(&mut self, span: Span) -> Option<i64> {
        let result = self.check(span, |checker, text| {
            let node = parser::expression(text, span)?;
            checker.portable_scalar(&node)
        });
        match fold(&result.ok()?) {
            Folded::Value(value) => Some(value),
            _ => None,
        }
    }
}

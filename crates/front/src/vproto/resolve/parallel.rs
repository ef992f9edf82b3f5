//! `< s1, s2, … >`

use super::build::Builder;
use super::scans::Resolved;
use crate::vproto::ast::Token;
use vproto_ir::grammar::{Parallel, Scan, TokenKind, Until};
use vproto_source::code::names;
use vproto_source::{Diagnostic, Span};

impl Builder<'_, '_> {
    /// Resolves the sequences of a group.
    pub fn parallel(&mut self, token: &Token, sequences: &[Vec<Token>]) -> Resolved {
        self.inside += 1;
        let mut resolved = Vec::new();
        for sequence in sequences {
            let mut ids = Vec::new();
            for inner in sequence {
                if let Some(id) = self.token(inner) {
                    self.until_in_parallel(id, inner.span);
                    ids.push(id);
                }
            }
            resolved.push(ids);
        }
        self.inside -= 1;
        let _ = token;
        Some((TokenKind::Parallel(Parallel { sequences: resolved }), None))
    }

    /// A held-back text of several bytes would have to be given back when another state wins.
    fn until_in_parallel(&mut self, id: vproto_ir::ids::TokenId, span: Span) {
        let TokenKind::Scan(Scan { until: Some(until), .. }) = &self.module.tokens[id].kind else { return };
        let label = match until {
            Until::Text(text) if text.len() == 1 => return,
            Until::Text(text) => format!("the text has {} bytes", text.len()),
            Until::Var(_) => "the length of the text is known at run time only".to_string(),
        };
        self.context.report(
            Diagnostic::new(
                names::UNTIL_IN_PARALLEL,
                "in `< >` the text of `until` has one byte",
                span,
                label,
            )
            .with_help("put the token behind the `>`"),
        );
    }
}

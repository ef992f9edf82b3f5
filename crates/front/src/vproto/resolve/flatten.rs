//! The lines of a module in one list, included files spliced in where they are named.

use crate::vproto::ast::{Ast, Line, LineKind, Token};
use std::sync::Arc;

/// A line of a module.
#[derive(Clone, Debug)]
pub struct FlatLine {
    /// The tree of its file.
    pub ast: Arc<Ast>,
    /// Its index there.
    pub index: usize,
    /// Its depth in the module: that in the file, and that of the `@include` that brought it.
    pub depth: u32,
}

impl FlatLine {
    /// The line.
    pub fn line(&self) -> &Line {
        &self.ast.lines[self.index]
    }

    /// Its tokens; none where it has none.
    pub fn tokens(&self) -> &[Token] {
        self.line().tokens()
    }

    /// Whether it is blank.
    pub fn is_blank(&self) -> bool {
        matches!(self.line().kind, LineKind::Blank)
    }

    /// Whether it has tokens, or a `\` in place of them.
    pub fn has_tokens(&self) -> bool {
        matches!(self.line().kind, LineKind::Tokens { .. })
    }
}

//! What portable code sees of a parser, and what running it does.

use super::parser::{Core, Cx, Raised};
use crate::eval::{self, Environment};
use crate::store::Read;
use crate::trace::{EventKind, Value};
use vproto_ir::ids::{CodeId, ExprId, FunctionId, Id, SiteId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::portable::CodeKind;
use vproto_ir::symbols::Symbols;

/// A parser at an offset. A thread sees no more: what it has captured is its own business until it wins.
pub(super) struct Env<'e, 'c> {
    pub core: &'e mut Core,
    pub cx: &'e mut Cx<'c>,
    /// Offset of the builtin `offset`, and of events.
    pub pos: u64,
    /// The token.
    pub site: Option<SiteId>,
}

impl Environment for Env<'_, '_> {
    fn symbols(&self) -> &Symbols {
        &self.cx.code.machine.symbols
    }

    fn member_symbols(&self, parser: VarId) -> &Symbols {
        let module = self.cx.code.module_of(parser).unwrap_or(self.cx.program.root);
        &self.cx.program.module(module).machine.symbols
    }

    fn read(&self, var: VarId) -> Read<'_> {
        self.core.store.read(var)
    }

    fn read_member(&self, parser: VarId, member: VarId) -> Read<'_> {
        match &self.core.subs[parser.index()] {
            Some(sub) => sub.core.store.read(member),
            None => match self.cx.code.module_of(parser) {
                Some(module) => self.cx.program.module(module).start.read(member),
                None => Read::Text(&[]),
            },
        }
    }

    fn offset(&self) -> u64 {
        self.pos
    }

    fn left(&self) -> Option<u64> {
        self.core.left(self.pos)
    }

    fn write(&mut self, var: VarId, value: i128) {
        self.core.store.set_scalar(var, value);
    }

    fn write_text(&mut self, var: VarId, bytes: Vec<u8>) {
        self.core.store.set_text(var, bytes);
    }

    fn append_text(&mut self, var: VarId, bytes: &[u8]) {
        self.core.store.append_text(var, bytes);
    }

    fn swap(&mut self, a: VarId, b: VarId) {
        self.core.store.swap(a, b);
    }

    fn notify(&mut self, function: FunctionId, args: Vec<Value>) {
        let kind = EventKind::Notify {
            at: self.cx.code.at(self.site),
            name: self.cx.code.function_name(function),
            args,
        };
        self.core.emit(self.cx, self.pos, kind);
    }
}

impl Env<'_, '_> {
    /// An exception of this token, without a byte in hand.
    fn raised(&self, kind: ErrorKind) -> Raised {
        Raised::new(kind, self.site)
    }

    /// The value of a bound.
    pub fn bound(&self, expr: ExprId) -> Result<u64, Raised> {
        eval::bound(self, &self.cx.code.machine.symbols.exprs[expr]).map_err(|kind| self.raised(kind))
    }

    /// Whether a condition holds.
    pub fn truth(&self, expr: ExprId) -> Result<bool, Raised> {
        eval::truth(self, &self.cx.code.machine.symbols.exprs[expr]).map_err(|kind| self.raised(kind))
    }

    /// Runs a block or a condition; its value is that of the condition or of `return`.
    pub fn code(&mut self, code: CodeId) -> Result<bool, Raised> {
        let machine = &self.cx.code.machine;
        let result = match &machine.symbols.codes[code].kind {
            CodeKind::Condition(expr) => eval::truth(self, expr),
            CodeKind::Block(block) => eval::run(self, block),
            CodeKind::Opaque { .. } => Ok(false),
        };
        result.map_err(|kind| self.raised(kind))
    }

    /// Calls a function of the user.
    pub fn call(&mut self, function: FunctionId, exprs: &[ExprId]) -> Result<(), Raised> {
        let table = &self.cx.code.machine.symbols.exprs;
        let args = eval::arguments(self, exprs.iter().map(|expr| &table[*expr]));
        let args = args.map_err(|kind| self.raised(kind))?;
        self.notify(function, args);
        Ok(())
    }
}

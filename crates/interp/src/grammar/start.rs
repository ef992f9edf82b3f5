//! Entering a token that takes bytes: its bounds, its variable, its first state.

use super::number::{Binary, Digits, Groups};
use super::runner::{Control, Raised, Runner};
use super::token::{Bounds, Piece, Reason, Room, Running};
use super::until::Search;
use crate::eval;
use crate::store;
use crate::trace::quoted;
use vproto_ir::grammar::{Bound, Counts, Max, Min, Scan, Store, TokenKind, Until};
use vproto_ir::ids::{ExprId, LineId, TokenId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::symbols::VarType;

/// A token that was entered.
pub enum Started<'g> {
    /// `if=` says that it is not there.
    Absent,
    /// It runs; it may be complete already.
    Running(Running<'g>),
}

impl<'g> Runner<'g> {
    /// Enters a token of a line that takes bytes.
    pub fn start(&mut self, line: LineId, index: usize, token: TokenId) -> Result<(), Raised> {
        let started = self.started(token, &[]).map_err(|reason| self.refused(line, token, reason))?;
        let Started::Running(running) = started else {
            return Ok(());
        };
        self.initialise(token);
        if running.done() {
            return self.complete(line, index, running);
        }
        self.control = Control::Token { line, index, running };
        Ok(())
    }

    /// The exception of a token that could not be entered.
    pub fn refused(&self, line: LineId, token: TokenId, reason: Reason) -> Raised {
        let Reason { kind, expected, found } = reason;
        Raised { expected, found, ..self.exception(line, token, kind) }
    }

    /// The first state of a token that takes bytes. `private`: sizes of the texts that a parallel state has stored.
    pub fn started(&self, token: TokenId, private: &[(VarId, usize)]) -> Result<Started<'g>, Reason> {
        let plain = |kind| Reason { kind, expected: String::new(), found: None };
        if !self.present(token).map_err(|(_, kind)| plain(kind))? {
            return Ok(Started::Absent);
        }
        let module = self.module;
        let running = match &module.tokens[token].kind {
            TokenKind::Scan(scan) => self.start_scan(scan, private)?,
            TokenKind::Literal(literal) => {
                Running::literal(literal, self.bounds(&literal.counts).map_err(plain)?)
            }
            TokenKind::Match { var, counts } => {
                let bounds = self.bounds(counts).map_err(plain)?;
                Running::text(self.store.text(*var).to_vec(), false, bounds)
            }
            TokenKind::Varint(varint) => Running::Varint(varint, Groups::new(varint.max, varint.ty), false),
            TokenKind::EnumText(texts) => Running::Enum(texts, (0..texts.texts.len()).collect(), 0),
            _ => return Ok(Started::Absent),
        };
        Ok(Started::Running(running))
    }

    fn start_scan(&self, scan: &'g Scan, private: &[(VarId, usize)]) -> Result<Running<'g>, Reason> {
        let plain = |kind| Reason { kind, expected: String::new(), found: None };
        let bounds = self.bounds(&scan.counts).map_err(plain)?;
        let piece = self.piece(scan, private).map_err(plain)?;
        let text = match &scan.until {
            None => return Ok(Running::scan(scan, bounds, None, piece)),
            Some(Until::Text(text)) => text.clone(),
            Some(Until::Var(var)) => self.store.text(*var).to_vec(),
        };
        let refused = |kind| Reason { kind, expected: quoted(&text, false), found: None };
        match text.len() {
            0 => Err(plain(ErrorKind::Condition)),
            1..=255 => Ok(Running::scan(scan, bounds, Some(Search::new(text)), piece)),
            _ => Err(refused(ErrorKind::Limit)),
        }
    }

    /// The place for the bytes of a scan.
    fn piece(&self, scan: &'g Scan, private: &[(VarId, usize)]) -> Result<Piece<'g>, ErrorKind> {
        Ok(match &scan.store {
            Store::Skip => Piece::Skip,
            Store::Stream(function) => {
                let key = scan.xor.map(|var| self.store.text(var).to_vec());
                if key.as_ref().is_some_and(Vec::is_empty) {
                    return Err(ErrorKind::Condition);
                }
                Piece::Stream {
                    function: *function,
                    bytes: Vec::new(),
                    key: key.unwrap_or_default(),
                    most: usize::MAX,
                }
            }
            Store::Digits { var, radix, ty, trim } => {
                let digits = Digits::new(*radix, *ty);
                Piece::Digits { var: *var, digits, trim: *trim, started: false, blank: false }
            }
            Store::Binary { var, big, swap, ty } => {
                let boolean = self.module.symbols.vars[*var].ty == VarType::Bool;
                Piece::Binary { var: *var, binary: Binary::new(*ty), big: *big, swap: *swap, boolean }
            }
            Store::Text { var, append, trim, keep } => {
                let stored = private.iter().rev().find(|(stored, _)| stored == var).map(|(_, size)| *size);
                let base = if *append { stored.unwrap_or(self.store.text(*var).len()) } else { 0 };
                let room = self.room(*var, base, *keep)?;
                Piece::Text { var: *var, bytes: Vec::new(), append: *append, trim: *trim, room }
            }
            Store::Bits { fields, little } => Piece::Bits { fields, little: *little, bytes: Vec::new() },
            Store::Float { var, big } => Piece::Float { var: *var, big: *big, bytes: Vec::new() },
        })
    }

    fn room(&self, var: VarId, base: usize, keep: Option<Bound>) -> Result<Room, ErrorKind> {
        let ty = self.module.symbols.vars[var].ty;
        let limit = store::limit(&self.module.symbols, ty);
        let keep = keep.map(|bound| self.bound(bound)).transpose()?;
        let keep = keep.map(|keep| usize::try_from(keep).unwrap_or(usize::MAX));
        Ok(match ty {
            VarType::Array { .. } => {
                Room { base, keep: Some(keep.unwrap_or(limit).min(limit)), limit: usize::MAX }
            }
            _ => Room { base, keep, limit },
        })
    }

    /// Entering a capture initialises its variables.
    fn initialise(&mut self, token: TokenId) {
        let symbols = &self.module.symbols;
        match &self.module.tokens[token].kind {
            TokenKind::Scan(scan) => match &scan.store {
                Store::Digits { var, .. } | Store::Binary { var, .. } | Store::Float { var, .. } => {
                    self.store.initialise(symbols, *var);
                }
                Store::Text { var, append: false, .. } => self.store.initialise(symbols, *var),
                Store::Bits { fields, .. } => {
                    fields.iter().filter_map(|f| f.var).for_each(|var| self.store.initialise(symbols, var));
                }
                _ => {}
            },
            TokenKind::Varint(varint) => {
                varint.var.into_iter().for_each(|var| self.store.initialise(symbols, var));
            }
            TokenKind::EnumText(token) => self.store.initialise(symbols, token.var),
            _ => {}
        }
    }

    /// The bounds of a token: `max` first; `min` is clamped to it.
    pub fn bounds(&self, counts: &Counts) -> Result<Bounds, ErrorKind> {
        let max = self.most(counts)?;
        let min = match counts.min {
            Min::Fixed(min) => min,
            Min::Expr(expr) => self.bound_of(expr)?,
            Min::Max => max,
        };
        Ok(Bounds { min: min.min(max), max })
    }

    /// Most bytes of a token, or texts of a literal.
    pub fn most(&self, counts: &Counts) -> Result<u64, ErrorKind> {
        match counts.max {
            Max::Fixed(max) => Ok(max),
            Max::Expr(expr) => self.bound_of(expr),
            Max::None => Ok(u64::MAX),
        }
    }

    /// The value of a bound; negative ones are `overflow`.
    pub fn bound(&self, bound: Bound) -> Result<u64, ErrorKind> {
        match bound {
            Bound::Fixed(value) => Ok(value),
            Bound::Expr(expr) => self.bound_of(expr),
        }
    }

    fn bound_of(&self, expr: ExprId) -> Result<u64, ErrorKind> {
        eval::bound(self, &self.module.symbols.exprs[expr])
    }

    /// Whether a token takes no byte and does its work at once.
    pub fn is_plain(kind: &TokenKind) -> bool {
        matches!(
            kind,
            TokenKind::Notify { .. }
                | TokenKind::EnumInit(_)
                | TokenKind::Begin(_)
                | TokenKind::BeginDigest(..)
                | TokenKind::End(_)
                | TokenKind::EndDigest(_)
        )
    }
}

//! Storing values, spans, and the events that tell of both. Also what portable code sees ([`Environment`]).

use super::runner::{OpenSpan, Raised, Runner, SpanTarget};
use super::token::Effect;
use crate::digest::Digester;
use crate::eval::{self, Environment};
use crate::store::{self, Read};
use crate::trace::{At, Event, EventKind, Value};
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{FunctionId, LineId, TokenId, VarId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::symbols::{Symbols, VarType};
use vproto_source::Span;

impl<'g> Runner<'g> {
    /// An event of this moment, or of the moment that is made up for.
    pub fn emit(&mut self, kind: EventKind) {
        let offset = self.deferred.map_or(self.outer, |(_, outer)| outer);
        let module = (!self.root).then(|| self.module.name.clone());
        self.out.push(Event { module, offset, kind });
    }

    /// The place of a token as events name it: its line, and its file where that was included.
    pub fn at(&self, span: Span) -> At {
        let file = (span.file != self.module.file).then(|| self.file_name(span));
        At { file, line: self.files.place(span).line }
    }

    fn file_name(&self, span: Span) -> String {
        let name = &self.files.get(span.file).name;
        name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned()
    }

    fn token_at(&self, token: TokenId) -> At {
        self.at(self.module.tokens[token].span)
    }

    /// Stores what a token leaves behind.
    pub fn perform(&mut self, line: LineId, token: TokenId, effect: Effect) -> Result<(), Raised> {
        let refused = |runner: &Self, kind| runner.exception(line, token, kind);
        match effect {
            Effect::None => {}
            Effect::Scalars(values) => {
                for (var, value) in values {
                    self.store.set_scalar(var, value);
                    self.captured(token, var);
                }
            }
            Effect::Swapped { var, big, little, order, swap } => {
                let swapped = eval::truth(self, &self.module.symbols.exprs[swap]);
                let swapped = swapped.map_err(|kind| refused(self, kind))?;
                self.store.set_scalar(var, if order != swapped { big } else { little });
                self.captured(token, var);
            }
            Effect::F32(var, value) => {
                self.store.set_f32(var, value);
                self.captured(token, var);
            }
            Effect::F64(var, value) => {
                self.store.set_f64(var, value);
                self.captured(token, var);
            }
            Effect::Text { var, bytes, append } => {
                self.store_text(var, bytes, append).map_err(|kind| refused(self, kind))?;
                self.captured(token, var);
            }
            Effect::Data(function, bytes) => self.delivered(token, function, bytes),
            Effect::Digest(var, value) => {
                let ty = self.module.symbols.vars[var].ty;
                let fits = ty.range().is_some_and(|(_, greatest)| i128::from(value) <= greatest);
                if !fits {
                    return Err(refused(self, ErrorKind::Overflow));
                }
                self.store.set_scalar(var, i128::from(value));
                self.captured(token, var);
            }
        }
        Ok(())
    }

    /// The bound was watched while the bytes came; code that a parallel state deferred may have changed what is there.
    fn store_text(&mut self, var: VarId, bytes: Vec<u8>, append: bool) -> Result<(), ErrorKind> {
        if !append {
            self.store.set_text(var, bytes);
            return Ok(());
        }
        let ty = self.module.symbols.vars[var].ty;
        let room = store::limit(&self.module.symbols, ty).saturating_sub(self.store.text(var).len());
        match ty {
            VarType::Array { .. } => self.store.append_text(var, &bytes[..bytes.len().min(room)]),
            _ if bytes.len() > room => return Err(ErrorKind::Limit),
            _ => self.store.append_text(var, &bytes),
        }
        Ok(())
    }

    fn captured(&mut self, token: TokenId, var: VarId) {
        let symbols = &self.module.symbols;
        let (name, value) = (symbols.vars[var].name.clone(), self.store.value(symbols, var));
        let at = self.token_at(token);
        self.emit(EventKind::Capture { at, name, value });
    }

    fn delivered(&mut self, token: TokenId, function: FunctionId, bytes: Vec<u8>) {
        let name = self.module.symbols.functions[function].name.clone();
        let at = self.token_at(token);
        self.emit(EventKind::Data { at, name, bytes });
    }

    /// Runs a token that takes no byte and does its work at once.
    pub fn plain(&mut self, line: LineId, token: TokenId) -> Result<(), Raised> {
        self.current = token;
        match &self.module.tokens[token].kind {
            TokenKind::Notify { function, arguments } => {
                let exprs = arguments.iter().map(|&expr| &self.module.symbols.exprs[expr]);
                let values = eval::arguments(self, exprs);
                let values = values.map_err(|kind| self.exception(line, token, kind))?;
                self.notify(*function, values);
            }
            TokenKind::EnumInit(var) => self.init_enum(*var),
            TokenKind::Begin(function) => {
                self.end_span(token, *function, true);
                self.begin_span(token, SpanTarget::Function(*function, Vec::new()));
            }
            TokenKind::BeginDigest(digest, var) => {
                self.spans.retain(|span| !span.is_digest(*var));
                self.begin_span(token, SpanTarget::Digest(*var, Digester::new(*digest)));
            }
            TokenKind::End(function) => self.end_span(token, *function, false),
            TokenKind::EndDigest(var) => {
                if let Some(i) = self.spans.iter().position(|span| span.is_digest(*var))
                    && let SpanTarget::Digest(var, digester) = self.spans.remove(i).to
                {
                    self.perform(line, token, Effect::Digest(var, digester.value()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `enum{a, b}:v` sets v to its first member. Nothing was captured, so nothing is reported.
    fn init_enum(&mut self, var: VarId) {
        if let VarType::Enum { of, .. } = self.module.symbols.vars[var].ty {
            let first = self.module.symbols.enums[of].members.first();
            self.store.set_scalar(var, first.map_or(0, |(_, value)| i128::from(*value)));
        }
    }

    fn begin_span(&mut self, token: TokenId, to: SpanTarget) {
        let began = self.tick();
        self.spans.push(OpenSpan { to, token, began });
    }

    /// Ends the span of a function, if one is open; `again` where it is by a second `begin:`.
    fn end_span(&mut self, token: TokenId, function: FunctionId, again: bool) {
        let open = |span: &OpenSpan| matches!(&span.to, SpanTarget::Function(f, _) if *f == function);
        if let Some(i) = self.spans.iter().position(open) {
            let span = self.spans.remove(i);
            let shown = if again { span.token } else { token };
            self.hand_span(span, shown);
        }
    }

    fn hand_span(&mut self, span: OpenSpan, shown: TokenId) {
        if let SpanTarget::Function(function, bytes) = span.to {
            self.delivered(shown, function, bytes);
        }
    }

    /// Ends the spans begun after a moment, in the order in which they began; check values store nothing.
    pub fn end_spans_since(&mut self, moment: u64) {
        let (ended, open) = std::mem::take(&mut self.spans).into_iter().partition(|s| s.began > moment);
        self.spans = open;
        let ended: Vec<OpenSpan> = ended;
        for span in ended {
            let token = span.token;
            self.hand_span(span, token);
        }
    }

    /// Ends all spans.
    pub fn end_all_spans(&mut self) {
        self.end_spans_since(0);
    }

    /// A byte was consumed: the open spans get it.
    pub fn feed_spans(&mut self, byte: u8) {
        for span in &mut self.spans {
            match &mut span.to {
                SpanTarget::Function(_, bytes) => bytes.push(byte),
                SpanTarget::Digest(_, digester) => digester.byte(byte),
            }
        }
    }
}

impl OpenSpan {
    fn is_digest(&self, of: VarId) -> bool {
        matches!(&self.to, SpanTarget::Digest(var, ..) if *var == of)
    }
}

impl Environment for Runner<'_> {
    fn symbols(&self) -> &Symbols {
        &self.module.symbols
    }

    fn member_symbols(&self, parser: VarId) -> &Symbols {
        match self.module.symbols.vars[parser].ty {
            VarType::Module(id) => &self.grammar.modules[id].symbols,
            _ => &self.module.symbols,
        }
    }

    fn read(&self, var: VarId) -> Read<'_> {
        self.store.read(var)
    }

    fn read_member(&self, parser: VarId, member: VarId) -> Read<'_> {
        match self.subs.iter().find(|sub| sub.var == parser) {
            Some(sub) => sub.runner.store.read(member),
            None => {
                let unused = self.unused.iter().find(|(var, _)| *var == parser);
                unused.map_or(Read::Text(&[]), |(_, store)| store.read(member))
            }
        }
    }

    fn offset(&self) -> u64 {
        self.deferred.map_or(self.position, |(own, _)| own)
    }

    fn left(&self) -> Option<u64> {
        let end = match (self.fence(), self.end) {
            (Some(fence), Some(end)) => Some(fence.min(end)),
            (fence, end) => fence.or(end),
        };
        end.map(|end| end.saturating_sub(self.offset()))
    }

    fn write(&mut self, var: VarId, value: i128) {
        self.store.set_scalar(var, value);
    }

    fn write_text(&mut self, var: VarId, bytes: Vec<u8>) {
        self.store.set_text(var, bytes);
    }

    fn append_text(&mut self, var: VarId, bytes: &[u8]) {
        self.store.append_text(var, bytes);
    }

    fn swap(&mut self, a: VarId, b: VarId) {
        self.store.swap(a, b);
    }

    fn notify(&mut self, function: FunctionId, arguments: Vec<Value>) {
        let name = self.module.symbols.functions[function].name.clone();
        let at = self.token_at(self.current);
        self.emit(EventKind::Notify { at, name, args: arguments });
    }
}

//! Tokens of the tree to tokens of the grammar.

use super::build::Builder;
use super::captures::{find_digest, member_values};
use super::code;
use super::options::{self, allow};
use super::scans::{self, Resolved};
use super::sinks::{needs_name, one_name, sink};
use crate::vproto::ast::{Head, Member, Name, OptionItem, Part, Redirect, Token, Word};
use crate::vproto::portable::check::MAX_KNOWN;
use crate::vproto::portable::parser;
use rustc_hash::FxHashMap;
use vproto_ir::grammar::{Call, Counts, EnumText, Literal, TokenKind};
use vproto_ir::ids::{ExprId, LabelId};
use vproto_ir::symbols::{Role, VarType};
use vproto_source::code::names;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Span};

impl Builder<'_, '_> {
    /// The kind of a token; none where it has none, which was reported.
    pub fn kind(&mut self, token: &Token) -> Resolved {
        let plain = |kind: TokenKind| Some((kind, None));
        match &token.head {
            Head::Unknown => None,
            Head::Set(_) => scans::scan(self.context, token),
            Head::Text { bytes, fold } => self.literal(token, bytes, *fold),
            Head::Word(word) => self.word(token, *word),
            Head::Code(block) => {
                self.bare(token, "a code block");
                plain(TokenKind::Code(code::code(self.context, block, false)))
            }
            Head::If(block) => {
                self.bare(token, "a condition");
                plain(TokenKind::If(code::code(self.context, block, true)))
            }
            Head::Enum(members) => self.enum_token(token, members),
            Head::Bits { little, fields } => {
                self.no_redirect(token);
                scans::bits(self.context, token, *little, fields)
            }
            Head::Parallel(sequences) => {
                self.bare(token, "`< >`");
                self.parallel(token, sequences)
            }
        }
    }

    fn word(&mut self, token: &Token, word: Word) -> Resolved {
        let plain = |kind: TokenKind| Some((kind, None));
        if !matches!(
            word,
            Word::Decimal(_) | Word::Signed(_) | Word::Hexadecimal(_) | Word::Binary(..) | Word::Varint
        ) {
            self.no_redirect(token);
        }
        if self.inside > 0
            && matches!(word, Word::Call | Word::Jump | Word::Return | Word::Reset | Word::Back | Word::Label)
        {
            self.not_in_parallel(token.span, word.name());
        }
        match word {
            Word::Notify => self.notify(token),
            Word::Begin => self.begin(token),
            Word::End => self.end(token),
            Word::Label => {
                options::none(self.context, token);
                self.label(token)
            }
            Word::Jump => {
                options::none(self.context, token);
                plain(TokenKind::Jump(self.target(token)?))
            }
            Word::Call => self.call(token),
            Word::Return => self.lone(token, TokenKind::Return),
            Word::Reset => self.lone(token, TokenKind::Reset),
            Word::Break => self.lone(token, TokenKind::Break),
            Word::Bang => self.lone(token, TokenKind::Bang),
            Word::Back => self.back(token),
            Word::Match => scans::match_text(self.context, token),
            Word::Catch | Word::Finish => None,
            Word::Module if self.inside > 0 => {
                self.not_in_parallel(token.span, "vproto");
                scans::scan(self.context, token)
            }
            _ => scans::scan(self.context, token),
        }
    }

    fn not_in_parallel(&mut self, span: Span, what: &str) {
        self.context.report(
            Diagnostic::new(
                names::NOT_IN_PARALLEL,
                format!("`{what}` stands in `< >`"),
                span,
                "parallel states cannot do this",
            )
            .with_help("put it behind the `>`"),
        );
    }

    fn no_redirect(&mut self, token: &Token) {
        if let Some(Redirect { span, .. }) = token.redirect() {
            let diagnostic =
                Diagnostic::new(names::BAD_REDIRECT, "this token cannot be redirected", *span, "not here");
            self.context.report(diagnostic);
        }
    }

    /// Reports counts, options, names and redirections behind a head that takes none.
    fn bare(&mut self, token: &Token, what: &str) {
        let Some(part) = token.parts.first() else { return };
        let span = match part {
            Part::Name(name) => name.span,
            Part::Count(_, span) | Part::Start(span) => *span,
            Part::Options(options) => options.span,
            Part::Redirect(redirect) => redirect.span,
        };
        let title = format!("{what} takes neither counts, options nor names");
        self.context.report(Diagnostic::new(names::BAD_OPTION, title, span, "does not belong here"));
    }

    fn lone(&mut self, token: &Token, kind: TokenKind) -> Resolved {
        options::none(self.context, token);
        if let Some(name) = token.names().next() {
            self.context.report(Diagnostic::new(
                names::BAD_NAME,
                "this token has no name",
                name.span,
                "a name does not belong here",
            ));
        }
        Some((kind, None))
    }

    fn literal(&mut self, token: &Token, bytes: &[u8], fold: bool) -> Resolved {
        let options = options::read(self.context, token, allow::COUNTS | allow::IF, None);
        if let Err(diagnostic) = sink(token) {
            self.context.report(*diagnostic);
        }
        let counts = options.counts(Counts::exactly(1), false);
        Some((TokenKind::Literal(Literal { text: bytes.to_vec(), fold, counts }), options.condition))
    }

    /// The one name that a token must have.
    fn the_name<'t>(&mut self, token: &'t Token, what: &str) -> Option<&'t Name> {
        let name = match one_name(token) {
            Ok(Some(name)) if name.text.starts_with(|c: char| c.is_ascii_digit()) => {
                self.context.report(Diagnostic::new(
                    names::BAD_NAME,
                    format!("`{}` is no name", name.text),
                    name.span,
                    "names begin with a letter or `_`",
                ));
                return None;
            }
            Ok(Some(name)) => return Some(name),
            Ok(None) => needs_name(token, what),
            Err(diagnostic) => *diagnostic,
        };
        self.context.report(name);
        None
    }

    fn enum_token(&mut self, token: &Token, members: &[Member]) -> Resolved {
        let texts = members.iter().filter(|m| m.text.is_some()).count();
        let allowed = if texts > 0 { allow::IF } else { 0 };
        let options = options::read(self.context, token, allowed, None);
        self.no_redirect(token);
        let name = self.the_name(token, "variable")?;
        let var = self.context.names.var(&name.text)?;
        if texts == 0 {
            return Some((TokenKind::EnumInit(var), None));
        }
        let values: FxHashMap<String, u64> =
            member_values(self.context, members, false).into_iter().collect();
        let mut listed = Vec::new();
        for member in members {
            match (&member.text, values.get(&member.name.text)) {
                (Some((bytes, fold, _)), Some(value)) => {
                    listed.push((*value, bytes.clone(), *fold));
                }
                (None, _) => self.context.report(
                    Diagnostic::new(
                        names::MEMBER_WITHOUT_TEXT,
                        format!("member `{}` has no text", member.name.text),
                        member.name.span,
                        "the other members are matched by a text",
                    )
                    .with_help(format!("write `{} \"…\"`", member.name.text)),
                ),
                _ => {}
            }
        }
        Some((TokenKind::EnumText(EnumText { var, texts: listed }), options.condition))
    }

    fn notify(&mut self, token: &Token) -> Resolved {
        for part in &token.parts {
            if let Part::Count(_, span) = part {
                let title = "`notify:` takes no counts";
                self.context.report(Diagnostic::new(
                    names::BAD_OPTION,
                    title,
                    *span,
                    "a count does not belong here",
                ));
            }
        }
        let name = self.the_name(token, "function")?;
        let arguments: Vec<Option<ExprId>> = token.options().map(|item| self.argument(item)).collect();
        let function = self.context.names.function(&name.text, Role::Notify, name.span);
        Some((TokenKind::Notify { function, arguments: arguments.into_iter().collect::<Option<_>>()? }, None))
    }

    fn argument(&mut self, item: &OptionItem) -> Option<ExprId> {
        let span = item.span;
        let result = self.context.check(span, |checker, text| {
            let node = parser::expression(text, span)?;
            checker.expr(&node)
        });
        match result {
            Ok(expr) => Some(self.context.names.symbols.exprs.push(expr)),
            Err(problem) => {
                self.context.problem(problem);
                None
            }
        }
    }

    fn begin(&mut self, token: &Token) -> Resolved {
        options::none(self.context, token);
        let found: Vec<&Name> = token.names().collect();
        match found.as_slice() {
            [name] => {
                let function = self.context.names.function(&name.text, Role::Stream, name.span);
                Some((TokenKind::Begin(function), None))
            }
            [digest, var] => {
                let digest = find_digest(&digest.text)?;
                let var = self.context.names.var(&var.text)?;
                Some((TokenKind::BeginDigest(digest, var), None))
            }
            [] => {
                let missing = needs_name(token, "function").with_help("write `begin:f`, or `begin:crc32:v`");
                self.context.report(missing);
                None
            }
            [.., extra] => {
                let title = format!("one name too many: `{}`", extra.text);
                self.context.report(Diagnostic::new(names::BAD_NAME, title, extra.span, "not here"));
                None
            }
        }
    }

    fn end(&mut self, token: &Token) -> Resolved {
        options::none(self.context, token);
        let name = self.the_name(token, "span")?;
        if self.context.digests.contains_key(&name.text) {
            return Some((TokenKind::EndDigest(self.context.names.var(&name.text)?), None));
        }
        if let Some(var) = self.context.names.var(&name.text)
            && matches!(self.context.names.symbols.vars[var].ty, VarType::Module(_))
        {
            return Some((TokenKind::EndModule(var), None));
        }
        if !self.context.spans.contains_key(&name.text) {
            let var = self.context.names.var(&name.text);
            if !var.is_some_and(|var| self.context.names.is_broken(var)) {
                self.unknown_span(name);
            }
            return None;
        }
        let function = self.context.names.function(&name.text, Role::Stream, name.span);
        Some((TokenKind::End(function), None))
    }

    fn unknown_span(&mut self, name: &Name) {
        let known = self.context.spans.keys().chain(self.context.digests.keys()).map(String::as_str);
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let near = did_you_mean(&name.text, known.into_iter().take(MAX_KNOWN))
            .map(|near| format!("did you mean `{near}`?"));
        let mut diagnostic = Diagnostic::new(
            names::END_WITHOUT_BEGIN,
            format!("`end:{}` ends nothing", name.text),
            name.span,
            "no `begin:` and no module has this name",
        );
        diagnostic.help = near;
        self.context.report(diagnostic);
    }

    fn label(&mut self, token: &Token) -> Resolved {
        let name = self.the_name(token, "label")?;
        let id = self.context.label(&name.text)?;
        let info = &self.context.labels[id.0 as usize];
        // The second definition of a name was reported.
        (info.name.span == name.span).then_some((TokenKind::Label(id), None))
    }

    fn target(&mut self, token: &Token) -> Option<LabelId> {
        let name = self.the_name(token, "label")?;
        if let Some(id) = self.context.label(&name.text) {
            return Some(id);
        }
        let known = self.context.labels.keys().map(String::as_str).take(MAX_KNOWN);
        let near = self.context.has_room().then(|| did_you_mean(&name.text, known)).flatten();
        let mut diagnostic = Diagnostic::new(
            names::UNKNOWN_LABEL,
            format!("unknown label `{}`", name.text),
            name.span,
            "no `label:` has this name",
        );
        diagnostic.help = near.map(|near| format!("did you mean `{near}`?"));
        self.context.report(diagnostic);
        None
    }

    fn call(&mut self, token: &Token) -> Resolved {
        let allowed = allow::MAX | allow::TIMES | allow::KEEP | allow::IF;
        let options = options::read(self.context, token, allowed, None);
        let label = self.target(token)?;
        let call = Call { label, max: options.max, times: options.times, keep: options.keep };
        Some((TokenKind::Call(call), options.condition))
    }

    fn back(&mut self, token: &Token) -> Resolved {
        options::none(self.context, token);
        let name = match one_name(token) {
            Ok(Some(name)) => name,
            Ok(None) => {
                let missing = needs_name(token, "depth").with_help("write `back:0`");
                self.context.report(missing);
                return None;
            }
            Err(diagnostic) => {
                self.context.report(*diagnostic);
                return None;
            }
        };
        let own = self.module.branchings[self.branching].depth;
        let Some(depth) = name.text.parse::<u32>().ok().filter(|d| *d <= own) else {
            let label = match name.text.parse::<u32>() {
                Ok(_) => format!("the line has depth {own}, so this branching does not enclose it"),
                Err(_) => "a depth is a number".to_string(),
            };
            let title = format!("`back:{}` names no enclosing branching", name.text);
            let diagnostic = Diagnostic::new(names::BAD_BACK, title, name.span, label)
                .with_help(format!("possible are `back:0` to `back:{own}`"));
            self.context.report(diagnostic);
            return None;
        };
        let mut branching = self.branching;
        while self.module.branchings[branching].depth > depth {
            let parent = self.module.branchings[branching].parent?;
            branching = self.module.lines[parent].branching;
        }
        Some((TokenKind::Back(branching), None))
    }
}

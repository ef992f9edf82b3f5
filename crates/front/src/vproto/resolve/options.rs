//! Options and counts of tokens.

use super::context::Context;
use crate::vproto::ast::{Name, OptionItem, Part, Quantifier, Token};
use crate::vproto::escape;
use crate::vproto::parser::inner;
use crate::vproto::portable::check::MAX_KNOWN;
use vproto_ir::grammar::{Bound, Counts, Hint, Max, Min, Until};
use vproto_ir::ids::{ExprId, ModuleId, VarId};
use vproto_ir::symbols::VarType;
use vproto_source::code::names;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Span};

/// Sets of options that a token may have.
pub mod allow {
    /// `?`
    pub const OPTIONAL: u32 = 1;
    /// `min`, `*`, `+`, `?`
    pub const MIN: u32 = 1 << 1;
    /// `max`
    pub const MAX: u32 = 1 << 2;
    /// `init`
    pub const INIT: u32 = 1 << 3;
    /// `sse`, `nosse`
    pub const SSE: u32 = 1 << 4;
    /// `until`
    pub const UNTIL: u32 = 1 << 5;
    /// `trim`
    pub const TRIM: u32 = 1 << 6;
    /// `append`
    pub const APPEND: u32 = 1 << 7;
    /// `wrap`
    pub const WRAP: u32 = 1 << 8;
    /// `signed`
    pub const SIGNED: u32 = 1 << 9;
    /// `swap`
    pub const SWAP: u32 = 1 << 10;
    /// `if`
    pub const IF: u32 = 1 << 11;
    /// `xor`
    pub const XOR: u32 = 1 << 12;
    /// `times`
    pub const TIMES: u32 = 1 << 13;
    /// `keep`
    pub const KEEP: u32 = 1 << 14;
    /// `join`
    pub const JOIN: u32 = 1 << 15;
    /// Variables of a module.
    pub const SETS: u32 = 1 << 16;
    /// All counts.
    pub const COUNTS: u32 = OPTIONAL | MIN | MAX;
}

const KEYS: &[(&str, u32)] = &[
    ("min", allow::MIN),
    ("max", allow::MAX),
    ("init", allow::INIT),
    ("sse", allow::SSE),
    ("nosse", allow::SSE),
    ("until", allow::UNTIL),
    ("trim", allow::TRIM),
    ("append", allow::APPEND),
    ("wrap", allow::WRAP),
    ("signed", allow::SIGNED),
    ("swap", allow::SWAP),
    ("if", allow::IF),
    ("xor", allow::XOR),
    ("times", allow::TIMES),
    ("keep", allow::KEEP),
    ("join", allow::JOIN),
];

/// The options of one token.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `min`, or what a quantifier says.
    pub min: Option<Bound>,
    /// `max`, or what a quantifier says.
    pub max: Option<Bound>,
    /// `init`
    pub init: Option<Bound>,
    /// `sse`, `nosse`
    pub hint: Hint,
    /// `until`
    pub until: Option<Until>,
    /// `trim`
    pub trim: bool,
    /// `append`
    pub append: bool,
    /// `wrap`
    pub wrap: bool,
    /// `signed`
    pub signed: bool,
    /// `swap`
    pub swap: Option<ExprId>,
    /// `if`
    pub condition: Option<ExprId>,
    /// `xor`
    pub xor: Option<VarId>,
    /// `times`
    pub times: Option<Bound>,
    /// `keep`
    pub keep: Vec<VarId>,
    /// `join`
    pub join: bool,
    /// Variables of the module and their values.
    pub sets: Vec<(VarId, ExprId)>,
}

/// Reads the counts and options of a token. What `allowed` does not hold is reported and left out.
pub fn read(context: &mut Context<'_>, token: &Token, allowed: u32, module: Option<ModuleId>) -> Options {
    let mut reader =
        Reader { context, token, allowed, module, options: Options::default(), seen: Vec::new() };
    for part in &token.parts {
        match part {
            Part::Count(quantifier, span) => reader.quantifier(*quantifier, *span),
            Part::Options(options) => options.items.iter().for_each(|item| reader.item(item)),
            _ => {}
        }
    }
    let (options, seen) = (reader.options, reader.seen);
    if let (Some(Bound::Fixed(min)), Some(Bound::Fixed(max))) = (options.min, options.max)
        && min > max
    {
        min_above_max(context, &seen, min, max);
    }
    options
}

fn min_above_max(context: &mut Context<'_>, seen: &[(String, Span)], min: u64, max: u64) {
    let Some((_, span)) = seen.iter().find(|(key, _)| key == "min") else { return };
    context.report(
        Diagnostic::new(
            names::MIN_ABOVE_MAX,
            "`min` is greater than `max`",
            *span,
            format!("{min} is more than {max}"),
        )
        .with_help("`max` wins: the token takes that many bytes at most"),
    );
}

/// Reports everything behind a head that takes neither counts nor options.
pub fn none(context: &mut Context<'_>, token: &Token) {
    read(context, token, 0, None);
}

struct Reader<'c, 'a, 't> {
    context: &'c mut Context<'a>,
    token: &'t Token,
    allowed: u32,
    module: Option<ModuleId>,
    options: Options,
    seen: Vec<(String, Span)>,
}

impl Reader<'_, '_, '_> {
    fn report(
        &mut self,
        title: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = Diagnostic::new(names::BAD_OPTION, title, span, label);
        diagnostic.help = help;
        self.context.report(diagnostic);
    }

    /// Notes that an option is written; a second time is reported.
    fn once(&mut self, key: &str, span: Span) -> bool {
        if let Some((_, first)) = self.seen.iter().find(|(known, _)| known == key) {
            let diagnostic = Diagnostic::new(
                names::DOUBLE_OPTION,
                format!("`{key}` is given twice"),
                span,
                "given before",
            )
            .with_label(*first, "the first one");
            self.context.report(diagnostic);
            return false;
        }
        self.seen.push((key.to_string(), span));
        true
    }

    fn quantifier(&mut self, quantifier: Quantifier, span: Span) {
        let (sign, needed) = match quantifier {
            Quantifier::Optional => ("?", allow::OPTIONAL),
            Quantifier::Any => ("*", allow::MIN),
            Quantifier::Some => ("+", allow::MIN),
        };
        if self.allowed & needed == 0 {
            let help = match self.allowed & allow::OPTIONAL != 0 {
                true => Some("the width is part of the name; only `?` is possible".to_string()),
                false => None,
            };
            return self.report(
                format!("this token takes no `{sign}`"),
                span,
                "a count does not belong here",
                help,
            );
        }
        if !self.once("min", span) {
            return;
        }
        self.options.min = Some(Bound::Fixed(u64::from(quantifier == Quantifier::Some)));
        if quantifier == Quantifier::Optional && self.once("max", span) {
            self.options.max = Some(Bound::Fixed(1));
        }
    }

    fn item(&mut self, item: &OptionItem) {
        let Some(key) = &item.key else {
            let empty = item.span.start == item.span.end;
            let label = if empty { "nothing stands here" } else { "this is no option" };
            let help = "options are words, or a word, `=` and a value: `(max=10, trim)`".to_string();
            let span = if empty { self.token.span } else { item.span };
            return self.report("an option is malformed", span, label, Some(help));
        };
        let Some(&(name, flag)) = KEYS.iter().find(|(name, _)| *name == key.text) else {
            return self.unknown_or_set(key, item);
        };
        if self.allowed & flag == 0 {
            return self.not_allowed(key);
        }
        if self.once(name, key.span) && self.shape(key, item, flag) {
            self.value(name, key, item.value.unwrap_or(key.span));
        }
    }

    fn not_allowed(&mut self, key: &Name) {
        let possible: Vec<&str> =
            KEYS.iter().filter(|(_, flag)| self.allowed & flag != 0).map(|(name, _)| *name).collect();
        let help = match possible.is_empty() {
            true => "it takes no options".to_string(),
            false => format!("possible are {}", possible.join(" ")),
        };
        self.report(
            format!("this token has no option `{}`", key.text),
            key.span,
            "does not belong here",
            Some(help),
        );
    }

    /// Whether an option has a value exactly if it needs one.
    fn shape(&mut self, key: &Name, item: &OptionItem, flag: u32) -> bool {
        let flags = allow::TRIM | allow::APPEND | allow::WRAP | allow::SIGNED | allow::JOIN;
        let empty = item.value.is_some_and(|v| v.start == v.end);
        match (flag, item.value) {
            (allow::SSE, _) if !empty => true,
            (flag, None) if flag & flags != 0 => true,
            (flag, Some(_)) if flag & flags != 0 => {
                self.report(
                    format!("`{}` has no value", key.text),
                    item.span,
                    "the word alone is the option",
                    None,
                );
                false
            }
            (_, Some(_)) if !empty => true,
            _ => {
                let help = format!("write `{}=…`", key.text);
                self.report(
                    format!("`{}` lacks its value", key.text),
                    item.span,
                    "a value must follow",
                    Some(help),
                );
                false
            }
        }
    }

    fn value(&mut self, name: &str, key: &Name, span: Span) {
        match name {
            "min" => self.options.min = self.context.bound(span),
            "max" => self.options.max = self.context.bound(span),
            "init" => self.options.init = self.context.bound(span),
            "times" => self.options.times = self.context.bound(span),
            "sse" | "nosse" => self.hint(key, span),
            "until" => self.options.until = self.until(span),
            "trim" => self.options.trim = true,
            "append" => self.options.append = true,
            "wrap" => self.options.wrap = true,
            "signed" => self.options.signed = true,
            "join" => self.options.join = true,
            "swap" => self.options.swap = self.context.scalar_id(span),
            "if" => self.options.condition = self.context.scalar_id(span),
            "xor" => self.options.xor = self.array(span),
            "keep" => self.options.keep = self.keep(span),
            _ => {}
        }
    }

    fn hint(&mut self, key: &Name, span: Span) {
        let text = self.context.text(span);
        self.options.hint = match (key.text.as_str(), text) {
            ("nosse", "nosse") => Hint::Never,
            ("sse", "sse") => Hint::Vector,
            ("sse", "SSE2") => Hint::Sse2,
            ("sse", "SSE4.2") => Hint::Sse42,
            ("sse", "AVX2") => Hint::Avx2,
            _ => {
                let help =
                    Some("known are `sse`, `sse=SSE2`, `sse=SSE4.2`, `sse=AVX2` and `nosse`".to_string());
                return self.report("unknown vector instructions", span, "no such hint", help);
            }
        };
    }

    fn until(&mut self, span: Span) -> Option<Until> {
        let text = self.context.text(span);
        let whole = |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
        if whole('"') {
            let file = &self.context.files.get(span.file).text;
            let bytes = escape::literal(file, inner(span), self.context.out);
            if bytes.is_empty() {
                self.report("`until` is empty", span, "the text has at least one byte", None);
                return None;
            }
            return Some(Until::Text(bytes));
        }
        if whole('\'') {
            self.report("`until` compares exactly", span, "use double quotes", None);
            return None;
        }
        let var = self.variable(span)?;
        if self.context.names.symbols.vars[var].ty.is_text() {
            return Some(Until::Var(var));
        }
        self.report("`until` needs a text", span, "this variable holds no bytes", None);
        None
    }

    fn variable(&mut self, span: Span) -> Option<VarId> {
        let text = self.context.text(span);
        let var = self.context.names.var(text);
        if var.is_none() {
            unknown_variable(self.context, text, span);
        }
        var.filter(|var| !self.context.names.is_broken(*var))
    }

    fn array(&mut self, span: Span) -> Option<VarId> {
        let var = self.variable(span)?;
        if matches!(self.context.names.symbols.vars[var].ty, VarType::Array { .. }) {
            return Some(var);
        }
        let help = Some("capture the key as `array:key(max=4)`".to_string());
        self.report("`xor` needs an array", span, "this variable is none", help);
        None
    }

    /// `keep=a b`
    fn keep(&mut self, span: Span) -> Vec<VarId> {
        let text = self.context.text(span);
        let base = text.as_ptr() as usize;
        let mut kept = Vec::new();
        for word in text.split_ascii_whitespace() {
            let start = span.start + (word.as_ptr() as usize - base) as u32;
            let place = Span { start, end: start + word.len() as u32, ..span };
            let Some(var) = self.variable(place) else { continue };
            if !self.context.names.symbols.vars[var].ty.is_scalar() {
                let label = "only integers, booleans and enums are kept";
                self.report(format!("`{word}` cannot be kept"), place, label, None);
            } else if kept.contains(&var) {
                self.report(format!("`{word}` is kept twice"), place, "named before", None);
            } else {
                kept.push(var);
            }
        }
        kept
    }

    /// An option that is none of ours: a variable of the module, or a mistake.
    fn unknown_or_set(&mut self, key: &Name, item: &OptionItem) {
        if self.allowed & allow::SETS != 0 {
            let Some(module) = self.module else { return };
            let theirs = &self.context.modules[module].symbols;
            if let Some((var, value)) = theirs.var(&key.text).zip(item.value) {
                return self.set(module, var, key, value);
            }
            return self.unknown_set(module, key);
        }
        let known = KEYS.iter().filter(|(_, flag)| self.allowed & flag != 0).map(|(name, _)| *name);
        let near = did_you_mean(&key.text, known);
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let name = crate::vproto::parser::shorten(&key.text);
        self.report(format!("unknown option `{name}`"), key.span, "no option has this name", help);
    }

    fn unknown_set(&mut self, module: ModuleId, key: &Name) {
        let theirs = &self.context.modules[module];
        let vars = theirs.symbols.vars.iter().map(|(_, v)| v.name.as_str());
        let near = did_you_mean(&key.text, vars.take(MAX_KNOWN).chain(KEYS.iter().map(|(name, _)| *name)));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let title = format!("unknown option `{}`", key.text);
        let label = format!("neither an option nor a variable of module `{}`", theirs.name);
        self.report(title, key.span, label, help);
    }

    /// `x=e`: sets a variable of the module.
    fn set(&mut self, module: ModuleId, var: VarId, key: &Name, value: Span) {
        if !self.once(&key.text, key.span) {
            return;
        }
        let theirs = &self.context.modules[module].symbols.vars[var];
        if theirs.ty.is_scalar() {
            if let Some(expr) = self.context.scalar_id(value) {
                self.options.sets.push((var, expr));
            }
            return;
        }
        let label = "only integers, booleans and enums can be set";
        self.report(format!("`{}` cannot be set from here", key.text), key.span, label, None);
    }
}

/// Reports a variable that is not there.
pub fn unknown_variable(context: &mut Context<'_>, name: &str, span: Span) {
    let vars = context.names.symbols.vars.iter().map(|(_, v)| v.name.as_str());
    let near = context.has_room().then(|| did_you_mean(name, vars.take(MAX_KNOWN))).flatten();
    let title = format!("unknown variable `{}`", crate::vproto::parser::shorten(name));
    let mut diagnostic = Diagnostic::new(names::UNKNOWN_VARIABLE, title, span, "no variable has this name");
    diagnostic.help = near.map(|near| format!("did you mean `{near}`?"));
    context.report(diagnostic);
}

impl Options {
    /// The counts, where `default` holds without any and `all` tells that the set has every byte.
    pub fn counts(&self, default: Counts, all: bool) -> Counts {
        if self.min.is_none() && self.max.is_none() {
            return default;
        }
        let min = match (self.min, self.max) {
            (Some(Bound::Fixed(n)), _) => Min::Fixed(n),
            (Some(Bound::Expr(e)), _) => Min::Expr(e),
            (None, Some(Bound::Fixed(n))) if all => Min::Fixed(n),
            (None, _) if all => Min::Max,
            (None, _) => Min::Fixed(1),
        };
        let max = match self.max {
            Some(Bound::Fixed(n)) => Max::Fixed(n),
            Some(Bound::Expr(e)) => Max::Expr(e),
            None => Max::None,
        };
        Counts { min, max, min_written: self.min.is_some() }
    }
}

/// The counts of a run of bytes without any written: at least one, or any number where the set has every byte.
pub fn open_counts(all: bool) -> Counts {
    Counts { min: Min::Fixed(u64::from(!all)), max: Max::None, min_written: false }
}

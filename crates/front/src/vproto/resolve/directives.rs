//! Lines that begin with `@`.

use super::context::Context;
use crate::vproto::ast::{Directive, LineKind, Name};
use crate::vproto::escape;
use crate::vproto::lexer::{is_word, quote_end};
use vproto_ir::grammar::Code;
use vproto_source::code::names;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Files, Span};

const KNOWN: &[&str] = &["module", "include", "import", "output", "const", "limit", "cpp", "rust", "doc"];

/// Reads all directives of a module but `@include`, which is spliced in already.
pub fn read(context: &mut Context<'_>) {
    let lines = context.lines.clone();
    for flat in &lines {
        if let LineKind::Directive(directive) = &flat.line().kind {
            if flat.depth > 0 {
                indented(context, flat.line().indent);
            }
            read_one(context, directive);
        }
    }
}

fn indented(context: &mut Context<'_>, indent: Span) {
    context.report(
        Diagnostic::new(
            names::BAD_DIRECTIVE,
            "a directive is indented",
            indent,
            "directives stand at depth 0",
        )
        .with_help("remove this white space"),
    );
}

fn read_one(context: &mut Context<'_>, directive: &Directive) {
    match directive.name.text.as_str() {
        "include" => {}
        "module" => read_module(context, directive),
        "import" => {
            if import(context.files, directive).is_none() {
                malformed(context, directive, "the name of a module must follow", "write `@import dns`");
            }
        }
        "output" => read_output(context, directive),
        "const" => read_const(context, directive),
        "limit" => read_limits(context, directive),
        "cpp" | "rust" => read_head(context, directive),
        "doc" => match quoted_span(context.text(directive.rest), directive.rest) {
            Some(inner) => {
                let bytes = escape::literal(&context.files.get(inner.file).text, inner, context.out);
                context.docs.push(String::from_utf8_lossy(&bytes).into_owned());
            }
            None => {
                malformed(context, directive, "a text in double quotes must follow", "write `@doc \"…\"`")
            }
        },
        _ => unknown(context, &directive.name),
    }
}

fn unknown(context: &mut Context<'_>, name: &Name) {
    let diagnostic = Diagnostic::new(
        names::UNKNOWN_DIRECTIVE,
        format!("unknown directive `@{}`", crate::vproto::parser::shorten(&name.text)),
        name.span,
        "no directive has this name",
    );
    let help = match did_you_mean(&name.text, KNOWN.iter().copied()) {
        Some(near) => format!("did you mean `@{near}`?"),
        None => format!("directives are {}", KNOWN.map_at()),
    };
    context.report(diagnostic.with_help(help));
}

/// Names with an `@` in front, for messages.
trait MapAt {
    fn map_at(&self) -> String;
}

impl MapAt for [&str] {
    fn map_at(&self) -> String {
        self.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(" ")
    }
}

fn malformed(context: &mut Context<'_>, directive: &Directive, label: &str, help: &str) {
    let span = if directive.rest.start == directive.rest.end { directive.name.span } else { directive.rest };
    let title = format!("`@{}` is malformed", directive.name.text);
    context.report(Diagnostic::new(names::BAD_DIRECTIVE, title, span, label).with_help(help));
}

/// The text of a whole rest in double quotes.
pub fn quoted(rest: &str) -> Option<String> {
    let end = quote_end(rest.as_bytes(), 0, rest.len(), b'"').filter(|_| rest.starts_with('"'))?;
    (end == rest.len() && end > 2).then(|| rest[1..end - 1].to_string())
}

fn quoted_span(text: &str, rest: Span) -> Option<Span> {
    let end = quote_end(text.as_bytes(), 0, text.len(), b'"').filter(|_| text.starts_with('"'))?;
    (end == text.len()).then_some(Span { start: rest.start + 1, end: rest.end - 1, ..rest })
}

fn identifier(text: &str) -> Option<&str> {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && text.bytes().all(is_word)).then_some(text)
}

/// The name that `@import` gives a module, and the path where one is written in quotes.
pub fn import(files: &Files, directive: &Directive) -> Option<(Name, Option<String>)> {
    let rest = files.text(directive.rest);
    if let Some(name) = identifier(rest) {
        return Some((Name { text: name.to_string(), span: directive.rest }, None));
    }
    let path = quoted(rest)?;
    let name = stem(&path);
    identifier(&name)?;
    Some((Name { text: name, span: directive.rest }, Some(path)))
}

/// The stem of a file's name.
pub fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".vproto").unwrap_or(file);
    let stem = if stem == file { file.split('.').next().unwrap_or(file) } else { stem };
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

/// What `@module` says.
pub fn module_name(context: &Context<'_>) -> Option<String> {
    context.lines.iter().find_map(|flat| match &flat.line().kind {
        LineKind::Directive(d) if d.name.text == "module" => {
            identifier(context.text(d.rest)).map(str::to_string)
        }
        _ => None,
    })
}

fn read_module(context: &mut Context<'_>, directive: &Directive) {
    if identifier(context.text(directive.rest)).is_none() {
        return malformed(context, directive, "a name must follow", "write `@module demo`");
    }
    let names_module = |d: &Directive| d.name.text == "module";
    let first = context.lines.iter().find_map(|flat| match &flat.line().kind {
        LineKind::Directive(d) if names_module(d) => Some(d.name.span),
        _ => None,
    });
    if let Some(first) = first.filter(|first| *first != directive.name.span) {
        context.report(
            Diagnostic::new(
                names::BAD_DIRECTIVE,
                "the module is named twice",
                directive.name.span,
                "a second `@module`",
            )
            .with_label(first, "the first one"),
        );
    }
}

fn read_output(context: &mut Context<'_>, directive: &Directive) {
    let text = context.text(directive.rest);
    if text.is_empty() || !text.split("::").all(|part| identifier(part).is_some() || part.is_empty()) {
        return malformed(context, directive, "the name of a class must follow", "write `@output MyOutput`");
    }
    if let Some((_, first)) = context.output {
        context.report(
            Diagnostic::new(names::BAD_DIRECTIVE, "two output classes", directive.rest, "a second `@output`")
                .with_label(first, "the first one"),
        );
        return;
    }
    context.output = Some((text.to_string(), directive.rest));
}

/// `@const N = 5`
fn read_const(context: &mut Context<'_>, directive: &Directive) {
    let text = context.text(directive.rest);
    let parts = text.split_once('=').map(|(name, value)| (name.trim_end(), value.trim_start()));
    let Some((name, value)) = parts.filter(|(name, value)| identifier(name).is_some() && !value.is_empty())
    else {
        return malformed(context, directive, "a name, `=` and a value must follow", "write `@const N = 5`");
    };
    let start = directive.rest.start;
    let name =
        Name { text: name.to_string(), span: Span { end: start + name.len() as u32, ..directive.rest } };
    let span = Span { start: directive.rest.end - value.len() as u32, ..directive.rest };
    let Some(value) = context.constant(span) else { return };
    if matches!(name.text.as_str(), "offset" | "left" | "true" | "false") {
        return super::captures::reserved(context, &name);
    }
    if let Some(&(_, first)) = context.names.consts.get(&name.text) {
        context.report(
            Diagnostic::new(
                names::DOUBLE_VARIABLE,
                format!("constant `{}` is defined twice", name.text),
                name.span,
                "a second definition",
            )
            .with_label(first, "the first one"),
        );
        return;
    }
    context.names.consts.insert(name.text, (value, name.span));
}

/// `@limit calls=256 string=64K view=64K states=16`
fn read_limits(context: &mut Context<'_>, directive: &Directive) {
    let text = context.text(directive.rest);
    if text.trim().is_empty() {
        return malformed(context, directive, "limits must follow", "write `@limit calls=256 string=64K`");
    }
    let base = text.as_ptr() as usize;
    for word in text.split_whitespace() {
        let start = directive.rest.start + (word.as_ptr() as usize - base) as u32;
        let span = Span { start, end: start + word.len() as u32, ..directive.rest };
        read_limit(context, word, span);
    }
}

fn read_limit(context: &mut Context<'_>, word: &str, span: Span) {
    let bad = |label: &str, help: &str| {
        Diagnostic::new(names::BAD_DIRECTIVE, "a limit is malformed", span, label).with_help(help)
    };
    let Some((key, value)) = word.split_once('=') else {
        return context
            .report(bad("a name, `=` and a number were expected", "write `calls=256`, without white space"));
    };
    let Some(number) = size(value).filter(|n| *n > 0) else {
        return context.report(bad("a number from 1 to 2^31 was expected", "write `string=64K`"));
    };
    let limits = &mut context.names.symbols.limits;
    match key {
        "calls" => {
            limits.calls = number;
            context.calls_limit = Some(span);
        }
        "string" => {
            limits.string = number;
            context.stated.string = true;
        }
        "view" => {
            limits.view = number;
            context.stated.view = true;
        }
        "states" => limits.states = number,
        _ => {
            let known = ["calls", "string", "view", "states"];
            let help = match did_you_mean(key, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("limits are {}", known.join(" ")),
            };
            context.report(bad("no limit has this name", &help));
        }
    }
}

/// A number with `K` or `M` behind it, or none.
fn size(text: &str) -> Option<u32> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let number: u32 = digits.parse().ok()?;
    number.checked_mul(unit).filter(|n| *n <= 1 << 31)
}

fn read_head(context: &mut Context<'_>, directive: &Directive) {
    let Some(block) = directive.block.as_ref().filter(|b| b.span == directive.rest) else {
        let help = format!("write `@{} {{ … }}`", directive.name.text);
        return malformed(context, directive, "a block in braces must follow, and nothing behind it", &help);
    };
    let code = Code { text: context.text(block.inner).to_string(), span: block.span };
    context.heads.push((directive.name.text.clone(), code));
}

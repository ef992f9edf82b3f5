//! The formatter: one layout for all descriptions.
//!
//! Tabs for depth, one space between tokens, none inside of them but behind commas, at most one blank line in a row.
//! Comments stay where they are; literals, sets, code and expressions stay as they were written. Only texts whose
//! lines and tokens are right are formatted: names are not looked at.

use super::ast::{
    Ast, Directive, Field, Head, Line, LineKind, Member, Options, Part, Quantifier, Target, Token,
};
use super::layout;
use vproto_source::{Diagnostics, FileId, Span};

/// Formats a description. Formatting the result again changes nothing.
///
/// # Errors
/// The findings, where lines or tokens of the text are wrong.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let mut found = Diagnostics::new();
    let ast = layout::parse_file(FileId::default(), text, &mut found);
    if found.iter().any(|d| d.is_error()) {
        return Err(found);
    }
    Ok(Printer { text, unit: unit(&ast), out: String::new() }.file(&ast))
}

/// Spaces that make one level, for comments; 0 where the file indents with tabs.
fn unit(ast: &Ast) -> usize {
    let indented = |l: &&Line| l.depth > 0 && !matches!(l.kind, LineKind::Comment | LineKind::Blank);
    let first = ast.lines.iter().find(indented);
    first.map_or(0, |l| (l.indent.range().len()) / l.depth as usize)
}

struct Printer<'a> {
    text: &'a str,
    unit: usize,
    out: String,
}

impl<'a> Printer<'a> {
    fn raw(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }

    fn file(mut self, ast: &Ast) -> String {
        let mut blank = false;
        for line in &ast.lines {
            if matches!(line.kind, LineKind::Blank) {
                blank = true;
                continue;
            }
            if std::mem::take(&mut blank) && !self.out.is_empty() {
                self.out.push('\n');
            }
            self.line(line);
            let length = self.out.trim_end_matches([' ', '\t', '\r']).len();
            self.out.truncate(length);
            self.out.push('\n');
        }
        self.out.replace("\r\n", "\n")
    }

    fn line(&mut self, line: &Line) {
        let depth = match line.kind {
            LineKind::Comment => self.comment_depth(line),
            _ => line.depth as usize,
        };
        self.out.extend(std::iter::repeat_n('\t', depth));
        let pieces: Vec<(Span, String)> = match &line.kind {
            LineKind::Blank | LineKind::Comment => Vec::new(),
            LineKind::Directive(directive) => vec![self.directive(directive, line)],
            LineKind::Tokens { tokens, continues } => {
                let tokens = tokens.iter().map(|t| (t.span, self.token(t)));
                tokens.chain(continues.iter().map(|span| (*span, "\\".to_string()))).collect()
            }
        };
        self.pieces(pieces, &line.comments);
    }

    /// Comments are indented as they were, whatever the unit.
    fn comment_depth(&self, line: &Line) -> usize {
        let white = self.raw(line.indent).trim_start_matches('\u{feff}');
        let tabs = white.bytes().filter(|&b| b == b'\t').count();
        let spaces = white.len() - tabs;
        tabs + spaces.checked_div(self.unit.max(1)).filter(|_| tabs == 0).unwrap_or(0)
    }

    /// Pieces and comments in the order of the text. A comment inside of a piece goes behind it, unless the piece
    /// shows it.
    fn pieces(&mut self, pieces: Vec<(Span, String)>, comments: &[Span]) {
        let mut comments = comments.iter().copied().peekable();
        let mut parts: Vec<String> = Vec::new();
        for (span, piece) in pieces {
            while let Some(comment) = comments.next_if(|c| c.start < span.start) {
                parts.push(self.raw(comment).to_string());
            }
            parts.push(piece);
            while let Some(comment) = comments.next_if(|c| c.start < span.end) {
                parts.push(self.raw(comment).to_string());
            }
        }
        parts.extend(comments.map(|c| self.raw(c).to_string()));
        self.out.push_str(&parts.join(" "));
    }

    fn directive(&self, directive: &Directive, line: &Line) -> (Span, String) {
        let rest = self.raw(directive.rest).trim();
        let at = directive.name.span;
        let inner: Vec<&Span> = line.comments.iter().filter(|c| within(**c, directive.rest)).collect();
        let text = match (rest.is_empty(), inner.is_empty()) {
            (true, _) => self.raw(at).to_string(),
            // The comments are printed behind the piece, so they must not be part of it.
            (false, false) => format!("{} {}", self.raw(at), without(self.text, directive.rest, &inner)),
            (false, true) => format!("{} {rest}", self.raw(at)),
        };
        (at.to(directive.rest), text)
    }

    fn token(&self, token: &Token) -> String {
        let mut text = match &token.head {
            Head::If(block) => format!("if {}", self.raw(block.span)),
            Head::Enum(members) => format!("enum{}", self.members(members, token.head_span)),
            Head::Bits { little, fields } => {
                let word = if *little { "bitsle" } else { "bits" };
                format!("{word}{}", self.fields(fields, token.head_span))
            }
            Head::Parallel(sequences) => {
                let sequences: Vec<String> = sequences.iter().map(|s| self.sequence(s)).collect();
                format!("<{}>", sequences.join(", "))
            }
            Head::Set(_) | Head::Text { .. } | Head::Word(_) | Head::Code(_) | Head::Unknown => {
                self.raw(token.head_span).to_string()
            }
        };
        for part in &token.parts {
            text.push_str(&self.part(part));
        }
        text
    }

    fn sequence(&self, tokens: &[Token]) -> String {
        tokens.iter().map(|t| self.token(t)).collect::<Vec<_>>().join(" ")
    }

    fn part(&self, part: &Part) -> String {
        match part {
            Part::Name(name) => format!(":{}", name.text),
            Part::Count(Quantifier::Optional, _) => "?".to_string(),
            Part::Count(Quantifier::Any, _) => "*".to_string(),
            Part::Count(Quantifier::Some, _) => "+".to_string(),
            Part::Options(options) => self.options(options),
            Part::Redirect(redirect) => match &redirect.target {
                Target::Word(name) => format!("->{}", name.text),
                Target::Enum(members) => format!("->enum{}", self.members(members, redirect.span)),
                Target::Missing => self.raw(redirect.span).to_string(),
            },
            Part::Start(value) => format!(" = {}", self.raw(*value)),
        }
    }

    fn options(&self, options: &Options) -> String {
        let items: Vec<String> = options
            .items
            .iter()
            .map(|item| match (&item.key, item.value) {
                _ if self.raw(item.span).contains("/*") => self.raw(item.span).to_string(),
                (Some(key), Some(value)) => format!("{}={}", key.text, single_blanks(self.raw(value))),
                _ => single_blanks(self.raw(item.span)),
            })
            .collect();
        format!("({})", items.join(", "))
    }

    /// The braces of an `enum`; a list with comments or over several lines stays as it is.
    fn members(&self, members: &[Member], span: Span) -> String {
        let raw = braces(self.raw(span));
        if is_laid_out(raw) {
            return raw.to_string();
        }
        let one = |member: &Member| {
            let value =
                member.value.map(|v| format!(" = {}", single_blanks(self.raw(v)))).unwrap_or_default();
            let text =
                member.text.as_ref().map(|(.., span)| format!(" {}", self.raw(*span))).unwrap_or_default();
            format!("{}{value}{text}", member.name.text)
        };
        format!("{{{}}}", members.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn fields(&self, fields: &[Field], span: Span) -> String {
        let raw = braces(self.raw(span));
        if is_laid_out(raw) {
            return raw.to_string();
        }
        let one = |field: &Field| format!("{}:{}", field.name.text, field.bits);
        format!("{{{}}}", fields.iter().map(one).collect::<Vec<_>>().join(" "))
    }
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// From the first brace on.
fn braces(raw: &str) -> &str {
    raw.find('{').map_or("", |at| &raw[at..])
}

fn is_laid_out(raw: &str) -> bool {
    raw.contains('\n') || raw.contains("/*") || raw.contains("//")
}

/// The text under a span without some parts of it, and one blank for each.
fn without(text: &str, span: Span, parts: &[&Span]) -> String {
    let mut kept = Vec::new();
    let mut at = span.start as usize;
    for part in parts {
        kept.push(text[at..part.start as usize].trim());
        at = part.end as usize;
    }
    kept.push(text[at..span.end as usize].trim());
    kept.retain(|piece| !piece.is_empty());
    kept.join(" ")
}

/// The text with one space for each run of blanks outside of quotes.
fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quote, mut escaped) = (None, false);
    for c in text.chars() {
        match quote {
            None if matches!(c, ' ' | '\t') => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
                continue;
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn formats(text: &str, expected: &str) {
        let once = format(text).expect("the text is right");
        assert_eq!(once, expected);
        assert_eq!(format(&once).expect("formatting does no harm"), expected, "formatting twice");
    }

    #[test]
    fn tokens_are_spaced_by_one() {
        formats(
            "u8:x   [a-z ]*   ( max = 3,trim )->string:y\t\"a\"  \n",
            "u8:x [a-z ]*(max=3, trim)->string:y \"a\"\n",
        );
        formats("[a] -> string:x (init=4) \"b\" ?", "[a]->string:x(init=4) \"b\"?\n");
        formats("<  \"a\"  'b' ,[c] ->f , <\"d\",\"e\"> >", "<\"a\" 'b', [c]->f, <\"d\", \"e\">>\n");
        formats("enum { a ,b=5 , c }:v", "enum{a, b = 5, c}:v\n");
        formats("bits {a:4   b:12 }", "bits{a:4 b:12}\n");
        formats("if{x}  notify:f( a,b  +  c , \"x  y\" )", "if {x} notify:f(a, b + c, \"x  y\")\n");
        formats("\"a\" call:l( keep = a   b,max=x  +1 )", "\"a\" call:l(keep=a b, max=x +1)\n");
        formats("catch:   [^x]*", "catch: [^x]*\n");
    }

    #[test]
    fn lines_are_indented_by_tabs() {
        formats(
            "\n\n\"a\"\n  \"b\"\\\n    \"c\"\n\n\n\n\"d\"\n\n",
            "\"a\"\n\t\"b\" \\\n\t\t\"c\"\n\n\"d\"\n",
        );
        formats("\"a\" \r\n\t\"b\"\r\n", "\"a\"\n\t\"b\"\n");
        formats("\"a\" {\n   x();\n}   \"b\"", "\"a\" {\n   x();\n} \"b\"\n");
    }

    #[test]
    fn comments_are_kept() {
        formats(
            "// one  \n\"a\"   // two\n  // three\n  \"b\" /* four */  \"c\"\\ // five",
            "// one\n\"a\" // two\n\t// three\n\t\"b\" /* four */ \"c\" \\ // five\n",
        );
        formats("data(max = 3 /* why */ )", "data(max = 3 /* why */)\n");
        formats("[a] /* x */ ->f", "[a]->f /* x */\n");
        formats("enum{ a, // x\n b }:v", "enum{ a, // x\n b }:v\n");
        formats("@const  N = /* x */ 3 // y\n\"a\"", "@const N = 3 /* x */ // y\n\"a\"\n");
    }

    #[test]
    fn directives_and_declarations() {
        formats(
            "@module   demo\n@cpp   {\n int x;\n}\n\"a\"\n\nu8:x=3",
            "@module demo\n@cpp {\n int x;\n}\n\"a\"\n\nu8:x = 3\n",
        );
    }

    #[test]
    fn wrong_texts_are_left_alone() {
        assert!(format("\"a\n").is_err());
        assert!(format("foo\n").is_err());
        // Names are not the formatter's business.
        assert!(format("call:nowhere\n").is_ok());
    }
}

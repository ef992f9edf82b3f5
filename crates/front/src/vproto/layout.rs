//! Lexemes to lines: indentation, depth, parents, blank lines and comments.
//!
//! Depth is counted in tabs, or in a unit of spaces that the first indented line sets. A line whose white space is
//! wrong is reported and put where it most likely belongs, so that the rest of the file keeps its shape.

use super::ast::{Ast, Line, LineKind};
use super::lexer::{self, Lex, Lexeme};
use super::{note, parser};
use vproto_source::code::layout;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// Deepest nesting of lines. It bounds every later walk from a line to its tree.
pub const MAX_DEPTH: u32 = 200;

/// Reads a file's text into its tree.
pub fn parse_file(file: FileId, text: &str, out: &mut Diagnostics) -> Ast {
    let lexemes = lexer::lex(file, text, out);
    let mut layout = Layout {
        file,
        text,
        out,
        unit: None,
        last_depth: None,
        parents: Vec::new(),
        too_deep: false,
        lines: Vec::new(),
    };
    let mut line_start = 0;
    let mut rest = lexemes.as_slice();
    while !rest.is_empty() {
        let length = rest.iter().position(|l| l.kind == Lex::Newline).unwrap_or(rest.len());
        let (line, after) = rest.split_at(length);
        layout.line(line_start, line, after.first());
        rest = after.get(1..).unwrap_or(&[]);
        line_start = after.first().map_or(text.len(), |newline| newline.span.end as usize);
    }
    Ast { file, lines: layout.lines }
}

/// The white space that makes one level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tabs,
    Spaces(usize),
}

struct Layout<'a> {
    file: FileId,
    text: &'a str,
    out: &'a mut Diagnostics,
    unit: Option<Unit>,
    last_depth: Option<u32>,
    /// The last line with tokens of each depth, down to that of the line above.
    parents: Vec<usize>,
    too_deep: bool,
    lines: Vec<Line>,
}

impl Layout<'_> {
    fn line(&mut self, line_start: usize, lexemes: &[Lexeme], newline: Option<&Lexeme>) {
        let Some((first, last)) = lexemes.first().zip(lexemes.last()) else {
            let at = newline.map_or(line_start, |n| n.span.start as usize);
            return self.push(
                Span::new(self.file, at, at),
                Span::new(self.file, line_start, at),
                0,
                LineKind::Blank,
                &[],
            );
        };
        let span = first.span.to(last.span);
        let indent = Span::new(self.file, line_start, first.span.start as usize);
        let comments: Vec<Span> = lexemes.iter().filter(|l| l.kind == Lex::Comment).map(|l| l.span).collect();
        let tokens: Vec<Lexeme> = lexemes.iter().filter(|l| l.kind != Lex::Comment).copied().collect();
        if tokens.is_empty() {
            let depth = self.depth_of_comment(indent);
            return self.push(span, indent, depth, LineKind::Comment, &comments);
        }
        let depth = self.depth(indent);
        let kind = parser::parse_line(self.file, self.text, &tokens, self.out);
        self.push(span, indent, depth, kind, &comments);
    }

    fn push(&mut self, span: Span, indent: Span, depth: u32, kind: LineKind, comments: &[Span]) {
        let mut parent = None;
        if matches!(kind, LineKind::Tokens { .. }) {
            self.parents.truncate(depth as usize);
            parent = self.parents.last().copied().filter(|_| depth > 0);
            self.parents.push(self.lines.len());
        }
        self.lines.push(Line { span, indent, depth, parent, kind, comments: comments.to_vec() });
    }

    fn white(&self, indent: Span) -> &str {
        let text: &str = self.text;
        text[indent.range()].trim_start_matches('\u{feff}')
    }

    /// A comment's depth is nobody's business but the formatter's.
    fn depth_of_comment(&self, indent: Span) -> u32 {
        let white = self.white(indent);
        let levels = match self.unit {
            Some(Unit::Spaces(n)) => white.len() / n,
            _ => white.bytes().filter(|&b| b == b'\t').count(),
        };
        (levels as u32).min(MAX_DEPTH)
    }

    fn depth(&mut self, indent: Span) -> u32 {
        let levels = self.levels(indent);
        let most = self.last_depth.map_or(0, |d| d + 1);
        let mut depth = levels.min(most);
        if levels > most {
            self.report_jump(indent, levels);
        }
        if depth > MAX_DEPTH {
            depth = MAX_DEPTH;
            if !std::mem::replace(&mut self.too_deep, true) {
                note(
                    self.out,
                    Diagnostic::new(
                        layout::TOO_DEEP,
                        format!("lines are nested deeper than {MAX_DEPTH} levels"),
                        indent,
                        "this line is one level too deep",
                    )
                    .with_help("put inner branchings into trees of their own, entered by `call:`"),
                );
            }
        }
        self.last_depth = Some(levels.min(most));
        depth
    }

    fn levels(&mut self, indent: Span) -> u32 {
        let white = self.white(indent);
        if white.is_empty() {
            return 0;
        }
        let tabs = white.bytes().filter(|&b| b == b'\t').count();
        let spaces = white.len() - tabs;
        let own = if tabs > 0 { Unit::Tabs } else { Unit::Spaces(spaces) };
        let unit = *self.unit.get_or_insert(own);
        match unit {
            Unit::Tabs if spaces == 0 => tabs as u32,
            Unit::Spaces(n) if tabs == 0 && spaces.is_multiple_of(n) => (spaces / n) as u32,
            Unit::Spaces(n) if tabs == 0 => {
                self.report_unit(indent, n, spaces);
                (spaces / n) as u32
            }
            _ => {
                self.report_mixed(indent, unit, tabs > 0 && spaces > 0);
                let unit = if let Unit::Spaces(n) = unit { n } else { 4 };
                (tabs + spaces / unit) as u32
            }
        }
    }

    fn report_mixed(&mut self, indent: Span, unit: Unit, within: bool) {
        let (label, help) = match unit {
            _ if within => ("tabs and spaces in one indentation", "use tabs only"),
            Unit::Tabs => ("spaces, but the file indents with tabs", "replace the spaces by tabs"),
            Unit::Spaces(_) => {
                ("a tab, but the file indents with spaces", "use one of the two in the whole file")
            }
        };
        note(
            self.out,
            Diagnostic::new(layout::MIXED_INDENT, "tabs and spaces are mixed", indent, label).with_help(help),
        );
    }

    fn report_unit(&mut self, indent: Span, unit: usize, spaces: usize) {
        let label = format!("{spaces} spaces, which is no multiple of {unit}");
        let help = format!(
            "the first indented line sets the unit: use {} or {} spaces",
            spaces / unit * unit,
            (spaces / unit + 1) * unit
        );
        note(
            self.out,
            Diagnostic::new(
                layout::UNEVEN_INDENT,
                "the indentation is no multiple of the unit",
                indent,
                label,
            )
            .with_help(help),
        );
    }

    fn report_jump(&mut self, indent: Span, levels: u32) {
        let diagnostic = match self.last_depth {
            None => Diagnostic::new(
                layout::DEPTH_JUMP,
                "the first line is indented",
                indent,
                "the first line of a description stands at depth 0",
            )
            .with_help("remove this white space"),
            Some(last) => Diagnostic::new(
                layout::DEPTH_JUMP,
                "the indentation jumps by more than one level",
                indent,
                format!("depth {levels}, but the line above has depth {last}"),
            )
            .with_help(format!("a line that belongs to the line above has depth {}", last + 1)),
        };
        note(self.out, diagnostic);
    }
}

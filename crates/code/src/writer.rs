//! Text of generated code, line by line, with indentation.
//!
//! A printer says what stands on a line and where blocks open and close; the writer indents, never leaves
//! blanks at a line's end and never two blank lines in a row. It knows nothing of any language.

/// Collects lines of code.
///
/// ```
/// let mut w = vproto_code::writer::Writer::new("    ");
/// w.block("if (x) {", "}", |w| w.line("y();"));
/// assert_eq!(w.finish(), "if (x) {\n    y();\n}\n");
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    text: String,
    indent: &'static str,
    depth: usize,
}

impl Writer {
    /// An empty text whose blocks are indented by `indent`.
    pub fn new(indent: &'static str) -> Writer {
        Writer { text: String::new(), indent, depth: 0 }
    }

    /// One line at the current depth; an empty one is a blank line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref().trim_end();
        if line.is_empty() {
            return self.blank();
        }
        for _ in 0..self.depth {
            self.text.push_str(self.indent);
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// One line at the left margin: labels, preprocessor lines.
    pub fn margin(&mut self, line: impl AsRef<str>) {
        let depth = std::mem::take(&mut self.depth);
        self.line(line);
        self.depth = depth;
    }

    /// Several lines of text, each put at the current depth.
    pub fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line);
        }
    }

    /// Text that is tidy by itself, as it is.
    pub fn verbatim(&mut self, text: &str) {
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// A blank line, unless there is one already or the text has not begun.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A line that opens a block: what follows is one step deeper.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// A line that closes the innermost block.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// A line that closes one block and opens the next: `} else {`.
    pub fn turn(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.open(line);
    }

    /// A whole block.
    pub fn block(&mut self, open: impl AsRef<str>, close: impl AsRef<str>, body: impl FnOnce(&mut Writer)) {
        self.open(open);
        body(self);
        self.close(close);
    }

    /// The current depth of blocks.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_and_keeps_blank_lines_single() {
        let mut w = Writer::new("  ");
        w.blank();
        w.open("a {");
        w.margin("#if X");
        w.lines("b;\n\n\n  c;  \n");
        w.turn("} else {");
        w.line("");
        w.line("d;");
        w.close("}");
        w.close("}");
        assert_eq!(w.finish(), "a {\n#if X\n  b;\n\n    c;\n} else {\n\n  d;\n}\n}\n");
    }
}

//! The texts of one compilation, and the way from byte offsets to lines and columns.

use crate::Span;

/// Names one file of a [`Files`]. The first one added is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A text with its name and the starts of its lines.
#[derive(Clone, Debug)]
pub struct File {
    /// The path as the user gave it; diagnostics show it.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// A line and a column, both counted from 1; the column counts characters, a tab as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl File {
    /// A file of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> File {
        let text = text.into();
        let ends = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        File { name: name.into(), text, line_starts }
    }

    /// Line and column of a byte offset; an offset behind the end is taken as the end.
    pub fn place(&self, offset: u32) -> Place {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&s| s as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text[start..offset].chars().count() + 1;
        Place { line: line as u32, column: column as u32 }
    }

    /// The text of a line (from 1) without its line end; empty where there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let Some(&start) = (line as usize).checked_sub(1).and_then(|i| self.line_starts.get(i)) else {
            return "";
        };
        let rest = &self.text[start as usize..];
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }

    /// Number of lines.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }
}

/// All files of one compilation: descriptions, included files, imported modules.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// Adds a file and names it.
    pub fn add(&mut self, file: File) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of this name, if it was added.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|f| f.name == name).map(|i| FileId(i as u32))
    }

    /// The file of an id.
    pub fn get(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.range()).unwrap_or("")
    }

    /// Line and column where a span starts.
    pub fn place(&self, span: Span) -> Place {
        self.get(span.file).place(span.start)
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let file = File::new("x", "ä\tb\n\nc");
        assert_eq!(file.place(0), Place { line: 1, column: 1 });
        assert_eq!(file.place(3), Place { line: 1, column: 3 });
        assert_eq!(file.place(4), Place { line: 1, column: 4 });
        assert_eq!(file.place(5), Place { line: 2, column: 1 });
        assert_eq!(file.place(99), Place { line: 3, column: 2 });
        assert_eq!(file.line(3), "c");
        assert_eq!(file.line(9), "");
    }
}

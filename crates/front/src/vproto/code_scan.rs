//! Where a code block ends: braces are balanced outside of the target language's strings, character literals,
//! comments and raw strings.

use super::lexer::is_word;

/// What the text in a brace is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A list of this language: `enum{ … }`, `bits{ … }`.
    List,
    /// C++ or C.
    Cpp,
    /// Rust: nested comments, lifetimes, raw strings with `#`, strings over lines.
    Rust,
    /// Go: raw strings in back quotes.
    Go,
    /// Python: comments with `#`, strings in triple quotes.
    Python,
}

impl Language {
    /// The language of a name, as in `{rust: … }` and `@rust { … }`.
    pub fn find(name: &str) -> Option<Language> {
        match name {
            "c" | "cpp" | "cpp98" => Some(Language::Cpp),
            "rust" => Some(Language::Rust),
            "go" => Some(Language::Go),
            "python" => Some(Language::Python),
            _ => None,
        }
    }
}

/// The language that a block's inner text begins with (`rust:`), its name, and the offset behind the colon.
pub fn named_language(inner: &str) -> Option<(Language, &str, usize)> {
    let lead = inner.len() - inner.trim_start_matches([' ', '\t']).len();
    let rest = &inner[lead..];
    let end = rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len());
    let after = rest[end..].strip_prefix(':')?;
    if after.starts_with(':') {
        return None;
    }
    Language::find(&rest[..end]).map(|language| (language, &rest[..end], lead + end + 1))
}

/// The place behind the `}` that closes the `{` at `start`. Else the line comment that holds a `}`, if one does.
pub fn brace_end(text: &str, start: usize, language: Language) -> Result<usize, Option<(usize, usize)>> {
    let mut scan = Scan { bytes: text.as_bytes(), language, eaten: None };
    let (mut i, mut depth) = (start, 0usize);
    while i < scan.bytes.len() {
        match scan.bytes[i] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(i + 1);
                }
            }
            _ => {
                if let Some(end) = scan.skip(i) {
                    i = end;
                    continue;
                }
            }
        }
        i += 1;
    }
    Err(scan.eaten)
}

struct Scan<'a> {
    bytes: &'a [u8],
    language: Language,
    eaten: Option<(usize, usize)>,
}

impl Scan<'_> {
    /// The end of the comment, string or literal that begins at `i`.
    fn skip(&mut self, i: usize) -> Option<usize> {
        let next = self.bytes.get(i + 1).copied();
        let python = self.language == Language::Python;
        match self.bytes[i] {
            b'#' if python => Some(self.line_comment(i)),
            b'/' if !python && next == Some(b'/') => Some(self.line_comment(i)),
            b'/' if !python && next == Some(b'*') => Some(self.block_comment(i)),
            b'"' => Some(self.string(i)),
            b'\'' => self.apostrophe(i),
            b'`' if self.language == Language::Go => Some(self.until(i + 1, b"`")),
            _ => None,
        }
    }

    fn line_comment(&mut self, i: usize) -> usize {
        let end = self.line_end(i);
        if self.eaten.is_none() && self.bytes[i..end].contains(&b'}') {
            self.eaten = Some((i, end));
        }
        end
    }

    fn line_end(&self, i: usize) -> usize {
        self.bytes[i..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| i + n)
    }

    fn block_comment(&self, i: usize) -> usize {
        let (mut at, mut depth) = (i + 2, 1usize);
        while at < self.bytes.len() {
            match &self.bytes[at..(at + 2).min(self.bytes.len())] {
                b"*/" => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return at;
                    }
                }
                b"/*" if self.language == Language::Rust => {
                    depth += 1;
                    at += 2;
                }
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// A string that begins with a double quote at `i`; raw ones are known by what stands in front.
    fn string(&self, i: usize) -> usize {
        match self.language {
            Language::Cpp if self.raw_prefix(i, b'R') => self.cpp_raw(i),
            Language::Rust => {
                let hashes = self.bytes[..i].iter().rev().take_while(|&&b| b == b'#').count();
                if self.raw_prefix(i - hashes, b'r') {
                    let close: Vec<u8> =
                        std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
                    return self.until(i + 1, &close);
                }
                self.plain(i, b'"', true)
            }
            Language::Python if self.bytes[i..].starts_with(b"\"\"\"") => self.until(i + 3, b"\"\"\""),
            _ => self.plain(i, b'"', false),
        }
    }

    /// Whether the word that ends before `i` is a raw prefix: the letter, with an encoding prefix at most.
    fn raw_prefix(&self, i: usize, letter: u8) -> bool {
        let length = self.bytes[..i].iter().rev().take(4).take_while(|&&b| is_word(b)).count();
        let word = &self.bytes[i - length..i];
        word.last() == Some(&letter)
            && matches!(&word[..length - 1], b"" | b"u8" | b"u" | b"U" | b"L" | b"b" | b"c")
    }

    /// `R"delimiter( … )delimiter"`; a delimiter that breaks the rules makes it a plain string.
    fn cpp_raw(&self, i: usize) -> usize {
        let rest = &self.bytes[i + 1..];
        let length = rest.iter().take(17).position(|&b| b == b'(');
        match length.map(|n| &rest[..n]) {
            Some(delimiter) if !delimiter.iter().any(|b| matches!(b, b' ' | b')' | b'\\' | b'\n' | b'"')) => {
                let close = [b")", delimiter, b"\""].concat();
                self.until(i + 2 + delimiter.len(), &close)
            }
            _ => self.plain(i, b'"', false),
        }
    }

    /// The place behind the next `close`; the end of the text where there is none.
    fn until(&self, from: usize, close: &[u8]) -> usize {
        let from = from.min(self.bytes.len());
        let found = self.bytes[from..].windows(close.len()).position(|w| w == close);
        found.map_or(self.bytes.len(), |n| from + n + close.len())
    }

    /// A string with escapes. One that may not span lines ends where its line does.
    fn plain(&self, i: usize, quote: u8, spans_lines: bool) -> usize {
        let mut at = i + 1;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' if !spans_lines => return at,
                b if b == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// A character literal; a digit separator of C++ or a lifetime of Rust is none.
    fn apostrophe(&self, i: usize) -> Option<usize> {
        let before = i.checked_sub(1).map(|p| self.bytes[p]);
        match self.language {
            Language::Cpp if before.is_some_and(|b| b.is_ascii_hexdigit()) && self.in_number(i) => None,
            Language::Rust => {
                let rest = &self.bytes[i + 1..];
                let escaped = rest.first() == Some(&b'\\');
                let length = rest.iter().take(5).position(|&b| b == b'\'');
                let is_char = escaped || length.is_some_and(|n| n > 0 && one_character(&rest[..n]));
                is_char.then(|| self.plain(i, b'\'', false))
            }
            Language::Python if self.bytes[i..].starts_with(b"'''") => Some(self.until(i + 3, b"'''")),
            _ => Some(self.plain(i, b'\'', false)),
        }
    }

    /// Whether the word that ends before `i` begins with a digit.
    fn in_number(&self, i: usize) -> bool {
        let length = self.bytes[..i].iter().rev().take(64).take_while(|&&b| is_word(b) || b == b'\'').count();
        self.bytes[i - length].is_ascii_digit()
    }
}

fn one_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|s| s.chars().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str, language: Language) -> Option<&str> {
        brace_end(text, 0, language).ok().map(|end| &text[end..])
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        assert_eq!(end("{ f(\"}\"); } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ f('}'); /* } */ } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ // }\n } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ R\"a(})b\" } )a\" } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ n = 1'000; } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ {}{ {} } } x", Language::Cpp), Some(" x"));
        assert_eq!(end("{ r#\"}\"}\"# 'a /* /* */ } */ '}' } x", Language::Rust), Some(" x"));
        assert_eq!(end("{ `}\"` } x", Language::Go), Some(" x"));
        assert_eq!(end("{ # }\n \"\"\"}\"\"\" } x", Language::Python), Some(" x"));
    }

    #[test]
    fn a_comment_that_eats_the_brace_is_named() {
        assert_eq!(brace_end("{ return 1; // ipv4}", 0, Language::Cpp), Err(Some((12, 20))));
        assert_eq!(brace_end("{ \"}", 0, Language::Cpp), Err(None));
    }

    #[test]
    fn languages_are_named_in_front() {
        assert_eq!(named_language(" rust: x").map(|l| (l.1, l.2)), Some(("rust", 6)));
        assert_eq!(named_language("std::x"), None);
        assert_eq!(named_language("cpp::x"), None);
        assert_eq!(named_language("a: x"), None);
    }
}

//! The bytes of literals and sets: escapes, ranges, negation.

use super::note;
use vproto_ir::ByteSet;
use vproto_source::code::layout;
use vproto_source::{Diagnostic, Diagnostics, FileId, Span};

/// A piece of a literal or set: the bytes it stands for, its place and whether it was written as an escape.
struct Piece {
    bytes: [u8; 4],
    length: usize,
    start: usize,
    end: usize,
    escaped: bool,
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    end: usize,
    out: &'a mut Diagnostics,
}

/// The bytes of a literal; `inner` is what stands between the quotes.
pub fn literal(text: &str, inner: Span, out: &mut Diagnostics) -> Vec<u8> {
    let mut reader = Reader::new(text, inner, out);
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next() {
        bytes.extend_from_slice(piece.bytes());
    }
    bytes
}

/// The members of a set; `inner` is what stands between the brackets.
pub fn set(text: &str, inner: Span, out: &mut Diagnostics) -> ByteSet {
    let whole = Span { start: inner.start - 1, end: inner.end + 1, ..inner };
    let mut reader = Reader::new(text, inner, out);
    let negate = text[inner.range()].starts_with('^');
    if negate {
        reader.at += 1;
    }
    let mut set = ByteSet::EMPTY;
    while let Some(piece) = reader.next() {
        reader.member(piece, &mut set);
    }
    if negate {
        set = !set;
    }
    if set.is_empty() {
        let label = if negate { "it leaves out every byte" } else { "it has no member" };
        note(
            out,
            Diagnostic::new(layout::EMPTY_SET, "the set is empty", whole, label)
                .with_help("no byte can be accepted here; any byte is `b8`"),
        );
    }
    set
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, inner: Span, out: &'a mut Diagnostics) -> Reader<'a> {
        Reader { file: inner.file, text, at: inner.start as usize, end: inner.end as usize, out }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    fn next(&mut self) -> Option<Piece> {
        let start = self.at;
        let c = self.text[start..self.end].chars().next()?;
        self.at += c.len_utf8();
        if c == '\\' {
            return Some(self.escape(start));
        }
        let mut bytes = [0; 4];
        let length = c.encode_utf8(&mut bytes).len();
        Some(Piece { bytes, length, start, end: self.at, escaped: false })
    }

    /// An escape that begins at `start`, its backslash passed. A wrong one is reported and stands for its character.
    fn escape(&mut self, start: usize) -> Piece {
        let c = self.text[self.at..self.end].chars().next();
        self.at += c.map_or(0, char::len_utf8);
        let byte = match c {
            Some('r') => b'\r',
            Some('n') => b'\n',
            Some('t') => b'\t',
            Some('0') => 0,
            Some('x') => self.hex(start),
            Some(c) if c.is_ascii_punctuation() || c == ' ' => c as u8,
            _ => self.unknown(start, c),
        };
        Piece { bytes: [byte, 0, 0, 0], length: 1, start, end: self.at, escaped: true }
    }

    fn hex(&mut self, start: usize) -> u8 {
        let digits =
            self.text.as_bytes()[self.at..self.end].iter().take(2).take_while(|b| b.is_ascii_hexdigit());
        let count = digits.count();
        let value = u8::from_str_radix(&self.text[self.at..self.at + count], 16).unwrap_or(0);
        self.at += count;
        if count < 2 {
            let place = self.span(start, self.at);
            note(
                self.out,
                Diagnostic::new(
                    layout::BAD_ESCAPE,
                    "`\\x` needs two hexadecimal digits",
                    place,
                    format!("{count} of 2 digits"),
                )
                .with_help("a byte is written `\\x0d`"),
            );
        }
        value
    }

    fn unknown(&mut self, start: usize, c: Option<char>) -> u8 {
        let place = self.span(start, self.at);
        let mut diagnostic = Diagnostic::new(
            layout::BAD_ESCAPE,
            "unknown escape",
            place,
            "`\\` before a letter or digit means `\\r \\n \\t \\0` or `\\xHH` only",
        );
        diagnostic = match c {
            Some(c @ '1'..='9') => diagnostic.with_help(format!("the byte {c} is written `\\x0{c}`")),
            Some('a' | 'b' | 'e' | 'f' | 'v') => diagnostic.with_help("write the byte as `\\xHH`"),
            Some('d') => diagnostic.with_help("digits are `[0-9]`"),
            Some('s') => diagnostic.with_help("white space is `[ \\t\\r\\n]`"),
            Some('w') => diagnostic.with_help("word characters are `[A-Za-z0-9_]`"),
            _ => diagnostic.with_help("write `\\\\` for a backslash"),
        };
        note(self.out, diagnostic);
        c.filter(char::is_ascii).map_or(b'\\', |c| c as u8)
    }

    /// Adds one member or range to a set.
    fn member(&mut self, first: Piece, set: &mut ByteSet) {
        let Some(low) = self.single(&first) else { return };
        if first.bytes() == b"-" && !first.escaped {
            self.bare_dash(&first);
        }
        let rest = &self.text[self.at..self.end];
        if !rest.starts_with('-') || rest.len() == 1 {
            return self.insert(low, low, first.start, first.end, set);
        }
        self.at += 1;
        let Some(last) = self.next() else { return };
        let Some(high) = self.single(&last) else { return };
        if low > high {
            let place = self.span(first.start, last.end);
            note(
                self.out,
                Diagnostic::new(
                    layout::REVERSED_RANGE,
                    "the range is reversed",
                    place,
                    format!("it begins with 0x{low:02x} and ends with 0x{high:02x}, which is less"),
                )
                .with_help("the smaller byte comes first; a `-` that is a member is written `\\-`"),
            );
            return;
        }
        self.insert(low, high, first.start, last.end, set);
    }

    fn insert(&mut self, low: u8, high: u8, start: usize, end: usize, set: &mut ByteSet) {
        let range = ByteSet::range(low, high);
        let twice = range & *set;
        if let Some(byte) = twice.first() {
            let place = self.span(start, end);
            let label = if low == high {
                "this member was there before".to_string()
            } else {
                format!("{} of its members were there before, the first is 0x{byte:02x}", twice.len())
            };
            note(
                self.out,
                Diagnostic::new(layout::DOUBLE_MEMBER, "a member of the set is written twice", place, label),
            );
        }
        *set = *set | range;
    }

    fn single(&mut self, piece: &Piece) -> Option<u8> {
        if piece.length == 1 {
            return Some(piece.bytes[0]);
        }
        let place = self.span(piece.start, piece.end);
        let hex: Vec<String> = piece.bytes().iter().map(|b| format!("\\x{b:02x}")).collect();
        note(
            self.out,
            Diagnostic::new(
                layout::WIDE_MEMBER,
                "a set holds bytes, not characters",
                place,
                format!("this character has {} bytes in UTF-8", piece.length),
            )
            .with_help(format!("match it by the literal \"{}\"", hex.concat())),
        );
        None
    }

    fn bare_dash(&mut self, piece: &Piece) {
        let place = self.span(piece.start, piece.end);
        note(
            self.out,
            Diagnostic::new(
                layout::BARE_DASH,
                "a `-` that makes no range",
                place,
                "taken as the byte `-` itself",
            )
            .with_help("write it `\\-`"),
        );
    }
}

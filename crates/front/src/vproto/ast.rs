//! The syntax tree of one file: every line, token and comment with its exact place.
//!
//! The tree answers for any text. It is flat where depth is the input's choice: lines stand in one list and know
//! their parent by index; only `< >` nests, and the parser bounds that. Nothing is resolved here; names, options and
//! code are texts with spans. The formatter and the editor read it as well as the resolver.

use vproto_ir::ByteSet;
use vproto_source::{FileId, Span};

/// One file.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// The file.
    pub file: FileId,
    /// All lines from top to bottom, blank ones and comments included.
    pub lines: Vec<Line>,
}

/// A logical line: a code block or a comment may run over several lines of text.
#[derive(Clone, Debug)]
pub struct Line {
    /// From its first token or comment to its last; empty for a blank line.
    pub span: Span,
    /// The white space in front.
    pub indent: Span,
    /// Number of levels of that white space.
    pub depth: u32,
    /// Index of the line that it stands below; only of lines with tokens.
    pub parent: Option<usize>,
    /// What it holds.
    pub kind: LineKind,
    /// The comments in it, in order.
    pub comments: Vec<Span>,
}

/// What a line holds.
#[derive(Clone, Debug)]
pub enum LineKind {
    /// White space only.
    Blank,
    /// Comments only.
    Comment,
    /// Tokens, and perhaps `\` at the end.
    Tokens {
        /// The tokens.
        tokens: Vec<Token>,
        /// The `\`.
        continues: Option<Span>,
    },
    /// `@name …`
    Directive(Directive),
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A token: its head, then counts, options, a redirection and names in the order written.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it begins with.
    pub head: Head,
    /// The place of the head.
    pub head_span: Span,
    /// What follows the head.
    pub parts: Vec<Part>,
    /// All of it.
    pub span: Span,
}

/// The beginning of a token.
#[derive(Clone, Debug)]
pub enum Head {
    /// `[a-z]`
    Set(ByteSet),
    /// `"text"`, or with `fold` `'text'`.
    Text {
        /// Its bytes, escapes resolved.
        bytes: Vec<u8>,
        /// Whether ASCII letters match in either case.
        fold: bool,
    },
    /// A word of the language.
    Word(Word),
    /// `{ … }`
    Code(Block),
    /// `if { … }`
    If(Block),
    /// `enum{ … }`
    Enum(Vec<Member>),
    /// `bits{ … }`, `bitsle{ … }`
    Bits {
        /// `bitsle`
        little: bool,
        /// The fields.
        fields: Vec<Field>,
    },
    /// `< … , … >`
    Parallel(Vec<Vec<Token>>),
    /// A word that is none of the language, or what is left of a broken token. It was reported.
    Unknown,
}

/// A part of a token behind its head.
#[derive(Clone, Debug)]
pub enum Part {
    /// `:name`
    Name(Name),
    /// `?`, `*`, `+`
    Count(Quantifier, Span),
    /// `( … )`
    Options(Options),
    /// `-> …`
    Redirect(Redirect),
    /// `= value` of a declaration; the place of the value.
    Start(Span),
}

/// A short count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `?`
    Optional,
    /// `*`
    Any,
    /// `+`
    Some,
}

/// What stands in parentheses.
#[derive(Clone, Debug)]
pub struct Options {
    /// From parenthesis to parenthesis.
    pub span: Span,
    /// The items between the commas.
    pub items: Vec<OptionItem>,
}

/// One item of a parenthesis.
#[derive(Clone, Debug)]
pub struct OptionItem {
    /// All of it, without white space around; empty where nothing stands between two commas.
    pub span: Span,
    /// The word in front of `=`, or the only word.
    pub key: Option<Name>,
    /// What stands behind `=`.
    pub value: Option<Span>,
}

/// A redirection; names behind the target are parts of their own.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// From the arrow to the end of the target.
    pub span: Span,
    /// Where to.
    pub target: Target,
}

/// The target of a redirection.
#[derive(Clone, Debug)]
pub enum Target {
    /// `->name`: the user's function, or a type whose name follows as a part.
    Word(Name),
    /// `->enum{ … }`
    Enum(Vec<Member>),
    /// It lacks; it was reported.
    Missing,
}

/// A member of `enum{ … }`.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// The value behind `=`.
    pub value: Option<Span>,
    /// Its text with the place, and whether ASCII letters match in either case.
    pub text: Option<(Vec<u8>, bool, Span)>,
}

/// A field of `bits{ … }`.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, `_` for none.
    pub name: Name,
    /// Its width in bits; 0 where it is missing or too large, which was reported.
    pub bits: u32,
}

/// A code block.
#[derive(Clone, Debug)]
pub struct Block {
    /// From brace to brace.
    pub span: Span,
    /// The text between the braces, behind the name of the language.
    pub inner: Span,
    /// The language named, as in `{rust: … }`.
    pub language: Option<String>,
}

/// A line that begins with `@`.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The word behind `@`.
    pub name: Name,
    /// All that follows, comments left out.
    pub rest: Span,
    /// The code block that follows, if one does.
    pub block: Option<Block>,
}

/// The words that begin tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// `u8 … u64`: decimal digits.
    Decimal(u8),
    /// `h8 … h64`: hexadecimal digits.
    Hexadecimal(u8),
    /// `i8 … i64`: decimal digits with a sign.
    Signed(u8),
    /// `b8`, `le16`, `be24` and so on: width in bits, big-endian.
    Binary(u8, bool),
    /// `lef32` and so on: width in bits, big-endian.
    Float(u8, bool),
    /// `bool`
    Bool,
    /// `data`
    Data,
    /// `array`
    Array,
    /// `string`
    String,
    /// `string_view`
    View,
    /// `varint`
    Varint,
    /// `match`
    Match,
    /// `vproto`
    Module,
    /// `notify`
    Notify,
    /// `begin`
    Begin,
    /// `end`
    End,
    /// `label`
    Label,
    /// `jmp`
    Jump,
    /// `call`
    Call,
    /// `return`
    Return,
    /// `reset`
    Reset,
    /// `break`
    Break,
    /// `bang`
    Bang,
    /// `back`
    Back,
    /// `catch:`
    Catch,
    /// `finish:`
    Finish,
}

/// All words with their spelling; `le8` and `be8` are synonyms of `b8`.
pub const WORDS: &[(&str, Word)] = &[
    ("u8", Word::Decimal(8)),
    ("u16", Word::Decimal(16)),
    ("u32", Word::Decimal(32)),
    ("u64", Word::Decimal(64)),
    ("h8", Word::Hexadecimal(8)),
    ("h16", Word::Hexadecimal(16)),
    ("h32", Word::Hexadecimal(32)),
    ("h64", Word::Hexadecimal(64)),
    ("i8", Word::Signed(8)),
    ("i16", Word::Signed(16)),
    ("i32", Word::Signed(32)),
    ("i64", Word::Signed(64)),
    ("b8", Word::Binary(8, false)),
    ("le8", Word::Binary(8, false)),
    ("be8", Word::Binary(8, false)),
    ("le16", Word::Binary(16, false)),
    ("le24", Word::Binary(24, false)),
    ("le32", Word::Binary(32, false)),
    ("le64", Word::Binary(64, false)),
    ("be16", Word::Binary(16, true)),
    ("be24", Word::Binary(24, true)),
    ("be32", Word::Binary(32, true)),
    ("be64", Word::Binary(64, true)),
    ("lef32", Word::Float(32, false)),
    ("bef32", Word::Float(32, true)),
    ("lef64", Word::Float(64, false)),
    ("bef64", Word::Float(64, true)),
    ("bool", Word::Bool),
    ("data", Word::Data),
    ("array", Word::Array),
    ("string", Word::String),
    ("string_view", Word::View),
    ("varint", Word::Varint),
    ("match", Word::Match),
    ("vproto", Word::Module),
    ("notify", Word::Notify),
    ("begin", Word::Begin),
    ("end", Word::End),
    ("label", Word::Label),
    ("jmp", Word::Jump),
    ("call", Word::Call),
    ("return", Word::Return),
    ("reset", Word::Reset),
    ("break", Word::Break),
    ("bang", Word::Bang),
    ("back", Word::Back),
    ("catch", Word::Catch),
    ("finish", Word::Finish),
];

impl Word {
    /// The word of a spelling.
    pub fn find(text: &str) -> Option<Word> {
        WORDS.iter().find(|(name, _)| *name == text).map(|&(_, word)| word)
    }

    /// Its first spelling.
    pub fn name(self) -> &'static str {
        WORDS.iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name)
    }
}

impl Token {
    /// The names behind the head, in order.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.parts.iter().filter_map(|p| match p {
            Part::Name(name) => Some(name),
            _ => None,
        })
    }

    /// The last name: the variable or function of most tokens.
    pub fn last_name(&self) -> Option<&Name> {
        self.names().last()
    }

    /// The redirection.
    pub fn redirect(&self) -> Option<&Redirect> {
        self.parts.iter().find_map(|p| match p {
            Part::Redirect(redirect) => Some(redirect),
            _ => None,
        })
    }

    /// All option items of all parentheses.
    pub fn options(&self) -> impl Iterator<Item = &OptionItem> {
        self.parts.iter().flat_map(|p| match p {
            Part::Options(options) => options.items.as_slice(),
            _ => &[],
        })
    }

    /// The value behind `=` of a declaration.
    pub fn start(&self) -> Option<Span> {
        self.parts.iter().find_map(|p| match p {
            Part::Start(span) => Some(*span),
            _ => None,
        })
    }

    /// Whether it is this word.
    pub fn is(&self, word: Word) -> bool {
        matches!(self.head, Head::Word(w) if w == word)
    }
}

impl Line {
    /// Its tokens; none of other lines.
    pub fn tokens(&self) -> &[Token] {
        match &self.kind {
            LineKind::Tokens { tokens, .. } => tokens,
            _ => &[],
        }
    }
}

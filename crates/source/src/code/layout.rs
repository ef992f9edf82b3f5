//! Codes of layout and tokens.

use super::{Code, Entry};

/// Tabs and spaces are mixed.
pub const MIXED_INDENT: Code = Code("E0101");
/// A line is more than one level deeper than the one above.
pub const DEPTH_JUMP: Code = Code("E0102");
/// An indentation is no multiple of the unit.
pub const UNEVEN_INDENT: Code = Code("E0103");
/// Lines are nested too deep.
pub const TOO_DEEP: Code = Code("E0104");
/// A `\` that no deeper line follows.
pub const BACKSLASH_WITHOUT_CHILDREN: Code = Code("E0105");
/// Something stands behind a `\`.
pub const AFTER_BACKSLASH: Code = Code("E0106");
/// A character that begins no token.
pub const UNEXPECTED_CHARACTER: Code = Code("E0107");
/// A literal without its closing quote.
pub const OPEN_TEXT: Code = Code("E0108");
/// A set without its bracket.
pub const OPEN_SET: Code = Code("E0109");
/// A comment without its end.
pub const OPEN_COMMENT: Code = Code("E0110");
/// A brace without its partner.
pub const OPEN_BRACE: Code = Code("E0111");
/// A parenthesis without its partner.
pub const OPEN_PAREN: Code = Code("E0112");
/// An unknown escape.
pub const BAD_ESCAPE: Code = Code("E0113");
/// A set without a member.
pub const EMPTY_SET: Code = Code("E0114");
/// A range whose end comes before its start.
pub const REVERSED_RANGE: Code = Code("E0115");
/// A character of several bytes in a set.
pub const WIDE_MEMBER: Code = Code("E0116");
/// A word that is no token.
pub const UNKNOWN_TOKEN: Code = Code("E0117");
/// A colon or arrow without what must follow.
pub const MISSING_NAME: Code = Code("E0118");
/// A token that lacks a part.
pub const MALFORMED_TOKEN: Code = Code("E0119");
/// Something that begins no token.
pub const UNEXPECTED: Code = Code("E0120");
/// A handler in the middle of a line.
pub const HANDLER_NOT_FIRST: Code = Code("E0121");
/// A literal without a byte.
pub const EMPTY_TEXT: Code = Code("E0122");
/// A `<` without its `>`.
pub const OPEN_PARALLEL: Code = Code("E0123");
/// An alternative of `< >` without tokens.
pub const EMPTY_SEQUENCE: Code = Code("E0124");
/// `< >` nested too deep.
pub const PARALLEL_TOO_DEEP: Code = Code("E0125");
/// A list of members or fields that is malformed.
pub const BAD_LIST: Code = Code("E0126");
/// A line of `\` alone.
pub const LONE_BACKSLASH: Code = Code("E0127");
/// A member of a set that is written twice.
pub const DOUBLE_MEMBER: Code = Code("W0101");
/// A `-` that makes no range.
pub const BARE_DASH: Code = Code("W0102");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        code: MIXED_INDENT,
        title: "tabs and spaces are mixed",
        text: "\
The depth of a line is the number of its leading tabs. A file may use spaces instead: its first indented line \
then sets the unit. Both in one file, or in one line, leave it open how deep a line is meant to be.

Replace one of the two in the whole file. `vproto fmt` writes tabs.",
    },
    Entry {
        code: DEPTH_JUMP,
        title: "the indentation jumps",
        text: "\
A line stands at most one level deeper than the line with tokens above it: it is then one of the alternatives \
that follow that line. The first line of a description stands at depth 0.

    \"GET\"
            \"x\"     two levels deeper than its parent: which line lies between?

Remove the surplus white space, or add the line that is missing between the two.",
    },
    Entry {
        code: UNEVEN_INDENT,
        title: "the indentation is no multiple of the unit",
        text: "\
In a file that indents with spaces the first indented line sets the unit, and every other line has a whole \
multiple of it.

    \"a\"
      \"b\"       two spaces: the unit
         \"c\"    five spaces: neither depth 2 nor depth 3

Use a multiple of the unit. `vproto fmt` writes tabs.",
    },
    Entry {
        code: TOO_DEEP,
        title: "lines are nested too deep",
        text: "\
Branchings may be nested 200 levels deep. No protocol that people designed comes near; recursive structures are \
described by a tree that calls itself.

Put inner branchings into trees of their own and enter them by `call:`.",
    },
    Entry {
        code: BACKSLASH_WITHOUT_CHILDREN,
        title: "`\\` without lines below",
        text: "\
`\\` at the end of a line says that the branching below it, when it is over, goes on one level up. Without lines \
one level deeper there is no such branching.

    \"GET\" [ ]+ \\
        'url-1'
        'url-2'

Remove the `\\`, or indent the lines that belong to it.",
    },
    Entry {
        code: AFTER_BACKSLASH,
        title: "something follows `\\`",
        text: "\
`\\` outside of literals and sets is the last thing of a line. What stands behind it would never be read.

Move the `\\` to the end of the line, or put the rest on a line of its own. A literal backslash is written \
`\"\\\\\"`.",
    },
    Entry {
        code: UNEXPECTED_CHARACTER,
        title: "unexpected character",
        text: "\
Outside of literals, sets, comments and code a description consists of ASCII letters, digits and signs. Control \
characters, no-break spaces and typographic quotes often come from copying out of a formatted document.

Replace the character, or put it into a literal.",
    },
    Entry {
        code: OPEN_TEXT,
        title: "a literal is not closed",
        text: "\
A literal begins and ends with the same quote, on one line: `\"GET\"` is compared exactly, `'get'` in either \
case. A quote inside is escaped by a backslash, a line break is written `\\n`.",
    },
    Entry {
        code: OPEN_SET,
        title: "a set is not closed",
        text: "\
A set begins with `[` and ends with `]`, on one line. A `]` that is a member is written `\\]`: `[^\\]]` is every \
byte but that one.",
    },
    Entry {
        code: OPEN_COMMENT,
        title: "a comment is not closed",
        text: "\
`/*` begins a comment that ends at the next `*/`, also over several lines. Without one the rest of the file is a \
comment.

Close it, or use `//`, which ends with its line.",
    },
    Entry {
        code: OPEN_BRACE,
        title: "a brace is not closed",
        text: "\
A block begins with `{` and ends with the `}` that belongs to it. Braces in strings, character literals and \
comments of the block's language do not count. The most frequent cause is a line comment:

    { return type == 1; // the header }

The comment runs to the end of the line, and the brace is part of it. Put the brace in front of the `//`, or \
write `/* the header */`.",
    },
    Entry {
        code: OPEN_PAREN,
        title: "a parenthesis is not closed",
        text: "\
Options stand in parentheses behind their token, on one line: `data:body(max=length)`. Parentheses in quotes do \
not count.",
    },
    Entry {
        code: BAD_ESCAPE,
        title: "an unknown escape",
        text: "\
Literals and sets know `\\r \\n \\t \\0`, `\\xHH` with exactly two hexadecimal digits, and a backslash before \
any punctuation for that character itself. Other letters and digits behind a backslash are errors, so that a \
mistake is not read as a letter.

Classes such as `\\d` are written as sets: `[0-9]`.",
    },
    Entry {
        code: EMPTY_SET,
        title: "the set is empty",
        text: "\
A set names the bytes that are accepted. One without members accepts none, and a token with it always fails.

Write the members, or `[\\x00-\\xff]` for every byte.",
    },
    Entry {
        code: REVERSED_RANGE,
        title: "a range is reversed",
        text: "\
In `a-z` the smaller byte comes first. A `-` that is meant as itself is written `\\-`: `[+\\-*/]` has four \
members, `[+-*]` is a reversed range.",
    },
    Entry {
        code: WIDE_MEMBER,
        title: "a set holds bytes, not characters",
        text: "\
A set accepts one byte at a time. A character beyond ASCII has several bytes in UTF-8, so a set cannot hold it.

Match it by a literal, or write the bytes by `\\xHH`: all continuation bytes are `[\\x80-\\xbf]`.",
    },
    Entry {
        code: UNKNOWN_TOKEN,
        title: "unknown token",
        text: "\
A token begins with a set, a literal, a brace, `<`, or one of the words of the language: u8 u16 u32 u64 h8 … i8 \
… b8 le16 be16 … bool data array string string_view bits varint lef32 … match enum vproto, if notify begin end \
label jmp call return reset break bang back catch: finish:.

Text that must be there is a literal: `\"GET\"`, not `GET`.",
    },
    Entry {
        code: MISSING_NAME,
        title: "a name is missing",
        text: "\
A name follows its token behind a colon without white space: `u32:length`, `notify:done`. A redirection names a \
type and a variable, or a function: `[a-z]->string:name`, `[a-z]->f`.",
    },
    Entry {
        code: MALFORMED_TOKEN,
        title: "a token is malformed",
        text: "\
Some words need what follows them: `if {condition}`, `enum{a, b}:v`, `bits{a:4 b:4}`, `catch:`, `finish:`.",
    },
    Entry {
        code: UNEXPECTED,
        title: "something begins no token",
        text: "\
A line is a sequence of tokens separated by white space. Counts, options, names and redirections follow the \
token they belong to and cannot begin one.",
    },
    Entry {
        code: HANDLER_NOT_FIRST,
        title: "a handler does not stand first",
        text: "\
`catch:` and `finish:` make a line the handler of its branching. They are the first token of the line; what \
follows them runs when an exception is caught, or when the input ends.",
    },
    Entry {
        code: EMPTY_TEXT,
        title: "a literal is empty",
        text: "\
A literal has at least one byte. An alternative that takes nothing is written `{}`; it is the else of a \
branching.",
    },
    Entry {
        code: OPEN_PARALLEL,
        title: "`< >` is not closed",
        text: "\
Parallel alternatives stand between `<` and `>` on one line, separated by commas: `<\"GET\", \"POST\">`.",
    },
    Entry {
        code: EMPTY_SEQUENCE,
        title: "an alternative is empty",
        text: "\
Every alternative of `< s1, s2 >` is a sequence of at least one token. An optional group is not written by an \
empty alternative: use `?` on its tokens, or a branching.",
    },
    Entry {
        code: PARALLEL_TOO_DEEP,
        title: "`< >` is nested too deep",
        text: "\
Parallel alternatives may be nested 32 levels deep. Alternatives of an inner group can mostly be moved to the \
outer one.",
    },
    Entry {
        code: BAD_LIST,
        title: "a list is malformed",
        text: "\
`enum{ … }` holds names separated by commas, each perhaps with a value or a text:

    enum{a, b, c}:v
    be16->enum{ipv4 = 0x0800, arp = 0x0806}:v
    enum{get \"GET\", post \"POST\"}:v

`bits{ … }` holds fields separated by white space, each a name, a colon and a width of 1 to 64 bits; `_` stores \
nothing: `bits{version:4 _:4}`.",
    },
    Entry {
        code: LONE_BACKSLASH,
        title: "a line of `\\` alone",
        text: "\
`\\` ends a line of tokens and says that the branching below goes on one level up. A line needs at least one \
token.",
    },
    Entry {
        code: DOUBLE_MEMBER,
        title: "a member of a set is written twice",
        text: "\
A set holds each byte once, so the second mention changes nothing. Often another byte was meant, or two ranges \
overlap by mistake.",
    },
    Entry {
        code: BARE_DASH,
        title: "a `-` that makes no range",
        text: "\
At the start or end of a set, or behind a range, `-` cannot make a range and is taken as itself. Write `\\-` to \
say so: then another member can be added without making a range.",
    },
];

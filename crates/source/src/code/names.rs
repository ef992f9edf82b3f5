//! Codes of names, types and options.

use super::{Code, Entry};

/// A name that is missing, surplus or malformed.
pub const BAD_NAME: Code = Code("E0201");
/// A variable that nothing defines.
pub const UNKNOWN_VARIABLE: Code = Code("E0202");
/// A label that is not there.
pub const UNKNOWN_LABEL: Code = Code("E0203");
/// A label that is defined twice.
pub const DOUBLE_LABEL: Code = Code("E0204");
/// A variable with two types.
pub const TYPE_CLASH: Code = Code("E0205");
/// One name for two things.
pub const NAME_CLASH: Code = Code("E0206");
/// A reserved name.
pub const RESERVED_NAME: Code = Code("E0207");
/// Something that is declared twice.
pub const DOUBLE_VARIABLE: Code = Code("E0208");
/// A redirection that does not fit its token.
pub const BAD_REDIRECT: Code = Code("E0209");
/// An option that does not fit its token.
pub const BAD_OPTION: Code = Code("E0210");
/// An option that is given twice.
pub const DOUBLE_OPTION: Code = Code("E0211");
/// A bound that has no value.
pub const BAD_BOUND: Code = Code("E0212");
/// A constant that is none.
pub const NOT_CONSTANT: Code = Code("E0213");
/// An expression that is not portable.
pub const NOT_PORTABLE: Code = Code("E0214");
/// An expression that is wrong.
pub const BAD_EXPRESSION: Code = Code("E0215");
/// An array without a capacity.
pub const NO_CAPACITY: Code = Code("E0216");
/// A start value outside of a declaration.
pub const MISPLACED_START: Code = Code("E0217");
/// A start value that does not fit.
pub const BAD_START: Code = Code("E0218");
/// A set of digits with other bytes.
pub const NO_DIGITS: Code = Code("E0219");
/// Bit fields that fill no whole bytes.
pub const BITS_UNEVEN: Code = Code("E0220");
/// An unknown check value.
pub const UNKNOWN_DIGEST: Code = Code("E0221");
/// An `end:` that ends nothing.
pub const END_WITHOUT_BEGIN: Code = Code("E0222");
/// A `back:` to no enclosing branching.
pub const BAD_BACK: Code = Code("E0223");
/// A token that cannot stand in `< >`.
pub const NOT_IN_PARALLEL: Code = Code("E0224");
/// A long `until` in `< >`.
pub const UNTIL_IN_PARALLEL: Code = Code("E0225");
/// Two handlers of one sort in a branching.
pub const DOUBLE_HANDLER: Code = Code("E0226");
/// A branching of `catch:` alone.
pub const ONLY_HANDLERS: Code = Code("E0227");
/// Lines below a `finish:` line.
pub const BELOW_FINISH: Code = Code("E0228");
/// A member that lacks its text.
pub const MEMBER_WITHOUT_TEXT: Code = Code("E0229");
/// A member that is listed twice.
pub const DOUBLE_ENUM_MEMBER: Code = Code("E0230");
/// A description without tokens.
pub const EMPTY_DESCRIPTION: Code = Code("E0231");
/// A module or file that holds itself.
pub const CYCLE: Code = Code("E0232");
/// An unknown directive.
pub const UNKNOWN_DIRECTIVE: Code = Code("E0233");
/// A directive that is malformed.
pub const BAD_DIRECTIVE: Code = Code("E0234");
/// Code that is opaque because of one name.
pub const OPAQUE_NAME: Code = Code("W0201");
/// A `min` above `max`.
pub const MIN_ABOVE_MAX: Code = Code("W0202");
/// A check value that is never stored.
pub const UNENDED_DIGEST: Code = Code("W0203");
/// A limit of calls that is not needed.
pub const CALLS_ABOVE_LIMIT: Code = Code("W0204");
/// An import that is not used.
pub const UNUSED_IMPORT: Code = Code("W0205");
/// A set of `->int` with one sign.
pub const ONE_SIGN: Code = Code("W0206");
/// A member that can never be read.
pub const MEMBER_TOO_LARGE: Code = Code("W0207");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        code: BAD_NAME,
        title: "a name is missing or misplaced",
        text: "\
Names begin with a letter or `_` and go on with letters, digits and `_`. Tokens that store or call need one \
name, `vproto:module:variable` and `begin:crc32:variable` two; sets and literals have none of their own.",
    },
    Entry {
        code: UNKNOWN_VARIABLE,
        title: "an unknown variable",
        text: "\
Bounds, options and arguments name variables that some token of the description stores to, or that are declared \
in a tree of their own:

    be16:length data:body(max=length)

    u32:depth

Check the spelling, or declare the variable.",
    },
    Entry {
        code: UNKNOWN_LABEL,
        title: "an unknown label",
        text: "\
`jmp:l` and `call:l` go to the place that `label:l` names in the same module. Labels of other modules cannot be \
named: a module is run by `vproto:module:variable`.",
    },
    Entry {
        code: DOUBLE_LABEL,
        title: "a label is defined twice",
        text: "\
A label names one place of its module; included files count. Rename one of the two.",
    },
    Entry {
        code: TYPE_CLASH,
        title: "a variable has two types",
        text: "\
A variable may be stored by several tokens. Integers of several widths give it the widest type; anything else \
must agree: an integer cannot also be a string, a string no view, an array nothing but an array, and an enum \
keeps one list of members. Unsigned and signed integers need a type that holds both ranges, which does not exist \
for u64.

Use two variables.",
    },
    Entry {
        code: NAME_CLASH,
        title: "one name for two things",
        text: "\
Variables and functions of the user become members of one class, so they cannot share a name: `u8:x notify:x` is \
refused. Constants and variables share the names of expressions. Labels have names of their own.",
    },
    Entry {
        code: RESERVED_NAME,
        title: "a reserved name",
        text: "\
`offset` is the number of bytes consumed since the stream's start, `left` the number of bytes to the innermost \
limit, `true` and `false` are truth values. Nothing else can have these names.",
    },
    Entry {
        code: DOUBLE_VARIABLE,
        title: "a variable or constant is declared twice",
        text: "\
A variable is declared once; tokens that store to it are not declarations. A constant has one value.",
    },
    Entry {
        code: BAD_REDIRECT,
        title: "a redirection does not fit",
        text: "\
A set can be redirected to a variable of a type, `[0-9]->uint:n`, to a function, `[a-z]->f`, to an enum or to a \
module. An integer can be redirected to an enum only: `be16->enum{ipv4 = 0x0800}:proto`. Other tokens name their \
variable themselves: `u16:port`.",
    },
    Entry {
        code: BAD_OPTION,
        title: "an option does not fit",
        text: "\
Every token has its own options; `docs/language.md` lists them. Widths that are part of a name (`b8 le16 be32 \
bool bits`) take no counts, though `?` is possible on `b8` and `bool`; `until` excludes `min`; code, labels and \
jumps take none at all.",
    },
    Entry {
        code: DOUBLE_OPTION,
        title: "an option is given twice",
        text: "\
An option is given once, wherever it stands. `?` gives both `min` and `max`, `*` and `+` give `min`.",
    },
    Entry {
        code: BAD_BOUND,
        title: "a bound has no value",
        text: "\
Bounds are numbers from 0 to 2^63-1. A constant expression that is negative, overflows or divides by zero can \
never be one. At run time the same is an exception.",
    },
    Entry {
        code: NOT_CONSTANT,
        title: "a constant was expected",
        text: "\
Values of `@const`, of enum members and of declarations are known when the description is compiled. They may \
name constants, not variables.",
    },
    Entry {
        code: NOT_PORTABLE,
        title: "an expression is not portable",
        text: "\
Bounds, options and arguments are portable expressions: integers, booleans, enums and texts with C's operators, \
`offset`, `left`, `v.x` of a module, and `size() empty() contains(\"x\") starts_with(\"x\")` of a text. They are \
translated to every target, so nothing else is possible there. Calls of user functions are possible as arguments \
of `notify:` only.

Compute the value in a code block and store it in a variable.",
    },
    Entry {
        code: BAD_EXPRESSION,
        title: "an expression is wrong",
        text: "\
Every name in the code is known to the description, and yet the types do not fit: a text where a number was \
expected, an assignment to a view (views can only be read, cleared and swapped), a member that belongs to two \
enums. No target could compile this either.",
    },
    Entry {
        code: NO_CAPACITY,
        title: "an array has no capacity",
        text: "\
An array is a buffer of fixed size. `init=n`, or a constant `max=n`, of one of its tokens says how large; with \
several the largest counts.

    array:mac(max=6)
    array:key(max=n, init=32)     more than 32 bytes are consumed, not stored",
    },
    Entry {
        code: MISPLACED_START,
        title: "a start value is misplaced",
        text: "\
`u32:width = 2` declares a variable with its value at the start and after `reset`. It stands alone on its line, \
in a tree of declarations below a blank line. Elsewhere a token stores what it reads; a value is assigned by \
code: `{ width = 2; }`.",
    },
    Entry {
        code: BAD_START,
        title: "a start value does not fit",
        text: "\
A start value is a constant within the range of the variable's type: a number, `true` or `false`, or a member of \
its enum. Strings, views, arrays and floats start empty.",
    },
    Entry {
        code: NO_DIGITS,
        title: "a set holds other bytes than digits",
        text: "\
`->uint` and `->int` convert decimal digits, `->hex` hexadecimal ones, so the set may hold nothing else: signs \
for `->int`, spaces and tabs with the option `trim`.

    [0-9a-f]->hex:id",
    },
    Entry {
        code: BITS_UNEVEN,
        title: "bit fields do not fill whole bytes",
        text: "\
The widths in `bits{ … }` add up to whole bytes, because the next token begins at a byte. `_` stands for bits \
that are not stored: `bits{version:4 _:4}`.",
    },
    Entry {
        code: UNKNOWN_DIGEST,
        title: "an unknown check value",
        text: "\
`begin:crc32:v … end:v` stores a check value of the bytes between the two. Known are crc32, adler32, xor8, sum8, \
sum16 and inet16. With one name, `begin:f`, the bytes go to the user's function f.",
    },
    Entry {
        code: END_WITHOUT_BEGIN,
        title: "`end:` without `begin:`",
        text: "\
`end:f` ends the span that `begin:f` began, stores the check value of `begin:crc32:v`, or finishes the joined \
module v. Some token of the module must begin it.",
    },
    Entry {
        code: BAD_BACK,
        title: "`back:` names no enclosing branching",
        text: "\
`back:n` enters the branching of depth n that encloses the line; a line of depth d is enclosed by the branchings \
of depth 0 to d.",
    },
    Entry {
        code: NOT_IN_PARALLEL,
        title: "a token cannot stand in `< >`",
        text: "\
Parallel states share one stack and one position, so `call jmp return reset back vproto` and labels are not \
allowed in `< >`. Put them behind the `>`: what follows runs once an alternative has won.",
    },
    Entry {
        code: UNTIL_IN_PARALLEL,
        title: "`until` in `< >` has one byte",
        text: "\
Bytes that may begin the text of `until` are held back until it is decided whether it is there. In `< >` that \
would have to be undone when another alternative wins, so only texts of one byte are possible.",
    },
    Entry {
        code: DOUBLE_HANDLER,
        title: "a branching has two handlers of one sort",
        text: "\
A branching has at most one `catch:` line and one `finish:` line. Tokens of both belong into one line, or the \
outer branching has the second.",
    },
    Entry {
        code: ONLY_HANDLERS,
        title: "a branching of `catch:` alone",
        text: "\
A `catch:` line serves the alternatives beside it. A branching without any, and without `finish:`, accepts \
nothing.",
    },
    Entry {
        code: BELOW_FINISH,
        title: "lines below `finish:`",
        text: "\
A `finish:` line runs when the input is over. No byte can decide between alternatives then: write its tokens on \
the line itself, conditions included.",
    },
    Entry {
        code: MEMBER_WITHOUT_TEXT,
        title: "a member has no text",
        text: "\
In an enum of texts, `enum{get \"GET\", post \"POST\"}:v`, every member is matched by its text. Members without \
one would never be set.",
    },
    Entry {
        code: DOUBLE_ENUM_MEMBER,
        title: "a member is listed twice",
        text: "\
The names of an enum's members are different. Two texts for one meaning need two members, or a set: `<\"a\", \
\"b\">`.",
    },
    Entry {
        code: EMPTY_DESCRIPTION,
        title: "the description is empty",
        text: "\
A description has at least one line with a token. Lines of comments and directives parse nothing.",
    },
    Entry {
        code: CYCLE,
        title: "a module or file holds itself",
        text: "\
A module that runs itself by `vproto:`, directly or through others, would need room without end, and a file that \
includes itself never ends. Recursive structures are described by `call:` inside one module.",
    },
    Entry {
        code: UNKNOWN_DIRECTIVE,
        title: "an unknown directive",
        text: "\
Directives are @module, @include, @import, @output, @const, @limit, @cpp, @rust and @doc, each on a line of its \
own.",
    },
    Entry {
        code: BAD_DIRECTIVE,
        title: "a directive is malformed",
        text: "\
The directives with their forms:

    @module demo
    @include \"common.vproto\"
    @import dns
    @output MyClass
    @const N = 5
    @limit calls=256 string=64K view=64K states=16
    @cpp { … }
    @rust { … }
    @doc \"…\"",
    },
    Entry {
        code: OPAQUE_NAME,
        title: "code names something unknown",
        text: "\
The block would be portable but for a name that the description does not know. Blocks with unknown names are passed \
to C++ as they are: `vproto run` and other targets refuse them. (In a condition, `if {…}`, it is an error.)

Mend the name, or declare it. If it is a member of your own class, say so by `{cpp: …}`, and nothing is reported.",
    },
    Entry {
        code: MIN_ABOVE_MAX,
        title: "`min` is greater than `max`",
        text: "\
`max` decides when a token ends, and `min` is clamped to it: a token with `min=5, max=3` takes three bytes.",
    },
    Entry {
        code: UNENDED_DIGEST,
        title: "a check value is never stored",
        text: "\
`begin:crc32:v` begins a check value, `end:v` stores it. Without the second the variable keeps its start value.",
    },
    Entry {
        code: CALLS_ABOVE_LIMIT,
        title: "calls go deeper than the limit",
        text: "\
Where calls do not recurse, the stack has exactly as many frames as the deepest chain of calls needs, and \
`@limit calls` has no say. It bounds recursion only.",
    },
    Entry {
        code: UNUSED_IMPORT,
        title: "an import is not used",
        text: "\
`@import m` names a module for `vproto:m:v`. No token names this one. Modules beside the file need no `@import`.",
    },
    Entry {
        code: ONE_SIGN,
        title: "a set holds one of the two signs",
        text: "\
`->int` over a set with a sign accepts one optional `+` or `-` in front of the digits. It does so if the set \
holds either, so that a set with one of the two takes more than it says.

Write `[+\\-0-9]`, or take the sign by a token of its own and read the digits by `->uint`.",
    },
    Entry {
        code: MEMBER_TOO_LARGE,
        title: "a member can never be read",
        text: "\
The integer that is read into the enum is too narrow for the values of all members. Check the value, or read a \
wider integer.",
    },
];

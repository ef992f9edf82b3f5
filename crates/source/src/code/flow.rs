//! Codes of structure and flow: what the checker finds.

use super::{Code, Entry};

/// A tree that no `call:` or `jmp:` enters.
pub const TREE_NOT_ENTERED: Code = Code("E0301");
/// A tree whose lines never take a byte.
pub const NO_PROGRESS: Code = Code("E0302");
/// A cycle of `jmp:`, `reset` or a handler on which no byte need be taken.
pub const EMPTY_CYCLE: Code = Code("E0303");
/// An alternative of `< >` that can be empty.
pub const EMPTY_PARALLEL: Code = Code("E0304");
/// A condition in `< >` that names a variable set inside.
pub const CONDITION_IN_PARALLEL: Code = Code("E0305");
/// A `finish:` line with tokens that take bytes.
pub const FINISH_TAKES_BYTES: Code = Code("E0306");
/// An alternative that is never taken.
pub const UNREACHABLE_ALTERNATIVE: Code = Code("W0301");
/// Two alternatives that share a first byte.
pub const AMBIGUOUS_FIRST: Code = Code("W0302");
/// A literal that an earlier one takes away.
pub const LOST_LITERAL: Code = Code("W0303");
/// An alternative of `< >` or an enum's text that never wins.
pub const NEVER_WINS: Code = Code("W0304");
/// A token without an end in front of others.
pub const UNBOUNDED_CAPTURE: Code = Code("W0305");
/// A run that takes the bytes of what follows it.
pub const STARVED_TOKEN: Code = Code("W0306");
/// A number that takes more than its variable holds.
pub const WIDE_NUMBER: Code = Code("W0307");
/// A label that nobody names.
pub const UNUSED_LABEL: Code = Code("W0308");
/// A `catch:` that no exception can reach.
pub const IDLE_CATCH: Code = Code("W0309");
/// A leaf that goes back to conditions that cannot have changed.
pub const STUCK_CONDITIONS: Code = Code("W0310");
/// Tokens behind `return`, `jmp:` and the like.
pub const UNREACHABLE_TOKENS: Code = Code("W0311");
/// A call whose target has no way to a `return`.
pub const NEVER_RETURNS: Code = Code("W0312");
/// A loop that may come round without a byte.
pub const MAY_NOT_PROGRESS: Code = Code("W0313");
/// A call that may come back to itself without a byte.
pub const EMPTY_RECURSION: Code = Code("W0314");
/// A declared variable that nothing reads or stores.
pub const UNUSED_VARIABLE: Code = Code("W0315");
/// A `return` that only runs where no call is open.
pub const RETURN_NOWHERE: Code = Code("W0316");
/// A call that comes back to itself without a byte.
pub const ENDLESS_RECURSION: Code = Code("W0317");
/// A call that is always deeper than `@limit calls`.
pub const CALLS_LIMIT: Code = Code("W0318");
/// A branching whose parent line lacks a `\` and so hides its exceptions from a `catch:`.
pub const MISSING_BACKSLASH: Code = Code("W0319");
/// A bound or option in `< >` that reads what the group captures.
pub const STALE_IN_PARALLEL: Code = Code("W0320");
/// Captures that only the default limit bounds.
pub const DEFAULT_BOUND: Code = Code("N0301");

/// The explanations, in the order of their codes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: TREE_NOT_ENTERED,
        title: "a tree is never entered",
        text: "\
A blank line above a line of depth 0 begins a new tree. Parsing starts in the first one; the others run only where a \
`call:` or `jmp:` names a label of theirs. Nothing names a label of this tree, so it would never run.

    \"GET \" [^ ]->string:target \" \"

    label:header [^:]->string:name \":\"

Remove the blank line if the lines belong to the tree above, or name the label. Variables are declared by lines that \
hold one typed token without set or text each (u32:depth); such lines may stand apart.",
    },
    Entry {
        code: NO_PROGRESS,
        title: "a loop never takes a byte",
        text: "\
A tree is a loop: where its last line is over, it begins again. Nothing in this one ever takes a byte, so it would \
turn for ever on the spot; the parser stops it with the error `no-progress`.

    notify:packet

Begin the tree with a token that takes bytes. In a called tree, end it by `return`.",
    },
    Entry {
        code: EMPTY_CYCLE,
        title: "a cycle on which no byte need be taken",
        text: "\
A cycle of `jmp:`, `reset` or a `catch:` line must take at least one byte on its way round, or the parser would turn \
on the spot. Conditions do not count: whatever they say, one byte must be needed.

    label:item [ ]* jmp:item

Give a token of the cycle a minimum of 1 ([ ]+). A handler must take at least the byte that was not acceptable before \
it goes back: `catch: [^\\n]* \"\\n\" back:0` skips the rest of the line.",
    },
    Entry {
        code: EMPTY_PARALLEL,
        title: "a parallel alternative can be empty",
        text: "\
All sequences of `< s1, s2, … >` start together and the first to complete wins. One that needs no byte would win before \
the others have begun.

    <[ ]*, \"-\">

Give one of its tokens a minimum of 1, or move what is optional behind the `>`.",
    },
    Entry {
        code: CONDITION_IN_PARALLEL,
        title: "a condition in < > asks for what is not known yet",
        text: "\
While parallel alternatives are undecided, what they capture is private to each and becomes visible only when one has \
won. A condition among them runs at once, so it may only name variables that were set before the `<`.

    <u8:x if {x > 3} \";\", \"-\">

Put the condition behind the `>`.",
    },
    Entry {
        code: FINISH_TAKES_BYTES,
        title: "a finish: line takes bytes",
        text: "\
A `finish:` line runs where the input has ended. There are no more bytes, so tokens that take some can never complete.

    finish: \"\\n\" notify:end

Only tokens without bytes stand in it: `notify:`, code, `end:` and the like.",
    },
    Entry {
        code: UNREACHABLE_ALTERNATIVE,
        title: "an alternative is never taken",
        text: "\
The alternatives of a branching are tried from top to bottom and the first suitable one is taken for good. One above \
takes every byte that this one begins with, or is always taken: one that needs no byte (`{}`, `notify:`) or that can \
complete without input. Lines that begin with `< >` come before all that ask for a byte.

    [a-z]->string:word
    \"end\" notify:end

Put the more special alternative above, or let both run side by side in `< >`.",
    },
    Entry {
        code: AMBIGUOUS_FIRST,
        title: "two alternatives begin with the same byte",
        text: "\
One byte decides between the alternatives of a branching, and there is no way back. The byte shown can begin both, but \
always takes the upper one; input that only the lower one accepts is refused.

    \"GET\" notify:get
    [A-Z]->string:method notify:other

Here `GIVE` is refused: begin both lines with `< >` (`<\"GET\">` above `<[A-Z]->string:method>`), or make their first \
bytes differ. Not reported: a lower alternative for all the rest (a set of more than half of all bytes), unless the upper \
one is a literal of several letters; and one below a single byte that it holds too.",
    },
    Entry {
        code: LOST_LITERAL,
        title: "a literal is lost to greedy choice",
        text: "\
The choice between alternatives is made by their first byte. Two literals that begin alike are therefore never both \
matched: the upper one takes the byte, and the lower one is not looked at again.

    \"GE\" notify:ge
    \"GET\" notify:get

Write `enum{ge \"GE\", get \"GET\"}:word` or `<\"GE \", \"GET \">`, or put what they share in the line above: `\"GE\"` with \
the children `\"T\" notify:get` and `{} notify:ge`.",
    },
    Entry {
        code: NEVER_WINS,
        title: "a parallel alternative can never win",
        text: "\
The first sequence of `< >` to complete wins, ties go to the earlier one. Whatever the input, another sequence has \
completed before this one could: `GET` is complete one byte before `GETS`.

    <\"GET\", \"GETS\">

Let the shorter one end in what must follow it (`<\"GET \", \"GETS \">`), or leave the longer one out. The texts of an \
enum compete in the same way.",
    },
    Entry {
        code: UNBOUNDED_CAPTURE,
        title: "a token takes everything to the end",
        text: "\
`data`, `string` and the like take any byte. Without `max=` or `until=` only the end of the input (or of a confined \
call) stops them, so nothing behind them ever gets a byte.

    string:name \"\\n\"

Give it an end: `string:name(until=\"\\n\")`, `string:name(max=length)`, or take a set instead: `[^\\n]->string:name`.",
    },
    Entry {
        code: STARVED_TOKEN,
        title: "a run takes the bytes of what follows",
        text: "\
A token takes as many bytes of its set as there are and does not give any back. What follows must begin with a byte \
of that set, so it can never begin.

    [a-z]->string:word \"end\"

Leave the byte out of the set, bound the count by `max=`, or look for the text by `until=`.",
    },
    Entry {
        code: WIDE_NUMBER,
        title: "a number takes more than its variable holds",
        text: "\
The token takes at least so many digits or bytes that values do not fit its type; they raise the exception `overflow`.

    u8:code(min=4, max=4)

Use a wider type (u16), fewer bytes, or the option `wrap` where only the lowest bits matter.",
    },
    Entry {
        code: UNUSED_LABEL,
        title: "a label is never used",
        text: "\
No `call:` or `jmp:` names this label. Remove it, or mend the name where it was meant.

    label:start \"a\"",
    },
    Entry {
        code: IDLE_CATCH,
        title: "no exception can reach a catch:",
        text: "\
A `catch:` line takes the exceptions of its own branching and its lines. Those of deeper lines come to it only through \
parent lines that end in `\\`, or where it stands at depth 0 of their tree. None can get here.

    \"a\"?
    \t[b]*
    \tcatch: notify:bad

Move it to the branching where the exceptions are, or end the lines between in `\\`.",
    },
    Entry {
        code: STUCK_CONDITIONS,
        title: "conditions that cannot have changed",
        text: "\
A line without children goes back to its branching. This branching only asks conditions, and nothing on the way \
changed what they read: the same alternative is taken again and again, to the end of the input.

    b8:type
    \tif {type == 1} be16:value
    \t{} data(max=4)

End the parent line in `\\`, so that what is below it is done once (`b8:type \\`), or end the line by `return` in a \
called tree.",
    },
    Entry {
        code: UNREACHABLE_TOKENS,
        title: "nothing behind this token is reached",
        text: "\
`return`, `jmp:`, `back:`, `reset` and `break` go on elsewhere and do not come back: tokens behind them in the line, \
and lines below it, never run.

    \"a\" return notify:done

Move them in front, or remove them. To come back, use `call:` instead of `jmp:`.",
    },
    Entry {
        code: NEVER_RETURNS,
        title: "a call never returns",
        text: "\
No way through the called tree leads to `return`. A tree is a loop, so the call goes on until an exception or the end \
of the input, and what stands behind it never runs.

    call:item \";\"

    label:item [a-z]->string:name

End the tree by `return`, or confine the call: `call:item(max=length)` returns when the bytes are used up.",
    },
    Entry {
        code: MAY_NOT_PROGRESS,
        title: "a loop may come round without a byte",
        text: "\
This line can complete without input, and then its loop begins again at the same byte. The parser stops that with the \
error `no-progress` in place of the error `mismatch` that would tell what was expected.

    [ ]* notify:blanks

Give one of its tokens a minimum of 1 ([ ]+).",
    },
    Entry {
        code: EMPTY_RECURSION,
        title: "a call may come back to itself without a byte",
        text: "\
A called tree can call itself before it took a byte, depending on conditions or options. Each such round only fills \
the call stack; the exception `limit` ends it where the conditions do not.

    label:list
    \tif {depth > 0} call:list return
    \t[a-z] return

    u8:depth

Take a byte before the call, or write it as a loop.",
    },
    Entry {
        code: UNUSED_VARIABLE,
        title: "a declared variable is never used",
        text: "\
The variable is declared, but no token stores it and no condition, bound or argument reads it.

    be16:length data:value(max=length)

    u32:lenght

Remove the line, or mend the name.",
    },
    Entry {
        code: RETURN_NOWHERE,
        title: "a return with nothing to return to",
        text: "\
`return` ends the innermost call. This one is reached only from the start or by `jmp:`, so that no call is ever open: \
it would always raise the exception `return`.

    \"a\" jmp:rest

    label:rest \"b\" return

Enter the tree by `call:`, or leave it by `jmp:`, `back:n` or `break`. To go on one level up, end the parent line in `\\`.",
    },
    Entry {
        code: ENDLESS_RECURSION,
        title: "a call comes back to itself without a byte",
        text: "\
A called tree calls itself, directly or through others, before it took a byte. Every round opens a further call, until \
the exception `limit` ends it.

    call:sum

    label:sum
    \tcall:sum \"+\" [0-9]+ return
    \t[0-9]+ return

This is left recursion. Write it as a loop, which is what the lines of a branching are: `label:sum [0-9]+`, below \
it `\"+\" [0-9]+` and `{} return`.",
    },
    Entry {
        code: CALLS_LIMIT,
        title: "a call is deeper than the limit allows",
        text: "\
Where calls recurse, the call stack is bounded by `@limit calls=n` (256 if nothing is written). This call cannot be \
reached with fewer calls open than that, so it always raises the exception `limit`.

    @limit calls=1
    call:list

    label:list \"(\" call:item \")\" return

    label:item \"<\" call:list \">\" return

Raise the limit.",
    },
    Entry {
        code: MISSING_BACKSLASH,
        title: "a missing `\\` hides exceptions from a catch:",
        text: "\
An exception looks for a `catch:` in its own branching, then outward through parent lines that end in `\\`. Without \
the `\\` the search ends there, and so does parsing, whatever `catch:` lines stand further out or with the caller. All \
lines of this branching leave it by `return`, `back:`, `break` or `jmp:`, so a `\\` would change nothing else.

    call:item
    catch: [^\\n]* \"\\n\"

    label:item
    \t[a-z]->string:name(max=20)
    \t\t\";\" return
    \t\t\"=\" u16:value \";\" return

Here a bad byte behind the name is not caught. End the line above in `\\`.",
    },
    Entry {
        code: STALE_IN_PARALLEL,
        title: "a bound or option in < > reads an old value",
        text: "\
While parallel alternatives are undecided, what they capture is private to each and becomes visible only when one has \
won. Bounds, options and `match:` among them read the parser's variables, which still hold the values from before \
the `<`.

    <b8:n [a-z](max=n), \"-\">

Capture the value before the `<`, or put what depends on it behind the `>`.",
    },
    Entry {
        code: DEFAULT_BOUND,
        title: "a capture without a bound of its own",
        text: "\
A captured text has a bound in any case, so that no input can exhaust memory: 64 KiB where nothing else is written, \
and more is the exception `limit`. This note tells which captures rely on that.

    [^\\n]->string:line \"\\n\"

Write the bound that the protocol has (`(max=998)`, or `init=` to cut), or state one for all: `@limit string=4K`, \
`@limit view=4K`. Only `vproto check` shows notes, and `--deny-warnings` does not count them.",
    },
];

//! Codes of targets and interpreters: what one of them cannot do.

use super::{Code, Entry};

/// Code for one target only, where another one or an interpreter is asked.
pub const OPAQUE: Code = Code("E0401");
/// A `printf` that is skipped.
pub const SKIPPED_PRINT: Code = Code("W0402");

/// A machine that breaks the compiler's own rules: a bug of the compiler. No description is known that shows it.
pub const INTERNAL: Code = Code("E0403");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        code: OPAQUE,
        title: "code for one target only",
        text: "A block or condition that is not portable is passed unchanged to the C++ compiler (or to the language \
               named as in `{rust: …}`). The interpreters, and other targets, cannot run it.\n\n\
               Portable are assignments, if and else, calls, return, and C's operators over integers, booleans, enums and \
               strings; see docs/language.md. Either write the code so, or call a function of yours by `notify:`, or generate a \
               program for that target with `vproto gen --with-main`.",
    },
    Entry {
        code: SKIPPED_PRINT,
        title: "a `printf` is skipped",
        text: "`printf(…);` is passed on to generated C++. The interpreters and other targets skip it: the event trace shows \
               what was captured anyway.",
    },
    Entry {
        code: INTERNAL,
        title: "the compiler made a machine that breaks its own rules",
        text: "Every machine is verified before code is printed from it or before it runs: its states, edges, captures and \
               loops obey the rules that `docs/ARCHITECTURE.md` names. A machine that breaks one is a bug of vproto, not of the \
               description, and nothing is generated from it; the exit code is 4.\n\n\
               Please report the description with the message. `vproto run --interp grammar` runs it without a machine; \
               leaving out the construct at the place that the message names may help.",
    },
];

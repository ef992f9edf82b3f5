//! Codes of targets and interpreters: what one of them cannot do.

use super::{Code, Entry};

/// Code for one target only, where another one or an interpreter is asked.
pub const OPAQUE: Code = Code("E0401");
/// A `printf` that is skipped.
pub const SKIPPED_PRINT: Code = Code("W0402");

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
];

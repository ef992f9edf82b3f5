//! Codes of files and text.

use super::{Code, Entry};

/// The text is not UTF-8.
pub const NOT_UTF8: Code = Code("E0001");
/// A file named by the description cannot be read.
pub const UNREADABLE: Code = Code("E0002");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        code: NOT_UTF8,
        title: "the text is not UTF-8",
        text: "Descriptions are UTF-8. Other bytes are written as escapes, \"\\xHH\", in literals and sets.",
    },
    Entry {
        code: UNREADABLE,
        title: "a file cannot be read",
        text: "A file named by @include, @import or vproto: is missing or unreadable. Modules are looked up \
               beside the description first, then in the folders given with -I, in order.",
    },
];

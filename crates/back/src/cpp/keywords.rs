//! Words that cannot be names in C++, and names that a parser class itself has.

/// Reserved words of C++17 (and those that C++20 adds), macros of the headers that are included.
pub const KEYWORDS: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq", "std", "vproto", "errno", "stdin", "stdout", "stderr", "NULL",
    "EOF", "assert", "unix", "linux", "i386", "signbit", "isnan", "isinf", "isfinite",
    "INT8_MAX", "INT16_MAX", "INT32_MAX", "INT64_MAX", "UINT8_MAX", "UINT16_MAX", "UINT32_MAX", "UINT64_MAX",
];

/// Members of a parser class.
pub const MEMBERS: &[&str] = &[
    "parse", "finish", "reset", "error", "pause", "offset", "empty", "Output", "state_", "trace_", "run", "feed",
    "begin_stream", "end_stream", "rewind", "has_stopped", "has_failed", "is_incomplete", "takes_pause", "set_outer",
    "clear_variables", "clear_context", "move_views", "trace_to", "set", "succeeded", "finish_traced", "output_type",
];

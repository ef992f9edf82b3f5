//! The pieces of the runtime that parsers need: real sources, embedded.

use super::{Module, Simd};
use vproto_code::tree::Ty;
use vproto_code::writer::Writer;

const BASE: &str = include_str!("../../../../runtime/cpp/base.hpp");
const SHAPE: &str = include_str!("../../../../runtime/cpp/scan/shape.hpp");
const NIBBLES: &str = include_str!("../../../../runtime/cpp/scan/nibbles.hpp");
const RUN: &str = include_str!("../../../../runtime/cpp/scan/run.hpp");
const BLOCK: &str = include_str!("../../../../runtime/cpp/scan/block.hpp");
const WIDEST: &str = include_str!("../../../../runtime/cpp/scan/widest.hpp");
const HEAP: &str = include_str!("../../../../runtime/cpp/heap.hpp");
const FIXED: &str = include_str!("../../../../runtime/cpp/fixed.hpp");
const EXPECTED: &str = include_str!("../../../../runtime/cpp/expected.hpp");
const FINISH: &str = include_str!("../../../../runtime/cpp/finish.hpp");
const APART: &str = include_str!("../../../../runtime/cpp/apart.hpp");
const DIGEST: &str = include_str!("../../../../runtime/cpp/digest.hpp");
const SEARCH: &str = include_str!("../../../../runtime/cpp/search.hpp");
const THREADS: &str = include_str!("../../../../runtime/cpp/threads.hpp");
const TRACE: &str = include_str!("../../../../runtime/cpp/trace.hpp");

/// Prints the pieces.
pub(super) fn print(w: &mut Writer, modules: &[Module<'_>]) {
    let Some(first) = modules.first() else { return };
    let uses = |ty: Ty| modules.iter().flat_map(|m| &m.parser.fields).any(|f| f.ty == ty);
    piece(w, BASE);
    scan(w, first.options.simd);
    if modules.iter().any(super::class::has_native) {
        // Descriptions print as those of the original do, without an include of their own.
        w.line("#include <cstdio>");
    }
    piece(w, if first.options.no_heap && !first.options.with_main { FIXED } else { HEAP });
    if first.options.no_heap && first.options.with_main {
        piece(w, FIXED);
    }
    piece(w, FINISH);
    if modules.iter().any(super::class::says_later) {
        piece(w, EXPECTED);
    }
    if modules.iter().any(Module::is_dealt_out) {
        piece(w, APART);
    }
    if uses(Ty::Digest) {
        piece(w, DIGEST);
    }
    if uses(Ty::Search) {
        piece(w, SEARCH);
    }
    if uses(Ty::Threads) {
        piece(w, THREADS);
    }
    if first.options.with_main {
        piece(w, TRACE);
    }
}

/// The levels that are asked for, from the narrow to the wide; `auto` has all, and chooses among those that the
/// compiler's flags allow.
fn scan(w: &mut Writer, simd: Simd) {
    for text in [SHAPE, NIBBLES, RUN, BLOCK] {
        piece(w, text);
    }
    for (_, text) in LEVELS.iter().filter(|(levels, _)| simd == Simd::Auto || levels.contains(&simd)) {
        piece(w, text);
    }
    if simd == Simd::Auto {
        piece(w, WIDEST);
    }
}

/// Each level with those that stand on it.
const LEVELS: [(&[Simd], &str); 5] = [
    (&[Simd::Sse2, Simd::Sse42], include_str!("../../../../runtime/cpp/scan/sse2.hpp")),
    (&[Simd::Sse42], include_str!("../../../../runtime/cpp/scan/sse42.hpp")),
    (&[Simd::Avx2], include_str!("../../../../runtime/cpp/scan/avx2.hpp")),
    (&[Simd::Avx512], include_str!("../../../../runtime/cpp/scan/avx512.hpp")),
    (&[Simd::Neon], include_str!("../../../../runtime/cpp/scan/neon.hpp")),
];

/// Sources are tidy already; only their own indentation is kept.
fn piece(w: &mut Writer, text: &str) {
    w.blank();
    w.verbatim(text);
}

//! The pieces of the runtime that parsers need: real sources, embedded.

use super::Module;
use vproto_code::tree::Ty;
use vproto_code::writer::Writer;

const BASE: &str = include_str!("../../../../runtime/cpp/base.hpp");
const HEAP: &str = include_str!("../../../../runtime/cpp/heap.hpp");
const FIXED: &str = include_str!("../../../../runtime/cpp/fixed.hpp");
const DIGEST: &str = include_str!("../../../../runtime/cpp/digest.hpp");
const SEARCH: &str = include_str!("../../../../runtime/cpp/search.hpp");
const THREADS: &str = include_str!("../../../../runtime/cpp/threads.hpp");
const TRACE: &str = include_str!("../../../../runtime/cpp/trace.hpp");

/// Prints the pieces.
pub(super) fn print(w: &mut Writer, modules: &[Module<'_>]) {
    let Some(first) = modules.first() else { return };
    let uses = |ty: Ty| modules.iter().flat_map(|m| &m.parser.fields).any(|f| f.ty == ty);
    piece(w, BASE);
    piece(w, if first.options.no_heap && !first.options.with_main { FIXED } else { HEAP });
    if first.options.no_heap && first.options.with_main {
        piece(w, FIXED);
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

/// Sources are tidy already; only their own indentation is kept.
fn piece(w: &mut Writer, text: &str) {
    w.blank();
    w.verbatim(text);
}

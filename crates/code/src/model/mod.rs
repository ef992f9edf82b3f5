//! Execution models: a machine becomes statements of the neutral tree.
//!
//! [`goto`] arranges what the other modules emit: [`state`] one kind of state each, [`edge`] actions in their order,
//! [`capture`] what becomes of bytes, [`call`] frames, fences and skips, [`raise`] exceptions, [`thread`] undecided
//! `< >`, [`chain`] the fast replacements, [`portable`] expressions and blocks. All of them write into one [`Gen`].

pub mod call;
pub mod capture;
pub mod chain;
pub mod edge;
pub mod facts;
pub mod r#gen;
pub mod goto;
pub mod hot;
pub mod module;
pub mod portable;
pub mod raise;
pub mod reads;
pub mod split;
pub mod state;
pub mod thread;
pub mod trie;
pub mod until;
pub mod waiting;

pub use r#gen::{Gen, ModelOptions};
pub use split::Sizes;

//! The two representations that every part of vproto reads.
//!
//! [`grammar`] is the checked description: trees of lines and tokens with every name resolved. [`machine`] is the
//! byte-wise graph that is lowered from it. Both share [`symbols`] (variables, functions, enums, portable code), so
//! that ids of one are ids of the other.

pub mod analyses;
pub mod byteset;
pub mod facts;
pub mod grammar;
pub mod ids;
pub mod machine;
pub mod portable;
pub mod symbols;
pub mod text;
pub mod verify;
pub mod wire;

pub use byteset::ByteSet;
pub use ids::{Id, Table};

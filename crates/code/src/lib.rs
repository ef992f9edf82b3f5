//! The neutral code tree, the execution models and the writer of generated text.
//!
//! A model ([`model`]) turns a machine into [`tree`], a printer in `vproto-back` turns the tree into text. The tree
//! has statements with labels and jumps, a small algebra of expressions and calls of a runtime that every target
//! brings; it knows no language. [`target`] says what a language can do, so that a model that asks for more is
//! refused before anything is printed.

pub mod model;
pub mod names;
pub mod target;
pub mod tree;
pub mod visit;
pub mod writer;

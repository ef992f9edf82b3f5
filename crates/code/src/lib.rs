//! The neutral code tree, the execution models and the writer of generated text.

pub mod writer;

//! Rust.

pub mod bitproto;

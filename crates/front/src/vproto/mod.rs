//! The vproto language.

pub mod lower;

//! The vproto language.

pub mod check;
pub mod lower;

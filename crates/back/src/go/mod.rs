//! Go.

pub mod bitproto;

//! C.

pub mod bitproto;

//! C++.

pub mod bitproto;

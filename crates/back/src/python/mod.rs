//! Python.

pub mod bitproto;

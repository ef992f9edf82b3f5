//! front
pub mod bitproto;
pub mod vproto;

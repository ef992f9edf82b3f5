//! front
pub mod vproto;

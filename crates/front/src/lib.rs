//! Front-ends: from text to the checked description.

pub mod bitproto;
pub mod vproto;

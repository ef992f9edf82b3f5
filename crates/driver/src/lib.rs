//! vproto as a library: the stages in their order. Nothing here reads files, prints, or asks for the time.

pub mod bitproto;

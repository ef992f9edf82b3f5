//! Messages of fixed layout: schema, wire plan, values, and the interpreters that define their meaning.
//!
//! The bitproto front-end produces a [`Schema`]; [`plan::plan`] turns it into a [`Plan`], the target-neutral list of
//! bit ranges and loops from which every printer works; [`naive`] is the law (bit by bit, from the types) and
//! [`interp`] runs the plan, so that a difference between the two is a bug of the plan.
//!
//! # The wire
//! Bit `i` of a message is bit `i mod 8`, counted from the least significant, of byte `i / 8`. A value goes least
//! significant bit first. Fields follow each other by ascending number without gaps; the message is filled up with
//! zero bits to a byte. A marked (extensible) message begins with 16 bits that hold its own size in bits, these 16
//! included; a marked array begins with 16 bits that hold its own capacity.
//!
//! # Reading what another version wrote
//! A marked message at bit `p` with prefix `L` ends at `p + max(L, 16)`: bits at or past `p + L` read as zero, and
//! reading goes on exactly there. A marked array with written count `c`: own elements at or past `c` are zero,
//! written elements past the own capacity are skipped one by one, each marked one by its own prefix.
//!
//! # Who reads what
//! Printers take names and types from the schema, layout from the plan, and shapes (which word holds which piece)
//! from [`shape`].

pub mod access;
pub mod breaking;
pub mod case;
pub mod interp;
pub mod naive;
pub mod names;
pub mod plan;
pub mod reach;
pub mod schema;
pub mod shape;
pub mod value;

pub use plan::Plan;
pub use schema::Schema;
pub use value::Value;

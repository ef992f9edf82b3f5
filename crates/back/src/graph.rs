//! Pictures of a description: its lines, where each goes on, and where parsing returns to.
//!
//! The picture follows the text: one row a line, indented as written, tokens as coloured pills. A branching
//! is a dot behind its parent line; arrows lead from lines that are over back to the dot of the branching that is
//! entered again. [`fn@svg`] draws it, [`fn@dot`] and [`fn@mermaid`] hand the same boxes and arrows to other programs.

mod dot;
mod mermaid;
mod model;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

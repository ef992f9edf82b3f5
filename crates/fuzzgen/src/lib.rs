//! Random descriptions over the whole language, and inputs that fit them.
//!
//! Everything is drawn from [`Choices`]: a seed in tests, the fuzzer's bytes in fuzzing; equal choices give equal
//! results. What it leaves to others: checking the descriptions (the front-end refuses some) and running them.

mod choices;
mod description;
mod expression;
mod input;
mod shrink;
mod token;

pub use choices::Choices;
pub use description::{Description, describe};
pub use input::{grow, mutate};
pub use shrink::shrink;

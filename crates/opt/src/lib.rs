//! Passes over the machine. Each is one function of one file, keeps the trace of every input, and can be left out;
//! [`pipeline`] is the ordered list.

mod determinise;
mod edit;
mod fold_equal;
mod inline;
mod merge_dispatch;
pub mod pipeline;
mod plans;
mod product;
pub mod progress;
mod regain_scans;
mod thread;
mod tidy_spans;

pub use pipeline::{PASSES, Pass, optimise, run, run_prefix};

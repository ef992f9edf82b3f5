//! Cases of tests: descriptions with an input and the events they must give, and ways to play them.
//!
//! [`case`] reads cases from Markdown (`tests/corpus/*.md`) and from folders (`tests/examples/NAME/`);
//! [`cuts`] lists the fragmentations that every engine must not notice; [`mod@play`] drives an interpreter through them; [`skip`] says
//! what a test leaves out.

pub mod case;
pub mod compiled;
pub mod cuts;
pub mod dense;
pub mod play;
pub mod program;
pub mod skip;

pub use case::{Case, Source};
pub use play::{Mismatch, play, trace_of};

use std::path::{Path, PathBuf};
use vproto_ir::machine::Program;
use vproto_ir::verify::Verified;

/// A program that must be good.
///
/// # Panics
/// The verifier has found something.
pub fn verified(program: &Program) -> Verified<Program> {
    Verified::new(program.clone()).unwrap_or_else(|found| panic!("the verifier refuses it: {found:#?}"))
}

/// The repository's root, where `tests/` and `formats/` are.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..").canonicalize().unwrap_or_else(|_| here.join("../.."))
}

/// The folder of shared data beside the checkout, if it is there; larger runs skip without it.
pub fn shared() -> Option<PathBuf> {
    let beside = root().join("../shared");
    let known = [beside, PathBuf::from("/work/shared")];
    known.into_iter().find(|p| p.join("design/language.md").is_file())
}

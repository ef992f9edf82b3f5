//! Printers of the target languages.

pub mod c;
pub mod cpp;
pub mod go;
pub mod graph;
pub mod python;
pub mod rust;

/// A file that a printer made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// File name without folder.
    pub name: String,
    /// What it contains.
    pub text: String,
}

//! The registry of diagnostic codes: one row a code, in `code/*.rs`, one file a stage.
//!
//! Codes never change their meaning and are never used again. `E` is an error, `W` a warning, `N` a note. The
//! hundreds tell the stage: 00 files and text, 01 layout and tokens, 02 names and types, 03 structure
//! and flow, 04 targets, 10–12 bitproto.

use crate::Severity;

pub mod bitproto;
pub mod flow;
pub mod layout;
pub mod names;
pub mod target;
pub mod text;

/// A stable diagnostic code such as `E0203`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// What `vproto explain` prints of a code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// A title of a few words.
    pub title: &'static str,
    /// The long form: what it means, an example, the remedy. Plain text, paragraphs separated by blank lines.
    pub text: &'static str,
}

impl Code {
    /// Errors begin with `E`, notes with `N`.
    pub fn severity(self) -> Severity {
        match self.0.as_bytes().first() {
            Some(b'E') => Severity::Error,
            Some(b'N') => Severity::Note,
            _ => Severity::Warning,
        }
    }

    /// The entry of this code, if it is registered.
    pub fn entry(self) -> Option<&'static Entry> {
        entries().find(|e| e.code == self)
    }
}

/// All registered codes, stage by stage.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [text::ENTRIES, layout::ENTRIES, names::ENTRIES, flow::ENTRIES, target::ENTRIES, bitproto::ENTRIES]
        .into_iter()
        .flatten()
}

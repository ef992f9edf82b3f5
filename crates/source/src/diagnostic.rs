//! What the user is told about a description.

use crate::{Code, Span};

/// How grave a finding is. Only errors stop the compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing need be done. Only `check` shows it.
    Note,
    /// The description means something, but hardly what was wanted.
    Warning,
    /// The description has no meaning.
    Error,
}

/// An underlined place with what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The underlined text.
    pub span: Span,
    /// What it is there; may be empty.
    pub text: String,
}

/// One finding: code, title, the place that explains it, and a remedy where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code; `vproto explain` tells more about it.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One short sentence without a full stop, with the names concerned.
    pub title: String,
    /// The place at fault.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What to do, only where something can be done.
    pub help: Option<String>,
}

/// Findings in the order they were made; stages append to it and go on.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// A finding of the severity that its code has by nature.
    pub fn new(code: Code, title: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            title: title.into(),
            primary: Label { span, text: label.into() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// With one more place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// With a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether it is only worth knowing.
    pub fn is_note(&self) -> bool {
        self.severity == Severity::Note
    }

    /// Whether it stops the compilation.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The name among `known` that `name` was most likely meant to be, if one is near enough. Names of which every letter
/// would have to change are not near; beyond [`MAX_NAME`] letters nothing is compared.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > MAX_NAME {
        return None;
    }
    let limit = length.div_ceil(3).min(length.saturating_sub(1));
    let known = known.into_iter().filter(|k| k.len().abs_diff(name.len()) <= 4 * limit);
    let near = known.map(|k| (distance(name, k), k)).filter(|&(d, _)| d > 0 && d <= limit);
    near.min_by_key(|&(d, _)| d).map(|(_, k)| k)
}

/// Longest name that is compared with others.
pub const MAX_NAME: usize = 60;

/// Levenshtein distance in characters, case ignored.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_names() {
        assert_eq!(did_you_mean("lenght", ["offset", "length"]), Some("length"));
        assert_eq!(did_you_mean("abc", ["xyz"]), None);
        assert_eq!(did_you_mean("a", ["b"]), None);
    }
}

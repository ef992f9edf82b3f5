//! What a language can do, and what an execution model needs of it.

/// The abilities of a target language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Jumps to labels of the same function.
    pub goto: bool,
    /// Expressions and code blocks of this language are understood where the description names none.
    pub opaque: bool,
    /// Compile-time choice by the type of the user's object (templates, generics).
    pub generic: bool,
}

impl Target {
    /// C++17.
    pub const CPP17: Target = Target { name: "cpp", goto: true, opaque: true, generic: true };
    /// C++98, for microcontrollers.
    pub const CPP98: Target = Target { name: "cpp98", goto: true, opaque: true, generic: true };
    /// Rust.
    pub const RUST: Target = Target { name: "rust", goto: false, opaque: false, generic: true };
}

/// An execution model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Labels; the state is saved only where input ends.
    Goto,
    /// A loop over states.
    Switch,
}

impl Strategy {
    /// Whether a language can carry the model.
    pub fn fits(self, target: &Target) -> bool {
        match self {
            Strategy::Goto => target.goto,
            Strategy::Switch => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_has_no_goto() {
        assert!(Strategy::Goto.fits(&Target::CPP17));
        assert!(!Strategy::Goto.fits(&Target::RUST));
        assert!(Strategy::Switch.fits(&Target::RUST));
    }
}

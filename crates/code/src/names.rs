//! Names of generated code: those of the description, with a suffix only on a clash.

use std::collections::BTreeSet;

/// Gives every thing of one scope a name of its own.
#[derive(Clone, Debug, Default)]
pub struct Namer {
    taken: BTreeSet<String>,
}

impl Namer {
    /// A scope in which the reserved words of a language cannot be names.
    pub fn new(reserved: &[&str]) -> Namer {
        Namer { taken: reserved.iter().map(|word| (*word).to_owned()).collect() }
    }

    /// The name itself where it is free, else the name with the first free suffix `_`, `_2`, `_3` …
    pub fn name(&mut self, wanted: &str) -> String {
        let wanted = identifier(wanted);
        let suffixed = |n: u32| match n {
            0 => wanted.clone(),
            1 => format!("{wanted}_"),
            n if wanted.ends_with('_') => format!("{wanted}{n}"),
            n => format!("{wanted}_{n}"),
        };
        let free = (0..).map(suffixed).find(|name| !self.taken.contains(name)).unwrap_or(wanted.clone());
        self.taken.insert(free.clone());
        free
    }
}

/// The text with every character that no identifier may hold made `_`. Two underscores in a row, and one at the
/// front, are left to the C++ implementation, so they do not arise here.
fn identifier(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    if name.starts_with(|c: char| c.is_ascii_digit() || c == '_') || name.is_empty() {
        name.insert(0, 'n');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_only_on_a_clash() {
        let mut namer = Namer::new(&["int"]);
        assert_eq!(namer.name("url"), "url");
        assert_eq!(namer.name("url"), "url_");
        assert_eq!(namer.name("url"), "url_2");
        assert_eq!(namer.name("int"), "int_");
        assert_eq!(namer.name("http-1"), "http_1");
        assert_eq!(namer.name("1st"), "n1st");
        assert_eq!(namer.name("a__b"), "a_b");
    }
}

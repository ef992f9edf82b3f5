//! The formatter changes the look of a description, never its meaning.

use crate::examples::{Beside, descriptions, root};
use vproto_front::vproto::{fmt, parse};
use vproto_source::{Diagnostics, File, Files};

/// The grammar of a text as it prints, without places.
fn meaning(name: &str, text: &str) -> Option<String> {
    let (mut files, mut out) = (Files::default(), Diagnostics::new());
    let file = files.add(File::new(name, text));
    let grammar = parse(&mut files, file, &mut Beside, &mut out).grammar?;
    Some(without_spans(&format!("{grammar:?}")))
}

/// A printed grammar without its places.
pub fn without_spans(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("Span { file:") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').map_or(rest.len(), |n| at + n + 1);
        rest = &rest[end..];
    }
    out + rest
}

/// Text with other white space between its tokens, where that is free.
fn disturbed(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        format!("{}{}   ", "    ".repeat(tabs), &line[tabs..])
    });
    lines.collect::<Vec<_>>().join("\r\n")
}

#[test]
fn formatted_descriptions_mean_the_same() {
    let mut paths = descriptions(&root().join("formats"));
    paths.extend(descriptions(&root().join("../../shared/examples")));
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("it was listed");
        let formatted = fmt::format(&text).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert_eq!(fmt::format(&formatted).as_ref(), Ok(&formatted), "{name}: formatting twice");
        assert_eq!(meaning(&name, &formatted), meaning(&name, &text), "{name}");
        let other = disturbed(&text);
        assert_eq!(fmt::format(&other).as_ref(), Ok(&formatted), "{name}: with spaces");
    }
}

//! The text form prints and parses back to the same text and the same machine.

use vproto_ir::text::{parse_program, print_program};

/// Lines that say nothing are dropped: comments and blank lines between machines are not printed back.
fn content(text: &str) -> String {
    text.lines().filter(|l| !l.starts_with(';') && !l.is_empty()).map(|l| format!("{l}\n")).collect()
}

#[test]
fn goldens_print_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ir");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the goldens are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "vir") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let program = parse_program(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let printed = print_program(&program);
        assert_eq!(content(&text), content(&printed), "{}", path.display());
        assert_eq!(parse_program(&printed).as_ref(), Ok(&program), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 2);
}

#[test]
fn bad_texts_give_their_line() {
    let cases = [
        ("", 1),
        ("machine x\nstart q", 2),
        ("machine x\ns0 scan [a 1..1\n  -> s1", 2),
        ("machine x\ns0 act\n  -> s1\n  -> s2", 4),
        ("machine x\ns0 act\n  {open} -> s1", 3),
        ("machine x\ns99999999 act\n  -> s1", 2),
        ("machine x\nexpr \"y\"", 2),
        ("machine x\ns0 ret\ns0 ret", 3),
        ("machine x\nplan chain s0 bytes 3 to s1\n  layout \"a\"", 2),
    ];
    for (text, line) in cases {
        let error = parse_program(text).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
    }
    let deep = format!("machine x\nexpr \"{}1{}\"", "(".repeat(100_000), ")".repeat(100_000));
    assert!(parse_program(&deep).is_err());
}

//! Any text gives diagnostics, never a panic, a hang or a stack overflow.

use crate::examples::{descriptions, root};
use crate::format::without_spans;
use crate::{findings, parse_files};
use std::time::{Duration, Instant};
use vproto_front::vproto::{MAX_FINDINGS, fmt};
use vproto_ir::grammar::Grammar;

/// A small generator of random numbers (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Pieces that make a description interesting.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\t",
    "  ",
    "\\\n\t",
    "\\",
    "//",
    "/*",
    "*/",
    "{",
    "}",
    "{}",
    "(",
    ")",
    "[",
    "]",
    "[^",
    "\"",
    "'",
    "<",
    ">",
    ",",
    ":",
    "->",
    "?",
    "*",
    "+",
    "=",
    "@",
    "if {",
    "if {x == 1}",
    "enum{",
    "enum{a, b}:e",
    "bits{",
    "bits{a:1 _:7}",
    "u8:x",
    "be16:x",
    "string:s",
    "data:f(max=x)",
    "(max=",
    "(until=\"",
    "(if=x)",
    "array:a(init=4)",
    "label:l",
    "call:l",
    "jmp:l",
    "return",
    "reset",
    "back:0",
    "catch:",
    "finish:",
    "begin:crc32:c",
    "end:c",
    "vproto:m:v",
    "v.x",
    "->string:s",
    "->uint:x",
    "@const N = 1",
    "@include \"test.vproto\"",
    "@import m",
    "@cpp {",
    "@limit calls=3",
    "notify:f(x, s)",
    "x++;",
    "&&",
    "<<",
    "\\x",
    "\\q",
    "é",
    "\u{feff}",
    "\r",
    "\0",
    "0x",
    "99999999999999999999",
    "R\"(",
    "offset",
    "left",
    "?:",
    "..",
];

fn mutated(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(chars.len() + 1);
        let length = random.below(12).min(chars.len() - at);
        match random.below(4) {
            0 => drop(chars.drain(at..at + length)),
            1 => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
            2 => {
                let from = random.below(chars.len() + 1);
                let copy: Vec<char> = chars[from..(from + 20).min(chars.len())].to_vec();
                chars.splice(at..at + length, copy);
            }
            _ => {
                if let Some(c) = chars.get_mut(at) {
                    *c = char::from_u32(random.below(300) as u32).unwrap_or('x');
                }
            }
        }
    }
    chars.into_iter().collect()
}

/// Runs the front-end and holds it to what it promises of every text.
fn survives(text: &str) {
    let m = ("m.vproto", "b8:x if {seen} notify:y\n\nbool:seen\n");
    let (parsed, files, out) = parse_files(&[("test.vproto", text), m]);
    let errors = out.iter().any(|d| d.is_error());
    assert_eq!(parsed.grammar.is_none(), errors, "{text}");
    assert!(out.len() <= MAX_FINDINGS + 1);
    for found in &out {
        assert!(found.code.entry().is_some(), "{:?} is not registered", found.code);
        let spans = found.secondary.iter().map(|l| l.span).chain([found.primary.span]);
        for span in spans {
            let file = files.get(span.file);
            assert!(file.text.get(span.range()).is_some(), "{found:?} points nowhere in {text}");
        }
    }
    formatting_is_harmless(text, parsed.grammar.as_ref());
    if let Some(grammar) = parsed.grammar {
        for module in grammar.modules.rows() {
            assert!(!module.trees.is_empty(), "{text}");
            for branching in module.branchings.rows() {
                assert!(!branching.alternatives.is_empty() || branching.finish.is_some(), "{text}");
            }
            for line in module.lines.rows() {
                let handler = line.role != vproto_ir::grammar::LineRole::Alternative;
                assert!(handler || !line.tokens.is_empty(), "{text}");
            }
        }
    }
}

/// A text that can be formatted keeps its meaning, and formatting it again changes nothing.
fn formatting_is_harmless(text: &str, grammar: Option<&Grammar>) {
    let Ok(formatted) = fmt::format(text) else { return };
    if text.len() > 20_000 {
        return; // Printing grammars of that size takes longer than all else.
    }
    assert_eq!(fmt::format(&formatted).as_ref(), Ok(&formatted), "formatting twice:\n{text}");
    let m = ("m.vproto", "b8:x if {seen} notify:y\n\nbool:seen\n");
    let (parsed, _, out) = parse_files(&[("test.vproto", &formatted), m]);
    assert_eq!(grammar.is_some(), parsed.grammar.is_some(), "{out:#?}\n{text}\n----\n{formatted}");
    if let (Some(before), Some(after)) = (grammar, &parsed.grammar) {
        let (before, after) = (without_spans(&format!("{before:?}")), without_spans(&format!("{after:?}")));
        assert_eq!(before, after, "{text}\n----\n{formatted}");
    }
}

#[test]
fn random_mutations_of_descriptions() {
    let mut texts: Vec<String> = descriptions(&root().join("formats"))
        .into_iter()
        .chain(descriptions(&root().join("../../shared/examples")))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    texts.push(PIECES.concat());
    let rounds = std::env::var("VPROTO_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        let text = &texts[round % texts.len()];
        survives(&mutated(text, &mut random));
    }
}

#[test]
fn random_pieces_and_random_characters() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..2000 {
        let text: String = match round % 2 {
            0 => (0..random.below(60)).map(|_| PIECES[random.below(PIECES.len())]).collect(),
            _ => (0..random.below(200)).filter_map(|_| char::from_u32(random.below(256) as u32)).collect(),
        };
        survives(&text);
    }
}

fn in_time(what: &str, text: &str) {
    let start = Instant::now();
    survives(text);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{what}: {took:?}");
}

#[test]
fn nesting_10_000_deep() {
    let deep = 10_000;
    let lines: String = (0..deep).map(|n| format!("{}\"a\"\n", " ".repeat(n))).collect();
    assert_eq!(findings(&lines), ["202:1 E0104"]);
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}\n", open.repeat(deep), close.repeat(deep))
    };
    in_time("parallel", &nested("<", "\"a\"", ">"));
    in_time("parallel", &nested("<\"b\", ", "\"a\"", ">"));
    in_time("parentheses", &format!("data(max={})", nested("(", "1", ")").trim_end()));
    in_time("unary", &format!("data(max={}1)", "-!~".repeat(deep)));
    in_time("conditional", &format!("b8:x data(max={}1)", "x ? 1 : ".repeat(deep)));
    in_time("operators", &format!("b8:x data(max=1{})", " + x".repeat(deep)));
    in_time(
        "precedence",
        &format!("b8:x data(max={}1{})", "1||1&&1|1^1&1==1<1<<1+1*(".repeat(deep), ")".repeat(deep)),
    );
    in_time("braces", &nested("{", "", "}"));
    in_time("else if", &format!("b8:x {{ {} x = 1; }}", "if (x) x = 2; else ".repeat(deep)));
    in_time("members", &format!("b8:x data(max=x{})", ".y".repeat(deep)));
    in_time("calls", &format!("b8:x notify:f({}x{})", "f(".repeat(deep), ")".repeat(deep)));
    in_time("comments", &"/*".repeat(deep));
}

#[test]
fn lines_of_a_megabyte() {
    let (million, less) = (1 << 20, 1 << 17);
    for piece in [
        "\"a\" ",
        "[a]",
        "[",
        "\"",
        "'",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "\\",
        "\\x",
        "x",
        "9",
        ":",
        "u8:x ",
        "é ",
        "\t",
        " ",
        "/*",
        "*",
        "->",
        "@",
        ",",
        "enum{",
        "enum{a,",
        "data(max=y) ",
        "data(max=y)",
        "if {x} ",
        "a:",
        "(1,",
        "\0",
        "label:x ",
        "\r",
        "foo ",
        "\u{feff}",
    ] {
        in_time(piece, &piece.repeat(million / piece.len()));
        for (before, after) in
            [("\"", "\""), ("[", "]"), ("b8:x data(max=", ")"), ("b8:x { ", " }"), ("<\"a\", ", ">")]
        {
            in_time(piece, &format!("{before}{}{after}\n", piece.repeat(less / piece.len())));
        }
    }
}

#[test]
fn many_names() {
    let many = 40_000;
    let list = |f: &dyn Fn(usize) -> String| (0..many).map(f).collect::<String>();
    in_time("variables", &list(&|n| format!("u8:x{n} data(max=y{n})\n")));
    in_time("labels", &list(&|n| format!("label:x{n} jmp:y{n}\n\n")));
    in_time(
        "jumps",
        &format!("{}\n{}", list(&|n| format!("jmp:x{n}\n")), list(&|n| format!("\nlabel:x{n} \"a\"\n"))),
    );
    in_time("calls", &list(&|n| format!("label:x{n} call:x{}\n\n", n + 1)));
    in_time("enums", &list(&|n| format!("enum{{a, b{n}}}:e{n} \"x\"\n")));
    in_time("members", &format!("enum{{{}}}:e \"x\"\n", list(&|n| format!("m{n} \"t{n}\", "))));
    in_time(
        "compared",
        &format!(
            "enum{{{}}}:e\n{}",
            list(&|n| format!("m{n}, ")),
            list(&|n| format!("\tif {{e == m{n}}} \"x\"\n"))
        ),
    );
    in_time("functions", &list(&|n| format!("notify:f{n} u8:x{n}\n")));
    in_time("modules", &list(&|n| format!("vproto:m{n}:v{n}\n")));
    in_time("constants", &list(&|n| format!("@const c{n} = {n}\n")));
    in_time("includes", &list(&|_| "@include \"m.vproto\"\n".to_string()));
    in_time("warnings, then an error", &format!("{}\nfoo\n", list(&|_| "[aa] ".to_string())));
}

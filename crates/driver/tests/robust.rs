//! Any byte string as a description gives findings, never a panic and never a hang: random bytes, mutated
//! descriptions, deep nesting and long lines go through reading, resolving, checking and rendering.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vproto_front::vproto;
use vproto_source::render::{Style, json, text};
use vproto_source::{Diagnostics, File, Files};

/// Longest time for one description, generous for slow machines: a quadratic course over a megabyte takes hours.
const PATIENCE: Duration = Duration::from_secs(20);

/// A small generator of numbers (xorshift), so that a seed names a case for ever.
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

/// Reads and checks one description; the number of findings.
fn digest(description: &[u8]) -> Diagnostics {
    let started = Instant::now();
    let mut files = Files::default();
    let root = files.add(File::new("case.vproto", String::from_utf8_lossy(description)));
    let mut out = Diagnostics::new();
    let parsed = vproto::parse(&mut files, root, &mut vproto::KnownFiles, &mut out);
    if let Some(grammar) = parsed.grammar {
        vproto::check::check(&grammar, &files, &mut out);
    }
    let shown = out.len().min(200);
    let rendered = text(&files, &out[..shown], Style::default());
    assert_eq!(rendered.is_empty(), out.is_empty());
    assert_eq!(json(&files, &out[..shown]).lines().count(), shown);
    for found in &out {
        assert!(found.code.entry().is_some(), "{} is not registered", found.code.0);
    }
    let taken = started.elapsed();
    assert!(
        taken < PATIENCE,
        "{taken:?} for {:?}…",
        String::from_utf8_lossy(&description[..description.len().min(80)])
    );
    out
}

/// Descriptions to mutate: those of the repository, and the shared examples where they are.
fn samples() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open: Vec<PathBuf> =
        ["formats", "tests/examples", "tests/diag"].iter().map(|f| root.join(f)).collect();
    open.push(PathBuf::from("/work/shared/examples"));
    let mut samples = Vec::new();
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            open.extend(entries.flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "vproto") {
            samples.extend(fs::read(&path));
        } else if path.extension().is_some_and(|e| e == "md") {
            samples.extend(fences(&fs::read_to_string(&path).unwrap_or_default()));
        }
    }
    samples.sort();
    assert!(samples.len() > 20, "hardly any descriptions to mutate");
    samples
}

/// The descriptions in a case file.
fn fences(text: &str) -> Vec<Vec<u8>> {
    let blocks = text.split("\n```vproto ").skip(1);
    let bodies =
        blocks.filter_map(|b| Some(b.split_once('\n')?.1.split("\n```").next()?.as_bytes().to_vec()));
    bodies.collect()
}

#[test]
fn random_bytes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        digest(&bytes);
    }
}

#[test]
fn random_tokens() {
    const PIECES: &[&str] = &[
        "\n",
        "\n\t",
        "\n\t\t",
        "\n\n",
        " ",
        "\\",
        "\"a\"",
        "'b'",
        "[a-z]",
        "[^x]+",
        "u8:x",
        "be16:n",
        "data:d(max=n)",
        "string:s(until=\"x\")",
        "(",
        ")",
        "<",
        ">",
        ",",
        "{ n = 1; }",
        "if {n > 1}",
        "{}",
        "notify:f(x)",
        "label:l",
        "call:l",
        "call:l(max=n, times=2)",
        "jmp:l",
        "return",
        "reset",
        "break",
        "bang",
        "back:0",
        "catch:",
        "finish:",
        "begin:f",
        "end:f",
        "begin:crc32:c",
        "end:c",
        "enum{a, b}:e",
        "enum{a \"A\"}:t",
        "bits{a:4 b:4}",
        "varint:v",
        "match:s",
        "?",
        "*",
        "+",
        "->string:s",
        "->le",
        "@const N = 5",
        "@limit calls=2",
        "//",
        "/*",
        "*/",
        "{",
        "}",
        "\"",
        "'",
        "[",
        "]",
        ":",
        "0x",
        "if=n",
        "(min=",
        "vproto:case:v",
        "i8:y",
        "lef32:f",
        "bool:b",
        "\u{e9}",
        "\u{0}",
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..3000 {
        let count = random.below(40);
        let text: String = (0..count)
            .flat_map(|_| [PIECES[random.below(PIECES.len())], [" ", "", ""][random.below(3)]])
            .collect();
        digest(text.as_bytes());
    }
}

#[test]
fn mutated_descriptions() {
    let samples = samples();
    let mut random = Random(0xfeed_beef_cafe_f00d);
    for _ in 0..3000 {
        let mut bytes = samples[random.below(samples.len())].clone();
        bytes.truncate(6000);
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &samples, &mut random);
        }
        digest(&bytes);
    }
}

fn mutate(bytes: &mut Vec<u8>, samples: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(12)).min(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.insert(at, random.next() as u8),
        2 => bytes.insert(at, b"\n\t \\(){}<>[]\"':,+*?=-/@"[random.below(23)]),
        3 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        4 => bytes.truncate(at),
        _ => {
            let other = &samples[random.below(samples.len())];
            let from = random.below(other.len());
            let to = (from + random.below(40)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied());
        }
    }
}

/// `n` lines, each one level deeper.
fn nested(n: usize, line: &str) -> String {
    (0..n).map(|depth| format!("{}{line}\n", "\t".repeat(depth))).collect()
}

#[test]
fn deep_nesting() {
    for line in ["\"a\"", "\"a\" \\", "{}", "if {n > 1}", "begin:f", "[a]*", "notify:f"] {
        digest(nested(3000, line).as_bytes());
    }
    digest(nested(10_000, "b8").as_bytes());
    for (open, close) in [
        ("<", ">"),
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("if {(", ")}"),
        ("{ if (1) {", "} }"),
        ("<\"a\", ", ">"),
    ] {
        digest(format!("b8{}\"a\"{}", open.repeat(10_000), close.repeat(10_000)).as_bytes());
        digest(open.repeat(100_000).as_bytes());
        digest(close.repeat(100_000).as_bytes());
    }
    let operators = ["!", "-", "~", "1 ? 2 : ", "1 + ", "(1 + "];
    for operator in operators {
        digest(format!("b8:n if {{{}n}}", operator.repeat(10_000)).as_bytes());
    }
}

#[test]
fn long_lines() {
    let megabyte = 1 << 20;
    for piece in [
        "a",
        "\"a\" ",
        "b8 ",
        "[a-z]",
        "\\",
        "\"",
        "(",
        "<",
        "notify:f ",
        "u8:x ",
        "if {x} ",
        "//",
        "\u{e9}",
        "\t",
        " ",
        "\r",
    ] {
        digest(piece.repeat(megabyte / piece.len()).as_bytes());
    }
    digest(format!("\"{}\"", "x".repeat(megabyte)).as_bytes());
    digest(format!("<\"{}\", \"{}\">", "x".repeat(100_000), "x".repeat(100_001)).as_bytes());
    digest(format!("[{}]", "a".repeat(megabyte)).as_bytes());
}

#[test]
fn many_lines() {
    let repeat = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    digest(repeat(20_000, &|n| format!("\"{n}\" notify:f{n}\n")).as_bytes());
    digest(repeat(3_000, &|n| format!("\"a\" call:l{}\n\nlabel:l{n} \"b\" return\n\n", n + 1)).as_bytes());
    digest(repeat(3_000, &|n| format!("label:l{n} call:l{} return\n\n", n.saturating_sub(1))).as_bytes());
    digest(repeat(3_000, &|n| format!("label:l{n} [a]? call:l{} return\n\n", n + 1)).as_bytes());
    digest(repeat(3_000, &|n| format!("label:l{n} [a]? jmp:l{}\n\n", (n * 7 + 1) % 3_000)).as_bytes());
    digest(repeat(20_000, &|_| "if {n == 1} \"a\"\n".to_string()).as_bytes());
    digest(repeat(1_000, &|n| format!("<[a-z]+ \"{n}\", [0-9](max={n})>\n")).as_bytes());
}

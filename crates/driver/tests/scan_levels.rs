//! The levels of `runtime/cpp/scan` find what a loop over bytes finds: see `tests/runtime/scan.cc`.

use std::fs;
use std::path::Path;
use std::process::Command;
use vproto_testkit::compiled::{Build, compile};
use vproto_testkit::skip;

/// The program with the headers that it includes, so that it is kept by their content.
fn source() -> String {
    let root = vproto_testkit::root();
    let read = |path: &Path| fs::read_to_string(path).expect("the runtime can be read");
    let text = read(&root.join("tests/runtime/scan.cc"));
    let lines = text.lines().map(|line| match line.strip_prefix("#include \"") {
        Some(name) => read(&root.join("runtime/cpp").join(name.trim_end_matches('"'))),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn holds(compiler: &str, flags: &[&str], runner: &[&str]) {
    let mut build = Build { compiler: compiler.to_owned(), ..Build::default() };
    build.flags.push("-DWIDEST=\"widest\"".to_owned());
    build.flags.extend(flags.iter().map(|f| (*f).to_owned()));
    let binary = compile(&source(), &build).unwrap_or_else(|problem| panic!("{problem}"));
    let mut words: Vec<String> = runner.iter().map(|word| (*word).to_owned()).collect();
    words.push(binary.to_string_lossy().into_owned());
    let output = Command::new(&words[0]).args(&words[1..]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{flags:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
}

const SANITIZED: [&str; 3] = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

#[cfg(target_arch = "x86_64")]
#[test]
fn levels_of_x86() {
    holds("g++", &SANITIZED, &[]);
    let levels = [
        (std::arch::is_x86_feature_detected!("sse4.2"), "-msse4.2"),
        (std::arch::is_x86_feature_detected!("avx2"), "-mavx2"),
        (std::arch::is_x86_feature_detected!("avx512bw"), "-mavx512bw"),
    ];
    for (has, flag) in levels {
        if has {
            holds("g++", &[&SANITIZED[..], &[flag]].concat(), &[]);
        } else {
            skip::because(&format!("scanning with {flag}"), "this CPU has no such instructions");
        }
    }
}

#[test]
fn level_of_arm() {
    let tools = ["aarch64-linux-gnu-g++", "qemu-aarch64"];
    if tools.iter().any(|tool| skip::missing(tool, "scanning with NEON")) {
        return;
    }
    holds("aarch64-linux-gnu-g++", &["-O1", "-static"], &["qemu-aarch64"]);
}

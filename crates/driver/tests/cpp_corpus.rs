//! The whole corpus on compiled C++: every case, cut everywhere, each fragment in a heap block of its own size,
//! under address and undefined-behaviour sanitizers.
//!
//! Many cases go into one program, which is kept by content under `target/compiled`. g++ plays all of them; clang++,
//! optimised code, the machine as lowered and parsers without a heap a share that `VPROTO_SEED` chooses.
//! `VPROTO_LONG=1` plays all on all.
//! `VPROTO_CASES=text` plays only cases whose name holds the text.

use vproto_testkit::case::{self, Case};
use vproto_testkit::compiled::{Build, Job, Program, Simd};
use vproto_testkit::{cuts, skip};

/// Bytes of descriptions that go into one program: few enough that one change does not compile everything again.
const TOGETHER: usize = 12_000;

fn long() -> bool {
    std::env::var_os("VPROTO_LONG").is_some()
}

fn seed() -> usize {
    std::env::var("VPROTO_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0)
}

/// The cases of one program after another: those of one file, as many as their descriptions allow.
fn parts(cases: &[Case]) -> Vec<&[Case]> {
    let file = |case: &Case| case.name.split(':').next().map(str::to_owned);
    let mut parts = Vec::new();
    for mut of_file in cases.chunk_by(|a, b| file(a) == file(b)) {
        while !of_file.is_empty() {
            let (part, rest) = of_file.split_at(fitting(of_file));
            parts.push(part);
            of_file = rest;
        }
    }
    parts
}

/// How many of the cases make one program; neighbours of the same description count once.
fn fitting(cases: &[Case]) -> usize {
    let mut size = 0;
    for (number, case) in cases.iter().enumerate() {
        if number > 0 && cases[number - 1].sources == case.sources {
            continue;
        }
        size += case.sources.iter().map(|s| s.text.len()).sum::<usize>();
        if number > 0 && size > TOGETHER {
            return number;
        }
    }
    cases.len()
}

/// Plays every `share`-th program of the corpus.
fn corpus_on(build: &Build, share: usize) {
    if skip::missing(&build.compiler, "the corpus") {
        return;
    }
    let mut cases = case::all().expect("the corpus can be read");
    if let Ok(text) = std::env::var("VPROTO_CASES") {
        cases.retain(|case| case.name.contains(&text));
    }
    let share = if long() { 1 } else { share };
    let parts = parts(&cases).into_iter().enumerate().filter(|(i, _)| (i + seed()).is_multiple_of(share));
    let problems: Vec<String> = parts.filter_map(|(_, part)| play(part, build).err()).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

fn play(part: &[Case], build: &Build) -> Result<(), String> {
    let program = Program::build(part, build)?;
    let mut jobs = Vec::new();
    for (number, case) in part.iter().enumerate() {
        let length = case.input.len();
        let runs = cuts::few(length, seed() as u64 + 1);
        jobs.push(Job { number, case, runs, cuts: 1 + usize::from(length <= cuts::PAIRS) });
    }
    program.play(&jobs)
}

#[test]
fn gcc_with_sanitizers() {
    corpus_on(&Build::default().sanitized("-O0"), 1);
}

#[test]
fn clang_with_sanitizers() {
    corpus_on(&Build::default().clang().sanitized("-O1"), 5);
}

#[test]
fn optimised() {
    let mut build = Build::default();
    build.flags.push("-O2".to_owned());
    corpus_on(&build, 7);
}

#[test]
fn as_lowered() {
    corpus_on(&Build { optimise: false, ..Build::default() }.sanitized("-O0"), 7);
}

/// Levels of instructions beside the one that plain flags give: each run takes one of them, a long run all.
#[cfg(target_arch = "x86_64")]
#[test]
fn other_levels() {
    let levels = [
        (Simd::Auto, "-mavx2", std::arch::is_x86_feature_detected!("avx2")),
        (Simd::Auto, "-mavx512bw", std::arch::is_x86_feature_detected!("avx512bw")),
        (Simd::Sse42, "-msse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
        (Simd::Swar, "-O0", true),
        (Simd::None, "-O0", true),
    ];
    let has: Vec<_> = levels.into_iter().filter(|(_, _, has)| *has).collect();
    let taken = if long() { 0..has.len() } else { seed() % has.len()..seed() % has.len() + 1 };
    for (simd, flag, _) in &has[taken] {
        let mut build = Build { simd: *simd, ..Build::default() }.sanitized("-O1");
        build.flags.push((*flag).to_owned());
        corpus_on(&build, 5);
    }
}

#[test]
fn without_heap() {
    corpus_on(&Build { no_heap: true, ..Build::default() }.sanitized("-O0"), 7);
}

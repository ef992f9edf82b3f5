//! Plays `tests/diag/*.md`: each file is named after a code and holds descriptions that must show it, with the exact
//! text that the user sees. `BLESS=1` writes the expectations; nothing else does.
//!
//! A case is one or more fences with a file name (`vproto demo.vproto`; the first file is the root, the others are
//! what it imports or includes; `hex name` gives bytes), then a fence `text` with the expected rendering. Further cases
//! of a file stand under `##` headings. Lines outside of fences say why the case exists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use vproto_front::bitproto;
use vproto_front::vproto::KnownFiles;
use vproto_source::code::{self, Entry};
use vproto_source::render::{Style, text};
use vproto_source::{Diagnostic, Diagnostics, File, Files};

/// One description with what it must give.
#[derive(Default)]
struct Case {
    title: String,
    /// Names and contents, the root first.
    files: Vec<(String, Vec<u8>)>,
    expected: String,
    /// What stands behind the root's name: `run` (as before `vproto run`); of a schema `refuse-marks` (as with
    /// `--strict-1.3`), `filter=NAME` (as with `-F NAME`).
    mode: String,
    /// Lines of the file that the expectation takes, its fences left out.
    place: (usize, usize),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diag")
}

fn case_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("tests/diag is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths
        .retain(|p| p.extension().is_some_and(|e| e == "md") && p.file_stem().is_some_and(|s| s != "README"));
    paths.sort();
    paths
}

fn code_of(path: &Path) -> String {
    path.file_stem().expect("a case file has a name").to_string_lossy().into_owned()
}

/// The cases of a file. The form is strict, so that no case is lost to a slip.
fn cases(path: &Path, source: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![Case::default()];
    let mut fence: Option<(String, usize)> = None;
    let lines: Vec<&str> = source.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let case = cases.last_mut().expect("there is always one");
        if let Some((info, start)) = &fence {
            if *line == "```" {
                let body = lines[start + 1..number].join("\n");
                add_fence(path, case, info, &body, (start + 1, number));
                fence = None;
            }
        } else if let Some(info) = line.strip_prefix("```") {
            fence = Some((info.to_string(), number));
        } else if let Some(title) = line.strip_prefix("## ") {
            cases.push(Case { title: title.to_string(), ..Case::default() });
        }
    }
    assert!(fence.is_none(), "{}: a fence does not end", path.display());
    for case in &cases {
        assert!(
            !case.files.is_empty() && case.place.0 > 0,
            "{}: case {:?} lacks a fence",
            path.display(),
            case.title
        );
    }
    cases
}

fn add_fence(path: &Path, case: &mut Case, info: &str, body: &str, place: (usize, usize)) {
    match info.split_once(' ') {
        None if info == "text" => {
            assert_eq!(case.place.0, 0, "{}: two expectations in case {:?}", path.display(), case.title);
            case.expected = body.to_string();
            case.place = place;
        }
        Some(("hex", name)) => case.files.push((name.to_string(), unhex(body))),
        Some((_, name)) => {
            let (name, mode) = name.split_once(' ').unwrap_or((name, ""));
            case.mode.push_str(mode);
            case.files.push((name.to_string(), format!("{body}\n").into_bytes()));
        }
        None => panic!("{}: a fence needs a file name: {info:?}", path.display()),
    }
}

fn unhex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).expect("two hexadecimal digits a byte"))
        .collect()
}

/// Everything that is found in a case, as the command `check` finds it.
fn findings(case: &Case) -> (Files, Diagnostics) {
    let (name, bytes) = &case.files[0];
    if name.ends_with(".bitproto") {
        return bitproto_findings(case);
    }
    let mut files = Files::default();
    let mut out = Diagnostics::new();
    let mut root = None;
    for (name, bytes) in &case.files {
        let id = add(&mut files, name, bytes, &mut out);
        root = root.or(Some(id));
    }
    let root = root.unwrap_or_else(|| files.add(File::new(name.as_str(), String::from_utf8_lossy(bytes))));
    if out.is_empty() {
        let checked = vproto::check(&mut files, root, &mut KnownFiles);
        out = checked.diagnostics;
        if let Some(grammar) = checked.grammar.filter(|_| case.mode == "run") {
            out.extend(vproto::not_portable(&grammar));
        }
    }
    (files, out)
}

/// Adds a file; bytes that are not UTF-8 are a finding of whoever reads files.
fn add(files: &mut Files, name: &str, bytes: &[u8], out: &mut Diagnostics) -> vproto_source::FileId {
    let id = files.add(File::new(name, String::from_utf8_lossy(bytes)));
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        let span = vproto_source::Span::new(id, at, at + '\u{fffd}'.len_utf8());
        out.push(Diagnostic::new(
            code::text::NOT_UTF8,
            "the description is not UTF-8",
            span,
            "this byte cannot stand here",
        ));
    }
    id
}

fn bitproto_findings(case: &Case) -> (Files, Diagnostics) {
    let known: BTreeMap<&str, &Vec<u8>> = case.files.iter().map(|(n, b)| (n.as_str(), b)).collect();
    let mut loader = |_: &str, path: &str| match known.get(path) {
        Some(bytes) => Ok(bitproto::Loaded { name: path.to_string(), bytes: bytes.to_vec() }),
        None => Err("no such file".to_string()),
    };
    let (name, bytes) = &case.files[0];
    let root = bitproto::Loaded { name: name.clone(), bytes: bytes.clone() };
    let options = bitproto::Options { refuse_marks: case.mode == "refuse-marks", quiet: false };
    if let Some(name) = case.mode.strip_prefix("filter=") {
        let c = vproto::bitproto::c::Options { filter: Some(vec![name.to_owned()]), ..Default::default() };
        let target = vproto::bitproto::Target::C(c);
        let checked = vproto::bitproto::compile(root, &mut loader, options, &target).checked;
        return (checked.files, checked.diagnostics);
    }
    let mut checked = bitproto::check(root, &mut loader, options);
    if case.mode == "refuse-marks" {
        vproto::bitproto::refuse_extensions(&mut checked);
    }
    (checked.files, checked.diagnostics)
}

#[test]
fn cases_give_what_they_expect() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    for path in case_files() {
        let source = fs::read_to_string(&path).expect("case files are UTF-8");
        let mut lines: Vec<String> = source.lines().map(String::from).collect();
        for case in cases(&path, &source).iter().rev() {
            let (files, mut found) = findings(case);
            // Notes are shown where they are the matter: elsewhere they would hide it.
            found.retain(|d| !d.is_note() || code_of(&path).starts_with('N'));
            let shown = text(&files, &found, Style::default());
            let shown = shown.trim_end();
            if !found.iter().any(|d| d.code.0 == code_of(&path)) {
                failures.push(format!(
                    "{} {:?} does not show its code:\n{shown}",
                    path.display(),
                    case.title
                ));
            }
            if shown == case.expected {
                continue;
            }
            if bless {
                lines.splice(case.place.0..case.place.1, shown.lines().map(String::from));
            } else {
                let (place, expected) = (path.display(), &case.expected);
                failures
                    .push(format!("{place} {:?}\n--- expected\n{expected}\n--- found\n{shown}", case.title));
            }
        }
        let written = lines.join("\n") + "\n";
        if bless && written != source {
            fs::write(&path, written).expect("tests/diag can be written");
        }
    }
    assert!(failures.is_empty(), "{}\n{} failures", failures.join("\n\n"), failures.len());
}

#[test]
fn every_code_has_a_case_and_every_case_a_code() {
    // No description is known that shows a bug of the compiler: see below.
    let shown = code::entries().filter(|e| e.code != code::target::INTERNAL);
    let registered: Vec<&str> = shown.map(|e| e.code.0).collect();
    let cases: Vec<String> = case_files().iter().map(|p| code_of(p)).collect();
    let missing: Vec<&&str> = registered.iter().filter(|c| !cases.iter().any(|n| n == **c)).collect();
    let unknown: Vec<&String> = cases.iter().filter(|c| !registered.contains(&c.as_str())).collect();
    assert!(missing.is_empty(), "codes without a case in tests/diag: {missing:?}");
    assert!(unknown.is_empty(), "cases of codes that do not exist: {unknown:?}");
}

/// A machine that breaks its rules is a finding with a code, not a panic, and reaches no back-end.
#[test]
fn a_broken_machine_is_an_internal_error() {
    let mut files = vproto::Files::default();
    let root = files.add(vproto::File::new("demo.vproto", "[a-z]->string:w \";\" notify:f(w)\n"));
    let grammar = vproto::check(&mut files, root, &mut vproto::KnownFiles).grammar.expect("it is right");
    let mut program = vproto::lower(&grammar, &files);
    assert!(vproto::verified(program.clone()).is_ok());
    program.machines[program.root].spans = Default::default();
    let found = vproto::verified(program).expect_err("captures are missing");
    assert_eq!(found.code, code::target::INTERNAL);
    let shown = text(&files, &vproto::Diagnostics::from_iter([*found]), Style::default());
    assert!(shown.contains("invariant 1") && shown.contains("report"), "{shown}");
}

#[test]
fn every_code_is_explained_once() {
    let mut seen: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in code::entries() {
        let code = entry.code.0;
        assert!(seen.insert(code, entry).is_none(), "{code} is registered twice");
        let form = code.len() == 5
            && code.starts_with(['E', 'W', 'N'])
            && code[1..].bytes().all(|b| b.is_ascii_digit());
        assert!(form, "{code} is no code");
        let told = !entry.title.is_empty() && !entry.title.ends_with('.') && entry.text.len() >= 20;
        assert!(told, "{code} is hardly explained: {:?}", entry.text);
    }
}

/// The example in the explanation of a finding of the checker is one: it shows its code.
#[test]
fn examples_in_explanations_show_their_code() {
    let mut failures = Vec::new();
    for entry in code::flow::ENTRIES {
        let lines = entry.text.lines().skip_while(|l| !l.starts_with("    "));
        let block =
            lines.take_while(|l| l.is_empty() || l.starts_with("    ")).map(|l| l.get(4..).unwrap_or(""));
        let example = block.collect::<Vec<_>>().join("\n");
        let case =
            Case { files: vec![("demo.vproto".into(), example.clone().into_bytes())], ..Case::default() };
        let (files, found) = findings(&case);
        if !found.iter().any(|d| d.code == entry.code) {
            let shown = text(&files, &found, Style::default());
            failures.push(format!("{}: the example\n{example}\ngives\n{shown}", entry.code.0));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

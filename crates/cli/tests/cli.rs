//! The command as users meet it: exit codes, messages, files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn vproto(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vproto"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().expect("the command starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the command ends by itself")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a good description, a bad one and an input.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    write("tlv.vproto", b"b8:type be32:length data:value(max=length) notify:record(type)\n");
    write("bad.vproto", b"b8:type data:value(max=lenght)\nu32:length\n");
    write("input.bin", b"\x01\0\0\0\x02ab\x02\0\0\0\x00");
    folder
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn run_prints_the_trace_whatever_the_pieces() {
    let folder = project();
    let whole = vproto(folder.path(), &["run", "tlv.vproto", "input.bin"]);
    assert_eq!(code(&whole), 0, "{}", text(&whole.stderr));
    assert_eq!(
        text(&whole.stdout).lines().last(),
        Some(r#"{"event":"end","offset":12,"status":"complete"}"#)
    );
    for chunk in ["1", "3", "random:7"] {
        for interpreter in ["machine", "grammar"] {
            let args = ["run", "tlv.vproto", "input.bin", "--chunk", chunk, "--interp", interpreter];
            assert_eq!(vproto(folder.path(), &args).stdout, whole.stdout, "{chunk} {interpreter}");
        }
    }
}

#[test]
fn run_says_incomplete_by_its_exit_code() {
    let folder = project();
    fs::write(folder.path().join("short.bin"), b"\x01\0\0").expect("written");
    let short = vproto(folder.path(), &["run", "tlv.vproto", "short.bin"]);
    assert_eq!(code(&short), 1);
    assert!(text(&short.stdout).contains(r#""status":"incomplete""#));
    let table = vproto(folder.path(), &["run", "tlv.vproto", "short.bin", "--events", "table"]);
    assert!(text(&table.stdout).contains("expected [\\x00-\\xff]"), "{}", text(&table.stdout));
    assert!(!text(&table.stdout).contains('\x1b'), "no colours where no terminal is");
}

#[test]
fn errors_of_the_description_are_exit_code_1() {
    let folder = project();
    for args in [&["check", "bad.vproto"][..], &["run", "bad.vproto", "input.bin"], &["gen", "bad.vproto"]] {
        let output = vproto(folder.path(), args);
        assert_eq!(code(&output), 1, "{args:?}");
        assert!(text(&output.stderr).contains("did you mean"), "{}", text(&output.stderr));
    }
    let json = vproto(folder.path(), &["check", "bad.vproto", "--format", "json"]);
    assert!(text(&json.stdout).starts_with('{') && json.stderr.is_empty());
    let sarif = vproto(folder.path(), &["check", "tlv.vproto", "--format", "sarif"]);
    assert_eq!(code(&sarif), 0);
    let log: serde_json::Value = serde_json::from_slice(&sarif.stdout).expect("SARIF is JSON");
    assert_eq!(log["version"], "2.1.0");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = project();
    for args in [
        &["run", "tlv.vproto", "--frobnicate"][..],
        &["nonsense"],
        &["run", "tlv.vproto", "input.bin", "--chunk", "0"],
        &["run", "tlv.vproto", "input.bin", "--set", "nothing=1"],
        &["run", "tlv.vproto", "input.bin", "--set", "type=300"],
        &["gen", "tlv.vproto", "--classic"],
        &["explain", "E9999"],
    ] {
        let output = vproto(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn files_that_cannot_be_read_or_written_are_exit_code_3() {
    let folder = project();
    for args in [
        &["run", "missing.vproto"][..],
        &["check", "."],
        &["run", "tlv.vproto", "missing.bin"],
        &["run", "tlv.vproto", "."],
        &["gen", "tlv.vproto", "-o", "no/such/folder.hpp"],
        &["gen", "tlv.vproto", "-o", "/dev/full"],
    ] {
        let output = vproto(folder.path(), args);
        assert_eq!(code(&output), 3, "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with("vproto: cannot"), "{args:?}: {}", text(&output.stderr));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_exit_code_3_for_help_too() {
    for args in [&["--help"][..], &["--version"], &["check", "--help"], &["help", "gen"], &["explain"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the device is there");
        let output = Command::new(env!("CARGO_BIN_EXE_vproto")).args(args).stdout(full).output();
        let output = output.expect("the command starts");
        assert_eq!(code(&output), 3, "{args:?}");
        let said = text(&output.stderr);
        assert!(said.starts_with("vproto: cannot write standard output: "), "{args:?}: {said}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = project();
    fs::write(folder.path().join("large.bin"), b"\x01\0\0\0\x01x".repeat(200_000)).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_vproto"))
        .args(["run", "tlv.vproto", "large.bin"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(code(&output), 3);
    assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
}

#[test]
fn an_endless_input_ends_with_the_reader() {
    let folder = project();
    fs::write(folder.path().join("line.vproto"), b"[a-z](max=9)->string:word \"\\n\"\n").expect("written");
    let program = env!("CARGO_BIN_EXE_vproto");
    let line = format!("(yes abc | {program} run line.vproto; echo code $? >&2) | head -n 1");
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().expect("sh runs");
    assert_eq!(text(&output.stderr), "code 3\n");
    assert_eq!(text(&output.stdout).lines().count(), 1);
}

#[test]
fn a_failed_condition_shows_its_values() {
    let folder = project();
    let description = "u8:a \"<\" u8:b \"\\n\" if {a < b} notify:less\ncatch: [^\\n]* \"\\n\" if {b != 7}\n";
    fs::write(folder.path().join("less.vproto"), description).expect("written");
    fs::write(folder.path().join("less.in"), b"1<2\n5<4\nx\n5<7\nx\n").expect("written");
    for interpreter in ["machine", "grammar"] {
        let args = ["run", "less.vproto", "less.in", "--events", "table", "--interp", interpreter];
        let shown = text(&vproto(folder.path(), &args).stdout);
        assert!(shown.contains("(caught)                  condition: a < b with a = 5, b = 4"), "{shown}");
        assert!(shown.contains("asked    b != 7  with b = 7"), "{shown}");
        assert!(shown.contains("2 | catch: [^\\n]*"), "the line of the description is shown: {shown}");
        let jsonl = text(&vproto(folder.path(), &args[..3]).stdout);
        assert!(!jsonl.contains("caught"), "{jsonl}");
    }
}

#[test]
fn standard_input_is_read() {
    let folder = project();
    let mut child = Command::new(env!("CARGO_BIN_EXE_vproto"))
        .args(["run", "tlv.vproto"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(b"\x01\0\0\0\0").expect("written");
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(code(&output), 0);
    assert!(text(&output.stdout).contains("record"));
}

#[test]
fn gen_touches_no_unchanged_file_and_checks() {
    let folder = project();
    let gen_args = ["gen", "tlv.vproto", "-o", "tlv.hpp", "--MD", "tlv.d"];
    assert_eq!(code(&vproto(folder.path(), &gen_args)), 0);
    let path = folder.path().join("tlv.hpp");
    let before = fs::metadata(&path).and_then(|m| m.modified()).expect("a time");
    assert_eq!(code(&vproto(folder.path(), &gen_args)), 0);
    assert_eq!(fs::metadata(&path).and_then(|m| m.modified()).expect("a time"), before);
    assert_eq!(fs::read_to_string(folder.path().join("tlv.d")).expect("a depfile"), "tlv.hpp: tlv.vproto\n");
    let check = ["gen", "tlv.vproto", "-o", "tlv.hpp", "--check"];
    assert_eq!(code(&vproto(folder.path(), &check)), 0);
    fs::write(&path, "changed").expect("written");
    assert_eq!(code(&vproto(folder.path(), &check)), 1);
}

#[test]
fn gen_names_files_in_a_folder() {
    let folder = project();
    fs::create_dir(folder.path().join("out")).expect("made");
    assert_eq!(code(&vproto(folder.path(), &["gen", "tlv.vproto", "-o", "out"])), 0);
    assert_eq!(code(&vproto(folder.path(), &["gen", "tlv.vproto", "--classic", "-o", "out/"])), 0);
    assert_eq!(code(&vproto(folder.path(), &["gen", "tlv.vproto", "--classic", "-o", "new/deep/"])), 0);
    assert!(folder.path().join("new/deep/tlv.cc").is_file(), "a folder that is not there is made");
    for name in ["tlv.hpp", "tlv.h", "tlv.cc"] {
        assert!(folder.path().join("out").join(name).is_file(), "{name}");
    }
}

#[test]
fn two_folders_give_the_same_bytes() {
    let output = |folder: &tempfile::TempDir| vproto(folder.path(), &["gen", "tlv.vproto", "-o", "-"]).stdout;
    let (a, b) = (project(), project());
    assert_eq!(output(&a), output(&b));
    assert!(text(&output(&a)).lines().nth(1).is_some_and(|l| l.contains("SPDX-License-Identifier: 0BSD")));
}

#[test]
fn explain_tells_of_every_code() {
    let folder = project();
    let list = vproto(folder.path(), &["explain"]);
    assert_eq!(code(&list), 0);
    for line in text(&list.stdout).lines() {
        let name = line.split_whitespace().next().expect("a code");
        let one = vproto(folder.path(), &["explain", name]);
        assert_eq!(code(&one), 0);
        assert!(text(&one.stdout).lines().count() >= 3, "{name} is not explained");
    }
    let short = vproto(folder.path(), &["explain", "e203"]);
    assert!(text(&short.stdout).starts_with("E0203: "), "{}", text(&short.stderr));
}

#[test]
fn graph_draws_in_three_forms() {
    let http = repository().join("formats/http1/request.vproto");
    let http = http.to_str().expect("a path of text");
    for (format, start) in [("svg", "<svg"), ("dot", "digraph"), ("mermaid", "flowchart")] {
        let output = vproto(&repository(), &["graph", http, "--format", format]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with(start));
    }
}

#[test]
fn fmt_checks_and_formats() {
    let folder = project();
    let path = folder.path().join("ugly.vproto");
    fs::write(&path, "b8:type   be16:length\n\t[a-z]\n").expect("written");
    assert_eq!(code(&vproto(folder.path(), &["fmt", "--check", "ugly.vproto"])), 1);
    assert_eq!(code(&vproto(folder.path(), &["fmt", "ugly.vproto"])), 0);
    assert_eq!(code(&vproto(folder.path(), &["fmt", "--check", "ugly.vproto"])), 0);
    assert_eq!(fs::read_to_string(&path).expect("read"), "b8:type be16:length\n\t[a-z]\n");
}

#[test]
fn new_makes_a_project_that_runs() {
    let folder = project();
    assert_eq!(code(&vproto(folder.path(), &["new", "demo"])), 0);
    let made = folder.path().join("demo");
    let run = vproto(&made, &["run", "demo.vproto", "example.bin"]);
    assert_eq!(code(&run), 0, "{}{}", text(&run.stdout), text(&run.stderr));
    assert_eq!(code(&vproto(folder.path(), &["new", "demo"])), 3, "nothing is overwritten");
    assert_eq!(code(&vproto(folder.path(), &["new", "not-a-name"])), 2);
    for word in ["class", "main", "std", "message"] {
        let refused = vproto(folder.path(), &["new", word]);
        assert_eq!(code(&refused), 2, "{word}");
        assert!(text(&refused.stderr).contains(&format!("my_{word}")), "{}", text(&refused.stderr));
        assert!(!folder.path().join(word).exists());
    }
}

#[test]
fn opaque_code_is_refused_before_input_is_read() {
    let folder = project();
    let path = folder.path().join("opaque.vproto");
    fs::write(&path, "b8:x { std::sort(a, b); }\n").expect("written");
    let output = vproto(folder.path(), &["run", "opaque.vproto", "missing.bin"]);
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn an_output_never_overwrites_a_description() {
    let folder = project();
    let before = fs::read(folder.path().join("tlv.vproto")).expect("read");
    for command in ["gen", "graph"] {
        let mut args = vec![command, "tlv.vproto", "-o", "tlv.vproto"];
        if command == "graph" {
            args.extend(["--format", "svg"]);
        }
        assert_eq!(code(&vproto(folder.path(), &args)), 2, "{command}");
        assert_eq!(fs::read(folder.path().join("tlv.vproto")).expect("read"), before);
    }
}

#[test]
fn the_ending_tells_the_form_of_a_picture() {
    let folder = project();
    assert_eq!(code(&vproto(folder.path(), &["graph", "tlv.vproto", "-o", "a.dot"])), 0);
    assert!(fs::read_to_string(folder.path().join("a.dot")).expect("read").starts_with("digraph"));
    assert_eq!(code(&vproto(folder.path(), &["graph", "tlv.vproto", "-o", "a.png"])), 2);
}

#[test]
fn completions_and_manual_page() {
    let folder = project();
    assert!(text(&vproto(folder.path(), &["completions", "bash"]).stdout).contains("vproto"));
    assert!(text(&vproto(folder.path(), &["man"]).stdout).starts_with(".ie"));
}

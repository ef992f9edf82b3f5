//! The bitproto commands: files, exit codes, what is shown.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bitproto-cli").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("out")).expect("a folder below target");
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writable");
}

fn vproto(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vproto"));
    command.current_dir(folder).args(arguments).output().expect("the command runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

const GOOD: &str =
    "proto good\n\nimport \"lib.bitproto\"\n\nmessage Good {\n    lib.Part part = 1\n    bool on = 2\n}\n";
const LIB: &str = "proto lib\n\nmessage Part {\n    uint7 a = 1\n}\n";

#[test]
fn writes_the_files_of_the_schema_only() {
    let folder = folder("writes");
    write(&folder, "good.bitproto", GOOD);
    write(&folder, "lib.bitproto", LIB);
    for (language, files) in
        [("c", vec!["good_bp.c", "good_bp.h"]), ("cpp", vec!["good_bp.hpp"]), ("rust", vec!["good_bp.rs"])]
    {
        let output = vproto(&folder, &["bitproto", language, "good.bitproto", "out", "-O"]);
        assert_eq!(code(&output), Some(0), "{output:?}");
        for file in files {
            assert!(folder.join("out").join(file).exists(), "{file}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.join("out")).expect("readable").count(), 4);
    let output = vproto(&folder, &["bitproto", "c", "good.bitproto"]);
    assert_eq!(code(&output), Some(0));
    assert!(folder.join("good_bp.h").exists());
    // The same files, the same bytes.
    let read = |path: &Path| std::fs::read(path).expect("written before");
    let first = read(&folder.join("good_bp.c"));
    vproto(&folder, &["bitproto", "c", "../writes/good.bitproto"]);
    assert_eq!(first, read(&folder.join("good_bp.c")));
}

#[test]
fn exit_codes_are_those_of_the_reference() {
    let folder = folder("codes");
    write(&folder, "good.bitproto", LIB);
    write(&folder, "lint.bitproto", "proto x\nmessage lower {\n bool a = 1\n}\n");
    write(&folder, "bad.bitproto", "proto x\nmessage A {\n    Bool a = 1\n    uint65 b = 2\n}\n");
    let cases: [(&[&str], i32); 9] = [
        (&["c", "good.bitproto", "-c"], 0),
        (&["-c", "good.bitproto"], 0),
        (&["c", "lint.bitproto", "-c"], 1),
        (&["c", "lint.bitproto", "-c", "-q"], 0),
        (&["c", "lint.bitproto"], 0),
        (&["c", "bad.bitproto"], 1),
        (&["c", "nowhere.bitproto"], 1),
        (&["good.bitproto"], 2),
        (&["c", "good.bitproto", "--std=c++17"], 2),
    ];
    for (arguments, wanted) in cases {
        let output = vproto(&folder, &[&["bitproto"], arguments].concat());
        assert_eq!(code(&output), Some(wanted), "{arguments:?}: {output:?}");
    }
    let output = vproto(&folder, &["bitproto", "c", "bad.bitproto"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("bad.bitproto:3:5") && text.contains("bad.bitproto:4:5"), "{text}");
    assert!(!folder.join("bad_bp.c").exists());
}

#[test]
fn check_tells_machines_of_schemas() {
    let folder = folder("json");
    write(&folder, "good.bitproto", LIB);
    write(&folder, "bad.bitproto", "proto x\nmessage A {\n    Bool a = 1\n}\n");
    assert_eq!(code(&vproto(&folder, &["check", "good.bitproto"])), Some(0));
    let output = vproto(&folder, &["check", "--format=json", "good.bitproto", "bad.bitproto"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(code(&output), Some(1), "{output:?}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("bad.bitproto\",\"line\":3,\"column\":5"), "{text}");
}

#[test]
fn cycles_and_changes_are_found() {
    let folder = folder("cycles");
    write(&folder, "a.bitproto", "proto a\nimport \"b.bitproto\"\n");
    write(&folder, "b.bitproto", "proto b\nimport \"./a.bitproto\"\n");
    assert_eq!(code(&vproto(&folder, &["bitproto", "c", "a.bitproto", "-c"])), Some(1));
    write(&folder, "old.bitproto", "proto x\n\nmessage A' {\n    bool a = 1\n}\n");
    write(&folder, "new.bitproto", "proto x\n\nmessage A' {\n    bool a = 1\n    bool b = 2\n}\n");
    write(&folder, "bad.bitproto", "proto x\n\nmessage A {\n    bool a = 1\n}\n");
    assert_eq!(code(&vproto(&folder, &["breaking", "new.bitproto", "--against", "old.bitproto"])), Some(0));
    let output = vproto(&folder, &["breaking", "bad.bitproto", "--against", "old.bitproto"]);
    assert_eq!(code(&output), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("bad.bitproto:3:9: breaking"), "{output:?}");
}

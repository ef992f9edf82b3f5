//! What people see at a terminal. `script` makes one.

use std::fs;
use std::process::{Command, Stdio};
use vproto_testkit::skip;

/// Runs a shell line at a terminal of its own; what it showed.
fn at_a_terminal(line: &str) -> Option<String> {
    if skip::missing("script", "the command at a terminal") {
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(
        folder.path().join("line.vproto"),
        "[a-z](max=9)->string:word \"\\n\"\ncatch: [^\\n]* \"\\n\"\n",
    )
    .expect("written");
    let line = line.replace("vproto run", &format!("{} run line.vproto", env!("CARGO_BIN_EXE_vproto")));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_table_with_colours_is_shown() {
    let Some(shown) = at_a_terminal("printf 'ab\\nX\\ncd' | vproto run") else { return };
    assert!(shown.contains("offset") && shown.contains("\x1b["), "{shown:?}");
    assert!(shown.contains("(caught)"), "{shown:?}");
    assert!(shown.contains("incomplete") && shown.contains("00000000"), "{shown:?}");
}

#[test]
fn progress_is_shown_after_a_second() {
    let slow = "(printf 'ab\\n'; sleep 1.2; printf 'cd\\n'; sleep 0.1; printf 'ef\\n') | vproto run";
    let Some(shown) = at_a_terminal(slow) else { return };
    // Progress stands below the rows, and goes before more rows come.
    let progress = shown.find("MB/s").expect("progress is shown");
    assert!(shown.find("cd").is_some_and(|at| at < progress), "{shown:?}");
    assert!(shown.rfind("\r  ").is_some_and(|at| at > progress), "{shown:?}");
    let Some(shown) = at_a_terminal(&format!("{slow} > trace")) else { return };
    assert!(shown.contains("MB/s") && !shown.contains("word"), "{shown:?}");
    let Some(shown) = at_a_terminal("printf 'ab\\n' | vproto run") else { return };
    assert!(!shown.contains("MB/s"), "{shown:?}");
}

//! Go: the packages of both compilers in one program.

use super::{Bench, CASES};
use crate::bench::pin::{command, output};
use crate::sh::root;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use vproto_testkit::skip;

/// Races all messages; the samples, or nothing where there is no Go.
pub(super) fn race(bench: &Bench) -> Result<Option<String>, String> {
    if !skip::installed("go") {
        return Ok(None);
    }
    let folder = bench.folder.join("go");
    let (mut imports, mut calls) = (String::new(), String::new());
    for case in &CASES {
        let (stem, message) = (case.stem, case.message);
        bench.peer.generate("go", case.path, &folder.join(format!("peer_{stem}")), &["-O"])?;
        bench.generate(&["go", "-O"], case.path, &format!("go/own_{stem}"))?;
        for label in ["peer", "own"] {
            let _ = writeln!(imports, "import {label}_{stem} \"race/{label}_{stem}\"");
        }
        let upper = message.to_uppercase();
        calls += &TABLE.replace("UPPER", &upper).replace("STEM", stem).replace("MESSAGE", message);
    }
    let table = format!("package main\n\n{imports}\nfunc races(repetitions, calls int) {{\n{calls}}}\n");
    write(&folder.join("table.go"), &table)?;
    write(&folder.join("go.mod"), "module race\n\ngo 1.21\n")?;
    let race = root().join("bench/bitproto/go/race.go");
    std::fs::copy(&race, folder.join("race.go")).map_err(|e| format!("{}: {e}", race.display()))?;
    let mut go = Command::new("go");
    go.current_dir(&folder).env("GOPROXY", "off").env("GOWORK", "off");
    output(go.args(["build", "-o", "race", "."]))?;
    let mut race = command(&folder.join("race").to_string_lossy());
    output(race.args([&bench.repetitions(200), "20000"])).map(Some)
}

/// The contestants of one message. The peer decodes into cleared objects only, and always makes a new slice.
const TABLE: &str = "\t{
\t\tvar peer [messages]peer_STEM.MESSAGE
\t\tvar own [messages]own_STEM.MESSAGE
\t\tlength := int(own_STEM.BYTES_LENGTH_UPPER)
\t\tbuffer := make([]byte, 0, length)
\t\tdecode := func(i int, s []byte) { own[i].Decode(s) }
\t\trace(\"STEM\", length, []racer{
\t\t\t{\"peer\", func(i int) []byte { return peer[i].Encode() }, func(i int, s []byte) {
\t\t\t\tpeer[i] = peer_STEM.MESSAGE{}
\t\t\t\tpeer[i].Decode(s)
\t\t\t}},
\t\t\t{\"own\", func(i int) []byte { return own[i].Encode() }, decode},
\t\t\t{\"append\", func(i int) []byte { return own[i].AppendTo(buffer[:0]) }, decode},
\t\t}, repetitions, calls)
\t}
";

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

//! The example in `tests/bitproto/example`: a controller in C, on a Cortex-M3 under qemu or natively, and hosts in Python
//! and Go that talk to it over a pipe.

use super::build::{Source, cached, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use vproto::bitproto::{CheckOptions, Loaded, Target, c, compile, go};
use vproto_testkit::skip;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bitproto")
}

fn file(name: &str) -> Source {
    let text = std::fs::read_to_string(folder().join(name)).expect("a file of the repository");
    Source { name: name.rsplit('/').next().unwrap_or(name).to_owned(), text }
}

/// Files of the example, the generated ones of a language first.
fn sources(target: &Target, files: &[&str]) -> Vec<Source> {
    let schema = file("example/link.bitproto");
    let root = Loaded { name: schema.name, bytes: schema.text.into_bytes() };
    let mut none = |_: &str, _: &str| Err(String::new());
    let compiled = compile(root, &mut none, CheckOptions::default(), target);
    assert!(compiled.checked.diagnostics.is_empty(), "{:?}", compiled.checked.diagnostics);
    let generated = compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text });
    generated.chain(files.iter().map(|f| file(f))).collect()
}

/// The command that runs the controller natively.
fn native() -> Vec<String> {
    let sources = sources(&Target::C(c::Options::default()), &["example/controller.c"]);
    let folder = cached("example-native", &sources, |folder| {
        let mut gcc = Command::new("gcc");
        let flags = ["-DHOSTED", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"];
        run(gcc.current_dir(folder).args(flags).args(["controller.c", "link_bp.c", "-o", "controller"]));
    });
    vec![folder.join("controller").to_string_lossy().into_owned()]
}

/// The command that runs the controller on a board of qemu.
fn board() -> Vec<String> {
    let files = ["example/controller.c", "arm/start.c", "arm/start.h", "arm/link.ld"];
    let options = c::Options { word: 4, optimize: true, ..c::Options::default() };
    let folder = cached("example-arm", &sources(&Target::C(options), &files), |folder| {
        let mut gcc = Command::new("arm-none-eabi-gcc");
        gcc.current_dir(folder).args(["-mcpu=cortex-m3", "-mthumb", "-Os", "-Wall", "-Wextra", "-Werror"]);
        gcc.args(["controller.c", "link_bp.c", "start.c", "-nostartfiles", "-Tlink.ld"]);
        run(gcc.args(["-o", "controller.elf"]));
    });
    let mut command: Vec<String> =
        ["qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none"]
            .into_iter()
            .chain(["-serial", "stdio", "-semihosting-config", "enable=on,target=native", "-kernel"])
            .map(str::to_owned)
            .collect();
    command.push(folder.join("controller.elf").to_string_lossy().into_owned());
    command
}

/// The controllers that can be run here, built once for all tests.
static CONTROLLERS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let what = "the controller of the bitproto example";
    let mut all = Vec::new();
    if !skip::missing("gcc", what) {
        all.push(native());
    }
    let on_board = format!("{what} on Cortex-M3");
    if !skip::missing("arm-none-eabi-gcc", &on_board) && !skip::missing("qemu-system-arm", &on_board) {
        all.push(board());
    }
    all
});

fn talk(host: impl Fn() -> Command) {
    let expected = file("example/expected.txt").text;
    for controller in CONTROLLERS.iter() {
        let output = run(host().args(controller));
        assert_eq!(output, expected, "{controller:?}");
    }
}

#[test]
fn python_talks_to_the_controller() {
    if skip::missing("python3", "the bitproto example in Python") {
        return;
    }
    let folder = cached("example-python", &sources(&Target::Python, &["example/peer.py"]), |_| {});
    talk(|| {
        let mut host = Command::new("python3");
        host.arg(folder.join("peer.py"));
        host
    });
}

#[test]
fn go_talks_to_the_controller() {
    if skip::missing("go", "the bitproto example in Go") {
        return;
    }
    let mut sources = sources(&Target::Go(go::Options::default()), &["example/peer.go"]);
    sources.push(Source { name: "go.mod".to_owned(), text: "module peer\n\ngo 1.21\n".to_owned() });
    let folder = cached("example-go", &sources, |folder| {
        std::fs::create_dir_all(folder.join("link")).expect("writable");
        std::fs::rename(folder.join("link_bp.go"), folder.join("link/link_bp.go")).expect("writable");
        let mut go = Command::new("go");
        go.current_dir(folder).env("GOPROXY", "off").env("GOWORK", "off").env("GOFLAGS", "-mod=mod");
        run(go.args(["build", "-o", "peer", "."]));
    });
    talk(|| Command::new(folder.join("peer")));
}

//! C on bare Cortex-M processors under qemu: no unaligned access, few instructions, little code.

use super::build::{Source, cached, run};
use super::read_schema;
use std::path::Path;
use std::process::Command;
use vproto::bitproto::c::Options;
use vproto::bitproto::{CheckOptions, Target, compile};
use vproto_testkit::skip;

const FILES: [(&str, &str); 4] = [
    ("start.h", include_str!("../../../../tests/bitproto/arm/start.h")),
    ("start.c", include_str!("../../../../tests/bitproto/arm/start.c")),
    ("count.c", include_str!("../../../../tests/bitproto/arm/count.c")),
    ("link.ld", include_str!("../../../../tests/bitproto/arm/link.ld")),
];

/// What a run needs.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    encode: u32,
    decode: u32,
    /// Bytes of code that the two calls reach.
    code: u32,
}

/// Figures of `-O` of 1.3.2 for the telemetry message by this very program (`arm-none-eabi-gcc` 12, `-Os`).
const REFERENCE: Cost = Cost { encode: 726, decode: 719, code: 4970 };

fn measure(cpu: &str, machine: &str, name: &str) -> Option<Cost> {
    for tool in ["arm-none-eabi-gcc", "arm-none-eabi-nm", "qemu-system-arm"] {
        if skip::missing(tool, "bitproto on Cortex-M") {
            return None;
        }
    }
    let root = read_schema("s16_telemetry.bitproto").expect("a file of the repository");
    let filter = Some(vec!["Telemetry".to_owned()]);
    let options = Options { optimize: true, word: 4, filter, ..Options::default() };
    let target = Target::C(options);
    let compiled = compile(root, &mut |_, p| read_schema(p), CheckOptions::default(), &target);
    let mut sources: Vec<Source> =
        compiled.outputs.into_iter().map(|o| Source { name: o.name, text: o.text }).collect();
    sources.extend(FILES.map(|(name, text)| Source { name: name.to_owned(), text: text.to_owned() }));
    let folder = cached(name, &sources, |folder| build(folder, cpu));
    let mut qemu = Command::new("qemu-system-arm");
    qemu.args(["-M", machine, "-icount", "shift=10", "-nographic"]);
    qemu.args(["-semihosting-config", "enable=on,target=native"]);
    let output = run(qemu.arg("-kernel").arg(folder.join("program.elf")));
    assert!(output.contains("same bytes"), "{cpu}: {output}");
    let number = |what: &str| {
        let line = output.lines().find_map(|l| l.strip_prefix(what)).expect("a line of the program");
        line.trim().parse().expect("a number")
    };
    Some(Cost { encode: number("encode"), decode: number("decode"), code: code(&folder) })
}

fn build(folder: &Path, cpu: &str) {
    let cpu = format!("-mcpu={cpu}");
    let gcc = || {
        let mut gcc = Command::new("arm-none-eabi-gcc");
        gcc.current_dir(folder).args([&cpu, "-mthumb", "-Os", "-Wall", "-Wextra", "-Werror"]);
        gcc
    };
    run(gcc().args(["-c", "s16_telemetry_bp.c", "-o", "message.o"]));
    let names =
        ["-DMESSAGE=Telemetry", "-DENCODE=EncodeTelemetry", "-DDECODE=DecodeTelemetry", "-DLENGTH=100"];
    let files = ["start.c", "count.c", "message.o", "-nostartfiles", "-Tlink.ld", "-o", "program.elf"];
    run(gcc().args(["-include", "s16_telemetry_bp.h"]).args(names).args(files));
}

/// Sizes of all functions but those that 1.3.2 has not.
fn code(folder: &Path) -> u32 {
    let mut nm = Command::new("arm-none-eabi-nm");
    let symbols = run(nm.arg("-S").arg(folder.join("message.o")));
    let size = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, size, kind, name] = words.as_slice() else { return 0 };
        let counts = kind.eq_ignore_ascii_case("t") && !name.ends_with("Buf") && !name.ends_with("Next");
        if counts { u32::from_str_radix(size, 16).expect("hex") } else { 0 }
    };
    symbols.lines().map(size).sum()
}

#[test]
fn cortex_m3_takes_a_third_of_the_instructions_and_of_the_code() {
    let Some(cost) = measure("cortex-m3", "mps2-an385", "cortex-m3") else { return };
    eprintln!("Cortex-M3: {cost:?}, 1.3.2: {REFERENCE:?}");
    assert!(cost.encode * 3 <= REFERENCE.encode, "{cost:?}");
    assert!(cost.decode * 3 <= REFERENCE.decode, "{cost:?}");
    assert!(cost.code * 3 <= REFERENCE.code, "{cost:?}");
}

/// It faults at unaligned accesses: the program encodes and decodes at odd addresses.
#[test]
fn cortex_m0_does_not_fault() {
    let Some(cost) = measure("cortex-m0", "microbit", "cortex-m0") else { return };
    eprintln!("Cortex-M0: {cost:?}");
    assert!(cost.encode > 0 && cost.decode > 0);
}

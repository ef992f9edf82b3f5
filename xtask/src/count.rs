//! Instructions a byte, counted by callgrind: the same number for the same binary, whatever else the machine does.

use crate::sh;
use std::path::Path;
use std::process::Command;

/// A workload: its name, description, program, and bytes of one round.
const WORKLOADS: [(&str, &str, &str, f64); 2] = [
    ("HTTP request of 430 bytes, spans delivered", "bench/http/strict.vproto", "bench/http/count.cc", 430.0),
    (
        "pcap+Ethernet+IPv4+UDP packet of 512 bytes",
        "bench/packet/packet.vproto",
        "bench/packet/count.cc",
        512.0,
    ),
];

/// Compilers with their options.
const COMPILERS: [&[&str]; 2] = [&["g++", "-O3"], &["clang++", "-O3"]];

/// Generates, compiles, counts, prints.
///
/// # Errors
/// A tool that is missing or fails.
pub fn run() -> Result<(), String> {
    sh::run(&["cargo", "build", "--release", "--quiet", "--package", "vproto-cli"], &[])?;
    let folder = sh::root().join("target/count");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (what, description, program, bytes) in WORKLOADS {
        let stem = Path::new(description).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let header = folder.join(format!("{stem}.hpp"));
        sh::run(&["target/release/vproto", "gen", description, "-o", &header.to_string_lossy()], &[])?;
        for compiler in COMPILERS.iter().filter(|c| vproto_testkit::skip::installed(c[0])) {
            let binary = folder.join(format!("{stem}-{}", compiler[0])).to_string_lossy().into_owned();
            let include = format!("-I{}", folder.display());
            let words = [compiler, &["-std=c++17", &include, program, "-o", &binary][..]].concat();
            sh::run(&words, &[])?;
            let per_byte = (instructions(&binary, 2000)? - instructions(&binary, 1000)?) / 1000.0 / bytes;
            println!("{what}: {per_byte:.2} instructions a byte ({})", compiler.join(" "));
        }
    }
    Ok(())
}

/// Instructions of a whole run with so many rounds.
fn instructions(binary: &str, rounds: u32) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", binary, &rounds.to_string()])
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let total = text.lines().find_map(|l| l.split("refs:").nth(1)).map(|n| n.replace(',', ""));
    let total = total.and_then(|n| n.trim().parse().ok());
    match total {
        Some(total) if output.status.success() => Ok(total),
        _ => Err(format!("{binary} failed under callgrind:\n{text}")),
    }
}

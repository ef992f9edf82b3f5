//! C and Rust: all contestants in one program, each a unit of its own whose only global name is its table.

use super::{Bench, Case};
use crate::bench::pin::{command, output};
use crate::sh::root;
use std::path::{Path, PathBuf};
use std::process::Command;
use vproto_testkit::skip;

/// Races one message; the samples.
pub(super) fn race(bench: &Bench, case: &Case) -> Result<String, String> {
    let mut objects: Vec<(String, PathBuf)> = Vec::new();
    let peer = bench.folder.join("c-peer");
    bench.peer.generate("c", case.path, &peer, &["-O"])?;
    objects.push(unit(bench, case, "peer", &peer, &["-DCLEAR_STRUCT"])?);
    let own = bench.generate(&["c", "-O"], case.path, "c-own")?;
    objects.push(unit(bench, case, "word", &own, &[])?);
    let simd = bench.generate(&["c", "-O", "--simd"], case.path, "c-simd")?;
    objects.push(unit(bench, case, "simd", &simd, &[])?);
    if let Some(library) = &bench.library {
        let standard = bench.folder.join("c-standard");
        bench.peer.generate("c", case.path, &standard, &[])?;
        let source = format!("-DLIBRARY=\"{}\"", library.join("bitproto.c").display());
        let include = format!("-I{}", library.display());
        let flags = ["-DCLEAR_STRUCT", "-DCLEAR_BYTES", &source, &include];
        objects.push(unit(bench, case, "standard", &standard, &flags)?);
    }
    if skip::installed("rustc") {
        objects.push(rust(bench, case)?);
    }
    let program = link(bench, case, &objects)?;
    let mut race = command(&program.to_string_lossy());
    output(race.args([case.stem, &bench.repetitions(400), "4000"]))
}

/// A contestant in C.
fn unit(
    bench: &Bench,
    case: &Case,
    symbol: &str,
    folder: &Path,
    flags: &[&str],
) -> Result<(String, PathBuf), String> {
    let object = bench.folder.join(format!("{}-{symbol}.o", case.stem));
    let source = folder.join(format!("{}_bp.c", case.stem));
    let defines = [
        format!("-DSOURCE=\"{}\"", source.display()),
        format!("-DTYPE={}", case.message),
        format!("-DLENGTH=BYTES_LENGTH_{}", case.message.to_uppercase()),
        format!("-DNAME=\"{symbol}\""),
        format!("-DSYMBOL={symbol}"),
        format!("-DENCODE=Encode{}", case.message),
        format!("-DDECODE=Decode{}", case.message),
    ];
    let mut compiler = Command::new("gcc");
    compiler.current_dir(root()).args(["-O2", "-c", "bench/bitproto/c/contestant.c", "-o"]).arg(&object);
    output(compiler.args(defines).args(flags).arg(format!("-I{}", folder.display())))?;
    output(Command::new("objcopy").arg(format!("--keep-global-symbol={symbol}")).arg(&object))?;
    Ok((symbol.to_owned(), object))
}

/// The contestant in Rust. Without `std` it links only if nothing in it can panic.
fn rust(bench: &Bench, case: &Case) -> Result<(String, PathBuf), String> {
    let folder = bench.generate(&["rust"], case.path, "rust")?;
    let shim = root().join("bench/bitproto/rust/shim.rs");
    let text = std::fs::read_to_string(&shim).map_err(|e| format!("{}: {e}", shim.display()))?;
    let (stem, message) = (case.stem, case.message);
    let source = folder.join(format!("{stem}.rs"));
    let head = format!(
        "#![no_std]\n#![allow(non_upper_case_globals)]\nmod {stem}_bp;\nuse {stem}_bp::{message} as Message;\n"
    );
    std::fs::write(&source, head + &text).map_err(|e| format!("{}: {e}", source.display()))?;
    let object = bench.folder.join(format!("{stem}-rust.o"));
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-O", "-Cpanic=abort", "--crate-type", "lib", "--emit", "obj", "-o"]);
    output(rustc.arg(&object).arg(&source))?;
    Ok(("rust".to_owned(), object))
}

fn link(bench: &Bench, case: &Case, objects: &[(String, PathBuf)]) -> Result<PathBuf, String> {
    let program = bench.folder.join(format!("{}-race", case.stem));
    let list: String = objects.iter().map(|(symbol, _)| format!("X({symbol}) ")).collect();
    let mut linker = Command::new("gcc");
    linker.current_dir(root()).args(["-O2", "-Wl,--gc-sections", "bench/bitproto/c/race.c"]);
    linker.arg(format!("-DRACE={list}")).args(objects.iter().map(|(_, object)| object));
    output(linker.arg("-o").arg(&program))?;
    Ok(program)
}

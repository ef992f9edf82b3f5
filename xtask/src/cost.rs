//! What compiling costs: time of the generator, lines of C++, time and memory of g++, over descriptions of growing
//! length and over `formats/`.

use crate::sh;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use vproto_testkit::dense::{self, FAMILIES};

/// Lengths of the mixed descriptions.
const LINES: [usize; 4] = [250, 500, 1000, 2000];

/// Seconds after which a compiler is stopped.
const PATIENCE: u32 = 300;

/// Measures and prints a table, over mixed descriptions of at most so many lines; each family too, without g++.
///
/// # Errors
/// A tool that is missing or fails.
pub fn run(most: usize, families: bool) -> Result<(), String> {
    sh::run(&["cargo", "build", "--release", "--quiet", "--package", "vproto-cli"], &[])?;
    let folder = sh::root().join("target/cost");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("{:<22} {:>6} {:>8} {:>8} {:>7} {:>9} {:>8}", "", "lines", "gen s", "C++", "kB", "g++ s", "MB");
    for lines in LINES.into_iter().filter(|lines| *lines <= most) {
        let file = write(&folder, &format!("mixed{lines}"), &dense::description(lines))?;
        row(&folder, &file, true)?;
    }
    if families {
        for family in FAMILIES {
            for count in [20, 40] {
                let name = format!("{family:?}{count}").to_lowercase();
                row(&folder, &write(&folder, &name, &dense::family(family, count))?, false)?;
            }
        }
    }
    for file in formats() {
        row(&folder, &file, true)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.join(format!("{name}.vproto"));
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// The descriptions of `formats/`.
fn formats() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let folders = std::fs::read_dir(sh::root().join("formats")).into_iter().flatten().flatten();
    for folder in folders.filter(|f| f.path().is_dir()) {
        let files = std::fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|f| f.path());
        found.extend(files.filter(|f| f.extension().is_some_and(|e| e == "vproto")));
    }
    found.sort();
    found
}

/// Measures one description.
fn row(folder: &Path, description: &Path, compile: bool) -> Result<(), String> {
    let stem = description.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let header = folder.join(format!("{stem}.hpp"));
    let start = Instant::now();
    let made = Command::new(sh::root().join("target/release/vproto"))
        .arg("gen")
        .arg(description)
        .arg("-o")
        .arg(&header)
        .output()
        .map_err(|e| format!("vproto: {e}"))?;
    let took = start.elapsed().as_secs_f64();
    if !made.status.success() {
        return Err(format!("{}:\n{}", description.display(), String::from_utf8_lossy(&made.stderr)));
    }
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let (source, text) = (read(description)?, read(&header)?);
    let compiled = if compile { compiler(folder, &stem, &text)? } else { None };
    let (seconds, memory) = compiled.map_or(("-".to_owned(), "-".to_owned()), |(s, m)| {
        (format!("{s:.1}"), format!("{:.0}", f64::from(m) / 1024.0))
    });
    let (lines, made) = (source.lines().count(), text.lines().count());
    println!("{stem:<22} {lines:>6} {took:>8.2} {made:>8} {:>7} {seconds:>9} {memory:>8}", text.len() / 1000);
    Ok(())
}

/// Processor seconds and kilobytes of `g++ -O2`; none where it was stopped.
fn compiler(folder: &Path, stem: &str, header: &str) -> Result<Option<(f64, u32)>, String> {
    let parser = header.lines().rev().find_map(|l| l.strip_prefix("using ")?.split(" = ").nth(1));
    let parser = parser.ok_or("the header has no parser")?.trim_end_matches(';');
    let source = folder.join(format!("{stem}.cc"));
    let text = format!("#include \"{stem}.hpp\"\ntemplate class {parser};\n");
    std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    let script = format!(
        "ulimit -t {PATIENCE}; exec /usr/bin/time -f '%U %S %M' g++ -std=c++17 -O2 -c \"$0\" -o /dev/null"
    );
    let output =
        Command::new("bash").arg("-c").arg(script).arg(&source).output().map_err(|e| format!("bash: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        eprintln!("{stem}: {}", said.lines().next().unwrap_or("stopped"));
        return Ok(None);
    }
    let figures: Vec<f64> = said.split_whitespace().rev().take(3).filter_map(|w| w.parse().ok()).collect();
    match figures[..] {
        [memory, system, user] => Ok(Some((user + system, memory as u32))),
        _ => Err(format!("/usr/bin/time said {said:?}")),
    }
}

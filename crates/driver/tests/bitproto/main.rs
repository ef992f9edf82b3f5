//! Generated C and C++ for bitproto schemas, compiled and played against the vectors.
//!
//! All schemas go into one program for each variant; a variant is compiled anew only when its sources change.

mod arm;
mod build;
mod c;
mod cpp;
mod example;
mod extensions;
mod go;
mod lines;
mod python;
mod random;
mod rust;

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use vproto::bitproto::{CheckOptions, Checked, Loaded, check};

/// The folder of the vectors.
fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bitproto/vectors")
}

fn read_schema(name: &str) -> Result<Loaded, String> {
    let known = vectors().join("schemas").join(name);
    let own = vectors().join("../extensions").join(name);
    let bytes = std::fs::read(&known).or_else(|_| std::fs::read(&own)).map_err(|e| e.to_string())?;
    Ok(Loaded { name: name.to_owned(), bytes })
}

fn check_schema(name: &str) -> Checked {
    let root = read_schema(name).unwrap_or_else(|e| panic!("{name}: {e}"));
    check(root, &mut |_, path| read_schema(path), CheckOptions { quiet: true, refuse_marks: false })
}

/// Schemas and what is played on them.
struct Suite {
    name: &'static str,
    schemas: Vec<String>,
    lines: String,
}

impl Suite {
    /// The vectors of 1.3.2.
    fn vectors() -> Suite {
        Suite { name: "", schemas: schemas(), lines: lines::lines() }
    }
}

/// File names of all schemas, sorted.
fn schemas() -> Vec<String> {
    let entries = std::fs::read_dir(vectors().join("schemas")).expect("a folder of the repository");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn read_json(name: &str) -> Json {
    let text = std::fs::read_to_string(vectors().join(name)).expect("a file of the repository");
    serde_json::from_str(&text).expect("valid JSON")
}

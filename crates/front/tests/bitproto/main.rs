//! The bitproto front-end, the wire plan and the interpreters against the vectors of `tests/bitproto/vectors`.

mod accept;
mod breaking;
mod names;
mod vectors;

use serde_json::Value as Json;
use std::path::PathBuf;
use vproto_front::bitproto::{Checked, Loaded, Options, check};

/// The folder of the vectors.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/bitproto/vectors")
}

fn read_json(name: &str) -> Json {
    let text = std::fs::read_to_string(folder().join(name)).expect("a file of the repository");
    serde_json::from_str(&text).expect("valid JSON")
}

fn field<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.get(name).unwrap_or_else(|| panic!("{name} is missing in {json}"))
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    field(json, name).as_str().unwrap_or_else(|| panic!("{name} is no text in {json}"))
}

/// Checks a schema of the vectors.
fn check_schema(name: &str) -> Checked {
    let read = |name: &str| {
        let bytes = std::fs::read(folder().join("schemas").join(name)).map_err(|e| e.to_string())?;
        Ok(Loaded { name: name.to_owned(), bytes })
    };
    let root = read(name).unwrap_or_else(|e: String| panic!("{name}: {e}"));
    check(root, &mut |_, path| read(path), Options::default())
}

/// Names of all schemas, sorted.
fn schemas() -> Vec<String> {
    let entries = std::fs::read_dir(folder().join("schemas")).expect("a folder of the repository");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

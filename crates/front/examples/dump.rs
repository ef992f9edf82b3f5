//! Prints the grammar of a description, and what was found in it: `cargo run -p vproto-front --example dump FILE`.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use vproto_front::vproto::{LoadKind, Loader, parse};
use vproto_source::{File, FileId, Files};

/// Looks beside the file that asks.
struct Beside;

impl Loader for Beside {
    fn load(
        &mut self,
        name: &str,
        kind: LoadKind,
        from: FileId,
        files: &mut Files,
    ) -> Result<FileId, String> {
        let ending = if kind == LoadKind::Module && !name.ends_with(".vproto") { ".vproto" } else { "" };
        let path = std::path::Path::new(&files.get(from).name).with_file_name(format!("{name}{ending}"));
        let path = path.to_string_lossy().into_owned();
        if let Some(known) = files.find(&path) {
            return Ok(known);
        }
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        Ok(files.add(File::new(path, text)))
    }
}

fn main() -> ExitCode {
    let mut sound = true;
    for name in std::env::args().skip(1).filter(|a| a != "-q") {
        let Ok(text) = std::fs::read_to_string(&name) else {
            println!("{name}: cannot be read");
            sound = false;
            continue;
        };
        let (mut files, mut out) = (Files::default(), Vec::new());
        let root = files.add(File::new(name, text));
        let parsed = parse(&mut files, root, &mut Beside, &mut out);
        if let Some(grammar) = &parsed.grammar {
            vproto_front::vproto::check::check(grammar, &files, &mut out);
            if !std::env::args().any(|a| a == "-q") {
                println!("{grammar:#?}");
            }
        }
        for found in &out {
            let place = files.place(found.primary.span);
            let file = &files.get(found.primary.span.file).name;
            let (code, title, label) = (found.code.0, &found.title, &found.primary.text);
            println!("{file}:{}:{}: {code}: {title}: {label}", place.line, place.column);
            found.help.iter().for_each(|help| println!("    help: {help}"));
        }
        sound &= parsed.grammar.is_some();
    }
    ExitCode::from(u8::from(!sound))
}

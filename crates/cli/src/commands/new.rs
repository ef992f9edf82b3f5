//! `vproto new`

use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{write_file, write_stdout};
use std::fs;
use std::path::{Path, PathBuf};

/// Start a project: a folder with a small description, an input, a program and a makefile
#[derive(clap::Args)]
pub struct Args {
    /// The folder to make; its name is the module's
    name: PathBuf,
}

const FILES: [(&str, &str); 4] = [
    ("NAME.vproto", include_str!("../../template/NAME.vproto")),
    ("main.cc", include_str!("../../template/main.cc")),
    ("Makefile", include_str!("../../template/Makefile")),
    ("example.bin", include_str!("../../template/example.bin")),
];

/// Names of the C library that the program of the template uses: a parser of that name beside them does not compile.
/// `message` is the function of the template's description: the generator renames a function that has the parser's name.
const TAKEN: [&str; 10] =
    ["main", "fopen", "fread", "printf", "fprintf", "perror", "stdin", "stderr", "putchar", "message"];

/// Whether the parser in C++ has the name as it is: the generator changes words of the language.
fn fits_cpp(name: &str) -> bool {
    if TAKEN.contains(&name) {
        return false;
    }
    let mut files = vproto::Files::default();
    let text = FILES[0].1.replace("NAME", name);
    let root = files.add(vproto::File::new(format!("{name}.vproto"), text));
    let Some(grammar) = vproto::check(&mut files, root, &mut vproto::KnownFiles).grammar else {
        return false;
    };
    let Ok(program) = vproto::compile(&grammar, &files) else { return false };
    let generated = vproto::generate_cpp(&program, &grammar, &files, &vproto::cpp::Options::default());
    let heading = format!("struct {name}Result ");
    generated.is_ok_and(|files| files.iter().any(|f| f.text.contains(&heading)))
}

/// Writes the files of the template; nothing that exists is overwritten.
pub fn run(args: &Args) -> Outcome {
    let shown = args.name.to_string_lossy();
    let name = args.name.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(Failure::Usage(format!("{shown}: a module's name has letters, digits and _ only")));
    }
    if !fits_cpp(&name) {
        return Err(Failure::Usage(format!(
            "{shown}: `{name}` has a meaning in C++ or in the program of the project already; take another name, such as my_{name}"
        )));
    }
    fs::create_dir(&args.name).map_err(|e| Failure::io("make", &shown, &e))?;
    for (file, text) in FILES {
        let path = args.name.join(file.replace("NAME", &name));
        write_file(Path::new(&path), &text.replace("NAME", &name))?;
    }
    write_stdout(&format!(
        "made {shown}; try:\n  cd {shown}\n  vproto run {name}.vproto example.bin\n  make && ./{name} example.bin\n"
    ))
    .map(|()| Verdict::Fine)
}

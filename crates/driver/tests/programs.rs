//! Programs of users, of `tests/programs` and of `docs/cpp.md`: what is generated compiles with them without a
//! warning, and they print what they should; or the compiler refuses them with the message that is wanted.

use vproto::cpp::Options;
use vproto::{File, FileId, Files, KnownFiles};
use vproto_testkit::case;
use vproto_testkit::compiled::{Build, warnings};
use vproto_testkit::program::{self, UserProgram};
use vproto_testkit::skip;

fn programs() -> Vec<UserProgram> {
    let mut files: Vec<_> = case::sorted(&vproto_testkit::root().join("tests/programs"));
    files.push(vproto_testkit::root().join("docs/cpp.md"));
    let files = files.iter().filter(|f| f.extension().is_some_and(|e| e == "md"));
    files.flat_map(|f| program::from_markdown(f).expect("programs can be read")).collect()
}

/// Options of `vproto gen`, as its command line has them.
fn options_of(words: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--skeleton" => {}
            "--classic" => options.classic = true,
            "--no-heap" => options.no_heap = true,
            "--no-line-directives" => options.line_directives = false,
            "--namespace" => options.namespace = words.next().cloned(),
            "--output-class" => options.output_class = words.next().cloned(),
            other => return Err(format!("unknown option {other}")),
        }
    }
    Ok(options)
}

fn files_of(program: &UserProgram) -> Result<Vec<(String, String)>, String> {
    let mut files = Files::default();
    for source in &program.sources {
        files.add(File::new(format!("{}.vproto", source.name), source.text.clone()));
    }
    let checked = vproto::check(&mut files, FileId(0), &mut KnownFiles);
    let grammar = checked.grammar.ok_or_else(|| format!("{:?}", checked.diagnostics))?;
    let machine = vproto::compile(&grammar, &files).map_err(|found| found.title)?;
    let options = options_of(&program.options)?;
    let made = vproto::generate_cpp(&machine, &grammar, &files, &options)?;
    let skeleton = program.options.iter().any(|word| word == "--skeleton");
    let skeleton = skeleton.then(|| vproto::cpp::skeleton(&machine, &options));
    let made = made.into_iter().chain(skeleton);
    let mut all: Vec<_> = made.map(|o| (o.name, o.text)).collect();
    all.push(("main.cc".to_owned(), program.text.clone()));
    Ok(all)
}

fn play(program: &UserProgram, build: &Build) -> Result<(), String> {
    let files = files_of(program)?;
    match (program::build(&files, build), program.refused) {
        (Ok(_), true) => Err("it compiles".to_owned()),
        (Err(said), true) => match program.expected.iter().find(|line| !said.contains(line.as_str())) {
            Some(line) => Err(format!("the compiler does not say {line:?} but\n{said}")),
            None => Ok(()),
        },
        (Err(said), false) => Err(said),
        (Ok(binary), false) => {
            let (printed, expected) = (program::run(&binary)?, program.expected.join("\n") + "\n");
            if printed == expected { Ok(()) } else { Err(format!("expected\n{expected}\ncame\n{printed}")) }
        }
    }
}

fn play_all(build: &Build) {
    if skip::missing(&build.compiler, "programs of users") {
        return;
    }
    let programs = programs();
    assert!(programs.len() > 5, "only {} programs were found", programs.len());
    let failures: Vec<String> = programs
        .iter()
        .filter_map(|p| play(p, build).err().map(|e| format!("{} {}:\n{e}", p.name, p.options.join(" "))))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// As the manual of the original says that programs are compiled.
#[test]
fn gcc_with_o3() {
    let flags = warnings().into_iter().chain(["-O3".to_owned()]).collect();
    play_all(&Build { flags, ..Build::default() });
}

#[test]
fn clang_with_sanitizers() {
    play_all(&Build { compiler: "clang++".to_owned(), ..Build::default() }.sanitized("-O1"));
}

//! C++ from a program.

pub use vproto_back::Output as Generated;
pub use vproto_back::cpp::{Head, Options, Simd, skeleton};

use crate::{Files, Grammar, Program, Verified};
use vproto_ir::portable::CodeKind;

/// The files of a program in C++: a header, with `--classic` a header and a source, with `--with-main` a whole
/// program. Heads of the description and its `@output` are added to the options.
///
/// # Errors
/// A sentence that names the place, where the description holds code of another language.
pub fn generate_cpp(
    program: &Verified<Program>,
    grammar: &Grammar,
    files: &Files,
    options: &Options,
) -> Result<Vec<Generated>, String> {
    if let Some(place) = foreign(program, files) {
        return Err(place);
    }
    let mut options = options.clone();
    options.files = files.clone();
    for module in grammar.modules.rows() {
        for (language, code) in &module.heads {
            if language == "cpp" {
                options.heads.push(Head {
                    text: code.text.clone(),
                    file: files.get(code.span.file).name.clone(),
                    line: files.place(code.span).line,
                });
            }
        }
    }
    if options.output_class.is_none() {
        options.output_class = grammar.modules[grammar.root].output.clone();
    }
    Ok(vproto_back::cpp::generate(program, &options))
}

/// The first piece of code that is for another language only.
fn foreign(program: &Program, files: &Files) -> Option<String> {
    let codes = program.machines.rows().iter().flat_map(|m| m.symbols.codes.rows());
    codes.into_iter().find_map(|code| match &code.kind {
        CodeKind::Opaque { language: Some(language), .. } if language != "cpp" => {
            let place = files.place(code.span);
            let name = &files.get(code.span.file).name;
            Some(format!("{name}:{}:{}: this code is for {language} only", place.line, place.column))
        }
        _ => None,
    })
}

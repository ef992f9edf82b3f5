//! The bitproto compiler: schema text in, generated files out.
//!
//! `check` is the front-end alone, [`compile`] the whole way. Neither touches files: the caller gives the texts
//! through a [`Loader`] and writes the [`Output`]s.

pub use vproto_back::Output;
pub use vproto_back::c::bitproto as c;
pub use vproto_back::cpp::bitproto as cpp;
pub use vproto_back::go::bitproto as go;
pub use vproto_back::python::bitproto as python;
pub use vproto_back::rust::bitproto as rust;
pub use vproto_front::bitproto::{Checked, Loaded, Loader, Options as CheckOptions, check};
pub use vproto_ir::wire::breaking::{Change, compare};
pub use vproto_ir::wire::names::NameStyle;
pub use vproto_ir::wire::plan::Limits;

use vproto_ir::wire::plan::plan;
use vproto_source::Diagnostic;
use vproto_source::code::bitproto::{EXTENSION_REFUSED, UNKNOWN_FILTER};
use vproto_source::diagnostic::did_you_mean;

/// A language with its options.
#[derive(Clone, Debug)]
pub enum Target {
    /// C.
    C(c::Options),
    /// C++; the options have one of its standards.
    Cpp(c::Options),
    /// Rust.
    Rust(rust::Options),
    /// Go.
    Go(go::Options),
    /// Python.
    Python,
}

/// What came of a compilation.
#[derive(Debug)]
pub struct Compiled {
    /// Schema, files and findings.
    pub checked: Checked,
    /// Generated files; none if there was an error.
    pub outputs: Vec<Output>,
}

/// Compiles a schema to a language.
pub fn compile(root: Loaded, loader: &mut Loader<'_>, options: CheckOptions, target: &Target) -> Compiled {
    let mut checked = check(root, loader, options);
    check_filter(&mut checked, target);
    if checked.has_errors() {
        return Compiled { checked, outputs: Vec::new() };
    }
    let plan = plan(&checked.schema, Limits::default());
    let outputs = match target {
        Target::C(options) => c::print(&checked.schema, &plan, options),
        Target::Cpp(options) => cpp::print(&checked.schema, &plan, options),
        Target::Rust(options) => rust::print(&checked.schema, &plan, options),
        Target::Go(options) => go::print(&checked.schema, options),
        Target::Python => python::print(&checked.schema),
    };
    Compiled { checked, outputs }
}

/// Refuses files that switch extensions on, as `--strict-1.3` does.
pub fn refuse_extensions(checked: &mut Checked) {
    for span in checked.schema.protos.iter().filter_map(|p| p.options.extensions) {
        let title = "bitproto 1.3.2 knows no extensions";
        let found = Diagnostic::new(EXTENSION_REFUSED, title, span, "switched on here");
        checked.diagnostics.push(found.with_help("leave --strict-1.3 out"));
    }
}

/// Refuses names in the filter that no message has.
fn check_filter(checked: &mut Checked, target: &Target) {
    let filter = match target {
        Target::C(options) | Target::Cpp(options) => &options.filter,
        Target::Rust(options) => &options.filter,
        Target::Go(options) => &options.filter,
        Target::Python => return,
    };
    let root = vproto_ir::wire::schema::ProtoId(0);
    let schema = &checked.schema;
    let known: Vec<&str> = schema.messages_of(root).map(|id| schema.message(id).head.name.as_str()).collect();
    let unknown = filter.iter().flatten().filter(|name| !known.contains(&name.as_str()));
    let findings: Vec<Diagnostic> = unknown
        .map(|name| {
            let span = vproto_source::Span::default();
            let title = format!("no message is named `{name}`");
            let found = Diagnostic::new(UNKNOWN_FILTER, title, span, "in this file");
            match did_you_mean(name, known.iter().copied()) {
                Some(near) => found.with_help(format!("did you mean `{near}`?")),
                None => found,
            }
        })
        .collect();
    checked.diagnostics.extend(findings);
}

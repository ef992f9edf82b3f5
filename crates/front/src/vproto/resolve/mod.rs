//! Trees of files to the checked description: every name gets its meaning.
//!
//! One module is resolved in steps: [`flatten`] splices included files in, [`directives`] reads the lines with `@`,
//! [`trees`] finds trees and labels, [`captures`] finds variables and their types, [`build`] makes the tables of
//! lines and tokens, [`finish`] looks at what only the whole module shows. Findings go to the one list; a module with
//! errors is still built, so that later steps can find more.

pub mod build;
pub mod calls;
pub mod captures;
pub mod code;
pub mod context;
pub mod directives;
pub mod finish;
pub mod flatten;
pub mod names;
pub mod options;
pub mod parallel;
pub mod scans;
pub mod sinks;
pub mod tokens;
pub mod trees;
pub mod types;

use super::ast::{Ast, Head, LineKind, Name, Part, Target, Token, Word};
use super::loader::{LoadKind, Loader};
use super::{layout, note};
use context::Context;
use flatten::FlatLine;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use vproto_ir::grammar::{Grammar, Module, StatedLimits};
use vproto_ir::ids::{ModuleId, Table};
use vproto_source::code::{names as codes, text};
use vproto_source::{Diagnostic, Diagnostics, FileId, Files, Span};

/// What reading a description gives, however broken it is.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The tree of each file that was read, the root's first.
    pub asts: Vec<Arc<Ast>>,
    /// The checked description; none where there were errors.
    pub grammar: Option<Grammar>,
}

/// Reads the description `root` with all that it names.
///
/// Findings are appended to `out`; the grammar is there exactly where none of them is an error.
pub fn parse(files: &mut Files, root: FileId, loader: &mut dyn Loader, out: &mut Diagnostics) -> Parsed {
    let before = out.len();
    let mut program = Program {
        files,
        loader,
        out,
        asts: Vec::new(),
        modules: Table::new(),
        known: FxHashMap::default(),
        open: 0,
        includes: 0,
    };
    let id = program.module(root);
    let Program { asts, modules, out, .. } = program;
    let sound = out[before..].iter().all(|d| !d.is_error());
    tidy(out, before);
    let grammar = id.filter(|_| sound).map(|root| Grammar { modules, root });
    Parsed { asts, grammar }
}

/// Puts the findings from `before` on in the order of the text, each once.
fn tidy(out: &mut Diagnostics, before: usize) {
    let mut found = out.split_off(before);
    found.sort_by_key(|d| (d.primary.span, d.code));
    found.dedup();
    out.append(&mut found);
}

/// Deepest chain of modules that hold modules, and of files that include files.
const MAX_MODULES: usize = 64;

/// Most files that a module may include, counted each time.
const MAX_INCLUDES: usize = 10_000;

/// Most lines that a module may have with all its included files: an include may be named many times.
const MAX_LINES: usize = 1_000_000;

struct Program<'a> {
    files: &'a mut Files,
    loader: &'a mut dyn Loader,
    out: &'a mut Diagnostics,
    asts: Vec<Arc<Ast>>,
    modules: Table<ModuleId, Module>,
    /// Modules by file; none while one is being resolved.
    known: FxHashMap<FileId, Option<ModuleId>>,
    open: usize,
    /// Files that the module at hand has included.
    includes: usize,
}

/// What a module names: the module, and where it does.
struct Wanted {
    name: Name,
    /// `@import` with a path.
    path: Option<String>,
    /// Whether a `vproto:` names it.
    used: bool,
}

impl Program<'_> {
    fn ast(&mut self, file: FileId) -> Arc<Ast> {
        if let Some(ast) = self.asts.iter().find(|a| a.file == file) {
            return ast.clone();
        }
        let ast = Arc::new(layout::parse_file(file, &self.files.get(file).text, self.out));
        self.asts.push(ast.clone());
        ast
    }

    /// Resolves a module; none where it is being resolved already.
    fn module(&mut self, file: FileId) -> Option<ModuleId> {
        if let Some(known) = self.known.get(&file) {
            return *known;
        }
        self.known.insert(file, None);
        let mut lines = Vec::new();
        self.includes = 0;
        self.flatten(file, 0, &mut Vec::new(), &mut lines);
        let imports = self.imports(file, &lines);
        let context = Context {
            files: self.files,
            out: self.out,
            modules: &self.modules,
            imports,
            lines,
            names: names::Names::default(),
            labels: Default::default(),
            digests: Default::default(),
            spans: Default::default(),
            ended: Default::default(),
            declared: Default::default(),
            heads: Vec::new(),
            output: None,
            docs: Vec::new(),
            calls_limit: None,
            stated: StatedLimits::default(),
        };
        let module = resolve_module(context, file);
        let id = self.modules.push(module);
        self.known.insert(file, Some(id));
        Some(id)
    }

    fn flatten(&mut self, file: FileId, depth: u32, open: &mut Vec<FileId>, lines: &mut Vec<FlatLine>) {
        let ast = self.ast(file);
        open.push(file);
        for (index, line) in ast.lines.iter().enumerate() {
            let include = match &line.kind {
                LineKind::Directive(directive) if directive.name.text == "include" => Some(directive),
                _ => None,
            };
            let own = depth + line.depth;
            let Some(directive) = include else {
                if lines.len() < MAX_LINES {
                    lines.push(FlatLine { ast: ast.clone(), index, depth: own });
                }
                continue;
            };
            let Some(path) = directives::quoted(self.files.text(directive.rest)) else {
                note(
                    self.out,
                    Diagnostic::new(
                        codes::BAD_DIRECTIVE,
                        "`@include` needs a file",
                        directive.name.span,
                        "the name of a file in double quotes must follow",
                    )
                    .with_help("write `@include \"common.vproto\"`"),
                );
                continue;
            };
            if let Some(included) = self.load(&path, LoadKind::Include, file, directive.rest) {
                self.include(included, own, directive.rest, open, lines);
            }
        }
        open.pop();
    }

    fn include(
        &mut self,
        file: FileId,
        depth: u32,
        span: Span,
        open: &mut Vec<FileId>,
        lines: &mut Vec<FlatLine>,
    ) {
        self.includes += 1;
        let problem = if open.contains(&file) {
            "the file includes itself"
        } else if open.len() >= MAX_MODULES || lines.len() >= MAX_LINES || self.includes > MAX_INCLUDES {
            "too many files include each other"
        } else {
            return self.flatten(file, depth, open, lines);
        };
        note(self.out, Diagnostic::new(codes::CYCLE, problem, span, "this would never end"));
    }

    fn load(&mut self, name: &str, kind: LoadKind, from: FileId, span: Span) -> Option<FileId> {
        match self.loader.load(name, kind, from, self.files) {
            Ok(file) => Some(file),
            Err(reason) => {
                let what = if kind == LoadKind::Module { "module" } else { "file" };
                let title = format!("cannot read {what} `{name}`");
                note(self.out, Diagnostic::new(text::UNREADABLE, title, span, reason));
                None
            }
        }
    }

    /// Resolves the modules that the lines name.
    fn imports(&mut self, file: FileId, lines: &[FlatLine]) -> FxHashMap<String, Option<ModuleId>> {
        let mut imports = FxHashMap::default();
        for wanted in wanted_modules(self.files, lines) {
            if !wanted.used {
                let title = format!("module `{}` is imported and not used", wanted.name.text);
                let label = "no `vproto:` names it";
                note(self.out, Diagnostic::new(codes::UNUSED_IMPORT, title, wanted.name.span, label));
                continue;
            }
            let path = wanted.path.as_deref().unwrap_or(&wanted.name.text);
            let from = if wanted.path.is_some() { wanted.name.span.file } else { file };
            let id = self.load(path, LoadKind::Module, from, wanted.name.span);
            let id = id.and_then(|id| self.sub_module(id, &wanted.name));
            imports.insert(wanted.name.text, id);
        }
        imports
    }

    fn sub_module(&mut self, file: FileId, name: &Name) -> Option<ModuleId> {
        let cycle = self.known.get(&file) == Some(&None);
        if cycle || self.open >= MAX_MODULES {
            let (title, label) = match cycle {
                true => (
                    format!("module `{}` holds itself", name.text),
                    "it is being read because of this module",
                ),
                false => (
                    format!("module `{}` is nested too deep", name.text),
                    "more than 64 modules hold each other",
                ),
            };
            note(
                self.out,
                Diagnostic::new(codes::CYCLE, title, name.span, label)
                    .with_help("recursion is by `call:` inside one module"),
            );
            return None;
        }
        self.open += 1;
        let id = self.module(file);
        self.open -= 1;
        id
    }
}

/// The modules that lines name, in order: those of `@import` and those behind `vproto:`.
fn wanted_modules(files: &Files, lines: &[FlatLine]) -> Vec<Wanted> {
    let mut wanted: IndexMap<String, Wanted> = IndexMap::new();
    for flat in lines {
        if let LineKind::Directive(directive) = &flat.line().kind
            && directive.name.text == "import"
            && let Some((name, path)) = directives::import(files, directive)
        {
            wanted.insert(name.text.clone(), Wanted { name, path, used: false });
        }
    }
    for token in lines.iter().flat_map(|l| l.tokens()) {
        each_token(token, &mut |token| {
            let Some(name) = module_name(token) else { return };
            let unknown = || Wanted { name: name.clone(), path: None, used: true };
            wanted.entry(name.text.clone()).or_insert_with(unknown).used = true;
        });
    }
    wanted.into_values().collect()
}

/// Calls `see` for a token and all tokens in its `< >`.
pub fn each_token<'t>(token: &'t Token, see: &mut dyn FnMut(&'t Token)) {
    see(token);
    if let Head::Parallel(sequences) = &token.head {
        for inner in sequences.iter().flatten() {
            each_token(inner, see);
        }
    }
}

/// The module that a token names.
fn module_name(token: &Token) -> Option<&Name> {
    if token.is(Word::Module) {
        return token.names().next();
    }
    let at = token.parts.iter().position(|p| matches!(p, Part::Redirect(_)))?;
    let Part::Redirect(redirect) = &token.parts[at] else { return None };
    match (&redirect.target, token.parts.get(at + 1)) {
        (Target::Word(word), Some(Part::Name(name))) if word.text == "vproto" => Some(name),
        _ => None,
    }
}

/// The steps of one module.
fn resolve_module(mut context: Context<'_>, file: FileId) -> Module {
    directives::read(&mut context);
    let trees = trees::find(&mut context);
    captures::collect(&mut context, &trees);
    let mut module = build::build(&mut context, &trees);
    finish::finish(&mut context, &mut module);
    module.file = file;
    let name =
        directives::module_name(&context).unwrap_or_else(|| directives::stem(&context.files.get(file).name));
    module.name = name;
    module.heads = std::mem::take(&mut context.heads);
    module.output = context.output.take().map(|(name, _)| name);
    module.docs = std::mem::take(&mut context.docs);
    module.symbols = context.names.finish();
    module
}

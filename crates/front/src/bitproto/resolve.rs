//! The tree with its names looked up: the schema.
//!
//! Definitions count from the line on where they are complete; a message enters its scope when it closes. What is
//! wrong is defined as [`Def::Broken`], so that one fault gives one finding. [`scope`] holds the names, [`value`]
//! the constants and capacities, [`message`] types, enums and messages, [`options`] the options.

mod extension;
mod message;
mod options;
mod scope;
mod value;

use super::ast::{Item, ItemKind, Name};
use super::{Checked, Loaded, Loader, Options, add_file, lexer, lint, parser};
use scope::{Def, Scope};
use std::collections::HashMap;
use value::Constant;
use vproto_ir::wire::Schema;
use vproto_ir::wire::schema::{self, ConstantId, Head, Import, ProtoId};
use vproto_source::code::bitproto as codes;
use vproto_source::{Code, Diagnostic, Diagnostics, FileId, Files, Span};

/// How long a chain of imports may be.
const MAX_IMPORTS: usize = 64;

/// Parses and resolves a file and its imports.
pub(super) fn resolve(root: Loaded, loader: &mut Loader<'_>, options: Options) -> Checked {
    let mut resolver = Resolver {
        schema: Schema::default(),
        files: Files::default(),
        diagnostics: Vec::new(),
        loader,
        options,
        loaded: HashMap::new(),
        stack: Vec::new(),
        scopes: Vec::new(),
        globals: Vec::new(),
        members: Vec::new(),
        values: Vec::new(),
        depths: message::Depths::default(),
        broken_imports: false,
    };
    resolver.file(root, None);
    Checked { files: resolver.files, schema: resolver.schema, diagnostics: resolver.diagnostics }
}

struct Resolver<'a, 'l> {
    schema: Schema,
    files: Files,
    diagnostics: Diagnostics,
    loader: &'a mut Loader<'l>,
    options: Options,
    /// Files by name.
    loaded: HashMap<String, ProtoId>,
    /// The files being resolved, the compiled one first.
    stack: Vec<ProtoId>,
    /// Scopes of the file at hand, the outermost first.
    scopes: Vec<Scope>,
    /// Names of each file.
    globals: Vec<Scope>,
    /// Names of each message.
    members: Vec<Scope>,
    /// Values of the constants, as [`Schema::constants`].
    values: Vec<Constant>,
    depths: message::Depths,
    /// Whether an import of the file at hand failed, so that dotted names may be unknown without fault.
    broken_imports: bool,
}

impl Resolver<'_, '_> {
    /// Resolves a file; `from` is the import that names it.
    fn file(&mut self, loaded: Loaded, from: Option<&str>) -> ProtoId {
        let id = ProtoId(self.schema.protos.len() as u32);
        self.loaded.insert(loaded.name.clone(), id);
        let base_name = base_name(&loaded.name);
        self.schema.protos.push(schema::Proto { base_name, ..schema::Proto::default() });
        self.globals.push(Scope::default());
        let file = add_file(&mut self.files, loaded, &mut self.diagnostics);
        let items = self.parse(file, from.is_none());
        self.stack.push(id);
        let outer = std::mem::replace(&mut self.scopes, vec![Scope::default()]);
        let outer_broken = std::mem::take(&mut self.broken_imports);
        for item in items {
            self.item(id, item);
        }
        self.broken_imports = outer_broken;
        let mut scopes = std::mem::replace(&mut self.scopes, outer);
        self.globals[id.index()] = scopes.swap_remove(0);
        self.stack.pop();
        self.check_named(id, file);
        id
    }

    fn parse(&mut self, file: FileId, is_root: bool) -> Vec<Item> {
        let text = self.files.get(file).text.clone();
        let tokens = lexer::lex(file, &text, &mut self.diagnostics);
        let items = parser::parse(&text, &tokens, &mut self.diagnostics);
        if is_root && !self.options.quiet {
            lint::lint(self.files.get(file), &items, &mut self.diagnostics);
        }
        items
    }

    fn check_named(&mut self, id: ProtoId, file: FileId) {
        if self.schema.protos[id.index()].name.is_empty() {
            let title = "the schema has no proto name";
            let help = "begin the file with `proto NAME`";
            self.report(codes::NO_PROTO, title, Span::new(file, 0, 0), "no `proto NAME` in this file", help);
        }
    }

    /// An item at the top of a file.
    fn item(&mut self, proto: ProtoId, item: Item) {
        let doc = item.doc;
        match item.kind {
            ItemKind::Proto(name) => {
                let old = std::mem::take(&mut self.schema.protos[proto.index()].name);
                if !old.is_empty() {
                    let title = "the proto name is given twice";
                    let label = format!("replaces `{old}`");
                    self.report(codes::LATE_PROTO, title, name.span, &label, "keep one `proto NAME`");
                }
                let entry = &mut self.schema.protos[proto.index()];
                entry.name = name.text;
                entry.doc = doc;
            }
            ItemKind::Import { alias, path } => self.import(proto, alias, &path),
            ItemKind::Const { name, value } => self.constant(proto, doc, name, &value),
            ItemKind::Alias { name, ty, typedef } => {
                self.alias(proto, doc, name, &ty, typedef.then_some(item.span))
            }
            ItemKind::Option { name, value } => self.option(name, &value),
            ItemKind::Enum { name, bits, items } => self.enumeration(proto, doc, name, bits, items),
            ItemKind::Message { name, mark, items } => self.message(proto, doc, name, mark, items),
            // The parser keeps these two out of the top of a file.
            ItemKind::Field { .. } | ItemKind::EnumValue { .. } => {}
        }
    }

    fn import(&mut self, proto: ProtoId, alias: Option<Name>, path: &Name) {
        let Some(target) = self.imported(path) else {
            self.broken_imports = true;
            if let Some(alias) = alias {
                self.define(&alias, Def::Broken);
            }
            return;
        };
        let text = alias
            .as_ref()
            .map_or_else(|| self.schema.protos[target.index()].name.clone(), |a| a.text.clone());
        let name = Name { text, span: alias.map_or(path.span, |a| a.span) };
        let earlier = self.schema.protos[proto.index()].imports.iter().find(|i| i.proto == target);
        if let Some(earlier) = earlier {
            let help = format!("it is known here as `{}`", earlier.name);
            let title = format!("{:?} is imported twice", path.text);
            return self.report(codes::IMPORT_TWICE, &title, path.span, "imported before", &help);
        }
        let import = Import { proto: target, name: name.text.clone(), path: path.text.clone() };
        self.schema.protos[proto.index()].imports.push(import);
        if !name.text.is_empty() {
            self.define(&name, Def::Proto(target));
        }
    }

    /// The file that an import names, resolved if it was not before.
    fn imported(&mut self, path: &Name) -> Option<ProtoId> {
        let from = self.files.get(path.span.file).name.clone();
        let loaded = match (self.loader)(&from, &path.text) {
            Ok(loaded) => loaded,
            Err(reason) => {
                let title = format!("cannot read {:?}: {reason}", path.text);
                let help = "paths are relative to the importing file";
                self.report(codes::IMPORT_UNREADABLE, &title, path.span, "imported here", help);
                return None;
            }
        };
        match self.loaded.get(&loaded.name) {
            Some(id) if self.stack.contains(id) => {
                let title = format!("importing {:?} leads back to it", path.text);
                let help = "move what both files need into a third one";
                self.report(codes::IMPORT_CYCLE, &title, path.span, "closes the circle", help);
                None
            }
            Some(&id) => Some(id),
            None if self.stack.len() >= MAX_IMPORTS => {
                self.report(codes::TYPE_DEPTH, "imports are more than 64 deep", path.span, "too deep", "");
                None
            }
            None => Some(self.file(loaded, Some(&path.text))),
        }
    }

    fn constant(&mut self, proto: ProtoId, doc: Vec<String>, name: Name, value: &super::ast::Expr) {
        let Some(value) = self.evaluate(value) else {
            self.define(&name, Def::Broken);
            return;
        };
        let id = ConstantId(self.schema.constants.len() as u32);
        let head = self.head(proto, &name, doc);
        self.schema.constants.push(schema::Constant { head, value: value.to_schema() });
        self.values.push(value);
        self.schema.protos[proto.index()].items.push(schema::Item::Constant(id));
        self.define(&name, Def::Constant(id));
    }

    fn head(&self, proto: ProtoId, name: &Name, doc: Vec<String>) -> Head {
        let scope = self.scopes.iter().skip(1).map(|s| s.name.clone()).collect();
        Head { proto, scope, name: name.text.clone(), doc, span: name.span }
    }

    fn report(&mut self, code: Code, title: &str, span: Span, label: &str, help: &str) {
        let mut found = Diagnostic::new(code, title, span, label);
        if !help.is_empty() {
            found.help = Some(help.to_owned());
        }
        self.diagnostics.push(found);
    }
}

/// A file name without folder and extension.
fn base_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

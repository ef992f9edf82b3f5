//! Names: what is defined where, and how it is found.

use super::Resolver;
use crate::bitproto::ast::Name;
use indexmap::IndexMap;
use vproto_ir::wire::schema::{AliasId, ConstantId, EnumId, MessageId, ProtoId};
use vproto_source::code::bitproto as codes;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Code, Diagnostic, Span};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Def {
    Constant(ConstantId),
    Alias(AliasId),
    Enum(EnumId),
    Message(MessageId),
    Proto(ProtoId),
    Field,
    EnumValue,
    Option,
    /// Something wrong that was reported.
    Broken,
}

/// The names of a file or a message, in the order of their definition.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The message's name; empty for a file.
    pub(super) name: String,
    pub(super) defs: IndexMap<String, (Def, Span)>,
}

impl Resolver<'_, '_> {
    /// Defines a name in the innermost scope; a second definition is reported and ignored.
    pub(super) fn define(&mut self, name: &Name, def: Def) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let earlier = scope.defs.get(&name.text).map(|d| d.1);
        let Some(earlier) = earlier else {
            scope.defs.insert(name.text.clone(), (def, name.span));
            return;
        };
        let title = format!("`{}` is defined twice", name.text);
        let found = Diagnostic::new(codes::DUPLICATE, title, name.span, "defined again");
        let help = "all names of a scope, fields and options included, are different";
        self.diagnostics.push(found.with_label(earlier, "first defined here").with_help(help));
    }

    /// What a dotted name means here: each scope from the innermost on is tried with the whole name.
    pub(super) fn look_up(&self, path: &str) -> Option<Def> {
        self.scopes.iter().rev().find_map(|scope| self.look_in(scope, path))
    }

    fn look_in(&self, scope: &Scope, path: &str) -> Option<Def> {
        let (mut scope, mut rest) = (scope, path);
        loop {
            let (first, behind) = rest.split_once('.').map_or((rest, None), |(a, b)| (a, Some(b)));
            let def = scope.defs.get(first)?.0;
            let Some(behind) = behind else { return Some(def) };
            scope = match def {
                Def::Proto(id) => self.globals.get(id.index())?,
                Def::Message(id) => self.members.get(id.index())?,
                Def::Enum(id) => {
                    let values = &self.schema.enumeration(id).values;
                    return values.iter().any(|v| v.name == behind).then_some(Def::EnumValue);
                }
                Def::Broken => return Some(Def::Broken),
                _ => return None,
            };
            rest = behind;
        }
    }

    /// Reports a name that means nothing, with the nearest known one of the kind that is wanted.
    pub(super) fn unknown(&mut self, code: Code, what: &str, path: &str, span: Span, fits: fn(Def) -> bool) {
        if self.broken_imports && path.contains('.') {
            return;
        }
        // Suggestions cost a look at every name: a text that is wrong everywhere gets only the first ones.
        let known = if self.diagnostics.len() < 100 { self.known(fits) } else { Vec::new() };
        let help = match did_you_mean(path, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("a {what} is defined above its first use"),
        };
        self.report(code, &format!("unknown {what} `{path}`"), span, "not defined so far", &help);
    }

    /// All names of a kind that can be written here.
    fn known(&self, fits: fn(Def) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for (name, &(def, _)) in self.scopes.iter().rev().flat_map(|s| &s.defs) {
            if fits(def) {
                names.push(name.clone());
            }
            let inner = match def {
                Def::Proto(id) => self.globals.get(id.index()),
                Def::Message(id) => self.members.get(id.index()),
                _ => None,
            };
            let inner = inner.iter().flat_map(|s| &s.defs).filter(|(_, d)| fits(d.0));
            names.extend(inner.map(|(n, _)| format!("{name}.{n}")));
        }
        names
    }
}

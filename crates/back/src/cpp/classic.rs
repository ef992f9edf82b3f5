//! The shape that users of the original know: a header with a plain class whose callbacks are only declared, and a
//! source with the states. The user defines the callbacks.

use super::{Module, class, function, head, namespaced, result, runtime};
use crate::Output;
use vproto_code::writer::Writer;

/// Header and source.
pub(super) fn files(modules: &[Module<'_>]) -> Vec<Output> {
    let Some(root) = modules.iter().find(|m| !m.is_sub()) else { return Vec::new() };
    let stem = root.options.file.clone().unwrap_or_else(|| root.names.alias.clone());
    let (header, source) = (format!("{stem}.h"), format!("{stem}.cc"));
    let mut w = Writer::new("    ");
    head(&mut w);
    w.line("#pragma once");
    runtime::print(&mut w, modules);
    for text in &root.options.heads {
        class::native(&mut w, root.options, &text.text, &text.file, text.line, &header);
    }
    namespaced(&mut w, root.options, |w| {
        for module in modules {
            result::print(module, w);
            class::print(module, w, &header);
        }
    });
    let mut s = Writer::new("    ");
    head(&mut s);
    s.line(format!("#include \"{header}\""));
    namespaced(&mut s, root.options, |s| {
        for module in modules {
            let scope = format!("{}::", module.names.alias);
            for function in &module.parser.functions {
                function::print(module, function, s, &source, &scope);
            }
        }
    });
    vec![Output { name: header, text: w.finish() }, Output { name: source, text: s.finish() }]
}

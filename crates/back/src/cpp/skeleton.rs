//! `vproto gen --skeleton`: a class with every callback and its exact signature, for the user to fill in.

use super::Module;
use super::result::{calls, parameters, signature};
use crate::Output;
use vproto_code::writer::Writer;
use vproto_ir::ids::FunctionId;
use vproto_ir::symbols::{Role, VarType};

/// The one file.
pub(super) fn file(modules: &[Module<'_>]) -> Output {
    let root = modules.iter().find(|m| !m.is_sub());
    let alias = root.map_or(String::new(), |m| m.names.alias.clone());
    let classic = root.is_some_and(|m| m.options.classic);
    let mut w = Writer::new("    ");
    w.line(format!(
        "// Callbacks of {alias}: fill in what is needed. Made by `vproto gen --skeleton`, once; it is yours."
    ));
    if classic {
        w.line(format!("#include \"{alias}.h\""));
    } else {
        w.line("#pragma once");
        w.line(format!("#include \"{alias}.hpp\""));
    }
    for module in modules {
        if classic { definitions(module, &mut w) } else { class(module, &mut w) }
    }
    if let Some(root) = root.filter(|_| !classic) {
        w.blank();
        let scope = scope(root);
        w.line("// The parser to use:");
        w.line(format!("using {}_listener = {scope}{}<{}>;", alias, root.names.parser, class_name(root)));
    }
    let name = if classic { format!("{alias}_callbacks.cc") } else { format!("{alias}_output.hpp") };
    Output { name: root.and_then(|m| m.options.file.clone()).unwrap_or(name), text: w.finish() }
}

fn scope(module: &Module<'_>) -> String {
    module.options.namespace.as_ref().map_or(String::new(), |n| format!("{n}::"))
}

fn class_name(module: &Module<'_>) -> String {
    match &module.options.output_class {
        Some(name) if !module.is_sub() => name.clone(),
        _ => format!("{}Output", module.names.alias),
    }
}

fn class(module: &Module<'_>, w: &mut Writer) {
    w.blank();
    let scope = scope(module);
    w.open(format!("class {} : public {scope}{} {{", class_name(module), module.names.result));
    w.margin("public:");
    w.line("// A callback that is left out or misspelt does not compile.");
    w.line("static constexpr bool hears_all = true;");
    for (id, var) in module.machine().symbols.vars.iter() {
        if let VarType::Module(of) = var.ty {
            let inner = Module { id: of, names: &module.all[of.0 as usize], ..*module };
            w.line(format!("using {}_output = {};", module.names.var(id), class_name(&inner)));
        }
    }
    for (id, _) in module.machine().symbols.functions.iter() {
        let (head, result) = head(module, id, "");
        w.blank();
        w.line(format!("{head} {}", if result { "{ return 0; }" } else { "{}" }));
    }
    w.close("};");
}

fn definitions(module: &Module<'_>, w: &mut Writer) {
    let scope = format!("{}{}::", scope(module), module.names.result);
    for (id, _) in module.machine().symbols.functions.iter() {
        let (head, result) = head(module, id, &scope);
        w.blank();
        w.line(format!("{head} {}", if result { "{ return 0; }" } else { "{}" }));
    }
}

/// The head of a callback, and whether it has a value.
fn head(module: &Module<'_>, id: FunctionId, scope: &str) -> (String, bool) {
    let calls = calls(module);
    let value = module.machine().symbols.functions[id].role == Role::Value;
    let result = if value { "std::int64_t" } else { "void" };
    let parameters = unnamed(&parameters(module, id, &calls));
    let differ = calls.get(&id).is_some_and(|calls| signature(calls).is_none());
    let template = if differ { "template <class... Arguments> " } else { "" };
    (format!("{template}{result} {scope}{}({parameters})", module.names.function(id)), value)
}

/// Parameters without names, which could hide members; what they are stands in comments.
fn unnamed(parameters: &str) -> String {
    let one = |parameter: &str| match parameter.rsplit_once(' ') {
        Some((ty, name)) => format!("{ty} /*{name}*/"),
        None => parameter.to_owned(),
    };
    parameters.split(", ").map(one).collect::<Vec<_>>().join(", ")
}

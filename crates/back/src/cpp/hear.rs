//! Checks of the user's class: a callback of the right name must be callable as the description calls it; and a class
//! that says `hears_all` must have every one, so that a misspelt name is found.

use super::Module;
use super::print::literal;
use super::result::{ANY, Call, calls, parameters};
use vproto_code::writer::Writer;
use vproto_ir::ids::FunctionId;
use vproto_ir::symbols::Role;

/// The callbacks that are checked, with the ways in which they are called.
fn checked(module: &Module<'_>) -> Vec<(FunctionId, Vec<String>, String)> {
    let calls = calls(module);
    let functions = module.machine().symbols.functions.iter();
    let functions = functions.filter(|(_, f)| !module.options.classic && f.role != Role::Value);
    functions
        .map(|(id, function)| {
            let ways = match function.role {
                Role::Stream => vec!["std::declval<std::string_view>(), true, true".to_owned()],
                _ => distinct(calls.get(&id).map_or(&[], Vec::as_slice)),
            };
            (id, ways, parameters(module, id, &calls))
        })
        .collect()
}

fn distinct(calls: &[Call]) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for call in calls {
        let values: Vec<String> = call.iter().map(|a| format!("std::declval<{}>()", a.passed)).collect();
        let way = values.join(", ");
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// Declarations that tell by their types.
pub(super) fn print(module: &Module<'_>, w: &mut Writer) {
    let checked = checked(module);
    if checked.is_empty() {
        return;
    }
    w.blank();
    w.line("// Whether the user's class can be told what happens.");
    for (id, ways, parameters) in checked {
        let (name, number) = (module.names.function(id), id.0);
        let calls: Vec<String> =
            ways.iter().map(|way| format!("static_cast<void>(p->{name}({way}))")).collect();
        if !calls.is_empty() {
            w.line("template <class P>");
            w.line(format!(
                "static auto hears{number}(P* p) -> decltype({}, std::true_type{{}});",
                calls.join(", ")
            ));
            w.line(format!("static std::false_type hears{number}(const void*);"));
        }
        w.line("template <class P>");
        let theirs = format!("{}::{name}", module.names.result);
        match ways.first() {
            // A template has no address; that of the result gives itself away by what it returns.
            Some(way) if parameters == ANY => w.line(format!(
                "static auto inherits{number}(P* p) -> std::is_same<decltype(p->{name}({way})), vproto::unheard>;"
            )),
            _ => w.line(format!(
                "static auto inherits{number}(P*) -> std::is_same<decltype(&P::{name}), decltype(&{theirs})>;"
            )),
        }
        w.line(format!("static std::false_type inherits{number}(const void*);"));
    }
}

/// The assertions, for a function of the class.
pub(super) fn checks(module: &Module<'_>, w: &mut Writer) {
    for (id, ways, parameters) in checked(module) {
        let (name, number, parser) = (module.names.function(id), id.0, &module.names.parser);
        if !ways.is_empty() {
            let says = format!("{name} of the output class cannot be called with ({parameters})");
            w.line(format!("static_assert(decltype(hears{number}(static_cast<{parser}*>(nullptr)))::value,"));
            w.line(format!("              {});", literal(says.as_bytes())));
        }
        let says = format!("hears_all: the output class has no {name}({parameters}); is its name misspelt?");
        w.line(format!(
            "static_assert(!vproto::hears_all<Output>::value || !decltype(inherits{number}(static_cast<Output*>(nullptr)))::value,"
        ));
        w.line(format!("              {});", literal(says.as_bytes())));
    }
}

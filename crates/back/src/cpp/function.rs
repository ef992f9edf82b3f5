//! Functions of a parser: inside its class, or behind it with a scope in front of their names.

use super::Module;
use super::class::{native, place_of};
use super::print::ty;
use vproto_code::tree::{Expr, Function, FunctionRole, Stmt, Ty};
use vproto_code::writer::Writer;
use vproto_ir::portable::CodeKind;

/// The head of a function, without brace or semicolon.
fn head(module: &Module<'_>, function: &Function, scope: &str) -> String {
    let name = |local: &str| module.names.local(local);
    match function.role {
        FunctionRole::Run => format!(
            "std::uint64_t {scope}steps(const vproto::cursor {}, const std::size_t {}, const std::uint64_t {})",
            name("first"),
            name("size"),
            name("ending")
        ),
        FunctionRole::Part => format!(
            "std::uint64_t {scope}{}(work_type& {}, std::uint64_t {})",
            function.name,
            name("w"),
            name("goal")
        ),
        FunctionRole::Code(_) => format!("bool {scope}{}()", function.name),
        FunctionRole::Print => format!("void {scope}{}()", function.name),
        FunctionRole::Thread => format!(
            "std::uint64_t {scope}{}(thread_type& {}, const std::uint64_t {}, std::uint64_t {})",
            function.name,
            name("t"),
            name("c"),
            name("where")
        ),
    }
}

/// A part is not to become one with the function that calls it.
fn apart(function: &Function) -> &'static str {
    if function.role == FunctionRole::Part { "[[gnu::noinline]] " } else { "" }
}

/// The declaration of a function that is defined elsewhere.
pub(super) fn declare(module: &Module<'_>, function: &Function, w: &mut Writer) {
    w.line(format!("{}{};", apart(function), head(module, function, "")));
}

/// The definition of a function.
pub(super) fn print(module: &Module<'_>, function: &Function, w: &mut Writer, file: &str, scope: &str) {
    w.blank();
    if !function.doc.is_empty() {
        w.line(format!("// {}", function.doc));
    }
    let apart = if scope.is_empty() { apart(function) } else { "" };
    w.open(format!("{apart}{} {{", head(module, function, scope)));
    match function.role {
        FunctionRole::Run => run(module, function, w),
        FunctionRole::Part => {
            if vproto_code::visit::read_locals(&function.body).contains("nowhere") {
                w.line(format!("constexpr vproto::cursor {} = nullptr;", module.names.local("nowhere")));
            }
            locals(module, function, w);
            // The trace leaves some of them out.
            w.line(format!("static_cast<void>({});", module.names.local("base")));
            w.blank();
            module.stmts(&function.body, w);
        }
        FunctionRole::Thread => step(module, function, w),
        FunctionRole::Code(code) => {
            let code = &module.machine().symbols.codes[code];
            let condition = matches!(code.kind, CodeKind::Opaque { condition: true, .. });
            let (name, line) = place_of(module.options, code.span);
            builtins(module, function, w);
            if condition {
                native(w, module.options, &format!("return ({});", code.text), &name, line, file);
            } else {
                native(w, module.options, &code.text, &name, line, file);
                w.line("return true;");
            }
        }
        FunctionRole::Print => {
            builtins(module, function, w);
            for stmt in &function.body {
                if let Stmt::Native(text, span) = stmt {
                    let (name, line) = place_of(module.options, *span);
                    native(w, module.options, text, &name, line, file);
                }
            }
        }
    }
    w.close("}");
}

/// Locals that native code may name.
fn builtins(module: &Module<'_>, function: &Function, w: &mut Writer) {
    for stmt in &function.body {
        if let Stmt::Let(name, ..) = stmt {
            module.stmts(std::slice::from_ref(stmt), w);
            w.line(format!("static_cast<void>({});", module.names.local(name)));
        }
    }
}

/// Short functions that stand beside one in the class.
pub(super) fn beside(module: &Module<'_>, function: &Function, w: &mut Writer) {
    let name = |local: &str| module.names.local(local);
    match function.role {
        FunctionRole::Run => {
            let (first, size, ending) = (name("first"), name("size"), name("ending"));
            w.open(format!(
                "vproto::status run(const vproto::cursor {first}, const std::size_t {size}, const std::uint64_t {ending}) {{"
            ));
            w.line(if module.is_sub() { "fresh_ = false;" } else { "" });
            super::hear::checks(module, w);
            w.line("if (state_.over != 0) return static_cast<vproto::status>(state_.over);");
            w.line(format!("const vproto::busy_scope {}(busy_);", name("running")));
            w.line(format!("return static_cast<vproto::status>(steps({first}, {size}, {ending}));"));
            w.close("}");
        }
        FunctionRole::Thread => {
            let number = function.name.trim_start_matches("step");
            let (t, c, place) = (name("t"), name("c"), name("where"));
            let arguments = "thread_type& thread, std::uint64_t byte_shown, std::uint64_t byte_offset";
            let one = |w: &mut Writer| {
                w.open(format!("const auto one = [this]({arguments}) {{"));
                w.line(format!("return this->step{number}(thread, byte_shown, byte_offset);"));
                w.close("};");
            };
            w.open(format!("std::uint64_t round{number}(std::uint64_t {c}, std::uint64_t {place}) {{"));
            one(w);
            w.line(format!("return threads_.round({c}, {place}, one);"));
            w.close("}");
            let leave = format!("leave{number}");
            if vproto_code::visit::calls(&function.body, &leave) {
                w.open(format!(
                    "void {leave}(thread_type& {t}, std::uint64_t {c}, std::uint64_t {place}) {{"
                ));
                one(w);
                w.line(format!("threads_.leave_group({t}, {c}, {place} - ({t}.took ? 1 : 0), one);"));
                w.close("}");
            }
        }
        FunctionRole::Part | FunctionRole::Code(_) | FunctionRole::Print => {}
    }
}

fn run(module: &Module<'_>, function: &Function, w: &mut Writer) {
    let name = |local: &str| module.expr(&Expr::local(local), 0);
    w.line(format!("vproto::cursor {} = {};", name("p"), name("first")));
    w.line(format!("const vproto::cursor {} = {} + {};", name("stop"), name("first"), name("size")));
    w.line(format!("vproto::cursor {} = {};", name("end"), name("stop")));
    w.line(format!("const std::uint64_t {} = state_.base;", name("base")));
    w.line(format!("constexpr vproto::cursor {} = nullptr;", name("nowhere")));
    if module.options.with_main && !module.is_sub() {
        w.line(format!("trace_.outer = {};", name("base")));
    }
    if !module.parser.hot_sets.is_empty() {
        let sets: Vec<String> = module.parser.hot_sets.iter().map(|set| format!(", set{set}")).collect();
        let (blocks, first, stop) = (name("blocks"), name("first"), name("stop"));
        w.line(format!("vproto::block<scan_level{}> {blocks}({first}, {stop});", sets.concat()));
    }
    for unused in ["nowhere", "end", "ending"] {
        w.line(format!("static_cast<void>({});", name(unused)));
    }
    locals(module, function, w);
    if !module.parser.shared.is_empty() {
        w.line(format!("work_type {};", name("w")));
        for fixed in ["first", "stop", "base", "ending"] {
            w.line(format!("{0}.{fixed} = {1};", name("w"), name(fixed)));
        }
    }
    w.blank();
    module.stmts(&function.body, w);
}

/// A function that shows a byte to a thread.
fn step(module: &Module<'_>, function: &Function, w: &mut Writer) {
    let t = module.names.local("t");
    for register in ["n", "k", "lo", "hi", "rep"] {
        let name = module.names.local(register);
        w.line(format!("std::uint64_t& {name} = {t}.{register};"));
        w.line(format!("static_cast<void>({name});"));
    }
    locals(module, function, w);
    if module.options.with_main && module.is_sub() {
        let base = module.names.local("base");
        w.line(format!("const std::uint64_t {base} = state_.base;"));
        w.line(format!("static_cast<void>({base});"));
    }
    w.line(format!("static_cast<void>({});", module.names.local("where")));
    w.blank();
    module.stmts(&function.body, w);
}

/// The locals of a function, at its head: jumps must not pass them.
fn locals(module: &Module<'_>, function: &Function, w: &mut Writer) {
    let read = vproto_code::visit::read_locals(&function.body);
    for local in &function.locals {
        let name = module.names.local(&local.name);
        let start = match local.ty {
            Ty::Bool => "false",
            Ty::Cursor => "nullptr",
            Ty::Bytes => "",
            _ => "0",
        };
        if local.count > 0 {
            w.line(format!("unsigned char {name}[{}];", local.count));
        } else {
            w.line(format!("{} {name}{{{start}}};", ty(local.ty, "")));
        }
        if !read.contains(&local.name) {
            w.line(format!("static_cast<void>({name});"));
        }
    }
}

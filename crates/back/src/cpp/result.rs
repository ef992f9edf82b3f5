//! `demoResult`: one member per variable, a do-nothing function per callback.

use super::Module;
use super::print::literal;
use std::collections::BTreeMap;
use vproto_code::writer::Writer;
use vproto_ir::ids::{FunctionId, VarId};
use vproto_ir::machine::{Kind, Op};
use vproto_ir::portable::{CodeKind, Expr, ExprKind, Stmt, Type};
use vproto_ir::symbols::{Role, VarType};

impl Module<'_> {
    /// The type of a variable.
    pub(super) fn var_type(&self, var: VarId) -> String {
        let limits = &self.machine().symbols.limits;
        match self.machine().symbols.vars[var].ty {
            VarType::Int { bits, signed: true } => format!("std::int{bits}_t"),
            VarType::Int { bits, signed: false } => format!("std::uint{bits}_t"),
            VarType::Bool => "bool".to_owned(),
            VarType::Enum { of, .. } => format!("{}::{}", self.names.result, self.names.enumeration(of)),
            VarType::Float { bits: 32 } => "float".to_owned(),
            VarType::Float { .. } => "double".to_owned(),
            VarType::String if self.options.no_heap => format!("vproto::array<{}>", limits.string),
            VarType::String => "std::string".to_owned(),
            VarType::View if self.options.no_heap => format!("vproto::fixed_view<{}>", limits.view),
            VarType::View => "vproto::view".to_owned(),
            VarType::Array { capacity } => format!("vproto::array<{capacity}>"),
            VarType::Module(of) => {
                let inner = &self.all[of.0 as usize];
                if self.options.classic {
                    return inner.alias.clone();
                }
                format!("{}<typename Output::{}_output>", inner.parser, self.names.var(var))
            }
        }
    }

    /// The value of a variable at the start.
    pub(super) fn start_value(&self, var: VarId) -> String {
        let def = &self.machine().symbols.vars[var];
        match (def.ty, def.start) {
            (VarType::Bool, Some(start)) => (start != 0).to_string(),
            (VarType::Enum { .. }, Some(start)) => format!("static_cast<{}>({start}u)", self.var_type(var)),
            (VarType::Int { signed: false, .. }, Some(start)) => format!("{start}u"),
            (VarType::Int { .. }, Some(start)) if start == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
            (_, Some(start)) => start.to_string(),
            _ => String::new(),
        }
    }
}

/// Prints the struct.
pub(super) fn print(module: &Module<'_>, w: &mut Writer) {
    let symbols = &module.machine().symbols;
    w.blank();
    w.line(format!(
        "// What a {} is made of, and what is told on the way; derive from it to listen.",
        module.names.alias
    ));
    w.open(format!("struct {} {{", module.names.result));
    enums(module, w);
    for (id, var) in symbols.vars.iter() {
        match var.ty {
            VarType::Module(_) if module.options.classic => {}
            VarType::Module(of) => {
                let inner = &module.all[of.0 as usize];
                w.line(format!("using {}_output = {};", module.names.var(id), inner.result));
            }
            _ => {
                let start = module.start_value(id);
                w.line(format!("{} {}{{{start}}};", module.var_type(id), module.names.var(id)));
            }
        }
    }
    let calls = calls(module);
    for (id, function) in symbols.functions.iter() {
        w.line(declaration(module, id, function.role, calls.get(&id)));
    }
    w.close("};");
}

fn enums(module: &Module<'_>, w: &mut Writer) {
    let symbols = &module.machine().symbols;
    for (id, of) in symbols.enums.iter() {
        let bits = symbols.vars.iter().find_map(|(_, v)| match v.ty {
            VarType::Enum { of, bits } if of == id => Some(bits),
            _ => None,
        });
        let members: Vec<String> = module
            .names
            .members(id)
            .iter()
            .zip(&of.members)
            .map(|(name, (_, value))| {
                format!("{name} = {value}{}", if *value > 0x7fff_ffff { "u" } else { "" })
            })
            .collect();
        let name = module.names.enumeration(id);
        w.line(format!("enum {name} : std::uint{}_t {{ {} }};", bits.unwrap_or(64), members.join(", ")));
        if module.options.with_main {
            let names: Vec<String> = of
                .members
                .iter()
                .map(|(member, value)| format!("{{{value}u, {}}}", literal(member.as_bytes())))
                .collect();
            w.line(format!("static constexpr vproto::member {name}_names[] = {{{}}};", names.join(", ")));
        }
    }
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// The type that a do-nothing function takes.
    pub declared: String,
    /// The type of what is passed.
    pub passed: String,
    /// The variable that is passed as it is.
    pub name: Option<String>,
}

/// The arguments of one call.
pub(super) type Call = Vec<Argument>;

/// The calls of each function.
pub(super) fn calls(module: &Module<'_>) -> BTreeMap<FunctionId, Vec<Call>> {
    let machine = module.machine();
    let mut found: BTreeMap<FunctionId, Vec<Call>> = BTreeMap::new();
    let mut note = |function: FunctionId, arguments: Vec<&Expr>| {
        let call = arguments.iter().map(|a| argument(module, a)).collect();
        found.entry(function).or_default().push(call);
    };
    let mut expressions: Vec<&Expr> = machine.symbols.exprs.iter().map(|(_, e)| e).collect();
    for state in machine.states.rows().iter().flatten() {
        for action in state.kind.edges().into_iter().flat_map(|e| &e.actions) {
            if let Op::Notify(function, arguments) = &action.op {
                note(*function, arguments.iter().map(|e| &machine.symbols.exprs[*e]).collect());
            }
        }
        let _ = matches!(state.kind, Kind::Ret);
    }
    let mut work: Vec<&Stmt> = Vec::new();
    for (_, code) in machine.symbols.codes.iter() {
        match &code.kind {
            CodeKind::Condition(e) => expressions.push(e),
            CodeKind::Block(block) => work.extend(block),
            CodeKind::Opaque { .. } => {}
        }
    }
    while let Some(stmt) = work.pop() {
        match stmt {
            Stmt::Notify(function, arguments) => note(*function, arguments.iter().collect()),
            Stmt::If(c, a, b) => {
                expressions.push(c);
                work.extend(a.iter().chain(b));
            }
            Stmt::Assign(_, e) | Stmt::Return(Some(e)) => expressions.push(e),
            _ => {}
        }
    }
    while let Some(expr) = expressions.pop() {
        match &expr.kind {
            ExprKind::Call(function, arguments) => {
                note(*function, arguments.iter().collect());
                expressions.extend(arguments);
            }
            ExprKind::Unary(_, a) => expressions.push(a),
            ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => expressions.extend([&**a, &**b]),
            ExprKind::Conditional(c, a, b) => expressions.extend([&**c, &**a, &**b]),
            _ => {}
        }
    }
    found
}

/// The types of arguments that each function is called with; none where calls differ.
pub(super) fn signature(calls: &[Call]) -> Option<Vec<String>> {
    let types = |call: &Call| call.iter().map(|a| a.declared.clone()).collect::<Vec<_>>();
    let first = calls.first().map(types).unwrap_or_default();
    calls.iter().all(|call| types(call) == first).then_some(first)
}

/// The parameters of a callback whose calls differ in number or types.
pub(super) const ANY: &str = "const Arguments&... arguments";

/// The parameters of a callback, as a person writes them.
pub(super) fn parameters(
    module: &Module<'_>,
    id: FunctionId,
    calls: &BTreeMap<FunctionId, Vec<Call>>,
) -> String {
    let stream = module.machine().symbols.functions[id].role == Role::Stream;
    if stream && module.options.classic {
        return "const char* data, unsigned size, bool isFirst, bool isLast".to_owned();
    }
    if stream {
        return "std::string_view bytes, bool first, bool last".to_owned();
    }
    let calls = calls.get(&id).map_or(&[][..], Vec::as_slice);
    if signature(calls).is_none() {
        return ANY.to_owned();
    }
    let first = calls.first().map_or(&[][..], Vec::as_slice);
    let mut taken: Vec<String> = Vec::new();
    for (number, argument) in first.iter().enumerate() {
        let wanted = argument.name.clone().unwrap_or_else(|| format!("value{number}"));
        let free = !taken.iter().any(|text| text.ends_with(&format!(" {wanted}")));
        let name = if free { wanted } else { format!("value{number}") };
        taken.push(format!("{} {name}", argument.declared));
    }
    taken.join(", ")
}

fn argument(module: &Module<'_>, expr: &Expr) -> Argument {
    let lone = |machine: &vproto_ir::machine::Machine, var: VarId, exact: String| {
        let def = &machine.symbols.vars[var];
        let text = matches!(def.ty, VarType::String | VarType::View | VarType::Array { .. });
        let declared = if text { "std::string_view".to_owned() } else { exact.clone() };
        Argument { declared, passed: format!("{exact}&"), name: Some(def.name.clone()) }
    };
    let plain = |ty: &str| Argument { declared: ty.to_owned(), passed: ty.to_owned(), name: None };
    match (&expr.kind, expr.ty) {
        (ExprKind::Var(var), _) => lone(module.machine(), *var, module.var_type(*var)),
        (ExprKind::Member(parser, var), _) => match module.machine().symbols.vars[*parser].ty {
            VarType::Module(inner) => {
                let inner = Module {
                    id: inner,
                    names: &module.all[inner.0 as usize],
                    program: module.program,
                    parser: module.parser,
                    all: module.all,
                    options: module.options,
                };
                lone(inner.machine(), *var, inner.var_type(*var))
            }
            _ => plain("std::int64_t"),
        },
        (_, Type::Text) => plain("std::string_view"),
        (_, Type::Bool) => plain("bool"),
        _ => plain("std::int64_t"),
    }
}

fn declaration(module: &Module<'_>, id: FunctionId, role: Role, calls: Option<&Vec<Call>>) -> String {
    let name = module.names.function(id);
    let signature = calls.map(|calls| signature(calls));
    let types = |known: &Option<Vec<String>>| known.clone().unwrap_or_default().join(", ");
    let one = match &signature {
        Some(Some(_)) | None => true,
        Some(None) => false,
    };
    let types = signature.as_ref().map(types).unwrap_or_default();
    if module.options.classic {
        return match role {
            Role::Stream => {
                format!("void {name}(const char* data, unsigned size, bool isFirst, bool isLast);")
            }
            Role::Notify if one => format!("void {name}({types});"),
            Role::Notify => {
                format!("template <class... Arguments> void {name}(const Arguments&... arguments);")
            }
            Role::Value => format!("std::int64_t {name}({types});"),
        };
    }
    match role {
        Role::Stream => {
            format!("void {name}(std::string_view /*bytes*/, bool /*first*/, bool /*last*/) {{}}")
        }
        Role::Notify if one => format!("void {name}({types}) {{}}"),
        Role::Notify => {
            format!(
                "template <class... Arguments> vproto::unheard {name}(const Arguments&...) {{ return {{}}; }}"
            )
        }
        Role::Value => {
            format!("template <class... Arguments> std::int64_t {name}(const Arguments&...) {{ return 0; }}")
        }
    }
}

//! The C++ names of one module: those of the description, with a suffix only on a clash.

use super::keywords::{KEYWORDS, MEMBERS, is_numbered_member};
use vproto_code::names::Namer;
use vproto_ir::ids::{EnumId, FunctionId, Id, VarId};
use vproto_ir::machine::Machine;

/// The names of one module.
#[derive(Clone, Debug)]
pub struct Names {
    /// `demoResult`.
    pub result: String,
    /// `demo_parser`.
    pub parser: String,
    /// `demo`.
    pub alias: String,
    /// `demo_state`.
    pub state: String,
    vars: Vec<String>,
    functions: Vec<String>,
    enums: Vec<String>,
    members: Vec<Vec<String>>,
    reserved: Vec<String>,
}

impl Names {
    /// Names of a module; `scope` has those of the namespace.
    pub fn new(machine: &Machine, scope: &mut Namer) -> Names {
        let alias = scope.name(&machine.name);
        let result = scope.name(&format!("{alias}Result"));
        let parser = scope.name(&format!("{alias}_parser"));
        let state = scope.name(&format!("{alias}_state"));
        let own = [result.as_str(), parser.as_str(), alias.as_str(), state.as_str()];
        let symbols = &machine.symbols;
        let vars = symbols.vars.iter().map(|(_, v)| v.name.as_str());
        let functions = symbols.functions.iter().map(|(_, f)| f.name.as_str());
        let members = symbols.enums.iter().flat_map(|(_, e)| e.members.iter().map(|(name, _)| name.as_str()));
        let numbered = vars.chain(functions).chain(members).filter(|name| is_numbered_member(name));
        let reserved: Vec<&str> =
            KEYWORDS.iter().chain(MEMBERS).copied().chain(own).chain(numbered).collect();
        let mut namer = Namer::new(&reserved);
        let vars: Vec<String> = symbols.vars.iter().map(|(_, v)| namer.name(&v.name)).collect();
        let functions: Vec<String> = symbols.functions.iter().map(|(_, f)| namer.name(&f.name)).collect();
        let enums = symbols.enums.iter().map(|(_, e)| namer.name(&format!("{}_type", e.name))).collect();
        let members = symbols
            .enums
            .iter()
            .map(|(_, e)| e.members.iter().map(|(name, _)| namer.name(name)).collect())
            .collect();
        let reserved = vars.iter().chain(&functions).cloned().collect();
        Names { result, parser, alias, state, vars, functions, enums, members, reserved }
    }

    /// A variable.
    pub fn var(&self, var: VarId) -> &str {
        self.vars.get(var.index()).map_or("", String::as_str)
    }

    /// A function of the user.
    pub fn function(&self, function: FunctionId) -> &str {
        self.functions.get(function.index()).map_or("", String::as_str)
    }

    /// An enum type.
    pub fn enumeration(&self, of: EnumId) -> &str {
        self.enums.get(of.index()).map_or("", String::as_str)
    }

    /// The members of an enum type.
    pub fn members(&self, of: EnumId) -> &[String] {
        self.members.get(of.index()).map_or(&[], Vec::as_slice)
    }

    /// A local of a function: it must not hide a member.
    pub fn local(&self, name: &str) -> String {
        let (object, rest) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        if self.reserved.iter().any(|r| r == object) {
            format!("{object}_here{rest}")
        } else {
            name.to_owned()
        }
    }
}

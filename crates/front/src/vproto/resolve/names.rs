//! The names of a module while it is resolved: variables, constants, functions, enums.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use vproto_ir::ids::{EnumId, FunctionId, Id, VarId};
use vproto_ir::symbols::{Enum, Function, Role, Symbols, Var};
use vproto_source::Span;

/// Everything that code can name.
#[derive(Debug, Default)]
pub struct Names {
    /// Variables, enums, expressions, code blocks, limits; functions are added at the end.
    pub symbols: Symbols,
    vars: FxHashMap<String, VarId>,
    /// Variables whose type is unknown because of an error that was reported.
    broken: FxHashSet<VarId>,
    /// `@const` values with their places.
    pub consts: IndexMap<String, (i64, Span)>,
    members: IndexMap<String, Vec<EnumId>>,
    /// Enum types by their members.
    enum_ids: FxHashMap<Vec<(String, u64)>, EnumId>,
    /// The index of each member of each enum.
    member_indices: Vec<FxHashMap<String, u32>>,
    functions: Vec<Function>,
    function_ids: FxHashMap<(String, Role), FunctionId>,
}

impl Names {
    /// The variable of a name.
    pub fn var(&self, name: &str) -> Option<VarId> {
        self.vars.get(name).copied()
    }

    /// Adds a variable.
    pub fn add_var(&mut self, var: Var) -> VarId {
        let name = var.name.clone();
        let id = self.symbols.vars.push(var);
        self.vars.insert(name, id);
        id
    }

    /// Notes that the type of a variable is unknown, because of an error that was reported.
    pub fn set_broken(&mut self, var: VarId) {
        self.broken.insert(var);
    }

    /// Whether the type of a variable is unknown: what follows from it is not reported.
    pub fn is_broken(&self, var: VarId) -> bool {
        self.broken.contains(&var)
    }

    /// The enum type with these members; one type serves all variables with equal lists.
    pub fn enum_type(&mut self, name: &str, members: Vec<(String, u64)>, span: Span) -> EnumId {
        let id = self.foreign_enum(name, members, span);
        for (member, _) in &self.symbols.enums[id].members {
            let owners = self.members.entry(member.clone()).or_default();
            if !owners.contains(&id) {
                owners.push(id);
            }
        }
        id
    }

    /// As [`Names::enum_type`] for an enum of another module: its members mean something only beside it.
    pub fn foreign_enum(&mut self, name: &str, members: Vec<(String, u64)>, span: Span) -> EnumId {
        if let Some(&id) = self.enum_ids.get(&members) {
            return id;
        }
        let indices = members.iter().enumerate().map(|(i, (member, _))| (member.clone(), i as u32)).collect();
        self.member_indices.push(indices);
        let id = self.symbols.enums.push(Enum { name: name.to_string(), members: members.clone(), span });
        self.enum_ids.insert(members, id);
        id
    }

    /// The enums that have a member of this name.
    pub fn enums_with(&self, member: &str) -> &[EnumId] {
        self.members.get(member).map_or(&[], Vec::as_slice)
    }

    /// The index of a member.
    pub fn member(&self, of: EnumId, name: &str) -> Option<u32> {
        self.member_indices[of.index()].get(name).copied()
    }

    /// The function of a name in a role, added where it is new.
    pub fn function(&mut self, name: &str, role: Role, span: Span) -> FunctionId {
        let key = (name.to_string(), role);
        if let Some(&id) = self.function_ids.get(&key) {
            return id;
        }
        let id = FunctionId::from_index(self.functions.len());
        self.functions.push(Function { name: name.to_string(), role, span });
        self.function_ids.insert(key, id);
        id
    }

    /// All functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The number of functions, for [`Names::forget_functions`].
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// Forgets the functions that were added since there were `count`: what named them turned out to be opaque.
    pub fn forget_functions(&mut self, count: usize) {
        for function in self.functions.drain(count.min(self.functions.len())..) {
            self.function_ids.remove(&(function.name, function.role));
        }
    }

    /// All names that an expression may use, for "did you mean".
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let vars = self.symbols.vars.iter().map(|(_, v)| v.name.as_str());
        let consts = self.consts.keys().map(String::as_str);
        let members = self.members.keys().map(String::as_str);
        vars.chain(consts).chain(members).chain(["offset", "left"])
    }

    /// The symbols, functions included.
    pub fn finish(mut self) -> Symbols {
        self.symbols.functions = self.functions.into_iter().collect();
        self.symbols
    }
}

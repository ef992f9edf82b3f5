//! How ids are written as names, and names found again.

use crate::byteset::ByteSet;
use crate::ids::{EnumId, FunctionId, ModuleId, Table, VarId};
use crate::machine::Machine;
use crate::portable::{BinaryOp, Expr, ExprKind, Type};
use crate::symbols::{Symbols, VarType};

/// The symbols that a text speaks of: the module's own, and those of the modules it uses.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Of the module itself.
    pub symbols: &'a Symbols,
    /// Machines of other modules, as far as they are known.
    pub modules: Option<&'a Table<ModuleId, Machine>>,
}

impl<'a> Names<'a> {
    /// The name of a variable, or its number where the name is not known or not its own.
    pub fn var(&self, id: VarId) -> String {
        match self.symbols.vars.get(id) {
            Some(var) if self.symbols.var(&var.name) == Some(id) => var.name.clone(),
            _ => format!("#{}", id.0),
        }
    }

    /// The symbols of the module that a variable holds.
    pub fn module_of(&self, var: VarId) -> Option<&'a Symbols> {
        match self.symbols.vars.get(var)?.ty {
            VarType::Module(module) => Some(&self.modules?.get(module)?.symbols),
            _ => None,
        }
    }

    /// The name of a variable of the module that `var` holds.
    pub fn member(&self, var: VarId, member: VarId) -> String {
        match self.module_of(var) {
            Some(symbols) => Names { symbols, modules: None }.var(member),
            None => format!("#{}", member.0),
        }
    }

    /// The name of a function.
    pub fn function(&self, id: FunctionId) -> String {
        match self.symbols.functions.get(id) {
            Some(f) if self.find_function(&f.name) == Some(id) => f.name.clone(),
            _ => format!("#{}", id.0),
        }
    }

    /// The function of a name.
    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        self.symbols.functions.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// The member of an enum in an expression: `type.member`, or both numbers.
    pub fn enum_member(&self, id: EnumId, index: u32) -> String {
        let named = self.symbols.enums.get(id).and_then(|e| Some((e, e.members.get(index as usize)?)));
        if let Some((of, (member, _))) = named
            && self.find_enum(&of.name) == Some(id)
            && find_member(of, member) == Some(index)
        {
            return format!("{}.{}", of.name, member);
        }
        format!("#{}.{}", id.0, index)
    }

    /// The enum of a name.
    pub fn find_enum(&self, name: &str) -> Option<EnumId> {
        self.symbols.enums.iter().find(|(_, e)| e.name == name).map(|(id, _)| id)
    }

    /// The value that an enum variable is set to: its member, or the number.
    pub fn enum_value(&self, var: VarId, value: u64) -> String {
        let of = match self.symbols.vars.get(var).map(|v| v.ty) {
            Some(VarType::Enum { of, .. }) => self.symbols.enums.get(of),
            _ => None,
        };
        let first = |e: &crate::symbols::Enum| {
            let name = e.member(value)?.to_string();
            (e.members.iter().find(|(n, _)| *n == name)?.1 == value).then_some(name)
        };
        of.and_then(first).unwrap_or_else(|| value.to_string())
    }

    /// The type that the parser gives to an operation; the printer marks those that have another one.
    pub fn type_of(&self, kind: &ExprKind) -> Type {
        match kind {
            ExprKind::Int(_) | ExprKind::Offset | ExprKind::Left => Type::Int,
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Text(_) | ExprKind::Concat(..) => Type::Text,
            ExprKind::Var(var) => self.symbols.vars.get(*var).map_or(Type::Int, |v| type_of_var(v.ty)),
            ExprKind::Member(var, member) => {
                let ty = self.module_of(*var).and_then(|s| s.vars.get(*member)).map(|v| v.ty);
                ty.map_or(Type::Int, type_of_var)
            }
            ExprKind::EnumMember(id, _) => Type::Enum(*id),
            ExprKind::Unary(op, _) => match op {
                crate::portable::UnaryOp::Not => Type::Bool,
                _ => Type::Int,
            },
            ExprKind::Binary(op, ..) => type_of_binary(*op),
            ExprKind::Conditional(_, a, b) => type_of_choice(a, b),
            ExprKind::Query(query, _) => match query {
                crate::portable::TextQuery::Size => Type::Int,
                _ => Type::Bool,
            },
            ExprKind::Call(..) => Type::Opaque,
        }
    }
}

/// The index of the first member of a name.
pub fn find_member(of: &crate::symbols::Enum, name: &str) -> Option<u32> {
    of.members.iter().position(|(n, _)| n == name).and_then(|i| u32::try_from(i).ok())
}

fn type_of_choice(a: &Expr, b: &Expr) -> Type {
    if a.ty == b.ty { a.ty } else { Type::Int }
}

fn type_of_binary(op: BinaryOp) -> Type {
    match op {
        BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::And
        | BinaryOp::Or => Type::Bool,
        _ => Type::Int,
    }
}

/// The type of an expression that is a variable of this type.
fn type_of_var(ty: VarType) -> Type {
    match ty {
        VarType::Int { .. } => Type::Int,
        VarType::Bool => Type::Bool,
        VarType::Enum { of, .. } => Type::Enum(of),
        VarType::Float { .. } => Type::Float,
        VarType::String | VarType::View | VarType::Array { .. } => Type::Text,
        VarType::Module(_) => Type::Opaque,
    }
}

/// A text in double quotes; bytes outside of ASCII as `\xhh`.
pub fn quote(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x20..=0x7e => text.push(byte as char),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('"');
    text
}

/// A set as the language writes it; `[*]` is every byte, a blank is `\x20`.
pub fn set(set: &ByteSet) -> String {
    if set.is_all() {
        return "[*]".to_string();
    }
    if *set == ByteSet::byte(b'*') {
        return "[\\*]".to_string();
    }
    set.to_string().replace(' ', "\\x20")
}

//! The values of a module's variables.
//!
//! Invariant: every slot holds what its variable's type can hold; callers check ranges before they write.
//! Sub-parsers have an empty slot here: their state is kept by the interpreter that runs them.

use crate::trace::Value;
use vproto_ir::ids::{Id, VarId};
use vproto_ir::symbols::{Symbols, Var, VarType};

/// One value per variable of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    slots: Vec<Slot>,
}

/// The value of one variable.
#[derive(Clone, Debug, PartialEq)]
enum Slot {
    /// An integer, a boolean (0, 1) or an enum's number.
    Scalar(i128),
    /// A float.
    F32(f32),
    /// A float.
    F64(f64),
    /// The bytes of a string, view or array.
    Text(Vec<u8>),
    /// A sub-parser.
    Module,
}

/// A value as it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Read<'a> {
    /// An integer, a boolean (0, 1) or an enum's number.
    Scalar(i128),
    /// A float.
    F32(f32),
    /// A float.
    F64(f64),
    /// The bytes of a string, view or array; none of a sub-parser.
    Text(&'a [u8]),
}

impl Store {
    /// All variables at their start values.
    pub fn new(symbols: &Symbols) -> Store {
        Store { slots: symbols.vars.iter().map(|(_, var)| Slot::start(var)).collect() }
    }

    /// The value of a variable.
    pub fn read(&self, var: VarId) -> Read<'_> {
        match &self.slots[var.index()] {
            Slot::Scalar(value) => Read::Scalar(*value),
            Slot::F32(value) => Read::F32(*value),
            Slot::F64(value) => Read::F64(*value),
            Slot::Text(bytes) => Read::Text(bytes),
            Slot::Module => Read::Text(&[]),
        }
    }

    /// The number of an integer, a boolean or an enum; 0 of others.
    pub fn scalar(&self, var: VarId) -> i128 {
        match self.read(var) {
            Read::Scalar(value) => value,
            _ => 0,
        }
    }

    /// The bytes of a string, view or array; none of others.
    pub fn text(&self, var: VarId) -> &[u8] {
        match self.read(var) {
            Read::Text(bytes) => bytes,
            _ => &[],
        }
    }

    /// Stores a number that fits.
    pub fn set_scalar(&mut self, var: VarId, value: i128) {
        self.slots[var.index()] = Slot::Scalar(value);
    }

    /// Stores a float of 32 bits.
    pub fn set_f32(&mut self, var: VarId, value: f32) {
        self.slots[var.index()] = Slot::F32(value);
    }

    /// Stores a float of 64 bits.
    pub fn set_f64(&mut self, var: VarId, value: f64) {
        self.slots[var.index()] = Slot::F64(value);
    }

    /// Stores bytes.
    pub fn set_text(&mut self, var: VarId, bytes: Vec<u8>) {
        self.slots[var.index()] = Slot::Text(bytes);
    }

    /// Appends bytes.
    pub fn append_text(&mut self, var: VarId, bytes: &[u8]) {
        if let Slot::Text(text) = &mut self.slots[var.index()] {
            text.extend_from_slice(bytes);
        }
    }

    /// Exchanges the values of two variables of one type.
    pub fn swap(&mut self, a: VarId, b: VarId) {
        self.slots.swap(a.index(), b.index());
    }

    /// What a token that stores into the variable leaves where it stores nothing: the type's zero.
    pub fn initialise(&mut self, symbols: &Symbols, var: VarId) {
        self.slots[var.index()] = Slot::zero(symbols.vars[var].ty);
    }

    /// All variables with their values; those of modules, which have none, are left out.
    pub fn all(&self, symbols: &Symbols) -> Vec<(String, Value)> {
        let plain = symbols.vars.iter().filter(|(_, var)| !matches!(var.ty, VarType::Module(_)));
        plain.map(|(id, var)| (var.name.clone(), self.value(symbols, id))).collect()
    }

    /// The value as the trace shows it.
    pub fn value(&self, symbols: &Symbols, var: VarId) -> Value {
        value(self.read(var), symbols, var)
    }

    /// Sets a variable from the text of `--set name=value`.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn set(&mut self, symbols: &Symbols, name: &str, text: &str) -> Result<(), String> {
        let var = symbols.var(name).ok_or_else(|| format!("there is no variable `{name}`"))?;
        let ty = symbols.vars[var].ty;
        let refused = || format!("`{text}` is no value of the variable `{name}`");
        let slot = match ty {
            VarType::Module(_) => return Err(format!("`{name}` is a sub-parser and has no value")),
            VarType::String | VarType::View => Slot::Text(text.as_bytes().to_vec()),
            VarType::Array { capacity } if text.len() <= capacity as usize => {
                Slot::Text(text.as_bytes().to_vec())
            }
            VarType::Array { .. } => return Err(refused()),
            VarType::Float { bits: 32 } => Slot::F32(text.parse().map_err(|_| refused())?),
            VarType::Float { .. } => Slot::F64(text.parse().map_err(|_| refused())?),
            _ => Slot::Scalar(parse_scalar(symbols, ty, text).ok_or_else(refused)?),
        };
        if text.len() > limit(symbols, ty) {
            return Err(format!("the value is longer than the limit of `{name}`"));
        }
        self.slots[var.index()] = slot;
        Ok(())
    }
}

impl Slot {
    fn start(var: &Var) -> Slot {
        match (Slot::zero(var.ty), var.start) {
            (Slot::Scalar(_), Some(start)) => Slot::Scalar(start),
            (zero, _) => zero,
        }
    }

    fn zero(ty: VarType) -> Slot {
        match ty {
            VarType::Int { .. } | VarType::Bool | VarType::Enum { .. } => Slot::Scalar(0),
            VarType::Float { bits: 32 } => Slot::F32(0.0),
            VarType::Float { .. } => Slot::F64(0.0),
            VarType::String | VarType::View | VarType::Array { .. } => Slot::Text(Vec::new()),
            VarType::Module(_) => Slot::Module,
        }
    }
}

/// The greatest number of bytes that a variable may hold.
pub fn limit(symbols: &Symbols, ty: VarType) -> usize {
    match ty {
        VarType::String => symbols.limits.string as usize,
        VarType::View => symbols.limits.view as usize,
        VarType::Array { capacity } => capacity as usize,
        _ => usize::MAX,
    }
}

/// What is read of a variable, as the trace shows it.
pub fn value(read: Read<'_>, symbols: &Symbols, var: VarId) -> Value {
    match (read, symbols.vars[var].ty) {
        (Read::Scalar(number), VarType::Bool) => Value::Bool(number != 0),
        (Read::Scalar(number), VarType::Enum { of, .. }) => {
            let member = u64::try_from(number).ok().and_then(|n| symbols.enums[of].member(n));
            member.map_or(Value::Int(number), |name| Value::Member(name.to_owned()))
        }
        (Read::Scalar(number), _) => Value::Int(number),
        (Read::F32(value), _) => Value::F32(value),
        (Read::F64(value), _) => Value::F64(value),
        (Read::Text(bytes), _) => Value::Bytes(bytes.to_vec()),
    }
}

fn parse_scalar(symbols: &Symbols, ty: VarType, text: &str) -> Option<i128> {
    let named = match ty {
        VarType::Enum { of, .. } => symbols.enums[of]
            .members
            .iter()
            .find(|(name, _)| name == text)
            .map(|(_, value)| i128::from(*value)),
        VarType::Bool => match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        },
        _ => None,
    };
    let number = named.or_else(|| parse_number(text))?;
    let (least, greatest) = ty.range()?;
    (least..=greatest).contains(&number).then_some(number)
}

fn parse_number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -i128::from(magnitude) } else { i128::from(magnitude) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vproto_ir::symbols::Enum;
    use vproto_source::Span;

    fn symbols() -> Symbols {
        let mut symbols = Symbols::default();
        let members = vec![("get".to_owned(), 0), ("post".to_owned(), 1)];
        let of = symbols.enums.push(Enum { name: "kind".into(), members, span: Span::default() });
        let types = [
            ("n", VarType::Int { bits: 8, signed: true }, Some(-3)),
            ("b", VarType::Bool, None),
            ("k", VarType::Enum { of, bits: 8 }, None),
            ("s", VarType::String, None),
            ("a", VarType::Array { capacity: 2 }, None),
        ];
        for (name, ty, start) in types {
            symbols.vars.push(Var { name: name.into(), ty, start, span: Span::default() });
        }
        symbols
    }

    #[test]
    fn values_are_set_from_text() {
        let symbols = symbols();
        let mut store = Store::new(&symbols);
        assert_eq!(store.scalar(VarId(0)), -3);
        assert_eq!(store.set(&symbols, "n", "-0x80"), Ok(()));
        assert!(store.set(&symbols, "n", "128").is_err());
        assert_eq!(store.set(&symbols, "b", "true"), Ok(()));
        assert_eq!(store.set(&symbols, "k", "post"), Ok(()));
        assert_eq!(store.set(&symbols, "s", "abc"), Ok(()));
        assert!(store.set(&symbols, "a", "abc").is_err());
        assert!(store.set(&symbols, "x", "1").is_err());
        let values: Vec<Value> = (0..4).map(|i| store.value(&symbols, VarId(i))).collect();
        let text = Value::Bytes(b"abc".to_vec());
        assert_eq!(values, [Value::Int(-128), Value::Bool(true), Value::Member("post".into()), text]);
    }
}

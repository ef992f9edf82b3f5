//! Types of variables that several tokens store to: the widest one, or a clash.

use vproto_ir::ids::{EnumId, ModuleId};
use vproto_ir::symbols::VarType;

/// What one token says of its variable's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Captured {
    /// An integer.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Two's complement.
        signed: bool,
    },
    /// A bit field of one bit, which is an integer or a truth value.
    Bit,
    /// A truth value.
    Bool,
    /// A member of an enum, or a number of that many bits.
    Enum(EnumId, u8),
    /// A float.
    Float(u8),
    /// An owned string.
    String,
    /// A view.
    View,
    /// A buffer; its capacity where this token gives one.
    Array(Option<u32>),
    /// A module.
    Module(ModuleId),
    /// Unknown because of an error that was reported.
    Unknown,
}

impl Captured {
    /// An integer with room for that many bits.
    pub fn int(bits: u8, signed: bool) -> Captured {
        Captured::Int { bits: storage(bits), signed }
    }

    /// The type that serves both; none where they clash.
    pub fn widest(self, other: Captured) -> Option<Captured> {
        use Captured::{Array, Bit, Bool, Enum, Int, Unknown};
        Some(match (self, other) {
            (a, b) if a == b => a,
            (Unknown, known) | (known, Unknown) => known,
            (Bit, Bool) | (Bool, Bit) => Bool,
            (Bit, other) | (other, Bit) => return Captured::int(1, false).widest(other),
            (Int { bits: a, signed: s }, Int { bits: b, signed: t }) if s == t => {
                Int { bits: a.max(b), signed: s }
            }
            (Int { bits: a, signed: s }, Int { bits: b, .. }) => {
                let (signed, unsigned) = if s { (a, b) } else { (b, a) };
                let bits = signed.max(unsigned.checked_mul(2)?);
                return (bits <= 64).then_some(Int { bits, signed: true });
            }
            (Enum(of, a), Int { bits: b, signed: false }) | (Int { bits: b, signed: false }, Enum(of, a)) => {
                Enum(of, a.max(b))
            }
            (Enum(of, a), Enum(same, b)) if of == same => Enum(of, a.max(b)),
            (Array(a), Array(b)) => Array(a.max(b)),
            _ => return None,
        })
    }

    /// The type of the variable; none of an array without capacity and where it is unknown.
    pub fn var_type(self) -> Option<VarType> {
        Some(match self {
            Captured::Int { bits, signed } => VarType::Int { bits, signed },
            Captured::Bit => VarType::Int { bits: 8, signed: false },
            Captured::Bool => VarType::Bool,
            Captured::Enum(of, bits) => VarType::Enum { of, bits },
            Captured::Float(bits) => VarType::Float { bits },
            Captured::String => VarType::String,
            Captured::View => VarType::View,
            Captured::Array(capacity) => VarType::Array { capacity: capacity? },
            Captured::Module(module) => VarType::Module(module),
            Captured::Unknown => return None,
        })
    }

    /// Its name for messages.
    pub fn describe(self) -> String {
        match self {
            Captured::Int { bits, signed: false } => format!("an unsigned integer of {bits} bits"),
            Captured::Int { bits, signed: true } => format!("a signed integer of {bits} bits"),
            Captured::Bit => "a bit".to_string(),
            Captured::Bool => "a truth value".to_string(),
            Captured::Enum(..) => "an enum".to_string(),
            Captured::Float(bits) => format!("a float of {bits} bits"),
            Captured::String => "a string".to_string(),
            Captured::View => "a string_view".to_string(),
            Captured::Array(_) => "an array".to_string(),
            Captured::Module(_) => "a module".to_string(),
            Captured::Unknown => "unknown".to_string(),
        }
    }
}

/// The width that holds so many bits: 8, 16, 32 or 64.
pub fn storage(bits: u8) -> u8 {
    bits.max(8).next_power_of_two().min(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_integer_wins() {
        let (u8s, u16s, i8s, i64s) = (
            Captured::int(8, false),
            Captured::int(12, false),
            Captured::int(8, true),
            Captured::int(64, true),
        );
        assert_eq!(u8s.widest(u16s), Some(Captured::int(16, false)));
        assert_eq!(u8s.widest(i8s), Some(Captured::int(16, true)));
        assert_eq!(Captured::int(64, false).widest(i64s), None);
        assert_eq!(Captured::Bit.widest(Captured::Bool), Some(Captured::Bool));
        assert_eq!(Captured::Bit.widest(i8s), Some(Captured::int(16, true)));
        assert_eq!(Captured::Bool.widest(u8s), None);
        assert_eq!(Captured::String.widest(u8s), None);
        assert_eq!(Captured::String.widest(Captured::View), None);
        assert_eq!(Captured::Array(Some(4)).widest(Captured::Array(None)), Some(Captured::Array(Some(4))));
        assert_eq!(storage(24), 32);
        assert_eq!(storage(1), 8);
    }
}

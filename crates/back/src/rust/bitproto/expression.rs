//! Expressions with their binding strength, so that parentheses stand only where they are wanted.

/// How strongly the outermost operator binds, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    And,
    Shift,
    Cast,
    Atom,
}

/// An expression of an unsigned integer type.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    text: String,
    strength: Strength,
    /// Bits of its type.
    bits: u32,
}

impl Expression {
    /// A name, a call, a place or a literal.
    pub(super) fn atom(text: impl Into<String>, bits: u32) -> Expression {
        Expression { text: text.into(), strength: Strength::Atom, bits }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Bits of the type.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    fn operand(&self, least: Strength) -> String {
        if self.strength >= least { self.text.clone() } else { format!("({})", self.text) }
    }

    /// Cast to a type that is not its own.
    pub(super) fn cast(&self, ty: &str, bits: u32) -> Expression {
        let text = format!("{} as {ty}", self.operand(Strength::Cast));
        Expression { text, strength: Strength::Cast, bits }
    }

    /// The unsigned type of so many bits: wider by `from`, smaller by a cast.
    pub(super) fn to_unsigned(&self, bits: u32) -> Expression {
        match bits {
            _ if bits == self.bits => self.clone(),
            _ if bits > self.bits => Expression::atom(format!("u{bits}::from({})", self.text), bits),
            _ => self.cast(&format!("u{bits}"), bits),
        }
    }

    /// Shifted to the left, to the right if negative.
    pub(super) fn shifted(&self, by: i32) -> Expression {
        let operator = match by {
            0 => return self.clone(),
            1.. => "<<",
            _ => ">>",
        };
        let text = format!("{} {operator} {}", self.operand(Strength::Atom), by.unsigned_abs());
        Expression { text, strength: Strength::Shift, bits: self.bits }
    }

    /// The lowest bits alone.
    pub(super) fn masked(&self, bits: u32) -> Expression {
        let operand =
            if self.strength == Strength::Shift { format!("({})", self.text) } else { self.text.clone() };
        let text = format!("{operand} & {}", literal(u64::MAX >> (64 - bits.clamp(1, 64))));
        Expression { text, strength: Strength::And, bits: self.bits }
    }
}

/// A number; large ones in hexadecimal.
pub(super) fn literal(value: u64) -> String {
    if value < 10 { value.to_string() } else { format!("{value:#x}") }
}

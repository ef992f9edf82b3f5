//! Fields that can be read and written in encoded bytes, without decoding the rest.
//!
//! A leaf has an accessor if its place does not depend on what the writer's version was: everything before the first
//! part of varying size, and what follows in a marked message up to its own first varying part. What an older version
//! did not write reads as zero, by the [`Guard`]s. Elements of arrays are reached by indices.

use super::schema::{Array, MessageId, Schema, Type};

/// Most accessors of one message; what lies behind is decoded.
const MOST: usize = 1024;

/// A leaf at a known place.
#[derive(Clone, Debug)]
pub struct Accessor {
    /// Names of the fields on the way, outermost first.
    pub path: Vec<String>,
    /// First bit of the element with all indices 0.
    pub at: u32,
    /// Number of bits.
    pub bits: u32,
    /// The type as written; a leaf, maybe behind an alias.
    pub ty: Type,
    /// Indices, outermost first.
    pub dimensions: Vec<Dimension>,
    /// What has to hold lest the value be zero; to be tested in this order.
    pub guards: Vec<Guard>,
}

/// An index of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Number of elements.
    pub capacity: u32,
    /// Bits from one element to the next.
    pub stride: u32,
}

/// A test of a mark, 16 bits at a bit of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The mark has to be at least `size`.
    Size {
        /// The mark's first bit.
        at: u32,
        /// Bits of the message from its mark to the end of the leaf, all indices at their largest.
        size: u32,
    },
    /// The index of this number has to be below the mark.
    Count {
        /// The mark's first bit.
        at: u32,
        /// The index.
        dimension: usize,
    },
}

/// The accessors of a message, in wire order.
pub fn accessors(schema: &Schema, id: MessageId) -> Vec<Accessor> {
    let mut walker =
        Walker { schema, found: Vec::new(), path: Vec::new(), dimensions: Vec::new(), guards: Vec::new() };
    walker.message(id, 0);
    walker.found
}

/// A guard while its message or array is walked.
#[derive(Clone, Copy)]
enum Open {
    Message(u32),
    Array(u32, usize),
}

struct Walker<'a> {
    schema: &'a Schema,
    found: Vec<Accessor>,
    path: Vec<String>,
    dimensions: Vec<Dimension>,
    guards: Vec<Open>,
}

impl Walker<'_> {
    /// Walks the fields up to and into the first one of varying size.
    fn message(&mut self, id: MessageId, start: u32) {
        let schema = self.schema;
        let message = schema.message(id);
        let mut at = start;
        if message.marked {
            self.guards.push(Open::Message(start));
            at += 16;
        }
        for field in &message.fields {
            let bits = schema.bits(&field.ty) as u32;
            if bits > 0 && self.found.len() < MOST {
                self.path.push(field.name.clone());
                self.value(&field.ty, at);
                self.path.pop();
            }
            if schema.has_marks(&field.ty) {
                break;
            }
            at += bits;
        }
        if message.marked {
            self.guards.pop();
        }
    }

    fn value(&mut self, ty: &Type, at: u32) {
        let schema = self.schema;
        match schema.strip(ty) {
            Type::Message(id) => self.message(*id, at),
            Type::Array(array) => self.array(array, at),
            // Extensions have none.
            Type::Float(_) | Type::Char => {}
            _ => self.leaf(ty, at),
        }
    }

    fn array(&mut self, array: &Array, at: u32) {
        if self.schema.has_marks(&array.element) {
            return;
        }
        if array.marked {
            self.guards.push(Open::Array(at, self.dimensions.len()));
        }
        let stride = self.schema.bits(&array.element) as u32;
        self.dimensions.push(Dimension { capacity: array.capacity, stride });
        self.value(&array.element, at + if array.marked { 16 } else { 0 });
        self.dimensions.pop();
        if array.marked {
            self.guards.pop();
        }
    }

    fn leaf(&mut self, ty: &Type, at: u32) {
        let bits = self.schema.bits(ty) as u32;
        let furthest: u32 = self.dimensions.iter().map(|d| (d.capacity - 1) * d.stride).sum();
        let guard = |open: &Open| match *open {
            Open::Message(mark) => Guard::Size { at: mark, size: at + furthest + bits - mark },
            Open::Array(mark, dimension) => Guard::Count { at: mark, dimension },
        };
        let guards = self.guards.iter().map(guard).collect();
        let (path, dimensions) = (self.path.clone(), self.dimensions.clone());
        self.found.push(Accessor { path, at, bits, ty: ty.clone(), dimensions, guards });
    }
}

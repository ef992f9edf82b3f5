//! The wire plan: each message as a list of bit ranges and loops, with everything static computed.
//!
//! A plan knows no language and no word size. It describes the layout that a writer of this very schema produces;
//! that is all there is for encoding, and for decoding as long as every mark on the wire holds its own value
//! ([`MessagePlan::has_marks`] says whether that has to be looked at; [`marks`] is the plan of that look). What other
//! versions wrote is read by walking the types, see [`super::naive`].
//!
//! # Invariants
//! - Steps follow each other without gap: each begins at the bit where the one before ends. Parts of no bits (empty
//!   messages) have no steps.
//! - Positions (`at`) are bits from the *base*: the message's first byte at the top, in the body of a [`Loop`] the
//!   byte `at / 8 + iteration * stride` of the enclosing base. A body therefore begins at bit `at % 8`, and since
//!   the stride is whole bytes, at the same bit in each iteration.
//! - A [`struct@Copy`] begins at a byte. A piece has 1 to 64 bits.
//! - The number of steps of a message is bounded by its fields, [`Limits`] and the nesting of arrays, never by
//!   capacities: arrays loop, big nested messages are [`Call`]s of their own plans.

use super::schema::{Array, EnumId, MessageId, Schema, Type};

/// Where loops and calls begin.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// An array of at most this many pieces is written out.
    pub unroll: usize,
    /// A nested message of at most this many pieces is put in place.
    pub inline: usize,
    /// A loop's body has at most this many pieces, if the bits allow.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { unroll: 32, inline: 128, body: 16 }
    }
}

/// The plans of all messages.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By [`MessageId`].
    pub messages: Vec<MessagePlan>,
}

/// The plan of one message.
#[derive(Clone, Debug, Default)]
pub struct MessagePlan {
    /// Size in bits.
    pub bits: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Whether decoding has to look at marks first.
    pub has_marks: bool,
    /// The layout.
    pub steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub enum Step {
    /// Up to 64 bits of one source.
    Piece(Piece),
    /// Array elements with the same layout again and again.
    Loop(Loop),
    /// Whole elements of 8, 16, 32 or 64 bits that begin at a byte.
    Copy(Copy),
    /// A nested message by its own plan, at any bit.
    Call(Call),
}

/// Up to 64 bits of one source.
#[derive(Clone, Debug)]
pub struct Piece {
    /// First bit, from the base.
    pub at: u32,
    /// Number of bits, 1 to 64.
    pub bits: u32,
    /// What they hold.
    pub source: Source,
}

/// What the bits of a piece hold.
#[derive(Clone, Debug)]
pub enum Source {
    /// One value.
    Leaf(Place, Leaf),
    /// Up to eight array elements of 8 bits each, first element named by the place.
    Bytes(Place, u32),
    /// Up to eight `bool` elements, first element named by the place.
    Bools(Place, u32),
    /// A constant: the own size of a marked message or the capacity of a marked array.
    Mark(u16),
}

/// The type of a value; its width is that of the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `uintN`.
    Uint,
    /// `intN`.
    Int,
    /// `floatN`.
    Float,
    /// An enum.
    Enum(EnumId),
}

/// Elements of one array in a loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// First bit, from the enclosing base.
    pub at: u32,
    /// Depth of loops around this one; [`Index::level`] refers to it.
    pub level: u32,
    /// Number of iterations, 2 at least.
    pub count: u32,
    /// Bytes from one iteration to the next.
    pub stride: u32,
    /// One iteration.
    pub body: Vec<Step>,
}

/// Whole elements at a byte boundary.
#[derive(Clone, Debug)]
pub struct Copy {
    /// First bit, a multiple of 8.
    pub at: u32,
    /// The first element.
    pub place: Place,
    /// Number of elements.
    pub count: u32,
    /// Bytes of one element: 1, 2, 4 or 8.
    pub element_bytes: u32,
    /// Type of an element.
    pub leaf: Leaf,
}

/// A nested message by its own plan.
#[derive(Clone, Debug)]
pub struct Call {
    /// First bit, from the base.
    pub at: u32,
    /// The message.
    pub message: MessageId,
    /// Its size in bits.
    pub bits: u32,
    /// Where it is.
    pub place: Place,
}

/// A way from the message into its fields and elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Select>);

/// One step of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// The field of this index in `Message::fields`.
    Field(usize),
    /// An element.
    Index(Index),
}

/// The index of an element: `step * i + add`, with `i` the iteration of the loop of `level`, or `add` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// The loop.
    pub level: Option<u32>,
    /// Elements of one iteration.
    pub step: u32,
    /// First element.
    pub add: u32,
}

impl Index {
    /// The index in this iteration of each loop.
    pub fn value(&self, iterations: &[u32]) -> u32 {
        let i = self.level.and_then(|l| iterations.get(l as usize)).copied().unwrap_or(0);
        self.step * i + self.add
    }
}

impl Place {
    fn field(&self, index: usize) -> Place {
        self.with(Select::Field(index))
    }

    fn with(&self, select: Select) -> Place {
        let mut place = self.clone();
        place.0.push(select);
        place
    }
}

impl Step {
    /// First bit, from the base.
    pub fn at(&self) -> u32 {
        match self {
            Step::Piece(p) => p.at,
            Step::Loop(l) => l.at,
            Step::Copy(c) => c.at,
            Step::Call(c) => c.at,
        }
    }

    /// Number of bits.
    pub fn bits(&self) -> u32 {
        match self {
            Step::Piece(p) => p.bits,
            Step::Loop(l) => l.count * l.stride * 8,
            Step::Copy(c) => c.count * c.element_bytes * 8,
            Step::Call(c) => c.bits,
        }
    }
}

/// Plans all messages of a schema.
pub fn plan(schema: &Schema, limits: Limits) -> Plan {
    let mut plan = Plan::default();
    for message in &schema.messages {
        let mut builder = Builder { schema, limits, done: &plan, level: 0, at: 0, steps: Vec::new() };
        let id = MessageId(plan.messages.len() as u32);
        builder.message(id, &Place::default());
        let steps = builder.steps;
        let (bits, bytes, has_marks) = (message.bits, message.bytes(), message.has_marks);
        plan.messages.push(MessagePlan { bits, bytes, has_marks, steps });
    }
    plan
}

/// The steps that look at marks only: pieces with marks, loops and calls around them. Positions stay as they are.
pub fn marks(plan: &Plan, steps: &[Step]) -> Vec<Step> {
    let keep = |step: &Step| match step {
        Step::Piece(p) => matches!(p.source, Source::Mark(_)).then(|| step.clone()),
        Step::Copy(_) => None,
        Step::Call(c) => plan.messages[c.message.index()].has_marks.then(|| step.clone()),
        Step::Loop(l) => {
            let body = marks(plan, &l.body);
            (!body.is_empty()).then(|| Step::Loop(Loop { body, ..l.clone() }))
        }
    };
    steps.iter().filter_map(keep).collect()
}

/// Number of pieces, calls and copies in steps.
pub fn weight(steps: &[Step]) -> usize {
    let one = |s: &Step| if let Step::Loop(l) = s { 1 + weight(&l.body) } else { 1 };
    steps.iter().map(one).sum()
}

struct Builder<'a> {
    schema: &'a Schema,
    limits: Limits,
    done: &'a Plan,
    level: u32,
    at: u32,
    steps: Vec<Step>,
}

impl Builder<'_> {
    fn piece(&mut self, bits: u32, source: Source) {
        self.steps.push(Step::Piece(Piece { at: self.at, bits, source }));
        self.at += bits;
    }

    fn message(&mut self, id: MessageId, place: &Place) {
        let schema = self.schema;
        let message = schema.message(id);
        if message.marked {
            self.piece(16, Source::Mark(message.bits as u16));
        }
        for (i, field) in message.fields.iter().enumerate() {
            self.value(&field.ty, &place.field(i));
        }
    }

    fn value(&mut self, ty: &Type, place: &Place) {
        let schema = self.schema;
        let bits = schema.bits(ty) as u32;
        if bits == 0 {
            return;
        }
        match schema.strip(ty) {
            Type::Message(id) => self.nested(*id, bits, place),
            Type::Array(array) => self.array(array, place),
            leaf => self.piece(bits, Source::Leaf(place.clone(), leaf_of(leaf))),
        }
    }

    fn nested(&mut self, message: MessageId, bits: u32, place: &Place) {
        if weight(&self.done.messages[message.index()].steps) <= self.limits.inline {
            return self.message(message, place);
        }
        self.steps.push(Step::Call(Call { at: self.at, message, bits, place: place.clone() }));
        self.at += bits;
    }

    fn array(&mut self, array: &Array, place: &Place) {
        if array.marked {
            self.piece(16, Source::Mark(array.capacity as u16));
        }
        let bits = self.schema.bits(&array.element) as u32;
        let element = self.schema.strip(&array.element);
        let is_leaf = !matches!(element, Type::Array(_) | Type::Message(_));
        let aligned = self.at.is_multiple_of(8);
        match bits {
            0 => {}
            1 if *element == Type::Bool => self.runs(place, array.capacity, 1),
            8 if is_leaf && !(aligned && array.capacity > 8) => self.runs(place, array.capacity, 8),
            // Floats may be stored in other sizes than they have on the wire.
            8 | 16 | 32 | 64
                if is_leaf && aligned && !matches!(element, Type::Float(_)) && array.capacity * bits > 64 =>
            {
                self.copy(place, array.capacity, bits / 8, leaf_of(element));
            }
            _ => self.elements(array, bits, place),
        }
    }

    fn copy(&mut self, place: &Place, count: u32, element_bytes: u32, leaf: Leaf) {
        let place = place.with(Select::Index(Index { level: None, step: 0, add: 0 }));
        self.steps.push(Step::Copy(Copy { at: self.at, place, count, element_bytes, leaf }));
        self.at += count * element_bytes * 8;
    }

    /// Eight elements of 1 or 8 bits at a time.
    fn runs(&mut self, place: &Place, count: u32, bits: u32) {
        let run = |index: Index, count: u32| {
            let place = place.with(Select::Index(index));
            if bits == 1 { Source::Bools(place, count) } else { Source::Bytes(place, count) }
        };
        let whole = count / 8;
        if whole as usize > self.limits.body {
            let index = Index { level: Some(self.level), step: 8, add: 0 };
            self.repeat(whole, bits, |b| b.piece(8 * bits, run(index, 8)));
        } else {
            for i in 0..whole {
                self.piece(8 * bits, run(Index { level: None, step: 0, add: 8 * i }, 8));
            }
        }
        if !count.is_multiple_of(8) {
            let index = Index { level: None, step: 0, add: 8 * whole };
            self.piece(count % 8 * bits, run(index, count % 8));
        }
    }

    /// A loop of `count` iterations of `stride` bytes each.
    fn repeat(&mut self, count: u32, stride: u32, body: impl FnOnce(&mut Self)) {
        let (at, level) = (self.at, self.level);
        let outer = std::mem::take(&mut self.steps);
        self.at = at % 8;
        self.level += 1;
        body(self);
        let body = std::mem::replace(&mut self.steps, outer);
        self.level = level;
        self.at = at + count * stride * 8;
        self.steps.push(Step::Loop(Loop { at, level, count, stride, body }));
    }

    fn elements(&mut self, array: &Array, bits: u32, place: &Place) {
        let weight = self.weight_of(&array.element);
        let count = array.capacity;
        let per = self.elements_per_iteration(bits, weight);
        let as_call = weight > 1 && weight * per as usize > 2 * self.limits.inline;
        let unrolled = weight.saturating_mul(count as usize) <= self.limits.unroll || count < 2 * per;
        let limits = self.limits;
        if as_call && !unrolled {
            self.limits.inline = 0;
        }
        let mut rest = 0;
        if !unrolled {
            let level = Some(self.level);
            self.repeat(count / per, per * bits / 8, |b| {
                for add in 0..per {
                    b.value(&array.element, &place.with(Select::Index(Index { level, step: per, add })));
                }
            });
            rest = count / per * per;
        }
        for add in rest..count {
            self.value(&array.element, &place.with(Select::Index(Index { level: None, step: 0, add })));
        }
        self.limits = limits;
    }

    /// The weight of one element, as it would be planned here.
    fn weight_of(&self, ty: &Type) -> usize {
        let mut probe = Builder { steps: Vec::new(), ..*self };
        probe.value(ty, &Place::default());
        weight(&probe.steps)
    }

    /// How many elements make whole bytes, and whole words if the body stays small.
    fn elements_per_iteration(&self, bits: u32, weight: usize) -> u32 {
        let whole = |unit: u32| unit / gcd(bits, unit);
        let small = |n: &u32| *n as usize * weight <= self.limits.body;
        [64, 32, 16].into_iter().map(whole).find(small).unwrap_or_else(|| whole(8))
    }
}

fn leaf_of(ty: &Type) -> Leaf {
    match ty {
        Type::Bool => Leaf::Bool,
        Type::Byte => Leaf::Byte,
        Type::Int(_) => Leaf::Int,
        Type::Float(_) => Leaf::Float,
        Type::Enum(id) => Leaf::Enum(*id),
        _ => Leaf::Uint,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

//! Which messages the functions of others need.
//!
//! A message holds only messages with smaller ids, so one walk from the largest id down finds all.

use super::plan::{Plan, Step};
use super::schema::{MessageId, Schema, Type};
use std::collections::BTreeSet;

/// These messages and all whose plans theirs call.
pub fn called(plan: &Plan, of: &[MessageId]) -> BTreeSet<MessageId> {
    let mut found: BTreeSet<MessageId> = of.iter().copied().collect();
    for id in (0..plan.messages.len()).rev().map(|i| MessageId(i as u32)) {
        if found.contains(&id) {
            calls(&plan.messages[id.index()].steps, &mut found);
        }
    }
    found
}

fn calls(steps: &[Step], found: &mut BTreeSet<MessageId>) {
    for step in steps {
        match step {
            Step::Call(call) => drop(found.insert(call.message)),
            Step::Loop(l) => calls(&l.body, found),
            _ => {}
        }
    }
}

/// These messages and all that they hold.
pub fn held(schema: &Schema, of: &[MessageId]) -> BTreeSet<MessageId> {
    let mut found: BTreeSet<MessageId> = of.iter().copied().collect();
    for id in (0..schema.messages.len()).rev().map(|i| MessageId(i as u32)) {
        if found.contains(&id) {
            found.extend(schema.message(id).fields.iter().filter_map(|f| held_by(schema, &f.ty)));
        }
    }
    found
}

/// The message that a value of the type is or that its elements are.
fn held_by(schema: &Schema, ty: &Type) -> Option<MessageId> {
    match schema.strip(ty) {
        Type::Message(id) => Some(*id),
        Type::Array(array) => held_by(schema, &array.element),
        _ => None,
    }
}

/// What reading bytes of other versions walks.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// Messages that are read.
    pub read: BTreeSet<MessageId>,
    /// Messages that are passed over field by field: unmarked ones with marks within.
    pub skipped: BTreeSet<MessageId>,
}

/// What reading those of these messages that have marks walks.
pub fn walked(schema: &Schema, of: &[MessageId]) -> Walked {
    let read = of.iter().copied().filter(|id| schema.message(*id).has_marks).collect();
    let mut found = Walked { read, skipped: BTreeSet::new() };
    for id in (0..schema.messages.len()).rev().map(|i| MessageId(i as u32)) {
        for field in &schema.message(id).fields {
            if found.read.contains(&id) {
                found.reads(schema, &field.ty);
            }
            if found.skipped.contains(&id) {
                found.skips(schema, &field.ty);
            }
        }
    }
    found
}

impl Walked {
    fn reads(&mut self, schema: &Schema, ty: &Type) {
        match schema.strip(ty) {
            Type::Message(id) => drop(self.read.insert(*id)),
            Type::Array(array) => {
                self.reads(schema, &array.element);
                if array.marked {
                    self.skips(schema, &array.element);
                }
            }
            _ => {}
        }
    }

    fn skips(&mut self, schema: &Schema, ty: &Type) {
        match schema.strip(ty) {
            Type::Message(id) => {
                let message = schema.message(*id);
                if message.has_marks && !message.marked {
                    self.skipped.insert(*id);
                }
            }
            Type::Array(array) => self.skips(schema, &array.element),
            _ => {}
        }
    }
}

//! Whether peers with an old and a new version of a schema understand each other.
//!
//! Only the wire counts: the order of fields by number, widths, signs, capacities and marks. Names may change. Both
//! directions are judged at once, since marks serve both: an old reader skips what it does not know, a new reader
//! takes as zero what was not written.

use super::schema::{Array, Enum, Field, Message, ProtoId, Schema, Type};
use vproto_source::Span;

/// A difference that peers notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether they misunderstand each other.
    pub breaking: bool,
    /// What changed, in one sentence without a full stop.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether that is in the old version, because the new one does not have it.
    pub in_old: bool,
}

/// All differences between the messages and enums of two versions of a file.
pub fn compare(old: &Schema, new: &Schema) -> Vec<Change> {
    let mut judge = Judge { old, new, changes: Vec::new() };
    for id in old.messages_of(ProtoId(0)) {
        let message = old.message(id);
        let path = message.head.path();
        match new.find_message(&path) {
            Some(other) => judge.message(message, new.message(other)),
            None => {
                judge.breaks(format!("message `{path}` was removed"), message.head.span);
                judge.in_old();
            }
        }
    }
    for of in old.enums.iter().filter(|e| e.head.proto == ProtoId(0)) {
        let same = |e: &&Enum| e.head.proto == ProtoId(0) && e.head.path() == of.head.path();
        if let Some(other) = new.enums.iter().find(same) {
            judge.enumeration(of, other);
        }
    }
    judge.changes
}

struct Judge<'a> {
    old: &'a Schema,
    new: &'a Schema,
    changes: Vec<Change>,
}

impl Judge<'_> {
    fn breaks(&mut self, text: String, span: Span) {
        self.changes.push(Change { breaking: true, text, span, in_old: false });
    }

    fn extends(&mut self, text: String, span: Span) {
        self.changes.push(Change { breaking: false, text, span, in_old: false });
    }

    /// Marks the last change as standing in the old version.
    fn in_old(&mut self) {
        if let Some(change) = self.changes.last_mut() {
            change.in_old = true;
        }
    }

    /// Messages that are defined in both versions.
    fn message(&mut self, old: &Message, new: &Message) {
        let path = new.head.path();
        if old.marked != new.marked {
            let how = if new.marked { "became extensible" } else { "is no longer extensible" };
            return self.breaks(format!("message `{path}` {how}"), new.head.span);
        }
        for (a, b) in old.fields.iter().zip(&new.fields) {
            if a.number != b.number && !self.follows(old, new, a, b) {
                return self.order(&path, a, b, old, new);
            }
            self.field(&path, a, b);
        }
        let common = old.fields.len().min(new.fields.len());
        let gone = old.fields.get(common..).unwrap_or(&[]).iter().map(|f| (f, "removed from"));
        let added = new.fields.get(common..).unwrap_or(&[]).iter().map(|f| (f, "added to"));
        for (field, how) in gone.chain(added) {
            let text = format!("field `{}` was {how} the end of message `{path}`", field.name);
            if new.marked {
                self.extends(format!("{text}, which is extensible"), field.span);
            } else if self.old.bits(&field.ty) == 0 && how == "removed from" {
                self.extends(format!("{text}; it has no bits"), field.span);
            } else {
                self.breaks(format!("{text}, which is not extensible"), field.span);
            }
            if how == "removed from" {
                self.in_old();
            }
        }
    }

    /// Whether a field merely got another number, with nothing inserted or removed before it.
    fn follows(&self, old: &Message, new: &Message, a: &Field, b: &Field) -> bool {
        let has = |m: &Message, number: u8| m.fields.iter().any(|f| f.number == number);
        !has(new, a.number) && !has(old, b.number) && self.same(&a.ty, &b.ty).is_ok() && a.name == b.name
    }

    /// Something before the end was inserted, removed or moved: all that follows is read wrongly.
    fn order(&mut self, path: &str, a: &Field, b: &Field, old: &Message, new: &Message) {
        if old.fields.iter().all(|f| f.number != b.number) {
            let text = format!("field `{}` was inserted before others of message `{path}`", b.name);
            self.breaks(text, b.span);
        } else if new.fields.iter().all(|f| f.number != a.number) {
            let text = format!("field `{}` was removed before others of message `{path}`", a.name);
            self.breaks(text, b.span);
        } else {
            self.breaks(
                format!("the fields of message `{path}` have another order from `{}` on", b.name),
                b.span,
            );
        }
    }

    fn field(&mut self, path: &str, old: &Field, new: &Field) {
        match self.same(&old.ty, &new.ty) {
            Ok(None) => {}
            Ok(Some(text)) => {
                self.extends(format!("field `{}` of message `{path}` {text}", new.name), new.span)
            }
            Err(text) => self.breaks(format!("field `{}` of message `{path}` {text}", new.name), new.span),
        }
    }

    /// Whether two types are read alike: yes, yes thanks to a mark, or no, with the reason. Messages are compared by
    /// themselves where both versions define them.
    fn same(&self, old: &Type, new: &Type) -> Result<Option<String>, String> {
        match (self.old.strip(old), self.new.strip(new)) {
            (Type::Array(a), Type::Array(b)) => self.same_arrays(a, b),
            (Type::Message(a), Type::Message(b)) => {
                let (a, b) = (self.old.message(*a), self.new.message(*b));
                if a.head.path() == b.head.path() {
                    return Ok(None);
                }
                self.same_messages(a, b)
            }
            (a @ (Type::Array(_) | Type::Message(_)), b) | (a, b @ (Type::Array(_) | Type::Message(_))) => {
                let _ = (a, b);
                Err("is of another kind".to_owned())
            }
            (a, b) => {
                let (old_bits, new_bits) = (self.old.bits(a), self.new.bits(b));
                if old_bits != new_bits {
                    return Err(format!("has {new_bits} bits instead of {old_bits}"));
                }
                match (a, b) {
                    (Type::Int(_), Type::Int(_)) | (Type::Float(_), Type::Float(_)) => Ok(None),
                    (Type::Float(_), _) => Err("is no longer a floating-point number".to_owned()),
                    (_, Type::Float(_)) => Err("became a floating-point number".to_owned()),
                    (Type::Int(_), _) => Err("lost its sign".to_owned()),
                    (_, Type::Int(_)) => Err("became signed".to_owned()),
                    _ => Ok(None),
                }
            }
        }
    }

    fn same_arrays(&self, old: &Array, new: &Array) -> Result<Option<String>, String> {
        let element =
            self.same(&old.element, &new.element).map_err(|e| format!("has elements of which each {e}"))?;
        match (old.marked, new.marked) {
            (false, true) => Err("became an extensible array".to_owned()),
            (true, false) => Err("is no longer an extensible array".to_owned()),
            _ if old.capacity == new.capacity => Ok(element),
            (true, true) => {
                Ok(Some(format!("has room for {} elements instead of {}", new.capacity, old.capacity)))
            }
            _ => Err(format!(
                "has {} elements instead of {}, and is not extensible",
                new.capacity, old.capacity
            )),
        }
    }

    /// Messages of different names; the depth of types is bounded.
    fn same_messages(&self, old: &Message, new: &Message) -> Result<Option<String>, String> {
        if old.marked != new.marked || (!new.marked && old.fields.len() != new.fields.len()) {
            return Err(format!("is a `{}`, which is built otherwise", new.head.path()));
        }
        if old.has_marks != new.has_marks || (!old.has_marks && old.bits != new.bits) {
            return Err(format!("is a `{}` of another size", new.head.path()));
        }
        for (a, b) in old.fields.iter().zip(&new.fields) {
            self.same(&a.ty, &b.ty)
                .map_err(|e| format!("is a `{}`, whose `{}` {e}", new.head.path(), b.name))?;
        }
        Ok(None)
    }

    /// Values of an enum: numbers must keep their meaning.
    fn enumeration(&mut self, old: &Enum, new: &Enum) {
        let path = new.head.path();
        for value in &old.values {
            match new.values.iter().find(|v| v.name == value.name) {
                Some(other) if other.value != value.value => {
                    let text = format!(
                        "value `{}` of enum `{path}` is {} instead of {}",
                        value.name, other.value, value.value
                    );
                    self.breaks(text, other.span);
                }
                None if new.values.iter().all(|v| v.value != value.value) => {
                    self.extends(
                        format!("value `{}` of enum `{path}` was removed", value.name),
                        new.head.span,
                    );
                }
                _ => {}
            }
        }
        for value in new.values.iter().filter(|v| old.values.iter().all(|o| o.value != v.value)) {
            let text =
                format!("value `{}` was added to enum `{path}`: old peers have no name for it", value.name);
            self.extends(text, value.span);
        }
    }
}

//! Types, enums and messages.

use super::Resolver;
use super::scope::{Def, Scope};
use super::value::Constant;
use crate::bitproto::ast::{Expr, Item, ItemKind, Name, SingleType, TypeExpr};
use crate::bitproto::lexer::Kind;
use std::collections::HashMap;
use vproto_ir::wire::schema::{
    self, Alias, AliasId, Array, Enum, EnumId, EnumValue, Field, MAX_TYPE_DEPTH, Message, MessageId, ProtoId,
    Type,
};
use vproto_source::code::bitproto as codes;
use vproto_source::{Diagnostic, Span};

/// Most bits of a message.
const MAX_BITS: u64 = 65535;

/// How deep each alias and message nests.
#[derive(Debug, Default)]
pub(super) struct Depths {
    aliases: Vec<u32>,
    messages: Vec<u32>,
}

/// What a message has gathered so far.
struct Draft {
    fields: Vec<Field>,
    max_bytes: u64,
}

/// The values of an enum so far.
#[derive(Default)]
struct EnumDraft {
    values: Vec<EnumValue>,
    by_value: HashMap<u64, usize>,
    by_name: HashMap<String, usize>,
}

impl Resolver<'_, '_> {
    /// `typedef` is the place of the old spelling where it was used.
    pub(super) fn alias(
        &mut self,
        proto: ProtoId,
        doc: Vec<String>,
        name: Name,
        ty: &TypeExpr,
        typedef: Option<Span>,
    ) {
        if let Some(span) = typedef {
            let help = "write `type NAME = TYPE`";
            self.report(codes::TYPEDEF, "typedef is deprecated", span, "old spelling", help);
        }
        let Some(target) = self.type_of(ty) else {
            self.define(&name, Def::Broken);
            return;
        };
        if !matches!(
            target,
            Type::Array(_) | Type::Bool | Type::Byte | Type::Uint(_) | Type::Int(_) | Type::Float(_)
        ) {
            let help = "an alias names a base type or an array; use the type by its own name";
            self.report(
                codes::ALIASED_TYPE,
                "a named type cannot be aliased",
                ty.span,
                "has a name already",
                help,
            );
            self.define(&name, Def::Broken);
            return;
        }
        let id = AliasId(self.schema.aliases.len() as u32);
        self.depths.aliases.push(1 + self.depth(&target));
        let head = self.head(proto, &name, doc);
        self.schema.aliases.push(Alias { head, target });
        self.schema.protos[proto.index()].items.push(schema::Item::Alias(id));
        self.define(&name, Def::Alias(id));
    }

    /// The type as written; `None` if it has none, which was reported.
    fn type_of(&mut self, expr: &TypeExpr) -> Option<Type> {
        let element = match &expr.single {
            SingleType::Base(kind) => base_type(*kind),
            SingleType::Reference(name) if name.text == "string" && self.look_up("string").is_none() => {
                self.string(expr)
            }
            SingleType::Reference(name) => self.named_type(name),
        };
        let Some(array) = &expr.array else { return element };
        if let Some(mark) = array.mark {
            self.refuse_mark(mark);
        }
        let capacity = self.capacity(&array.capacity);
        let ty = Type::Array(Box::new(Array {
            element: element?,
            capacity: capacity?,
            marked: array.mark.is_some(),
        }));
        if self.depth(&ty) > MAX_TYPE_DEPTH {
            self.report(codes::TYPE_DEPTH, "types nest more than 100 deep", expr.span, "too deep", "");
            return None;
        }
        Some(ty)
    }

    fn named_type(&mut self, name: &Name) -> Option<Type> {
        match self.look_up(&name.text) {
            Some(Def::Alias(id)) => Some(Type::Alias(id)),
            Some(Def::Enum(id)) => Some(Type::Enum(id)),
            Some(Def::Message(id)) => Some(Type::Message(id)),
            Some(Def::Broken) => None,
            Some(_) => {
                let title = format!("`{}` is not a type", name.text);
                self.report(codes::NOT_A_TYPE, &title, name.span, "not a type", "");
                None
            }
            None if matches!(name.text.as_str(), "float16" | "float32" | "float64") => self.float(name),
            None => {
                let is_type = |d| matches!(d, Def::Alias(_) | Def::Enum(_) | Def::Message(_));
                self.unknown(codes::UNDEFINED_TYPE, "type", &name.text, name.span, is_type);
                None
            }
        }
    }

    fn depth(&self, ty: &Type) -> u32 {
        match ty {
            Type::Alias(id) => self.depths.aliases[id.index()],
            Type::Message(id) => self.depths.messages[id.index()],
            Type::Array(a) => 1 + self.depth(&a.element),
            _ => 0,
        }
    }

    fn refuse_mark(&mut self, mark: Span) {
        if self.options.refuse_marks {
            let help = "leave -O or --strict-1.3 out, or remove the mark";
            let title = "an extensible type in optimization mode";
            self.report(codes::MARK_IN_O, title, mark, "marked as extensible", help);
        }
    }

    pub(super) fn enumeration(
        &mut self,
        proto: ProtoId,
        doc: Vec<String>,
        name: Name,
        bits: u8,
        items: Vec<Item>,
    ) {
        let mut values = EnumDraft::default();
        for item in items {
            if let ItemKind::EnumValue { name, value } = item.kind {
                self.enum_value(bits, item.doc, &name, &value, &mut values);
            }
        }
        let values = values.values;
        let id = EnumId(self.schema.enums.len() as u32);
        let head = self.head(proto, &name, doc);
        self.schema.enums.push(Enum { head, bits, values });
        self.schema.protos[proto.index()].items.push(schema::Item::Enum(id));
        self.define(&name, Def::Enum(id));
    }

    fn enum_value(&mut self, bits: u8, doc: Vec<String>, name: &Name, expr: &Expr, draft: &mut EnumDraft) {
        let Some(Constant::Integer(number)) = self.evaluate(expr) else { return };
        let Some(value) = number.to_u64().filter(|n| n >> (bits - 1) >> 1 == 0) else {
            let title = format!("{number} does not fit into {bits} bits");
            let most = u64::MAX >> (64 - u32::from(bits));
            let help = format!("the largest value of uint{bits} is {most}");
            return self.report(codes::ENUM_VALUE_RANGE, &title, expr.span, "too large", &help);
        };
        let index = draft.values.len();
        if let Some(other) = draft.by_value.insert(value, index).and_then(|i| draft.values.get(i)) {
            let title = format!("`{}` has the value of `{}`", name.text, other.name);
            let found = Diagnostic::new(codes::ENUM_VALUE_TWICE, title, expr.span, "given before");
            self.diagnostics.push(found.with_label(other.span, "first given here"));
        }
        if let Some(other) = draft.by_name.insert(name.text.clone(), index).and_then(|i| draft.values.get(i))
        {
            let title = format!("`{}` is defined twice", name.text);
            let found = Diagnostic::new(codes::DUPLICATE, title, name.span, "defined again");
            self.diagnostics.push(found.with_label(other.span, "first defined here"));
        }
        draft.values.push(EnumValue { name: name.text.clone(), value, doc, span: name.span });
    }

    pub(super) fn message(
        &mut self,
        proto: ProtoId,
        doc: Vec<String>,
        name: Name,
        mark: Option<Span>,
        items: Vec<Item>,
    ) {
        if let Some(mark) = mark {
            self.refuse_mark(mark);
        }
        let head = self.head(proto, &name, doc);
        self.scopes.push(Scope { name: name.text.clone(), ..Scope::default() });
        let mut draft = Draft { fields: Vec::new(), max_bytes: 0 };
        for item in items {
            self.member(proto, item, &mut draft);
        }
        let members = self.scopes.pop().unwrap_or_default();
        let Draft { mut fields, max_bytes } = draft;
        fields.sort_by_key(|f| f.number);
        let depth = 1 + fields.iter().map(|f| self.depth(&f.ty)).max().unwrap_or(0);
        if depth > MAX_TYPE_DEPTH {
            self.report(codes::TYPE_DEPTH, "types nest more than 100 deep", name.span, "too deep", "");
            return self.define(&name, Def::Broken);
        }
        let prefix = if mark.is_some() { 16 } else { 0 };
        let bits = fields.iter().fold(prefix, |sum: u64, f| sum.saturating_add(self.schema.bits(&f.ty)));
        let fits = self.check_size(&name, bits, max_bytes);
        let has_marks = mark.is_some() || fields.iter().any(|f| self.schema.has_marks(&f.ty));
        let marked = mark.is_some();
        let id = MessageId(self.schema.messages.len() as u32);
        // A message that is too large is kept empty: sizes stay within their limits.
        let (fields, bits) = if fits { (fields, bits as u32) } else { (Vec::new(), prefix as u32) };
        self.schema.messages.push(Message { head, marked, fields, bits, has_marks, max_bytes });
        self.members.push(members);
        self.depths.messages.push(depth);
        self.schema.protos[proto.index()].items.push(schema::Item::Message(id));
        self.define(&name, Def::Message(id));
    }

    fn member(&mut self, proto: ProtoId, item: Item, draft: &mut Draft) {
        match item.kind {
            ItemKind::Field { ty, name, number, rules } => {
                self.field(item.doc, &ty, &name, &number, draft);
                self.rules(&name, &rules, draft.fields.last_mut());
            }
            ItemKind::Message { name, mark, items } => self.message(proto, item.doc, name, mark, items),
            ItemKind::Enum { name, bits, items } => self.enumeration(proto, item.doc, name, bits, items),
            ItemKind::Option { name, value } => draft.max_bytes = self.message_option(&name, &value),
            // The parser keeps the others out of messages.
            _ => {}
        }
    }

    fn field(&mut self, doc: Vec<String>, ty: &TypeExpr, name: &Name, number: &Name, draft: &mut Draft) {
        let ty = self.type_of(ty);
        self.define(name, Def::Field);
        let digits = number.text.trim_start_matches('0');
        let value = digits.parse::<u8>().ok().filter(|&n| n > 0);
        let Some(value) = value else {
            let title = format!("field number {} is not from 1 to 255", number.text);
            return self.report(codes::FIELD_NUMBER, &title, number.span, "out of range", "");
        };
        if let Some(other) = draft.fields.iter().find(|f| f.number == value) {
            let title = format!("field number {value} is given twice");
            let found = Diagnostic::new(codes::FIELD_NUMBER_TWICE, title, number.span, "given before");
            let free = (1..=255).find(|n| draft.fields.iter().all(|f| f.number != *n));
            let help = free.map_or_else(String::new, |n: u8| format!("{n} is free"));
            let label = format!("number of `{}`", other.name);
            self.diagnostics.push(found.with_label(other.span, label).with_help(help));
            return;
        }
        if let Some(ty) = ty {
            let rules = schema::Rules::default();
            draft.fields.push(Field {
                name: name.text.clone(),
                number: value,
                ty,
                rules,
                doc,
                span: name.span,
            });
        }
    }

    fn check_size(&mut self, name: &Name, bits: u64, max_bytes: u64) -> bool {
        if bits > MAX_BITS {
            let title = format!("message `{}` has {bits} bits", name.text);
            self.report(codes::MESSAGE_TOO_LARGE, &title, name.span, "more than 65535 bits", "");
            return false;
        }
        let bytes = bits.div_ceil(8);
        if max_bytes > 0 && bytes > max_bytes {
            let title = format!("message `{}` has {bytes} bytes, its limit is {max_bytes}", name.text);
            let help = "raise max_bytes, or make the message smaller";
            self.report(codes::MESSAGE_TOO_LARGE, &title, name.span, "larger than max_bytes", help);
        }
        true
    }
}

fn base_type(kind: Kind) -> Option<Type> {
    match kind {
        Kind::Bool => Some(Type::Bool),
        Kind::Byte => Some(Type::Byte),
        Kind::Uint(n) => Some(Type::Uint(n)),
        Kind::Int(n) => Some(Type::Int(n)),
        _ => None,
    }
}

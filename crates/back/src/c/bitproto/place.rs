//! Places of a plan as expressions of C.

use super::Context;
use vproto_ir::wire::plan::{Index, Place, Select};
use vproto_ir::wire::schema::{MessageId, Type};

impl Context<'_> {
    /// The expression of a place in `*m`, a message of type `root`.
    pub(super) fn place(&self, root: MessageId, place: &Place) -> String {
        self.place_further(root, place, 0)
    }

    /// The same `further` elements behind it.
    pub(super) fn place_further(&self, root: MessageId, place: &Place, further: u32) -> String {
        let mut text = "m".to_owned();
        let mut ty = Type::Message(root);
        let last = place.0.len().saturating_sub(1);
        for (i, select) in place.0.iter().enumerate() {
            let inner = self.schema.strip(&ty).clone();
            match (select, inner) {
                (Select::Field(index), Type::Message(id)) => {
                    let field = &self.schema.message(id).fields[*index];
                    text += if i == 0 { "->" } else { "." };
                    text += &self.member(&field.name);
                    ty = field.ty.clone();
                }
                (Select::Index(index), Type::Array(array)) => {
                    let add = index.add + if i == last { further } else { 0 };
                    text += &format!("[{}]", index_text(&Index { add, ..*index }));
                    ty = array.element;
                }
                // Plans select fields of messages and elements of arrays only.
                _ => {}
            }
        }
        text
    }
}

fn index_text(index: &Index) -> String {
    let Some(level) = index.level else { return index.add.to_string() };
    let scaled = if index.step == 1 { format!("i{level}") } else { format!("{}u * i{level}", index.step) };
    if index.add == 0 { scaled } else { format!("{scaled} + {}u", index.add) }
}

/// The pointer to the bytes of a base: the buffer, or the iteration of a loop of level `depth - 1`.
pub(super) fn base(depth: u32) -> String {
    if depth == 0 { "s".to_owned() } else { format!("s{depth}") }
}

/// A pointer to a byte of a base.
pub(super) fn at_byte(depth: u32, byte: u32) -> String {
    if byte == 0 { base(depth) } else { format!("{} + {byte}", base(depth)) }
}

/// Joins operands by ` | `, a new line wherever one would get too long.
pub(super) fn joined(operands: &[String]) -> String {
    let mut lines = vec![String::new()];
    for (i, operand) in operands.iter().enumerate() {
        let Some(line) = lines.last_mut() else { continue };
        let text = if i + 1 < operands.len() { format!("{operand} |") } else { operand.clone() };
        if !line.is_empty() && line.len() + text.len() > 90 {
            lines.push(text);
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(&text);
        }
    }
    lines.join("\n        ")
}

//! Places of a plan as expressions, and lines that rustfmt leaves as they are.

use super::Printer;
use super::names::escaped;
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Index, Place, Select};
use vproto_ir::wire::schema::{MessageId, Type};

/// Longest place that stands in an expression; rustfmt breaks chains of more than 60.
const LONGEST: usize = 44;

/// An array and the index of an element of it.
pub(super) struct Element {
    pub(super) array: String,
    pub(super) index: Index,
    /// The type of the elements, behind aliases.
    pub(super) ty: Type,
    pub(super) capacity: u32,
}

impl Element {
    /// The expression of the element `further` behind.
    pub(super) fn at(&self, further: u32) -> String {
        format!("{}[{}]", self.array, index_text(&self.index, further))
    }
}

/// How a place is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Printer<'_> {
    /// The expression of a place in `m`, a message of type `root`, and its type behind aliases. A long one gets a
    /// name for its front part first.
    pub(super) fn place(
        &self,
        root: MessageId,
        place: &Place,
        access: Access,
        w: &mut Writer,
    ) -> (String, Type) {
        let mut parts: Vec<String> = Vec::new();
        let mut ty = Type::Message(root);
        for select in &place.0 {
            let inner = self.schema.strip(&ty).clone();
            match (select, inner) {
                (Select::Field(index), Type::Message(id)) => {
                    let field = &self.schema.message(id).fields[*index];
                    parts.push(escaped(&field.name));
                    ty = field.ty.clone();
                }
                (Select::Index(index), Type::Array(array)) => {
                    if let Some(last) = parts.last_mut() {
                        *last += &format!("[{}]", index_text(index, 0));
                    }
                    ty = array.element;
                }
                // Plans select fields of messages and elements of arrays only.
                _ => {}
            }
        }
        let ty = self.schema.strip(&ty).clone();
        (self.shortened(&parts, access, w), ty)
    }

    fn shortened(&self, parts: &[String], access: Access, w: &mut Writer) -> String {
        let whole = format!("m.{}", parts.join("."));
        let Some((last, front)) = parts.split_last() else { return "m".to_owned() };
        if whole.len() <= LONGEST || front.is_empty() {
            return whole;
        }
        let borrow = if access == Access::Write { "&mut " } else { "&" };
        for (i, part) in front.iter().enumerate() {
            w.line(format!("let p = {borrow}{}.{part};", if i == 0 { "m" } else { "p" }));
        }
        format!("p.{last}")
    }

    /// The array of a place that ends with an index.
    pub(super) fn element(
        &self,
        root: MessageId,
        place: &Place,
        access: Access,
        w: &mut Writer,
    ) -> Option<Element> {
        let (Select::Index(index), front) = place.0.split_last()? else { return None };
        let (array, ty) = self.place(root, &Place(front.to_vec()), access, w);
        let Type::Array(of) = ty else { return None };
        let ty = self.schema.strip(&of.element).clone();
        Some(Element { array, index: *index, ty, capacity: of.capacity })
    }
}

/// An index, `further` elements behind.
pub(super) fn index_text(index: &Index, further: u32) -> String {
    let add = index.add + further;
    let Some(level) = index.level else { return add.to_string() };
    let scaled = if index.step == 1 { format!("i{level}") } else { format!("{} * i{level}", index.step) };
    if add == 0 { scaled } else { format!("{scaled} + {add}") }
}

/// The bytes of a base: the buffer, or the iteration of the loop of level `depth - 1`.
pub(super) fn base(depth: u32) -> String {
    if depth == 0 { "s".to_owned() } else { format!("s{depth}") }
}

/// `TARGET = VALUE;`, with a name for the value if the line gets too long.
pub(super) fn assign(target: &str, value: &str, w: &mut Writer) {
    let line = format!("{target} = {value};");
    if w.depth() * 4 + line.len() <= 100 {
        return w.line(line);
    }
    let_line("v", value, w);
    w.line(format!("{target} = v;"));
}

/// `let NAME = VALUE;`, the value on a line of its own if it gets too long.
pub(super) fn let_line(name: &str, value: &str, w: &mut Writer) {
    let line = format!("let {name} = {value};");
    if w.depth() * 4 + line.len() <= 100 {
        return w.line(line);
    }
    w.line(format!("let {name} ="));
    w.line(format!("    {value};"));
}

//! Two array elements of 32 bits as one piece of 64: half the loads and shifts where words have 64 bits.
//!
//! A pair is a [`Source::Bytes`] of eight whose elements are larger than bytes; only encoding makes and reads it.

use super::Context;
use vproto_ir::wire::plan::{Leaf, Loop, Piece, Place, Select, Source, Step};
use vproto_ir::wire::schema::{MessageId, Type};

/// The steps with neighbouring elements of 32 bits paired.
pub(super) fn paired(steps: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for step in steps {
        let merged = match (out.last(), step) {
            (Some(Step::Piece(a)), Step::Piece(b)) => pair(a, b),
            _ => None,
        };
        if let Some(piece) = merged {
            out.pop();
            out.push(Step::Piece(piece));
            continue;
        }
        out.push(match step {
            Step::Loop(l) => Step::Loop(Loop { body: paired(&l.body), ..l.clone() }),
            other => other.clone(),
        });
    }
    out
}

fn pair(a: &Piece, b: &Piece) -> Option<Piece> {
    let (Source::Leaf(first, Leaf::Uint | Leaf::Int), Source::Leaf(second, _)) = (&a.source, &b.source)
    else {
        return None;
    };
    let follows = a.bits == 32 && b.bits == 32 && is_next(first, second);
    follows.then(|| Piece { at: a.at, bits: 64, source: Source::Bytes(first.clone(), 8) })
}

/// Whether `b` is the element of the same array behind `a`.
fn is_next(a: &Place, b: &Place) -> bool {
    let (Some((Select::Index(x), before)), Some((Select::Index(y), same))) =
        (a.0.split_last(), b.0.split_last())
    else {
        return false;
    };
    before == same && x.level == y.level && x.step == y.step && x.add + 1 == y.add
}

impl Context<'_> {
    /// Whether the elements at a place have 32 bits, so that eight bytes of them are a pair.
    pub(super) fn is_pair(&self, root: MessageId, place: &Place) -> bool {
        let mut ty = Type::Message(root);
        for select in &place.0 {
            ty = match (select, self.schema.strip(&ty)) {
                (Select::Field(i), Type::Message(id)) => self.schema.message(*id).fields[*i].ty.clone(),
                (Select::Index(_), Type::Array(array)) => array.element.clone(),
                _ => return false,
            };
        }
        self.schema.bits(&ty) == 32
    }
}

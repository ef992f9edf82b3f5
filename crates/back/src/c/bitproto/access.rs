//! Single fields in encoded bytes.

use super::Context;
use vproto_code::writer::Writer;

impl Context<'_> {
    pub(super) fn print_accessors(&self, _w: &mut Writer) {}
}

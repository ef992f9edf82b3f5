//! bitproto messages in Python: one module, a dataclass for each message, nothing but the standard library.
//!
//! Words of 64 bits go in and out through one `struct.Struct` for each stretch of a message between loops; values are
//! shifted and masked as whole integers. `_bp_put` and `_bp_get` work at an offset of a buffer, so that nested
//! messages call each other; `_bp_same` looks at marks, `_bp_read` and `_bp_skip` read what other versions wrote.
//!
//! Invariant: everything that generated functions use from outside is bound to a name that begins with an underscore,
//! since a schema may use the names of Python's own functions and types.

mod decode;
mod encode;
mod evolve;
mod module;
mod names;
mod rules;

use crate::Output;
use vproto_code::writer::Writer;
use vproto_ir::wire::plan::{Limits, Place, Plan, plan};
use vproto_ir::wire::schema::Schema;

/// The module of the compiled file.
pub fn print(schema: &Schema) -> Vec<Output> {
    // Calls cost more than lines.
    let plan = plan(schema, Limits { unroll: 64, inline: 192, body: 16 });
    let printer = Printer { schema, plan: &plan };
    vec![Output { name: format!("{}_bp.py", schema.root().base_name), text: printer.module() }]
}

struct Printer<'a> {
    schema: &'a Schema,
    plan: &'a Plan,
}

/// The text of one function and what it has named so far.
struct Body {
    w: Writer,
    /// Containers that local variables hold.
    locals: Vec<(Place, String)>,
    /// Number of local variables.
    named: usize,
    /// Formats of the `Struct`s used, by number.
    formats: Vec<String>,
}

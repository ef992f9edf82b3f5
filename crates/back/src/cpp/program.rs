//! A whole program that prints the event trace.

use super::Module;
use vproto_code::writer::Writer;

/// `main`: reads a file or standard input, and prints the trace.
pub(super) fn main(modules: &[Module<'_>], w: &mut Writer) {
    let Some(root) = modules.iter().find(|m| !m.is_sub()) else { return };
    let scope = root.options.namespace.as_ref().map_or(String::new(), |n| format!("{n}::"));
    w.blank();
    w.open("int main(int argc, char** argv) {");
    w.line(format!("return vproto::traced_main<{scope}{}>(argc, argv);", root.names.alias));
    w.close("}");
}

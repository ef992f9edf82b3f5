//! The linter: warnings about style, those of bitproto 1.3.2.

use super::ast::{Item, ItemKind, Name};
use vproto_ir::wire::case::{pascal, snake, upper};
use vproto_source::code::bitproto as codes;
use vproto_source::{Code, Diagnostic, Diagnostics, File};

/// Blanks of one step of indentation.
const STEP: u32 = 4;

/// Warns about names, indentation and enums without zero. Each place is reported once.
pub fn lint(file: &File, items: &[Item], diagnostics: &mut Diagnostics) {
    for item in items {
        lint_item(file, item, 0, diagnostics);
    }
}

/// `depth` is bounded by the parser.
fn lint_item(file: &File, item: &Item, depth: u32, out: &mut Diagnostics) {
    if !matches!(item.kind, ItemKind::Proto(_) | ItemKind::Import { .. }) {
        indentation(file, item, depth, out);
    }
    match &item.kind {
        ItemKind::Alias { name, .. } => {
            named(codes::PASCAL_CASE, "alias", "PascalCase", name, pascal(&name.text), out)
        }
        ItemKind::Const { name, .. } => {
            named(codes::UPPER_CASE, "constant", "UPPER_CASE", name, upper(&name.text), out)
        }
        ItemKind::Field { name, .. } => {
            named(codes::SNAKE_CASE, "field", "snake_case", name, snake(&name.text), out)
        }
        ItemKind::EnumValue { name, .. } => {
            named(codes::UPPER_CASE, "enum value", "UPPER_CASE", name, upper(&name.text), out);
        }
        ItemKind::Enum { name, items, .. } => {
            named(codes::PASCAL_CASE, "enum", "PascalCase", name, pascal(&name.text), out);
            if !items.iter().any(is_zero) {
                let title = format!("enum `{}` has no value 0", name.text);
                let found = Diagnostic::new(codes::ENUM_ZERO, title, name.span, "0 has no name");
                out.push(found.with_help("a cleared message holds 0: give it a name"));
            }
            items.iter().for_each(|i| lint_item(file, i, depth + 1, out));
        }
        ItemKind::Message { name, items, .. } => {
            named(codes::PASCAL_CASE, "message", "PascalCase", name, pascal(&name.text), out);
            items.iter().for_each(|i| lint_item(file, i, depth + 1, out));
        }
        _ => {}
    }
}

/// Column 0 is never reported, as in 1.3.2.
fn indentation(file: &File, item: &Item, depth: u32, out: &mut Diagnostics) {
    let column = file.place(item.span.start).column - 1;
    if column != 0 && column != depth * STEP {
        let wanted = depth * STEP;
        let title = format!("indented by {column}, usual are {wanted}");
        let found = Diagnostic::new(codes::INDENT, title, item.span, "unusual indentation");
        out.push(found.with_help(format!("indent by {wanted} blanks")));
    }
}

fn named(code: Code, what: &str, style: &str, name: &Name, wanted: String, out: &mut Diagnostics) {
    if name.text != wanted {
        let title = format!("{what} `{}` is not in {style}", name.text);
        let found = Diagnostic::new(code, title, name.span, format!("not {style}"));
        out.push(found.with_help(format!("write `{wanted}`")));
    }
}

fn is_zero(item: &Item) -> bool {
    use super::ast::ExprKind;
    let ItemKind::EnumValue { value, .. } = &item.kind else { return false };
    matches!(&value.kind, ExprKind::Number(digits, _) if digits.bytes().all(|b| b == b'0'))
}

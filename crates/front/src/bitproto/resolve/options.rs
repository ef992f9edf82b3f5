//! Options: collected while their scope is open, judged when it closes.

use super::Resolver;
use super::scope::Def;
use super::value::Constant;
use crate::bitproto::ast::{Expr, Name};
use vproto_source::Span;
use vproto_source::code::bitproto as codes;

const FILE_OPTIONS: [&str; 5] =
    ["c.struct_packing_alignment", "c.name_prefix", "go.package_path", "py.module_name", "extensions"];

impl Resolver<'_, '_> {
    /// An option of a file.
    pub(super) fn option(&mut self, name: Name, value: &Expr) {
        self.define(&name, Def::Option);
        let Some(value) = self.evaluate(value) else { return };
        let Some(&proto) = self.stack.last() else { return };
        match name.text.as_str() {
            "c.struct_packing_alignment" => {
                if let Some(n) = self.option_integer(&name, &value, 8) {
                    self.schema.protos[proto.index()].options.c_struct_packing_alignment = n as u32;
                    self.check_alignment(n, name.span);
                }
            }
            "extensions" => match value {
                Constant::Truth(on) => {
                    let options = &mut self.schema.protos[proto.index()].options;
                    options.extensions = on.then_some(name.span);
                }
                _ => self.option_value(&name, "true or false"),
            },
            "c.name_prefix" | "go.package_path" | "py.module_name" => {
                let Some(text) = self.option_text(&name, &value) else { return };
                let options = &mut self.schema.protos[proto.index()].options;
                match name.text.as_str() {
                    "c.name_prefix" => options.c_name_prefix = text,
                    "go.package_path" => options.go_package_path = text,
                    _ => options.py_module_name = text,
                }
            }
            _ => self.unknown_option(&name, "this file", &FILE_OPTIONS),
        }
    }

    /// `max_bytes` of a message; 0 where there is none.
    pub(super) fn message_option(&mut self, name: &Name, value: &Expr) -> u64 {
        self.define(name, Def::Option);
        let Some(value) = self.evaluate(value) else { return 0 };
        if name.text != "max_bytes" {
            self.unknown_option(name, "a message", &["max_bytes"]);
            return 0;
        }
        self.option_integer(name, &value, u64::MAX).unwrap_or(0)
    }

    fn unknown_option(&mut self, name: &Name, place: &str, known: &[&str]) {
        let title = format!("`{}` is not an option of {place}", name.text);
        let help = format!("options of {place}: {}", known.join(", "));
        self.report(codes::OPTION_UNKNOWN, &title, name.span, "unknown option", &help);
    }

    fn option_text(&mut self, name: &Name, value: &Constant) -> Option<String> {
        if let Constant::Text(text) = value {
            return Some(text.clone());
        }
        self.option_value(name, "a string");
        None
    }

    fn option_integer(&mut self, name: &Name, value: &Constant, most: u64) -> Option<u64> {
        let Constant::Integer(n) = value else {
            self.option_value(name, "an integer");
            return None;
        };
        // Larger than any message is as good as no limit.
        let n = if n.is_negative() { None } else { Some(n.to_u64().unwrap_or(u64::MAX)) };
        let n = n.filter(|&n| n <= most);
        if n.is_none() {
            let range = if most == u64::MAX {
                "0 or more".to_owned()
            } else {
                format!("an integer from 0 to {most}")
            };
            self.option_value(name, &range);
        }
        n
    }

    fn option_value(&mut self, name: &Name, wanted: &str) {
        let title = format!("`{}` takes {wanted}", name.text);
        self.report(codes::OPTION_VALUE, &title, name.span, "wrong value", "");
    }

    fn check_alignment(&mut self, n: u64, span: Span) {
        if n > 0 && !n.is_power_of_two() && !self.options.quiet {
            let title = format!("C compilers refuse an alignment of {n}");
            self.report(codes::PACKING, &title, span, "not a power of two", "use 1, 2, 4 or 8");
        }
    }
}

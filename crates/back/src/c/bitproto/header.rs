//! The header: constants, types, prototypes.

use super::names::{comment_text, storage, string_literal};
use super::{BANNER, Context};
use vproto_code::writer::Writer;
use vproto_ir::wire::case::{snake, upper};
use vproto_ir::wire::names::{c_constant, c_enum_value, c_type};
use vproto_ir::wire::schema::{AliasId, ConstantId, ConstantValue, EnumId, Field, Item, MessageId};

impl Context<'_> {
    pub(super) fn header(&self) -> String {
        let mut w = Writer::new("    ");
        let proto = self.schema.root();
        BANNER.iter().for_each(|line| w.line(line));
        doc(&proto.doc, &mut w);
        w.blank();
        let guard = format!("__BITPROTO__{}_H__", upper(&snake(&proto.name)));
        w.line(format!("#ifndef {guard}"));
        w.line(format!("#define {guard} 1"));
        w.blank();
        w.lines(self.includes());
        for import in &proto.imports {
            w.line(format!("#include \"{}_bp.h\"", self.schema.protos[import.proto.index()].base_name));
        }
        w.blank();
        w.lines("#if defined(__cplusplus)\nextern \"C\" {\n#endif");
        if self.options.optimize {
            w.blank();
            w.lines("#ifndef BITPROTO_OPTIMIZATION_MODE\n#define BITPROTO_OPTIMIZATION_MODE 1\n#endif");
        }
        self.print_stream_type(&mut w);
        for item in &proto.items {
            w.blank();
            match item {
                Item::Constant(id) => self.constant(*id, &mut w),
                Item::Alias(id) => self.alias(*id, &mut w),
                Item::Enum(id) => self.enumeration(*id, &mut w),
                Item::Message(id) => self.structure(*id, &mut w),
            }
        }
        for id in self.public() {
            self.prototypes(id, &mut w);
        }
        self.print_accessors(&mut w);
        w.blank();
        w.lines("#if defined(__cplusplus)\n}\n#endif");
        w.blank();
        w.line("#endif");
        w.finish()
    }

    fn includes(&self) -> &'static str {
        if self.is_c89() {
            return "#include <stddef.h>\n#ifndef BITPROTO_NO_STDINT\n#include <stdint.h>\n#endif\n\
                    #if !defined(__cplusplus) && !defined(__bool_true_false_are_defined)\n#ifndef BITPROTO_BOOL\n\
                    #define BITPROTO_BOOL\n\
                    typedef unsigned char bool;\n#define true 1\n#define false 0\n#endif\n#endif";
        }
        "#include <inttypes.h>\n#include <stddef.h>\n#include <stdint.h>\n#ifndef __cplusplus\n#include <stdbool.h>\n\
         #endif"
    }

    fn constant(&self, id: ConstantId, w: &mut Writer) {
        let constant = &self.schema.constants[id.index()];
        doc(&constant.head.doc, w);
        let name = c_constant(self.schema, &constant.head, self.options.names);
        let value = match &constant.value {
            ConstantValue::Bool(b) => b.to_string(),
            ConstantValue::Text(text) => string_literal(text),
            ConstantValue::Integer(digits) => match integer(digits) {
                Some(text) => text,
                None => return w.line(format!("/* {name} is {digits}, which no C integer holds. */")),
            },
        };
        w.line(format!("#define {name} {value}"));
    }

    fn alias(&self, id: AliasId, w: &mut Writer) {
        let alias = self.schema.alias(id);
        doc(&alias.head.doc, w);
        let name = c_type(self.schema, &alias.head, self.options.names);
        let bits = self.schema.bits(&alias.target);
        w.line(format!("typedef {}; /* {bits}bit */", self.declaration(&alias.target, &name)));
    }

    fn enumeration(&self, id: EnumId, w: &mut Writer) {
        let of = self.schema.enumeration(id);
        doc(&of.head.doc, w);
        let name = c_type(self.schema, &of.head, self.options.names);
        w.line(format!("typedef uint{}_t {name}; /* {}bit */", storage(u32::from(of.bits)), of.bits));
        w.blank();
        for value in &of.values {
            doc(&value.doc, w);
            let name = c_enum_value(self.schema, id, &value.name, self.options.names);
            let number = integer(&value.value.to_string()).unwrap_or_default();
            w.line(format!("#define {name} {number}"));
        }
    }

    fn structure(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let name = self.type_name(id);
        w.line(format!("/* Number of bytes to encode struct {name} */"));
        w.line(format!("#define {} {}", self.length_name(id), message.bytes()));
        w.blank();
        doc(&message.head.doc, w);
        w.open(format!("struct {name} {{"));
        for field in &message.fields {
            self.field(field, w);
        }
        if message.fields.is_empty() {
            w.line("unsigned char bp_empty; /* C has no empty structs. */");
        }
        let options = &self.schema.protos[message.head.proto.index()].options;
        match options.c_struct_packing_alignment {
            0 => w.close("};"),
            n => w.close(format!("}} __attribute__((packed, aligned({n})));")),
        }
    }

    fn field(&self, field: &Field, w: &mut Writer) {
        doc(&field.doc, w);
        let bits = self.schema.bits(&field.ty);
        w.line(format!("{}; /* {bits}bit */", self.declaration(&field.ty, &self.member(&field.name))));
    }

    fn prototypes(&self, id: MessageId, w: &mut Writer) {
        let name = self.type_name(id);
        w.blank();
        w.line(format!("/* Encode struct {name} to given buffer s. */"));
        w.line(format!("int Encode{name}(struct {name} *m, unsigned char *s);"));
        w.line(format!("/* Decode struct {name} from given buffer s. */"));
        w.line(format!("int Decode{name}(struct {name} *m, unsigned char *s);"));
        w.line(format!("/* Decode struct {name} from len bytes: the number of bytes it took, or -1 if they are too few. */"));
        w.line(format!("int Decode{name}Buf(struct {name} *m, const unsigned char *s, size_t len);"));
        self.print_rules_prototypes(id, w);
        if !self.options.optimize {
            w.line(format!("/* Format struct {name} to a json format string. */"));
            w.line(format!("int Json{name}(struct {name} *m, char *s);"));
            w.line("/* The same into at most size bytes with the final 0; the length that the whole text has. */");
            w.line(format!("int Json{name}Buf(const struct {name} *m, char *s, size_t size);"));
        }
        self.print_stream_prototype(id, w);
    }
}

/// Comment lines.
fn doc(lines: &[String], w: &mut Writer) {
    for line in lines {
        w.line(format!("/* {} */", comment_text(line)));
    }
}

/// An integer of C; `None` if it has more than 64 bits.
pub(crate) fn integer(digits: &str) -> Option<String> {
    if let Ok(n) = digits.parse::<i64>() {
        // The smallest one cannot be written with a sign before it.
        let smallest = "(-9223372036854775807 - 1)".to_owned();
        return Some(if n == i64::MIN {
            smallest
        } else if n < 0 {
            format!("({n})")
        } else {
            n.to_string()
        });
    }
    digits.parse::<u64>().ok().map(|n| format!("{n}u"))
}

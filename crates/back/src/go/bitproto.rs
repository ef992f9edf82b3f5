//! bitproto messages in Go: one file, a struct for each message, nothing but the standard library.
//!
//! Statements are single operations, so that gofmt has nothing to decide. `BpPut`, `BpGet` and `BpRead` are exported
//! because messages of other packages hold these.

mod evolve;
mod get;
mod json;
mod put;
mod rules;

use crate::Output;
use vproto_code::writer::Writer;
use vproto_ir::wire::case::{pascal, snake, upper};
use vproto_ir::wire::plan::{Index, Limits, Loop, Place, Plan, Select, plan};
use vproto_ir::wire::schema::{
    Constant, ConstantValue, EnumId, Head, Item, MessageId, ProtoId, Schema, Type,
};

/// The functions of a message that has a fixed or a varying size.
const INTERFACE: &str = include_str!("../../../../runtime/go/bitproto_interface.txt");
const DECODE: &str = include_str!("../../../../runtime/go/bitproto_decode.txt");
const DECODE_MARKED: &str = include_str!("../../../../runtime/go/bitproto_decode_marked.txt");
/// Helpers of extensions.
const HALF: &str = include_str!("../../../../runtime/go/bitproto_half.txt");
const REAL: &str = include_str!("../../../../runtime/go/bitproto_real.txt");
const TEXT: &str = include_str!("../../../../runtime/go/bitproto_text.txt");
const HELPERS: &str = include_str!("../../../../runtime/go/bitproto_helpers.go");

/// What can be chosen.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-F`: functions for messages of these names only.
    pub filter: Option<Vec<String>>,
}

/// The file of the compiled schema.
pub fn print(schema: &Schema, options: &Options) -> Vec<Output> {
    let plan = plan(schema, Limits::default());
    let mut printer = Printer { schema, plan: &plan, helpers: vec![true; schema.messages.len()], options };
    if options.filter.is_some() {
        printer.choose_helpers();
    }
    vec![Output { name: format!("{}_bp.go", schema.root().base_name), text: printer.file() }]
}

struct Printer<'a> {
    schema: &'a Schema,
    plan: &'a Plan,
    options: &'a Options,
    /// By message: whether it has the functions that other messages call.
    helpers: Vec<bool>,
}

/// Bits of the type that stores so many.
fn storage(bits: u64) -> u64 {
    bits.next_power_of_two().clamp(8, 64)
}

/// The name of a field.
fn member(name: &str) -> String {
    const METHODS: [&str; 13] = [
        "Check",
        "Size",
        "String",
        "Encode",
        "Decode",
        "AppendTo",
        "EncodeTo",
        "AppendJSON",
        "BpPut",
        "BpGet",
        "BpRead",
        "BpSkip",
        "BpSame",
    ];
    let name = pascal(name);
    if METHODS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// The bytes at a depth of loops.
fn base(depth: u32) -> String {
    if depth == 0 { "b".to_owned() } else { format!("b{depth}") }
}

/// A slice of constant bounds, which Go checks at compile time.
fn array(depth: u32, byte: u32, bytes: u32) -> String {
    format!("{}[{byte}:{}]", base(depth), byte + bytes)
}

/// Bytes that one iteration touches.
fn body_bytes(of: &Loop) -> u32 {
    (of.at % 8 + of.stride * 8).div_ceil(8)
}

fn open_loop(of: &Loop, depth: u32, w: &mut Writer) {
    let i = format!("i{}", of.level);
    w.open(format!("for {i} := 0; {i} < {}; {i}++ {{", of.count));
    let step = if of.stride == 1 { i } else { format!("{}*{i}", of.stride) };
    let start = of.at / 8;
    let offset = if start == 0 { step } else { format!("{start}+{step}") };
    w.line(format!("{} := (*[{}]byte)({}[{offset}:])", base(depth + 1), body_bytes(of), base(depth)));
}

fn index_text(index: &Index, further: u32) -> String {
    let add = index.add + further;
    let Some(level) = index.level else { return add.to_string() };
    let scaled = if index.step == 1 { format!("i{level}") } else { format!("{}*i{level}", index.step) };
    if add == 0 { scaled } else { format!("{scaled}+{add}") }
}

/// Sets a value from the lowest bits of `v`; whether there is nothing above them.
fn assign(ty: &Type, place: &str, name: &str, (bits, alone): (u32, bool), w: &mut Writer) {
    let whole = [8, 16, 32, 64].contains(&bits);
    match ty {
        Type::Bool => {
            w.line("v &= 1");
            w.line(format!("{place} = {name}(v != 0)"));
        }
        Type::Float(16) => w.line(format!("{place} = {name}(bpHalf(uint16(v)))")),
        Type::Float(32) => w.line(format!("{place} = {name}(math.Float32frombits(uint32(v)))")),
        Type::Float(_) => w.line(format!("{place} = {name}(math.Float64frombits(v))")),
        Type::Int(_) if whole => w.line(format!("{place} = {name}(v)")),
        Type::Int(_) => {
            w.line(format!("v <<= {}", 64 - bits));
            w.line(format!("{place} = {name}(int64(v) >> {})", 64 - bits));
        }
        _ => {
            if !alone && !whole {
                w.line(format!("v &= 0x{:x}", u64::MAX >> (64 - bits)));
            }
            w.line(format!("{place} = {name}(v)"));
        }
    }
}

impl Printer<'_> {
    fn file(&self) -> String {
        let mut w = Writer::new("\t");
        for item in &self.schema.root().items {
            w.blank();
            match item {
                Item::Constant(id) => constant(&self.schema.constants[id.index()], &mut w),
                Item::Alias(id) => {
                    let alias = self.schema.alias(*id);
                    comment(&alias.head.doc, &mut w);
                    w.line(format!("type {} {}", pascal(&alias.head.name), self.ty(&alias.target)));
                }
                Item::Enum(id) => self.enumeration(*id, &mut w),
                Item::Message(id) => self.message(*id, &mut w),
            }
        }
        let floats = if w.text().contains("bpHalf") { HALF } else { "" };
        let texts =
            if self.schema.messages_with(|f| self.schema.innermost(&f.ty) == &Type::Char).contains(&true) {
                TEXT
            } else {
                ""
            };
        let reals = if w.text().contains("bpAppendFloat") { REAL } else { "" };
        let helpers = if self.schema.messages_of(ProtoId(0)).next().is_some() { HELPERS } else { "" };
        let body = format!("{}\n{helpers}{floats}{reals}{texts}", w.finish().replace("\n\n}", "\n}"));
        let mut head = Writer::new("\t");
        head.line("// Code generated by vproto. DO NOT EDIT.");
        head.line("// SPDX-License-Identifier: 0BSD");
        head.blank();
        comment(&self.schema.root().doc, &mut head);
        head.line(format!("package {}", self.schema.root().name));
        head.blank();
        head.open("import (");
        for (name, mark) in [
            ("encoding/binary", "binary."),
            ("errors", "errors."),
            ("fmt", "fmt."),
            ("math", "math."),
            ("strconv", "strconv."),
        ] {
            if body.contains(mark) {
                head.line(format!("\"{name}\""));
            }
        }
        head.blank();
        let mut imports = Vec::new();
        for (i, proto) in self.schema.protos.iter().enumerate().skip(1) {
            if body.contains(&format!("bp{i}.")) {
                let path = match proto.options.go_package_path.as_str() {
                    "" => format!("{}_bp", proto.name),
                    path => path.to_owned(),
                };
                imports.push((path.clone(), format!("bp{i} \"{path}\"")));
            }
        }
        imports.sort();
        imports.iter().for_each(|(_, line)| head.line(line));
        head.close(")");
        let head = head.finish().replace("\n\n)", "\n)").replace("import (\n)\n", "");
        format!("{head}\n{}\n", body.trim_end()).replace("\n\n\n", "\n\n")
    }

    fn type_name(&self, head: &Head, name: String) -> String {
        match head.proto.index() {
            0 => name,
            proto => format!("bp{proto}.{name}"),
        }
    }

    fn enum_name(&self, id: EnumId) -> String {
        let head = &self.schema.enumeration(id).head;
        self.type_name(head, head.joined("_"))
    }

    fn message_name(&self, id: MessageId) -> String {
        pascal(&self.schema.message(id).head.joined("_"))
    }

    /// Whether the message has an interface.
    fn is_chosen(&self, id: MessageId) -> bool {
        let name = &self.schema.message(id).head.name;
        self.options.filter.as_ref().is_none_or(|names| names.contains(name))
    }

    /// With a filter, only what the chosen messages call is printed.
    fn choose_helpers(&mut self) {
        self.helpers = self.schema.messages_of(ProtoId(0)).fold(self.helpers.clone(), |mut all, id| {
            all[id.index()] = self.is_chosen(id);
            all
        });
        // Messages follow those that they contain, so one way back finds all.
        for (i, message) in self.schema.messages.iter().enumerate().rev() {
            if self.helpers[i] {
                message.fields.iter().for_each(|f| self.need(&f.ty));
            }
        }
    }

    /// A type's message needs its helpers; types nest in bounds.
    fn need(&mut self, ty: &Type) {
        match self.schema.strip(ty) {
            Type::Message(id) => self.helpers[id.index()] = true,
            Type::Array(a) => self.need(&a.element),
            _ => {}
        }
    }

    /// The expression of a place, `further` elements behind, and its type.
    fn place(&self, root: MessageId, place: &Place, further: u32) -> (String, Type) {
        let mut text = "m".to_owned();
        let mut ty = Type::Message(root);
        for (i, select) in place.0.iter().enumerate() {
            let inner = self.schema.strip(&ty).clone();
            match (select, inner) {
                (Select::Field(index), Type::Message(id)) => {
                    let field = &self.schema.message(id).fields[*index];
                    text += &format!(".{}", member(&field.name));
                    ty = field.ty.clone();
                }
                (Select::Index(index), Type::Array(array)) => {
                    let further = if i + 1 == place.0.len() { further } else { 0 };
                    text += &format!("[{}]", index_text(index, further));
                    ty = array.element;
                }
                // Plans select fields of messages and elements of arrays only.
                _ => {}
            }
        }
        (text, ty)
    }

    /// `count` array elements, the first one named by the place, `further` behind.
    fn slice(&self, root: MessageId, place: &Place, further: u32, count: u32) -> String {
        let mut list = place.clone();
        let Some(Select::Index(index)) = list.0.pop() else { return String::new() };
        let list = self.place(root, &list, 0).0;
        let from = index_text(&index, further);
        match index.level {
            None => format!("{list}[{from}:{}]", index.add + further + count),
            Some(_) => format!("{list}[{from}:]"),
        }
    }

    /// The type of a value.
    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Byte => "byte".to_owned(),
            Type::Uint(n) => format!("uint{}", storage(u64::from(*n))),
            Type::Int(n) => format!("int{}", storage(u64::from(*n))),
            Type::Float(64) => "float64".to_owned(),
            Type::Float(_) => "float32".to_owned(),
            Type::Char => "byte".to_owned(),
            Type::Enum(id) => self.enum_name(*id),
            Type::Alias(id) => {
                let head = &self.schema.alias(*id).head;
                self.type_name(head, pascal(&head.name))
            }
            Type::Message(id) => self.type_name(&self.schema.message(*id).head, self.message_name(*id)),
            Type::Array(a) => format!("[{}]{}", a.capacity, self.ty(&a.element)),
        }
    }

    fn enumeration(&self, id: EnumId, w: &mut Writer) {
        let of = self.schema.enumeration(id);
        let name = of.head.joined("_");
        comment(&of.head.doc, w);
        w.line(format!("type {name} uint{}", storage(u64::from(of.bits))));
        let scope: String = of.head.scope.iter().map(|s| format!("{s}_")).collect();
        let values: Vec<(String, u64)> =
            of.values.iter().map(|v| (upper(&snake(&format!("{scope}{}", v.name))), v.value)).collect();
        for (value, number) in &values {
            w.blank();
            w.line(format!("const {value} {name} = {number}"));
        }
        w.blank();
        w.line("// String returns the name of the value.");
        w.open(format!("func (v {name}) String() string {{"));
        w.line("switch v {");
        for (value, _) in &values {
            w.line(format!("case {value}:"));
            w.line(format!("\treturn \"{value}\""));
        }
        w.line("}");
        w.line(format!("return \"{name}(\" + strconv.FormatUint(uint64(v), 10) + \")\""));
        w.close("}");
    }

    fn message(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let (name, size) = (self.message_name(id), message.bytes());
        comment(&message.head.doc, w);
        if message.fields.is_empty() {
            w.line(format!("type {name} struct{{}}"));
        } else {
            w.open(format!("type {name} struct {{"));
            for field in &message.fields {
                // Blank lines keep gofmt from aligning.
                w.line(format!("{} {} `json:\"{}\"`", member(&field.name), self.ty(&field.ty), field.name));
                w.blank();
            }
            w.close("}");
        }
        w.blank();
        let length = format!("BYTES_LENGTH_{}", upper(&snake(&name)));
        w.line(format!("// {length} is the number of bytes of {name}."));
        w.line(format!("const {length} uint32 = {size}"));
        w.blank();
        w.lines(&format!(
            "// Size returns the number of bytes.\nfunc (m *{name}) Size() uint32 {{ return {size} }}"
        ));
        w.blank();
        w.lines(&format!("// String returns the JSON text.\nfunc (m *{name}) String() string {{ return string(m.AppendJSON(nil)) }}"));
        w.blank();
        if self.is_chosen(id) {
            self.interface(id, w);
        }
        if self.helpers[id.index()] {
            self.put(id, w);
            self.get(id, w);
            self.read(id, w);
        }
        self.json(id, w);
        self.rules(id, w);
    }

    /// What users call.
    fn interface(&self, id: MessageId, w: &mut Writer) {
        let message = self.schema.message(id);
        let values = [("NAME", self.message_name(id)), ("SIZE", message.bytes().to_string())];
        let fill =
            |text: &str| values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        let checked = |text: &str| {
            let text = fill(text);
            if !self.has_ranges(id) {
                return text;
            }
            // EncodeTo and Decode refuse values out of their ranges.
            text.replace(
                "\tm.BpPut(s)\n\treturn ",
                "\tif err := m.Check(); err != nil {\n\t\treturn 0, err\n\t}\n\tm.BpPut(s)\n\treturn ",
            )
            .replace(", nil\n}", ", m.Check()\n}")
            .replace(", nil\n\t}", ", m.Check()\n\t}")
        };
        let interface = checked(INTERFACE).replace(", m.Check()\n}", ", nil\n}");
        w.lines(&interface);
        w.lines(&checked(if message.has_marks { DECODE_MARKED } else { DECODE }));
        w.blank();
    }
}

fn constant(constant: &Constant, w: &mut Writer) {
    comment(&constant.head.doc, w);
    let name = upper(&constant.head.name);
    match &constant.value {
        ConstantValue::Bool(value) => w.line(format!("const {name} = {value}")),
        ConstantValue::Integer(digits) => w.line(format!("const {name} = {digits}")),
        ConstantValue::Text(text) => {
            w.line(format!("const {name} = {}", crate::c::bitproto::string_literal(text).replace("\\?", "?")))
        }
    }
}

fn comment(doc: &[String], w: &mut Writer) {
    for line in doc {
        w.line(format!("// {}", line.trim()));
    }
}

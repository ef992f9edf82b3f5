//! Generated names and case conversions as bitproto 1.3.2 makes them.

use super::{check_schema, field, read_json};
use vproto_ir::wire::case::{pascal, snake};
use vproto_ir::wire::names::{NameStyle, c_constant, c_enum_value, c_length, c_type};
use vproto_ir::wire::schema::{Item, ProtoId, Schema};

#[test]
fn cases_are_converted_as_in_the_reference() {
    let json = read_json("case_styles.json");
    for (rule, convert) in [("pascal_case", pascal as fn(&str) -> String), ("snake_case", snake)] {
        for (name, wanted) in field(&json, rule).as_object().expect("an object") {
            assert_eq!(convert(name), wanted.as_str().expect("a text"), "{rule} of {name}");
        }
    }
}

#[test]
fn c_names_are_as_in_the_reference() {
    for (schema_name, languages) in read_json("names.json").as_object().expect("an object") {
        let checked = check_schema(schema_name);
        let names = c_names(&checked.schema);
        for row in field(languages, "c").as_array().expect("a list") {
            let cell = |i: usize| row.get(i).and_then(|c| c.as_str()).expect("a text");
            if matches!(cell(0), "field" | "package") {
                continue;
            }
            let wanted = (cell(0).to_owned(), cell(1).to_owned(), cell(2).to_owned());
            assert!(names.contains(&wanted), "{schema_name}: {wanted:?} is not in {names:?}");
        }
    }
}

fn c_names(schema: &Schema) -> Vec<(String, String, String)> {
    let style = NameStyle::Reference;
    let mut names = Vec::new();
    let mut add = |what: &str, path: String, name: String| names.push((what.to_owned(), path, name));
    for item in &schema.protos[ProtoId(0).index()].items {
        match item {
            Item::Constant(id) => {
                let head = &schema.constants[id.index()].head;
                add("constant", head.path(), c_constant(schema, head, style));
            }
            Item::Alias(id) => {
                add("alias", schema.alias(*id).head.path(), c_type(schema, &schema.alias(*id).head, style));
            }
            Item::Enum(id) => {
                let of = schema.enumeration(*id);
                add("enum", of.head.path(), c_type(schema, &of.head, style));
                for value in &of.values {
                    let path = format!("{}.{}", of.head.path(), value.name);
                    add("enum value", path, c_enum_value(schema, *id, &value.name, style));
                }
            }
            Item::Message(id) => {
                let head = &schema.message(*id).head;
                add("message", head.path(), c_type(schema, head, style));
                add("length constant", head.path(), c_length(schema, *id, style));
            }
        }
    }
    names
}

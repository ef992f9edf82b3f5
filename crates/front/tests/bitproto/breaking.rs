//! Which changes of a schema peers survive.

use super::{check_schema, read_json};
use vproto_front::bitproto::{Loaded, Options, check};
use vproto_ir::wire::breaking::compare;
use vproto_ir::wire::schema::Schema;

fn schema(source: &str) -> Schema {
    let root = Loaded { name: "x.bitproto".to_owned(), bytes: format!("proto x\n{source}\n").into_bytes() };
    let checked =
        check(root, &mut |_, _| Err("none".to_owned()), Options { quiet: true, refuse_marks: false });
    assert!(!checked.has_errors(), "{source}: {:?}", checked.diagnostics);
    checked.schema
}

#[test]
fn changes_are_judged_by_the_wire() {
    // Old, new, whether it breaks, a part of what is said ("" for nothing).
    let cases = [
        ("message A { bool a = 1 }", "message A { bool renamed = 1 }", false, ""),
        ("message A { bool a = 1 }", "message A { bool a = 9 }", false, ""),
        ("message A { bool a = 1 }", "", true, "was removed"),
        ("message A { bool a = 1 }", "message A { bool a = 1; bool b = 2 }", true, "not extensible"),
        ("message A' { bool a = 1 }", "message A' { bool a = 1; bool b = 2 }", false, "added to the end"),
        ("message A' { bool a = 1; bool b = 2 }", "message A' { bool a = 1 }", false, "removed from the end"),
        ("message A' { bool a = 2 }", "message A' { bool b = 1; bool a = 2 }", true, "inserted before"),
        ("message A' { bool a = 1; byte b = 2 }", "message A' { byte b = 2 }", true, "removed before"),
        (
            "message A { bool a = 1; byte b = 2 }",
            "message A { byte b = 1; bool a = 2 }",
            true,
            "8 bits instead of 1",
        ),
        ("message A { bool a = 1 }", "message A' { bool a = 1 }", true, "became extensible"),
        ("message A { uint7 a = 1 }", "message A { uint8 a = 1 }", true, "8 bits instead of 7"),
        ("message A { uint8 a = 1 }", "message A { byte a = 1 }", false, ""),
        ("message A { uint8 a = 1 }", "message A { int8 a = 1 }", true, "became signed"),
        ("message A { byte[3] a = 1 }", "message A { byte[4] a = 1 }", true, "4 elements instead of 3"),
        ("message A { byte[3]' a = 1 }", "message A { byte[4]' a = 1 }", false, "room for 4"),
        ("message A { byte[3] a = 1 }", "message A { byte[3]' a = 1 }", true, "became an extensible array"),
        ("type T = uint3\nmessage A { T a = 1 }", "message A { uint3 a = 1 }", false, ""),
        ("enum E : uint3 { X = 0 }", "enum E : uint3 { X = 0; Y = 1 }", false, "was added"),
        ("enum E : uint3 { X = 0; Y = 1 }", "enum E : uint3 { X = 0; Y = 2 }", true, "2 instead of 1"),
        (
            "message B { bool a = 1 }\nmessage A { B a = 1 }",
            "message A { bool[3] a = 1 }",
            true,
            "another kind",
        ),
    ];
    for (old, new, breaks, said) in cases {
        let changes = compare(&schema(old), &schema(new));
        assert_eq!(changes.iter().any(|c| c.breaking), breaks, "{old} -> {new}: {changes:?}");
        let found =
            if said.is_empty() { changes.is_empty() } else { changes.iter().any(|c| c.text.contains(said)) };
        assert!(found, "{old} -> {new}: {changes:?}");
    }
}

#[test]
fn the_evolution_pair_is_compatible_both_ways() {
    let json = read_json("s14_evolution.json");
    let file = |which: &str| check_schema(json[which].as_str().expect("a name")).schema;
    for (a, b) in [("old", "new"), ("new", "old")] {
        let changes = compare(&file(a), &file(b));
        assert!(!changes.is_empty() && changes.iter().all(|c| !c.breaking), "{changes:?}");
    }
}

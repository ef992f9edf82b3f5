//! What is accepted and refused, where, and that nothing panics.

use super::{Json, check_schema, field, folder, read_json, schemas, text};
use vproto_front::bitproto::{Checked, Loaded, Options, check};
use vproto_ir::wire::schema::{ConstantValue, ProtoId};
use vproto_source::code::{self, bitproto as codes};
use vproto_source::{Code, Diagnostic};

/// The classes that the reference gives to what has this code.
fn classes(code: Code) -> &'static [&'static str] {
    match code {
        codes::INVALID_TOKEN | codes::OPEN_STRING => &["LexerError"],
        codes::BAD_ESCAPE => &["InvalidEscapingChar"],
        codes::UINT_WIDTH => &["InvalidUintCap"],
        codes::INT_WIDTH => &["InvalidIntCap"],
        codes::UNEXPECTED | codes::LINE_BREAK | codes::COMMENT_AT_END | codes::BLOCK_COMMENT => {
            &["GrammarError"]
        }
        codes::NOT_IN_MESSAGE => {
            &["AliasInMessageUnsupported", "ConstInMessageUnsupported", "ImportInMessageUnsupported"]
        }
        codes::NOT_IN_ENUM => {
            &["ConstInEnumUnsupported", "MessageInEnumUnsupported", "EnumInEnumUnsupported"]
        }
        codes::PROTO_MISPLACED => &["UnsupportedToDeclareProtoNameOutofProtoScope"],
        codes::NO_PROTO => &["ProtoNameUndefined"],
        codes::DUPLICATE => &["DuplicatedDefinition"],
        codes::UNDEFINED_TYPE => &["ReferencedTypeNotDefined"],
        codes::NOT_A_TYPE => &["ReferencedNotType"],
        codes::UNDEFINED_CONSTANT => &["ReferencedConstantNotDefined"],
        codes::NOT_A_CONSTANT => &["ReferencedNotConstant"],
        codes::NOT_AN_INTEGER => &["CalculationExpressionError"],
        codes::DIVISION_BY_ZERO => &["ZeroDivisionError"],
        codes::ARRAY_CAPACITY => &["InvalidArrayCap"],
        codes::ALIASED_TYPE => &["InvalidAliasedType"],
        codes::ENUM_VALUE_RANGE => &["EnumFieldValueOverflow"],
        codes::ENUM_VALUE_TWICE => &["DuplicatedEnumFieldValue"],
        codes::FIELD_NUMBER => &["InvalidMessageFieldNumber"],
        codes::FIELD_NUMBER_TWICE => &["DuplicatedMessageFieldNumber"],
        codes::MESSAGE_TOO_LARGE => &["MessageSizeOverflows"],
        codes::OPTION_UNKNOWN => &["UnsupportedOption"],
        codes::OPTION_VALUE => &["InvalidOptionValue"],
        codes::IMPORT_UNREADABLE => &["FileNotFoundError"],
        codes::IMPORT_TWICE => &["DuplicatedImport"],
        codes::IMPORT_CYCLE => &["CyclicImport"],
        _ => &[],
    }
}

fn check_text(name: &str, source: &[u8], others: &Json) -> Checked {
    let root = Loaded { name: format!("{name}.bitproto"), bytes: source.to_vec() };
    let mut load = |_: &str, path: &str| {
        let bytes = if path == format!("{name}.bitproto") {
            source.to_vec()
        } else {
            others.get(path).and_then(Json::as_str).ok_or("no such file")?.as_bytes().to_vec()
        };
        Ok(Loaded { name: path.to_owned(), bytes })
    };
    check(root, &mut load, Options::default())
}

fn errors(checked: &Checked) -> Vec<&Diagnostic> {
    checked.diagnostics.iter().filter(|d| d.is_error()).collect()
}

#[test]
fn accepts_and_refuses_what_the_reference_does() {
    let json = read_json("errors.json");
    let cases = field(&json, "cases").as_array().expect("a list");
    assert_eq!(cases.len(), 136);
    for case in cases {
        let (name, source) = (text(case, "name"), text(case, "source"));
        let checked = check_text(name, source.as_bytes(), field(&json, "files"));
        let errors = errors(&checked);
        if field(case, "ok") == &Json::Bool(true) {
            assert!(errors.is_empty(), "{name}: {errors:?}\n{source}");
            check_facts(name, case, &checked);
            continue;
        }
        let class = text(case, "error");
        let line = field(case, "line").as_u64().unwrap_or(0);
        let hit = errors.iter().any(|d| {
            let at = u64::from(checked.files.place(d.primary.span).line);
            classes(d.code).contains(&class) && (line == 0 || at == line)
        });
        assert!(hit, "{name}: wanted {class} in line {line}, got {errors:?}\n{source}");
        // A text over two lines opens a second one at its end.
        let wanted = if name == "const_str_2lines" { 3 } else { 1 };
        assert_eq!(errors.len(), wanted, "{name}: one fault is one finding: {errors:?}\n{source}");
    }
}

fn check_facts(name: &str, case: &Json, checked: &Checked) {
    let schema = &checked.schema;
    let messages = field(case, "messages").as_object().expect("an object");
    assert_eq!(schema.messages_of(ProtoId(0)).count(), messages.len(), "{name}");
    for (path, bits) in messages {
        let id = schema.find_message(path).unwrap_or_else(|| panic!("{name}: no message {path}"));
        assert_eq!(u64::from(schema.message(id).bits), bits.as_u64().expect("a size"), "{name}: {path}");
    }
    for (constant, value) in field(case, "constants").as_object().expect("an object") {
        let found = schema.constants.iter().find(|c| c.head.name == *constant && c.head.proto == ProtoId(0));
        let found = &found.unwrap_or_else(|| panic!("{name}: no constant {constant}")).value;
        let same = match found {
            ConstantValue::Bool(b) => value == &Json::Bool(*b),
            ConstantValue::Integer(n) => value.as_i64().is_some_and(|v| v.to_string() == *n),
            ConstantValue::Text(t) => value.as_str() == Some(t),
        };
        assert!(same, "{name}: {constant} is {found:?}, not {value}");
    }
}

#[test]
fn reports_all_errors_at_once_with_their_places() {
    let source = "proto x\nmessage A {\n    uint65 a = 1\n    Bogus b = 2\n    bool c = 0\n    bool a = 4\n}\n\
                  const N = 1 / 0\ntype T = Aa\n";
    let checked = check_text("x", source.as_bytes(), &Json::Null);
    let found: Vec<(Code, u32, u32)> = errors(&checked)
        .iter()
        .map(|d| {
            (d.code, checked.files.place(d.primary.span).line, checked.files.place(d.primary.span).column)
        })
        .collect();
    let wanted = [
        (codes::UINT_WIDTH, 3, 5),
        (codes::UNDEFINED_TYPE, 4, 5),
        (codes::FIELD_NUMBER, 5, 14),
        (codes::DUPLICATE, 6, 10),
        (codes::DIVISION_BY_ZERO, 8, 13),
        (codes::UNDEFINED_TYPE, 9, 10),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn limits_instead_of_overflowing() {
    let deep = |n: usize| format!("proto x\n{}{}\n", "message A { ".repeat(n), "}".repeat(n));
    assert!(errors(&check_text("x", deep(64).as_bytes(), &Json::Null)).is_empty());
    let found = check_text("x", deep(100_000).as_bytes(), &Json::Null);
    assert!(errors(&found).iter().any(|d| d.code == codes::SYNTAX_DEPTH));

    let parentheses = format!("proto x\nconst A = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert!(errors(&check_text("x", parentheses.as_bytes(), &Json::Null)).is_empty());

    let mut chain = "proto x\ntype T0 = bool[1]\n".to_owned();
    (1..200).for_each(|i| chain += &format!("type T{i} = T{}[65535]\n", i - 1));
    let found = check_text("x", chain.as_bytes(), &Json::Null);
    assert!(errors(&found).iter().all(|d| d.code == codes::TYPE_DEPTH) && !errors(&found).is_empty());

    let mut squares = "proto x\nconst A0 = 10\n".to_owned();
    (1..40).for_each(|i| squares += &format!("const A{i} = A{0} * A{0}\n", i - 1));
    let found = check_text("x", squares.as_bytes(), &Json::Null);
    assert!(errors(&found).iter().all(|d| d.code == codes::NUMBER_TOO_LARGE) && !errors(&found).is_empty());

    let mut empty = "proto x\nmessage M0 {}\n".to_owned();
    (1..45).for_each(|i| empty += &format!("message M{i} {{ M{0}[65535] a = 1; M{0} b = 2 }}\n", i - 1));
    let found = check_text("x", empty.as_bytes(), &Json::Null);
    assert!(errors(&found).is_empty());
    let plan = vproto_ir::wire::plan::plan(&found.schema, vproto_ir::wire::plan::Limits::default());
    assert!(plan.messages.iter().all(|m| m.steps.is_empty()));
}

/// Numbers that look random, the same in each run.
fn noise(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    }
}

#[test]
fn any_bytes_get_an_answer() {
    let corpus: Vec<Vec<u8>> =
        schemas().iter().filter_map(|n| std::fs::read(folder().join("schemas").join(n)).ok()).collect();
    let pieces: [&[u8]; 22] = [
        b"{",
        b"}",
        b"'",
        b"\"",
        b"(",
        b")",
        b"[",
        b"]",
        b"=",
        b";",
        b"\n",
        b"//",
        b"/*",
        b"message A",
        b"enum E : uint3",
        b"type T",
        b"const ",
        b"0x",
        b"import ",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"option max_bytes = ",
    ];
    let mut random = noise(7);
    for round in 0..1500 {
        let mut bytes = corpus[round % corpus.len()].clone();
        bytes.truncate(1500);
        for _ in 0..=random(6) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, random(256) as u8),
                2 => drop(bytes.splice(at..(at + random(20)).min(bytes.len()), [])),
                _ => drop(bytes.splice(at..at, pieces[random(pieces.len())].iter().copied())),
            }
        }
        let checked = check_text("x", &bytes, &Json::Null);
        for found in &checked.diagnostics {
            assert!(checked.files.place(found.primary.span).line > 0);
        }
    }
}

#[test]
fn vectors_are_accepted_and_lint_is_as_in_the_reference() {
    for name in schemas() {
        let checked = check_schema(&name);
        assert!(errors(&checked).is_empty(), "{name}: {:?}", errors(&checked));
    }
    let source = "proto x\nmessage A {\n  uint8 u8 = 1\n uint8 aB = 2\n}\nenum ee : uint3 {\n  a = 1\n}\n\
                  const aB = 1\ntype tt = bool\nmessage foo_bar {\nmessage in_ner {\n  bool X = 1\n}\n}\n";
    let checked = check_text("x", source.as_bytes(), &Json::Null);
    let lines = |code| -> Vec<u32> {
        let of_code = checked.diagnostics.iter().filter(|d| d.code == code);
        of_code.map(|d| checked.files.place(d.primary.span).line).collect()
    };
    assert_eq!(lines(codes::INDENT), [3, 4, 7, 13]);
    assert_eq!(lines(codes::PASCAL_CASE), [6, 10, 11, 12]);
    assert_eq!(lines(codes::UPPER_CASE), [7, 9]);
    assert_eq!(lines(codes::SNAKE_CASE), [3, 4, 13]);
    assert_eq!(lines(codes::ENUM_ZERO), [6]);
}

#[test]
fn every_code_is_explained() {
    for entry in code::entries().filter(|e| e.code.0.as_bytes().get(1) == Some(&b'1')) {
        assert!(!entry.title.is_empty() && entry.text.ends_with('.'), "{:?}", entry.code);
    }
}

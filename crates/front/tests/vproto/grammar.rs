//! What single tokens mean: sets, counts, types, options.

use crate::{grammar_of, kinds, module};
use vproto_ir::ByteSet;
use vproto_ir::grammar::{
    Bound, Counts, Digest, Hint, IntType, Literal, Max, Min, Scan, Store, TokenKind, Until,
};
use vproto_ir::ids::{ExprId, Id, VarId};
use vproto_ir::portable::{ExprKind, Type};
use vproto_ir::symbols::{Role, VarType};

fn scan(text: &str) -> Scan {
    match kinds(text).into_iter().find(|k| matches!(k, TokenKind::Scan(_))) {
        Some(TokenKind::Scan(scan)) => scan,
        other => panic!("{other:?}"),
    }
}

/// Counts as `min..max`, with `!` behind a written minimum.
fn counts(text: &str) -> String {
    let counts = match kinds(text).into_iter().next() {
        Some(TokenKind::Scan(scan)) => scan.counts,
        Some(TokenKind::Literal(literal)) => literal.counts,
        other => panic!("{other:?}"),
    };
    show(counts)
}

fn show(counts: Counts) -> String {
    let min = match counts.min {
        Min::Fixed(n) => n.to_string(),
        Min::Expr(_) => "e".to_string(),
        Min::Max => "max".to_string(),
    };
    let max = match counts.max {
        Max::Fixed(n) => n.to_string(),
        Max::Expr(_) => "e".to_string(),
        Max::None => String::new(),
    };
    format!("{min}..{max}{}", if counts.min_written { "!" } else { "" })
}

#[test]
fn default_counts() {
    let cases = [
        ("[a]", "1..1"),
        ("[a]->f", "1.."),
        ("\"ab\"", "1..1"),
        ("u8", "1.."),
        ("h64:x", "1.."),
        ("i16:x", "1.."),
        ("b8", "1..1"),
        ("be8:x", "1..1"),
        ("le24:x", "3..3"),
        ("be64", "8..8"),
        ("lef32:x", "4..4"),
        ("bool:x", "1..1"),
        ("data", "0.."),
        ("data:f", "0.."),
        ("string:x", "0.."),
        ("array:x(init=4)", "0.."),
        ("bits{a:4 b:12}", "2..2"),
        ("[\\x00-\\xff]", "1..1"),
        ("[\\x00-\\xff]->f", "0.."),
        ("[\\x00-\\xff]->f(max=3)", "3..3"),
    ];
    for (text, expected) in cases {
        assert_eq!(counts(text), expected, "{text}");
    }
}

#[test]
fn written_counts() {
    let cases = [
        ("[a]?", "0..1!"),
        ("[a]*", "0..!"),
        ("[a]+", "1..!"),
        ("[a](max=3)", "1..3"),
        ("[a](min=3)", "3..!"),
        ("[a](min=2, max=3)", "2..3!"),
        ("[a] (max=3)", "1..3"),
        ("[a]*->string:x", "0..!"),
        ("[a]->string:x(max=3)", "1..3"),
        ("[a](max=3)->string:x", "1..3"),
        ("[a]->string(max=3):x", "1..3"),
        ("[a]*(max=3)", "0..3!"),
        ("u8:x(max=3)", "1..3"),
        ("u8:x?", "0..1!"),
        ("u8?:x", "0..1!"),
        ("u8(max=3):x", "1..3"),
        ("b8?", "0..1!"),
        ("\"ab\"(max=2)", "1..2"),
        ("\"ab\"*", "0..!"),
        ("data(max=3)", "3..3"),
        ("data(max=left)", "max..e"),
        ("data(min=2)", "2..!"),
        ("data(min=0, max=left)", "0..e!"),
        ("[a](min=left, max=left)", "e..e!"),
        ("data:f(until=\"x\", max=7)", "0..7"),
        ("array:x(max=2 * 3)", "6..6"),
    ];
    for (text, expected) in cases {
        assert_eq!(counts(text), expected, "{text}");
    }
    assert_eq!(counts("@const N = 2\n@const M = N << 2\n[a](max=M + 1)"), "1..9");
}

#[test]
fn sets_and_literals() {
    assert_eq!(scan("[a-c\\-\\]\\x00^]").set, ByteSet::from_iter(*b"abc-]\0^"));
    assert_eq!(scan("[^\\r\\n]").set, !ByteSet::from_iter(*b"\r\n"));
    assert_eq!(scan("[/\\\\*{<\"']").set, ByteSet::from_iter(*b"/\\*{<\"'"));
    let literals: Vec<(Vec<u8>, bool)> = kinds("\"G\\x45T\\0\" 'get\\'s' '1-2'")
        .into_iter()
        .map(|k| match k {
            TokenKind::Literal(Literal { text, fold, .. }) => (text, fold),
            other => panic!("{other:?}"),
        })
        .collect();
    // The quotes are kept even where there is no letter to fold: error messages show them.
    assert_eq!(literals, [(b"GET\0".to_vec(), false), (b"get's".to_vec(), true), (b"1-2".to_vec(), true)]);
}

fn var(text: &str, name: &str) -> VarType {
    let module = module(text);
    let id = module.symbols.var(name).unwrap_or_else(|| panic!("{name} is not there"));
    module.symbols.vars[id].ty
}

fn int(bits: u8, signed: bool) -> VarType {
    VarType::Int { bits, signed }
}

#[test]
fn types_of_variables() {
    assert_eq!(var("u8:x", "x"), int(8, false));
    assert_eq!(var("i64:x", "x"), int(64, true));
    assert_eq!(var("le24:x", "x"), int(32, false));
    assert_eq!(var("be16:x(signed)", "x"), int(16, true));
    assert_eq!(var("u8:x be16:x", "x"), int(16, false));
    assert_eq!(var("bits{a:1 b:7 c:20 _:4}", "a"), int(8, false));
    assert_eq!(var("bits{a:1 b:7 c:20 _:4}", "c"), int(32, false));
    assert_eq!(var("bits{a:1 b:7}(signed)", "a"), int(8, true));
    assert_eq!(var("bitsle{a:1 b:7}\n\nbool:a", "a"), VarType::Bool);
    assert_eq!(var("varint:x", "x"), int(64, false));
    assert_eq!(var("bef64:x", "x"), VarType::Float { bits: 64 });
    assert_eq!(var("string_view:x", "x"), VarType::View);
    assert_eq!(var("array:x(max=6, init=4)", "x"), VarType::Array { capacity: 4 });
    assert_eq!(var("array:x(max=6) array:x(max=9)", "x"), VarType::Array { capacity: 9 });
    assert_eq!(var("[0-9]->uint:x", "x"), int(64, false));
    assert_eq!(var("[+\\-0-9]->int:x", "x"), int(64, true));
    assert_eq!(var("[\\x01-\\x3f]->be:x(max=1)", "x"), int(8, false));
    assert_eq!(var("[^x]->le:x(max=3)", "x"), int(32, false));
    assert_eq!(var("[^x]->binBe:x(signed)", "x"), int(64, true));
    assert_eq!(var("[01]->bool:x", "x"), VarType::Bool);
    assert_eq!(var("begin:inet16:x data:f(max=2) end:x", "x"), int(16, false));
}

#[test]
fn digits_and_binary_numbers() {
    let ty = |bits, signed, wrap| IntType { bits, signed, wrap };
    let digits = scan("h16:x(wrap, min=2)");
    assert_eq!(digits.set, ByteSet::hex_digits());
    assert_eq!(
        digits.store,
        Store::Digits { var: VarId(0), radix: 16, ty: ty(16, false, true), trim: false }
    );
    let signed = scan("i8:x");
    assert!(signed.sign && signed.set == ByteSet::digits());
    let redirected = scan("[+\\- 0-9]->int:x(trim)");
    assert!(redirected.sign);
    assert_eq!(redirected.set, ByteSet::digits() | ByteSet::byte(b' '));
    assert!(matches!(redirected.store, Store::Digits { trim: true, .. }));
    // The type of one token may be narrower than that of the variable.
    let kinds = kinds("b8:x be24:x(swap=x > 1)");
    let TokenKind::Scan(Scan { store: Store::Binary { ty: narrow, big: false, .. }, .. }) = &kinds[0] else {
        panic!()
    };
    assert_eq!(*narrow, ty(8, false, false));
    let TokenKind::Scan(Scan { store: Store::Binary { ty: wide, big: true, swap: Some(_), .. }, .. }) =
        &kinds[1]
    else {
        panic!()
    };
    assert_eq!(*wide, ty(24, false, false));
}

#[test]
fn text_options() {
    let store = |text| scan(text).store;
    let text = |append, trim, keep| Store::Text { var: VarId(0), append, trim, keep };
    assert_eq!(store("string:x(append, trim, init=5)"), text(true, true, Some(Bound::Fixed(5))));
    assert_eq!(store("array:x(init=5)"), text(false, false, None));
    assert_eq!(store("array:x(max=5, init=2) array:x(max=9)"), text(false, false, Some(Bound::Fixed(2))));
    assert_eq!(store("string_view:x(trim)"), text(false, true, None));
    assert_eq!(store("data:f"), Store::Stream(vproto_ir::ids::FunctionId(0)));
    assert_eq!(store("data(max=3)"), Store::Skip);
    assert_eq!(scan("string:x(until=\"\\r\\n\")").until, Some(Until::Text(b"\r\n".to_vec())));
    assert_eq!(scan("data:f(until=b) string:b").until, Some(Until::Var(VarId(0))));
    assert_eq!(scan("data:f(xor=k) array:k(max=4)").xor, Some(VarId(0)));
    assert_eq!(scan("[^x](sse)").hint, Hint::Vector);
    assert_eq!(scan("[^x](nosse)*").hint, Hint::Never);
    assert_eq!(scan("[^x]+(sse=AVX2)").hint, Hint::Avx2);
}

#[test]
fn conditions_stand_at_the_token() {
    let module =
        module("b8:x \"a\"(if=x == 1) call:l(if=x, max=x, times=2, keep=x)\n\nlabel:l \"b\" return\n");
    let conditions: Vec<Option<ExprId>> = module.tokens.rows().iter().map(|t| t.condition).collect();
    assert!(conditions[0].is_none() && conditions[1].is_some() && conditions[2].is_some());
    let TokenKind::Call(call) = &module.tokens.rows()[2].kind else { panic!() };
    assert!(matches!(call.max, Some(Bound::Expr(_))));
    assert_eq!(call.times, Some(Bound::Fixed(2)));
    assert_eq!(call.keep, [VarId(0)]);
}

#[test]
fn enums_in_three_forms() {
    let listed = module("enum{a, b = 5, c}:v \"x\"");
    assert_eq!(listed.symbols.enums.rows()[0].members, [("a".into(), 0), ("b".into(), 5), ("c".into(), 6)]);
    assert_eq!(listed.tokens.rows()[0].kind, TokenKind::EnumInit(VarId(0)));
    let texts = kinds("enum{get \"GET\", post 'Post'}:v");
    let TokenKind::EnumText(text) = &texts[0] else { panic!() };
    assert_eq!(text.texts, [(0, b"GET".to_vec(), false), (1, b"Post".to_vec(), true)]);
    let read = module("be16->enum{ipv4 = 0x0800, arp = 0x0806}:v be16:v");
    assert!(matches!(read.symbols.vars.rows()[0].ty, VarType::Enum { bits: 16, .. }));
    assert!(matches!(
        &read.tokens.rows()[0].kind,
        TokenKind::Scan(Scan { store: Store::Binary { big: true, .. }, .. })
    ));
    // Equal lists are one type.
    let two = module("enum{a, b}:v enum{a, b}:w \"x\" notify:f(a)");
    assert_eq!(two.symbols.enums.len(), 1);
}

#[test]
fn one_name_may_be_called_in_two_ways() {
    let module = module("data:d(until=\"x\") notify:d begin:d \"y\" end:d");
    let roles: Vec<(&str, Role)> =
        module.symbols.functions.rows().iter().map(|f| (f.name.as_str(), f.role)).collect();
    assert_eq!(roles, [("d", Role::Stream), ("d", Role::Notify)]);
}

#[test]
fn spans_check_values_and_joined_modules_end() {
    let texts = [
        ("t.vproto", "begin:crc32:v vproto:m:w(max=2, join) end:v end:w begin:f \"x\" end:f"),
        ("m.vproto", "b8"),
    ];
    let grammar = grammar_of(&texts);
    let kinds: Vec<&TokenKind> =
        grammar.modules[grammar.root].tokens.rows().iter().map(|t| &t.kind).collect();
    assert!(matches!(kinds[0], TokenKind::BeginDigest(Digest::Crc32, VarId(0))));
    assert!(matches!(kinds[1], TokenKind::Module(m) if m.join && m.set.is_all() && show(m.counts) == "2..2"));
    assert!(matches!(kinds[2], TokenKind::EndDigest(VarId(0))));
    assert!(matches!(kinds[3], TokenKind::EndModule(VarId(1))));
    assert!(matches!(kinds[4], TokenKind::Begin(_)));
    assert!(matches!(kinds[6], TokenKind::End(_)));
}

#[test]
fn arguments_are_typed() {
    let module = module("u8:n string:s notify:f(n, s, n + 1, \"x\", n > 1, g(n))");
    let types: Vec<Type> = module.symbols.exprs.rows().iter().map(|e| e.ty).collect();
    assert_eq!(types, [Type::Int, Type::Text, Type::Int, Type::Text, Type::Bool, Type::Opaque]);
    assert_eq!(module.symbols.exprs.rows()[0].kind, ExprKind::Var(VarId::from_index(0)));
}

#[test]
fn nested_parallel_groups() {
    let module = module("<\"a\", <[b-c], \"d\" u8:x> \"e\">");
    let TokenKind::Parallel(outer) = &module.tokens[module.lines.rows()[0].tokens[0]].kind else { panic!() };
    assert_eq!(outer.sequences.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    let TokenKind::Parallel(inner) = &module.tokens[outer.sequences[1][0]].kind else { panic!() };
    assert_eq!(inner.sequences.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
}

//! Lines, branchings, trees, homes, labels, calls.

use crate::{grammar_of, module};
use vproto_ir::grammar::{LineRole, Module, TokenKind};
use vproto_ir::ids::{BranchingId, Id, LabelId, LineId, TreeId};
use vproto_ir::symbols::VarType;

/// The shape of a branching: line numbers of its alternatives, `c` and `f` in front of handlers, children in brackets.
fn shape(module: &Module, branching: BranchingId, text: &str) -> String {
    let row = &module.branchings[branching];
    let lines = row.alternatives.iter().chain(&row.catch).chain(&row.finish);
    let mut shapes: Vec<String> = lines.map(|&line| line_shape(module, line, text)).collect();
    if row.home {
        shapes.push("home".to_string());
    }
    shapes.join(" ")
}

fn line_shape(module: &Module, id: LineId, text: &str) -> String {
    let line = &module.lines[id];
    let number = text[..line.span.start as usize].matches('\n').count() + 1;
    let role = match line.role {
        LineRole::Alternative => "",
        LineRole::Catch => "c",
        LineRole::Finish => "f",
    };
    let below = line.children.map(|c| format!("[{}]", shape(module, c, text))).unwrap_or_default();
    format!("{role}{number}{}{below}", if line.continues { "\\" } else { "" })
}

fn shapes(text: &str) -> Vec<String> {
    let module = module(text);
    module.trees.rows().iter().map(|t| shape(&module, t.branching, text)).collect()
}

#[test]
fn the_example_of_the_manual() {
    let text = "\"1\" \"1\" \"1\"\n\t\"2\" \"2\" \\\n\t\t\"3\" \"3\"\n\t\t\"4\" \"4\"\n\t\"5\" \"5\"\n\t\"6\" \"6\"\n\"7\"\n";
    assert_eq!(shapes(text), ["1[2\\[3 4] 5 6] 7 home"]);
    assert_eq!(shapes(&text.replace('\t', "   ")), ["1[2\\[3 4] 5 6] 7 home"]);
    assert_eq!(shapes(&text.replace('\n', "\r\n")), ["1[2\\[3 4] 5 6] 7 home"]);
}

#[test]
fn blank_lines_and_called_labels_begin_trees() {
    let text = "call:a call:b\n// a comment is not blank\n\"x\"\n\n// a comment above a tree\nlabel:a \"a\" return\nlabel:b \"b\" return\nlabel:c \"c\" jmp:c\n";
    assert_eq!(shapes(text), ["1 3 home", "6 home", "7 8 home"]);
    // Blank lines elsewhere mean nothing.
    assert_eq!(shapes("\n\n\"a\"\n\n\t\"b\"\n   \n\t\"c\"\n"), ["3[5 7] home"]);
}

#[test]
fn handlers_are_no_alternatives() {
    let text = "\"a\"\n\t\"b\"\n\tcatch: \"c\"\n\tfinish:\ncatch: [^x]*\n";
    assert_eq!(shapes(text), ["1[2 c3 f4] c5 home"]);
    let module = module(text);
    assert_eq!(module.lines[LineId::from_index(3)].tokens, []);
}

#[test]
fn homes_lie_below_lines_without_bytes() {
    let text = "call:a call:b\n\nlabel:a { n = 0; } notify:f begin:g\n\t\"x\" end:g return\n\nlabel:b call:a\n\t\"y\" return\n\nu8:n\n";
    assert_eq!(shapes(text), ["1 home", "3[4 home] home", "6[7] home"]);
    let module = module(text);
    // Only depth-0 lines make homes below them.
    assert!(module.branchings.rows().iter().all(|b| !b.home || b.depth <= 1));
}

#[test]
fn a_block_spans_lines() {
    let text = "b8:x {\n  if (x == 1) { // }\n    foo(\"}\");\n  }\n}\n\t\"a\"\n";
    assert_eq!(shapes(text), ["1[6] home"]);
}

#[test]
fn labels_know_their_place() {
    let module = module("\"a\" label:x \"b\" jmp:x\n");
    let label = &module.labels[LabelId::from_index(0)];
    assert_eq!((label.name.as_str(), label.line, label.index), ("x", LineId::from_index(0), 1));
}

#[test]
fn back_names_enclosing_branchings() {
    let module = module("\"a\"\n\t\"b\"\n\t\t\"c\" back:1\n\"d\" back:0\n");
    let backs: Vec<u32> = module
        .tokens
        .rows()
        .iter()
        .filter_map(|t| match t.kind {
            TokenKind::Back(b) => Some(module.branchings[b].depth),
            _ => None,
        })
        .collect();
    assert_eq!(backs, [1, 0]);
}

#[test]
fn declarations_declare() {
    let text = "{ n = 1; } \"x\"\n\nu32:n = 7\nstring:s\nenum{a, b}:e = b\nbool:t = true\ni8:m = -3\nu64:big = 18446744073709551615\narray:k(init=4)\n";
    let module = module(text);
    assert_eq!(module.trees.len(), 1);
    let vars: Vec<(&str, Option<i128>)> =
        module.symbols.vars.rows().iter().map(|v| (v.name.as_str(), v.start)).collect();
    let big = i128::from(u64::MAX);
    assert_eq!(
        vars,
        [
            ("n", Some(7)),
            ("s", None),
            ("e", Some(1)),
            ("t", Some(1)),
            ("m", Some(-3)),
            ("big", Some(big)),
            ("k", None)
        ]
    );
    assert_eq!(module.symbols.vars.rows()[6].ty, VarType::Array { capacity: 4 });
}

#[test]
fn call_depth_is_exact_without_recursion() {
    let limits = |text| module(text).symbols.limits;
    let flat =
        limits("call:a call:b\n\nlabel:a call:b return\n\nlabel:b \"b\" jmp:c\n\nlabel:c \"c\" return\n");
    assert_eq!((flat.calls, flat.calls_exact), (2, true));
    let deep = limits("@limit calls=9\ncall:a\n\nlabel:a \"x\" call:a return\n");
    assert_eq!((deep.calls, deep.calls_exact), (9, false));
    let none = limits("\"a\"\n");
    assert_eq!((none.calls, none.calls_exact), (0, true));
    let kept = limits("@limit string=2K view=1M states=3\n\"a\"\n");
    assert_eq!((kept.string, kept.view, kept.states), (2048, 1 << 20, 3));
}

#[test]
fn included_lines_are_spliced_in() {
    let texts = [("a.vproto", "\"a\"\n\t@include \"b.vproto\"\n\t\"d\"\n"), ("b.vproto", "\"b\"\n\t\"c\"\n")];
    let grammar = grammar_of(&texts);
    let module = &grammar.modules[grammar.root];
    let depths: Vec<u32> = module.lines.rows().iter().map(|l| module.branchings[l.branching].depth).collect();
    assert_eq!(depths, [0, 1, 2, 1]);
    assert_eq!(module.lines.rows()[1].span.file.0, 1);
    // A tree of its own, with a blank line in the included file.
    let texts = [("a.vproto", "call:b\n@include \"b.vproto\"\n"), ("b.vproto", "\n\nlabel:b \"x\" return\n")];
    assert_eq!(grammar_of(&texts).modules.rows()[0].trees.len(), 2);
}

#[test]
fn modules_come_before_those_that_use_them() {
    let texts = [
        ("dir/a.vproto", "@module top\n@import \"c.vproto\"\nvproto:b:x(max=1) vproto:c:y(max=2)\n"),
        ("dir/b.vproto", "vproto:c:z(max=1)\n"),
        ("dir/c.vproto", "\"c\"\n"),
    ];
    let grammar = grammar_of(&texts);
    let names: Vec<&str> = grammar.modules.rows().iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["c", "b", "top"]);
    assert_eq!(grammar.root.index(), 2);
    assert!(
        matches!(grammar.modules[grammar.root].symbols.vars.rows()[1].ty, VarType::Module(m) if m.index() == 0)
    );
}

#[test]
fn directives_are_kept() {
    let text = "@output app::Out\n@doc \"one\\ntwo\"\n@cpp {\n#include <x>\n}\n@rust { use x; }\n\"a\"\n";
    let module = module(text);
    assert_eq!(module.output.as_deref(), Some("app::Out"));
    assert_eq!(module.docs, ["one\ntwo"]);
    let heads: Vec<(&str, &str)> = module.heads.iter().map(|(l, c)| (l.as_str(), c.text.as_str())).collect();
    assert_eq!(heads, [("cpp", "\n#include <x>\n"), ("rust", " use x; ")]);
    assert_eq!(module.trees[TreeId::from_index(0)].branching.index(), 0);
}

//! Corners where a pass that reasons about progress, handlers or returns goes wrong easily: what random descriptions
//! hardly write. The law, the machine as it was lowered and the machine behind each prefix of the passes agree.

#[allow(dead_code)]
mod common;

use common::{findings, lowered_text, parser};
use vproto_front::vproto::{KnownFiles, parse};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_opt::{PASSES, run};
use vproto_source::{Diagnostics, File, Files};
use vproto_testkit::cuts::few;
use vproto_testkit::trace_of;

fn agree(text: &str, inputs: &[&str]) {
    let mut files = Files::default();
    let root = files.add(File::new("demo.vproto", text));
    let mut findings_of_text = Diagnostics::default();
    let parsed = parse(&mut files, root, &mut KnownFiles, &mut findings_of_text);
    let grammar = parsed.grammar.unwrap_or_else(|| panic!("{text}\n{findings_of_text:?}"));
    let mut program = lowered_text(text);
    for prefix in 0..=PASSES.len() {
        let last = prefix.checked_sub(1).map(|i| &PASSES[i]);
        if let Some(pass) = last {
            run(&mut program, pass);
        }
        let name = last.map_or("lowering", |p| p.name);
        assert_eq!(findings(&program), "", "{text} after {name}");
        let good = vproto_testkit::verified(&program);
        for input in inputs {
            let bytes = input.as_bytes();
            let law = trace_of(&mut GrammarInterpreter::new(&grammar, &files), bytes, &[bytes.len()]);
            for fragments in few(bytes.len(), 1) {
                let trace = trace_of(parser(&good, true).as_mut(), bytes, &fragments);
                assert_eq!(law, trace, "{text} on {input:?} after {name}, cut {fragments:?}");
            }
        }
    }
}

#[test]
fn a_handler_that_takes_nothing() {
    agree(
        "[a-z]+ \";\" notify:ok\n\t\"x\" \"y\"\n\tcatch: notify:bad\n",
        &["ab;xyxz", "ab;q", "ab;xyxy", "ab;xq;"],
    );
    agree("\"a\" \\\n\t\"b\" \"c\" notify:ok\n\tcatch: notify:bad\n", &["abcabcabxa", "abxabc", "ax"]);
}

#[test]
fn a_handler_that_is_entered_with_bytes_taken_and_without() {
    agree(
        "\"<\"\n\t[a-z]* \"1\" notify:one\n\tcatch: [0-9]? notify:bad\n",
        &["<ab1ab2ab1", "<12", "<ab22ab1", "<x?"],
    );
}

/// The literal fails behind its first letter: the handler, which takes nothing, must still find progress.
#[test]
fn an_exception_in_the_midst_of_a_token_has_moved() {
    let text = "[a-c]+ \";\" notify:ok\n\t\"xy\" notify:y\n\tcatch: notify:bad\n";
    agree(text, &["ab;xyxzab;", "ab;xa;xyxx", "a;q", "a;x"]);
}

#[test]
fn a_fence_lets_a_call_come_back_empty() {
    let text = "b8:n\n\tcall:item(max=n) notify:done\n\nlabel:item [a-z]->string:w return\n";
    agree(text, &["\u{0}\u{0}\u{1}a", "\u{2}ab\u{0}", "\u{1}a"]);
}

#[test]
fn behind_a_call_that_takes_nothing() {
    let text = "call:blank [a-z] notify:letter\n\t\"!\" call:blank notify:bang back:0\n\t{} back:0\n\n\
                label:blank\n\t[ ] return\n\t{} return\n";
    agree(text, &["a b!c! d", "ab", "a!! ", " a"]);
}

#[test]
fn marks_are_of_their_activation() {
    let text = "\"(\" call:list notify:end\n\nlabel:list\n\t\"(\" call:list notify:inner\n\t[a-z] notify:item\n\t\")\" return\n";
    agree(text, &["(a(b)c)", "((()))", "(a", "(a(?)"]);
}

#[test]
fn small_trees_in_place_of_calls() {
    let text = "call:word \"=\" call:word \"\\n\" notify:pair(word)\ncatch: [^\\n]* \"\\n\" notify:bad\n\n\
                label:word [a-z]->string:word return\n";
    agree(text, &["a=b\nc=d\n", "a=1\nc=d\n", "=\na", "a=b\n1"]);
}

#[test]
fn rounds_and_fences_are_not_inlined() {
    let text =
        "b8:n call:item(times=n) notify:end\ncatch: [*] notify:bad\n\nlabel:item b8:l data:v(max=l) return\n"
            .replace("[*] notify", "data(max=1) notify");
    agree(&text, &["\u{2}\u{1}a\u{0}\u{1}\u{3}abc", "\u{0}\u{1}\u{0}", "\u{2}\u{1}"]);
    let text = "b8:n call:item(max=n) notify:end\n\nlabel:item\n\t\"a\" u8:x \";\"\n\tcatch: [^;]* \";\"? notify:bad\n";
    agree(text, &["\u{7}a1;b;a2;\u{3}a1", "\u{4}a999\u{0}\u{3}a1;", "\u{0}\u{0}", "\u{3}a1"]);
}

#[test]
fn looks_that_are_merged_report_what_they_did() {
    let text = "\"a\"? \\\n\t\"b\" notify:b\n\t[c-e] \\\n\t\t\"x\" notify:x\n\t\t{} notify:none\n";
    agree(text, &["abacxd", "q", "ac?", "ae", "abq"]);
    agree(
        "[a-c]? [b-d]? \"e\"\n\tfinish: notify:f\n\t\"z\" back:0\n",
        &["abez", "be", "e", "ade", "aaz", "ez?"],
    );
}

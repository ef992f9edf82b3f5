//! Every finding of the front-end: its code and place.

use crate::{findings, findings_of, parse_files};
use vproto_source::Code;

#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(findings(text), expected, "{text}");
}

#[test]
fn indentation() {
    finds("\"a\"\n\t\"b\"\n    \"c\"\n", &["3:1 E0101"]);
    finds("\"a\"\n\t \"b\"\n", &["2:1 E0101"]);
    finds("\"a\"\n  \"b\"\n\t\"c\"\n", &["3:1 E0101"]);
    finds("\"a\"\n\t\t\"b\"\n", &["2:1 E0102"]);
    finds("\t\"a\"\n", &["1:1 E0102"]);
    finds("\"a\"\n  \"b\"\n     \"c\"\n", &["3:1 E0103"]);
    finds("\"a\"\n  \"b\"\n    \"c\"\n  \"d\"\n", &[]);
    // Comments and blank lines have no depth.
    finds("\"a\"\n\t\t\t// x\n   \n\t\"b\"\n", &[]);
}

#[test]
fn backslashes() {
    finds("\"a\" \\\n", &["1:5 E0105"]);
    finds("\"a\" \\\n\"b\"\n", &["1:5 E0105"]);
    finds("\"a\" \\ \"b\"\n\t\"c\"\n", &["1:7 E0106"]);
    finds("\"a\"\n\t\\\n", &["2:2 E0105", "2:2 E0127"]);
    finds("\"a\" \\ // why\n\t\"c\"\n", &[]);
}

#[test]
fn things_left_open() {
    finds("\"a\n\"b\"\n", &["1:1 E0108"]);
    finds("'a\n", &["1:1 E0108"]);
    finds("[a \"b\"\n\"c\"\n", &["1:1 E0109"]);
    finds("\"a\" /* b\n", &["1:5 E0110"]);
    finds("\"a\" { x = 1; // end }\n\"b\"\n", &["1:5 E0111"]);
    finds("data(max=(3)\n", &["1:5 E0112"]);
    finds("<\"a\", \"b\"\n", &["1:1 E0123"]);
}

#[test]
fn a_comment_that_eats_a_brace_is_shown() {
    let (_, _, out) = parse_files(&[("x", "b8:t { return t == 1; // ipv4}\n\"x\"\n")]);
    assert_eq!(out[0].code, Code("E0111"));
    assert!(out[0].secondary[0].text.contains("comment"), "{out:?}");
    assert!(out[0].help.is_some());
}

#[test]
fn characters_and_escapes() {
    finds("\"a\" é \"b\"\n", &["1:5 E0107"]);
    finds("\"a\\q\"\n", &["1:3 E0113"]);
    finds("\"\\x4\"\n", &["1:2 E0113"]);
    finds("\"\\1\"\n", &["1:2 E0113"]);
    finds("[\\d]\n", &["1:2 E0113"]);
    finds("\"\\!\\r\\n\\t\\0\\x0d\"\n", &[]);
    finds("[]\n", &["1:1 E0114"]);
    finds("[^\\x00-\\xff]\n", &["1:1 E0114"]);
    finds("[z-a]\n", &["1:1 E0114", "1:2 E0115"]);
    finds("[aé]\n", &["1:3 E0116"]);
    finds("[aa]\n", &["1:3 W0101"]);
    finds("[a-z\\x61]\n", &["1:5 W0101"]);
    finds("[+-]\n", &["1:3 W0102"]);
    finds("[+\\-]\n", &[]);
    finds("\"\"\n", &["1:1 E0122"]);
}

#[test]
fn tokens() {
    finds("foo\n", &["1:1 E0117"]);
    finds("u32 :x\n", &["1:5 E0120"]);
    finds("u32: \n", &["1:4 E0118"]);
    finds("[a]->\n", &["1:4 E0118"]);
    finds("b8:x\n\tif (x) \"a\"\n", &["2:2 E0119"]);
    finds("bits\n", &["1:1 E0119"]);
    finds("catch \"a\"\n\"b\"\n", &["1:1 E0119"]);
    finds("\"a\" catch: \"b\"\n", &["1:5 E0121"]);
    finds("\"a\" } \"b\"\n", &["1:5 E0120"]);
    finds("* \"b\"\n", &["1:1 E0120"]);
    finds("<\"a\",>\n", &["1:5 E0124"]);
    finds("enum{a b}:v\n", &["1:8 E0126"]);
    finds("bits{a}\n", &["1:6 E0126"]);
    finds("bits{a:65 _:7}\n", &["1:6 E0126"]);
    finds("enum{}:v\n", &["1:5 E0126"]);
}

#[test]
fn did_you_mean() {
    let (_, _, out) = parse_files(&[("x", "be32:length data:f(max=lenght)\n\tnotifi:x\n")]);
    let help: Vec<&str> = out.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(help, ["did you mean `length`?", "did you mean `notify`?"]);
}

#[test]
fn names_of_tokens() {
    finds("u8:x:y\n", &["1:6 E0201"]);
    finds("match\n", &["1:1 E0201"]);
    finds("enum{a}\n", &["1:1 E0201"]);
    finds("\"a\":x\n", &["1:5 E0201"]);
    finds("[a]:x\n", &["1:5 E0201"]);
    finds("u8:8x\n", &["1:4 E0201"]);
    finds("return:x\n", &["1:8 E0201"]);
    finds("notify\n", &["1:1 E0201"]);
    finds("begin:a:b:c end:a\n", &["1:11 E0201", "1:17 E0222"]);
}

#[test]
fn labels() {
    finds("call:x\n", &["1:6 E0203"]);
    finds("\"a\" jmp:x label:x\n\"b\" label:x\n", &["2:11 E0204"]);
    finds("\"a\" back:1\n", &["1:10 E0223"]);
    finds("\"a\"\n\t\"b\" back:1\n\t\"c\" back:0\n", &[]);
    finds("\"a\" back:x\n", &["1:10 E0223"]);
}

#[test]
fn types() {
    finds("u8:x string:x\n", &["1:13 E0205"]);
    finds("array:x(max=2) u8:x\n", &["1:19 E0205"]);
    finds("u64:x i64:x\n", &["1:11 E0205"]);
    finds("u8:x i8:x\n", &[]);
    finds("string:x string_view:x\n", &["1:22 E0205"]);
    finds("bool:x b8:x\n", &["1:11 E0205"]);
    finds("bool:x bits{x:1 _:7}\n", &[]);
    finds("enum{a, b}:x enum{a, c}:x \"q\"\n", &["1:25 E0205"]);
    finds("bef32:x bef64:x\n", &["1:15 E0205"]);
    finds("u8:x notify:x\n", &["1:13 E0206"]);
    finds("u8:x data:x\n", &["1:11 E0206"]);
    finds("@const x = 1\nu8:x\n", &["2:4 E0206"]);
    finds("u8:offset\n", &["1:4 E0207"]);
    finds("u8:x notify:left\n", &["1:13 E0207"]);
    finds("b8:x\n\nu8:y\nu8:y\n", &["4:4 E0208"]);
    finds("array:x\n", &["1:7 E0216"]);
    finds("b8:n array:x(max=n)\n", &["1:12 E0216"]);
    finds("b8:n array:x(max=n) match:x if {x == \"a\"} data(max=x.size())\n", &["1:12 E0216"]);
    finds("b8:n array:x(max=n, init=4)\n", &[]);
}

#[test]
fn redirections() {
    finds("[a]->string\n", &["1:4 E0209"]);
    finds("[a]->strin:x\n", &["1:6 E0209"]);
    finds("[a]->f->g\n", &["1:7 E0209"]);
    finds("u8:x->string:y\n", &["1:5 E0209"]);
    finds("\"a\"->f\n", &["1:4 E0209"]);
    finds("be16->uint:x\n", &["1:5 E0209"]);
    finds("return->f\n", &["1:7 E0209"]);
    finds("[0-9x]->uint:v\n", &["1:1 E0219"]);
    finds("[0-9a-f]->uint:v\n", &["1:1 E0219"]);
    finds("[0-9 ]->uint:v(trim)\n", &[]);
    finds("[0-9 ]->uint:v\n", &["1:1 E0219"]);
    finds("[\\-0-9]->int:v\n", &["1:1 W0206"]);
    finds("[+\\-0-9]->int:v\n", &[]);
    finds("[+\\-0-9]->uint:v\n", &["1:1 E0219"]);
}

#[test]
fn options() {
    finds("be16:x(max=2)\n", &["1:8 E0210"]);
    finds("be16:x?\n", &["1:7 E0210"]);
    finds("b8:x? bool:y? \"q\"\n", &[]);
    finds("b8:x+\n", &["1:5 E0210"]);
    finds("bits{a:8}?\n", &["1:10 E0210"]);
    finds("[a](trim)\n", &["1:5 E0210"]);
    finds("[a](maxx=3)\n", &["1:5 E0210"]);
    finds("[a](max)\n", &["1:5 E0210"]);
    finds("[a](max=)\n", &["1:5 E0210"]);
    finds("string:x(append=1)\n", &["1:10 E0210"]);
    finds("[a](3)\n", &["1:5 E0210"]);
    finds("[a](,)\n", &["1:1 E0210"]);
    finds("[a](sse=MMX)\n", &["1:9 E0210"]);
    finds("[a](sse=SSE4.2)->string:x\n[b](nosse)\n", &[]);
    finds("string:x(until=\"\")\n", &["1:16 E0210"]);
    finds("string:x(until=\"a\", min=2)\n", &["1:1 E0210"]);
    finds("b8:x data(until=x)\n", &["1:17 E0210"]);
    finds("b8:k data:f(xor=k)\n", &["1:17 E0210"]);
    finds("\"a\" call:l(keep=s)\n\nlabel:l string:s(max=1) return\n", &["1:17 E0210"]);
    finds("{ x = 1; }? \"a\"\n\nu8:x\n", &["1:11 E0210"]);
    finds("<\"a\">+\n", &["1:6 E0210"]);
    finds("[a]?(max=2)\n", &["1:6 E0211"]);
    finds("[a]+(max=2)\n", &[]);
    finds("[a](max=2)->string:x(max=3)\n", &["1:22 E0211"]);
    finds("[a](max=1-2)\n", &["1:9 E0212"]);
    finds("[a](max=1/0)\n", &["1:9 E0212"]);
    finds("varint:x(max=11)\n", &["1:1 E0212"]);
    finds("[a](min=3, max=2)\n", &["1:5 W0202"]);
}

#[test]
fn expressions() {
    finds("data(max=n)\n", &["1:10 E0202"]);
    finds("data(max=f(3))\n", &["1:10 E0214"]);
    finds("data(max=1 2)\n", &["1:12 E0214"]);
    finds("string:s data(max=s)\n", &["1:19 E0215"]);
    finds("@const N = x\n\"a\"\n", &["1:12 E0202"]);
    finds("b8:x\n\tif {x == \"a\"} \"b\"\n", &["2:11 E0215"]);
    finds("b8:x\n\tif {} \"b\"\n", &["2:5 E0215"]);
    finds("string_view:v { v += \"x\"; }\n", &["1:17 E0215"]);
    finds("string_view:v { v.push(1); }\n", &["1:17 E0215"]);
    finds("string:v { v = 3; }\n", &["1:16 E0215"]);
    finds("enum{a, b}:x enum{a, c}:y \"q\" notify:f(a)\n", &["1:40 E0215"]);
    finds("enum{a, b}:x enum{a, c}:y \"q\" if {x == a && a == y} notify:f\n", &[]);
    finds("b8:lenght { lengh = 1; }\n", &["1:13 W0201"]);
    finds("b8:lenght { myOwn = 1; }\n", &["1:13 W0201"]);
    finds("b8:lenght {cpp: myOwn = 1; }\n", &[]);
    finds("b8:lenght { table.find(3); }\n", &[]);
    finds("b8:x\n\tif {kk == 1} \"b\"\n", &["2:6 E0202"]);
    finds("b8:x\n\tif {cpp: kk == 1} \"b\"\n", &[]);
    finds("b8:x\n\tif {table.find(x)} \"b\"\n", &[]);
}

#[test]
fn declarations() {
    finds("b8:x = 3\n", &["1:8 E0217"]);
    finds("\"a\"\n\nu8:x = 256\n", &["3:8 E0218"]);
    finds("\"a\"\n\nstring:x = 256\n", &["3:12 E0218"]);
    finds("\"a\"\n\nu8:x = y\n", &["3:8 E0202"]);
    finds("\"a\" { x = 1; b = true; }\n\nu8:x = 2\nbool:b = true\n", &[]);
}

#[test]
fn structures() {
    finds("\"a\"\ncatch: \"b\"\ncatch: \"c\"\n", &["3:1 E0226"]);
    finds("catch: \"b\"\n", &["1:1 E0227"]);
    finds("\"a\"\nfinish: notify:f\n\t\"b\"\n", &["2:1 E0228"]);
    finds("// nothing\n", &["1:1 E0231"]);
    finds("", &["1:1 E0231"]);
    finds("bits{a:4 b:3}\n", &["1:1 E0220"]);
    finds("begin:crc:x \"a\" end:x\n", &["1:7 E0221"]);
    finds("\"a\" end:f\n", &["1:9 E0222"]);
    finds("begin:crc32:x \"a\"\n", &["1:13 W0203"]);
    finds("enum{a \"a\", b}:v\n", &["1:13 E0229"]);
    finds("enum{a, a}:v \"x\"\n", &["1:9 E0230"]);
    finds("be16->enum{a = 0x10000}:v\n", &["1:5 W0207"]);
}

#[test]
fn parallel() {
    finds("<\"a\" call:x, \"b\">\n\nlabel:x \"c\" return\n", &["1:6 E0224"]);
    finds(
        "<\"a\" reset, \"b\" return, \"c\" back:0, \"d\" jmp:x> label:x\n",
        &["1:6 E0224", "1:17 E0224", "1:29 E0224", "1:41 E0224"],
    );
    finds("<data:f(until=\"ab\")>\n", &["1:2 E0225"]);
    finds("<data:f(until=\"\\n\"), \"b\" break, \"c\" bang>\n", &[]);
}

#[test]
fn directives() {
    finds("@modul x\n\"a\"\n", &["1:1 E0233"]);
    finds("@module 1\n\"a\"\n", &["1:9 E0234"]);
    finds("@module a\n@module b\n\"a\"\n", &["2:1 E0234"]);
    finds("@const N\n\"a\"\n", &["1:8 E0234"]);
    finds("@const N = 1\n@const N = 2\n\"a\"\n", &["2:8 E0208"]);
    finds("@limit call=3\n\"a\"\n", &["1:8 E0234"]);
    finds("@limit calls = 3\n\"a\"\n", &["1:8 E0234", "1:14 E0234", "1:16 E0234"]);
    finds("@limit calls=300 string=1M view=2K states=3\n\"a\"\n", &[]);
    finds("@doc x\n\"a\"\n", &["1:6 E0234"]);
    finds("@cpp x\n\"a\"\n", &["1:6 E0234"]);
    finds("@output 3\n\"a\"\n", &["1:9 E0234"]);
    finds("\"a\"\n\t@output X\n", &["2:1 E0234"]);
    finds("@include x\n\"a\"\n", &["1:1 E0234"]);
    finds("@include \"x\"\n\"a\"\n", &["1:10 E0002"]);
    finds("@limit calls=1\ncall:a\n\nlabel:a call:b return\n\nlabel:b \"b\" return\n", &["1:8 W0204"]);
}

#[test]
fn modules() {
    finds("vproto:m:v\n", &["1:8 E0002"]);
    finds("vproto:m:v end:v data(max=v.y, until=v) match:v notify:f(v, v.x)\n", &["1:8 E0002"]);
    finds("vproto:m\n", &["1:1 E0201", "1:8 E0002"]);
    finds("@import m\n\"a\"\n", &["1:9 W0205"]);
    let m = ("m.vproto", "b8:x if {seen} notify:y\n\nbool:seen\n");
    let with = |text| findings_of(&[("test.vproto", text), m]);
    assert_eq!(with("vproto:m:v(max=4, seen=1) if {v.x == 1} notify:f\n"), [""; 0]);
    assert_eq!(with("vproto:m:v(max=4, sen=1)\n"), ["1:19 E0210"]);
    assert_eq!(with("vproto:m:v(max=4) if {v.y == 1} notify:f\n"), ["1:25 E0215"]);
    assert_eq!(with("vproto:m:v(max=4) { v.x = 1; }\n"), ["1:21 E0215"]);
    assert_eq!(with("vproto:m:v(max=4) b8:v\n"), ["1:22 E0205"]);
    assert_eq!(with("[a-z]->vproto:m:v end:v\n"), [""; 0]);
    assert_eq!(findings_of(&[("m.vproto", "vproto:m:v\n")]), ["1:8 E0232"]);
    let cycle = [("a.vproto", "vproto:b:v\n"), ("b.vproto", "\"x\" vproto:a:v\n")];
    assert_eq!(findings_of(&cycle), ["b.vproto:1:12 E0232"]);
    let own = [("a.vproto", "@include \"a.vproto\"\n\"x\"\n")];
    assert_eq!(findings_of(&own), ["1:10 E0232"]);
}

#[test]
fn errors_of_other_files_point_there() {
    let texts = [
        ("a.vproto", "@include \"i.vproto\"\nvproto:m:v\n"),
        ("i.vproto", "\"x\" foo\n"),
        ("m.vproto", "u8:\n"),
    ];
    assert_eq!(findings_of(&texts), ["i.vproto:1:5 E0117", "m.vproto:1:3 E0118"]);
}

#[test]
fn every_code_has_a_long_explanation() {
    let ours = |code: &str| ["E01", "E02", "W01", "W02"].iter().any(|own| code.starts_with(own));
    for entry in vproto_source::code::entries().filter(|e| ours(e.code.0)) {
        assert!(entry.text.len() > 80, "{}: {}", entry.code.0, entry.text);
    }
    let mut codes: Vec<&str> = vproto_source::code::entries().map(|e| e.code.0).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count, "a code is registered twice");
}

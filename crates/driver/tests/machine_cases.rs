//! Small descriptions, each about one corner of the language: the machine interpreter gives the grammar interpreter's
//! traces on inputs that are made of the bytes that matter there.

mod machine;

use machine::{chop, compile, play};
use vproto_interp::grammar::GrammarInterpreter;
use vproto_interp::machine::{MachineInterpreter, Options};
use vproto_source::{File, Files};

/// A description, and the bytes of its inputs.
type Case = (&'static str, &'static [u8]);

/// A module that others use: it stops at `!`, fails at `?`, and is complete behind `;`.
const SUB: &str = "[a-z]->string:word notify:gotWord(word, left)\n\t\";\" back:0\n\t\"!\" break\n\tcatch: \"~\" notify:gotCaught back:0\n\nu8:limit = 3\n";

const CASES: &[Case] = &[
    // Text: bounds, trimming, appending.
    ("@limit string=4 view=3\n[ a-c]->string:s(trim) \";\" notify:gotS(s)\ncatch: [^;]* \";\"\n", b" abc;"),
    (
        "@limit view=3\n[a-c]->string_view:s \";\" notify:gotS(s)\ncatch: notify:gotLong [^;]* \";\"\n",
        b"abc;",
    ),
    ("string:s(init=2, until=\"--\") notify:gotS(s)\n", b"ab-"),
    ("[ a]->array:s(init=3, trim) \";\" notify:gotS(s)\n", b"a ;"),
    (
        "[a-c]->string:s(append, max=2)\n\t\";\" notify:gotS(s) { s.clear(); } back:0\n\t\",\" back:0\n",
        b"abc;,",
    ),
    (
        "@limit string=5\n[a-c]->string:s(append)\n\t\";\" back:0\n\t\",\" { s.clear(); } back:0\n\tcatch: [^;]* \";\" notify:gotFull { s.clear(); } back:0\n",
        b"abc;,",
    ),
    ("string:s(until=\"aab\", max=3) notify:gotS(s)\ncatch: [^;]* \";\" notify:gotOver\n", b"aab;"),
    ("data:d(until=\"abab\", max=4) notify:gotD\ncatch: notify:gotOver [^;]* \";\"\n", b"ab;"),
    ("[a-b]*->string:t \";\" data:d(until=t) notify:gotD\ncatch: notify:gotNone [^;]* \";\"\n", b"ab;"),
    ("string_view:v(until=\"\\r\\n\", trim) notify:gotV(v)\n", b"a \r\n"),
    // Numbers.
    ("i8:x [ ]* notify:gotX(x)\ncatch: [^ ]* [ ] notify:gotBad\n", b"+-129 "),
    ("u8:x(wrap) [ ] notify:gotX(x)\n", b"9 25"),
    ("[ 0-9]->uint:x(trim) \";\" notify:gotX(x)\ncatch: [^;]* \";\" notify:gotBad\n", b" 12;"),
    (
        "h8:x(min=1, max=2)\n\t\";\" notify:gotX(x) back:0\n\tcatch: [^;]* \";\" notify:gotBad back:0\n",
        b"0fF;",
    ),
    ("varint:v(max=2) notify:gotV(v)\ncatch: [*] notify:gotBad\n", b"\x01\x80\xff*"),
    ("le16:a(signed) be24:b bits{c:3 d:5 e:8} bitsle{f:3 g:5} notify:gotX(a, b)\n", b"\x01\x80\xff"),
    ("[\\x00-\\xff]->be:x(max=3, signed) [\\x00-\\x10]->le:y(max=2) notify:gotX(x, y)\n", b"\x00\x01\xff"),
    ("bef32:x lef64:y notify:gotX(x, y)\n", b"\x00\x40\x3f"),
    ("b8:n be16:x(swap=n > 1) be16:x2(swap=n > 1, signed) notify:gotX(x, x2)\n", b"\x01\x02\xff"),
    ("b8->enum{a = 1, b = 2}:e notify:gotE(e)\n", b"\x01\x02\x03"),
    // Bounds of the moment.
    ("b8:n\n\tdata:d(max=n) notify:gotD back:0\n", b"\x00\x01\x02"),
    ("b8:n [a]->string:s(min=1, max=n) notify:gotS(s)\ncatch: [^;]* \";\"\n", b"\x00\x02a;"),
    ("b8:n \"ab\"(min=1, max=n) \";\" notify:gotN\ncatch: [^;]* \";\" notify:gotBad\n", b"\x01\x02ab;"),
    ("[a-b]*->string:s \";\" match:s* \".\" notify:gotS\ncatch: [^.]* \".\" notify:gotBad\n", b"ab;."),
    (
        "[a-b]*->string:s \";\"\n\tmatch:s \".\" notify:gotSame back:0\n\t[^.]* \".\" notify:gotOther back:0\n",
        b"ab;.",
    ),
    ("b8:n data:d(max=200 - n * n) notify:gotD\ncatch: notify:gotBad\n", b"\x0d\x0f\xff"),
    // Calls.
    (
        "b8:n call:v(max=n) notify:gotEnd\n\nlabel:v\n\t\"(\" call:v \")\" return\n\t[a-z] return\n\tcatch: notify:gotBad [^)]* \")\"? return\n",
        b"\x03\x04(a)",
    ),
    (
        "b8:n call:v(times=n, max=4) notify:gotEnd\ncatch: notify:gotBad\n\nlabel:v [a] [b]? return\n",
        b"\x01\x03ab",
    ),
    (
        "b8:n call:v(times=n - 2) notify:gotEnd\ncatch: notify:gotBad\n\nlabel:v [a]? return\n",
        b"\x02\x03\x01a",
    ),
    (
        "b8:n call:v(max=n, keep=n) notify:gotEnd(n)\ncatch: notify:gotBad(n)\n\nlabel:v b8:n \"a\" return\n",
        b"\x02\x03a",
    ),
    (
        "b8:n call:v(max=n, if=n > 1) notify:gotEnd\n\nlabel:v \"a\" notify:gotA(left, offset)\n\t\"b\" return\n\tfinish: notify:gotFinish\n",
        b"\x01\x03ab",
    ),
    (
        "@limit calls=3\ncall:v notify:gotEnd\ncatch: notify:gotDeep [^;]* \";\"\n\nlabel:v\n\t\"(\" call:v return\n\t\")\" return\n",
        b"();",
    ),
    (
        "\"a\" call:v notify:gotEnd back:0\n\"b\" jmp:w\n\nlabel:v \"x\" jmp:w\n\nlabel:w\n\t\"y\" return\n\t\"z\" notify:gotZ\n\tcatch: notify:gotBad\n",
        b"abxyz",
    ),
    (
        "b8:n call:v(times=n) notify:gotEnd\n\nlabel:v if {go} [a]? \\\n\t{ go = 0; }\n{} { go = 1; } return\n\nu8:go = 1\n",
        b"\x02\x03a",
    ),
    // Loops, handlers, ends.
    (
        "\"a\" notify:gotA \\\n\t\"b\" notify:gotB\n\t\"c\" notify:gotC \\\n\t\t\"d\"\n\t\tcatch: notify:gotBad\n\"e\"\ncatch: notify:gotOuter [abcde]?\n",
        b"abcde",
    ),
    (
        "b8:n\n\tif {n == 97} notify:gotA\n\tif {n == 98} \"c\" notify:gotB\n\t{} \"d\" notify:gotElse\n\tcatch: notify:gotBad\n",
        b"abcd",
    ),
    (
        "\"a\" begin:f \"b\" begin:f \"c\"\n\tend:f \"d\" back:0\n\tcatch: notify:gotBad\ncatch: notify:gotTop [abcd]?\n",
        b"abcd",
    ),
    (
        "begin:crc32:x \"a\" \"b\"? end:x notify:gotX(x)\ncatch: notify:gotBad begin:adler32:x [^a] end:x notify:gotY(x)\n",
        b"ab;",
    ),
    (
        "begin:inet16:x [ab]* \";\" end:x begin:sum8:y \".\" end:y notify:gotX(x, y)\ncatch: notify:gotBad\n",
        b"ab;.",
    ),
    ("\"a\" u8:n notify:gotN(n)\n\t\";\" reset\n\t\",\" back:0\n\nu8:n = 7\n", b"a19;,"),
    ("\"a\" notify:gotA\n\t\"b\"\n\t\t\"c\" back:1\n\t\t\"d\" break\n\t\tfinish: notify:gotF\n", b"abcd"),
    // Groups.
    (
        "<\"GET\" notify:gotGet, \"GETS\" notify:gotSecure, [A-Z]->string:other> \" \" notify:gotEnd\ncatch: [^ ]* \" \" notify:gotBad\n",
        b"GETSX ",
    ),
    (
        "<[ab]->string:s \";\" notify:gotS(s), \"ab\" [c]* \".\" notify:gotT>\ncatch: notify:gotBad [^;.]* [;.]\n",
        b"abc;.",
    ),
    (
        "<\"a\" { n = n + 1; } u8:x notify:gotX(x), [a1-9]->data \"b\" notify:gotY> \";\" notify:gotN(n)\ncatch: [^;]* \";\"\n\nu8:n\n",
        b"a12b;",
    ),
    (
        "<\"a\" <\"b\" notify:gotB, \"bc\" notify:gotBc> \"d\", [a-d]* \";\" notify:gotAll>\ncatch: notify:gotBad [^;]* \";\"\n",
        b"abcd;",
    ),
    (
        "<\"ab\" bang \"c\" notify:gotC, [a-z]->string:s>\n\t\";\" notify:gotEnd back:0\n\tcatch: notify:gotBad [^;]* \";\" back:0\n",
        b"abc;",
    ),
    ("<\"a\" begin:f \"b\" end:f \"c\", [ab]* \";\">\ncatch: notify:gotBad [^;]* \";\"\n", b"abc;"),
    (
        "begin:f <\"a\" begin:f \"b\" notify:gotN, [ab]* \";\"> end:f notify:gotEnd\ncatch: notify:gotBad [^;]* \";\"\n",
        b"ab;",
    ),
    (
        "b8:n <[a]->string:s(max=n), \"aab\" notify:gotB> \";\" notify:gotS(s)\ncatch: notify:gotBad [^;]* \";\"\n",
        b"\x01\x02ab;",
    ),
    (
        "b8:n <if {n > 1} \"a\" notify:gotA, \"ab\" break, [a-c]* \".\">\ncatch: notify:gotBad [^.;]* [.;]\n",
        b"\x01\x02abc.;",
    ),
    ("<string:s(until=\";\"), data:d(until=\".\") notify:gotD> notify:gotEnd\n", b"a.;"),
    (
        "enum{a \"ab\", b \"abc\", c 'X'}:e \";\" notify:gotE(e)\ncatch: notify:gotBad [^;]* \";\"\n",
        b"abcxX;",
    ),
    ("call:v(max=3) notify:gotEnd\ncatch: notify:gotBad\n\nlabel:v <\"ab\", [a]->string:s> return\n", b"ab;"),
    // Modules.
    ("b8:n vproto:sub:v(max=n) notify:gotEnd(v.word)\ncatch: notify:gotBad\n", b"\x02\x03ab;!~"),
    ("[a-z;!~?]->vproto:sub:v \".\" notify:gotEnd(v.limit)\ncatch: notify:gotBad [^.]* \".\"?\n", b"ab;!~?."),
    (
        "b8:n vproto:sub:v(max=n, join) notify:gotMore\n\t\"+\" back:0\n\t\"=\" end:v notify:gotEnd back:0\n\tcatch: notify:gotBad [*]? back:0\n",
        b"\x02\x03ab;+=*",
    ),
    (
        "b8:n array:k(max=2) vproto:sub:v(max=n, limit=n * 60, xor=k) notify:gotEnd\ncatch: notify:gotBad [*]\n",
        b"\x00\x02\x04ab;*",
    ),
    ("b8:n array:k(max=2, init=2) data:d(max=n, xor=k) notify:gotD\n", b"\x00\x03ab"),
    (
        "b8:n call:v(max=n) notify:gotEnd\ncatch: notify:gotBad\n\nlabel:v vproto:sub:v notify:gotIn(left) return\n",
        b"\x02\x04ab;!",
    ),
    (
        "b8:n vproto:sub:v(max=n, join)\n\t\"+\" back:0\n\t\"r\" reset\n\t\"=\" vproto:sub:w(max=2, join) back:0\n",
        b"\x02\x03ab;+=r",
    ),
    ("b8:n begin:f vproto:sub:v(max=n) end:f notify:gotEnd\ncatch: notify:gotBad\n", b"\x02\x03ab;!"),
    (
        "[a-z]->vproto:sub:v(min=2, limit=9) \";\" notify:gotEnd(v.limit, v.word)\ncatch: notify:gotBad [^.]* \".\"\n",
        b"ab;.",
    ),
    // More of groups, spans and declarations.
    (
        "<\"a\" <\"b\", \"bb\"> \"c\" notify:gotC, \"ab\" <[a-c]->string:s \".\", \"b\"* \";\" notify:gotX> notify:gotY>\ncatch: notify:gotBad [^;]* \";\"\n",
        b"abc.;",
    ),
    ("enum{first, second}:v [ab] notify:gotV(v)\n", b"ab"),
    ("begin:crc32:x [a] begin:crc32:x [b] end:x notify:gotX(x)\ncatch: [ab;]\n", b"ab;"),
    ("begin:crc32:x [a] begin:adler32:x [b] end:x notify:gotX(x)\ncatch: [ab;]\n", b"ab;"),
    ("\"x\"(min=2, max=3) \"ab\"? 'cd'* [y]?->f notify:gotEnd\ncatch: [abcdxy;]\n", b"xabcCDdy;"),
    (
        "u8:a(max=2) i16:b(min=2) [+\\-]?->sign \";\" notify:gotEnd(a, b)\ncatch: notify:gotBad [^;]* \";\"\n",
        b"12-+;",
    ),
    (
        "bool:t(if=!t) b8:u? call:x(if=t) notify:gotEnd\n\nlabel:x \"a\"\n\t\"b\" return\n\tcatch: return\n",
        b"\x00\x01ab",
    ),
    (
        "call:a notify:gotEnd\ncatch: notify:gotTop [a-z]\n\nlabel:a begin:f \"a\"\n\tcall:b \"z\" return\n\tcatch: notify:gotA [xyz] end:f return\n\nlabel:b begin:g \"b\" \"c\" end:g return\n",
        b"abcxyz",
    ),
    (
        "b8:n call:a(max=n) notify:gotEnd\ncatch: notify:gotTop\n\nlabel:a begin:f\n\tb8:m call:b(max=m) notify:gotInner return\n\tcatch: notify:gotA return\n\nlabel:b \"b\" \"c\" return\n",
        b"\x01\x02\x03\x04bc",
    ),
    ("b8:n data:d(max=n, until=\"ab\") notify:gotD\ncatch: notify:gotBad [ab;]\n", b"\x00\x02ab;"),
    // Portable code.
    (
        "b8:a b8:b { x = a * 100 / b; y = a << b; } notify:gotX(x, y)\ncatch: notify:gotBad\n\nu8:x\nu16:y\n",
        b"\x00\x02\x09",
    ),
    (
        "[a-c]->string:s \";\" { t = s + \"-\"; t.swap(u); if (u.contains(\"ab\")) { hit(u.size()); return u.size() < 5; } } notify:gotU(u, t)\ncatch: notify:gotBad\n\nstring:t\nstring:u\n",
        b"abc;",
    ),
];

/// Inputs of the bytes that matter.
fn inputs(bytes: &[u8], count: u64) -> Vec<Vec<u8>> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes.len() as u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as usize % below
    };
    (0..count).map(|_| (0..next(24)).map(|_| bytes[next(bytes.len())]).collect()).collect()
}

#[test]
fn corners_give_the_same_traces() {
    let mut failures = Vec::new();
    for (text, bytes) in CASES {
        let mut files = Files::default();
        let root = files.add(File::new("case.vproto", *text));
        files.add(File::new("sub.vproto", SUB));
        let (grammar, program) = match std::panic::catch_unwind(move || {
            let (grammar, program) = compile(&mut files, root);
            (files, grammar, program)
        }) {
            Ok((kept, grammar, program)) => {
                files = kept;
                (grammar, program)
            }
            Err(_) => {
                failures.push(format!("{text}\n  is refused"));
                continue;
            }
        };
        let optimised = vproto_testkit::verified(&vproto_opt::pipeline::optimise(program.clone()));
        let program = vproto_testkit::verified(&program);
        let plain = Options { wipe_dead: true, ..Options::default() };
        let starts = [
            ("as lowered", MachineInterpreter::with_options(&program, plain)),
            ("behind all passes", MachineInterpreter::with_options(&optimised, plain)),
            ("by plans", MachineInterpreter::with_options(&optimised, Options { plans: true, ..plain })),
        ];
        let found = inputs(bytes, 300).iter().enumerate().find_map(|(number, input)| {
            let law = play(GrammarInterpreter::new(&grammar, &files), [&input[..]]);
            starts.iter().find_map(|(name, start)| {
                let traces = [
                    play(start.clone(), [&input[..]]),
                    play(start.clone(), input.chunks(1)),
                    play(start.clone(), chop(input, number as u64)),
                ];
                let at = traces.iter().position(|trace| *trace != law)?;
                let line = traces[at].lines().zip(law.lines()).position(|(a, b)| a != b).unwrap_or_default();
                let of = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
                let (got, wanted, shown) = (of(&traces[at]), of(&law), input.escape_ascii());
                Some(format!("{text}  {name}, way {at}, \"{shown}\"\n  machine {got}\n  law     {wanted}"))
            })
        });
        failures.extend(found);
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

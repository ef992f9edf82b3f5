//! Descriptions of any length that are as dense as real ones: what compiling costs is measured on them.
//!
//! [`description`] mixes all families as a protocol of many messages would; [`family`] repeats one of them, so that a
//! test can see how what is generated grows with it.

use std::fmt::Write;

/// A family of lines: what grows with its number must grow linearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Headers by name, with values that are stored and delivered.
    Headers,
    /// Binary records: fields of bits, integers, lengths.
    Records,
    /// Confined and repeated calls of other trees.
    Calls,
    /// Branchings that catch.
    Catches,
    /// Bytes between `begin:` and `end:`.
    Spans,
    /// Parallel alternatives and enums of texts.
    Alternatives,
    /// Nested branchings with quoted strings.
    Values,
    /// Many literals on one line.
    Literals,
}

/// All families.
pub const FAMILIES: [Family; 8] = [
    Family::Headers,
    Family::Records,
    Family::Calls,
    Family::Catches,
    Family::Spans,
    Family::Alternatives,
    Family::Values,
    Family::Literals,
];

/// A mixed description of at least `lines` lines: messages told apart by a byte of kind, one tree a message.
pub fn description(lines: usize) -> String {
    let mixed = &FAMILIES[..FAMILIES.len() - 1];
    let mut trees = String::new();
    let mut count = 0;
    while trees.lines().count() + count < lines {
        tree(&mut trees, mixed[count % mixed.len()], count);
        count += 1;
    }
    with_root(&trees, count)
}

/// A description of `count` trees of one family; of `count` literals in the one line of `Literals`.
pub fn family(family: Family, count: usize) -> String {
    if family == Family::Literals {
        let words: Vec<String> = (0..count).map(|i| format!("\"word{i:05}\"")).collect();
        return words.join(" ") + "\n";
    }
    let mut trees = String::new();
    (0..count).for_each(|i| tree(&mut trees, family, i));
    with_root(&trees, count)
}

/// The line that tells messages apart, before the trees.
fn with_root(trees: &str, count: usize) -> String {
    let mut text = String::from("be16:kind notify:message(kind) \\\n");
    for i in 0..count {
        _ = writeln!(text, "\tif {{kind == {i}}} call:tree{i} back:0");
    }
    text + "\t{} be16:skipped data:unknown(max=skipped) back:0\n\n" + trees
}

fn tree(text: &mut String, family: Family, i: usize) {
    match family {
        Family::Headers => headers(text, i),
        Family::Records => records(text, i),
        Family::Calls => calls(text, i),
        Family::Catches => catches(text, i),
        Family::Spans => spans(text, i),
        Family::Alternatives => alternatives(text, i),
        Family::Values => values(text, i),
        Family::Literals => {}
    }
    text.push('\n');
}

fn headers(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} [A-Z]->string_view:method{i} " " [^ \r\n]->string:target{i} " HTTP/" u8:major{i} "." u8:minor{i} "\r\n" notify:request{i}(method{i}, target{i})
	<'content-length:'> [ \t]* u64:length{i} [ \t]* "\r\n" notify:sized{i}(length{i})
	<'transfer-encoding:', 'te:'> [ \t]* [a-z]->string_view:coding{i} [ \t]* "\r\n"
	<'x-number-{i}:'> [ \t]* h32:number{i} ";" u16:port{i} [ \t]* "\r\n" notify:numbered{i}(number{i}, port{i})
	<[!#-9A-Za-z]->string_view:name{i} ":"> [ \t]* [\t -~]*->string_view:value{i}(trim) "\r\n" notify:field{i}(name{i}, value{i})
	"\r\n" \
		if {{length{i} > 0}} data:body{i}(max=length{i}) notify:end{i} return
		{{}} notify:end{i} return
"#
    );
}

fn records(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} bits{{version{i}:4 flags{i}:12}} be32:sequence{i} le16:port{i} varint:stamp{i} if {{version{i} < 8}} \
	if {{flags{i} & 1}} array:address{i}(max=16) be16:prefix{i} u16:text{i} ";"
		be64:wide{i} b8:hops{i} le32:checksum{i} if {{checksum{i} != 0}} return
		catch: notify:broken{i} return
	if {{flags{i} & 2}} lef64:ratio{i} be24:size{i} data:blob{i}(max=size{i}) notify:blobEnd{i} return
	if {{flags{i} & 4}} b8:count{i} be16:a{i} be16:b{i} be16:c{i} be32:d{i} notify:four{i}(a{i}, b{i}, c{i}, d{i}) return
	{{}} string_view:rest{i}(max=sequence{i} & 255) "\0" return
"#
    );
}

fn calls(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} be16:total{i} call:list{i}(max=total{i}) b8:times{i} call:pair{i}(times=times{i}) notify:listed{i} return

label:list{i} be16:type{i} be16:size{i} notify:item{i}(type{i}, size{i}) call:item{i}(max=size{i})

label:item{i}
	if {{type{i} == 0}} be16:inner{i} call:list{i}(max=inner{i}) return
	if {{type{i} == 1 && left > 3}} be32:value{i} data:opaque{i} return
	{{}} data:opaque{i} return

label:pair{i} b8:key{i} varint:amount{i} be16:extra{i} notify:pair{i}(key{i}, amount{i}) return
"#
    );
}

fn catches(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} "begin " u32:session{i} "\r\n"
	'set ' [a-z]->string_view:key{i} "=" i32:setting{i} "\r\n" notify:set{i}(key{i}, setting{i})
	'get ' [a-z]->string_view:key{i} "\r\n" notify:get{i}(key{i})
	'move ' i16:x{i} "," i16:y{i} [ ]+ u8:speed{i} "\r\n" notify:move{i}(x{i}, y{i}, speed{i})
		"+" u16:more{i} "\r\n"
		"." "\r\n" notify:moved{i} back:1
		catch: [^\n]* "\n" notify:lost{i} back:1
	'quit' "\r\n" return
	catch: [^\n]* "\n" notify:wrong{i}
"#
    );
}

fn spans(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} begin:signed{i} begin:crc32:check{i} be16:size{i} be16:type{i} data:content{i}(max=size{i})
	"A" u16:part{i} "\n" begin:piece{i} be16:partSize{i} data(max=partSize{i}) end:piece{i}
	"E" end:check{i} be32:sum{i} end:signed{i} if {{sum{i} == check{i}}} notify:good{i} return
	catch: [^\n]* "\n" notify:bad{i} return
"#
    );
}

fn alternatives(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} <'mail from:', 'rcpt to:', 'vrfy', 'expn'> [ ]* enum{{low{i} "low", mid{i} "middle", high{i} "high"}}:level{i} \
	<[a-z]->string_view:local{i} "@" [a-z.]->string_view:domain{i} ">", "<" [^>]->string_view:path{i} ">"> "\r\n" notify:address{i} return
	<u32:code{i} " ", u32:code{i} "-"> [^\r\n]->string:text{i} "\r\n" notify:reply{i}(code{i}) return
	"*" \
		<'ok', 'no', 'bad', 'bye'> [ ]+ [^\r\n]*->string:text{i} "\r\n" return
		<u32:exists{i} ' exists', u32:recent{i} ' recent'> "\r\n" notify:counted{i} return
"#
    );
}

fn values(text: &mut String, i: usize) {
    _ = write!(
        text,
        r#"label:tree{i} [ \t\r\n]* \
	"{{" [ \t\r\n]* "\"" call:quoted{i} ":" [ \t\r\n]* i64:number{i} [ \t\r\n]* "}}" notify:member{i}(text{i}, number{i}) return
	"[" [ \t\r\n]* "]" return
	"\"" call:quoted{i} notify:string{i}(text{i}) return
	'true' return
	'null' return

label:quoted{i} {{ text{i}.clear(); }}
	"\"" return
	[ !#-\[\]-~]->string:text{i}(append)
	"\\" \
		["\\/bfnrt]->string:text{i}(append, max=1) back:0
		"u" h16:unit{i}(min=4, max=4) {{ text{i}.push_utf8(unit{i}); }} back:0
"#
    );
}

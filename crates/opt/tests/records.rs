//! The verdicts on record loops of the design page, section 8, for the protocols of its table.

#[allow(dead_code)]
mod common;

use common::lowered_text;
use vproto_ir::analyses::record::{Against, Class, Record, records};
use vproto_ir::machine::Machine;
use vproto_opt::{PASSES, run_prefix};

/// The verdicts on the loops of a description, outer loops first, where record loops are looked for: before
/// `determinise`.
fn verdicts(text: &str) -> Vec<String> {
    let mut program = lowered_text(text);
    let before = PASSES.iter().position(|p| p.name == "determinise").expect("the pass is in the list");
    run_prefix(&mut program, before);
    let machine = &program.machines[program.root];
    records(machine).into_iter().map(|(_, verdict)| describe(machine, &verdict)).collect()
}

fn describe(machine: &Machine, verdict: &Result<Record, Against>) -> String {
    match verdict {
        Ok(record) => {
            let class = match record.class {
                Class::Carry(byte) => format!("carry {:?} shapes {}", byte as char, record.shapes.len()),
                Class::Split => "split".to_string(),
            };
            let fold =
                if record.fold.is_empty() { String::new() } else { format!(" unless {}", record.fold) };
            let exits: String = record.exits.iter().map(|(set, _)| format!(" exit {set}")).collect();
            format!("{class} sync {}{fold}{exits}", record.sync)
        }
        Err(Against::Inside(byte, _)) => format!("no: {:?} inside", *byte as char),
        Err(Against::EndsByLook(_)) => "no: ends by a look".to_string(),
        Err(Against::Guard(state)) => {
            let kind = vproto_ir::text::print_state(machine, *state);
            format!("no: {}", kind.split_whitespace().nth(1).unwrap_or(""))
        }
        Err(other) => format!("no: {other:?}"),
    }
}

const TOKEN: &str = "[!#-'*+\\-.0-9A-Z^_`a-z|~]";

#[test]
fn http_headers_carry_and_requests_do_not() {
    let line = format!(
        "{TOKEN}->string_view:method \" \" [^ \\r\\n]->string_view:target \" HTTP/1.1\" \"\\r\"? \"\\n\"\n"
    );
    for blanks in ["", "[ \\t]* "] {
        let text = format!(
            "{line}\t{TOKEN}->string_view:name {blanks}\":\" [ \\t]* [^\\r\\n]*->string_view:value \"\\r\"? \"\\n\" \
             notify:header\n\t\"\\r\"? \"\\n\" notify:end back:0\n"
        );
        assert_eq!(
            verdicts(&text),
            ["no: '\\n' inside", "carry ':' shapes 1 sync [\\n] exit [\\n\\r]"],
            "{blanks}"
        );
    }
}

#[test]
fn http_headers_with_known_names_have_a_shape_each() {
    let text = format!(
        "\"GET\" \"\\r\\n\"\n\t<'host:', 'date:', {TOKEN}->string_view:name \":\"> [ \\t]* \
         [^\\r\\n]*->string_view:value \"\\r\\n\" notify:header\n\t\"\\r\\n\" notify:end back:0\n"
    );
    assert_eq!(verdicts(&text)[1], "carry ':' shapes 3 sync [\\n] exit [\\r]");
}

#[test]
fn folded_mime_headers_are_split_where_no_blank_follows() {
    let text = "[^: \\t\\r\\n]->string:name \":\" [^\\r\\n]*->string:value \"\\r\\n\"\n\
                \t[ \\t]+ [^\\r\\n]*->string:value(append) \"\\r\\n\"\n\
                \t{} notify:header(name, value) back:0\n\
                \"\\r\\n\" data:body\n";
    let outer = verdicts(text).remove(0);
    assert_eq!(outer, "split sync [\\n] unless [\\t ] exit [\\r]");
}

#[test]
fn csv_is_split_unless_quotes_take_its_separators() {
    let plain = "[^,\\r\\n]*->string:field\n\t\",\" notify:gotField(field) back:0\n\
                 \t\"\\r\"? \"\\n\" notify:gotField(field) notify:record back:0\n";
    assert_eq!(verdicts(plain), ["split sync [\\n,]"]);
    let quoted = format!(
        "\"\\\"\" [^\"]*->string:field \"\\\"\"\n\t\",\" notify:gotField(field) back:0\n\
         \t\"\\r\"? \"\\n\" notify:gotField(field) notify:record back:0\n{plain}"
    );
    assert!(verdicts(&quoted)[0].ends_with("inside"), "{:?}", verdicts(&quoted));
}

#[test]
fn lines_with_a_separator_carry() {
    let syslog = "[^ \\n]->string:host \" \" [^\\n]*->string:text \"\\n\" notify:line\n";
    assert_eq!(verdicts(syslog), ["carry ' ' shapes 1 sync [\\n]"]);
    let pairs = "[^=\\n]->string:key \"=\" [^\\n]*->string:value \"\\n\" notify:pair\n";
    assert_eq!(verdicts(pairs), ["carry '=' shapes 1 sync [\\n]"]);
}

#[test]
fn nmea_and_irc_split_into_lines_and_their_fields_end_by_a_look() {
    let nmea = "\"$\" [A-Z0-9]->string:type\n\t\",\" [^,*\\r\\n$]*->string:field notify:gotField(field)\n\
                \t\"*\" h8:check(min=2, max=2) \"\\r\"? \"\\n\" notify:sentence(type) back:0\n";
    assert_eq!(verdicts(nmea), ["split sync [\\n]", "no: ends by a look"]);
    let irc = "[^ \\r\\n]->string:command\n\t\" \" [^ \\r\\n]->string:parameter notify:gotParameter(parameter)\n\
               \t\"\\r\\n\" notify:message(command) back:0\n";
    assert_eq!(verdicts(irc), ["split sync [\\n]", "no: ends by a look"]);
}

#[test]
fn lengths_and_calls_are_against_it() {
    let resp = "call:value notify:reply\n\nlabel:value\n\t\"+\" [^\\r\\n]*->string:simple \"\\r\\n\" return\n\
                \t\"$\" u32:length \"\\r\\n\" string:bulk(max=length) \"\\r\\n\" return\n\
                \t\"*\" u32:count \"\\r\\n\" call:value(times=count) return\n";
    assert_eq!(verdicts(resp), ["no: call"]);
    let tlv = "b8:type be32:length data:value(max=length)\n";
    assert_eq!(verdicts(tlv), ["no: scan"]);
}

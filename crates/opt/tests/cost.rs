//! What the machine costs to make: a description of 1000 lines goes through all passes and the verifier in well under
//! half a second when optimised; the bound here is for tests, which are not.

#[allow(dead_code)]
mod common;

use std::time::{Duration, Instant};
use vproto_ir::text::{parse_program, print_program};
use vproto_opt::{PASSES, run};

/// About 1000 lines: commands with known names, headers, lengths, calls, conditions and nested branchings.
fn description() -> String {
    let mut text = String::new();
    for i in 0..100 {
        text.push_str(&format!(
            "<'command{i} '> [^ \\r\\n]->string:argument{i} \"\\r\\n\" {{ count = 0; }}\n"
        ));
        text.push_str(&format!("\t<'length:'> [ ]* u32:length{i} \"\\r\\n\"\n"));
        text.push_str("\t<'host:', 'from:', 'agent:'> [^\\r\\n]* \"\\r\\n\" { count++; }\n");
        text.push_str(&format!("\t<[^:\\r\\n]->string_view:name{i} \":\"> [ \\t]* [^\\r\\n]*->string_view:value{i} \"\\r\\n\" notify:header{i}\n"));
        text.push_str("\t\"\\r\\n\" \\\n");
        text.push_str(&format!(
            "\t\tif {{count == {i}}} be16:size{i} data:body{i}(max=size{i}) notify:done{i} back:0\n"
        ));
        text.push_str(&format!("\t\t{{}} call:item{i}(max=length{i}) back:0\n"));
        text.push_str("\tcatch: [^\\n]* \"\\n\" back:0\n");
    }
    for i in 0..100 {
        text.push_str(&format!("\nlabel:item{i} b8:kind{i}\n\tif {{kind{i} == 1}} be32:number{i} return\n\t{{}} [*]+ return\n").replace("[*]+", "data:rest(min=1)"));
    }
    text.push_str("\nu32:count\n");
    text
}

#[test]
fn a_thousand_lines_cost_little() {
    let text = description();
    let lines = text.lines().count();
    assert!(lines >= 1000, "{lines}");
    let start = Instant::now();
    let mut program = common::lowered_text(&text);
    let mut report = format!("{lines} lines\nfront-end and lowering {:?}\n", start.elapsed());
    let states = |p: &vproto_ir::machine::Program| p.machines[p.root].states.rows().iter().flatten().count();
    report.push_str(&format!("{} states lowered\n", states(&program)));
    let mut total = Duration::ZERO;
    for pass in PASSES {
        let start = Instant::now();
        run(&mut program, pass);
        total += start.elapsed();
        report.push_str(&format!("{:20} {:?}, {} states\n", pass.name, start.elapsed(), states(&program)));
    }
    let start = Instant::now();
    let found = common::findings(&program);
    report.push_str(&format!("verifier {:?}\n", start.elapsed()));
    assert_eq!(found, "");
    let start = Instant::now();
    let parsed = parse_program(&print_program(&program));
    report.push_str(&format!("print and parse {:?}\n", start.elapsed()));
    assert!(parsed.is_ok());
    let start = Instant::now();
    let machine = &program.machines[program.root];
    let numbers = vproto_ir::analyses::numbers::numbers(machine);
    let bound = vproto_ir::analyses::time::bound(machine).expect("no cycle");
    report.push_str(&format!("numbers, bound {:?}: {} numbers, {bound:?}\n", start.elapsed(), numbers.count));
    if std::env::var_os("VPROTO_COST").is_some() {
        // Shown on request: the figures of a build are no expectation.
        panic!("passes {total:?}\n{report}");
    }
    assert!(total < Duration::from_secs(10), "{total:?}\n{report}");
}

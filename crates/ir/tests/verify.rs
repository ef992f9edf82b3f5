//! Each invariant refuses a machine that breaks it, and names the state.

use vproto_ir::analyses::chain::chains;
use vproto_ir::text::{parse_program, print_program};
use vproto_ir::verify::{Verified, verify};

/// The numbers of the violated invariants with their states.
fn violated(text: &str) -> Vec<(u8, String)> {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let show = |s: Option<vproto_ir::ids::StateId>| s.map_or(String::new(), |s| s.to_string());
    verify(&program).iter().map(|v| (v.invariant, show(v.state))).collect()
}

fn broken(invariant: u8, state: &str, body: &str) {
    let text = format!("machine x\nvar v u8\nvar t string\nfunction f notify\nfunction g stream\n{body}");
    let found = violated(&text);
    assert!(found.contains(&(invariant, state.to_string())), "{found:?} for\n{text}");
}

fn good(body: &str) {
    let text = format!("machine x\nvar v u8\nvar t string\nfunction f notify\nfunction g stream\n{body}");
    assert_eq!(violated(&text), [], "for\n{text}");
}

#[test]
fn the_tlv_machine_is_good_and_its_header_is_a_chain() {
    let text = include_str!("../../../tests/ir/tlv.vir");
    let mut program = parse_program(text).expect("the golden parses");
    assert!(Verified::new(program.clone()).is_ok(), "{:?}", verify(&program));
    let machine = &mut program.machines[program.root];
    machine.plans = chains(machine);
    let plans = print_program(&program);
    let plans = &plans[plans.find("plan").expect("there is a plan")..];
    assert_eq!(
        plans,
        "plan chain s0 bytes 5 to s5\n  layout [*] [*] [*] [*] [*]\n    0 home t0\n    0 open p2 @1:1\n    \
         1 commit p2 @1:1\n    1 open p1 @1:9\n    5 commit p1 @1:9\n    5 hi = \"length\" @1:21\n    \
         5 lo = hi @1:9\n    5 open p0 @1:21\nplan chain s1 bytes 5 to s5\n  layout [*] [*] [*] [*] [*]\n    \
         0 open p2 @1:1\n    1 commit p2 @1:1\n    1 open p1 @1:9\n    5 commit p1 @1:9\n    \
         5 hi = \"length\" @1:21\n    5 lo = hi @1:9\n    5 open p0 @1:21\n"
    );
    assert!(Verified::new(program.clone()).is_ok(), "{:?}", verify(&program));
    let machine = &mut program.machines[program.root];
    machine.plans.iter_mut().for_each(|vproto_ir::machine::Plan::Chain(c)| c.layouts[0].bytes.truncate(3));
    assert!(verify(&program).iter().any(|v| v.invariant == 12));
}

#[test]
fn structure() {
    broken(1, "s0", "s0 act\n  -> s1");
    broken(1, "s0", "s0 scan \"a\" 1..1 @1:1!s9\n  -> s0");
    broken(2, "s0", "s0 dispatch @1:1\n  [a-c] -> s1\n  [cd] -> s1\ns1 end stopped");
    broken(3, "s0", "s0 scan \"a\" 3..2 @1:1\n  -> s1\ns1 end stopped");
    broken(4, "s0", "s0 scan \"a\" 1..1\n  -> s1\ns1 end stopped");
    broken(4, "s0", "s0 act\n  {hi = \"v - 1\"} -> s1\ns1 end stopped");
    broken(8, "s0", "s0 act\n  {take} -> s1\ns1 end stopped");
    broken(8, "s0", "s0 dispatch @1:1\n  [a] {take; take} -> s1\ns1 end stopped");
    broken(14, "s0", "s0 test starts t\n  then -> s1\n  else -> s1\ns1 end stopped");
    good("s0 dispatch @1:1\n  [a] -> s2\ns2 test starts t\n  then -> s1\n  else -> s1\ns1 end stopped");
}

#[test]
fn registers() {
    broken(5, "s1", "s0 act\n  -> s1\ns1 scan [*] 0..hi\n  -> s2\ns2 end stopped");
    good("s0 act\n  {hi = 7} -> s1\ns1 scan [*] 0..hi @1:1\n  -> s2\ns2 end stopped");
    broken(5, "s1", "s0 act\n  {hi = 7} -> s1\ns1 scan [*] 0..hi @1:1\n  -> s1");
    broken(13, "s0", "s0 call t1 fence @1:1\n  to -> s1\n  -> s2\ns1 ret @1:1\ns2 end stopped");
    broken(13, "s0", "s0 call t1 needs @1:1\n  to -> s1\n  -> s2\ns1 ret @1:1\ns2 end stopped");
}

#[test]
fn captures_agree() {
    let head = "span p0 pieces g\nspan p1 pieces g\n";
    let body = "s0 dispatch @1:1\n  [a] {open p0} -> s1\n  [b] -> s1\ns1 scan [ab] 1..1 @1:1\n  -> s2\ns2 end stopped";
    broken(6, "s1", &format!("{head}{body}"));
    let body = "s0 act\n  {open p0} -> s1\ns1 scan [ab] 1..1 @1:1\n  {commit p1} -> s2\ns2 end stopped";
    broken(6, "s1", &format!("{head}{body}"));
    let body = "s0 act\n  {open p0} -> s1\ns1 ret @1:1";
    broken(6, "s1", &format!("{head}{body}"));
}

#[test]
fn cycles_pass_a_progress_test() {
    broken(7, "s0", "s0 act\n  {notify f()} -> s0");
    broken(7, "s0", "s0 scan [a] 0..*\n  -> s0");
    good("s0 scan [a] 1..* @1:1\n  -> s0");
    // The handler takes no byte and comes back to the state that raises.
    broken(7, "s0", "s0 scan [a] 1..* @1:1!s1\n  -> s0\ns1 act\n  {notify f()} -> s0");
    good("s0 scan [a] 1..* @1:1!s1\n  -> s0\ns1 scan [*] 1..1 @2:1\n  -> s0");
    let tested = "s0 act\n  {mark m0} -> s1\ns1 scan [a] 0..*\n  -> s2\ns2 test moved m0\n  then -> s0\n  else -> s3\n\
                  s3 raise no-progress @1:1";
    good(tested);
    // The test's target does not mark: nothing says that the second round takes a byte.
    broken(7, "s1", &tested.replace("then -> s0", "then -> s1"));
    // The end of input is a step.
    broken(7, "s0", "s0 dispatch @1:1\n  [a] {take} -> s0\n  eof -> s1\ns1 act\n  -> s0");
}

#[test]
fn calls_are_steps_where_the_callee_comes_back_empty() {
    let call = |flags: &str, callee: &str| {
        format!(
            "s0 act\n  {{hi = 3}} -> s1\ns1 call t1 {flags}@1:1\n  to -> s2\n  -> s0\n{callee}\ns3 ret @2:1"
        )
    };
    good(&call("", "s2 scan [a] 1..1 @2:1\n  -> s3"));
    broken(7, "s0", &call("fence ", "s2 scan [a] 1..1 @2:1\n  -> s3"));
    broken(7, "s0", &call("", "s2 scan [a] 0..1\n  -> s3"));
    // An unset mark counts as moved, so the callee comes back empty; once it is set, it does not.
    let loops = "s2 test moved m0\n  then -> s3\n  else -> s4\ns4 raise no-progress @1:1";
    broken(7, "s0", &call("", loops));
    let marked = call("", loops).replace("to -> s2", "to {mark m0} -> s2");
    good(&marked);
}

#[test]
fn threads() {
    broken(9, "s0", "s0 win\n  -> s0");
    broken(9, "s1", "s0 par @1:1\n  fork -> s1\ns1 ret @1:1");
    broken(9, "s1", "s0 par @1:1\n  fork -> s1\ns1 end stopped");
    broken(
        10,
        "s1",
        "s0 par @1:1\n  fork -> s1\ns1 test code \"v = 1;\"\n  then -> s2\n  else -> s2\ns2 win\n  -> s3\ns3 end stopped",
    );
    good("s0 par @1:1\n  fork -> s1\ns1 scan [a] 1..1 @1:1\n  -> s2\ns2 win\n  -> s3\ns3 end stopped");
}

#[test]
fn a_text_that_is_not_empty_takes_a_byte() {
    let rounds = "s0 dispatch @1:1\n  [*] -> s1\ns1 test starts t\n  then -> s2\n  else -> s3\n\
                  s2 literal =t @1:1\n  -> s0\ns3 end stopped";
    good(rounds);
    broken(7, "s0", &rounds.replace("then -> s2", "then {code \"t.clear();\"} -> s2"));
    broken(7, "s0", &rounds.replace("[*] -> s1", "[*] -> s2"));
}

/// The findings of a machine that was changed behind its text.
fn changed(body: &str, change: impl Fn(&mut vproto_ir::machine::Program)) -> Vec<u8> {
    let text = format!("machine x\nvar v u8\nvar t string\nfunction f notify\nfunction g stream\n{body}");
    let mut program = parse_program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(verify(&program), [], "{text}");
    change(&mut program);
    verify(&program).iter().map(|v| v.invariant).collect()
}

#[test]
fn ids_name_what_exists() {
    let marked = "s0 act\n  {mark m0; home t0} -> s1\ns1 scan [a] 1..* @1:1\n  -> s2\ns2 end stopped";
    assert_eq!(changed(marked, |p| p.machines[p.root].marks = 0), [1]);
    assert_eq!(changed(marked, |p| p.machines[p.root].trees = 0), [1]);
    let code = "s0 act\n  {hi = \"v\" @1:1} -> s1\ns1 scan [a] 0..hi @1:1\n  -> s2\ns2 end stopped";
    let forget = |p: &mut vproto_ir::machine::Program| {
        p.machines[p.root].symbols.vars = vproto_ir::ids::Table::new();
    };
    assert!(changed(code, forget).contains(&1));
}

/// Options of a module name variables of the module, and the module comes before its user.
#[test]
fn options_name_variables_of_the_module() {
    use vproto_ir::ids::VarId;
    use vproto_ir::machine::Kind;
    let text = include_str!("../../../tests/ir/everything.vir");
    let good = parse_program(text).expect("the golden parses");
    type Options = Vec<(VarId, vproto_ir::ids::ExprId)>;
    let messages = |change: &dyn Fn(&mut VarId, &mut Options)| {
        let mut program = good.clone();
        let states = program.machines.iter_mut().flat_map(|(_, m)| m.states.iter_mut());
        let modules = states.filter_map(|(_, s)| match &mut s.as_mut()?.kind {
            Kind::Module { var, sets, .. } if !sets.is_empty() => Some((var, sets)),
            _ => None,
        });
        let mut changed = 0;
        for (var, sets) in modules {
            change(var, sets);
            changed += 1;
        }
        assert!(changed > 0);
        verify(&program).iter().map(|v| format!("{v}\n")).collect::<String>()
    };
    // The machine that shows all of the text form is not a good one: only its ids are looked at.
    let before = messages(&|_, _| {});
    assert!(!before.contains("v99") && !before.contains("sub-parser"), "{before}");
    assert!(messages(&|_, sets| sets[0].0 = VarId(99)).contains("v99"));
    assert!(messages(&|var, _| *var = VarId(0)).contains("v0."));
}

#[test]
fn a_state_runs_at_one_depth_of_threads() {
    // The thread and the parser share a state that wins.
    broken(9, "s1", "s0 par @1:1\n  fork -> s1\ns1 scan [a] 1..1 @1:1\n  -> s2\ns2 win\n  -> s1");
    broken(
        9,
        "s1",
        "s0 par @1:1\n  fork {home t0} -> s1\ns1 act\n  {home t0} -> s2\ns2 scan [a] 1..1 @1:1\n  -> s3\ns3 win\n  -> s4\ns4 end stopped",
    );
    good("s0 par @1:1\n  fork -> s1\ns1 scan [a] 1..1 @1:1\n  -> s2\ns2 win\n  {home t0} -> s0");
}

#[test]
fn a_plan_does_what_the_states_do() {
    let text = include_str!("../../../tests/ir/tlv.vir");
    let mut program = parse_program(text).expect("the golden parses");
    let machine = &mut program.machines[program.root];
    machine.plans = chains(machine);
    assert!(machine.plans.len() >= 2);
    let refused = |change: &dyn Fn(&mut vproto_ir::machine::Chain)| {
        let mut program = program.clone();
        let vproto_ir::machine::Plan::Chain(chain) = &mut program.machines[program.root].plans[0];
        change(chain);
        assert!(verify(&program).iter().any(|v| v.invariant == 12), "{:?}", verify(&program));
    };
    refused(&|c| c.layouts[0].actions[1].0 += 1);
    refused(&|c| drop(c.layouts[0].actions.pop()));
    refused(&|c| c.layouts[0].actions.swap(0, 1));
    refused(&|c| c.layouts[0].bytes.push(vproto_ir::byteset::ByteSet::ALL));
    refused(&|c| c.to = c.at);
    refused(&|c| c.layouts.clear());
    // Any subset is fine, and a layout of fewer bytes.
    let mut fewer = program.clone();
    fewer.machines[fewer.root].plans.remove(0);
    assert_eq!(verify(&fewer), []);
    let vproto_ir::machine::Plan::Chain(chain) = &mut fewer.machines[fewer.root].plans[0];
    let narrow = vproto_ir::byteset::ByteSet::byte(7);
    chain.layouts[0].bytes[0] = narrow;
    assert_eq!(verify(&fewer), []);
    let mut twice = program.clone();
    let again = twice.machines[twice.root].plans[0].clone();
    twice.machines[twice.root].plans.push(again);
    assert!(verify(&twice).iter().any(|v| v.invariant == 12));
}

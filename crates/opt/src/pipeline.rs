//! The passes in their order.

use vproto_ir::machine::{Machine, Program};

/// A pass: its name, and what it does to one machine.
#[derive(Clone, Copy)]
pub struct Pass {
    /// As `--dump` and tests name it.
    pub name: &'static str,
    /// One sentence.
    pub purpose: &'static str,
    /// The pass.
    pub run: fn(&mut Machine),
}

/// All passes in order. Every prefix of the list gives a correct machine; so does the list without any one of them.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "progress",
        purpose: "decides progress tests whose answer is known, and drops marks that nobody reads",
        run: super::progress::run,
    },
    Pass { name: "inline", purpose: "puts small trees in place of plain calls", run: super::inline::run },
    Pass {
        name: "thread",
        purpose: "lets edges lead past joins, and carry their actions",
        run: super::thread::run,
    },
    Pass {
        name: "progress-again",
        purpose: "decides tests that inlining has made decidable",
        run: super::progress::run,
    },
    Pass {
        name: "merge-dispatch",
        purpose: "makes one dispatch of dispatches that look at the same byte",
        run: super::merge_dispatch::run,
    },
    Pass {
        name: "fold-equal",
        purpose: "makes one state of states that cannot be told apart",
        run: super::fold_equal::run,
    },
    Pass {
        name: "determinise",
        purpose: "makes dispatches of parallel alternatives that are literals, sets and bounded counts",
        run: super::determinise::run,
    },
    Pass {
        name: "tidy-spans",
        purpose: "closes and delivers a capture at once where nothing comes between",
        run: super::tidy_spans::run,
    },
    Pass {
        name: "regain-scans",
        purpose: "makes scans of dispatches that take bytes and stay",
        run: super::regain_scans::run,
    },
    Pass {
        name: "thread-again",
        purpose: "lets edges lead past the joins that determinising has made",
        run: super::thread::run,
    },
    Pass {
        name: "merge-dispatch-again",
        purpose: "joins the look of a branching with that of its determinised alternatives",
        run: super::merge_dispatch::run,
    },
    Pass {
        name: "fold-equal-again",
        purpose: "makes one state of tails that determinising has doubled",
        run: super::fold_equal::run,
    },
    Pass {
        name: "chains",
        purpose: "plans one length test and wide loads for items of exact length",
        run: super::plans::run,
    },
];

/// Runs the first `count` passes on every machine.
pub fn run_prefix(program: &mut Program, count: usize) {
    for pass in PASSES.iter().take(count) {
        run(program, pass);
    }
}

/// Runs one pass on every machine.
pub fn run(program: &mut Program, pass: &Pass) {
    for (_, machine) in program.machines.iter_mut() {
        (pass.run)(machine);
    }
}

/// Runs all passes.
pub fn optimise(mut program: Program) -> Program {
    run_prefix(&mut program, PASSES.len());
    program
}

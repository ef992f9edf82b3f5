//! Lowering: a checked description becomes the naive machine (design page "The machine", section 4).
//!
//! One rule a token, no cleverness: progress tests, joins and look-ahead edges are written out; passes remove them.
//! Invariants while it runs:
//! - every branching has an entry state that is reserved before any line is lowered, so no rule calls another
//!   one deeper: nesting and the length of lines cost no stack;
//! - a line is lowered from right to left, each token in front of the edge that runs what follows;
//! - marks `m0 … mN` belong to the branchings of the same numbers, later ones to `jmp:`.
//!
//! What it leaves to others: whether the description makes sense (the checker), and everything that makes the
//! machine small or fast (the passes).

mod branching;
mod build;
mod chain;
mod line;
mod outward;
mod token;

use build::Builder;
use chain::Chains;
use outward::{Outward, mark_of};
use rustc_hash::FxHashMap;
use vproto_ir::facts::Facts;
use vproto_ir::grammar::{Digest, Grammar, Module, TokenKind};
use vproto_ir::ids::{BranchingId, FunctionId, Id, LineId, MarkId, SpanId, StateId, VarId};
use vproto_ir::machine::{Form, Machine, Program, SpanDef};
use vproto_source::Files;

/// The machines of a program.
pub fn lower(grammar: &Grammar, files: &Files) -> Program {
    let machines = grammar.modules.iter().map(|(_, module)| lower_module(module, files)).collect();
    Program { machines, root: grammar.root }
}

/// The machine of one module.
fn lower_module(module: &Module, files: &Files) -> Machine {
    let mut lowering = Lowering::new(module, files);
    for line in module.lines.ids() {
        lowering.line(line);
    }
    for branching in module.branchings.ids() {
        lowering.branching(branching);
    }
    lowering.sequences();
    lowering.run_chains();
    let top = module.trees.rows()[0].branching;
    lowering.out.machine.marks = lowering.marks;
    let start = lowering.outward.entry[top.index()];
    lowering.out.finish(start)
}

/// The work on one module.
struct Lowering<'a> {
    module: &'a Module,
    facts: Facts,
    out: Builder<'a>,
    outward: Outward,
    labels: Vec<StateId>,
    /// Where each line starts to run.
    run: Vec<StateId>,
    /// Where a line goes on behind the condition, code or `< >` at its head, which its branching has dealt with.
    behind_head: FxHashMap<LineId, StateId>,
    slots: Slots,
    waiting: Vec<line::Sequence>,
    chains: Chains,
    marks: u32,
}

impl<'a> Lowering<'a> {
    fn new(module: &'a Module, files: &'a Files) -> Lowering<'a> {
        let mut out = Builder::new(module, files);
        let outward = Outward::new(module, &mut out);
        let labels = module.labels.ids().map(|_| out.reserve()).collect();
        let slots = Slots::new(module, &mut out);
        Lowering {
            module,
            facts: Facts::of(module),
            out,
            outward,
            labels,
            run: vec![StateId(0); module.lines.len()],
            behind_head: FxHashMap::default(),
            slots,
            waiting: Vec::new(),
            chains: Chains::default(),
            marks: u32::try_from(module.branchings.len()).expect("a table never has 2^32 entries"),
        }
    }

    fn new_mark(&mut self) -> MarkId {
        self.marks += 1;
        MarkId(self.marks - 1)
    }

    /// The mark of a branching, where spans that began since its entry may have to end.
    fn unspan_of(&self, branching: BranchingId) -> Option<MarkId> {
        (!self.slots.is_empty()).then(|| mark_of(branching))
    }
}

/// The spans of `begin:`: one slot a name.
struct Slots {
    functions: FxHashMap<FunctionId, SpanId>,
    digests: Vec<(VarId, Digest, SpanId)>,
}

impl Slots {
    fn new(module: &Module, out: &mut Builder<'_>) -> Slots {
        let mut slots = Slots { functions: FxHashMap::default(), digests: Vec::new() };
        for (_, token) in module.tokens.iter() {
            match token.kind {
                TokenKind::Begin(function) => {
                    let form = Form::Begin(function);
                    slots
                        .functions
                        .entry(function)
                        .or_insert_with(|| out.span(SpanDef { form, trim: false, private: false }));
                }
                TokenKind::BeginDigest(digest, var)
                    if !slots.digests.iter().any(|d| (d.0, d.1) == (var, digest)) =>
                {
                    let form = Form::Digest(digest, var);
                    slots.digests.push((
                        var,
                        digest,
                        out.span(SpanDef { form, trim: false, private: false }),
                    ));
                }
                _ => {}
            }
        }
        slots
    }

    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.digests.is_empty()
    }

    /// The span that a `begin:` begins, or that names the slot which an `end:` ends.
    fn of(&self, kind: &TokenKind) -> Option<SpanId> {
        match kind {
            TokenKind::Begin(function) | TokenKind::End(function) => self.functions.get(function).copied(),
            TokenKind::BeginDigest(digest, var) => {
                self.digests.iter().find(|d| (d.0, d.1) == (*var, *digest)).map(|d| d.2)
            }
            TokenKind::EndDigest(var) => self.digests.iter().find(|d| d.0 == *var).map(|d| d.2),
            _ => None,
        }
    }
}

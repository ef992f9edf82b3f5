//! The model `goto`: one function with a label for each state.
//!
//! The number of the resting state is written only where input ends; re-entry is one jump through a switch over dense
//! numbers. Everything that is rare stands behind the states: the end, exceptions, cuts.

use super::facts::Captures;
use super::r#gen::{Gen, ModelOptions};
use super::module::STREAM;
use super::split::Segment;
use super::state::Rests;
use crate::tree::{Callee, Event, Expr, Field, Function, FunctionRole, Op as Do, Parser, Stmt, Ty, label};
use rustc_hash::FxHashMap;
use vproto_ir::ids::ModuleId;
use vproto_ir::machine::{ErrorKind, Form, Program};
use vproto_ir::symbols::VarType;

/// Numbers of the ways in which a run ends, as the runtime has them.
pub mod status {
    /// More bytes are wanted.
    pub const MORE: u64 = 0;
    /// The stream is complete.
    pub const COMPLETE: u64 = 1;
    /// It ended too early.
    pub const INCOMPLETE: u64 = 2;
    /// By `break`.
    pub const STOPPED: u64 = 3;
    /// By an exception.
    pub const ERROR: u64 = 4;
    /// A callback asked for it.
    pub const PAUSED: u64 = 5;
}

/// The code of one module.
pub fn parser(program: &Program, module: ModuleId, options: ModelOptions) -> Parser {
    let mut g = Gen::new(program, module, options);
    g.base_fields();
    let mut rests = Rests::default();
    let segments = g.states(&mut rests);
    let routines = g.apart(|g| g.routines(&rests));
    let late = std::mem::take(&mut g.cold);
    let tails = g.apart(Gen::failure_tails);
    let prologue = g.prologue(&rests);
    // Used by a machine that is dealt out.
    g.local("goal");
    let split = g.split(segments, prologue, [routines, late, tails].concat());
    let run = Function {
        name: "run".to_owned(),
        doc: "Takes one fragment, or the end.".to_owned(),
        role: FunctionRole::Run,
        locals: g.local_fields(),
        body: split.main,
    };
    let frame = if g.has_calls() {
        let fields = g.frame_fields();
        fields.into_iter().map(|(name, ty, doc)| Field { name, ty, count: 0, doc, start: 0 }).collect()
    } else {
        Vec::new()
    };
    let depth = if g.has_calls() { g.depth() } else { 0 };
    let handlers = g.places.iter().map(|(site, _)| g.handler_number(g.handler(*site))).collect();
    let call_sites = g.facts.calls.clone();
    let call_handlers = call_sites
        .iter()
        .map(|call| g.m.state(*call).site.map_or(0, |site| g.handler_number(g.handler(site))))
        .collect();
    let call_trees = call_sites.iter().map(|call| u64::from(g.call_facts(*call).tree.0)).collect();
    let call_fences = call_sites.iter().map(|call| u64::from(g.call_facts(*call).fence)).collect();
    let mut functions = vec![run];
    functions.extend(split.parts);
    functions.append(&mut g.functions);
    let registers = ["n", "k", "lo", "hi", "rep"];
    for function in functions.iter_mut().filter(|f| f.role == FunctionRole::Thread) {
        function.locals.retain(|l| !registers.contains(&l.name.as_str()));
    }
    Parser {
        module,
        fields: std::mem::take(&mut g.fields),
        frame,
        depth,
        // The masks are a local of the main function, where a machine that is dealt out has no states.
        hot_sets: if split.shared.is_empty() { super::hot::hot_sets(g.m, &g.sets) } else { Vec::new() },
        sets: std::mem::take(&mut g.sets),
        tables: std::mem::take(&mut g.tables),
        tries: std::mem::take(&mut g.tries),
        functions,
        shared: split.shared,
        sites: g.places.iter().map(|(site, _)| *site).collect(),
        expected: g.places.iter().map(|(_, expected)| expected.clone()).collect(),
        rests: rests.table(g.facts.count),
        handlers,
        call_handlers,
        call_trees,
        call_fences,
        threads: g.facts.has_threads().then(|| g.thread_bounds()),
        slots: g.facts.slot_count.max(1),
    }
}

impl Gen<'_> {
    fn base_fields(&mut self) {
        self.field("base", Ty::Unsigned(64), "bytes consumed");
        self.field("home", Ty::Unsigned(64), "offset at which the stream's home was entered");
        if let Some(home) = self.fields.last_mut() {
            home.start = super::call::NEVER;
        }
        if self.is_sub() {
            self.field("limit", Ty::Unsigned(64), "where the module's bytes end, if that is known");
            if let Some(limit) = self.fields.last_mut() {
                limit.start = super::call::NEVER;
            }
        }
        self.field("number", Ty::Unsigned(32), "where to go on");
        self.field("error_place", Ty::Unsigned(32), "the place of the error");
        self.field(
            "error_found",
            Ty::Unsigned(16),
            "what was there: a byte, 256 for the end, 257 for nothing",
        );
        self.field("error_kind", Ty::Unsigned(8), "the kind of the error");
        self.field("over", Ty::Unsigned(8), "how parsing ended");
        self.field("pausing", Ty::Bool, "a callback asked for a pause");
        if self.has_calls() {
            self.field("depth", Ty::Unsigned(32), "calls that are open");
        }
        if self.has_fences() {
            self.fence_field();
        }
    }

    fn states(&mut self, rests: &mut Rests) -> Vec<Segment> {
        let order = self.facts.order.clone();
        let segment = |state| {
            let body = self.apart(|g| g.state(state, rests));
            Segment { state, body, cold: std::mem::take(&mut self.cold) }
        };
        order.into_iter().map(segment).collect()
    }

    /// The locals that were used.
    pub fn local_fields(&self) -> Vec<Field> {
        let of = |name: &String| Field {
            ty: local_type(name),
            name: name.clone(),
            count: u32::from(name == "scratch") * 256,
            doc: String::new(),
            start: 0,
        };
        self.locals.iter().map(of).collect()
    }

    fn registers(&self) -> Vec<&'static str> {
        ["n", "k", "lo", "hi", "rep"].into_iter().filter(|name| self.locals.contains(*name)).collect()
    }

    fn prologue(&mut self, rests: &Rests) -> Vec<Stmt> {
        self.apart(|g| {
            g.put(Stmt::Set(Expr::field("pausing"), Expr::Bool(false)));
            if g.has_fences() {
                g.set_end();
            }
            g.resume_spans();
            g.resume_captures();
            for register in g.registers() {
                let field = g.field(register, Ty::Unsigned(64), register_doc(register));
                g.put(Stmt::Set(Expr::local(register), field));
            }
            let start = g.m.start;
            let mut cases = vec![(vec![0], vec![Stmt::jump("s", start.0)])];
            cases.extend(same_ways(rests.resume.iter().map(|(number, _, go)| (*number, go.clone()))));
            if g.has_fences() {
                cases.push((vec![g.skip_number()], vec![Stmt::jump("skip", "")]));
            }
            g.put(Stmt::label("again", ""));
            g.put(Stmt::Switch(Expr::field("number"), cases, vec![Stmt::jump("uncaught", "")]));
        })
    }

    fn routines(&mut self, rests: &Rests) {
        self.put(Stmt::Comment("No byte is left: is it the end?".to_owned()));
        self.put(Stmt::label("rest", ""));
        if self.has_fences() {
            let fenced = self.fence_field().eq(self.offset());
            self.put(Stmt::when(fenced, vec![Stmt::jump("ends", "")]));
        }
        let ending = Expr::local("ending");
        let more = ending.clone().eq(Expr::Int(0));
        self.put(Stmt::likely(more, vec![Stmt::jump("cut", "")]));
        let ended = self.local("ended");
        self.put(Stmt::Set(ended, ending.eq(Expr::Int(STREAM))));
        if self.has_fences() {
            self.put(Stmt::label("ends", ""));
        }
        let number = Expr::field("number");
        if !rests.lacks.is_empty() {
            let place = self.local("place");
            self.put(Stmt::Set(place.clone(), Expr::runtime("rest_place", vec![number.clone()])));
            let lacks = place.op(Do::NotEqual, Expr::Int(NO_PLACE));
            self.put(Stmt::when(lacks, vec![Stmt::jump("lack", "")]));
        }
        let mut cases = same_ways(rests.ends.iter().map(|(number, stmts)| (*number, stmts.clone())));
        if self.has_fences() {
            cases.push((vec![self.skip_number()], self.skip_lacks()));
        }
        self.put(Stmt::Switch(number, cases, vec![Stmt::jump("uncaught", "")]));
        self.token_routines(rests);
        self.lack_routine(rests);
        self.call_routines();
        self.raise_routine();
        self.over_routines();
        self.end_spans_routine();
        self.cut_routine(rests);
    }

    /// The bytes to be skipped are not all there.
    fn skip_lacks(&mut self) -> Vec<Stmt> {
        let (place, kind, found) = (self.local("place"), self.local("kind"), self.local("found"));
        let mut cases = Vec::new();
        for (index, call) in self.facts.calls.clone().into_iter().enumerate() {
            if let Some(site) = self.m.state(call).site {
                let number = self.place(site, "");
                cases.push((vec![index as u64], vec![Stmt::Set(place.clone(), Expr::Int(number))]));
            }
        }
        self.field("skip_call", Ty::Unsigned(16), "the call whose bytes are skipped");
        vec![
            Stmt::Set(place, Expr::Int(0)),
            Stmt::Switch(Expr::field("skip_call"), cases, Vec::new()),
            Stmt::Set(kind, Expr::Int(Gen::kind_number(ErrorKind::Minimum))),
            Stmt::Set(found, Expr::Int(256)),
            Stmt::when(Expr::local("ending").eq(Expr::Int(STREAM)), vec![Stmt::jump("incomplete", "")]),
            Stmt::jump("raise", ""),
        ]
    }

    /// `place` says where a byte is lacking.
    fn lack_routine(&mut self, rests: &Rests) {
        self.put(Stmt::Comment(
            "A byte is lacking: a call may return, the stream may be complete.".to_owned(),
        ));
        self.put(Stmt::label("lack", ""));
        let offset = self.offset();
        if self.has_fences() {
            let fenced = self.fence_field().eq(offset.clone());
            let level = self.local("level");
            let owner = Expr::Element("frames.home".to_owned(), Box::new(level.clone().minus(Expr::Int(1))));
            let mut then = self.find_fence();
            then.push(Stmt::when(owner.eq(offset.clone()), vec![Stmt::jump("fence", "")]));
            then.push(Stmt::jump("lacking", ""));
            self.put(Stmt::when(fenced, then));
        }
        let home = Expr::field("home").eq(offset);
        self.put(Stmt::when(home, vec![Stmt::jump("complete", "")]));
        if self.has_fences() {
            self.put(Stmt::label("lacking", ""));
        }
        let mut ways = Vec::new();
        for (number, state, _) in &rests.resume {
            self.state = *state;
            let captures = self.facts.at(*state);
            let way = self.apart(|g| {
                for span in &captures.open {
                    if matches!(g.m.spans[*span].form, Form::Pieces { .. }) {
                        let site = g.own_site();
                        g.cut_short(*span, site);
                    }
                }
            });
            if !way.is_empty() {
                ways.push((*number, way));
            }
        }
        let cases = same_ways(ways.into_iter());
        if !cases.is_empty() {
            self.put(Stmt::Switch(Expr::field("number"), cases, Vec::new()));
        }
        let (kind, found) = (self.local("kind"), self.local("found"));
        self.put(Stmt::Set(kind, Expr::Int(Gen::kind_number(ErrorKind::Minimum))));
        self.put(Stmt::Set(found, Expr::Int(256)));
        let mut incomplete = Expr::local("ending").eq(Expr::Int(STREAM));
        if self.has_fences() {
            let open = self.fence_field().op(Do::NotEqual, self.offset());
            incomplete = incomplete.op(Do::Both, open);
        }
        self.put(Stmt::when(incomplete, vec![Stmt::jump("incomplete", "")]));
        self.put(Stmt::jump("raise", ""));
        if self.has_fences() {
            self.fence_routine();
        }
    }

    /// The frame that owns the innermost fence.
    fn find_fence(&mut self) -> Vec<Stmt> {
        let level = self.local("level");
        let call = Expr::Element("frames.call".to_owned(), Box::new(level.clone().minus(Expr::Int(1))));
        let plain = Expr::runtime("call_fence", vec![call]).eq(Expr::Int(0));
        let more = level.clone().op(Do::Greater, Expr::Int(1)).op(Do::Both, plain);
        vec![
            Stmt::Set(level.clone(), Expr::field("depth")),
            Stmt::While(more, vec![Stmt::Set(level.clone(), level.minus(Expr::Int(1)))]),
        ]
    }

    fn fence_routine(&mut self) {
        self.put(Stmt::Comment("The bytes of a confined call are used up, and it may return.".to_owned()));
        self.put(Stmt::label("fence", ""));
        let find = self.find_fence();
        self.out.extend(find);
        for slot in 0..self.facts.slot_count {
            self.forget_slot(slot);
        }
        let pop = self.apart(|g| g.pop_frame(false));
        let level = self.local("level");
        self.put(Stmt::While(Expr::field("depth").op(Do::Greater, level), pop));
        let used = self.local("used_up");
        self.put(Stmt::Set(used, Expr::Bool(true)));
        self.put(Stmt::jump("ret", ""));
    }

    fn over_routines(&mut self) {
        let outcome = self.local("outcome");
        let over =
            |number: u64| vec![Stmt::Set(outcome.clone(), Expr::Int(number)), Stmt::jump("failed", "")];
        self.put(Stmt::label("uncaught", ""));
        if self.locals.contains("partial") {
            let module = Expr::local("kind").eq(Expr::Int(Gen::kind_number(ErrorKind::Module)));
            let partial = module.op(Do::Both, Expr::local("partial"));
            self.put(Stmt::when(partial, vec![Stmt::jump("incomplete", "")]));
        }
        self.out.extend(over(status::ERROR));
        self.put(Stmt::label("incomplete", ""));
        self.out.extend(over(status::INCOMPLETE));
        self.put(Stmt::label("failed", ""));
        self.end_all_spans();
        let set = |field: &str, bits: u8, local: Expr| {
            Stmt::Set(Expr::field(field), Expr::Cast(Ty::Unsigned(bits), Box::new(local)))
        };
        let (place, kind, found) = (self.local("place"), self.local("kind"), self.local("found"));
        self.put(set("error_place", 32, place));
        self.put(set("error_kind", 8, kind));
        self.put(set("error_found", 16, found));
        let later = [super::raise::SEARCHED, super::raise::MATCHED, super::raise::UNION];
        if self.places.iter().any(|(_, expected)| later.iter().any(|mark| expected.starts_with(mark))) {
            self.own("note_expected");
        }
        self.trace(Event::Error);
        self.put(Stmt::jump("over", ""));
        self.put(Stmt::label("complete", ""));
        self.finish_joined();
        self.put(Stmt::Set(outcome.clone(), Expr::Int(status::COMPLETE)));
        self.put(Stmt::jump("ended", ""));
        self.put(Stmt::label("stopped", ""));
        self.put(Stmt::Set(outcome.clone(), Expr::Int(status::STOPPED)));
        self.put(Stmt::label("ended", ""));
        self.end_all_spans();
        self.put(Stmt::label("over", ""));
        if !self.is_sub() && self.options.move_views && self.views_below() {
            // Variables stay readable behind the end; the fragment does not.
            let arguments = vec![Expr::local("first"), Expr::local("stop"), Expr::Bool(false)];
            self.put(Stmt::Do(Expr::Call(Callee::Own("move_views".to_owned()), arguments)));
        }
        self.put(set("over", 8, outcome.clone()));
        let offset = self.offset();
        self.put(Stmt::Set(Expr::field("base"), offset));
        self.put(Stmt::Return(outcome));
    }

    /// The fragment ends, or a pause was asked for: nothing may point into the fragment.
    fn cut_routine(&mut self, rests: &Rests) {
        self.put(Stmt::Comment("A cut: what the fragment has of open captures is kept.".to_owned()));
        if self.pauses {
            self.put(Stmt::label("pause", ""));
            for register in ["n", "k"] {
                let register = self.local(register);
                self.put(Stmt::Set(register, Expr::Int(0)));
            }
        }
        self.put(Stmt::label("cut", ""));
        let mut ways = Vec::new();
        for (number, state, _) in &rests.resume {
            self.state = *state;
            let until = self.is_until(*state);
            let way = self.apart(|g| {
                if until && !g.facts.at(*state).open.is_empty() {
                    g.set_text_start();
                }
                g.cut_captures(*state);
            });
            if !way.is_empty() {
                ways.push((*number, way));
            }
        }
        let cases = same_ways(ways.into_iter());
        if !cases.is_empty() {
            self.put(Stmt::Switch(Expr::field("number"), cases, Vec::new()));
        }
        self.cut_spans();
        let offset = self.offset();
        if !self.is_sub() && self.options.move_views && self.views_below() {
            let at_home = Expr::field("home").eq(offset.clone());
            let arguments = vec![Expr::local("first"), Expr::local("stop"), at_home];
            self.put(Stmt::Do(Expr::Call(Callee::Own("move_views".to_owned()), arguments)));
        }
        for register in self.registers() {
            let field = self.field(register, Ty::Unsigned(64), register_doc(register));
            self.put(Stmt::Set(field, Expr::local(register)));
        }
        self.save_rooms();
        self.put(Stmt::Set(Expr::field("base"), offset));
        let paused = Expr::Choose(
            Box::new(Expr::field("pausing")),
            Box::new(Expr::Int(status::PAUSED)),
            Box::new(Expr::Int(status::MORE)),
        );
        self.put(Stmt::Return(paused));
    }

    /// Whether this module or one that it runs has views.
    pub fn views_below(&self) -> bool {
        has_views(self.program, self.module)
    }

    /// The captures of nothing.
    pub fn no_captures() -> Captures {
        Captures::default()
    }
}

/// Whether a module or one that it runs has views. Modules do not hold themselves, so this ends.
pub fn has_views(program: &Program, module: ModuleId) -> bool {
    program.machines[module].symbols.vars.iter().any(|(_, var)| match var.ty {
        VarType::View => true,
        VarType::Module(inner) => has_views(program, inner),
        _ => false,
    })
}

/// Stands for no place in the table of resting states.
pub const NO_PLACE: u64 = 0xffff_ffff;

/// Cases of a switch, those of one way together.
fn same_ways(ways: impl Iterator<Item = (u64, Vec<Stmt>)>) -> Vec<(Vec<u64>, Vec<Stmt>)> {
    let mut cases: Vec<(Vec<u64>, Vec<Stmt>)> = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for (number, way) in ways {
        let at = *known.entry(format!("{way:?}")).or_insert(cases.len());
        match cases.get_mut(at) {
            Some((numbers, _)) => numbers.push(number),
            None => cases.push((vec![number], way)),
        }
    }
    cases
}

/// The type of a local, which its name tells.
pub fn local_type(name: &str) -> Ty {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem {
        "bad" | "truth" | "ended" | "used_up" | "partial" => Ty::Bool,
        "value" => Ty::Signed(64),
        "from" | "to" | "span" | "before" | "limit" | "text_start" | "at" | "back" | "waited"
        | "replayed" => Ty::Cursor,
        "chunk" => Ty::Bytes,
        "scratch" => Ty::Unsigned(8),
        _ => Ty::Unsigned(64),
    }
}

fn register_doc(name: &str) -> &'static str {
    match name {
        "n" => "bytes that the running token took",
        "k" => "letters of the running text",
        "lo" => "least number of bytes",
        "hi" => "greatest number of bytes",
        _ => "texts so far, or rounds of a call",
    }
}

/// Leaves out jumps to the next label, and labels and statements that nothing reaches.
pub fn tidy(mut body: Vec<Stmt>) -> Vec<Stmt> {
    loop {
        let before = body.len();
        body = drop_unreachable(body);
        body = drop_jumps(body);
        let used = used_labels(&body);
        drop_labels(&mut body, &used);
        if body.len() == before {
            return body;
        }
    }
}

/// Labels that nothing jumps to.
fn drop_labels(body: &mut Vec<Stmt>, used: &std::collections::BTreeSet<crate::tree::Label>) {
    body.retain(|stmt| !matches!(stmt, Stmt::Label(l) if !used.contains(l)));
    for stmt in body {
        match stmt {
            Stmt::If(_, _, a, b) => [a, b].into_iter().for_each(|b| drop_labels(b, used)),
            Stmt::While(_, a) | Stmt::Block(a) => drop_labels(a, used),
            Stmt::Switch(_, cases, other) => {
                cases.iter_mut().for_each(|(_, c)| drop_labels(c, used));
                drop_labels(other, used);
            }
            _ => {}
        }
    }
}

/// Statements behind a jump, up to the next label.
fn drop_unreachable(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut kept = Vec::with_capacity(body.len());
    let mut reached = true;
    for stmt in body {
        match &stmt {
            Stmt::Label(_) => reached = true,
            Stmt::Comment(_) => {
                kept.push(stmt);
                continue;
            }
            _ => {}
        }
        let leaves = matches!(stmt, Stmt::Jump(_) | Stmt::Return(_));
        if reached {
            kept.push(stmt);
        }
        reached &= !leaves;
    }
    kept
}

/// Jumps to a label that follows.
fn drop_jumps(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut kept: Vec<Stmt> = Vec::with_capacity(body.len());
    for (i, stmt) in body.iter().enumerate() {
        if let Stmt::Jump(target) = stmt {
            let mut following = body[i + 1..].iter();
            let next = following
                .find(|s| !matches!(s, Stmt::Comment(_)) && !matches!(s, Stmt::Label(l) if l != target));
            if matches!(next, Some(Stmt::Label(l)) if l == target) {
                continue;
            }
        }
        kept.push(stmt.clone());
    }
    kept
}

fn used_labels(body: &[Stmt]) -> std::collections::BTreeSet<crate::tree::Label> {
    let mut used = std::collections::BTreeSet::new();
    let mut work: Vec<&Stmt> = body.iter().collect();
    while let Some(stmt) = work.pop() {
        match stmt {
            Stmt::Jump(target) => {
                used.insert(target.clone());
            }
            Stmt::If(_, _, a, b) => work.extend(a.iter().chain(b)),
            Stmt::While(_, a) | Stmt::Block(a) => work.extend(a),
            Stmt::Switch(_, cases, other) => {
                work.extend(cases.iter().flat_map(|(_, c)| c).chain(other));
            }
            _ => {}
        }
    }
    used
}

/// The label that ends a run.
pub fn over() -> crate::tree::Label {
    label("over", "")
}

//! Machines as text.

use super::names::{Names, quote, set};
use super::print_portable::{print_block, print_expr};
use crate::byteset::ByteSet;
use crate::grammar::Hint;
use crate::ids::{CodeId, ExprId, Id, ModuleId, SiteId, SpanId, StateId, Table};
use crate::machine::{
    Action, Bound, Chain, Edge, Form, Handler, Kind, Limit, Machine, Op, Plan, Predicate, Program, Site,
    SpanDef, State, Status, Text, Until,
};
use crate::portable::CodeKind;
use crate::symbols::{Limits, Role, VarType};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// A whole program: its machines in order; `root` is said where it is not the last one.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    if program.root.index() + 1 != program.machines.len() {
        let _ = writeln!(out, "root {}", program.root.0);
    }
    for (id, machine) in program.machines.iter() {
        if id.index() > 0 {
            out.push('\n');
        }
        out.push_str(&print_machine(machine, Some(&program.machines)));
    }
    out
}

/// One machine. Names of variables of modules that it uses are known where `modules` has them.
pub fn print_machine(machine: &Machine, modules: Option<&Table<ModuleId, Machine>>) -> String {
    let mut out = String::new();
    let printer = Printer::new(machine, modules);
    printer.head(&mut out);
    for (id, state) in machine.states.iter() {
        if let Some(state) = state {
            printer.state(id, state, &mut out);
        }
    }
    for plan in &machine.plans {
        printer.plan(plan, &mut out);
    }
    out
}

/// One state with its edges, as it stands in the text of its machine.
pub fn print_state(machine: &Machine, id: StateId) -> String {
    let mut out = String::new();
    match machine.states.get(id).and_then(Option::as_ref) {
        Some(state) => Printer::new(machine, None).state(id, state, &mut out),
        None => out = format!("{id} (a hole)\n"),
    }
    out
}

/// One edge.
pub fn print_edge(machine: &Machine, edge: &Edge) -> String {
    Printer::new(machine, None).edge(edge)
}

/// One action.
pub fn print_action(machine: &Machine, action: &Action) -> String {
    Printer::new(machine, None).action(action)
}

/// Spellings of what is named by what it says.
struct Printer<'a> {
    machine: &'a Machine,
    names: Names<'a>,
    exprs: Vec<String>,
    codes: Vec<String>,
    sites: Vec<String>,
}

impl<'a> Printer<'a> {
    fn new(machine: &'a Machine, modules: Option<&'a Table<ModuleId, Machine>>) -> Printer<'a> {
        let names = Names { symbols: &machine.symbols, modules };
        let exprs = machine.symbols.exprs.iter().map(|(_, e)| quote(print_expr(&names, e).as_bytes()));
        let codes = machine.symbols.codes.iter().map(|(_, c)| code_text(&names, &c.kind, &c.text));
        let sites = machine.sites.iter().map(|(_, s)| place(s));
        let (exprs, codes, sites) = (
            number_repeats(exprs.collect()),
            number_repeats(codes.collect()),
            number_repeats(sites.collect()),
        );
        Printer { machine, names, exprs, codes, sites }
    }

    fn head(&self, out: &mut String) {
        let m = self.machine;
        let _ = writeln!(out, "machine {}", m.name);
        let _ = writeln!(out, "start {}", m.start);
        let _ = writeln!(out, "size states {} marks {} trees {}", m.states.len(), m.marks, m.trees);
        if m.symbols.limits != Limits::default() {
            let l = &m.symbols.limits;
            let exact = if l.calls_exact { " exact" } else { "" };
            let (c, s, v, t) = (l.calls, l.string, l.view, l.states);
            let _ = writeln!(out, "limit calls {c}{exact} string {s} view {v} states {t}");
        }
        for file in &m.files {
            let _ = writeln!(out, "file {}", quote(file.as_bytes()));
        }
        self.symbols(out);
        self.site_table(out);
        for (id, span) in m.spans.iter() {
            let _ = writeln!(out, "span {id} {}", self.span(span));
        }
    }

    fn symbols(&self, out: &mut String) {
        let symbols = &self.machine.symbols;
        for (_, e) in symbols.enums.iter() {
            let members: String = e.members.iter().map(|(n, v)| format!(" {n}={v}")).collect();
            let _ = writeln!(out, "enum {}{members}", e.name);
        }
        for (_, var) in symbols.vars.iter() {
            let start = var.start.map_or(String::new(), |s| format!(" = {s}"));
            let _ = writeln!(out, "var {} {}{start}", var.name, self.var_type(var.ty));
        }
        for (_, function) in symbols.functions.iter() {
            let role = match function.role {
                Role::Notify => "notify",
                Role::Stream => "stream",
                Role::Value => "value",
            };
            let _ = writeln!(out, "function {} {role}", function.name);
        }
        for (id, _) in symbols.exprs.iter() {
            let _ = writeln!(out, "expr {}", self.expr(id));
        }
        for (id, code) in symbols.codes.iter() {
            let plain = code_source(&self.names, &code.kind, &code.text);
            let written = if plain == code.text {
                String::new()
            } else {
                format!(" as {}", quote(code.text.as_bytes()))
            };
            let _ = writeln!(out, "code {}{written}", self.code(id));
        }
    }

    fn var_type(&self, ty: VarType) -> String {
        match ty {
            VarType::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
            VarType::Bool => "bool".to_string(),
            VarType::Enum { of, bits } => format!("enum {} {bits}", of.0),
            VarType::Float { bits } => format!("f{bits}"),
            VarType::String => "string".to_string(),
            VarType::View => "string_view".to_string(),
            VarType::Array { capacity } => format!("array {capacity}"),
            VarType::Module(module) => format!("module {}", module.0),
        }
    }

    /// The table of sites, several a line; `wants` belongs to the site before it.
    fn site_table(&self, out: &mut String) {
        let mut line = String::new();
        for (id, site) in self.machine.sites.iter() {
            let wants =
                site.wants.as_ref().map_or(String::new(), |w| format!(" wants {}", quote(w.as_bytes())));
            let word = format!("{}{wants}", self.site(id));
            if !line.is_empty() && line.len() + word.len() > 100 {
                let _ = writeln!(out, "sites{line}");
                line.clear();
            }
            let _ = write!(line, " {word}");
        }
        if !line.is_empty() {
            let _ = writeln!(out, "sites{line}");
        }
    }

    fn span(&self, span: &SpanDef) -> String {
        let form = self.form(&span.form);
        let (trim, private) =
            (if span.trim { " trim" } else { "" }, if span.private { " private" } else { "" });
        format!("{form}{trim}{private}")
    }

    fn form(&self, form: &Form) -> String {
        let names = &self.names;
        let append = |append: &bool| if *append { " append" } else { "" };
        match form {
            Form::Pieces { function, xor } => {
                let xor = xor.map_or(String::new(), |v| format!(" xor={}", names.var(v)));
                format!("pieces {}{xor}", names.function(*function))
            }
            Form::String { var, append: a, keep } => {
                let keep = keep.map_or(String::new(), |k| format!(" keep={}", self.keep(k)));
                format!("string {}{}{keep}", names.var(*var), append(a))
            }
            Form::Array { var, append: a } => format!("array {}{}", names.var(*var), append(a)),
            Form::View { var, append: a } => format!("string_view {}{}", names.var(*var), append(a)),
            Form::Digits { var, radix, ty } => {
                format!("digits {} {radix} {}", names.var(*var), int_type(ty))
            }
            Form::Binary { var, big, swap, ty } => {
                let order = if *big { "be" } else { "le" };
                let swap = swap.map_or(String::new(), |e| format!(" swap={}", self.expr(e)));
                format!("int {} {order} {}{swap}", names.var(*var), int_type(ty))
            }
            Form::Varint { var, max, ty } => {
                let var = var.map_or("_".to_string(), |v| names.var(v));
                format!("varint {var} {max} {}", int_type(ty))
            }
            Form::Bits { fields, little } => {
                let field = |f: &crate::grammar::BitField| {
                    let var = f.var.map_or("_".to_string(), |v| names.var(v));
                    format!("{var}:{}{}", f.bits, if f.signed { "s" } else { "" })
                };
                let fields: Vec<String> = fields.iter().map(field).collect();
                format!("{}{{{}}}", if *little { "bitsle" } else { "bits" }, fields.join(" "))
            }
            Form::Float { var, big } => {
                format!("float {} {}", names.var(*var), if *big { "be" } else { "le" })
            }
            Form::Begin(function) => format!("begin {}", names.function(*function)),
            Form::Digest(digest, var) => format!("digest {} {}", digest.name(), names.var(*var)),
        }
    }

    fn keep(&self, keep: crate::grammar::Bound) -> String {
        match keep {
            crate::grammar::Bound::Fixed(n) => n.to_string(),
            crate::grammar::Bound::Expr(e) => self.expr(e),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        self.exprs.get(id.index()).cloned().unwrap_or_else(|| format!("#{}", id.0))
    }

    fn code(&self, id: CodeId) -> String {
        self.codes.get(id.index()).cloned().unwrap_or_else(|| format!("#{}", id.0))
    }

    fn site(&self, id: SiteId) -> String {
        self.sites.get(id.index()).cloned().unwrap_or_else(|| format!("@#{}", id.0))
    }

    fn state(&self, id: StateId, state: &State, out: &mut String) {
        let site = state.site.map_or(String::new(), |s| format!(" {}", self.site(s)));
        let _ = writeln!(out, "{id} {}{site}", self.kind(&state.kind));
        match &state.kind {
            Kind::Dispatch { alts, other, eof } => {
                for (bytes, edge) in alts {
                    self.slot(&set(bytes), edge, out);
                }
                other.iter().for_each(|e| self.slot("other", e, out));
                eof.iter().for_each(|e| self.slot("eof", e, out));
            }
            Kind::Test { then, other, .. } => {
                self.slot("then", then, out);
                self.slot("else", other, out);
            }
            Kind::Call { to, next, .. } => {
                self.slot("to", to, out);
                self.slot("", next, out);
            }
            Kind::Par { forks } => forks.iter().for_each(|e| self.slot("fork", e, out)),
            kind => kind.edges().into_iter().for_each(|e| self.slot("", e, out)),
        }
    }

    fn slot(&self, name: &str, edge: &Edge, out: &mut String) {
        let gap = if name.is_empty() { "" } else { " " };
        let _ = writeln!(out, "  {name}{gap}{}", self.edge(edge));
    }

    fn kind(&self, kind: &Kind) -> String {
        match kind {
            Kind::Scan { set: bytes, lo, hi, until, hint, .. } => {
                let until = match until {
                    None => String::new(),
                    Some(Until::Text(text)) => format!(" until {}", quote(text)),
                    Some(Until::Var(var)) => format!(" until ={}", self.names.var(*var)),
                };
                format!(
                    "scan {} {}..{}{until}{}",
                    letter_or_set(bytes),
                    bound(lo, "lo"),
                    bound(hi, "hi"),
                    hint_text(*hint)
                )
            }
            Kind::Literal { text, fold, .. } => {
                let fold = if *fold { " fold" } else { "" };
                match text {
                    Text::Bytes(bytes) => format!("literal {}{fold}", quote(bytes)),
                    Text::Var(var) => format!("literal ={}{fold}", self.names.var(*var)),
                }
            }
            Kind::Dispatch { .. } => "dispatch".to_string(),
            Kind::Test { what, .. } => format!("test {}", self.predicate(what)),
            Kind::Act { .. } => "act".to_string(),
            Kind::Call { tree, fence, times, needs, keep, .. } => {
                let flag = |on: &bool, text| if *on { text } else { "" };
                let (fence, times, needs) =
                    (flag(fence, " fence"), flag(times, " times"), flag(needs, " needs"));
                let names: String = keep.iter().map(|v| format!(" {}", self.names.var(*v))).collect();
                let keep = if keep.is_empty() { names } else { format!(" keep{names}") };
                format!("call {tree}{fence}{times}{needs}{keep}")
            }
            Kind::Ret => "ret".to_string(),
            Kind::Par { .. } => "par".to_string(),
            Kind::Win { .. } => "win".to_string(),
            Kind::Drop => "drop".to_string(),
            Kind::Module { var, set: bytes, lo, hi, join, xor, sets, .. } => {
                let join = if *join { " join" } else { "" };
                let xor = xor.map_or(String::new(), |v| format!(" xor={}", self.names.var(v)));
                let one = |(member, e): &(_, _)| {
                    format!(" set {} {}", self.names.member(*var, *member), self.expr(*e))
                };
                let sets: String = sets.iter().map(one).collect();
                let (name, bytes) = (self.names.var(*var), set(bytes));
                format!("module {name} {bytes} {}..{}{join}{xor}{sets}", bound(lo, "lo"), bound(hi, "hi"))
            }
            Kind::Raise(kind) => format!("raise {}", kind.name()),
            Kind::End(Status::Complete) => "end complete".to_string(),
            Kind::End(Status::Stopped) => "end stopped".to_string(),
        }
    }

    fn predicate(&self, what: &Predicate) -> String {
        match what {
            Predicate::If(e) => format!("if {}", self.expr(*e)),
            Predicate::Code(c) => format!("code {}", self.code(*c)),
            Predicate::Moved(m) => format!("moved {m}"),
            Predicate::MovedBottom(m) => format!("moved0 {m}"),
            Predicate::Below(l) => format!("below {}", limit(*l)),
            Predicate::Reached(l) => format!("reached {}", limit(*l)),
            Predicate::Zero(e) => format!("zero {}", self.expr(*e)),
            Predicate::Starts(v) => format!("starts {}", self.names.var(*v)),
        }
    }

    fn edge(&self, edge: &Edge) -> String {
        if edge.actions.is_empty() {
            return format!("-> {}", edge.to);
        }
        let actions: Vec<String> = edge.actions.iter().map(|a| self.action(a)).collect();
        format!("{{{}}} -> {}", actions.join("; "), edge.to)
    }

    fn action(&self, action: &Action) -> String {
        let op = self.op(&action.op);
        match action.site {
            Some(site) => format!("{op} {}", self.site(site)),
            None => op,
        }
    }

    fn op(&self, op: &Op) -> String {
        let names = &self.names;
        let span = |word: &str, p: &SpanId| format!("{word} {p}");
        match op {
            Op::Take => "take".to_string(),
            Op::Open(p) => span("open", p),
            Op::Commit(p) => span("commit", p),
            Op::Close(p) => span("close", p),
            Op::Deliver(p) => span("deliver", p),
            Op::DropSpan(p) => span("drop", p),
            Op::SetLo(e) => format!("lo = {}", self.expr(*e)),
            Op::SetHi(e) => format!("hi = {}", self.expr(*e)),
            Op::SetLoFixed(n) => format!("lo = {n}"),
            Op::SetHiFixed(n) => format!("hi = {n}"),
            Op::SetLoToHi => "lo = hi".to_string(),
            Op::SetRep(e) => format!("rep = {}", self.expr(*e)),
            Op::SetRepFixed(n) => format!("rep = {n}"),
            Op::CountRep => "rep + 1".to_string(),
            Op::Begin(p) => span("begin", p),
            Op::End(p) => span("end", p),
            Op::EndModule(var) => format!("finish {}", names.var(*var)),
            Op::Notify(function, args) => {
                let args: Vec<String> = args.iter().map(|e| self.expr(*e)).collect();
                format!("notify {}({})", names.function(*function), args.join(", "))
            }
            Op::Code(code) => format!("code {}", self.code(*code)),
            Op::SetVar(var, value) => format!("set {} {}", names.var(*var), names.enum_value(*var, *value)),
            Op::InitVar(var, value) => format!("init {} {}", names.var(*var), names.enum_value(*var, *value)),
            Op::Mark(m) => format!("mark {m}"),
            Op::Home(t) => format!("home {t}"),
            Op::Unspan(m) => format!("unspan {m}"),
            Op::Reset => "reset".to_string(),
        }
    }

    fn plan(&self, plan: &Plan, out: &mut String) {
        match plan {
            Plan::Chain(chain) => self.chain(chain, out),
        }
    }

    fn chain(&self, chain: &Chain, out: &mut String) {
        let lengths: Vec<String> = chain.layouts.iter().map(|l| l.bytes.len().to_string()).collect();
        let _ = writeln!(out, "plan chain {} bytes {} to {}", chain.at, lengths.join("|"), chain.to);
        for layout in &chain.layouts {
            let bytes: Vec<String> = layout.bytes.iter().map(letter_or_set).collect();
            let _ = writeln!(out, "  layout {}", bytes.join(" "));
            for (at, action) in &layout.actions {
                let _ = writeln!(out, "    {at} {}", self.action(action));
            }
        }
    }
}

/// Marks all but the first of equal spellings with their number: `"a"`, `"a"#3`.
fn number_repeats(mut texts: Vec<String>) -> Vec<String> {
    let mut seen: FxHashMap<String, ()> = FxHashMap::default();
    for (i, text) in texts.iter_mut().enumerate() {
        if seen.insert(text.clone(), ()).is_some() {
            text.push_str(&format!("#{i}"));
        }
    }
    texts
}

/// What a code says, with a word for its sort.
fn code_text(names: &Names<'_>, kind: &CodeKind, text: &str) -> String {
    let sort = match kind {
        CodeKind::Condition(_) => "if ".to_string(),
        CodeKind::Block(_) => String::new(),
        CodeKind::Opaque { language, condition } => {
            let language = language.as_ref().map_or(String::new(), |l| format!("{} ", quote(l.as_bytes())));
            format!("opaque {}{language}= ", if *condition { "if " } else { "" })
        }
    };
    format!("{sort}{}", quote(code_source(names, kind, text).as_bytes()))
}

/// The source that the printed form shows: portable code as it was understood, opaque code as it was written.
pub(super) fn code_source(names: &Names<'_>, kind: &CodeKind, text: &str) -> String {
    match kind {
        CodeKind::Condition(e) => print_expr(names, e),
        CodeKind::Block(block) => print_block(names, block),
        CodeKind::Opaque { .. } => text.to_string(),
    }
}

/// `@2:44!s12`, with the file's number before the line where it is an included one.
fn place(site: &Site) -> String {
    let file = site.file.map_or(String::new(), |f| format!("{f}/"));
    let handler = match site.handler {
        Handler::Stop => String::new(),
        Handler::Catch(state) => format!("!{state}"),
        Handler::Up => "!up".to_string(),
    };
    format!("@{file}{}:{}{handler}", site.line, site.column)
}

fn int_type(ty: &crate::grammar::IntType) -> String {
    format!("{}{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits, if ty.wrap { " wrap" } else { "" })
}

fn letter_or_set(bytes: &ByteSet) -> String {
    match (bytes.len(), bytes.first()) {
        (1, Some(byte)) => quote(&[byte]),
        _ => set(bytes),
    }
}

fn bound(bound: &Bound, register: &str) -> String {
    match bound {
        Bound::Fixed(n) => n.to_string(),
        Bound::Register => register.to_string(),
        Bound::Unbounded => "*".to_string(),
    }
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Fixed(n) => n.to_string(),
        Limit::Lo => "lo".to_string(),
        Limit::Hi => "hi".to_string(),
    }
}

fn hint_text(hint: Hint) -> &'static str {
    match hint {
        Hint::Auto => "",
        Hint::Never => " nosse",
        Hint::Vector => " sse",
        Hint::Sse2 => " sse=SSE2",
        Hint::Sse42 => " sse=SSE4.2",
        Hint::Avx2 => " sse=AVX2",
    }
}

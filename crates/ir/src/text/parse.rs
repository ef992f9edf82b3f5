//! Machines from text. Any text gives a machine or an error with its line; the verifier says whether the machine
//! is a good one.

use super::ParseError;
use super::cursor::{Cursor, Parsed};
use super::parse_head::Reader;
use super::parse_portable::{parse_function, parse_member};
use crate::byteset::ByteSet;
use crate::grammar::Hint;
use crate::ids::{Id, ModuleId, StateId, Table};
use crate::machine::{
    Action, Bound, Chain, Edge, ErrorKind, Kind, Layout, Limit, Machine, Op, Plan, Predicate, Program, State,
    Status, Text, Until,
};

/// A program: machines that each begin with a line `machine NAME`.
///
/// # Errors
/// The first line that is not of the text form.
pub fn parse_program(text: &str) -> Result<Program, ParseError> {
    let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).filter(|(_, l)| is_content(l)).collect();
    let mut root = None;
    let mut rest = lines.as_slice();
    if let Some(((number, line), after)) = rest.split_first() {
        let mut cursor = Cursor::new(line, *number);
        if cursor.eat_word("root") {
            root = Some(cursor.index()?);
            rest = after;
        }
    }
    let mut machines: Table<ModuleId, Machine> = Table::new();
    while !rest.is_empty() {
        let next = rest.iter().skip(1).position(|(_, l)| l.starts_with("machine "));
        let (own, after) = rest.split_at(next.map_or(rest.len(), |n| n + 1));
        let machine = read_machine(own, Some(&machines))?;
        machines.push(machine);
        rest = after;
    }
    match root.or(machines.ids().next_back()) {
        Some(root) if root.index() < machines.len() => Ok(Program { machines, root }),
        _ => Err(ParseError { line: 1, message: "the root is no machine of the text".to_string() }),
    }
}

/// One machine; `modules` has those that it uses.
///
/// # Errors
/// The first line that is not of the text form.
pub fn parse_machine(text: &str, modules: Option<&Table<ModuleId, Machine>>) -> Result<Machine, ParseError> {
    let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).filter(|(_, l)| is_content(l)).collect();
    read_machine(&lines, modules)
}

/// Blank lines and those that begin with `;` say nothing.
fn is_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with(';')
}

fn read_machine(lines: &[(u32, &str)], modules: Option<&Table<ModuleId, Machine>>) -> Parsed<Machine> {
    let Some(((number, first), rest)) = lines.split_first() else {
        return Err(ParseError { line: 1, message: "there is no machine".to_string() });
    };
    let mut cursor = Cursor::new(first, *number);
    cursor.expect("machine ")?;
    let mut reader = Reader::new(cursor.word()?, modules);
    cursor.end()?;
    let mut groups: Vec<Vec<Cursor<'_>>> = Vec::new();
    for (number, line) in rest {
        let cursor = Cursor::new(line, *number);
        match groups.last_mut() {
            Some(group) if line.starts_with(' ') => group.push(cursor),
            _ => groups.push(vec![cursor]),
        }
    }
    for group in groups {
        reader.group(group)?;
    }
    reader.finish();
    Ok(reader.machine)
}

impl Reader<'_> {
    /// A line with the indented ones below it.
    fn group(&mut self, mut lines: Vec<Cursor<'_>>) -> Parsed<()> {
        let mut slots = lines.split_off(1);
        let Some(mut head) = lines.pop() else { return Ok(()) };
        if self.head_line(&mut head)? {
            return if slots.is_empty() { Ok(()) } else { head.error("nothing stands below this line") };
        }
        if head.eat_word("plan") {
            let plan = self.plan(&mut head, &mut slots)?;
            self.machine.plans.push(plan);
            return Ok(());
        }
        let id: StateId = head.id("s")?;
        let kind = self.kind(&mut head, &mut Slots { lines: slots, next: 0 })?;
        let site = self.site(&mut head)?;
        head.end()?;
        while self.machine.states.len() <= id.index() {
            self.machine.states.push(None);
        }
        if self.machine.states[id].is_some() {
            return head.error(format!("{id} is there twice"));
        }
        self.machine.states[id] = Some(State { kind, site });
        Ok(())
    }

    /// Sizes that the text left out.
    fn finish(&mut self) {
        let (mut marks, mut trees) = (self.machine.marks, self.machine.trees);
        for (_, state) in self.machine.states.iter() {
            let Some(state) = state else { continue };
            if let Kind::Test { what: Predicate::Moved(m) | Predicate::MovedBottom(m), .. } = &state.kind {
                marks = marks.max(m.0 + 1);
            }
            if let Kind::Call { tree, .. } = &state.kind {
                trees = trees.max(tree.0 + 1);
            }
            for edge in state.kind.edges() {
                for action in &edge.actions {
                    match action.op {
                        Op::Mark(m) | Op::Unspan(m) => marks = marks.max(m.0 + 1),
                        Op::Home(t) => trees = trees.max(t.0 + 1),
                        _ => {}
                    }
                }
            }
        }
        (self.machine.marks, self.machine.trees) = (marks, trees);
    }

    fn kind(&mut self, head: &mut Cursor<'_>, slots: &mut Slots<'_>) -> Parsed<Kind> {
        let word = head.word()?;
        let kind = match word {
            "scan" => self.scan(head, slots)?,
            "literal" => {
                let text =
                    if head.eat("=") { Text::Var(self.var(head)?) } else { Text::Bytes(head.string()?) };
                Kind::Literal { text, fold: head.eat_word("fold"), next: self.only(slots, head)? }
            }
            "dispatch" => self.dispatch(slots)?,
            "test" => {
                let what = self.predicate(head)?;
                let then = self.named(slots, head, "then")?;
                Kind::Test { what, then, other: self.named(slots, head, "else")? }
            }
            "act" => Kind::Act { next: self.only(slots, head)? },
            "call" => self.call(head, slots)?,
            "ret" => Kind::Ret,
            "par" => {
                let mut forks = Vec::new();
                while slots.peek().is_some() {
                    forks.push(self.named(slots, head, "fork")?);
                }
                Kind::Par { forks }
            }
            "win" => Kind::Win { next: self.only(slots, head)? },
            "drop" => Kind::Drop,
            "module" => self.module(head, slots)?,
            "raise" => Kind::Raise(error_kind(head)?),
            "end" => match head.word()? {
                "complete" => Kind::End(Status::Complete),
                "stopped" => Kind::End(Status::Stopped),
                _ => return head.error("expected complete or stopped"),
            },
            _ => return head.error(format!("no kind of state is called {word}")),
        };
        match slots.peek() {
            Some(line) => line.error("one edge too many"),
            None => Ok(kind),
        }
    }

    fn scan(&mut self, head: &mut Cursor<'_>, slots: &mut Slots<'_>) -> Parsed<Kind> {
        let set = head.set()?;
        let (lo, hi) = bounds(head)?;
        let until = if !head.eat_word("until") {
            None
        } else if head.eat("=") {
            Some(Until::Var(self.var(head)?))
        } else {
            Some(Until::Text(head.string()?))
        };
        Ok(Kind::Scan { set, lo, hi, until, hint: hint(head), next: self.only(slots, head)? })
    }

    fn dispatch(&mut self, slots: &mut Slots<'_>) -> Parsed<Kind> {
        let (mut alts, mut other, mut eof) = (Vec::new(), None, None);
        while let Some(line) = slots.take() {
            if line.eat_word("other") {
                other = Some(self.edge(line)?);
            } else if line.eat_word("eof") {
                eof = Some(self.edge(line)?);
            } else {
                let set = line.set()?;
                alts.push((set, self.edge(line)?));
            }
        }
        Ok(Kind::Dispatch { alts, other, eof })
    }

    fn call(&mut self, head: &mut Cursor<'_>, slots: &mut Slots<'_>) -> Parsed<Kind> {
        let tree = head.id("t")?;
        let (fence, times, needs) = (head.eat_word("fence"), head.eat_word("times"), head.eat_word("needs"));
        let mut keep = Vec::new();
        if head.eat_word("keep") {
            head.blanks();
            while head.peek().is_some_and(|b| b != b'@') {
                keep.push(self.var(head)?);
                head.blanks();
            }
        }
        let to = self.named(slots, head, "to")?;
        Ok(Kind::Call { to, next: self.only(slots, head)?, tree, fence, times, needs, keep })
    }

    fn module(&mut self, head: &mut Cursor<'_>, slots: &mut Slots<'_>) -> Parsed<Kind> {
        let var = self.var(head)?;
        let set = head.set()?;
        let (lo, hi) = bounds(head)?;
        let join = head.eat_word("join");
        let xor = if head.eat("xor=") { Some(self.var(head)?) } else { None };
        let mut sets = Vec::new();
        while head.eat_word("set") {
            let member = parse_member(&self.names(), var, head)?;
            sets.push((member, self.expr(head)?));
        }
        Ok(Kind::Module { var, set, lo, hi, join, xor, sets, next: self.only(slots, head)? })
    }

    fn predicate(&mut self, head: &mut Cursor<'_>) -> Parsed<Predicate> {
        Ok(match head.word()? {
            "if" => Predicate::If(self.expr(head)?),
            "code" => Predicate::Code(self.code(head)?),
            "moved" => Predicate::Moved(head.id("m")?),
            "moved0" => Predicate::MovedBottom(head.id("m")?),
            "below" => Predicate::Below(limit(head)?),
            "reached" => Predicate::Reached(limit(head)?),
            "zero" => Predicate::Zero(self.expr(head)?),
            "starts" => Predicate::Starts(self.var(head)?),
            word => return head.error(format!("no question is called {word}")),
        })
    }

    fn only(&mut self, slots: &mut Slots<'_>, head: &Cursor<'_>) -> Parsed<Edge> {
        match slots.take() {
            Some(line) => self.edge(line),
            None => head.error("an edge is missing"),
        }
    }

    fn named(&mut self, slots: &mut Slots<'_>, head: &Cursor<'_>, name: &str) -> Parsed<Edge> {
        if let Some(line) = slots.take()
            && line.eat_word(name)
        {
            return self.edge(line);
        }
        head.error(format!("the edge \"{name}\" is missing"))
    }

    fn edge(&mut self, line: &mut Cursor<'_>) -> Parsed<Edge> {
        let mut actions = Vec::new();
        if line.eat("{") {
            while !line.eat("}") {
                if !actions.is_empty() {
                    line.expect(";")?;
                }
                actions.push(self.action(line)?);
            }
        }
        line.expect("->")?;
        let to = line.id("s")?;
        line.end()?;
        Ok(Edge { actions, to })
    }

    fn action(&mut self, line: &mut Cursor<'_>) -> Parsed<Action> {
        let op = self.op(line)?;
        Ok(Action { op, site: self.site(line)? })
    }

    fn op(&mut self, line: &mut Cursor<'_>) -> Parsed<Op> {
        let word = line.word()?;
        Ok(match word {
            "take" => Op::Take,
            "open" => Op::Open(line.id("p")?),
            "commit" => Op::Commit(line.id("p")?),
            "close" => Op::Close(line.id("p")?),
            "deliver" => Op::Deliver(line.id("p")?),
            "drop" => Op::DropSpan(line.id("p")?),
            "begin" => Op::Begin(line.id("p")?),
            "end" => Op::End(line.id("p")?),
            "lo" | "hi" | "rep" => self.register(word, line)?,
            "finish" => Op::EndModule(self.var(line)?),
            "notify" => {
                let function = parse_function(&self.names(), line)?;
                line.expect("(")?;
                let mut args = Vec::new();
                while !line.eat(")") {
                    if !args.is_empty() {
                        line.expect(",")?;
                    }
                    args.push(self.expr(line)?);
                }
                Op::Notify(function, args)
            }
            "code" => Op::Code(self.code(line)?),
            "set" | "init" => {
                let var = self.var(line)?;
                let value = self.enum_value(var, line)?;
                if word == "set" { Op::SetVar(var, value) } else { Op::InitVar(var, value) }
            }
            "mark" => Op::Mark(line.id("m")?),
            "home" => Op::Home(line.id("t")?),
            "unspan" => Op::Unspan(line.id("m")?),
            "reset" => Op::Reset,
            _ => return line.error(format!("no action is called {word}")),
        })
    }

    fn register(&mut self, word: &str, line: &mut Cursor<'_>) -> Parsed<Op> {
        if word == "rep" && line.eat("+") {
            line.expect("1")?;
            return Ok(Op::CountRep);
        }
        line.expect("=")?;
        if word == "lo" && line.eat_word("hi") {
            return Ok(Op::SetLoToHi);
        }
        line.blanks();
        if line.peek().is_some_and(|b| b.is_ascii_digit()) {
            let n = line.number()?;
            return Ok(match word {
                "lo" => Op::SetLoFixed(n),
                "hi" => Op::SetHiFixed(n),
                _ => Op::SetRepFixed(n),
            });
        }
        let e = self.expr(line)?;
        Ok(match word {
            "lo" => Op::SetLo(e),
            "hi" => Op::SetHi(e),
            _ => Op::SetRep(e),
        })
    }

    fn plan(&mut self, head: &mut Cursor<'_>, lines: &mut [Cursor<'_>]) -> Parsed<Plan> {
        head.expect("chain")?;
        let at = head.id("s")?;
        head.expect("bytes")?;
        let mut lengths: Vec<usize> = vec![head.number()?];
        while head.eat("|") {
            lengths.push(head.number()?);
        }
        head.expect("to")?;
        let to = head.id("s")?;
        head.end()?;
        let mut layouts: Vec<Layout> = Vec::new();
        for line in lines {
            if line.eat_word("layout") {
                let mut bytes: Vec<ByteSet> = Vec::new();
                while !line.at_end() {
                    bytes.push(line.set()?);
                }
                layouts.push(Layout { bytes, actions: Vec::new() });
                continue;
            }
            let at = line.number()?;
            let action = self.action(line)?;
            line.end()?;
            match layouts.last_mut() {
                Some(layout) => layout.actions.push((at, action)),
                None => return line.error("an action without a layout"),
            }
        }
        if layouts.iter().map(|l| l.bytes.len()).ne(lengths) {
            return head.error("the layouts have other lengths");
        }
        Ok(Plan::Chain(Chain { at, layouts, to }))
    }
}

/// The indented lines of a state.
struct Slots<'a> {
    lines: Vec<Cursor<'a>>,
    next: usize,
}

impl<'a> Slots<'a> {
    fn take(&mut self) -> Option<&mut Cursor<'a>> {
        let line = self.lines.get_mut(self.next)?;
        self.next += 1;
        Some(line)
    }

    fn peek(&self) -> Option<&Cursor<'a>> {
        self.lines.get(self.next)
    }
}

fn bounds(head: &mut Cursor<'_>) -> Parsed<(Bound, Bound)> {
    let lo = if head.eat_word("lo") { Bound::Register } else { Bound::Fixed(head.number()?) };
    head.expect("..")?;
    let hi = if head.eat_word("hi") {
        Bound::Register
    } else if head.eat("*") {
        Bound::Unbounded
    } else {
        Bound::Fixed(head.number()?)
    };
    Ok((lo, hi))
}

fn hint(head: &mut Cursor<'_>) -> Hint {
    const HINTS: [(&str, Hint); 5] = [
        ("nosse", Hint::Never),
        ("sse=SSE2", Hint::Sse2),
        ("sse=SSE4.2", Hint::Sse42),
        ("sse=AVX2", Hint::Avx2),
        ("sse", Hint::Vector),
    ];
    HINTS.iter().find(|(word, _)| head.eat(word)).map_or(Hint::Auto, |(_, hint)| *hint)
}

fn limit(head: &mut Cursor<'_>) -> Parsed<Limit> {
    if head.eat_word("lo") {
        Ok(Limit::Lo)
    } else if head.eat_word("hi") {
        Ok(Limit::Hi)
    } else {
        Ok(Limit::Fixed(head.number()?))
    }
}

fn error_kind(head: &mut Cursor<'_>) -> Parsed<ErrorKind> {
    let word = head.word()?;
    let kinds = [
        ErrorKind::Mismatch,
        ErrorKind::Minimum,
        ErrorKind::Condition,
        ErrorKind::Overflow,
        ErrorKind::Limit,
        ErrorKind::NoProgress,
        ErrorKind::Return,
        ErrorKind::Module,
    ];
    match kinds.into_iter().find(|k| k.name() == word) {
        Some(kind) => Ok(kind),
        None => head.error("an unknown kind of exception"),
    }
}

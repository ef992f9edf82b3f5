//! The product of the positions of threads: what a group of `< >` does on each byte, while none has won.
//!
//! A thread is deterministic, so a group only loses members. A position is a resting state with the count so far; with
//! it go the captures that are open or closed, and what is to be done when the thread wins. One step shows one byte
//! (or the end) to all threads, in order of priority: the first that wins has won, so one that ends by taking the
//! byte ties with one that ends by looking at it.

use super::edit;
use vproto_ir::analyses::effects;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{SiteId, SpanId, StateId};
use vproto_ir::machine::{Action, Bound, Edge, Form, Kind, Limit, Machine, Op, Predicate, Text};

/// A thread that rests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Where.
    pub state: StateId,
    /// Bytes taken by the running scan, capped where more make no difference, or letters of a literal.
    count: u64,
    /// Whole literals.
    rep: u64,
    /// Captures that are open.
    pub open: Vec<SpanId>,
    /// Captures that are closed.
    closed: Vec<SpanId>,
    /// What to do on winning.
    log: Vec<Action>,
    /// Whether an event waits: it keeps its offset, so no byte may come behind it.
    event: bool,
    /// Actions that wait for the first byte: those of the fork.
    pending: Vec<Action>,
}

/// What is shown to the threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// A byte.
    Byte(u8),
    /// The end of input.
    End,
}

/// A step, and what the threads looked for: errors report it where none is left, or where an enclosing group fails.
pub struct Stepped {
    /// What it comes to.
    pub step: Step,
    /// The bytes that the states would have taken which saw what is shown; those of losers too.
    pub expected: ByteSet,
}

/// What a step comes to.
pub enum Step {
    /// Nobody is left.
    Dead,
    /// The edge's actions, and who is left.
    On(Vec<Action>, Vec<Thread>),
    /// Somebody has won, by taking the byte or by looking at it.
    Won(Edge),
}

/// The group must stay threads.
#[derive(Debug)]
pub struct Stays;

/// How one thread fares in a step.
enum Fate {
    Rests,
    Dies,
    Wins(Edge),
}

/// What a scan does in a step.
enum Scanned {
    Leaves,
    Takes,
    Rests,
    Raises,
}

/// A thread in a step.
struct Run<'a> {
    machine: &'a Machine,
    thread: Thread,
    shown: Option<Shown>,
    /// Actions before and behind the byte.
    before: Vec<Action>,
    behind: Vec<Action>,
    took: bool,
    expected: ByteSet,
}

/// The threads that the forks start, before their first byte.
pub fn start(machine: &Machine, forks: &[Edge], site: Option<SiteId>) -> Result<Vec<Thread>, Stays> {
    forks.iter().map(|fork| start_one(machine, fork, site)).collect()
}

fn start_one(machine: &Machine, fork: &Edge, site: Option<SiteId>) -> Result<Thread, Stays> {
    let thread = Thread {
        state: fork.to,
        count: 0,
        rep: 0,
        open: Vec::new(),
        closed: Vec::new(),
        log: Vec::new(),
        event: false,
        pending: Vec::new(),
    };
    let mut run = Run::new(machine, thread, None);
    run.follow(fork, site)?;
    match run.advance()? {
        Fate::Rests => Ok(Thread { pending: run.before, ..run.thread }),
        Fate::Dies | Fate::Wins(_) => Err(Stays),
    }
}

/// Shows a byte or the end to all threads.
pub fn step(machine: &Machine, threads: &[Thread], shown: Shown) -> Result<Stepped, Stays> {
    let (mut before, mut behind, mut left) = (Vec::new(), Vec::new(), Vec::new());
    let mut dropped: Vec<Action> = Vec::new();
    let mut expected = ByteSet::EMPTY;
    for (i, thread) in threads.iter().enumerate() {
        let mut run = Run::new(machine, thread.clone(), Some(shown));
        let fate = run.advance()?;
        expected = expected | run.expected;
        match fate {
            Fate::Dies => dropped.extend(drops(thread)),
            Fate::Rests => {
                before.append(&mut run.before);
                behind.append(&mut run.behind);
                left.push(run.thread);
            }
            Fate::Wins(edge) => {
                for loser in &threads[i + 1..] {
                    expected = expected | looked_for(machine, loser, shown);
                }
                let losers = threads.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, t)| drops(t));
                return Ok(Stepped { step: Step::Won(won(run, losers.collect(), &edge)), expected });
            }
        }
    }
    if left.is_empty() {
        return Ok(Stepped { step: Step::Dead, expected });
    }
    if shown == Shown::End {
        // A thread that has seen the end wins or dies.
        return Err(Stays);
    }
    let take = Action { op: Op::Take, site: None };
    let actions = before.into_iter().chain(dropped).chain([take]).chain(behind).collect();
    Ok(Stepped { step: Step::On(actions, left), expected })
}

/// What a thread looks for that has lost already; what would make it stay a thread comes too late.
fn looked_for(machine: &Machine, thread: &Thread, shown: Shown) -> ByteSet {
    let mut run = Run::new(machine, thread.clone(), Some(shown));
    let _ = run.advance();
    run.expected
}

/// Captures of a thread that leaves; those that only its pending actions open were never opened.
fn drops(thread: &Thread) -> Vec<Action> {
    if !thread.pending.is_empty() {
        return Vec::new();
    }
    let spans = thread.open.iter().chain(&thread.closed);
    spans.map(|p| Action { op: Op::DropSpan(*p), site: None }).collect()
}

fn won(run: Run<'_>, losers: Vec<Action>, next: &Edge) -> Edge {
    let take = run.took.then_some(Action { op: Op::Take, site: None });
    let own = run.before.into_iter().chain(losers).chain(take).chain(run.behind);
    let actions = own.chain(run.thread.log).chain(next.actions.iter().cloned()).collect();
    Edge { actions, to: next.to }
}

impl<'a> Run<'a> {
    /// The actions that wait for the thread's first byte come first.
    fn new(machine: &'a Machine, mut thread: Thread, shown: Option<Shown>) -> Run<'a> {
        let before = std::mem::take(&mut thread.pending);
        let (behind, expected) = (Vec::new(), ByteSet::EMPTY);
        Run { machine, thread, shown, before, behind, took: false, expected }
    }

    /// Runs until the thread rests, wins or dies.
    fn advance(&mut self) -> Result<Fate, Stays> {
        // A thread cannot loop without a byte; what it does in one step is bounded by the states.
        for _ in 0..=self.machine.states.len() {
            let state = self.machine.state(self.thread.state);
            let edge = match &state.kind {
                Kind::Scan { set, lo, hi, until: None, next, .. } => match self.scan(set, lo, hi)? {
                    Scanned::Leaves => next,
                    Scanned::Takes => continue,
                    Scanned::Rests => return Ok(Fate::Rests),
                    Scanned::Raises => return Ok(Fate::Dies),
                },
                Kind::Literal { text: Text::Bytes(text), fold, next } => {
                    let Some(letter) = text.get(self.thread.count as usize) else {
                        self.follow(next, state.site)?;
                        continue;
                    };
                    let set = ByteSet::letter(*letter, *fold);
                    match self.look(&set) {
                        None => return Ok(Fate::Rests),
                        Some(Shown::Byte(byte)) if set.contains(byte) => {
                            self.take()?;
                            self.thread.count += 1;
                            continue;
                        }
                        Some(_) => return Ok(Fate::Dies),
                    }
                }
                Kind::Dispatch { alts, other, eof } => {
                    let edge = match self.look(&alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set))
                    {
                        None => return Ok(Fate::Rests),
                        Some(Shown::End) => eof.as_ref(),
                        Some(Shown::Byte(byte)) => {
                            let own = alts.iter().find(|(set, _)| set.contains(byte)).map(|(_, edge)| edge);
                            own.or(other.as_ref())
                        }
                    };
                    match edge {
                        Some(edge) => edge,
                        None => return Ok(Fate::Dies),
                    }
                }
                Kind::Act { next } => next,
                Kind::Test { what: Predicate::Reached(Limit::Fixed(n)), then, other } => {
                    if self.thread.rep >= *n { then } else { other }
                }
                Kind::Test { what: Predicate::Below(Limit::Fixed(n)), then, other } => {
                    if self.thread.rep < *n { then } else { other }
                }
                Kind::Win { next } => return Ok(Fate::Wins(edit::placed(next, state.site))),
                _ => return Err(Stays),
            };
            self.follow(edge, state.site)?;
        }
        Err(Stays)
    }

    /// A step of a scan. At its greatest number it leaves without a look.
    fn scan(&mut self, set: &ByteSet, lo: &Bound, hi: &Bound) -> Result<Scanned, Stays> {
        let Bound::Fixed(lo) = *lo else { return Err(Stays) };
        let most = match *hi {
            Bound::Fixed(hi) => Some(hi),
            Bound::Unbounded => None,
            Bound::Register => return Err(Stays),
        };
        if most == Some(self.thread.count) {
            return Ok(Scanned::Leaves);
        }
        match self.look(set) {
            None => Ok(Scanned::Rests),
            Some(Shown::Byte(byte)) if set.contains(byte) => {
                self.take()?;
                let count = self.thread.count + 1;
                self.thread.count = if most.is_none() { count.min(lo) } else { count };
                Ok(Scanned::Takes)
            }
            Some(_) if self.thread.count >= lo => Ok(Scanned::Leaves),
            Some(_) => Ok(Scanned::Raises),
        }
    }

    /// What a state sees that would take these bytes.
    fn look(&mut self, set: &ByteSet) -> Option<Shown> {
        if self.shown.is_some() {
            self.expected = self.expected | *set;
        }
        self.shown
    }

    fn take(&mut self) -> Result<(), Stays> {
        if self.thread.event {
            return Err(Stays);
        }
        self.shown = None;
        self.took = true;
        Ok(())
    }

    fn act(&mut self, op: Op, site: Option<SiteId>) {
        let list = if self.took { &mut self.behind } else { &mut self.before };
        list.push(Action { op, site });
    }

    /// The actions of an edge: what is eager is done, what waits for winning is remembered.
    fn follow(&mut self, edge: &Edge, site: Option<SiteId>) -> Result<(), Stays> {
        for action in &edge.actions {
            let site = action.site.or(site);
            let logged = |op: Op| Action { op, site };
            match &action.op {
                Op::Take => self.take()?,
                Op::Open(p) => {
                    if refuses(self.machine, *p) || self.thread.open.contains(p) {
                        return Err(Stays);
                    }
                    self.thread.open.push(*p);
                    self.act(Op::Open(*p), site);
                }
                Op::Commit(p) | Op::Close(p) => {
                    self.thread.open.retain(|q| q != p);
                    self.thread.closed.push(*p);
                    self.act(Op::Close(*p), site);
                    if matches!(action.op, Op::Commit(_)) {
                        self.thread.log.push(logged(Op::Deliver(*p)));
                    }
                }
                Op::Deliver(p) => self.thread.log.push(logged(Op::Deliver(*p))),
                Op::DropSpan(p) => {
                    self.thread.open.retain(|q| q != p);
                    self.thread.closed.retain(|q| q != p);
                    self.act(Op::DropSpan(*p), site);
                }
                op @ (Op::Notify(..) | Op::Code(_) | Op::SetVar(..) | Op::InitVar(..)) => {
                    self.thread.event = true;
                    self.thread.log.push(logged(op.clone()));
                }
                Op::SetRepFixed(n) => self.thread.rep = *n,
                Op::CountRep if self.thread.rep < MOST_ROUNDS => self.thread.rep += 1,
                _ => return Err(Stays),
            }
        }
        self.thread.state = edge.to;
        self.thread.count = 0;
        Ok(())
    }
}

/// More whole literals than this are counted by a register.
const MOST_ROUNDS: u64 = 256;

/// Forms whose capture in a thread needs the thread: a key, a bound that is computed or that earlier bytes count to,
/// pieces that must wait, a number of any length. How many bytes a number has is asked separately.
fn refuses(machine: &Machine, span: SpanId) -> bool {
    match &machine.spans[span].form {
        Form::Pieces { .. } | Form::Varint { .. } | Form::Begin(_) | Form::Digest(..) => true,
        Form::String { append, keep, .. } => {
            *append || matches!(keep, Some(vproto_ir::grammar::Bound::Expr(_)))
        }
        Form::View { append, .. } | Form::Array { append, .. } => *append,
        Form::Digits { .. } | Form::Binary { .. } | Form::Bits { .. } | Form::Float { .. } => false,
    }
}

/// Whether a number's capture may refuse one of so many bytes, or its value.
pub fn refuses_number(machine: &Machine, span: SpanId, most: Option<u64>) -> bool {
    let def = &machine.spans[span];
    match &def.form {
        Form::Digits { .. } => def.trim || effects::may_refuse(machine, def, most),
        Form::Binary { .. } | Form::Bits { .. } => effects::may_refuse(machine, def, most),
        _ => false,
    }
}

/// Whether the bytes of a capture are bounded by a limit of memory.
pub fn is_limited(machine: &Machine, span: SpanId) -> bool {
    matches!(machine.spans[span].form, Form::String { keep: None, .. } | Form::View { .. })
}

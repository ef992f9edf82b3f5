//! `< >` while it is undecided: threads that look at the same byte, in the order of their priority.
//!
//! Time is the number of bytes looked at. One round shows one byte (or the end) to every thread; so the first one, by
//! priority, that wins in a round has won: one that ends by taking the byte ties with one that ends by looking at it.

use super::env::Env;
use super::expect;
use super::parser::{AtEnd, Core, Cx, Expect, Line, NEVER, Raised, Stop};
use super::run::run;
use super::span::Stored;
use crate::trace::Found;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{CodeId, ExprId, FunctionId, SiteId, VarId};
use vproto_ir::machine::{Edge, ErrorKind};

/// The threads that are left of a `par`.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// In order of priority.
    pub threads: Vec<Line>,
    /// Bytes up to here were shown to all of them.
    pos: u64,
    /// Where bytes end that a group may keep because its states begin or end spans.
    bound: u64,
    /// Whether it is one of a thread.
    nested: bool,
}

/// Something that a thread has done, to be done when it wins.
#[derive(Clone, Debug)]
pub(super) struct Logged {
    /// What.
    pub what: Deed,
    /// The token.
    pub site: Option<SiteId>,
    /// Where it was done, in the module's own stream.
    pub pos: u64,
    /// How far that stream was from the outermost one then: a joined module may go on elsewhere.
    pub delta: u64,
}

/// What a thread can do.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// A variable is stored; `silent` ones make no event.
    Store { var: VarId, value: Stored, silent: bool },
    /// Bytes of a function are complete.
    Data { function: FunctionId, bytes: Vec<u8> },
    /// A function of the user is called.
    Notify { function: FunctionId, args: Vec<ExprId> },
    /// A block runs.
    Code { code: CodeId },
}

/// All threads are dead.
struct NoneLeft;

impl Group {
    /// Starts a thread per fork. One that cannot start is dead.
    pub fn start(
        core: &mut Core,
        line: &Line,
        cx: &mut Cx<'_>,
        forks: &[Edge],
        site: Option<SiteId>,
    ) -> Group {
        let mut threads = Vec::with_capacity(forks.len());
        for fork in forks {
            let mut thread = Line::at(fork.to, line.pos);
            thread.log = Some(line.log.clone().unwrap_or_default());
            thread.begins.clone_from(&line.begins);
            thread.death = core.actions(&mut thread, cx, &fork.actions, site).err();
            threads.push(thread);
        }
        Group { threads, pos: line.pos, bound: NEVER, nested: line.is_thread() }
    }

    /// A group of the main line whose states begin or end spans keeps its bytes: only so many of them.
    pub fn bounded(mut self, most: u64) -> Group {
        self.bound = self.pos.saturating_add(most);
        self
    }

    /// Shows bytes to the threads until one wins, none is left, or the window ends.
    ///
    /// # Errors
    /// None is left.
    pub fn advance(
        &mut self,
        core: &mut Core,
        cx: &mut Cx<'_>,
        site: Option<SiteId>,
        fresh: bool,
    ) -> Result<Option<Line>, Raised> {
        let (end, at_end) = (core.end, core.at_end);
        if fresh {
            core.end = self.pos;
            core.at_end = AtEnd::More;
            let round = self.round(core, cx);
            (core.end, core.at_end) = (end, at_end);
            match round {
                Ok(Some(winner)) => return Ok(Some(winner)),
                Ok(None) => {}
                Err(NoneLeft) => return Err(self.none_left(core, cx, None, site)),
            }
        }
        loop {
            let last = self.pos >= end;
            if last && at_end == AtEnd::More {
                return Ok(None);
            }
            if self.pos >= self.bound && !last {
                let found = Some(Found::Byte(cx.slice(self.pos, self.pos + 1)[0]));
                return Err(Raised { found, ..Raised::new(ErrorKind::Limit, site) });
            }
            let alone = self.threads.len() == 1;
            if !last && (!alone || end > self.bound) {
                core.end = if alone { self.bound } else { self.pos + 1 };
                core.at_end = AtEnd::More;
            }
            let round = self.round(core, cx);
            let shown = core.end;
            (core.end, core.at_end) = (end, at_end);
            match round {
                Ok(Some(winner)) => return Ok(Some(winner)),
                Ok(None) => self.pos = shown,
                Err(NoneLeft) => {
                    if alone {
                        self.pos = self.threads.first().map_or(self.pos, died_at);
                    }
                    let found = if self.pos < shown {
                        Some(Found::Byte(cx.slice(self.pos, self.pos + 1)[0]))
                    } else {
                        Some(Found::End)
                    };
                    return Err(self.none_left(core, cx, found, site));
                }
            }
            if last {
                return Ok(None);
            }
        }
    }

    /// Where the group stands.
    pub fn pos(&self) -> u64 {
        self.pos
    }

    /// Lets every thread run in the window. Where none is left, the dead ones stay for the report.
    fn round(&mut self, core: &mut Core, cx: &mut Cx<'_>) -> Result<Option<Line>, NoneLeft> {
        let mut dead = 0;
        for i in 0..self.threads.len() {
            let thread = &mut self.threads[i];
            if thread.death.is_some() {
                dead += 1;
                continue;
            }
            match run(core, thread, cx) {
                Ok(Stop::Rest) => continue,
                Ok(Stop::Won) => {
                    self.note_others(core, cx, i);
                    return Ok(Some(self.threads.swap_remove(i)));
                }
                Ok(_) => thread.death = Some(Raised::new(ErrorKind::Mismatch, None)),
                Err(raised) => thread.death = Some(raised),
            }
            dead += 1;
        }
        if dead == self.threads.len() {
            return Err(NoneLeft);
        }
        if dead > 0 {
            self.threads.retain(|thread| thread.death.is_none());
        }
        Ok(None)
    }

    /// What the threads of a nested group would have taken where one of them has won: errors of the outer one tell it.
    fn note_others(&mut self, core: &mut Core, cx: &mut Cx<'_>, winner: usize) {
        if !self.nested {
            return;
        }
        let at = self.threads[winner].looked;
        for thread in &mut self.threads[winner + 1..] {
            if thread.death.is_none() {
                thread.death = run(core, thread, cx).err();
            }
        }
        let noted = self.threads.iter().fold(ByteSet::EMPTY, |all, t| all | expected(core, cx, t, at));
        self.threads[winner].passed = noted;
    }

    /// An exception at the byte that the last threads refused, or a lack of bytes.
    fn none_left(&self, core: &Core, cx: &Cx<'_>, found: Option<Found>, site: Option<SiteId>) -> Raised {
        let at = self.pos + 1;
        let expect = self.threads.iter().fold(ByteSet::EMPTY, |all, t| all | expected(core, cx, t, at));
        let expect = Expect::Set(expect);
        match found {
            Some(Found::End) => Raised::lacking(site, expect),
            Some(Found::Byte(_)) => Raised { found, expect, ..Raised::new(ErrorKind::Mismatch, site) },
            None => {
                let first = self.threads.iter().find_map(|thread| thread.death.as_ref());
                Raised::new(first.map_or(ErrorKind::Mismatch, |raised| raised.kind), site)
            }
        }
    }
}

/// What a thread would have taken at its last look, if that was at the byte before `looked`.
fn expected(core: &Core, cx: &Cx<'_>, thread: &Line, looked: u64) -> ByteSet {
    let mut passed = if thread.looked == looked { thread.passed } else { ByteSet::EMPTY };
    let inner = thread.group.iter().flat_map(|group| &group.threads);
    for thread in inner {
        passed = passed | expected(core, cx, thread, looked);
    }
    match &thread.death {
        Some(raised) if raised.found.is_some() && thread.pos + 1 == looked => {
            passed | expect::set(core, cx.code, thread, &raised.expect)
        }
        _ => passed,
    }
}

/// The offset of the last byte that a dead thread looked at.
fn died_at(thread: &Line) -> u64 {
    match thread.death.as_ref().and_then(|raised| raised.found) {
        Some(_) => thread.pos,
        None => thread.looked.saturating_sub(1),
    }
}

impl Core {
    /// Does what a winner has done: in its own line, or once more in the log of the thread that holds the group.
    ///
    /// # Errors
    /// An exception of deferred code.
    pub fn win(&mut self, line: &mut Line, cx: &mut Cx<'_>, mut winner: Line) -> Result<(), Raised> {
        line.pos = winner.pos;
        if line.is_thread() && winner.looked > 0 {
            line.note(winner.looked - 1, winner.passed);
        }
        line.spans.append(&mut winner.spans);
        let log = winner.log.take().unwrap_or_default();
        if line.is_thread() {
            line.log = Some(log);
            line.begins = winner.begins;
            return Ok(());
        }
        if let Some(begins) = winner.begins {
            self.begins = begins;
        }
        for entry in log {
            self.replay(cx, entry)?;
        }
        Ok(())
    }

    /// Puts off what a thread does; outside of threads it is handed back, to be done.
    pub fn put_off(&self, line: &mut Line, what: Deed, site: Option<SiteId>, pos: u64) -> Option<Deed> {
        match &mut line.log {
            Some(log) => {
                log.push(Logged { what, site, pos, delta: self.delta });
                None
            }
            None => Some(what),
        }
    }

    fn replay(&mut self, cx: &mut Cx<'_>, logged: Logged) -> Result<(), Raised> {
        let here = std::mem::replace(&mut self.delta, logged.delta);
        let result = self.perform(cx, logged.what, logged.site, logged.pos);
        self.delta = here;
        result
    }

    /// Does what a line, or the thread that won, does at an offset.
    pub fn perform(
        &mut self,
        cx: &mut Cx<'_>,
        what: Deed,
        site: Option<SiteId>,
        pos: u64,
    ) -> Result<(), Raised> {
        match what {
            Deed::Store { var, value, silent } => self.store_value(cx, var, value, silent, site, pos),
            Deed::Data { function, bytes } => {
                self.emit_data(cx, function, bytes, site, pos);
                Ok(())
            }
            Deed::Notify { function, args } => Env { core: self, cx, pos, site }.call(function, &args),
            Deed::Code { code } => match (Env { core: self, cx, pos, site }).code(code)? {
                true => Ok(()),
                false => Err(Raised::new(ErrorKind::Condition, site)),
            },
        }
    }
}

//! Parallel alternatives `< s1, s2, … >` (language.md §5).
//!
//! Every state is shown every byte, in order of priority. Until one of them has won nothing that they do is visible:
//! what they store, report, begin and end is deferred, each with the position where its token completed. After `bang`
//! the state that is left goes on in the same place, but no longer in private.

use super::runner::{Control, Ending, Origin, Raised, Runner, Site, Step, Stepped};
use super::start::Started;
use super::token::{Answer, Effect, Look, Running};
use crate::trace::Found;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{LineId, TokenId, VarId};
use vproto_ir::machine::ErrorKind;

/// Parallel states that are undecided, or the one that is left after `bang`.
pub struct Group<'g> {
    threads: Vec<Thread<'g>>,
    /// Whether the states have not been advanced to their first token yet.
    fresh: bool,
    decided: bool,
    /// Where the group began.
    start: u64,
    /// Bytes that open spans have not been given yet, because a state may begin or end spans among them.
    waiting: Option<Vec<u8>>,
    /// Whether a state begins or ends spans: all bytes up to the decision are kept for them, so many and no more.
    keeps: bool,
    /// The first `< >`.
    site: Option<TokenId>,
    origin: Origin,
    /// The decided group whose state runs this one.
    parent: Option<Box<Group<'g>>>,
}

/// One parallel state.
struct Thread<'g> {
    /// The line and the index of the `< >` that it belongs to.
    line: LineId,
    index: usize,
    sequence: &'g [TokenId],
    at: usize,
    state: State<'g>,
    deferred: Vec<Deferred>,
    /// Sizes of the texts that it has stored.
    sizes: Vec<(VarId, usize)>,
}

enum State<'g> {
    Ready,
    Token(Running<'g>),
    Nested(Vec<Thread<'g>>),
}

/// What is made up for when the state wins.
struct Deferred {
    line: LineId,
    token: TokenId,
    what: What,
    own: u64,
    outer: u64,
}

enum What {
    Store(Effect),
    Code,
    Plain,
}

/// What a look did to a state, or to a group of them.
enum Outcome<'g> {
    /// It goes on; it took the byte, if there was one.
    Alive,
    Complete,
    Bang,
    Dropped(Raised),
    /// The state that is left after `bang` ends parsing.
    Break,
    /// The state that is left after `bang` came to another `< >`, this token with these states.
    Enter(TokenId, Vec<Thread<'g>>),
}

/// What starting a token came to.
enum Begun<'g> {
    Goes,
    Bang,
    Break,
    Enter(Vec<Thread<'g>>),
}

/// How states run.
#[derive(Clone, Copy)]
struct Mode {
    decided: bool,
    /// Whether the byte at hand was taken, not counted yet.
    took: bool,
}

impl<'g> Runner<'g> {
    /// The states of one `< >`, or of all those that begin the alternatives of a branching.
    pub fn start_group(&mut self, starts: &[(LineId, usize)], origin: Origin) -> Group<'g> {
        let module = self.module;
        let mut threads = Vec::new();
        for &(line, index) in starts {
            let tokens = &module.lines[line].tokens;
            let TokenKind::Parallel(parallel) = &module.tokens[tokens[index]].kind else {
                continue;
            };
            for sequence in &parallel.sequences {
                threads.push(Thread::new(line, index, sequence));
            }
        }
        let site = starts.first().map(|&(line, index)| module.lines[line].tokens[index]);
        self.fresh_group(threads, site, origin)
    }

    fn fresh_group(&self, threads: Vec<Thread<'g>>, site: Option<TokenId>, origin: Origin) -> Group<'g> {
        let begins = |thread: &Thread<'_>| self.has_spans(thread.sequence);
        let keeps = threads.iter().any(begins);
        let waits = keeps || !self.spans.is_empty();
        let (waiting, start) = (waits.then(Vec::new), self.position);
        Group { threads, fresh: true, decided: false, start, waiting, keeps, site, origin, parent: None }
    }

    /// Whether a sequence begins or ends spans.
    fn has_spans(&self, sequence: &[TokenId]) -> bool {
        sequence.iter().any(|&token| match &self.module.tokens[token].kind {
            TokenKind::Begin(_) | TokenKind::BeginDigest(..) => true,
            TokenKind::End(_) | TokenKind::EndDigest(_) => true,
            TokenKind::Parallel(parallel) => parallel.sequences.iter().any(|s| self.has_spans(s)),
            _ => false,
        })
    }

    /// Shows all states a look.
    pub fn run_group(&mut self, mut group: Group<'g>, look: Option<Look>) -> Stepped {
        let fresh = std::mem::take(&mut group.fresh);
        let look = look.filter(|_| !fresh);
        self.looked_for = ByteSet::EMPTY;
        let before = self.position;
        if let (Some(Look::Byte(byte)), true) = (look, group.keeps && !group.decided)
            && before - group.start >= u64::from(self.module.symbols.limits.string)
        {
            let bytes = group.waiting.take().unwrap_or_default();
            bytes.iter().for_each(|&byte| self.feed_spans(byte));
            return Err(self.too_long(&group, byte));
        }
        let mode = Mode { decided: group.decided, took: false };
        let (outcome, took) = self.run_threads(&mut group.threads, look, mode);
        if let (true, Some(Look::Byte(byte))) = (took && self.position == before, look) {
            self.take(byte, false);
            group.waiting.iter_mut().for_each(|bytes| bytes.push(byte));
        }
        let stepped = if took { Step::Took } else { Step::Moved };
        match outcome {
            Outcome::Alive => {
                self.control = Control::Group(group);
                Ok(if took || fresh { stepped } else { Step::Rest })
            }
            Outcome::Complete => {
                let (line, index) = group.threads.first().map_or((LineId(0), 0), |t| (t.line, t.index));
                self.make_up(&mut group)?;
                self.control = match group.parent {
                    Some(parent) => Control::Group(*parent),
                    None => Control::Line { line, index: index + 1 },
                };
                Ok(stepped)
            }
            Outcome::Break => {
                self.end_all_spans();
                self.control = Control::Ended(Ending::Stopped);
                Ok(stepped)
            }
            Outcome::Enter(token, threads) => {
                let nested = self.fresh_group(threads, Some(token), group.origin);
                self.control = Control::Group(Group { parent: Some(Box::new(group)), ..nested });
                Ok(stepped)
            }
            Outcome::Bang => {
                self.make_up(&mut group)?;
                group.decided = true;
                group.waiting = None;
                group.origin = Origin::Line(group.threads.first().map_or(LineId(0), |t| t.line));
                self.control = Control::Group(group);
                Ok(stepped)
            }
            Outcome::Dropped(raised) => {
                let bytes = group.waiting.take().unwrap_or_default();
                bytes.iter().for_each(|&byte| self.feed_spans(byte));
                let raised = if group.decided { raised } else { self.none_left(&group, raised, look) };
                if raised.kind == ErrorKind::Minimum { self.lack(raised) } else { Err(raised) }
            }
        }
    }

    /// No state is left: an exception at the byte that the last of them refused.
    fn none_left(&self, group: &Group<'g>, last: Raised, look: Option<Look>) -> Raised {
        let kind = match look {
            Some(Look::Byte(_)) => ErrorKind::Mismatch,
            Some(Look::End) => ErrorKind::Minimum,
            None => last.kind,
        };
        let site = group.site.map_or(last.site, Site::Token);
        let found = look.map(Found::from);
        let expected = if found.is_some() { self.looked_for.to_string() } else { String::new() };
        Raised { site, kind, expected, found, incomplete: false, origin: group.origin }
    }

    /// More bytes than a group may keep.
    fn too_long(&self, group: &Group<'g>, byte: u8) -> Raised {
        let (line, index) = group.threads.first().map_or((LineId(0), 0), |t| (t.line, t.index));
        let first = self.module.lines[line].tokens[index];
        Raised {
            site: Site::Token(group.site.unwrap_or(first)),
            kind: ErrorKind::Limit,
            expected: String::new(),
            found: Some(Found::Byte(byte)),
            incomplete: false,
            origin: group.origin,
        }
    }

    /// The state has won: all that it deferred happens now, in order, and open spans get their bytes.
    fn make_up(&mut self, group: &mut Group<'g>) -> Result<(), Raised> {
        let bytes = group.waiting.replace(Vec::new()).unwrap_or_default();
        let mut fed = 0;
        let mut result = Ok(());
        for deferred in group.threads.iter_mut().flat_map(Thread::all_deferred) {
            let until = bytes.len().min((deferred.own - group.start) as usize);
            bytes[fed..until].iter().for_each(|&byte| self.feed_spans(byte));
            fed = fed.max(until);
            self.deferred = Some((deferred.own, deferred.outer));
            result = self.happen(deferred);
            self.deferred = None;
            if result.is_err() {
                break;
            }
        }
        bytes[fed..].iter().for_each(|&byte| self.feed_spans(byte));
        result
    }

    fn happen(&mut self, deferred: Deferred) -> Result<(), Raised> {
        let Deferred { line, token, what, .. } = deferred;
        match what {
            What::Store(effect) => self.perform(line, token, effect),
            What::Plain => self.plain(line, token),
            What::Code => match self.holds(line, token)? {
                true => Ok(()),
                false => Err(self.exception(line, token, ErrorKind::Condition)),
            },
        }
    }

    /// Shows states a look. Of those that complete or `bang` with it the first one is left; the others are dropped.
    fn run_threads(
        &mut self,
        threads: &mut Vec<Thread<'g>>,
        look: Option<Look>,
        mode: Mode,
    ) -> (Outcome<'g>, bool) {
        let mut alive = Vec::new();
        let mut won = None;
        let mut last = None;
        for mut thread in std::mem::take(threads) {
            match self.run_thread(&mut thread, look, mode) {
                (Outcome::Alive, took) => alive.push((thread, took)),
                (Outcome::Dropped(raised), took) => last = last.or(Some((raised, took))),
                (outcome, took) if won.is_none() => won = Some((thread, outcome, took)),
                _ => {}
            }
        }
        if let Some((thread, outcome, took)) = won {
            *threads = vec![thread];
            return (outcome, took);
        }
        match (alive.first(), last) {
            (None, Some((raised, took))) => (Outcome::Dropped(raised), took && mode.decided),
            (first, _) => {
                let took = first.is_some_and(|(_, took)| *took);
                *threads = alive.into_iter().map(|(thread, _)| thread).collect();
                (Outcome::Alive, took)
            }
        }
    }

    /// Shows one state a look and lets it go on as far as it can.
    fn run_thread(&mut self, thread: &mut Thread<'g>, look: Option<Look>, mode: Mode) -> (Outcome<'g>, bool) {
        let mut look = look;
        let mut mode = mode;
        loop {
            let token = thread.token();
            match &mut thread.state {
                State::Ready => {
                    let Some(token) = token else {
                        return (Outcome::Complete, mode.took);
                    };
                    match self.start_in_thread(thread, token, mode) {
                        Ok(Begun::Goes) => {}
                        Ok(Begun::Bang) => return (Outcome::Bang, mode.took),
                        Ok(Begun::Break) => return (Outcome::Break, mode.took),
                        Ok(Begun::Enter(threads)) => return (Outcome::Enter(token, threads), mode.took),
                        Err(raised) => return (Outcome::Dropped(raised), mode.took),
                    }
                }
                State::Token(running) => {
                    let (Some(shown), Some(token)) = (look, token) else {
                        return (Outcome::Alive, mode.took);
                    };
                    self.looked_for = self.looked_for | running.next_bytes();
                    let finished = match running.look(shown) {
                        Answer::Took => {
                            look = None;
                            mode.took = true;
                            if let (true, Look::Byte(byte)) = (mode.decided, shown) {
                                self.take(byte, true);
                            }
                            running.done()
                        }
                        Answer::Complete => true,
                        Answer::Raise(reason) => {
                            let raised = self.refused(thread.line, token, reason);
                            let handed = self.hand_on(thread, token, mode);
                            return (Outcome::Dropped(handed.err().unwrap_or(raised)), mode.took);
                        }
                    };
                    if finished && let Err(raised) = self.complete_in_thread(thread, token, mode) {
                        return (Outcome::Dropped(raised), mode.took);
                    }
                }
                State::Nested(threads) => {
                    let (outcome, took) = self.run_threads(threads, look, mode);
                    mode.took = took;
                    match outcome {
                        Outcome::Complete => {
                            look = look.filter(|_| !took);
                            thread.leave_nested();
                        }
                        // `bang` drops the other states of its own `< >`; the one that is left goes on with the same look.
                        Outcome::Bang => look = look.filter(|_| !took),
                        outcome => return (outcome, took),
                    }
                }
            }
        }
    }

    /// Starts the next token of a state.
    fn start_in_thread(
        &mut self,
        thread: &mut Thread<'g>,
        token: TokenId,
        mode: Mode,
    ) -> Result<Begun<'g>, Raised> {
        let line = thread.line;
        let module = self.module;
        match &module.tokens[token].kind {
            TokenKind::Label(_) => thread.at += 1,
            TokenKind::Bang => {
                thread.at += 1;
                return Ok(if mode.decided { Begun::Goes } else { Begun::Bang });
            }
            TokenKind::Break if mode.decided => return Ok(Begun::Break),
            TokenKind::Break => return Err(self.exception(line, token, ErrorKind::Mismatch)),
            TokenKind::If(_) => {
                let holds = self.in_place(mode, |runner| runner.holds(line, token))?;
                if !holds {
                    return Err(self.exception(line, token, ErrorKind::Condition));
                }
                thread.at += 1;
            }
            TokenKind::Code(_) => self.defer(thread, token, What::Code, mode)?,
            kind if Runner::is_plain(kind) => self.defer(thread, token, What::Plain, mode)?,
            TokenKind::Parallel(parallel) => {
                let nested = |sequence: &'g Vec<TokenId>| {
                    let sizes = thread.sizes.clone();
                    Thread { sizes, ..Thread::new(line, thread.index, sequence) }
                };
                let nested = parallel.sequences.iter().map(nested).collect();
                if mode.decided {
                    thread.at += 1;
                    return Ok(Begun::Enter(nested));
                }
                thread.state = State::Nested(nested);
            }
            _ => {
                let sizes = std::mem::take(&mut thread.sizes);
                let started = self.in_place(mode, |runner| runner.started(token, &sizes));
                thread.sizes = sizes;
                match started.map_err(|reason| self.refused(line, token, reason))? {
                    Started::Absent => thread.at += 1,
                    Started::Running(mut running) => {
                        if !mode.decided {
                            running.keeps(module.symbols.limits.string as usize);
                        }
                        let done = running.done();
                        thread.state = State::Token(running);
                        if done {
                            self.complete_in_thread(thread, token, mode)?;
                        }
                    }
                }
            }
        }
        Ok(Begun::Goes)
    }

    /// Does something at the position of a state, which may be one byte ahead of the module's.
    fn in_place<T>(&mut self, mode: Mode, work: impl FnOnce(&mut Self) -> T) -> T {
        if !mode.decided {
            let ahead = u64::from(mode.took);
            self.deferred = Some((self.position + ahead, self.outer + ahead));
        }
        let result = work(self);
        self.deferred = None;
        result
    }

    fn complete_in_thread(
        &mut self,
        thread: &mut Thread<'g>,
        token: TokenId,
        mode: Mode,
    ) -> Result<(), Raised> {
        let State::Token(running) = std::mem::replace(&mut thread.state, State::Ready) else {
            return Ok(());
        };
        let effect = running.effect().map_err(|kind| self.exception(thread.line, token, kind))?;
        if let Effect::Text { var, bytes, append } = &effect {
            let stored = thread.sizes.iter().rev().find(|(v, _)| v == var).map(|(_, size)| *size);
            let base = if *append { stored.unwrap_or(self.store.text(*var).len()) } else { 0 };
            thread.sizes.retain(|(v, _)| v != var);
            thread.sizes.push((*var, base + bytes.len()));
        }
        match effect {
            Effect::None => {
                thread.at += 1;
                Ok(())
            }
            effect => self.defer(thread, token, What::Store(effect), mode),
        }
    }

    /// After `bang` a token that is cut short hands on what it took, as outside of `< >`.
    fn hand_on(&mut self, thread: &mut Thread<'g>, token: TokenId, mode: Mode) -> Result<(), Raised> {
        match std::mem::replace(&mut thread.state, State::Ready) {
            State::Token(running) if mode.decided => self.perform(thread.line, token, running.handed_on()),
            _ => Ok(()),
        }
    }

    /// Puts off what a state does, or does it where the state is the only one.
    fn defer(
        &mut self,
        thread: &mut Thread<'g>,
        token: TokenId,
        what: What,
        mode: Mode,
    ) -> Result<(), Raised> {
        thread.at += 1;
        let ahead = u64::from(mode.took && !mode.decided);
        let (own, outer) = (self.position + ahead, self.outer + ahead);
        let deferred = Deferred { line: thread.line, token, what, own, outer };
        if mode.decided {
            return self.happen(deferred);
        }
        thread.deferred.push(deferred);
        Ok(())
    }
}

impl<'g> Thread<'g> {
    fn new(line: LineId, index: usize, sequence: &'g [TokenId]) -> Thread<'g> {
        let (deferred, sizes) = (Vec::new(), Vec::new());
        Thread { line, index, sequence, at: 0, state: State::Ready, deferred, sizes }
    }

    fn token(&self) -> Option<TokenId> {
        self.sequence.get(self.at).copied()
    }

    /// The nested `< >` is decided: what its winner deferred is ours now.
    fn leave_nested(&mut self) {
        if let State::Nested(threads) = std::mem::replace(&mut self.state, State::Ready) {
            for winner in threads.into_iter().take(1) {
                self.deferred.extend(winner.deferred);
                self.sizes = winner.sizes;
            }
        }
        self.at += 1;
    }

    /// All that was deferred, taken out, in the order in which it happened.
    fn all_deferred(&mut self) -> Vec<Deferred> {
        let mut all = std::mem::take(&mut self.deferred);
        if let State::Nested(threads) = &mut self.state {
            all.extend(threads.iter_mut().flat_map(Thread::all_deferred));
        }
        all
    }
}

//! Steps of a line of control: one match over the kinds of states, bytes in slices where a state takes many.

use super::code::{Borders, Code, NOTHING, OTHER, SetTable, Tables, fixed_text, position};
use super::group::Group;
use super::parser::{AtEnd, Core, Cx, Expect, Line, Mark, NEVER, Raised, Stop};
use super::span;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{SiteId, StateId};
use vproto_ir::machine::{Bound, Edge, ErrorKind, Kind, Limit, Predicate, State, Status, Text, Until};

/// Runs a line until it needs bytes beyond the window, or is over.
///
/// # Errors
/// An exception, or a byte that is lacking.
pub(super) fn run(core: &mut Core, line: &mut Line, cx: &mut Cx<'_>) -> Result<Stop, Raised> {
    let code: &Code = cx.code;
    while let Some(id) = line.state {
        if line.fresh && cx.options.plans && core.try_chain(line, cx, id)? {
            continue;
        }
        let state = code.state(id);
        let edge = match &state.kind {
            Kind::Scan { until: None, lo, hi, next, .. } => {
                let Tables::Set(table) = &code.tables[index(id)] else { return Ok(Stop::Left) };
                let (lo, hi) = bounds(line, *lo, *hi);
                line.fresh = false;
                if !core.scan(line, cx, (id, state.site), table, lo, hi)? {
                    return Ok(Stop::Rest);
                }
                next
            }
            Kind::Scan { until: Some(until), hi, next, .. } => {
                if !core.scan_until(line, cx, (id, state.site), until, *hi)? {
                    return Ok(Stop::Rest);
                }
                next
            }
            Kind::Literal { text, fold, next } => {
                line.fresh = false;
                if !core.literal(line, cx, (id, state.site), text, *fold)? {
                    return Ok(Stop::Rest);
                }
                next
            }
            Kind::Dispatch { alts, other, eof } => {
                line.fresh = false;
                let Tables::Rows(rows) = &code.tables[index(id)] else { return Ok(Stop::Left) };
                if line.pos < core.end {
                    let byte = cx.bytes[(line.pos - cx.base) as usize];
                    match (rows[usize::from(byte)], other) {
                        (OTHER, Some(other)) => {
                            core.pass(line, cx, id);
                            other
                        }
                        (NOTHING | OTHER, _) => {
                            return Err(Raised::at_byte(ErrorKind::Mismatch, state.site, id, byte));
                        }
                        (number, _) => {
                            core.pass(line, cx, id);
                            &alts[usize::from(number)].1
                        }
                    }
                } else if core.at_end == AtEnd::More {
                    return Ok(Stop::Rest);
                } else {
                    core.see_end();
                    match eof {
                        Some(eof) => {
                            core.pass(line, cx, id);
                            eof
                        }
                        None => return Err(Raised::lacking(state.site, Expect::State(id))),
                    }
                }
            }
            Kind::Test { what, then, other } => {
                if core.test(line, cx, what, state.site)? {
                    then
                } else {
                    other
                }
            }
            Kind::Act { next } => next,
            Kind::Call { .. } => {
                core.call(line, cx, id, state)?;
                continue;
            }
            Kind::Ret => {
                core.ret(line, cx, state.site, false)?;
                if core.skip.is_some() {
                    return Ok(Stop::Skip);
                }
                continue;
            }
            Kind::Par { forks } => {
                let held = line.group.take();
                let fresh = held.is_none();
                let mut group = held.unwrap_or_else(|| {
                    let group = Group::start(core, line, cx, forks, state.site);
                    let keeps = matches!(code.tables[index(id)], Tables::Spans) && !line.is_thread();
                    let most = u64::from(code.machine.symbols.limits.string);
                    Box::new(if keeps { group.bounded(most) } else { group })
                });
                match core.decide(line, cx, &mut group, state, fresh)? {
                    Some(edge) => edge,
                    None => {
                        line.group = Some(group);
                        return Ok(Stop::Rest);
                    }
                }
            }
            Kind::Win { .. } => return Ok(Stop::Won),
            Kind::Drop => return Ok(Stop::Left),
            Kind::Module { .. } => match core.module(line, cx, id, state)? {
                Some(next) => next,
                None => return Ok(Stop::Rest),
            },
            Kind::Raise(kind) => return Err(Raised::new(*kind, state.site)),
            Kind::End(Status::Stopped) => {
                core.stop(line, cx);
                return Ok(Stop::Ended);
            }
            Kind::End(Status::Complete) => {
                if line.pos == core.fence {
                    core.return_at_fence(line, cx)?;
                    if core.skip.is_some() {
                        return Ok(Stop::Skip);
                    }
                    continue;
                }
                core.complete(line, cx);
                return Ok(Stop::Ended);
            }
        };
        core.go(line, cx, edge, state.site)?;
    }
    Ok(Stop::Left)
}

#[inline]
fn index(id: StateId) -> usize {
    id.0 as usize
}

/// Bounds of a scan; the lower one never exceeds the upper one.
#[inline]
pub(super) fn bounds(line: &Line, lo: Bound, hi: Bound) -> (u64, u64) {
    let hi = upper(line, hi);
    let lo = match lo {
        Bound::Fixed(n) => n,
        Bound::Register => line.registers.lo,
        Bound::Unbounded => NEVER,
    };
    (lo.min(hi), hi)
}

fn upper(line: &Line, hi: Bound) -> u64 {
    match hi {
        Bound::Fixed(n) => n,
        Bound::Register => line.registers.hi,
        Bound::Unbounded => NEVER,
    }
}

/// A state with its place.
type Here = (StateId, Option<SiteId>);

impl Core {
    /// A state looks at the end: behind that of the stream nothing is caught.
    #[inline]
    pub fn see_end(&mut self) {
        self.saw_end |= self.at_end == AtEnd::Stream;
    }

    /// A thread looks at a byte, or the end: errors of its group tell what it would have taken there.
    #[inline]
    fn pass(&self, line: &mut Line, cx: &Cx<'_>, id: StateId) {
        if line.is_thread() {
            let set = super::expect::set(self, cx.code, line, &Expect::State(id));
            line.note(line.pos, set);
        }
    }

    /// Takes bytes of a set. True: go on.
    #[inline]
    fn scan(
        &mut self,
        line: &mut Line,
        cx: &Cx<'_>,
        (id, site): Here,
        table: &SetTable,
        lo: u64,
        hi: u64,
    ) -> Result<bool, Raised> {
        let room = hi.saturating_sub(line.registers.n);
        if room == 0 {
            return Ok(true);
        }
        let window = cx.slice(line.pos, self.end.min(line.pos.saturating_add(room)));
        let run = table.run(window);
        if run > 0 {
            self.consume(line, cx, (id, site), &window[..run])?;
            if line.is_thread() {
                line.note(line.pos - 1, super::expect::set(self, cx.code, line, &Expect::State(id)));
            }
            line.registers.n += run as u64;
            if run as u64 == room {
                return Ok(true);
            }
        }
        if run < window.len() {
            if line.registers.n >= lo {
                self.pass(line, cx, id);
                return Ok(true);
            }
            return Err(Raised::at_byte(ErrorKind::Mismatch, site, id, window[run]));
        }
        if self.at_end == AtEnd::More {
            return Ok(false);
        }
        self.see_end();
        if line.registers.n < lo {
            return Err(Raised::lacking(site, Expect::State(id)));
        }
        self.pass(line, cx, id);
        Ok(true)
    }

    /// Shows bytes to the captures and takes them, or those before a refused one.
    #[inline]
    fn consume(&self, line: &mut Line, cx: &Cx<'_>, here: Here, bytes: &[u8]) -> Result<(), Raised> {
        if let Err((taken, kind)) = span::take(cx.code, line, bytes) {
            line.pos += taken as u64;
            self.pass(line, cx, here.0);
            return Err(Raised::refused(kind, here.1, here.0, bytes[taken]));
        }
        line.pos += bytes.len() as u64;
        Ok(())
    }

    /// Takes letters of a text. True: all of them.
    fn literal(
        &mut self,
        line: &mut Line,
        cx: &Cx<'_>,
        (id, site): Here,
        text: &Text,
        fold: bool,
    ) -> Result<bool, Raised> {
        let owned;
        let text = match (fixed_text(text), text) {
            (None, Text::Var(var)) => {
                owned = self.store.text(*var).to_vec();
                &owned
            }
            (known, _) => known.unwrap_or_default(),
        };
        let rest = &text[(line.registers.k as usize).min(text.len())..];
        if rest.is_empty() {
            return Ok(true);
        }
        let window = cx.slice(line.pos, self.end.min(line.pos + rest.len() as u64));
        let same = |(a, b): (&u8, &u8)| if fold { a.eq_ignore_ascii_case(b) } else { a == b };
        let run = if !fold && window == rest {
            rest.len()
        } else {
            window.iter().zip(rest).position(|pair| !same(pair)).unwrap_or(window.len())
        };
        if run > 0 {
            self.consume(line, cx, (id, site), &window[..run])?;
            if line.is_thread() {
                line.note(line.pos - 1, ByteSet::letter(rest[run - 1], fold));
            }
            line.registers.k += run as u64;
        }
        if run == rest.len() {
            return Ok(true);
        }
        if run < window.len() {
            return Err(Raised::at_byte(ErrorKind::Mismatch, site, id, window[run]));
        }
        if self.at_end == AtEnd::More {
            return Ok(false);
        }
        self.see_end();
        Err(Raised::lacking(site, Expect::State(id)))
    }

    /// Takes bytes up to and including a text. True: it was found.
    fn scan_until(
        &mut self,
        line: &mut Line,
        cx: &Cx<'_>,
        (id, site): Here,
        until: &Until,
        hi: Bound,
    ) -> Result<bool, Raised> {
        let hi = upper(line, hi);
        if line.fresh {
            line.fresh = false;
            line.until = None;
            if let Until::Var(var) = until {
                let text = self.store.text(*var);
                if text.is_empty() {
                    return Err(Raised::new(ErrorKind::Condition, site));
                }
                line.until = Some(Box::new(Borders::of(text)));
                if line.until.as_ref().is_some_and(|until| until.text.len() > 255) {
                    return Err(Raised { expect: Expect::State(id), ..Raised::new(ErrorKind::Limit, site) });
                }
            }
        }
        let computed = line.until.take();
        let borders = match (&computed, &cx.code.tables[index(id)]) {
            (Some(borders), _) => &**borders,
            (None, Tables::Until(borders)) => borders,
            _ => return Ok(true),
        };
        let before = line.pos;
        let found = self.find(line, cx, (id, site), borders, hi);
        if line.is_thread() && line.pos > before {
            line.note(line.pos - 1, ByteSet::ALL);
        }
        line.until = computed;
        match found {
            Ok(false) if self.at_end != AtEnd::More => {
                self.see_end();
                Err(Raised::lacking(site, Expect::State(id)))
            }
            other => other,
        }
    }

    /// Goes through the window. True: the text is complete, and all its letters are held.
    fn find(
        &mut self,
        line: &mut Line,
        cx: &Cx<'_>,
        here: Here,
        borders: &Borders,
        hi: u64,
    ) -> Result<bool, Raised> {
        let text = &borders.text[..];
        while line.pos < self.end {
            let k = line.registers.k as usize;
            if k == 0 {
                let window = cx.slice(line.pos, self.end);
                let run = position(window, text[0]);
                let content = (run as u64).min(hi.saturating_sub(line.registers.n));
                self.content(line, cx, here, &window[..content as usize])?;
                line.pos += content;
                line.registers.n += content;
                if content < run as u64 {
                    return Err(Raised::at_byte(ErrorKind::Limit, here.1, here.0, window[content as usize]));
                }
                if run == window.len() {
                    break;
                }
            }
            let byte = cx.slice(line.pos, line.pos + 1)[0];
            if byte == text[k] {
                line.pos += 1;
                line.registers.k += 1;
                line.held += 1;
                if k + 1 == text.len() {
                    return Ok(true);
                }
                continue;
            }
            let border = borders.lengths[k] as usize;
            let content = (k - border) as u64;
            if line.registers.n + content > hi {
                return Err(Raised::at_byte(ErrorKind::Limit, here.1, here.0, byte));
            }
            if let Err((_, kind)) = span::take(cx.code, line, &text[..content as usize]) {
                return Err(Raised::at_byte(kind, here.1, here.0, byte));
            }
            self.release(line, cx, text, border as u64);
            line.registers.n += content;
            line.registers.k = border as u64;
        }
        Ok(false)
    }

    /// Shows content to the captures before it is taken.
    fn content(&self, line: &mut Line, cx: &Cx<'_>, here: Here, bytes: &[u8]) -> Result<(), Raised> {
        if let Err((taken, kind)) = span::take(cx.code, line, bytes) {
            line.pos += taken as u64;
            line.registers.n += taken as u64;
            return Err(Raised::at_byte(kind, here.1, here.0, bytes[taken]));
        }
        Ok(())
    }

    /// All held letters but the last `keep` ones are content.
    pub fn release(&self, line: &mut Line, cx: &Cx<'_>, text: &[u8], keep: u64) {
        let (start, end) = (line.pos - line.held, line.pos - keep);
        for open in &mut line.spans {
            open.release(cx.code, text, start, end, cx.base);
        }
        line.held = keep;
    }

    /// Answers a test.
    fn test(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        what: &Predicate,
        site: Option<SiteId>,
    ) -> Result<bool, Raised> {
        let registers = line.registers;
        let limit = |limit: &Limit| match limit {
            Limit::Fixed(n) => *n,
            Limit::Lo => registers.lo,
            Limit::Hi => registers.hi,
        };
        Ok(match what {
            Predicate::If(expr) => self.env(line, cx, site).truth(*expr)?,
            Predicate::Code(code) => self.env(line, cx, site).code(*code)?,
            Predicate::Moved(mark) => match cx.code.mark(*mark) {
                Some(number) => moved(self.marks_mut(cx.code)[number], line.pos),
                None => true,
            },
            Predicate::MovedBottom(mark) => match cx.code.mark(*mark) {
                Some(number) => moved(self.marks[number], line.pos),
                None => true,
            },
            Predicate::Below(n) => registers.rep < limit(n),
            Predicate::Reached(n) => registers.rep >= limit(n),
            Predicate::Zero(expr) => self.env(line, cx, site).bound(*expr)? == 0,
            Predicate::Starts(var) => {
                let first = self.store.text(*var).first().copied();
                line.pos < self.end && first == Some(cx.slice(line.pos, line.pos + 1)[0])
            }
        })
    }

    /// Lets the threads of a `par` run. Some edge: the winner's way on.
    fn decide<'c>(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'c>,
        group: &mut Group,
        state: &State,
        fresh: bool,
    ) -> Result<Option<&'c Edge>, Raised> {
        line.fresh = false;
        let decided = group.advance(self, cx, state.site, fresh);
        line.pos = group.pos();
        let Some(winner) = decided? else { return Ok(None) };
        let win = winner.state.map(|id| &cx.code.state(id).kind);
        self.win(line, cx, winner)?;
        match win {
            Some(Kind::Win { next }) => Ok(Some(next)),
            _ => Err(Raised::new(ErrorKind::Condition, state.site)),
        }
    }
}

fn moved(mark: Mark, pos: u64) -> bool {
    mark.pos != pos
}

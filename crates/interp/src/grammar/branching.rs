//! Choosing an alternative: from top to bottom, greedy, the first suitable one for good.

use super::first::{Choice, Time};
use super::runner::{Control, Origin, Raised, Runner, Site, Step, Stepped};
use super::token::Look;
use crate::trace::Found;
use vproto_ir::byteset::ByteSet;
use vproto_ir::grammar::TokenKind;
use vproto_ir::ids::{BranchingId, LineId, TokenId};
use vproto_ir::machine::ErrorKind;

/// What becomes of an alternative.
enum Verdict {
    /// It is taken, from this token on.
    Take(usize),
    /// Not this one. What was looked at, if anything was.
    Pass(Option<Found>),
    /// It takes a look to decide.
    Rest,
}

impl<'g> Runner<'g> {
    /// Decides the alternative at hand.
    pub fn decide(
        &mut self,
        branching: BranchingId,
        alternative: usize,
        looked: Option<Found>,
        grouped: bool,
        look: Option<Look>,
    ) -> Stepped {
        let lines = &self.module.branchings[branching].alternatives;
        let Some(&line) = lines.get(alternative) else {
            if lines.is_empty() && look.is_none() {
                self.control = Control::Branching { branching, alternative, looked, grouped };
                return Ok(Step::Rest);
            }
            let looked = if lines.is_empty() { look.map(Found::from) } else { looked };
            return self.none_suitable(branching, looked);
        };
        let here = Control::Branching { branching, alternative, looked, grouped };
        let choice = self.choice(line).map_err(|(token, kind)| self.exception(line, token, kind))?;
        let by_byte = matches!(choice, Choice::Byte(_) | Choice::ByteOrCondition(..));
        if by_byte && !grouped && self.has_group(branching) {
            return self.decide_group(branching, here, look);
        }
        if grouped && by_byte && self.parallel_at_start(line).is_some() {
            // The group was asked already, at the place of the first alternative that needs a byte.
            self.control = Control::Branching { branching, alternative: alternative + 1, looked, grouped };
            return Ok(Step::Moved);
        }
        match self.verdict(line, choice, look)? {
            Verdict::Take(index) => self.control = self.taken(line, index),
            Verdict::Pass(found) => {
                let looked = looked.or(found);
                self.control =
                    Control::Branching { branching, alternative: alternative + 1, looked, grouped };
            }
            Verdict::Rest => {
                self.control = here;
                return Ok(Step::Rest);
            }
        }
        Ok(Step::Moved)
    }

    fn verdict(&mut self, line: LineId, choice: Choice, look: Option<Look>) -> Result<Verdict, Raised> {
        match (choice, look) {
            (Choice::AtOnce, _) => Ok(Verdict::Take(0)),
            (Choice::Condition(index), _) => self.by_condition(line, index),
            (Choice::Byte(_) | Choice::ByteOrCondition(..), None) => Ok(Verdict::Rest),
            (Choice::Byte(set), Some(look)) => Ok(match look {
                Look::Byte(byte) if set.contains(byte) => Verdict::Take(0),
                _ => Verdict::Pass(Some(look.into())),
            }),
            (Choice::ByteOrCondition(set, _), Some(Look::Byte(byte))) if set.contains(byte) => {
                Ok(Verdict::Take(0))
            }
            (Choice::ByteOrCondition(_, index), Some(look)) => {
                let holds = self.holds(line, self.module.lines[line].tokens[index])?;
                Ok(if holds { Verdict::Take(0) } else { Verdict::Pass(Some(look.into())) })
            }
        }
    }

    /// A first token that is a condition, or code, decides alone; code is run by that, a condition asked.
    fn by_condition(&mut self, line: LineId, index: usize) -> Result<Verdict, Raised> {
        let token = self.module.lines[line].tokens[index];
        let holds = self.holds(line, token)?;
        let code = matches!(self.module.tokens[token].kind, TokenKind::Code(_));
        Ok(match holds {
            true => Verdict::Take(if code { index + 1 } else { 0 }),
            false => Verdict::Pass(None),
        })
    }

    /// Where a line goes on whose alternative is taken; one that begins with `< >` without a byte starts the group.
    fn taken(&self, line: LineId, index: usize) -> Control<'g> {
        Control::Line { line, index }
    }

    fn has_group(&self, branching: BranchingId) -> bool {
        let lines = &self.module.branchings[branching].alternatives;
        lines.iter().any(|&line| self.parallel_at_start(line).is_some())
    }

    /// All alternatives that begin with `< >` start together, on a byte of their FIRST sets.
    fn decide_group(&mut self, branching: BranchingId, here: Control<'g>, look: Option<Look>) -> Stepped {
        let Control::Branching { alternative, looked, .. } = here else {
            return Ok(Step::Moved);
        };
        let Some(look) = look else {
            self.control = here;
            return Ok(Step::Rest);
        };
        let lines = self.module.branchings[branching].alternatives.clone();
        let starts: Vec<(LineId, usize)> =
            lines.iter().filter_map(|&line| Some((line, self.parallel_at_start(line)?))).collect();
        let mut set = ByteSet::EMPTY;
        for &(line, index) in &starts {
            let token = self.module.lines[line].tokens[index];
            if let TokenKind::Parallel(parallel) = &self.module.tokens[token].kind {
                let first = self.parallel_first(parallel, Time::Moment);
                set = set | first.map_err(|(token, kind)| self.exception(line, token, kind))?;
            }
        }
        match look {
            Look::Byte(byte) if set.contains(byte) => {
                let group = self.start_group(&starts, Origin::Branching(branching));
                self.control = Control::Group(group);
            }
            _ => {
                let looked = looked.or(Some(look.into()));
                self.control = Control::Branching { branching, alternative, looked, grouped: true };
            }
        }
        Ok(Step::Moved)
    }

    /// No alternative is suitable: the end of input may be welcome here, else it is an exception.
    fn none_suitable(&mut self, branching: BranchingId, looked: Option<Found>) -> Stepped {
        let place = &self.module.branchings[branching];
        if let (Some(line), Some(Found::End)) = (place.finish, looked) {
            self.control = Control::Line { line, index: 0 };
            return Ok(Step::Moved);
        }
        let kind = match looked {
            Some(Found::Byte(_)) => ErrorKind::Mismatch,
            Some(Found::End) => ErrorKind::Minimum,
            None => ErrorKind::Condition,
        };
        let shown = looked.is_some();
        let expected = if shown { self.expected_at(branching).to_string() } else { String::new() };
        let (site, origin) = (Site::Branching(branching), Origin::Branching(branching));
        let raised = Raised { site, kind, expected, found: looked, incomplete: false, origin };
        if looked == Some(Found::End) { self.lack(raised) } else { Err(raised) }
    }

    /// Whether a condition or block lets the line go on.
    pub fn holds(&mut self, line: LineId, token: TokenId) -> Result<bool, Raised> {
        self.current = token;
        self.run_code(token).map_err(|kind| self.exception(line, token, kind))
    }
}

//! Running the tokens of a line, and what follows when it is complete.

use super::runner::{Control, Ending, Origin, Raised, Runner, Site, Step, Stepped};
use vproto_ir::grammar::{LineRole, TokenKind};
use vproto_ir::ids::{BranchingId, Id, LineId, TokenId, TreeId};
use vproto_ir::machine::ErrorKind;
use vproto_ir::portable::CodeKind;

impl<'g> Runner<'g> {
    /// Runs the token at hand, or ends the line behind its last one.
    pub fn run_token(&mut self, line: LineId, index: usize) -> Stepped {
        let module = self.module;
        let Some(&token) = module.lines[line].tokens.get(index) else {
            return self.end_line(line);
        };
        self.current = token;
        self.control = Control::Line { line, index: index + 1 };
        match &module.tokens[token].kind {
            TokenKind::Code(_) | TokenKind::If(_) => {
                if !self.holds(line, token)? {
                    return Err(self.exception(line, token, ErrorKind::Condition));
                }
            }
            TokenKind::Parallel(_) => {
                let group = self.start_group(&[(line, index)], Origin::Line(line));
                self.control = Control::Group(group);
            }
            TokenKind::Module(sub) => self.enter_module(line, index, sub)?,
            TokenKind::Call(call) => self.call(line, index, call)?,
            TokenKind::Return => self.return_from(line, token)?,
            TokenKind::Jump(label) => {
                let label = &module.labels[*label];
                self.jump(line, token, Control::Line { line: label.line, index: label.index as usize })?;
            }
            TokenKind::Back(branching) => {
                if self.entered_here(*branching) {
                    return Err(self.exception(line, token, ErrorKind::NoProgress));
                }
                self.control = Control::Enter(*branching);
            }
            TokenKind::Reset => self.reset(line, token)?,
            TokenKind::Break => {
                self.end_all_spans();
                self.control = Control::Ended(Ending::Stopped);
            }
            TokenKind::EndModule(var) => self.end_module(line, token, *var)?,
            TokenKind::Label(_) | TokenKind::Bang => {}
            kind if Runner::is_plain(kind) => self.plain(line, token)?,
            _ => self.start(line, index, token)?,
        }
        Ok(Step::Moved)
    }

    /// Whether the machine has been round without a byte since this `jmp:` was last run.
    fn jump(&mut self, line: LineId, token: TokenId, to: Control<'g>) -> Result<(), Raised> {
        let position = self.position;
        let last = self.activations.last_mut().and_then(|a| a.jumped.insert(token, position));
        if last == Some(position) {
            return Err(self.exception(line, token, ErrorKind::NoProgress));
        }
        self.control = to;
        Ok(())
    }

    /// Clears variables, stack and parallel states; parsing goes on in the top branching.
    fn reset(&mut self, line: LineId, token: TokenId) -> Result<(), Raised> {
        let top = self.module.trees[TreeId::from_index(0)].branching;
        let entered = self.activations.first().and_then(|bottom| bottom.entered.get(&top));
        if entered.is_some_and(|&(position, _)| position == self.position) {
            return Err(self.exception(line, token, ErrorKind::NoProgress));
        }
        self.end_all_spans();
        self.store = crate::store::Store::new(&self.module.symbols);
        self.subs.clear();
        self.enter_top();
        Ok(())
    }

    /// Runs a condition or a block; opaque code counts as false.
    pub fn run_code(&mut self, token: TokenId) -> Result<bool, ErrorKind> {
        match self.code(token) {
            Some(CodeKind::Condition(expr)) => crate::eval::truth(self, expr),
            Some(CodeKind::Block(block)) => crate::eval::run(self, block),
            Some(CodeKind::Opaque { .. }) | None => Ok(false),
        }
    }

    /// A line with children enters them; a leaf returns to a branching.
    fn end_line(&mut self, line: LineId) -> Stepped {
        if let Some(children) = self.module.lines[line].children {
            self.control = Control::Enter(children);
            return Ok(Step::Moved);
        }
        if self.in_finish(line) {
            return self.finish_line(line);
        }
        self.return_to_branching(line)
    }

    /// Whether a line is a `finish:` line or stands below one.
    fn in_finish(&self, line: LineId) -> bool {
        let mut at = Some(line);
        while let Some(line) = at {
            if self.module.lines[line].role == LineRole::Finish {
                return true;
            }
            at = self.module.branchings[self.module.lines[line].branching].parent;
        }
        false
    }

    /// A leaf: on to the branching that it returns to, further up as long as nothing was consumed.
    fn return_to_branching(&mut self, leaf: LineId) -> Stepped {
        let mut branching = self.module.lines[leaf].branching;
        loop {
            branching = self.up_continued(branching);
            if !self.entered_here(branching) {
                self.control = Control::Enter(branching);
                return Ok(Step::Moved);
            }
            let place = &self.module.branchings[branching];
            match place.parent {
                Some(parent) if !place.home => branching = self.module.lines[parent].branching,
                _ => return Err(self.no_progress(branching)),
            }
        }
    }

    /// The branching itself, or while its parent line ends in `\` the one that holds that line.
    fn up_continued(&self, mut branching: BranchingId) -> BranchingId {
        while let Some(parent) = self.module.branchings[branching].parent {
            let line = &self.module.lines[parent];
            if !line.continues {
                break;
            }
            branching = line.branching;
        }
        branching
    }

    /// Whether the running activation entered the branching at this very position.
    fn entered_here(&self, branching: BranchingId) -> bool {
        let entered = self.activations.last().and_then(|a| a.entered.get(&branching));
        entered.is_some_and(|&(position, _)| position == self.position)
    }

    fn no_progress(&self, branching: BranchingId) -> Raised {
        let (site, origin) = (Site::Branching(branching), Origin::Branching(branching));
        let (kind, expected) = (ErrorKind::NoProgress, String::new());
        Raised { site, kind, expected, found: None, incomplete: false, origin }
    }
}

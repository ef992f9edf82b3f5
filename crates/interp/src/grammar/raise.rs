//! Exceptions: the search for a handler, what ends on the way, and the report where there is none.

use super::runner::{Control, Origin, Raised, Runner, Site};
use crate::trace::{EventKind, Failure};
use vproto_ir::ids::{BranchingId, LineId};
use vproto_ir::machine::ErrorKind;
use vproto_source::Span;

/// A `catch:` line that was found.
struct Handler {
    /// Index of the activation that it runs in.
    activation: usize,
    branching: BranchingId,
    line: LineId,
}

impl<'g> Runner<'g> {
    /// Goes on at the handler, or ends parsing.
    pub fn raise(&mut self, raised: Raised) {
        let caught = raised.kind != ErrorKind::NoProgress && self.ending != Some(true);
        match caught.then(|| self.handler(raised.origin)).flatten() {
            Some(handler) => {
                if self.tells {
                    let failure = self.failure(raised);
                    self.emit(EventKind::Caught(failure));
                }
                self.handle(handler);
            }
            None => {
                let incomplete = raised.incomplete;
                self.fail(raised, incomplete);
            }
        }
    }

    /// Searches outward: the branching's own `catch:`, then up where the parent line ends in `\`, from a home to the
    /// tree's depth 0, from there to the `call:` token.
    fn handler(&self, origin: Origin) -> Option<Handler> {
        let module = self.module;
        let (mut branching, mut from) = match origin {
            Origin::Line(line) => (module.lines[line].branching, Some(line)),
            Origin::Branching(branching) => (branching, None),
        };
        let mut activation = self.activations.len().checked_sub(1)?;
        loop {
            let place = &module.branchings[branching];
            if let (Some(line), false) = (place.catch, from.is_some_and(|line| self.is_handler(line))) {
                return Some(Handler { activation, branching, line });
            }
            let next = match place.parent {
                Some(parent) if place.home || module.lines[parent].continues => parent,
                Some(_) => return None,
                None => {
                    let call = self.activations[activation].call.as_ref()?;
                    activation -= 1;
                    call.line
                }
            };
            from = Some(next);
            branching = module.lines[next].branching;
        }
    }

    /// Pops the calls that the exception leaves, ends the spans begun since the branching was entered, skips what is left
    /// of the outermost confined call, and goes on at the handler's line.
    fn handle(&mut self, handler: Handler) {
        let mut skip = None;
        while self.activations.len() > handler.activation + 1 {
            if let Some(frame) = self.pop_frame() {
                skip = frame.limit.map(|end| (end, (frame.line, frame.index))).or(skip);
            }
        }
        let since = self.activations.last().map_or(0, |activation| {
            activation.entered.get(&handler.branching).map_or(activation.began, |&(_, when)| when)
        });
        self.end_spans_since(since);
        let then = (handler.line, 0);
        self.control = match skip {
            Some((end, call)) if end > self.position => Control::Skip { end, call, then },
            _ => Control::Line { line: then.0, index: then.1 },
        };
    }

    /// The event of an error.
    pub fn report(&mut self, raised: Raised) {
        let failure = self.failure(raised);
        self.emit(EventKind::Error(failure));
    }

    fn failure(&self, raised: Raised) -> Failure {
        let span = self.site_span(raised.site);
        let column = self.files.place(span).column;
        let Raised { kind, expected, found, .. } = raised;
        let variables = if self.tells { self.store.all(&self.module.symbols) } else { Vec::new() };
        Failure { at: self.at(span), column, kind, expected, found, variables }
    }

    /// A token, or of a branching the first token of its first alternative.
    fn site_span(&self, site: Site) -> Span {
        let module = self.module;
        match site {
            Site::Token(token) => module.tokens[token].span,
            Site::Branching(branching) => {
                let place = &module.branchings[branching];
                let Some(&line) = place.alternatives.first() else {
                    let handler = place.finish.or(place.catch);
                    return handler.map_or(Span::default(), |line| module.lines[line].span);
                };
                let first = module.lines[line].tokens.first();
                first.map_or(module.lines[line].span, |&token| module.tokens[token].span)
            }
        }
    }
}

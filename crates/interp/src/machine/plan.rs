//! Chain plans: many states in one step where all their bytes are at hand.

use super::parser::{Core, Cx, Line, Raised};
use super::span;
use crate::trace::Found;
use vproto_ir::ids::StateId;
use vproto_ir::machine::Layout;

impl Core {
    /// Steps by the chain that stands at a state just entered. False: it has done nothing.
    ///
    /// Only a window that holds the longest layout tells which layout it is. A thread goes by its states.
    ///
    /// # Errors
    /// An action failed, at its own offset.
    pub fn try_chain(&mut self, line: &mut Line, cx: &mut Cx<'_>, id: StateId) -> Result<bool, Raised> {
        let code = cx.code;
        let Some(chain) = code.chain(id) else { return Ok(false) };
        let longest = chain.layouts.iter().map(|layout| layout.bytes.len()).max().unwrap_or(0);
        if line.is_thread() || self.end - line.pos < longest as u64 {
            return Ok(false);
        }
        let window = cx.slice(line.pos, line.pos + longest as u64);
        let fits = |layout: &&Layout| layout.bytes.iter().zip(window).all(|(set, byte)| set.contains(*byte));
        let Some(layout) = chain.layouts.iter().find(fits) else { return Ok(false) };
        let site = code.state(id).site;
        let (start, mut taken) = (line.pos, 0u64);
        line.fresh = false;
        for (before, action) in &layout.actions {
            self.advance(line, cx, start, &mut taken, u64::from(*before))?;
            self.actions(line, cx, std::slice::from_ref(action), site)?;
        }
        self.advance(line, cx, start, &mut taken, layout.bytes.len() as u64)?;
        line.enter(chain.to);
        Ok(true)
    }

    /// Takes the bytes up to a place of the layout.
    fn advance(
        &mut self,
        line: &mut Line,
        cx: &mut Cx<'_>,
        start: u64,
        taken: &mut u64,
        to: u64,
    ) -> Result<(), Raised> {
        if *taken >= to {
            return Ok(());
        }
        let code = cx.code;
        let bytes = cx.slice(start + *taken, start + to);
        if let Err((count, kind)) = span::take(code, line, bytes) {
            let found = Some(Found::Byte(bytes[count]));
            line.pos = start + *taken + count as u64;
            let site = line.spans.last().and_then(|open| open.site);
            return Err(Raised { found, ..Raised::new(kind, site) });
        }
        *taken = to;
        line.pos = start + to;
        Ok(())
    }
}

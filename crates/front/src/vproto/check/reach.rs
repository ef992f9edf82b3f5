//! What can be reached from the start, and whether a call can be open there.

use vproto_ir::facts::leaves;
use vproto_ir::grammar::{Module, TokenKind};
use vproto_ir::ids::{BranchingId, Id, LineId, TokenId, TreeId};

/// With no call open.
const BOTTOM: u8 = 1;
/// With a call open.
const CALLED: u8 = 2;

/// Reachability, whatever conditions and bytes say.
pub(super) struct Reach {
    tokens: Vec<u8>,
    branchings: Vec<u8>,
    trees: Vec<bool>,
}

impl Reach {
    pub(super) fn of(module: &Module) -> Reach {
        let mut walk = Walk {
            module,
            reach: Reach {
                tokens: vec![0; module.tokens.len()],
                branchings: vec![0; module.branchings.len()],
                trees: vec![false; module.trees.len()],
            },
            ends: vec![0; module.lines.len()],
            open: Vec::new(),
        };
        walk.branching(module.trees[TreeId(0)].branching, BOTTOM);
        while let Some((line, index, mode)) = walk.open.pop() {
            walk.line(line, index, mode);
        }
        walk.reach
    }

    /// Whether a token can be reached.
    pub(super) fn token(&self, token: TokenId) -> bool {
        self.tokens[token.index()] != 0
    }

    /// Whether a token can be reached, but never with a call open.
    pub(super) fn only_at_bottom(&self, token: TokenId) -> bool {
        self.tokens[token.index()] == BOTTOM
    }

    /// Whether a branching can be entered.
    pub(super) fn branching(&self, branching: BranchingId) -> bool {
        self.branchings[branching.index()] != 0
    }

    /// Whether anything of a tree can be reached.
    pub(super) fn tree(&self, tree: TreeId) -> bool {
        self.trees[tree.index()]
    }
}

struct Walk<'a> {
    module: &'a Module,
    reach: Reach,
    /// Modes in which the end of each line was reached.
    ends: Vec<u8>,
    open: Vec<(LineId, usize, u8)>,
}

impl Walk<'_> {
    fn branching(&mut self, branching: BranchingId, mode: u8) {
        if self.reach.branchings[branching.index()] & mode != 0 {
            return;
        }
        self.reach.branchings[branching.index()] |= mode;
        let row = &self.module.branchings[branching];
        self.reach.trees[row.tree.index()] = true;
        for line in row.alternatives.iter().copied().chain(row.catch).chain(row.finish) {
            self.open.push((line, 0, mode));
        }
    }

    fn line(&mut self, line: LineId, index: usize, mode: u8) {
        let row = &self.module.lines[line];
        for &id in row.tokens.iter().skip(index) {
            if self.reach.tokens[id.index()] & mode != 0 {
                return;
            }
            self.reach.tokens[id.index()] |= mode;
            self.token(id, mode);
            if leaves(&self.module.tokens[id].kind) {
                return;
            }
        }
        if self.ends[line.index()] & mode != 0 {
            return;
        }
        self.ends[line.index()] |= mode;
        if let Some(children) = row.children {
            self.branching(children, mode);
        }
        // A label inside of a line can be entered without the branchings around it: they are reached from there.
        let mut branching = Some(row.branching);
        while let Some(b) = branching.filter(|b| self.reach.branchings[b.index()] & mode == 0) {
            self.branching(b, mode);
            branching = self.module.branchings[b].parent.map(|p| self.module.lines[p].branching);
        }
    }

    fn token(&mut self, id: TokenId, mode: u8) {
        match &self.module.tokens[id].kind {
            TokenKind::Call(call) => self.label(call.label, CALLED),
            TokenKind::Jump(label) => self.label(*label, mode),
            TokenKind::Back(branching) => self.branching(*branching, mode),
            TokenKind::Parallel(group) => {
                let mut groups = vec![group];
                while let Some(group) = groups.pop() {
                    for &inner in group.sequences.iter().flatten() {
                        self.reach.tokens[inner.index()] |= mode;
                        if let TokenKind::Parallel(nested) = &self.module.tokens[inner].kind {
                            groups.push(nested);
                        }
                    }
                }
            }
            // `reset` enters the top branching, which is reached anyway.
            _ => {}
        }
    }

    fn label(&mut self, label: vproto_ir::ids::LabelId, mode: u8) {
        let place = &self.module.labels[label];
        self.reach.trees[self.module.branchings[self.module.lines[place.line].branching].tree.index()] = true;
        self.open.push((place.line, place.index as usize, mode));
    }
}

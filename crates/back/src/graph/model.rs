//! Rows and arrows of a picture, whatever draws them.

use std::collections::BTreeMap;
use vproto_ir::grammar::{Grammar, LineRole, Module, TokenKind};
use vproto_ir::ids::{BranchingId, LineId, ModuleId};
use vproto_source::Files;

/// What a pill shows; decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PillKind {
    /// Takes bytes and stores nothing.
    Bytes,
    /// Takes bytes and stores or delivers them.
    Capture,
    /// Calls the user.
    Event,
    /// A condition or code.
    Code,
    /// Goes elsewhere, or is where others go to.
    Flow,
}

/// A token.
#[derive(Clone, Debug)]
pub struct Pill {
    /// Its text as written, in one line.
    pub text: String,
    /// What it is.
    pub kind: PillKind,
}

/// A line, or the heading of a tree.
#[derive(Clone, Debug)]
pub struct Row {
    /// Depth of indentation.
    pub depth: u32,
    /// The number of the line in the text; 0 of a heading.
    pub line: u32,
    /// Its tokens; of a heading the module and tree.
    pub pills: Vec<Pill>,
    /// The heading of a tree.
    pub heading: Option<String>,
    /// The handler's name, where it is one.
    pub handler: Option<&'static str>,
    /// The branching that follows it.
    pub branching: Option<usize>,
    /// The branching that is entered when the line is over.
    pub returns: Option<usize>,
}

/// A branching: the row it follows and the rows that are its lines.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    /// Row of the parent line or heading.
    pub parent: usize,
    /// Rows of its lines, handlers too.
    pub lines: Vec<usize>,
}

/// All rows, top to bottom, and the branchings between them.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The rows.
    pub rows: Vec<Row>,
    /// The branchings.
    pub forks: Vec<Fork>,
}

/// The picture of a program: the root module first.
pub fn picture(grammar: &Grammar, files: &Files) -> Picture {
    let mut picture = Picture::default();
    let others = grammar.modules.ids().rev().filter(|&m| m != grammar.root);
    for module in std::iter::once(grammar.root).chain(others) {
        Drawer {
            grammar,
            files,
            module: &grammar.modules[module],
            forks: BTreeMap::new(),
            picture: &mut picture,
        }
        .trees(module);
    }
    picture
}

struct Drawer<'a> {
    grammar: &'a Grammar,
    files: &'a Files,
    module: &'a Module,
    forks: BTreeMap<BranchingId, usize>,
    picture: &'a mut Picture,
}

impl Drawer<'_> {
    fn trees(&mut self, module: ModuleId) {
        for (id, tree) in self.module.trees.iter() {
            let first = id.0 == 0;
            let name = if self.grammar.modules.len() == 1 { String::new() } else { self.module.name.clone() };
            let heading = if first { name } else { String::new() };
            let row = Row {
                depth: 0,
                line: 0,
                pills: Vec::new(),
                heading: Some(if first && module == self.grammar.root {
                    "start".to_owned()
                } else {
                    heading
                }),
                handler: None,
                branching: None,
                returns: None,
            };
            self.picture.rows.push(row);
            self.tree(tree.branching);
        }
        self.returns();
    }

    /// Rows of a tree in the order of the text. Nesting is bounded only by the file, so the way is kept in a list.
    fn tree(&mut self, top: BranchingId) {
        let parent = self.picture.rows.len() - 1;
        self.fork(top, parent);
        let mut work: Vec<LineId> = self.lines_of(top);
        work.reverse();
        while let Some(line) = work.pop() {
            let row = self.row(line);
            if let Some(below) = self.module.lines[line].children {
                self.fork(below, row);
                let mut lines = self.lines_of(below);
                lines.reverse();
                work.extend(lines);
            }
        }
    }

    fn fork(&mut self, branching: BranchingId, parent: usize) {
        let index = self.picture.forks.len();
        self.picture.forks.push(Fork { parent, lines: Vec::new() });
        self.picture.rows[parent].branching = Some(index);
        self.forks.insert(branching, index);
    }

    fn lines_of(&self, branching: BranchingId) -> Vec<LineId> {
        let b = &self.module.branchings[branching];
        let mut lines: Vec<LineId> = b.alternatives.iter().copied().chain(b.catch).chain(b.finish).collect();
        lines.sort_by_key(|&l| self.module.lines[l].span.start);
        lines
    }

    fn row(&mut self, id: LineId) -> usize {
        let line = &self.module.lines[id];
        let pills = line.tokens.iter().map(|&t| {
            let token = &self.module.tokens[t];
            let text: Vec<&str> = self.files.text(token.span).split_whitespace().collect();
            Pill { text: text.join(" "), kind: kind_of(&token.kind) }
        });
        let row = Row {
            depth: self.module.branchings[line.branching].depth + 1,
            line: self.files.place(line.span).line,
            pills: pills.collect(),
            heading: None,
            handler: match line.role {
                LineRole::Alternative => None,
                LineRole::Catch => Some("catch:"),
                LineRole::Finish => Some("finish:"),
            },
            branching: None,
            returns: None,
        };
        let index = self.picture.rows.len();
        self.picture.rows.push(row);
        let fork = self.forks[&line.branching];
        self.picture.forks[fork].lines.push(index);
        index
    }

    /// The branching that each leaf returns to (language.md, 2, "Complete a leaf line").
    fn returns(&mut self) {
        let rows: BTreeMap<u32, usize> = self
            .picture
            .rows
            .iter()
            .enumerate()
            .filter(|(_, r)| r.line > 0)
            .map(|(i, r)| (r.line, i))
            .collect();
        for (_, line) in self.module.lines.iter() {
            let leaves = line.tokens.last().is_some_and(|&t| leaves(&self.module.tokens[t].kind));
            let number = self.files.place(line.span).line;
            if line.children.is_some() || leaves || line.role == LineRole::Finish {
                continue;
            }
            let mut target = line.branching;
            while let Some(parent) = self.module.branchings[target].parent {
                if !self.module.lines[parent].continues {
                    break;
                }
                target = self.module.lines[parent].branching;
            }
            if let (Some(&row), Some(&fork)) = (rows.get(&number), self.forks.get(&target)) {
                self.picture.rows[row].returns = Some(fork);
            }
        }
    }
}

/// Whether nothing behind the token is reached.
fn leaves(kind: &TokenKind) -> bool {
    use TokenKind as T;
    matches!(kind, T::Return | T::Reset | T::Break | T::Jump(_) | T::Back(_))
}

fn kind_of(kind: &TokenKind) -> PillKind {
    use TokenKind as T;
    use vproto_ir::grammar::Store;
    match kind {
        T::Scan(scan) if scan.store == Store::Skip => PillKind::Bytes,
        T::Scan(_) | T::EnumText(_) | T::Module(_) => PillKind::Capture,
        T::Varint(v) if v.var.is_some() => PillKind::Capture,
        T::Literal(_) | T::Match { .. } | T::Varint(_) | T::Parallel(_) => PillKind::Bytes,
        T::Notify { .. }
        | T::Begin(_)
        | T::BeginDigest(..)
        | T::End(_)
        | T::EndDigest(_)
        | T::EndModule(_) => PillKind::Event,
        T::Code(_) | T::If(_) | T::EnumInit(_) => PillKind::Code,
        T::Label(_) | T::Jump(_) | T::Call(_) | T::Return | T::Reset | T::Break | T::Bang | T::Back(_) => {
            PillKind::Flow
        }
    }
}

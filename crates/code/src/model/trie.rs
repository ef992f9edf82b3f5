//! Regions of branchings that only lead to each other, as determinised alternatives are: one loop over a table.
//!
//! Code for each letter of each name is what large machines are mostly made of. In a *region* each state is a row: it
//! has a table from classes of bytes to the next row, to an exit (an edge that does more than take its byte), or to
//! none. Resume numbers of a region are consecutive, so the row says where the parser rests. Small machines keep a
//! label for each state, which is faster.

use super::facts::Facts;
use super::r#gen::Gen;
use super::state::Rests;
use crate::tree::{Expr, Odds, Op as Do, Stmt, Ty};
use rustc_hash::FxHashMap;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{SiteId, StateId};
use vproto_ir::machine::{Edge, Form, Handler, Kind, Machine, Op};

/// Fewer states are no region.
const LEAST_ROWS: usize = 4;

/// Where a state stands: its region, and its row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The index of the region.
    pub region: usize,
    /// The row.
    pub row: usize,
}

/// What makes refusals of two states the same: place and handler.
type Where = (u32, u32, Option<u32>, Handler);

fn place_of(machine: &Machine, site: Option<SiteId>) -> Option<Where> {
    site.map(|site| &machine.sites[site]).map(|s| (s.line, s.column, s.file, s.handler))
}

/// Whether an edge only takes its byte.
fn is_plain(edge: &Edge) -> bool {
    matches!(&edge.actions[..], [only] if only.op == Op::Take)
}

impl Facts {
    /// Finds the regions; each is a list of its states in order.
    pub fn find_regions(&mut self, machine: &Machine) {
        let mut groups: FxHashMap<StateId, StateId> = FxHashMap::default();
        for state in &self.order {
            let Kind::Dispatch { alts, .. } = &machine.state(*state).kind else { continue };
            for (_, edge) in alts.iter().filter(|(_, edge)| is_plain(edge)) {
                if self.may_join(machine, *state, edge.to) {
                    let (a, b) = (root(&mut groups, *state), root(&mut groups, edge.to));
                    groups.insert(a.max(b), a.min(b));
                }
            }
        }
        let mut members: FxHashMap<StateId, Vec<StateId>> = FxHashMap::default();
        let mut first_met = Vec::new();
        for state in self.order.clone() {
            if groups.contains_key(&state) {
                let of = root(&mut groups, state);
                let states = members.entry(of).or_default();
                if states.is_empty() {
                    first_met.push(of);
                }
                states.push(state);
            }
        }
        for of in first_met {
            let states = members.remove(&of).unwrap_or_default();
            if states.len() < LEAST_ROWS {
                continue;
            }
            let region = self.regions.len();
            let rows = states.iter().enumerate().map(|(row, state)| (*state, Row { region, row }));
            self.rows.extend(rows);
            self.regions.push(states);
        }
    }

    fn may_join(&self, machine: &Machine, a: StateId, b: StateId) -> bool {
        let (from, to) = (machine.state(a), machine.state(b));
        let captures = self.at(a);
        let pieces = captures.open.iter().any(|s| matches!(machine.spans[*s].form, Form::Pieces { .. }));
        matches!(to.kind, Kind::Dispatch { .. })
            && captures == self.at(b)
            && !pieces
            && place_of(machine, from.site) == place_of(machine, to.site)
    }
}

/// The representative of a state's group.
fn root(groups: &mut FxHashMap<StateId, StateId>, state: StateId) -> StateId {
    let mut at = state;
    while let Some(next) = groups.get(&at).copied().filter(|next| *next != at) {
        at = next;
    }
    groups.insert(state, at);
    groups.entry(at).or_insert(at);
    at
}

impl Gen<'_> {
    /// A state of a region: the first one that is met brings the whole region.
    pub fn trie_state(&mut self, id: StateId, at: Row, rests: &mut Rests) {
        if at.row > 0 {
            return;
        }
        let states = self.facts.regions[at.region].clone();
        self.describe(id);
        for (row, state) in states.iter().enumerate() {
            self.put(Stmt::label("s", state.0));
            let k = self.local("k");
            self.put(Stmt::Set(k, Expr::Int(row as u64)));
            self.put(Stmt::jump("trie", at.region));
        }
        let first = self.number_of(id);
        let exits = self.table_of(&states);
        self.walk_rows(at.region, first, states.len(), &exits, id);
        let numbers = (first..first + states.len() as u64).zip(&states);
        for (number, state) in numbers {
            let again = vec![
                Stmt::Set(self.local("k"), Expr::field("number").minus(Expr::Int(first))),
                Stmt::jump("trie", at.region),
            ];
            rests.resume.push((number, *state, again));
            self.state = *state;
            self.dispatch_end(*state, number, rests);
        }
        self.state = id;
    }

    /// The loop over the rows.
    fn walk_rows(&mut self, region: usize, first: u64, rows: usize, exits: &Exits, id: StateId) {
        let (p, k, way) = (Expr::local("p"), self.local("k"), self.local("way"));
        let here = Expr::Cast(Ty::Unsigned(32), Box::new(Expr::Int(first).plus(k.clone())));
        let number = Stmt::Set(Expr::field("number"), here);
        self.put(Stmt::label("trie", region));
        let rest = vec![number.clone(), Stmt::jump("rest", "")];
        self.put(Stmt::unless_rare(p.clone().eq(Expr::local("end")), rest));
        let class = Expr::Lookup(exits.classes, Box::new(p.byte()));
        let index = k.clone().op(Do::Mul, Expr::Int(exits.width as u64)).plus(class);
        let found = Expr::runtime_with("trie", vec![exits.table as u64], vec![index]);
        self.put(Stmt::Set(way.clone(), found));
        self.state = id;
        let captures = self.facts.at(id);
        let taken = self.apart(|g| {
            g.refuse_byte(&captures);
            g.put(Stmt::Add(Expr::local("p"), Expr::Int(1)));
            g.put(Stmt::Set(k, way.clone()));
            g.put(Stmt::jump("trie", region));
        });
        self.put(Stmt::If(way.clone().lt(Expr::Int(rows as u64)), Odds::Likely, taken, Vec::new()));
        let mut cases = Vec::new();
        for (index, (state, edge)) in exits.edges.iter().enumerate() {
            self.state = *state;
            let leaves = self.apart(|g| g.edge(edge));
            cases.push((vec![(rows + 1 + index) as u64], leaves));
        }
        self.state = id;
        self.put(Stmt::Switch(way, cases, vec![number, Stmt::jump("refuse", "")]));
    }

    /// The table of a region, and the edges that leave it.
    fn table_of(&mut self, states: &[StateId]) -> Exits {
        let m = self.m;
        let rows: FxHashMap<StateId, usize> = states.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let wrong = states.len();
        let mut edges: Vec<(StateId, Edge)> = Vec::new();
        let mut known: FxHashMap<(Edge, Option<Where>), usize> = FxHashMap::default();
        let mut ways = vec![vec![wrong; 256]; states.len()];
        for (row, state) in states.iter().enumerate() {
            let Kind::Dispatch { alts, other, .. } = &m.state(*state).kind else { continue };
            let covered = alts.iter().fold(ByteSet::EMPTY, |all, (set, _)| all | *set);
            let rest = other.iter().map(|edge| (!covered, edge));
            for (set, edge) in alts.iter().map(|(set, edge)| (*set, edge)).chain(rest) {
                let way = match rows.get(&edge.to) {
                    Some(next) if is_plain(edge) => *next,
                    _ => {
                        let key = (edge.clone(), place_of(m, m.state(*state).site));
                        let index = *known.entry(key).or_insert(edges.len());
                        if index == edges.len() {
                            edges.push((*state, edge.clone()));
                        }
                        wrong + 1 + index
                    }
                };
                set.iter().for_each(|byte| ways[row][usize::from(byte)] = way);
            }
        }
        let (classes, width, table) = condense(&ways);
        let classes = self.table(classes);
        self.tries.push(table);
        Exits { edges, classes, width, table: self.tries.len() - 1 }
    }
}

/// Bytes that all rows treat alike are one class: the class of each byte, how many there are, the table by row and class.
fn condense(ways: &[Vec<usize>]) -> ([u8; 256], usize, Vec<u16>) {
    let mut classes = [0u8; 256];
    let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    let mut examples = Vec::new();
    for byte in 0..256 {
        let column: Vec<usize> = ways.iter().map(|row| row[byte]).collect();
        let class = *known.entry(column).or_insert(examples.len());
        if class == examples.len() {
            examples.push(byte);
        }
        classes[byte] = u8::try_from(class).unwrap_or(u8::MAX);
    }
    let table =
        ways.iter().flat_map(|row| examples.iter().map(|byte| u16::try_from(row[*byte]).unwrap_or(u16::MAX)));
    (classes, examples.len(), table.collect())
}

/// How a region is left, and its tables.
struct Exits {
    /// Edges with a state that has them.
    edges: Vec<(StateId, Edge)>,
    /// The table of classes.
    classes: usize,
    /// Number of classes.
    width: usize,
    /// The table of ways.
    table: usize,
}

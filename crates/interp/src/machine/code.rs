//! A machine made ready to be stepped: the same states with tables in place of sets.
//!
//! Nothing here changes while a parser runs; all parsers of a program share it.

use super::Options;
use crate::store::Store;
use crate::trace::At;
use vproto_ir::analyses::live::{Live, live};
use vproto_ir::analyses::threads;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{FunctionId, Id, MarkId, ModuleId, SiteId, SpanId, StateId, VarId};
use vproto_ir::machine::{Form, Kind, Machine, Op, Plan, Predicate, Program, State, Text, Until};
use vproto_ir::symbols::VarType;

/// The machines of a program, ready to be stepped.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Indexed by module id.
    pub modules: Vec<Code>,
    /// The machine that was asked for.
    pub root: ModuleId,
}

/// One machine, ready to be stepped.
#[derive(Debug)]
pub(super) struct Code {
    /// The machine itself.
    pub machine: Machine,
    /// What its states need at hand, indexed as they are.
    pub tables: Vec<Tables>,
    /// Dense numbers of the marks that something reads.
    marks: Vec<Option<u32>>,
    /// How many marks are read.
    pub mark_count: usize,
    /// Slots of `begin` spans, indexed by span.
    slots: Vec<Option<u32>>,
    /// Number of these slots.
    pub slot_count: usize,
    /// Index of the chain plan that stands at a state.
    chains: Vec<Option<u32>>,
    /// Variables at their start values.
    pub start: Store,
    /// Registers that are live in each state, where all others are to be wiped.
    pub live: Option<Vec<Live>>,
}

/// What a state needs at hand.
#[derive(Debug)]
pub(super) enum Tables {
    /// Nothing, or the state is a hole.
    None,
    /// Of a scan or a module.
    Set(SetTable),
    /// Of a scan with a text that is known.
    Until(Borders),
    /// Of a dispatch: the number of the alternative of each byte; [`OTHER`] and [`NOTHING`] too.
    Rows(Box<[u16; 256]>),
    /// Of a `par` whose states begin or end spans.
    Spans,
}

/// No alternative holds the byte, but there is one for the rest.
pub(super) const OTHER: u16 = u16::MAX - 1;
/// The byte is refused.
pub(super) const NOTHING: u16 = u16::MAX;

/// A set, made to find the first byte outside.
#[derive(Debug)]
pub(super) enum SetTable {
    /// Every byte is a member.
    All,
    /// One byte is no member.
    AllBut(u8),
    /// Membership of each byte.
    Some(Box<[bool; 256]>),
}

/// A text with the lengths of its borders: what is left of a match of `k` letters when the next letter differs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Borders {
    /// The text, not empty.
    pub text: Vec<u8>,
    /// `lengths[k]` is the length of the longest proper border of the first `k` letters; `lengths[0]` is unused.
    pub lengths: Vec<u32>,
}

impl Borders {
    /// Works them out in linear time.
    pub fn of(text: &[u8]) -> Borders {
        let mut lengths = vec![0u32; text.len() + 1];
        let mut border = 0usize;
        for k in 1..text.len() {
            while border > 0 && text[k] != text[border] {
                border = lengths[border] as usize;
            }
            if text[k] == text[border] {
                border += 1;
            }
            lengths[k + 1] = border as u32;
        }
        Borders { text: text.to_vec(), lengths }
    }
}

impl SetTable {
    fn of(set: &ByteSet) -> SetTable {
        let outside = !*set;
        match (outside.len(), outside.first()) {
            (0, _) => SetTable::All,
            (1, Some(stop)) => SetTable::AllBut(stop),
            _ => SetTable::Some(Box::new(std::array::from_fn(|byte| set.contains(byte as u8)))),
        }
    }

    /// How many of the first bytes are members.
    #[inline]
    pub fn run(&self, bytes: &[u8]) -> usize {
        match self {
            SetTable::All => bytes.len(),
            SetTable::AllBut(stop) => position(bytes, *stop),
            SetTable::Some(table) => {
                bytes.iter().position(|&byte| !table[usize::from(byte)]).unwrap_or(bytes.len())
            }
        }
    }
}

/// Where a byte is first found, or the length; eight bytes at a time.
pub(super) fn position(bytes: &[u8], wanted: u8) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, _) = bytes.as_chunks::<8>();
    let pattern = LOW * u64::from(wanted);
    for (i, word) in words.iter().enumerate() {
        let differing = u64::from_le_bytes(*word) ^ pattern;
        let zeros = differing.wrapping_sub(LOW) & !differing & HIGH;
        if zeros != 0 {
            return i * 8 + (zeros.trailing_zeros() / 8) as usize;
        }
    }
    let done = words.len() * 8;
    let rest = &bytes[done..];
    done + rest.iter().position(|&byte| byte == wanted).unwrap_or(rest.len())
}

impl Prepared {
    /// Makes all machines of a program ready.
    pub fn new(program: &Program, options: Options) -> Prepared {
        let modules = program.machines.rows().iter().map(|machine| Code::new(machine, options)).collect();
        Prepared { modules, root: program.root }
    }

    /// The machine of a module.
    pub fn module(&self, id: ModuleId) -> &Code {
        &self.modules[id.index()]
    }
}

impl Code {
    fn new(machine: &Machine, options: Options) -> Code {
        let tables = machine.states.ids().map(|id| Tables::of(machine, id)).collect();
        let (marks, mark_count) = number_marks(machine);
        let (slots, slot_count) = number_slots(machine);
        let mut chains = vec![None; machine.states.len()];
        for (number, plan) in machine.plans.iter().enumerate() {
            let Plan::Chain(chain) = plan;
            chains[chain.at.index()] = Some(number as u32);
        }
        let start = Store::new(&machine.symbols);
        let live = options.wipe_dead.then(|| live(machine));
        Code { machine: machine.clone(), tables, marks, mark_count, slots, slot_count, chains, start, live }
    }

    /// A state that exists.
    #[inline]
    pub fn state(&self, id: StateId) -> &State {
        self.machine.state(id)
    }

    /// The dense number of a mark; none where nothing reads it.
    pub fn mark(&self, mark: MarkId) -> Option<usize> {
        self.marks.get(mark.index()).copied().flatten().map(|number| number as usize)
    }

    /// The slot of a `begin` span; none of a capture.
    pub fn slot(&self, span: SpanId) -> Option<usize> {
        self.slots[span.index()].map(|slot| slot as usize)
    }

    /// The chain plan that stands at a state.
    pub fn chain(&self, state: StateId) -> Option<&vproto_ir::machine::Chain> {
        let number = self.chains[state.index()]?;
        let Plan::Chain(chain) = &self.machine.plans[number as usize];
        Some(chain)
    }

    /// Line and file of a site, as events carry them.
    pub fn at(&self, site: Option<SiteId>) -> At {
        let Some(site) = site.map(|id| &self.machine.sites[id]) else { return At::default() };
        let file = site.file.and_then(|file| self.machine.files.get(file as usize));
        let file = file.map(|name| name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned());
        At { file, line: site.line }
    }

    /// The name of a variable.
    pub fn var_name(&self, var: VarId) -> String {
        self.machine.symbols.vars[var].name.clone()
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> String {
        self.machine.symbols.functions[function].name.clone()
    }

    /// The module that a variable is a parser of.
    pub fn module_of(&self, var: VarId) -> Option<ModuleId> {
        match self.machine.symbols.vars[var].ty {
            VarType::Module(id) => Some(id),
            _ => None,
        }
    }
}

impl Tables {
    fn of(machine: &Machine, id: StateId) -> Tables {
        match machine.states[id].as_ref().map(|state| &state.kind) {
            Some(Kind::Par { .. }) if threads::keeps_bytes(machine, id) => Tables::Spans,
            Some(Kind::Scan { until: Some(Until::Text(text)), .. }) => Tables::Until(Borders::of(text)),
            Some(Kind::Scan { set, .. } | Kind::Module { set, .. }) => Tables::Set(SetTable::of(set)),
            Some(Kind::Dispatch { alts, other, .. }) => {
                let mut rows = Box::new([if other.is_some() { OTHER } else { NOTHING }; 256]);
                for (number, (set, _)) in alts.iter().enumerate().rev() {
                    set.iter().for_each(|byte| rows[usize::from(byte)] = number as u16);
                }
                Tables::Rows(rows)
            }
            _ => Tables::None,
        }
    }
}

/// Marks that no test reads need no place.
fn number_marks(machine: &Machine) -> (Vec<Option<u32>>, usize) {
    let mut marks = vec![None; machine.marks as usize];
    let mut count = 0u32;
    let mut read = |mark: MarkId| {
        if marks.len() <= mark.index() {
            marks.resize(mark.index() + 1, None);
        }
        if marks[mark.index()].is_none() {
            marks[mark.index()] = Some(count);
            count += 1;
        }
    };
    for state in machine.states.rows().iter().flatten() {
        if let Kind::Test { what: Predicate::Moved(mark) | Predicate::MovedBottom(mark), .. } = &state.kind {
            read(*mark);
        }
        for action in state.kind.edges().iter().flat_map(|edge| &edge.actions) {
            if let Op::Unspan(mark) = action.op {
                read(mark);
            }
        }
    }
    (marks, count as usize)
}

/// One slot per function, and one per variable of check values, whatever their kinds.
fn number_slots(machine: &Machine) -> (Vec<Option<u32>>, usize) {
    let mut keys: Vec<(bool, u32)> = Vec::new();
    let mut slots = Vec::with_capacity(machine.spans.len());
    for span in machine.spans.rows() {
        let key = match span.form {
            Form::Begin(function) => Some((false, function.0)),
            Form::Digest(_, var) => Some((true, var.0)),
            _ => None,
        };
        slots.push(key.map(|key| {
            let known = keys.iter().position(|k| *k == key);
            known.unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            }) as u32
        }));
    }
    (slots, keys.len())
}

/// The bytes of a literal that are known.
pub(super) fn fixed_text(text: &Text) -> Option<&[u8]> {
    match text {
        Text::Bytes(bytes) => Some(bytes),
        Text::Var(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_of_a_text() {
        assert_eq!(Borders::of(b"aabaaab").lengths, [0, 0, 1, 0, 1, 2, 2, 3]);
        assert_eq!(Borders::of(b"\r\n--b").lengths, [0; 6]);
    }

    #[test]
    fn a_byte_is_found_at_every_place() {
        for length in 0..20 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = b':';
                assert_eq!(position(&bytes, b':'), at);
            }
            assert_eq!(position(&vec![b';'; length], b':'), length);
        }
    }
}

//! The workshop of a model: the machine, what is known of it, and the statements so far.

use super::facts::Facts;
use super::split::Sizes;
use crate::tree::{Expr, Field, Function, Stmt, Ty};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use vproto_ir::byteset::ByteSet;
use vproto_ir::ids::{ModuleId, SiteId, StateId};
use vproto_ir::machine::{ErrorKind, Handler, Machine, Program, Site};
use vproto_ir::symbols::VarType;

/// What is asked of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelOptions {
    /// Events of the trace are printed.
    pub trace: bool,
    /// Views are moved into storage of the parser at a cut.
    pub move_views: bool,
    /// Chain plans are used.
    pub plans: bool,
    /// How large functions may be.
    pub sizes: Sizes,
}

/// How an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Nothing was looked at.
    Nothing,
    /// The byte at the cursor.
    Byte,
    /// The end.
    End,
}

/// The state of the emission of one module.
pub struct Gen<'a> {
    /// All modules.
    pub program: &'a Program,
    /// This one.
    pub module: ModuleId,
    /// Its machine.
    pub m: &'a Machine,
    /// What is asked.
    pub options: ModelOptions,
    /// What is known.
    pub facts: Facts,
    /// Plans by the state at which they stand.
    pub plans_at: FxHashMap<StateId, Vec<usize>>,
    /// Byte sets with names.
    pub sets: Vec<ByteSet>,
    /// Tables of 256.
    pub tables: Vec<[u8; 256]>,
    /// Tables of regions.
    pub tries: Vec<Vec<u16>>,
    /// Statements of the function that is being written.
    pub out: Vec<Stmt>,
    /// Statements behind its last state: what is rarely reached.
    pub cold: Vec<Stmt>,
    /// Places that errors report.
    pub places: Vec<(SiteId, String)>,
    place_index: FxHashMap<(SiteId, String), u64>,
    /// Locals that are used.
    pub locals: BTreeSet<String>,
    /// Fields that are used, by name.
    pub fields: Vec<Field>,
    /// Other functions.
    pub functions: Vec<Function>,
    /// The state that is being written.
    pub state: StateId,
    /// Inside a function of threads.
    pub in_thread: bool,
    /// Where trace events say they happened, if not at the cursor: an offset in the module's stream.
    pub at: Option<Expr>,
    /// What the group has done is done again, for the state that has won.
    pub replaying: Option<StateId>,
    /// Number of labels made up so far.
    pub fresh: u32,
    /// Kinds of failures that some state has.
    pub failures: BTreeSet<(u64, Found)>,
    /// Whether a state is entered behind a callback that may ask for a pause.
    pub pauses: bool,
    /// Places that end spans by the routine that does it.
    pub span_ends: u64,
    /// Buffers of the trace: one a function of tokens or spans.
    pub buffers: u32,
}

impl<'a> Gen<'a> {
    /// Before the first statement.
    pub fn new(program: &'a Program, module: ModuleId, options: ModelOptions) -> Gen<'a> {
        let m = &program.machines[module];
        let mut made = Gen {
            program,
            module,
            m,
            options,
            facts: Facts::of(m, options.sizes.labels),
            plans_at: FxHashMap::default(),
            sets: Vec::new(),
            tables: Vec::new(),
            tries: Vec::new(),
            out: Vec::new(),
            cold: Vec::new(),
            places: Vec::new(),
            place_index: FxHashMap::default(),
            locals: BTreeSet::new(),
            fields: Vec::new(),
            functions: Vec::new(),
            state: m.start,
            in_thread: false,
            at: None,
            replaying: None,
            fresh: 0,
            failures: BTreeSet::new(),
            pauses: false,
            span_ends: 0,
            buffers: 0,
        };
        if options.plans {
            made.find_plans();
        }
        made
    }

    /// Adds a statement.
    pub fn put(&mut self, stmt: Stmt) {
        self.out.push(stmt);
    }

    /// Collects what `write` adds instead of adding it.
    pub fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        let before = std::mem::take(&mut self.out);
        write(self);
        std::mem::replace(&mut self.out, before)
    }

    /// Adds to the cold part.
    pub fn aside(&mut self, write: impl FnOnce(&mut Self)) {
        let stmts = self.apart(write);
        self.cold.extend(stmts);
    }

    /// A label number of its own.
    pub fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    /// A register or other local, remembered so that it is declared.
    pub fn local(&mut self, name: &str) -> Expr {
        self.locals.insert(name.to_owned());
        Expr::local(name)
    }

    /// A field of the saved context, declared at its first use.
    pub fn field(&mut self, name: &str, ty: Ty, doc: &str) -> Expr {
        self.field_array(name, ty, 0, doc);
        Expr::field(name)
    }

    /// A field of several elements.
    pub fn field_array(&mut self, name: &str, ty: Ty, count: u32, doc: &str) {
        if !self.fields.iter().any(|f| f.name == name) {
            let field = Field { name: name.to_owned(), ty, count, doc: doc.to_owned(), start: 0 };
            self.fields.push(field);
        }
    }

    /// The index of a set.
    pub fn set(&mut self, set: &ByteSet) -> usize {
        match self.sets.iter().position(|s| s == set) {
            Some(index) => index,
            None => {
                self.sets.push(*set);
                self.sets.len() - 1
            }
        }
    }

    /// Whether a byte is of a set.
    pub fn contains(&mut self, set: &ByteSet, byte: Expr) -> Expr {
        if set.is_all() { Expr::Bool(true) } else { Expr::In(self.set(set), Box::new(byte)) }
    }

    /// The number of a place: a site, and what it expects.
    pub fn place(&mut self, site: SiteId, expected: &str) -> u64 {
        let key = (site, expected.to_owned());
        if let Some(place) = self.place_index.get(&key) {
            return *place;
        }
        let place = self.places.len() as u64;
        self.places.push(key.clone());
        self.place_index.insert(key, place);
        place
    }

    /// A site of the machine.
    pub fn site(&self, site: SiteId) -> &'a Site {
        &self.m.sites[site]
    }

    /// The handler of a site.
    pub fn handler(&self, site: SiteId) -> Handler {
        self.m.sites[site].handler
    }

    /// The site of the state that is being written.
    pub fn own_site(&self) -> SiteId {
        self.m.state(self.state).site.unwrap_or(SiteId(0))
    }

    /// Offset in the module's stream of the cursor.
    pub fn offset(&mut self) -> Expr {
        match &self.at {
            Some(at) => at.clone(),
            None => Expr::local("base").plus(Expr::local("first").to(Expr::local("p"))),
        }
    }

    /// The number of a kind of error.
    pub fn kind_number(kind: ErrorKind) -> u64 {
        match kind {
            ErrorKind::Mismatch => 1,
            ErrorKind::Minimum => 2,
            ErrorKind::Condition => 3,
            ErrorKind::Overflow => 4,
            ErrorKind::Limit => 5,
            ErrorKind::NoProgress => 6,
            ErrorKind::Return => 7,
            ErrorKind::Module => 8,
        }
    }

    /// Whether some variable is a view.
    pub fn has_views(&self) -> bool {
        self.m.symbols.vars.iter().any(|(_, v)| v.ty == VarType::View)
    }

    /// Whether the machine calls.
    pub fn has_calls(&self) -> bool {
        !self.facts.calls.is_empty()
    }
}

//! The machine under construction: states, sites and spans, and edges that grow at the front.

use rustc_hash::FxHashMap;
use vproto_ir::byteset::quoted;
use vproto_ir::grammar::Module;
use vproto_ir::ids::{ExprId, Id, SiteId, SpanId, StateId, Table, VarId};
use vproto_ir::machine::{Action, Edge, Handler, Kind, Machine, Op, Predicate, Site, SpanDef, State};
use vproto_ir::portable::{Expr, ExprKind, TextQuery, Type};
use vproto_source::{Files, Span};

/// What runs next: an edge whose actions stand in reverse order, so that one more in front is a push.
#[derive(Debug)]
pub(super) struct Ahead {
    reversed: Vec<Action>,
    to: StateId,
}

impl Ahead {
    /// Straight to a state.
    pub(super) fn to(to: StateId) -> Ahead {
        Ahead { reversed: Vec::new(), to }
    }

    /// The same with an action in front.
    pub(super) fn first(mut self, op: Op, site: SiteId) -> Ahead {
        self.reversed.push(Action { op, site: Some(site) });
        self
    }

    /// The same with an action in front that cannot fail and shows nothing.
    pub(super) fn silently(mut self, op: Op) -> Ahead {
        self.reversed.push(Action { op, site: None });
        self
    }

    /// The finished edge.
    pub(super) fn edge(mut self) -> Edge {
        self.reversed.reverse();
        Edge { actions: self.reversed, to: self.to }
    }
}

/// A machine, with tables that give equal sites one id.
pub(super) struct Builder<'a> {
    pub(super) machine: Machine,
    module: &'a Module,
    files: &'a Files,
    sites: FxHashMap<Site, SiteId>,
    sizes: FxHashMap<VarId, ExprId>,
}

impl<'a> Builder<'a> {
    /// An empty machine for a module.
    pub(super) fn new(module: &'a Module, files: &'a Files) -> Builder<'a> {
        let machine = Machine {
            name: module.name.clone(),
            start: StateId(0),
            states: Table::new(),
            spans: Table::new(),
            sites: Table::new(),
            marks: 0,
            trees: u32::try_from(module.trees.len()).expect("a table never has 2^32 entries"),
            symbols: module.symbols.clone(),
            files: Vec::new(),
            plans: Vec::new(),
        };
        Builder { machine, module, files, sites: FxHashMap::default(), sizes: FxHashMap::default() }
    }

    /// An id for a state that is filled later.
    pub(super) fn reserve(&mut self) -> StateId {
        self.machine.states.push(None)
    }

    /// Fills a reserved state.
    pub(super) fn fill(&mut self, id: StateId, kind: Kind, site: Option<SiteId>) {
        self.machine.states[id] = Some(State { kind, site });
    }

    /// A new state.
    pub(super) fn state(&mut self, kind: Kind, site: Option<SiteId>) -> StateId {
        self.machine.states.push(Some(State { kind, site }))
    }

    /// Fills a reserved state with a join.
    pub(super) fn fill_join(&mut self, id: StateId, next: Ahead) {
        self.fill(id, Kind::Act { next: next.edge() }, None);
    }

    /// A state that several edges may lead to and that does what `next` does.
    pub(super) fn join(&mut self, next: Ahead) -> StateId {
        if next.reversed.is_empty() {
            return next.to;
        }
        self.state(Kind::Act { next: next.edge() }, None)
    }

    /// A question, with both answers' states.
    pub(super) fn test(&mut self, what: Predicate, then: StateId, other: StateId, site: SiteId) -> StateId {
        self.state(Kind::Test { what, then: Edge::to(then), other: Edge::to(other) }, Some(site))
    }

    /// A span.
    pub(super) fn span(&mut self, def: SpanDef) -> SpanId {
        self.machine.spans.push(def)
    }

    /// The site of a place in the text.
    pub(super) fn site(&mut self, span: Span, handler: Handler, wants: Option<String>) -> SiteId {
        let place = self.files.place(span);
        let file = (span.file != self.module.file).then(|| self.file(span));
        self.intern(Site { line: place.line, column: place.column, file, handler, wants })
    }

    /// The id of a site.
    pub(super) fn intern(&mut self, site: Site) -> SiteId {
        if let Some(&id) = self.sites.get(&site) {
            return id;
        }
        let id = self.machine.sites.push(site.clone());
        self.sites.insert(site, id);
        id
    }

    /// The site of a token that wants a text.
    pub(super) fn site_of_text(&mut self, span: Span, handler: Handler, text: &[u8], fold: bool) -> SiteId {
        self.site(span, handler, Some(quoted(text, fold)))
    }

    /// Index of an included file.
    fn file(&mut self, span: Span) -> u32 {
        // The trace shows the last component only: output must not depend on where a description lies.
        let path = &self.files.get(span.file).name;
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let known = self.machine.files.iter().position(|f| f == name);
        let index = known.unwrap_or_else(|| {
            self.machine.files.push(name.to_owned());
            self.machine.files.len() - 1
        });
        u32::try_from(index).expect("files are fewer than 2^32")
    }

    /// An expression for the size of a text variable.
    pub(super) fn size_of(&mut self, var: VarId) -> ExprId {
        let exprs = &mut self.machine.symbols.exprs;
        *self.sizes.entry(var).or_insert_with(|| {
            let span = self.module.symbols.vars[var].span;
            let text = Expr { kind: ExprKind::Var(var), ty: Type::Text, span };
            exprs.push(Expr { kind: ExprKind::Query(TextQuery::Size, Box::new(text)), ty: Type::Int, span })
        })
    }

    /// Throws away what no input reaches and closes the gaps. Ids live for ever from here on.
    pub(super) fn finish(mut self, start: StateId) -> Machine {
        let order = self.reachable(start);
        let mut new_ids = vec![None; self.machine.states.len()];
        for (new, old) in order.iter().enumerate() {
            new_ids[old.index()] = Some(StateId::from_index(new));
        }
        let renamed = |id: StateId| new_ids[id.index()].expect("edges of reachable states were followed");
        let mut states = Table::new();
        for &old in &order {
            let mut state = self.machine.states[old].take().expect("reserved states are filled");
            state.kind.edges_mut().into_iter().for_each(|edge| edge.to = renamed(edge.to));
            states.push(Some(state));
        }
        for (_, site) in self.machine.sites.iter_mut() {
            if let Handler::Catch(handler) = &mut site.handler {
                // A site of dropped states only may name a dropped handler; nobody asks it.
                match new_ids[handler.index()] {
                    Some(id) => *handler = id,
                    None => site.handler = Handler::Stop,
                }
            }
        }
        self.machine.states = states;
        self.machine.start = renamed(start);
        self.machine
    }

    /// States that edges and handlers lead to, in the order found.
    fn reachable(&self, start: StateId) -> Vec<StateId> {
        let mut seen = vec![false; self.machine.states.len()];
        let mut order = Vec::new();
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            order.push(id);
            let state = self.machine.state(id);
            let edges = state.kind.edges();
            let sites = edges.iter().flat_map(|e| e.actions.iter().map(|a| a.site));
            for site in sites.chain([state.site]).flatten() {
                if let Handler::Catch(handler) = self.machine.sites[site].handler {
                    open.push(handler);
                }
            }
            open.extend(edges.iter().rev().map(|e| e.to));
        }
        order
    }
}

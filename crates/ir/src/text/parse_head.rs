//! The head of a machine: symbols, sites, spans; and what is named by what it says.

use super::cursor::{Cursor, Parsed};
use super::names::{Names, find_member};
use super::parse_portable::{parse_block, parse_expr, parse_function, parse_var};
use crate::grammar::{BitField, Bound, Digest, IntType};
use crate::ids::{CodeId, ExprId, Id, ModuleId, SiteId, StateId, Table, VarId};
use crate::machine::{Form, Handler, Machine, Site, SpanDef};
use crate::portable::{Code, CodeKind};
use crate::symbols::{Enum, Function, Limits, Role, Symbols, Var, VarType};
use rustc_hash::FxHashMap;
use vproto_source::Span;

/// A machine that is being read, with the first id of each spelling.
pub struct Reader<'a> {
    /// What was read so far.
    pub machine: Machine,
    /// Machines of other modules.
    pub modules: Option<&'a Table<ModuleId, Machine>>,
    exprs: FxHashMap<String, ExprId>,
    codes: FxHashMap<(Sort, String), CodeId>,
    sites: FxHashMap<(Option<u32>, u32, u32, Handler), SiteId>,
}

/// The sort of a code: condition, block, or opaque with its language.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Sort {
    Condition,
    Block,
    Opaque { language: Option<String>, condition: bool },
}

impl<'a> Reader<'a> {
    /// An empty machine of a name.
    pub fn new(name: &str, modules: Option<&'a Table<ModuleId, Machine>>) -> Reader<'a> {
        let machine = Machine {
            name: name.to_string(),
            start: StateId(0),
            states: Table::new(),
            spans: Table::new(),
            sites: Table::new(),
            marks: 0,
            trees: 0,
            symbols: Symbols::default(),
            files: Vec::new(),
            plans: Vec::new(),
        };
        let (exprs, codes, sites) = Default::default();
        Reader { machine, modules, exprs, codes, sites }
    }

    /// The names known so far.
    pub fn names(&self) -> Names<'_> {
        Names { symbols: &self.machine.symbols, modules: self.modules }
    }

    /// A line of the head; false where it is none.
    pub fn head_line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        if cursor.eat_word("start") {
            self.machine.start = cursor.id("s")?;
        } else if cursor.eat_word("size") {
            self.size(cursor)?;
        } else if cursor.eat_word("limit") {
            self.machine.symbols.limits = limits(cursor)?;
        } else if cursor.eat_word("file") {
            let file = cursor.utf8()?;
            self.machine.files.push(file);
        } else if cursor.eat_word("enum") {
            self.enumeration(cursor)?;
        } else if cursor.eat_word("var") {
            self.variable(cursor)?;
        } else if cursor.eat_word("function") {
            self.function(cursor)?;
        } else if cursor.eat_word("expr") {
            self.add_expr(cursor)?;
        } else if cursor.eat_word("code") {
            self.add_code(cursor)?;
        } else if cursor.eat_word("sites") {
            while !cursor.at_end() {
                self.add_site(cursor)?;
            }
        } else if cursor.eat_word("span") {
            self.span(cursor)?;
        } else {
            return Ok(false);
        }
        cursor.end()?;
        Ok(true)
    }

    fn size(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.expect("states")?;
        let states: StateId = cursor.index()?;
        while self.machine.states.len() < states.index() {
            self.machine.states.push(None);
        }
        cursor.expect("marks")?;
        self.machine.marks = cursor.number()?;
        cursor.expect("trees")?;
        self.machine.trees = cursor.number()?;
        Ok(())
    }

    fn enumeration(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?.to_string();
        let mut members = Vec::new();
        while !cursor.at_end() {
            let member = cursor.name()?.to_string();
            cursor.expect("=")?;
            members.push((member, cursor.number()?));
        }
        self.machine.symbols.enums.push(Enum { name, members, span: Span::default() });
        Ok(())
    }

    fn variable(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?.to_string();
        let ty = var_type(cursor)?;
        let start = if cursor.eat("=") { Some(cursor.number()?) } else { None };
        self.machine.symbols.vars.push(Var { name, ty, start, span: Span::default() });
        Ok(())
    }

    fn function(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.name()?.to_string();
        let role = match cursor.word()? {
            "notify" => Role::Notify,
            "stream" => Role::Stream,
            "value" => Role::Value,
            _ => return cursor.error("expected notify, stream or value"),
        };
        self.machine.symbols.functions.push(Function { name, role, span: Span::default() });
        Ok(())
    }

    fn add_expr(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let text = cursor.utf8()?;
        if cursor.eat("#") {
            cursor.index::<ExprId>()?;
        }
        self.push_expr(text, cursor.line())?;
        Ok(())
    }

    fn push_expr(&mut self, text: String, line: u32) -> Parsed<ExprId> {
        let expr = parse_expr(&self.names(), &text, line)?;
        let id = self.machine.symbols.exprs.push(expr);
        self.exprs.entry(text).or_insert(id);
        Ok(id)
    }

    /// An expression by its text; one that the head does not list is added.
    pub fn expr(&mut self, cursor: &mut Cursor<'_>) -> Parsed<ExprId> {
        if cursor.eat("#") {
            return cursor.index();
        }
        let text = cursor.utf8()?;
        if cursor.eat("#") {
            return cursor.index();
        }
        match self.exprs.get(&text) {
            Some(id) => Ok(*id),
            None => self.push_expr(text, cursor.line()),
        }
    }

    fn sort(cursor: &mut Cursor<'_>) -> Parsed<Sort> {
        if cursor.eat_word("opaque") {
            let condition = cursor.eat_word("if");
            let language = if cursor.eat("=") { None } else { Some(cursor.utf8()?) };
            if language.is_some() {
                cursor.expect("=")?;
            }
            return Ok(Sort::Opaque { language, condition });
        }
        Ok(if cursor.eat_word("if") { Sort::Condition } else { Sort::Block })
    }

    fn add_code(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let sort = Reader::sort(cursor)?;
        let source = cursor.utf8()?;
        if cursor.eat("#") {
            cursor.index::<CodeId>()?;
        }
        let text = if cursor.eat_word("as") { cursor.utf8()? } else { source.clone() };
        self.push_code(sort, source, text, cursor.line())?;
        Ok(())
    }

    fn push_code(&mut self, sort: Sort, source: String, text: String, line: u32) -> Parsed<CodeId> {
        let kind = match sort.clone() {
            Sort::Condition => CodeKind::Condition(parse_expr(&self.names(), &source, line)?),
            Sort::Block => CodeKind::Block(parse_block(&self.names(), &source, line)?),
            Sort::Opaque { language, condition } => CodeKind::Opaque { language, condition },
        };
        let id = self.machine.symbols.codes.push(Code { kind, span: Span::default(), text });
        self.codes.entry((sort, source)).or_insert(id);
        Ok(id)
    }

    /// A code by its text; one that the head does not list is added.
    pub fn code(&mut self, cursor: &mut Cursor<'_>) -> Parsed<CodeId> {
        if cursor.eat("#") {
            return cursor.index();
        }
        let sort = Reader::sort(cursor)?;
        let source = cursor.utf8()?;
        if cursor.eat("#") {
            return cursor.index();
        }
        match self.codes.get(&(sort.clone(), source.clone())) {
            Some(id) => Ok(*id),
            None => self.push_code(sort, source.clone(), source, cursor.line()),
        }
    }

    fn add_site(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mut site = site(cursor)?;
        if cursor.eat("#") {
            cursor.index::<SiteId>()?;
        }
        site.wants = if cursor.eat_word("wants") { Some(cursor.utf8()?) } else { None };
        self.push_site(site);
        Ok(())
    }

    fn push_site(&mut self, site: Site) -> SiteId {
        let key = (site.file, site.line, site.column, site.handler);
        let id = self.machine.sites.push(site);
        *self.sites.entry(key).or_insert(id)
    }

    /// A site, if one comes; one that the head does not list is added.
    pub fn site(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Option<SiteId>> {
        cursor.blanks();
        if cursor.peek() != Some(b'@') {
            return Ok(None);
        }
        if cursor.eat("@#") {
            return Ok(Some(cursor.index()?));
        }
        let site = site(cursor)?;
        if cursor.eat("#") {
            return Ok(Some(cursor.index()?));
        }
        let key = (site.file, site.line, site.column, site.handler);
        match self.sites.get(&key) {
            Some(id) => Ok(Some(*id)),
            None => Ok(Some(self.push_site(site))),
        }
    }

    fn span(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let id: crate::ids::SpanId = cursor.id("p")?;
        if id != self.machine.spans.next_id() {
            return cursor.error("spans are listed in order");
        }
        let form = self.form(cursor)?;
        let trim = cursor.eat_word("trim");
        let private = cursor.eat_word("private");
        self.machine.spans.push(SpanDef { form, trim, private });
        Ok(())
    }

    fn form(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Form> {
        let word = cursor.name()?;
        Ok(match word {
            "pieces" => {
                let function = parse_function(&self.names(), cursor)?;
                let xor = if cursor.eat("xor=") { Some(self.var(cursor)?) } else { None };
                Form::Pieces { function, xor }
            }
            "string" => {
                let (var, append) = (self.var(cursor)?, cursor.eat_word("append"));
                let keep = if cursor.eat("keep=") { Some(self.keep(cursor)?) } else { None };
                Form::String { var, append, keep }
            }
            "array" => Form::Array { var: self.var(cursor)?, append: cursor.eat_word("append") },
            "string_view" => Form::View { var: self.var(cursor)?, append: cursor.eat_word("append") },
            "digits" => {
                let (var, radix) = (self.var(cursor)?, cursor.number()?);
                Form::Digits { var, radix, ty: int_type(cursor)? }
            }
            "int" => {
                let (var, big) = (self.var(cursor)?, big(cursor)?);
                let ty = int_type(cursor)?;
                let swap = if cursor.eat("swap=") { Some(self.expr(cursor)?) } else { None };
                Form::Binary { var, big, swap, ty }
            }
            "varint" => {
                let var = self.var_or_none(cursor)?;
                Form::Varint { var, max: cursor.number()?, ty: int_type(cursor)? }
            }
            "bits" | "bitsle" => Form::Bits { fields: self.fields(cursor)?, little: word == "bitsle" },
            "float" => Form::Float { var: self.var(cursor)?, big: big(cursor)? },
            "begin" => Form::Begin(parse_function(&self.names(), cursor)?),
            "digest" => {
                let name = cursor.name()?;
                match Digest::ALL.iter().find(|(n, _)| *n == name) {
                    Some((_, digest)) => Form::Digest(*digest, self.var(cursor)?),
                    None => return cursor.error("an unknown check value"),
                }
            }
            _ => return cursor.error("an unknown form of span"),
        })
    }

    fn keep(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Bound> {
        cursor.blanks();
        Ok(match cursor.peek() {
            Some(b'0'..=b'9') => Bound::Fixed(cursor.number()?),
            _ => Bound::Expr(self.expr(cursor)?),
        })
    }

    fn var_or_none(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<VarId>> {
        if cursor.eat_word("_") { Ok(None) } else { Ok(Some(self.var(cursor)?)) }
    }

    fn fields(&self, cursor: &mut Cursor<'_>) -> Parsed<Vec<BitField>> {
        let mut fields = Vec::new();
        cursor.expect("{")?;
        while !cursor.eat("}") {
            let var = self.var_or_none(cursor)?;
            cursor.expect(":")?;
            let bits = cursor.number()?;
            let signed = cursor.peek() == Some(b's');
            if signed {
                cursor.bump();
            }
            fields.push(BitField { var, bits, signed });
        }
        Ok(fields)
    }

    /// A variable by name.
    pub fn var(&self, cursor: &mut Cursor<'_>) -> Parsed<VarId> {
        parse_var(&self.names(), cursor)
    }

    /// The value that an enum variable is set to.
    pub fn enum_value(&self, var: VarId, cursor: &mut Cursor<'_>) -> Parsed<u64> {
        cursor.blanks();
        if cursor.peek().is_some_and(|b| b.is_ascii_digit()) {
            return cursor.number();
        }
        let name = cursor.name()?;
        let symbols = &self.machine.symbols;
        let of = match symbols.vars.get(var).map(|v| v.ty) {
            Some(VarType::Enum { of, .. }) => symbols.enums.get(of),
            _ => None,
        };
        match of.and_then(|e| Some(e.members[find_member(e, name)? as usize].1)) {
            Some(value) => Ok(value),
            None => cursor.error(format!("the variable has no member {name}")),
        }
    }
}

fn limits(cursor: &mut Cursor<'_>) -> Parsed<Limits> {
    cursor.expect("calls")?;
    let (calls, calls_exact) = (cursor.number()?, cursor.eat_word("exact"));
    cursor.expect("string")?;
    let string = cursor.number()?;
    cursor.expect("view")?;
    let view = cursor.number()?;
    cursor.expect("states")?;
    Ok(Limits { calls, calls_exact, string, view, states: cursor.number()? })
}

fn var_type(cursor: &mut Cursor<'_>) -> Parsed<VarType> {
    let word = cursor.name()?;
    Ok(match word {
        "bool" => VarType::Bool,
        "enum" => VarType::Enum { of: cursor.index()?, bits: cursor.number()? },
        "f32" => VarType::Float { bits: 32 },
        "f64" => VarType::Float { bits: 64 },
        "string" => VarType::String,
        "string_view" => VarType::View,
        "array" => VarType::Array { capacity: cursor.number()? },
        "module" => VarType::Module(cursor.index()?),
        _ => {
            let (signed, digits) = (word.starts_with('i'), word.get(1..).unwrap_or(""));
            match digits.parse() {
                Ok(bits @ (8 | 16 | 32 | 64)) if signed || word.starts_with('u') => {
                    VarType::Int { bits, signed }
                }
                _ => return cursor.error("an unknown type of variable"),
            }
        }
    })
}

fn int_type(cursor: &mut Cursor<'_>) -> Parsed<IntType> {
    let word = cursor.name()?;
    let signed = word.starts_with('i');
    match word.get(1..).unwrap_or("").parse() {
        Ok(bits @ 1..=64) if signed || word.starts_with('u') => {
            Ok(IntType { bits, signed, wrap: cursor.eat_word("wrap") })
        }
        _ => cursor.error("expected a type as u16"),
    }
}

fn big(cursor: &mut Cursor<'_>) -> Parsed<bool> {
    match cursor.name()? {
        "be" => Ok(true),
        "le" => Ok(false),
        _ => cursor.error("expected be or le"),
    }
}

/// `@2:44!s12`, without what it wants.
fn site(cursor: &mut Cursor<'_>) -> Parsed<Site> {
    cursor.expect("@")?;
    let mut line = cursor.number()?;
    let mut file = None;
    if cursor.eat("/") {
        file = Some(line);
        line = cursor.number()?;
    }
    cursor.expect(":")?;
    let column = cursor.number()?;
    let handler = if !cursor.eat("!") {
        Handler::Stop
    } else if cursor.eat_word("up") {
        Handler::Up
    } else {
        Handler::Catch(cursor.id("s")?)
    };
    Ok(Site { line, column, file, handler, wants: None })
}

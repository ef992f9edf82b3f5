//! Facts of modules built by hand, so that they do not depend on the front-end.

use super::*;
use crate::grammar::*;
use crate::ids::{CodeId, ExprId, FunctionId};
use vproto_source::Span;

/// Builds a module line by line.
struct Builder {
    module: Module,
}

impl Builder {
    fn new() -> Builder {
        let module = Module {
            name: "m".into(),
            file: Default::default(),
            trees: Table::new(),
            branchings: Table::new(),
            lines: Table::new(),
            tokens: Table::new(),
            labels: Table::new(),
            symbols: Default::default(),
            heads: Vec::new(),
            output: None,
            docs: Vec::new(),
            stated: Default::default(),
        };
        Builder { module }
    }

    fn branching(&mut self, tree: TreeId, parent: Option<LineId>, depth: u32) -> BranchingId {
        let row = Branching {
            tree,
            parent,
            depth,
            alternatives: Vec::new(),
            catch: None,
            finish: None,
            home: false,
        };
        let id = self.module.branchings.push(row);
        if let Some(parent) = parent {
            self.module.lines[parent].children = Some(id);
        }
        id
    }

    fn tree(&mut self) -> BranchingId {
        let tree = self.module.trees.next_id();
        let branching = self.branching(tree, None, 0);
        self.module.trees.push(Tree { branching });
        branching
    }

    fn token(&mut self, kind: TokenKind) -> TokenId {
        self.module.tokens.push(Token { kind, condition: None, span: Span::default() })
    }

    fn line(&mut self, branching: BranchingId, kinds: Vec<TokenKind>) -> LineId {
        let id = self.module.lines.next_id();
        let mut tokens = Vec::new();
        for kind in kinds {
            if let TokenKind::Label(label) = kind {
                assert_eq!(label, self.module.labels.next_id());
                let index = tokens.len() as u32;
                self.module.labels.push(Label { name: format!("l{}", label.0), line: id, index });
            }
            tokens.push(self.token(kind));
        }
        let role = LineRole::Alternative;
        self.module.lines.push(Line {
            branching,
            tokens,
            continues: false,
            children: None,
            role,
            span: Span::default(),
        });
        self.module.branchings[branching].alternatives.push(id);
        id
    }

    fn below(&mut self, line: LineId) -> BranchingId {
        let parent = &self.module.branchings[self.module.lines[line].branching];
        let (tree, depth) = (parent.tree, parent.depth + 1);
        self.branching(tree, Some(line), depth)
    }
}

const EXPR: ExprId = ExprId(0);
const CODE: CodeId = CodeId(0);

fn text(text: &str) -> TokenKind {
    TokenKind::Literal(Literal { text: text.into(), fold: false, counts: Counts::exactly(1) })
}

fn maybe(text: &str) -> TokenKind {
    let counts = Counts { min: Min::Fixed(0), max: Max::Fixed(1), min_written: true };
    TokenKind::Literal(Literal { text: text.into(), fold: false, counts })
}

fn scan(set: ByteSet, counts: Counts) -> TokenKind {
    let store = Store::Skip;
    TokenKind::Scan(Scan { set, sign: false, counts, until: None, store, xor: None, hint: Hint::Auto })
}

/// `data`.
fn data() -> TokenKind {
    scan(ByteSet::ALL, Counts { min: Min::Fixed(0), max: Max::None, min_written: false })
}

/// `data(max=e)`.
fn data_max() -> TokenKind {
    scan(ByteSet::ALL, Counts { min: Min::Max, max: Max::Expr(EXPR), min_written: false })
}

fn notify() -> TokenKind {
    TokenKind::Notify { function: FunctionId(0), arguments: Vec::new() }
}

fn call(label: u32) -> TokenKind {
    TokenKind::Call(Call { label: LabelId(label), max: None, times: None, keep: Vec::new() })
}

fn label(label: u32) -> TokenKind {
    TokenKind::Label(LabelId(label))
}

fn bytes(members: &[u8]) -> ByteSet {
    members.iter().copied().collect()
}

/// The facts of the line `kinds` as an alternative of its own.
fn single(kinds: Vec<TokenKind>) -> LineFacts {
    let mut b = Builder::new();
    let top = b.tree();
    let line = b.line(top, kinds);
    Facts::of(&b.module).lines[line]
}

const BYTE: Decides = Decides::Byte { otherwise: None, moment: false };

#[test]
fn first_goes_through_optional_tokens() {
    let facts = single(vec![maybe("\r"), text("\n")]);
    assert_eq!(facts.first, bytes(b"\r\n"));
    assert_eq!((facts.empty, facts.decides), (When::Never, BYTE));
    assert_eq!(facts.bytes, Bytes { min: 1, max: Some(2) });
}

#[test]
fn begin_and_code_in_mid_line_are_transparent() {
    let facts = single(vec![TokenKind::Begin(FunctionId(0)), maybe("-"), TokenKind::Code(CODE), text("1")]);
    assert_eq!((facts.first, facts.decides), (bytes(b"-1"), BYTE));
}

#[test]
fn what_needs_no_byte_is_taken() {
    assert_eq!(single(vec![notify(), text("a")]).decides, Decides::Taken);
    assert_eq!(single(vec![TokenKind::Return]).decides, Decides::Taken);
    assert_eq!(single(vec![maybe("a")]).decides, Decides::Taken);
    assert_eq!(single(vec![maybe("a"), TokenKind::Return]).decides, Decides::Taken);
    assert_eq!(single(vec![text("a"), notify()]).decides, BYTE);
}

#[test]
fn a_minimum_that_was_not_written_needs_a_byte() {
    let facts = single(vec![data()]);
    assert_eq!((facts.empty, facts.decides), (When::Never, BYTE));
    assert_eq!(facts.bytes, Bytes::ANY);
}

#[test]
fn a_run_time_maximum_is_of_the_moment() {
    let facts = single(vec![data_max(), text("x")]);
    assert_eq!(facts.first, ByteSet::ALL);
    assert_eq!(facts.empty, When::Never);
    assert_eq!(facts.decides, Decides::Byte { otherwise: None, moment: true });
    assert_eq!(single(vec![data_max()]).empty, When::Moment);
}

#[test]
fn a_condition_decides_behind_what_may_be_empty() {
    let mut b = Builder::new();
    let top = b.tree();
    let line = b.line(top, vec![maybe("a"), TokenKind::If(CODE), text("b")]);
    let condition = b.module.lines[line].tokens[1];
    let facts = Facts::of(&b.module).lines[line];
    assert_eq!(facts.first, bytes(b"a"));
    assert_eq!(facts.decides, Decides::Byte { otherwise: Some(condition), moment: false });
}

#[test]
fn a_condition_decides_alone_behind_begin() {
    let mut b = Builder::new();
    let top = b.tree();
    let line = b.line(top, vec![TokenKind::Begin(FunctionId(0)), TokenKind::If(CODE), text("b")]);
    let condition = b.module.lines[line].tokens[1];
    assert_eq!(Facts::of(&b.module).lines[line].decides, Decides::Condition(condition));
}

/// `call:0`, `call:1`; `label:0` with children `"a" return` / `"b" call:1 return`; `label:1 "c"? return`.
#[test]
fn calls_have_the_first_set_of_their_target() {
    let mut b = Builder::new();
    let top = b.tree();
    let (first, second) = (b.line(top, vec![call(0)]), b.line(top, vec![call(1), text("d")]));
    let tree = b.tree();
    let target = b.line(tree, vec![label(0)]);
    let below = b.below(target);
    b.line(below, vec![text("a"), TokenKind::Return]);
    b.line(below, vec![text("bb"), call(1), TokenKind::Return]);
    let other = b.tree();
    b.line(other, vec![label(1), maybe("c"), TokenKind::Return]);
    let facts = Facts::of(&b.module);
    assert_eq!((facts.lines[first].first, facts.lines[first].decides), (bytes(b"ab"), BYTE));
    assert_eq!(facts.lines[first].bytes, Bytes { min: 1, max: Some(3) });
    assert_eq!((facts.lines[second].first, facts.lines[second].decides), (bytes(b"cd"), BYTE));
    assert_eq!(facts.labels[LabelId(1)].needs_byte, When::Never);
    assert_eq!(facts.labels[LabelId(0)].needs_byte, When::Always);
}

/// A target whose children begin with conditions needs no byte (`call:value(max=0)` is made).
#[test]
fn a_target_that_begins_with_a_condition_below_needs_no_byte() {
    let mut b = Builder::new();
    let top = b.tree();
    let line = b.line(top, vec![call(0)]);
    let tree = b.tree();
    let target = b.line(tree, vec![label(0)]);
    let below = b.below(target);
    b.line(below, vec![TokenKind::If(CODE), text("a"), TokenKind::Return]);
    b.line(below, vec![text("b"), TokenKind::Return]);
    let facts = Facts::of(&b.module);
    assert_eq!(facts.lines[line].decides, Decides::Taken);
    assert_eq!(facts.labels[LabelId(0)].needs_byte, When::Never);
    assert_eq!(facts.labels[LabelId(0)].first, bytes(b"ab"));
    assert_eq!(facts.labels[LabelId(0)].returns, When::Never);
}

/// Left recursion has a least fixpoint: `label:0` with children `call:0 "x" return` / `"a" return`.
#[test]
fn recursion_ends() {
    let mut b = Builder::new();
    let top = b.tree();
    let line = b.line(top, vec![call(0)]);
    let tree = b.tree();
    let target = b.line(tree, vec![label(0)]);
    let below = b.below(target);
    b.line(below, vec![call(0), text("x"), TokenKind::Return]);
    b.line(below, vec![text("a"), TokenKind::Return]);
    let facts = Facts::of(&b.module);
    assert_eq!((facts.lines[line].first, facts.lines[line].decides), (bytes(b"a"), BYTE));
    assert_eq!(facts.lines[line].bytes, Bytes { min: 1, max: None });
}

#[test]
fn options_of_calls_make_them_absent() {
    let confined = |label| {
        TokenKind::Call(Call {
            label: LabelId(label),
            max: Some(Bound::Expr(EXPR)),
            times: None,
            keep: Vec::new(),
        })
    };
    let mut b = Builder::new();
    let top = b.tree();
    let (needs, free) =
        (b.line(top, vec![confined(0), text("z")]), b.line(top, vec![confined(1), text("z")]));
    let tree = b.tree();
    b.line(tree, vec![label(0), text("a"), TokenKind::Return]);
    let tree = b.tree();
    b.line(tree, vec![label(1), notify(), text("a"), TokenKind::Return]);
    let facts = Facts::of(&b.module);
    assert_eq!(facts.lines[needs].first, bytes(b"az"));
    assert_eq!(facts.lines[needs].decides, Decides::Byte { otherwise: None, moment: true });
    assert_eq!(facts.lines[free].decides, Decides::Taken);
}

#[test]
fn groups_decide_in_parallel() {
    let mut b = Builder::new();
    let top = b.tree();
    let sequences = vec![vec![b.token(text("ab"))], vec![b.token(maybe("-")), b.token(text("cde"))]];
    let line = b.line(top, vec![TokenKind::Parallel(Parallel { sequences })]);
    let facts = Facts::of(&b.module);
    assert_eq!(facts.lines[line].decides, Decides::Parallel);
    assert_eq!(facts.lines[line].first, bytes(b"-ac"));
    assert_eq!(facts.lines[line].bytes, Bytes { min: 2, max: Some(4) });
    assert_eq!(facts.branchings[top].first, bytes(b"-ac"));
    assert_eq!(facts.trees[TreeId(0)].needs_byte, When::Always);
}

#[test]
fn until_needs_its_text() {
    let counts = Counts { min: Min::Fixed(0), max: Max::Fixed(3), min_written: false };
    let until = Some(Until::Text(b"--".to_vec()));
    let token = Scan {
        set: ByteSet::ALL,
        sign: false,
        counts,
        until,
        store: Store::Skip,
        xor: None,
        hint: Hint::Auto,
    };
    let facts = single(vec![TokenKind::Scan(token)]);
    assert_eq!((facts.empty, facts.bytes), (When::Never, Bytes { min: 2, max: Some(5) }));
}

//! Descriptions: trees of lines, grown from choices.
//!
//! Variables, functions and labels come from small pools, each name with one role, so that most descriptions pass
//! the checker and tokens meet each other's values. Scalars are declared in a tree of their own.

use crate::Choices;
use crate::expression::{argument, block, bound, condition, confinement};
use crate::token::{Allowed, byte_token, parallel};

/// A description and its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Module names and texts, the root first.
    pub sources: Vec<(String, String)>,
}

/// A random description.
pub fn describe(c: &mut Choices) -> Description {
    let modules = c.chance(15);
    let mut sources = vec![("root".to_string(), one(c, modules, 14))];
    if sources[0].1.contains("vproto:sub") {
        sources.push(("sub".to_string(), one(c, false, 6)));
    }
    Description { sources }
}

/// The state of one text.
struct Grower<'c, 'b> {
    c: &'c mut Choices<'b>,
    text: String,
    /// Lines that may still be written.
    lines: usize,
    /// Called trees.
    targets: usize,
    modules: bool,
    enums: usize,
    /// Labels for `jmp:` that stand somewhere.
    places: usize,
}

/// Where a line stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// In a tree that is called.
    called: bool,
}

fn one(c: &mut Choices, modules: bool, lines: usize) -> String {
    let targets = [0, 1, 1, 2, 3][c.below(5)];
    let mut grower = Grower { c, text: String::new(), lines, targets, modules, enums: 0, places: 0 };
    grower.branching(Place { depth: 0, called: false }, true);
    let root = grower.text.len();
    for target in 0..targets {
        grower.target(target);
    }
    grower.call_all(root);
    grower.declarations();
    grower.text
}

impl Grower<'_, '_> {
    fn target(&mut self, target: usize) {
        self.lines = self.lines.max(4);
        self.text.push('\n');
        let place = Place { depth: 0, called: true };
        if self.c.chance(40) {
            self.text.push_str(&format!("label:l{target}\n"));
            self.branching(Place { depth: 1, ..place }, true);
        } else {
            self.text.push_str(&format!("label:l{target} "));
            self.line(place, true);
        }
    }

    /// A tree that nobody enters would be refused: one more alternative of the stream calls it.
    fn call_all(&mut self, root: usize) {
        let called = |text: &str, l: usize| {
            text.contains(&format!("call:l{l}")) || text.contains(&format!("jmp:l{l}"))
        };
        for target in 0..self.targets {
            if !called(&self.text, target) {
                let call = self.call_of(target);
                self.text.insert_str(root, &format!("[a-d] {call}\n"));
            }
        }
    }

    fn branching(&mut self, place: Place, home: bool) {
        let count = if home { 1 + self.c.below(4) } else { 1 + self.c.below(3) };
        for index in 0..count {
            self.indent(place.depth);
            let last = index + 1 == count;
            if last && place.called && home && self.c.chance(70) {
                self.returning_line(place);
            } else {
                self.line(place, false);
            }
        }
        if self.c.chance(22) {
            self.indent(place.depth);
            self.text.push_str("catch: ");
            let head = if self.c.chance(80) { "[^;]* \";\"?" } else { "b8:n1" };
            let head = if self.c.chance(70) { head } else { "notify:c" };
            self.text.push_str(head);
            if self.c.chance(50) {
                self.text.push(' ');
                self.tokens(place, false);
            }
            self.tail(place);
        }
        if self.c.chance(12) {
            self.indent(place.depth);
            self.text.push_str("finish: notify:z(n0)\n");
        }
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n('\t', depth));
    }

    fn returning_line(&mut self, place: Place) {
        if self.c.chance(30) {
            self.text.push_str("{}");
        } else {
            self.tokens(place, true);
        }
        self.text.push_str(" return\n");
    }

    /// A line with what is below it; the indentation is written already.
    fn line(&mut self, place: Place, labelled: bool) {
        self.lines = self.lines.saturating_sub(1);
        self.tokens(place, !labelled);
        self.tail(place);
    }

    /// What follows the tokens of a line.
    fn tail(&mut self, place: Place) {
        if place.called && self.c.chance(45) {
            self.text.push_str(" return\n");
            return;
        }
        if self.c.chance(12) {
            let leave = match self.c.below(8) {
                0..=3 => format!(" back:{}\n", self.c.below(place.depth + 1)),
                4 if self.places > 0 => format!(" jmp:j{}\n", self.c.below(self.places)),
                5 if self.targets > 0 => format!(" jmp:l{}\n", self.c.below(self.targets)),
                6 if !place.called => " reset\n".to_string(),
                7 if self.c.chance(40) => " break\n".to_string(),
                _ => "\n".to_string(),
            };
            self.text.push_str(&leave);
            return;
        }
        if place.depth < 4 && self.lines > 0 && self.c.chance(45) {
            self.text.push_str(if self.c.chance(50) { " \\\n" } else { "\n" });
            self.branching(Place { depth: place.depth + 1, ..place }, false);
        } else {
            self.text.push('\n');
        }
    }

    /// Some tokens; the first one may be what decides an alternative.
    fn tokens(&mut self, place: Place, head: bool) {
        let count = 1 + self.c.below(4);
        let mut tokens = Vec::new();
        if head && self.c.chance(16) {
            tokens.push(format!("if {{{}}}", condition(self.c)));
        } else if head && self.c.chance(12) {
            tokens.push(parallel(self.c, 0));
        } else {
            let optional = head && self.c.chance(10);
            tokens.push(self.byte_token(optional, self.text.contains("array:r0")));
        }
        for _ in 1..count {
            let token = self.token(place);
            tokens.push(token);
        }
        self.text.push_str(&tokens.join(" "));
    }

    fn byte_token(&mut self, empty: bool, key: bool) -> String {
        let moment = self.c.chance(60);
        let allowed = Allowed { empty, moment, modules: self.modules, key };
        if self.enums == 0 && self.c.chance(5) {
            self.enums = 1;
            return "enum{aa \"a\", ab \"ab\", bb 'b'}:e0".to_string();
        }
        byte_token(self.c, allowed)
    }

    fn token(&mut self, place: Place) -> String {
        let key = self.text.contains("array:r0");
        match self.c.below(30) {
            0..=3 => format!("notify:{}", self.event()),
            4 => block(self.c),
            5 => format!("if {{{}}}", condition(self.c)),
            6 => self
                .c
                .pick(&["begin:p0", "begin:p1", "begin:xor8:c0", "begin:crc32:c1", "begin:inet16:c1"])
                .to_string(),
            7 => {
                let name = self.c.pick(&["p0", "p1", "c0", "c1"]);
                let begun = self.text.contains("begin:") && self.text.contains(&format!(":{name}"));
                if begun { format!("end:{name}") } else { "notify:m".to_string() }
            }
            8..=11 if self.targets > 0 => self.call(),
            12 => parallel(self.c, 0),
            13 if self.c.chance(30) && !place.called => {
                self.places += 1;
                format!("label:j{}", self.places - 1)
            }
            14 if self.modules && self.text.contains(":x1") => "end:x1".to_string(),
            _ => self.byte_token(true, key),
        }
    }

    fn event(&mut self) -> String {
        let name = self.c.pick(&["a", "b", "m"]);
        if self.c.chance(50) { format!("{name}({})", argument(self.c)) } else { name.to_string() }
    }

    fn call(&mut self) -> String {
        let label = self.c.below(self.targets);
        self.call_of(label)
    }

    fn call_of(&mut self, label: usize) -> String {
        let mut options = Vec::new();
        if self.c.chance(45) {
            options.push(format!("max={}", confinement(self.c)));
        }
        if self.c.chance(25) {
            options
                .push(format!("times={}", if self.c.chance(50) { "2".to_string() } else { bound(self.c) }));
        }
        if self.c.chance(20) {
            options.push(self.c.pick(&["keep=n0", "keep=n0 n1", "keep=k0 z0"]).to_string());
        }
        if self.c.chance(15) {
            options.push(format!("if={}", condition(self.c)));
        }
        match options.is_empty() {
            true => format!("call:l{label}"),
            false => format!("call:l{label}({})", options.join(", ")),
        }
    }

    /// Start values keep runs short of overflow.
    fn declarations(&mut self) {
        let names = "u8:n0 = 2\nu8:n1 = 1\nu8:n2\nu16:k0\ni16:s0\nbool:z0\nstring:t0\nstring:t1\n";
        self.text.push('\n');
        self.text.push_str(names);
    }
}

//! Plays `tests/examples` (and `../shared/examples`, where it is) on the grammar interpreter: whole, byte by byte, cut at
//! every place, in random pieces with empty ones among them. The trace must be the file's, line by line.

use std::fs;
use std::path::{Path, PathBuf};
use vproto_front::vproto::{KnownFiles, parse};
use vproto_interp::Interpreter;
use vproto_interp::grammar::{GrammarInterpreter, opaque_places};
use vproto_ir::grammar::Grammar;
use vproto_source::{File, Files};

struct Case {
    name: String,
    files: Files,
    grammar: Grammar,
    input: Vec<u8>,
    trace: Vec<String>,
}

#[test]
fn examples_give_their_traces_at_any_cut() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cases = load_all(&root.join("tests/examples"));
    assert!(cases.len() >= 44, "only {} cases in tests/examples", cases.len());
    if let Some(shared) = vproto_testkit::skip::without_shared("the shared examples") {
        cases.extend(load_all(&shared.join("examples")));
    }
    let failures: Vec<String> = cases.iter().filter_map(Case::failure).collect();
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

fn load_all(folder: &Path) -> Vec<Case> {
    let entries = fs::read_dir(folder).expect("the folder of examples can be read");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    folders.iter().filter(|path| path.is_dir()).map(|path| Case::load(path)).collect()
}

impl Case {
    fn load(folder: &Path) -> Case {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let mut files = Files::default();
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "vproto") {
                let file = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
                files.add(File::new(file, fs::read_to_string(&path).expect("a description")));
            }
        }
        let root = files.find(&format!("{name}.vproto")).expect("the description of the case");
        let mut findings = Vec::new();
        let parsed = parse(&mut files, root, &mut KnownFiles, &mut findings);
        let grammar = parsed.grammar.unwrap_or_else(|| panic!("{name}: {findings:#?}"));
        assert!(opaque_places(&grammar).is_empty(), "{name} has opaque code");
        let input = fs::read(folder.join("input.bin")).expect("the input");
        let trace = fs::read_to_string(folder.join("trace.jsonl")).expect("the trace");
        let trace = trace.lines().map(str::to_owned).collect();
        Case { name, files, grammar, input, trace }
    }

    /// The first way of cutting that gives another trace, with the first line that differs.
    fn failure(&self) -> Option<String> {
        let size = self.input.len();
        let mut cuts: Vec<Vec<usize>> = vec![vec![], (1..size).collect()];
        cuts.extend((0..=size).map(|at| vec![at]));
        let mut random = Random(0x9e37_79b9);
        cuts.extend((0..20).map(|_| random.cuts(size)));
        cuts.iter().find_map(|cuts| self.difference(cuts))
    }

    fn difference(&self, cuts: &[usize]) -> Option<String> {
        let got = self.play(cuts);
        let at = (0..got.len().max(self.trace.len())).find(|&i| got.get(i) != self.trace.get(i))?;
        let (want, have) = (self.trace.get(at), got.get(at));
        Some(format!("{}: cut at {cuts:?}, line {}:\n  want {want:?}\n  have {have:?}", self.name, at + 1))
    }

    fn play(&self, cuts: &[usize]) -> Vec<String> {
        let mut events = Vec::new();
        let mut sink = |event: vproto_interp::trace::Event| events.push(event.to_string());
        let mut interpreter = GrammarInterpreter::new(&self.grammar, &self.files);
        let mut from = 0;
        for &to in cuts.iter().chain([&self.input.len()]) {
            interpreter.parse(&self.input[from..to], &mut sink);
            from = to;
        }
        interpreter.finish(&mut sink);
        events
    }
}

/// A small generator of numbers (xorshift): the same cuts in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Places to cut at, ascending; two of them may be equal.
    fn cuts(&mut self, size: usize) -> Vec<usize> {
        let count = self.next() % 8;
        let mut cuts: Vec<usize> = (0..count).map(|_| (self.next() % (size as u64 + 1)) as usize).collect();
        cuts.sort_unstable();
        cuts
    }
}

//! `vproto run`

use super::{Loaded, compiled, load, verdict};
use crate::chunks::Chunks;
use crate::failure::{Failure, Outcome};
use crate::report::Format;
use crate::table::{Context, Table, Tail};
use clap::ValueEnum;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use vproto_interp::Interpreter;
use vproto_interp::trace::{Event, EventKind, Status};

/// Run a description over a file or standard input and print what it found
#[derive(clap::Args)]
pub struct Args {
    /// The description
    file: PathBuf,
    /// The input; standard input where it is absent or `-`
    input: Option<PathBuf>,
    /// How events are printed; a table on a terminal, JSON Lines elsewhere
    #[arg(long, value_enum)]
    events: Option<Events>,
    /// Hand the input on in pieces: N bytes each, or random:SEED; the events are the same
    #[arg(long, value_name = "N|random:SEED")]
    chunk: Option<Chunks>,
    /// Set a variable before parsing, as the user of a parser may
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Which interpreter: of the optimised machine (fast), or of the grammar, which defines the meaning (slow)
    #[arg(long, value_enum, default_value_t)]
    interp: Which,
    /// Folder in which imported modules are looked up; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
}

/// A form of the events.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Events {
    /// One JSON object a line
    Jsonl,
    /// A table for people
    Table,
}

/// One of the two interpreters.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Which {
    #[default]
    Machine,
    Grammar,
}

/// Size of a fragment where none is asked for, in bytes.
const FRAGMENT: usize = 64 << 10;

/// Runs the description over the input.
pub fn run(args: &Args) -> Outcome {
    let Some(loaded) = load(&args.file, &args.include, Format::Text)? else {
        return Ok(verdict(true));
    };
    if !super::runnable(&loaded) {
        return Ok(verdict(true));
    }
    let mut parser = interpreter(args.interp, &loaded)?;
    for setting in &args.set {
        apply(setting, parser.as_mut())?;
    }
    let mut input = Input::open(args.input.as_deref(), args.chunk)?;
    let jsonl = args.events.map_or(!io::stdout().is_terminal(), |e| e == Events::Jsonl);
    let mut printer =
        if jsonl { Printer::Jsonl(stdout()) } else { Printer::Table(stdout(), Table::default()) };
    if !jsonl {
        parser.tell_more();
    }
    let status = play(parser.as_mut(), &mut input, &mut printer, &loaded)?;
    Ok(verdict(!matches!(status, Some(Status::Complete | Status::Stopped))))
}

fn interpreter<'g>(which: Which, loaded: &'g Loaded) -> Result<Box<dyn Interpreter + 'g>, Failure> {
    Ok(match which {
        Which::Machine => vproto::machine_interpreter(&compiled(loaded)?),
        Which::Grammar => vproto::grammar_interpreter(&loaded.grammar, &loaded.files),
    })
}

fn apply(setting: &str, parser: &mut dyn Interpreter) -> Result<(), Failure> {
    let (name, value) = setting
        .split_once('=')
        .ok_or_else(|| Failure::Usage(format!("--set {setting}: expected NAME=VALUE")))?;
    parser.set(name.trim(), value).map_err(|e| Failure::Usage(format!("--set {setting}: {e}")))
}

/// Feeds the whole input; the status of the `end` event.
fn play(
    parser: &mut dyn Interpreter,
    input: &mut Input,
    printer: &mut Printer,
    loaded: &Loaded,
) -> Result<Option<Status>, Failure> {
    let (grammar, files) = (&loaded.grammar, &loaded.files);
    let (mut status, mut failed) = (None, None);
    let mut progress = Progress::new(input.size);
    while !parser.ended() && failed.is_none() {
        let Some(bytes) = input.next()? else { break };
        let context = Context { grammar, files, tail: &input.tail, fragment: &bytes };
        parser.parse(&bytes, &mut |event| {
            progress.clear();
            printer.print_unless(&mut failed, &event, context);
        });
        progress.done += bytes.len() as u64;
        // Where input comes as it is made, people want to see what it gave; and rows stand above the progress.
        let live = input.size.is_none() && input.chunks.is_none();
        if (live || progress.is_due()) && failed.is_none() {
            failed = printer.flush().err();
        }
        progress.show();
        input.tail.advance(&bytes);
    }
    if failed.is_none() {
        let context = Context { grammar, files, tail: &input.tail, fragment: &[] };
        parser.finish(&mut |event| {
            progress.clear();
            if let EventKind::End(s) = event.kind {
                status = Some(s);
            }
            printer.print_unless(&mut failed, &event, context);
        });
    }
    progress.clear();
    let result = failed.map_or_else(|| printer.flush(), Err);
    result.map_err(|e| Failure::io("write", "standard output", &e))?;
    Ok(status)
}

/// The input, cut into fragments.
struct Input {
    reader: Box<dyn Read>,
    name: String,
    chunks: Option<Chunks>,
    /// Total size, where it is known.
    size: Option<u64>,
    tail: Tail,
    pending: Vec<u8>,
    at_end: bool,
}

impl Input {
    fn open(path: Option<&std::path::Path>, chunks: Option<Chunks>) -> Result<Input, Failure> {
        let mut size = None;
        let mut name = "standard input".to_owned();
        let reader: Box<dyn Read> = match path.filter(|p| *p != std::path::Path::new("-")) {
            None => Box::new(io::stdin().lock()),
            Some(path) => {
                name = path.to_string_lossy().into_owned();
                let file = File::open(path).map_err(|e| Failure::io("read", &name, &e))?;
                size = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
                Box::new(file)
            }
        };
        Ok(Input { reader, name, chunks, size, tail: Tail::default(), pending: Vec::new(), at_end: false })
    }

    /// The next fragment; none at the end of the input.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let wanted = self.chunks.as_mut().map_or(FRAGMENT, Chunks::next_size);
        while self.pending.len() < wanted && !self.at_end {
            self.fill()?;
            if self.chunks.is_none() {
                break;
            }
        }
        if self.at_end && self.pending.is_empty() {
            return Ok(None);
        }
        let size = wanted.min(self.pending.len());
        Ok(Some(self.pending.drain(..size).collect()))
    }

    fn fill(&mut self) -> Result<(), Failure> {
        let mut buffer = vec![0; FRAGMENT];
        match self.reader.read(&mut buffer) {
            Ok(0) => self.at_end = true,
            Ok(n) => self.pending.extend_from_slice(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Failure::io("read", &self.name, &e)),
        }
        Ok(())
    }
}

type Stdout = BufWriter<anstream::AutoStream<io::StdoutLock<'static>>>;

fn stdout() -> Stdout {
    BufWriter::new(anstream::stdout().lock())
}

/// Where events go.
enum Printer {
    Jsonl(Stdout),
    Table(Stdout, Table),
}

impl Printer {
    fn print(&mut self, event: &Event, context: Context<'_>) -> io::Result<()> {
        match self {
            Printer::Jsonl(out) => writeln!(out, "{event}"),
            Printer::Table(out, table) => table.row(out, event, context),
        }
    }

    /// Prints while nothing has failed.
    fn print_unless(&mut self, failed: &mut Option<io::Error>, event: &Event, context: Context<'_>) {
        if failed.is_none() {
            *failed = self.print(event, context).err();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Printer::Jsonl(out) | Printer::Table(out, _) => out.flush(),
        }
    }
}

/// A line on standard error for runs that take longer than a second.
struct Progress {
    total: Option<u64>,
    done: u64,
    started: Instant,
    /// When the line was last written.
    shown: Option<Instant>,
    /// Whether the line stands on the terminal now.
    visible: bool,
    enabled: bool,
}

impl Progress {
    fn new(total: Option<u64>) -> Progress {
        let enabled = io::stderr().is_terminal();
        Progress { total, done: 0, started: Instant::now(), shown: None, visible: false, enabled }
    }

    /// Whether the line is to be written now.
    fn is_due(&self) -> bool {
        let due = self.shown.unwrap_or(self.started).elapsed() > Duration::from_millis(500);
        self.enabled && due && self.started.elapsed() >= Duration::from_secs(1)
    }

    fn show(&mut self) {
        if !self.is_due() {
            return;
        }
        self.shown = Some(Instant::now());
        self.visible = true;
        let rate = self.done as f64 / self.started.elapsed().as_secs_f64() / 1e6;
        let share = self.total.map(|t| format!(" of {:.1}", t as f64 / 1e6)).unwrap_or_default();
        let _ = write!(anstream::stderr(), "\r{:.1}{share} MB, {rate:.1} MB/s ", self.done as f64 / 1e6);
    }

    /// Takes the line away, before anything else is written.
    fn clear(&mut self) {
        if self.visible {
            self.visible = false;
            let _ = write!(anstream::stderr(), "\r{:50}\r", "");
        }
    }
}

//! The table of events that people see at a terminal, and the hex dump around an error.

use std::io::{self, Write};
use vproto::locate::Located;
use vproto::{Files, Grammar};
use vproto_interp::trace::{ErrorKind, Event, EventKind, Failure, Found, Status, Value};

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const CYAN: &str = "\x1b[36m";
const RESET: &str = "\x1b[0m";

/// Characters shown of a long line of the description.
const LINE_WIDTH: usize = 100;
/// Bytes shown of a long value.
const VALUE_WIDTH: usize = 72;
/// Bytes before and after an error that the dump shows, and bytes a row.
const AROUND: u64 = 24;
const ROW: u64 = 16;

/// The end of what was parsed before the current fragment.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    /// Stream offset of the first byte kept.
    start: u64,
    bytes: Vec<u8>,
}

impl Tail {
    /// Keeps the end of a fragment that was parsed.
    pub fn advance(&mut self, fragment: &[u8]) {
        self.bytes.extend_from_slice(fragment);
        let surplus = self.bytes.len().saturating_sub(2 * AROUND as usize);
        self.bytes.drain(..surplus);
        self.start += surplus as u64;
    }
}

/// What is around an event: the description, and the bytes near the place where parsing is (the current fragment and a
/// little of what came before).
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The description.
    pub grammar: &'a Grammar,
    /// Its texts.
    pub files: &'a Files,
    /// What came before.
    pub tail: &'a Tail,
    /// The fragment that is being parsed.
    pub fragment: &'a [u8],
}

impl Context<'_> {
    fn byte(&self, offset: u64) -> Option<u8> {
        let index = usize::try_from(offset.checked_sub(self.tail.start)?).ok()?;
        let behind = index.checked_sub(self.tail.bytes.len());
        behind.map_or_else(|| self.tail.bytes.get(index), |i| self.fragment.get(i)).copied()
    }
}

/// Prints rows, the heading first.
#[derive(Debug, Default)]
pub struct Table {
    headed: bool,
}

impl Table {
    /// One event.
    ///
    /// # Errors
    /// Of the output.
    pub fn row(&mut self, out: &mut dyn Write, event: &Event, context: Context<'_>) -> io::Result<()> {
        if !self.headed {
            self.headed = true;
            writeln!(out, "{DIM}{:>9}  {:>5}  {:<24}  value{RESET}", "offset", "line", "name")?;
        }
        let module = event.module.as_deref().map(|m| format!("{m}.")).unwrap_or_default();
        match &event.kind {
            EventKind::Capture { at, name, value } => {
                line(out, event.offset, at.line, "", &format!("{module}{name}"), &value_text(value))
            }
            EventKind::Data { at, name, bytes } => {
                let text = format!("{} {DIM}{} bytes{RESET}", bytes_text(bytes), bytes.len());
                line(out, event.offset, at.line, CYAN, &format!("{module}{name}"), &text)
            }
            EventKind::Notify { at, name, args } => {
                let args: Vec<String> = args.iter().map(value_text).collect();
                line(
                    out,
                    event.offset,
                    at.line,
                    GREEN,
                    &format!("{module}{name}"),
                    &format!("({})", args.join(", ")),
                )
            }
            EventKind::Caught(failure) => caught(out, event, failure, context),
            EventKind::Error(failure) => error(out, event, failure, context),
            EventKind::End(status) => end(out, event.offset, *status),
        }
    }
}

fn line(out: &mut dyn Write, offset: u64, line: u32, colour: &str, name: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{offset:>9}  {line:>5}  {colour}{name:<24}{RESET}  {text}")
}

fn end(out: &mut dyn Write, offset: u64, status: Status) -> io::Result<()> {
    let (colour, text) = match status {
        Status::Complete => (GREEN, "complete"),
        Status::Stopped => (YELLOW, "stopped by the description"),
        Status::Incomplete => (RED, "incomplete: the input ended too early"),
        Status::Error => (RED, "error"),
    };
    writeln!(out, "{offset:>9}  {BOLD}{colour}{text}{RESET}")
}

/// One dim line: an exception that the description handles.
fn caught(out: &mut dyn Write, event: &Event, failure: &Failure, context: Context<'_>) -> io::Result<()> {
    let found = match failure.found {
        Some(Found::Byte(b)) if b.is_ascii_graphic() => format!(", found {:?}", b as char),
        Some(Found::Byte(b)) => format!(", found 0x{b:02x}"),
        Some(Found::End) => ", found the end".to_owned(),
        None => String::new(),
    };
    let expected =
        if failure.expected.is_empty() { String::new() } else { format!(": expected {}", failure.expected) };
    let located = locate(event, failure, context);
    let asked: Vec<String> =
        asked(located, failure).into_iter().map(|(t, v)| format!(": {t} with {v}")).collect();
    let module = event.module.as_deref().map(|m| format!("{m}.")).unwrap_or_default();
    let name = format!("{module}(caught)");
    let kind = failure.kind.name();
    let (offset, line) = (event.offset, failure.at.line);
    let asked = asked.join("");
    writeln!(out, "{DIM}{offset:>9}  {line:>5}  {name:<24}  {kind}{asked}{expected}{found}{RESET}")
}

fn locate<'a>(event: &Event, failure: &Failure, context: Context<'a>) -> Option<Located<'a>> {
    let module = event.module.as_deref();
    Located::find(context.grammar, context.files, module, &failure.at, failure.column)
}

/// What was asked where an exception came from no byte: each expression with the values of its variables.
fn asked(located: Option<Located<'_>>, failure: &Failure) -> Vec<(String, String)> {
    if !matches!(failure.kind, ErrorKind::Condition | ErrorKind::Overflow | ErrorKind::Limit) {
        return Vec::new();
    }
    let value = |name: &String| {
        let (_, value) = failure.variables.iter().find(|(n, _)| n == name)?;
        Some(format!("{name} = {}", value_text(value)))
    };
    let asked = located.map(|l| l.asked()).unwrap_or_default();
    let shown = asked.into_iter().map(|a| {
        let values: Vec<String> = a.variables.iter().filter_map(value).collect();
        (a.text, values.join(", "))
    });
    shown.filter(|(_, values)| !values.is_empty()).collect()
}

/// The line of the description, with a mark under the token.
fn description(out: &mut dyn Write, located: Located<'_>, failure: &Failure) -> io::Result<()> {
    let text = located.text();
    let column = failure.column.saturating_sub(1) as usize;
    // A long line is shown from a little before the token on.
    let skip = if text.chars().count() > LINE_WIDTH { column.saturating_sub(20) } else { 0 };
    let shown: String =
        text.chars().skip(skip).take(LINE_WIDTH).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let (number, dots) = (failure.at.line, if skip > 0 { "…" } else { "" });
    let margin = " ".repeat(column - skip + dots.chars().count());
    writeln!(out, "  {DIM}{number:>5} |{RESET} {dots}{shown}")?;
    writeln!(out, "  {DIM}      |{RESET} {margin}{RED}^{RESET}")
}

fn error(out: &mut dyn Write, event: &Event, failure: &Failure, context: Context<'_>) -> io::Result<()> {
    let Failure { at, column, kind, expected, found, .. } = failure;
    let module = event.module.as_deref().map(|m| format!("{m}.")).unwrap_or_default();
    let (offset, place) = (event.offset, at.file.as_deref().unwrap_or("line"));
    writeln!(
        out,
        "{RED}{BOLD}error{RESET} {BOLD}{}{RESET} at byte {offset}, description {module}{place} {}:{column}",
        kind.name(),
        at.line
    )?;
    let located = locate(event, failure, context);
    if let Some(located) = located {
        description(out, located, failure)?;
    }
    for (text, values) in asked(located, failure) {
        writeln!(out, "  asked    {text}  with {values}")?;
    }
    if !expected.is_empty() {
        writeln!(out, "  expected {GREEN}{expected}{RESET}")?;
    }
    match found {
        Some(Found::Byte(b)) if b.is_ascii_graphic() => {
            writeln!(out, "  found    {RED}{:?}{RESET} (0x{b:02x})", *b as char)?;
        }
        Some(Found::Byte(b)) => writeln!(out, "  found    {RED}0x{b:02x}{RESET}")?,
        Some(Found::End) => {
            writeln!(out, "  found    {RED}the end of the input, or of a limit on it{RESET}")?
        }
        None => {}
    }
    dump(out, offset, context)
}

/// Rows of 16 bytes around the offset; the byte there is marked.
fn dump(out: &mut dyn Write, offset: u64, context: Context<'_>) -> io::Result<()> {
    let first = offset.saturating_sub(AROUND) / ROW * ROW;
    for row in (first..=offset + AROUND).step_by(ROW as usize) {
        if (row..row + ROW).all(|o| context.byte(o).is_none()) {
            continue;
        }
        write!(out, "  {DIM}{row:08x}{RESET} ")?;
        for o in row..row + ROW {
            let text = context.byte(o).map_or("  ".to_owned(), |b| format!("{b:02x}"));
            if o == offset { write!(out, "{RED}[{text}]{RESET}")? } else { write!(out, " {text} ")? }
        }
        let text: String = (row..row + ROW).map(|o| context.byte(o).map_or(' ', printable)).collect();
        writeln!(out, " {DIM}|{text}|{RESET}")?;
    }
    Ok(())
}

fn printable(byte: u8) -> char {
    if (0x20..0x7f).contains(&byte) { byte as char } else { '.' }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Member(name) => name.clone(),
        Value::Bytes(bytes) => bytes_text(bytes),
        Value::F32(x) => x.to_string(),
        Value::F64(x) => x.to_string(),
    }
}

/// Text in quotes, other bytes in hexadecimal; long values are cut.
fn bytes_text(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(VALUE_WIDTH)];
    let more = if shown.len() < bytes.len() { "…" } else { "" };
    let is_text = |s: &str| s.chars().all(|c| !c.is_control() || matches!(c, '\r' | '\n' | '\t'));
    match std::str::from_utf8(shown) {
        Ok(text) if is_text(text) => format!("{YELLOW}{text:?}{RESET}{more}"),
        _ => {
            let hex: Vec<String> = shown.iter().take(VALUE_WIDTH / 3).map(|b| format!("{b:02x}")).collect();
            let more = if hex.len() < bytes.len() { "…" } else { "" };
            format!("{YELLOW}{}{RESET}{more}", hex.join(" "))
        }
    }
}

//! Reading what tshark found: `FILE.expected.tsv` and `FILE.streams.tsv`.

use super::map::Facts;
use std::fs;
use std::path::Path;

/// The rows of one capture.
pub struct Oracle {
    rows: Vec<Row>,
    streams: Vec<Stream>,
}

/// One PDU.
struct Row {
    frame: u32,
    stream: String,
    source: (String, String),
    protocol: String,
    /// Place in the bytes of its direction, where it is one.
    offset: Option<u64>,
    /// Its bytes.
    length: u64,
    facts: Vec<Fact>,
}

/// A value that tshark found.
#[derive(Clone)]
pub struct Fact {
    /// Its name.
    pub field: String,
    /// Where it begins, from the start of the PDU.
    pub start: u64,
    /// Its bytes.
    pub length: u64,
    /// As tshark shows it.
    pub value: String,
}

/// A PDU with its place in the bytes of its direction.
pub struct Pdu {
    /// Where it begins.
    pub offset: u64,
    /// What is in it, by place.
    pub facts: Vec<Fact>,
}

impl Oracle {
    /// Reads the oracle beside a capture.
    ///
    /// # Errors
    /// A file that is missing or malformed.
    pub fn read(capture: &Path) -> Result<Oracle, String> {
        let rows = table(capture, "expected")?.iter().filter_map(|cells| row(cells)).collect();
        let streams = table(capture, "streams")?.iter().filter_map(|cells| stream(cells)).collect();
        Ok(Oracle { rows, streams })
    }

    /// The facts of one frame, all layers.
    pub fn frame(&self, number: u32) -> Facts {
        let mut facts = Facts::new();
        for row in self.rows.iter().filter(|r| r.frame == number) {
            collect(row, &mut facts);
        }
        facts
    }

    /// The PDUs of one direction of a stream that have a place, in order; and where its first gap begins.
    pub fn pdus(&self, protocol: &str, stream: &str, direction: &str) -> (Vec<Pdu>, Option<u64>) {
        let Some(ends) = self.streams.iter().find(|s| s.name == stream && s.direction == direction) else {
            return (Vec::new(), None);
        };
        let ours = |r: &&Row| r.protocol == protocol && r.stream == stream && r.source == ends.source;
        let pdu = |r: &Row| Some(Pdu { offset: r.offset?, facts: by_place(r) });
        let mut pdus: Vec<Pdu> = self.rows.iter().filter(ours).filter_map(pdu).collect();
        pdus.sort_by_key(|pdu| pdu.offset);
        (pdus, ends.gap)
    }

    /// What is known of one direction of a stream.
    pub fn stream(&self, protocol: &str, stream: &str, direction: &str) -> Direction {
        let ends = self.streams.iter().find(|s| s.name == stream && s.direction == direction);
        let gap = ends.and_then(|e| e.gap).unwrap_or(u64::MAX);
        let ours = |r: &&Row| {
            r.protocol == protocol && r.stream == stream && ends.is_some_and(|e| e.source == r.source)
        };
        let before_gap = |r: &&Row| r.offset.is_some_and(|o| o + r.length <= gap);
        let mut rows: Vec<&Row> = self.rows.iter().filter(ours).filter(before_gap).collect();
        rows.sort_by_key(|r| r.offset);
        let mut facts = Facts::new();
        rows.iter().for_each(|r| collect(r, &mut facts));
        let covered = rows.iter().filter_map(|r| Some((r.offset?, r.offset? + r.length)));
        Direction { facts, covered: covered.collect() }
    }
}

/// One direction of a stream, as tshark saw it.
pub struct Direction {
    /// The facts by place.
    pub facts: Facts,
    /// The bytes of the PDUs that have a place, before the first gap; of the rest nothing is known.
    pub covered: Vec<(u64, u64)>,
}

/// A row of `FILE.streams.tsv`.
struct Stream {
    name: String,
    direction: String,
    source: (String, String),
    /// Where the first gap begins.
    gap: Option<u64>,
}

fn stream(cells: &[String]) -> Option<Stream> {
    let gap = cells.get(8).and_then(|g| g.split('+').next()?.parse().ok());
    Some(Stream {
        name: cells.first()?.clone(),
        direction: cells.get(1)?.clone(),
        source: (cells.get(2)?.clone(), cells.get(3)?.clone()),
        gap,
    })
}

fn collect(row: &Row, facts: &mut Facts) {
    for fact in by_place(row) {
        facts.entry(fact.field).or_default().push(fact.value);
    }
}

fn by_place(row: &Row) -> Vec<Fact> {
    let mut sorted = row.facts.clone();
    sorted.sort_by_key(|fact| fact.start);
    sorted
}

/// The rows of `FILE.<what>.tsv` without its heading.
fn table(capture: &Path, what: &str) -> Result<Vec<Vec<String>>, String> {
    let path = format!("{}.{what}.tsv", capture.display());
    let text = fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    let rows = text.lines().filter(|l| !l.starts_with('#'));
    Ok(rows.map(|l| l.split('\t').map(str::to_owned).collect()).collect())
}

fn row(cells: &[String]) -> Option<Row> {
    let facts = cells.get(11..).unwrap_or_default().iter().filter_map(|fact| {
        let (place, value) = fact.split_once('=')?;
        let (field, place) = place.split_once('@')?;
        let (start, length) = place.split_once('+')?;
        let (start, length) = (start.parse().ok()?, length.parse().ok()?);
        Some(Fact { field: field.to_owned(), start, length, value: value.to_owned() })
    });
    Some(Row {
        frame: cells.get(1)?.parse().ok()?,
        stream: cells.get(2)?.clone(),
        source: (cells.get(3)?.clone(), cells.get(4)?.clone()),
        protocol: cells.get(7)?.clone(),
        length: cells.get(9)?.parse().ok()?,
        offset: cells.get(10)?.parse().ok(),
        facts: facts.collect(),
    })
}

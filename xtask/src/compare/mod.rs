//! `cargo xtask compare`: what `formats/` finds in real captures, held against tshark.
//!
//! The corpus in `../shared/corpus` has an oracle beside each file: the fields that tshark found, with their places
//! (`FILE.expected.tsv`; `corpus/README.md` describes it). Here the same fields are taken from our event trace and compared:
//! for each field the same values in the same order, for each packet or direction of a stream.

mod dns;
mod http;
mod map;
mod oracle;

use crate::sh::root;
use map::Facts;
use oracle::Oracle;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use vproto::{File, Files, Program, Verified};
use vproto_testkit::case::sorted;
use vproto_testkit::skip;

/// What a comparison came to.
#[derive(Default)]
pub struct Tally {
    /// Files compared.
    pub files: usize,
    /// Values that were equal.
    pub equal: usize,
    /// Values of streams that tshark has no place for: records that it reassembled, or that the capture cut short.
    pub more: usize,
    /// Where they differ.
    pub differences: Vec<String>,
}

/// Compares the whole corpus and prints the tally.
///
/// # Errors
/// A difference, or a corpus that is missing.
pub fn run() -> Result<(), String> {
    let tally = corpus()?.ok_or("the corpus is missing: ../shared/corpus")?;
    println!(
        "{} files, {} values equal to tshark's, {} without a place there",
        tally.files, tally.equal, tally.more
    );
    for line in tally.differences.iter().take(100) {
        println!("  {line}");
    }
    if tally.differences.is_empty() {
        Ok(())
    } else {
        Err(format!("{} differences", tally.differences.len()))
    }
}

/// Compares the whole corpus; none where it is not there.
///
/// # Errors
/// A file that cannot be read, or a description with errors.
pub fn corpus() -> Result<Option<Tally>, String> {
    let Some(shared) = vproto_testkit::shared() else { return Ok(None) };
    let mut tally = Tally::default();
    let packets = compile("formats/net/pcap.vproto")?;
    for file in with_ending(&shared.join("corpus/framing"), ".pcap") {
        packets_of(&packets, &file, &mut tally)?;
    }
    let tls = compile("formats/tls/tls.vproto")?;
    for file in with_ending(&shared.join("corpus/tls"), ".bin") {
        stream_of(&tls, "tls", &file, &mut tally)?;
    }
    let (request, response) =
        (compile("formats/http1/request.vproto")?, compile("formats/http1/response.vproto")?);
    let mut streams = with_ending(&shared.join("corpus/http1"), ".bin");
    let tracker = |file: &PathBuf| name(file).starts_with("zeek-tracker");
    streams.extend(with_ending(&shared.join("corpus/bittorrent"), ".bin").into_iter().filter(tracker));
    for file in streams {
        http::stream(&request, &response, &file, &mut tally)?;
    }
    if !skip::missing("tshark", "the comparison of DNS") {
        let dns = compile("formats/net/dns.vproto")?;
        for file in dns::CAPTURES {
            dns::capture(&dns, &shared.join("corpus").join(file), &mut tally)?;
        }
    }
    Ok(Some(tally))
}

fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    sorted(folder).into_iter().filter(|p| p.to_string_lossy().ends_with(ending)).collect()
}

/// The machines of a description of the repository.
fn compile(path: &str) -> Result<Verified<Program>, String> {
    let sources = vproto_testkit::case::sources_at(&root().join(path)).map_err(|e| format!("{path}: {e}"))?;
    let mut files = Files::default();
    let mut ids = sources.iter().map(|s| files.add(File::new(format!("{}.vproto", s.name), s.text.clone())));
    let first = ids.next().ok_or_else(|| format!("{path} is missing"))?;
    ids.for_each(drop);
    let checked = vproto::check(&mut files, first, &mut vproto::KnownFiles);
    let grammar = checked.grammar.ok_or_else(|| format!("{path} has errors: vproto check {path}"))?;
    vproto::compile(&grammar, &files).map_err(|found| found.title)
}

/// A capture: packet by packet.
fn packets_of(program: &Verified<Program>, file: &Path, tally: &mut Tally) -> Result<(), String> {
    let oracle = Oracle::read(file)?;
    let ours = map::packets(&events(program, &read(file)?)?);
    tally.files += 1;
    for (frame, facts) in ours.iter().enumerate() {
        let theirs = oracle.frame(frame as u32 + 1);
        compare(&format!("{} frame {}", name(file), frame + 1), facts, &theirs, true, tally);
    }
    Ok(())
}

/// One direction of a TCP stream: `FILE.pcap.tcpN.c2s.bin`.
fn stream_of(
    program: &Verified<Program>,
    protocol: &str,
    file: &Path,
    tally: &mut Tally,
) -> Result<(), String> {
    let shown = name(file);
    let parts: Vec<&str> = shown.rsplitn(4, '.').collect();
    let [_, direction, stream, capture] = parts[..] else { return Err(format!("{shown}: not a stream")) };
    let oracle = Oracle::read(&file.with_file_name(capture))?;
    let mut theirs = oracle.stream(protocol, stream, direction);
    if direction == "s2c" {
        // Those of a server stand in messages whose bodies our description hands on as they are (ServerKeyExchange,
        // CertificateRequest).
        theirs.facts.remove("tls.handshake.sig_hash_alg");
    }
    let input = read(file)?;
    let Some(&(first, _)) = theirs.covered.first() else { return Ok(()) };
    // The protocol may begin later: behind STARTTLS, say.
    let from_the_start = input.first().is_some_and(|b| (20..24).contains(b));
    let start = if from_the_start { 0 } else { first };
    if input.get(start as usize).is_some_and(|b| b & 0x80 != 0) {
        skip::because(&shown, "it begins with an SSL 2 hello, which is not TLS");
        return Ok(());
    }
    let mut events = events(program, input.get(start as usize..).unwrap_or_default())?;
    events.retain(|e| {
        let at = e["offset"].as_u64().unwrap_or(0) + start;
        theirs.covered.iter().any(|&(a, b)| a < at && at <= b)
    });
    tally.files += 1;
    compare(&shown, &map::stream(&events), &theirs.facts, false, tally);
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|e| format!("{}: {e}", file.display()))
}

/// The trace of an input, as JSON values.
fn events(program: &Verified<Program>, input: &[u8]) -> Result<Vec<serde_json::Value>, String> {
    let mut parser = vproto::machine_interpreter(program);
    let lines = vproto_testkit::trace_of(parser.as_mut(), input, &[input.len()]);
    lines.iter().map(|l| serde_json::from_str(l).map_err(|e| format!("{l}: {e}"))).collect()
}

/// Compares the values of every field that we deliver, in order; all of them, or those that tshark placed.
fn compare(place: &str, ours: &Facts, theirs: &Facts, exact: bool, tally: &mut Tally) {
    let fields: BTreeSet<&String> = ours.keys().chain(theirs.keys().filter(|f| map::is_known(f))).collect();
    for field in fields {
        let empty = Vec::new();
        let (a, b) = (ours.get(field).unwrap_or(&empty), theirs.get(field).unwrap_or(&empty));
        // tshark counts the padding behind the end of TCP's options as further ends (RFC 9293, 3.2).
        let padded = field == "tcp.option_kind" && b.starts_with(a) && b[a.len()..].iter().all(|k| k == "0");
        if a == b || padded {
            tally.equal += a.len();
        } else if !exact && in_order(b, a) {
            tally.equal += b.len();
            tally.more += a.len() - b.len();
        } else {
            tally.differences.push(format!("{place} {field}: ours {a:?}, tshark {b:?}"));
        }
    }
}

/// Whether all of `part` are in `whole`, in order.
fn in_order(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|p| rest.any(|w| w == p))
}

fn name(file: &Path) -> String {
    file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn formats_find_what_tshark_finds() {
        let Some(tally) = super::corpus().expect("the corpus can be compared") else {
            return vproto_testkit::skip::because("the comparison with tshark", "../shared is not there");
        };
        assert!(tally.differences.is_empty(), "{}", tally.differences.join("\n"));
        assert!(tally.more < 20, "{} values that tshark does not have", tally.more);
        assert!(tally.equal > 20_000, "only {} values were compared", tally.equal);
    }
}

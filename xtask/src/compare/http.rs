//! HTTP messages of reassembled streams: start lines, lengths and every header line with its place.

use super::map::Facts;
use super::oracle::{Oracle, Pdu};
use super::{Tally, compare, events, name, read};
use serde_json::Value;
use std::path::Path;
use vproto::{Program, Verified};

/// Streams that the strict description refuses and tshark reads on, with what is wrong in them.
const REFUSED: &[(&str, &str)] = &[
    ("zeek-http-11-request-then-cruft.pcap.tcp0.c2s.bin", "a bare LF ends the request line"),
    ("zeek-no-uri.pcap.tcp0.c2s.bin", "the request line has no target"),
    ("zeek-wstunnel-https.pcap.tcp0.c2s.bin", "WebSocket frames follow the upgrade"),
    ("zeek-wstunnel-https.pcap.tcp0.s2c.bin", "WebSocket frames follow the upgrade"),
];

/// One direction of a TCP stream: `FILE.pcap.tcpN.c2s.bin`.
///
/// # Errors
/// A file that cannot be read.
pub fn stream(
    request: &Verified<Program>,
    response: &Verified<Program>,
    file: &Path,
    tally: &mut Tally,
) -> Result<(), String> {
    let shown = name(file);
    let parts: Vec<&str> = shown.rsplitn(4, '.').collect();
    let [_, direction, stream, capture] = parts[..] else { return Err(format!("{shown}: not a stream")) };
    let oracle = Oracle::read(&file.with_file_name(capture))?;
    let (pdus, gap) = oracle.pdus("http", stream, direction);
    let mut input = read(file)?;
    input.truncate(gap.map_or(input.len(), |g| g as usize));
    let theirs: Vec<Facts> = pdus.iter().filter_map(|pdu| of_pdu(pdu, &input)).collect();
    if theirs.is_empty() {
        return Ok(());
    }
    let program = if direction == "c2s" { request } else { response };
    let events = events(program, &input)?;
    let mut ours = messages(&events);
    let status = events.last().map_or("", |e| e["status"].as_str().unwrap_or(""));
    let refused = REFUSED.iter().any(|(known, _)| *known == shown);
    if refused != (status == "error") && gap.is_none() {
        tally.differences.push(format!("{shown}: ends in {status}, at {}", events[events.len() - 2]));
    }
    // A message that a gap or a refusal cuts short has no end, and tshark's row of it may lie behind.
    let whole = gap.is_none() && status != "error";
    if whole && ours.len() != theirs.len() {
        tally.differences.push(format!("{shown}: {} messages, tshark has {}", ours.len(), theirs.len()));
    }
    if !whole {
        ours.retain(|m| m.contains_key("end"));
    }
    tally.files += 1;
    for (number, (mut ours, theirs)) in ours.into_iter().zip(&theirs).enumerate() {
        ours.remove("end");
        compare(&format!("{shown} message {}", number + 1), &ours, theirs, true, tally);
    }
    Ok(())
}

/// tshark's facts of a message; the texts by their places, since long values are cut. None of a PDU without a start line.
fn of_pdu(pdu: &Pdu, input: &[u8]) -> Option<Facts> {
    let mut facts = Facts::new();
    for fact in &pdu.facts {
        let start = (pdu.offset + fact.start) as usize;
        let bytes = input.get(start..start + fact.length as usize)?;
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (key, value) = match fact.field.as_str() {
            "http.request.method"
            | "http.request.uri"
            | "http.request.version"
            | "http.response.version"
            | "http.response.code"
            | "http.response.phrase" => (fact.field.as_str(), text),
            "http.content_length_header" => (fact.field.as_str(), fact.value.clone()),
            "http.request.line" | "http.response.line" => match line(&text) {
                Some(shown) => ("line", format!("{} {shown}", start + bytes.len())),
                None => continue,
            },
            _ => continue,
        };
        facts.entry(key.to_owned()).or_default().push(value);
    }
    (facts.contains_key("http.request.method") || facts.contains_key("http.response.code")).then_some(facts)
}

/// A header line as name and value; none of the two that our descriptions take for themselves.
fn line(text: &str) -> Option<String> {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    let own = ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str());
    (!own).then(|| format!("{name}: {}", value.trim_matches([' ', '\t', '\r', '\n'])))
}

/// Our messages. `end` tells that the fields of a message are over.
fn messages(events: &[Value]) -> Vec<Facts> {
    let mut messages: Vec<Facts> = Vec::new();
    let mut open = Facts::new();
    for event in events {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let add = |facts: &mut Facts, key: &str, value: String| {
            facts.entry(key.to_owned()).or_default().push(value);
        };
        let (name, is_capture) = (event["name"].as_str().unwrap_or(""), event["event"] == "capture");
        match name {
            "method" if is_capture => add(&mut open, "http.request.method", text(&event["value"])),
            "target" if is_capture => add(&mut open, "http.request.uri", text(&event["value"])),
            "minor" if is_capture => add(&mut open, "minor", event["value"].to_string()),
            "status" if is_capture => add(&mut open, "http.response.code", event["value"].to_string()),
            "reason" if is_capture => add(&mut open, "http.response.phrase", text(&event["value"])),
            "request" | "response" => {
                let minor = open.remove("minor").and_then(|v| v.into_iter().next()).unwrap_or_default();
                add(&mut open, &format!("http.{name}.version"), format!("HTTP/1.{minor}"));
                messages.push(std::mem::take(&mut open));
            }
            _ => {}
        }
        let Some(message) = messages.last_mut() else { continue };
        match name {
            "length" if is_capture => {
                add(message, "http.content_length_header", event["value"].to_string());
            }
            "field" => {
                let (name, value) = (text(&event["args"][0]), text(&event["args"][1]));
                add(message, "line", format!("{} {name}: {value}", event["offset"]));
            }
            "fieldsEnd" => add(message, "end", String::new()),
            _ => {}
        }
    }
    messages
}

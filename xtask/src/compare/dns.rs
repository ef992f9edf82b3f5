//! DNS messages over UDP, held against a tshark that runs now: the corpus' oracle has no fields of DNS.

use super::map::{Facts, bytes};
use super::{Tally, compare, events, name};
use serde_json::Value;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::process::Command;
use vproto::{Program, Verified};

/// All captures of the corpus that hold DNS over UDP (`tshark -Y 'dns && udp'` over each).
pub const CAPTURES: [&str; 6] = [
    "framing/pcpp-linktype_ipv4.pcap",
    "framing/pcpp-raw_ip.pcap",
    "framing/pcpp-sll.pcap",
    "framing/pcpp-many_interfaces-1.pcapng",
    "smtp/zeek-smtp.pcap",
    "tls/ndpi-tls_heur__vmess-tcp-tls.pcapng",
];

/// What tshark is asked for; the first two are the frame and the message itself.
const FIELDS: [&str; 28] = [
    "frame.number",
    "udp.payload",
    "dns.id",
    "dns.flags",
    "dns.count.queries",
    "dns.count.answers",
    "dns.count.auth_rr",
    "dns.count.add_rr",
    "dns.qry.name",
    "dns.qry.type",
    "dns.qry.class",
    "dns.resp.name",
    "dns.resp.type",
    "dns.resp.class",
    "dns.resp.ttl",
    "dns.resp.len",
    "dns.a",
    "dns.aaaa",
    "dns.cname",
    "dns.ns",
    "dns.ptr.domain_name",
    "dns.soa.mname",
    "dns.soa.rname",
    "dns.soa.serial_number",
    "dns.soa.refresh_interval",
    "dns.soa.retry_interval",
    "dns.soa.expire_limit",
    "dns.soa.minimum_ttl",
];

/// The type of the pseudo-record whose class and time to live mean something else (RFC 6891, 6.1.2).
const OPT: u64 = 41;

/// All messages of a capture.
///
/// # Errors
/// tshark fails.
pub fn capture(program: &Verified<Program>, file: &Path, tally: &mut Tally) -> Result<(), String> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(file).args(["-Y", "dns && udp", "-T", "fields", "-E", "aggregator=|"]);
    tshark.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    let output = tshark.output().map_err(|e| format!("tshark: {e}"))?;
    if !output.status.success() {
        return Err(format!("tshark: {}", String::from_utf8_lossy(&output.stderr)));
    }
    tally.files += 1;
    for row in String::from_utf8_lossy(&output.stdout).lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let [frame, payload, ref rest @ ..] = cells[..] else { continue };
        let message = unhex(payload);
        let mut theirs = Facts::new();
        for (field, cell) in FIELDS[2..].iter().zip(rest).filter(|(_, cell)| !cell.is_empty()) {
            theirs.insert((*field).to_owned(), cell.split('|').map(str::to_owned).collect());
        }
        let events = events(program, &message)?;
        let ours = Reader { message: &message, ..Reader::default() }.read(&events);
        let place = format!("{} frame {frame}", name(file));
        if events.last().is_none_or(|e| e["status"] != "complete") {
            tally.differences.push(format!("{place}: {}", events[events.len() - 2]));
        }
        compare(&place, &ours, &theirs, true, tally);
    }
    Ok(())
}

/// Our events of one message, as tshark names and shows them.
#[derive(Default)]
struct Reader<'a> {
    message: &'a [u8],
    facts: Facts,
    /// Labels of the name that is being read.
    labels: Vec<String>,
    /// The last name that ended.
    name: String,
    /// Type of the record that runs, and how many names its data had.
    record: Option<(u64, usize)>,
    flags: u64,
}

impl Reader<'_> {
    fn read(mut self, events: &[Value]) -> Facts {
        for event in events {
            let name = event["name"].as_str().unwrap_or("");
            match event["event"].as_str() {
                Some("capture") => self.capture(name, event),
                Some("notify") => self.notify(name, &event["args"]),
                _ => {}
            }
        }
        self.facts
    }

    fn add(&mut self, field: &str, value: String) {
        self.facts.entry(field.to_owned()).or_default().push(value);
    }

    fn capture(&mut self, name: &str, event: &Value) {
        let value = event["value"].as_u64().unwrap_or_default();
        let bits = [
            ("qr", 15),
            ("opcode", 11),
            ("aa", 10),
            ("tc", 9),
            ("rd", 8),
            ("ra", 7),
            ("z", 6),
            ("ad", 5),
            ("cd", 4),
            ("rcode", 0),
        ];
        if let Some((_, shift)) = bits.iter().find(|(bit, _)| *bit == name) {
            self.flags |= value << shift;
            return;
        }
        let decimal = match name {
            "id" => return self.add("dns.id", format!("0x{value:04x}")),
            "address" => {
                let ip = <[u8; 4]>::try_from(bytes(event)).map(Ipv4Addr::from);
                return self.add("dns.a", ip.map(|ip| ip.to_string()).unwrap_or_default());
            }
            "address6" => {
                let ip = <[u8; 16]>::try_from(bytes(event)).map(Ipv6Addr::from);
                return self.add("dns.aaaa", ip.map(|ip| ip.to_string()).unwrap_or_default());
            }
            "questions" => "dns.count.queries",
            "answers" => "dns.count.answers",
            "authorities" => "dns.count.auth_rr",
            "additionals" => "dns.count.add_rr",
            "rdataLength" => "dns.resp.len",
            "serial" => "dns.soa.serial_number",
            "refresh" => "dns.soa.refresh_interval",
            "retry" => "dns.soa.retry_interval",
            "expire" => "dns.soa.expire_limit",
            "minimum" => "dns.soa.minimum_ttl",
            _ => return,
        };
        self.add(decimal, value.to_string());
    }

    fn notify(&mut self, name: &str, args: &Value) {
        let number = |index: usize| args[index].as_u64().unwrap_or_default();
        match name {
            "header" => {
                let flags = self.flags;
                self.add("dns.flags", format!("0x{flags:04x}"));
            }
            "label" => self.labels.push(args[0].as_str().unwrap_or_default().to_owned()),
            "pointer" => {
                let rest = labels_at(self.message, number(0) as usize);
                self.labels.extend(rest);
                self.name_ends();
            }
            "nameEnd" => self.name_ends(),
            "question" => {
                let name = self.name.clone();
                self.add("dns.qry.name", name);
                self.add("dns.qry.type", number(0).to_string());
                self.add("dns.qry.class", format!("0x{:04x}", number(1)));
            }
            "record" => {
                let name = self.name.clone();
                self.add("dns.resp.name", name);
                self.add("dns.resp.type", number(0).to_string());
                if number(0) != OPT {
                    self.add("dns.resp.class", format!("0x{:04x}", number(1)));
                    self.add("dns.resp.ttl", number(2).to_string());
                }
                self.record = Some((number(0), 0));
            }
            _ => {}
        }
    }

    fn name_ends(&mut self) {
        let labels = std::mem::take(&mut self.labels);
        self.name = if labels.is_empty() { "<Root>".to_owned() } else { labels.join(".") };
        let Some((of, count)) = &mut self.record else { return };
        let field = match (*of, *count) {
            (2, 0) => "dns.ns",
            (5, 0) => "dns.cname",
            (6, 0) => "dns.soa.mname",
            (6, 1) => "dns.soa.rname",
            (12, 0) => "dns.ptr.domain_name",
            _ => return,
        };
        *count += 1;
        let name = self.name.clone();
        self.add(field, name);
    }
}

/// The labels of a name that a pointer leads to (RFC 1035, 4.1.4); as many pointers as a message can hold are followed.
fn labels_at(message: &[u8], mut at: usize) -> Vec<String> {
    let mut labels = Vec::new();
    for _ in 0..message.len() {
        match message.get(at) {
            Some(&high @ 0xc0..) => {
                let low = message.get(at + 1).copied().unwrap_or_default();
                at = usize::from(high & 63) << 8 | usize::from(low);
            }
            Some(&length @ 1..) => {
                let end = at + 1 + usize::from(length);
                labels
                    .push(String::from_utf8_lossy(message.get(at + 1..end).unwrap_or_default()).into_owned());
                at = end;
            }
            Some(0) | None => break,
        }
    }
    labels
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

//! From our events to tshark's fields.

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Values of each field, in order, as tshark shows them.
pub type Facts = BTreeMap<String, Vec<String>>;

/// How tshark shows a value.
#[derive(Clone, Copy)]
enum Show {
    /// In digits.
    Decimal,
    /// With so many hexadecimal digits.
    Hex(usize),
    /// Four times the value: lengths in words.
    Words,
    /// The upper half of a byte.
    HighNibble,
    /// Four times the lower half of a byte.
    LowWords,
    /// Eight times the value: fragment offsets.
    Eights,
    /// Bytes with colons; none where there are none.
    Bytes,
    /// Each byte a value of its own, in digits.
    Each,
    /// A host address.
    Ip4,
    /// A host address.
    Ip6,
    /// As it stands.
    Text,
}

/// Module, name of the capture, tshark's field.
const FIELDS: &[(&str, &str, &str, Show)] = &[
    ("ethernet", "destination", "eth.dst", Show::Bytes),
    ("ethernet", "source", "eth.src", Show::Bytes),
    ("ethernet", "type", "eth.type", Show::Hex(4)),
    ("sll", "packetType", "sll.pkttype", Show::Decimal),
    ("sll", "hardwareType", "sll.hatype", Show::Decimal),
    ("sll", "addressLength", "sll.halen", Show::Decimal),
    ("sll", "type", "sll.etype", Show::Hex(4)),
    ("", "first4", "ip.version", Show::HighNibble),
    ("", "first4", "ip.hdr_len", Show::LowWords),
    ("", "first6", "ipv6.version", Show::HighNibble),
    ("ipv4", "version", "ip.version", Show::Decimal),
    ("ipv4", "headerLength", "ip.hdr_len", Show::Words),
    ("ipv4", "typeOfService", "ip.dsfield", Show::Hex(2)),
    ("ipv4", "length", "ip.len", Show::Decimal),
    ("ipv4", "id", "ip.id", Show::Hex(4)),
    ("ipv4", "reserved", "ip.flags.rb", Show::Decimal),
    ("ipv4", "dontFragment", "ip.flags.df", Show::Decimal),
    ("ipv4", "moreFragments", "ip.flags.mf", Show::Decimal),
    ("ipv4", "fragment", "ip.frag_offset", Show::Eights),
    ("ipv4", "timeToLive", "ip.ttl", Show::Decimal),
    ("ipv4", "protocol", "ip.proto", Show::Decimal),
    ("ipv4", "checksum", "ip.checksum", Show::Hex(4)),
    ("ipv4", "source", "ip.src", Show::Ip4),
    ("ipv4", "destination", "ip.dst", Show::Ip4),
    ("ipv6", "version", "ipv6.version", Show::Decimal),
    ("ipv6", "flowLabel", "ipv6.flow", Show::Hex(6)),
    ("ipv6", "length", "ipv6.plen", Show::Decimal),
    ("ipv6", "hopLimit", "ipv6.hlim", Show::Decimal),
    ("ipv6", "source", "ipv6.src", Show::Ip6),
    ("ipv6", "destination", "ipv6.dst", Show::Ip6),
    ("udp", "sourcePort", "udp.srcport", Show::Decimal),
    ("udp", "destinationPort", "udp.dstport", Show::Decimal),
    ("udp", "length", "udp.length", Show::Decimal),
    ("udp", "checksum", "udp.checksum", Show::Hex(4)),
    ("tcp", "sourcePort", "tcp.srcport", Show::Decimal),
    ("tcp", "destinationPort", "tcp.dstport", Show::Decimal),
    ("tcp", "sequence", "tcp.seq_raw", Show::Decimal),
    ("tcp", "acknowledgment", "tcp.ack_raw", Show::Decimal),
    ("tcp", "dataOffset", "tcp.hdr_len", Show::Words),
    ("tcp", "reserved", "tcp.flags.res", Show::Decimal),
    ("tcp", "ae", "tcp.flags.ae", Show::Decimal),
    ("tcp", "cwr", "tcp.flags.cwr", Show::Decimal),
    ("tcp", "ece", "tcp.flags.ece", Show::Decimal),
    ("tcp", "urg", "tcp.flags.urg", Show::Decimal),
    ("tcp", "ack", "tcp.flags.ack", Show::Decimal),
    ("tcp", "psh", "tcp.flags.push", Show::Decimal),
    ("tcp", "rst", "tcp.flags.reset", Show::Decimal),
    ("tcp", "syn", "tcp.flags.syn", Show::Decimal),
    ("tcp", "fin", "tcp.flags.fin", Show::Decimal),
    ("tcp", "window", "tcp.window_size_value", Show::Decimal),
    ("tcp", "checksum", "tcp.checksum", Show::Hex(4)),
    ("tcp", "urgent", "tcp.urgent_pointer", Show::Decimal),
    ("tcp", "kind", "tcp.option_kind", Show::Decimal),
    ("tcp", "optionLength", "tcp.option_len", Show::Decimal),
    ("tls", "version", "tls.record.version", Show::Hex(4)),
    ("tls", "length", "tls.record.length", Show::Decimal),
    ("handshake", "type", "tls.handshake.type", Show::Decimal),
    ("handshake", "length", "tls.handshake.length", Show::Decimal),
    ("handshake", "version", "tls.handshake.version", Show::Hex(4)),
    ("handshake", "random", "tls.handshake.random", Show::Bytes),
    ("handshake", "session", "tls.handshake.session_id", Show::Bytes),
    ("handshake", "compression", "tls.handshake.comp_method", Show::Each),
    ("handshake", "method", "tls.handshake.comp_method", Show::Decimal),
    ("handshake", "signature", "tls.handshake.sig_hash_alg", Show::Hex(4)),
    ("handshake", "suite", "tls.handshake.ciphersuite", Show::Hex(4)),
    ("handshake", "extensionType", "tls.handshake.extension.type", Show::Decimal),
    ("handshake", "extensionLength", "tls.handshake.extension.len", Show::Decimal),
    ("handshake", "serverName", "tls.handshake.extensions_server_name", Show::Text),
    ("handshake", "protocol", "tls.handshake.extensions_alpn_str", Show::Text),
    ("handshake", "group", "tls.handshake.extensions_supported_group", Show::Hex(4)),
    ("handshake", "supported", "tls.handshake.extensions.supported_version", Show::Hex(4)),
    ("handshake", "certificateLength", "tls.handshake.certificate_length", Show::Decimal),
    ("tls", "level", "tls.alert_message.level", Show::Decimal),
    ("tls", "description", "tls.alert_message.desc", Show::Decimal),
];

/// Whether a field of tshark's is one that we deliver.
pub fn is_known(field: &str) -> bool {
    FIELDS.iter().any(|(_, _, known, _)| *known == field)
}

/// The facts of a capture, packet by packet.
pub fn packets(events: &[Value]) -> Vec<Facts> {
    let mut packets: Vec<Facts> = Vec::new();
    for event in events {
        let is_packet = event["event"] == "notify" && event["name"] == "packet" && event["module"].is_null();
        if is_packet {
            packets.push(Facts::new());
        } else if let Some(facts) = packets.last_mut() {
            add(event, "", facts);
        }
    }
    packets
}

/// The facts of one direction of a stream.
pub fn stream(events: &[Value]) -> Facts {
    let mut facts = Facts::new();
    events.iter().for_each(|e| add(e, "tls", &mut facts));
    facts
}

fn add(event: &Value, root: &str, facts: &mut Facts) {
    if event["event"] != "capture" {
        return;
    }
    let module = event["module"].as_str().unwrap_or(root);
    let name = event["name"].as_str().unwrap_or("");
    for (_, _, field, show) in FIELDS.iter().filter(|(m, n, ..)| *m == module && *n == name) {
        let values = match show {
            Show::Each => bytes(event).iter().map(u8::to_string).collect(),
            Show::Bytes if bytes(event).is_empty() => Vec::new(),
            _ => vec![shown(event, *show)],
        };
        facts.entry((*field).to_owned()).or_default().extend(values);
    }
}

fn shown(event: &Value, show: Show) -> String {
    let number = || event["value"].as_u64().unwrap_or_default();
    match show {
        Show::Decimal => number().to_string(),
        Show::Hex(digits) => format!("0x{:0digits$x}", number()),
        Show::Words => (number() * 4).to_string(),
        Show::HighNibble => (number() >> 4).to_string(),
        Show::LowWords => ((number() & 15) * 4).to_string(),
        Show::Eights => (number() * 8).to_string(),
        Show::Bytes => bytes(event).iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(":"),
        Show::Ip4 => {
            <[u8; 4]>::try_from(bytes(event)).map(|b| Ipv4Addr::from(b).to_string()).unwrap_or_default()
        }
        Show::Ip6 => {
            <[u8; 16]>::try_from(bytes(event)).map(|b| Ipv6Addr::from(b).to_string()).unwrap_or_default()
        }
        Show::Each => String::new(),
        Show::Text => event["value"].as_str().unwrap_or_default().to_owned(),
    }
}

/// The bytes of a text or of its hexadecimal form.
pub fn bytes(event: &Value) -> Vec<u8> {
    if let Some(text) = event["value"].as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = event["hex"].as_str().unwrap_or_default();
    hex.as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

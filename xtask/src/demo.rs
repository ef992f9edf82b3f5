//! The first look: real input through real descriptions.

use crate::sh;

/// Descriptions with their inputs.
const RUNS: [(&str, &str, &str); 2] = [
    (
        "HTTP/1.1 requests that curl sent",
        "formats/http1/request.vproto",
        "formats/http1/examples/curl.requests.bin",
    ),
    (
        "a capture of that traffic and a DNS query",
        "formats/net/pcap.vproto",
        "formats/net/examples/loopback.pcap",
    ),
];

/// Builds the tool and runs each.
///
/// # Errors
/// A build or a run that fails.
pub fn run() -> Result<(), String> {
    sh::run(&["cargo", "build", "--release", "--quiet", "--package", "vproto-cli"], &[])?;
    for (what, description, input) in RUNS {
        eprintln!("\n{what}:");
        sh::run(&["target/release/vproto", "run", description, input, "--events", "table"], &[])?;
    }
    Ok(())
}

//! Diagnostics as a SARIF 2.1.0 log, for code hosts and editors.

use super::places;
use crate::{Code, Diagnostic, Files, Label, Severity, code};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One log with one run; `version` is the tool's. The rules are the codes that occur, in their order of appearance.
pub fn sarif(files: &Files, diagnostics: &[Diagnostic], version: &str) -> String {
    let mut codes: Vec<Code> = Vec::new();
    for diagnostic in diagnostics {
        if !codes.contains(&diagnostic.code) {
            codes.push(diagnostic.code);
        }
    }
    let results: Vec<Value> = diagnostics.iter().map(|d| result(files, d, &codes)).collect();
    let rules: Vec<Value> = codes.iter().map(|&code| rule(code)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "vproto", "semanticVersion": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut out = serde_json::to_string_pretty(&log).expect("a JSON value always serializes");
    out.push('\n');
    out
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn rule(code: Code) -> Value {
    let entry = code::entries().find(|e| e.code == code);
    let mut rule = json!({ "id": code.0, "defaultConfiguration": { "level": level(code.severity()) } });
    if let Some(entry) = entry {
        rule["shortDescription"] = json!({ "text": entry.title });
        rule["fullDescription"] = json!({ "text": entry.text });
    }
    rule
}

fn result(files: &Files, diagnostic: &Diagnostic, codes: &[Code]) -> Value {
    let mut message = diagnostic.title.clone();
    if !diagnostic.primary.text.is_empty() {
        message = format!("{message}: {}", diagnostic.primary.text);
    }
    if let Some(help) = &diagnostic.help {
        message = format!("{message}\nhelp: {help}");
    }
    let mut result = json!({
        "ruleId": diagnostic.code.0,
        "ruleIndex": codes.iter().position(|&c| c == diagnostic.code),
        "level": level(diagnostic.severity),
        "message": { "text": message },
        "locations": [{ "physicalLocation": physical(files, &diagnostic.primary) }],
    });
    if !diagnostic.secondary.is_empty() {
        let related = diagnostic.secondary.iter().enumerate().map(|(id, label)| {
            json!({ "id": id, "physicalLocation": physical(files, label), "message": { "text": label.text } })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn physical(files: &Files, label: &Label) -> Value {
    let (from, to) = places(files, label.span);
    json!({
        "artifactLocation": { "uri": uri(&files.get(label.span.file).name) },
        "region": {
            "startLine": from.line,
            "startColumn": from.column,
            "endLine": to.line,
            "endColumn": to.column,
        },
    })
}

/// A path as a URI reference: `/` between parts, other bytes than unreserved ones escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            b'\\' => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, FileId, Span};

    #[test]
    fn has_rules_results_and_regions() {
        let mut files = Files::default();
        files.add(File::new("dir/my file.vproto", "x\nyy\n"));
        let span = |start, end| Span::new(FileId(0), start, end);
        let first = Diagnostic::new(code::text::NOT_UTF8, "bad", span(2, 4), "y").with_label(span(0, 1), "x");
        let second = Diagnostic::new(Code("W9999"), "odd", span(0, 1), "").with_help("mend it");
        let log: Value = serde_json::from_str(&sarif(&files, &[first.clone(), second, first], "1.2.3"))
            .expect("valid JSON");
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2));
        assert_eq!(run["results"][0]["ruleIndex"], 0);
        assert_eq!(run["results"][1]["ruleIndex"], 1);
        assert_eq!(run["results"][1]["level"], "warning");
        assert_eq!(run["results"][1]["message"]["text"], "odd\nhelp: mend it");
        let place = &run["results"][2]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "dir/my%20file.vproto");
        assert_eq!(place["region"], json!({"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 3}));
        assert_eq!(run["results"][0]["relatedLocations"][0]["message"]["text"], "x");
    }
}

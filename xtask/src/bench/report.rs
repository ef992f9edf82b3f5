//! The result of a suite as data, as a table, and as text for the manual.

use super::stats::Spread;
use serde_json::{Value, json};
use std::fmt::Write;

/// How one thing compares with its peer.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What it is compared with.
    pub against: String,
    /// How many times as good as the peer.
    pub ratio: Spread,
    /// What is wanted.
    pub target: Option<f64>,
    /// Medians of the peer and of ours with their unit, where the row is one measurement.
    pub values: Option<(f64, f64, &'static str)>,
}

/// All rows of a suite.
#[derive(Debug)]
pub struct Report {
    /// Its name.
    pub suite: String,
    /// The day.
    pub date: String,
    /// Machine and tools.
    pub machine: Vec<String>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Report {
    /// For people at a terminal.
    pub fn table(&self) -> String {
        let mut text = self.machine.join("\n") + "\n\n";
        for row in &self.rows {
            let Spread { low, median, high } = row.ratio;
            let _ = write!(text, "{:44} {median:8.2}x  ({low:.2} to {high:.2})", row.what);
            if let Some((peer, own, unit)) = row.values {
                let _ = write!(text, "  {} -> {} {unit}", number(peer), number(own));
            }
            if let Some(target) = row.target {
                let word = if median >= target { "reached" } else { "MISSED" };
                let _ = write!(text, "  wanted {target}: {word}");
            }
            text.push('\n');
        }
        for line in &self.left_out {
            let _ = writeln!(text, "left out: {line}");
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> String {
        let rows: Vec<Value> = self.rows.iter().map(row_json).collect();
        let value = json!({
            "suite": self.suite, "date": self.date, "machine": self.machine,
            "left_out": self.left_out, "rows": rows,
        });
        format!("{value:#}\n")
    }

    /// For the manual.
    pub fn quotation(&self) -> String {
        let mut text = format!(
            "Measured on {} by `cargo xtask bench {}`: {}. Medians of the ratios of neighbouring repetitions, quartiles in \
             parentheses.\n\n",
            self.date,
            self.suite,
            self.machine.join("; ")
        );
        text += "| | times as good | wanted | peer | here |\n|---|---|---|---|---|\n";
        for row in &self.rows {
            let Spread { low, median, high } = row.ratio;
            let wanted = row.target.map_or(String::new(), |t| t.to_string());
            let (peer, own) = row.values.map_or_else(Default::default, |(peer, own, unit)| {
                (format!("{} {unit}", number(peer)), format!("{} {unit}", number(own)))
            });
            let _ = writeln!(
                text,
                "| {} | **{median:.2}** ({low:.2} to {high:.2}) | {wanted} | {peer} | {own} |",
                row.what
            );
        }
        for line in &self.left_out {
            let _ = writeln!(text, "\nLeft out: {line}.");
        }
        text
    }
}

fn row_json(row: &Row) -> Value {
    let Spread { low, median, high } = row.ratio;
    let values = row.values.map(|(peer, own, unit)| json!({ "peer": peer, "own": own, "unit": unit }));
    json!({
        "what": row.what, "against": row.against, "target": row.target, "values": values,
        "ratio": { "median": median, "lower_quartile": low, "upper_quartile": high },
    })
}

/// Three digits that say something.
fn number(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

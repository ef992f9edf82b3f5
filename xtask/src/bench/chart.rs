//! A bar for each row of a report, as SVG that is readable on light and dark pages.

use super::report::{Report, Row};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
/// Where bars begin.
const LEFT: f64 = 330.0;
/// How long the longest one is.
const LONGEST: f64 = WIDTH - LEFT - 90.0;
const STEP: usize = 26;

/// The chart: logarithmic, as rows differ by powers of ten; a line across a bar is what was wanted.
pub fn svg(report: &Report) -> String {
    let height = report.rows.len() * STEP + 56;
    let most = report.rows.iter().map(|r| r.ratio.high.max(r.target.unwrap_or(1.0))).fold(2.0, f64::max);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<style>text{{fill:#333}} @media (prefers-color-scheme: dark){{text{{fill:#ddd}}}}</style>\n"
    );
    let _ = writeln!(
        text,
        "<text x=\"10\" y=\"22\" font-weight=\"bold\">{} against its peer, times as good (logarithmic)</text>",
        escaped(&report.suite)
    );
    for (i, row) in report.rows.iter().enumerate() {
        bar(row, 40 + i * STEP, most, &mut text);
    }
    text + "</svg>\n"
}

fn bar(row: &Row, y: usize, most: f64, text: &mut String) {
    let length = |ratio: f64| (ratio.max(1.0).ln() / most.ln() * LONGEST).max(1.0);
    let end = LEFT + length(row.ratio.median);
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        LEFT - 8.0,
        y + 14,
        escaped(&row.what)
    );
    let color = if row.target.is_none_or(|t| row.ratio.median >= t) { "#3a7d44" } else { "#c47f17" };
    let _ = writeln!(
        text,
        "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{:.1}\" height=\"18\" fill=\"{color}\"/>",
        end - LEFT
    );
    let (low, high) = (LEFT + length(row.ratio.low), LEFT + length(row.ratio.high));
    let middle = y + 9;
    let _ = writeln!(text, "<path d=\"M{low:.1} {middle}H{high:.1}\" stroke=\"#888\" stroke-width=\"2\"/>");
    if let Some(target) = row.target {
        let x = LEFT + length(target);
        let _ = writeln!(text, "<path d=\"M{x:.1} {y}v18\" stroke=\"#d33\" stroke-width=\"2\"/>");
    }
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{}\">{:.2}</text>",
        end.max(high) + 6.0,
        y + 14,
        row.ratio.median
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

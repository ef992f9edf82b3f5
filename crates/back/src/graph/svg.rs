//! The picture as SVG: rows of pills, trunks down to the lines of a branching, lanes back to it at the right.

use super::dot::colour;
use super::model::{Picture, Row, picture};
use std::fmt::Write;
use vproto_ir::grammar::Grammar;
use vproto_source::Files;

/// Height of a row, of a pill; indentation of a depth; advance of a character; all in pixels.
const ROW: f64 = 34.0;
const PILL: f64 = 24.0;
const INDENT: f64 = 34.0;
const CHAR: f64 = 7.25;
/// Space around the picture, between pills, inside them, between lanes.
const MARGIN: f64 = 16.0;
const GAP: f64 = 6.0;
const PAD: f64 = 8.0;
const LANE: f64 = 12.0;
/// Room for line numbers at the left.
const NUMBERS: f64 = 34.0;
/// Longest text of a pill in characters; the whole stands in its tooltip.
const LONGEST: usize = 46;

/// An SVG document; colours are light, on white.
pub fn svg(grammar: &Grammar, files: &Files) -> String {
    let picture = picture(grammar, files);
    let ends: Vec<f64> = picture.rows.iter().map(row_end).collect();
    let lanes = lanes(&picture, &ends);
    let right = lanes.iter().chain(&ends).fold(0.0f64, |a, &b| a.max(b)) + MARGIN + LANE;
    let height = MARGIN * 2.0 + ROW * picture.rows.len() as f64;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right:.0} {height:.0}\" width=\"{right:.0}\" \
         height=\"{height:.0}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"12\">"
    );
    out.push_str(STYLE);
    trunks(&picture, &ends, &mut out);
    returns(&picture, &ends, &lanes, &mut out);
    for (i, row) in picture.rows.iter().enumerate() {
        draw_row(i, row, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

const STYLE: &str = "<style>text{fill:#1c2733} .n{fill:#9aa5b1;font-size:10px} .t{stroke:#8794a3;fill:none;stroke-width:1.3} \
.r{stroke:#c0705e;fill:none;stroke-width:1.2} .p{stroke:#7d8a99;stroke-width:.6} .h{font-weight:bold}</style>\n\
<defs><marker id=\"a\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3.5\" orient=\"auto\">\
<path d=\"M0,0 L7,3.5 L0,7 z\" fill=\"#c0705e\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

/// Vertical middle of a row.
fn middle(row: usize) -> f64 {
    MARGIN + ROW * row as f64 + ROW / 2.0
}

fn left(row: &Row) -> f64 {
    MARGIN + NUMBERS + INDENT * f64::from(row.depth)
}

/// The texts of a row's pills with their colours.
fn pills(row: &Row) -> Vec<(String, &str, &'static str)> {
    let handler = row.handler.map(|h| (h.to_owned(), h, "#f3c6c0"));
    let tokens = row.pills.iter().map(|p| (shorten(&p.text), p.text.as_str(), colour(p.kind)));
    handler.into_iter().chain(tokens).collect()
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn pill_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHAR + 2.0 * PAD
}

/// Where the last pill of a row ends, and the dot of its branching stands.
fn row_end(row: &Row) -> f64 {
    match &row.heading {
        Some(heading) => left(row) + heading.chars().count() as f64 * CHAR + GAP,
        None => left(row) + pills(row).iter().map(|(text, ..)| pill_width(text) + GAP).sum::<f64>(),
    }
}

/// The x of each branching's lane: right of all rows it passes, and of the lanes inside.
fn lanes(picture: &Picture, ends: &[f64]) -> Vec<f64> {
    let mut lanes = vec![0.0; picture.forks.len()];
    let span = |fork: usize| {
        let back = picture.rows.iter().enumerate().filter(|(_, r)| r.returns == Some(fork)).map(|(i, _)| i);
        back.max().map(|last| (picture.forks[fork].parent, last))
    };
    let mut order: Vec<(usize, usize, usize)> =
        (0..lanes.len()).filter_map(|f| span(f).map(|(a, b)| (b - a, f, b))).collect();
    order.sort();
    let mut placed: Vec<(usize, usize, f64)> = Vec::new();
    for (_, fork, last) in order {
        let first = picture.forks[fork].parent;
        let clear = ends[first..=last].iter().fold(0.0f64, |a, &b| a.max(b)) + LANE * 1.5;
        let crossing = placed.iter().filter(|(a, b, _)| *a <= last && first <= *b);
        let x = crossing.fold(clear, |x, &(_, _, other)| x.max(other + LANE));
        lanes[fork] = x;
        placed.push((first, last, x));
    }
    lanes
}

/// From the dot of a branching down its trunk to each of its lines.
fn trunks(picture: &Picture, ends: &[f64], out: &mut String) {
    for fork in picture.forks.iter().filter(|f| !f.lines.is_empty()) {
        let (x, y) = (ends[fork.parent] + GAP, middle(fork.parent));
        let trunk = left(&picture.rows[fork.lines[0]]) - INDENT / 2.0;
        let turn = y + ROW / 2.0;
        let _ = writeln!(out, "<path class=\"t\" d=\"M{x:.1},{y:.1} V{turn:.1} H{trunk:.1}\"/>");
        for &line in &fork.lines {
            let (to, at) = (left(&picture.rows[line]), middle(line));
            let _ = writeln!(out, "<path class=\"t\" d=\"M{trunk:.1},{turn:.1} V{at:.1} H{to:.1}\"/>");
        }
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#53606e\"/>");
    }
}

/// From the end of a leaf along the lane to the dot of the branching that is entered again.
fn returns(picture: &Picture, ends: &[f64], lanes: &[f64], out: &mut String) {
    for (i, row) in picture.rows.iter().enumerate() {
        let Some(fork) = row.returns else { continue };
        let parent = picture.forks[fork].parent;
        let (from, at, lane) = (ends[i], middle(i), lanes[fork]);
        let (to, up) = (ends[parent] + GAP + 5.0, middle(parent));
        let _ = writeln!(
            out,
            "<path class=\"r\" marker-end=\"url(#a)\" d=\"M{from:.1},{at:.1} H{lane:.1} V{up:.1} H{to:.1}\"/>"
        );
    }
}

fn draw_row(index: usize, row: &Row, out: &mut String) {
    let y = middle(index);
    let baseline = y + 4.0;
    let mut x = left(row);
    if let Some(heading) = &row.heading {
        let _ =
            writeln!(out, "<text class=\"h\" x=\"{x:.1}\" y=\"{baseline:.1}\">{}</text>", escape(heading));
        return;
    }
    let _ = writeln!(out, "<text class=\"n\" x=\"{MARGIN:.1}\" y=\"{baseline:.1}\">{}</text>", row.line);
    for (text, whole, fill) in pills(row) {
        let width = pill_width(&text);
        let top = y - PILL / 2.0;
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect class=\"p\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{PILL}\" \
             rx=\"6\" fill=\"{fill}\"/><text x=\"{:.1}\" y=\"{baseline:.1}\" xml:space=\"preserve\">{}</text></g>",
            escape(whole),
            x + PAD,
            escape(&text)
        );
        x += width + GAP;
    }
}

/// Text of an element; control characters have no place in XML.
fn escape(text: &str) -> String {
    let visible = text.replace(|c: char| c.is_control(), "·");
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! What a C compiler has to do for an array of 30 kbit.

use super::Bench;
use crate::bench::pin::{command, output};
use crate::bench::report::Row;
use crate::bench::stats::Spread;
use std::path::Path;
use std::process::Command;

/// Compilations of each.
const TIMES: usize = 3;

/// Time of `gcc -O2` and size of the code.
pub(super) fn rows(bench: &Bench) -> Result<Vec<Row>, String> {
    let schema = "bench/bitproto/image.bitproto";
    let peer = bench.folder.join("image-peer");
    bench.peer.generate("c", schema, &peer, &["-O"])?;
    let own = bench.generate(&["c", "-O"], schema, "image-own")?;
    let (mut slow, mut fast) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        slow.push(compile(&peer)?);
        fast.push(compile(&own)?);
    }
    let (large, small) = (size(&peer)?, size(&own)?);
    let ratio = large / small;
    let row = |what: &str, ratio: Option<Spread>, values| {
        let against = "bitproto 1.3.2, peer".to_owned();
        ratio.map(|ratio| Row {
            what: what.to_owned(),
            against,
            ratio,
            target: Some(50.0),
            values: Some(values),
        })
    };
    let medians = Spread::of(&slow).zip(Spread::of(&fast)).map_or((0.0, 0.0), |(s, f)| (s.median, f.median));
    let rows = [
        row("gcc -O2 of 30 kbit, time", Spread::of_ratios(&slow, &fast), (medians.0, medians.1, "s")),
        row("gcc -O2 of 30 kbit, code", Spread::of(&[ratio]), (large, small, "bytes")),
    ];
    Ok(rows.into_iter().flatten().collect())
}

/// Seconds of the processor that a compilation took.
fn compile(folder: &Path) -> Result<f64, String> {
    let script = "TIMEFORMAT=%U; { time gcc -O2 -c image_bp.c -o image.o; } 2>&1";
    let text = output(command("bash").current_dir(folder).args(["-c", script]))?;
    let seconds = text.lines().last().and_then(|l| l.trim().parse::<f64>().ok());
    seconds.filter(|s| *s > 0.0).ok_or_else(|| format!("`time` said {text}"))
}

/// Bytes of code.
fn size(folder: &Path) -> Result<f64, String> {
    let text = output(Command::new("size").arg(folder.join("image.o")))?;
    let first = text.lines().nth(1).and_then(|l| l.split_whitespace().next());
    first.and_then(|n| n.parse().ok()).ok_or_else(|| format!("`size` said {text}"))
}

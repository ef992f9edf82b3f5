//! Python: the modules of both compilers in one process of the peer's environment.

use super::{Bench, CASES};
use crate::bench::pin::{command, output};
use crate::sh::root;

/// Races all messages; the samples.
pub(super) fn race(bench: &Bench) -> Result<String, String> {
    let peer = bench.folder.join("python-peer");
    for case in &CASES {
        bench.peer.generate("py", case.path, &peer, &[])?;
        bench.generate(&["py"], case.path, "python-own")?;
    }
    let mut race = command(&bench.peer.program("python3").to_string_lossy());
    race.arg(root().join("bench/bitproto/python/race.py")).arg(&peer).arg(bench.folder.join("python-own"));
    race.args([&bench.repetitions(60), "20"]);
    output(race.args(CASES.iter().map(|c| format!("{}:{}", c.stem, c.message))))
}

mod race;
use vproto_fuzzgen::{Choices, describe};
#[test]
fn probe() {
    let from: u64 = std::env::var("FROM").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let to: u64 = std::env::var("TO").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let mut counts = std::collections::BTreeMap::new();
    let mut ok = 0;
    for seed in from..to {
        let d = describe(&mut Choices::seeded(seed));
        match race::compile(&d) {
            Ok(_) => ok += 1,
            Err(e) => { for m in e { let k = m.split(" line").next().unwrap_or("").to_string() + " " + m.split(": ").nth(1).unwrap_or(""); let x = counts.entry(k).or_insert((0, seed)); x.0 += 1; x.1 = seed; } }
        }
        eprintln!("{seed} done");
    }
    eprintln!("ok {ok}");
    for (k, v) in counts { eprintln!("{v:?} {k}"); }
}

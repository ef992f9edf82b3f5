//! What the figures were measured on.

use super::pin::output;
use std::process::Command;

/// Processor, number of cores, and the first line that each tool says of its version.
pub fn describe(tools: &[&[&str]]) -> Vec<String> {
    let mut lines = vec![processor()];
    for tool in tools {
        let said = output(Command::new(tool[0]).args(&tool[1..])).unwrap_or_default();
        if let Some(line) = said.lines().next() {
            lines.push(line.trim().to_owned());
        }
    }
    lines
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|l| l.strip_prefix("model name")).and_then(|l| l.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    format!("{}, {cores} cores", model.map_or("unknown processor", |m| m.1))
}

/// The day, as 2026-11-21.
pub fn today() -> String {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date of a day since 1970, counted in cycles of 400 years that begin in March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_have_dates() {
        assert_eq!(super::civil(0), (1970, 1, 1));
        assert_eq!(super::civil(19_782), (2024, 2, 29));
        assert_eq!(super::civil(20_778), (2026, 11, 21));
    }
}

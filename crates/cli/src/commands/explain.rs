//! `vproto explain`

use crate::failure::{Failure, Outcome, Verdict};
use crate::files::write_stdout;
use vproto_source::code::entries;
use vproto_source::diagnostic::did_you_mean;

/// Say more about a diagnostic: what it means, an example, the remedy
#[derive(clap::Args)]
pub struct Args {
    /// A code such as E0203; without it all codes are listed
    code: Option<String>,
}

/// A code whose leading zeros were left out has them again: `e203` is E0203.
fn full(code: &str) -> String {
    match code.split_at_checked(1) {
        Some((letter, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{letter}{digits:0>4}")
        }
        _ => code.to_owned(),
    }
}

/// Prints the entry of one code, or the list.
pub fn run(args: &Args) -> Outcome {
    let Some(code) = &args.code else {
        let list: String = entries().map(|e| format!("{}  {}\n", e.code.0, e.title)).collect();
        return write_stdout(&list).map(|()| Verdict::Fine);
    };
    match entries().find(|e| e.code.0.eq_ignore_ascii_case(&full(code))) {
        Some(e) => {
            write_stdout(&format!("{}: {}\n\n{}\n", e.code.0, e.title, e.text)).map(|()| Verdict::Fine)
        }
        None => {
            let near = did_you_mean(code, entries().map(|e| e.code.0));
            let hint = near.map(|n| format!("; did you mean {n}?")).unwrap_or_default();
            Err(Failure::Usage(format!("there is no diagnostic {code}{hint} (`vproto explain` lists all)")))
        }
    }
}

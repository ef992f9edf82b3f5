//! Figures in the manual are put there by the program that measured them, between two marks.

use std::path::Path;

/// Replaces what stands between `<!-- bench NAME -->` and `<!-- end -->`; a file without them stays as it is.
///
/// # Errors
/// The file cannot be read or written, or the second mark is missing.
pub fn replace(path: &Path, name: &str, text: &str) -> Result<(), String> {
    let shown = path.display();
    let old = std::fs::read_to_string(path).map_err(|e| format!("{shown}: {e}"))?;
    let new = replaced(&old, name, text).ok_or_else(|| format!("{shown}: no `<!-- end -->`"))?;
    if new == old { Ok(()) } else { std::fs::write(path, new).map_err(|e| format!("{shown}: {e}")) }
}

fn replaced(old: &str, name: &str, text: &str) -> Option<String> {
    let mark = format!("<!-- bench {name} -->");
    let Some((before, rest)) = old.split_once(&mark) else { return Some(old.to_owned()) };
    let (_, after) = rest.split_once("<!-- end -->")?;
    Some(format!("{before}{mark}\n{}\n<!-- end -->{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let old = "a\n<!-- bench x -->\nold\n<!-- end -->\nb\n";
        let new = replaced(old, "x", "new\n").expect("both marks");
        assert_eq!(new, "a\n<!-- bench x -->\nnew\n<!-- end -->\nb\n");
        assert_eq!(replaced(&new, "x", "new").as_deref(), Some(new.as_str()));
        assert_eq!(replaced("none", "x", "new").as_deref(), Some("none"));
        assert_eq!(replaced("<!-- bench x -->", "x", "new"), None);
    }
}

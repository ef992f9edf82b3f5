//! The case conversions of bitproto 1.3.2, odd spots included: generated names depend on them.

/// `PascalCase`: parts between underscores get a capital; a part that is all capitals then is written small.
pub fn pascal(name: &str) -> String {
    let name = capital(name.trim_matches('_'));
    let shout = is_upper(&name);
    let parts = name.split('_').map(|part| {
        let part = capital(part);
        if shout || is_upper(&part) { capital(&part.to_lowercase()) } else { part }
    });
    parts.collect()
}

/// `snake_case`: digits are words of their own, but not in names that mix cases and underscores, nor in parts of
/// capitals with a number behind. Outer underscores are kept, inner ones become single.
pub fn snake(name: &str) -> String {
    let core = name.trim_matches('_');
    if core.is_empty() {
        return name.to_owned();
    }
    let lead = &name[..name.len() - name.trim_start_matches('_').len()];
    let trail = &name[name.trim_end_matches('_').len()..];
    let has = |test: fn(&char) -> bool| name.chars().any(|c| test(&c));
    let mixed = has(|c| *c == '_') && has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase);
    let parts: Vec<String> = core.split('_').filter(|p| !p.is_empty()).map(|p| words(p, mixed)).collect();
    format!("{lead}{}{trail}", parts.join("_"))
}

/// `UPPER_CASE` of constants: capitals only, no words are split.
pub fn upper(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// One part of a name without underscores, small, with underscores between its words.
fn words(part: &str, mixed: bool) -> String {
    let digits = !mixed && !is_capitals_with_number(part);
    let chars: Vec<char> = part.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(i + 1);
        if before.is_some_and(|&b| begins_word(b, c, after, digits)) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn begins_word(before: char, c: char, after: Option<&char>, digits: bool) -> bool {
    if c.is_ascii_uppercase() {
        let small_before = before.is_ascii_lowercase() || before.is_ascii_digit();
        let small_after = after.is_some_and(char::is_ascii_lowercase);
        if small_before || (before.is_ascii_uppercase() && small_after) {
            return true;
        }
    }
    digits && c.is_ascii_digit() != before.is_ascii_digit()
}

fn is_capitals_with_number(part: &str) -> bool {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_uppercase());
    rest.len() < part.len() && rest.bytes().all(|b| b.is_ascii_digit())
}

/// Whether there are capitals and no small letters.
fn is_upper(s: &str) -> bool {
    s.bytes().any(|b| b.is_ascii_uppercase()) && !s.bytes().any(|b| b.is_ascii_lowercase())
}

fn capital(s: &str) -> String {
    let mut chars = s.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_uppercase().to_string() + chars.as_str())
}

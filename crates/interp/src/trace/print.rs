//! The JSON line of an event, exactly as `tool.md` words it. No other part of the workspace formats events.

use super::{At, Event, EventKind, Failure, Found, Status, Value};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{\"event\":\"{}\"", self.kind.name())?;
        if let Some(module) = &self.module {
            write!(f, ",\"module\":{}", Json(module))?;
        }
        write!(f, ",\"offset\":{}", self.offset)?;
        match &self.kind {
            EventKind::Capture { at, name, value } => {
                write!(f, "{at},\"name\":{},{}", Json(name), Field(value))
            }
            EventKind::Data { at, name, bytes } => {
                write!(f, "{at},\"name\":{},", Json(name))?;
                write_bytes_field(f, bytes)
            }
            EventKind::Notify { at, name, args } => {
                write!(f, "{at},\"name\":{},\"args\":[", Json(name))?;
                write_separated(f, args)?;
                f.write_char(']')
            }
            EventKind::Error(failure) | EventKind::Caught(failure) => write!(f, "{failure}"),
            EventKind::End(status) => write!(f, ",\"status\":\"{}\"", status.name()),
        }?;
        f.write_char('}')
    }
}

impl EventKind {
    /// The first field.
    pub fn name(&self) -> &'static str {
        match self {
            EventKind::Capture { .. } => "capture",
            EventKind::Data { .. } => "data",
            EventKind::Notify { .. } => "notify",
            EventKind::Caught(_) => "caught",
            EventKind::Error(_) => "error",
            EventKind::End(_) => "end",
        }
    }
}

impl Status {
    /// As the trace prints it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Incomplete => "incomplete",
            Status::Stopped => "stopped",
            Status::Error => "error",
        }
    }
}

/// The fields `file` (of an included file) and `line`, each behind a comma.
impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, ",\"file\":{}", Json(file))?;
        }
        write!(f, ",\"line\":{}", self.line)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{},\"column\":{},\"kind\":\"{}\"", self.at, self.column, self.kind.name())?;
        write!(f, ",\"expected\":{}", Json(&self.expected))?;
        match self.found {
            Some(Found::Byte(byte)) => write!(f, ",\"found\":\"0x{byte:02x}\""),
            Some(Found::End) => f.write_str(",\"found\":\"end\""),
            None => Ok(()),
        }
    }
}

/// A value as an argument: what is no text is an object.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => write!(f, "{number}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Member(name) => write!(f, "{}", Json(name)),
            Value::Bytes(bytes) => match printable(bytes) {
                Some(text) => write!(f, "{}", Json(text)),
                None => write!(f, "{{\"hex\":\"{}\"}}", Hex(bytes)),
            },
            Value::F32(value) if value.is_finite() => f.write_str(&float_digits(Float::F32(*value))),
            Value::F64(value) if value.is_finite() => f.write_str(&float_digits(Float::F64(*value))),
            Value::F32(value) => write!(f, "{{\"hex\":\"{}\"}}", Hex(&value.to_be_bytes())),
            Value::F64(value) => write!(f, "{{\"hex\":\"{}\"}}", Hex(&value.to_be_bytes())),
        }
    }
}

/// A value as a field: `"value":…`, or `"hex":"…"` in its place.
struct Field<'a>(&'a Value);

impl Display for Field<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Bytes(bytes) => write_bytes_field(f, bytes),
            Value::F32(value) if !value.is_finite() => write!(f, "\"hex\":\"{}\"", Hex(&value.to_be_bytes())),
            Value::F64(value) if !value.is_finite() => write!(f, "\"hex\":\"{}\"", Hex(&value.to_be_bytes())),
            value => write!(f, "\"value\":{value}"),
        }
    }
}

fn write_bytes_field(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    match printable(bytes) {
        Some(text) => write!(f, "\"value\":{}", Json(text)),
        None => write!(f, "\"hex\":\"{}\"", Hex(bytes)),
    }
}

fn write_separated(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        write!(f, "{value}")?;
    }
    Ok(())
}

/// The text of bytes that are valid UTF-8 without control characters other than tab, CR and LF.
pub fn printable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\r' | '\n')).then_some(text)
}

/// A JSON string; only the quote, the backslash and control characters are escaped.
struct Json<'a>(&'a str);

impl Display for Json<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                '\n' => f.write_str("\\n")?,
                c if c < ' ' => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// Bytes as pairs of hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A literal as `expected` shows it: in its own quotes, which are escaped inside.
pub fn quoted(text: &[u8], fold: bool) -> String {
    let quote = if fold { '\'' } else { '"' };
    let mut out = String::from(quote);
    for &byte in text {
        match byte {
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            _ if byte == quote as u8 => {
                out.push('\\');
                out.push(quote);
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}

/// A finite float with the precision that it must read back in.
#[derive(Clone, Copy)]
enum Float {
    F32(f32),
    F64(f64),
}

impl Float {
    fn wide(self) -> f64 {
        match self {
            Float::F32(value) => f64::from(value),
            Float::F64(value) => value,
        }
    }

    fn reads_back(self, text: &str) -> bool {
        match self {
            Float::F32(value) => text.parse() == Ok(value),
            Float::F64(value) => text.parse() == Ok(value),
        }
    }
}

/// A whole number below 2^53 in digits, else the shortest `%.Ng` that reads back.
fn float_digits(float: Float) -> String {
    let value = float.wide();
    if value.trunc() == value && value.abs() < 9_007_199_254_740_992.0 {
        return format!("{value:.0}");
    }
    let shortest = (1..=17).map(|digits| general(value, digits)).find(|text| float.reads_back(text));
    shortest.unwrap_or_else(|| general(value, 17))
}

/// C's `%.Ng` of a finite value.
fn general(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// Without the zeros at the end of a fraction, and without its point if nothing is left of it.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vproto_ir::machine::ErrorKind;

    fn line(kind: EventKind) -> String {
        Event { module: None, offset: 7, kind }.to_string()
    }

    fn value(value: Value) -> String {
        line(EventKind::Capture { at: At { file: None, line: 3 }, name: "v".into(), value })
    }

    #[test]
    fn fields_stand_in_their_order() {
        let at = At { file: Some("a.vproto".into()), line: 2 };
        let kind = EventKind::Capture { at, name: "url".into(), value: Value::Bytes(b"a\"\\\n".to_vec()) };
        let event = Event { module: Some("sub".into()), offset: 14, kind };
        let text = r#"{"event":"capture","module":"sub","offset":14,"file":"a.vproto","line":2,"name":"url","value":"a\"\\\n"}"#;
        assert_eq!(event.to_string(), text);
    }

    #[test]
    fn bytes_that_are_no_text_are_hex() {
        assert!(value(Value::Bytes(vec![0xff])).ends_with("\"hex\":\"ff\"}"));
        assert!(value(Value::Bytes(vec![0])).ends_with("\"hex\":\"00\"}"));
        assert!(value(Value::Bytes("ä\t".into())).ends_with("\"value\":\"ä\\t\"}"));
        let args =
            vec![Value::Int(-1), Value::Bytes(vec![0x80]), Value::Bool(true), Value::Member("a".into())];
        let notify = line(EventKind::Notify { at: At { file: None, line: 1 }, name: "f".into(), args });
        let text = r#"{"event":"notify","offset":7,"line":1,"name":"f","args":[-1,{"hex":"80"},true,"a"]}"#;
        assert_eq!(notify, text);
    }

    #[test]
    fn floats_are_short_and_read_back() {
        let f32s = [(0.1, "0.1"), (1.0, "1"), (16777216.0, "16777216"), (1e-7, "1e-07"), (3.4e38, "3.4e+38")];
        for (float, text) in f32s {
            assert!(value(Value::F32(float)).ends_with(&format!("\"value\":{text}}}")), "{float}");
        }
        let f64s =
            [(0.1, "0.1"), (1e300, "1e+300"), (9007199254740992.0, "9007199254740992"), (-2.5, "-2.5")];
        for (float, text) in f64s {
            assert!(value(Value::F64(float)).ends_with(&format!("\"value\":{text}}}")), "{float}");
        }
        assert!(value(Value::F32(f32::INFINITY)).ends_with("\"hex\":\"7f800000\"}"));
    }

    #[test]
    fn errors_name_what_was_found() {
        let failure = Failure {
            at: At { file: None, line: 2 },
            column: 7,
            kind: ErrorKind::Mismatch,
            expected: "[0-9]".into(),
            found: Some(Found::Byte(0x41)),
            variables: Vec::new(),
        };
        let text = r#"{"event":"error","offset":7,"line":2,"column":7,"kind":"mismatch","expected":"[0-9]","found":"0x41"}"#;
        assert_eq!(line(EventKind::Error(failure)), text);
        assert_eq!(
            line(EventKind::End(Status::Complete)),
            r#"{"event":"end","offset":7,"status":"complete"}"#
        );
        assert_eq!(quoted(b"\"\\\r\x01'", false), r#""\"\\\r\x01'""#);
        assert_eq!(quoted(b"'", true), r"'\''");
    }
}

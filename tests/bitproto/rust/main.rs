// Plays the lines of tests/bitproto/c/main.c on generated modules. `table.rs` says which there are.

use std::fmt::Write;

/// What a message can do, whatever its type.
pub trait Message: Copy + PartialEq + std::fmt::Debug {
    const LENGTH: usize;
    fn new() -> Self;
    fn encode(&self) -> Vec<u8>;
    fn encode_to(&self, s: &mut [u8]) -> Option<usize>;
    fn decode(&mut self, s: &[u8]) -> Option<usize>;
    /// The messages of a stream, in pieces of `step` bytes; false if the end of one is missing.
    fn stream(s: &[u8], step: usize, found: &mut Vec<Self>) -> bool;
    /// Whether a stream whose buffer holds one byte says that it is too small.
    fn small(s: &[u8]) -> bool;
    fn json(&self) -> Option<String>;
    fn json_in(&self, s: &mut [u8]) -> Option<usize>;
    /// Compares single fields of encoded bytes with those of the message, and writes them to a copy of the bytes.
    fn access(&self, copy: &mut [u8], s: &[u8]) -> bool;
    /// Whether all accessors refuse bytes that are too few.
    fn refuses() -> bool;
}

macro_rules! message {
    ($module:ident, $name:ident, $stream:tt, $json:tt, $access:expr, $refuses:expr) => {
        impl crate::Message for crate::$module::$name {
            const LENGTH: usize = Self::BYTES_LENGTH;

            fn new() -> Self {
                Self::default()
            }

            fn encode(&self) -> Vec<u8> {
                self.encode().to_vec()
            }

            fn encode_to(&self, s: &mut [u8]) -> Option<usize> {
                self.encode_to(s).ok()
            }

            fn decode(&mut self, s: &[u8]) -> Option<usize> {
                let used = self.decode(s).ok()?;
                let again = Self::from_bytes(s).ok()?;
                // What is no number is not equal to itself.
                assert!(again == *self || format!("{again:?}") == format!("{self:?}"));
                Some(used)
            }

            message!(stream $stream $module);
            message!(json $json);

            fn access(&self, copy: &mut [u8], s: &[u8]) -> bool {
                $access(self, copy, s).is_some()
            }

            fn refuses() -> bool {
                $refuses()
            }
        }
    };
    (stream yes $module:ident) => {
        fn stream(s: &[u8], step: usize, found: &mut Vec<Self>) -> bool {
            let mut stream = crate::$module::bp::Stream::<9000>::new();
            let mut last = true;
            for mut piece in s.chunks(step) {
                let mut m = Self::default();
                while !piece.is_empty() {
                    last = m.decode_next(&mut stream, &mut piece).expect("a large buffer");
                    if last {
                        found.push(m);
                    }
                }
            }
            last
        }

        fn small(s: &[u8]) -> bool {
            let mut stream = crate::$module::bp::Stream::<1>::default();
            let mut m = Self::default();
            let mut first = &s[..1];
            let begins = m.decode_next(&mut stream, &mut first) == Ok(false);
            begins && m.decode_next(&mut stream, &mut &s[1..2]) == Err(crate::$module::bp::Error::Full)
        }
    };
    (stream no $module:ident) => {
        fn stream(_: &[u8], _: usize, _: &mut Vec<Self>) -> bool {
            true
        }

        fn small(_: &[u8]) -> bool {
            true
        }
    };
    (json yes) => {
        fn json(&self) -> Option<String> {
            let mut text = String::new();
            self.write_json(&mut text).ok()?;
            Some(text)
        }

        fn json_in(&self, s: &mut [u8]) -> Option<usize> {
            self.json_in(s).ok().map(str::len)
        }
    };
    (json no) => {
        fn json(&self) -> Option<String> {
            None
        }

        fn json_in(&self, _: &mut [u8]) -> Option<usize> {
            None
        }
    };
}

mod table;

/// One line of the file.
pub struct Line<'a> {
    bytes: Vec<u8>,
    used: Option<usize>,
    expected: Vec<u8>,
    json: &'a str,
}

fn unhex(text: &str) -> Vec<u8> {
    let text = text.trim_matches('-');
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

/// Plays a line; what is wrong with it goes to `wrong`.
pub fn play<M: Message>(line: &Line<'_>, wrong: &mut String) {
    let mut check = |ok: bool, what: &str| {
        if !ok {
            let _ = write!(wrong, "{what}; ");
        }
    };
    let mut m = M::new();
    // Decoding has to assign every field.
    let _ = m.decode(&vec![0xff; M::LENGTH]);
    let used = m.decode(&line.bytes);
    check(used == line.used, "used");
    let Some(used) = used else { return };
    check(m.encode() == line.expected, "encode");
    let mut buffer = vec![0x55; M::LENGTH + 1];
    check(m.encode_to(&mut buffer) == Some(M::LENGTH), "encode_to");
    check(buffer[..M::LENGTH] == line.expected && buffer[M::LENGTH] == 0x55, "bytes of encode_to");
    if M::LENGTH > 0 {
        check(m.encode_to(&mut buffer[..M::LENGTH - 1]).is_none(), "a small buffer");
        check(M::refuses(), "accessors on no bytes");
    }
    if used > 0 && used == line.bytes.len() {
        check(M::new().decode(&line.bytes[..used - 1]).is_none(), "short input");
        check_stream(&m, &line.bytes, &mut check);
    }
    if line.json != "-" {
        check_json(&m, line.json, &mut check);
    }
    if line.bytes == line.expected {
        let mut copy = line.bytes.clone();
        check(m.access(&mut copy, &line.bytes), "access");
        check(copy == line.bytes, "set");
    }
}

fn check_stream<M: Message>(m: &M, bytes: &[u8], check: &mut impl FnMut(bool, &str)) {
    let twice = [bytes, bytes].concat();
    let steps = if bytes.len() > 600 { vec![1, 601] } else { vec![1, 2, 3, 5, 8, bytes.len() + 1] };
    for step in steps {
        let mut found = Vec::new();
        check(M::stream(&twice, step, &mut found), "stream");
        check(found == [*m, *m], "messages of a stream");
    }
    check(bytes.len() < 2 || M::small(bytes), "a small buffer of a stream");
}

fn check_json<M: Message>(m: &M, wanted: &str, check: &mut impl FnMut(bool, &str)) {
    let Some(text) = m.json() else { return };
    check(text == wanted, "json");
    let mut buffer = vec![0; wanted.len()];
    check(m.json_in(&mut buffer) == Some(wanted.len()), "json_in");
    check(buffer == wanted.as_bytes(), "text of json_in");
    check(m.json_in(&mut buffer[1..]).is_none(), "a small buffer for json");
}

fn main() {
    let path = std::env::args().nth(1).expect("a file of lines");
    let text = std::fs::read_to_string(path).expect("readable");
    let (mut count, mut failures) = (0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.splitn(6, ' ').collect();
        let parsed = Line {
            bytes: unhex(fields[2]),
            used: fields[3].parse().ok(),
            expected: unhex(fields[4]),
            json: fields[5],
        };
        let mut wrong = String::new();
        match table::find(fields[0], fields[1]) {
            Some(play) => play(&parsed, &mut wrong),
            None => wrong.push_str("unknown message"),
        }
        count += 1;
        if !wrong.is_empty() {
            failures += 1;
            if failures < 20 {
                println!("failed: {wrong} {} {} {:.60}", fields[0], fields[1], fields[2]);
            }
        }
    }
    println!("{count} lines, {failures} failures");
}

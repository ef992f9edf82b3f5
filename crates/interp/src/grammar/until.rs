//! The search of `until=`: linear, across any fragmentation, by the failure function of Knuth, Morris and Pratt.

use vproto_ir::byteset::ByteSet;

/// A text that is looked for, and how much of it the last bytes match.
#[derive(Clone, Debug)]
pub struct Search {
    text: Vec<u8>,
    /// `failure[i]`: length of the longest proper prefix of `text[..=i]` that is also its end.
    failure: Vec<usize>,
    /// Letters held back: they belong to the text or, if it does not go on, to what stands before it.
    held: usize,
}

/// What a byte means to the search.
pub enum Meaning {
    /// The text is complete with it.
    Found,
    /// So many held-back letters (the first ones of the text), then perhaps the byte itself, stand before the text.
    Before {
        /// Letters that are held back no longer.
        released: usize,
        /// Whether the byte itself belongs to what stands before.
        byte: bool,
        /// Letters held back from now on.
        held: usize,
    },
}

impl Search {
    /// A search for a text of at least one byte.
    pub fn new(text: Vec<u8>) -> Search {
        let mut failure = vec![0; text.len()];
        let mut matched = 0;
        for i in 1..text.len() {
            while matched > 0 && text[i] != text[matched] {
                matched = failure[matched - 1];
            }
            matched += usize::from(text[i] == text[matched]);
            failure[i] = matched;
        }
        Search { text, failure, held: 0 }
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The letters held back.
    pub fn held(&self) -> &[u8] {
        &self.text[..self.held]
    }

    /// The bytes that the text can go on with.
    pub fn next_letter(&self) -> ByteSet {
        ByteSet::byte(self.text[self.held])
    }

    /// What the byte means; nothing changes.
    pub fn meaning(&self, byte: u8) -> Meaning {
        let mut held = self.held;
        while held > 0 && self.text[held] != byte {
            held = self.failure[held - 1];
        }
        let released = self.held - held;
        if self.text[held] != byte {
            return Meaning::Before { released, byte: true, held: 0 };
        }
        if held + 1 == self.text.len() && released == 0 {
            return Meaning::Found;
        }
        Meaning::Before { released, byte: false, held: held + 1 }
    }

    /// From now on so many letters are held back.
    pub fn hold(&mut self, held: usize) {
        self.held = held;
    }
}

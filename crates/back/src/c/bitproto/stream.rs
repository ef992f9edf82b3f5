//! Reading a sequence of messages from fragments of any size.

use super::Context;
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{MessageId, ProtoId};

impl Context<'_> {
    /// Whether the message can be read from a stream: it takes at least a byte.
    fn streams(&self, id: MessageId) -> bool {
        self.schema.message(id).bits > 0
    }

    pub(crate) fn print_stream_type(&self, w: &mut Writer) {
        if !self.schema.messages_of(ProtoId(0)).any(|id| self.streams(id)) {
            return;
        }
        w.blank();
        w.lines(
            "#ifndef BITPROTO_STREAM\n#define BITPROTO_STREAM 1\n\
             /* Where a stream of messages keeps the beginning of one that has not arrived wholly. Set the buffer and\n\
             \x20* its capacity, and have to 0. */\n\
             struct BpStream {\n    unsigned char *buffer;\n    size_t capacity;\n    size_t have;\n};\n#endif",
        );
    }

    pub(super) fn print_stream_prototype(&self, id: MessageId, w: &mut Writer) {
        if !self.streams(id) {
            return;
        }
        let name = self.type_name(id);
        w.lines(
            "/* Decode the next message of a stream from *len bytes at *s and move behind what was read: 1 with a\n\
             \x20* message in m, 0 if more bytes are needed, -1 if the stream's buffer is too small. */",
        );
        w.line(format!(
            "int Decode{name}Next(struct {name} *m, struct BpStream *st, const unsigned char **s, size_t *len);"
        ));
    }

    pub(super) fn print_stream(&self, id: MessageId, w: &mut Writer) {
        if !self.streams(id) {
            return;
        }
        let name = self.type_name(id);
        w.line(format!(
            "int Decode{name}Next(struct {name} *m, struct BpStream *st, const unsigned char **s, size_t *len)"
        ));
        w.open("{");
        // The next message is found also where a value in this one is out of its range.
        let inner = self.has_ranges(id);
        let decode = if inner { format!("bp_decode_{name}_buf") } else { format!("Decode{name}Buf") };
        self.stream_body(id, &decode, w);
        w.close("}");
        w.blank();
    }

    /// `bp_next_X` of C++.
    pub(super) fn print_next(&self, id: MessageId, w: &mut Writer) {
        let (name, ty) = (self.function_name(id), self.struct_type(id));
        w.blank();
        w.line(format!(
            "inline int bp_next_{name}({ty} *m, BpStream *st, const unsigned char **s, size_t *len)"
        ));
        w.open("{");
        self.stream_body(id, &format!("bp_decode_{name}_buf"), w);
        w.close("}");
    }

    fn stream_body(&self, id: MessageId, decode_buf: &str, w: &mut Writer) {
        let message = self.schema.message(id);
        let decode = format!("bp_decode_{}", self.function_name(id));
        if message.has_marks {
            w.lines(&EVOLVING.replace("DECODE_BUF", decode_buf));
        } else {
            w.lines(&FIXED.replace("DECODE", &decode).replace("LENGTH", &self.length(id)));
        }
    }
}

/// The body for messages of one size.
const FIXED: &str = "size_t n;
if (st->have == 0 && *len >= LENGTH) {
    DECODE(m, *s);
    *s += LENGTH;
    *len -= LENGTH;
    return 1;
}
if (st->capacity < LENGTH) {
    return -1;
}
n = LENGTH - st->have;
if (n > *len) {
    n = *len;
}
if (n > 0) {
    memcpy(st->buffer + st->have, *s, n);
    *s += n;
    *len -= n;
    st->have += n;
}
if (st->have < LENGTH) {
    return 0;
}
st->have = 0;
DECODE(m, st->buffer);
return 1;";

/// The body for messages whose size depends on the writer.
const EVOLVING: &str = "size_t n;
size_t before = st->have;
int used;
if (before == 0) {
    used = DECODE_BUF(m, *s, *len);
    if (used >= 0) {
        *s += used;
        *len -= (size_t)used;
        return 1;
    }
}
n = st->capacity - before;
if (n > *len) {
    n = *len;
}
if (n > 0) {
    memcpy(st->buffer + before, *s, n);
}
used = DECODE_BUF(m, st->buffer, before + n);
if (used >= 0) {
    n = (size_t)used - before;
    st->have = 0;
} else {
    st->have = before + n;
}
*s += n;
*len -= n;
if (used >= 0) {
    return 1;
}
return st->have == st->capacity && *len > 0 ? -1 : 0;";

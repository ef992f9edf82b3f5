//! Reading a sequence of messages from fragments of any size.

use super::Context;
use vproto_code::writer::Writer;
use vproto_ir::wire::schema::{MessageId, ProtoId};

impl Context<'_> {
    /// Whether the message can be read from a stream: it takes at least a byte.
    fn streams(&self, id: MessageId) -> bool {
        self.schema.message(id).bits > 0
    }

    pub(super) fn print_stream_type(&self, w: &mut Writer) {
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
        if self.schema.message(id).has_marks {
            w.lines(&EVOLVING.replace("NAME", &name));
        } else {
            w.lines(&FIXED.replace("NAME", &name).replace("LENGTH", &self.length_name(id)));
        }
        w.close("}");
        w.blank();
    }
}

/// The body for messages of one size.
const FIXED: &str = "size_t n;
if (st->have == 0 && *len >= LENGTH) {
    bp_decode_NAME(m, *s);
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
bp_decode_NAME(m, st->buffer);
return 1;";

/// The body for messages whose size depends on the writer.
const EVOLVING: &str = "size_t n;
size_t before = st->have;
int used;
if (before == 0) {
    used = DecodeNAMEBuf(m, *s, *len);
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
used = DecodeNAMEBuf(m, st->buffer, before + n);
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

// A contestant of the race in bench/bitproto/c: a generated Rust module behind C functions. The line
// `use … as Message;` is put before this text.

#[repr(C)]
pub struct Contestant {
    name: *const u8,
    size: usize,
    bytes: usize,
    encode: unsafe extern "C" fn(*const Message, *mut u8),
    decode: unsafe extern "C" fn(*mut Message, *const u8),
}

// SAFETY: the name is a constant text.
unsafe impl Sync for Contestant {}

const BYTES: usize = Message::BYTES_LENGTH;

/// # Safety
/// The race gives memory of a message (all zeros at first, which is one) and of its bytes.
unsafe extern "C" fn encode(m: *const Message, s: *mut u8) {
    let (m, s) = unsafe { (&*m, core::slice::from_raw_parts_mut(s, BYTES)) };
    let _ = m.encode_to(s);
}

/// # Safety
/// As for `encode`.
unsafe extern "C" fn decode(m: *mut Message, s: *const u8) {
    let (m, s) = unsafe { (&mut *m, core::slice::from_raw_parts(s, BYTES)) };
    let _ = m.decode(s);
}

#[unsafe(no_mangle)]
pub static rust: Contestant =
    Contestant { name: c"rust".as_ptr().cast(), size: core::mem::size_of::<Message>(), bytes: BYTES, encode, decode };

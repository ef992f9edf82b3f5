//! What is asked of the C++ back-end.

use vproto_code::model::Sizes;
use vproto_source::Files;

/// Options of `vproto gen --target cpp`.
#[derive(Clone, Debug)]
pub struct Options {
    /// `--namespace N`.
    pub namespace: Option<String>,
    /// `--output-class C`, `@output C`: the class that `using demo = …` names.
    pub output_class: Option<String>,
    /// `--no-heap`.
    pub no_heap: bool,
    /// `#line` directives for opaque code.
    pub line_directives: bool,
    /// `--classic`.
    pub classic: bool,
    /// `--with-main`.
    pub with_main: bool,
    /// `--views borrow`: views are not moved at a cut.
    pub borrow_views: bool,
    /// Chain plans are used.
    pub plans: bool,
    /// `--simd`: the instructions that scan.
    pub simd: Simd,
    /// With `with_main`: no function `main`, so that many programs can be one.
    pub no_main: bool,
    /// `@cpp { … }` in order.
    pub heads: Vec<Head>,
    /// How large functions may be.
    pub sizes: Sizes,
    /// The name of the output, for `#line` directives that lead back to it; the module's where absent.
    pub file: Option<String>,
    /// The files of the description: opaque code is printed with its place in them.
    pub files: Files,
}

/// Instructions that find where runs of bytes end. Whatever is chosen, the parser does the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simd {
    /// All that are here; the macros of the compiler choose the widest that its flags allow.
    #[default]
    Auto,
    /// Byte by byte.
    None,
    /// Words of eight bytes.
    Swar,
    /// 16 bytes, compares only.
    Sse2,
    /// 16 bytes, with lookups.
    Sse42,
    /// 32 bytes, blocks of 64.
    Avx2,
    /// 64 bytes (AVX-512BW).
    Avx512,
    /// 16 bytes of ARM.
    Neon,
}

impl Simd {
    /// The name of the level in the runtime.
    pub(super) fn level(self) -> &'static str {
        match self {
            Simd::Auto => "widest",
            Simd::None => "bytewise",
            Simd::Swar => "words",
            Simd::Sse2 => "sse2",
            Simd::Sse42 => "sse42",
            Simd::Avx2 => "avx2",
            Simd::Avx512 => "avx512",
            Simd::Neon => "neon",
        }
    }
}

/// Text for the head of the output, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The text.
    pub text: String,
    /// The file's name.
    pub file: String,
    /// The line of its first character.
    pub line: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            namespace: None,
            output_class: None,
            no_heap: false,
            line_directives: true,
            classic: false,
            with_main: false,
            borrow_views: false,
            plans: true,
            simd: Simd::default(),
            no_main: false,
            heads: Vec::new(),
            sizes: Sizes::default(),
            file: None,
            files: Files::default(),
        }
    }
}

//! Where a token's bytes go, as the token itself says: skipped, to a function, to a variable of which sort.

use crate::vproto::ast::{Head, Member, Name, Part, Redirect, Target, Token, Word};
use vproto_source::code::names;
use vproto_source::diagnostic::did_you_mean;
use vproto_source::{Diagnostic, Span};

/// Where the bytes of a token go.
#[derive(Clone, Debug)]
pub enum Sink<'t> {
    /// Nowhere.
    Skip,
    /// To a function of the user.
    Function(&'t Name),
    /// To a variable.
    Store(&'t Name, Form<'t>),
    /// To a module that runs as a variable: module, variable.
    Module(&'t Name, &'t Name),
}

/// What a token stores in its variable.
#[derive(Clone, Debug)]
pub struct Form<'t> {
    /// How bytes become a value.
    pub base: Base,
    /// The members of `->enum{ … }` and `enum{ … }`, with the place of the list.
    pub members: Option<(&'t [Member], Span)>,
}

/// How bytes become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Digits of a radix; bits and whether a sign is allowed.
    Digits(u8, u8, bool),
    /// A binary integer: bits, or none where the counts give them; big-endian.
    Binary(Option<u8>, bool),
    /// True where a byte is not zero.
    Bool,
    /// A float: bits, big-endian.
    Float(u8, bool),
    /// `varint`
    Varint,
    /// An owned string.
    String,
    /// A view.
    View,
    /// A buffer of fixed size.
    Array,
    /// The member that is named or matched; nothing is converted.
    Member,
}

/// The types that a redirection knows.
const TYPES: &[&str] = &[
    "string",
    "string_view",
    "array",
    "uint",
    "hex",
    "int",
    "bool",
    "bin",
    "binLe",
    "binBe",
    "le",
    "be",
    "enum",
    "vproto",
];

/// Where the bytes of a token go. Heads that take no bytes give [`Sink::Skip`].
///
/// # Errors
/// Where redirection and names do not fit the head.
pub fn sink(token: &Token) -> Result<Sink<'_>, Box<Diagnostic>> {
    let arrow = token.parts.iter().position(|p| matches!(p, Part::Redirect(_)));
    if let Some(at) = arrow {
        let Part::Redirect(redirect) = &token.parts[at] else { return Ok(Sink::Skip) };
        return redirected(token, at, redirect);
    }
    let base = match &token.head {
        Head::Enum(members) => {
            let form = Form { base: Base::Member, members: Some((members, token.head_span)) };
            return one_name(token)?
                .map(|name| Sink::Store(name, form))
                .ok_or_else(|| Box::new(needs_name(token, "variable")));
        }
        Head::Word(Word::Module) => return module(token, token.names().collect()),
        Head::Word(Word::Data) => return Ok(one_name(token)?.map_or(Sink::Skip, Sink::Function)),
        Head::Word(word) => match base_of(*word) {
            Some(base) => base,
            None => return Ok(Sink::Skip),
        },
        _ => {
            return match token.last_name() {
                Some(name) => refused(no_name(token, name)),
                None => Ok(Sink::Skip),
            };
        }
    };
    Ok(one_name(token)?.map_or(Sink::Skip, |name| Sink::Store(name, Form { base, members: None })))
}

/// How a word's bytes become a value; none of words that store nothing.
pub fn base_of(word: Word) -> Option<Base> {
    Some(match word {
        Word::Decimal(bits) => Base::Digits(10, bits, false),
        Word::Signed(bits) => Base::Digits(10, bits, true),
        Word::Hexadecimal(bits) => Base::Digits(16, bits, false),
        Word::Binary(bits, big) => Base::Binary(Some(bits), big),
        Word::Float(bits, big) => Base::Float(bits, big),
        Word::Bool => Base::Bool,
        Word::Array => Base::Array,
        Word::String => Base::String,
        Word::View => Base::View,
        Word::Varint => Base::Varint,
        _ => return None,
    })
}

fn redirected<'t>(token: &'t Token, at: usize, redirect: &'t Redirect) -> Result<Sink<'t>, Box<Diagnostic>> {
    if let Some(Part::Redirect(second)) =
        token.parts[at + 1..].iter().find(|p| matches!(p, Part::Redirect(_)))
    {
        return refused(Diagnostic::new(
            names::BAD_REDIRECT,
            "the token has two redirections",
            second.span,
            "bytes go to one place only",
        ));
    }
    if let Some(Part::Name(name)) = token.parts[..at].iter().find(|p| matches!(p, Part::Name(_))) {
        return refused(
            Diagnostic::new(
                names::BAD_REDIRECT,
                "the token has a name and a redirection",
                redirect.span,
                "the bytes go to the name already",
            )
            .with_label(name.span, "the name"),
        );
    }
    let found: Vec<&Name> = token.names().collect();
    match (&token.head, &redirect.target) {
        (_, Target::Missing) => Ok(Sink::Skip),
        (Head::Set(_), Target::Enum(members)) => {
            enum_form(token, Base::Binary(None, false), members, redirect.span)
        }
        (Head::Word(word), Target::Enum(members)) => match base_of(*word) {
            Some(base @ (Base::Digits(..) | Base::Binary(..) | Base::Varint)) => {
                enum_form(token, base, members, redirect.span)
            }
            _ => refused(wrong_head(token, redirect)),
        },
        (Head::Set(_), Target::Word(word)) => set_redirect(token, word, found, redirect.span),
        _ => refused(wrong_head(token, redirect)),
    }
}

fn enum_form<'t>(
    token: &'t Token,
    base: Base,
    members: &'t [Member],
    span: Span,
) -> Result<Sink<'t>, Box<Diagnostic>> {
    let form = Form { base, members: Some((members, span)) };
    one_name(token)?
        .map(|name| Sink::Store(name, form))
        .ok_or_else(|| Box::new(needs_name(token, "variable")))
}

fn set_redirect<'t>(
    token: &'t Token,
    word: &'t Name,
    found: Vec<&'t Name>,
    span: Span,
) -> Result<Sink<'t>, Box<Diagnostic>> {
    let known = TYPES.contains(&word.text.as_str());
    if found.is_empty() {
        return match known {
            false => Ok(Sink::Function(word)),
            true => refused(
                Diagnostic::new(
                    names::BAD_REDIRECT,
                    format!("`->{}` lacks its name", word.text),
                    span,
                    "the name of a variable must follow",
                )
                .with_help(format!("write `->{}:name`", word.text)),
            ),
        };
    }
    let base = match word.text.as_str() {
        "string" => Base::String,
        "string_view" => Base::View,
        "array" => Base::Array,
        "uint" => Base::Digits(10, 64, false),
        "hex" => Base::Digits(16, 64, false),
        "int" => Base::Digits(10, 64, true),
        "bool" => Base::Bool,
        "bin" | "binLe" | "le" => Base::Binary(None, false),
        "binBe" | "be" => Base::Binary(None, true),
        "vproto" => return module(token, found),
        _ => return refused(unknown_type(word)),
    };
    let form = Form { base, members: None };
    Ok(one_name(token)?.map_or(Sink::Skip, |name| Sink::Store(name, form)))
}

fn unknown_type(word: &Name) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        names::BAD_REDIRECT,
        format!("`{}` is no type of a redirection", word.text),
        word.span,
        "a type was expected, because a name follows",
    );
    match did_you_mean(&word.text, TYPES.iter().copied()) {
        Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
        None => {
            diagnostic.with_help(format!("types are {}; a function stands alone: `->f`", TYPES.join(" ")))
        }
    }
}

fn wrong_head(token: &Token, redirect: &Redirect) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        names::BAD_REDIRECT,
        "this token cannot be redirected so",
        redirect.span,
        "only sets have redirections, and integers one to `enum{ … }`",
    )
    .with_label(token.head_span, "this token");
    match (&token.head, &redirect.target) {
        (Head::Word(word), Target::Word(name)) => diagnostic.with_help(format!(
            "write `{}:{}`",
            word.name(),
            token.last_name().unwrap_or(name).text
        )),
        (Head::Text { .. }, _) => {
            diagnostic.with_help("a literal is known already: put `begin:f … end:f` around it")
        }
        _ => diagnostic,
    }
}

fn module<'t>(token: &'t Token, found: Vec<&'t Name>) -> Result<Sink<'t>, Box<Diagnostic>> {
    match found.as_slice() {
        [module, var] => Ok(Sink::Module(module, var)),
        [_] | [] => refused(needs_name(token, "variable").with_help("write `vproto:module:variable`")),
        [.., extra] => refused(too_many(extra)),
    }
}

/// The only name, if there is one.
///
/// # Errors
/// Where there are more.
pub fn one_name(token: &Token) -> Result<Option<&Name>, Box<Diagnostic>> {
    let mut found = token.names();
    let name = found.next();
    match found.next() {
        Some(extra) => refused(too_many(extra)),
        None => Ok(name),
    }
}

fn refused<T>(diagnostic: Diagnostic) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(diagnostic))
}

fn too_many(extra: &Name) -> Diagnostic {
    Diagnostic::new(
        names::BAD_NAME,
        format!("one name too many: `{}`", extra.text),
        extra.span,
        "the token has all its names already",
    )
}

/// A token lacks its name.
pub fn needs_name(token: &Token, what: &str) -> Diagnostic {
    Diagnostic::new(
        names::BAD_NAME,
        format!("the {what} is missing"),
        token.head_span,
        format!("the name of a {what} must follow, behind a colon"),
    )
}

fn no_name(token: &Token, name: &Name) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(names::BAD_NAME, "this token has no name", name.span, "a name does not belong here");
    match &token.head {
        Head::Set(_) => diagnostic.with_help(format!("a set is redirected: `->string:{}`", name.text)),
        _ => diagnostic,
    }
}

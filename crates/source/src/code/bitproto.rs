//! Codes of the bitproto front-end.

use super::{Code, Entry};

/// Declares codes with their entries; the last literal is the long text.
macro_rules! codes {
    ($($name:ident $code:literal $title:literal $text:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($code);)*
        pub(super) const ENTRIES: &[Entry] = &[$(Entry { code: $name, title: $title, text: $text },)*];
    };
}

codes! {
    INVALID_TOKEN "E1001" "a character that no token begins with"
        "Outside comments and strings a schema is ASCII: names, numbers, strings, and : ; { } [ ] ( ) = . ' + - * /. \
         Blank, tab and carriage return separate tokens; a byte order mark or a form feed does not.";
    BAD_ESCAPE "E1002" "an unknown escape in a string"
        "Strings know \\t \\r \\n \\\\ \\' and \\\".";
    UINT_WIDTH "E1003" "an unsigned width out of range"
        "uintN takes N from 1 to 64.";
    INT_WIDTH "E1004" "a signed width out of range"
        "intN takes N from 1 to 64.";
    OPEN_STRING "E1005" "a string that does not end on its line"
        "A string stands in double quotes on one line. Write \\n for a line end within it.";
    UNEXPECTED "E1010" "a token that does not fit here"
        "The text does not follow the grammar at this place. Each item (proto, import, option, const, type, enum, \
         message, field, enum value) stands on one line as far as its opening brace; one `;` may end all but enums \
         and messages.";
    LINE_BREAK "E1011" "a line break inside a statement"
        "A statement is written on one line. Line breaks are allowed between items only: not between a type and \
         its name, and not before the opening brace.";
    COMMENT_AT_END "E1012" "a comment without a line end"
        "A comment has to be followed by a line end, at the end of the file too.";
    SYNTAX_DEPTH "E1013" "nested too deeply"
        "Messages may nest 64 deep, parentheses 200 deep.";
    BLOCK_COMMENT "E1014" "block comments do not exist"
        "Only `//` begins a comment; it goes to the end of the line.";
    NOT_IN_MESSAGE "E1015" "an item that a message cannot hold"
        "A message holds fields, messages, enums and options. Aliases, constants and imports stand at the top of \
         the file.";
    NOT_IN_ENUM "E1016" "an item that an enum cannot hold"
        "An enum holds values only, as NAME = NUMBER.";
    PROTO_MISPLACED "E1017" "a proto name inside a message or enum"
        "The proto name stands at the top of the file, outside all braces.";
    NO_PROTO "E1020" "the file has no proto name"
        "Each schema declares its name once: `proto NAME`. Generated packages and guards are named after it.";
    DUPLICATE "E1101" "a name is defined twice"
        "All names of one scope share one namespace: constants, types, enums, messages, imports, fields and options.";
    UNDEFINED_TYPE "E1102" "an unknown type"
        "Types are defined before they are used; a message can be used once it is closed. Names are looked up from \
         the innermost scope outwards; types of an imported file are written proto.Name.";
    NOT_A_TYPE "E1103" "the name is not a type"
        "A field, an array or an alias needs a base type, an alias, an enum or a message.";
    UNDEFINED_CONSTANT "E1104" "an unknown constant"
        "Constants are defined before they are used. Truth values are spelt true, false, yes, no.";
    NOT_A_CONSTANT "E1105" "the name is not a constant"
        "Only constants can be used in values.";
    NOT_AN_INTEGER "E1106" "a constant in an expression is not an integer"
        "Expressions with + - * / and parentheses work on integers. A text or a truth value can only be copied: \
         const B = A.";
    DIVISION_BY_ZERO "E1107" "division by zero"
        "The divisor of a constant expression is zero.";
    NUMBER_TOO_LARGE "E1108" "a number of more than 4300 digits"
        "Constants have any size up to 4300 decimal digits.";
    ARRAY_CAPACITY "E1201" "an array capacity out of range"
        "The capacity of an array is a decimal number or an integer constant from 1 to 65535.";
    ALIASED_TYPE "E1202" "a named type cannot be aliased"
        "An alias names a base type or an array. The elements of the array may be of any type, so `type Grid = \
         Row[3]` makes arrays of two dimensions.";
    ENUM_VALUE_RANGE "E1203" "an enum value does not fit"
        "The value needs more bits than the enum has.";
    ENUM_VALUE_TWICE "E1204" "an enum value is given twice"
        "The values of an enum are different from each other.";
    FIELD_NUMBER "E1205" "a field number out of range"
        "Fields are numbered from 1 to 255.";
    FIELD_NUMBER_TWICE "E1206" "a field number is given twice"
        "The number gives the place on the wire: fields of one message have different numbers.";
    MESSAGE_TOO_LARGE "E1207" "a message is too large"
        "A message has at most 65535 bits, and at most max_bytes bytes where that option is set.";
    OPTION_UNKNOWN "E1208" "an unknown option"
        "At the top of a file: c.struct_packing_alignment, c.name_prefix, go.package_path, py.module_name, extensions. In a \
         message: max_bytes.";
    OPTION_VALUE "E1209" "an option value of the wrong kind"
        "c.struct_packing_alignment is an integer from 0 to 8, max_bytes an integer from 0; the other options are \
         strings.";
    IMPORT_UNREADABLE "E1210" "an imported file cannot be read"
        "Imports are looked up relative to the importing file, unless the path is absolute.";
    IMPORT_TWICE "E1211" "a file is imported twice"
        "One import of a file is enough, under one name.";
    IMPORT_CYCLE "E1212" "files import each other"
        "A file cannot import itself, directly or through others. Move what both need into a third file.";
    TYPE_DEPTH "E1213" "types nest too deeply"
        "Types nest at most 100 deep, imports at most 64 deep.";
    MARK_IN_O "E1214" "an extensible type in optimization mode"
        "bitproto 1.3.2 refuses marks (') with -O. vproto supports them; this error appears only with --strict-1.3.";
    EXTENSION_OFF "E1230" "an extension that is not switched on"
        "floatN, string[N] and rules behind field numbers ([1..100], [default = 5]) are extensions: bitproto 1.3.2 does \
         not know them. Write `option extensions = true` above their first use.";
    RULE "E1231" "a rule that does not fit its field"
        "A range LOW..HIGH stands with integers, floats, and arrays of them; its bounds are values of the type, the lower \
         one first. A default is a value of the field's type within its range; arrays other than string[N] and messages \
         have none.";
    EXTENSION_REFUSED "E1232" "extensions with --strict-1.3"
        "The schema switches extensions on, which bitproto 1.3.2 does not know. Leave --strict-1.3 out, or remove the \
         option and what needs it.";
    STRING_CAPACITY "E1233" "a string without a capacity"
        "A string has a fixed number of bytes: string[16]. An alias gives it a name, `type Name = string[16]`, so that \
         arrays of it can be made; it has no mark.";
    UNKNOWN_FILTER "E1220" "no message of the name given to -F"
        "The filter takes the names of messages, without those of enclosing messages.";
    INDENT "W1001" "unusual indentation"
        "Items are indented by four blanks for each enclosing brace.";
    PASCAL_CASE "W1002" "a type name is not in PascalCase"
        "Names of aliases, enums and messages are usually written in PascalCase.";
    UPPER_CASE "W1003" "a constant is not in UPPER_CASE"
        "Names of constants and enum values are usually written in UPPER_CASE.";
    SNAKE_CASE "W1004" "a field name is not in snake_case"
        "Names of fields are usually written in snake_case; a digit after a letter begins a new word.";
    ENUM_ZERO "W1005" "an enum has no value 0"
        "A cleared message has 0 in each enum; the enum should have a name for it.";
    TYPEDEF "W1006" "typedef is deprecated"
        "Write `type NAME = TYPE`.";
    PACKING "W1007" "an alignment that compilers refuse"
        "C compilers take 1, 2, 4 or 8 as alignment.";
    LATE_PROTO "W1008" "the proto name is given twice"
        "The later proto name replaces the earlier one.";
}

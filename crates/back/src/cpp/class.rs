//! The class template of a parser: what stands around the statements of its functions.

use super::print::{literal, ty};
use super::{Module, Options, function};
use vproto_code::model::call::NEVER;
use vproto_code::model::goto::NO_PLACE;
use vproto_code::model::raise::{MATCHED, SEARCHED, UNION};
use vproto_code::tree::{Field, FunctionRole, Ty};
use vproto_code::writer::Writer;
use vproto_ir::ids::VarId;
use vproto_ir::symbols::{Role, VarType};

/// Prints the saved context and the class.
pub(super) fn print(module: &Module<'_>, w: &mut Writer, file: &str) {
    state(module, w);
    let names = module.names;
    w.blank();
    if module.options.classic {
        let base = module.options.output_class.as_ref().filter(|_| !module.is_sub()).unwrap_or(&names.result);
        w.line(format!("// A parser of {}.", names.alias));
        w.open(format!("class {} : public {base} {{", names.alias));
        w.line(format!("using scan_level = vproto::{};", module.options.simd.level()));
        body(module, w, file);
        return w.close("};");
    }
    w.line(format!("// A parser of {}; Output is a class that derives from {}.", names.alias, names.result));
    let level = module.options.simd.level();
    w.line(format!("template <class Output = {}, class scan_level = vproto::{level}>", names.result));
    w.open(format!("class {} : public Output {{", names.parser));
    body(module, w, file);
    w.close("};");
}

/// `using demo = demo_parser<>;`
pub(super) fn alias(module: &Module<'_>, w: &mut Writer) {
    let names = module.names;
    w.blank();
    match &module.options.output_class {
        Some(output) => {
            w.line(format!("class {output};"));
            w.line(format!("using {} = {}<{output}>;", names.alias, names.parser));
        }
        None => w.line(format!("using {} = {}<>;", names.alias, names.parser)),
    }
}

/// Everything inside of the class.
pub(super) fn body(module: &Module<'_>, w: &mut Writer, file: &str) {
    w.margin("public:");
    subs(module, w);
    if has_native(module) && !module.options.classic {
        visible(module, w);
    }
    api(module, w);
    if module.is_sub() {
        as_sub(module, w);
    }
    if module.options.with_main {
        traced(module, w);
    }
    w.blank();
    w.margin("private:");
    if module.options.classic {
        let (data, size) = (module.names.local("data"), module.names.local("size"));
        w.open(format!("bool feed_all(const char* {data}, std::size_t {size}) {{"));
        w.open("for (;;) {");
        w.line(format!("const vproto::result r = parse_piece({data}, {size});"));
        w.line("if (r.status == vproto::status::error || r.status == vproto::status::busy) return false;");
        w.line("if (r.status != vproto::status::paused) return true;");
        w.line(format!("{data} += r.consumed;"));
        w.line(format!("{size} -= r.consumed;"));
        w.close("}");
        w.close("}");
    }
    private(module, w, file);
}

/// The saved context, whose size is known.
fn state(module: &Module<'_>, w: &mut Writer) {
    let (size, _) = size_of(module);
    let name = &module.names.state;
    w.blank();
    w.line(format!(
        "// All that a {} remembers between fragments, its texts apart: {size} bytes.",
        module.names.alias
    ));
    w.open(format!("struct {name} {{"));
    if !module.parser.frame.is_empty() {
        w.open("struct frame_type {");
        fields(&module.parser.frame, w);
        w.close("};");
    }
    let plain = sorted(&module.parser.fields);
    let (wide, narrow): (Vec<Field>, Vec<Field>) = plain.into_iter().partition(|f| alignment(f.ty) == 8);
    fields(&wide, w);
    if !module.parser.frame.is_empty() {
        w.line(format!("frame_type frames[{}] = {{}};", module.parser.depth));
    }
    fields(&narrow, w);
    w.close("};");
    w.line(format!("static_assert(sizeof({name}) <= {size}, \"the saved context has grown\");"));
}

fn fields(fields: &[Field], w: &mut Writer) {
    for field in fields {
        let start = match (field.start, field.ty) {
            (NEVER, _) => "vproto::never".to_owned(),
            (0, Ty::Bool) => "false".to_owned(),
            (0, Ty::Unsigned(_) | Ty::Signed(_)) => "0".to_owned(),
            _ => String::new(),
        };
        let doc = if field.doc.is_empty() { String::new() } else { format!("  // {}", field.doc) };
        w.line(format!("{} {}{{{start}}};{doc}", ty(field.ty, ""), field.name));
    }
}

fn sorted(fields: &[Field]) -> Vec<Field> {
    let mut plain: Vec<Field> =
        fields.iter().filter(|f| !matches!(f.ty, Ty::Held | Ty::Threads)).cloned().collect();
    plain.sort_by_key(|f| std::cmp::Reverse(alignment(f.ty)));
    plain
}

fn alignment(of: Ty) -> u64 {
    match of {
        Ty::Unsigned(bits) | Ty::Signed(bits) => u64::from(bits / 8),
        Ty::Number | Ty::Cursor | Ty::Bytes | Ty::Held | Ty::Threads => 8,
        Ty::Digest => 4,
        Ty::Bool | Ty::Search => 1,
    }
}

fn width(of: Ty) -> u64 {
    match of {
        Ty::Number => 24,
        Ty::Digest => 12,
        Ty::Search => 512,
        Ty::Bytes => 16,
        other => alignment(other),
    }
}

/// Size and alignment of the saved context.
fn size_of(module: &Module<'_>) -> (u64, u64) {
    let round = |size: u64, to: u64| size.div_ceil(to) * to;
    let sum = |fields: &[Field]| fields.iter().map(|f| width(f.ty)).sum::<u64>();
    let mut size = sum(&sorted(&module.parser.fields));
    let widest = module.parser.frame.iter().map(|f| alignment(f.ty)).max().unwrap_or(1);
    size += round(sum(&module.parser.frame), widest) * u64::from(module.parser.depth);
    // What is narrower than 8 bytes may leave a gap before the frames.
    (round(size, 8) + if widest < 8 { 8 } else { 0 }, 8)
}

/// Sub-parsers.
fn subs(module: &Module<'_>, w: &mut Writer) {
    for (id, var) in module.machine().symbols.vars.iter() {
        if matches!(var.ty, VarType::Module(_)) {
            w.line(format!("{} {};", module.var_type(id), module.names.var(id)));
        }
    }
}

/// Stream callbacks take a pointer and a size there.
fn classic_pieces(module: &Module<'_>, w: &mut Writer) {
    for (id, function) in module.machine().symbols.functions.iter() {
        if function.role == Role::Stream {
            let name = module.names.function(id);
            let (bytes, first, last) =
                (module.names.local("bytes"), module.names.local("first"), module.names.local("last"));
            w.open(format!("void {name}_piece(std::string_view {bytes}, bool {first}, bool {last}) {{"));
            w.line(format!(
                "this->{name}({bytes}.data(), static_cast<unsigned>({bytes}.size()), {first}, {last});"
            ));
            w.close("}");
        }
    }
}

/// `bool parse(…)`, as users of the original know it.
fn classic_api(module: &Module<'_>, w: &mut Writer) {
    let (data, size) = (module.names.local("data"), module.names.local("size"));
    w.line("// Takes the next bytes of the stream; false: they are not what the description says.");
    w.open(format!("bool parse(const char* {data}, unsigned {size}) {{"));
    w.line(format!("return feed_all({data}, {size});"));
    w.close("}");
    w.line(format!(
        "bool parse(const std::string& {data}) {{ return feed_all({data}.data(), {data}.size()); }}"
    ));
}

fn api(module: &Module<'_>, w: &mut Writer) {
    let classic = module.options.classic;
    w.blank();
    if classic {
        classic_api(module, w);
    }
    let entry = if classic { "parse_piece" } else { "parse" };
    w.line("// Takes the next bytes of the stream; says how many, and how it goes on.");
    let (data, size) = (module.names.local("data"), module.names.local("size"));
    let (before, how) = (module.names.local("before"), module.names.local("how"));
    w.open(format!("vproto::result {entry}(const void* {data}, std::size_t {size}) {{"));
    w.line("if (busy_.on) return {vproto::status::busy, 0};");
    w.line(if module.is_sub() { "" } else { "if (finished_) { clear_context(); finished_ = false; }" });
    w.line(format!("const std::uint64_t {before} = state_.base;"));
    w.line(format!("const vproto::status {how} = run(vproto::bytes_at({data}), {size}, 0);"));
    let taken = module.names.local("taken");
    w.line(format!("const auto {taken} = static_cast<std::size_t>(state_.base - {before});"));
    w.line(if module.is_sub() { "" } else { "if (reset_later_) reset();" });
    w.line(format!("return {{{how}, {taken}}};"));
    w.close("}");
    if !classic {
        w.open(format!("vproto::result parse(std::string_view {data}) {{"));
        w.line(format!("return parse({data}.data(), {data}.size());"));
        w.close("}");
    }
    w.line("// No more bytes come. Variables stay readable; the next parse() starts anew.");
    w.open("[[nodiscard]] vproto::status finish() {");
    w.line("if (busy_.on) return vproto::status::busy;");
    w.line(format!("const vproto::status {how} = run(vproto::bytes_at(nullptr), 0, vproto::stream_ends);"));
    if !module.is_sub() {
        // After `stopped` or an error only reset() helps; after a pause finish() is called again.
        let ended = "vproto::status::complete || {how} == vproto::status::incomplete;".replace("{how}", &how);
        w.line(format!("finished_ = {how} == {ended}"));
        w.line("if (reset_later_) reset();");
    }
    w.line(format!("return {how};"));
    w.close("}");
    w.line("// As before the first byte, variables too. A callback that calls it pauses parsing, and then it is done.");
    w.open("void reset() {");
    if module.is_sub() {
        w.line("if (busy_.on) return;");
    } else {
        w.open("if (busy_.on) {");
        w.line("reset_later_ = state_.pausing = true;");
        w.line("return;");
        w.close("}");
        w.line("reset_later_ = false;");
    }
    w.line("clear_variables();");
    w.line("clear_context();");
    w.line(if module.is_sub() { "" } else { "finished_ = false;" });
    w.close("}");
    w.line("// For callbacks: parse() returns at the next place where it can, with `paused`.");
    w.line("void pause() { state_.pausing = true; }");
    w.line("// Bytes consumed up to the last call.");
    w.line("[[nodiscard]] std::uint64_t offset() const { return state_.base; }");
    w.line("// Whether no byte of a message is waiting for its rest.");
    w.line("[[nodiscard]] bool empty() const { return state_.number == 0 || state_.home == state_.base; }");
    w.line("// Where and why parsing failed.");
    w.open("[[nodiscard]] vproto::error error() const {");
    if module.parser.sites.is_empty() {
        w.line("return {state_.base, 0, 0, nullptr, vproto::reason::none, \"\", -1};");
    } else {
        let at = module.names.local("at");
        w.line(format!("const place_type& {at} = places[state_.error_place];"));
        w.line(format!("return {{state_.base, {at}.line, {at}.column, {at}.file,"));
        let expected = if says_later(module) {
            format!("{at}.expected ? {at}.expected : expected_.text()")
        } else {
            format!("{at}.expected")
        };
        w.line(format!("        static_cast<vproto::reason>(state_.error_kind), {expected},"));
        w.line("        state_.error_found > 256 ? -1 : static_cast<int>(state_.error_found)};");
    }
    w.close("}");
}

/// What a parser that runs this one calls.
fn as_sub(module: &Module<'_>, w: &mut Writer) {
    let name = |text: &str| module.names.local(text);
    let (limit, bytes, before, how) = (name("limit"), name("bytes"), name("before"), name("how"));
    w.blank();
    w.line("// For the parser that runs this one.");
    w.open(format!("void begin_stream(std::uint64_t {limit}) {{"));
    w.open("if (!fresh_) {");
    w.line("clear_variables();");
    w.line("clear_context();");
    w.close("}");
    w.line(format!("state_.limit = {limit};"));
    w.close("}");
    w.open(format!("std::uint64_t feed(std::string_view {bytes}) {{"));
    w.line(format!("const std::uint64_t {before} = state_.base;"));
    w.line(format!("run(vproto::begin({bytes}), {bytes}.size(), 0);"));
    w.line(format!("return state_.base - {before};"));
    w.close("}");
    w.open(format!("std::uint64_t feed_last(std::string_view {bytes}) {{"));
    w.line(format!("const std::uint64_t {before} = state_.base;"));
    w.line(format!("run(vproto::begin({bytes}), {bytes}.size(), vproto::limit_ends);"));
    w.line(format!("return state_.base - {before};"));
    w.close("}");
    w.line(format!("void end_stream(std::uint64_t {how}) {{ run(vproto::bytes_at(nullptr), 0, {how}); }}"));
    w.line("bool is_over() const { return state_.over == 1 || state_.over == 3; }");
    w.line("std::uint64_t error_found() const { return state_.error_found; }");
    w.line("bool has_failed() const { return state_.over == 2 || state_.over == 4; }");
    w.line("bool is_incomplete() const { return state_.over == 2; }");
    w.open("bool takes_pause() {");
    let asked = name("asked");
    w.line(format!("const bool {asked} = state_.pausing;"));
    w.line("state_.pausing = false;");
    w.line(format!("return {asked};"));
    w.close("}");
}

fn traced(module: &Module<'_>, w: &mut Writer) {
    w.blank();
    w.line("// The event trace.");
    let out = module.names.local("out");
    w.open(format!("void trace_to(std::string& {out}) {{"));
    w.line(format!("trace_.out = &{out};"));
    if module.is_sub() {
        w.line(format!("trace_.module = {};", literal(module.machine().name.as_bytes())));
    }
    for (id, var) in module.machine().symbols.vars.iter() {
        if matches!(var.ty, VarType::Module(_)) {
            w.line(format!("{}.trace_to({out});", module.names.var(id)));
        }
    }
    w.close("}");
    if module.is_sub() {
        return w.line(format!("void set_outer(std::uint64_t {out}) {{ trace_.outer = {out}; }}"));
    }
    w.open("void finish_traced() {");
    let how = module.names.local("how");
    w.line(format!("const vproto::status {how} = finish();"));
    w.line("trace_.begin(\"end\", state_.base);");
    w.line("*trace_.out += \",\\\"status\\\":\\\"\";");
    w.line(format!("*trace_.out += vproto::name({how});"));
    w.line("*trace_.out += \"\\\"}\\n\";");
    w.close("}");
    w.line("bool succeeded() const { return state_.over == 1 || state_.over == 3; }");
    setter(module, w);
}

/// `--set name=value`.
fn setter(module: &Module<'_>, w: &mut Writer) {
    let (wanted, value) = (module.names.local("wanted"), module.names.local("text"));
    w.open(format!("bool set(std::string_view {wanted}, std::string_view {value}) {{"));
    for (id, var) in module.machine().symbols.vars.iter() {
        let name = module.names.var(id);
        let call = match var.ty {
            VarType::Module(_) => continue,
            VarType::String => {
                format!(
                    "vproto::set_text(this->{name}, {value}, {}u)",
                    module.machine().symbols.limits.string
                )
            }
            VarType::View => {
                format!("vproto::set_text(this->{name}, {value}, {}u)", module.machine().symbols.limits.view)
            }
            VarType::Array { capacity } => format!("vproto::set_text(this->{name}, {value}, {capacity}u)"),
            VarType::Enum { of, .. } => format!(
                "vproto::set_member(this->{name}, {value}, {}::{}_names)",
                module.names.result,
                module.names.enumeration(of)
            ),
            _ => format!("vproto::set_value(this->{name}, {value})"),
        };
        w.line(format!("if ({wanted} == {}) return {call};", literal(var.name.as_bytes())));
    }
    w.line(format!("static_cast<void>({wanted}), static_cast<void>({value});"));
    w.line("return false;");
    w.close("}");
}

fn private(module: &Module<'_>, w: &mut Writer, file: &str) {
    for (index, set) in module.parser.sets.iter().enumerate() {
        super::set::print(index, set, w);
    }
    super::hear::print(module, w);
    class_tables(module, w);
    tries(module, w);
    places(module, w);
    clearing(module, w);
    if let Some(bounds) = module.parser.threads {
        let text = held_type(module, bounds.text);
        let (slots, log, depth) = (module.parser.slots, bounds.log, bounds.depth);
        w.line("// What a state of an undecided `< >` may keep, and how many there are at once.");
        let appended = bounds.appended;
        w.line(format!("using thread_type = vproto::thread<{text}, {slots}, {log}, {depth}, {appended}>;"));
        w.line(format!("using threads_type = vproto::threads<thread_type, {}>;", bounds.threads));
    }
    if !module.parser.shared.is_empty() {
        w.blank();
        w.line("// What the parts of the machine hand to each other.");
        w.open("struct work_type {");
        fields(&module.parser.shared, w);
        w.close("};");
    }
    for function in &module.parser.functions {
        if module.options.classic {
            function::declare(module, function, w);
        } else {
            function::print(module, function, w, file, "");
        }
        function::beside(module, function, w);
    }
    if module.options.classic {
        classic_pieces(module, w);
    }
    w.blank();
    w.line(format!("{} state_;", module.names.state));
    if says_later(module) {
        let text = if module.options.no_heap { "vproto::fixed_text<1025>" } else { "std::string" };
        w.line(format!("vproto::expectation<{text}> expected_;"));
    }
    for field in &module.parser.fields {
        match field.ty {
            Ty::Held => w.line(format!("{} {}_;", held_type(module, field.count), field.name)),
            Ty::Threads => w.line(format!("threads_type {}_;", field.name)),
            _ => {}
        }
    }
    w.line("vproto::busy_flag busy_;");
    w.line(if module.is_sub() {
        "bool fresh_ = true;"
    } else {
        "bool finished_ = false, reset_later_ = false;"
    });
    if module.options.with_main {
        w.line("vproto::tracer trace_;");
    }
}

fn held_type(module: &Module<'_>, bytes: u32) -> String {
    if module.options.no_heap {
        format!("vproto::fixed_held<{}>", bytes.max(1))
    } else {
        "vproto::held".to_owned()
    }
}

/// Whether the description has code in C++.
pub(super) fn has_native(module: &Module<'_>) -> bool {
    module.parser.functions.iter().any(|f| matches!(f.role, FunctionRole::Code(_) | FunctionRole::Print))
}

/// Names of the description that its code in C++ may use as they are: a template does not look into its base.
fn visible(module: &Module<'_>, w: &mut Writer) {
    let symbols = &module.machine().symbols;
    w.line("// What code of the description may name.");
    let vars = symbols.vars.iter().filter(|(_, v)| !matches!(v.ty, VarType::Module(_)));
    let vars = vars.map(|(id, _)| module.names.var(id).to_owned());
    let functions = symbols.functions.iter().map(|(id, _)| module.names.function(id).to_owned());
    let members = symbols.enums.iter().flat_map(|(id, _)| module.names.members(id).to_vec());
    for name in vars.chain(functions).chain(members) {
        w.line(format!("using Output::{name};"));
    }
}

/// Name and line of a piece of the description.
pub(super) fn place_of(options: &Options, span: vproto_source::Span) -> (String, u32) {
    if options.files.iter().next().is_none() {
        return (String::new(), 0);
    }
    (options.files.get(span.file).name.clone(), options.files.place(span).line)
}

/// Text of the user, with directives so that messages point into the description.
pub(super) fn native(w: &mut Writer, options: &Options, text: &str, file: &str, line: u32, own: &str) {
    let directives = options.line_directives && !file.is_empty();
    if directives {
        w.margin(format!("#line {line} {}", literal(file.as_bytes())));
    }
    w.verbatim(text);
    if directives {
        let next = w.text().lines().count() + 2;
        w.margin(format!("#line {next} {}", literal(own.as_bytes())));
    }
}

fn class_tables(module: &Module<'_>, w: &mut Writer) {
    for (index, table) in module.parser.tables.iter().enumerate() {
        w.blank();
        w.open(format!("static constexpr unsigned char table{index}[256] = {{"));
        for row in table.chunks(32) {
            let row: Vec<String> = row.iter().map(u8::to_string).collect();
            w.line(format!("{},", row.join(", ")));
        }
        w.close("};");
    }
}

fn tries(module: &Module<'_>, w: &mut Writer) {
    for (index, table) in module.parser.tries.iter().enumerate() {
        w.blank();
        w.open(format!("static constexpr std::uint16_t trie{index}[{}] = {{", table.len()));
        for row in table.chunks(24) {
            let row: Vec<String> = row.iter().map(u16::to_string).collect();
            w.line(format!("{},", row.join(", ")));
        }
        w.close("};");
    }
}

/// Places that errors report.
fn places(module: &Module<'_>, w: &mut Writer) {
    let machine = module.machine();
    let parser = module.parser;
    if parser.sites.is_empty() {
        return;
    }
    w.blank();
    w.open("struct place_type {");
    w.line("std::uint32_t line, column;");
    w.line("const char* file;");
    w.line("const char* expected;");
    w.close("};");
    w.open("static constexpr place_type places[] = {");
    for (site, expected) in parser.sites.iter().zip(&parser.expected) {
        let site = &machine.sites[*site];
        let file = site.file.and_then(|f| machine.files.get(f as usize));
        let file = file.map_or("nullptr".to_owned(), |f| literal(f.as_bytes()));
        let shown = match is_later(expected) {
            true => "nullptr".to_owned(),
            false => literal(expected.as_bytes()),
        };
        w.line(format!("{{{}, {}, {file}, {shown}}},", site.line, site.column));
    }
    w.close("};");
    rests(module, w);
    number_table("handlers", &parser.handlers, w);
    if parser.depth > 0 {
        number_table("call_handlers", &parser.call_handlers, w);
        number_table("call_trees", &parser.call_trees, w);
        number_table("call_fences", &parser.call_fences, w);
    }
    if says_later(module) {
        note_expected(module, w);
    }
}

/// What the routines know of resting states.
fn rests(module: &Module<'_>, w: &mut Writer) {
    if module.parser.rests.is_empty() {
        return;
    }
    w.open("struct rest_type {");
    w.line("std::uint32_t place, count;");
    w.line("const char* text;");
    w.line("bool folds;");
    w.close("};");
    w.open("static constexpr rest_type rests[] = {");
    for rest in &module.parser.rests {
        let place = rest.place.unwrap_or(NO_PLACE);
        let text = rest.text.as_ref().map_or("nullptr".to_owned(), |t| literal(t));
        w.line(format!("{{{place}u, {}, {text}, {}}},", rest.count, rest.folds));
    }
    w.close("};");
}

fn number_table(name: &str, numbers: &[u64], w: &mut Writer) {
    let used = !numbers.is_empty();
    if used {
        let text: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let line = format!("static constexpr std::uint16_t {name}[] = {{{}}};", text.join(", "));
        w.line(line);
    }
}

/// Whether what an error expects is known when it happens only.
fn is_later(expected: &str) -> bool {
    [SEARCHED, MATCHED, UNION].iter().any(|mark| expected.starts_with(mark))
}

/// Whether some error of a module says what it expects when it happens only.
pub(super) fn says_later(module: &Module<'_>) -> bool {
    module.parser.expected.iter().any(|expected| is_later(expected))
}

/// Writes down what an error expects, where a variable or a group says it.
fn note_expected(module: &Module<'_>, w: &mut Writer) {
    w.open("void note_expected() {");
    w.line("expected_.clear();");
    w.open("switch (state_.error_place) {");
    for (index, expected) in module.parser.expected.iter().enumerate() {
        let note = if expected.starts_with(UNION) {
            let site = &module.machine().sites[module.parser.sites[index]];
            let wants = literal(site.wants.clone().unwrap_or_default().as_bytes());
            format!("threads_.note_expected(expected_, {wants})")
        } else if expected.starts_with(SEARCHED) {
            "expected_.quoted(state_.search.text())".to_owned()
        } else if let Some(var) = expected.strip_prefix(MATCHED) {
            let var = module.var(VarId(var.parse().unwrap_or(0)));
            format!("expected_.quoted(std::string_view({var}))")
        } else {
            continue;
        };
        w.line(format!("case {index}: {note}; break;"));
    }
    w.line("default: break;");
    w.close("}");
    w.close("}");
}

fn clearing(module: &Module<'_>, w: &mut Writer) {
    let symbols = &module.machine().symbols;
    w.blank();
    w.open("void clear_variables() {");
    for (id, var) in symbols.vars.iter() {
        let name = module.names.var(id);
        match var.ty {
            VarType::Module(_) => {}
            VarType::String | VarType::View | VarType::Array { .. } => {
                w.line(format!("this->{name}.clear();"))
            }
            _ => w.line(format!("this->{name} = {}{{{}}};", module.var_type(id), module.start_value(id))),
        }
    }
    w.close("}");
    w.open("void clear_context() {");
    for field in sorted(&module.parser.fields) {
        let start = match field.start {
            NEVER => "vproto::never".to_owned(),
            _ => format!("{}{{}}", ty(field.ty, "")),
        };
        w.line(format!("state_.{} = {start};", field.name));
    }
    w.line(if module.is_sub() { "fresh_ = true;" } else { "" });
    for field in &module.parser.fields {
        if matches!(field.ty, Ty::Held | Ty::Threads) {
            w.line(format!("{}_.clear();", field.name));
        }
    }
    for (id, var) in symbols.vars.iter() {
        if matches!(var.ty, VarType::Module(_)) {
            w.line(format!("{}.begin_stream(vproto::never);", module.names.var(id)));
        }
    }
    w.close("}");
    if resets(module) {
        w.open("void restart_context() {");
        let old = module.names.local("old");
        w.line(format!("const {} {old} = state_;", module.names.state));
        w.line("clear_context();");
        w.line(format!("state_.base = {old}.base;"));
        w.line(if module.is_sub() { format!("state_.limit = {old}.limit;") } else { String::new() });
        w.close("}");
    }
    move_views(module, w);
}

/// Whether the machine has a `reset`.
fn resets(module: &Module<'_>) -> bool {
    let edges = module.machine().states.rows().iter().flatten().flat_map(|s| s.kind.edges());
    edges.flat_map(|e| &e.actions).any(|a| matches!(a.op, vproto_ir::machine::Op::Reset))
}

fn move_views(module: &Module<'_>, w: &mut Writer) {
    // What feeds a module combined bytes moves its views out of them, borrowed or not.
    if (module.options.borrow_views && !module.is_sub()) || !has_views(module) {
        return;
    }
    if module.is_sub() {
        w.margin("public:");
    }
    let (from, to) = (module.names.local("from"), module.names.local("to"));
    let home = module.names.local("at_home");
    w.line("// At home only views that the description reads move; others last as long as the fragment.");
    w.open(format!("void move_views(vproto::cursor {from}, vproto::cursor {to}, bool {home}) {{"));
    let read = vproto_code::model::reads::read_variables(module.program, module.id);
    for (id, var) in module.machine().symbols.vars.iter() {
        let name = module.names.var(id);
        match var.ty {
            VarType::View if read.contains(&id) => {
                w.line(format!("vproto::move_view(this->{name}, {from}, {to});"));
            }
            VarType::View => {
                w.line(format!("if ({home}) this->{name}.settle();"));
                w.line(format!("else vproto::move_view(this->{name}, {from}, {to});"));
            }
            VarType::Module(of) if vproto_code::model::goto::has_views(module.program, of) => {
                w.line(format!("{name}.move_views({from}, {to}, {home});"));
            }
            _ => {}
        }
    }
    w.line(format!("static_cast<void>({home});"));
    w.close("}");
    if module.is_sub() {
        w.margin("private:");
    }
}

fn has_views(module: &Module<'_>) -> bool {
    vproto_code::model::goto::has_views(module.program, module.id)
}

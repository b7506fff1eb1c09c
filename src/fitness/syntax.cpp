#include "fitness/syntax.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tree_sitter/api.h>

#include "base/text.h"
#include "fitness/fragment.h"

extern "C" {
const TSLanguage* tree_sitter_bash();
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_css();
const TSLanguage* tree_sitter_go();
const TSLanguage* tree_sitter_html();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_json();
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_rust();
const TSLanguage* tree_sitter_sql();
const TSLanguage* tree_sitter_tsx();
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_yaml();
}

namespace vibe::fitness {

namespace {

using Labels = std::string_view;

constexpr Labels kPython[]{"python", "py", "python3", "py3", "python2", "pyi"};
constexpr Labels kJavaScript[]{"javascript", "js", "jsx", "mjs", "cjs", "node", "nodejs", "es6"};
constexpr Labels kTypeScript[]{"typescript", "ts", "mts", "cts"};
constexpr Labels kTsx[]{"tsx"};
constexpr Labels kC[]{"c", "h"};
constexpr Labels kCpp[]{"c++", "cpp", "cxx", "cc", "hpp", "hh", "hxx", "cplusplus"};
constexpr Labels kRust[]{"rust", "rs"};
constexpr Labels kGo[]{"go", "golang"};
constexpr Labels kJava[]{"java"};
constexpr Labels kBash[]{"bash", "sh", "shell", "zsh", "ksh"};
constexpr Labels kSql[]{"sql", "mysql", "mariadb", "postgresql", "postgres", "pgsql", "sqlite"};
constexpr Labels kJson[]{"json", "geojson", "jsonl", "ndjson"};  // jsonc and json5 are others
constexpr Labels kYaml[]{"yaml", "yml"};
constexpr Labels kHtml[]{"html", "htm", "xhtml"};
constexpr Labels kCss[]{"css"};

constexpr Surroundings kInPython[]{{"try:\n    pass\n", ""}, {"if x:\n    pass\n", ""}};
constexpr Surroundings kInJavaScript[]{{"class X {\n", "\n}"}, {"({\n", "\n})"}};
constexpr Surroundings kInC[]{{"void f(void) {\n", "\n;}"}};
constexpr Surroundings kInCpp[]{{"void f() {\n", "\n;}"}, {"struct X {\n", "\n};"}};
constexpr Surroundings kInRust[]{
    {"fn f() {\n", "\n}"}, {"impl X {\n", "\n}"}, {"struct X {\n", "\n}"}};
constexpr Surroundings kInGo[]{{"func f() {\n", "\n}"}, {"type X struct {\n", "\n}"}};
constexpr Surroundings kInJava[]{{"class X {\n", "\n}"}, {"class X { void f() {\n", "\n;}}"}};
constexpr Surroundings kInSql[]{{"SELECT * FROM x ", ""}};
constexpr Surroundings kInJson[]{{"{\n", "\n}"}};
constexpr Surroundings kInCss[]{{"x {\n", "\n}"}};

// Those that are told apart but not parsed.
constexpr Labels kAda[]{"ada"};
constexpr Labels kAssembly[]{"assembly", "asm", "nasm"};
constexpr Labels kAwk[]{"awk"};
constexpr Labels kBatch[]{"batch", "bat", "cmd"};
constexpr Labels kCSharp[]{"c#", "csharp", "cs"};
constexpr Labels kClojure[]{"clojure", "clj"};
constexpr Labels kCobol[]{"cobol"};
constexpr Labels kCuda[]{"cuda", "cu"};
constexpr Labels kD[]{"d"};
constexpr Labels kDart[]{"dart"};
constexpr Labels kElixir[]{"elixir", "ex", "exs"};
constexpr Labels kErlang[]{"erlang", "erl"};
constexpr Labels kFSharp[]{"f#", "fsharp", "fs"};
constexpr Labels kFish[]{"fish"};
constexpr Labels kFortran[]{"fortran", "f90"};
constexpr Labels kGroovy[]{"groovy"};
constexpr Labels kHaskell[]{"haskell", "hs"};
constexpr Labels kJulia[]{"julia", "jl"};
constexpr Labels kKotlin[]{"kotlin", "kt", "kts"};
constexpr Labels kLisp[]{"lisp", "elisp", "scheme", "racket"};
constexpr Labels kLua[]{"lua"};
constexpr Labels kMatlab[]{"matlab", "octave"};
constexpr Labels kNim[]{"nim"};
constexpr Labels kObjectiveC[]{"objective-c", "objectivec", "objc"};
constexpr Labels kOcaml[]{"ocaml", "ml"};
constexpr Labels kPascal[]{"pascal", "delphi"};
constexpr Labels kPerl[]{"perl", "pl"};
constexpr Labels kPhp[]{"php"};
constexpr Labels kPowerShell[]{"powershell", "ps1", "pwsh"};
constexpr Labels kProlog[]{"prolog"};
constexpr Labels kR[]{"r"};
constexpr Labels kRuby[]{"ruby", "rb"};
constexpr Labels kScala[]{"scala"};
constexpr Labels kShader[]{"glsl", "hlsl", "wgsl"};
constexpr Labels kSolidity[]{"solidity", "sol"};
constexpr Labels kSvelte[]{"svelte"};
constexpr Labels kSwift[]{"swift"};
constexpr Labels kTSql[]{"tsql", "t-sql", "plsql", "plpgsql"};
constexpr Labels kVb[]{"vb", "vbnet", "vba"};
constexpr Labels kVerilog[]{"verilog", "systemverilog", "vhdl"};
constexpr Labels kVue[]{"vue"};
constexpr Labels kZig[]{"zig"};

constexpr Language kLanguages[]{
    {.name = "Python",
     .labels = kPython,
     .grammar = tree_sitter_python,
     .lines_matter = true,
     .repair = repair_python,
     .surroundings = kInPython},
    {.name = "JavaScript",
     .labels = kJavaScript,
     .grammar = tree_sitter_javascript,
     .surroundings = kInJavaScript},
    {.name = "TypeScript",
     .labels = kTypeScript,
     .grammar = tree_sitter_typescript,
     .other = tree_sitter_tsx,
     .surroundings = kInJavaScript},
    {.name = "TSX",
     .labels = kTsx,
     .dialect_of = "TypeScript",
     .grammar = tree_sitter_tsx,
     .other = tree_sitter_typescript,
     .surroundings = kInJavaScript},
    {.name = "C", .labels = kC, .grammar = tree_sitter_c, .surroundings = kInC},
    {.name = "C++", .labels = kCpp, .grammar = tree_sitter_cpp, .surroundings = kInCpp},
    {.name = "Rust", .labels = kRust, .grammar = tree_sitter_rust, .surroundings = kInRust},
    {.name = "Go",
     .labels = kGo,
     .grammar = tree_sitter_go,
     .lines_matter = true,
     .surroundings = kInGo},
    {.name = "Java", .labels = kJava, .grammar = tree_sitter_java, .surroundings = kInJava},
    {.name = "Bash",
     .labels = kBash,
     .grammar = tree_sitter_bash,
     .lines_matter = true,
     .repair = repair_bash},
    {.name = "SQL",
     .labels = kSql,
     .grammar = tree_sitter_sql,
     .repair = repair_sql,
     .surroundings = kInSql},
    {.name = "JSON",
     .labels = kJson,
     .programming = false,
     .grammar = tree_sitter_json,
     .surroundings = kInJson},
    {.name = "YAML",
     .labels = kYaml,
     .programming = false,
     .grammar = tree_sitter_yaml,
     .lines_matter = true},
    {.name = "HTML",
     .labels = kHtml,
     .programming = false,
     .grammar = tree_sitter_html,
     .repair = repair_html},
    {.name = "CSS",
     .labels = kCss,
     .programming = false,
     .grammar = tree_sitter_css,
     .surroundings = kInCss},
    {.name = "Ada", .labels = kAda},
    {.name = "assembly", .labels = kAssembly},
    {.name = "AWK", .labels = kAwk},
    {.name = "batch", .labels = kBatch},
    {.name = "C#", .labels = kCSharp},
    {.name = "Clojure", .labels = kClojure},
    {.name = "COBOL", .labels = kCobol},
    {.name = "CUDA", .labels = kCuda},
    {.name = "D", .labels = kD},
    {.name = "Dart", .labels = kDart},
    {.name = "Elixir", .labels = kElixir},
    {.name = "Erlang", .labels = kErlang},
    {.name = "F#", .labels = kFSharp},
    {.name = "fish", .labels = kFish},
    {.name = "Fortran", .labels = kFortran},
    {.name = "Groovy", .labels = kGroovy},
    {.name = "Haskell", .labels = kHaskell},
    {.name = "Julia", .labels = kJulia},
    {.name = "Kotlin", .labels = kKotlin},
    {.name = "Lisp", .labels = kLisp},
    {.name = "Lua", .labels = kLua},
    {.name = "MATLAB", .labels = kMatlab},
    {.name = "Nim", .labels = kNim},
    {.name = "Objective-C", .labels = kObjectiveC},
    {.name = "OCaml", .labels = kOcaml},
    {.name = "Pascal", .labels = kPascal},
    {.name = "Perl", .labels = kPerl},
    {.name = "PHP", .labels = kPhp},
    {.name = "PowerShell", .labels = kPowerShell},
    {.name = "Prolog", .labels = kProlog},
    {.name = "R", .labels = kR},
    {.name = "Ruby", .labels = kRuby},
    {.name = "Scala", .labels = kScala},
    {.name = "shader", .labels = kShader},
    {.name = "Solidity", .labels = kSolidity},
    {.name = "Svelte", .labels = kSvelte},
    {.name = "Swift", .labels = kSwift},
    {.name = "T-SQL", .labels = kTSql, .dialect_of = "SQL"},
    {.name = "Visual Basic", .labels = kVb},
    {.name = "Verilog", .labels = kVerilog},
    {.name = "Vue", .labels = kVue},
    {.name = "Zig", .labels = kZig},
};

// ---- parsing

constexpr std::size_t kMostFragment = 32 << 10;  // bytes; longer code is tried once
constexpr std::size_t kMostRecovered = 8 << 10;  // bytes; an error behind them ends the parsing
constexpr std::uint32_t kChunk = 1024;           // bytes handed to the lexer at a time

template <auto kDelete>
struct Deleter {
  template <class T>
  void operator()(T* one) const {
    kDelete(one);
  }
};
using Parser = std::unique_ptr<TSParser, Deleter<ts_parser_delete>>;
using Tree = std::unique_ptr<TSTree, Deleter<ts_tree_delete>>;

// Hands the code to the parser, and counts its steps. Code takes at most one action for each byte,
// and a read or two for each chunk; to recover from errors can take thousands, each longer than
// the one before. So the parser may fall behind by so many actions, wherever it is, and no more;
// nor may a scanner read far ahead again and again.
class Feed {
 public:
  explicit Feed(std::string_view code)
      : code_(code),
        last_(code.find_last_not_of(" \t\r\n")),
        reads_left_(200 + code.size() / kChunk * 32) {}

  static const char* read(void* self, std::uint32_t at, TSPoint, std::uint32_t* size) {
    return static_cast<Feed*>(self)->chunk(at, *size);
  }
  static bool is_enough(TSParseState* state) {
    return static_cast<Feed*>(state->payload)->is_enough(*state);
  }
  bool failed() const { return failed_; }  // it stopped since the rest is of no account

 private:
  static constexpr std::size_t kActions = 100;  // between two looks at how far it is
  static constexpr std::size_t kForAByte = 3, kMostBehind = 20'000;

  bool is_enough(const TSParseState& state) {
    const std::size_t place = std::max<std::size_t>(place_, state.current_byte_offset);
    behind_ += kActions;
    behind_ -= std::min(behind_, kForAByte * (place - place_));
    place_ = place;
    // All ways to read the code are wrong; but at its end, one may just have ended well.
    failed_ = failed_ || (state.has_error && place_ < last_ && place_ > kMostRecovered);
    return failed_ || behind_ > kMostBehind || reads_left_ == 0;
  }

  // Ends between characters: the code is UTF-8.
  const char* chunk(std::uint32_t at, std::uint32_t& size) {
    size = 0;
    if (at >= code_.size() || reads_left_ == 0) return "";
    --reads_left_;
    std::size_t end = std::min<std::size_t>(at + kChunk, code_.size());
    while (end < code_.size() && (static_cast<unsigned char>(code_[end]) & 0xC0) == 0x80) ++end;
    size = static_cast<std::uint32_t>(end - at);
    return code_.data() + at;
  }

  std::string_view code_;
  std::size_t last_;  // what is not white space
  std::size_t reads_left_;
  std::size_t place_ = 0, behind_ = 0;
  bool failed_ = false;
};

TSParser& parser() {
  thread_local const Parser one(ts_parser_new());
  return *one;
}

// Null: it was stopped.
Tree parse(const TSLanguage* grammar, Feed& feed) {
  TSParser& one = parser();
  if (ts_parser_language(&one) != grammar) ts_parser_set_language(&one, grammar);
  const TSInput input{&feed, Feed::read, TSInputEncodingUTF8, nullptr};
  Tree tree(ts_parser_parse_with_options(&one, nullptr, input, {&feed, Feed::is_enough}));
  ts_parser_reset(&one);
  return tree;
}

enum class Parses : std::uint8_t { yes, no, unknown };

Parses try_parse(const TSLanguage* grammar, std::string_view code) {
  Feed feed(code);
  const Tree tree = parse(grammar, feed);
  if (!tree) return feed.failed() ? Parses::no : Parses::unknown;
  return ts_node_has_error(ts_tree_root_node(tree.get())) ? Parses::no : Parses::yes;
}

// Whether people would read it as a part of a program.
bool is_fragment(const Language& language, std::string_view code) {
  if (code.size() > kMostFragment) return false;
  if (language.other && try_parse(language.other(), code) == Parses::yes) return true;
  std::string repaired = without_elisions(without_diff_marks(code));
  if (language.repair) repaired = language.repair(repaired);
  const TSLanguage* const grammar = language.grammar();
  if (repaired != code && try_parse(grammar, repaired) == Parses::yes) return true;
  return std::any_of(
      language.surroundings.begin(), language.surroundings.end(), [&](const auto& in) {
        return try_parse(grammar, fmt::format("{}{}{}", in.before, base::trim(repaired),
                                              in.after)) == Parses::yes;
      });
}

// ---- what is wrong

// Where the parser first had no way to go on, which its log tells and the tree does not: there, the
// error begins with the construct around it.
struct Stuck {
  TSPoint now{0, 0}, first{0, 0};
  std::size_t times = 0;  // that no way to read the code went on

  static void log(void* self, TSLogType type, const char* text) {
    if (type == TSLogTypeParse) static_cast<Stuck*>(self)->see(text);
  }
  void see(std::string_view text) {
    unsigned version = 0, count = 0, row = 0, column = 0;
    int state = 0;
    if (times == 0 && text.starts_with("process ")) {
      if (std::sscanf(text.data(), "process version:%u, version_count:%u, state:%d, row:%u, col:%u",
                      &version, &count, &state, &row, &column) == 5)
        now = {row, column};
    } else if (times == 0 && text.starts_with("detect_error")) {
      if (std::pair(now.row, now.column) >= std::pair(first.row, first.column)) first = now;
    } else if (text.starts_with("resume version")) {
      ++times;
    }
  }
};

Stuck where_stuck(const TSLanguage* grammar, std::string_view code) {
  Feed feed(code);
  Stuck stuck;
  ts_parser_set_logger(&parser(), {&stuck, Stuck::log});
  parse(grammar, feed);
  ts_parser_set_logger(&parser(), {nullptr, nullptr});
  return stuck;
}

// The first node in the code that is wrong or missing.
TSNode first_wrong(TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  TSNode node = root;
  const auto is_wrong = [](TSNode one) { return ts_node_is_error(one) || ts_node_is_missing(one); };
  while (!is_wrong(node) && ts_tree_cursor_goto_first_child(&cursor)) {
    do node = ts_tree_cursor_current_node(&cursor);
    while (!ts_node_has_error(node) && !is_wrong(node) &&
           ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return node;
}

std::size_t offset_of(std::string_view code, TSPoint point) {
  std::size_t line = 0;
  for (std::uint32_t row = 0; row < point.row; ++row) {
    const std::size_t end = code.find('\n', line);
    if (end == std::string_view::npos) return code.size();
    line = end + 1;
  }
  return std::min<std::size_t>(line + point.column, code.size());
}

// The word or sign at a place.
std::string token_at(std::string_view code, std::size_t at) {
  constexpr std::size_t kMostShown = 20;
  if (at >= code.size()) return "end of the code";
  if (code[at] == '\n' || code[at] == '\r') return "end of the line";
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::size_t end = at;
  while (end < code.size() && is_word(code[end])) ++end;
  if (end == at) end = at + base::decode(code, at).length;
  return fmt::format("`{}`", base::shorten(base::printable(code.substr(at, end - at)), kMostShown));
}

SyntaxError error_at(std::string_view code, std::size_t at, std::string message) {
  const std::string_view before = code.substr(0, at);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  std::uint32_t column = 1;
  for (std::size_t i = begin; i < at; i += base::decode(code, i).length) ++column;
  return {line + 1, column, std::move(message)};
}

SyntaxError describe(const Language& language, std::string_view code) {
  Feed feed(code);
  if (const Tree tree = parse(language.grammar(), feed)) {
    const TSNode wrong = first_wrong(ts_tree_root_node(tree.get()));
    const std::string_view what = ts_node_type(wrong);
    if (ts_node_is_missing(wrong) && !what.starts_with('_'))
      return error_at(code, std::min<std::size_t>(ts_node_start_byte(wrong), code.size()),
                      ts_node_is_named(wrong) ? fmt::format("missing {}", what)
                                              : fmt::format("missing `{}`", what));
  }
  std::size_t at = offset_of(code, where_stuck(language.grammar(), code).first);
  const std::string_view blanks = language.lines_matter ? " \t" : " \t\r\n";
  at = std::min(code.find_first_not_of(blanks, at), code.size());
  return error_at(code, at, "unexpected " + token_at(code, at));
}

// Of code that the parser did not come to the end of: whether it is full of errors.
bool is_hopeless(const TSLanguage* grammar, std::string_view code) {
  constexpr std::size_t kManyTimes = 3;
  return where_stuck(grammar, code).times >= kManyTimes;
}

}  // namespace

std::span<const Language> languages() { return kLanguages; }

const Language* find_language(std::string_view label) {
  // `{.python}`, `language-python`, `rust,ignore`, `js{1,3}`
  while (!label.empty() && (label[0] == '{' || label[0] == '.')) label.remove_prefix(1);
  for (const std::string_view prefix : {"language-", "lang-"})
    if (label.starts_with(prefix)) label.remove_prefix(prefix.size());
  label = label.substr(0, label.find_first_of(",{}:;= \t"));
  const std::string lower = base::lower_ascii(label);
  for (const Language& language : kLanguages)
    if (std::find(language.labels.begin(), language.labels.end(), lower) != language.labels.end())
      return &language;
  return nullptr;
}

std::optional<SyntaxError> find_syntax_error(const Language& language, std::string_view given) {
  if (!language.grammar || given.size() > kMostCodeBytes) return std::nullopt;
  std::string valid;
  if (base::first_invalid(given)) valid = base::replace_invalid(given);
  const std::string_view code = valid.empty() ? given : valid;
  switch (try_parse(language.grammar(), code)) {
    case Parses::yes: return std::nullopt;
    case Parses::no:
      if (is_fragment(language, code)) return std::nullopt;
      break;
    case Parses::unknown:
      if (!is_hopeless(language.grammar(), code)) return std::nullopt;
      break;
  }
  return describe(language, code);
}

}  // namespace vibe::fitness

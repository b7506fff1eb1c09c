#include "fitness/syntax.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tree_sitter/api.h>

#include "base/text.h"
#include "fitness/fragment.h"

extern "C" {
// Defined in cmake/tree_sitter.c, where the runtime is compiled.
struct ParserTrouble {
  unsigned long skipped;  // tokens
  bool met;               // an error
  TSPoint place;          // where the first one was
};
ParserTrouble* vibe_parser_trouble();

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
constexpr Labels kJson[]{"json", "geojson", "jsonl",
                         "ndjson"};  // jsonc and json5 are other languages
constexpr Labels kYaml[]{"yaml", "yml"};
constexpr Labels kHtml[]{"html", "htm", "xhtml"};
constexpr Labels kCss[]{"css"};

constexpr Surroundings kInPython[]{{"try:\n    pass\n", "\n"}, {"if x:\n    pass\n", "\n"}};
constexpr Surroundings kInJavaScript[]{{"class X {\n", "\n}\n"}, {"({\n", "\n})\n"}};
constexpr Surroundings kInC[]{{"void f(void) {\n", "\n;}\n"}};
constexpr Surroundings kInCpp[]{{"void f() {\n", "\n;}\n"}, {"struct X {\n", "\n};\n"}};
constexpr Surroundings kInRust[]{
    {"fn f() {\n", "\n}\n"}, {"impl X {\n", "\n}\n"}, {"struct X {\n", "\n}\n"}};
constexpr Surroundings kInGo[]{{"func f() {\n", "\n}\n"}, {"type X struct {\n", "\n}\n"}};
constexpr Surroundings kInJava[]{{"class X {\n", "\n}\n"}, {"class X { void f() {\n", "\n;}}\n"}};
constexpr Surroundings kInSql[]{{"SELECT * FROM x ", "\n"}};
constexpr Surroundings kInJson[]{{"{\n", "\n}\n"}};
constexpr Surroundings kInCss[]{{"x {\n", "\n}\n"}};

// Languages that are recognised but not parsed.
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
constexpr unsigned long kMostSkipped = 500;      // tokens; with more, the code is hopeless
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

// Passes the code to the parser, and stops it if it takes more steps than code should: about one
// action per byte and one or two reads per chunk. That happens if it falls far behind, reads ahead
// repeatedly, or has skipped so much that the code is full of errors.
class Feed {
 public:
  explicit Feed(std::string_view code)
      : code_(code), reads_left_(200 + code.size() / kChunk * 32) {}

  static const char* read(void* self, std::uint32_t at, TSPoint, std::uint32_t* size) {
    return static_cast<Feed*>(self)->chunk(at, *size);
  }
  static bool is_enough(TSParseState* state) {
    return static_cast<Feed*>(state->payload)->is_enough(state->current_byte_offset);
  }
  // A read was refused, which the parser treated as the end of the code.
  bool ended_early() const { return ended_early_; }

 private:
  static constexpr std::size_t kActions = 100;  // between two checks of the progress
  static constexpr std::size_t kForAByte = 3, kMostBehind = 20'000;

  bool is_enough(std::size_t place) {
    place = std::max(place, place_);
    behind_ += kActions;
    behind_ -= std::min(behind_, kForAByte * (place - place_));
    place_ = place;
    // At the end, the parser visits the whole tree once more.
    const std::size_t at_end = place_ + kChunk >= code_.size() ? code_.size() : 0;
    return behind_ > kMostBehind + at_end || reads_left_ == 0 ||
           vibe_parser_trouble()->skipped > kMostSkipped;
  }

  // Chunks end between characters: the code is UTF-8.
  const char* chunk(std::uint32_t at, std::uint32_t& size) {
    size = 0;
    if (at >= code_.size()) return "";
    ended_early_ = reads_left_ == 0;
    if (ended_early_) return "";
    --reads_left_;
    std::size_t end = std::min<std::size_t>(at + kChunk, code_.size());
    while (end < code_.size() && (static_cast<unsigned char>(code_[end]) & 0xC0) == 0x80) ++end;
    size = static_cast<std::uint32_t>(end - at);
    return code_.data() + at;
  }

  std::string_view code_;
  std::size_t reads_left_;
  bool ended_early_ = false;
  std::size_t place_ = 0, behind_ = 0;
};

TSParser& parser() {
  thread_local const Parser one(ts_parser_new());
  return *one;
}

// Null: the parser was stopped.
Tree parse(const TSLanguage* grammar, std::string_view code) {
  Feed feed(code);
  *vibe_parser_trouble() = {};
  TSParser& one = parser();
  if (ts_parser_language(&one) != grammar) ts_parser_set_language(&one, grammar);
  const TSInput input{&feed, Feed::read, TSInputEncodingUTF8, nullptr};
  Tree tree(ts_parser_parse_with_options(&one, nullptr, input, {&feed, Feed::is_enough}));
  ts_parser_reset(&one);
  if (feed.ended_early()) tree.reset();
  return tree;
}

using Verdict = SyntaxCheck::Verdict;

Verdict try_parse(const TSLanguage* grammar, std::string_view code) {
  const Tree tree = parse(grammar, code);
  if (!tree)
    return vibe_parser_trouble()->skipped > kMostSkipped ? Verdict::wrong : Verdict::not_judged;
  return ts_node_has_error(ts_tree_root_node(tree.get())) ? Verdict::wrong : Verdict::parses;
}

// Whether it parses as a part of a program.
bool is_fragment(const Language& language, std::string_view code) {
  if (code.size() > kMostFragment) return false;
  if (language.other && try_parse(language.other(), code) == Verdict::parses) return true;
  std::string repaired = without_elisions(without_diff_marks(code));
  if (language.repair) repaired = language.repair(repaired);
  const TSLanguage* const grammar = language.grammar();
  if (repaired != code && try_parse(grammar, repaired) == Verdict::parses) return true;
  return std::any_of(
      language.surroundings.begin(), language.surroundings.end(), [&](const auto& in) {
        return try_parse(grammar, fmt::format("{}{}{}", in.before, base::trim(repaired),
                                              in.after)) == Verdict::parses;
      });
}

// ---- what is wrong

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

// The word or sign at a position.
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
  if (const Tree tree = parse(language.grammar(), code)) {
    const TSNode wrong = first_wrong(ts_tree_root_node(tree.get()));
    const std::string_view what = ts_node_type(wrong);
    if (ts_node_is_missing(wrong) && !what.starts_with('_'))
      return error_at(code, std::min<std::size_t>(ts_node_start_byte(wrong), code.size()),
                      ts_node_is_named(wrong) ? fmt::format("missing {}", what)
                                              : fmt::format("missing `{}`", what));
  }
  // The tree puts the error at the start of the enclosing construct.
  std::size_t at = offset_of(code, vibe_parser_trouble()->place);
  const std::string_view blanks = language.lines_matter ? " \t" : " \t\r\n";
  at = std::min(code.find_first_not_of(blanks, at), code.size());
  return error_at(code, at, "unexpected " + token_at(code, at));
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

SyntaxCheck check_syntax(const Language& language, std::string_view code) {
  if (!language.grammar || code.size() > kMostCodeBytes) return {};
  std::string valid;
  if (base::first_invalid(code)) code = valid = base::replace_invalid(code);
  const Verdict verdict = try_parse(language.grammar(), code);
  if (verdict != Verdict::wrong) return {verdict};
  if (is_fragment(language, code)) return {Verdict::parses};
  return {Verdict::wrong, describe(language, code)};
}

}  // namespace vibe::fitness

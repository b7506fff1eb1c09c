// Any bytes as a formula over any names: never a crash, the same answer twice, every token and
// every diagnostic inside the text, and work linear in the length of the text.
//
// The lines before the first empty one declare names: `e NAME TAG…`, `m NAME FORMULA`, `?` (no
// suite: unknown words are evals). The rest is the formula.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "formula/program.h"
#include "formula/token.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Case {
  formula::Names names;
  std::vector<formula::Definition> metrics;
  base::Passage score;
  base::Diagnostics declared;
};

std::string_view take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

Case read(std::string_view text) {
  Case out;
  std::vector<formula::Declared> declared;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty()) break;
    const std::string_view kind = take(line, ' ');
    if (kind == "?") out.names.assume_unknown_words_are_evals();
    const std::string_view name = take(line, ' ');
    // Compiling requires valid declared names.
    base::Diagnostics found;
    const bool metric = kind == "m";
    declared.push_back({name, {}, metric});
    formula::check_names(declared, found);
    out.declared.append(found);
    if ((kind != "e" && !metric) || found.failed()) {
      declared.pop_back();
      continue;
    }
    if (metric) {
      out.names.add_metric(std::string(name));
      const auto source = base::make_source("metric", std::string(line));
      out.metrics.push_back({std::string(name), {source, {}}, base::whole(source)});
      continue;
    }
    std::vector<std::string> tags;
    while (!line.empty()) tags.emplace_back(take(line, ' '));
    out.names.add_eval(std::string(name), std::move(tags));
  }
  out.score = base::whole(base::make_source("formula", std::string(text)));
  return out;
}

void check_tokens(const Case& input) {
  base::Diagnostics found;
  const std::string& text = input.score.text;
  const auto tokens = formula::tokenize(input.score, input.names, found);
  require(!tokens.empty() && tokens.back().kind == formula::TokenKind::end);
  require(tokens.size() <= text.size() + 1);
  std::uint32_t last = 0;
  for (const formula::Token& token : tokens) {
    require(token.span.begin >= last && token.span.end <= text.size());
    require(token.kind == formula::TokenKind::end || token.span.begin < token.span.end);
    for (std::uint32_t i = last; i < token.span.begin; ++i)
      require(std::string_view(" \t\r\n").find(text[i]) != std::string_view::npos);
    last = token.span.end;
  }
}

std::string check(const Case& input) {
  base::Diagnostics found;
  const auto program = formula::compile(input.names, input.metrics, input.score, found);
  require(program.has_value() != found.failed());
  std::string out;
  std::size_t drawn = 0;
  for (const base::Diagnostic& diagnostic : found.all()) {
    require(!diagnostic.message.empty());
    if (diagnostic.source)
      require(diagnostic.span.begin <= diagnostic.span.end &&
              diagnostic.span.end <= diagnostic.source->text().size());
    if (++drawn <= 40) out += base::render(diagnostic);
  }
  if (!program) return out;
  for (const formula::Formula& formula : program->formulas) {
    require(!formula.tree.nodes.empty() && formula.tree.nodes.size() <= formula::kMaxNodes);
    require(formula.tree.nodes.size() <= formula.text.size());
    for (std::uint32_t i = 0; i < formula.tree.nodes.size(); ++i) {
      const formula::Node& node = formula.tree.nodes[i];
      require(node.op != formula::Op::invalid && node.span.end <= formula.text.size());
      for (const std::uint32_t child : formula.tree.children_of(node)) require(child < i);
    }
  }
  static_cast<void>(formula::unused_evals(input.names, *program));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Case input = read({reinterpret_cast<const char*>(data), size});
  if (input.score.text.size() <= formula::kMaxFormulaBytes) check_tokens(input);
  require(check(input) == check(input));
  return 0;
}

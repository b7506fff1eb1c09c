#include "app/suites/standalone_suite.h"

#include <map>

#include <fmt/format.h>

#include "base/yaml.h"
#include "base/yaml_text.h"

namespace vibe::app {

using base::Code;
using base::YamlNode;

namespace {

// On one line, so that the following lines keep their numbers.
std::string to_text(const suite::Table& table) {
  std::string out = "[";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out += row == 0 ? "{" : ", {";
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      out +=
          fmt::format("{}{}: {}", column == 0 ? "" : ", ", base::yaml_text(table.columns()[column]),
                      base::yaml_text(table.cell(row, column)));
    out += "}";
  }
  return out + "]";
}

// The file names by their position in the text; each once, even if it is used several times.
std::map<std::uint32_t, std::pair<base::Span, const suite::Table*>> files_of(
    const base::YamlDocument& document, const suite::Suite& suite) {
  std::map<std::uint32_t, std::pair<base::Span, const suite::Table*>> out;
  const YamlNode* evals = document.root().find("evals");
  for (std::size_t i = 0; evals && i < evals->items.size() && i < suite.evals.size(); ++i) {
    const YamlNode* cases = evals->items[i]->find("cases");
    if (cases && cases->kind == YamlNode::Kind::scalar && suite.evals[i].cases)
      out.try_emplace(cases->span.begin, cases->span, suite.evals[i].cases.get());
  }
  return out;
}

}  // namespace

std::optional<std::string> standalone_text(const base::SourcePtr& source, const suite::Suite& suite,
                                           base::Diagnostics& out) {
  if (!suite.score.rubric.empty()) {
    out.add(Code::not_permitted, {source, suite.score.rubric_span},
            "a server does not read files, so it cannot use this rubric",
            "leave `rubric` out to use the default one, or run the suite on this machine");
    return std::nullopt;
  }
  const auto document = base::parse_yaml(source);
  if (failed(document, out)) return std::nullopt;
  const std::string_view text = source->text();
  std::string written;
  std::size_t copied = 0;
  for (const auto& [begin, file] : files_of(*document, suite)) {
    written += text.substr(copied, begin - copied);
    written += to_text(*file.second);
    copied = file.first.end;
  }
  written += text.substr(copied);
  if (written.size() <= base::kMaxYamlBytes) return written;
  out.add(Code::too_large, {source, {}},
          fmt::format("the suite with its cases is over {} MiB", base::kMaxYamlBytes >> 20),
          "split it into several suites");
  return std::nullopt;
}

}  // namespace vibe::app

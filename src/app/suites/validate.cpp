#include "app/suites/validate.h"

#include <filesystem>
#include <system_error>

#include "app/agents/rubric.h"
#include "base/file.h"
#include "base/yaml.h"
#include "suite/load.h"

namespace vibe::app {

namespace {

base::Result<std::string> read_beside(const std::string& file, std::size_t most) {
  // A pipe could block forever.
  if (std::error_code error; std::filesystem::exists(file, error) &&
                             !std::filesystem::is_regular_file(file, error) &&
                             !std::filesystem::is_directory(file, error))
    return base::fail(base::Code::cannot_read, {},
                      "cannot read `" + file + "`: not a regular file");
  return base::read_file(file, most);
}

base::Result<std::string> read_cases(const std::string& file) {
  return read_beside(file, suite::kMaxCasesBytes);
}

std::shared_ptr<const fitness::Rubric> rubric_of(const suite::Score& score,
                                                 const base::SourcePtr& suite, bool files,
                                                 base::Diagnostics& out) {
  if (score.rubric.empty()) return nullptr;
  if (!files) {
    out.add(base::Code::not_permitted, {suite, score.rubric_span},
            "suites may not use files on this server",
            "leave `rubric` out to judge answers with the default one");
    return nullptr;
  }
  auto text = read_beside(score.rubric, base::kMaxYamlBytes);
  if (!text) {
    out.add(base::Code::cannot_read, {suite, score.rubric_span}, text.error().all().front().message,
            "the path is relative to the suite's folder");
    return nullptr;
  }
  return read_rubric(base::make_source(score.rubric, *std::move(text)), out);
}

}  // namespace

Validated validate(const std::string& path, const ValidateOptions& options) {
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (!text) return {base::display_name(path), std::nullopt, nullptr, text.error()};
  return validate(base::make_source(base::display_name(path), *std::move(text)), options);
}

Validated validate(const base::SourcePtr& source, const ValidateOptions& options) {
  const auto document = base::parse_yaml(source);
  if (!document) return {source->name(), std::nullopt, nullptr, document.error()};
  return validate(*document, options);
}

Validated validate(const base::YamlDocument& document, const ValidateOptions& options) {
  const base::SourcePtr& source = document.source();
  Validated out{source->name(), std::nullopt, nullptr, {}};
  const suite::ReadFile read_file = options.files ? read_cases : suite::ReadFile();
  out.suite = suite::load(document, {read_file, options.verbose}, out.diagnostics);
  if (out.suite) out.rubric = rubric_of(out.suite->score, source, options.files, out.diagnostics);
  if (options.strict) out.diagnostics.make_warnings_errors();
  if (out.diagnostics.failed()) out.suite.reset();
  return out;
}

}  // namespace vibe::app

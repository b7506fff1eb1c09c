#include "app/validate.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/yaml.h"
#include "suite/load.h"

namespace vibe::app {

namespace {

base::Result<std::string> read_cases(const std::string& file) {
  // A pipe could keep us waiting for ever.
  if (std::error_code error; std::filesystem::exists(file, error) &&
                             !std::filesystem::is_regular_file(file, error) &&
                             !std::filesystem::is_directory(file, error))
    return base::fail(base::Code::cannot_read, {}, "cannot read `" + file + "`: not a plain file");
  return base::read_file(file, suite::kMaxCasesBytes);
}

}  // namespace

Validated validate(const std::string& path, const ValidateOptions& options) {
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (!text) return {base::display_name(path), std::nullopt, text.error()};
  return validate(base::make_source(base::display_name(path), *std::move(text)), options);
}

Validated validate(const base::SourcePtr& source, const ValidateOptions& options) {
  Validated out{source->name(), std::nullopt, {}};
  out.suite = suite::load(source, {read_cases, options.verbose}, out.diagnostics);
  if (options.strict) out.diagnostics.make_warnings_errors();
  if (out.diagnostics.failed()) out.suite.reset();
  return out;
}

}  // namespace vibe::app

#include "app/validate.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/yaml.h"
#include "suite/load.h"

namespace vibe::app {

Validated validate(const std::string& path, const ValidateOptions& options) {
  Validated out{base::display_name(path), std::nullopt, {}};
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (!text) {
    out.diagnostics.append(text.error());
    return out;
  }
  const auto source = base::make_source(out.file, std::move(*text));
  const auto read_cases = [](const std::string& file) -> base::Result<std::string> {
    // A pipe could keep us waiting for ever.
    if (std::error_code error; std::filesystem::exists(file, error) &&
                               !std::filesystem::is_regular_file(file, error) &&
                               !std::filesystem::is_directory(file, error))
      return base::fail(base::Code::cannot_read, {},
                        "cannot read `" + file + "`: not a plain file");
    return base::read_file(file, suite::kMaxCasesBytes);
  };
  out.suite = suite::load(source, {read_cases, options.verbose}, out.diagnostics);
  if (options.strict) out.diagnostics.make_warnings_errors();
  if (out.diagnostics.failed()) out.suite.reset();
  return out;
}

}  // namespace vibe::app

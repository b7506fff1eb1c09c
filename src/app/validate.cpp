#include "app/validate.h"

#include <filesystem>

#include "base/file.h"
#include "base/yaml.h"
#include "suite/load.h"

namespace vibe::app {

namespace {

suite::ReadFile beside(const std::string& path) {
  const auto folder =
      path == "-" ? std::filesystem::path() : std::filesystem::path(path).parent_path();
  return [folder](const std::string& name) {
    return base::read_file((folder / name).string(), suite::kMaxCasesBytes);
  };
}

}  // namespace

Validated validate(const std::string& path, const ValidateOptions& options) {
  Validated out{base::display_name(path), std::nullopt, {}};
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (!text) {
    out.diagnostics.append(text.error());
    return out;
  }
  const auto source = base::make_source(out.file, std::move(*text));
  out.suite = suite::load(source, {beside(path), options.verbose}, out.diagnostics);
  if (options.strict) out.diagnostics.make_warnings_errors();
  if (out.diagnostics.failed()) out.suite.reset();
  return out;
}

}  // namespace vibe::app

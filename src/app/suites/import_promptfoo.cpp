#include "app/suites/import_promptfoo.h"

#include <filesystem>

#include "app/suites/validate.h"
#include "app/write_new_file.h"
#include "base/file.h"
#include "base/yaml.h"

namespace vibe::app {

ImportedSuite import_promptfoo(const ImportRequest& request) {
  ImportedSuite out;
  auto text = base::read_file(request.config, base::kMaxYamlBytes);
  if (!text) {
    out.diagnostics = text.error();
    return out;
  }
  const auto folder = std::filesystem::path(request.config).parent_path();
  const auto read_beside = [&](const std::string& path) {
    return base::read_file((folder / path).string(), base::kMaxYamlBytes);
  };
  auto imported = import::import_promptfoo(
      base::make_source(base::display_name(request.config), std::move(*text)), read_beside,
      out.diagnostics);
  if (request.strict) out.diagnostics.make_warnings_errors();
  if (!imported || out.diagnostics.failed()) return out;
  if (request.output) {
    const auto written = write_new_file(*request.output, imported->suite, request.replace);
    if (failed(written, out.diagnostics)) return out;
  }
  const std::string name = request.output.value_or("suite.yaml");
  out.validates = validate(base::make_source(name, imported->suite)).suite.has_value();
  out.imported = std::move(imported);
  return out;
}

}  // namespace vibe::app

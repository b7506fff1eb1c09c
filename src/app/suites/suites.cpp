#include "app/suites/suites.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "app/suites/standalone_suite.h"
#include "app/suites/validate.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "base/yaml.h"
#include "suite/template.h"

namespace vibe::app {

using base::Code;

namespace {

tl::unexpected<base::Diagnostics> no_such_suite(store::Suites& stored, std::string_view name) {
  return base::fail(Code::not_found, {},
                    fmt::format("there is no suite `{}`", base::printable(name)),
                    suite_hint(stored, name));
}

}  // namespace

std::string suite_hint(store::Suites& stored, std::string_view name) {
  std::vector<std::string> names;
  if (const auto all = stored.list())
    for (const auto& suite : *all) names.push_back(suite.name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string near = base::did_you_mean(base::nearest(name, views));
  if (!near.empty()) return near;
  return names.empty() ? "`vibe set suite -f suite.yaml` stores one, as does `vibe check`"
                       : "`vibe get suites` lists them";
}

std::optional<SavedSuite> save_suite(Workspace& workspace, const std::string& path, bool strict,
                                     base::Diagnostics& out) {
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (failed(text, out)) return std::nullopt;
  const auto source = base::make_source(base::display_name(path), *text);
  auto validated = validate(source, {strict, false});
  validated.diagnostics.remove_notes();
  out.append(validated.diagnostics);
  if (!validated.suite) return std::nullopt;
  if (workspace.runner().is_detached()) {
    auto standalone = standalone_text(source, *validated.suite, out);
    if (!standalone) return std::nullopt;
    text = *std::move(standalone);
  }

  store::SuiteEntry suite;
  suite.name = validated.suite->metadata.name;
  suite.text = *std::move(text);
  suite.evals = static_cast<std::uint32_t>(validated.suite->evals.size());
  if (path != "-") {
    std::error_code ignored;
    suite.path = std::filesystem::absolute(path, ignored).lexically_normal().string();
  }
  auto saved = keep_suite(workspace.archive().suites(), std::move(suite));
  if (saved) return *std::move(saved);
  out.append(saved.error());
  return std::nullopt;
}

base::Result<SavedSuite> keep_suite(store::Suites& stored, store::SuiteEntry suite) {
  if (!suite::scan_template(suite.name).placeholders.empty())
    return base::fail(
        Code::bad_usage, {},
        fmt::format("the suite name `{}` is known only at run time", base::printable(suite.name)),
        "`vibe check` stores such a suite; or give it a name without a template");
  VIBE_TRY(const auto before, stored.last(suite.name));
  VIBE_TRY(const auto version, stored.save(suite, base::now_millis()));
  SavedSuite saved;
  saved.is_new = !before.has_value();
  saved.changed = saved.is_new || before->text != suite.text;
  saved.suite = std::move(suite);
  saved.suite.version = version;
  return saved;
}

base::Result<std::vector<store::SuiteEntry>> suite_versions(store::Suites& stored,
                                                            std::string_view name) {
  auto versions = stored.history(name);
  if (versions && versions->empty()) return no_such_suite(stored, name);
  return versions;
}

base::Result<store::SuiteEntry> find_suite(store::Suites& stored, std::string_view name,
                                           std::optional<std::uint32_t> version) {
  if (!version) {
    VIBE_TRY(auto found, stored.last(name));
    if (!found) return no_such_suite(stored, name);
    return *std::move(found);
  }
  VIBE_TRY(auto found, stored.version(name, *version));
  if (found) return *std::move(found);
  VIBE_TRY(const auto last, find_suite(stored, name, std::nullopt));
  return base::fail(Code::not_found, {},
                    fmt::format("suite `{}` has no version {}", base::printable(name), *version),
                    fmt::format("its versions are 1 to {}", last.version));
}

}  // namespace vibe::app

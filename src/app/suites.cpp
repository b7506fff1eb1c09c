#include "app/suites.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "app/validate.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "base/yaml.h"
#include "suite/template.h"

namespace vibe::app {

using base::Code;

namespace {

tl::unexpected<base::Diagnostics> no_such_suite(store::Store& store, std::string_view name) {
  return base::fail(Code::not_found, {},
                    fmt::format("there is no suite `{}`", base::printable(name)),
                    suite_hint(store, name));
}

}  // namespace

std::string suite_hint(store::Store& store, std::string_view name) {
  std::vector<std::string> names;
  if (const auto all = store.suites())
    for (const auto& suite : *all) names.push_back(suite.name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string near = base::did_you_mean(base::nearest(name, views));
  if (!near.empty()) return near;
  return names.empty() ? "`vibe set suite -f suite.yaml` stores one, as does `vibe check`"
                       : "`vibe get suites` lists them";
}

std::optional<SavedSuite> save_suite(store::Store& store, const std::string& path, bool strict,
                                     base::Diagnostics& out) {
  auto text = base::read_file(path, base::kMaxYamlBytes);
  if (!text) {
    out.append(text.error());
    return std::nullopt;
  }
  auto validated = validate(base::make_source(base::display_name(path), *text), {strict, false});
  validated.diagnostics.remove_notes();
  out.append(validated.diagnostics);
  if (!validated.suite) return std::nullopt;

  SavedSuite saved;
  saved.suite.name = validated.suite->metadata.name;
  if (!suite::scan_template(saved.suite.name).placeholders.empty()) {
    out.add(Code::bad_usage, {},
            fmt::format("the name of the suite, `{}`, is known only when it runs",
                        base::printable(saved.suite.name)),
            "`vibe check` stores such a suite; or give it a name without a template");
    return std::nullopt;
  }
  saved.suite.text = *std::move(text);
  saved.suite.evals = static_cast<std::uint32_t>(validated.suite->evals.size());
  if (path != "-") {
    std::error_code ignored;
    saved.suite.path = std::filesystem::absolute(path, ignored).lexically_normal().string();
  }
  const auto before = store.suite(saved.suite.name);
  const auto version = before ? store.save_suite(saved.suite, base::now_millis())
                              : base::Result<std::uint32_t>(tl::unexpected(before.error()));
  if (!version) {
    out.append(version.error());
    return std::nullopt;
  }
  saved.is_new = !before->has_value();
  saved.changed = saved.is_new || (*before)->text != saved.suite.text;
  saved.suite.version = *version;
  return saved;
}

base::Result<std::vector<store::SuiteEntry>> suite_versions(store::Store& store,
                                                            std::string_view name) {
  auto versions = store.suite_history(name);
  if (versions && versions->empty()) return no_such_suite(store, name);
  return versions;
}

base::Result<store::SuiteEntry> find_suite(store::Store& store, std::string_view name,
                                           std::optional<std::uint32_t> version) {
  if (!version) {
    auto found = store.suite(name);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return no_such_suite(store, name);
    return **std::move(found);
  }
  auto versions = suite_versions(store, name);
  if (!versions) return tl::unexpected(versions.error());
  for (auto& one : *versions)
    if (one.version == *version) return std::move(one);
  return base::fail(Code::not_found, {},
                    fmt::format("suite `{}` has no version {}", base::printable(name), *version),
                    fmt::format("its versions are 1 to {}", versions->front().version));
}

}  // namespace vibe::app

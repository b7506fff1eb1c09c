#include "app/suites/suite_text.h"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

namespace vibe::app {

namespace {

// Any file type: reading it reports the problem with a folder.
bool is_there(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  return path == "-" || std::filesystem::exists(status);
}

bool looks_like_path(const std::string& suite) {
  return suite.ends_with(".yaml") || suite.ends_with(".yml") ||
         suite.find('/') != std::string::npos;
}

base::Result<SuiteText> read_suite_text(const std::string& file) {
  VIBE_TRY(auto text, base::read_file(file, base::kMaxYamlBytes));
  SuiteText out{std::move(text), {}, base::display_name(file)};
  std::error_code ignored;
  if (file != "-") out.path = std::filesystem::absolute(file, ignored).lexically_normal().string();
  return out;
}

tl::unexpected<base::Diagnostics> no_such_file_or_suite(const std::string& suite,
                                                        store::Suites& suites) {
  std::vector<std::string> names;
  if (auto all = suites.list())
    for (auto& one : *all) names.push_back(std::move(one.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint = base::did_you_mean(base::nearest(suite, views));
  if (hint.empty()) hint = "give a file (`suite.yaml`), or a name that `vibe get suites` lists";
  return base::fail(base::Code::not_found, {},
                    fmt::format("no file or stored suite is named `{}`", base::printable(suite)),
                    std::move(hint));
}

}  // namespace

base::Result<SuiteText> find_suite_text(const std::string& suite, bool is_file,
                                        store::Suites& suites) {
  if (is_file || is_there(suite)) return read_suite_text(suite);
  VIBE_TRY(auto stored, suites.last(suite));
  if (!stored)
    return looks_like_path(suite) ? read_suite_text(suite) : no_such_file_or_suite(suite, suites);
  SuiteText out{std::move(stored->text), stored->path, stored->path};
  if (out.path.empty()) out.shown_path = suite;
  return out;
}

}  // namespace vibe::app

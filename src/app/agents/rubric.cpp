#include "app/agents/rubric.h"

#include "base/file.h"
#include "base/yaml.h"

namespace vibe::app {

std::shared_ptr<const fitness::Rubric> read_rubric(const base::SourcePtr& source,
                                                   base::Diagnostics& out) {
  auto rubric = fitness::read_rubric(source, out);
  return rubric ? std::make_shared<const fitness::Rubric>(*std::move(rubric)) : nullptr;
}

std::shared_ptr<const fitness::Rubric> default_rubric() {
  return {std::shared_ptr<void>(), &fitness::default_rubric()};
}

std::shared_ptr<const fitness::Rubric> load_rubric(const std::optional<std::string>& path,
                                                   base::Diagnostics& out) {
  // The default rubric is never freed.
  if (!path) return default_rubric();
  auto text = base::read_file(*path, base::kMaxYamlBytes);
  if (failed(text, out)) return nullptr;
  return read_rubric(base::make_source(base::display_name(*path), *std::move(text)), out);
}

}  // namespace vibe::app

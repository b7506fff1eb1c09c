#include "app/rubric.h"

#include "base/file.h"
#include "base/yaml.h"

namespace vibe::app {

std::shared_ptr<const fitness::Rubric> load_rubric(const std::optional<std::string>& path,
                                                   base::Diagnostics& out) {
  if (!path) return {std::shared_ptr<void>(), &fitness::default_rubric()};
  auto text = base::read_file(*path, base::kMaxYamlBytes);
  if (!text) {
    out.append(text.error());
    return nullptr;
  }
  auto rubric =
      fitness::read_rubric(base::make_source(base::display_name(*path), *std::move(text)), out);
  return rubric ? std::make_shared<const fitness::Rubric>(*std::move(rubric)) : nullptr;
}

}  // namespace vibe::app

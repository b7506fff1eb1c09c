// Any text as a promptfoo config: the result is YAML that can be read as a suite.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/yaml.h"
#include "import/promptfoo.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe;
  const std::string text(reinterpret_cast<const char*>(data), size);
  base::Diagnostics out;
  const auto no_files = [](const std::string&) -> base::Result<std::string> {
    return base::fail(base::Code::cannot_read, {}, "no files");
  };
  const auto imported =
      import::import_promptfoo(base::make_source("fuzz.yaml", text), no_files, out);
  if (imported && imported->suite.size() < base::kMaxYamlBytes &&
      !base::parse_yaml(base::make_source("suite.yaml", imported->suite)))
    __builtin_trap();
  return 0;
}

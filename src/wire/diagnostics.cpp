#include "wire/diagnostics.h"

#include "base/json.h"

namespace vibe::wire {

std::string diagnostics_json(std::span<const base::Diagnostics> all) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_array();
  for (const auto& diagnostics : all)
    for (const auto& diagnostic : diagnostics.all()) base::write_json(json, diagnostic);
  json.end_array();
  return json.text() + "\n";
}

}  // namespace vibe::wire

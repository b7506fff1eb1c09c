// Any schema on any value: never a crash, the same answer twice, one-line messages; and JSON that
// our reader accepts is also JSON for simdjson.
//
// The first line has the schema; the rest is the value, as in a response.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "base/json_value.h"
#include "check/response_json.h"
#include "check/schema.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

void compare_readers(std::string_view text) {
  const auto ours = base::read_json_document(text);
  const auto theirs = base::parse_json(text);
  if (!ours) {
    require(!ours.error().message.empty() && ours.error().offset <= text.size());
    return;
  }
  // Ours also accepts numbers beyond 64 bits, halves of surrogate pairs and a byte order mark.
  if (theirs && !ours->repeated_key) require(base::to_text(ours->root) == base::to_text(*theirs));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view schema_text = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), schema_text.size() + 1));
  compare_readers(schema_text);
  compare_readers(rest);
  const auto schema_json = base::read_json_document(schema_text);
  const auto value = check::json_of_response(rest);
  if (!value) require(value.error().find('\n') == std::string::npos);
  if (!schema_json) return 0;
  const auto schema = check::Schema::compile(schema_json->root, {});
  if (!schema) {
    require(!schema.error().empty());
    for (const auto& problem : schema.error()) require(!problem.message.empty());
    return 0;
  }
  if (!value) return 0;
  const auto first = schema->mismatch(value->root), again = schema->mismatch(value->root);
  require(first.has_value() == again.has_value());
  if (first) {
    require(first->text() == again->text() && !first->message.empty());
    require(first->text().find('\n') == std::string::npos);
  }
  return 0;
}

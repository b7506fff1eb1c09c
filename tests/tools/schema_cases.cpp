// Runs files of JSON Schema's official test suite (lists of `{description, schema, tests}`): reads
// their names from the command line, prints a line of JSON for each case that does not come out as
// it should, `{file, schema, test, message}`, and at last `{cases, failed}`. With `--formats`
// first, formats are asserted.
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "check/schema.h"

namespace {

using namespace vibe;

constexpr std::size_t kMostBytes = 1u << 20;

struct Counts {
  std::int64_t cases = 0, failed = 0;
};

void report(const std::string& file, const base::JsonValue& group, const base::JsonValue& test,
            std::string_view message, Counts& counts) {
  ++counts.failed;
  base::JsonWriter json;
  json.begin_object().key("file").string(file);
  json.key("schema").string(group.text_of("description"));
  json.key("test").string(test.text_of("description"));
  json.key("message").string(message).end_object();
  fmt::print("{}\n", json.text());
}

void run_group(const std::string& file, const base::JsonValue& group,
               const check::Schema::Options& options, Counts& counts) {
  const auto schema = check::Schema::compile(*group.find("schema"), options);
  for (const auto& test : *group.find("tests")->array()) {
    ++counts.cases;
    if (!schema) {
      report(file, group, test, "not compiled: " + schema.error().front().message, counts);
      continue;
    }
    const auto mismatch = schema->mismatch(*test.find("data"));
    const bool valid = test.find("valid")->boolean().value();
    if (valid == mismatch.has_value())
      report(file, group, test, mismatch ? mismatch->text() : "fits, and must not", counts);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Schema::Options options{.formats = check::Schema::Formats::noted};
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    const std::string file = argv[i];
    if (file == "--formats") {
      options.formats = check::Schema::Formats::asserted;
      continue;
    }
    const auto text = base::read_file(file, kMostBytes);
    if (!text) {
      fmt::print(stderr, "schema_cases: cannot read {}\n", file);
      return 2;
    }
    const auto document = base::read_json_document(*text);
    if (!document) {
      fmt::print(stderr, "schema_cases: {}: {}\n", file, document.error().message);
      return 2;
    }
    for (const auto& group : *document->root.array()) run_group(file, group, options, counts);
  }
  fmt::print("{{\"cases\":{},\"failed\":{}}}\n", counts.cases, counts.failed);
  return 0;
}

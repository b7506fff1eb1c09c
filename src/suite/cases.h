// Cases: the value of a `cases` key → a Table. The rows are in the suite, or in a file (`.csv`,
// `.jsonl`) whose path is relative to the folder of the suite's source. Reads files only through
// the given function. Belongs to one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/diagnostic.h"
#include "base/yaml.h"
#include "check/reading.h"
#include "suite/table.h"

namespace vibe::suite {

inline constexpr std::size_t kMaxEvals = 100'000;  // each case counts as one
inline constexpr std::size_t kMaxCasesBytes = 8u << 20;

// The path of a file that a suite names, relative to the suite's folder.
std::string beside(std::string_view suite, const std::string& path);

using ReadFile = std::function<base::Result<std::string>(const std::string& path)>;

class Cases {
 public:
  // `read_file` gets the path, including the suite's folder; null refuses files.
  Cases(check::Reading& reading, ReadFile read_file)
      : reading_(reading), read_file_(std::move(read_file)) {}

  std::shared_ptr<const Table> read(const base::YamlNode& value);  // null after an error

 private:
  std::shared_ptr<const Table> read_list(const base::YamlNode& list);
  std::shared_ptr<const Table> read_path(const base::YamlNode& node);

  check::Reading& reading_;
  ReadFile read_file_;
  std::unordered_map<std::string, std::shared_ptr<const Table>> files_;  // each file is read once
};

// RFC 4180: a header line, then cells, in quotes if needed. Blank lines are skipped.
void read_csv(const base::SourcePtr& file, TableBuilder& table);

// One JSON object per line, with texts, numbers and booleans. Blank lines are skipped.
void read_jsonl(const base::SourcePtr& file, TableBuilder& table);

}  // namespace vibe::suite

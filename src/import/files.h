// Files: the files that a promptfoo config names, and the positions of what was lost. Belongs to
// one thread.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "base/yaml.h"
#include "import/promptfoo.h"

namespace vibe::import {

inline constexpr std::string_view kFile = "file://";  // prefix of a file's address

bool is_text(const base::YamlNode& node);  // a scalar that is not null

std::string shown(std::string_view text);  // for a message: one line, shortened
bool ends_with_any(std::string_view path, std::span<const std::string_view> endings);
std::string_view without_scheme(std::string_view path);  // without `file://`

inline constexpr std::array<std::string_view, 3> kYamlFiles{".yaml", ".yml", ".json"};

// The files that a config names, and what was lost of them. Documents live as long as it does.
class Files {
 public:
  Files(const ReadFile& read_file, base::Diagnostics& out) : read_file_(read_file), out_(out) {}

  const base::YamlNode* parse(const base::SourcePtr& source);  // null after an error
  const base::YamlNode* parse_quietly(std::string text);       // null if it is not YAML
  // None if it cannot be read; `why` says the reason.
  std::optional<std::string> read(const std::string& path, std::string& why);
  // The same for a YAML or JSON file, parsed once. Problems inside it are reported as errors.
  const base::YamlNode* read_yaml(const std::string& path, std::string& why);
  base::Where where(const base::YamlNode& node) const;
  void lose(std::string_view what, const base::YamlNode& node);

 private:
  const base::YamlNode* keep(base::YamlDocument document);
  void remember(const base::YamlNode& node);

  const ReadFile& read_file_;
  base::Diagnostics& out_;
  std::deque<base::YamlDocument> documents_;
  std::unordered_map<const base::YamlNode*, base::SourcePtr> sources_;
  std::unordered_map<std::string, base::Result<std::string>> read_;  // by path
  std::unordered_map<std::string, const base::YamlNode*> parsed_;    // by path
  std::unordered_set<std::string> said_;
};

// Rows of cells, as in RFC 4180.
std::vector<std::vector<std::string>> read_csv(std::string_view text);

}  // namespace vibe::import

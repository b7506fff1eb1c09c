// Files: what a promptfoo config names besides itself, and where what was lost of it stands.
// Belongs to one thread.
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

inline constexpr std::string_view kFile = "file://";  // begins what names a file

bool is_text(const base::YamlNode& node);  // a scalar that is not null

std::string shown(std::string_view text);  // in a message: one line, shortened
bool ends_with_any(std::string_view path, std::span<const std::string_view> endings);
std::string_view without_scheme(std::string_view path);  // without `file://`

inline constexpr std::array<std::string_view, 3> kYamlFiles{".yaml", ".yml", ".json"};

// The files that a configuration names, and what was lost of them. Documents live as long as it.
class Files {
 public:
  Files(const ReadFile& read_file, base::Diagnostics& out) : read_file_(read_file), out_(out) {}

  const base::YamlNode* parse(const base::SourcePtr& source);  // null after an error
  const base::YamlNode* parse_quietly(std::string text);       // null if it is not YAML
  // None, and why, if it cannot be read.
  std::optional<std::string> read(const std::string& path, std::string& why);
  // The same of a YAML or JSON file, parsed once. What is wrong inside it is an error, and
  // reported.
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

// Rows of cells, by RFC 4180.
std::vector<std::vector<std::string>> read_csv(std::string_view text);

}  // namespace vibe::import

// Tests of promptfoo: lists, files of them, tables, scenarios, with what `defaultTest` says.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/yaml.h"
#include "import/config.h"

namespace vibe::import {

inline constexpr std::string_view kFile = "file://";  // begins what names a file

bool is_text(const base::YamlNode& node);  // a scalar that is not null

// The files that a configuration names, and what was lost of them. Documents live as long as it.
class Files {
 public:
  Files(const ReadFile& read_file, base::Diagnostics& out) : read_file_(read_file), out_(out) {}

  const base::YamlNode* parse(const base::SourcePtr& source);  // null after an error
  const base::YamlNode* parse_quietly(std::string text);       // null if it is no YAML
  // Reports what cannot be read.
  std::optional<std::string> read(const std::string& path, const base::YamlNode& node);
  base::Where where(const base::YamlNode& node) const;
  void lose(std::string_view what, const base::YamlNode& node);

 private:
  const base::YamlNode* keep(base::YamlDocument document);
  void remember(const base::YamlNode& node);

  const ReadFile& read_file_;
  base::Diagnostics& out_;
  std::deque<base::YamlDocument> documents_;
  std::unordered_map<const base::YamlNode*, base::SourcePtr> sources_;
  std::unordered_set<std::string> said_;
};

class TestReader {
 public:
  // `losses`: of the whole configuration.
  TestReader(Files& files, const base::YamlNode& root, const base::YamlNode* defaults,
             std::vector<std::string>& losses);

  void read(const base::YamlNode& tests);
  void read_scenarios(const base::YamlNode& scenarios);
  std::vector<Test> finish();  // at least one

 private:
  void read_item(const base::YamlNode& item);
  void read_file(std::string_view path, const base::YamlNode& node);
  void read_table(const std::string& text, const base::YamlNode& node);
  void add(const std::vector<const base::YamlNode*>& given);
  void expand(Test test, std::vector<std::pair<std::string, const base::YamlNode*>> lists,
              const std::vector<const base::YamlNode*>& layers);
  void read_vars(const base::YamlNode& vars, const std::string& prefix, Test& test,
                 std::vector<std::pair<std::string, const base::YamlNode*>>& lists);
  void read_rest(const base::YamlNode& layer, Test& test);
  void read_asserts(const base::YamlNode& list, Test& test);
  void read_assert(const base::YamlNode& written, Test& test);
  void read_set(const base::YamlNode& node, Test& test);
  void add_checks(Assertion assertion, const base::YamlNode& node, Test& test);
  void lose(const std::string& what, const base::YamlNode& node, Test& test);
  bool full(const base::YamlNode& node);

  Files& files_;
  const base::YamlNode& root_;
  const base::YamlNode* defaults_;
  std::vector<std::string>& losses_;
  std::vector<Test> tests_;
  bool full_ = false;
};

}  // namespace vibe::import

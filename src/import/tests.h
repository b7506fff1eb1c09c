// promptfoo tests: lists, files, tables, scenarios, merged with `defaultTest`. Each is built the
// way promptfoo builds it, with its variables filled in, and losses are reported.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/yaml.h"
#include "import/config.h"
#include "import/files.h"

namespace vibe::import {

class TestReader {
 public:
  // `config` gets the losses of the whole, and the judge that the defaults name.
  TestReader(Files& files, const base::YamlNode& root, const base::YamlNode* defaults,
             Config& config);

  void read(const base::YamlNode& tests);
  void read_scenarios(const base::YamlNode& scenarios);
  std::vector<Test> finish();  // at least one

 private:
  using Lists = std::vector<std::pair<std::string, const base::YamlNode*>>;  // values of variables
  struct Draft {
    Test test;
    Lists lists;
    std::vector<const base::YamlNode*> layers;  // the later ones win; assertions add up
    std::vector<std::string> expected;          // from a table
    const base::YamlNode& node;                 // its position
  };

  void read_item(const base::YamlNode& item);
  void read_file(std::string_view address, const base::YamlNode& node);
  void read_table(const std::string& text, const base::YamlNode& node);
  void add(const std::vector<const base::YamlNode*>& given);
  void expand(Draft draft);
  // The table of variables, which may be a file; null if there is none, or `why` it is unusable.
  const base::YamlNode* vars_of(const base::YamlNode& layer, std::string& why);
  void read_layer_vars(const base::YamlNode& layer, Draft& draft);
  const base::YamlNode* find_var(std::string_view name, const Draft& draft);
  void read_vars(const base::YamlNode& vars, const std::string& prefix, Draft& draft);
  void finish_vars(Draft& draft);
  void add_objects(Draft& draft);
  void read_rest(const base::YamlNode& layer, Test& test);
  void read_metadata(const base::YamlNode& metadata, Test& test);
  void read_option(const base::YamlNode& key, const base::YamlNode& value, bool of_defaults,
                   Test& test);
  void read_asserts(const base::YamlNode& list, Test& test);
  void read_assert(const base::YamlNode& written, Test& test);
  void read_set(const base::YamlNode& node, Test& test);
  void add_checks(Assertion assertion, const base::YamlNode& node, Test& test);
  void lose(const std::string& what, const base::YamlNode& node, Test& test);
  void lose_check(const std::string& what, const base::YamlNode& node, Test& test);
  void lose_tests(const std::string& what, const base::YamlNode& node);
  bool full(const base::YamlNode& node);

  Files& files_;
  const base::YamlNode& root_;
  const base::YamlNode* defaults_;
  Config& config_;
  std::vector<Test> tests_;
  bool full_ = false;
};

}  // namespace vibe::import

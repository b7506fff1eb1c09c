#include "import/tests.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml_text.h"
#include "import/provider.h"

namespace vibe::import {

using base::YamlNode;

namespace {

constexpr std::size_t kMostTests = 100'000;

template <class Pairs>
void set(Pairs& pairs, std::string_view name, std::string value) {
  const auto found =
      std::ranges::find_if(pairs, [&](const auto& one) { return one.first == name; });
  if (found != pairs.end())
    found->second = std::move(value);
  else
    pairs.emplace_back(name, std::move(value));
}

}  // namespace

TestReader::TestReader(Files& files, const YamlNode& root, const YamlNode* defaults, Config& config)
    : files_(files), root_(root), defaults_(defaults), config_(config) {
  if (!defaults_ || defaults_->kind == YamlNode::Kind::map) return;
  const YamlNode& node = *defaults_;
  defaults_ = nullptr;
  if (node.is_null()) return;
  std::string why = "it is neither a table nor a file with one";
  const std::string path(without_scheme(node.text));
  const YamlNode* table = ends_with_any(path, kYamlFiles) ? files_.read_yaml(path, why) : nullptr;
  if (table && table->kind == YamlNode::Kind::map)
    defaults_ = table;
  else
    lose_tests(fmt::format("`defaultTest`: {}", why), node);
}

void TestReader::lose(const std::string& what, const YamlNode& node, Test& test) {
  files_.lose(what, node);
  add_once(test.losses, what);
}
void TestReader::lose_check(const std::string& what, const YamlNode& node, Test& test) {
  files_.lose(what, node);
  test.checks.push_back({true, what});
}
void TestReader::lose_tests(const std::string& what, const YamlNode& node) {
  files_.lose(what, node);
  add_once(config_.prompt_losses, what);
}

bool TestReader::full(const YamlNode& node) {
  if (tests_.size() < kMostTests) return false;
  if (!full_)
    lose_tests(fmt::format("tests after the first {}: a suite cannot have more", kMostTests), node);
  return full_ = true;
}

void TestReader::read(const YamlNode& tests) {
  if (tests.kind == YamlNode::Kind::list)
    for (const YamlNode* item : tests.items) read_item(*item);
  else if (!tests.is_null())
    read_item(tests);
}

void TestReader::read_item(const YamlNode& item) {
  if (is_text(item)) return read_file(item.text, item);
  const YamlNode* path = item.find("path");
  if (path && is_text(*path))
    read_file(path->text, *path);
  else if (item.kind == YamlNode::Kind::map)
    add({&item});
  else
    lose_tests("a test: it is not a table", item);
}

void TestReader::read_file(std::string_view address, const YamlNode& node) {
  const std::string path(without_scheme(address));
  const bool is_lines = path.ends_with(".jsonl"), is_table = path.ends_with(".csv");
  const auto fail = [&](std::string_view why) {
    lose_tests(fmt::format("the tests of `{}`: {}", shown(address), why), node);
  };
  if (path.find("://") != std::string::npos) return fail("they are in another service");
  if (!is_lines && !is_table && !ends_with_any(path, kYamlFiles))
    return fail("only CSV, JSON and YAML files are read");
  if (path.find('*') != std::string::npos) return fail("name each file");
  std::string why;
  const auto text = files_.read(path, why);
  if (!text) return fail(why);
  if (is_table) return read_table(*text, node);
  std::string_view rest = *text;
  for (std::uint32_t number = 1; is_lines && !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (base::trim(line).empty()) continue;
    const YamlNode* item = files_.parse(base::make_source(path, std::string(line), number));
    if (item && item->kind == YamlNode::Kind::map) add({item});
  }
  if (is_lines) return;
  const YamlNode* list = files_.parse(base::make_source(path, *text));
  if (!list) return;
  if (list->kind == YamlNode::Kind::map) add({list});
  for (const YamlNode* item : list->items) {
    if (item->kind == YamlNode::Kind::map)
      add({item});
    else
      lose_tests("a test: it is not a table", *item);
  }
}

// Columns whose name begins with `__` describe the test; the others are variables.
void TestReader::read_table(const std::string& text, const YamlNode& node) {
  const auto rows = read_csv(text);
  for (std::size_t r = 1; r < rows.size() && !full(node); ++r) {
    Draft draft{.test = {}, .lists = {}, .layers = {}, .expected = {}, .node = node};
    if (defaults_) draft.layers.push_back(defaults_);
    if (defaults_) read_layer_vars(*defaults_, draft);
    Test& test = draft.test;
    for (std::size_t c = 0; c < std::min(rows[0].size(), rows[r].size()); ++c) {
      const std::string_view name = base::trim(rows[0][c]);
      const std::string& cell = rows[r][c];
      if (name.starts_with("__expected")) {
        if (!base::trim(cell).empty()) draft.expected.push_back(cell);
      } else if (name == "__description") {
        test.description = cell;
      } else if (name.starts_with("__metadata:")) {
        if (!cell.empty()) test.tags.push_back(fmt::format("{}={}", name.substr(11), cell));
      } else if (name.starts_with("__")) {
        if (!cell.empty())
          lose(fmt::format("the column `{}`: a suite has no equivalent", shown(name)), node, test);
      } else if (!name.empty()) {
        std::erase_if(draft.lists, [&](const auto& list) { return list.first == name; });
        set(test.vars, name, cell);
      }
    }
    expand(std::move(draft));
  }
}

void TestReader::read_scenarios(const YamlNode& scenarios) {
  for (const YamlNode* scenario : scenarios.items) {
    const YamlNode* configs = scenario->find("config");
    const YamlNode* tests = scenario->find("tests");
    const auto is_list_of_maps = [](const YamlNode& list) {
      return list.kind == YamlNode::Kind::list &&
             std::ranges::all_of(list.items, [](const YamlNode* item) {
               return item->kind == YamlNode::Kind::map;
             });
    };
    if (!configs || !is_list_of_maps(*configs) || (tests && !is_list_of_maps(*tests))) {
      lose_tests("a scenario: only lists of variables and tests are read", *scenario);
      continue;
    }
    for (const YamlNode* config : configs->items) {
      if (!tests)
        add({config});
      else
        for (const YamlNode* test : tests->items) add({config, test});
    }
  }
}

void TestReader::add(const std::vector<const YamlNode*>& given) {
  if (full(*given.back())) return;
  Draft draft{.test = {}, .lists = {}, .layers = given, .expected = {}, .node = *given.back()};
  for (const YamlNode* layer : given)
    if (const YamlNode* text = layer->find("description"); text && is_text(*text))
      draft.test.description = text->text;
  if (defaults_) draft.layers.insert(draft.layers.begin(), defaults_);
  for (const YamlNode* layer : draft.layers) read_layer_vars(*layer, draft);
  expand(std::move(draft));
}

const YamlNode* TestReader::vars_of(const YamlNode& layer, std::string& why) {
  const YamlNode* vars = layer.find("vars");
  if (!vars || vars->is_null()) return nullptr;
  why = "they are neither a table nor a file with one";
  if (is_text(*vars) && ends_with_any(vars->text, kYamlFiles))
    vars = files_.read_yaml(std::string(without_scheme(vars->text)), why);
  if (!vars || vars->kind != YamlNode::Kind::map) return nullptr;
  why.clear();
  return vars;
}

void TestReader::read_layer_vars(const YamlNode& layer, Draft& draft) {
  std::string why;
  if (const YamlNode* vars = vars_of(layer, why)) read_vars(*vars, "", draft);
  if (!why.empty()) lose(fmt::format("`vars`: {}", why), *layer.find("vars"), draft.test);
}

// Finds `user.age` in the table `user`.
const YamlNode* TestReader::find_var(std::string_view name, const Draft& draft) {
  std::string why;
  for (const YamlNode* layer : std::views::reverse(draft.layers)) {
    const YamlNode* node = vars_of(*layer, why);
    for (std::string_view rest = name; node && !rest.empty();) {
      const std::string_view first = rest.substr(0, rest.find('.'));
      node = node->find(first);
      rest.remove_prefix(std::min(first.size() + 1, rest.size()));
    }
    if (node) return node;
  }
  return nullptr;
}

// A list of values makes one test per value.
void TestReader::expand(Draft draft) {
  if (std::ranges::any_of(draft.lists, [](const auto& list) { return list.second->items.empty(); }))
    return;
  if (!draft.lists.empty()) {
    const auto [name, list] = draft.lists.back();
    draft.lists.pop_back();
    for (const YamlNode* item : list->items) {
      if (full(*list)) return;
      Draft one = draft;
      set(one.test.vars, name, is_text(*item) ? std::string(item->text) : to_json(*item));
      expand(std::move(one));
    }
    return;
  }
  if (full(draft.node)) return;
  finish_vars(draft);
  Test& test = draft.test;
  for (const YamlNode* layer : draft.layers) read_rest(*layer, test);
  for (const auto& one : draft.expected) add_checks(read_expectation(one), draft.node, test);
  add_objects(draft);
  tests_.push_back(std::move(test));
}

void TestReader::read_vars(const YamlNode& vars, const std::string& prefix, Draft& draft) {
  for (const auto& [key, value] : vars.entries) {
    const std::string name = prefix + std::string(key->text);
    std::erase_if(draft.lists, [&](const auto& list) { return list.first == name; });
    if (value->kind == YamlNode::Kind::map) {
      read_vars(*value, name + ".", draft);
    } else if (value->kind == YamlNode::Kind::list) {
      set(draft.test.vars, name, "");
      draft.lists.emplace_back(name, value);
    } else {
      set(draft.test.vars, name, value->is_null() ? "" : std::string(value->text));
    }
  }
}

// Reads files, and fills in variables within variables. A variable without a value then has no
// cell, and a suite that uses it does not validate.
void TestReader::finish_vars(Draft& draft) {
  constexpr std::array<std::string_view, 6> kTexts{".txt", ".md", ".json", ".csv", ".html", ".xml"};
  Test& test = draft.test;
  const auto lose_var = [&](const std::string& name, std::string_view why) {
    const YamlNode* node = find_var(name, draft);
    lose(fmt::format("the variable `{}`: {}", shown(name), why), node ? *node : draft.node, test);
    test.lost_vars.push_back(name);
  };
  for (auto& [name, value] : test.vars) {
    if (!value.starts_with(kFile)) continue;
    const std::string path(without_scheme(value));
    std::string why = fmt::format("`{}` is not a text file", shown(path));
    auto text = ends_with_any(path, kTexts) ? files_.read(path, why) : std::nullopt;
    if (text)
      value = std::move(*text);
    else
      lose_var(name, why);
  }
  const auto is_lost = [&](const std::string& name) {
    return std::ranges::find(test.lost_vars, name) != test.lost_vars.end();
  };
  const auto drop_lost = [&] {
    std::erase_if(test.vars, [&](const auto& var) { return is_lost(var.first); });
  };
  drop_lost();
  const Vars all(test.vars.begin(), test.vars.end());
  for (auto& [name, value] : test.vars) {
    if (value.find("{{") == value.npos && value.find("{%") == value.npos) continue;
    Resolved resolved = resolve(value, all);
    value = std::move(resolved.text);
    if (!resolved.fault.empty()) lose_var(name, resolved.fault);
  }
  drop_lost();
}

// A variable that is a table and is used as a whole is inserted as JSON.
void TestReader::add_objects(Draft& draft) {
  Test& test = draft.test;
  const auto put = [&](const std::string& name) {
    const bool known =
        std::ranges::any_of(test.vars, [&](const auto& var) { return var.first == name; });
    const YamlNode* node = known ? nullptr : find_var(name, draft);
    if (node && node->kind == YamlNode::Kind::map) test.vars.emplace_back(name, to_json(*node));
  };
  for (const Prompt& prompt : config_.prompts)
    for (const auto& name : prompt.names) put(name);
  for (const auto& name : test.names) put(name);
}

// Everything except the variables.
void TestReader::read_rest(const YamlNode& layer, Test& test) {
  for (const auto& [key, value] : layer.entries) {
    const std::string_view name = key->text;
    if (name == "vars" || name == "description" || name.starts_with('$')) continue;
    if (name == "assert") {
      read_asserts(*value, test);
    } else if (name == "metadata" && value->kind == YamlNode::Kind::map) {
      read_metadata(*value, test);
    } else if (name == "threshold") {
      lose(fmt::format("the threshold of {}: all checks must pass", shown(value->text)), *key,
           test);
    } else if (name == "options") {
      for (const auto& [option, setting] : value->entries)
        read_option(*option, *setting, &layer == defaults_, test);
    } else {
      lose(fmt::format("`{}`: an eval has no such key", shown(name)), *key, test);
    }
  }
}

void TestReader::read_metadata(const YamlNode& metadata, Test& test) {
  for (const auto& [tag, text] : metadata.entries) {
    if (tag->text == "tags" && text->kind == YamlNode::Kind::list) {
      for (const YamlNode* item : text->items)
        if (is_text(*item)) add_once(test.tags, std::string(item->text));
    } else if (is_text(*text)) {
      add_once(test.tags, tag->text == "tags" ? std::string(text->text)
                                              : fmt::format("{}={}", tag->text, text->text));
    } else {
      lose(fmt::format("`metadata.{}`: a tag must be a string", shown(tag->text)), *tag, test);
    }
  }
}

// A judge for all tests becomes the suite's judge.
void TestReader::read_option(const YamlNode& key, const YamlNode& value, bool of_defaults,
                             Test& test) {
  const std::string_view name = key.text;
  std::string_view why = "an eval has no such option";
  if (name == "transform" || name == "postprocess") why = "responses are checked unchanged";
  if (name == "prefix" || name == "suffix") why = "prompts are sent unchanged";
  if (name == "provider") {
    const YamlNode* id = is_text(value) ? &value : value.find("id");
    const Model judge = id && is_text(*id) ? convert_provider(id->text) : Model{};
    why = "a suite has one `judge_model`, which it must be able to use";
    if (of_defaults && !judge.name.empty()) {
      set(config_.settings, "judge_model", base::yaml_text(judge.name));
      return;
    }
  }
  lose(fmt::format("`options.{}`: {}", shown(name), why), key, test);
}

void TestReader::read_asserts(const YamlNode& list, Test& test) {
  if (list.kind != YamlNode::Kind::list && !list.is_null())
    lose_check("`assert`: it is not a list", list, test);
  for (const YamlNode* item : list.items) read_assert(*item, test);
}

void TestReader::read_assert(const YamlNode& written, Test& test) {
  const YamlNode* node = &written;
  if (const YamlNode* reference = node->find("$ref")) {
    constexpr std::string_view kTemplates = "#/assertionTemplates/";
    const YamlNode* templates = root_.find("assertionTemplates");
    node = templates && reference->text.starts_with(kTemplates)
               ? templates->find(reference->text.substr(kTemplates.size()))
               : nullptr;
    if (!node)
      return lose_check(
          fmt::format("`{}`: it is not in `assertionTemplates`", shown(reference->text)), written,
          test);
  }
  const YamlNode* type = node->find("type");
  if (!type || !is_text(*type)) return lose_check("an assertion: it has no `type`", written, test);
  if (type->text == "assert-set") return read_set(*node, test);

  Assertion assertion;
  assertion.type = type->text;
  if (assertion.type.starts_with("not-")) {
    assertion.negated = true;
    assertion.type.erase(0, 4);
  }
  const YamlNode* value = nullptr;
  for (const auto& [key, setting] : node->entries) {
    const std::string_view name = key->text;
    if (name == "value") {
      value = setting;
    } else if (name == "threshold") {
      assertion.threshold = setting->as_number();
      if (!assertion.threshold)
        return lose_check(fmt::format("`{}`: its threshold is not a number", shown(type->text)),
                          *key, test);
    } else if (name == "weight" && setting->as_number() == 0) {
      return lose_check(
          fmt::format("`{}`: its weight is 0, so it has no effect", shown(type->text)), *key, test);
    } else if (name == "transform" || name == "contextTransform") {
      return lose_check(fmt::format("`{}`: responses are checked unchanged", shown(type->text)),
                        *key, test);
    } else if (name != "type") {
      lose(fmt::format("`{}` of `{}`: a check has no such key", shown(name), shown(type->text)),
           *key, test);
    }
  }
  if (value && value->kind == YamlNode::Kind::map) {
    assertion.schema = to_json(*value);
  } else if (value && value->kind == YamlNode::Kind::list) {
    for (const YamlNode* item : value->items) {
      if (!is_text(*item))
        return lose_check(fmt::format("`{}`: not all of its values are strings", shown(type->text)),
                          *item, test);
      assertion.values.emplace_back(item->text);
    }
  } else if (value && is_text(*value)) {
    assertion.values.emplace_back(value->text);
  }
  add_checks(std::move(assertion), written, test);
}

// Several assertions as one: all of them, or any of them if the threshold requires no more.
void TestReader::read_set(const YamlNode& node, Test& test) {
  const YamlNode* list = node.find("assert");
  if (!list || list->items.empty()) return lose_check("`assert-set`: it is empty", node, test);
  const YamlNode* threshold = node.find("threshold");
  const double least = threshold ? threshold->as_number().value_or(1) : 1;
  if (const YamlNode* weight = node.find("weight"))
    lose("`weight` of `assert-set`: checks have no weight", *weight, test);
  Test inner;
  inner.vars = test.vars;
  read_asserts(*list, inner);
  for (const auto& loss : inner.losses) add_once(test.losses, loss);
  for (const auto& name : inner.names) add_once(test.names, name);
  std::string any;
  std::size_t checks = 0;
  for (const auto& line : inner.checks) {
    if (line.comment) continue;
    any += fmt::format("{}{{{}}}", any.empty() ? "" : ", ", line.text);
    ++checks;
  }
  const bool one_will_do = least * static_cast<double>(list->items.size()) <= 1 && checks > 1;
  if (one_will_do) {
    std::erase_if(inner.checks, [](const Line& line) { return !line.comment; });
    inner.checks.push_back({false, fmt::format("or: [{}]", any)});
  } else if (least < 1) {
    lose(fmt::format("the threshold of {:g} of `assert-set`: all of it must pass", least), node,
         test);
  }
  test.checks.insert(test.checks.end(), inner.checks.begin(), inner.checks.end());
}

void TestReader::add_checks(Assertion assertion, const YamlNode& node, Test& test) {
  const AssertionKind* kind = find_assertion_kind(assertion.type);
  if (!kind || !kind->convert) assertion.values.clear();  // they do not matter
  const bool is_json = assertion.type == "is-json" || assertion.type == "contains-json";
  std::vector<std::string> values;
  for (std::string& value : assertion.values) {
    if (value.starts_with(kFile)) {
      const std::string path = value.substr(kFile.size());
      constexpr std::array<std::string_view, 5> kTexts{".txt", ".md", ".json", ".yaml", ".yml"};
      std::string why = fmt::format("`{}` is not a text file", shown(path));
      auto text = ends_with_any(path, kTexts) ? files_.read(path, why) : std::nullopt;
      if (!text) return lose_check(fmt::format("`{}`: {}", shown(assertion.type), why), node, test);
      value = std::move(*text);
    }
    if (is_json) {
      const YamlNode* schema = files_.parse_quietly(value);
      if (schema && schema->kind == YamlNode::Kind::map) assertion.schema = to_json(*schema);
      continue;
    }
    auto converted = convert_template(value, Filters::refused);
    if (!converted.fault.empty())
      return lose_check(fmt::format("`{}`: {}", shown(assertion.type), converted.fault), node,
                        test);
    for (const auto& name : converted.names) add_once(test.names, name);
    for (const auto& loss : converted.losses) lose(loss, node, test);
    const bool splits = (assertion.type.ends_with("-any") || assertion.type.ends_with("-all")) &&
                        assertion.values.size() == 1;
    std::string_view rest = converted.text;
    for (std::size_t comma = splits ? rest.find(',') : rest.npos; comma != rest.npos;
         comma = rest.find(',')) {
      values.emplace_back(base::trim(rest.substr(0, comma)));
      rest.remove_prefix(comma + 1);
    }
    values.emplace_back(splits ? base::trim(rest) : rest);
  }
  assertion.values = std::move(values);
  const Vars vars(test.vars.begin(), test.vars.end());
  for (auto& line : convert(assertion, vars)) {
    if (line.comment) files_.lose(line.text, node);
    test.checks.push_back(std::move(line));
  }
}

std::vector<Test> TestReader::finish() {
  if (tests_.empty() && !full_) {  // then promptfoo sends every prompt once
    const YamlNode& node = defaults_ ? *defaults_ : root_;
    Draft draft{.test = {}, .lists = {}, .layers = {}, .expected = {}, .node = node};
    if (defaults_) draft.layers.push_back(defaults_);
    if (defaults_) read_layer_vars(*defaults_, draft);
    expand(std::move(draft));
  }
  return std::move(tests_);
}

}  // namespace vibe::import

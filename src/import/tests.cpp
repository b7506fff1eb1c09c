#include "import/tests.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml_text.h"

namespace vibe::import {

using base::Code;
using base::YamlNode;

namespace {

constexpr std::size_t kMostTests = 100'000;

std::string shown(std::string_view text) { return base::shorten(base::printable(text), 60); }

void set_var(Test& test, std::string_view name, std::string value) {
  const auto found =
      std::ranges::find_if(test.vars, [&](const auto& var) { return var.first == name; });
  if (found != test.vars.end())
    found->second = std::move(value);
  else
    test.vars.emplace_back(name, std::move(value));
}

}  // namespace

bool is_text(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.is_null();
}

const YamlNode* Files::keep(base::YamlDocument document) {
  documents_.push_back(std::move(document));
  const YamlNode& root = documents_.back().root();
  remember(root);
  return &root;
}

void Files::remember(const YamlNode& node) {
  if (!sources_.try_emplace(&node, documents_.back().source()).second) return;
  for (const YamlNode* item : node.items) remember(*item);
  for (const auto& [key, value] : node.entries) {
    remember(*key);
    remember(*value);
  }
}

const YamlNode* Files::parse(const base::SourcePtr& source) {
  auto document = base::parse_yaml(source);
  if (!document) {
    out_.append(document.error());
    return nullptr;
  }
  out_.append(document->problems());
  return document->problems().failed() ? nullptr : keep(std::move(*document));
}

const YamlNode* Files::parse_quietly(std::string text) {
  auto document = base::parse_yaml(base::make_source("", std::move(text)));
  return document ? keep(std::move(*document)) : nullptr;
}

std::optional<std::string> Files::read(const std::string& path, const YamlNode& node) {
  auto text = read_file_(path);
  if (text && !base::first_invalid(*text)) return std::move(*text);
  if (text)
    out_.add(Code::not_text, where(node), fmt::format("`{}` is not UTF-8 text", shown(path)));
  else
    out_.append(text.error());
  return std::nullopt;
}

base::Where Files::where(const YamlNode& node) const {
  const auto found = sources_.find(&node);
  return {found == sources_.end() ? nullptr : found->second, node.span};
}

void Files::lose(std::string_view what, const YamlNode& node) {
  // what stands in the defaults is lost with every test, and said once
  if (!said_.insert(fmt::format("{} {}", static_cast<const void*>(&node), what)).second) return;
  out_.add(Code::left_out, where(node), fmt::format("not carried over: {}", what));
}

TestReader::TestReader(Files& files, const YamlNode& root, const YamlNode* defaults,
                       std::vector<std::string>& losses)
    : files_(files), root_(root), defaults_(defaults), losses_(losses) {
  if (!defaults_ || !is_text(*defaults_)) return;
  const YamlNode& node = *defaults_;
  defaults_ = nullptr;
  std::string_view path = node.text;
  if (path.starts_with(kFile)) path.remove_prefix(kFile.size());
  if (const auto text = files_.read(std::string(path), node))
    defaults_ = files_.parse(base::make_source(std::string(path), *text));
}

void TestReader::lose(const std::string& what, const YamlNode& node, Test& test) {
  files_.lose(what, node);
  add_once(test.losses, what);
}

bool TestReader::full(const YamlNode& node) {
  if (tests_.size() < kMostTests) return false;
  if (!full_) {
    losses_.push_back(fmt::format("tests after the first {}", kMostTests));
    files_.lose(losses_.back(), node);
  }
  return full_ = true;
}

void TestReader::read(const YamlNode& tests) {
  if (is_text(tests)) return read_file(tests.text, tests);
  for (const YamlNode* item : tests.items) read_item(*item);
}

void TestReader::read_item(const YamlNode& item) {
  if (is_text(item)) return read_file(item.text, item);
  if (item.kind == YamlNode::Kind::map) add({&item});
}

void TestReader::read_file(std::string_view path, const YamlNode& node) {
  if (path.starts_with(kFile)) path.remove_prefix(kFile.size());
  constexpr std::array<std::string_view, 4> kEndings{".yaml", ".yml", ".json", ".jsonl"};
  const bool is_list =
      std::ranges::any_of(kEndings, [&](auto ending) { return path.ends_with(ending); });
  if ((!is_list && !path.ends_with(".csv")) || path.find('*') != std::string_view::npos) {
    losses_.push_back(fmt::format("the tests of `{}`", shown(path)));
    return files_.lose(losses_.back(), node);
  }
  const auto text = files_.read(std::string(path), node);
  if (!text) return;
  if (path.ends_with(".csv")) return read_table(*text, node);
  std::string_view rest = *text;
  if (path.ends_with(".jsonl")) {
    for (std::uint32_t number = 1; !rest.empty(); ++number) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (base::trim(line).empty()) continue;
      const YamlNode* item =
          files_.parse(base::make_source(std::string(path), std::string(line), number));
      if (item && item->kind == YamlNode::Kind::map) add({item});
    }
    return;
  }
  if (const YamlNode* list = files_.parse(base::make_source(std::string(path), *text)))
    for (const YamlNode* item : list->items)
      if (item->kind == YamlNode::Kind::map) add({item});
}

std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto end_row = [&] {
    if (row.size() > 1 || !row[0].empty()) rows.push_back(row);
    row.assign(1, "");
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"')
        row.back() += c;
      else if (text.substr(at + 1).starts_with('"'))
        row.back() += text[++at];
      else
        quoted = false;
    } else if (c == '"' && row.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r' || !text.substr(at + 1).starts_with('\n')) {
      row.back() += c;
    }
  }
  end_row();
  return rows;
}

// Columns whose name begins with `__` say something of the test; the others are variables.
void TestReader::read_table(const std::string& text, const YamlNode& node) {
  const auto rows = read_csv(text);
  for (std::size_t r = 1; r < rows.size() && !full(node); ++r) {
    Test test;
    std::vector<std::string> expected;
    for (std::size_t c = 0; c < std::min(rows[0].size(), rows[r].size()); ++c) {
      const std::string_view name = base::trim(rows[0][c]);
      const std::string& cell = rows[r][c];
      if (name.starts_with("__expected")) {
        if (!base::trim(cell).empty()) expected.push_back(cell);
      } else if (name == "__description") {
        test.description = cell;
      } else if (name.starts_with("__metadata:")) {
        if (!cell.empty()) test.tags.push_back(fmt::format("{}={}", name.substr(11), cell));
      } else if (name.starts_with("__")) {
        if (!cell.empty()) lose(fmt::format("the column `{}`", shown(name)), node, test);
      } else if (!name.empty()) {
        set_var(test, name, cell);
      }
    }
    if (defaults_) {
      if (const YamlNode* vars = defaults_->find("vars"))
        for (const auto& [key, value] : vars->entries)
          if (is_text(*value) && std::ranges::find_if(test.vars, [&](const auto& var) {
                                   return var.first == key->text;
                                 }) == test.vars.end())
            test.vars.emplace_back(key->text, value->text);
      read_rest(*defaults_, test);
    }
    for (const auto& one : expected) add_checks(read_expectation(one), node, test);
    tests_.push_back(std::move(test));
  }
}

void TestReader::read_scenarios(const YamlNode& scenarios) {
  for (const YamlNode* scenario : scenarios.items) {
    const YamlNode* configs = scenario->find("config");
    const YamlNode* tests = scenario->find("tests");
    if (!configs || configs->kind != YamlNode::Kind::list ||
        (tests && tests->kind != YamlNode::Kind::list)) {
      losses_.emplace_back("a scenario that is no list of variables and tests");
      files_.lose(losses_.back(), *scenario);
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

// The later layers win; assertions add up.
void TestReader::add(const std::vector<const YamlNode*>& given) {
  if (full(*given.back())) return;
  std::vector<const YamlNode*> layers = given;
  if (defaults_ && defaults_->kind == YamlNode::Kind::map) layers.insert(layers.begin(), defaults_);
  Test test;
  std::vector<std::pair<std::string, const YamlNode*>> lists;
  for (const YamlNode* layer : layers) {
    const YamlNode* description = layer->find("description");
    if (description && is_text(*description) && layer != defaults_)
      test.description = description->text;
    if (const YamlNode* vars = layer->find("vars")) {
      if (vars->kind == YamlNode::Kind::map)
        read_vars(*vars, "", test, lists);
      else
        lose("`vars` that are no table", *vars, test);
    }
  }
  expand(std::move(test), std::move(lists), layers);
}

// A list of values is a test for each of them.
void TestReader::expand(Test test, std::vector<std::pair<std::string, const YamlNode*>> lists,
                        const std::vector<const YamlNode*>& layers) {
  const bool is_none = std::any_of(lists.begin(), lists.end(),
                                   [](const auto& list) { return list.second->items.empty(); });
  if (is_none) return;
  if (!lists.empty()) {
    const auto [name, list] = lists.back();
    lists.pop_back();
    for (const YamlNode* item : list->items) {
      if (full(*list)) return;
      Test one = test;
      set_var(one, name, is_text(*item) ? std::string(item->text) : to_json(*item));
      expand(std::move(one), lists, layers);
    }
    return;
  }
  if (full(*layers.back())) return;
  for (const YamlNode* layer : layers) read_rest(*layer, test);
  tests_.push_back(std::move(test));
}

void TestReader::read_vars(const YamlNode& vars, const std::string& prefix, Test& test,
                           std::vector<std::pair<std::string, const YamlNode*>>& lists) {
  for (const auto& [key, value] : vars.entries) {
    const std::string name = prefix + std::string(key->text);
    std::erase_if(lists, [&](const auto& list) { return list.first == name; });
    if (value->kind == YamlNode::Kind::map) {
      read_vars(*value, name + ".", test, lists);
    } else if (value->kind == YamlNode::Kind::list) {
      set_var(test, name, "");
      lists.emplace_back(name, value);
    } else if (!value->text.starts_with(kFile)) {
      set_var(test, name, value->is_null() ? "" : std::string(value->text));
    } else {
      const std::string path(value->text.substr(kFile.size()));
      constexpr std::array<std::string_view, 6> kTexts{".txt", ".md",   ".json",
                                                       ".csv", ".html", ".xml"};
      if (std::ranges::any_of(kTexts, [&](auto ending) { return path.ends_with(ending); })) {
        if (auto text = files_.read(path, *value)) set_var(test, name, std::move(*text));
      } else {
        lose(fmt::format("the variable `{}`, which comes from `{}`", shown(name), shown(path)),
             *value, test);
      }
    }
  }
}

// Everything but the variables.
void TestReader::read_rest(const YamlNode& layer, Test& test) {
  for (const auto& [key, value] : layer.entries) {
    const std::string_view name = key->text;
    if (name == "vars" || name == "description" || name.starts_with('$')) continue;
    if (name == "assert") {
      read_asserts(*value, test);
    } else if (name == "metadata") {
      for (const auto& [tag, text] : value->entries) {
        if (tag->text == "tags" && text->kind == YamlNode::Kind::list) {
          for (const YamlNode* item : text->items)
            if (is_text(*item)) add_once(test.tags, std::string(item->text));
        } else if (is_text(*text)) {
          add_once(test.tags, tag->text == "tags" ? std::string(text->text)
                                                  : fmt::format("{}={}", tag->text, text->text));
        } else {
          lose(fmt::format("`metadata.{}`", shown(tag->text)), *tag, test);
        }
      }
    } else if (name == "threshold") {
      lose(fmt::format("the threshold of {}: all checks have to pass", shown(value->text)), *key,
           test);
    } else if (name == "options") {
      for (const auto& [option, ignored] : value->entries)
        lose(fmt::format("`options.{}`", shown(option->text)), *option, test);
    } else {
      lose(fmt::format("`{}`", shown(name)), *key, test);
    }
  }
}

void TestReader::read_asserts(const YamlNode& list, Test& test) {
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
      return lose(fmt::format("an assertion by `{}`", shown(reference->text)), written, test);
  }
  const YamlNode* type = node->find("type");
  if (!type || !is_text(*type)) return lose("an assertion without `type`", written, test);
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
    } else if (name == "weight" && setting->as_number() == 0) {
      return lose(fmt::format("`{}` of weight 0, which decides nothing", shown(type->text)), *key,
                  test);
    } else if (name == "transform" || name == "contextTransform") {
      return lose(fmt::format("`{}` of a response that is transformed first", shown(type->text)),
                  *key, test);
    } else if (name != "type") {
      lose(fmt::format("`{}` of `{}`", shown(name), shown(type->text)), *key, test);
    }
  }
  if (value && value->kind == YamlNode::Kind::map) {
    assertion.schema = to_json(*value);
  } else if (value && value->kind == YamlNode::Kind::list) {
    for (const YamlNode* item : value->items)
      if (is_text(*item)) assertion.values.emplace_back(item->text);
  } else if (value && is_text(*value)) {
    assertion.values.emplace_back(value->text);
  }
  add_checks(std::move(assertion), written, test);
}

// Several assertions as one: all of them, or any where the threshold asks for no more.
void TestReader::read_set(const YamlNode& node, Test& test) {
  const YamlNode* list = node.find("assert");
  if (!list || list->items.empty()) return lose("an empty `assert-set`", node, test);
  const YamlNode* threshold = node.find("threshold");
  const double least = threshold ? threshold->as_number().value_or(1) : 1;
  if (const YamlNode* weight = node.find("weight")) lose("`weight` of `assert-set`", *weight, test);
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
    lose(fmt::format("the threshold of {:g} of `assert-set`: all of it has to pass", least), node,
         test);
  }
  test.checks.insert(test.checks.end(), inner.checks.begin(), inner.checks.end());
}

void TestReader::add_checks(Assertion assertion, const YamlNode& node, Test& test) {
  const bool is_json = assertion.type == "is-json" || assertion.type == "contains-json";
  std::vector<std::string> values;
  for (std::string& value : assertion.values) {
    if (value.starts_with(kFile)) {
      const std::string path = value.substr(kFile.size());
      constexpr std::array<std::string_view, 5> kTexts{".txt", ".md", ".json", ".yaml", ".yml"};
      if (std::ranges::none_of(kTexts, [&](auto ending) { return path.ends_with(ending); }))
        return lose(fmt::format("`{}` by `{}`", shown(assertion.type), shown(path)), node, test);
      auto text = files_.read(path, node);
      if (!text) return;
      value = std::move(*text);
    }
    if (is_json) {
      const YamlNode* schema = files_.parse_quietly(value);
      if (schema && schema->kind == YamlNode::Kind::map) assertion.schema = to_json(*schema);
      continue;
    }
    auto converted = convert_template(value);
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
  if (tests_.empty() && !full_) {  // promptfoo asks every prompt once then
    Test test;
    if (defaults_ && defaults_->kind == YamlNode::Kind::map) {
      std::vector<std::pair<std::string, const YamlNode*>> lists;
      if (const YamlNode* vars = defaults_->find("vars"); vars && vars->kind == YamlNode::Kind::map)
        read_vars(*vars, "", test, lists);
      expand(std::move(test), std::move(lists), {defaults_});
    } else {
      tests_.push_back(std::move(test));
    }
  }
  return std::move(tests_);
}

}  // namespace vibe::import

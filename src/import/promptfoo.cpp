#include "import/promptfoo.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml_text.h"
#include "formula/make_name.h"
#include "import/config.h"

namespace vibe::import {

using base::yaml_block;
using base::yaml_text;

namespace {

std::string comment_line(std::size_t indent, std::string_view text) {
  return fmt::format("{:{}}# {}\n", "", indent, base::shorten(base::printable(text), 200));
}
std::string lost(std::size_t indent, std::string_view what) {
  return comment_line(indent, fmt::format("not carried over: {}", what));
}

// Tests that differ only in their variables: one eval over a table of cases.
struct Group {
  std::vector<const Test*> tests;
  std::vector<std::string> columns;
};

std::vector<std::string> columns_of(const Prompt& prompt, const Test& test) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const auto& var : test.vars) add(var.first);
  for (const auto& name : prompt.names) add(name);
  for (const auto& name : test.names) add(name);
  for (const auto& name : test.lost_vars) std::erase(out, name);
  return out;
}

bool alike(const Test& a, const Test& b) {
  return a.checks == b.checks && a.tags == b.tags && a.losses == b.losses &&
         a.lost_vars == b.lost_vars;
}

std::vector<Group> group(const Prompt& prompt, const std::vector<Test>& tests) {
  std::vector<Group> out;
  std::map<std::string, std::vector<std::size_t>> by_key;
  for (const auto& test : tests) {
    auto columns = columns_of(prompt, test);
    std::sort(columns.begin(), columns.end());
    std::string key;
    for (const auto& name : columns) key += name + "\n";
    for (const auto& line : test.checks) key += line.text + "\n";
    auto& candidates = by_key[key];
    const auto found = std::ranges::find_if(
        candidates, [&](std::size_t g) { return alike(*out[g].tests.front(), test); });
    if (found != candidates.end() && !columns.empty()) {
      out[*found].tests.push_back(&test);
      continue;
    }
    candidates.push_back(out.size());
    out.push_back({{&test}, columns_of(prompt, test)});
  }
  return out;
}

// None: the test does not set it.
std::optional<std::string_view> value_of(const Test& test, const std::string& name) {
  for (const auto& var : test.vars)
    if (var.first == name) return var.second;
  return std::nullopt;
}

class Writer {
 public:
  Writer(const Config& config, const std::string& file) : config_(config), file_(file) {}

  Imported write() {
    Imported out;
    out.models = config_.models;
    write_head();
    text_ += "evals:\n";
    for (const auto& loss : config_.prompt_losses) text_ += lost(2, loss);
    for (std::size_t p = 0; p < config_.prompts.size(); ++p) {
      const Prompt& prompt = config_.prompts[p];
      for (const auto& group : group(prompt, config_.tests)) write_eval(p, prompt, group, out);
    }
    out.suite = std::move(text_);
    return out;
  }

 private:
  void write_head() {
    text_ += comment_line(0, fmt::format("From {}, a promptfoo config, by `vibe import`.", file_));
    for (const auto& loss : config_.losses) text_ += lost(0, loss);
    const std::string name = std::string(base::trim(config_.description));
    text_ += fmt::format(
        "metadata:\n  name: {}\n",
        yaml_text(name.empty() || name.find("{{") != std::string::npos ? "promptfoo" : name));
    for (const auto& loss : config_.model_losses) text_ += lost(2, loss);
    const auto& models = config_.models;
    if (models.empty())
      text_ += comment_line(2, "model: none could be carried over; write one here");
    else
      text_ += fmt::format("  model: {}\n", yaml_text(models.front()));
    for (std::size_t i = 1; i < models.size(); ++i)
      text_ += comment_line(2, fmt::format("promptfoo also uses: {}", models[i]));
    if (!config_.system_prompt.empty())
      text_ += fmt::format("  system_prompt: {}\n", yaml_block(config_.system_prompt, 4));
    std::map<std::string, std::string> settings(config_.settings.begin(), config_.settings.end());
    for (const auto& [key, value] : settings) text_ += fmt::format("  {}: {}\n", key, value);
    text_ += '\n';
  }

  void write_eval(std::size_t number, const Prompt& prompt, const Group& group, Imported& out) {
    const Test& first = *group.tests.front();
    ++out.evals;
    out.cases += group.tests.size();
    text_ += fmt::format("  - name: {}\n", name_of(prompt, group));
    for (const auto& loss : prompt.losses) text_ += lost(4, loss);
    for (const auto& loss : first.losses) text_ += lost(4, loss);
    for (const auto& name : group.columns)
      if (!value_of(first, name))
        text_ += comment_line(4, fmt::format("`{}` has no value in promptfoo: it is empty", name));
    auto tags = first.tags;
    if (config_.prompts.size() > 1) tags.push_back(fmt::format("prompt-{}", number + 1));
    write_tags(tags);
    if (prompt.text.empty()) {
      text_ += comment_line(4, "prompt: none could be carried over; write one here");
      ++out.without_prompt;
    } else {
      write_prompt(number, prompt);
    }
    if (!group.columns.empty())
      write_cases(group);
    else if (uses_lost(prompt, first))
      text_ += "    cases: []\n";  // the user has to write the variables
    text_ += "    checks:\n";
    std::size_t checks = 0;
    for (const auto& line : first.checks) {
      text_ += line.comment ? lost(6, line.text) : fmt::format("      - {}\n", line.text);
      checks += line.comment ? 0 : 1;
    }
    if (checks == 0) {
      text_ += comment_line(6, first.checks.empty() ? "promptfoo has none; write one here"
                                                    : "none could be carried over; write one here");
      ++out.without_checks;
    }
    out.checks += checks;
    text_ += '\n';
  }

  static bool uses_lost(const Prompt& prompt, const Test& test) {
    return std::ranges::any_of(test.lost_vars, [&](const std::string& name) {
      return std::ranges::find(prompt.names, name) != prompt.names.end() ||
             std::ranges::find(test.names, name) != test.names.end();
    });
  }

  std::string name_of(const Prompt& prompt, const Group& group) {
    const Test& first = *group.tests.front();
    if (group.tests.size() > 1) return names_.make(prompt.label, "eval");
    if (!first.description.empty()) return names_.make(first.description, "test");
    std::string vars;
    auto sorted = first.vars;
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [name, value] : sorted) vars += fmt::format("{} {} ", name, value);
    return names_.make(vars, "test");
  }

  void write_tags(const std::vector<std::string>& tags) {
    std::string list;
    for (const auto& tag : tags)
      if (!tag.empty()) list += (list.empty() ? "" : ", ") + yaml_text(tag);
    if (!list.empty()) text_ += fmt::format("    tags: [{}]\n", list);
  }

  // A long prompt is written once; the other evals refer to it.
  void write_prompt(std::size_t number, const Prompt& prompt) {
    constexpr std::size_t kLong = 60;
    const std::string value = yaml_block(prompt.text, 6);
    if (prompt.text.size() <= kLong) {
      text_ += fmt::format("    prompt: {}\n", value);
    } else if (written_.insert(number).second) {
      text_ += fmt::format("    prompt: &prompt-{} {}\n", number + 1, value);
    } else {
      text_ += fmt::format("    prompt: *prompt-{}\n", number + 1);
    }
  }

  void write_cases(const Group& group) {
    text_ += "    cases:\n";
    const bool has_ids =
        group.tests.size() > 1 && std::ranges::find(group.columns, "id") == group.columns.end() &&
        std::ranges::all_of(group.tests,
                            [](const Test* test) { return !test->description.empty(); });
    formula::NameMaker ids;
    for (const Test* test : group.tests) {
      std::string row;
      if (has_ids) row = fmt::format("id: {}", yaml_text(ids.make(test->description, "case")));
      for (const auto& name : group.columns)
        row += fmt::format("{}{}: {}", row.empty() ? "" : ", ", yaml_text(name),
                           yaml_text(value_of(*test, name).value_or("")));
      text_ += fmt::format("      - {{{}}}\n", row);
    }
  }

  const Config& config_;
  const std::string& file_;
  formula::NameMaker names_;
  std::set<std::size_t> written_;  // prompts that have an anchor
  std::string text_;
};

}  // namespace

std::optional<Imported> import_promptfoo(const base::SourcePtr& source, const ReadFile& read_file,
                                         base::Diagnostics& out) {
  const auto config = read_config(source, read_file, out);
  if (!config) return std::nullopt;
  return Writer(*config, source->name()).write();
}

}  // namespace vibe::import

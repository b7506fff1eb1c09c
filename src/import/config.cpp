#include "import/config.h"

#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "base/yaml_text.h"
#include "import/provider.h"
#include "import/tests.h"

namespace vibe::import {

using base::Code;
using base::YamlNode;

namespace {

// What of a provider's `config` a suite can say.
struct Setting {
  std::string_view theirs, ours;
};
constexpr std::array kModelSettings{Setting{"temperature", "temperature"},
                                    Setting{"top_p", "top_p"},
                                    Setting{"seed", "seed"},
                                    Setting{"max_tokens", "max_output_tokens"},
                                    Setting{"max_completion_tokens", "max_output_tokens"},
                                    Setting{"max_output_tokens", "max_output_tokens"}};
constexpr std::array kRunSettings{Setting{"maxConcurrency", "threads"},
                                  Setting{"repeat", "repeat"}};

class ConfigReader {
 public:
  ConfigReader(const ReadFile& read_file, base::Diagnostics& out) : files_(read_file, out) {}

  std::optional<Config> read(const base::SourcePtr& source, base::Diagnostics& out) {
    const YamlNode* root = files_.parse(source);
    if (!root) return std::nullopt;
    if (root->kind != YamlNode::Kind::map) {
      out.add(Code::wrong_type, files_.where(*root),
              fmt::format("the configuration is {}, not a table", root->describe()));
      return std::nullopt;
    }
    const YamlNode* default_test = nullptr;
    for (const auto& [key, value] : root->entries) {
      const std::string_view name = key->text;
      if (name == "description" && is_text(*value))
        config_.description = value->text;
      else if (name == "prompts")
        read_prompts(*value);
      else if (name == "providers" || name == "targets")
        read_providers(*value);
      else if (name == "defaultTest")
        default_test = value;
      else if (name == "evaluateOptions" || name == "commandLineOptions")
        read_settings(*value, kRunSettings, name);
      else if (name != "tests" && name != "scenarios" && name != "assertionTemplates" &&
               !name.starts_with('$') && !name.starts_with("x-"))
        lose(fmt::format("`{}`", base::shorten(base::printable(name), 60)), *key);
    }
    TestReader tests(files_, *root, default_test, config_.losses);
    if (const YamlNode* list = root->find("tests")) tests.read(*list);
    if (const YamlNode* list = root->find("scenarios")) tests.read_scenarios(*list);
    config_.tests = tests.finish();
    if (out.failed()) return std::nullopt;
    if (config_.prompts.empty()) {
      out.add(Code::missing_key, files_.where(*root), "no prompt can be carried over",
              "a configuration has `prompts`, with at least one that is text");
      return std::nullopt;
    }
    return std::move(config_);
  }

 private:
  void lose(std::string what, const YamlNode& node) {
    files_.lose(what, node);
    config_.losses.push_back(std::move(what));
  }

  void read_prompts(const YamlNode& value) {
    if (is_text(value)) return read_prompt(value, "");
    for (const YamlNode* item : value.items) {
      if (item->kind != YamlNode::Kind::map) {
        read_prompt(*item, "");
        continue;
      }
      const YamlNode* label = item->find("label");
      const YamlNode* text = item->find("raw");
      if (!text) text = item->find("id");
      if (text)
        read_prompt(*text, label ? label->text : std::string_view());
      else
        lose("a prompt without text", *item);
    }
  }

  // A text, or the name of a file with one or several.
  void read_prompt(const YamlNode& node, std::string_view label) {
    if (!is_text(node)) return lose("a prompt that is no text", node);
    constexpr std::array<std::string_view, 3> kTexts{".txt", ".md", ".j2"};
    std::string_view path = node.text;
    const bool is_file = path.starts_with(kFile);
    if (is_file) path.remove_prefix(kFile.size());
    const bool one_line = path.find('\n') == std::string_view::npos;
    const bool is_text_file = one_line && std::ranges::any_of(kTexts, [&](auto ending) {
                                return path.ends_with(ending);
                              });
    const bool is_chat_file =
        one_line && (path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml"));
    if (!is_file && !is_text_file && !is_chat_file) return add_prompt(node.text, label, node);
    if ((!is_text_file && !is_chat_file) || path.find('*') != std::string_view::npos)
      return lose(fmt::format("the prompts of `{}`", base::shorten(base::printable(path), 60)),
                  node);
    const auto text = files_.read(std::string(path), node);
    if (!text) return;
    if (is_chat_file) return add_prompt(*text, label, node);
    std::string_view rest = *text;
    while (true) {  // several prompts in one file
      const std::size_t end = rest.find("\n---\n");
      add_prompt(base::trim(rest.substr(0, end)), label, node);
      if (end == std::string_view::npos) return;
      rest.remove_prefix(end + 5);
    }
  }

  void add_prompt(std::string_view text, std::string_view label, const YamlNode& node) {
    if (base::trim(text).empty()) return lose("an empty prompt", node);
    std::string user(text);
    if (text.starts_with('[') || base::trim(text).starts_with("- role:")) {
      if (const auto chat = files_.parse_quietly(std::string(text)); chat && is_chat(*chat)) {
        if (!take_chat(*chat, user))
          return lose(
              "a conversation that is more than one user message and the system message of all "
              "prompts",
              node);
      }
    }
    auto converted = convert_template(user);
    Prompt prompt{.text = converted.text,
                  .label = std::string(label.empty() ? text : label),
                  .names = std::move(converted.names),
                  .losses = std::move(converted.losses)};
    for (const auto& loss : prompt.losses) files_.lose(loss, node);
    config_.prompts.push_back(std::move(prompt));
  }

  static bool is_chat(const YamlNode& list) {
    return list.kind == YamlNode::Kind::list && !list.items.empty() &&
           std::ranges::all_of(list.items, [](const YamlNode* item) {
             const YamlNode* content = item->find("content");
             return item->find("role") && content && is_text(*content);
           });
  }
  // `system` and `user`, or `user` alone; one system prompt for all.
  bool take_chat(const YamlNode& list, std::string& user) {
    std::string system;
    std::size_t at = 0;
    if (list.items[0]->find("role")->text == "system")
      system = list.items[at++]->find("content")->text;
    if (at + 1 != list.items.size() || list.items[at]->find("role")->text != "user") return false;
    if (!config_.prompts.empty() && system != config_.system_prompt) return false;
    if (system.find("{{") != std::string::npos) return false;
    config_.system_prompt = system;
    user = list.items[at]->find("content")->text;
    return true;
  }

  void read_providers(const YamlNode& value) {
    if (is_text(value)) return add_provider(value.text, nullptr, value);
    for (const YamlNode* item : value.items) {
      if (is_text(*item)) {
        add_provider(item->text, nullptr, *item);
      } else if (const YamlNode* id = item->find("id"); id && is_text(*id)) {
        add_provider(id->text, item, *id);
      } else if (item->kind == YamlNode::Kind::map && item->entries.size() == 1) {
        const auto& [key, options] = item->entries[0];
        add_provider(key->text, options, *key);
      } else {
        lose("a provider without `id`", *item);
      }
    }
  }

  void add_provider(std::string_view id, const YamlNode* options, const YamlNode& node) {
    const Model model = convert_provider(id);
    const std::string shown = base::shorten(base::printable(id), 60);
    if (model.name.empty())
      return lose(fmt::format("the provider `{}`: {}", shown, model.remark), node);
    if (!model.remark.empty())
      lose(fmt::format("how `{}` is asked: {}", shown, model.remark), node);
    const bool first = config_.models.empty();
    config_.models.push_back(model.name);
    if (!options || options->kind != YamlNode::Kind::map) return;
    for (const auto& [key, value] : options->entries) {
      if (key->text == "config" && first)
        read_settings(*value, kModelSettings, "config");
      else if (key->text != "id" && key->text != "label")
        lose(fmt::format("`{}` of `{}`", base::shorten(base::printable(key->text), 60), shown),
             *key);
    }
  }

  void read_settings(const YamlNode& value, std::span<const Setting> known, std::string_view of) {
    for (const auto& [key, setting] : value.entries) {
      const auto row = std::ranges::find(known, key->text, &Setting::theirs);
      const auto number = setting->as_number();
      const bool fits = row != known.end() && number &&
                        (row->ours != "threads" || (*number >= 1 && *number <= 1024)) &&
                        (row->ours != "repeat" || (*number >= 1 && *number <= 1000));
      if (fits)
        config_.settings.emplace_back(row->ours, setting->text);
      else
        lose(fmt::format("`{}.{}`", of, base::shorten(base::printable(key->text), 60)), *key);
    }
  }

  Files files_;
  Config config_;
};

}  // namespace

std::optional<Config> read_config(const base::SourcePtr& source, const ReadFile& read_file,
                                  base::Diagnostics& out) {
  return ConfigReader(read_file, out).read(source, out);
}

}  // namespace vibe::import

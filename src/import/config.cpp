#include "import/config.h"

#include <algorithm>
#include <array>
#include <span>

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

// The keys of a provider's `config`, and of options, that a suite also has.
struct Setting {
  std::string_view theirs, ours;
  double least, most;
  bool whole;
};
constexpr double kAny = 9e15;
constexpr std::array kModelSettings{
    Setting{"temperature", "temperature", 0, 2, false},
    Setting{"top_p", "top_p", 0, 1, false},
    Setting{"seed", "seed", -kAny, kAny, true},
    Setting{"max_tokens", "max_output_tokens", 1, kAny, true},
    Setting{"max_completion_tokens", "max_output_tokens", 1, kAny, true},
    Setting{"max_output_tokens", "max_output_tokens", 1, kAny, true},
};
constexpr std::array kRunSettings{
    Setting{"maxConcurrency", "threads", 1, 1024, true},
    Setting{"repeat", "repeat", 1, 1000, true},
};

// A config has at least one of these.
constexpr std::array<std::string_view, 7> kSections{"prompts",   "providers",   "targets", "tests",
                                                    "scenarios", "defaultTest", "redteam"};

constexpr std::array<std::string_view, 3> kTextFiles{".txt", ".md", ".j2"};
constexpr std::array<std::string_view, 15> kCodeFiles{".js",  ".cjs", ".mjs", ".ts",   ".cts",
                                                      ".mts", ".py",  ".rb",  ".bash", ".sh",
                                                      ".exe", ".bat", ".cmd", ".ps1",  ".pl"};

// `prompts.py:make` names a function in the file.
std::string_view without_function(std::string_view path) {
  const std::string_view file = path.substr(0, path.rfind(':'));
  return ends_with_any(file, kCodeFiles) ? file : path;
}

// `langfuse` of `langfuse://name:1`; empty: the text is not an address.
std::string_view scheme_of(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || text.find_first_of(" \t\n") != std::string_view::npos ||
      !std::ranges::all_of(text.substr(0, end),
                           [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }))
    return {};
  return text.substr(0, end);
}

std::string quoted_text(std::string_view text) { return fmt::format("`{}`", shown(text)); }

class ConfigReader {
 public:
  ConfigReader(const ReadFile& read_file, base::Diagnostics& out) : files_(read_file, out) {}

  std::optional<Config> read(const base::SourcePtr& source, base::Diagnostics& out) {
    const YamlNode* root = files_.parse(source);
    if (!root) return std::nullopt;
    if (root->kind != YamlNode::Kind::map) {
      out.add(Code::wrong_type, files_.where(*root),
              fmt::format("the config is {}, not a table", root->describe()));
      return std::nullopt;
    }
    if (std::ranges::none_of(kSections, [&](auto name) { return root->find(name) != nullptr; })) {
      out.add(Code::missing_key, files_.where(*root), "this is not a promptfoo config",
              fmt::format("a config has one of `{}`", fmt::join(kSections, "`, `")));
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
        lose(fmt::format("{}: a suite has no such key", quoted_text(name)), *key, config_.losses);
    }
    TestReader tests(files_, *root, default_test, config_);
    if (const YamlNode* list = root->find("tests")) tests.read(*list);
    if (const YamlNode* list = root->find("scenarios")) tests.read_scenarios(*list);
    config_.tests = tests.finish();
    if (out.failed()) return std::nullopt;
    if (config_.prompts.empty()) add_missing_prompt(*root);
    return std::move(config_);
  }

 private:
  void lose(std::string what, const YamlNode& node, std::vector<std::string>& losses) {
    files_.lose(what, node);
    add_once(losses, std::move(what));
  }
  void lose_prompt(std::string_view text, std::string_view why, const YamlNode& node) {
    lose(fmt::format("the prompt {}: {}", quoted_text(text), why), node, config_.prompt_losses);
  }

  // Without `prompts` in the config, promptfoo sends the value of the variable `prompt`.
  void add_missing_prompt(const YamlNode& root) {
    Prompt prompt{.text = "", .label = "prompt", .names = {}, .losses = {}};
    const bool has_variable = std::ranges::any_of(config_.tests, [](const Test& test) {
      return std::ranges::any_of(test.vars, [](const auto& var) { return var.first == "prompt"; });
    });
    if (!root.find("prompts") && has_variable) {
      prompt.text = "{{prompt}}";
      prompt.names = {"prompt"};
    } else if (!root.find("prompts")) {
      lose("a prompt: the config has no `prompts`", root, config_.prompt_losses);
    }
    config_.prompts.push_back(std::move(prompt));
  }

  void read_prompts(const YamlNode& value) {
    if (is_text(value)) return read_prompt(value, "");
    for (const auto& [path, label] : value.entries) read_prompt(*path, label->text);  // old form
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
        lose("a prompt: it has neither `raw` nor `id`", *item, config_.prompt_losses);
    }
  }

  // A text, or the address of one or several.
  void read_prompt(const YamlNode& node, std::string_view label) {
    if (!is_text(node)) return lose("a prompt: it is not a string", node, config_.prompt_losses);
    const bool one_line = node.text.find('\n') == std::string_view::npos;
    const bool one_word = node.text.find_first_of(" \t\n") == std::string_view::npos;
    std::string_view path = node.text;
    const bool is_file = path.starts_with(kFile);
    if (is_file) path.remove_prefix(kFile.size());
    if (one_line && path.starts_with("exec:"))
      return lose_prompt(node.text, "a program generates it", node);
    if (const auto scheme = scheme_of(node.text); !is_file && !scheme.empty())
      return lose_prompt(node.text, "it is in another service; write its text here", node);
    if ((is_file || one_word) && ends_with_any(without_function(path), kCodeFiles))
      return lose_prompt(node.text, "code generates it", node);
    const bool is_data = ends_with_any(path, kYamlFiles);
    if (!is_file && !(one_line && (is_data || ends_with_any(path, kTextFiles))))
      return add_prompt(node.text, label, node);
    if (path.find('*') != std::string_view::npos)
      return lose_prompt(node.text, "name each file", node);
    if (is_file && !is_data && !ends_with_any(path, kTextFiles))
      return lose_prompt(node.text, "only text, JSON and YAML files are read", node);
    std::string why;
    const auto text = files_.read(std::string(path), why);
    if (!text && !is_file && !one_word) return add_prompt(node.text, label, node);
    if (!text) return lose_prompt(node.text, why, node);
    if (is_data) return read_prompt_data(*text, label, node);
    std::string_view rest = *text;
    while (true) {  // several prompts in one file
      const std::size_t end = rest.find("\n---\n");
      add_prompt(base::trim(rest.substr(0, end)), label, node);
      if (end == std::string_view::npos) return;
      rest.remove_prefix(end + 5);
    }
  }

  // One prompt, or a list of prompts as in the config.
  void read_prompt_data(const std::string& text, std::string_view label, const YamlNode& node) {
    const YamlNode* root = files_.parse_quietly(text);
    const bool is_list = root && root->kind == YamlNode::Kind::list &&
                         std::ranges::all_of(root->items, [](const YamlNode* item) {
                           return is_text(*item) || item->find("raw") || item->find("id");
                         });
    if (!is_list) return add_prompt(text, label, node);
    if (++data_files_ > kMostDataFiles)
      return lose_prompt(node.text, "file references are nested too deeply", node);
    read_prompts(*root);
  }

  void add_prompt(std::string_view text, std::string_view label, const YamlNode& node) {
    const std::string_view trimmed = base::trim(text);
    if (trimmed.empty()) return lose("a prompt: it is empty", node, config_.prompt_losses);
    std::string user(text);
    std::string system;
    if (trimmed.starts_with('[') || trimmed.starts_with('{') || trimmed.starts_with("- role:") ||
        trimmed.find("\n- role:") != std::string_view::npos) {
      const YamlNode* chat = files_.parse_quietly(std::string(text));
      const bool is_list = chat && chat->kind == YamlNode::Kind::list && !chat->items.empty() &&
                           chat->items[0]->kind == YamlNode::Kind::map;
      const bool is_body =
          chat && (chat->find("messages") || chat->find("contents") || chat->find("role"));
      if (is_list || is_body) {
        const auto fault =
            is_list ? take_chat(*chat, system, user) : "it is JSON, but not a list of messages";
        if (!fault.empty()) return lose_prompt(text, fault, node);
      } else if (!chat && trimmed.find("\"role\"") != std::string_view::npos) {
        return lose_prompt(text, "it becomes JSON only with its variables", node);
      }
    }
    auto converted = convert_template(user, Filters::dropped);
    if (!converted.fault.empty()) return lose_prompt(text, converted.fault, node);
    if (!config_.prompts.empty() && system != config_.system_prompt)
      return lose_prompt(text, "all prompts of a suite have the same system message", node);
    config_.system_prompt = system;
    Prompt prompt{.text = converted.text,
                  .label = std::string(label.empty() ? text : label),
                  .names = std::move(converted.names),
                  .losses = std::move(converted.losses)};
    for (const auto& loss : prompt.losses) files_.lose(loss, node);
    config_.prompts.push_back(std::move(prompt));
  }

  // Takes `system` and `user`, or only `user`. Returns the problem; empty: none.
  static std::string_view take_chat(const YamlNode& list, std::string& system, std::string& user) {
    for (const YamlNode* item : list.items) {
      const YamlNode* content = item->find("content");
      if (!item->find("role") || !content) return "it is JSON, but not a list of messages";
      if (!is_text(*content)) return "a message is not text";
    }
    std::size_t at = 0;
    const std::string_view role = list.items[0]->find("role")->text;
    if (role == "system" || role == "developer") system = list.items[at++]->find("content")->text;
    if (at + 1 != list.items.size() || list.items[at]->find("role")->text != "user")
      return "it has more than a system message and a user message";
    if (system.find("{{") != std::string::npos || system.find("{%") != std::string::npos)
      return "a suite's system message has no variables";
    user = list.items[at]->find("content")->text;
    return {};
  }

  void read_providers(const YamlNode& value) {
    if (is_text(value)) return read_provider(value);
    if (value.find("id")) return read_provider(value);
    if (value.kind == YamlNode::Kind::map)
      for (const auto& [key, options] : value.entries) add_provider(key->text, options, *key);
    for (const YamlNode* item : value.items) read_provider(*item);
  }

  void read_provider(const YamlNode& item) {
    if (is_text(item)) {
      add_provider(item.text, nullptr, item);
    } else if (const YamlNode* id = item.find("id"); id && is_text(*id)) {
      add_provider(id->text, &item, *id);
    } else if (item.kind == YamlNode::Kind::map && item.entries.size() == 1) {
      const auto& [key, options] = item.entries[0];
      add_provider(key->text, options, *key);
    } else {
      lose("a provider: it has no `id`", item, config_.model_losses);
    }
  }

  void add_provider(std::string_view id, const YamlNode* options, const YamlNode& node) {
    if (id.starts_with(kFile) && ends_with_any(id, kYamlFiles)) return read_provider_file(id, node);
    const Model model = convert_provider(id);
    if (model.name.empty())
      return lose(fmt::format("the provider {}: {}", quoted_text(id), model.remark), node,
                  config_.model_losses);
    if (!model.remark.empty())
      lose(fmt::format("how {} is called: {}", quoted_text(id), model.remark), node,
           config_.model_losses);
    const bool first = config_.models.empty();
    add_once(config_.models, model.name);
    if (!options || options->kind != YamlNode::Kind::map) return;
    for (const auto& [key, value] : options->entries) {
      if (key->text == "config" && first)
        read_settings(*value, kModelSettings, "config");
      else if (key->text != "id" && key->text != "label")
        lose(fmt::format("{} of {}: {}", quoted_text(key->text), quoted_text(id),
                         key->text == "config" ? "a suite takes these settings from its first model"
                                               : "a suite has no such key"),
             *key, config_.model_losses);
    }
  }

  void read_provider_file(std::string_view id, const YamlNode& node) {
    const std::string path(id.substr(kFile.size()));
    std::string why;
    const YamlNode* root = files_.read_yaml(path, why);
    if (root && ++data_files_ > kMostDataFiles) {
      root = nullptr;
      why = "file references are nested too deeply";
    }
    if (!root)
      return lose(fmt::format("the provider {}: {}", quoted_text(id), why), node,
                  config_.model_losses);
    read_providers(*root);
  }

  void read_settings(const YamlNode& value, std::span<const Setting> known, std::string_view of) {
    for (const auto& [key, setting] : value.entries) {
      const auto row = std::ranges::find(known, key->text, &Setting::theirs);
      const auto number = setting->as_number();
      const bool fits = row != known.end() && number && *number >= row->least &&
                        *number <= row->most && (!row->whole || setting->as_whole());
      if (fits)
        config_.settings.emplace_back(row->ours, setting->text);
      else
        lose(fmt::format("`{}.{}`: {}", of, shown(key->text),
                         row == known.end() ? "a suite has no such setting"
                                            : "a suite does not allow this value"),
             *key, config_.model_losses);
    }
  }

  static constexpr std::size_t kMostDataFiles = 100;  // for prompts and providers

  Files files_;
  Config config_;
  std::size_t data_files_ = 0;
};

}  // namespace

std::optional<Config> read_config(const base::SourcePtr& source, const ReadFile& read_file,
                                  base::Diagnostics& out) {
  return ConfigReader(read_file, out).read(source, out);
}

}  // namespace vibe::import

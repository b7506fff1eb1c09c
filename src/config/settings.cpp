#include "config/settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "check/fields.h"
#include "check/reading.h"
#include "config/schema.h"

namespace vibe::config {

using base::Code;
using base::YamlNode;
using check::Fields;
using check::first_key;
using check::quoted;

namespace {

constexpr std::array<std::string_view, 3> kMethods{"PATCH", "POST", "PUT"};
constexpr std::array<std::string_view, 3> kPlaceholders{"messages", "prompt", "system"};

// True if there are no keys, only comments.
bool says_nothing(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = base::trim(text.substr(0, end));
    if (!line.empty() && !line.starts_with('#')) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.").find(c) != std::string_view::npos;
}

class SettingsReader {
 public:
  SettingsReader(const base::YamlDocument& document, Place place)
      : document_(document), reading_(document), place_(place) {}

  FileSettings read(base::Diagnostics& out) {
    const YamlNode& root = document_.root();
    if (root.kind == YamlNode::Kind::map)
      read_root(root);
    else
      reading_.add(
          Code::wrong_type, root,
          fmt::format("the configuration is {}, expected a table", root.describe()),
          fmt::format("write, for example, `{}`", field(kConfigSection, "threads").example));
    base::Diagnostics found;
    found.append(document_.problems());
    found.append(reading_.errors());
    found.append(reading_.remarks());
    found.sort();
    out.append(found);
    return std::move(settings_);
  }

 private:
  void read_root(const YamlNode& root) {
    const Fields fields(kConfigSection, root, first_key(root), reading_);
    settings_.model = fields.text("model");
    settings_.judge_model = fields.text("judge_model");
    settings_.embedding_model = fields.text("embedding_model");
    settings_.threads = fields.integer("threads");
    settings_.budget = fields.number("budget");
    settings_.run_timeout = fields.number("run_timeout");
    settings_.max_prompt_mib = fields.integer("max_prompt_mib");
    settings_.max_plan_mib = fields.integer("max_plan_mib");
    if (const YamlNode* prices = fields.find("prices"))
      each(*prices, kPriceSection, [&](const auto& name, const Fields& keys) {
        settings_.prices.push_back({name,
                                    "",
                                    {keys.number("input").value_or(0),
                                     keys.number("output").value_or(0),
                                     keys.number("cache_read"),
                                     keys.number("cache_write"),
                                     {}},
                                    0});
      });
    if (const YamlNode* endpoints = trusted(fields, "endpoints"))
      each(*endpoints, kEndpointSection,
           [&](const auto& name, const Fields& keys) { read_endpoint(name, keys); });
    if (const YamlNode* http = trusted(fields, "http"))
      each(*http, kHttpSection,
           [&](const auto& name, const Fields& keys) { read_http(name, keys); });
    if (const YamlNode* serve = trusted(fields, "serve"))
      settings_.serve = read_serve(Fields(kServeSection, *serve, first_key(*serve), reading_));
  }

  // Null if this file must not have the key.
  const YamlNode* trusted(const Fields& fields, std::string_view key) {
    const YamlNode* value = fields.find(key);
    if (value == nullptr || place_ == Place::home) return value;
    reading_.add(Code::bad_config, fields.key_span(key),
                 fmt::format("`{}` is not allowed in a project's file", key),
                 fmt::format("it decides {}: put it into `~/.vibecheck/config.yaml`",
                             key == "serve" ? "who can reach a server, and what suites may do"
                                            : "where prompts and keys are sent"));
    return nullptr;
  }

  // Every entry of a table of named tables.
  template <class Read>
  void each(const YamlNode& map, const Section& section, const Read& read) {
    for (const auto& [key, value] : map.entries) {
      const bool named = &section == &kPriceSection
                             ? key->text.find_first_of(":/") != std::string_view::npos
                             : !key->text.empty() && std::ranges::all_of(key->text, is_word);
      if (!named)
        reading_.add(
            Code::bad_value, *key,
            &section == &kPriceSection ? fmt::format("{} is not a model", quoted(key->text))
                                       : fmt::format("{} is not a name", quoted(key->text)),
            &section == &kPriceSection ? "write it with its provider, such as `openai/gpt-4o-mini`"
                                       : "use letters, digits, `_`, `-` and `.`");
      if (value->kind != YamlNode::Kind::map) {
        check::report_type(quoted(key->text), *value, "a table", reading_,
                           fmt::format("write `{}`", section.fields[0].example));
        continue;
      }
      read(reading_.copy(*key), Fields(section, *value, key->span, reading_));
    }
  }

  void read_endpoint(const std::string& name, const Fields& keys) {
    model::Endpoint out{name, keys.text("base_url").value_or(""),
                        keys.text("key_variable").value_or("")};
    while (out.base_url.ends_with('/')) out.base_url.pop_back();
    expect_address(keys, "base_url", false);
    if (const YamlNode* variable = keys.find("key_variable");
        variable != nullptr && !base::is_variable_name(variable->text))
      reading_.add(Code::bad_value, *variable, "`key_variable` is not a variable name",
                   "write the name of the variable that holds the key, not the key");
    settings_.endpoints.push_back(std::move(out));
  }

  void read_http(const std::string& name, const Fields& keys) {
    model::HttpEndpoint out;
    out.name = name;
    out.method = keys.text("method").value_or(out.method);
    if (const YamlNode* method = keys.find("method");
        method != nullptr && std::ranges::find(kMethods, method->text) == kMethods.end())
      reading_.add(Code::bad_value, *method,
                   fmt::format("`method` is {}, expected {}", quoted(method->text),
                               takes(field(kHttpSection, "method"))));
    out.url = keys.text("url").value_or("");
    expect_address(keys, "url", true);
    if (const YamlNode* headers = keys.find("headers")) read_headers(*headers, out.headers);
    out.body = keys.text("body").value_or("");
    if (const YamlNode* body = keys.find("body")) check_body(*body);
    out.answer = pointer(keys, "answer");
    out.prompt_tokens = pointer(keys, "prompt_tokens");
    out.completion_tokens = pointer(keys, "completion_tokens");
    out.cost = pointer(keys, "cost");
    settings_.http.push_back(std::move(out));
  }

  void expect_address(const Fields& keys, std::string_view key, bool with_variables) {
    const YamlNode* value = keys.find(key);
    if (value == nullptr || base::is_http_url(value->text)) return;
    if (with_variables && value->text.starts_with("${")) return;
    reading_.add(Code::bad_value, *value,
                 fmt::format("`{}` is {}, expected an `http://` or `https://` address", key,
                             quoted(value->text)));
  }

  void read_headers(const YamlNode& map, model::Headers& out) {
    for (const auto& [key, value] : map.entries) {
      if (value->kind != YamlNode::Kind::scalar || value->is_null())
        check::report_type(quoted(key->text), *value, "text", reading_);
      else if (key->text.empty() || !std::ranges::all_of(key->text, is_word))
        reading_.add(Code::bad_value, *key,
                     fmt::format("{} is not a header name", quoted(key->text)));
      else if (value->text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
        reading_.add(Code::bad_value, *value,
                     fmt::format("the header {} contains a line break", quoted(key->text)));
      else
        out.emplace_back(reading_.copy(*key), reading_.copy(*value));
    }
  }

  void check_body(const YamlNode& body) {
    const auto passage = document_.passage(body);
    const std::string_view text = passage.text;
    bool asks = false;
    for (auto begin = text.find("{{"); begin != std::string_view::npos;) {
      const auto end = text.find("}}", begin);
      if (end == std::string_view::npos) break;
      const auto name = base::trim(text.substr(begin + 2, end - begin - 2));
      if (std::ranges::find(kPlaceholders, name) != kPlaceholders.end())
        asks = asks || name != "system";
      else if (base::is_variable_name(name))
        reading_.add(
            Code::bad_template,
            base::at(passage,
                     {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end + 2)}),
            fmt::format("unknown placeholder {}", quoted(text.substr(begin, end + 2 - begin))),
            "use `{{prompt}}`, `{{system}}` or `{{messages}}`");
      begin = text.find("{{", begin + 2);
    }
    if (!asks)
      reading_.add(Code::bad_value, body, "`body` has neither `{{prompt}}` nor `{{messages}}`",
                   "without one of them the prompt is not sent");
  }

  std::string pointer(const Fields& keys, std::string_view key) {
    const YamlNode* value = keys.find(key);
    if (value != nullptr && !value->text.empty() && !value->text.starts_with('/'))
      reading_.add(Code::bad_value, *value,
                   fmt::format("`{}` is {}, expected a JSON pointer", key, quoted(value->text)),
                   "a pointer begins with `/`, such as `/choices/0/text`");
    return keys.text(key).value_or("");
  }

  ServeSettings read_serve(const Fields& keys) {
    ServeSettings out;
    const auto text = [&](std::string_view key, std::string& to) {
      if (auto value = keys.text(key)) to = *std::move(value);
    };
    const auto count = [&](std::string_view key, auto& to, std::int64_t unit = 1) {
      if (const auto value = keys.integer(key))
        to = static_cast<std::remove_reference_t<decltype(to)>>(*value * unit);
    };
    text("host", out.host);
    count("port", out.port);
    text("tls_certificate", out.tls_certificate);
    text("tls_key", out.tls_key);
    text("access_log", out.access_log);
    count("workers", out.workers);
    out.lease = keys.number("lease").value_or(out.lease);
    out.status_heartbeat = keys.number("status_heartbeat").value_or(out.status_heartbeat);
    count("max_connections", out.most_connections);
    if (const auto value = keys.integer("connections_per_address"))
      out.connections_per_address = static_cast<std::size_t>(*value);
    count("max_upload_mib", out.most_upload_bytes, std::int64_t{1} << 20);
    count("max_unpacked_mib", out.most_unpacked_bytes, std::int64_t{1} << 20);
    count("max_upload_sessions", out.most_upload_sessions);
    if (const YamlNode* models = keys.find("local_models")) read_local_models(*models, out);
    out.exec_checks = keys.boolean("exec_checks").value_or(false);
    out.private_addresses = keys.boolean("private_addresses").value_or(false);
    return out;
  }

  void read_local_models(const YamlNode& list, ServeSettings& out) {
    for (const YamlNode* item : list.items)
      if (item->kind != YamlNode::Kind::scalar || item->is_null())
        check::report_type("an item of `local_models`", *item, "text", reading_);
      else if (!item->text.starts_with("exec:") && !item->text.starts_with("replay:"))
        reading_.add(Code::bad_value, *item,
                     fmt::format("{} is not a local model", quoted(item->text)),
                     "write `exec:COMMAND` or `replay:FILE`; other models need no permission");
      else
        out.local_models.push_back(reading_.copy(*item));
  }

  const base::YamlDocument& document_;
  check::Reading reading_;
  Place place_;
  FileSettings settings_;
};

}  // namespace

FileSettings read_settings(const base::SourcePtr& source, Place place, base::Diagnostics& out) {
  if (says_nothing(source->text())) return {};
  const auto document = base::parse_yaml(source);
  if (failed(document, out)) return {};
  return SettingsReader(*document, place).read(out);
}

}  // namespace vibe::config

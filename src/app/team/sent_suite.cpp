#include "app/team/sent_suite.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "app/runs/judges.h"
#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"
#include "base/yaml_text.h"
#include "suite/schema.h"
#include "suite/template.h"

namespace vibe::app {

using base::Code;
using base::YamlNode;

namespace {

constexpr std::size_t kMostSuiteNameBytes = 200;

static_assert(suite::kRepeat.most == kMostRepeats && suite::kThreads.most == kMostThreads);

// ---- writing YAML: JSON as sent, or the merge of two documents

// JSON is YAML, except for characters that YAML wants escaped.
void write(std::string& out, const base::JsonValue& value) {
  if (const auto* list = value.array()) {
    out += '[';
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i > 0) out += ", ";
      write(out, (*list)[i]);
    }
    out += ']';
  } else if (const auto* map = value.object()) {
    out += '{';
    for (std::size_t i = 0; i < map->size(); ++i) {
      if (i > 0) out += ", ";
      out += base::yaml_text((*map)[i].first) + ": ";
      write(out, (*map)[i].second);
    }
    out += '}';
  } else if (const auto* text = value.text()) {
    out += base::yaml_text(*text);
  } else {
    out += base::to_text(value);
  }
}

// A node that is not a list or a map, or an empty one, goes on the line of its key.
bool is_short(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar || (node.items.empty() && node.entries.empty());
}

class YamlWriter {
 public:
  // Starts on its own line, already indented.
  void block(const YamlNode& node, std::size_t indent) {
    bool is_first = true;
    const auto begin = [&] {
      if (!std::exchange(is_first, false)) out_.append(indent, ' ');
    };
    for (const YamlNode* item : node.items) {
      begin();
      out_ += "- ";
      is_short(*item) ? line(*item, indent + 2) : block(*item, indent + 2);
    }
    for (const auto& [key, value] : node.entries) {
      begin();
      entry(key->text, *value, indent);
    }
    if (is_short(node)) line(node, indent);
  }

  void entry(std::string_view key, const YamlNode& value, std::size_t indent) {
    out_ += base::yaml_text(key) + ":";
    if (is_short(value)) {
      out_ += ' ';
      return line(value, indent + 2);
    }
    out_ += '\n';
    out_.append(indent + 2, ' ');
    block(value, indent + 2);
  }

  void add(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  void line(const YamlNode& node, std::size_t indent) {
    if (node.kind == YamlNode::Kind::list)
      out_ += "[]";
    else if (node.kind == YamlNode::Kind::map)
      out_ += "{}";
    else if (node.is_null())
      out_ += "null";
    else if (node.as_bool() || node.as_number())
      out_ += node.text;  // only plain scalars are
    else
      out_ += base::yaml_block(node.text, indent);
    out_ += '\n';
  }

  std::string out_;
};

// ---- what is left of a value after unknown keys were stripped

bool same_scalar(const YamlNode& sent, const YamlNode& written) {
  if (sent.is_null() || written.is_null()) return sent.is_null() && written.is_null();
  if (sent.text == written.text) return true;
  if (const auto value = sent.as_bool()) return value == written.as_bool();
  if (const auto value = sent.as_number()) return value == written.as_number();
  return false;
}

// Documents have a limited depth.
bool remains(const YamlNode& sent, const YamlNode& written) {
  if (sent.kind != written.kind) return false;
  switch (sent.kind) {
    case YamlNode::Kind::scalar: return same_scalar(sent, written);
    case YamlNode::Kind::list:
      return std::equal(sent.items.begin(), sent.items.end(), written.items.begin(),
                        written.items.end(),
                        [](const YamlNode* a, const YamlNode* b) { return remains(*a, *b); });
    case YamlNode::Kind::map:
      return std::all_of(sent.entries.begin(), sent.entries.end(), [&](const auto& entry) {
        const YamlNode* other = written.find(entry.key->text);
        return other && remains(*entry.value, *other);
      });
  }
  std::abort();
}

// The file, with the differing values of its evals taken from `evalSuite`. Both are suites.
std::string merged(const YamlNode& sent, const YamlNode& file) {
  const auto sent_evals = sent.find("evals")->items, evals = file.find("evals")->items;
  YamlWriter out;
  for (const auto& [key, value] : file.entries) {
    if (key->text != "evals") {
      out.entry(key->text, *value, 0);
      continue;
    }
    out.add("evals:\n");
    for (std::size_t i = 0; i < evals.size(); ++i) {
      std::string_view before = "  - ";
      const auto add = [&](const base::YamlEntry& entry) {
        out.add(std::exchange(before, "    "));
        out.entry(entry.key->text, *entry.value, 4);
      };
      for (const auto& entry : evals[i]->entries) {
        const YamlNode* said = sent_evals[i]->find(entry.key->text);
        const bool counts = !said || remains(*said, *entry.value);
        add(counts ? entry : base::YamlEntry{entry.key, said});
      }
      for (const auto& entry : sent_evals[i]->entries)
        if (!evals[i]->find(entry.key->text)) add(entry);
    }
  }
  return out.take();
}

// ---- reading both

struct Read {
  base::YamlDocument document;
  LoadedSuite loaded;
};

// Adds the diagnostics of `more` that `out` does not have yet: a second reading finds the same
// mistakes.
void append_new(const base::Diagnostics& more, base::Diagnostics& out) {
  const auto known = static_cast<std::ptrdiff_t>(out.all().size());
  for (const auto& one : more.all()) {
    const auto is_it = [&](const auto& before) {
      return before.code == one.code && before.message == one.message;
    };
    if (std::none_of(out.all().begin(), out.all().begin() + known, is_it))
      out.add(one.code, {one.source, one.span}, one.message, one.hint);
  }
}

// Nothing if there was an error.
std::optional<Read> read(std::string name, std::string text, const Local& local, bool with_warnings,
                         base::Diagnostics& out) {
  auto document = base::parse_yaml(base::make_source(std::move(name), std::move(text)));
  if (!document) {
    append_new(document.error(), out);
    return std::nullopt;
  }
  auto validated = validate(*document, {.files = local.permissions.files});
  validated.diagnostics.remove_notes();
  base::Diagnostics found;
  for (const auto& one : validated.diagnostics.all())
    if (with_warnings || one.severity == base::Severity::error)
      found.add(one.code, {one.source, one.span}, one.message, one.hint);
  append_new(found, out);
  if (!validated.suite) return std::nullopt;
  LoadedSuite loaded{document->source(),
                     std::make_shared<const suite::Suite>(*std::move(validated.suite)),
                     std::move(validated.rubric)};
  return Read{*std::move(document), std::move(loaded)};
}

// Whether its metadata has the key, even if it is empty.
bool has_metadata(const Read& read, std::string_view key) {
  const YamlNode* metadata = read.document.root().find("metadata");
  return metadata && metadata->find(key);
}

void take_overrides(const Read& said, const suite::Metadata& file, SentSuite& out) {
  const suite::Metadata& sent = said.loaded.suite->metadata;
  if (sent.model != file.model) out.model = sent.model;
  if (sent.system_prompt != file.system_prompt && has_metadata(said, "system_prompt"))
    out.plan.system_prompt = sent.system_prompt;
  if (sent.threads && sent.threads != file.threads) out.plan.threads = sent.threads;
  if (!sent.mcp_server) return;
  const suite::McpServer& server = *sent.mcp_server;
  const suite::McpServer before = file.mcp_server.value_or(suite::McpServer{});
  if (server.url == before.url && server.name == before.name &&
      server.authorization_token == before.authorization_token)
    return;
  out.tools.url = server.url;
  if (!server.name.empty()) out.tools.name = server.name;
  if (!server.authorization_token.empty()) out.tools.token = server.authorization_token;
}

// The file, with the differing values from `evalSuite`; none, and an error, if the two are
// different suites.
std::optional<LoadedSuite> join(const Read& sent, const Read& file, const Local& local,
                                base::Diagnostics& out) {
  const std::size_t said = sent.loaded.suite->evals.size(),
                    written = file.loaded.suite->evals.size();
  if (said != written) {
    out.add(Code::bad_value, {file.loaded.source, {}},
            fmt::format("`evalSuite` has {} evals, but `yamlContent` has {}", said, written),
            "send the text of the suite file, or omit `yamlContent`");
    return std::nullopt;
  }
  const YamlNode &a = sent.document.root(), &b = file.document.root();
  if (remains(*a.find("evals"), *b.find("evals"))) return file.loaded;
  const auto both = read("evalSuite with yamlContent", merged(a, b), local, true, out);
  return both ? std::optional(both->loaded) : std::nullopt;
}

}  // namespace

base::Result<void> check_suite_name(std::string_view name) {
  const auto fail = [&](std::string_view why, std::string hint) -> base::Result<void> {
    return base::fail(
        Code::bad_name, {},
        fmt::format("`{}` cannot be a suite name: {}",
                    base::shorten(base::printable(name), kMostSuiteNameBytes / 2), why),
        std::move(hint));
  };
  if (name == "list" || name == "." || name == "..")
    return fail("the server reserves it", "give it another `name` in `metadata`");
  if (name.size() > kMostSuiteNameBytes)
    return fail(fmt::format("it is longer than {} bytes", kMostSuiteNameBytes), "");
  for (std::size_t at = 0; at < name.size();) {
    const auto next = base::decode(name, at);
    if (next.value == '/') return fail("it contains a `/`", "write `-` instead");
    if (!next.valid || !base::is_printable(next.value))
      return fail("it contains an unprintable character", "");
    at += next.length;
  }
  return {};
}

std::optional<SentSuite> read_sent_suite(const base::JsonValue& eval_suite,
                                         const std::optional<std::string>& yaml, const Local& local,
                                         base::Diagnostics& out) {
  // The file first: its author knows it, and its warnings cover the whole suite.
  std::optional<Read> file, sent;
  if (yaml) file = read("yamlContent", *yaml, local, true, out);
  if (!yaml || !eval_suite.is_null()) {
    std::string text;
    write(text, eval_suite);
    sent = read("evalSuite", std::move(text), local, !yaml, out);
    if (!sent) return std::nullopt;
  }
  if (yaml && !file) return std::nullopt;

  SentSuite suite;
  if (file && sent) {
    auto joined = join(*sent, *file, local, out);
    if (!joined) return std::nullopt;
    suite.loaded = *std::move(joined);
    take_overrides(*sent, file->loaded.suite->metadata, suite);
  } else if (file) {
    suite.loaded = std::move(file->loaded);
  } else {
    YamlWriter writer;
    writer.block(sent->document.root(), 0);
    auto written = read("evalSuite as YAML", writer.take(), local, false, out);
    if (!written) return std::nullopt;
    suite.loaded = std::move(written->loaded);
  }
  if (suite::scan_template(suite.name()).placeholders.empty())
    if (failed(check_suite_name(suite.name()), out)) return std::nullopt;
  return suite;
}

bool permit_sent(const SentSuite& suite, const Local& local, base::Diagnostics& out) {
  const auto& [source, loaded, rubric] = suite.loaded;
  permit_suite(*loaded, suite.model.value_or(loaded->metadata.model), local.permissions, source,
               out);
  return !out.failed();
}

}  // namespace vibe::app

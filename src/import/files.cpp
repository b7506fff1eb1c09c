#include "import/files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::import {

using base::Code;
using base::YamlNode;

std::string shown(std::string_view text) { return base::shorten(base::printable(text), 60); }

bool ends_with_any(std::string_view path, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

std::string_view without_scheme(std::string_view path) {
  if (path.starts_with(kFile)) path.remove_prefix(kFile.size());
  return path;
}

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
  if (failed(document, out_)) return nullptr;
  out_.append(document->problems());
  return document->problems().failed() ? nullptr : keep(std::move(*document));
}

const YamlNode* Files::parse_quietly(std::string text) {
  auto document = base::parse_yaml(base::make_source("", std::move(text)));
  return document ? keep(std::move(*document)) : nullptr;
}

std::optional<std::string> Files::read(const std::string& path, std::string& why) {
  auto found = read_.find(path);
  if (found == read_.end()) found = read_.emplace(path, read_file_(path)).first;
  const auto& text = found->second;
  if (!text)
    why = text.error().all().empty() ? "it cannot be read" : text.error().all()[0].message;
  else if (base::first_invalid(*text))
    why = "it is not UTF-8 text";
  else
    return *text;
  return std::nullopt;
}

const YamlNode* Files::read_yaml(const std::string& path, std::string& why) {
  if (const auto known = parsed_.find(path); known != parsed_.end()) return known->second;
  const auto text = read(path, why);
  if (!text) return nullptr;
  const YamlNode* root = parse(base::make_source(path, *text));
  if (!root) why = "it is not YAML";
  return parsed_[path] = root;
}

base::Where Files::where(const YamlNode& node) const {
  const auto found = sources_.find(&node);
  return {found == sources_.end() ? nullptr : found->second, node.span};
}

void Files::lose(std::string_view what, const YamlNode& node) {
  // A loss in the defaults occurs with every test, and is reported once.
  if (!said_.insert(fmt::format("{} {}", static_cast<const void*>(&node), what)).second) return;
  out_.add(Code::left_out, where(node), fmt::format("not carried over: {}", what));
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

}  // namespace vibe::import

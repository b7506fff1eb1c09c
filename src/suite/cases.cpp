#include "suite/cases.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "check/fields.h"

namespace vibe::suite {

using base::Code;
using base::YamlNode;

namespace {

struct FileKind {
  std::string_view ending;
  void (*read)(const base::SourcePtr& file, TableBuilder& table);
};

constexpr FileKind kFileKinds[] = {{".csv", read_csv}, {".jsonl", read_jsonl}};

const FileKind* find_file_kind(std::string_view path) {
  for (const auto& kind : kFileKinds)
    if (path.ends_with(kind.ending)) return &kind;
  return nullptr;
}

}  // namespace

std::string beside(std::string_view suite, const std::string& path) {
  const auto slash = suite.rfind('/');
  if (slash == std::string_view::npos || path.starts_with('/')) return path;
  return std::string(suite.substr(0, slash + 1)) + path;
}

std::shared_ptr<const Table> Cases::read(const YamlNode& value) {
  if (value.kind == YamlNode::Kind::list) return read_list(value);
  if (value.kind == YamlNode::Kind::scalar && !value.is_null()) return read_path(value);
  check::report_type("`cases`", value, "a list of cases, or a file name", reading_);
  return nullptr;
}

std::shared_ptr<const Table> Cases::read_list(const YamlNode& list) {
  TableBuilder table(reading_, kMaxEvals);
  std::vector<NamedCell> cells;
  for (const YamlNode* item : list.items) {
    const base::Where row = reading_.document().where(*item);
    if (item->kind != YamlNode::Kind::map) {
      table.fail(row, fmt::format("a case is {}, expected a table", item->describe()),
                 "write, for example, `{country: France, city: Paris}`");
      continue;
    }
    cells.clear();
    for (const auto& [key, value] : item->entries) {
      if (value->kind != YamlNode::Kind::scalar || value->is_null())
        table.fail(reading_.document().where(value->text.empty() ? *key : *value),
                   fmt::format("{} is {}, expected a string, a number or a boolean",
                               check::quoted(key->text), value->describe()),
                   value->is_null() ? "write `\"\"` for an empty cell" : "");
      cells.push_back({{reading_.copy(*key), reading_.document().where(*key)},
                       {reading_.copy(*value), reading_.document().where(*value)}});
    }
    if (!table.add_row(cells, base::Where{row.source, check::first_key(*item)})) break;
  }
  return table.finish(reading_.document().where(list));
}

std::shared_ptr<const Table> Cases::read_path(const YamlNode& node) {
  const std::string path = reading_.copy(node);
  const auto [it, is_new] = files_.try_emplace(path);
  if (!is_new) return it->second;

  const FileKind* kind = find_file_kind(path);
  if (!kind) {
    reading_.add(Code::bad_value, node,
                 fmt::format("{} is neither a `.csv` nor a `.jsonl` file", check::quoted(path)));
    return nullptr;
  }
  if (!read_file_) {
    reading_.add(Code::unreadable_cases, node,
                 fmt::format("cannot read {}: files are not allowed here", check::quoted(path)),
                 "write the cases into the suite");
    return nullptr;
  }
  const std::string file_path = beside(reading_.document().source()->name(), path);
  auto text = read_file_(file_path);
  const bool too_large = text ? text->size() > kMaxCasesBytes : text.error().has(Code::too_large);
  if (too_large) {
    reading_.add(Code::too_large, node,
                 fmt::format("{} is over {} MiB", check::quoted(path), kMaxCasesBytes >> 20),
                 "split the table into several evals");
    return nullptr;
  }
  if (!text) {
    const auto& reason = text.error().all().front();
    reading_.add(Code::unreadable_cases, node, reason.message,
                 reason.hint.empty() ? "the path is relative to the suite's folder" : reason.hint);
    return nullptr;
  }
  const base::SourcePtr file = base::make_source(file_path, *std::move(text));
  if (const auto bad = base::first_invalid(file->text())) {
    const auto at = static_cast<std::uint32_t>(*bad);
    reading_.add(Code::not_text, base::Where{file, {at, at + 1}}, "a byte that is not UTF-8 text",
                 "save the file as UTF-8");
    return nullptr;
  }
  TableBuilder table(reading_, kMaxEvals);
  kind->read(file, table);
  it->second = table.finish({file, {0, 0}});
  return it->second;
}

}  // namespace vibe::suite

#include "app/agents/hook_settings.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/process.h"
#include "base/text.h"

namespace vibe::app {

namespace {

using base::Code;

// A JSON value with its position; for an object or a list, also its items in order.
struct Piece {
  std::size_t begin = 0, end = 0;
  char kind = 0;  // its first character

  struct Item;
  std::vector<Item> items;

  const Piece* find(std::string_view key) const;
  bool is_object() const { return kind == '{'; }
  bool is_list() const { return kind == '['; }
};

struct Piece::Item {
  std::size_t begin = 0;  // of the key or element
  std::string key;
  Piece value;
  bool removed = false;
};

const Piece* Piece::find(std::string_view key) const {
  for (const Item& item : items)
    if (item.key == key) return &item.value;
  return nullptr;
}

std::string decoded(std::string_view json) {
  const auto value = base::parse_json(json);
  return value && value->text() ? *value->text() : std::string();
}

// For valid JSON text that is not nested too deeply.
class PieceReader {
 public:
  explicit PieceReader(std::string_view text) : text_(text) {}

  Piece read() {
    skip_space();
    Piece out;
    out.begin = at_;
    out.kind = text_[at_];
    if (out.kind == '{' || out.kind == '[')
      read_items(out);
    else if (out.kind == '"')
      skip_string();
    else
      at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    out.end = at_;
    return out;
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void skip(std::size_t bytes) { at_ += bytes; }

 private:
  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  void read_items(Piece& out) {
    ++at_;
    for (;;) {
      skip_space();
      if (text_[at_] == '}' || text_[at_] == ']') break;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      Piece::Item item;
      item.begin = at_;
      if (out.is_object()) {
        skip_string();
        item.key = decoded(text_.substr(item.begin, at_ - item.begin));
        skip_space();
        ++at_;  // the colon
      }
      item.value = read();
      out.items.push_back(std::move(item));
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Edit {
  std::size_t begin, end;
  std::string text;
};

std::string apply(std::string_view text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.begin < b.begin; });  // they do not overlap
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out.append(text.substr(at, edit.begin - at)).append(edit.text);
    at = edit.end;
  }
  return out.append(text.substr(at));
}

std::string_view describe(const Piece& piece) {
  switch (piece.kind) {
    case '{': return "an object";
    case '[': return "a list";
    case '"': return "a string";
    case 't':
    case 'f': return "true or false";
    case 'n': return "null";
    default: return "a number";
  }
}

std::string file_name(std::string_view path) {
  return std::filesystem::path(path).filename().string();
}

// The command with shell operators replaced by blanks, and a mark for each shell expansion. Equal
// to the command if it has neither.
std::string without_shell(std::string_view command) {
  constexpr std::string_view kOperators = ";&|<>()\n", kReplaced = "`$";
  std::string out(command);
  char quote = '\0';
  for (std::size_t i = 0; i < out.size(); ++i) {
    char& c = out[i];
    if (c == '\\' && quote != '\'')
      ++i;
    else if (quote != '\0' && c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '\'' || c == '"'))
      quote = c;
    else if (quote != '\'' && kReplaced.find(c) != std::string_view::npos)
      c = '?';
    else if (quote == '\0' && kOperators.find(c) != std::string_view::npos)
      c = ' ';
  }
  return out;
}

// The position of `vibe fitness collect` in the words of a command; none: not found.
std::optional<std::size_t> find_collector(const std::vector<std::string>& words,
                                          std::string_view program) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const std::string name = file_name(words[i]);
    if ((name == "vibe" || (!name.empty() && name == file_name(program))) &&
        words[i + 1] == "fitness" && words[i + 2] == "collect")
      return i;
  }
  return std::nullopt;
}

// Whether a user's command also runs the collector, judging by its words.
bool has_collector(std::string_view command, std::string_view program) {
  const auto words = base::split_command(without_shell(command));
  return words && find_collector(*words, program);
}

// The formatting of the file, which new parts follow.
struct Style {
  std::string newline = "\n", unit = "  ";
  bool in_lines = true;
};

class Settings {
 public:
  // `program`: hooks that run it are also ours, whatever its name.
  Settings(base::SourcePtr source, std::string_view program)
      : source_(std::move(source)), program_(program) {
    if (base::trim(source_->text()).empty()) source_ = base::make_source(source_->name(), "{}\n");
  }

  // Checks that the file has the expected structure.
  base::Result<void> read() {
    const auto document = base::read_json_document(text());
    if (!document)
      return fail(document.error().offset, document.error().offset + 1,
                  fmt::format("this is not JSON: {}", document.error().message),
                  "the file was not changed");
    PieceReader reader(text());
    if (text().starts_with("\xEF\xBB\xBF")) reader.skip(3);
    root_ = reader.read();
    if (!root_.is_object()) return wrong("the file", root_, "an object");
    find_style();
    return find_hooks();
  }

  base::Result<EditedSettings> add(std::string_view command) {
    std::size_t changed = 0;
    std::vector<std::string> members;  // missing in `hooks`
    for (const auto& row : kHookEvents) {
      Ours* first = nullptr;
      for (Ours& one : ours_) {
        if (one.event != row.name) continue;
        if (first)
          one.hook->removed = true;
        else
          first = &one;
      }
      const bool more = std::count_if(ours_.begin(), ours_.end(),
                                      [&](const Ours& one) { return one.event == row.name; }) > 1;
      const Piece* list = hooks_ ? hooks_->find(row.name) : nullptr;
      if (first && decoded(slice(*first->command)) == command && !more) continue;
      if (!first && std::find(collected_.begin(), collected_.end(), row.name) != collected_.end())
        continue;
      ++changed;
      if (first)
        edits_.push_back({first->command->begin, first->command->end, quoted(command)});
      else if (list)
        append(*list, {group(row, command)});
      else
        members.push_back(fmt::format("\"{}\":[{}]", row.name, group(row, command)));
    }
    if (!members.empty()) add_members(members);
    remove_empty_groups();
    remove_items(root_);
    return finish(changed);
  }

  base::Result<EditedSettings> remove() {
    std::vector<std::string_view> events;
    for (Ours& one : ours_) {
      one.hook->removed = true;
      if (std::find(events.begin(), events.end(), one.event) == events.end())
        events.push_back(one.event);
    }
    remove_empty_groups();
    if (remove_items(root_)) edits_.push_back({root_.begin + 1, root_.end - 1, ""});
    return finish(events.size());
  }

 private:
  struct Ours {
    std::string_view event;
    Piece::Item* hook;
    const Piece* command;
  };
  struct Group {
    Piece::Item* item;
    const Piece* hooks;
  };

  std::string_view text() const { return source_->text(); }
  std::string_view slice(const Piece& piece) const {
    return text().substr(piece.begin, piece.end - piece.begin);
  }

  tl::unexpected<base::Diagnostics> fail(std::size_t begin, std::size_t end, std::string message,
                                         std::string hint = {}) const {
    return base::fail(
        Code::bad_document,
        {source_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}},
        std::move(message), std::move(hint));
  }
  tl::unexpected<base::Diagnostics> wrong(std::string_view what, const Piece& piece,
                                          std::string_view expected) const {
    return fail(piece.begin, piece.end,
                fmt::format("{} is {}, expected {}", what, describe(piece), expected),
                "the file was not changed");
  }

  void find_style() {
    if (text().find("\r\n") != std::string_view::npos) style_.newline = "\r\n";
    style_.in_lines = root_.items.empty() || is_in_lines(root_);
    if (root_.items.empty() || !style_.in_lines) return;
    const std::string_view indent = indent_at(root_.items.front().begin);
    if (!indent.empty()) style_.unit = indent;
  }

  bool is_in_lines(const Piece& piece) const {
    const std::size_t first = piece.items.empty() ? piece.end : piece.items.front().begin;
    return text().substr(piece.begin, first - piece.begin).find('\n') != std::string_view::npos;
  }

  // The white space at the beginning of the line at this position.
  std::string_view indent_at(std::size_t place) const {
    const std::size_t before = place == 0 ? std::string_view::npos : text().rfind('\n', place - 1);
    const std::string_view line = text().substr(before == std::string_view::npos ? 0 : before + 1);
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  }

  base::Result<void> find_hooks() {
    for (Piece::Item& item : root_.items) {
      if (item.key != "hooks") continue;
      if (hooks_)
        return fail(item.begin, item.value.begin, "the key `hooks` appears twice",
                    "the file was not changed");
      if (!item.value.is_object()) return wrong("`hooks`", item.value, "an object");
      hooks_ = &item.value;
    }
    if (!hooks_) return {};
    for (Piece::Item& event : hooks_->items) {
      if (hooks_->find(event.key) != &event.value)
        return fail(event.begin, event.value.begin,
                    fmt::format("the key `{}` appears twice", base::printable(event.key)),
                    "the file was not changed");
      VIBE_TRY(find_ours(event));
    }
    return {};
  }

  base::Result<void> find_ours(Piece::Item& event) {
    const std::string name = fmt::format("`hooks.{}`", base::printable(event.key));
    if (!event.value.is_list()) return wrong(name, event.value, "a list");
    for (Piece::Item& group : event.value.items) {
      if (!group.value.is_object())
        return wrong(fmt::format("an element of {}", name), group.value, "an object");
      const Piece* list = group.value.find("hooks");
      if (!list)
        return fail(group.value.begin, group.value.end,
                    fmt::format("`hooks` is missing in an element of {}, expected a list", name),
                    "the file was not changed");
      if (!list->is_list()) return wrong(fmt::format("`hooks` in {}", name), *list, "a list");
      for (Piece::Item& member : group.value.items) {
        if (&member.value != list) continue;
        groups_.push_back({&group, &member.value});
        for (Piece::Item& hook : member.value.items) {
          if (!hook.value.is_object())
            return wrong(fmt::format("a hook in {}", name), hook.value, "an object");
          const Piece* command = hook.value.find("command");
          if (!command || command->kind != '"') continue;
          const std::string text = decoded(slice(*command));
          if (is_our_hook(text, program_))
            ours_.push_back({event.key, &hook, command});
          else if (has_collector(text, program_))
            collected_.push_back(event.key);
        }
      }
    }
    return {};
  }

  static std::string quoted(std::string_view value) {
    return base::JsonWriter().string(value).text();
  }

  static std::string group(const HookEventRow& row, std::string_view command) {
    base::JsonWriter json;
    json.begin_object();
    if (row.of_tool) json.key("matcher").string("*");
    json.key("hooks").begin_array().begin_object();
    json.key("type").string("command");
    json.key("command").string(command);
    json.end_object().end_array().end_object();
    return json.text();
  }

  void add_members(const std::vector<std::string>& members) {
    if (hooks_) return append(*hooks_, members);
    append(root_, {fmt::format("\"hooks\":{{{}}}", fmt::join(members, ","))});
  }

  // Appends items (compact JSON) to an object or a list, formatted like the existing ones.
  void append(const Piece& to, const std::vector<std::string>& items) {
    const bool in_lines = to.items.empty() ? style_.in_lines : is_in_lines(to);
    const std::string outer(indent_at(to.begin));
    const std::string indent = !in_lines          ? std::string()
                               : to.items.empty() ? outer + style_.unit
                                                  : std::string(indent_at(to.items.front().begin));
    const std::string lead = in_lines ? style_.newline + indent : std::string();
    std::string added;
    for (const std::string& item : items) {
      if (!added.empty() || !to.items.empty()) added += ',';
      added += lead + (in_lines ? spread(item, indent) : item);
    }
    if (to.items.empty())
      edits_.push_back(
          {to.begin + 1, to.end - 1, added + (in_lines ? style_.newline + outer : "")});
    else
      edits_.push_back({to.items.back().value.end, to.items.back().value.end, added});
  }

  // Compact JSON spread over lines; `indent` is that of the first line.
  std::string spread(std::string_view json, const std::string& indent) const {
    std::string out;
    std::size_t depth = 0;
    const auto new_line = [&] {
      out += style_.newline + indent;
      for (std::size_t i = 0; i < depth; ++i) out += style_.unit;
    };
    for (std::size_t at = 0; at < json.size(); ++at) {
      const char c = json[at];
      if (c == '"') {
        const std::size_t begin = at;
        for (++at; json[at] != '"'; ++at)
          if (json[at] == '\\') ++at;
        out += json.substr(begin, at - begin + 1);
      } else if (c == '{' || c == '[') {
        out += c;
        ++depth;
        new_line();
      } else if (c == '}' || c == ']') {
        --depth;
        new_line();
        out += c;
      } else {
        out += c;
        if (c == ',') new_line();
        if (c == ':') out += ' ';
      }
    }
    return out;
  }

  // A group that loses all its hooks is removed as a whole, because Claude Code requires the list.
  void remove_empty_groups() {
    for (const auto& [group, hooks] : groups_)
      if (!hooks->items.empty() &&
          std::all_of(hooks->items.begin(), hooks->items.end(),
                      [](const Piece::Item& hook) { return hook.removed; }))
        group->removed = true;
  }

  // Removes marked items, and containers left empty by that. True: the piece itself is removed.
  bool remove_items(Piece& piece) {
    std::size_t kept = 0;
    for (Piece::Item& item : piece.items) {
      const std::size_t before = edits_.size();
      if (!item.removed && remove_items(item.value)) {
        item.removed = true;
        edits_.resize(before);  // it is removed as a whole
      }
      kept += item.removed ? 0 : 1;
    }
    if (kept == piece.items.size()) return false;
    if (kept == 0) return true;
    bool is_first = true;  // so far
    for (std::size_t i = 0; i < piece.items.size(); ++i) {
      const Piece::Item& item = piece.items[i];
      if (!item.removed)
        is_first = false;
      else if (is_first)
        edits_.push_back({item.begin, piece.items[i + 1].begin, ""});
      else
        edits_.push_back({piece.items[i - 1].value.end, item.value.end, ""});
    }
    return false;
  }

  EditedSettings finish(std::size_t changed) const { return {apply(text(), edits_), changed}; }

  base::SourcePtr source_;
  std::string program_;
  Piece root_;
  Piece* hooks_ = nullptr;
  std::vector<Ours> ours_;
  std::vector<std::string_view> collected_;  // events at which a user's command runs the collector
  std::vector<Group> groups_;                // of all events
  Style style_;
  std::vector<Edit> edits_;
};

}  // namespace

bool is_our_hook(std::string_view command, std::string_view program) {
  if (without_shell(command) != command) return false;
  const auto words = base::split_command(command);
  if (!words || find_collector(*words, program) != 0) return false;
  return words->size() == 3 || (words->size() == 5 && (*words)[3] == "--agent");
}

base::Result<EditedSettings> add_hooks(const base::SourcePtr& settings, std::string_view command) {
  const auto words = base::split_command(command);
  Settings edited(settings, words && !words->empty() ? words->front() : "");
  VIBE_TRY(edited.read());
  return edited.add(command);
}

base::Result<EditedSettings> remove_hooks(const base::SourcePtr& settings,
                                          std::string_view program) {
  Settings edited(settings, program);
  VIBE_TRY(edited.read());
  return edited.remove();
}

}  // namespace vibe::app

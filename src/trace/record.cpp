#include "trace/record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text.h"
#include "base/yaml.h"

namespace vibe::trace {

namespace {

using base::Code;
using base::YamlNode;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of a file
constexpr std::int64_t kMostCount = 1'000'000'000;
constexpr std::int64_t kMostCalls = 10'000;  // listed per document
constexpr std::size_t kMostName = 100;       // characters of a tool's name in that list
constexpr std::size_t kMostNotes = 5;        // per document

enum class Key : std::uint8_t {
  id,
  agent,
  model,
  task_type,
  complexity,
  tools,
  total,
  successful,
  actual_tools,
  actual_time,
  started,
  ended,
  errors,
  total_errors,
  prompt,
  output,
  output_file,
  computed,  // by the scoring, from the other keys
};

struct KeyRow {
  std::string_view name;
  Key key;
};
constexpr std::array kRecordKeys{
    KeyRow{"id", Key::id},
    KeyRow{"agent", Key::agent},
    KeyRow{"model", Key::model},
    KeyRow{"task_type", Key::task_type},
    KeyRow{"task_complexity", Key::complexity},
    KeyRow{"complexity", Key::complexity},
    KeyRow{"tools", Key::tools},
    KeyRow{"total", Key::total},
    KeyRow{"successful", Key::successful},
    KeyRow{"actual_tools", Key::actual_tools},
    KeyRow{"actual_time", Key::actual_time},
    KeyRow{"started", Key::started},
    KeyRow{"ended", Key::ended},
    KeyRow{"errors", Key::errors},
    KeyRow{"total_errors", Key::total_errors},
    KeyRow{"prompt", Key::prompt},
    KeyRow{"output", Key::output},
    KeyRow{"output_file", Key::output_file},
    KeyRow{"rate", Key::computed},
    KeyRow{"max_time", Key::computed},
    KeyRow{"max_tools", Key::computed},
    KeyRow{"efficiency", Key::computed},
    KeyRow{"error_rate", Key::computed},
    KeyRow{"score_component", Key::computed},
};

const KeyRow* find_key(std::string_view name) {
  const auto row = std::find_if(kRecordKeys.begin(), kRecordKeys.end(),
                                [&](const KeyRow& one) { return one.name == name; });
  return row == kRecordKeys.end() ? nullptr : &*row;
}

// What an error type counts as.
enum class ErrorKind : std::uint8_t { failed_call, retry, correction, other };
struct ErrorRow {
  std::string_view type;
  ErrorKind kind;
};
constexpr std::array kErrors{
    ErrorRow{"tool_fail", ErrorKind::failed_call},      ErrorRow{"retry", ErrorKind::retry},
    ErrorRow{"user_correction", ErrorKind::correction}, ErrorRow{"exception", ErrorKind::other},
    ErrorRow{"error_pattern", ErrorKind::other},
};

// What the documents of a file may still use in total: a few bytes of YAML can stand for much more.
struct Left {
  std::size_t output_bytes = kMostBytes;  // of the files they name
  std::int64_t calls = 10 * kMostCalls;   // in lists
};

std::string in_ticks(std::string_view text) { return fmt::format("`{}`", base::shorten(text, 60)); }

// One document.
class Record {
 public:
  Record(const base::YamlDocument& document, Reading& reading, Left& left)
      : document_(document), reading_(reading), left_(left) {}

  // False if the document cannot be used; `problems` says why.
  bool read(base::Diagnostics& problems) {
    problems_ = &problems;
    const YamlNode& root = document_.root();
    const YamlNode* record = root.kind == YamlNode::Kind::map ? root.find("execution") : nullptr;
    if (!record) {
      add(Code::missing_key, root, "the document has no `execution`");
      return false;
    }
    for (const auto& entry : root.entries)
      if (entry.key->text != "execution") note_unknown(entry.key->text);
    if (!expect(*record, YamlNode::Kind::map, "execution", "a table")) return false;
    refuse_duplicates(root, [](std::string_view key) { return key == "execution"; });
    refuse_duplicates(*record, [](std::string_view key) {
      const KeyRow* row = find_key(key);
      return row && row->key != Key::computed;
    });
    for (const auto& entry : record->entries) read_member(entry.key->text, *entry.value);
    if (started_ && ended_ && *ended_ < *started_)
      add(Code::bad_value, *record->find("ended"), "`ended` is before `started`");
    for (const auto& problem : document_.problems().all())
      note(fmt::format("{}: {}", problem.message, problem.hint));
    if (problems.failed()) return false;
    finish();
    return true;
  }

 private:
  struct Tool {
    std::string_view name;
    std::int64_t calls = 0;
    std::optional<std::int64_t> success;
  };

  void add(Code code, const YamlNode& node, std::string message, std::string hint = {}) {
    problems_->add(code, document_.where(node), std::move(message), std::move(hint));
  }

  void report_type(std::string_view name, const YamlNode& value, std::string_view expected) {
    const bool plain = value.kind == YamlNode::Kind::scalar && !value.is_null();
    add(Code::wrong_type, value,
        fmt::format("`{}` is {}, expected {}", name,
                    plain ? in_ticks(value.text) : std::string(value.describe()), expected));
  }

  bool expect(const YamlNode& value, YamlNode::Kind kind, std::string_view name,
              std::string_view expected) {
    if (value.kind == kind && !value.is_null()) return true;
    report_type(name, value, expected);
    return false;
  }

  void note(std::string text) {
    if (++note_count_ <= kMostNotes) notes_.push_back(std::move(text));
  }

  void note_unknown(std::string_view key) {
    note(fmt::format("unknown key {} ignored", in_ticks(key)));
  }

  // A repeated key is an error if it counts, because it is unclear which value is meant.
  template <class Counts>
  void refuse_duplicates(const YamlNode& map, Counts counts) {
    std::unordered_set<std::string_view> seen;
    for (const auto& entry : map.entries)
      if (!seen.insert(entry.key->text).second && counts(entry.key->text))
        add(Code::duplicate_key, *entry.key,
            fmt::format("{} appears twice", in_ticks(entry.key->text)));
  }

  std::optional<std::int64_t> count(std::string_view name, const YamlNode& value) {
    const auto number = value.as_integer();
    if (!number) {
      report_type(name, value, "a whole number");
    } else if (*number < 0 || *number > kMostCount) {
      add(Code::out_of_range, value,
          fmt::format("`{}` is {}, but must be from 0 to {}", name, *number, kMostCount));
    } else {
      return number;
    }
    return std::nullopt;
  }

  std::string text(std::string_view name, const YamlNode& value) {
    return expect(value, YamlNode::Kind::scalar, name, "text") ? std::string(value.text)
                                                               : std::string();
  }

  std::string one_of(std::string_view name, const YamlNode& value,
                     std::span<const std::string_view> names) {
    std::string word = text(name, value);
    if (!word.empty() && std::find(names.begin(), names.end(), word) == names.end())
      add(Code::bad_value, value, fmt::format("`{}` is {}", name, in_ticks(word)),
          fmt::format("use one of `{}`", fmt::join(names, "`, `")));
    return word;
  }

  std::optional<Time> time(std::string_view name, const YamlNode& value) {
    const auto out = time_of(value.text);
    if (!out) report_type(name, value, "a time such as `2026-11-16T09:30:00Z`");
    return out;
  }

  void read_member(std::string_view name, const YamlNode& value) {
    const KeyRow* row = find_key(name);
    if (!row) return note_unknown(name);
    switch (row->key) {
      case Key::id: id_ = text(name, value); break;
      case Key::agent: agent_ = text(name, value); break;
      case Key::model: model_ = text(name, value); break;
      case Key::task_type: task_type_ = one_of(name, value, kTaskTypes); break;
      case Key::complexity: read_complexity(name, value); break;
      case Key::tools: read_tools(value); break;
      case Key::total: total_ = count(name, value); break;
      case Key::successful: successful_ = count(name, value); break;
      case Key::actual_tools: actual_tools_ = count(name, value); break;
      case Key::actual_time:
        seconds_ = record_seconds(value.text);
        if (!seconds_) report_type(name, value, "a time such as `60s` or `1m30s`");
        break;
      case Key::started: started_ = time(name, value); break;
      case Key::ended: ended_ = time(name, value); break;
      case Key::errors: read_errors(value); break;
      case Key::total_errors: total_errors_ = count(name, value); break;
      case Key::prompt: prompt_ = text(name, value); break;
      case Key::output: output_ = text(name, value); break;
      case Key::output_file: read_output_file(value); break;
      case Key::computed: break;
    }
  }

  // The complexity has two key names.
  void read_complexity(std::string_view name, const YamlNode& value) {
    const std::string before = std::exchange(complexity_, one_of(name, value, kComplexities));
    if (!before.empty() && before != complexity_)
      add(Code::bad_value, value,
          fmt::format("`{}` is {}, but the record also says {}", name, in_ticks(complexity_),
                      in_ticks(before)));
  }

  void read_tools(const YamlNode& tools) {
    if (!expect(tools, YamlNode::Kind::map, "tools", "a table of tools")) return;
    refuse_duplicates(tools, [](std::string_view) { return true; });
    for (const auto& entry : tools.entries) {
      Tool tool;
      tool.name = entry.key->text;
      if (!expect(*entry.value, YamlNode::Kind::map, tool.name, "`{calls: N, success: N}`"))
        continue;
      const YamlNode* calls = entry.value->find("calls");
      const YamlNode* success = entry.value->find("success");
      if (!calls) {
        add(Code::missing_key, *entry.value, fmt::format("{} has no `calls`", in_ticks(tool.name)));
        continue;
      }
      const auto is_known = [](std::string_view key) { return key == "calls" || key == "success"; };
      refuse_duplicates(*entry.value, is_known);
      for (const auto& member : entry.value->entries)
        if (!is_known(member.key->text)) note_unknown(member.key->text);
      const auto number = count("calls", *calls);
      tool.calls = number.value_or(0);
      if (success) tool.success = count("success", *success);
      if (number && tool.success && *tool.success > tool.calls)
        add(Code::out_of_range, *success,
            fmt::format("{} succeeded {} times in {} calls", in_ticks(tool.name), *tool.success,
                        tool.calls));
      tools_.push_back(tool);
    }
    has_tools_ = true;
  }

  void read_errors(const YamlNode& errors) {
    if (!expect(errors, YamlNode::Kind::list, "errors", "a list")) return;
    for (const YamlNode* error : errors.items) {
      if (!expect(*error, YamlNode::Kind::map, "errors", "a list of `{type: TYPE, count: N}`"))
        continue;
      const YamlNode* type = error->find("type");
      const YamlNode* number = error->find("count");
      if (!type) {
        add(Code::missing_key, *error, "the error has no `type`");
        continue;
      }
      const auto counts = [](std::string_view key) { return key == "type" || key == "count"; };
      refuse_duplicates(*error, counts);
      for (const auto& member : error->entries)
        if (!counts(member.key->text) && member.key->text != "tool") note_unknown(member.key->text);
      add_errors(text("type", *type), number ? count("count", *number).value_or(0) : 1);
    }
  }

  void add_errors(std::string_view type, std::int64_t number) {
    const auto row = std::find_if(kErrors.begin(), kErrors.end(),
                                  [&](const ErrorRow& one) { return one.type == type; });
    if (row == kErrors.end())
      note(fmt::format("unknown error type {}; its errors still count", in_ticks(type)));
    switch (row == kErrors.end() ? ErrorKind::other : row->kind) {
      case ErrorKind::failed_call: failed_calls_ += number; break;
      case ErrorKind::retry: retries_ += number; break;
      case ErrorKind::correction: corrections_ += number; break;
      case ErrorKind::other: others_ += number; break;
    }
  }

  // Only in the record's folder or below: its author must not choose other files to read.
  void read_output_file(const YamlNode& value) {
    const std::filesystem::path name = text("output_file", value);
    if (name.empty()) return;
    if (!reading_.options().may_read_files)
      return add(Code::bad_value, value, "`output_file` does not work in a log sent to a server",
                 "put the text itself in `output`");
    if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
      return add(
          Code::bad_value, value,
          fmt::format("`output_file` is {}, outside the record's folder", in_ticks(name.string())),
          "write a path relative to that folder, without `..`");
    const std::filesystem::path record = reading_.file();
    std::string path = (record.parent_path() / name).string();
    if (path == "-") path = "./-";  // not standard input
    std::error_code none;
    if (std::filesystem::is_other(path, none))  // a pipe or a device may have no end
      return add(Code::cannot_read, value, fmt::format("{} is not a regular file", in_ticks(path)));
    auto read = base::read_file(path, left_.output_bytes);
    if (read) {
      left_.output_bytes -= read->size();
      output_ = *std::move(read);
      return;
    }
    for (const auto& one : read.error().all()) {
      const bool too_large = one.code == Code::too_large;
      add(one.code, value,
          too_large
              ? fmt::format(
                    "with {}, the files named by `output_file` are larger than {} MiB in total",
                    in_ticks(path), kMostBytes >> 20)
              : one.message,
          too_large ? "split the record" : one.hint);
    }
  }

  void finish() {
    Session& session = reading_.new_session();
    Execution& facts = session.facts();
    if (!id_.empty()) reading_.name(session, id_);
    facts.agent = agent_;
    facts.task_type = task_type_;
    facts.complexity = complexity_;
    session.modelled(model_);
    session.ended(std::nullopt);
    session.seen(started_);
    session.seen(ended_);
    if (seconds_) session.worked(*seconds_);
    session.tasked(prompt_);
    session.answered(output_);
    for (auto& note : notes_) session.noted(std::move(note));
    if (note_count_ > kMostNotes)
      session.noted(fmt::format("and {} more of that kind", note_count_ - kMostNotes));
    count_calls(session, facts);
    count_errors(facts);
  }

  void count_calls(Session& session, Execution& facts) {
    for (const Tool& tool : tools_) {
      session.called(tool.name);
      facts.tool_calls += tool.calls;
      facts.succeeded += tool.success.value_or(0);
      (tool.success ? facts.failed : facts.unknown) += tool.calls - tool.success.value_or(0);
    }
    if (has_tools_) {
      if (total_ && *total_ != facts.tool_calls)
        session.noted(fmt::format("`total` is {}, but the tools add up to {}; vibe uses the sum",
                                  *total_, facts.tool_calls));
      if (session.keeps_calls() && facts.tool_calls <= std::min(kMostCalls, left_.calls))
        list_calls(facts);
      return;
    }
    facts.tool_calls = total_ ? *total_ : actual_tools_.value_or(0);
    if (total_ && successful_) {
      facts.succeeded = std::min(*successful_, *total_);
      facts.failed = *total_ - facts.succeeded;
    } else {
      facts.unknown = facts.tool_calls;
    }
  }

  // The order of the calls is not known.
  void list_calls(Execution& facts) {
    left_.calls -= facts.tool_calls;
    for (const Tool& tool : tools_)
      for (std::int64_t i = 0; i < tool.calls; ++i) {
        Call& call = facts.calls.emplace_back();
        call.name = base::shorten(tool.name, kMostName);
        call.answered = tool.success.has_value();
        if (tool.success) call.outcome = i < *tool.success ? Outcome::success : Outcome::failure;
      }
  }

  // `tool_fail` counts calls already counted as failed: only the excess is added, and errors that
  // appear only in the total.
  void count_errors(Execution& facts) const {
    facts.repeats = retries_;
    facts.corrections = corrections_;
    facts.other_errors = others_ + std::max<std::int64_t>(0, failed_calls_ - facts.failed);
    const std::int64_t all = facts.failed + facts.repeats + facts.corrections + facts.other_errors;
    facts.other_errors += std::max<std::int64_t>(0, total_errors_.value_or(0) - all);
  }

  const base::YamlDocument& document_;
  Reading& reading_;
  Left& left_;
  base::Diagnostics* problems_ = nullptr;
  std::vector<std::string> notes_;  // the first kMostNotes
  std::size_t note_count_ = 0;

  std::string id_, agent_, model_, task_type_, complexity_, prompt_, output_;
  std::vector<Tool> tools_;
  bool has_tools_ = false;
  std::optional<std::int64_t> total_, successful_, actual_tools_, total_errors_;
  std::optional<double> seconds_;
  std::optional<Time> started_, ended_;
  std::int64_t failed_calls_ = 0, retries_ = 0, corrections_ = 0, others_ = 0;
};

std::optional<std::string> read_all(base::Input& input, Reading& reading) {
  std::string out;
  std::string piece(std::size_t{1} << 16, '\0');
  for (;;) {
    const auto count = input.read(piece.data(), piece.size());
    if (!count) {
      reading.add_problem(count.error());
      return std::nullopt;
    }
    if (*count == 0) return out;
    out.append(piece, 0, *count);
    if (out.size() <= kMostBytes) continue;
    base::Diagnostics problem;
    problem.add(Code::too_large, {},
                fmt::format("the file is larger than {} MiB", kMostBytes >> 20));
    reading.add_problem(problem);
    return std::nullopt;
  }
}

double unit_seconds(std::string_view unit) {
  if (unit.empty() || unit == "s" || unit == "sec") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "m" || unit == "min") return 60;
  return unit == "h" ? 3600 : 0;
}

}  // namespace

std::optional<double> record_seconds(std::string_view text) {
  constexpr double kMost = 1e10;
  constexpr std::string_view kDigits = "0123456789.";
  double out = 0;
  text = base::trim(text);
  if (text.empty()) return std::nullopt;
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
    const auto number = base::parse_double(text.substr(0, digits));
    text = base::trim(text.substr(digits));
    const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
    const double unit = unit_seconds(text.substr(0, letters));
    // A number without a unit must be alone.
    if (!number || unit == 0 || (letters == 0 && (!first || !text.empty()))) return std::nullopt;
    out += *number * unit;
    text = base::trim(text.substr(letters));
  }
  return out < kMost ? std::optional(out) : std::nullopt;
}

// The first line with content is enough to recognise most logs.
bool is_record(std::string_view head) {
  constexpr std::array<std::string_view, 4> kSigns{
      "tools:", "errors:", "task_complexity:", "actual_time:"};
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  bool found = false;
  while (!head.empty()) {
    const std::string_view line = base::next_line(head);
    const std::string_view content = base::trim(line);
    if (content.empty() || content[0] == '#') continue;
    if (line.starts_with("---") || line.starts_with('%')) {
      if (found) return false;
      continue;
    }
    if (!found && !line.starts_with("execution:")) return false;
    found = true;
    for (const std::string_view sign : kSigns)
      if (line.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

void read_record(base::Input input, Reading& reading) {
  const auto text = read_all(input, reading);
  if (!text) return;
  Left left;
  for (const auto& part : base::split_yaml(*text)) {
    if (reading.is_full()) break;
    const auto document = base::parse_yaml(
        base::make_source(reading.file(), std::string(part.text), part.first_line));
    if (!document) {
      reading.add_problem(document.error());
      continue;
    }
    base::Diagnostics problems;
    Record(*document, reading, left).read(problems);
    reading.add_problem(problems);
  }
}

std::span<const Field> record_fields() {
  static constexpr std::array kFields{
      Field{"execution", "each document: `execution: {…}`; `id`, `agent`, `model`"},
      Field{"tool call",
            "`tools: {NAME: {calls: N, success: N}}`; if missing, `total` and `successful`, else "
            "`actual_tools`"},
      Field{"outcome", "`success`; unknown if it is missing"},
      Field{"errors",
            "`errors: [{type, tool, count}]`: `tool_fail` counts calls already counted as failed, "
            "so only the excess is added; `retry` adds retries, `user_correction` adds "
            "corrections; `exception`, any other type, and errors that appear only in "
            "`total_errors` are other errors"},
      Field{"active time", "`actual_time`: `60s`, `60`, `1m30s`"},
      Field{"times", "`started`, `ended`"},
      Field{"task", "`task_type`; `task_complexity` or `complexity`"},
      Field{"prompt", "`prompt`"},
      Field{"final answer",
            "`output`, or the contents of `output_file`, a path inside the record's folder; at "
            "most 64 MiB of such files in total; not for logs sent to a server"},
      Field{"not read",
            "`rate`, `efficiency`, `error_rate`, `max_time`, `max_tools` and "
            "`score_component`: vibe computes them itself"},
  };
  return kFields;
}

}  // namespace vibe::trace

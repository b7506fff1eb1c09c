#include "trace/hook/hook.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/first_failure.h"
#include "base/text.h"
#include "base/workers.h"
#include "trace/claude.h"
#include "trace/hook/event.h"

namespace vibe::trace {

namespace {

constexpr std::size_t kPiece = std::size_t{128} << 10;  // fits the cache, with its events
constexpr std::size_t kMostMarked = 4 * kPiece;

// Events in the order of the log → sessions.
class Folder {
 public:
  explicit Folder(Reading& reading) : reading_(reading) {}

  void add(const HookEvent& event) {
    Entry& entry = find(event);
    entry.bad_times += event.bad_time ? 1 : 0;
    if (event.kind == HookEvent::Kind::call && add_to_tally(event, entry)) return;
    settle(entry);
    Session& session = *entry.session;
    if (event.kind == HookEvent::Kind::prompt)
      session.prompted(event.time);
    else
      session.seen(event.time);
    if (event.more) add_facts(*event.more, session);
    entry.ends_with_a_call = event.kind == HookEvent::Kind::begin;
    if (event.kind == HookEvent::Kind::prompt || event.kind == HookEvent::Kind::other) return;
    entry.only_successes = entry.only_successes || event.only_successes;
    add_call(event, session);
  }

  // Prefetches the sessions of upcoming events.
  void add(const std::vector<HookEvent>& events) {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i + kAhead < events.size())
        __builtin_prefetch(&slots_[events[i + kAhead].session_hash & (slots_.size() - 1)]);
      if (i + kAhead / 2 < events.size())
        __builtin_prefetch(slots_[events[i + kAhead / 2].session_hash & (slots_.size() - 1)].entry);
      if (i + kAhead / 4 < events.size())
        if (const Entry* entry =
                slots_[events[i + kAhead / 4].session_hash & (slots_.size() - 1)].entry)
          __builtin_prefetch(entry->id.data());
      add(events[i]);
    }
  }

  void finish() {
    for (auto& entry : entries_) {
      settle(entry);
      if (entry.only_successes) entry.session->fail_open_calls(entry.ends_with_a_call);
      if (entry.bad_times > 0)
        entry.session->noted(fmt::format("{} could not be read",
                                         entry.bad_times == 1
                                             ? "1 time stamp"
                                             : fmt::format("{} time stamps", entry.bad_times)));
    }
  }

 private:
  struct Entry {
    std::string id;
    Session* session = nullptr;
    CallTally tally;  // calls that are not in the session yet
    bool only_successes = false, ends_with_a_call = false;
    std::uint64_t bad_times = 0;
  };
  struct Slot {
    std::uint64_t hash = 0;
    Entry* entry = nullptr;
  };

  Entry& find(const HookEvent& event) {
    for (std::size_t place = event.session_hash;; ++place) {
      Slot& slot = slots_[place & (slots_.size() - 1)];
      if (!slot.entry) return add_entry(event);
      if (slot.hash == event.session_hash && slot.entry->id == event.session) return *slot.entry;
    }
  }

  Entry& add_entry(const HookEvent& event) {
    Entry& entry = entries_.emplace_back();
    entry.id = event.session;
    entry.session = &reading_.new_session(event.session);
    place({event.session_hash, &entry});
    if (entries_.size() * 2 <= slots_.size()) return entry;
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.entry) place(slot);
    return entry;
  }

  void place(const Slot& slot) {
    std::size_t at = slot.hash;
    while (slots_[at & (slots_.size() - 1)].entry) ++at;
    slots_[at & (slots_.size() - 1)] = slot;
  }

  // The usual line: one call and nothing else. False if there is more.
  bool add_to_tally(const HookEvent& event, Entry& entry) {
    if (reading_.options().keep_calls || event.refused || event.more) return false;
    const auto tool = std::find(tools_.begin(), tools_.end(), event.tool);
    const auto number = static_cast<std::size_t>(tool - tools_.begin());
    if (number == kMostTools) return false;
    if (tool == tools_.end()) tools_.emplace_back(event.tool);
    if (entry.tally.calls == 0) entry.tally = entry.session->new_tally();
    entry.ends_with_a_call = false;
    entry.tally.add(event.outcome, event.time, number, [&] {
      return call_key(event.tool, std::hash<std::string_view>{}(event.input));
    });
    return true;
  }

  // Adds the tallied calls to the session before any later event.
  void settle(Entry& entry) {
    if (entry.tally.calls == 0) return;
    for (std::size_t i = 0; i < tools_.size(); ++i)
      if ((entry.tally.tools >> i & 1) != 0) entry.session->called(tools_[i]);
    entry.session->done(entry.tally);
    entry.tally = {};
  }

  static void add_facts(const HookEvent::More& more, Session& session) {
    if (!more.task_type.empty()) session.facts().task_type = more.task_type;
    if (!more.complexity.empty()) session.facts().complexity = more.complexity;
    if (!is_made_up_prompt(more.prompt)) session.asked(more.prompt);
    session.answered(more.answer);
  }

  void add_call(const HookEvent& event, Session& session) {
    static constexpr HookEvent::More kNothing;
    const HookEvent::More& more = event.more ? *event.more : kNothing;
    CallStart call{.name = event.tool, .id = more.id, .input = event.input, .time = event.time};
    // Only a failed call and the next one are compared.
    const bool compared = event.kind != HookEvent::Kind::call ||
                          event.outcome == Outcome::failure || session.last_failed();
    if (compared) call.input_hash = std::hash<std::string_view>{}(event.input);
    if (session.keeps_calls())
      if (const auto text = parser_.parse(event.input).text()) call.input = *text;
    const CallEnd end{.outcome = event.outcome,
                      .exit_code = event.exit_code,
                      .error = more.error,
                      .refused = event.refused,
                      .time = event.time};
    const bool ends = event.kind != HookEvent::Kind::begin;
    if (ends && event.time && more.duration) call.time = *event.time - to_time(*more.duration);
    if (event.kind == HookEvent::Kind::call) return session.done(call, end);
    if (more.id_is_of_event) {  // it may be lost: then the tool name has to match
      if (!more.id.empty()) call.input_hash = std::hash<std::string_view>{}(more.id);
      call.id = {};
      return ends ? session.end_unnamed(call, end) : session.begin_unnamed(call);
    }
    if (more.id.empty()) return ends ? session.end_unnamed(call, end) : session.begin_unnamed(call);
    session.begin(call);
    if (ends) session.end(more.id, end);
  }

  Reading& reading_;
  JsonParser parser_;
  static constexpr std::size_t kMostTools = 64;
  std::vector<std::string> tools_;  // names for the tallies, by number
  std::deque<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // by hash; at most half are used
};

// A piece of the file: complete lines.
struct Piece {
  std::string bytes;     // plus HookParser::kPadding
  std::size_t size = 0;  // without the padding
  std::vector<HookEvent> events;
  std::vector<std::uint64_t> bad;  // line numbers within the piece
  std::uint64_t lines = 0;
  std::size_t lost_at = std::string::npos;  // from here on a line is not one object
};

class PieceParser {
 public:
  explicit PieceParser(const Options& options) : parser_(options.errors, options.keep_calls) {}

  void parse(Piece& piece) {
    parser_.forget();
    piece.events.clear();
    piece.bad.clear();
    piece.lines = 0;
    piece.lost_at = std::string::npos;
    const std::string_view lines(piece.bytes.data(), piece.size);
    is_marked_ = lines.size() <= kMostMarked && is_utf8(lines);
    if (is_marked_) marks_.find(lines);
    for (std::size_t at = 0; at < piece.size;) {
      if (const std::size_t length =
              parse_call_line({piece.bytes.data() + at, piece.size - at}, piece)) {
        piece.lines++;
        at += length + 1;
        continue;
      }
      const void* found = std::memchr(piece.bytes.data() + at, '\n', piece.size - at);
      const std::size_t end =
          found ? static_cast<std::size_t>(static_cast<const char*>(found) - piece.bytes.data())
                : piece.size;
      if (!parse_line({piece.bytes.data() + at, end - at}, piece)) {
        piece.lost_at = at;
        return;
      }
      piece.lines++;
      at = end + 1;
    }
  }

 private:
  std::size_t parse_call_line(std::string_view rest, Piece& piece) {
    if (!is_marked_) return 0;
    HookEvent event;
    const std::size_t length = parser_.parse_call_line(rest, event, marks_);
    if (length > 0) piece.events.push_back(event);
    return length;
  }

  // False if an object begins in the line and continues in the next, or if the line is too long.
  bool parse_line(std::string_view line, Piece& piece) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty()) return true;
    if (line.size() > Values::kMostBytes) return false;
    if (line.front() == '{' && line.back() == '}') {
      HookEvent& event = piece.events.emplace_back();
      if (parser_.parse(line, event, is_marked_ ? &marks_ : nullptr)) {
        if (event.not_utf8) piece.bad.push_back(piece.lines);
        return true;
      }
      piece.events.pop_back();
    }
    const std::string_view trimmed = base::trim(line);
    if (trimmed == "{" || trimmed == "[" || trimmed.starts_with('[') || trimmed.ends_with('{') ||
        trimmed.ends_with(','))
      return false;
    auto alone = base::Input::of("", std::string(line));
    Values values(alone);
    while (values.next().there()) {
      HookEvent event;
      if (parser_.parse_copy(values.text(), event))
        piece.events.push_back(event);
      else
        piece.bad.push_back(piece.lines);
    }
    for (std::uint64_t bad = 0; bad < values.bad_lines().count; ++bad)
      piece.bad.push_back(piece.lines);
    return true;
  }

  HookParser parser_;
  TextMarks marks_;
  bool is_marked_ = false;  // the piece is UTF-8 and small enough for marks
};

// Reads one piece after the other. Not thread-safe.
class Pieces {
 public:
  explicit Pieces(base::Input& input) : input_(input) {}

  // False at the end, and after a failure.
  bool next(Piece& piece) {
    piece.bytes.swap(rest_);
    std::size_t size = std::exchange(rest_size_, 0);
    for (;;) {
      const std::size_t before = size;
      size += read(piece.bytes, size, kPiece);
      const std::size_t line_end =
          std::string_view(piece.bytes.data() + before, size - before).rfind('\n');
      if (line_end != std::string_view::npos) {
        piece.size = before + line_end + 1;
        break;
      }
      piece.size = size;
      if (size == before) break;             // the end
      if (size > Values::kMostBytes) break;  // Values reports the problem
    }
    if (rest_.size() < size - piece.size) rest_.resize(size - piece.size);
    std::memcpy(rest_.data(), piece.bytes.data() + piece.size, size - piece.size);
    rest_size_ = size - piece.size;
    if (piece.bytes.size() < size + HookParser::kPadding)
      piece.bytes.resize(size + HookParser::kPadding);
    return piece.size > 0;
  }

  std::string_view rest() const { return {rest_.data(), rest_size_}; }
  const std::optional<base::Diagnostics>& failure() const { return failure_; }

 private:
  std::size_t read(std::string& to, std::size_t at, std::size_t most) {
    if (to.size() < at + most + HookParser::kPadding) to.resize(at + most + HookParser::kPadding);
    std::size_t made = 0;
    while (made < most && !failure_) {
      const auto count = input_.read(to.data() + at + made, most - made);
      if (!count) failure_ = count.error();
      if (!count || *count == 0) break;
      made += *count;
    }
    return made;
  }

  base::Input& input_;
  std::string rest_;
  std::size_t rest_size_ = 0;
  std::optional<base::Diagnostics> failure_;
};

// The rest of a log, after a piece in which a line is not one object.
class Rest final : public base::ByteSource {
 public:
  Rest(std::string before, base::Input& input) : before_(std::move(before)), input_(input) {}
  base::Result<std::size_t> read(char* to, std::size_t most) override {
    if (at_ == before_.size()) return input_.read(to, most);
    const std::size_t count = std::min(most, before_.size() - at_);
    std::memcpy(to, before_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string before_;
  std::size_t at_ = 0;
  base::Input& input_;
};

class HookReader {
 public:
  HookReader(base::Input& input, Reading& reading)
      : input_(input), reading_(reading), pieces_(input), folder_(reading) {
    const std::size_t threads = std::max<std::size_t>(reading.options().threads, 1);
    for (std::size_t i = 0; i < (threads == 1 ? 1 : 3 * threads); ++i)
      jobs_.push_back(std::make_unique<Job>(reading.options()));
  }

  void read() {
    {
      base::Workers others(reading_.options().threads);  // as many as are available
      for (std::size_t i = 1; i < reading_.options().threads; ++i) others.add([this] { work(); });
      work();
    }
    failure_.rethrow();
    if (pieces_.failure()) reading_.add_problem(*pieces_.failure());
    if (lost_) read_rest();
    folder_.finish();
  }

 private:
  struct Job {
    explicit Job(const Options& options) : parser(options) {}
    Piece piece;
    PieceParser parser;  // owns the texts of the events until they are folded
    std::atomic<bool> parsed = false;
  };

  // The work of each thread. Pieces are read in order, parsed by the thread that read them, and
  // folded in order by any thread that finds the next one ready.
  void work() {
    while (Job* job = take()) {
      attempt([&] { job->parser.parse(job->piece); });
      job->parsed = true;
      while (next_to_fold().parsed && folding_.try_lock()) {
        for (Job* next = &next_to_fold(); next->parsed; next = &next_to_fold()) {
          attempt([&] { fold(next->piece); });
          next->parsed = false;
          ++folded_;
          folded_.notify_all();
        }
        folding_.unlock();
      }
    }
  }

  // A thread that fails, for example when memory runs out, must not leave the others waiting.
  template <class Task>
  void attempt(Task task) {
    if (!failure_.attempt(task)) ended_ = true;
  }

  Job& next_to_fold() { return *jobs_[folded_ % jobs_.size()]; }

  // Null: no more pieces.
  Job* take() {
    const std::lock_guard lock(taking_);
    for (std::size_t folded = folded_; taken_ - folded == jobs_.size(); folded = folded_)
      folded_.wait(folded);  // until a job is free
    Job& job = *jobs_[taken_ % jobs_.size()];
    bool more = false;
    if (!ended_) attempt([&] { more = pieces_.next(job.piece); });
    if (!more) {
      ended_ = true;
      return nullptr;
    }
    ++taken_;
    return &job;
  }

  void fold(const Piece& piece) {
    if (lost_) {  // an earlier piece was lost
      rest_.append(piece.bytes, 0, piece.size);
      return;
    }
    folder_.add(piece.events);
    if (reading_.is_full()) ended_ = true;
    for (const std::uint64_t line : piece.bad) reading_.add_bad_line(lines_ + line + 1);
    lines_ += piece.lines;
    if (piece.lost_at == std::string::npos) return;
    lost_ = ended_ = true;
    rest_.assign(piece.bytes, piece.lost_at, piece.size - piece.lost_at);
  }

  void read_rest() {
    rest_ += pieces_.rest();
    Rest source(std::move(rest_), input_);
    Values values(source, Values::kMostBytes, lines_ + 1);
    HookParser parser(reading_.options().errors, reading_.options().keep_calls);
    while (values.next().there() && !reading_.is_full()) {
      HookEvent event;
      if (parser.parse_copy(values.text(), event)) folder_.add(event);
      parser.forget();
    }
    reading_.add_bad(values.bad_lines());
    if (values.failure()) reading_.add_problem(*values.failure());
  }

  base::Input& input_;
  Reading& reading_;
  Pieces pieces_;
  Folder folder_;

  std::vector<std::unique_ptr<Job>> jobs_;  // used in rotation

  std::mutex taking_;
  std::size_t taken_ = 0;
  std::atomic<bool> ended_ = false;

  std::mutex folding_;
  std::atomic<std::size_t> folded_ = 0;
  std::uint64_t lines_ = 0;
  bool lost_ = false;
  std::string rest_;

  base::FirstFailure failure_;
};

}  // namespace

bool is_hook(const Shape& shape) {
  if (shape.has("hook_event_name")) return true;
  if (shape.has("message") || shape.has("payload") || shape.has("uuid") || shape.has("messages") ||
      shape.has("attributes") || shape.has("observation") || shape.has("action") ||
      shape.has("tool_id"))
    return false;
  const bool has_time = shape.has("ts") || shape.has("timestamp");
  const bool has_tool = shape.has("tool") || shape.has("tool_name");
  const bool has_end = shape.has("exit") || shape.has("exit_code") || shape.has("output") ||
                       shape.has("response") || shape.has("input") || shape.has("command");
  if (has_tool && (has_time || has_end)) return true;
  if (shape.has("event_type") && (shape.has("phase") || shape.has("workflow_id"))) return true;
  return has_time && shape.is_one_of("type", {"tool", "prompt"});
}

void read_hook(base::Input input, Reading& reading) { HookReader(input, reading).read(); }

std::span<const Field> hook_fields() {
  static constexpr std::array kFields{
      Field{"one line per call",
            "`ts` or `timestamp`, `tool` or `tool_name`, `exit` or `exit_code` (a number, or a "
            "number in a string; `\"\"` is unknown), `session` or `session_id`, `command`, "
            "`output`, `duration_ms`, `task_type`, `complexity`"},
      Field{"Claude Code payloads",
            "`hook_event_name`, `tool_name`, `tool_input`, `tool_response` or `error`, "
            "`tool_use_id`; JSON lines or one array"},
      Field{"events with a phase",
            "`event_type: tool_call`, `phase`, `data.exit_code`, `status`; the end event names the "
            "start event in `related_event`"},
      Field{"other events",
            "`timestamp`, `type` or `event`, `tool`, `input`, `response` (a string of JSON)"},
      Field{"outcome",
            "an exit code or error flag; else PostToolUse is a success, PostToolUseFailure and a "
            "PreToolUse without its PostToolUse are failures; else an error pattern in the output"},
      Field{"corrections", "`is_interrupt`; `interrupted` in a response"},
      Field{"turns", "UserPromptSubmit and `prompt` events"},
      Field{"prompt", "`prompt` in UserPromptSubmit and `prompt` events"},
      Field{"final answer", "`last_assistant_message` in Stop events"},
  };
  return kFields;
}

}  // namespace vibe::trace

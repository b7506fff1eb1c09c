#include "trace/format.h"

#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"

namespace vibe::trace {

namespace {

class WantedSource final : public base::ByteSource {
 public:
  WantedSource(std::unique_ptr<base::ByteSource> source, const std::atomic<bool>& is_unwanted)
      : source_(std::move(source)), is_unwanted_(is_unwanted) {}

  base::Result<std::size_t> read(char* to, std::size_t most) override {
    if (is_unwanted_) return base::fail(base::Code::cannot_read, {}, "reading was cancelled");
    return source_->read(to, most);
  }

 private:
  const std::unique_ptr<base::ByteSource> source_;
  const std::atomic<bool>& is_unwanted_;
};

}  // namespace

std::unique_ptr<base::ByteSource> while_wanted(std::unique_ptr<base::ByteSource> source,
                                               const Options& options) {
  if (!options.is_unwanted) return source;
  return std::make_unique<WantedSource>(std::move(source), *options.is_unwanted);
}

bool Reading::has_room() {
  const std::size_t most = options_.most_sessions;
  if (most == 0 || sessions_.size() + added_.size() < most) return true;
  if (is_full()) return false;
  spare_.emplace("", options_.keep_calls);
  problems_.add(base::Code::too_many, {base::make_source(file_, ""), {}},
                fmt::format("the log has more than {} sessions", most),
                "split it into several logs");
  return false;
}

Session& Reading::session(std::string_view id, Session* other) {
  const std::size_t hash = std::hash<std::string_view>{}(id);
  if (const auto found = by_id_.find(hash); found != by_id_.end()) return *found->second;
  if (!other && !has_room()) return *spare_;
  Session& session = other ? *other : sessions_.emplace_back(std::string(id), options_.keep_calls);
  by_id_.emplace(hash, &session);
  return session;
}

Session& Reading::new_session(std::string_view id) {
  if (!has_room()) return *spare_;
  return sessions_.emplace_back(std::string(id), options_.keep_calls);
}

void Reading::name(Session& session, std::string_view id) {
  session.facts().id = id;
  by_id_.try_emplace(std::hash<std::string_view>{}(id), &session);
}

void Reading::add(Execution execution) {
  if (has_room()) added_.push_back(std::move(execution));
}

void Reading::add_problem(const base::Diagnostics& problem) {
  constexpr std::size_t kMost = 100;  // enough to see what is wrong
  for (const auto& one : problem.all()) {
    if (problems_.all().size() >= kMost && problems_.failed()) return;
    problems_.add(one.code, {one.source ? one.source : base::make_source(file_, ""), one.span},
                  one.message, one.hint);
  }
}

void Reading::add_bad(const BadLines& lines) {
  for (const std::uint64_t line : lines.first)
    if (bad_.first.size() < BadLines::kMostShown) bad_.first.push_back(line);
  bad_.count += lines.count;
}

void Reading::read_aside() {
  for (Session& session : sessions_) session.read_aside();
}

void Reading::finish(std::string_view format, const UseExecution& use) {
  by_id_.clear();
  if (is_full()) return;
  const auto note_bad_lines = [&](Execution& execution, std::string_view of) {
    if (bad_.count == 0) return;
    const bool one = bad_.count == 1;
    execution.bad_lines += bad_.count;
    execution.notes.insert(
        execution.notes.begin(),
        fmt::format("{}{} {} broken: {}{}", one ? "1 line" : fmt::format("{} lines", bad_.count),
                    of, one ? "is" : "are", fmt::join(bad_.first, ", "),
                    bad_.count > bad_.first.size() ? ", …" : ""));
  };
  // Executions added unchanged keep the name of their original log, so the note names this one.
  for (; !added_.empty(); added_.pop_front()) {
    note_bad_lines(added_.front(), fmt::format(" of `{}`", file_));
    use(std::move(added_.front()));
  }
  for (; !sessions_.empty(); sessions_.pop_front()) {
    if (!sessions_.front().used()) continue;
    Execution execution = sessions_.front().finish(options_.prices);
    execution.file = file_;
    execution.format = format;
    note_bad_lines(execution, "");
    if (foreign_ > 0)
      execution.notes.push_back(
          foreign_ == 1 ? std::string("1 line is in another format and was skipped")
                        : fmt::format("{} lines are in another format and were skipped", foreign_));
    use(std::move(execution));
  }
}

std::vector<Execution> Reading::finish(std::string_view format) {
  std::vector<Execution> out;
  finish(format, [&](Execution one) { out.push_back(std::move(one)); });
  return out;
}

Json take(base::JsonStream& stream, Reading& reading, JsonParser& parser, std::string& text) {
  text.clear();
  if (!stream.copy(text, Values::kMostBytes)) return {};  // check_end() counts it
  const Json value = parser.parse(text);
  if (!value.there() || !parser.was_utf8()) reading.add_bad_line(stream.line());
  return value;
}

void check_end(const base::JsonStream& stream, Reading& reading) {
  const auto& failure = stream.failure();
  if (!failure) return;
  if (failure->source) return reading.add_problem(*failure->source);
  reading.add_bad_line(failure->line);
}

Time to_time(double seconds) { return static_cast<Time>(std::llround(seconds * 1e6)); }

namespace {

// Guesses the unit from the size: works for years from 1973 on. None beyond the year 9999.
std::optional<Time> time_of_number(double value) {
  constexpr double kMost = 253'402'300'799e6;
  const double micros = value >= 1e17   ? value / 1e3
                        : value >= 1e14 ? value
                        : value >= 1e11 ? value * 1e3
                                        : value * 1e6;
  if (!(value > 0) || micros > kMost) return std::nullopt;
  return static_cast<Time>(std::llround(micros));
}

}  // namespace

std::optional<Time> time_of(std::string_view text) {
  if (const auto time = base::parse_micros(text)) return time;
  const auto number = base::parse_double(text);
  return number ? time_of_number(*number) : std::nullopt;
}

std::optional<Time> time_of(Json value) {
  if (const auto text = value.text()) return time_of(*text);
  const auto number = value.number();
  return number ? time_of_number(*number) : std::nullopt;
}

std::string shown_input(const Session& session, Json input) {
  return session.keeps_calls() ? text_or_json(input) : std::string();
}

std::string text_or_json(Json value, std::size_t most) {
  if (const auto text = value.text()) return std::string(text->substr(0, most + 4));
  return value.there() && !value.is_null() ? value.dump(most) : std::string();
}

std::string text_of_blocks(Json content, std::string_view separator) {
  if (const auto text = content.text()) return std::string(*text);
  std::string out;
  content.each([&](Json block) {
    std::string_view text = block.text().value_or("");
    if (block.is_object()) text = block.text_of("text");
    if (text.empty()) return;
    if (!out.empty()) out += separator;
    out += text;
  });
  return out;
}

std::optional<std::int64_t> exit_code_of(Json value) {
  if (const auto number = value.integer()) return number;
  const auto text = value.text();
  return text ? base::parse_integer(base::trim(*text)) : std::nullopt;
}

Outcome outcome_of_output(std::string_view output, const ErrorPatterns& errors) {
  if (base::trim(output).empty()) return Outcome::unknown;
  return errors.find(output) ? Outcome::failure : Outcome::success;
}

}  // namespace vibe::trace

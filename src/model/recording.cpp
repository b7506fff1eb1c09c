#include "model/recording.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/file.h"
#include "base/text.h"
#include "model/outcome_json.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

using base::JsonValue;

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostLine = 512u << 20;  // an answer of 32 MiB, every byte escaped
constexpr std::size_t kMostShown = 64u << 10;  // bytes of a line that a diagnostic can show
constexpr std::int64_t kMostOrdinal = 1'000'000'000;

// Puts its length before each part, so that no two lists of parts have the same encoding.
void add_part(std::string& out, std::string_view part) {
  out += fmt::format("{}:{}", part.size(), part);
}

template <class T>
void add_number(std::string& out, const std::optional<T>& number) {
  add_part(out, number ? fmt::format("{}", *number) : "-");
}

// The key of a conversation with the recorded model, or with another.
std::string talk_key(const Request& request, std::string_view other) {
  return fmt::format("{}{}", conversation_key(request), other);
}

std::string entry_key(const std::string& talk, std::uint32_t ordinal) {
  return fmt::format("{}/{}", ordinal, talk);
}

std::string embedding_key(std::string_view embedder, std::string_view text) {
  std::string parts;
  add_part(parts, embedder);
  add_part(parts, text);
  return base::hash(parts);
}

tl::unexpected<base::Diagnostics> cannot_write(const std::string& path, int error) {
  return base::fail(base::Code::cannot_write, {base::make_source(path, ""), {}},
                    fmt::format("cannot write `{}`: {}", path, base::reason(error)),
                    base::hint_for(error));
}

void write_request(base::JsonWriter& json, const Request& request) {
  if (!request.system.empty()) write_text(json.key("system"), request.system);
  if (request.messages.size() == 1 && request.messages[0].role == Message::Role::user) {
    write_text(json.key("prompt"), request.messages[0].text);
  } else {
    json.key("messages").begin_array();
    for (const Message& message : request.messages) write_message(json, message);
    json.end_array();
  }
  json.key("ordinal").integer(request.ordinal);
}

// The conversation without its ordinal, which the caller sets.
Request read_request(FieldReader& reader, const JsonValue& entry) {
  Request request;
  reader.text(entry, "system", request.system);
  const JsonValue* prompt = entry.find("prompt");
  const JsonValue* messages = entry.find("messages");
  if (prompt && messages) {
    reader.fail("messages", "it has both `prompt` and `messages`");
  } else if (prompt) {
    if (prompt->is_null()) reader.fail("prompt", "`prompt` is not text");
    reader.text(entry, "prompt", request.messages.emplace_back().text);
  } else if (messages && messages->array()) {
    for (const JsonValue& message : *messages->array())
      request.messages.push_back(reader.message(message));
  } else if (messages) {
    reader.fail("messages", "`messages` is not a list");
  } else {
    reader.fail({}, "it has neither `prompt` nor `messages`", R"(write `"prompt": "…"`)");
  }
  return request;
}

class RecordingReader {
 public:
  explicit RecordingReader(std::string name) : name_(std::move(name)) {}

  // False if it is not a recording, so that reading on is pointless.
  bool read_line(std::string_view line, std::uint64_t number) {
    line_ = line;
    number_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
    const bool is_first = !std::exchange(has_header, true);
    FieldReader reader;
    const auto value = base::parse_json(line);
    if (!value)
      reader.fail({}, "this line is not a JSON object: " + value.error());
    else if (is_first)
      read_header(reader, *value);
    else
      read_entry(reader, *value);
    if (reader.problem()) add(*reader.problem());
    return !is_first || !reader.problem();
  }

  base::Diagnostics take_diagnostics() { return std::move(found_); }

  bool has_header = false;
  std::string model;
  std::unordered_map<std::string, Outcome> outcomes;
  std::unordered_map<std::string, Embedder::Outcome> embeddings;

 private:
  void read_header(FieldReader& reader, const JsonValue& value) {
    const JsonValue* version = value.find("vibecheck_recording");
    if (!version) {
      reader.fail({}, "this is not a recording: its first line has no key `vibecheck_recording`",
                  R"(the first line is `{"vibecheck_recording": 1, "model": "provider/model"}`)");
      return;
    }
    if (version->integer() != kVersion) {
      reader.fail("vibecheck_recording",
                  fmt::format("a recording of version {} cannot be read",
                              base::shorten(base::to_text(*version), 20)),
                  fmt::format("this program reads version {}", kVersion));
      return;
    }
    if (!reader.object(value, "the first line", {"vibecheck_recording", "model", "note"})) return;
    reader.text(value, "model", model);
    if (model.empty()) reader.fail({}, "the first line has no `model`");
  }

  void read_entry(FieldReader& reader, const JsonValue& value) {
    if (value.find("embedding_of")) return read_embedding(reader, value);
    if (!reader.object(value, "this line",
                       {"model", "system", "prompt", "messages", "ordinal", "answer", "failure"}))
      return;
    std::string other;
    reader.text(value, "model", other);
    const Request request = read_request(reader, value);
    std::optional<std::int64_t> ordinal;
    reader.count(value, "ordinal", ordinal);
    if (ordinal && *ordinal > kMostOrdinal) reader.fail("ordinal", "`ordinal` is too large");
    Outcome outcome = reader.outcome(value);
    if (reader.problem()) return;
    const std::string talk = talk_key(request, other);
    std::int64_t& next = next_[talk];
    const auto number = static_cast<std::uint32_t>(ordinal.value_or(next));
    next = std::max<std::int64_t>(next, number + std::int64_t{1});
    // A resumed run may have sent the request again: the last outcome counts.
    outcomes.insert_or_assign(entry_key(talk, number), std::move(outcome));
  }

  void read_embedding(FieldReader& reader, const JsonValue& value) {
    if (!reader.object(value, "this line",
                       {"model", "embedding_of", "vector", "tokens", "cost", "failure"}))
      return;
    std::string embedder, text;
    reader.text(value, "model", embedder);
    if (embedder.empty()) reader.fail({}, "the embedding has no `model`");
    reader.text(value, "embedding_of", text);
    const std::string key = embedding_key(embedder, text);
    if (value.find("failure")) {
      const Outcome failed = reader.outcome(value);
      if (!reader.problem()) embeddings.insert_or_assign(key, tl::unexpected(failed.error()));
      return;
    }
    Embedding out;
    const JsonValue* vector = value.find("vector");
    for (std::size_t i = 0; vector && vector->at(i); ++i) {
      const auto number = vector->at(i)->number();
      if (!number) reader.fail("vector", "`vector` has an entry that is not a number");
      out.vector.push_back(static_cast<float>(number.value_or(0)));
    }
    if (out.vector.empty()) reader.fail("vector", "`vector` is not a list of numbers");
    reader.count(value, "tokens", out.tokens);
    reader.amount(value, "cost", out.cost);
    if (!reader.problem()) embeddings.insert_or_assign(key, std::move(out));
  }

  void add(const FieldReader::Problem& problem) {
    std::string text(line_.substr(0, kMostShown));
    base::Span span{0, static_cast<std::uint32_t>(text.size())};
    if (!problem.key.empty()) {
      const std::string quoted = "\"" + problem.key + "\"";
      if (const auto at = text.find(quoted); at != std::string::npos)
        span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + quoted.size())};
    }
    found_.add(base::Code::bad_recording,
               {base::make_source(name_, std::move(text), number_), span}, problem.message,
               problem.hint);
  }

  std::string name_;
  std::string_view line_;
  std::uint32_t number_ = 0;
  std::unordered_map<std::string, std::int64_t> next_;  // next ordinal of each conversation
  base::Diagnostics found_;
};

// True if the file is absent, empty, a recording, or not a regular file (a pipe, say).
bool may_replace(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return true;
  constexpr std::string_view kBegin = "{\"vibecheck_recording\"";
  std::string begin(kBegin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == 0 || begin == kBegin;
}

}  // namespace

std::string conversation_key(const Request& request) {
  std::string parts;
  add_part(parts, request.system);
  for (const Message& message : request.messages) {
    add_part(parts, to_string(message.role));
    add_part(parts, message.text);
    for (const ToolCall& call : message.tool_calls) {
      add_part(parts, "call");
      add_part(parts, call.name);
      add_part(parts, call.arguments);
    }
    if (message.failed) add_part(parts, "failed");
  }
  return base::hash(parts);
}

std::string answer_key(std::string_view model, const Request& request) {
  std::string parts;
  add_part(parts, model);
  add_number(parts, request.parameters.temperature);
  add_number(parts, request.parameters.top_p);
  add_number(parts, request.parameters.max_output_tokens);
  add_number(parts, request.parameters.seed);
  add_number(parts, std::optional(request.ordinal));
  add_part(parts, conversation_key(request));
  return base::hash(parts);
}

std::string to_json(const Outcome& outcome) {
  base::JsonWriter json;
  json.begin_object();
  write_outcome(json, outcome);
  json.end_object();
  return json.text();
}

std::optional<Outcome> outcome_from_json(std::string_view json) {
  const auto value = base::parse_json(json);
  if (!value) return std::nullopt;
  FieldReader reader;
  if (!reader.object(*value, "this", {"answer", "failure"})) return std::nullopt;
  Outcome outcome = reader.outcome(*value);
  if (reader.problem()) return std::nullopt;
  return outcome;
}

base::Result<Recorder> Recorder::open(const std::string& path, int flags) {
  Recorder recorder;
  recorder.path_ = path;
  do recorder.fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (recorder.fd_ < 0 && errno == EINTR);
  if (recorder.fd_ < 0) return cannot_write(path, errno);
  return recorder;
}

base::Result<Recorder> Recorder::create(const std::string& path, std::string_view model) {
  if (!may_replace(path))
    return base::fail(base::Code::bad_usage, {},
                      fmt::format("`{}` already exists and is not a recording", path),
                      "vibe replaces only recordings: choose another name");
  VIBE_TRY(auto recorder, open(path, O_WRONLY | O_CREAT | O_TRUNC));
  base::JsonWriter json;
  json.begin_object().key("vibecheck_recording").integer(kVersion);
  json.key("model").string(model).end_object();
  VIBE_TRY(recorder.write_line(json.text()));
  return recorder;
}

base::Result<Recorder> Recorder::append(const std::string& path, std::string_view model) {
  VIBE_TRY(const auto recording, Recording::read(path));
  if (recording.model() != model)
    return base::fail(
        base::Code::bad_usage, {},
        fmt::format("`{}` is a recording of `{}`, not of `{}`", path, recording.model(), model));
  VIBE_TRY(auto recorder, open(path, O_RDWR | O_APPEND));
  VIBE_TRY(recorder.end_last_line());
  return recorder;
}

base::Result<void> Recorder::end_last_line() {
  struct stat status{};
  if (::fstat(fd_, &status) != 0) return cannot_write(path_, errno);
  if (!S_ISREG(status.st_mode)) return {};
  size_ = status.st_size;
  char last = '\n';
  if (size_ > 0 && ::pread(fd_, &last, 1, size_ - 1) != 1) return cannot_write(path_, errno);
  return last == '\n' ? base::Result<void>() : write_line("");
}

Recorder::Recorder(Recorder&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_), path_(std::move(other.path_)) {}

Recorder& Recorder::operator=(Recorder&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

Recorder::~Recorder() {
  if (fd_ >= 0) ::close(fd_);
}

base::Result<void> Recorder::add(const Request& request, const Outcome& outcome,
                                 std::string_view other) {
  base::JsonWriter json;
  json.begin_object();
  if (!other.empty()) json.key("model").string(other);
  write_request(json, request);
  write_outcome(json, outcome);
  json.end_object();
  return write_line(json.text());
}

base::Result<void> Recorder::add(std::string_view embedder, std::string_view text,
                                 const Embedder::Outcome& outcome) {
  base::JsonWriter json;
  json.begin_object().key("model").string(embedder);
  write_text(json.key("embedding_of"), text);
  if (outcome) {
    json.key("vector").begin_array();
    for (const float number : outcome->vector) json.number(static_cast<double>(number));
    json.end_array();
    if (outcome->tokens) json.key("tokens").integer(*outcome->tokens);
    if (outcome->cost) json.key("cost").number(*outcome->cost);
  } else {
    write_outcome(json, tl::unexpected(outcome.error()));
  }
  return write_line(json.end_object().text());
}

base::Result<void> Recorder::write_line(std::string line) {
  line += '\n';
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = ::write(fd_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      if (::ftruncate(fd_, size_) == 0)
        ::lseek(fd_, size_, SEEK_SET);  // back to the start of the line
      return cannot_write(path_, error);
    }
    written += static_cast<std::size_t>(count);
  }
  size_ += static_cast<std::int64_t>(line.size());
  return {};
}

base::Result<Recording> Recording::read(const std::string& path) {
  VIBE_TRY(auto lines, base::LineReader::open(path, kMostLine));
  const std::string name = base::display_name(path);
  RecordingReader reader(name);
  std::string_view line;
  while (true) {
    VIBE_TRY(const auto more, lines.next(line));
    if (!more) break;
    if (!base::trim(line).empty() && !reader.read_line(line, lines.line_number())) break;
  }
  auto found = reader.take_diagnostics();
  if (!reader.has_header && !found.failed())
    found.add(base::Code::bad_recording, {base::make_source(name, ""), {}},
              "this is not a recording: it is empty");
  if (found.failed()) return tl::unexpected(std::move(found));
  Recording recording;
  recording.model_ = std::move(reader.model);
  recording.outcomes_ = std::move(reader.outcomes);
  recording.embeddings_ = std::move(reader.embeddings);
  return recording;
}

const Outcome* Recording::find(const Request& request, std::string_view other) const {
  const auto found = outcomes_.find(entry_key(talk_key(request, other), request.ordinal));
  return found == outcomes_.end() ? nullptr : &found->second;
}

bool Recording::knows_fitness() const {
  return std::any_of(outcomes_.begin(), outcomes_.end(), [](const auto& entry) {
    const Outcome& outcome = entry.second;
    return outcome && (outcome->fitness || !outcome->fitness_error.empty());
  });
}

const Embedder::Outcome* Recording::find_embedding(std::string_view embedder,
                                                   std::string_view text) const {
  const auto found = embeddings_.find(embedding_key(embedder, text));
  return found == embeddings_.end() ? nullptr : &found->second;
}

}  // namespace vibe::model

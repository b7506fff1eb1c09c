#include "app/agents/outcome_labels.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace vibe::app {

namespace {

using base::Code;

constexpr std::array<std::string_view, 3> kSessionNames{"session", "id", "session_id"};
constexpr std::string_view kOutcomeName = "outcome";
constexpr std::size_t kMostLine = std::size_t{64} << 10;

std::optional<bool> outcome_of(std::string_view text) {
  const std::string word = base::lower_ascii(base::trim(text));
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  return std::nullopt;
}

// The cells of one line (RFC 4180, but without line breaks in cells); none: a quote is not closed.
std::optional<std::vector<std::string>> cells_of(std::string_view line) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (true) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        if (at >= line.size()) return std::nullopt;
        if (line[at] != '"') {
          cell += line[at++];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += '"';
          at += 2;
        } else {
          ++at;
          break;
        }
      }
      if (at < line.size() && line[at] != ',') return std::nullopt;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = base::trim(line.substr(at, end - at));
      at = end;
    }
    out.push_back(std::move(cell));
    if (at >= line.size()) return out;
    ++at;
  }
}

class Labels {
 public:
  explicit Labels(std::string name) : name_(std::move(name)) {}

  void read(std::string_view line, std::uint64_t number) {
    number_ = number;
    line_ = base::trim(line);
    if (line_.empty()) return;
    if (line_.front() == '{')
      read_object();
    else
      read_cells();
  }

  base::Result<std::vector<OutcomeLabel>> finish() {
    if (labels_.empty() && !problems_.failed())
      problems_.add(Code::bad_label, {base::make_source(name_, ""), {}}, "there are no labels",
                    "write one line per session: its id, a comma, and 1 (good) or 0 (bad)");
    if (problems_.failed()) return tl::unexpected(std::move(problems_));
    return std::move(labels_);
  }

 private:
  void fail(std::string message, std::string hint = {}) {
    const std::string text(line_);
    const auto end = static_cast<std::uint32_t>(text.size());
    problems_.add(Code::bad_label,
                  {base::make_source(name_, text, static_cast<std::uint32_t>(number_)), {0, end}},
                  std::move(message), std::move(hint));
  }

  void read_object() {
    const auto read = base::read_json_document(line_);
    if (!read) return fail(fmt::format("this is not JSON: {}", read.error().message));
    const base::JsonValue* session = nullptr;
    for (const auto name : kSessionNames)
      if (!session) session = read->root.find(name);
    const base::JsonValue* outcome = read->root.find(kOutcomeName);
    if (!session || !session->text())
      return fail("the session id is missing", "write `{\"id\": \"…\", \"outcome\": 1}`");
    std::optional<bool> good;
    if (outcome && outcome->boolean()) good = outcome->boolean();
    if (outcome && outcome->number() == 0.0) good = false;
    if (outcome && outcome->number() == 1.0) good = true;
    add(*session->text(), good, outcome ? base::to_text(*outcome) : "");
  }

  void read_cells() {
    const auto cells = cells_of(line_);
    if (!cells) return fail("a quote is not closed, or something follows it");
    if (!seen_cells_ && read_header(*cells)) {
      seen_cells_ = true;
      return;
    }
    seen_cells_ = true;
    if (cells->size() <= std::max(session_at_, outcome_at_))
      return fail("this is not a label", "write a session id, a comma, and 1 or 0");
    add((*cells)[session_at_], outcome_of((*cells)[outcome_at_]), (*cells)[outcome_at_]);
  }

  // Reads column names, in any order; false: the line is a label.
  bool read_header(const std::vector<std::string>& cells) {
    std::optional<std::size_t> session, outcome;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string name = base::lower_ascii(cells[i]);
      if (name == kOutcomeName) outcome = i;
      if (std::find(kSessionNames.begin(), kSessionNames.end(), name) != kSessionNames.end())
        session = i;
    }
    if (!session || !outcome) return false;
    session_at_ = *session;
    outcome_at_ = *outcome;
    return true;
  }

  void add(const std::string& session, std::optional<bool> good, std::string_view shown) {
    if (session.empty()) return fail("the session id is missing", "write it before the outcome");
    if (!good)
      return fail(shown.empty() ? "the outcome is missing"
                                : fmt::format("`{}` is not an outcome", base::printable(shown)),
                  "an outcome is 1 (good) or 0 (bad), `true` or `false`");
    const auto [known, is_new] = places_.try_emplace(session, labels_.size());
    if (is_new) {
      labels_.push_back({session, *good, number_});
      return;
    }
    const OutcomeLabel& other = labels_[known->second];
    if (other.good != *good)
      fail(fmt::format("`{}` has outcome {} here, but {} on line {}", base::printable(session),
                       *good ? 1 : 0, other.good ? 1 : 0, other.line));
  }

  std::string name_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool seen_cells_ = false;
  std::size_t session_at_ = 0, outcome_at_ = 1;
  std::vector<OutcomeLabel> labels_;
  std::unordered_map<std::string, std::size_t> places_;
  base::Diagnostics problems_;
};

}  // namespace

base::Result<std::vector<OutcomeLabel>> read_labels(const std::string& path) {
  VIBE_TRY(auto reader, base::LineReader::open(path, kMostLine));
  Labels labels(base::display_name(path));
  std::string_view line;
  while (true) {
    VIBE_TRY(const auto more, reader.next(line));
    if (!more) break;
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.read(line, reader.line_number());
  }
  return labels.finish();
}

}  // namespace vibe::app

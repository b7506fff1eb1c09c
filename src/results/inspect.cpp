// Inspect logs: `.json`, one document, or `.eval`, a zip archive with one member per sample.
// Messages and events are skipped.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/zip.h"
#include "formula/make_name.h"
#include "results/format.h"
#include "results/reading.h"

namespace vibe::results {

using base::Code;
using base::JsonValue;

namespace {

constexpr std::array<std::string_view, 9> kSampleKeys{"id",         "epoch",    "error",
                                                      "scores",     "score",    "model_usage",
                                                      "total_time", "metadata", "completed"};
constexpr std::array<std::string_view, 5> kHeader{"eval/model", "eval/tags", "eval/metadata",
                                                  "status", "version"};

// The marks of Inspect's scorers, and words for them.
struct Mark {
  std::string_view text;
  double value;
};
constexpr std::array kMarks{Mark{"C", 1},       Mark{"I", 0},         Mark{"P", 0.5}, Mark{"N", 0},
                            Mark{"correct", 1}, Mark{"incorrect", 0}, Mark{"yes", 1}, Mark{"no", 0},
                            Mark{"true", 1},    Mark{"false", 0}};

std::optional<double> value_of(const JsonValue& value) {
  if (const auto boolean = value.boolean()) return *boolean ? 1 : 0;
  if (const auto number = value.number()) return number;
  const std::string* text = value.text();
  if (!text) return std::nullopt;
  for (const auto& mark : kMarks)
    if (mark.text.size() == 1 ? mark.text == *text : mark.text == base::lower_ascii(*text))
      return mark.value;
  return base::parse_double(*text);
}

class InspectReader {
 public:
  InspectReader(std::string file, base::Diagnostics& out) : file_(std::move(file)), out_(out) {}

  void read_header(const JsonValue& header) {
    if (const JsonValue* eval = header.find("eval")) {
      model_ = eval->text_of("model");
      const JsonValue* tags = eval->find("tags");
      if (const auto* list = tags ? tags->array() : nullptr)
        for (const auto& tag : *list)
          if (tag.text() && base::printable(*tag.text()) == *tag.text())
            tags_.push_back(*tag.text());
    }
    status_ = header.text_of("status");
  }

  void read_sample(base::JsonStream& stream, std::string_view where) {
    const std::uint64_t line = stream.line();
    if (stream.next() != '{') {
      if (stream.skip())
        report(Code::bad_document, std::string(where), line, "a sample is not an object", out_);
      return;
    }
    if (const auto sample = take(stream, kSampleKeys, std::string(where), out_))
      add(*sample, std::string(where), line);
  }

  // Summaries from older versions have neither time nor tokens.
  bool has_figures() const {
    return std::all_of(rows_.begin(), rows_.end(),
                       [](const Row& row) { return row.errored || row.timed; });
  }
  void forget_samples() {
    rows_.clear();
    scorers_.clear();
    scorer_numbers_.clear();
  }

  void finish(const Choice& choice, score::Samples& samples) {
    if (out_.failed() || rows_.empty()) return;
    const auto scorer = choose_scorer(choice);
    if (out_.failed()) return;
    const double pass_at = choice.pass_at.value_or(1);
    if (!choice.pass_at && scorer) check_range(*scorer);
    if (out_.failed()) return;
    formula::NameMaker names;
    std::unordered_map<std::string, std::string> made;
    std::size_t unscored = 0;
    for (auto& row : rows_) {
      auto& name = made[row.id];
      const bool is_new = name.empty();
      if (is_new) name = names.make(row.id, "sample");
      const auto value = scorer ? value_by(row, *scorer) : std::nullopt;
      if (!value && !row.errored) ++unscored;
      row.sample.passed = !row.errored && value && *value >= pass_at;
      const std::uint32_t eval = samples.eval(name);
      for (const auto& tag : row.tags) samples.tag(eval, tag);
      if (is_new)
        for (const auto& tag : tags_) samples.tag(eval, tag);
      samples.add(eval, row.sample);
      if (row.errored) samples.add_errors(1, row.error);
    }
    if (unscored > 0)
      report(Code::unscored_result, file_, 1,
             fmt::format("{} of {} samples have no score", unscored, rows_.size()), out_,
             "they count as not passed");
    if (status_ != "success" && !status_.empty())
      report(Code::unscored_result, file_, 1,
             fmt::format("the run has status `{}`", base::shorten(base::printable(status_), 40)),
             out_, "samples may be missing");
  }

 private:
  struct Row {
    std::string id;
    std::vector<std::string> tags;
    std::vector<std::pair<std::size_t, std::optional<double>>> scores;  // scorer and score
    bool errored = false, timed = false;
    std::string error;  // the reason, if known
    score::Sample sample;
  };

  static std::optional<double> value_by(const Row& row, std::size_t scorer) {
    for (const auto& [number, value] : row.scores)
      if (number == scorer) return value;
    return std::nullopt;
  }

  void add(const JsonValue& sample, const std::string& where, std::uint64_t line) {
    const JsonValue* id = sample.find("id");
    if (!id || id->is_null() || id->array() || id->object())
      return report(Code::bad_document, where, line, "a sample in the Inspect log has no `id`",
                    out_);
    Row row{.id = id->text() ? *id->text() : to_text(*id),
            .tags = {},
            .scores = {},
            .error = {},
            .sample = {}};
    const JsonValue* error = sample.find("error");
    row.errored = error && !error->is_null();
    if (row.errored) row.error = error_of(error).value_or("");
    row.tags = tags_of(sample.find("metadata"));
    const auto seconds = sample.number_of("total_time");
    row.timed = seconds.has_value();
    if (!row.errored) row.sample.latency = figure(seconds);
    read_usage(sample.find("model_usage"), row.sample);
    if (const JsonValue* scores = sample.find("scores"); scores && scores->object())
      for (const auto& [name, score] : *scores->object()) add_score(name, score.find("value"), row);
    if (const JsonValue* score = sample.find("score"); score && score->object())
      add_score("score", score->find("value"), row);  // in logs before version 2
    rows_.push_back(std::move(row));
  }

  void add_score(const std::string& scorer, const JsonValue* value, Row& row) {
    if (!value) return;
    if (const auto* members = value->object()) {  // one scorer with several values
      for (const auto& [key, member] : *members)
        row.scores.emplace_back(number_of(fmt::format("{}.{}", scorer, key)), value_of(member));
      return;
    }
    row.scores.emplace_back(number_of(scorer), value_of(*value));
  }

  std::size_t number_of(const std::string& scorer) {
    const auto [at, is_new] = scorer_numbers_.try_emplace(scorer, scorers_.size());
    if (is_new) scorers_.push_back(scorer);
    return at->second;
  }

  // The usage of the evaluated model; judges have their own entries. Prompt tokens are the total
  // minus the answer: whether `input_tokens` includes cached tokens depends on the provider.
  void read_usage(const JsonValue* usage, score::Sample& sample) const {
    const auto* models = usage ? usage->object() : nullptr;
    if (!models || models->empty()) return;
    const JsonValue* mine = usage->find(model_);
    if (!mine && models->size() == 1) mine = &models->front().second;
    if (!mine) return;
    const auto output = mine->number_of("output_tokens"), total = mine->number_of("total_tokens");
    sample.completion_tokens = figure(output);
    sample.prompt_tokens =
        figure(output && total && *total >= *output ? std::optional(*total - *output)
                                                    : mine->number_of("input_tokens"));
    sample.cost = figure(mine->number_of("total_cost"));
  }

  std::optional<std::size_t> choose_scorer(const Choice& choice) {
    if (scorers_.empty()) {
      if (choice.scorer)
        report(Code::no_such_result, file_, 1, "no sample of the log has a score", out_);
      return std::nullopt;
    }
    const auto fits = choose(scorers_, choice.scorer, "--scorer", "scorers", file_, out_);
    if (std::count(fits.begin(), fits.end(), true) > 1 && !out_.failed())
      report(Code::mixed_results, file_, 1,
             fmt::format("`--scorer {}` matches several scorers",
                         base::shorten(base::printable(choice.scorer.value_or("")), 60)),
             out_, "name one of them");
    return static_cast<std::size_t>(std::find(fits.begin(), fits.end(), true) - fits.begin());
  }

  void check_range(std::size_t scorer) {
    for (const auto& row : rows_)
      if (const auto value = value_by(row, scorer); value && (*value < 0 || *value > 1))
        return report(Code::mixed_results, file_, 1,
                      fmt::format("`{}` gives {:g}, which is neither a fail (0) nor a pass (1)",
                                  base::shorten(base::printable(scorers_[scorer]), 60), *value),
                      out_, "set the lowest passing value with `--pass-at N`");
  }

  std::string file_, model_, status_;
  base::Diagnostics& out_;
  std::vector<std::string> tags_, scorers_;
  std::unordered_map<std::string, std::size_t> scorer_numbers_;
  std::vector<Row> rows_;
};

// Reads one member of an archive with `walk`.
template <class Walk>
void read_member(const base::Zip& zip, const base::ZipMember& member, base::Diagnostics& out,
                 const Walk& walk) {
  const auto bytes = zip.read(member);
  if (failed(bytes, out)) return;
  base::JsonStream stream(**bytes);
  const std::string where =
      fmt::format("{}/{}", zip.name(), base::shorten(base::printable(member.name), 80));
  walk(stream, where);
  if (stream.next() != 0 && !out.failed())  // also reads to the end, which checks the checksum
    report(Code::bad_document, where, stream.line(), "there is text after the JSON", out);
  report(stream, where, out);
}

bool is_sample(const base::ZipMember& member) {
  return member.name.starts_with("samples/") && member.name.ends_with(".json");
}

void read_samples(const base::Zip& zip, InspectReader& reader, base::Diagnostics& out) {
  for (const auto& member : zip.members()) {
    if (!is_sample(member)) continue;
    read_member(zip, member, out, [&](base::JsonStream& stream, const std::string& where) {
      reader.read_sample(stream, where);
    });
    if (out.failed()) return;
  }
}

}  // namespace

bool is_inspect(const Glance& glance) {
  return glance.has("eval", '{') && (glance.has("version") || glance.has("status"));
}

bool is_inspect_archive(const Glance& glance) { return glance.zip; }

void read_inspect(base::Input input, const Choice& choice, score::Samples& samples,
                  base::Diagnostics& out) {
  const std::string name = input.name();
  InspectReader reader(name, out);
  base::JsonStream stream(input);
  std::string header = "{";
  bool has_eval = false;
  stream.object([&](std::string_view key) {
    const bool has_header = header.size() > 1;
    if (key == "status") {
      header += fmt::format("{}\"status\":", has_header ? "," : "");
      stream.copy(header, kMostKept);
    } else if (key == "eval" && !has_eval) {
      has_eval = true;
      header += fmt::format("{}\"eval\":", has_header ? "," : "");
      constexpr std::array<std::string_view, 2> kOfEval{"model", "tags"};
      stream.copy_members(kOfEval, header, kMostKept);
      if (const auto parsed = base::parse_json(header + "}")) reader.read_header(*parsed);
    } else if (key == "samples") {
      stream.array([&] { reader.read_sample(stream, name); });
    }
  });
  report(stream, name, out);
  reader.finish(choice, samples);
}

void read_inspect_archive(base::Input input, const Choice& choice, score::Samples& samples,
                          base::Diagnostics& out) {
  const std::string name = input.name();
  const auto zip = base::Zip::open(std::move(input));
  if (failed(zip, out)) return;
  const base::ZipMember* header = zip->find("header.json");
  if (!header) header = zip->find("_journal/start.json");  // the run did not end
  if (!header)
    return report(Code::bad_document, name, 1,
                  "the zip archive is not an Inspect log: it has neither `header.json` nor "
                  "`_journal/start.json`",
                  out);
  InspectReader reader(name, out);
  read_member(*zip, *header, out, [&](base::JsonStream& stream, const std::string& where) {
    if (const auto value = take(stream, kHeader, where, out)) reader.read_header(*value);
  });
  if (out.failed()) return;
  const base::ZipMember* summaries = zip->find("summaries.json");
  if (summaries)
    read_member(*zip, *summaries, out, [&](base::JsonStream& stream, const std::string& where) {
      stream.array([&] { reader.read_sample(stream, where); });
    });
  if (out.failed()) return;
  if (!summaries || !reader.has_figures()) {
    reader.forget_samples();
    read_samples(*zip, reader, out);
  }
  if (header->name != "header.json" && !out.failed())
    report(Code::unscored_result, name, 1, "the run has not ended", out, "samples may be missing");
  reader.finish(choice, samples);
}

}  // namespace vibe::results

#include "fitness/rubric.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "base/yaml_reading.h"
#include "fitness/phrases.h"
#include "fitness/rubric_schema.h"
#include "fitness/signals.h"
#include "formula/arithmetic.h"

// data/rubric.yaml, embedded by the build.
extern "C" {
extern const char vibe_rubric_yaml[];
extern const char vibe_rubric_yaml_end[];
}

namespace vibe::fitness {

using base::Code;
using base::Fields;
using base::quoted;
using base::YamlNode;

namespace {

constexpr double kRounding = 1e-9;  // rounding error of sums of decimals

constexpr std::array<std::string_view, 3> kEfficiencies{"time", "tools", "mean"};
constexpr std::array<std::string_view, 2> kOnUndefined{"rescale", "error"};

template <std::size_t N>
std::optional<std::size_t> place_in(const std::array<std::string_view, N>& names,
                                    std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

bool is_text(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.is_null();
}

// The keys of one part of the weights are its heuristics.
const Section& section_of(Part part) {
  static const auto fields = [] {
    std::array<std::vector<Field>, kWeightsFields.size()> out;
    for (const HeuristicRow& row : heuristics())
      out[static_cast<std::size_t>(row.part)].push_back(
          {.name = row.name, .type = Type::number, .range = kShare, .doc = row.rule});
    return out;
  }();
  static const std::array<Section, kWeightsFields.size()> sections{
      Section{kWeightsFields[0].name, "`completeness`", fields[0]},
      Section{kWeightsFields[1].name, "`accuracy`", fields[1]},
      Section{kWeightsFields[2].name, "`structure`", fields[2]}};
  return sections[static_cast<std::size_t>(part)];
}

class RubricReader {
 public:
  // Keys missing in the document come from `defaults`; null: the document has every key.
  RubricReader(const base::YamlDocument& document, const Rubric* defaults)
      : document_(document), reading_(document) {
    if (!defaults) return;
    rubric_ = *defaults;
    formula_ = base::whole(base::make_source("the default formula", rubric_.program.score().text));
    for (const auto& pattern : rubric_.words.errors().patterns())
      patterns_[pattern.at_line_start ? 0 : 1].push_back(pattern.text);
    words_ = rubric_.words.lists();
  }

  std::optional<Rubric> read(base::Diagnostics& out) {
    const YamlNode& root = document_.root();
    if (root.kind == YamlNode::Kind::map)
      read_root(root);
    else
      reading_.add(Code::wrong_type, root,
                   fmt::format("the rubric is {}, expected a table", root.describe()),
                   "`vibe fitness rubric` prints one to start from");
    base::Diagnostics found;
    found.append(document_.problems());
    found.append(reading_.errors());
    found.append(formulas_found_);
    found.append(reading_.remarks());
    found.sort();
    out.append(found);
    if (found.failed()) return std::nullopt;
    rubric_.text = document_.source()->text();
    return std::move(rubric_);
  }

 private:
  void read_root(const YamlNode& root) {
    const Fields fields(kRubricSection, root, base::first_key(root), reading_);
    if (auto name = fields.text("name")) rubric_.name = *std::move(name);
    if (const YamlNode* map = fields.find("expected")) read_expected(*map);
    rubric_.efficiency =
        choice(fields, field(kRubricSection, "efficiency"), kEfficiencies, rubric_.efficiency);
    rubric_.most_errors = fields.number("most_errors").value_or(rubric_.most_errors);
    if (const YamlNode* map = fields.find("weights")) read_weights(*map);
    if (const YamlNode* map = fields.find("errors"))
      read_lists(*map, kErrorsSection, patterns_, false);
    if (const YamlNode* map = fields.find("words")) read_lists(*map, kWordsSection, words_, false);
    if (const YamlNode* map = fields.find("add")) read_lists(*map, kAddSection, words_, true);
    make_words();
    rubric_.undefined =
        choice(fields, field(kRubricSection, "undefined"), kOnUndefined, rubric_.undefined);
    read_formulas(fields);
    if (const YamlNode* list = fields.find("grades")) read_grades(*list);
    if (const YamlNode* map = fields.find("aggregation")) read_aggregation(*map);
    if (const YamlNode* map = fields.find("decision")) read_decision(*map);
  }

  template <class Enum, std::size_t N>
  Enum choice(const Fields& fields, const Field& row, const std::array<std::string_view, N>& names,
              Enum fallback) {
    const YamlNode* value = fields.find(row.name);
    if (!value) return fallback;
    if (const auto found = place_in(names, value->text)) return static_cast<Enum>(*found);
    reading_.add(Code::bad_value, *value,
                 fmt::format("`{}` is {}, expected {}", row.name, quoted(value->text), takes(row)),
                 base::did_you_mean(base::nearest(value->text, names, 1)));
    return fallback;
  }

  void read_expected(const YamlNode& map) {
    const Fields tasks(kExpectedSection, map, base::first_key(map), reading_);
    for (std::size_t i = 0; i < kComplexities.size(); ++i) {
      const YamlNode* task = tasks.find(kComplexities[i]);
      if (!task) continue;
      const Fields fields(kTaskSection, *task, base::first_key(*task), reading_);
      Expected& out = rubric_.expected[i];
      out.seconds = fields.number("seconds").value_or(out.seconds);
      out.calls = fields.number("calls").value_or(out.calls);
    }
  }

  void read_weights(const YamlNode& map) {
    const Fields parts(kWeightsSection, map, base::first_key(map), reading_);
    for (const Part part : {Part::completeness, Part::accuracy, Part::structure}) {
      const Section& section = section_of(part);
      const YamlNode* weights = parts.find(section.name);
      if (!weights) continue;
      const std::size_t errors = reading_.errors().errors();
      const Fields fields(section, *weights, base::first_key(*weights), reading_);
      double sum = 0;
      for (const HeuristicRow& row : heuristics()) {
        if (row.part != part) continue;
        double& weight = rubric_.weights[static_cast<std::size_t>(row.id)];
        weight = fields.number(row.name).value_or(weight);
        sum += weight;
      }
      if (std::abs(sum - 1) > kRounding && reading_.errors().errors() == errors)
        reading_.add(Code::weights_sum, parts.key_span(section.name),
                     fmt::format("the weights of `{}` add up to {}, not to 1", section.name,
                                 base::to_decimal(sum, 6)),
                     sum < 1 ? "no answer can get all points; weights that the file does not set "
                               "keep the default rubric's values"
                             : "a sum above 1 is used as it is; weights that the file does not set "
                               "keep the default rubric's values");
    }
  }

  // Lists of texts, in the order of the section's keys; in `add`, the last two are error patterns.
  template <class Lists>
  void read_lists(const YamlNode& map, const Section& section, Lists& lists, bool adds) {
    const Fields fields(section, map, base::first_key(map), reading_);
    for (std::size_t i = 0; i < section.fields.size(); ++i) {
      const YamlNode* list = fields.find(section.fields[i].name);
      if (!list) continue;
      std::vector<std::string>& out = i < lists.size() ? lists[i] : patterns_[i - lists.size()];
      if (!adds) out.clear();
      const bool are_phrases = std::is_same_v<Lists, Words::Lists> && i < lists.size();
      read_texts(section.fields[i], *list, are_phrases, out);
    }
  }

  void read_texts(const Field& row, const YamlNode& list, bool are_phrases,
                  std::vector<std::string>& out) {
    std::unordered_set<std::string> known(out.begin(), out.end());
    for (const YamlNode* item : list.items) {
      if (!is_text(*item)) {
        base::report_type(fmt::format("an entry in `{}`", row.name), *item, "text", reading_);
      } else if (base::trim(item->text).empty()) {
        reading_.add(Code::bad_value, *item, fmt::format("an entry in `{}` is empty", row.name));
      } else if (item->text.size() > kMostWordBytes) {
        reading_.add(Code::bad_value, *item,
                     fmt::format("an entry in `{}` is {} bytes long; the limit is {}", row.name,
                                 item->text.size(), kMostWordBytes));
      } else if (are_phrases && !fits_phrase(row, *item)) {
        continue;
      } else if (out.size() == kMostWords) {
        reading_.add(Code::too_many, *item,
                     fmt::format("`{}` has more than {} entries", row.name, kMostWords));
        return;
      } else if (std::string text = reading_.copy(*item); known.insert(text).second) {
        out.push_back(std::move(text));
      }
    }
  }

  // Whether PhraseFinder can match it.
  bool fits_phrase(const Field& row, const YamlNode& item) {
    std::string_view text = item.text;
    if (text.starts_with('^')) text.remove_prefix(1);
    const std::size_t gap = text.find(kGap);
    const bool is_found = !folded(text.substr(0, gap)).empty();
    const bool is_clear = gap == text.npos || text.find(kGap, gap + kGap.size()) == text.npos;
    if (!is_found)
      reading_.add(Code::bad_value, item,
                   fmt::format("the entry {} in `{}` never matches", quoted(item.text), row.name),
                   gap == text.npos ? "write words after `^`" : "write words before `…`");
    else if (!is_clear)
      reading_.add(
          Code::bad_value, item,
          fmt::format("the entry {} in `{}` has more than one `…`", quoted(item.text), row.name),
          "use at most one `…`");
    return is_found && is_clear;
  }

  void make_words() {
    std::vector<trace::ErrorPattern> all;
    for (const bool at_line_start : {true, false})
      for (const std::string& text : patterns_[at_line_start ? 0 : 1])
        all.push_back({text, at_line_start});
    rubric_.words = Words(std::move(words_), trace::ErrorPatterns(std::move(all)));
  }

  void read_formulas(const Fields& fields) {
    bool usable = !fields.has("metrics") || fields.find("metrics");
    std::vector<formula::Declared> declared;
    std::vector<formula::Definition> metrics;
    if (const YamlNode* map = fields.find("metrics")) {
      for (const auto& [key, value] : map->entries) {
        declared.push_back({key->text, document_.where(*key), true});
        auto text = read_formula(key->text, *value);
        usable = usable && text;
        if (text) metrics.push_back({reading_.copy(*key), document_.where(*key), *std::move(text)});
      }
    } else if (!rubric_.program.formulas.empty()) {
      for (const formula::Formula& metric :
           std::span(rubric_.program.formulas).first(rubric_.program.formulas.size() - 1)) {
        const auto source = base::make_source("the default metric " + metric.name, metric.text);
        metrics.push_back({metric.name, {source, {}}, base::whole(source)});
      }
    }
    formula::check_names(declared, formulas_found_, kSignals);
    if (const YamlNode* value = fields.find("formula")) formula_ = read_formula("formula", *value);
    if (!usable || !formula_) return;
    formula::Names names{std::span<const formula::Figure>(kSignals)};
    for (const formula::Definition& metric : metrics) names.add_metric(metric.name);
    auto program = formula::compile(names, metrics, *formula_, formulas_found_);
    if (!program) return;
    rubric_.program = *std::move(program);
    rubric_.sum = weighted_sum(rubric_.program.score().tree);
    look_at_shape(fields);
  }

  // Warns about the shape of the formula; not needed if the file does not have the formula.
  void look_at_shape(const Fields& fields) {
    const auto where = base::at(*formula_, {0, static_cast<std::uint32_t>(formula_->text.size())});
    if (!rubric_.sum && rubric_.undefined == OnUndefined::rescale)
      reading_.add(Code::cannot_rescale, where,
                   "the formula is not a sum of NUMBER * term, so `undefined: rescale` cannot work",
                   "an unknown signal means no score: set `undefined: error`, and use "
                   "`default(signal, value)` in the formula");
    if (!rubric_.sum || !fields.find("formula")) return;
    const double all = rubric_.sum->all(), most = rubric_.sum->factor * all;
    if (std::abs(most - 100) > 100 * kRounding)
      reading_.add(
          Code::weights_sum, where,
          fmt::format("the weights of the formula add up to {}, so the best score is {}",
                      base::to_decimal(all, 6), base::to_decimal(most, 6)),
          "scores go from 0 to 100: write round(100 * (…), 2), with weights that add up to 1");
  }

  std::optional<base::Passage> read_formula(std::string_view name, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::scalar) {
      base::report_type(quoted(name), value, "a formula", reading_,
                        "quote a formula that begins with `{` or `[`");
      return std::nullopt;
    }
    if (value.is_null() || base::trim(value.text).empty()) {
      reading_.add(Code::empty_formula, value, fmt::format("{} is empty", quoted(name)),
                   name == "formula" ? "omit the key to use the default rubric's formula" : "");
      return std::nullopt;
    }
    if (!reading_.take_room(value.text.size(), value.span)) return std::nullopt;
    return document_.passage(value);
  }

  void read_grades(const YamlNode& list) {
    if (list.items.empty()) {
      reading_.add(Code::empty_list, list, "`grades` is empty",
                   "a rubric needs at least one grade");
      return;
    }
    if (list.items.size() > kMostGrades) {
      reading_.add(Code::too_many, list, fmt::format("`grades` has more than {}", kMostGrades));
      return;
    }
    rubric_.grades.clear();
    rubric_.grades.reserve(list.items.size());
    std::unordered_set<std::string> names;
    const Grade* above = nullptr;
    for (const YamlNode* item : list.items) {
      if (item->kind != YamlNode::Kind::map) {
        reading_.add(Code::wrong_type, *item,
                     fmt::format("a grade is {}, expected a table", item->describe()),
                     "write `{name: A, from: 80}`");
        continue;
      }
      const Fields fields(kGradeSection, *item, base::first_key(*item), reading_);
      Grade grade{fields.text("name").value_or(""), fields.text("meaning").value_or(""),
                  -std::numeric_limits<double>::infinity()};
      const YamlNode* from = fields.find("from");
      if (from) grade.from = *from->as_number();
      const bool is_last = item == list.items.back();
      if (!grade.name.empty() && !names.insert(grade.name).second)
        reading_.add(Code::bad_grades, *fields.find("name"),
                     fmt::format("the grade {} appears twice", quoted(grade.name)));
      if (is_last && from)
        reading_.add(Code::bad_grades, *from,
                     fmt::format("a score below {} has no grade", base::to_decimal(grade.from, 6)),
                     "the last grade covers all lower scores: remove its `from`");
      else if (!is_last && !from && !fields.has("from"))
        reading_.add(
            Code::bad_grades, base::first_key(*item),
            fmt::format("the grade {} has no `from`, but it is not the last", quoted(grade.name)),
            "only the last grade, for all lower scores, has no `from`");
      else if (above && from && grade.from >= above->from)
        reading_.add(
            Code::bad_grades, *from,
            fmt::format("{} from {} overlaps {} from {} above it", quoted(grade.name),
                        base::to_decimal(grade.from, 6), quoted(above->name),
                        base::to_decimal(above->from, 6)),
            "list grades from best to worst; each `from` must be lower than the one before");
      rubric_.grades.push_back(std::move(grade));
      above = from ? &rubric_.grades.back() : nullptr;
    }
  }

  void read_aggregation(const YamlNode& map) {
    const Fields fields(kAggregationSection, map, base::first_key(map), reading_);
    Aggregation& out = rubric_.aggregation;
    out.trim = fields.number("trim").value_or(out.trim);
    const YamlNode* weights = fields.find("weights");
    if (!weights) return;
    if (weights->items.empty())
      reading_.add(Code::empty_list, *weights, "the weights of `aggregation` are empty",
                   "the first weight is for the newest execution");
    if (weights->items.size() > kMostAggregated) {
      reading_.add(Code::too_many, *weights,
                   fmt::format("`aggregation` has more than {} weights", kMostAggregated));
      return;
    }
    out.weights.clear();
    for (const YamlNode* item : weights->items)
      if (fits(kAggregationWeight, *item, reading_)) out.weights.push_back(*item->as_number());
  }

  void read_decision(const YamlNode& map) {
    const Fields fields(kDecisionSection, map, base::first_key(map), reading_);
    DecisionRules& out = rubric_.decision;
    out.significant = fields.number("significant").value_or(out.significant);
    out.tolerated = fields.number("tolerated").value_or(out.tolerated);
    out.exploration = fields.number("exploration").value_or(out.exploration);
  }

  const base::YamlDocument& document_;
  base::YamlReading reading_;
  Rubric rubric_;
  std::array<std::vector<std::string>, 2> patterns_;  // at the start of a line, anywhere
  Words::Lists words_;
  std::optional<base::Passage> formula_;  // none: the formula is unusable
  base::Diagnostics formulas_found_;
};

std::optional<Rubric> read(const base::SourcePtr& source, const Rubric* defaults,
                           base::Diagnostics& out) {
  const auto document = base::parse_yaml(source);
  if (failed(document, out)) return std::nullopt;
  return RubricReader(*document, defaults).read(out);
}

}  // namespace

std::optional<TaskType> task_type(std::string_view name) {
  const auto found = place_in(kTaskTypes, name);
  return found ? std::optional(static_cast<TaskType>(*found)) : std::nullopt;
}

std::optional<Complexity> complexity(std::string_view name) {
  const auto found = place_in(kComplexities, name);
  return found ? std::optional(static_cast<Complexity>(*found)) : std::nullopt;
}

std::string_view to_string(TaskType type) { return kTaskTypes[static_cast<std::size_t>(type)]; }
std::string_view to_string(Complexity complexity) {
  return kComplexities[static_cast<std::size_t>(complexity)];
}

const Grade& Rubric::grade_of(double score) const {
  const double rounded = formula::arithmetic::round_decimal(score, 2);
  const auto found = std::find_if(grades.begin(), grades.end(),
                                  [&](const Grade& grade) { return rounded >= grade.from; });
  return found == grades.end() ? grades.back() : *found;
}

std::optional<Rubric> read_rubric(const base::SourcePtr& source, base::Diagnostics& out) {
  return read(source, &default_rubric(), out);
}

const Rubric& default_rubric() {
  static const Rubric rubric = [] {
    base::Diagnostics found;
    auto read =
        fitness::read(base::make_source("the default rubric", std::string(default_rubric_text())),
                      nullptr, found);
    if (!read || !found.empty()) std::abort();  // it is part of the project and tested
    return *std::move(read);
  }();
  return rubric;
}

std::string_view default_rubric_text() { return {vibe_rubric_yaml, vibe_rubric_yaml_end}; }

}  // namespace vibe::fitness

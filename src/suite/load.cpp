#include "suite/load.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "suite/columns.h"
#include "suite/schema.h"

namespace vibe::suite {

using base::Code;
using base::YamlNode;
using check::Fields;

namespace {

bool is_text(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.is_null();
}

// `provider/model`, or a prefix with a special meaning.
bool is_model(std::string_view text) {
  for (const std::string_view prefix : {"http:", "exec:", "replay:"})
    if (text.starts_with(prefix)) return !base::trim(text.substr(prefix.size())).empty();
  const auto slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.find_first_of(" \t\n") == std::string_view::npos;
}

class Loader {
 public:
  Loader(const base::YamlDocument& document, const LoadOptions& options)
      : document_(document),
        reading_(document),
        columns_(reading_),
        cases_(reading_, options.read_file) {
    reading_.verbose = options.verbose;
    reading_.on_text = [this](const YamlNode& text) { return columns_.look_at(text); };
  }

  std::optional<Suite> load(base::Diagnostics& out) {
    read_suite();
    base::Diagnostics found;
    found.append(document_.problems());
    found.append(reading_.errors());
    found.append(formulas_found_);
    found.append(names_found_);
    found.append(reading_.remarks());
    found.sort();
    out.append(found);
    if (found.failed()) return std::nullopt;
    return std::move(suite_);
  }

 private:
  void read_suite() {
    const YamlNode& root = document_.root();
    if (root.kind != YamlNode::Kind::map) {
      reading_.add(Code::wrong_type, root,
                   fmt::format("the suite is {}, expected a table", root.describe()),
                   "a suite begins with `metadata:` and `evals:`");
      return;
    }
    const Fields fields(kSuiteSection, root, check::first_key(root), reading_);
    if (const YamlNode* metadata = fields.find("metadata"))
      read_metadata(*metadata, fields.key_span("metadata"));
    if (const YamlNode* defaults = fields.find("defaults"))
      read_defaults(*defaults, fields.key_span("defaults"));
    if (const YamlNode* evals = fields.find("evals")) read_evals(*evals);
    columns_.check_defaults();
    const YamlNode* score = fields.find("score");
    if (score || !fields.has("score")) read_score(score);
    check_names();
    compile();
  }

  void read_metadata(const YamlNode& map, base::Span place) {
    columns_.enter_metadata();
    const Fields fields(kMetadataSection, map, place, reading_);
    Metadata& out = suite_.metadata;
    out.name = fields.text("name").value_or("");
    if (const YamlNode* name = fields.find("name")) columns_.refuse_secrets(*name);
    out.model = fields.text("model").value_or("");
    if (const YamlNode* model = fields.find("model")) columns_.refuse_secrets(*model);
    if (const YamlNode* model = fields.find("model");
        model && !is_model(out.model) && out.model.find("{{") == std::string::npos)
      reading_.add(Code::bad_value, *model,
                   fmt::format("{} is not a model", check::quoted(out.model)),
                   "add the provider, for example `openai/gpt-4o-mini`");
    out.system_prompt = fields.text("system_prompt").value_or("");
    out.threads = fields.integer("threads");
    out.repeat = fields.integer("repeat").value_or(out.repeat);
    out.timeout = fields.number("timeout").value_or(out.timeout);
    out.temperature = fields.number("temperature");
    out.top_p = fields.number("top_p");
    out.max_output_tokens = fields.integer("max_output_tokens");
    out.seed = fields.integer("seed");
    out.judge_model = fields.text("judge_model").value_or("");
    if (const YamlNode* judge = fields.find("judge_model")) columns_.refuse_secrets(*judge);
    out.embedding_model = fields.text("embedding_model").value_or("");
    if (const YamlNode* embedder = fields.find("embedding_model"))
      columns_.refuse_secrets(*embedder);
    if (const YamlNode* server = fields.find("mcp_server")) {
      const Fields keys(kMcpServerSection, *server, check::first_key(*server), reading_);
      if (const YamlNode* token = keys.find("authorization_token");
          token && token->text.find("{{secret(") == std::string::npos)
        reading_.add(Code::literal_token, *token, "the token is written in the suite itself",
                     "anyone who sees the suite or a report can read it: use `vibe set secret "
                     "NAME`, and write "
                     "`\"{{secret('NAME')}}\"`");
      out.mcp_server =
          McpServer{keys.text("url").value_or(""), keys.text("name").value_or(""),
                    keys.text("authorization_token").value_or(""), fields.key_span("mcp_server")};
    }
    repeat_ = out.repeat;
    timeout_ = out.timeout;
  }

  void read_defaults(const YamlNode& map, base::Span place) {
    columns_.enter_defaults();
    const Fields fields(kDefaultsSection, map, place, reading_);
    repeat_ = fields.integer("repeat").value_or(repeat_);
    timeout_ = fields.number("timeout").value_or(timeout_);
    has_default_checks_ = fields.has("checks");
    if (const YamlNode* checks = fields.find("checks")) {
      suite_.default_checks =
          read_checks(*checks, checks->span, check::FollowUps::refused, reading_).all;
      default_limits_ = narrow({}, suite_.default_checks, reading_);
    }
  }

  void read_evals(const YamlNode& list) {
    if (list.items.empty())
      reading_.add(Code::empty_list, list, "`evals` is empty", "a suite needs at least one eval");
    suite_.evals.reserve(std::min(list.items.size(), kMaxEvals));
    std::size_t count = 0;
    for (const YamlNode* item : list.items) {
      if (item->kind != YamlNode::Kind::map) {
        reading_.add(Code::wrong_type, *item,
                     fmt::format("an eval is {}, expected a table", item->describe()),
                     fmt::format("write `{}`", field(kEvalSection, "prompt").example));
        ++count;
        continue;
      }
      const auto& eval = suite_.evals.emplace_back(read_eval(*item));
      count += eval.cases ? eval.cases->rows() : 1;
      if (count > kMaxEvals) {
        reading_.add(Code::too_many, eval.span,
                     fmt::format("more than {} evals, each case counting as one", kMaxEvals),
                     "split the suite");
        return;
      }
    }
  }

  Eval read_eval(const YamlNode& map) {
    const base::Span place = check::first_key(map);
    const Fields fields(kEvalSection, map, place, reading_);
    Eval out;
    out.span = place;
    if (const YamlNode* name = fields.find("name")) {
      out.name = read_name(*name);
      out.name_span = name->span;
    }
    if (const YamlNode* tags = fields.find("tags")) out.tags = read_tags(*tags);
    if (const YamlNode* cases = fields.find("cases")) out.cases = cases_.read(*cases);
    if (fields.has("cases") && !out.cases)
      columns_.enter_broken_cases();
    else
      columns_.enter_eval(out.cases.get(), out.name, place);
    out.prompt = fields.text("prompt").value_or("");
    out.repeat = fields.integer("repeat").value_or(repeat_);
    out.timeout = fields.number("timeout").value_or(timeout_);
    if (const YamlNode* checks = fields.find("checks"))
      read_eval_checks(*checks, out.checks);
    else if (!fields.has("checks") && !has_default_checks_)
      reading_.add(Code::missing_key, place, "the eval has no `checks`",
                   fmt::format("add `{}`", field(kEvalSection, "checks").example));
    return out;
  }

  void read_eval_checks(const YamlNode& value, check::Checks& out) {
    out = read_checks(value, value.span, check::FollowUps::allowed, reading_);
    narrow(default_limits_, out.all, reading_);
    if (!has_default_checks_) check::refuse_only_follow_ups(value, reading_);
  }

  std::string read_name(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) {
      check::report_type("`name`", node, "text", reading_);
      return {};
    }
    std::string name = node.is_null() ? "" : reading_.copy(node);
    declared_.push_back(
        {node.is_null() ? std::string_view() : node.text, document_.where(node), false});
    return name;
  }

  std::vector<std::string> read_tags(const YamlNode& value) {
    std::vector<std::string> out;
    const auto read = [&](const YamlNode& node) {
      if (!is_text(node))
        check::report_type("a tag", node, "text", reading_);
      else if (base::trim(node.text).empty())
        reading_.add(Code::bad_value, node, "a tag is empty");
      else
        out.push_back(reading_.copy(node));
    };
    if (value.kind == YamlNode::Kind::list)
      for (const YamlNode* item : value.items) read(*item);
    else
      read(value);
    return out;
  }

  void read_score(const YamlNode* map) {
    score_text_ = base::whole(base::make_source("the default formula", suite_.score.formula));
    if (!map) return;
    const Fields fields(kScoreSection, *map, check::first_key(*map), reading_);
    if (const YamlNode* formula = fields.find("formula")) {
      score_text_ = read_formula("formula", *formula);
      if (score_text_) suite_.score.formula = score_text_->text;
    }
    suite_.score.min = fields.number("min");
    if (const YamlNode* value = fields.find("on_undefined")) read_on_undefined(*value);
    if (const YamlNode* value = fields.find("unit")) read_unit(*value);
    if (const YamlNode* value = fields.find("rubric")) {
      suite_.score.rubric = beside(document_.source()->name(), reading_.copy(*value));
      suite_.score.rubric_span = value->span;
    }
    if (fields.has("metrics") && !fields.find("metrics")) score_text_.reset();
    if (const YamlNode* metrics = fields.find("metrics")) read_metrics(*metrics);
  }

  void read_metrics(const YamlNode& map) {
    bool usable = true;
    for (const auto& [key, value] : map.entries) {
      declared_.push_back({key->text, document_.where(*key), true});
      auto text = read_formula(key->text, *value);
      usable = usable && text;
      if (!text) continue;
      suite_.score.metrics.push_back({reading_.copy(*key), text->text});
      metrics_.push_back(
          {suite_.score.metrics.back().name, document_.where(*key), *std::move(text)});
    }
    // A formula that uses a metric without a text cannot be checked.
    if (!usable) score_text_.reset();
  }

  std::optional<base::Passage> read_formula(std::string_view name, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::scalar) {
      check::report_type(check::quoted(name), value, "a formula", reading_,
                         "quote a formula that begins with `{` or `[`");
      return std::nullopt;
    }
    if (value.is_null() || base::trim(value.text).empty()) {
      reading_.add(Code::empty_formula, value, fmt::format("{} is empty", check::quoted(name)),
                   name == "formula" ? "leave the key out for `success_pct`" : "");
      return std::nullopt;
    }
    if (!reading_.take_room(value.text.size(), value.span)) return std::nullopt;
    return document_.passage(value);
  }

  void read_on_undefined(const YamlNode& value) {
    if (is_text(value) && value.text == "error") return;
    suite_.score.on_undefined = is_text(value) && value.text == "zero" ? 0 : value.as_number();
    if (!suite_.score.on_undefined)
      reading_.add(
          Code::bad_value, value,
          fmt::format("`on_undefined` is {}, expected `error`, `zero` or a number",
                      is_text(value) ? check::quoted(value.text) : std::string(value.describe())));
  }

  void read_unit(const YamlNode& value) {
    if (is_text(value) && (value.text == "eval" || value.text == "case")) {
      suite_.score.is_by_case = value.text == "case";
      return;
    }
    reading_.add(
        Code::bad_value, value,
        fmt::format("`unit` is {}, expected `eval` or `case`",
                    is_text(value) ? check::quoted(value.text) : std::string(value.describe())));
  }

  void check_names() {
    formula::check_names(declared_, names_found_);
    std::unordered_set<std::string_view> known;
    for (const Eval& eval : suite_.evals)
      if (!eval.name.empty() && known.insert(eval.name).second) {
        suite_.names.add_eval(eval.name, eval.tags);
        name_places_.push_back(eval.name_span);
      }
    for (const formula::Definition& metric : metrics_) suite_.names.add_metric(metric.name);
  }

  void compile() {
    if (!score_text_) return;
    auto program = formula::compile(suite_.names, metrics_, *score_text_, formulas_found_);
    if (!program) return;
    suite_.program = *std::move(program);
    for (const std::uint32_t i : formula::unused_evals(suite_.names, suite_.program)) {
      const std::string& name = suite_.names.evals()[i].name;
      reading_.add(Code::unused_eval, name_places_[i],
                   fmt::format("no formula uses the eval {}", check::quoted(name)),
                   "add it to the formula, or remove its name");
    }
  }

  const base::YamlDocument& document_;
  check::Reading reading_;
  Columns columns_;
  Cases cases_;
  Suite suite_;
  std::int64_t repeat_ = 1;  // for evals without their own
  double timeout_ = 60;
  bool has_default_checks_ = false;
  check::TokenLimits default_limits_;
  std::vector<formula::Declared> declared_;
  std::vector<base::Span> name_places_;  // parallel to suite_.names.evals()
  std::vector<formula::Definition> metrics_;
  std::optional<base::Passage> score_text_;  // none: the score is unknown
  base::Diagnostics formulas_found_, names_found_;
};

}  // namespace

std::optional<Suite> load(const base::SourcePtr& source, const LoadOptions& options,
                          base::Diagnostics& out) {
  const auto document = base::parse_yaml(source);
  if (failed(document, out)) return std::nullopt;
  return load(*document, options, out);
}

std::optional<Suite> load(const base::YamlDocument& document, const LoadOptions& options,
                          base::Diagnostics& out) {
  return Loader(document, options).load(out);
}

}  // namespace vibe::suite

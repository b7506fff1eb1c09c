#include "wire/comparison.h"

#include <string_view>
#include <vector>

#include "wire/json.h"

namespace vibe::wire {

using base::JsonWriter;
using statistics::Claim;
using statistics::Comparison;

namespace {

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const auto& text : texts) json.string(text);
  json.end_array();
}

void write_whole(JsonWriter& json, std::size_t number) {
  json.integer(static_cast<std::int64_t>(number));
}

void write_claim(JsonWriter& json, std::string_view key, const std::optional<Claim>& claim,
                 double level) {
  json.key(key);
  if (!claim) {
    json.null();
    return;
  }
  json.begin_object().key("interval");
  if (claim->interval) {
    json.begin_object().key("low").number(claim->interval->low);
    json.key("high").number(claim->interval->high).key("level").number(level).end_object();
  } else {
    json.null();
  }
  json.key("p").number(claim->test.p).key("p_up").number(claim->test.p_up);
  json.key("p_down").number(claim->test.p_down).key("shown").boolean(claim->is_shown).end_object();
}

void write_power(JsonWriter& json, const Comparison& one) {
  const auto& power = one.compared.power;
  json.key("smallest_shown").begin_object();
  json.key("these_evals").known(one.compared.smallest_on_these);
  json.key("other_evals").known(power ? std::optional(power->other_evals) : std::nullopt);
  json.key("repeats_alone").known(power ? power->repeats_alone : std::nullopt);
  json.end_object().key("needed");
  if (!power || !power->needed) {
    json.null();
    return;
  }
  const auto& needed = *power->needed;
  json.begin_object().key("effect").number(needed.effect);
  json.key("evals").begin_array();
  write_whole(json, needed.least);
  write_whole(json, needed.most);
  json.end_array().key("more_evals").begin_array();
  write_whole(json, needed.more_least);
  write_whole(json, needed.more_most);
  json.end_array().key("repeats");
  if (needed.repeats)
    write_whole(json, *needed.repeats);
  else
    json.null();
  json.key("cost");
  if (one.cost_of_more)
    json.begin_array().number(one.cost_of_more->least).number(one.cost_of_more->most).end_array();
  else
    json.null();
  json.end_object();
}

void write_pairing(JsonWriter& json, const Comparison& one) {
  json.key("pairing").begin_object().key("by").string(one.paired_by).key("paired");
  write_whole(json, one.questions);
  write_texts(json, "only_base", one.only_base);
  write_texts(json, "only_candidate", one.only_candidate);
  write_texts(json, "changed", one.changed);
  json.end_object();
}

void write_flips(JsonWriter& json, const Comparison& one) {
  json.key("flips").begin_object();
  write_texts(json, "won", one.flips.won);
  write_texts(json, "lost", one.flips.lost);
  json.key("both");
  write_whole(json, one.flips.both);
  json.key("neither");
  write_whole(json, one.flips.neither);
  json.key("mcnemar");
  if (const auto& passes = one.compared.passes)
    json.begin_object()
        .key("exact")
        .number(passes->test.exact)
        .key("mid")
        .number(passes->test.mid)
        .end_object();
  else
    json.null();
  json.end_object();
}

void write_side(JsonWriter& json, std::string_view key, const statistics::ComparedSide& side) {
  json.key(key).begin_object().key("model").known(side.model).key("suite_name").known(side.suite);
  json.key("stored_score").known(side.run ? side.run->score : std::nullopt);
  json.key("success").known(side.success).key("total_cost").known(side.cost);
  json.key("avg_latency").known(side.latency).end_object();
}

void write_parts(JsonWriter& json, const Comparison& one) {
  json.key("evals").begin_array();
  for (const auto& eval : one.evals) {
    json.begin_object().key("name").string(eval.name).key("base").number(eval.base);
    json.key("candidate").number(eval.candidate).key("contribution").known(eval.contribution);
    json.end_object();
  }
  json.end_array().key("terms").begin_array();
  for (const auto& term : one.terms) {
    json.begin_object().key("expr").string(term.text).key("base").known(term.base);
    json.key("candidate").known(term.candidate).key("contribution").number(term.contribution);
    json.end_object();
  }
  json.end_array().key("guards").begin_array();
  for (const auto& guard : one.guards) {
    json.begin_object().key("name").string(guard.name).key("better");
    json.string(guard.lower_is_better ? "lower" : "higher").key("base").known(guard.base);
    json.key("candidate").known(guard.candidate).key("p").number(guard.p);
    json.key("worse").boolean(guard.is_worse).end_object();
  }
  json.end_array();
}

}  // namespace

void write_comparison(JsonWriter& json, const Comparison& one,
                      const statistics::Settings& settings) {
  const auto& compared = one.compared;
  json.begin_object()
      .key("base")
      .string(one.base.label)
      .key("candidate")
      .string(one.candidate.label);
  json.key("formula").string(one.formula).key("score").begin_array();
  json.known(compared.scores[0]).known(compared.scores[1]).end_array();
  json.key("difference").known(compared.difference);
  write_claim(json, "these_evals", compared.these_evals, settings.level);
  write_claim(json, "other_evals", compared.other_evals, settings.level);
  json.key("p_adjusted").known(one.p_adjusted).key("verdict");
  json.known(compared.judgement ? to_string(compared.judgement->verdict) : std::string_view());
  json.key("verdict_note").known(one.verdict_note);
  json.key("not_worse").known(compared.judgement ? compared.judgement->not_worse : std::nullopt);
  write_power(json, one);
  write_pairing(json, one);
  write_flips(json, one);
  write_parts(json, one);
  write_side(json, "base_run", one.base);
  write_side(json, "candidate_run", one.candidate);
  write_texts(json, "notes", one.notes);
  json.key("draws").begin_object().key("seed").integer(static_cast<std::int64_t>(settings.seed));
  json.key("count");
  write_whole(json, compared.draws);
  json.key("method").string(to_string(compared.method)).end_object();
  json.end_object();
}

namespace {

void write_list(JsonWriter& json, std::string_view key, std::span<const Comparison> comparisons,
                const statistics::Settings& settings) {
  json.key(key).begin_array();
  for (const Comparison& one : comparisons) write_comparison(json, one, settings);
  json.end_array();
}

}  // namespace

std::string comparisons_json(std::span<const Comparison> comparisons,
                             const statistics::Settings& settings) {
  auto json = indented_json();
  if (comparisons.size() == 1) {
    write_comparison(json, comparisons.front(), settings);
  } else {
    json.begin_object();
    write_list(json, "comparisons", comparisons, settings);
    json.end_object();
  }
  return json_document(json);
}

std::string confirmed_json(std::span<const Comparison> comparisons,
                           std::span<const Comparison> confirmation,
                           const statistics::Settings& settings) {
  auto json = indented_json();
  json.begin_object();
  write_list(json, "comparisons", comparisons, settings);
  write_list(json, "confirmation", confirmation, settings);
  json.end_object();
  return json_document(json);
}

}  // namespace vibe::wire

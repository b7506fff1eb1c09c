// How sure scores are, in JSON and back.
#include "wire/certainty.h"

#include <gtest/gtest.h>

namespace vibe::wire {
namespace {

std::string json_of(const std::optional<score::Certainty>& certainty) {
  base::JsonWriter json;
  json.begin_object();
  write_certainty(json, certainty);
  return json.end_object().text();
}

TEST(CertaintyJson, ComesBack) {
  score::Certainty one;
  one.level = 0.9;
  one.seed = 3;
  one.draws = 2'000;
  one.method = "sbb-1";
  one.score.rerun = score::Interval{1, 2};
  one.score.no_other_evals = "the formula is about these evals only";
  one.score.notes = {"rough"};
  one.metrics.emplace_back();
  one.metrics[0].name = "thrift";
  one.metrics[0].other_evals = score::Interval{3, 4};
  one.metrics[0].no_rerun = "one answer per eval";
  const auto text = json_of(one);
  const auto parsed = base::parse_json(text);
  ASSERT_TRUE(parsed);
  const auto again = read_certainty(*parsed);
  ASSERT_TRUE(again);
  EXPECT_EQ(json_of(again), text);
  EXPECT_EQ(again->score.no_other_evals, one.score.no_other_evals);
  EXPECT_EQ(again->score.notes, one.score.notes);
  EXPECT_FALSE(again->score.other_evals);  // `interval` speaks of asking again there
  EXPECT_EQ(again->metrics[0].no_rerun, one.metrics[0].no_rerun);
}

TEST(CertaintyJson, OfNothing) {
  const auto text = json_of(std::nullopt);
  EXPECT_EQ(text, R"({"interval":null,"rerun_interval":null,"interval_notes":[],)"
                  R"("score_metric_intervals":{},"draws":null})");
  EXPECT_FALSE(read_certainty(*base::parse_json(text)));
  EXPECT_FALSE(read_certainty(*base::parse_json("{}")));
}

}  // namespace
}  // namespace vibe::wire

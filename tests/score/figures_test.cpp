#include "score/figures.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace vibe::test {

using score::decode_figures;
using score::encode_figures;
using score::Sample;
using score::Samples;

namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string in_words(const score::Place& place) {
  return fmt::format("{} {} {}", place.sample, place.row, place.repeat);
}
std::string in_words(const score::CheckCount& count) {
  return fmt::format("{} {} {} {}", count.kind, count.passed, count.failed, count.errors);
}

void expect_same(const Samples& a, const Samples& b) {
  ASSERT_EQ(a.evals().size(), b.evals().size());
  for (std::size_t i = 0; i < a.evals().size(); ++i) {
    EXPECT_EQ(a.evals()[i].name, b.evals()[i].name);
    EXPECT_EQ(a.evals()[i].tags, b.evals()[i].tags);
    const auto number = static_cast<std::uint32_t>(i);
    EXPECT_EQ(a.count(number), b.count(number));
    ASSERT_EQ(a.checks(number).size(), b.checks(number).size());
    for (std::size_t j = 0; j < a.checks(number).size(); ++j)
      EXPECT_EQ(in_words(a.checks(number)[j]), in_words(b.checks(number)[j]));
  }
  EXPECT_EQ(a.errors(), b.errors());
  EXPECT_EQ(a.first_error(), b.first_error());
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.has_places(), b.has_places());
  for (std::uint32_t row = 0; row < a.size(); ++row) {
    EXPECT_EQ(a.eval_of(row), b.eval_of(row));
    EXPECT_EQ(in_words(a.places()[row]), in_words(b.places()[row]));
    const Sample x = a.sample(row), y = b.sample(row);
    EXPECT_EQ(x.passed, y.passed);
    EXPECT_TRUE(same_bits(x.latency, y.latency));
    EXPECT_TRUE(same_bits(x.cost, y.cost));
    EXPECT_TRUE(same_bits(x.prompt_tokens, y.prompt_tokens));
    EXPECT_TRUE(same_bits(x.completion_tokens, y.completion_tokens));
    EXPECT_TRUE(same_bits(x.output_quality, y.output_quality));
    EXPECT_TRUE(same_bits(x.structure_score, y.structure_score));
    EXPECT_TRUE(same_bits(x.fitness, y.fitness));
  }
}

Samples some() {
  Samples samples;
  const auto math = samples.eval("math");
  samples.tag(math, "hard");
  samples.tag(math, std::string("\0\xff", 2));
  samples.eval("never-asked");
  samples.tag(Samples::kNoEval, "loose");
  samples.add(math, {true, 1.25, 0.001, 10, 5});
  samples.add(Samples::kNoEval, {});
  samples.add(math, {false, 0, -0.0, 9007199254740991.0, std::numeric_limits<double>::infinity()});
  for (int i = 0; i < 20; ++i) samples.add(math, {i % 3 == 0, 0.1 * i, 1e-300, 300.0 * i, 1});
  samples.add(math, {true, 1, 1, 1, 1, 0.75, formula::kUndefined, 78.33});
  samples.add(math, {true, 1, 1, 1, 1, 1, 0, 100});
  samples.add(math, {});
  samples.add_errors(2, std::string("no \0 connection\xff", 16));
  return samples;
}

// With places, checks, and two evals without a name.
Samples placed() {
  Samples samples;
  const auto math = samples.eval("math"), first = samples.add_unnamed();
  const auto second = samples.add_unnamed();
  samples.tag(second, "hard");
  samples.add(math, {true, 1, 1}, {7, 2, 1});
  samples.add(second, {false, 2, 1}, {300, 0, 70'000});
  samples.add(first, {true, 2, 1});
  samples.count_check(math, "match", score::Verdict::pass);
  samples.count_check(math, "match", score::Verdict::fail);
  samples.count_check(math, "exec", score::Verdict::error);
  samples.count_check(second, "match", score::Verdict::pass);
  return samples;
}

TEST(Figures, ComeBackToTheLastBit) {
  for (const Samples& samples : {Samples(), some(), placed()}) {
    const auto decoded = decode_figures(encode_figures(samples));
    ASSERT_TRUE(decoded);
    expect_same(*decoded, samples);
    EXPECT_EQ(encode_figures(*decoded), encode_figures(samples));
  }
}

RC_GTEST_PROP(FiguresProperty, RoundTrip, ()) {
  Samples samples;
  const auto number = [] {
    const auto kind = *rc::gen::inRange(0, 3);
    if (kind == 0) return formula::kUndefined;
    if (kind == 1) return static_cast<double>(*rc::gen::inRange(0, 100'000));
    return *rc::gen::arbitrary<double>();
  };
  for (const auto& name : *rc::gen::arbitrary<std::vector<std::string>>())
    samples.tag(samples.eval(name), *rc::gen::arbitrary<std::string>());
  const auto evals = static_cast<std::uint32_t>(samples.evals().size());
  const int rows = *rc::gen::inRange(0, 50);
  for (int i = 0; i < rows; ++i)
    samples.add(*rc::gen::inRange<std::uint32_t>(0, evals),
                {*rc::gen::arbitrary<bool>(), number(), number(), number(), number(), number(),
                 number(), number()});
  if (rows > 0 && *rc::gen::arbitrary<bool>())
    samples.add_errors(static_cast<std::size_t>(*rc::gen::inRange(1, rows + 1)),
                       *rc::gen::arbitrary<std::string>());
  const auto decoded = decode_figures(encode_figures(samples));
  RC_ASSERT(decoded.has_value());
  expect_same(*decoded, samples);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Figures, AreCompact) {
  Samples samples;
  for (int i = 0; i < 1000; ++i) samples.add(0, {true, 0.5, 0.25, 100, 100});
  EXPECT_LT(encode_figures(samples).size(), 1000u * 20);  // two doubles and 3 bytes each
}

TEST(Figures, CutOrLengthenedAreDamaged) {
  for (const Samples& samples : {some(), placed()}) {
    const std::string whole = encode_figures(samples);
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(decode_figures(whole.substr(0, size))) << size;
    EXPECT_FALSE(decode_figures(whole + '\0'));
  }
}

TEST(Figures, AnyByteChangedIsDamageOrAnotherValue) {
  const std::string whole = encode_figures(some());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      if (const auto decoded = decode_figures(changed)) {
        const std::string bytes = encode_figures(*decoded);
        const auto again = decode_figures(bytes);
        ASSERT_TRUE(again);
        ASSERT_EQ(encode_figures(*again), bytes) << "byte " << i;
      }
    }
  }
}

struct HostileCase {
  const char* name;
  std::string bytes;
  base::Code code = base::Code::store_damaged;
};

TEST(Figures, HostileBytesAreRefused) {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  const auto bytes = [](std::initializer_list<int> list) {
    std::string out = "VF";
    for (const int byte : list) out += static_cast<char>(byte);
    return out;
  };
  const HostileCase cases[] = {
      {"empty", ""},
      {"no magic", "XX\x01"},
      {"no version", "VF"},
      {"version 0", bytes({0, 1, 0, 0, 1, 1, 1, 1})},
      {"newer", bytes({5, 1, 0, 0, 1, 1, 1, 1}), base::Code::store_newer},
      {"more errors than samples", bytes({3, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 1, 0})},
      {"a reason for no error", bytes({3, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 0, 1, 'a'})},
      {"no errors of the newer version", bytes({3, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2})},
      {"errors of the older version", bytes({2, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 0, 0})},
      {"columns of the older version", bytes({2, 1, 0, 0, 1, 1, 1, 1})},
      {"unknown form of the newer version", bytes({2, 1, 0, 0, 1, 1, 1, 1, 1, 1, 3})},
      {"no evals", bytes({1, 0, 0, 1, 1, 1, 1})},
      {"huge evals", "VF\x01" + huge},
      {"huge name", bytes({1, 2, 0}) + huge},
      {"empty name", bytes({1, 2, 0, 0, 0, 0, 1, 1, 1, 1})},
      {"twice a name", bytes({1, 3, 0, 1, 'a', 0, 1, 'a', 0, 0, 1, 1, 1, 1})},
      {"twice a tag", bytes({1, 1, 2, 1, 'a', 1, 'a', 0, 1, 1, 1, 1})},
      {"huge samples", bytes({1, 1, 0}) + huge},
      {"many samples", bytes({1, 1, 0, 0x7f})},
      {"unknown eval", bytes({1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})},
      {"unknown form", bytes({1, 1, 0, 0, 2, 1, 1, 1})},
      {"endless number", "VF\x01" + std::string(20, '\xff')},
      {"number over 64 bits", "VF\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"},
  };
  for (const auto& each : cases) {
    const auto decoded = decode_figures(each.bytes);
    ASSERT_FALSE(decoded) << each.name;
    EXPECT_EQ(decoded.error().all().at(0).code, each.code) << each.name;
  }
  EXPECT_TRUE(decode_figures(bytes({1, 1, 0, 0, 1, 1, 1, 1})));  // the least that is valid
}

TEST(Figures, OfTheFirstVersionAreRead) {
  // The unnamed eval and `a`; one sample of it, that passed: latency 2, cost unknown, 7 and 5
  // tokens
  const std::string bytes(
      "VF\x01\x02\x00\x01"
      "a\x00\x01\x01\x01\x01\x03\x01\x00\x01\x08\x01\x06",
      19);
  const auto samples = decode_figures(bytes);
  ASSERT_TRUE(samples);
  Samples want;
  want.add(want.eval("a"), {true, 2, formula::kUndefined, 7, 5});
  expect_same(*samples, want);
}

TEST(Figures, OfTheSecondVersionAreRead) {
  // As above, with three columns that nobody knows.
  const std::string bytes(
      "VF\x02\x02\x00\x01"
      "a\x00\x01\x01\x01\x01\x03\x02\x01\x08\x01\x06\x02\x02\x02",
      21);
  const auto samples = decode_figures(bytes);
  ASSERT_TRUE(samples);
  Samples want;
  want.add(want.eval("a"), {true, 2, formula::kUndefined, 7, 5});
  expect_same(*samples, want);
}

TEST(Figures, NobodyKnowsTakeNoRoom) {
  Samples some, many;
  for (int i = 0; i < 1000; ++i) many.add(0, {true, 0.5, 0.25, 100, 100});
  for (int i = 0; i < 1000; ++i) some.add(0, {true, 0.5, 0.25, 100, 100, 0.5});
  EXPECT_EQ(encode_figures(some).size(), encode_figures(many).size() + 1000u * 8);
}

}  // namespace

}  // namespace vibe::test

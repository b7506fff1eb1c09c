#include "embed/encoder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "embed/product.h"
#include "embed/tokenize.h"
#include "embed/weights.h"

namespace vibe::embed {
namespace {

struct PiecesCase {
  const char* name;
  std::string text;
  std::vector<std::uint16_t> pieces;
};
class Pieces : public testing::TestWithParam<PiecesCase> {};
TEST_P(Pieces, AreThoseOfTheOriginal) { EXPECT_EQ(tokenize(GetParam().text), GetParam().pieces); }
INSTANTIATE_TEST_SUITE_P(
    Embed, Pieces,
    testing::Values(PiecesCase{"nothing", "", {}}, PiecesCase{"a_space", " ", {30, 30}},
                    PiecesCase{"english", "Hello world", {341, 4125, 311}},
                    PiecesCase{"unknown", "\U0001F600", {30, 0}},
                    PiecesCase{"a_run_of_unknown", "漢字\n\U0001F600", {30, 0}},
                    PiecesCase{"unknown_between", "hello \U0001F600 there", {2002, 102, 30, 0, 92}},
                    PiecesCase{"not_utf8", "\xff", {30, 0}},
                    PiecesCase{"full_width", "ｆｕｌｌ", tokenize("full")},
                    PiecesCase{"ligature", "ﬁne", tokenize("fine")},
                    PiecesCase{"no_break_space", "a\u00a0b", tokenize("a b")},
                    PiecesCase{"combined", "Ho\u0302\u0300", tokenize("H\u1ed3")}),
    [](const auto& row) { return row.param.name; });

TEST(Pieces, AreThoseOfTheBeginningOfALongText) {
  std::string text;
  while (text.size() < 2 * kMostBytes) text += "one more word ";
  const auto all = tokenize(text);
  const auto some = tokenize(text.substr(0, 4096));
  ASSERT_GT(some.size(), Weights::kPositions + 16);
  EXPECT_LT(all.size(), kMostBytes);
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + Weights::kPositions, all.begin()));
}

// A character at the end of what is read is read whole or not at all.
TEST(Pieces, AreOfWholeCharacters) {
  for (std::size_t before = 0; before < 4; ++before) {
    std::string text(before, ' ');
    while (text.size() < kMostBytes + 8) text += "\U0001F600";
    const auto pieces = tokenize(text);
    EXPECT_EQ(pieces.size(), before + 2);
    EXPECT_EQ(pieces.back(), 0);
  }
}

double length_of(const std::vector<float>& vector) {
  double squares = 0;
  for (const float number : vector) squares += double{number} * number;
  return std::sqrt(squares);
}

TEST(Encoder, GivesTheVectorOfTheOriginal) {
  const auto vector = Encoder().encode("Hello world");
  ASSERT_EQ(vector.size(), kDimensions);
  const double wanted[] = {-0.037884797900915146, -0.05458662286400795, -0.012950487434864044,
                           -0.050198253244161606, -0.01862565614283085};
  for (std::size_t i = 0; i < std::size(wanted); ++i) EXPECT_NEAR(vector[i], wanted[i], 1e-6);
}

TEST(Encoder, GivesVectorsOfLengthOne) {
  Encoder encoder;
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(5000, 'x'), std::string("\xff\0\xfe", 3)}) {
    const auto vector = encoder.encode(text);
    ASSERT_EQ(vector.size(), kDimensions);
    EXPECT_NEAR(length_of(vector), 1, 1e-5);
  }
}

TEST(Encoder, LeavesNothingBehindForTheNextText) {
  Encoder used;
  used.encode(std::string(3000, '?'));
  for (const char* text : {"short", "", "one two three four five"})
    EXPECT_EQ(used.encode(text), Encoder().encode(text)) << text;
}

TEST(Encoder, ReadsTheFirst128Pieces) {
  std::string text;
  for (int i = 0; i < 128; ++i) text += i == 0 ? "the" : " the";
  ASSERT_EQ(tokenize(text).size(), 128u);
  Encoder encoder;
  EXPECT_EQ(encoder.encode(text), encoder.encode(text + " end of it all"));
  EXPECT_NE(encoder.encode(text), encoder.encode(text.substr(4)));
}

TEST(Encoder, GivesTheSameBitsByEveryInstructionSet) {
  std::string text = "What is the capital of France, and why?";
  for (int i = 0; i < 5; ++i, text += " " + text) {
    const auto plain = Encoder(instruction_sets()[0]).encode(text);
    for (const InstructionSet& set : instruction_sets())
      if (set.supported()) {
        EXPECT_EQ(Encoder(set).encode(text), plain) << set.name;
      }
  }
}

RC_GTEST_PROP(EmbedProduct, IsTheProductByEveryInstructionSet, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20);
  const auto depth = *rc::gen::inRange<std::size_t>(1, 12);
  const auto panels = *rc::gen::inRange<std::size_t>(1, 3);
  const bool has_bias = *rc::gen::arbitrary<bool>();
  const std::size_t columns = panels * kPanel, stride = depth + 3, out_stride = columns + 5;
  const auto numbers = [](std::size_t count) {
    std::vector<float> out(count);
    for (float& number : out) number = static_cast<float>(*rc::gen::inRange(-1000, 1000)) / 37.0f;
    return out;
  };
  const auto left = numbers(rows * stride), right = numbers(depth * columns),
             bias = numbers(columns);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.supported()) continue;
    std::vector<float> out(rows * out_stride, -1);
    set.multiply({left.data(), rows, depth, stride, right.data(), panels,
                  has_bias ? bias.data() : nullptr, out.data(), out_stride});
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        float sum = 0;
        for (std::size_t k = 0; k < depth; ++k)
          sum += left[row * stride + k] *
                 right[column / kPanel * depth * kPanel + k * kPanel + column % kPanel];
        RC_ASSERT(out[row * out_stride + column] == (has_bias ? sum + bias[column] : sum));
      }
      for (std::size_t column = columns; column < out_stride; ++column)
        RC_ASSERT(out[row * out_stride + column] == -1);
    }
  }
}

}  // namespace
}  // namespace vibe::embed

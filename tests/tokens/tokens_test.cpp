#include "tokens/tokens.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "tokens/merge.h"
#include "tokens/split.h"
#include "tokens/vocabulary.h"

namespace vibe::tokens {

namespace {

struct TokensCase {
  const char* name;
  std::string_view text;
  std::vector<std::uint32_t> tokens;
};

class Tokens : public testing::TestWithParam<TokensCase> {};

TEST_P(Tokens, AreThoseOfTiktoken) {
  EXPECT_EQ(encode(GetParam().text), GetParam().tokens);
  EXPECT_EQ(count(GetParam().text), GetParam().tokens.size());
}

INSTANTIATE_TEST_SUITE_P(
    Tokens, Tokens,
    testing::Values(
        TokensCase{"nothing", "", {}},
        TokensCase{
            "english", "Hello, world! It's 2026.", {13225, 11, 2375, 0, 7744, 220, 1323, 21, 13}},
        TokensCase{"code",
                   "for (int i = 0; i < 10; ++i) {\n    x += 1;\n}\n",
                   {1938, 350,  491, 575, 314, 220, 15,   26,   575, 464, 220, 702,
                    26,   7600, 72,  8,   405, 271, 1215, 2757, 220, 16,  307, 739}},
        TokensCase{
            "vietnamese", "Thành phố Hồ Chí Minh", {1139, 23632, 102386, 184592, 1036, 556, 89016}},
        TokensCase{"chinese", "你好，世界", {177519, 979, 28428}},
        TokensCase{"arabic", "مرحبا بالعالم", {158894, 26537, 101462, 12773}},
        TokensCase{"family",
                   "👩‍👩‍👧‍👦",
                   {28823, 102, 2524, 28823, 102, 2524, 28823, 100, 2524, 28823, 99}},
        TokensCase{"special_tokens_are_text", "<|endoftext|>", {27, 91, 419, 1440, 919, 91, 29}},
        TokensCase{"spaces", "a   b \n\n c", {64, 256, 287, 1202, 274}},
        TokensCase{"nonsense", "qzxqzxqzxj", {80, 141497, 80, 141497, 80, 141497, 73}},
        TokensCase{"invalid", "a\xFF\xE2\x82z", {64, 10123, 89}},
        TokensCase{"zero_byte", std::string_view("a\0b", 3), {64, 188, 65}}),
    [](const auto& row) { return row.param.name; });

std::vector<std::string> pieces_of(std::string_view text) {
  Splitter splitter(text);
  std::vector<std::string> out;
  for (auto piece = splitter.next(); !piece.empty(); piece = splitter.next())
    out.emplace_back(piece);
  return out;
}

struct SplitCase {
  const char* name;
  std::string_view text;
  std::vector<std::string> pieces;
};

class Split : public testing::TestWithParam<SplitCase> {};

TEST_P(Split, IntoPieces) { EXPECT_EQ(pieces_of(GetParam().text), GetParam().pieces); }

INSTANTIATE_TEST_SUITE_P(
    Tokens, Split,
    testing::Values(
        SplitCase{"words", "Hello, brave world", {"Hello", ",", " brave", " world"}},
        SplitCase{"contractions", "we're it'S I'LL 'tis", {"we're", " it'S", " I'LL", " '", "tis"}},
        SplitCase{"long_s_contracts", "it'\u017F", {"it'\u017F"}},
        SplitCase{"no_contraction", "x'l y'r", {"x", "'l", " y", "'r"}},
        SplitCase{"camel_case", "getHTTPCode", {"get", "HTTPCode"}},
        SplitCase{"upper_case_after_a_letter_of_no_case", "AB漢CD", {"AB漢", "CD"}},
        SplitCase{"a_mark_begins_a_word", "\u0301AB", {"\u0301", "AB"}},
        SplitCase{"a_mark_before_a_word", "\u0301Ab", {"\u0301Ab"}},
        SplitCase{"numbers_by_three", "1234567", {"123", "456", "7"}},
        SplitCase{"signs_take_line_breaks_and_slashes", " ..\n/\r\nx", {" ..\n/\r\n", "x"}},
        SplitCase{"line_breaks", " \n \n  x", {" \n \n", " ", " x"}},
        SplitCase{"spaces_at_the_end", "x   ", {"x", "   "}},
        SplitCase{"spaces_before_a_number", "   1", {"  ", " ", "1"}},
        SplitCase{"no_break_space", "a\u00A0b", {"a", "\u00A0b"}},
        SplitCase{"line_separator", "a\u2028\u2028b", {"a", "\u2028", "\u2028b"}}),
    [](const auto& row) { return row.param.name; });

// By the definition: all neighbours are looked at before each step.
std::vector<std::uint32_t> merge_plainly(std::string_view piece) {
  std::vector<std::string> parts;
  for (const char byte : piece) parts.emplace_back(1, byte);
  for (;;) {
    std::uint32_t lowest = Vocabulary::kNone;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::uint32_t rank = kVocabulary.find(parts[i] + parts[i + 1]);
      if (rank < lowest) {
        lowest = rank;
        at = i;
      }
    }
    if (lowest == Vocabulary::kNone) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  std::vector<std::uint32_t> out;
  for (const std::string& part : parts) out.push_back(kVocabulary.find(part));
  return out;
}

RC_GTEST_PROP(Merging, IsByTheDefinition, ()) {
  const auto piece = *rc::gen::resize(
      200, rc::gen::nonEmpty(rc::gen::container<std::string>(
               rc::gen::weightedOneOf<char>({{8, rc::gen::elementOf(std::string("etaoinsrhl "))},
                                             {2, rc::gen::arbitrary<char>()}}))));
  Merger merger;
  const auto tokens = merger.merge(piece);
  RC_ASSERT(std::vector<std::uint32_t>(tokens.begin(), tokens.end()) == merge_plainly(piece));
}

RC_GTEST_PROP(Encoding, HoldsTheText, (const std::string& text)) {
  std::string joined;
  for (const std::uint32_t token : encode(text)) joined += kVocabulary.text_of(token);
  RC_ASSERT(joined == base::replace_invalid(text));
}

TEST(Encoding, EveryTokenIsFoundByItsBytes) {
  for (std::uint32_t token = 0; token < Vocabulary::kTokens; ++token)
    ASSERT_EQ(kVocabulary.find(kVocabulary.text_of(token)), token);
}

class LongPieces : public testing::TestWithParam<std::string> {};

TEST_P(LongPieces, TakeStepsInProportionToTheirLength) {
  std::string piece;
  while (piece.size() < 250'000) piece += GetParam();
  ASSERT_EQ(pieces_of(piece).size(), 1u);
  Merger merger;
  const auto tokens = merger.merge(piece);
  // A look for each byte, two for each joint, and as much taken from the heap as was put on it.
  EXPECT_LE(merger.steps(), 6 * piece.size());
  std::size_t bytes = 0;
  for (const std::uint32_t token : tokens) bytes += kVocabulary.text_of(token).size();
  EXPECT_EQ(bytes, piece.size());
}

INSTANTIATE_TEST_SUITE_P(Tokens, LongPieces,
                         testing::Values("a", " ", "=", "\n", "漢", "\u0301", "ab", "qzx", "😀",
                                         "=-"));

}  // namespace

}  // namespace vibe::tokens

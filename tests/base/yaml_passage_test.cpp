// Every character of a scalar is found again in the text it was written as.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/yaml.h"

namespace vibe::base {
namespace {

struct PassageCase {
  const char* name;
  std::string text;  // `a` is the scalar; `@` marks what is looked for
  std::string_view wanted, found;
};
class YamlPassage : public testing::TestWithParam<PassageCase> {};
TEST_P(YamlPassage, FindsTheWord) {
  const auto& row = GetParam();
  const auto document = parse_yaml(make_source("s.yaml", row.text));
  ASSERT_TRUE(document) << render(document.error());
  const Passage passage = document->passage(*document->root().find("a"));
  const std::size_t begin = passage.text.find(row.wanted);
  ASSERT_NE(begin, std::string::npos) << passage.text;
  const Span span = passage.locate(
      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + row.wanted.size())});
  EXPECT_EQ(row.text.substr(span.begin, span.end - span.begin), row.found);
}
INSTANTIATE_TEST_SUITE_P(
    Yaml, YamlPassage,
    testing::Values(
        PassageCase{"plain", "a: 2 * bad\n", "bad", "bad"},
        PassageCase{"plain_lines", "a: 2 *\n\n   bad + 1\n", "bad", "bad"},
        PassageCase{"anchored", "a: &bad !!str 2 * bad\n", "bad", "bad"},
        PassageCase{"single", "a: 'it''s bad'\n", "bad", "bad"},
        PassageCase{"single_quote", "a: 'it''s bad'\n", "'", "''"},
        PassageCase{"single_lines", "a: 'x\n\n\n  y bad'\n", "bad", "bad"},
        PassageCase{"double_escapes", R"(a: "\x41\u263a\U0001F600\"\\\t\n\/ bad")", "bad", "bad"},
        PassageCase{"double_named", R"(a: "\0\a\b\v\f\r\e\N\_\L\P\  bad")", "bad", "bad"},
        PassageCase{"escape_itself", R"(a: "x\u263ay")", "☺", "\\u263a"},
        PassageCase{"surrogate_pair", R"(a: "x\ud83c\uDF89y bad")", "bad", "bad"},
        PassageCase{"surrogate_pair_itself", R"(a: "x\ud83c\uDF89y")", "🎉", "\\ud83c\\uDF89"},
        PassageCase{"small_hex", R"(a: "x\xe9y")", "é", "\\xe9"},
        PassageCase{"double_continued", "a: \"one\\\n    two bad\"\n", "bad", "bad"},
        PassageCase{"double_folded", "a: \"one  \n    \\  two bad\"\n", "two bad", "two bad"},
        PassageCase{"literal", "a: |\n  one\n    two bad\n", "bad", "bad"},
        PassageCase{"literal_header", "a: |2- # bad idea\n   one\n\n  bad\n", "bad", "bad"},
        PassageCase{"literal_windows", "a: |\r\n  one\r\n  bad\r\n", "bad", "bad"},
        PassageCase{"folded", "a: >+\n  one\n  two\n\n    more\n  bad\n\n", "bad", "bad"},
        PassageCase{"wide", "é: 😀\na: 日本 bad\n", "bad", "bad"},
        PassageCase{"other_breaks", "a: \"x\u0085 y\u2028 z bad\"\n", "bad", "bad"}),
    [](const auto& row) { return row.param.name; });

// A document with one scalar, and where its characters stand.
struct Written {
  std::string yaml;
  std::vector<std::uint32_t> places;  // of each code point that is not white space
};

bool is_space_or_break(char32_t value) { return value == ' ' || value == '\n'; }

// Writes a text in some style, each code point by `write`.
template <class Write>
Written put(std::string before, const std::u32string& text, std::string_view after, Write write) {
  Written out{std::move(before), {}};
  for (const char32_t value : text) {
    if (!is_space_or_break(value))
      out.places.push_back(static_cast<std::uint32_t>(out.yaml.size()));
    write(out.yaml, value);
  }
  out.yaml += after;
  return out;
}

void expect_found(const Written& written) {
  const auto document = parse_yaml(make_source("s.yaml", written.yaml));
  ASSERT_TRUE(document) << written.yaml << render(document.error());
  const Passage passage = document->passage(*document->root().find("a"));
  ASSERT_EQ(passage.offsets.size(), passage.text.size() + 1);
  std::vector<std::uint32_t> places;
  for (std::size_t at = 0; at < passage.text.size();) {
    const CodePoint next = decode(passage.text, at);
    if (!is_space_or_break(next.value)) places.push_back(passage.offsets[at]);
    at += next.length;
  }
  EXPECT_EQ(places, written.places) << written.yaml;
}

TEST(YamlPassages, RandomTextsInEveryStyle) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  constexpr std::u32string_view kAlphabet = U"ab:'\"\\#{}[]*é日😀☺,-x  ";
  for (int round = 0; round < 3000; ++round) {
    std::u32string text;
    for (unsigned i = 0, size = 1 + below(30); i < size; ++i)
      text += kAlphabet[below(static_cast<unsigned>(kAlphabet.size()))];
    text = U"x" + text + U"x";

    expect_found(put("é: 1\na: '", text, "'\n", [&](std::string& out, char32_t value) {
      append_utf8(out, value);
      if (value == '\'') out += '\'';
      if (value == ' ' && below(3) == 0) out += "\n\n   ";
    }));
    expect_found(put("é: 1\na: \"", text, "\"\n", [&](std::string& out, char32_t value) {
      constexpr std::string_view kHex = "0123456789abcdef";
      if (value > 0xFFFF && below(2) == 0) {
        for (const char32_t half : {0xD7C0 + (value >> 10), 0xDC00 + (value & 0x3FF)}) {
          out += "\\u";
          for (int shift = 12; shift >= 0; shift -= 4) out += kHex[half >> shift & 15];
        }
      } else if (below(4) == 0 && !is_space_or_break(value)) {
        out += "\\U000";
        for (int shift = 16; shift >= 0; shift -= 4) out += kHex[value >> shift & 15];
      } else if (value == ' ' && below(3) == 0) {
        out += below(2) == 0 ? "\n  " : "\\x20\\\n   ";
      } else {
        if (value == '"' || value == '\\') out += '\\';
        append_utf8(out, value);
      }
    }));
    for (const char* header : {"é: 1\na: |\n  ", "é: 1\na: >-\n  ", "é: 1\na: |+ # c\n  "})
      expect_found(put(header, text, "\n\n", [&](std::string& out, char32_t value) {
        append_utf8(out, value);
        if (value == ' ' && below(3) == 0) out += below(2) == 0 ? "\n  " : "\n\n    ";
      }));
    std::u32string plain;
    for (const char32_t value : text)
      if (std::u32string_view(U"abé日😀☺x ").find(value) != std::u32string_view::npos)
        plain += value;
    expect_found(put("é: 1\na: ", plain, " # c\n", [&](std::string& out, char32_t value) {
      append_utf8(out, value);
      if (value == ' ' && below(3) == 0) out += below(2) == 0 ? "\n  " : "\n\n    ";
    }));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace vibe::base

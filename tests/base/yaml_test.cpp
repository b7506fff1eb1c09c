#include "base/yaml.h"

#include <string>

#include <gtest/gtest.h>

#include "base/repeated.h"

namespace vibe::base {
namespace {

using test::repeated;

Result<YamlDocument> parse(std::string text) {
  return parse_yaml(make_source("s.yaml", std::move(text)));
}

// A node written out in one line: text in quotes unless plain.
std::string show(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      return node.style == YamlNode::Style::plain ? std::string(node.text)
                                                  : "'" + std::string(node.text) + "'";
    case YamlNode::Kind::list:
      for (const auto* item : node.items) out += (out.empty() ? "" : ", ") + show(*item);
      return "[" + out + "]";
    case YamlNode::Kind::map:
      for (const auto& [key, value] : node.entries)
        out += (out.empty() ? "" : ", ") + show(*key) + ": " + show(*value);
      return "{" + out + "}";
  }
  return out;
}

struct ReadCase {
  const char* name;
  std::string text, shown;
};
class YamlReads : public testing::TestWithParam<ReadCase> {};
TEST_P(YamlReads, Gives) {
  const auto document = parse(GetParam().text);
  ASSERT_TRUE(document) << render(document.error());
  EXPECT_EQ(show(document->root()), GetParam().shown);
}
INSTANTIATE_TEST_SUITE_P(
    Yaml, YamlReads,
    testing::Values(
        ReadCase{"block", "a: 1\nb:\n  - x\n  - y: z\n", "{a: 1, b: [x, {y: z}]}"},
        ReadCase{"flow", "{a: [1, 'two', \"th\\nree\"], b: {}}",
                 "{a: [1, 'two', 'th\nree'], b: {}}"},
        ReadCase{"json_surrogates",
                 R"({"a\ud83c\udf89": "\uD83C\uDF89 x \ud800\udc00\udbff\udfff"})",
                 "{'a🎉': '🎉 x \U00010000\U0010FFFF'}"},
        // in other styles, after a backslash, and beside what stands for halves inside
        ReadCase{"no_surrogates", R"([\ud83c\udf89, '\ud83c\udf89', "\\ud83c\\udf89"])",
                 "[\\ud83c\\udf89, '\\ud83c\\udf89', '\\ud83c\\udf89']"},
        ReadCase{"private_use", R"("\ue03c\ue789\ud83c\udf89\ue03c\ue789")",
                 "'\uE03C\uE789🎉\uE03C\uE789'"},
        ReadCase{"surrogates_in_lines",
                 "a: |\n  \\ud83c\\udf89\n  x\nb: \"x\n  \\ud83c\\udf89\\\n  \\ud83c\\udf89\"\n",
                 "{a: '\\ud83c\\udf89\nx\n', b: 'x 🎉🎉'}"},
        ReadCase{"literal", "a: |\n  x\n   y\n", "{a: 'x\n y\n'}"},
        ReadCase{"folded", "a: >-\n  x\n  y\n", "{a: 'x y'}"},
        ReadCase{"byte_order_mark",
                 "\xEF\xBB\xBF"
                 "a: é\n",
                 "{a: é}"},
        ReadCase{"windows", "a: 1\r\nb: 2\r\n", "{a: 1, b: 2}"},
        ReadCase{"alias", "a: &x [1]\nb: *x\nc: [*x, *x]\n", "{a: [1], b: [1], c: [[1], [1]]}"},
        ReadCase{"alias_of_key", "&k a: 1\nb: *k\n", "{a: 1, b: a}"},
        ReadCase{"anchor_again", "a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"},
        ReadCase{"merge", "a: &a {p: 1, q: 2}\nb:\n  <<: *a\n  q: 3\n  r: 4\n",
                 "{a: {p: 1, q: 2}, b: {q: 3, r: 4, p: 1}}"},
        ReadCase{"merge_list", "a: &a {p: 1}\nb: &b {p: 2, q: 3}\nc: {<<: [*a, *b]}\n",
                 "{a: {p: 1}, b: {p: 2, q: 3}, c: {p: 1, q: 3}}"},
        ReadCase{"merge_of_merged", "a: &a {p: 1}\nb: &b {<<: *a, q: 2}\nc: {<<: *b}\n",
                 "{a: {p: 1}, b: {q: 2, p: 1}, c: {q: 2, p: 1}}"},
        ReadCase{"quoted_merge_is_a_key", "'<<': 1\n", "{'<<': 1}"},
        ReadCase{"document_marks", "%YAML 1.1\n---\na: 1\n...\n", "{a: 1}"},
        ReadCase{"empty_values", "a:\nb: []\n", "{a: , b: []}"}),
    [](const auto& row) { return row.param.name; });

struct ProblemCase {
  const char* name;
  std::string text;
  Code code;
  std::uint32_t line, column;
  std::string message, hint;
};
class YamlProblem : public testing::TestWithParam<ProblemCase> {};
TEST_P(YamlProblem, IsTold) {
  const auto& row = GetParam();
  const auto document = parse(row.text);
  const Diagnostics& found = document ? document->problems() : document.error();
  ASSERT_TRUE(found.failed());
  const Diagnostic& first = found.all().front();
  const Position place = first.source->position(first.span.begin);
  EXPECT_EQ(first.code, row.code);
  EXPECT_EQ(place.line, row.line);
  EXPECT_EQ(place.column, row.column);
  EXPECT_EQ(first.message, row.message);
  EXPECT_EQ(first.hint, row.hint);
}
INSTANTIATE_TEST_SUITE_P(
    Yaml, YamlProblem,
    testing::Values(
        ProblemCase{"colon_in_value", "evals:\n  - name: x\n    prompt: Solve: 2x + 5 = 15\n",
                    Code::yaml_syntax, 3, 18, "`:` is not allowed here",
                    "quote the value: `prompt: \"Solve: 2x + 5 = 15\"`"},
        ProblemCase{"colon_and_quotes", "a: say \"it's\": b\n", Code::yaml_syntax, 1, 14,
                    "`:` is not allowed here", "quote the value: `a: 'say \"it''s\": b'`"},
        ProblemCase{"long_value", "a: b: " + std::string(100, 'x'), Code::yaml_syntax, 1, 5,
                    "`:` is not allowed here",
                    "quote the value: `a: \"b: " + std::string(57, 'x') + "…\"`"},
        ProblemCase{
            "wrong_indent", "a: 1\n  b: 2\n", Code::yaml_syntax, 2, 4, "`:` is not allowed here",
            "indent this line like the ones around it, or quote the text if `:` is part of it"},
        ProblemCase{"text_after_brace", "formula: {a}_cost / 2\n", Code::yaml_syntax, 1, 13,
                    "text after the end of a value",
                    "quote the value: `formula: \"{a}_cost / 2\"`"},
        ProblemCase{"text_after_bracket", "a: [b] + c # why\n", Code::yaml_syntax, 1, 8,
                    "text after the end of a value", "quote the value: `a: \"[b] + c\"`"},
        ProblemCase{"text_after_quote", "formula: \"a\" + b\n", Code::yaml_syntax, 1, 14,
                    "text after the end of a value", "quote the value: `formula: '\"a\" + b'`"},
        ProblemCase{"text_after_quote_in_list", "- \"a\" + b\n", Code::yaml_syntax, 1, 7,
                    "text after the end of a value", "quote the value: `- '\"a\" + b'`"},
        ProblemCase{"glob", "match: *105*\n", Code::yaml_syntax, 1, 8,
                    "`*` is not followed by an anchor name", "quote the value: `match: \"*105*\"`"},
        ProblemCase{"ampersand", "match: &&\n", Code::yaml_syntax, 1, 8,
                    "`&` is not followed by an anchor name", "quote the value: `match: \"&&\"`"},
        ProblemCase{"percent", "a: %x\n", Code::yaml_syntax, 1, 4, "text cannot begin with `%`",
                    "quote the value: `a: \"%x\"`"},
        ProblemCase{"at_sign", "a: @x\n", Code::yaml_syntax, 1, 4, "text cannot begin with `@`",
                    "quote the value: `a: \"@x\"`"},
        ProblemCase{"backtick", "a: `x`\n", Code::yaml_syntax, 1, 4,
                    "text cannot begin with a backtick", "quote the value: `a: \"`x`\"`"},
        ProblemCase{"tab", "a:\n\tb: 1\n", Code::yaml_syntax, 2, 1, "a tab in the indentation",
                    "indent with spaces"},
        ProblemCase{"unclosed_quote", "a: 1\nb: \"x\nc: 3\n", Code::yaml_syntax, 2, 4,
                    "a quote that is not closed", "close it with `\"`"},
        ProblemCase{"quote_closed_by_the_next", "a: \"x\nb: \"bar\"\n", Code::yaml_syntax, 2, 5,
                    "this does not continue the table it is in",
                    "the quote opened on line 1 is closed on this line: is its closing quote "
                    "missing there?"},
        ProblemCase{"unclosed_bracket", "a: [1, 2\nb: 3\n", Code::yaml_syntax, 1, 4,
                    "`[` is not closed", "close it with `]`"},
        ProblemCase{"unclosed_brace", "a: {b: 1\n", Code::yaml_syntax, 1, 4, "`{` is not closed",
                    "close it with `}`"},
        ProblemCase{"comma_missing", "a: [b, \"c\" d]\n", Code::yaml_syntax, 1, 12,
                    "`,` or `]` is expected here",
                    "put a comma between two entries, and `]` after the last"},
        ProblemCase{"escape", "a: \"\\q\"\n", Code::yaml_syntax, 1, 5, "an unknown escape `\\q`",
                    "write `\\\\` for a backslash, or put the text in single quotes, where a "
                    "backslash has no special meaning"},
        ProblemCase{
            "half_a_surrogate_pair", R"({"a": "\ud83c\udf89 \ud83c"})", Code::yaml_syntax, 1, 21,
            "an escape that is not a character `\\ud83c`",
            "the largest is `\\U0010FFFF`; `\\uD800` to `\\uDBFF` are half a character; one "
            "of `\\uDC00` to `\\uDFFF` must follow"},
        ProblemCase{
            "second_half_first", R"({"a": "\udf89\ud83c"})", Code::yaml_syntax, 1, 8,
            "an escape that is not a character `\\udf89`",
            "the largest is `\\U0010FFFF`; `\\uD800` to `\\uDBFF` are half a character; one "
            "of `\\uDC00` to `\\uDFFF` must follow"},
        ProblemCase{"key_without_colon", "a: 1\nfoo bar\nb: 2\n", Code::yaml_syntax, 2, 1,
                    "a key without `:`",
                    "write `key: value`, and indent a line that continues the value above it"},
        ProblemCase{"entry_after_key", "a: - b\n", Code::yaml_syntax, 1, 4,
                    "a list entry is not allowed here",
                    "begin the list on the line after its key, each entry on its own line"},
        ProblemCase{"after_wide_text", "é: 日本\nb: @x\n", Code::yaml_syntax, 2, 4,
                    "text cannot begin with `@`", "quote the value: `b: \"@x\"`"},
        ProblemCase{"empty", "", Code::several_documents, 1, 1, "the file is empty", ""},
        ProblemCase{"only_comments", "# x\n", Code::several_documents, 1, 1,
                    "the file has only comments", ""},
        ProblemCase{"empty_document", "---\n", Code::several_documents, 1, 1,
                    "the document is empty", ""},
        ProblemCase{"second_document", "a: 1\n---\nb: 2\n", Code::several_documents, 2, 1,
                    "a second document begins here",
                    "keep one document per file, and remove the `---`"},
        ProblemCase{"not_utf8", "a: é\nb: \xFF\n", Code::not_text, 2, 4,
                    "byte 0xff is not UTF-8 text", "save the file as UTF-8"},
        ProblemCase{"utf16",
                    std::string("\xFF\xFE"
                                "a\0",
                                4),
                    Code::not_text, 1, 1, "byte 0xff is not UTF-8 text",
                    "this looks like UTF-16: save the file as UTF-8"},
        ProblemCase{"nul", std::string("a: \0", 4), Code::not_text, 1, 4,
                    "control character U+0000",
                    "this is a binary file, or text in UTF-16: save it as UTF-8"},
        ProblemCase{"control", "a: \x1b[31m\n", Code::not_text, 1, 4, "control character U+001B",
                    "remove it, or write it as an escape in double quotes"},
        ProblemCase{"duplicate", "a: 1\nb: 2\n\"a\": 3\n", Code::duplicate_key, 3, 1,
                    "duplicate key `a`", "the first one is on line 1"},
        ProblemCase{"unknown_alias", "a: &first 1\nb: *frist\n", Code::bad_alias, 2, 4,
                    "alias `*frist` has no anchor `&frist` before it", "did you mean `first`?"},
        ProblemCase{"alias_meant_as_text", "match: *foo\n", Code::bad_alias, 1, 8,
                    "alias `*foo` has no anchor `&foo` before it",
                    "quote the value: `match: \"*foo\"`"},
        ProblemCase{"alias_in_itself", "a: &x [*x]\n", Code::bad_alias, 1, 8,
                    "alias `*x` is inside its own anchor", ""},
        ProblemCase{"merge_of_text", "<<: 3\n", Code::bad_key, 1, 1,
                    "`<<` merges tables, but this is not a table",
                    "give it an alias of a table, as in `<<: *defaults`, or a list of them"},
        ProblemCase{"list_as_key", "? [a]\n: 1\n", Code::bad_key, 1, 3, "a list cannot be a key",
                    ""},
        ProblemCase{"template", "prompt: {{q}}\n", Code::bad_key, 1, 10, "a table cannot be a key",
                    "quote the value: `prompt: \"{{q}}\"`"},
        ProblemCase{"tag_directives", repeated("%TAG !a! b\n", 65) + "--- a\n", Code::yaml_syntax,
                    1, 1, "more than 64 `%TAG` directives", "leave them out"}),
    [](const auto& row) { return row.param.name; });

TEST(Yaml, ReportsAllDuplicates) {
  const auto few = parse("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n");
  ASSERT_TRUE(few);  // and all the rest is read
  EXPECT_EQ(few->problems().errors(), 3u);

  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "k" + std::to_string(i % 1500) + ": " + std::to_string(i) + "\n";
  const auto many = parse(text);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->problems().errors(), 500u);
  EXPECT_EQ(many->problems().all()[0].hint, "the first one is on line 1");
  EXPECT_EQ(many->problems().all()[0].span,
            (Span{static_cast<std::uint32_t>(text.find("k0: 1500")),
                  static_cast<std::uint32_t>(text.find("k0: 1500") + 2)}));
}

struct TypeCase {
  const char* name;
  std::string text;
  std::string_view described;
  std::optional<double> number;
  std::optional<bool> boolean;
  bool null;
};
class YamlTypes : public testing::TestWithParam<TypeCase> {};
TEST_P(YamlTypes, AreThoseOfTheCoreSchema) {
  const auto& row = GetParam();
  const auto document = parse("a: " + row.text + "\n");
  ASSERT_TRUE(document);
  const YamlNode& node = *document->root().find("a");
  EXPECT_EQ(node.describe(), row.described);
  EXPECT_EQ(node.as_number(), row.number);
  EXPECT_EQ(node.as_bool(), row.boolean);
  EXPECT_EQ(node.is_null(), row.null);
}
INSTANTIATE_TEST_SUITE_P(
    Yaml, YamlTypes,
    testing::Values(TypeCase{"whole", "12", "a number", 12, {}, false},
                    TypeCase{"decimal", "-1.5e3", "a number", -1500, {}, false},
                    TypeCase{"hexadecimal", "0xff", "a number", 255, {}, false},
                    TypeCase{"octal", "0o17", "a number", 15, {}, false},
                    TypeCase{"infinite", ".inf", "text", {}, {}, false},
                    TypeCase{"word", "abc", "text", {}, {}, false},
                    TypeCase{"quoted_number", "'12'", "text", {}, {}, false},
                    TypeCase{"tagged_text", "!!str 12", "text", {}, {}, false},
                    TypeCase{"yes_is_text", "yes", "text", {}, {}, false},
                    TypeCase{"true_", "True", "true or false", {}, true, false},
                    TypeCase{"false_", "FALSE", "true or false", {}, false, false},
                    TypeCase{"quoted_true", "\"true\"", "text", {}, {}, false},
                    TypeCase{"tilde", "~", "nothing", {}, {}, true},
                    TypeCase{"null_", "Null", "nothing", {}, {}, true},
                    TypeCase{"empty", "", "nothing", {}, {}, true},
                    TypeCase{"quoted_empty", "''", "text", {}, {}, false},
                    TypeCase{"list", "[]", "a list", {}, {}, false},
                    TypeCase{"map", "{}", "a table", {}, {}, false}),
    [](const auto& row) { return row.param.name; });

TEST(Yaml, IntegersAreExact) {
  const auto document = parse("[9007199254740993, 1.0, 0x10, 99999999999999999999]");
  const auto& items = document->root().items;
  EXPECT_EQ(items[0]->as_integer(), 9007199254740993);
  EXPECT_EQ(items[1]->as_integer(), std::nullopt);
  EXPECT_EQ(items[2]->as_integer(), 16);
  EXPECT_EQ(items[3]->as_integer(), std::nullopt);
}

TEST(Yaml, WholeNumbersAreWrittenInManyWays) {
  const auto document = parse("[9007199254740993, 4.0, 1e2, -0.0, 1.5, 1e300, '4', .5e1]");
  const auto& items = document->root().items;
  EXPECT_EQ(items[0]->as_whole(), 9007199254740993);
  EXPECT_EQ(items[1]->as_whole(), 4);
  EXPECT_EQ(items[2]->as_whole(), 100);
  EXPECT_EQ(items[3]->as_whole(), 0);
  EXPECT_EQ(items[4]->as_whole(), std::nullopt);
  EXPECT_EQ(items[5]->as_whole(), std::nullopt);
  EXPECT_EQ(items[6]->as_whole(), std::nullopt);
  EXPECT_EQ(items[7]->as_whole(), 5);
}

struct SpanCase {
  const char* name;
  std::string text, key, slice, tag;
};
class YamlSpans : public testing::TestWithParam<SpanCase> {};
TEST_P(YamlSpans, CoverTheValue) {
  const auto& row = GetParam();
  const auto document = parse(row.text);
  ASSERT_TRUE(document) << render(document.error());
  const YamlNode& node = *document->root().find(row.key);
  EXPECT_EQ(document->source()->text().substr(node.span.begin, node.span.end - node.span.begin),
            row.slice);
  EXPECT_EQ(node.tag, row.tag);
}
INSTANTIATE_TEST_SUITE_P(
    Yaml, YamlSpans,
    testing::Values(SpanCase{"plain", "é: 1\na: b c # d\n", "a", "b c", ""},
                    SpanCase{"quoted", "日: 😀\na: \"b\"\n", "a", "\"b\"", ""},
                    SpanCase{"anchored", "a: &x !!str\n  b\n", "a", "b", "!!str"},
                    SpanCase{"own_tag", "a: !mine [1, 2] # c\n", "a", "[1, 2]", "!mine"},
                    SpanCase{"block_map", "a: &x\n  b: 1\n  c: 2\n\nd: 3\n", "a", "b: 1\n  c: 2",
                             ""},
                    SpanCase{"block_list", "a:\n- b\n- c\n# x\nd: 3\n", "a", "- b\n- c", ""},
                    SpanCase{"literal", "a: |\n  b\n\n\nd: 3\n", "a", "|\n  b", ""},
                    SpanCase{"empty", "a:\nb: 1\n", "a", "", ""},
                    SpanCase{"byte_order_mark",
                             "\xEF\xBB\xBF"
                             "a: é b\n",
                             "a", "é b", ""},
                    SpanCase{"ascii_after_mark",
                             "\xEF\xBB\xBF"
                             "a: bc\n",
                             "a", "bc", ""}),
    [](const auto& row) { return row.param.name; });

TEST(Yaml, NodesOutliveAMove) {
  auto first = parse("a: &x \"l\\tng\"\nb: *x\n");
  YamlDocument document = std::move(*first);
  EXPECT_EQ(document.root().find("a")->text, "l\tng");
  EXPECT_EQ(document.root().find("a"), document.root().find("b"));
}

// What hostile input costs is counted in events, which no machine's speed changes.
TEST(YamlLimits, DepthStopsTheReading) {
  for (const std::string_view piece : {"[", "{a: ", "{", "- ", "? ", "[\n", "{? "}) {
    std::string text = repeated(piece, 100'000);
    const auto document = parse(text);
    ASSERT_FALSE(document) << piece;
    EXPECT_EQ(document.error().all().back().code, Code::too_deep)
        << piece << render(document.error());
  }
  EXPECT_TRUE(parse(repeated("[", kMaxYamlDepth) + repeated("]", kMaxYamlDepth)));
  EXPECT_FALSE(parse(repeated("[", kMaxYamlDepth + 1) + repeated("]", kMaxYamlDepth + 1)));
}

TEST(YamlLimits, AliasesDoNotNestDeeper) {
  std::string text = "a0: &a0 x\n";
  for (int i = 1; i <= 70; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  const auto document = parse(text);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().all()[0].code, Code::too_deep);
}

TEST(YamlLimits, BillionLaughs) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias +
            repeated(", " + alias, 8) + "]\n";
  }
  const auto document = parse(text);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().all().front().code, Code::alias_limit);
}

TEST(YamlLimits, MergeBomb) {
  std::string text = "a0: &a0 {";
  for (int i = 0; i < 100; ++i) text += "k" + std::to_string(i) + ": [x, x, x, x, x], ";
  text += "}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + alias + ", " +
            alias + "], x: " + alias + "}\n";
  }
  const auto document = parse(text);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().all().front().code, Code::alias_limit);
}

TEST(YamlLimits, LongTextByAlias) {
  const auto document =
      parse("a: &a " + std::string(1 << 20, 'x') + "\nb: [" + repeated("*a , ", 100'000) + "]\n");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().all().front().code, Code::alias_limit);
}

TEST(YamlLimits, SameAliasAsEveryKey) {
  const auto document =
      parse("- &a " + std::string(2000, 'x') + "\n- {" + repeated("*a : 1, ", 50'000) + "}\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->problems().all().front().code, Code::duplicate_key);
  EXPECT_EQ(document->problems().errors(), 49'999u);
  EXPECT_LT(document->problems().all().front().message.size(), 100u);
}

TEST(YamlLimits, Size) {
  const auto document = parse(std::string(kMaxYamlBytes + 1, 'a'));
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().all().front().code, Code::too_large);
  EXPECT_TRUE(parse(std::string(kMaxYamlBytes, 'a')));
}

TEST(YamlLimits, Events) {
  std::size_t last = 0;
  for (std::size_t lines = 1000; lines <= 4000; lines *= 2) {
    const auto document = parse(repeated("- {a: 1, b: [x, y]}\n", lines));
    ASSERT_TRUE(document);
    EXPECT_EQ(document->events(), 6 + lines * 9);
    EXPECT_GT(document->events(), last);
    last = document->events();
  }
}

// Each document as `first line: text`.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& part : split_yaml(text))
    out.push_back(std::to_string(part.first_line) + ": " + std::string(part.text));
  return out;
}

TEST(SplitYaml, DividesAtMarkers) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split(""), Parts{});
  EXPECT_EQ(split("# nothing\n---\n...\n\n---\n# nor here"), Parts{});
  EXPECT_EQ(split("a: 1"), Parts{"1: a: 1"});
  EXPECT_EQ(split("a: 1\n---\nb: 2\n"), (Parts{"1: a: 1\n", "2: ---\nb: 2\n"}));
  EXPECT_EQ(split("--- a\n--- b"), (Parts{"1: --- a\n", "2: --- b"}));
  EXPECT_EQ(split("---\n---\na: 1\n"), Parts{"2: ---\na: 1\n"});
  EXPECT_EQ(split("a: 1\n...\n%YAML 1.1\n---\nb: 2\r\n"),
            (Parts{"1: a: 1\n...\n", "3: %YAML 1.1\n---\nb: 2\r\n"}));
  EXPECT_EQ(split("a: |\n  ---\n----\n"), Parts{"1: a: |\n  ---\n----\n"});
}

TEST(SplitYaml, GivesWhatCanBeParsed) {
  const std::string text = "# one\na: 1\n---\nb: 2\n...\n%YAML 1.1\n--- {c: 3}\n";
  std::string shown;
  for (const auto& part : split_yaml(text)) {
    const auto document = parse_yaml(make_source("s", std::string(part.text), part.first_line));
    ASSERT_TRUE(document);
    shown += show(document->root());
  }
  EXPECT_EQ(shown, "{a: 1}{b: 2}{c: 3}");
}

}  // namespace
}  // namespace vibe::base

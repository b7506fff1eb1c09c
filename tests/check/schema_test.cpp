// The official cases are in test_json_schema.py; here is what they do not show: the words, what
// is refused, and the limits.
#include "check/schema.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_reader.h"

namespace vibe::check {

namespace {

base::JsonValue json(const std::string& text) {
  auto document = base::read_json_document(text);
  if (!document) {
    ADD_FAILURE() << document.error().message << " in " << text.substr(0, 200);
    return {};
  }
  return std::move(document->root);
}

std::string why(const std::string& schema, const std::string& value) {
  const auto compiled = Schema::compile(json(schema), {});
  if (!compiled) return "not compiled: " + compiled.error().front().message;
  const auto mismatch = compiled->mismatch(json(value));
  if (!mismatch) return "fits";
  return (mismatch->undecided ? "undecided: " : "") + mismatch->text();
}

struct WordsCase {
  const char* name;
  const char* schema;
  const char* value;
  const char* words;
};

class SchemaWords : public testing::TestWithParam<WordsCase> {};

TEST_P(SchemaWords, SayWhereAndWhy) {
  EXPECT_EQ(why(GetParam().schema, GetParam().value), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    Schema, SchemaWords,
    testing::Values(
        WordsCase{
            "deep", R"({"properties":{"items":{"items":{"properties":{"price":{"maximum":10}}}}}})",
            R"({"items":[{},{},{"price":12}]})", "/items/2/price: 12 is more than the maximum 10"},
        WordsCase{"missing", R"({"required":["name"]})", "{}", "/name: missing"},
        WordsCase{"dependent", R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})",
                  "/b: missing, although `a` is present"},
        WordsCase{"type", R"({"type":"object"})", "[1]", "an array of 1, expected an object"},
        WordsCase{"types", R"({"type":["integer","null"]})", "\"12\"",
                  "\"12\" is a string, expected null or an integer"},
        WordsCase{"not_whole", R"({"type":"integer"})", "1.5",
                  "1.5 is a number, expected an integer"},
        WordsCase{"null", R"({"type":"string"})", "null", "null, expected a string"},
        WordsCase{"whole", R"({"type":"integer"})", "1.0", "fits"},
        WordsCase{"enum", R"({"enum":["red","green"]})", "\"blue\"",
                  "\"blue\" is not one of \"red\", \"green\""},
        WordsCase{"const", R"({"const":1})", "2", "2 is not 1"},
        WordsCase{"additional", R"({"properties":{"a":{}},"additionalProperties":false})",
                  R"({"a":1,"b/c":2})", "/b~1c: not a property in the schema"},
        WordsCase{"unevaluated", R"({"properties":{"a":{}},"unevaluatedProperties":false})",
                  R"({"b":2})", "/b: not a property in the schema"},
        WordsCase{"name", R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})",
                  "/abc: the name: 3 characters, expected at most 2"},
        WordsCase{"length", R"({"minLength":2})", "\"\xC3\xA9\"",
                  "1 character, expected at least 2"},
        WordsCase{"pattern", R"({"pattern":"^[0-9]+$"})", "\"a1\"",
                  "\"a1\" does not match the pattern `^[0-9]+$`"},
        WordsCase{"format", R"({"format":"date"})", "\"2026-02-30\"",
                  "\"2026-02-30\" is not a date (2026-01-31)"},
        WordsCase{"unique", R"({"uniqueItems":true})", R"([1,2,1.0])",
                  "items 0 and 2 are equal: 1"},
        WordsCase{"items", R"({"minItems":2})", "[1]", "1 item, expected at least 2"},
        WordsCase{"properties", R"({"maxProperties":1})", R"({"a":1,"b":2})",
                  "2 properties, expected at most 1"},
        WordsCase{"contains", R"({"contains":{"type":"string"}})", "[1]",
                  "0 items match `contains`, expected at least 1"},
        WordsCase{"not", R"({"not":{"type":"string"}})", "\"a\"",
                  "\"a\" matches what `not` forbids"},
        WordsCase{"false", "false", "1", "nothing is allowed here"},
        WordsCase{
            "any", R"({"anyOf":[{"type":"string"},{"minimum":5}]})", "3",
            "matches none of 2 alternatives: (1) 3 is a number, expected a string; (2) 3 is less "
            "than the minimum 5"},
        WordsCase{"the_alternative_that_was_meant",
                  R"({"anyOf":[{"type":"null"},{"properties":{"a":{"type":"string"}}}]})",
                  R"({"a":1})", "/a: 1 is a number, expected a string"},
        WordsCase{"one", R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", "3",
                  "3 matches alternatives 1 and 2 of `oneOf`, expected exactly one"},
        WordsCase{"decimals", R"({"multipleOf":0.01})", "19.99", "fits"},
        WordsCase{"not_a_multiple", R"({"multipleOf":0.01})", "19.999",
                  "19.999 is not a multiple of 0.01"},
        WordsCase{"exact_beyond_2_53", R"({"maximum":9007199254740992})", "9007199254740993",
                  "9007199254740993 is more than the maximum 9007199254740992"},
        WordsCase{"a_schema", R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})",
                  R"({"type":"strin"})",
                  "not a JSON Schema: /type: `type` is the string `strin`, expected a type"},
        WordsCase{"a_schema_with_words_of_its_own",
                  R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", R"({"units":"cm"})",
                  "fits"},
        WordsCase{"own_keyword",
                  R"({"x-unit":5,"$ref":"#/x-shared/a","x-shared":{"a":{"type":"null"}}})", "1",
                  "1 is a number, expected null"}),
    [](const auto& row) { return row.param.name; });

struct ProblemCase {
  const char* name;
  const char* schema;
  base::Code code;
  const char* pointer;
  const char* message;
  const char* hint;
};

class SchemaProblemOf : public testing::TestWithParam<ProblemCase> {};

TEST_P(SchemaProblemOf, IsReportedAtItsPlace) {
  const auto& row = GetParam();
  const auto compiled = Schema::compile(json(row.schema), {});
  ASSERT_FALSE(compiled.has_value());
  const auto& problem = compiled.error().front();
  EXPECT_EQ(base::to_string(problem.code), base::to_string(row.code));
  EXPECT_EQ(problem.pointer, row.pointer);
  EXPECT_EQ(problem.message, row.message);
  EXPECT_EQ(problem.hint, row.hint);
}

using base::Code;

INSTANTIATE_TEST_SUITE_P(
    Schema, SchemaProblemOf,
    testing::Values(
        ProblemCase{"typo", R"({"items":{"propertys":{}}})", Code::unknown_keyword,
                    "/items/propertys", "JSON Schema has no keyword `propertys`",
                    "did you mean `properties`?"},
        ProblemCase{"other_draft", R"({"dependencies":{}})", Code::unknown_keyword, "/dependencies",
                    "JSON Schema has no keyword `dependencies`",
                    "write `dependentRequired` or `dependentSchemas`"},
        ProblemCase{"items_list", R"({"items":[{}]})", Code::bad_schema, "/items",
                    "`items` is an array, expected a schema",
                    "write `prefixItems` for a schema per item"},
        ProblemCase{"null_type", R"({"type":["string",null]})", Code::bad_schema, "/type/1",
                    "`type` is null, expected a type", "write `\"null\"`, in quotes"},
        ProblemCase{"required_flag", R"({"required":true})", Code::bad_schema, "/required",
                    "`required` is `true`, expected a list of strings",
                    "list the required properties in the object's own schema: `required: [name]`"},
        ProblemCase{"count", R"({"minLength":-1})", Code::bad_schema, "/minLength",
                    "`minLength` is `-1`, expected a whole number, at least 0", ""},
        ProblemCase{"not_a_schema", R"({"properties":{"a":5}})", Code::bad_schema, "/properties/a",
                    "a schema is `5`, expected an object, `true` or `false`", ""},
        ProblemCase{"pattern", R"x({"pattern":"(?=a)"})x", Code::bad_pattern, "/pattern",
                    "RE2 does not support `(?=`", "RE2 has no lookaround and no atomic groups"},
        ProblemCase{"format", R"({"format":"datetime"})", Code::bad_schema, "/format",
                    "there is no format `datetime`", "did you mean `date-time`?"},
        ProblemCase{
            "remote", R"({"$ref":"https://example.com/a.json"})", Code::bad_schema_reference,
            "/$ref", "`https://example.com/a.json` is not in this schema",
            "vibe does not fetch schemas: put it into `$defs`, and refer to it as `#/$defs/NAME`"},
        ProblemCase{"nowhere", R"({"$ref":"#/$defs/a"})", Code::bad_schema_reference, "/$ref",
                    "`#/$defs/a` points to nothing", "there is no `/$defs`"},
        ProblemCase{"no_anchor", R"({"$ref":"#a"})", Code::bad_schema_reference, "/$ref",
                    "there is no anchor `a`", "for an entry in `$defs`, write `#/$defs/a`"},
        ProblemCase{"draft_7", R"({"$schema":"http://json-schema.org/draft-07/schema#"})",
                    Code::bad_schema, "/$schema",
                    "`$schema` is the string `http://json-schema.org/draft-07/schema#`, expected "
                    "`https://json-schema.org/draft/2020-12/schema`",
                    "schemas are read as draft 2020-12; omit `$schema` if that is what you want"},
        ProblemCase{"circle",
                    R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}})",
                    Code::bad_schema_reference, "/$defs/a/allOf/0",
                    "these references form a cycle, so no value can be checked against them",
                    "a schema may refer to itself only for parts of the value, as in `properties` "
                    "or `items`"}),
    [](const auto& row) { return row.param.name; });

TEST(Schema, ReportsAllProblemsButNotWithoutEnd) {
  const auto compiled = Schema::compile(json(R"({"a":1,"type":"x","items":{"b":2}})"), {});
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().size(), 3u);
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"no" + std::to_string(i) + "\":1,";
  const auto capped = Schema::compile(json(many + "\"x-\":0}"), {});
  ASSERT_FALSE(capped.has_value());
  EXPECT_EQ(capped.error().size(), Schema::kMostProblems);
}

TEST(Schema, NotesFormatsWhereAskedTo) {
  const Schema::Options noted{.formats = Schema::Formats::noted};
  const auto compiled = Schema::compile(json(R"({"format":"date"})"), noted);
  ASSERT_TRUE(compiled.has_value());
  EXPECT_FALSE(compiled->mismatch(json("\"never\"")).has_value());
  EXPECT_TRUE(Schema::compile(json(R"({"format":"of-mine"})"), noted).has_value());
}

TEST(Schema, RecursesThroughAllOfADeepValue) {
  std::string value = "{}";
  for (int i = 0; i < 127; ++i) value = "{\"next\":[" + value + "]}";
  const char* schema =
      R"({"type":"object","properties":{"next":{"type":"array","items":{"$ref":"#"}}}})";
  EXPECT_EQ(why(schema, value), "fits");
}

TEST(Schema, EndsWhereADynamicReferenceGoesInCircles) {
  const std::string out = why(
      R"({"$id":"a","$dynamicAnchor":"x","$ref":"b","$defs":{"b":{"$id":"b","$dynamicRef":"#x",)"
      R"("$defs":{"x":{"$dynamicAnchor":"x"}}}}})",
      "1");
  EXPECT_EQ(out, "undecided: the schema refers to itself more than 500 levels deep");
}

TEST(Schema, EndsWhereReferencesMultiply) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
  }
  EXPECT_EQ(why(schema + "\"d40\":true}}", "1"),
            "undecided: the schema takes more than 10000000 steps for this value");
}

TEST(Schema, EndsAfterALongChainOfReferences) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 10'000; ++i)
    schema +=
        "\"d" + std::to_string(i) + "\":{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"},";
  EXPECT_EQ(why(schema + "\"d10000\":true}}", "1"),
            "undecided: the schema refers to itself more than 500 levels deep");
}

TEST(Schema, RefusesTooManySubschemas) {
  std::string schema = "{\"anyOf\":[true";
  for (std::size_t i = 0; i < Schema::kMostNodes; ++i) schema += ",true";
  EXPECT_EQ(why(schema + "]}", "1"), "not compiled: the schema has more than 100000 subschemas");
}

TEST(Schema, LooksThroughLargeValuesOnce) {
  std::string items = "[0", values = "[\"x\"", members = "{\"k\":0";
  for (int i = 1; i < 100'000; ++i) {
    const std::string number = std::to_string(i);
    items += "," + number;
    values += ",\"v" + number + "\"";
    members += ",\"k" + number + "\":0";
  }
  EXPECT_EQ(why(R"({"uniqueItems":true})", items + "]"), "fits");
  EXPECT_EQ(why(R"({"items":{"enum":)" + values + "]}}", "[" + values.substr(1) + "]"), "fits");
  EXPECT_EQ(why(R"({"const":)" + members + "}}", members + "}"), "fits");
  EXPECT_EQ(why(R"({"enum":)" + values + "]}", "1"),
            "1 is not one of \"x\", \"v1\", \"v2\", \"v3\", \"v4\", … (100000 values)");
}

TEST(Schema, TakesPatternsThatWouldRuinABacktracker) {
  EXPECT_EQ(
      why(R"x({"pattern":"^(a+)+$"})x", "\"" + std::string(100'000, 'a') + "b\"").substr(0, 8),
      "\"aaaaaaa");
}

}  // namespace

}  // namespace vibe::check

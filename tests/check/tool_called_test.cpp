#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/judge.h"

namespace vibe::check {

namespace {

struct CalledCase {
  const char* name;
  std::vector<model::ToolCall> calls;
  ToolUse wanted;
  Verdict verdict;
  const char* message;
};

class ToolCalled : public testing::TestWithParam<CalledCase> {};

TEST_P(ToolCalled, Gives) {
  const Check check{CheckType::tool_called, GetParam().wanted, {}};
  Response response{};
  response.tool_calls = GetParam().calls;
  const auto findings = Judge().judge({&check, 1}, response);
  EXPECT_EQ(findings.at(0).verdict, GetParam().verdict);
  EXPECT_EQ(findings.at(0).message, GetParam().message);
}

const std::vector<model::ToolCall> kCalls{
    {"1", "search",
     R"({"query": "weather", "limit": 5, "where": {"city": "Paris", "land": "FR"}})"},
    {"2", "add", R"({"numbers": [1, 2]})"},
    {"3", "broken", "{not json"},
};

INSTANTIATE_TEST_SUITE_P(
    Check, ToolCalled,
    testing::Values(
        CalledCase{"by_name",
                   kCalls,
                   {"add", ""},
                   Verdict::pass,
                   R"(Tool "add" called with "{"numbers": [1, 2]}")"},
        CalledCase{"not_called",
                   kCalls,
                   {"delete", ""},
                   Verdict::fail,
                   R"(Tool "delete" not called; called: "search, add, broken")"},
        CalledCase{"none_called",
                   {},
                   {"add", ""},
                   Verdict::fail,
                   R"(Tool "add" not called; no tool was called)"},
        CalledCase{
            "some_arguments",
            kCalls,
            {"search", R"({"where": {"city": "Paris"}})"},
            Verdict::pass,
            R"(Tool "search" called with "{"query": "weather", "limit": 5, "where": {"city": "Paris", "land": "FR"}}")"},
        CalledCase{
            "number_of_another_kind",
            kCalls,
            {"search", R"({"limit": 5.0})"},
            Verdict::pass,
            R"(Tool "search" called with "{"query": "weather", "limit": 5, "where": {"city": "Paris", "land": "FR"}}")"},
        CalledCase{
            "other_arguments",
            kCalls,
            {"add", R"({"numbers": [1]})"},
            Verdict::fail,
            R"(Tool "add" not called with "{"numbers": [1]}", but with "{"numbers": [1, 2]}")"},
        CalledCase{"arguments_that_are_no_json",
                   kCalls,
                   {"broken", R"({"a": 1})"},
                   Verdict::fail,
                   R"(Tool "broken" not called with "{"a": 1}", but with "{not json")"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace

}  // namespace vibe::check

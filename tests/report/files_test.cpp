// Runs as files: JUnit XML, Markdown, HTML, and what GitHub Actions reads. How other programs read
// them is in test_junit.py, test_markdown.py and tests/web/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/github.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/markup.h"

namespace vibe::report {

namespace {

using score::ResultStatus;
using score::RunStatus;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Case {
  score::Run run;
  std::vector<score::Result> results;

  ReportedRun reported(score::Gates gates = {}) const { return {run, results, gates}; }
};

score::Result result_of_sample(std::string name, ResultStatus status, std::uint32_t sample = 0) {
  score::Result out;
  out.sample = sample;
  out.eval_name = std::move(name);
  out.status = status;
  out.response = "five";
  out.prompt = "What is 2+2?";
  if (status == ResultStatus::failed)
    out.checks = {{"match", score::Verdict::fail, "Pattern \"*4*\" not found in response", {}, {}}};
  return out;
}

Case make(std::vector<score::Result> results) {
  Case out{{}, std::move(results)};
  out.run.id = "0192";
  out.run.suite_name = "weighted";
  out.run.model = "exec:cat";
  out.run.status = RunStatus::completed;
  out.run.score = 45.234;
  out.run.score_formula = "success_pct";
  for (const auto& one : out.results) {
    ++out.run.results;
    out.run.passed += one.passed() ? 1 : 0;
    out.run.errors += one.status == ResultStatus::error ? 1 : 0;
  }
  out.run.planned = out.run.results;
  out.run.metrics = {{"success_pct", "", out.run.success_percentage(), ""}};
  return out;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; ++at) ++out;
  return out;
}

// ---- markup

struct EscapeCase {
  const char* name;
  std::string_view in, want;
};
class Escaped : public testing::TestWithParam<EscapeCase> {};
TEST_P(Escaped, Gives) { EXPECT_EQ(escaped(GetParam().in), GetParam().want); }
using namespace std::string_view_literals;
INSTANTIATE_TEST_SUITE_P(
    Markup, Escaped,
    testing::Values(
        EscapeCase{"markup", "<a b=\"c\" d='e'>&", "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;"},
        EscapeCase{"lines", "a\r\nb\tc", "a&#13;\nb\tc"},
        EscapeCase{"controls", "\0\x1b\x7f"sv, "␀␛␡"},
        EscapeCase{"second_controls", "a\u0085b\u009bc", "a\uFFFDb\uFFFDc"},
        EscapeCase{"no_characters", "\uFFFE\uFFFF\uFDD0\U0001FFFE", "\uFFFD\uFFFD\uFFFD\uFFFD"},
        EscapeCase{"no_utf8", "a\x80\xc3(", "a\uFFFD\uFFFD("},
        EscapeCase{"others", "Zürich 😀 مرحبا", "Zürich 😀 مرحبا"}),
    [](const auto& one) { return one.param.name; });

class Prose : public testing::TestWithParam<EscapeCase> {};
TEST_P(Prose, Gives) { EXPECT_EQ(prose(GetParam().in), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(
    Markup, Prose,
    testing::Values(EscapeCase{"none", "a < b", "a &lt; b"},
                    EscapeCase{"one", "a `b<` c", "a <code>b&lt;</code> c"},
                    EscapeCase{"two", "`a``b` `c`", "<code>a``b</code> <code>c</code>"},
                    EscapeCase{"doubled", "``a`b`` c", "<code>a`b</code> c"},
                    EscapeCase{"unclosed", "a `b c", "a `b c"},
                    EscapeCase{"over_a_line", "a `b\nc` `d`", "a `b\nc<code> </code>d`"},
                    EscapeCase{"fence", "```\n`x`\n```", "```\n<code>x</code>\n```"}),
    [](const auto& one) { return one.param.name; });

TEST(AttributeValue, KeepsLineBreaksOfAttributes) {
  EXPECT_EQ(attribute_value("a\n\t\"b\""), "\"a&#10;&#9;&quot;b&quot;\"");
}

TEST(Clip, CountsCodePoints) {
  const auto part = clip("äöü", 2);
  EXPECT_EQ(part.text, "äö");
  EXPECT_EQ(part.length, 3U);
  EXPECT_FALSE(part.is_whole);
  EXPECT_TRUE(clip("äöü", 3).is_whole);
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

// ---- what they share

TEST(Samples, TellRepeatsApart) {
  auto second = result_of_sample("sum", ResultStatus::passed, 1);
  second.repeat = 1;
  const std::vector results{result_of_sample("sum", ResultStatus::passed), second,
                            result_of_sample("product", ResultStatus::passed, 2)};
  const auto all = samples(results);
  EXPECT_EQ(all[0].name(), "sum (repeat 1)");
  EXPECT_EQ(all[1].name(), "sum (repeat 2)");
  EXPECT_EQ(all[2].name(), "product");
}

TEST(Judge, WeighsStatusBeforeGates) {
  auto one = make({result_of_sample("sum", ResultStatus::passed)});
  EXPECT_EQ(judge(one.reported()).outcome, Outcome::passed);
  EXPECT_EQ(judge(one.reported({50, {}})).text, "gate failed: score 45.23 is below 50.00");
  one.run.status = RunStatus::timed_out;
  one.run.error = "took longer than 1 s";
  EXPECT_EQ(judge(one.reported({50, {}})).text, "timed out: took longer than 1 s");
  EXPECT_EQ(judge(one.reported()).outcome, Outcome::incomplete);
}

// ---- JUnit

TEST(Junit, ShortensLongAnswers) {
  auto one = make({result_of_sample("sum", ResultStatus::passed)});
  one.results[0].response = std::string(50000, 'x');
  const std::vector runs{one.reported()};
  EXPECT_THAT(junit(runs), HasSubstr("[the first 20,000 of 50,000 characters]</system-out>"));
}

// ---- Markdown

TEST(Markdown, FitsIntoItsRoom) {
  std::vector<score::Result> results;
  for (std::uint32_t i = 0; i < 500; ++i) {
    results.push_back(result_of_sample("eval-" + std::to_string(i), ResultStatus::failed, i));
    results.back().response = std::string(3000, '`');
  }
  const auto one = make(std::move(results));
  const std::vector runs{one.reported(), one.reported()};
  for (const std::size_t most : {2000U, 10000U, 65536U, 1U << 20}) {
    const auto text = markdown(runs, most);
    EXPECT_LE(text.size(), most);
    EXPECT_EQ(count(text, "<details"), count(text, "</details>"));
  }
  EXPECT_THAT(markdown(runs, 65536), HasSubstr("Left out to save space: "));
}

TEST(Markdown, SaysWhyTheGateFailed) {
  const auto one = make({result_of_sample("sum", ResultStatus::failed)});
  const std::vector runs{one.reported({50, {}})};
  const auto text = markdown(runs);
  EXPECT_THAT(text, HasSubstr("### ❌ `weighted`: score 45.23"));
  EXPECT_THAT(text, HasSubstr("`gate failed: score 45.23 is below 50.00`"));
}

// ---- HTML

TEST(Html, NeedsNothingElse) {
  const auto one = make({result_of_sample("sum", ResultStatus::failed)});
  const std::vector runs{one.reported()};
  const auto page = html(runs);
  EXPECT_THAT(page, StartsWith("<!doctype html>\n"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const std::string_view link : {"<script", "http://", "https://", "src=", "@import", "url("})
    EXPECT_EQ(count(page, link), 0U) << link;
}

TEST(Html, OfAThousandLongAnswersIsBounded) {
  std::vector<score::Result> results;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    results.push_back(result_of_sample("eval-" + std::to_string(i), ResultStatus::passed, i));
    results.back().response = std::string(50000, '<');
  }
  const auto one = make(std::move(results));
  const std::vector runs{one.reported()};
  const auto page = html(runs);
  EXPECT_LT(page.size(), 24u << 20);
  EXPECT_THAT(page, HasSubstr(" of 50,000 characters"));
  EXPECT_EQ(count(page, "<details class=\"eval"), 1000U);
}

TEST(Html, OfVeryManyShowsWhatDidNotPass) {
  std::vector<score::Result> results;
  for (std::uint32_t i = 0; i < 12000; ++i)
    results.push_back(result_of_sample(
        "eval-" + std::to_string(i), i >= 11000 ? ResultStatus::failed : ResultStatus::passed, i));
  const auto one = make(std::move(results));
  const std::vector runs{one.reported()};
  const auto page = html(runs);
  EXPECT_THAT(page, HasSubstr("10,000 of 12,000 samples are shown"));
  EXPECT_EQ(count(page, "<details class=\"eval failed"), 1000U);
  EXPECT_EQ(count(page, "<details class=\"eval passed"), 9000U);
}

TEST(Html, OrdersTheCostsOfEachModelByThemselves) {
  auto one = make({result_of_sample("short", ResultStatus::passed, 0),
                   result_of_sample("long", ResultStatus::passed, 1)});
  auto other = one;
  one.results[0].cost = 0.01;
  one.results[1].cost = 0.02;
  other.results[0].cost = 0.04;
  other.results[1].cost = 0.03;
  const std::vector runs{one.reported(), other.reported()};
  const auto page = html(runs);
  EXPECT_THAT(page, HasSubstr("\"Cost: long $0.0200, short $0.0100\""));
  EXPECT_THAT(page, HasSubstr("\"Cost: short $0.0400, long $0.0300\""));
  EXPECT_THAT(page, HasSubstr("width=\"160\""));  // half of what the most expensive has
}

TEST(Html, ShowsBackticksOfMessagesAsCode) {
  auto one = make({result_of_sample("sum", ResultStatus::failed)});
  one.results[0].checks[0].message = "`max_tokens` is 5, not `<4`";
  one.results[0].error = "no key: set `OPENAI_API_KEY`";
  one.run.score.reset();
  one.run.score_error = "`total_cost` is 0";
  one.run.score_metrics = {{"worth", "a / b", std::nullopt, "`b` is 0"}};
  const std::vector runs{one.reported({50, {}})};
  const auto page = html(runs);
  for (const std::string_view shown :
       {"<code>max_tokens</code> is 5, not <code>&lt;4</code>", "set <code>OPENAI_API_KEY</code>",
        "<code>total_cost</code> is 0", "N/A<span class=\"why\"><code>b</code> is 0</span>"})
    EXPECT_THAT(page, HasSubstr(shown));
}

TEST(Html, OfARunWithoutAnything) {
  const Case one{};
  const std::vector runs{one.reported(), one.reported()};
  EXPECT_THAT(html(runs), HasSubstr("There are no results"));
  EXPECT_THAT(html(std::span(runs).first(1)), HasSubstr("There are no results"));
  EXPECT_FALSE(markdown(runs).empty());
  EXPECT_FALSE(junit(runs).empty());
}

// ---- GitHub

TEST(Annotations, StandAtTheEval) {
  const auto one = make({result_of_sample("sum", ResultStatus::passed, 0),
                         result_of_sample("a,b:c", ResultStatus::failed, 1),
                         result_of_sample("silent", ResultStatus::error, 2)});
  const std::vector runs{one.reported()};
  const std::vector<std::uint32_t> lines{7, 12, 20};
  EXPECT_EQ(annotations(runs, {"evals/my suite,1.yaml", lines}),
            "::error file=evals/my suite%2C1.yaml,line=12,title=a%2Cb%3Ac failed::- match: Pattern "
            "\"*4*\" not found in response%0Aanswer: five\n"
            "::warning file=evals/my suite%2C1.yaml,line=20,title=silent could not be "
            "judged::answer: five\n"
            "::notice title=vibe check weighted::score 45.23, 1 of 3 passed, N/A, gate failed: "
            "success rate 33.3%25 is below 50.0%25\n");
}

TEST(Annotations, NeedNoFile) {
  const auto one = make({result_of_sample("sum", ResultStatus::failed)});
  const std::vector runs{one.reported()};
  EXPECT_THAT(annotations(runs, {}), StartsWith("::error title=sum failed::"));
}

TEST(Annotations, OfForeignTextAreOneLine) {
  auto one = make({result_of_sample("sum\n::warning::x", ResultStatus::failed)});
  one.results[0].response = "a\r\n::add-mask::b\n%0A::error::c";
  one.results[0].error = "\n::stop-commands::x";
  const std::vector runs{one.reported()};
  const auto text = annotations(runs, {});
  EXPECT_EQ(count(text, "\n"), 2U);
  EXPECT_EQ(count(text, "\r"), 0U);
  EXPECT_EQ(count(text, "\n::"), 1U);  // the notice
  EXPECT_THAT(text, HasSubstr("%250A::error"));
}

TEST(Annotations, AreNoMoreThanGitHubShows) {
  std::vector<score::Result> results;
  for (std::uint32_t i = 0; i < 30; ++i)
    results.push_back(result_of_sample(std::to_string(i),
                                       i < 25 ? ResultStatus::failed : ResultStatus::error, i));
  const auto one = make(std::move(results));
  const std::vector runs{one.reported()};
  const auto text = annotations(runs, {});
  EXPECT_EQ(count(text, "::error "), 10U);
  EXPECT_EQ(count(text, "::warning "), 5U);
  EXPECT_THAT(text, HasSubstr("25 failed, 5 could not be judged; the first 10 of each are marked"));
}

}  // namespace

}  // namespace vibe::report

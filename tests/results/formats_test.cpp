// Results of other tools: recorded ones of promptfoo, logs in the shape of Inspect's.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/zip_builder.h"
#include "results/results.h"

namespace vibe::results {

namespace {

std::string recorded(const std::string& name) {
  std::ifstream in(std::string(VIBE_TEST_DATA) + "/cases/import/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct ReadFormat {
  score::Samples samples;
  base::Diagnostics diagnostics;
  std::string message() const { return diagnostics.empty() ? "" : diagnostics.all()[0].message; }
  // `name pass|fail latency cost prompt+completion [tags]`, a line each; `?` is undefined.
  std::string text() const {
    const auto figure = [](double value) {
      std::ostringstream out;
      if (std::isnan(value)) return std::string("?");
      out << value;
      return out.str();
    };
    std::string out;
    for (std::uint32_t row = 0; row < samples.size(); ++row) {
      const auto sample = samples.sample(row);
      const auto& eval = samples.evals()[samples.eval_of(row)];
      out += eval.name + (sample.passed ? " pass " : " fail ") + figure(sample.latency) + " " +
             figure(sample.cost) + " " + figure(sample.prompt_tokens) + "+" +
             figure(sample.completion_tokens) + " [";
      for (const auto& tag : eval.tags) out += (out.ends_with('[') ? "" : " ") + tag;
      out += "]\n";
    }
    return out;
  }
};

ReadFormat read_bytes(std::string bytes, const Choice& choice = {}) {
  ReadFormat out;
  read(base::Input::of("results", std::move(bytes)), choice, out.samples, out.diagnostics);
  return out;
}

Choice with(std::optional<std::string> provider, std::optional<std::string> prompt = {},
            std::optional<std::string> scorer = {}, std::optional<double> pass_at = {}) {
  return {std::move(provider), std::move(prompt), std::move(scorer), pass_at};
}

// by promptfoo 0.123.1
const std::string kTwo = "../../../examples/promptfoo/out.json";

TEST(Promptfoo, OneProviderAndPromptAreChosen) {
  EXPECT_EQ(read_bytes(recorded(kTwo), with("parrot", "2")).text(),
            "capital-of-France fail 0.034 0 ?+? [suite=geo geo easy]\n"
            "city-Tokyo-country-Japan fail 0.001 0 ?+? [suite=geo]\n");
  EXPECT_EQ(read_bytes(recorded(kTwo), with("exec:*", "What is*")).text(),
            "capital-of-France pass 0.174 ? ?+? [suite=geo geo easy]\n"
            "city-Tokyo-country-Japan fail 0.023 ? ?+? [suite=geo]\n");
  EXPECT_EQ(read_bytes(recorded(kTwo), with("*", "*")).samples.size(), 8u);
}

TEST(Promptfoo, MixedResultsAreRefused) {
  const ReadFormat seen = read_bytes(recorded(kTwo));
  ASSERT_EQ(seen.diagnostics.errors(), 2u);
  EXPECT_EQ(seen.message(),
            "the results come from 2 models: `parrot`, `exec:sh -c 'echo Paris is the capital'`");
  EXPECT_EQ(read_bytes(recorded(kTwo), with("gpt", "1")).message(),
            "`--provider gpt` matches none of the models: `parrot`, `exec:sh -c 'echo Paris is the "
            "capital'`");
}

// A request that was never answered has no latency, and costs nothing.
TEST(Promptfoo, ErrorsAndRepeatsOfLines) {
  EXPECT_EQ(read_bytes(recorded("promptfoo-0.123.1-errors.jsonl")).text(),
            "word-good pass 0.248 ? ?+? []\nword-good pass 0.189 ? ?+? []\n"
            "word-bad fail ? 0 ?+? []\nword-bad fail ? 0 ?+? []\n");
}

TEST(Promptfoo, WhatPassedPassedEvenWithoutAResponse) {
  const ReadFormat seen = read_bytes(R"({"results": {"version": 3, "results": [
      {"success": true, "vars": {"word": "good"}, "provider": {"id": "p"}, "latencyMs": 100}]}})");
  EXPECT_NE(seen.text().find("word-good pass 0.1 "), std::string::npos) << seen.text();
}

TEST(Promptfoo, TokensCostAndCache) {
  EXPECT_EQ(read_bytes(recorded("promptfoo-0.123.1-openai.jsonl")).text(),
            "capital-of-France pass 0.886 3.3e-06 14+2 [suite=geo easy]\n"
            "country-Japan fail 0.274 3.3e-06 14+2 [suite=geo]\n"
            "country-Atlantis fail ? 0 ?+? [suite=geo]\n");
  EXPECT_EQ(read_bytes(recorded("promptfoo-0.123.1-openai-cached.jsonl")).text(),
            "capital-of-France pass 0.886 0 ?+? [suite=geo easy]\n"
            "country-Japan fail 0.274 0 ?+? [suite=geo]\n"
            "country-Atlantis fail ? 0 ?+? [suite=geo]\n");
}

std::string row(const std::string& members) {
  return R"({"success": true, "testCase": {}, "provider": {"id": "p"}, "prompt": {"label": "l"}, )" +
         members + "}\n";
}

TEST(Promptfoo, FiguresOfARow) {
  EXPECT_EQ(read_bytes(row(R"("latencyMs": 1500, "cost": 0.5, "vars": {"b": 1, "a": "x y"},
      "response": {"output": "o", "tokenUsage": {"prompt": 14, "completion": 2}})"))
                .text(),
            "a-x-y-b-1 pass 1.5 0.5 14+2 []\n");
  // from the cache: it took no time, and the tokens are not told apart
  EXPECT_EQ(read_bytes(row(R"("latencyMs": 3, "cost": 0, "vars": {},
      "response": {"output": "o", "cached": true, "tokenUsage": {"cached": 16, "total": 16}})"))
                .text(),
            "test pass ? ? ?+? []\n");
}

TEST(Promptfoo, TestsWithTheSameNameAreToldApart) {
  const std::string one = R"("latencyMs": 1, "response": {"output": "o"}, "vars": {"a": "é"})",
                    two = R"("latencyMs": 1, "response": {"output": "o"}, "vars": {"a": "ü"})";
  EXPECT_EQ(read_bytes(row(one) + row(two) + row(one)).text(),
            "a pass 0.001 ? ?+? []\na-2 pass 0.001 ? ?+? []\na pass 0.001 ? ?+? []\n");
}

struct Broken {
  const char* name;
  std::string bytes, message;
};
class BrokenResults : public testing::TestWithParam<Broken> {};
TEST_P(BrokenResults, AreRefused) {
  const ReadFormat seen = read_bytes(GetParam().bytes);
  EXPECT_TRUE(seen.diagnostics.failed());
  EXPECT_EQ(seen.message(), GetParam().message);
  EXPECT_EQ(seen.samples.size(), 0u);
}
INSTANTIATE_TEST_SUITE_P(
    Results, BrokenResults,
    testing::Values(
        Broken{"version", R"({"evalId": "e", "results": {"version": 2, "results": []}})",
               "the promptfoo results have version 2; vibe reads 3 to 4"},
        Broken{"no_list", R"({"evalId": "e", "results": {"version": 3, "results": {}}})",
               "the document has no `results.results` list, which holds promptfoo's results"},
        Broken{"no_success", R"({"results": {"version": 3, "results": [{"latencyMs": 1}]}})",
               "result 1: `success` is missing"},
        Broken{"cut_off", R"({"results": {"version": 3, "results": [{"success": true)",
               "the JSON is damaged: the input ends where `}` was expected"},
        Broken{"empty", R"({"results": {"version": 4, "results": []}})", "the file has no results"},
        Broken{"no_id", R"({"version": 2, "eval": {}, "samples": [{"epoch": 1}]})",
               "a sample in the Inspect log has no `id`"},
        Broken{
            "scale",
            R"({"version": 2, "eval": {}, "samples": [{"id": 1, "scores": {"s": {"value": 7}}}]})",
            "`s` gives 7, which is neither a fail (0) nor a pass (1)"},
        Broken{"other_archive", test::make_zip({test::stored("a.txt", "text")}),
               "the zip archive is not an Inspect log: it has neither `header.json` nor "
               "`_journal/start.json`"},
        Broken{"damaged_archive", "PK\x03\x04 and nothing",
               "the zip archive has no directory at its end"}),
    [](const auto& one) { return one.param.name; });

TEST(Inspect, EpochsAreRepeatsAndOneScorerCounts) {
  EXPECT_EQ(read_bytes(recorded("inspect.json"), with({}, {}, "includes")).text(),
            "capital-France pass 1.5 0.001 14+2 [level=easy nightly]\n"
            "capital-France fail 2.5 ? 14+3 [level=easy nightly]\n"
            "sample-2 fail 0.5 ? ?+? [nightly]\nsample-2 fail ? ? ?+? [nightly]\n");
  const ReadFormat half = read_bytes(recorded("inspect.json"), with({}, {}, "f1", 0.5));
  EXPECT_TRUE(half.samples.sample(0).passed);
  EXPECT_FALSE(half.samples.sample(1).passed);
  EXPECT_TRUE(half.samples.sample(2).passed);
  EXPECT_EQ(half.message(), "1 of 4 samples have no score");
  EXPECT_EQ(read_bytes(recorded("inspect.json")).message(),
            "the results come from 2 scorers: `includes`, `f1`");
}

const std::string kHeader = R"({"version": 2, "status": "success", "eval": {"model": "m"}})",
                  kSample = R"({"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}},
  "model_usage": {"m": {"input_tokens": 66, "output_tokens": 3, "total_tokens": 69}}, "total_time": 0.4})",
                  kLine = "sample-1 pass 0.4 ? 66+3 []\n";

TEST(Inspect, ArchivesGiveSummariesOrSamples) {
  using test::deflated, test::make_zip, test::stored, test::zstandard;
  EXPECT_EQ(read_bytes(make_zip({deflated("header.json", kHeader),
                                 zstandard("summaries.json", "[" + kSample + "]")}))
                .text(),
            kLine);
  // older summaries have no figures: the samples have them
  EXPECT_EQ(read_bytes(
                make_zip({stored("summaries.json",
                                 R"([{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}])"),
                          zstandard("samples/1_epoch_1.json", kSample),
                          deflated("header.json", kHeader)}))
                .text(),
            kLine);
  // a run that was killed; a sample that was written again
  const ReadFormat killed = read_bytes(
      make_zip({stored("_journal/start.json", kHeader), stored("samples/1_epoch_1.json", "{"),
                stored("samples/1_epoch_1.json", kSample)}));
  EXPECT_EQ(killed.text(), kLine);
  EXPECT_EQ(killed.message(), "the run has not ended");
}

TEST(Inspect, DamageInAnArchiveIsSeen) {
  auto member = test::stored("summaries.json", "[" + kSample + "]");
  member.crc ^= 1;
  EXPECT_EQ(read_bytes(test::make_zip({test::stored("header.json", kHeader), member})).message(),
            "`summaries.json` cannot be unpacked: its checksum does not match the directory");
}

// Each of these takes hours unless the time grows with the file alone.
TEST(Results, HostileFilesAreLinear) {
  constexpr int kMany = 20'000;
  const auto repeat = [](const auto& item) {
    std::string out;
    for (int i = 0; i < kMany; ++i) out += (i > 0 ? "," : "") + item(std::to_string(i));
    return out;
  };
  const auto document = [](const std::string& rows) {
    return R"({"results": {"version": 3, "results": [)" + rows + "]}}";
  };
  // tests of one name; results of one test with many tags
  const auto named = read_bytes(document(repeat([](const std::string& i) {
    return R"({"success": true, "description": "d", "vars": {"v": )" + i + "}}";
  })));
  EXPECT_EQ(named.samples.evals().back().name, "d-" + std::to_string(kMany));
  const std::string tags = repeat([](const std::string& i) { return "\"t" + i + "\""; });
  bool is_first = true;
  const auto tagged = read_bytes(document(repeat([&](const std::string&) {
    const std::string more =
        is_first ? R"(, "testCase": {"metadata": {"tags": [)" + tags + "]}}" : "";
    is_first = false;
    return R"({"success": true, "description": "d")" + more + "}";
  })));
  EXPECT_EQ(tagged.samples.evals()[1].tags.size(), static_cast<std::size_t>(kMany));
  EXPECT_GE(
      read_bytes(document(repeat([](const std::string& i) { return i; }))).diagnostics.errors(),
      static_cast<std::size_t>(kMany));

  const auto log = [](const std::string& eval, const std::string& samples) {
    return R"({"version": 2, "status": "success", "eval": {)" + eval + R"(}, "samples": [)" +
           samples + "]}";
  };
  const auto scored =
      read_bytes(log("", R"({"id": 1, "scores": {)" + repeat([](const std::string& i) {
                           return "\"s" + i + R"(": {"value": 1})";
                         }) + "}}"),
                 with({}, {}, "s7"));
  EXPECT_EQ(scored.samples.size(), 1u);
  const auto sampled =
      read_bytes(log(R"("tags": [)" + tags + "]", repeat([](const std::string&) {
                       return std::string(R"({"id": 1, "scores": {"s": {"value": 1}}})");
                     })));
  EXPECT_EQ(sampled.samples.size(), static_cast<std::size_t>(kMany));
}

TEST(Results, ChoicesThatMeanNothingAreErrors) {
  EXPECT_EQ(
      read_bytes("{\"passed\": true}\n", with("gpt")).message(),
      "`--provider` does not apply to these results: they are one JSON object per line, from any "
      "harness");
  EXPECT_EQ(read_bytes(recorded("inspect.json"), with("gpt", {}, "f1")).message(),
            "`--provider` does not apply to these results: they are an Inspect log, `.json`");
}

}  // namespace

}  // namespace vibe::results

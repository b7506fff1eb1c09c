#include "simulation/cells.h"

#include <cmath>

#include "statistics/distributions.h"

namespace vibe::simulation {

namespace {

constexpr const char* kRatio = "success_pct / total_cost";
constexpr const char* kMix = "0.7 * success_pct + 30 / (1 + avg_latency)";
constexpr const char* kThreeNamed = "(3 * e1 + 2 * e2 + e3) / total_cost";
constexpr const char* kTwoNamed =
    "(0.6 * e1 + 0.4 * e2) * success_pct / (avg_latency * total_cost)";

// `100 / COUNT * (PREFIX1SUFFIX + PREFIX2SUFFIX + …)`
std::string mean_of(std::uint32_t count, const std::string& prefix, const std::string& suffix) {
  std::string out;
  for (std::uint32_t i = 1; i <= count; ++i)
    out += (i == 1 ? "" : " + ") + prefix + std::to_string(i) + suffix;
  return "100 / " + std::to_string(count) + " * (" + out + ")";
}

// Suites of different sizes. Large ones take most of the time, so there are fewer of them.
struct Size {
  std::uint32_t evals;
  std::vector<std::uint32_t> answers;
  std::vector<std::size_t> worlds, with_stalls;
};
const std::vector<Size>& sizes() {
  static const std::vector<Size> kSizes{
      {5, {1, 2, 3, 5, 10}, {0, 1, 2}, {3, 4}},
      {10, {1, 2, 3, 5, 10}, {0, 1, 2}, {3, 4}},
      {20, {1, 2, 3, 5, 10}, {0, 1, 2}, {3, 4}},
      {50, {1, 2, 3, 5, 10}, {0, 1, 2}, {3, 4}},
      {100, {1, 3, 5}, {0, 1, 2}, {3, 4}},
      {200, {1, 3, 5}, {0, 1}, {3}},
      {500, {1, 3}, {0, 1}, {3}},
  };
  return kSizes;
}

void add_plain(std::vector<SuiteCell>& out) {
  const std::vector<Scored> all{{"", "success_pct"}, {"", kRatio}, {"", kMix}};
  for (const auto& [n, answers, worlds, with_stalls] : sizes())
    for (const std::uint32_t r : answers) {
      const Shape shape{1, n, false, r, r};
      auto formulas = all;
      formulas.push_back({"", "avg_latency"});
      out.push_back({"", shape, worlds, formulas});
      formulas.back() = {"`avg_latency` with stalls", "avg_latency", kNeverJudged};
      out.push_back({"", shape, with_stalls, formulas});
      if (r == 5) out.push_back({"", shape, worlds, {{"", "pass_at(2)"}, {"", "pass_all(2)"}}});
      if (r == 1 || r == 3)
        out.push_back({"",
                       shape,
                       {1},
                       {{"", "median(latency)"}, {"", "percentile(latency, 95)", kNeverJudged}}});
    }
}

void add_globs(std::vector<SuiteCell>& out) {
  for (const auto& [kinds, of_each] : {std::pair(4U, 5U), {4U, 25U}, {10U, 5U}, {20U, 5U}})
    for (const std::uint32_t r : {1U, 3U})
      out.push_back({std::to_string(kinds) + " globs of " + std::to_string(of_each) + " evals",
                     {kinds, of_each, false, r, r},
                     {1, 3},
                     {{"mean of their pass rates", mean_of(kinds, "pass_rate(\"k", "-*\")")},
                      {"", "0.5 * success_pct + 50 * pass_rate(\"k1-*\")",
                       of_each < kJudgedEvals ? kNeverJudged : 1}}});
}

void add_named(std::vector<SuiteCell>& out) {
  for (const std::uint32_t n : {3U, 10U, 20U, 50U})
    for (const std::uint32_t r : {1U, 2U, 3U, 5U})
      out.push_back({std::to_string(n) + " evals, some named",
                     {1, n, false, r, r},
                     {0, 1, 2},
                     {{"", kThreeNamed, kJudgedAnswers}, {"", kTwoNamed, kJudgedAnswers}}});
  for (const std::uint32_t n : {2U, 5U, 10U, 20U, 50U})
    for (const std::uint32_t r : {1U, 2U, 3U, 5U})
      out.push_back({std::to_string(n) + " evals, all named",
                     {1, n, false, r, r},
                     {0, 1, 3},
                     {{"mean of their pass rates", mean_of(n, "e", "")}}});
}

void add_cases(std::vector<SuiteCell>& out) {
  for (const auto& [kinds, of_each] : {std::pair(1U, 50U), {2U, 10U}, {5U, 8U}})
    for (const std::uint32_t r : {1U, 3U})
      out.push_back({std::to_string(kinds) + (kinds == 1 ? " eval with " : " evals with ") +
                         std::to_string(of_each) + " cases",
                     {kinds, of_each, true, r, r},
                     {0, 1, 3},
                     {{"", "success_pct"},
                      {"", kRatio},
                      {"mean of the evals by name", mean_of(kinds, "k", "")}}});
}

void add_unequal(std::vector<SuiteCell>& out) {
  for (const std::uint32_t n : {20U, 50U})
    for (const std::uint32_t least : {1U, 2U})
      out.push_back({std::to_string(n) + " evals, " + std::to_string(least) + " to 5 answers",
                     {1, n, false, least, 5},
                     {0, 1, 2, 3},
                     {{"", "success_pct"}, {"", kRatio}, {"", kMix}}});
}

}  // namespace

std::vector<SuiteCell> suite_cells() {
  std::vector<SuiteCell> out;
  add_plain(out);
  add_globs(out);
  add_named(out);
  add_cases(out);
  add_unequal(out);
  return out;
}

std::vector<PairCell> pair_cells() {
  std::vector<PairCell> out;
  const auto add = [&](std::uint32_t n, std::uint32_t r, const char* formula, double failures = 1,
                       double redrawn = 0) {
    out.push_back({kWorlds[1], n, r, {"", formula}, failures, redrawn});
  };
  for (const std::uint32_t n : {3U, 10U, 20U, 50U})
    for (const std::uint32_t r : {1U, 3U, 5U}) {
      for (const char* formula : {"success_pct", kRatio}) add(n, r, formula);
      if (n < 50)  // these take longer
        for (const char* formula : {kThreeNamed, kTwoNamed, "percentile(latency, 95)"})
          add(n, r, formula);
      if (n < 20) continue;
      for (const char* formula : {"success_pct", kRatio}) {
        add(n, r, formula, 1, 1);
        add(n, r, formula, 0.5, 0);
      }
    }
  return out;
}

std::vector<PairCell> planned_pairs() {
  constexpr World kBase{0.7, 0.3, false};
  // Exact tests have few possible outcomes, above all with few evals, so they need more evals.
  constexpr double kReserve = 1.2, kMoreEvals = 5;
  constexpr double kRedrawn = 0.2;  // so that evals change by different amounts
  const Population population(kBase, {});
  const double mean = population.mean(), variance = population.variance();
  const double z = statistics::normal_quantile(0.975) + statistics::normal_quantile(0.8);
  std::vector<PairCell> out;
  for (const int points : {5, 10, 20})
    for (const bool on_others : {false, true})
      for (const std::uint32_t answers : {1U, 3U, 5U}) {
        const double effect = points / 100.0, failures = 1 - effect / (1 - mean);
        const double after = mean + effect;
        // Of one eval: the noise of an answer to each of the two, and how much its change differs.
        const double noise =
            mean * (1 - mean) - variance + after * (1 - after) - failures * failures * variance;
        const double between = ((1 - kRedrawn) * (1 - failures) * (1 - failures) +
                                kRedrawn * (1 + failures * failures)) *
                               variance;
        const double of_one = noise / answers + (on_others ? between : 0);
        const double evals = std::ceil(kMoreEvals + kReserve * z * z * of_one / (effect * effect));
        const std::string difference = std::to_string(points) + " points, " +
                                       (on_others ? "also on other evals" : "on these evals");
        out.push_back({kBase,
                       static_cast<std::uint32_t>(evals),
                       answers,
                       {"", "success_pct"},
                       failures,
                       kRedrawn,
                       difference,
                       on_others});
      }
  return out;
}

}  // namespace vibe::simulation

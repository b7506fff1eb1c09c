// Store: how many results (one transaction each) and executions are stored per second; and how long
// a page of 50 takes, from a million runs in every order, plain and filtered, and from 200,000
// executions.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/diagnostic.h"
#include "store/sqlite.h"
#include "targets.h"
#include "timing.h"

namespace {

using namespace vibe;
using store::RunOrder;
using store::RunQuery;

template <class T>
T must(base::Result<T> result) {
  if (result) return std::move(*result);
  std::fputs(base::render(result.error()).c_str(), stderr);
  std::exit(1);
}

struct NamedOrder {
  RunOrder order;
  const char* name;
};
constexpr std::array kOrders{NamedOrder{RunOrder::created, "created"},
                             NamedOrder{RunOrder::success, "success"},
                             NamedOrder{RunOrder::cost, "cost"},
                             NamedOrder{RunOrder::time, "time"},
                             NamedOrder{RunOrder::score, "score"},
                             NamedOrder{RunOrder::price_performance, "price-performance"}};

score::Run a_run() {
  score::Run run;
  run.id = "0";
  run.suite_name = "bench";
  run.model = "model";
  run.status = score::RunStatus::running;
  run.suite_text = "metadata: {}";
  return run;
}

score::Result typical_result() {
  score::Result result;
  result.eval = result.eval_name = "capitals";
  result.prompt.assign(300, 'p');
  result.response.assign(300, 'r');
  result.status = score::ResultStatus::passed;
  result.latency = 1.5;
  result.cost = 0.01;
  result.prompt_tokens = 100;
  result.completion_tokens = 80;
  result.checks = {{"match", score::Verdict::pass, "Pattern \"*4*\" found in response", {}},
                   {"max_tokens", score::Verdict::pass, "Token count 12 (max: 50)", {}}};
  return result;
}

// A million runs of 1,000 suites; each figure is missing in a tenth of them. Written directly by
// SQL, for speed.
void fill(const std::string& path) {
  sqlite3* handle = nullptr;
  const char* const sql = R"sql(
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -400000;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
    INSERT INTO runs (id, suite, model, source, status, error, created_at, planned, results,
        passed, errors, duration, total_cost, score, version, suite_path, suite_hash,
        score_formula, score_error, score_metrics, metrics, parameters, system_prompt)
    SELECT printf('%08x-%04x', i * 2654435761 % 4294967296, i % 65536), 'suite-' || (i % 1000),
        'provider/model-' || (i % 97), x'',
        CASE i % 100 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'completed' END, x'',
        1700000000000 + i * 1000, 100, CASE WHEN i % 10 = 1 THEN 0 ELSE 100 END,
        i * 7919 % 101, 0, CASE WHEN i % 10 = 2 THEN NULL ELSE i * 104729 % 10007 / 10.0 END,
        CASE WHEN i % 10 = 3 THEN NULL ELSE i * 1299709 % 100003 / 1000.0 END,
        CASE WHEN i % 10 = 4 OR i % 100 = 0 THEN NULL ELSE i * 15485863 % 1000003 / 100.0 END,
        '0.1.0', x'', 'hash', x'', x'', '', '', zeroblob(100), zeroblob(200) FROM n;
    COMMIT;)sql";
  if (sqlite3_open(path.c_str(), &handle) != SQLITE_OK ||
      sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "%s\n", sqlite3_errmsg(handle));
    std::exit(1);
  }
  sqlite3_close(handle);
}

fitness::ScoredExecution an_execution(std::size_t number) {
  fitness::ScoredExecution out;
  out.id = fmt::format("{:08x}-{}", number * 2654435761U & 0xffffffffU, number);
  out.agent = {fmt::format("agent-{}", number % 10), fmt::format("v{}", number / 10 % 10)};
  out.execution.id = fmt::format("session-{}", number);
  out.execution.file = "/home/user/.claude/projects/project/session.jsonl";
  out.execution.format = "claude";
  out.execution.ended = static_cast<std::int64_t>(number * 7919 % 1'000'003) * 1'000'000;
  out.signals.fill(0.5);
  out.score = static_cast<double>(number % 100);
  out.grade = "B";
  out.meaning = "good, with room to improve";
  out.execution.notes = {"tool_success_rate: n/a (no tool calls)"};
  return out;
}

// Stores all at once, as when a folder is scored; returns how many per second.
double keep_executions(store::Store& store, std::size_t count) {
  std::vector<fitness::ScoredExecution> some;
  double seconds = 0;
  constexpr std::size_t kAtOnce = 10'000;
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(an_execution(i));
    if (some.size() < kAtOnce) continue;
    seconds += bench::seconds_of([&] { must(store.journal().keep_executions(some)); });
    some.clear();
  }
  return static_cast<double>(count) / seconds;
}

// The slowest of the first three pages; the median of its rounds.
template <class ItemQuery, class List>
double longest_page(ItemQuery query, const List& list) {
  constexpr int kRounds = 20;
  double longest = 0;
  for (int page = 0; page < 3; ++page) {
    std::string next;
    bench::Times times;
    for (int round = 0; round < kRounds; ++round)
      times.seconds.push_back(bench::seconds_of([&] { next = must(list(query)).next; }));
    std::sort(times.seconds.begin(), times.seconds.end());
    longest = std::max(longest, times.median());
    if (next.empty()) break;
    query.after = next;
  }
  return longest * 1e3;
}

double longest_page(store::Store& store, const RunQuery& query) {
  return longest_page(query,
                      [&](const RunQuery& each) { return store.archive().runs().list(each); });
}

double longest_page(store::Store& store, const store::ExecutionQuery& query) {
  return longest_page(query, [&](const store::ExecutionQuery& each) {
    return store.archive().executions().list(each);
  });
}

}  // namespace

int main() {
  using namespace vibe::bench;
  Targets targets;
  std::string folder = (std::filesystem::temp_directory_path() / "vibe-bench-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return 1;
  {
    const auto store = must(store::open_sqlite(folder));
    const auto lock = must(store->journal().begin(a_run()));
    constexpr std::uint32_t kResults = 100'000;
    auto result = typical_result();
    const double seconds = seconds_of([&] {
      for (std::uint32_t i = 0; i < kResults; ++i) {
        result.sample = i;
        if (!store->journal().add({"0"}, result)) std::exit(1);
      }
    });
    targets.note("results kept in a second", kResults / seconds, "");
    fill(folder + "/vibecheck.db");
    targets.note("a million runs, size of the file",
                 static_cast<double>(std::filesystem::file_size(folder + "/vibecheck.db")) / 1e6,
                 "MB");
    for (const auto& [order, name] : kOrders) {
      for (const bool ascending : {false, true}) {
        RunQuery query;
        query.order = order;
        query.ascending = ascending;
        const std::string by = fmt::format("by {}{}", name, ascending ? ", ascending" : "");
        targets.below(by, longest_page(*store, query), 10, "ms");
        query.suite = "suite-7";
        targets.below(by + ", of a suite", longest_page(*store, query), 10, "ms");
        query.suite.clear();
        query.status = {score::RunStatus::failed};
        targets.below(by + ", failed", longest_page(*store, query), 10, "ms");
      }
    }
    RunQuery query;
    query.model = "provider/model-5";
    targets.note("by created, of a model", longest_page(*store, query), "ms");
    query.model.clear();
    query.offset = 100'000;
    targets.note("by created, offset 100,000", longest_page(*store, query), "ms");

    constexpr std::size_t kExecutions = 200'000;
    targets.note("executions kept in a second", keep_executions(*store, kExecutions), "");
    targets.below("executions", longest_page(*store, store::ExecutionQuery{}), 10, "ms");
    // in the middle: of 500,000 s
    targets.below("executions, deep",
                  longest_page(*store, store::ExecutionQuery{.after = "500000000.0"}), 10, "ms");
    targets.below(
        "executions of an agent, deep",
        longest_page(*store, store::ExecutionQuery{.after = "500000000.0", .agent = "agent-7"}), 10,
        "ms");
    targets.below("executions of a version",
                  longest_page(*store, store::ExecutionQuery{.agent = "agent-7", .version = "v7"}),
                  10, "ms");
    targets.below("executions of a session",
                  longest_page(*store, store::ExecutionQuery{.session = "session-77777"}), 10,
                  "ms");
  }
  std::filesystem::remove_all(folder);
  return targets.exit_code();
}

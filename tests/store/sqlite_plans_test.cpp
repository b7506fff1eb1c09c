// How SQLite reads lists: from indexes, without sorting.
#include <set>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/sql.h"

namespace vibe::test {

namespace {

std::vector<std::string> traced;

int trace(unsigned, void*, void* statement, void*) {
  char* sql = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(statement));
  traced.emplace_back(sql);
  sqlite3_free(sql);
  return 0;
}

int trace_new(sqlite3* handle, const char**, const struct sqlite3_api_routines*) {
  return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, trace, nullptr);
}

TEST(SqlitePlans, ListsAreReadFromIndexesWithoutSorting) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  for (int i = 0; i < 5; ++i) {
    auto run = full_run("run-" + std::to_string(i));
    if (i % 2 == 0) run.score = run.total_cost = run.duration = std::nullopt;
    if (i % 2 == 0) run.results = 0;
    ASSERT_TRUE(store->journal().begin(run));
  }
  traced.clear();
  for (int order = 0; order <= static_cast<int>(store::RunOrder::price_performance); ++order) {
    for (const bool ascending : {false, true}) {
      for (const char* suite : {"", "capitals"}) {
        for (const bool by_status : {false, true}) {
          store::RunQuery query;
          query.order = static_cast<store::RunOrder>(order);
          query.ascending = ascending;
          query.suite = suite;
          if (by_status) query.status = {score::RunStatus::running, score::RunStatus::failed};
          query.limit = 1;
          std::size_t seen = 0;
          do {
            const auto page = store->archive().runs().list(query).value();
            query.after = page.next;
            seen += page.runs.size();
          } while (!query.after.empty());
          EXPECT_EQ(seen, 5u);
        }
      }
    }
  }
  ASSERT_TRUE(store->archive().runs().last_scores("capitals", "openai/gpt-4o-mini", 3));
  ASSERT_TRUE(store->archive().runs().find("last"));
  ASSERT_TRUE(store->archive().runs().find("run-1"));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (sql.find("FROM runs") == std::string::npos) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      // All of them by time: as many as the page has are read, from the index's end.
      const bool is_end = step == "SCAN runs USING COVERING INDEX runs_newest";
      EXPECT_TRUE(is_end || step.find("SCAN runs") == std::string::npos) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_GT(explained, 50u);
}

TEST(SqlitePlans, ArrivalsAreReadFromTheirIndex) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  traced.clear();
  ASSERT_TRUE(store->journal().begin(full_run("a-run")));
  ASSERT_TRUE(store->journal().add({"a-run"}, full_result(0)));
  ASSERT_TRUE(store->feed().arrivals("a-run", 0, 1));
  ASSERT_TRUE(store->feed().progress("a-run"));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (sql.find("FROM results") == std::string::npos) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      EXPECT_EQ(step.find("SCAN results"), std::string::npos) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_EQ(explained, 4u);
}

TEST(SqlitePlans, ListsOfExecutionsAreReadFromIndexesWithoutSorting) {
  const Folder folder;
  const auto entry = reinterpret_cast<void (*)()>(trace_new);
  sqlite3_auto_extension(entry);
  const auto store = folder.open();
  sqlite3_cancel_auto_extension(entry);
  std::vector<fitness::ScoredExecution> kept;
  for (int i = 0; i < 5; ++i) {
    kept.push_back(full_execution("execution-" + std::to_string(i)));
    kept.back().execution.id = std::to_string(i);
  }
  traced.clear();
  ASSERT_TRUE(store->journal().keep_executions(kept));
  kept[0].id = "execution-of-a-file";
  kept[0].execution.id.clear();
  ASSERT_TRUE(store->journal().keep_executions({kept.data(), 1}));
  for (const bool by_agent : {false, true}) {
    for (const bool by_version : {false, true}) {
      store::ExecutionQuery query{.limit = 1};
      if (by_agent) query.agent = kept[0].agent.agent;
      if (by_version) query.version = kept[0].agent.version;
      do {
        query.after = store->archive().executions().list(query).value().next;
      } while (!query.after.empty());
    }
  }
  ASSERT_TRUE(store->archive().executions().find("last"));
  ASSERT_TRUE(store->archive().executions().find("execution-1"));
  ASSERT_TRUE(store->journal().add_decision(full_decision("d")));
  ASSERT_TRUE(store->archive().executions().decisions({.after = "1.1"}));
  std::size_t explained = 0;
  for (const auto& sql : std::set<std::string>(traced.begin(), traced.end())) {
    if (!sql.starts_with("SELECT") && !sql.starts_with("UPDATE")) continue;
    ++explained;
    for (const auto& step : first_column(folder.database(), "EXPLAIN QUERY PLAN " + sql, 3)) {
      const bool is_scan = step.starts_with("SCAN ") && step.find("INDEX") == step.npos &&
                           !step.starts_with("SCAN (subquery");
      EXPECT_FALSE(is_scan) << step << "\n" << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << "\n" << sql;
    }
  }
  EXPECT_GT(explained, 20u);
}

}  // namespace

}  // namespace vibe::test

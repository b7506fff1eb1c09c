// What every store has to do with executions of agents and decisions about them.
#include <algorithm>
#include <set>

#include "store/conformance.h"

namespace vibe::test {

using base::Code;
using fitness::ScoredExecution;
using store::ExecutionQuery;

fitness::DecisionRecord full_decision(const std::string& id) {
  fitness::DecisionRecord out;
  out.id = id;
  out.made_at = 1'000;
  out.decision.accept = true;
  out.decision.reason = fitness::Reason::exploration;
  out.decision.old_score = 78.1;
  out.decision.new_score = 77.05;
  out.decision.delta = -1.05;
  out.decision.seed = 0xfedc'ba98'7654'3210;
  out.decision.draw = 0.1234567890123;
  out.decision.probability_better = 0.25;
  out.decision.within_noise = true;
  out.before = {"reviewer@v1", {78.1, 0.1}, {"id-1", "id-2"}};
  out.after = {std::string("logs/\xff\0new", 9), {77.05}, {"session \"x\""}};
  out.rubric = "mine";
  out.rubric_hash = "123abc";
  return out;
}

void expect_same(const fitness::DecisionRecord& a, const fitness::DecisionRecord& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.made_at, b.made_at);
  EXPECT_EQ(a.decision.accept, b.decision.accept);
  EXPECT_EQ(a.decision.reason, b.decision.reason);
  EXPECT_EQ(a.decision.old_score, b.decision.old_score);
  EXPECT_EQ(a.decision.new_score, b.decision.new_score);
  EXPECT_EQ(a.decision.delta, b.decision.delta);
  EXPECT_EQ(a.decision.seed, b.decision.seed);
  EXPECT_EQ(a.decision.draw, b.decision.draw);
  EXPECT_EQ(a.decision.probability_better, b.decision.probability_better);
  EXPECT_EQ(a.decision.within_noise, b.decision.within_noise);
  EXPECT_EQ(a.before, b.before);
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.rubric, b.rubric);
  EXPECT_EQ(a.rubric_hash, b.rubric_hash);
}

namespace {

ScoredExecution execution_with(const std::string& id, const std::string& session,
                               std::optional<trace::Time> ended = std::nullopt) {
  ScoredExecution out;
  out.id = id;
  out.execution.id = session;
  out.execution.ended = ended;
  out.scored_at = 1;
  return out;
}

Ids ids_of(const store::ExecutionPage& page) {
  Ids out;
  for (const auto& one : page.items) out.push_back(one.id);
  return out;
}

struct ExecutionFilter {
  const char* name;
  ExecutionQuery query;
  Ids want;  // newest first
};

}  // namespace

Ids ExecutionStore::all_pages(ExecutionQuery query, std::size_t limit) {
  query.limit = limit;
  Ids out;
  do {
    const auto page = store_->archive().executions().list(query).value();
    EXPECT_LE(page.items.size(), limit);
    const auto some = ids_of(page);
    out.insert(out.end(), some.begin(), some.end());
    query.after = page.next;
  } while (!query.after.empty() && out.size() < 10'000);
  return out;
}

TEST_P(ExecutionStore, GivesBackWhatWasKept) {
  const auto full = full_execution("01a1e211-0031-7d8d-8188-2846f295f71e");
  const ScoredExecution bare = execution_with("bare-one", "");
  const std::vector kept{full, bare};
  EXPECT_EQ(store_->journal().keep_executions(kept).value(), (Ids{full.id, bare.id}));
  EXPECT_EQ(open()->archive().executions().find(full.id).value(), full);
  EXPECT_EQ(open()->archive().executions().find("bare-one").value(), bare);
  EXPECT_EQ(store_->journal().keep_executions({}).value(), Ids{});
}

TEST_P(ExecutionStore, KeepsOddBytes) {
  auto odd = full_execution("odd-bytes");
  const std::string bytes("a\xff\0\n`\x1b[31m", 10);
  odd.agent = {bytes + "agent", bytes + "version"};
  odd.execution.id = bytes + "session";
  odd.execution.file = bytes + "file";
  odd.execution.agent = odd.execution.model = odd.execution.task_type = bytes;
  odd.grade = odd.meaning = odd.error = odd.rubric = bytes;
  ASSERT_TRUE(store_->journal().keep_executions({&odd, 1}));
  EXPECT_EQ(store_->archive().executions().find("last").value(), odd);
  EXPECT_EQ(store_->archive().executions().agents().value(), Ids{odd.agent.agent});
  EXPECT_EQ(ids_of(store_->archive().executions().list({.session = bytes}).value()),
            Ids{"odd-bytes"});
  EXPECT_EQ(ids_of(store_->archive().executions().list({.agent = odd.agent.agent}).value()),
            Ids{"odd-bytes"});
}

TEST_P(ExecutionStore, ScoredAgainItKeepsItsId) {
  const auto first = full_execution("first");
  ASSERT_TRUE(store_->journal().keep_executions({&first, 1}));
  auto again = full_execution("again");
  again.scored_at = 99'000;
  EXPECT_EQ(store_->journal().keep_executions({&again, 1}).value(), Ids{"first"});
  EXPECT_EQ(store_->archive().executions().find("first").value(),
            first);  // nothing has changed, but the clock

  again.score = 12.5;
  again.execution.file = "/moved/a.jsonl";
  EXPECT_EQ(store_->journal().keep_executions({&again, 1}).value(), Ids{"first"});
  again.id = "first";
  EXPECT_EQ(store_->archive().executions().find("first").value(), again);
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 1u);
}

TEST_P(ExecutionStore, IsAnotherOneOfAnotherAgentVersionSessionOrStart) {
  std::vector<ScoredExecution> kept(9, full_execution(""));
  kept[1].agent.agent = "other";
  kept[2].agent.version = "v3";
  kept[3].execution.id = "session-2";
  kept[4].execution.id = "";  // by its file
  kept[5].execution.id = "";
  kept[5].execution.file = "session";     // which is no session
  kept[6].execution.started = 2'000'000;  // another attempt at the same task
  kept[7].execution.started = std::nullopt;
  kept[8].execution.id = "";
  kept[8].execution.started = 2'000'000;  // another log in the place of the first
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i].id = "id-" + std::to_string(i);
  for (int round = 0; round < 2; ++round) {
    for (const auto& one : kept)
      EXPECT_EQ(store_->journal().keep_executions({&one, 1}).value(), Ids{one.id});
    EXPECT_EQ(store_->archive().executions().list({}).value().items.size(), kept.size());
  }
}

// A file of records without ids, or with one id for several: each is kept, and scored again it is
// the same.
TEST_P(ExecutionStore, SeveralOfOneFileAreToldApartByTheirOrder) {
  std::vector<ScoredExecution> kept;
  for (int i = 0; i < 6; ++i) {
    kept.push_back(execution_with("id-" + std::to_string(i), i < 3 ? "" : "s", 1'000'000));
    kept.back().execution.file = "records.yaml";
    kept.back().score = i;
  }
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(store_->journal().keep_executions(kept).value(),
              (Ids{"id-0", "id-1", "id-2", "id-3", "id-4", "id-5"}));
  // of the same time the later argument is the newer one
  EXPECT_EQ(ids_of(store_->archive().executions().list({}).value()),
            (Ids{"id-5", "id-4", "id-3", "id-2", "id-1", "id-0"}));
}

// Very many are kept in parts.
TEST_P(ExecutionStore, SeveralOfOneFileAreToldApartInParts) {
  std::vector<ScoredExecution> kept;
  for (int i = 0; i < 5; ++i) {
    kept.push_back(execution_with("id-" + std::to_string(i), "s", 1'000'000));
    kept.back().execution.file = "records.yaml";
  }
  for (int round = 0; round < 2; ++round) {
    store::ExecutionPlaces places;
    EXPECT_EQ(store_->journal().keep_some(std::span(kept).first(3), places).value(),
              (Ids{"id-0", "id-1", "id-2"}));
    EXPECT_EQ(store_->journal().keep_some(std::span(kept).subspan(3), places).value(),
              (Ids{"id-3", "id-4"}));
  }
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 5u);
}

// Whether two files are scored together or one after the other.
TEST_P(ExecutionStore, ACopyTakesThePlaceOfTheFirst) {
  std::vector<ScoredExecution> kept{execution_with("id-0", "s", 1'000'000),
                                    execution_with("id-1", "s", 1'000'000)};
  kept[0].execution.file = "a.jsonl";
  kept[1].execution.file = "copy.jsonl";
  kept[1].score = 7;
  EXPECT_EQ(store_->journal().keep_executions(kept).value(), (Ids{"id-0", "id-0"}));
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 1u);
  EXPECT_EQ(store_->archive().executions().find("id-0").value()->score, 7);
  EXPECT_EQ(store_->archive().executions().find("id-0").value()->execution.file, "copy.jsonl");
}

// Two attempts at one task are the same whether they are scored together or each alone.
TEST_P(ExecutionStore, AStartIsTheSameInAnyCompany) {
  std::vector<ScoredExecution> kept{execution_with("id-0", "task-1", 5'000'000),
                                    execution_with("id-1", "task-1", 9'000'000)};
  kept[0].execution.started = 1'000'000;
  kept[1].execution.started = 8'000'000;
  EXPECT_EQ(store_->journal().keep_executions(kept).value(), (Ids{"id-0", "id-1"}));
  auto alone = kept[1];
  alone.id = "id-2";
  alone.score = 50;
  EXPECT_EQ(store_->journal().keep_executions({&alone, 1}).value(), Ids{"id-1"});
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 2u);
}

TEST_P(ExecutionStore, OfNeitherSessionNorFileItIsAlwaysNew) {
  for (const char* id : {"one", "two"}) {
    const auto one = execution_with(id, "");
    ASSERT_TRUE(store_->journal().keep_executions({&one, 1}));
  }
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 2u);
}

TEST_P(ExecutionStore, KeepsAllOrNone) {
  std::vector<ScoredExecution> kept{execution_with("a", "1"), execution_with("b", "2"),
                                    execution_with("a", "3")};  // an id that is there
  EXPECT_FALSE(store_->journal().keep_executions(kept));
  EXPECT_EQ(store_->archive().executions().list({}).value().total, 0u);
}

TEST_P(ExecutionStore, ListsTheNewestFirst) {
  std::vector<ScoredExecution> kept{execution_with("early", "1", 2'000'000),
                                    execution_with("late", "2", 9'000'000),
                                    execution_with("undated", "3")};
  kept[2].scored_at = 5'000;
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  EXPECT_EQ(ids_of(store_->archive().executions().list({}).value()),
            (Ids{"late", "undated", "early"}));
  EXPECT_EQ(store_->archive().executions().find("last").value()->id, "late");
  EXPECT_EQ(ids_of(store_->archive().executions().list({.from = 2'000, .to = 5'000}).value()),
            (Ids{"undated", "early"}));
  EXPECT_EQ(ids_of(store_->archive().executions().list({.from = 2'001}).value()),
            (Ids{"late", "undated"}));
}

TEST_P(ExecutionStore, PagesMissNothingAndRepeatNothing) {
  std::vector<ScoredExecution> kept;
  std::multiset<std::string> of_b;
  for (int i = 0; i < 1000; ++i) {
    // many of the same time, many without one
    const auto ended = i % 3 == 0 ? std::nullopt : std::optional<trace::Time>(i % 7 * 1'000'000);
    auto& one = kept.emplace_back(
        execution_with("id-" + std::to_string(i), "s" + std::to_string(i), ended));
    one.agent = {i % 2 == 0 ? "a" : "b", i % 4 < 2 ? "v1" : "v2"};
    if (i % 2 == 1) of_b.insert(one.id);
  }
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  const auto whole = ids_of(store_->archive().executions().list({.limit = 5000}).value());
  ASSERT_EQ(whole.size(), 1000u);
  EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), 1000u);
  for (const std::size_t limit : {1u, 7u, 250u, 999u, 1000u})
    EXPECT_EQ(all_pages({}, limit), whole) << limit;
  const auto b = all_pages({.agent = "b"}, 13);
  EXPECT_EQ(std::multiset<std::string>(b.begin(), b.end()), of_b);
  EXPECT_EQ(all_pages({.agent = "b", .version = "v2"}, 9).size(), 250u);

  const auto page = store_->archive().executions().list({.limit = 10, .offset = 995}).value();
  EXPECT_EQ(ids_of(page), Ids(whole.end() - 5, whole.end()));
  EXPECT_EQ(page.next, "");
  EXPECT_EQ(page.total, 1000u);
}

// What is added while somebody pages through does not move what comes after.
TEST_P(ExecutionStore, APlaceStaysWhereItIs) {
  std::vector<ScoredExecution> kept;
  for (int i = 0; i < 10; ++i)
    kept.push_back(execution_with("id-" + std::to_string(i), std::to_string(i), i * 1'000'000));
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  const auto first = store_->archive().executions().list({.limit = 4}).value();
  const auto newer = execution_with("newer", "x", 99'000'000);
  ASSERT_TRUE(store_->journal().keep_executions({&newer, 1}));
  EXPECT_EQ(ids_of(store_->archive().executions().list({.limit = 3, .after = first.next}).value()),
            (Ids{"id-5", "id-4", "id-3"}));
  for (const char* wrong : {"x", "1", "1.", ".1", "1.2x", "cd0000000000000000.1", "1.2.3"}) {
    const auto page = store_->archive().executions().list({.after = wrong});
    ASSERT_FALSE(page) << wrong;
    EXPECT_TRUE(has_code(page.error(), Code::bad_usage));
  }
}

TEST_P(ExecutionStore, Filters) {
  std::vector<ScoredExecution> kept(5, full_execution(""));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i].id = "id-" + std::to_string(i);
    kept[i].execution.id = "session-" + std::to_string(i);
    kept[i].score = 50.0 + 10 * static_cast<double>(i);
  }
  kept[1].agent = {"reviewer", ""};
  kept[2].agent = {"", ""};
  kept[2].score = std::nullopt;
  kept[2].grade = "";
  kept[3].rubric = "strict";
  kept[3].execution.id = "other";
  kept[4].grade = "A+";
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  const ExecutionFilter cases[] = {
      {"agent", {.agent = "reviewer"}, {"id-4", "id-3", "id-1", "id-0"}},
      {"no agent", {.agent = ""}, {"id-2"}},
      {"version", {.agent = "reviewer", .version = "v2"}, {"id-4", "id-3", "id-0"}},
      {"no version", {.agent = "reviewer", .version = ""}, {"id-1"}},
      {"version of any agent", {.version = "v2"}, {"id-4", "id-3", "id-0"}},
      {"unknown agent", {.agent = "review"}, {}},
      {"session", {.session = "session-1"}, {"id-1"}},
      {"its beginning", {.session = "sess"}, {"id-4", "id-2", "id-1", "id-0"}},
      {"too much", {.session = "session-1x"}, {}},
      {"grade", {.grade = "A+"}, {"id-4"}},
      {"rubric", {.rubric = "strict"}, {"id-3"}},
      {"least", {.score = {.least = 80, .most = {}}}, {"id-4", "id-3"}},
      {"most", {.score = {.least = {}, .most = 60}}, {"id-1", "id-0"}},
      {"both", {.grade = "B", .score = {.least = 60, .most = 80}}, {"id-3", "id-1"}},
  };
  for (const auto& each : cases) {
    const auto page = store_->archive().executions().list(each.query).value();
    EXPECT_EQ(ids_of(page), each.want) << each.name;
    EXPECT_EQ(page.total, each.want.size()) << each.name;
    EXPECT_EQ(all_pages(each.query, 1), each.want) << each.name;
  }
}

TEST_P(ExecutionStore, FindsOneByTheBeginningOfItsId) {
  EXPECT_FALSE(store_->archive().executions().find("last").value());
  const std::vector kept{execution_with("abcd1234", "1", 1), execution_with("abcd1299", "2", 2)};
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  EXPECT_EQ(store_->archive().executions().find("abcd123").value(), kept[0]);
  EXPECT_FALSE(store_->archive().executions().find("abc").value());  // too short
  EXPECT_FALSE(store_->archive().executions().find("nothing").value());
  const auto several = store_->archive().executions().find("abcd");
  ASSERT_FALSE(several);
  EXPECT_NE(text_of(several.error()).find("several executions begin with `abcd`"),
            std::string::npos)
      << text_of(several.error());
}

TEST_P(ExecutionStore, KnowsVersionsInTheOrderOfTheirAppearance) {
  std::vector<ScoredExecution> kept;
  const auto add = [&](const char* agent, const char* version, trace::Time ended) {
    auto& one = kept.emplace_back(execution_with("id-" + std::to_string(kept.size()),
                                                 std::to_string(kept.size()), ended * 1'000'000));
    one.agent = {agent, version};
    one.score = 50;
  };
  add("b", "z-first", 10);
  add("b", "a-second", 20);
  add("b", "", 15);
  add("b", "z-first", 30);
  kept.back().score = std::nullopt;
  add("a", "v1", 5);
  ASSERT_TRUE(store_->journal().keep_executions(kept));
  EXPECT_EQ(store_->archive().executions().agents().value(), (Ids{"a", "b"}));
  EXPECT_EQ(store_->archive().executions().versions("b").value(), (Ids{"z-first", "", "a-second"}));
  EXPECT_EQ(store_->archive().executions().versions("c").value(), Ids{});
}

TEST_P(ExecutionStore, KeepsDecisions) {
  const auto full = full_decision("full");
  ASSERT_TRUE(store_->journal().add_decision(full));
  fitness::DecisionRecord bare;
  bare.id = "bare";
  bare.made_at = 2'000;
  ASSERT_TRUE(store_->journal().add_decision(bare));
  EXPECT_FALSE(store_->journal().add_decision(bare));  // it is there
  const auto page = open()->archive().executions().decisions({}).value();
  ASSERT_EQ(page.items.size(), 2u);
  expect_same(page.items[0], bare);
  expect_same(page.items[1], full);
  EXPECT_EQ(page.total, 2u);
}

TEST_P(ExecutionStore, ListsDecisionsOfAnAgent) {
  const std::pair<const char*, const char*> sides[] = {
      {"reviewer@v1", "reviewer@v2"}, {"70", "reviewer"}, {"reviewers@v1", "review@v1"},
      {"reviewerA", "reviewer "},     {"a@b@c", "1"},
  };
  int number = 0;
  for (const auto& [before, after] : sides) {
    auto record = full_decision("id-" + std::to_string(number++));
    record.before.what = before;
    record.after.what = after;
    ASSERT_TRUE(store_->journal().add_decision(record));
  }
  const auto of = [&](const char* agent) {
    const auto page = store_->archive().executions().decisions({.agent = agent}).value();
    Ids out;
    for (const auto& each : page.items) out.push_back(each.id);
    return out;
  };
  EXPECT_EQ(of("reviewer"), (Ids{"id-1", "id-0"}));
  EXPECT_EQ(of("review"), (Ids{"id-2"}));
  EXPECT_EQ(of("a@b"), (Ids{"id-4"}));
  EXPECT_EQ(of("nobody"), Ids{});
  EXPECT_EQ(of("").size(), 5u);
  store::DecisionQuery query{.limit = 2};
  Ids paged;
  do {
    const auto page = store_->archive().executions().decisions(query).value();
    for (const auto& each : page.items) paged.push_back(each.id);
    query.after = page.next;
  } while (!query.after.empty());
  EXPECT_EQ(paged, of(""));
}

}  // namespace vibe::test

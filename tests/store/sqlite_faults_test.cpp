// The store when things go wrong under it: a full disk at every write, processes that are killed,
// several that write at once.
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/conformance.h"
#include "store/folder.h"
#include "store/limited_writes.h"
#include "store/sql.h"
#include "store/sqlite.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::open_sqlite;

namespace {

// ---- a full disk

// Opens a store, begins a run and adds results, on a disk with room for so many writes; then, with
// room again, looks for what was acknowledged. True: there was room for everything.
bool fits(int writes, std::uint32_t results, const Folder& folder) {
  std::uint32_t acknowledged = 0;
  bool has_run = false, was_enough = false;
  {
    const FullDisk disk(writes);
    auto store = open_sqlite(folder.home());
    if (!store) {
      EXPECT_TRUE(has_code(store.error(), Code::store_unusable)) << text_of(store.error());
    } else {
      const auto lock = (*store)->journal().begin(running("a-run"));
      has_run = lock.has_value();
      for (std::uint32_t i = 0; has_run && i < results; ++i) {
        const auto added = (*store)->journal().add({"a-run"}, full_result(i));
        if (!added) {
          EXPECT_TRUE(has_code(added.error(), Code::store_unusable)) << text_of(added.error());
          EXPECT_NE(text_of(added.error()).find("the disk is full"), std::string::npos)
              << text_of(added.error());
          break;
        }
        ++acknowledged;
      }
      store->reset();  // a checkpoint, which may fail as well
    }
    was_enough = FullDisk::refused() == 0;
  }
  const auto store = folder.open();
  if (has_run) {
    const auto kept = store->archive().runs().results("a-run");
    EXPECT_TRUE(kept) << text_of(kept.error());
    EXPECT_GE(kept->size(), acknowledged);
    for (std::uint32_t i = 0; i < acknowledged && i < kept->size(); ++i)
      expect_same((*kept)[i], full_result(i));
  }
  if (!store->archive().runs().find("a-run").value()) {
    EXPECT_TRUE(store->journal().begin(running("a-run")));
  }
  EXPECT_TRUE(store->journal().add({"a-run"}, full_result(100)));
  return was_enough;
}

TEST(SqliteFaults, AFullDiskAtAnyWriteOfANewStoreLosesNothing) {
  for (int writes = 0;; ++writes) {
    ASSERT_LT(writes, 2000);
    const Folder folder;
    if (fits(writes, 1, folder)) break;
    ASSERT_FALSE(HasFailure()) << "after " << writes << " writes";
  }
}

TEST(SqliteFaults, AFullDiskLosesNothingThatWasAcknowledged) {
  const Folder made;
  made.open();
  for (int writes = 0;; ++writes) {
    ASSERT_LT(writes, 2000);
    const Folder folder;
    std::filesystem::copy(made.home(), folder.home());
    if (fits(writes, 20, folder)) break;
    ASSERT_FALSE(HasFailure()) << "after " << writes << " writes";
  }
}

TEST(SqliteFaults, TheStoreGoesOnWhenThereIsRoomAgain) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->journal().begin(running("a-run")));
  {
    const FullDisk disk(0);
    EXPECT_FALSE(store->journal().add({"a-run"}, full_result(0)));
    EXPECT_FALSE(store->journal().write({"a-run"}, running("a-run"), {"figures", "layout", {1}}));
    EXPECT_FALSE(store->archive().variables().set_secret("name", "value"));
    EXPECT_FALSE(store->journal().begin(running("b-run")));
  }
  EXPECT_TRUE(store->journal().add({"a-run"}, full_result(0)));
  EXPECT_TRUE(store->journal().write({"a-run"}, running("a-run"), {"figures", "layout", {1}}));
  EXPECT_TRUE(store->archive().variables().set_secret("name", "value"));
  EXPECT_TRUE(store->journal().begin(running("b-run")));
}

// What was acknowledged of the queue holds, and the rest can be done when there is room again.
TEST(SqliteFaults, AFullDiskDoesNotBreakTheQueue) {
  bool finished = false;
  for (int writes = 0; !finished; ++writes) {
    ASSERT_LT(writes, 2000);
    const Folder folder;
    const auto store = folder.open();
    bool queued = false, claimed = false, kept = false, ended = false;
    std::optional<store::Claim> claim;
    {
      const FullDisk disk(writes);
      const auto note = [](const auto& result) {
        if (!result) {
          EXPECT_TRUE(has_code(result.error(), Code::store_unusable) ||
                      has_code(result.error(), Code::store_key))
              << text_of(result.error());
        }
        return result.has_value();
      };
      queued = note(store->queue().enqueue(running("a-run"), "a job"));
      if (queued) {
        auto got = store->queue().claim("one", 1);
        claimed = note(got);
        if (claimed) claim = std::move(*got);
      }
      if (claimed) kept = note(store->journal().add(claim->held.hold, full_result(0)));
      auto done = running("a-run");
      done.status = RunStatus::completed;
      if (kept) ended = note(store->journal().write(claim->held.hold, done, {}));
      finished = FullDisk::refused() == 0;
    }
    const auto depth = folder.open()->queue().depth().value();
    EXPECT_EQ(depth.waiting, queued && !claimed ? 1u : 0u);
    EXPECT_EQ(depth.claimed, claimed && !ended ? 1u : 0u);
    if (!queued) {
      EXPECT_TRUE(store->queue().enqueue(running("a-run"), "a job"));
    }
    if (!claimed) {
      claim = store->queue().claim("one", 1).value();
    }
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->job, "a job");
    const auto hold = ended ? store::Hold{"a-run"} : claim->held.hold;
    EXPECT_TRUE(store->journal().add(hold, full_result(1)));
  }
}

// Of three executions either all are there afterwards, or none.
TEST(SqliteFaults, AFullDiskKeepsExecutionsWholeOrNotAtAll) {
  std::vector<fitness::ScoredExecution> kept;
  for (const char* id : {"one", "two", "three"}) {
    kept.push_back(full_execution(id));
    kept.back().execution.id = id;
  }
  bool finished = false;
  for (int writes = 0; !finished; ++writes) {
    ASSERT_LT(writes, 2000);
    const Folder folder;
    folder.open();
    bool acknowledged = false, decided = false;
    {
      const FullDisk disk(writes);
      if (auto store = open_sqlite(folder.home())) {
        const auto ids = (*store)->journal().keep_executions(kept);
        acknowledged = ids.has_value();
        if (!ids) {
          EXPECT_TRUE(has_code(ids.error(), Code::store_unusable)) << text_of(ids.error());
        }
        decided = (*store)->journal().add_decision(full_decision("a-decision")).has_value();
      }
      finished = FullDisk::refused() == 0;
    }
    const auto store = folder.open();
    const auto found = store->archive().executions().list({}).value().items.size();
    EXPECT_TRUE(found == 3 || (found == 0 && !acknowledged)) << found;
    if (decided) {
      EXPECT_EQ(store->archive().executions().decisions({}).value().items.size(), 1u);
    }
    EXPECT_EQ(store->journal().keep_executions(kept).value().size(), 3u);
  }
}

int refuse_to_write(const char* path, int flags, int mode) {
  if ((flags & (O_RDWR | O_WRONLY | O_CREAT)) == 0) return ::open(path, flags, mode);
  errno = EROFS;
  return -1;
}

TEST(SqliteFaults, AStoreThatCannotBeWrittenIsSaidToBe) {
  const Folder folder;
  ASSERT_TRUE(folder.open()->journal().begin(running("a-run")));
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  vfs->xSetSystemCall(vfs, "open", reinterpret_cast<sqlite3_syscall_ptr>(refuse_to_write));
  const auto store = open_sqlite(folder.home());
  vfs->xSetSystemCall(vfs, "open", nullptr);
  ASSERT_FALSE(store);
  EXPECT_TRUE(has_code(store.error(), Code::store_unusable)) << text_of(store.error());
  EXPECT_NE(text_of(store.error()).find("VIBECHECK_HOME"), std::string::npos)
      << text_of(store.error());
}

// ---- processes

// What the child returns is its exit code.
pid_t start(const std::function<int()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST(SqliteProcesses, WriteAtOnce) {
  constexpr std::uint32_t kEach = 300;
  constexpr int kProcesses = 4;
  const Folder folder;  // they make the store at the same time, too
  std::vector<pid_t> children;
  for (int n = 0; n < kProcesses; ++n) {
    children.push_back(start([&, n] {
      auto store = open_sqlite(folder.home());
      if (!store) return 2;
      const std::string id = "run-" + std::to_string(n);
      const auto lock = (*store)->journal().begin(running(id));
      if (!lock) return 3;
      for (std::uint32_t i = 0; i < kEach; ++i) {
        if (!(*store)->journal().add({id}, full_result(i))) return 4;
        if (i % 50 == 0 && !(*store)->journal().write({id}, running(id), {"f", "", {}})) return 5;
        if (i % 50 == 0 &&
            !(*store)->archive().variables().set_secret("s" + std::to_string(n), "value"))
          return 6;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const auto store = folder.open();
  for (int n = 0; n < kProcesses; ++n) {
    EXPECT_EQ(store->archive().runs().results("run-" + std::to_string(n)).value().size(), kEach);
    EXPECT_EQ(store->vault().open("s" + std::to_string(n)).value(), "value");
  }
  EXPECT_EQ(store->journal().mark_interrupted().value(), static_cast<std::size_t>(kProcesses));
}

// All keep the same sessions, over and over: each is there once, whole.
TEST(SqliteProcesses, KeepTheSameExecutionsAtOnce) {
  constexpr int kProcesses = 4, kRounds = 30, kSessions = 20;
  const Folder folder;
  std::vector<pid_t> children;
  for (int n = 0; n < kProcesses; ++n) {
    children.push_back(start([&, n] {
      auto store = open_sqlite(folder.home());
      if (!store) return 2;
      for (int round = 0; round < kRounds; ++round) {
        std::vector<fitness::ScoredExecution> some;
        for (int i = 0; i < kSessions; ++i) {
          const std::string tag = std::to_string(n) + "-" + std::to_string(round) + "-";
          some.push_back(full_execution(tag + std::to_string(i)));
          some.back().execution.id = "session-" + std::to_string(i);
          some.back().score = n * 100 + round;
        }
        if (!(*store)->journal().keep_executions(some)) return 3;
        if (!(*store)->journal().add_decision(full_decision(some[0].id))) return 4;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const auto store = folder.open();
  const auto page = store->archive().executions().list({.limit = 1000}).value();
  ASSERT_EQ(page.items.size(), static_cast<std::size_t>(kSessions));
  for (const auto& one : page.items) EXPECT_EQ(one.score, page.items[0].score);
  EXPECT_EQ(store->archive().executions().decisions({.limit = 1000}).value().items.size(),
            static_cast<std::size_t>(kProcesses * kRounds));
}

TEST(SqliteProcesses, OneThatIsKilledLosesNothingThatWasAcknowledged) {
  const Folder folder;
  for (int round = 0; round < 12; ++round) {
    const std::string id = "run-" + std::to_string(round);
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = start([&] {
      auto store = open_sqlite(folder.home());
      if (!store) return 2;
      const auto lock = (*store)->journal().begin(running(id));
      for (std::uint32_t i = 0;; ++i) {
        if (!(*store)->journal().add({id}, full_result(i))) return 3;
        if (::write(pipe[1], "x", 1) != 1) return 4;
      }
    });
    ::close(pipe[1]);
    std::size_t acknowledged = 0;
    char byte = 0;
    for (int i = 0; i < 1 + round * 17; ++i)
      acknowledged += ::read(pipe[0], &byte, 1) == 1 ? 1U : 0U;
    const auto store = folder.open();
    EXPECT_TRUE(has_code(store->journal().take_up(id).error(), Code::run_held));
    EXPECT_EQ(store->journal().mark_interrupted().value(), 0u);
    ::kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(wait_for(child)));
    while (::read(pipe[0], &byte, 1) == 1) ++acknowledged;
    ::close(pipe[0]);

    EXPECT_EQ(store->journal().mark_interrupted().value(), 1u);
    const auto results = store->archive().runs().results(id).value();
    ASSERT_GE(results.size(), acknowledged);
    EXPECT_LE(results.size(), acknowledged + 1);
    for (std::uint32_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].sample, i);
    const auto run = store->archive().runs().find(id).value().value();
    EXPECT_EQ(run.status, RunStatus::failed);
    EXPECT_EQ(run.error, "interrupted");
    EXPECT_EQ(run.results, results.size());
    EXPECT_TRUE(store->journal().take_up(id));
  }
}

// Scores that are kept are all there or none, and can be kept again.
TEST(SqliteProcesses, OneThatIsKilledKeepsAllScoresOrNone) {
  constexpr std::size_t kRuns = 300;  // of more than one page
  const Folder folder;
  std::vector<store::NewScore> scores;
  {
    const auto store = folder.open();
    for (std::size_t i = 0; i < kRuns; ++i) {
      ASSERT_TRUE(store->journal().begin(run_with("run-" + std::to_string(i), 7)));
      scores.push_back({static_cast<store::RunNumber>(i + 1), 1.5, "why"});
    }
  }
  const store::KeptFormula formula{"strict", "a", "1"};
  bool killed = true;
  for (int writes = 0; killed; ++writes) {
    ASSERT_LT(writes, 500);
    execute(folder.database(), "DELETE FROM kept_scores; DELETE FROM kept_formulas");
    killed = is_killed([&] {
      const auto store = folder.open();
      const DeadlyWrites limit(writes);
      EXPECT_TRUE(store->rescoring().keep(formula, scores));
    });
    const auto count = [&] {
      return first_column(folder.database(), "SELECT count(*) FROM kept_scores").at(0);
    };
    EXPECT_TRUE(count() == "0" || count() == std::to_string(kRuns)) << count();
    EXPECT_TRUE(folder.open()->rescoring().keep(formula, scores));
    EXPECT_EQ(count(), std::to_string(kRuns));
  }
}

// However long its lease is.
TEST(SqliteProcesses, AWorkerThatIsKilledLosesItsRunAtOnce) {
  constexpr double kFar = 1e9;  // seconds
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->queue().enqueue(running("a-run"), "a job"));
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = start([&] {
    auto own = open_sqlite(folder.home());
    if (!own) return 2;
    const auto claim = (*own)->queue().claim("child", kFar);
    if (!claim || !*claim) return 3;
    if (!(*own)->journal().write((*claim)->held.hold, running("a-run"), {})) return 4;
    if (!(*own)->journal().add((*claim)->held.hold, full_result(0))) return 5;
    if (::write(pipe[1], "x", 1) != 1) return 6;
    ::pause();
    return 7;
  });
  ::close(pipe[1]);
  char byte = 0;
  ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  ::close(pipe[0]);
  EXPECT_FALSE(store->queue().claim("parent", kFar).value());
  EXPECT_EQ(store->journal().mark_interrupted().value(), 0u);
  ::kill(child, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(wait_for(child)));
  const auto claim = store->queue().claim("parent", kFar).value();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->earlier_claims, 0u);  // it brought a result
  EXPECT_EQ(claim->run.status, RunStatus::running);
  EXPECT_EQ(store->archive().runs().results("a-run").value().size(), 1u);
}

// Each works on what it claims until there is no more; a third of the claims is dropped, as if
// their process were gone.
TEST(SqliteProcesses, ClaimAtOnce) {
  constexpr int kProcesses = 4, kRuns = 60;
  const Folder folder;
  {
    const auto store = folder.open();
    for (int i = 0; i < kRuns; ++i)
      ASSERT_TRUE(store->queue().enqueue(running("run-" + std::to_string(i)), "a job"));
  }
  std::vector<pid_t> children;
  for (int n = 0; n < kProcesses; ++n) {
    children.push_back(start([&, n] {
      auto store = open_sqlite(folder.home());
      if (!store) return 2;
      for (int round = n;; ++round) {
        auto claim = (*store)->queue().claim("worker", 1000);
        if (!claim) return 3;
        if (!*claim) return 0;
        if (round % 3 == 0) continue;
        auto run = (*claim)->run;
        if (!(*store)->journal().add((*claim)->held.hold, full_result(0))) return 4;
        run.status = RunStatus::completed;
        run.results += 1;  // those that another had finished would have more
        if (!(*store)->journal().write((*claim)->held.hold, run, {})) return 5;
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const auto store = folder.open();
  EXPECT_EQ(store->queue().depth().value().waiting + store->queue().depth().value().claimed, 0u);
  store::RunQuery query;
  query.limit = 1000;
  const auto page = store->archive().runs().list(query).value();
  ASSERT_EQ(page.runs.size(), static_cast<std::size_t>(kRuns));
  for (const auto& run : page.runs) {
    EXPECT_EQ(run.status, RunStatus::completed) << run.id;
    EXPECT_EQ(run.results, running("").results + 1) << run.id;
  }
}

TEST(SqliteProcesses, AProgramThatIsStartedDoesNotInheritTheLock) {
  const Folder folder;
  const auto store = folder.open();
  auto lock = store->journal().begin(running("a-run"));
  ASSERT_TRUE(lock);
  int input[2];
  ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
  const pid_t child = start([&] {
    ::dup2(input[0], 0);
    ::dup2(::open("/dev/null", O_WRONLY), 1);
    ::execl("/bin/cat", "cat", nullptr);
    return 127;
  });
  // `cat` is at work once it has taken what was written: then the locks of the fork are gone.
  ASSERT_EQ(::write(input[1], "x", 1), 1);
  ::close(input[0]);
  lock->lock.reset();
  bool taken = false;
  for (int i = 0; !taken && i < 5000; ++i) {
    taken = store->journal().take_up("a-run").has_value();
    if (!taken) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(taken);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);  // it still runs
  ::close(input[1]);
  wait_for(child);
}

// ---- a lock that is not given up

TEST(SqliteProcesses, AReaderIsNotHeldUpByAWriter) {
  const Folder folder;
  const auto store = folder.open();
  ASSERT_TRUE(store->journal().begin(running("a-run")));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder.database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE; DELETE FROM results", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_TRUE(store->archive().runs().find("a-run").value());
  EXPECT_TRUE(store->archive().runs().list({}));
  // A writer waits, and goes on when the other is done.
  std::thread writer([&] {
    const auto second = folder.open();
    EXPECT_TRUE(second->journal().add({"a-run"}, full_result(0)));
  });
  EXPECT_TRUE(store->archive().runs().find("a-run").value());
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  writer.join();
  EXPECT_EQ(store->archive().runs().results("a-run").value().size(), 1u);
  // One that never gives up the lock is reported, after a while.
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto refused = store->journal().add({"a-run"}, full_result(1));
  sqlite3_close(other);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has_code(refused.error(), Code::store_unusable));
  EXPECT_NE(text_of(refused.error()).find("locked"), std::string::npos) << text_of(refused.error());
}

}  // namespace

}  // namespace vibe::test

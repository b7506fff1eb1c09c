// What goes wrong with runs of the queue: runs that are damaged, workers that lose theirs or are
// thrown out of it, tools that do not answer.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "app/server_world.h"
#include "app/team/work_queue.h"
#include "store/sql.h"

namespace vibe::app {
namespace {

using score::RunStatus;

// Takes connections, and never says anything.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_, generic, size) != 0 || listen(socket_, 16) != 0 ||
        getsockname(socket_, generic, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() {
    if (client_ >= 0) close(client_);
    close(socket_);
  }

  std::string url() const { return fmt::format("http://127.0.0.1:{}/mcp", port_); }
  void wait_for_client() { client_ = accept(socket_, nullptr, nullptr); }

 private:
  int socket_, client_ = -1;
  int port_ = 0;
};

// Closed at first.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

struct FaultWorld : ServerWorld {
  FaultWorld() : ServerWorld({}, permissions()) {
    settings.workers = 1;
    settings.grace = 30;
    settings.lease = 3600;
  }

  QueueSettings settings;
  std::unique_ptr<WorkQueue> queue_;

  static Permissions permissions() {
    Permissions out = server_permissions();
    out.private_addresses = true;  // the tests' own server of tools
    return out;
  }
  static std::string suite_with_tools(const SilentServer& tools) {
    std::string out = suite("tools", 1);
    return out.replace(out.find("evals:"), 0, "  mcp_server:\n    url: " + tools.url() + "\n");
  }

  void start() { queue_ = WorkQueue::start(*tenants, settings); }
  void cancel(const std::string& id) {
    ASSERT_TRUE(*local()->store->archive().runs().request_stop(id));
    queue_->cancelled(organisation.id, id);
  }
  bool ends(const std::string& id) {
    return wait_until([&] { return score::is_finished(run(id).status); });
  }
  void change(const std::string& sql) { test::execute(folder.database(), sql); }
  std::int64_t lease_until() const {
    const auto found = test::first_column(folder.database(), "SELECT lease_until FROM jobs");
    return found.empty() ? 0 : std::stoll(found.front());
  }
};

// ---- workers and their runs

TEST(QueueFaults, ARunThatThrowsIsNoLongerAtWorkAndIsTriedAgain) {
  FaultWorld world;
  std::atomic<int> thrown = 0;
  world.settings.on_result = [&](const score::Result&) {
    if (thrown++ == 0) throw std::runtime_error("whatever it is");
  };
  const auto other = world.add_organisation("other");
  world.start();
  world.wire.set_status([&](const std::string& body) {
    if (body.find("throws asks 0") != std::string::npos) {
      world.queue(other, ServerWorld::suite("next", 1));
      world.hint(other);
      world.wire.hold();
    }
    return 200;
  });
  const auto id = world.queue(ServerWorld::suite("throws", 2, 1));
  world.hint(world.organisation);
  // The only worker is with the next run.
  ASSERT_TRUE(wait_until([&] {
    const auto asked = world.wire.asked();
    return !asked.empty() && asked.back().find("next asks") != std::string::npos;
  }));
  EXPECT_EQ(thrown, 1);
  EXPECT_EQ(world.queue_->running(), 1u);
  world.wire.set_status([](const std::string&) { return 200; });
  world.wire.let_go();
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.run(id).results, 2u);
  EXPECT_TRUE(wait_until([&] { return world.queue_->running() == 0; }));
}

TEST(QueueFaults, ARunThatAnotherWorkerTookStaysThatOnes) {
  FaultWorld world;
  world.settings.workers = 2;
  world.wire.hold();
  world.start();
  const auto id = world.queue(ServerWorld::suite("lost", 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(1));
  world.change("UPDATE jobs SET lease_until = 0");
  world.hint(world.organisation);
  ASSERT_TRUE(world.wire.wait_for(2));  // the other worker asks what the first one did

  Gate gate;
  std::atomic<int> answers = 0;
  world.wire.set_status([&](const std::string&) {
    if (answers++ == 1) gate.pass();  // the other's
    return 200;
  });
  std::thread answering([&] { world.wire.answer_held(); });
  // The first worker's result is refused: it is free again, and takes what comes next.
  const auto next = world.queue(ServerWorld::suite("next", 1));
  world.hint(world.organisation);
  EXPECT_TRUE(world.wire.wait_for(3));
  EXPECT_EQ(world.queue_->running(), 2u);
  EXPECT_EQ(world.results(id), 0u);
  gate.open();
  answering.join();
  world.wire.let_go();
  EXPECT_TRUE(world.ends(id) && world.ends(next));
  EXPECT_EQ(world.run(id).status, RunStatus::completed) << world.run(id).error;
  EXPECT_EQ(world.results(id), 1u);
  EXPECT_TRUE(wait_until([&] { return world.queue_->running() == 0; }));
}

// ---- while a run is prepared

TEST(QueueFaults, ALeaseIsRenewedWhileARunIsPrepared) {
  FaultWorld world;
  world.settings.lease = 1;
  SilentServer tools;
  const auto id = world.queue(FaultWorld::suite_with_tools(tools));
  world.start();
  tools.wait_for_client();
  const auto first = world.lease_until();
  ASSERT_GT(first, 0);
  bool is_taken = false;
  // Others want it all the time.
  EXPECT_TRUE(wait_until([&] {
    const auto local = world.local();
    const auto now = base::now_millis();
    const auto claim = local->store->queue().claim("other", 60);
    is_taken = is_taken || !claim || *claim;
    return is_taken || now > first + 2000;
  }));
  EXPECT_FALSE(is_taken);
  EXPECT_GT(world.lease_until(), first + 1000);
  world.cancel(id);
  ASSERT_TRUE(world.ends(id));
  EXPECT_EQ(world.run(id).status, RunStatus::cancelled);
}

TEST(QueueFaults, ARunIsCancelledWhileItsToolsAreOpened) {
  FaultWorld world;
  SilentServer tools;
  const auto id = world.queue(FaultWorld::suite_with_tools(tools));
  world.start();
  tools.wait_for_client();
  const auto began = std::chrono::steady_clock::now();
  world.cancel(id);
  ASSERT_TRUE(world.ends(id));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_EQ(world.run(id).status, RunStatus::cancelled);
  EXPECT_EQ(world.run(id).error, "stopped after 0 of 1 samples");
}

TEST(QueueFaults, ARunWhoseToolsAreOpenedIsHandedBackAtTheEnd) {
  FaultWorld world;  // whose grace of 30 s is for requests in flight
  SilentServer tools;
  const auto id = world.queue(FaultWorld::suite_with_tools(tools));
  world.start();
  tools.wait_for_client();
  const auto began = std::chrono::steady_clock::now();
  world.queue_->end();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_EQ(world.run(id).status, RunStatus::queued);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 1u);
}

// ---- damage

TEST(QueueFaults, ARunWhoseSuiteCannotBeReadFailsAndOthersGoOn) {
  FaultWorld world;
  const auto before = world.queue(ServerWorld::suite("before", 1));
  const auto damaged = world.queue(ServerWorld::suite("damaged", 1));
  const auto after = world.queue(ServerWorld::suite("after", 1));
  world.change(
      fmt::format("UPDATE texts SET text = x'fffe7b00' WHERE number = "
                  "(SELECT suite_text FROM run_texts JOIN runs ON number = run WHERE id = '{}')",
                  damaged));
  world.start();
  ASSERT_TRUE(world.ends(before) && world.ends(damaged) && world.ends(after));
  EXPECT_EQ(world.run(before).status, RunStatus::completed);
  EXPECT_EQ(world.run(after).status, RunStatus::completed);
  EXPECT_EQ(world.run(damaged).status, RunStatus::failed);
  EXPECT_EQ(world.run(damaged).error, "byte 0xff is not UTF-8 text");
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 0u);
}

TEST(QueueFaults, ARunThatCannotBeReadHoldsUpNoOther) {
  FaultWorld world;
  const auto damaged = world.queue(ServerWorld::suite("damaged", 1));
  const auto after = world.queue(ServerWorld::suite("after", 1));
  world.change(fmt::format("UPDATE runs SET metrics = '[' WHERE id = '{}'", damaged));
  world.start();
  ASSERT_TRUE(world.ends(after));
  EXPECT_EQ(world.run(after).status, RunStatus::completed);
  const auto later = world.queue(ServerWorld::suite("later", 1));
  world.hint(world.organisation);
  ASSERT_TRUE(world.ends(later));
  EXPECT_EQ(world.run(later).status, RunStatus::completed);
  for (const auto& body : world.wire.asked()) EXPECT_EQ(body.find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace vibe::app

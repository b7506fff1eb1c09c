// Clients that are slow, silent, or many.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "server/http.h"
#include "server/http_world.h"

namespace vibe::server {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class HttpServerSlow : public testing::Test {
 protected:
  HttpWorld world;
};

// A byte now and then, so that the connection is never idle; true if the server ends it.
bool is_ended(RawClient& client, std::string_view first, char byte) {
  client.send(first);
  return eventually([&] {
    std::this_thread::sleep_for(10ms);
    return !client.send({&byte, 1});
  });
}

TEST_F(HttpServerSlow, HeadsEnd) {
  world.settings.request_timeout = 0.3;
  world.start();
  auto client = world.connect();
  EXPECT_TRUE(is_ended(client, "GET / HTTP/1.1\r\nX-Slow: ", 'x'));
  auto in_the_line = world.connect();
  EXPECT_TRUE(is_ended(in_the_line, "GET /", 'x'));
}

TEST_F(HttpServerSlow, HeadsOfLaterRequestsEnd) {
  world.settings.request_timeout = 0.3;
  world.start();
  auto client = world.connect();
  ASSERT_TRUE(client.ask(get("/")));
  EXPECT_TRUE(is_ended(client, "GET / HTTP/1.1\r\nX-Slow: ", 'x'));
}

TEST_F(HttpServerSlow, BodiesEnd) {
  world.settings.request_timeout = 0.3;
  world.start();
  auto client = world.connect();
  EXPECT_TRUE(
      is_ended(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n", 'x'));
  EXPECT_EQ(world.handler.wait_for_done(1).at(0).status, 499);
}

TEST_F(HttpServerSlow, WaitingIsNotSlow) {
  world.settings.request_timeout = 0.2;
  Held held;
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    if (request.target.path == "/now") return reply->send({.body = "now"});
    held.add(std::move(reply));
  };
  world.start();
  auto silent = world.connect();  // it has not begun
  auto client = world.connect();
  ASSERT_TRUE(client.ask(get("/now")));
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  // Others are ended meanwhile, so the server has looked at this one as well.
  for (int i = 0; i < 3; ++i) {
    auto slow = world.connect();
    EXPECT_TRUE(is_ended(slow, "GET /", 'x'));
  }
  replies[0]->send({.body = "later"});
  EXPECT_EQ(client.read()->body, "later");
  EXPECT_EQ(client.ask(get("/now"))->body, "now");
  EXPECT_EQ(silent.ask(get("/now"))->body, "now");
}

TEST_F(HttpServerSlow, SilentOnesEnd) {
  world.settings.idle_timeout = 1;
  world.start();
  auto client = world.connect();
  ASSERT_TRUE(client.ask(get("/")));
  EXPECT_TRUE(client.is_closed());
}

// Answers that no buffers of sockets can hold.
class HttpServerSlowReader : public HttpServerSlow {
 protected:
  class Endless : public Stream {
   public:
    std::optional<std::string> next() override { return std::string(64u << 10, 'x'); }
  };

  void start() {
    world.settings.idle_timeout = 4;
    world.settings.slowest_reader = 10e6;
    world.handler.handles = [](Request request, ReplyPtr reply) {
      Response response{.body = std::string(64u << 20, 'x')};
      if (request.target.path == "/stream") response = {.stream = std::make_shared<Endless>()};
      reply->send(std::move(response));
    };
    world.start();
  }

  // Two who take so many bytes every now and then.
  bool are_ended(int bytes) {
    RawClient one(world.server->port(), 4096), other(world.server->port(), 4096);
    one.send(get("/"));
    other.send(get("/stream"));
    return eventually([&] {
      std::this_thread::sleep_for(200ms);
      int ended = 0;
      for (RawClient* client : {&one, &other})
        for (int i = 0; i < bytes; ++i)
          if (client->is_closed()) {
            ++ended;
            break;
          }
      return ended == 2 || world.server->connections() == 0;
    });
  }
};

TEST_F(HttpServerSlowReader, WhoTakesNothingIsEnded) {
  start();
  EXPECT_TRUE(are_ended(0));
}

// Enough of them that the connection is never idle.
TEST_F(HttpServerSlowReader, WhoTakesLittleIsEnded) {
  start();
  EXPECT_TRUE(are_ended(20'000));
}

// So does a stream with nothing to say, for much longer than a client may take for an answer.
TEST_F(HttpServerSlow, WhoTakesEverythingStays) {
  class Silent : public Stream {
   public:
    std::optional<std::string> next() override {
      return std::exchange(is_begun_, true) ? "" : std::string("x");
    }

   private:
    bool is_begun_ = false;
  };
  world.settings.idle_timeout = 1;
  const auto silent = std::make_shared<Silent>();
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    const bool is_stream = request.target.path == "/stream";
    reply->send(is_stream ? Response{.stream = silent}
                          : Response{.body = std::string(1u << 20, 'x')});
  };
  world.start();
  auto listener = world.connect();
  listener.send(get("/stream"));
  ASSERT_TRUE(listener.read(false));
  EXPECT_EQ(listener.read_chunk(), "x");
  const auto begin = Clock::now();
  auto client = world.connect();
  while (seconds_since(begin) < 3) ASSERT_TRUE(client.ask(get("/")));
  EXPECT_EQ(world.server->connections(), 2u);
}

TEST_F(HttpServerSlow, HundredsKeepNobodyWaiting) {
  world.start();
  std::vector<RawClient> slow;
  for (int i = 0; i < 500; ++i) {
    slow.push_back(world.connect());
    slow.back().send(i % 2 == 0 ? "GET / HTTP/1.1\r\nX-"
                                : "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx");
  }
  const auto begin = Clock::now();
  auto client = world.connect();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.ask(get("/")));
  EXPECT_LT(seconds_since(begin), 60);
}

TEST_F(HttpServerSlow, SmallAnswersAreNotDelayed) {
  world.start();
  auto client = world.connect();
  const auto begin = Clock::now();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(client.ask(get("/")));
  EXPECT_LT(seconds_since(begin), 60);  // 80 s if each waited for an acknowledgement
}

// Those that wait for their next request make room; those that are answered do not.
TEST_F(HttpServerSlow, IdleOnesMakeRoom) {
  world.settings.most_connections = 10;
  Held held;
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    if (request.target.path == "/now") return reply->send({.body = "now"});
    held.add(std::move(reply));
  };
  world.start();
  auto busy = world.connect();
  busy.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  std::vector<RawClient> idle;
  for (int i = 0; i < 30; ++i) {
    idle.push_back(world.connect());
    const auto answer = idle.back().ask(get("/now"));
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, "now");
    EXPECT_LE(world.server->connections(), 10u);
  }
  EXPECT_TRUE(idle.front().is_closed());
  replies[0]->send({.body = "later"});
  EXPECT_EQ(busy.read()->body, "later");
}

TEST_F(HttpServerSlow, AFullServerKeepsIdleOnesWhileNobodyElseWaits) {
  world.settings.most_connections = 10;
  world.start();
  std::vector<RawClient> idle;
  for (int i = 0; i < 10; ++i) {
    idle.push_back(world.connect());
    ASSERT_TRUE(idle.back().ask(get("/"))) << i;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // idle ones make room after 100
  EXPECT_EQ(world.server->connections(), 10u);
  for (auto& client : idle) EXPECT_TRUE(client.ask(get("/")));
}

// As many connections as asked for, each with the beginning of a request.
std::vector<RawClient> half_heads(const HttpWorld& world, int count) {
  std::vector<RawClient> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(world.connect());
    out.back().send(i % 2 == 0 ? "GET / HTTP/1.1\r\nX-" : "GE");
  }
  return out;
}

TEST_F(HttpServerSlow, HalfHeadsMakeRoomTheOldestFirst) {
  world.settings.most_connections = 20;
  world.settings.threads = 1;  // with more, what was sent first may be read later
  world.start();
  const auto is_read = [&] {  // all that was sent before
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(world.connect().ask(get("/")));
  };
  auto first = half_heads(world, 1);
  is_read();
  auto others = half_heads(world, 15);
  is_read();
  auto last = half_heads(world, 4);
  for (int i = 0; i < 3; ++i) {
    auto client = world.connect();
    ASSERT_TRUE(client.ask(get("/"))) << i;  // within ten seconds; they have thirty
    EXPECT_LE(world.server->connections(), 20u);
  }
  EXPECT_TRUE(first.front().is_closed());
  EXPECT_TRUE(last.back().ask("T / HTTP/1.1\r\nHost: x\r\n\r\n"));
}

// Requests that are complete hold their place, and so does who has just begun.
TEST_F(HttpServerSlow, CompleteRequestsMakeNoRoom) {
  world.settings.most_connections = 10;
  Held held;
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    if (request.target.path == "/now") return reply->send({.body = "now"});
    held.add(std::move(reply));
  };
  world.start();
  std::vector<RawClient> busy;
  for (int i = 0; i < 5; ++i) {
    busy.push_back(world.connect());
    busy.back().send(get("/later"));
  }
  auto replies = held.wait_for(5);
  ASSERT_EQ(replies.size(), 5u);
  auto slow = half_heads(world, 15);
  auto client = world.connect();
  ASSERT_TRUE(client.ask(get("/now")));
  for (const auto& reply : replies) reply->send({.body = "later"});
  for (auto& one : busy) EXPECT_EQ(one.read()->body, "later");
}

TEST_F(HttpServerSlow, HalfHeadsHaveALimitOfTheirOwn) {
  world.settings.most_connections = 200;
  world.settings.most_per_address = 0;
  world.start();
  auto idle = world.connect();
  auto slow = half_heads(world, 100);
  EXPECT_TRUE(eventually([&] { return world.server->connections() <= 51; }));
  EXPECT_TRUE(slow.front().is_closed());
  EXPECT_TRUE(slow.back().ask("T / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(idle.ask(get("/")));
}

class HttpServerOneAddress : public HttpServerSlow {
 protected:
  void start() {
    world.settings.most_per_address = 5;
    world.settings.on_trouble = [this](const base::Diagnostics& why) {
      said_ += base::render(why);
      ++troubles_;
    };
    world.handler.handles = [this](Request request, ReplyPtr reply) {
      if (request.target.path == "/now") return reply->send({.body = "now"});
      held_.add(std::move(reply));
    };
    world.start();
  }

  std::string said_;  // by the thread that takes connections
  std::atomic<int> troubles_ = 0;
  Held held_;
};

TEST_F(HttpServerOneAddress, WhoHasSentNoRequestMakesRoom) {
  start();
  auto slow = half_heads(world, 12);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.connect().ask(get("/now"))) << i;
  EXPECT_TRUE(slow.front().is_closed());
  EXPECT_TRUE(eventually([&] { return world.server->connections() <= 5; }));
  EXPECT_EQ(troubles_, 0);
}

TEST_F(HttpServerOneAddress, HasNoMoreRequestsThanItMayHave) {
  start();
  std::vector<RawClient> busy;
  std::vector<ReplyPtr> replies;  // each to the client of the same index
  for (int i = 0; i < 5; ++i) {
    busy.push_back(world.connect());
    busy.back().send(get("/later"));
    auto held = held_.wait_for(1);
    ASSERT_EQ(held.size(), 1u);
    replies.push_back(std::move(held[0]));
  }
  for (int i = 0; i < 3; ++i) {
    auto client = world.connect();
    const auto refused = client.ask(get("/now"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->body, R"({"error":"too many connections from your address"})");
    EXPECT_TRUE(refused->headers.contains("retry-after"));
    EXPECT_TRUE(refused->headers.contains("x-request-id"));
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(troubles_, 1);  // not each time
  EXPECT_NE(said_.find("`127.0.0.1` has reached the connection limit"), std::string::npos) << said_;
  replies[0]->send({.body = "later"});
  EXPECT_EQ(busy[0].read()->body, "later");
  EXPECT_TRUE(eventually([&] {  // in the place of the one that is idle now
    const auto answer = world.connect().ask(get("/now"));
    return answer && answer->status == 200;
  }));
  for (std::size_t i = 1; i < replies.size(); ++i) replies[i]->send({.body = "later"});
  for (std::size_t i = 1; i < busy.size(); ++i) EXPECT_EQ(busy[i].read()->body, "later");
}

// A server that is busy has not read them yet; it would still handle them after closing.
TEST_F(HttpServerOneAddress, RequestsThatNobodyHasReadMakeNoRoom) {
  world.settings.threads = 1;
  start();
  std::promise<void> entered, release;
  world.handler.handles = [&, released = release.get_future().share()](const Request& request,
                                                                       const ReplyPtr& reply) {
    if (request.target.path == "/held") {
      entered.set_value();
      released.wait();
    }
    reply->send({.body = request.target.path});
  };
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(world.connect());
    ASSERT_TRUE(clients.back().ask(get("/first")));
  }
  clients[0].send(get("/held"));
  entered.get_future().wait();
  for (int i = 1; i < 5; ++i) clients[static_cast<std::size_t>(i)].send(get("/second"));
  auto other = world.connect();
  const auto refused = other.ask(get("/other"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  release.set_value();
  EXPECT_EQ(clients[0].read()->body, "/held");
  for (int i = 1; i < 5; ++i) {
    const auto answer = clients[static_cast<std::size_t>(i)].read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, "/second");
  }
}

TEST_F(HttpServerSlow, StoppedProcessesBlameNobody) {
  world.settings.request_timeout = 4;
  world.start();
  auto client = world.connect(), sender = world.connect();
  client.send("GET / HTTP/1.1\r\n");
  sender.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
  std::this_thread::sleep_for(100ms);
  const pid_t self = getpid();
  if (fork() == 0) {
    sleep(5);
    kill(self, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  wait(nullptr);
  std::this_thread::sleep_for(300ms);  // for the server to look
  EXPECT_TRUE(client.ask("Host: x\r\n\r\n"));
  EXPECT_TRUE(sender.ask("b"));
}

TEST_F(HttpServerSlow, ABodyThatStoppedComingDoesNotDelayTheEnd) {
  world.start();
  auto stalled = world.connect(), slow = world.connect();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n";
  stalled.send(head + "x");
  slow.send(head);
  std::this_thread::sleep_for(100ms);
  world.server->stop_listening();
  std::thread sender([&] {
    for (int i = 0; i < 30; ++i) {
      std::this_thread::sleep_for(100ms);
      slow.send("x");
    }
  });
  EXPECT_TRUE(world.server->drain(20));  // its thirty seconds have not passed
  sender.join();
  EXPECT_TRUE(slow.read());
  EXPECT_TRUE(stalled.is_closed());
}

TEST_F(HttpServerSlow, SaysOnceThatThereAreTooManyOpenFiles) {
  std::atomic<int> troubles = 0;
  base::Diagnostics said;
  world.settings.on_trouble = [&](const base::Diagnostics& why) {
    if (troubles == 0) said = why;
    ++troubles;
  };
  // UBSan opens a pipe when it first sees the type behind this, and there will be none to open.
  const std::string reason = base::reason(EMFILE);
  world.start();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{.rlim_cur = std::min<rlim_t>(before.rlim_max, 256), .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  std::vector<int> taken;
  for (int file = dup(0); file >= 0; file = dup(0)) taken.push_back(file);
  ASSERT_FALSE(taken.empty());
  close(taken.back());  // for the client's end of the connection, and none for the server's
  taken.pop_back();
  auto client = world.connect();
  client.send(get("/"));
  EXPECT_TRUE(eventually([&] { return troubles > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it is tried again every 20
  EXPECT_EQ(troubles, 1);
  const auto give_one_back = [&] {
    close(taken.back());
    taken.pop_back();
  };
  give_one_back();
  EXPECT_TRUE(client.read());  // it goes well once, which is not the end of the trouble
  give_one_back();
  auto second = world.connect();
  second.send(get("/"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(troubles, 1);
  EXPECT_TRUE(second.read());  // the first, which is idle, makes room for it
  for (const int file : taken) close(file);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_NE(base::render(said).find(reason), std::string::npos);
}

TEST_F(HttpServerSlow, NoMoreConnectionsThanFiles) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{.rlim_cur = std::min<rlim_t>(before.rlim_max, 256), .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  world.start();
  rlimit raised{};
  getrlimit(RLIMIT_NOFILE, &raised);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(world.connect().ask(get("/")));
}

}  // namespace
}  // namespace vibe::server

// Answers that come later, streams, and what happens when one side leaves.
#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http.h"
#include "server/http_world.h"

namespace vibe::server {
namespace {

using namespace std::chrono_literals;

class HttpServerReply : public testing::Test {
 protected:
  // Holds all requests but those of `/now`.
  void start() {
    world.handler.handles = [this](Request request, ReplyPtr reply) {
      if (request.target.path == "/now") return reply->send({.body = "now"});
      held.add(std::move(reply));
    };
    world.start();
  }

  Held held;
  HttpWorld world;
};

TEST_F(HttpServerReply, ComesFromAnyThreadLater) {
  start();
  auto client = world.connect();
  for (int i = 0; i < 3; ++i) {
    client.send(post("/later", "body"));
    auto replies = held.wait_for(1);
    ASSERT_EQ(replies.size(), 1u);
    std::thread([&] { replies[0]->send({.status = 201, .body = "later"}); }).join();
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->body, "later");
  }
}

TEST_F(HttpServerReply, ThousandWaitWithoutAThread) {
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(world.connect());
    clients.back().send(get("/later"));
  }
  auto replies = held.wait_for(1000);
  ASSERT_EQ(replies.size(), 1000u);
  auto other = world.connect();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.ask(get("/now"))->body, "now");
  EXPECT_EQ(world.server->connections(), 1001u);
  for (const auto& reply : replies) reply->send({.body = "later"});
  for (auto& client : clients) {
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "later");
  }
  EXPECT_EQ(world.handler.wait_for_done(1100).size(), 1100u);
}

TEST_F(HttpServerReply, CountsOnce) {
  start();
  auto client = world.connect();
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  replies[0]->send({.body = "first"});
  replies[0]->send({.body = "second"});
  EXPECT_EQ(client.read()->body, "first");
  replies[0]->send({.body = "third"});
  replies[0]->wake();
  EXPECT_EQ(client.ask(get("/now"))->body, "now");
}

TEST_F(HttpServerReply, IsAnsweredWhereNobodyDoes) {
  start();
  auto client = world.connect();
  client.send(get("/later"));
  held.wait_for(1).clear();
  const auto answer = client.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
}

TEST_F(HttpServerReply, TellsItsEndOnce) {
  start();
  auto client = world.connect();
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  std::atomic<int> ended = 0, late = 0;
  replies[0]->on_end([&] { ++ended; });
  EXPECT_EQ(ended, 0);
  replies[0]->send({.body = "{}"});
  EXPECT_TRUE(client.read());
  EXPECT_TRUE(eventually([&] { return ended == 1; }));
  replies[0]->on_end([&] { ++late; });
  EXPECT_EQ(late, 1);
  world.server.reset();
  EXPECT_EQ(ended, 1);
}

TEST_F(HttpServerReply, ComesToWhoSendsNothingMore) {
  start();
  auto client = world.connect();
  client.send(get("/later") + get("/later"));
  client.end_sending();
  for (int i = 0; i < 2; ++i) {
    auto replies = held.wait_for(1);
    ASSERT_EQ(replies.size(), 1u);
    // Another one that has gone altogether is noticed meanwhile.
    auto other = world.connect();
    other.send(get("/later"));
    auto others = held.wait_for(1);
    ASSERT_EQ(others.size(), 1u);
    std::atomic<bool> has_ended = false;
    others[0]->on_end([&] { has_ended = true; });
    other.close(true);
    EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
    replies[0]->send({.body = "later"});
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "later");
  }
}

TEST_F(HttpServerReply, HearsThatTheClientIsGone) {
  start();
  for (const bool reset : {false, true}) {
    auto client = world.connect();
    client.send(get("/later"));
    auto replies = held.wait_for(1);
    ASSERT_EQ(replies.size(), 1u);
    std::atomic<int> ended = 0;
    replies[0]->on_end([&] { ++ended; });
    client.close(reset);
    EXPECT_TRUE(eventually([&] { return ended == 1; }));
    EXPECT_TRUE(eventually([&] { return world.server->connections() == 0; }));
    replies[0]->send({.body = "too late"});
    replies[0]->wake();
    EXPECT_EQ(ended, 1);
  }
  EXPECT_EQ(world.handler.wait_for_done(2)[0].status, 499);
}

TEST_F(HttpServerReply, OutlivesTheServer) {
  start();
  auto client = world.connect();
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  std::atomic<int> ended = 0;
  replies[0]->on_end([&] { ++ended; });
  world.server.reset();
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(client.is_closed());
  replies[0]->send({.body = "too late"});
  replies[0]->wake();
  replies[0]->on_end([&] { ++ended; });
  EXPECT_EQ(ended, 2);
}

TEST_F(HttpServerReply, AnswersWhileTheServerEnds) {
  for (int round = 0; round < 20; ++round) {
    HttpWorld one;
    Held replies;
    one.handler.handles = [&](Request, ReplyPtr reply) { replies.add(std::move(reply)); };
    one.start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(one.connect());
      clients.back().send(get("/later"));
    }
    const auto waiting = replies.wait_for(20);
    ASSERT_EQ(waiting.size(), 20u);
    std::thread answering([&] {
      for (const auto& reply : waiting) reply->send({.body = "x"});
    });
    one.server.reset();
    answering.join();
    EXPECT_EQ(one.handler.wait_for_done(20).size(), 20u);
  }
}

// ---- the end of a server

TEST_F(HttpServerReply, DrainWaitsForEveryAnswer) {
  start();
  auto client = world.connect(), idle = world.connect();
  EXPECT_EQ(idle.ask(get("/now"))->body, "now");
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  const auto port = world.server->port();
  world.server->stop_listening();
  world.server->stop_listening();
  RawClient late(port);
  EXPECT_FALSE(late.ask(get("/now")));
  EXPECT_FALSE(world.server->drain(0.05));
  const auto last = idle.ask(get("/now"));  // what is connected goes on, for one more answer
  ASSERT_TRUE(last);
  EXPECT_EQ(last->headers.at("connection"), "close");
  std::thread answering([&] { replies[0]->send({.body = "later"}); });
  EXPECT_TRUE(world.server->drain(10));
  answering.join();
  EXPECT_EQ(client.read()->body, "later");
  EXPECT_TRUE(client.is_closed());
}

// A graceful stop meets clients that connect in the same moment.
TEST_F(HttpServerReply, AThreadThatIsHeldUpHoldsUpNoOther) {
  world.settings.threads = 4;
  std::promise<void> release;
  world.handler.handles = [&, released = release.get_future().share()](const Request& request,
                                                                       const ReplyPtr& reply) {
    if (request.target.path == "/held") released.wait();
    reply->send({.body = request.target.path});
  };
  world.start();
  auto blocked = world.connect();
  blocked.send(get("/held"));
  std::vector<RawClient> others;  // which of the threads each is given to is the library's choice
  for (int i = 0; i < 8; ++i) {
    others.push_back(world.connect());
    others.back().send(get("/other"));
  }
  const auto done = world.handler.wait_for_done(1);
  release.set_value();
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done[0].path, "/other");
  EXPECT_EQ(blocked.read()->body, "/held");
}

// libmicrohttpd reads 128 events at a time; after exactly 128 the server must not wait for more.
TEST_F(HttpServerReply, AllThatArriveAtOnceAreAnswered) {
  world.settings.threads = 1;
  std::promise<void> entered, release;
  world.handler.handles = [&, released = release.get_future().share()](const Request& request,
                                                                       const ReplyPtr& reply) {
    if (request.target.path == "/held") {
      entered.set_value();
      released.wait();
    }
    reply->send({.body = request.target.path});
  };
  world.start();
  auto blocked = world.connect();
  std::vector<RawClient> clients;
  for (int i = 0; i < 256; ++i) {
    clients.push_back(world.connect());
    ASSERT_EQ(clients.back().ask(get("/first"))->body, "/first");
  }
  blocked.send(get("/held"));
  entered.get_future().wait();
  for (auto& client : clients) client.send(get("/second"));
  release.set_value();
  for (auto& client : clients) {
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "/second");
  }
}

TEST_F(HttpServerReply, StopsListeningWhileClientsConnect) {
  world.settings.threads = 4;
  for (int round = 0; round < 60; ++round) {
    world.start();
    const auto port = world.server->port();
    std::atomic<bool> is_over = false;
    std::atomic<int> connected = 0;
    std::vector<std::thread> clients;
    for (int i = 0; i < 2; ++i)
      clients.emplace_back([&] {
        while (!is_over) {
          const RawClient client(port);
          ++connected;
        }
      });
    EXPECT_TRUE(eventually([&] { return connected > 20; }));
    world.server->stop_listening();
    is_over = true;
    for (auto& client : clients) client.join();
    EXPECT_FALSE(RawClient(port).ask(get("/now")));
    world.server.reset();
  }
}

// ---- streams

// Gives what a test puts in.
class TestStream final : public Stream {
 public:
  explicit TestStream(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~TestStream() override { --alive_; }

  std::optional<std::string> next() override {
    ++asked;
    const std::lock_guard lock(mutex_);
    if (parts_.empty()) return is_over_ ? std::nullopt : std::optional<std::string>("");
    auto out = std::move(parts_.front());
    parts_.pop_front();
    return out;
  }

  void put(std::string part) {
    const std::lock_guard lock(mutex_);
    parts_.push_back(std::move(part));
  }
  void end(bool is_broken = false) {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    is_broken_ = is_broken;
  }
  bool is_broken() const override { return is_broken_; }
  bool is_live() const override { return true; }

  std::atomic<int> asked = 0;

 private:
  std::atomic<int>& alive_;
  std::mutex mutex_;
  std::deque<std::string> parts_;
  bool is_over_ = false;
  std::atomic<bool> is_broken_ = false;
};

class HttpServerStream : public HttpServerReply {
 protected:
  struct Open {
    RawClient client;
    ReplyPtr reply;
    std::shared_ptr<TestStream> stream;
  };

  Open open(const std::string& request = get("/stream"), int receive_buffer = 0) {
    Open out{RawClient(world.server->port(), receive_buffer), nullptr,
             std::make_shared<TestStream>(alive)};
    out.client.send(request);
    auto replies = held.wait_for(1);
    EXPECT_EQ(replies.size(), 1u);
    out.reply = replies.at(0);
    out.reply->send({.type = "text/event-stream", .stream = out.stream});
    return out;
  }

  std::atomic<int> alive = 0;
};

TEST_F(HttpServerStream, SendsTheHeadAloneWhereNoMoreIsAskedFor) {
  start();
  auto [client, reply, stream] = open("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto head = client.read(false);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed());  // without a byte of a body
}

TEST_F(HttpServerStream, SendsWhatComes) {
  start();
  auto [client, reply, stream] = open(get("/stream", "Accept-Encoding: gzip\r\n"));
  const auto head = client.read(false);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->headers.at("transfer-encoding"), "chunked");
  EXPECT_FALSE(head->headers.contains("content-encoding"));
  for (int i = 0; i < 10; ++i) {
    stream->put(fmt::format("data: {}\n\n", i));
    reply->wake();
    EXPECT_EQ(client.read_chunk(), fmt::format("data: {}\n\n", i));
  }
  stream->put("last");
  stream->end();
  reply->wake();
  EXPECT_EQ(client.read_chunk(), "last");
  EXPECT_EQ(client.read_chunk(), std::nullopt);
  stream.reset();
  EXPECT_TRUE(eventually([&] { return alive == 0; }));
  EXPECT_EQ(client.ask(get("/now"))->body, "now");
  const auto done = world.handler.wait_for_done(2);
  EXPECT_EQ(done[0].bytes, 10 * 9 + 4u);
}

TEST_F(HttpServerStream, DoesNotAskWhileItWaits) {
  start();
  auto [client, reply, stream] = open();
  ASSERT_TRUE(client.read(false));
  ASSERT_TRUE(eventually([&] { return stream->asked > 0; }));
  auto other = world.connect();
  for (int i = 0; i < 100; ++i) other.ask(get("/now"));
  EXPECT_LE(stream->asked, 2);
}

TEST_F(HttpServerStream, LosesNoWakeUp) {
  start();
  auto [client, reply, stream] = open();
  ASSERT_TRUE(client.read(false));
  constexpr int kParts = 20'000;
  std::thread writer([&, &to = stream, &woken = reply] {
    for (int i = 0; i < kParts; ++i) {
      to->put("0123456789");
      woken->wake();
    }
  });
  std::size_t bytes = 0;
  while (bytes < 10u * kParts) {
    const auto chunk = client.read_chunk();
    if (!chunk) break;
    bytes += chunk->size();
  }
  EXPECT_EQ(bytes, 10u * kParts);
  writer.join();
}

// One part at a time, each put only after the one before was read: every wake-up counts.
TEST_F(HttpServerStream, LosesNoWakeUpOfSlowWriters) {
  start();
  auto [client, reply, stream] = open();
  ASSERT_TRUE(client.read(false));
  for (int i = 0; i < 2000; ++i) {
    stream->put("x");
    reply->wake();
    ASSERT_EQ(client.read_chunk(), "x") << i;
  }
}

TEST_F(HttpServerStream, LargePartsAreSentWhole) {
  start();
  auto [client, reply, stream] = open();
  const std::string large(3u << 20, 'x');
  stream->put(large);
  stream->end();
  reply->wake();
  EXPECT_EQ(client.read()->body, large);
}

TEST_F(HttpServerStream, EndsWithTheOldProtocolsConnection) {
  start();
  auto [client, reply, stream] = open("GET /stream HTTP/1.0\r\n\r\n");
  stream->put("part");
  stream->end();
  reply->wake();
  EXPECT_EQ(client.read()->body, "part");
}

// The reader must not take a part for the whole: there is no last chunk.
TEST_F(HttpServerStream, ThatBreaksBreaksTheConnection) {
  start();
  auto [client, reply, stream] = open();
  stream->put("part");
  stream->end(true);
  reply->wake();
  ASSERT_TRUE(client.read(false));
  EXPECT_EQ(client.read_chunk(), "part");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerStream, HearsThatTheClientIsGone) {
  start();
  for (const bool reset : {false, true}) {
    auto [client, reply, stream] = open();
    ASSERT_TRUE(client.read(false));
    stream.reset();
    std::atomic<int> ended = 0;
    reply->on_end([&] { ++ended; });
    client.close(reset);
    EXPECT_TRUE(eventually([&] { return ended == 1 && alive == 0; }));
  }
}

TEST_F(HttpServerStream, OfClientsThatDoNotReadBlocksNobody) {
  start();
  std::vector<Open> streams;
  for (int i = 0; i < 4; ++i) {
    streams.push_back(open(get("/stream"), 4096));
    for (int part = 0; part < 100; ++part) streams.back().stream->put(std::string(1u << 20, 'x'));
    streams.back().reply->wake();
  }
  auto other = world.connect();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.ask(get("/now"))->body, "now");
  for (const auto& open : streams) EXPECT_LT(open.stream->asked, 90);
  for (auto& open : streams) open.client.close();
  EXPECT_TRUE(eventually([&] { return world.server->connections() == 1; }));
}

TEST_F(HttpServerStream, EndsWithTheServer) {
  start();
  auto [client, reply, stream] = open();
  ASSERT_TRUE(client.read(false));
  stream.reset();
  world.server.reset();
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(client.is_closed());
  reply->wake();
}

TEST_F(HttpServerStream, ThatIsNeverSentIsDestroyed) {
  start();
  auto client = world.connect();
  client.send(get("/later"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  replies[0]->send({.body = "{}"});
  replies[0]->send({.stream = std::make_shared<TestStream>(alive)});
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace vibe::server

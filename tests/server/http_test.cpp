#include "server/http.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json_value.h"
#include "base/unpack.h"
#include "server/http_world.h"

namespace vibe::server {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::StartsWith;

// What the handler sees of a request, as its answer.
void echo(Request request, ReplyPtr reply) {
  std::string body = fmt::format("{} {}", request.method, request.target.path);
  for (const auto& [name, value] : request.target.query) body += fmt::format(" {}={}", name, value);
  if (!request.body.empty()) body += " [" + request.body + "]";
  reply->send({.type = "text/plain", .body = std::move(body)});
}

class HttpServerBasics : public testing::Test {
 protected:
  void start() { world.start(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(world.settings.spool),
                      std::filesystem::directory_iterator()));
  }

  HttpWorld world;
};

TEST_F(HttpServerBasics, KeepsTheConnection) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.ask(get(fmt::format("/api/{}?a=%20b&c", i)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, fmt::format("GET /api/{} a= b c=", i));
  }
  EXPECT_EQ(world.server->connections(), 1u);
}

TEST_F(HttpServerBasics, AnswersPipelinedRequestsInOrder) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  client.send(get("/1") + post("/2", "two") + get("/3"));
  EXPECT_EQ(client.read()->body, "GET /1");
  EXPECT_EQ(client.read()->body, "POST /2 [two]");
  EXPECT_EQ(client.read()->body, "GET /3");
}

TEST_F(HttpServerBasics, AnswersPipelinedRequestsThatWait) {
  Held held;
  world.handler.handles = [&](Request, ReplyPtr reply) { held.add(std::move(reply)); };
  start();
  auto client = world.connect();
  client.send(get("/1") + get("/2"));
  for (int i = 1; i <= 2; ++i) {
    const auto replies = held.wait_for(1);
    ASSERT_EQ(replies.size(), 1u);
    replies[0]->send({.body = std::to_string(i)});
    EXPECT_EQ(client.read()->body, std::to_string(i));
  }
}

TEST_F(HttpServerBasics, ReadsAnyNumberOfParameters) {
  world.handler.handles = [](Request request, ReplyPtr reply) {
    reply->send({.body = std::to_string(request.target.query.size())});
  };
  start();
  auto client = world.connect();
  std::string query;
  for (int i = 0; i < 5000; ++i) query += "a=1&";
  EXPECT_EQ(client.ask(get("/?" + query))->body, "5000");
  EXPECT_EQ(client.ask(post("/?" + query, "body"))->body, "5000");
}

TEST_F(HttpServerBasics, TakesTwoSlashesForOne) {
  world.handler.handles = echo;
  start();
  EXPECT_EQ(world.connect().ask(get("//api/x"))->body, "GET /api/x");
}

TEST_F(HttpServerBasics, ReadsNoBodyWhereThereIsNone) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  EXPECT_EQ(client.ask(get("/a", "Content-Type: application/json\r\n"))->body, "GET /a");
  EXPECT_EQ(
      client.ask("DELETE /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\r\n")->body,
      "DELETE /a");
}

TEST_F(HttpServerBasics, AnswersHeadAsGetWithoutBody) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto answer = client.read(false);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers.at("content-length"), "6");
  EXPECT_EQ(client.ask(get("/b"))->body, "GET /b");
  EXPECT_EQ(world.handler.wait_for_done(1)[0].bytes, 0u);
}

TEST_F(HttpServerBasics, UnknownMethodsReachTheHandler) {
  world.handler.handles = echo;
  start();
  EXPECT_EQ(world.connect().ask("BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n")->body, "BREW /pot");
  EXPECT_EQ(
      world.connect().ask("PATCH /pot HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")->body,
      "PATCH /pot [x]");
}

TEST_F(HttpServerBasics, SpeaksTheOldProtocol) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  const auto answer = client.ask("GET /a HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "GET /a");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerBasics, ClosesForWhoAsksForIt) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  EXPECT_EQ(client.ask(get("/a", "Connection: close\r\n"))->body, "GET /a");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerBasics, AnswersWhoSendsNothingMoreToo) {
  world.handler.handles = echo;
  start();
  auto client = world.connect();
  std::string sent;
  for (int i = 0; i < 20; ++i) sent += get(fmt::format("/{}", i));
  client.send(sent);
  client.end_sending();
  for (int i = 0; i < 20; ++i) {
    const auto answer = client.read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, fmt::format("GET /{}", i));
  }
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerBasics, TellsOfEveryRequestOnce) {
  start();
  auto client = world.connect();
  client.ask(get("/a?secret=1", "X-Request-Id: mine\r\n"));
  client.ask(post("/b", "body"));
  const auto done = world.handler.wait_for_done(2);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].id, "mine");
  EXPECT_EQ(done[0].path, "/a");
  EXPECT_EQ(done[0].status, 200);
  EXPECT_EQ(done[0].bytes, 12u);
  EXPECT_EQ(done[1].method, "POST");
  world.server.reset();
  EXPECT_EQ(world.handler.wait_for_done(2).size(), 2u);
}

TEST_F(HttpServerBasics, NamesTheRequest) {
  start();
  auto client = world.connect();
  const auto id_of = [&](const std::string& sent) {
    return client.ask(get("/", sent))->headers.at("x-request-id");
  };
  EXPECT_EQ(id_of("X-Request-Id: a.B_c-9\r\n"), "a.B_c-9");
  EXPECT_NE(id_of(""), id_of(""));
  EXPECT_GE(id_of("").size(), 8u);
  EXPECT_EQ(id_of("X-Request-Id: a b\r\n").find(' '), std::string::npos);
  EXPECT_LE(id_of("X-Request-Id: " + std::string(65, 'a') + "\r\n").size(), 64u);
}

TEST_F(HttpServerBasics, EveryAnswerIsGuarded) {
  world.handler.handles = [](Request request, ReplyPtr reply) {
    if (request.target.path == "/html") return reply->send({.type = "text/html", .body = "<p>"});
    if (request.target.path == "/kept")
      return reply->send({.body = "{}", .headers = {{"Cache-Control", "max-age=60"}}});
    reply->send({.body = "{}"});
  };
  start();
  auto client = world.connect();
  auto answer = client.ask(get("/"));
  EXPECT_EQ(answer->headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer->headers.at("cache-control"), "no-store");
  EXPECT_EQ(answer->headers.at("content-type"), "application/json");
  EXPECT_FALSE(answer->headers.contains("server"));
  EXPECT_EQ(client.ask(get("/kept"))->headers.at("cache-control"), "max-age=60");
  EXPECT_FALSE(client.ask(get("/html"))->headers.contains("cache-control"));
}

TEST_F(HttpServerBasics, NoAnswerCanAddHeadersOfItsOwn) {
  world.handler.handles = [](Request, ReplyPtr reply) {
    reply->send({.type = "text/plain\r\nX-Evil: 1",
                 .body = "x",
                 .headers = {{"Location", "/a\r\nX-Evil: 2\r\n\r\n<script>"},
                             {"X-Bad\r\nX-Evil", "3"},
                             {"Content-Length", "100"},
                             {"Transfer-Encoding", "chunked"}}});
  };
  start();
  auto client = world.connect();
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ask(get("/"));
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->headers.contains("x-evil"));
    EXPECT_EQ(answer->headers.at("location"), "/a  X-Evil: 2    <script>");
    EXPECT_EQ(answer->body, "x");
  }
}

// ---- gzip

std::string unpacked(const std::string& bytes) {
  auto input = base::unpack(base::Input::of("body", bytes));
  std::string out(1u << 20, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = input->read(out.data() + size, out.size() - size);
    if (!got || *got == 0) break;
    size += *got;
  }
  out.resize(size);
  return out;
}

TEST_F(HttpServerBasics, PacksLargeAnswersForWhoUnpacksThem) {
  const std::string large(75'000, 'x');
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    if (request.target.path == "/small") return reply->send({.body = "small"});
    if (request.target.path == "/image") return reply->send({.type = "image/png", .body = large});
    reply->send({.body = large});
  };
  start();
  auto client = world.connect();
  const auto packed = client.ask(get("/", "Accept-Encoding: deflate, gzip;q=0.5\r\n"));
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->headers.at("content-encoding"), "gzip");
  EXPECT_EQ(packed->headers.at("vary"), "Accept-Encoding");
  EXPECT_LT(packed->body.size(), 2000u);
  EXPECT_EQ(unpacked(packed->body), large);
  EXPECT_EQ(world.handler.wait_for_done(1)[0].bytes, packed->body.size());
  for (const std::string header :
       {"", "Accept-Encoding: gzip;q=0\r\n", "Accept-Encoding: br\r\n"}) {
    const auto plain = client.ask(get("/", header));
    EXPECT_EQ(plain->body, large);
    EXPECT_EQ(plain->headers.at("vary"), "Accept-Encoding");
  }
  EXPECT_FALSE(client.ask(get("/small", "Accept-Encoding: gzip\r\n"))->headers.contains("vary"));
  EXPECT_EQ(client.ask(get("/image", "Accept-Encoding: gzip\r\n"))->body, large);
}

TEST_F(HttpServerBasics, PacksStreamsThatAreNotLive) {
  class Lines : public Stream {
   public:
    explicit Lines(bool is_live) : is_live_(is_live) {}
    bool is_live() const override { return is_live_; }
    std::optional<std::string> next() override {
      return left_-- > 0 ? std::optional(std::string(1000, 'x')) : std::nullopt;
    }

   private:
    const bool is_live_;
    int left_ = 500;
  };
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    reply->send({.stream = std::make_shared<Lines>(request.target.path == "/live")});
  };
  start();
  auto client = world.connect();
  const std::string text(500'000, 'x');
  const auto packed = client.ask(get("/", "Accept-Encoding: gzip\r\n"));
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->headers.at("content-encoding"), "gzip");
  EXPECT_LT(packed->body.size(), 10'000u);
  EXPECT_EQ(unpacked(packed->body), text);
  const auto plain = client.ask(get("/"));
  EXPECT_EQ(plain->body, text);
  EXPECT_EQ(plain->headers.at("vary"), "Accept-Encoding");
  const auto live = client.ask(get("/live", "Accept-Encoding: gzip\r\n"));
  EXPECT_EQ(live->body, text);
  EXPECT_FALSE(live->headers.contains("content-encoding"));
}

TEST_F(HttpServerBasics, SaysWhenToComeBack) {
  world.handler.handles = [](Request, ReplyPtr reply) { reply->send({.status = 503}); };
  start();
  EXPECT_EQ(world.connect().ask(get("/"))->headers.at("retry-after"), "1");
}

// ---- bodies

TEST_F(HttpServerBasics, RefusesBeforeTheBodyIsRead) {
  world.handler.admits = [](const Head& head) {
    const int status = std::atoi(head.target.segments[0].c_str());
    Admission out{.most_bytes = 1000};
    if (status != 413) out.refusal = Response{.status = status, .body = R"({"error": "no"})"};
    return out;
  };
  world.handler.handles = [](Request, ReplyPtr) { ADD_FAILURE() << "it was not to be handled"; };
  start();
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"})
    for (const int status : {401, 404, 405, 413, 415})
      for (const char* length : {"Content-Length: 100000000", "Transfer-Encoding: chunked"}) {
        if (status == 413 && *length == 'T') continue;
        auto client = world.connect();
        client.send(fmt::format("{} /{} HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n5\r\nbegin", method,
                                status, length));
        const auto answer = client.read();
        ASSERT_TRUE(answer) << method << status;
        EXPECT_EQ(answer->status, status);
        EXPECT_THAT(answer->body, HasSubstr("error"));
        EXPECT_TRUE(client.is_closed());
      }
  EXPECT_EQ(world.handler.wait_for_done(36).size(), 36u);
}

TEST_F(HttpServerBasics, RefusalWithoutBodyKeepsTheConnection) {
  world.handler.admits = [](const Head&) {
    return Admission{.refusal = Response{.status = 404, .body = "{}"}};
  };
  start();
  auto client = world.connect();
  EXPECT_EQ(client.ask(get("/a"))->status, 404);
  EXPECT_EQ(client.ask(get("/b"))->status, 404);
  EXPECT_EQ(world.server->connections(), 1u);
}

// A client that sends on, and reads when it is done or cannot go on, sees the answer.
TEST_F(HttpServerBasics, RefusalIsSeenByWhoSendsOn) {
  world.handler.admits = [](const Head&) { return Admission{.most_bytes = 1000}; };
  start();
  for (const bool is_chunked : {false, true}) {
    auto client = world.connect();
    client.send(is_chunked ? "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                           : "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n");
    const std::string part =
        is_chunked ? "10000\r\n" + std::string(65536, 'x') + "\r\n" : std::string(65536, 'x');
    for (int i = 0; i < 300; ++i)
      if (!client.send(part)) break;
    const auto answer = client.read();
    ASSERT_TRUE(answer) << is_chunked;
    EXPECT_EQ(answer->status, 413);
    EXPECT_THAT(answer->body, StartsWith(R"({"error":"the request body is larger than 1000)"));
    EXPECT_TRUE(answer->headers.contains("x-request-id"));
  }
}

TEST_F(HttpServerBasics, ChunkedBodies) {
  world.handler.handles = echo;
  world.handler.admits = [](const Head&) { return Admission{.most_bytes = 10}; };
  start();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto ask = [&](const std::string& chunks) {
    auto client = world.connect();
    auto answer = client.ask(head + chunks);
    EXPECT_TRUE(answer && answer->headers["connection"] == "close") << chunks;
    EXPECT_TRUE(client.is_closed()) << chunks;
    return answer.value_or(Answer{});
  };
  EXPECT_EQ(ask("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n").body, "POST / [helloworld]");
  EXPECT_EQ(ask("0\r\n\r\n").body, "POST /");
  EXPECT_EQ(ask("6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n").status, 413);
  const auto done = world.handler.wait_for_done(3);
  EXPECT_EQ(
      std::count_if(done.begin(), done.end(), [](const Done& one) { return one.status == 413; }),
      1);
}

// The library answers these itself.
TEST_F(HttpServerBasics, ChunksThatCannotBeReadAreTheClientsFault) {
  start();
  for (const char* chunks : {"zz\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX\r\n"}) {
    const auto answer = world.connect().ask(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"s + chunks);
    EXPECT_TRUE(!answer || answer->status == 400) << chunks;
  }
  const auto done = world.handler.wait_for_done(3);
  ASSERT_EQ(done.size(), 3u);
  for (const auto& one : done) EXPECT_EQ(one.status, 400);
}

TEST_F(HttpServerBasics, SaysWhoAsks) {
  std::string peer, network;
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    peer = request.peer;
    network = request.network;
    reply->send({.body = "{}"});
  };
  start();
  ASSERT_TRUE(world.connect().ask(get("/")));
  EXPECT_EQ(peer, "127.0.0.1");
  EXPECT_EQ(network, "127.0.0.1");
}

TEST_F(HttpServerBasics, SaysContinueToWhoAsks) {
  world.handler.handles = echo;
  world.handler.admits = [](const Head&) { return Admission{.most_bytes = 10}; };
  start();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ";
  auto client = world.connect();
  EXPECT_EQ(client.ask(head + "5\r\n\r\n")->status, 100);
  EXPECT_EQ(client.ask("hello")->body, "POST / [hello]");
  EXPECT_EQ(client.ask(head + "11\r\n\r\n")->status, 413);
}

TEST_F(HttpServerBasics, KeepsBodiesInFiles) {
  Held held;
  std::string path, text;
  world.handler.admits = [](const Head&) {
    return Admission{.most_bytes = 1u << 20, .to_file = true};
  };
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    path = request.body_file;
    text = base::read_file(path, 1u << 20).value();
    held.add(std::move(reply));
  };
  start();
  auto client = world.connect();
  const std::string body(300'000, 'b');
  client.send(post("/", body));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(text, body);
  struct stat file{};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  EXPECT_THAT(path, StartsWith(world.settings.spool));
  replies[0]->send({.body = "{}"});
  EXPECT_EQ(client.read()->status, 200);
  EXPECT_TRUE(eventually([&] { return files() == 0; }));
}

TEST_F(HttpServerBasics, RemovesFilesOfClientsThatDisappear) {
  Held held;
  world.handler.admits = [](const Head&) {
    return Admission{.most_bytes = 1u << 20, .to_file = true};
  };
  world.handler.handles = [&](Request, ReplyPtr reply) { held.add(std::move(reply)); };
  start();
  auto half = world.connect();
  half.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nbegin");
  EXPECT_TRUE(eventually([&] { return files() == 1; }));
  half.close();
  EXPECT_TRUE(eventually([&] { return files() == 0; }));
  auto whole = world.connect();
  whole.send(post("/", "body"));
  auto replies = held.wait_for(1);
  ASSERT_EQ(replies.size(), 1u);
  whole.close(true);
  std::atomic<bool> has_ended = false;
  replies[0]->on_end([&] { has_ended = true; });
  EXPECT_TRUE(eventually([&] { return has_ended.load(); }));
  replies.clear();
  EXPECT_TRUE(eventually([&] { return files() == 0; }));
}

TEST_F(HttpServerBasics, AFolderThatIsNotThereIsAnError) {
  world.handler.admits = [](const Head&) { return Admission{.most_bytes = 100, .to_file = true}; };
  world.settings.spool += "/none";
  start();
  const auto answer = world.connect().ask(post("/", "body"));
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body.find("/none"), std::string::npos);  // it is the operator's
  const auto problems = world.handler.problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], StartsWith(answer->headers.at("x-request-id") + ": "));
  EXPECT_THAT(problems[0], HasSubstr("/none`: no such file or directory"));
}

TEST_F(HttpServerBasics, LargeBodiesInFilesCostNoMemory) {
  std::atomic<std::size_t> size = 0;
  world.handler.admits = [](const Head&) {
    return Admission{.most_bytes = 200u << 20, .to_file = true};
  };
  world.handler.handles = [&](Request request, ReplyPtr reply) {
    size = std::filesystem::file_size(request.body_file);
    reply->send({.body = "{}"});
  };
  start();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  auto client = world.connect();
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n");
  const std::string part(1u << 20, 'x');
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.send(part));
  EXPECT_EQ(client.read()->status, 200);
  EXPECT_EQ(size, 100u << 20);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 40 << 10);  // KiB
}

// ---- what is no request

struct BadRequest {
  const char* name;
  std::string bytes;
};

class BadRequests : public testing::TestWithParam<BadRequest> {};

TEST_P(BadRequests, AreRefused) {
  HttpWorld world;
  world.handler.handles = [](Request, ReplyPtr) { ADD_FAILURE() << "it was not to be handled"; };
  world.start();
  auto client = world.connect();
  client.send(GetParam().bytes);
  const auto answer = client.read();
  EXPECT_TRUE(!answer || (answer->status >= 400 && answer->status < 600)) << answer->status;
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(world.connect().ask("GET /. HTTP/1.1\r\nHost: x\r\n\r\n")->status, 400);  // it goes on
}

const std::string kPost = "POST / HTTP/1.1\r\nHost: x\r\n";

INSTANTIATE_TEST_SUITE_P(
    HttpServer, BadRequests,
    testing::Values(
        BadRequest{"noise", std::string("\x16\x03\x01\x02\0\x01\r\n\r\n", 10)},
        BadRequest{"no_version", "GET /\r\n\r\n"}, BadRequest{"no_host", "GET / HTTP/1.1\r\n\r\n"},
        BadRequest{"space_in_target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"http_2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        BadRequest{"space_before_colon", kPost + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"name_of_no_header", "GET / HTTP/1.1\r\nHost: x\r\nX\xc3\x28: 1\r\n\r\n"},
        BadRequest{"no_colon", "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n"},
        BadRequest{"two_lengths", kPost + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody"},
        BadRequest{"equal_lengths", kPost + "Content-Length: 4\r\nContent-Length: 4\r\n\r\nbody"},
        BadRequest{"list_of_lengths", kPost + "Content-Length: 4, 4\r\n\r\nbody"},
        BadRequest{"negative_length", kPost + "Content-Length: -1\r\n\r\nbody"},
        BadRequest{"signed_length", kPost + "Content-Length: +4\r\n\r\nbody"},
        BadRequest{"hex_length", kPost + "Content-Length: 0x4\r\n\r\nbody"},
        BadRequest{"empty_length", kPost + "Content-Length:\r\n\r\nbody"},
        BadRequest{"huge_length", kPost + "Content-Length: 99999999999999999999999\r\n\r\nbody"},
        BadRequest{"length_and_chunked",
                   kPost + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{
            "chunked_twice",
            kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"identity", kPost + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"},
        BadRequest{"gzip_chunked", kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"xchunked", kPost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"chunked_in_1_0",
                   "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"bad_chunk", kPost + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"},
        BadRequest{"negative_chunk",
                   kPost + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"},
        BadRequest{"huge_chunk",
                   kPost + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nhello\r\n"},
        BadRequest{"huge_head", get("/", "X-Large: " + std::string(400'000, 'x') + "\r\n")},
        BadRequest{"large_target", get("/" + std::string(60'000, 'x'))}),
    [](const auto& row) { return row.param.name; });

TEST_F(HttpServerBasics, MalformedTargetsAreAnsweredInJson) {
  start();
  auto client = world.connect();
  for (const char* target : {"/a/../b", "/%zz", "/%00", "/a?b=%ff", "*"}) {
    const auto answer = client.ask(get(target));
    ASSERT_TRUE(answer) << target;
    EXPECT_EQ(answer->status, 400) << target;
    EXPECT_THAT(answer->body, StartsWith(R"({"error":)"));
  }
  EXPECT_EQ(world.handler.wait_for_done(5).size(), 5u);
}

TEST_F(HttpServerBasics, HeadsUpToTheLimitAreRead) {
  world.settings.most_header_bytes = 32u << 10;
  start();
  auto client = world.connect();
  const std::string body(250'000, 'x');
  std::string headers;
  for (int i = 0; i < 150; ++i) headers += fmt::format("X-{}: {}\r\n", i, std::string(180, 'x'));
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ask(i == 0 ? get("/", headers) : post("/", body, headers));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
  const auto answer = client.ask(get("/", "X-Large: " + std::string(36'000, 'x') + "\r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 431);
}

// What comes with the end of a request that breaks off is not waited for.
TEST_F(HttpServerBasics, WhatBreaksOffEnds) {
  start();
  for (const std::string sent : {"G", "GET / HTTP/1.1\r\nHost", "GET / HTTP/1.1\r\nHost: x\r\n",
                                 "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx"}) {
    for (int i = 0; i < 20; ++i) {
      auto client = world.connect();
      client.send(sent);
      client.end_sending();
      EXPECT_TRUE(client.is_closed() || client.read()) << sent;
    }
  }
  EXPECT_TRUE(eventually([&] { return world.server->connections() == 0; }));
}

// ---- start

TEST_F(HttpServerBasics, AnAddressThatIsTakenIsADiagnostic) {
  start();
  auto settings = world.settings;
  settings.port = world.server->port();
  const auto second = HttpServer::start(settings, world.handler);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().all()[0].code, base::Code::cannot_listen);
  EXPECT_THAT(second.error().all()[0].message, HasSubstr("cannot listen on `127.0.0.1:"));
  settings.address = "203.0.113.1";
  EXPECT_FALSE(HttpServer::start(settings, world.handler));
  settings.address = "no such name";
  EXPECT_FALSE(HttpServer::start(settings, world.handler));
}

TEST_F(HttpServerBasics, ACertificateThatIsNoneIsADiagnostic) {
  world.settings.certificate = world.settings.key = world.folder.path() + "/cert.pem";
  EXPECT_FALSE(HttpServer::start(world.settings, world.handler));
  std::ofstream(world.settings.key) << "nonsense";
  const auto started = HttpServer::start(world.settings, world.handler);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().all()[0].code, base::Code::cannot_listen);
  EXPECT_THAT(started.error().all()[0].hint, HasSubstr("cert.pem"));
}

}  // namespace
}  // namespace vibe::server

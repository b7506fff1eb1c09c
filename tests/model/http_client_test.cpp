#include "model/http_client.h"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <signal.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "model/http.h"

namespace vibe::model {
namespace {

using testing::HasSubstr;

TEST(HttpClient, SendsAndReceives) {
  const ModelServer server;
  const auto client = open_client();
  const auto response = fetch(*client, chat(server, "say \"héllo\""));
  EXPECT_EQ(response.fault, Fault::none);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.tries, 1);
  EXPECT_EQ(response.header("content-type"), "application/json");
  EXPECT_EQ(response.header("missing"), "");
  EXPECT_THAT(response.body, HasSubstr("\"content\":\"héllo\""));
  const auto stats = server.stats();
  const auto* seen = stats.pointer("/recent/0");
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->text_of("method"), "POST");
  EXPECT_EQ(seen->text_of("body"), test::chat_body("say \"héllo\""));
  const auto* headers = seen->find("headers");
  EXPECT_EQ(headers->text_of("authorization"), "Bearer sk-secret");
  EXPECT_EQ(headers->text_of("content-type"), "application/json");
  EXPECT_EQ(headers->text_of("user-agent"), "vibecheck");
}

TEST(HttpClient, KnowsOtherMethods) {
  const ModelServer server;
  const auto client = open_client(0.01, 1);  // the same handle for all of them
  HttpRequest request;
  request.url = server.url("/v1/models");
  for (const auto* method : {"GET", "DELETE", "HEAD", "GET", "PUT"}) {
    request.method = method;
    const auto response = fetch(*client, request);
    EXPECT_EQ(response.status, request.method == "GET" ? 200 : 405) << method;
    EXPECT_EQ(response.body.empty(), request.method == "HEAD") << method;
  }
  const auto stats = server.stats();
  std::vector<std::string_view> methods;
  for (const auto& seen : *stats.find("recent")->array()) methods.push_back(seen.text_of("method"));
  EXPECT_THAT(methods, testing::ElementsAre("GET", "DELETE", "HEAD", "GET", "PUT"));
}

TEST(HttpClient, SendsLargeBodiesAtOnce) {  // no waiting for `100 Continue`
  const ModelServer server;
  const auto client = open_client();
  auto request = chat(server, std::string(3u << 20, 'x'));
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.status, 200);
  EXPECT_GT(response.body.size(), 3u << 20);
  EXPECT_EQ(server.stats().pointer("/recent/0/headers/expect"), nullptr);
}

TEST(HttpClient, ManyInFlightReuseConnections) {
  const ModelServer server({"--latency", "300"});
  const auto client = open_client();
  const auto all = fetch_many(*client, chat(server, "hello"), 2000, 500);
  ASSERT_EQ(all.size(), 2000);
  for (const auto& response : all) EXPECT_EQ(response.status, 200) << response.message;
  EXPECT_EQ(server.count("/requests"), 2000);
  EXPECT_LE(server.count("/connections"), 500 + 5);  // and those that ask for the stats
  EXPECT_GE(server.count("/most_in_flight"), 400);
}

TEST(HttpClient, KeepsToItsConnections) {
  const ModelServer server({"--latency", "5"});
  const auto client = open_client(0.01, 10);
  const auto all = fetch_many(*client, chat(server, "hello"), 200, 200);
  EXPECT_EQ(all.size(), 200);
  EXPECT_EQ(server.count("/most_in_flight"), 10);
  EXPECT_LE(server.count("/connections"), 10 + 3);
}

TEST(HttpClient, LatencyIsTheServersOwn) {
  const ModelServer server({"--latency", "100"});
  const auto client = open_client();
  const auto all = fetch_many(*client, chat(server, "hello"), 500, 50);
  double sum = 0;
  for (const auto& response : all) {
    EXPECT_GE(response.latency, 0.099);
    sum += response.latency;
  }
  const auto stats = server.stats();
  const double measured = stats.number_of("mean_latency").value_or(0);
  EXPECT_GE(measured, 0.1);
  // Less than 10 ms on a quiet machine; a busy one, with sanitizers, gets more.
  EXPECT_NEAR(sum / static_cast<double>(all.size()), measured, 0.1);
}

TEST(HttpClient, LatencyIsOfTheLastTry) {
  const ModelServer server;
  const auto client = open_client(1);
  const auto started = std::chrono::steady_clock::now();
  const auto response = fetch(*client, chat(server, "fail=503x1,retry-after=0 latency=20"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  EXPECT_EQ(response.tries, 2);
  EXPECT_GE(response.latency, 0.019);
  EXPECT_LT(response.latency, took.count() - 0.019);
}

TEST(HttpClient, RetriesWhatMayPass) {
  const ModelServer server;
  const auto client = open_client();
  for (const int status : {408, 409, 429, 500, 502, 503, 529}) {
    const auto response = fetch(*client, chat(server, fmt::format("fail={}x2 say \"ok\"", status)));
    EXPECT_EQ(response.status, 200) << status;
    EXPECT_EQ(response.tries, 3) << status;
    EXPECT_EQ(server.count(fmt::format("/by_status/{}", status)), 2);
  }
  EXPECT_EQ(server.count("/requests"), 7 * 3);
}

TEST(HttpClient, GivesUpAfterFiveTries) {
  const ModelServer server;
  const auto client = open_client();
  const auto response = fetch(*client, chat(server, "fail=500x9"));
  EXPECT_EQ(response.fault, Fault::none);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.tries, kMostTries);
  EXPECT_THAT(response.body, HasSubstr("The server had an error."));
  EXPECT_EQ(server.count("/requests"), kMostTries);
}

TEST(HttpClient, DoesNotRetryRefusals) {
  const ModelServer server({"--require-key", "sk-other"});
  const auto client = open_client();
  const auto response = fetch(*client, chat(server, "hello"));
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.tries, 1);
  EXPECT_THAT(response.body, HasSubstr("invalid_api_key"));
  EXPECT_EQ(server.count("/requests"), 1);
}

TEST(HttpClient, WaitsAsAskedFor) {
  const ModelServer server;
  const auto client = open_client(1);
  for (const auto* prompt : {"fail=429x1,retry-after=1 a", "fail=429x1,retry-after-ms=1000 b",
                             "fail=429x1,retry-date=2 c"}) {
    const auto started = std::chrono::steady_clock::now();
    const auto response = fetch(*client, chat(server, prompt));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    EXPECT_EQ(response.status, 200) << prompt;
    EXPECT_EQ(response.tries, 2) << prompt;
    EXPECT_GE(took.count(), 1.0) << prompt;
  }
}

struct HttpFault {
  std::string_view prompt;
  Fault fault;
  int tries;
  std::string_view message;
};

TEST(HttpClient, TellsWhatWentWrong) {
  const ModelServer server;
  const auto client = open_client();
  const std::vector<HttpFault> cases{
      {"reset", Fault::connection, kMostTries,
       "the connection to {} broke: connection reset by peer"},
      {"truncate=connection", Fault::connection, kMostTries,
       "{} closed the connection in the middle of the response"},
      {"huge=2000000", Fault::too_large, 1, "the response from {} is too large"},
      {"latency=60000", Fault::timed_out, 1, "no complete response from {} within 0.5 s"},
      {"drip=100", Fault::timed_out, 1, "no complete response from {} within 0.5 s"},
  };
  for (const auto& row : cases) {
    auto request = chat(server, row.prompt);
    request.most_bytes = 1'000'000;
    request.timeout = 0.5;
    const auto response = fetch(*client, request);
    EXPECT_EQ(response.fault, row.fault) << row.prompt;
    EXPECT_EQ(response.tries, row.tries) << row.prompt;
    EXPECT_EQ(response.message,
              fmt::format(fmt::runtime(row.message), fmt::format("127.0.0.1:{}", server.port())));
    EXPECT_EQ(response.status, 0);
    EXPECT_EQ(response.body, "");
  }
  // What stays is usable.
  EXPECT_EQ(fetch(*client, chat(server, "hello")).status, 200);
}

TEST(HttpClient, RetriesBrokenConnections) {
  const ModelServer server;
  const auto client = open_client();
  const auto response = fetch(*client, chat(server, "reset=2 say \"ok\""));
  EXPECT_EQ(response.fault, Fault::none);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.tries, 3);
  EXPECT_THAT(response.message, "");
}

TEST(HttpClient, LargestBodyIsTaken) {
  const ModelServer server;
  const auto client = open_client();
  auto request = chat(server, "huge=100000");
  const auto size = fetch(*client, request).body.size();
  ASSERT_GT(size, 100'000);
  request.most_bytes = size;
  EXPECT_EQ(fetch(*client, request).fault, Fault::none);
  request.most_bytes = size - 1;
  EXPECT_EQ(fetch(*client, request).fault, Fault::too_large);
}

TEST(HttpClient, NobodyListens) {
  const auto client = open_client();
  const int port = dead_port();
  HttpRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/v1?key=secret", port);
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.fault, Fault::connection);
  EXPECT_EQ(response.tries, kMostTries);
  EXPECT_EQ(response.message,
            fmt::format("cannot connect to 127.0.0.1:{}: connection refused", port));
}

TEST(HttpClient, UnknownHost) {
  const auto client = open_client();
  HttpRequest request;
  request.url = "https://no..where/";
  Gathered gathered;  // those behind the first are not lost
  for (int i = 0; i < 20; ++i) client->send(request, gathered.one());
  for (const auto& response : gathered.all()) {
    EXPECT_EQ(response.fault, Fault::connection);
    EXPECT_EQ(response.message, "cannot find the host of no..where:443");
  }
}

TEST(HttpClient, RefusesBadRequests) {
  const auto client = open_client();
  struct Bad {
    std::string method, url;
    Headers headers;
  };
  const std::vector<Bad> cases{
      {"POST", "", {}},
      {"POST", "ftp://127.0.0.1/", {}},
      {"POST", "file:///etc/passwd", {}},
      {"POST", "http://", {}},
      {"POST", "http://127.0.0.1:99999/", {}},
      {"POST", "http://127.0.0.1/\r\nX: y", {}},
      {"GET /\r\n", "http://127.0.0.1/", {}},
      {"", "http://127.0.0.1/", {}},
      {"POST", "http://127.0.0.1/", {{"X", "a\r\nY: b"}}},
      {"POST", "http://127.0.0.1/", {{"X\nY", "a"}}},
      {"POST", "http://127.0.0.1/", {{"", "a"}}},
  };
  for (const auto& row : cases) {
    HttpRequest request;
    request.method = row.method;
    request.url = row.url;
    request.headers = row.headers;
    const auto response = fetch(*client, request);
    EXPECT_EQ(response.fault, Fault::bad_request) << row.method << " " << row.url;
    EXPECT_NE(response.message, "");
  }
}

TEST(HttpClient, CancelsInFlightWaitingAndQueued) {
  const ModelServer server;
  const auto client = open_client(1000, 20);
  Gathered gathered;
  for (int i = 0; i < 10; ++i) client->send(chat(server, "fail=500"), gathered.one());
  // The ten are in their backoff (of minutes) when the server has answered them all.
  while (server.count("/by_status/500") < 10) std::this_thread::yield();
  for (int i = 0; i < 50; ++i) client->send(chat(server, "latency=100000"), gathered.one());
  while (server.count("/in_flight") < 20) std::this_thread::yield();
  EXPECT_EQ(gathered.came(), 0);
  const auto started = std::chrono::steady_clock::now();
  client->cancel_all();
  Gathered after;
  client->send(chat(server, "say \"still here\""), after.one());
  for (const auto& response : gathered.all()) {
    EXPECT_EQ(response.fault, Fault::cancelled);
    EXPECT_EQ(response.message, "cancelled");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  ASSERT_EQ(after.all().size(), 1);
  EXPECT_EQ(after.all()[0].fault, Fault::none);
  EXPECT_THAT(after.all()[0].body, HasSubstr("still here"));
}

TEST(HttpClient, CancelsWhatWasJustSent) {
  const ModelServer server({"--latency", "100000"});
  const auto client = open_client();
  Gathered gathered;
  for (int i = 0; i < 100; ++i) client->send(chat(server, "hello"), gathered.one());
  client->cancel_all();
  for (const auto& response : gathered.all()) EXPECT_EQ(response.fault, Fault::cancelled);
}

TEST(HttpClient, EndsWithAllAnswersGiven) {
  const ModelServer server({"--latency", "100000"});
  Gathered gathered;
  HttpClient* raw = nullptr;  // answers come until the client has ended
  {
    const auto client = open_client();
    raw = client.get();
    for (int i = 0; i < 100; ++i)
      client->send(chat(server, "hello"), [&, done = gathered.one()](HttpResponse response) {
        if (gathered.came() == 0) raw->send(chat(server, "late"), gathered.one());
        done(std::move(response));
      });
    while (server.count("/in_flight") < 100) std::this_thread::yield();
  }
  EXPECT_EQ(gathered.came(), 101);
  for (const auto& response : gathered.all()) EXPECT_EQ(response.fault, Fault::cancelled);
}

TEST(HttpClient, WithoutAThreadThereIsNone) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  static_cast<void>(open_client());  // what is loaded once stays open
  const auto before = descriptors();
  pthread_attr_t usual, huge;  // no thread gets a stack of 64 TiB
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  const auto client = HttpClient::open({});
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().all().front().code, base::Code::no_client);
  EXPECT_THAT(base::render(client.error()), HasSubstr("cannot start the HTTP client: "));
  EXPECT_EQ(descriptors(), before);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
}

TEST(HttpClient, SocketsAreNotForOtherPrograms) {
  const ModelServer server;
  const auto client = open_client();
  ASSERT_EQ(fetch(*client, chat(server, "hello")).status, 200);
  int connections = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (ntohs(peer.sin_port) != server.port()) continue;
    ++connections;
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(connections, 1);
}

}  // namespace
}  // namespace vibe::model

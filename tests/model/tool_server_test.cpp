// Servers of tools that run in Node.js: made with the protocol's own library, its server of
// examples, and many that do not do as they should (tests/model/tool_server.mjs).
#include "model/tool_server.h"

#include <future>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/http.h"
#include "model/server.h"

namespace vibe::model {
namespace {

using Result = tl::expected<ToolResult, Failure>;

class ToolServers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    node_ = new test::Listener(
        {"/usr/bin/env", "node", VIBE_SOURCE_DIR "/tests/model/tool_server.mjs"});
  }
  static void TearDownTestSuite() {
    delete node_;
    node_ = nullptr;
  }

  static ToolServerSettings settings(std::string_view path) {
    ToolServerSettings out;
    out.url = fmt::format("http://127.0.0.1:{}{}", node_->port(), path);
    out.name = "test";
    out.client.retry_scale = 0.01;
    return out;
  }

  static std::unique_ptr<ToolServer> open(const ToolServerSettings& settings) {
    auto server = ToolServer::open(settings);
    EXPECT_TRUE(server.has_value()) << base::render(server.error());
    return server ? *std::move(server) : nullptr;
  }
  static std::unique_ptr<ToolServer> open(std::string_view path) { return open(settings(path)); }

  static Result call(ToolServer& server, const std::string& name, const std::string& arguments) {
    std::promise<Result> called;
    server.call(name, arguments, [&](Result result) { called.set_value(std::move(result)); });
    return called.get_future().get();
  }

  // The result as words.
  static std::string told(const Result& result) {
    if (!result)
      return fmt::format("{}: {}", to_string(result.error().kind), result.error().message);
    return (result->failed ? "failed: " : "") + result->text;
  }
  static std::string said(ToolServer& server, const std::string& name,
                          const std::string& arguments = "{}") {
    return told(call(server, name, arguments));
  }

  static base::JsonValue control(std::string_view line) {
    const auto answer =
        test::ask(node_->port(), fmt::format("{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                             "Content-Length: 0\r\n\r\n",
                                             line));
    const auto from = answer.find('{'), to = answer.rfind('}');
    if (from == std::string::npos || to == std::string::npos) return {};
    return base::parse_json(answer.substr(from, to - from + 1)).value_or(base::JsonValue());
  }
  // What the server saw on a path: `METHOD SESSION? VERSION`, in order.
  static std::vector<std::string> seen(std::string_view path) {
    std::vector<std::string> out;
    const auto log = control("GET /log");
    const auto* posts = log.find("posts");
    for (std::size_t i = 0; posts && posts->at(i); ++i)
      if (const auto& post = *posts->at(i); post.text_of("path") == path)
        out.push_back(fmt::format("{}{} {}", post.text_of("method"),
                                  post.text_of("session").empty() ? "" : " in session",
                                  post.text_of("version")));
    return out;
  }

  static test::Listener* node_;
};
test::Listener* ToolServers::node_ = nullptr;

class Kinds : public ToolServers, public testing::WithParamInterface<const char*> {};
TEST_P(Kinds, AreSpokenTo) {
  const auto server = open(GetParam());
  ASSERT_TRUE(server);
  ASSERT_EQ(server->tools().size(), 9u);
  EXPECT_EQ(server->tools()[0].name, "add");
  EXPECT_EQ(server->tools()[0].description, "Adds two numbers");
  const auto schema = base::parse_json(server->tools()[0].parameters);
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(*schema->pointer("/properties/a/type")->text(), "number");
  EXPECT_EQ(said(*server, "add", R"({"a": 1, "b": 2})"), "3");
  EXPECT_EQ(said(*server, "nothing", ""), "done");
  EXPECT_EQ(said(*server, "fail"), "failed: the disk is full");
  EXPECT_EQ(said(*server, "throw"), "failed: it broke");
  EXPECT_EQ(said(*server, "mixed"),
            "a picture:\n[image: image/png, 1234 bytes]\n[resource: file:///a.txt]\n"
            "[resource: file:///b.txt]\nbeta\n[resource: file:///c.bin: a/b, 3 bytes]");
  EXPECT_EQ(said(*server, "structured"), R"({"degrees":21})");
  EXPECT_EQ(said(*server, "sub"), "failed: there is no tool `sub`");
  EXPECT_EQ(said(*server, "add", "[]"), "failed: the arguments are not a JSON object");
  EXPECT_NE(said(*server, "add", R"({"a": "x"})").find("failed: "), std::string::npos);
  EXPECT_EQ(said(*server, "huge", R"({"bytes": 3000000})").size(), 3'000'000u);
  EXPECT_EQ(
      said(*server, "huge", R"({"bytes": 50000000})"),
      fmt::format("failed: the response is too large: the response from 127.0.0.1:{} is too large",
                  node_->port()));
  EXPECT_EQ(said(*server, "add", R"({"a": 2, "b": 2})"), "4");  // nothing was lost
}
INSTANTIATE_TEST_SUITE_P(Servers, Kinds,
                         testing::Values("/stateful", "/stateful-events", "/stateless",
                                         "/stateless-events"));

TEST_F(ToolServers, AreGreetedAndLeft) {
  const auto deletes = [] { return control("GET /log").integer_of("deletes").value_or(-1); };
  const auto before = deletes();
  {
    const auto server = open("/stateful");
    ASSERT_TRUE(server);
    EXPECT_EQ(said(*server, "nothing"), "done");
  }
  EXPECT_EQ(seen("/stateful"),
            (std::vector<std::string>{
                "initialize ", "notifications/initialized in session 2025-06-18",
                "tools/list in session 2025-06-18", "tools/call in session 2025-06-18"}));
  EXPECT_EQ(deletes(), before + 1);
  open("/stateless");
  EXPECT_EQ(deletes(), before + 1);
}

TEST_F(ToolServers, MayAskTheClientMeanwhile) {
  const auto server = open("/stateful-events");
  ASSERT_TRUE(server);
  EXPECT_EQ(said(*server, "ask_back"), "ping answered, roots refused with -32601");
}

TEST_F(ToolServers, AreGreetedAgainWhenTheyForget) {
  const auto server = open("/stateful");
  ASSERT_TRUE(server);
  const auto greetings = [] {
    const auto all = seen("/stateful");
    return std::count(all.begin(), all.end(), "initialize ");
  };
  const auto before = greetings();
  control("POST /forget");
  constexpr int kCalls = 20;
  std::vector<std::promise<Result>> called(kCalls);
  for (auto& one : called)
    server->call("add", R"({"a":1,"b":1})",
                 [&](Result result) { one.set_value(std::move(result)); });
  for (auto& one : called) EXPECT_EQ(told(one.get_future().get()), "2");
  EXPECT_EQ(greetings(), before + 1);
}

TEST_F(ToolServers, TakeAToken) {
  auto wanted = settings("/token");
  wanted.token = "right-token";
  const auto server = open(wanted);
  ASSERT_TRUE(server);
  EXPECT_EQ(said(*server, "nothing"), "done");

  const auto without = ToolServer::open(settings("/token"));
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().all()[0].message,
            "the tool server `test` cannot be used: HTTP 401: unauthorized: undefined");
  EXPECT_EQ(without.error().all()[0].hint, "it requires an `authorization_token`");
  wanted.token = "wrong-token";
  const auto with = ToolServer::open(wanted);
  ASSERT_FALSE(with.has_value());
  EXPECT_EQ(with.error().all()[0].code, base::Code::no_tools);
  EXPECT_EQ(with.error().all()[0].message,
            "the tool server `test` cannot be used: HTTP 401: unauthorized: Bearer [key]");
  EXPECT_EQ(with.error().all()[0].hint, "it does not accept the `authorization_token`");
}

struct RefusedToolServer {
  const char* path;
  std::string why;
};
const std::vector<RefusedToolServer> kRefused{
    RefusedToolServer{"/page",
                      "expected a JSON-RPC reply, but it is not valid JSON: `<html>hello</html>`"},
    RefusedToolServer{"/refused", "error -32000: go away"},
    RefusedToolServer{"/forbidden", "HTTP 403: not you"},
    RefusedToolServer{"/nowhere", "HTTP 404: nothing here"},
    RefusedToolServer{"/moved", "HTTP 307: moved to `http://elsewhere.example/mcp`"},
    RefusedToolServer{"/busy", "HTTP 500: too busy"},
    RefusedToolServer{"/silent", "no response within 0.5 s"},
    RefusedToolServer{"/newer", "it uses protocol version `2031-01-01`, which vibe does not know"},
    RefusedToolServer{"/toolless", "it has no tools"},
    RefusedToolServer{"/empty", "it has no tools"},
    RefusedToolServer{"/twice", "it has two tools called `add`"},
    RefusedToolServer{"/spaces",
                      "its tool `add numbers` has an invalid name: models accept 1 to 64 letters, "
                      "digits, `_` and `-`"},
    RefusedToolServer{"/list-schema",
                      "the `inputSchema` of its tool `add` is not an object schema"},
    RefusedToolServer{"/no-schema", "the `inputSchema` of its tool `add` is not an object schema"},
    RefusedToolServer{"/no-list", "its tool list is not a list"},
    RefusedToolServer{"/endless", "its tool list does not end"},
    RefusedToolServer{"/circle", "its tool list does not end"}};
// In one test: each would start a server of its own.
TEST_F(ToolServers, AreRefusedBeforeAModelIsAsked) {
  for (const RefusedToolServer& row : kRefused) {
    SCOPED_TRACE(row.path);
    auto wanted = settings(row.path);
    wanted.timeout = std::string_view(row.path) == "/silent" ? 0.5 : 60;
    const auto server = ToolServer::open(wanted);
    ASSERT_FALSE(server.has_value());
    EXPECT_EQ(server.error().all()[0].code, base::Code::no_tools);
    EXPECT_EQ(server.error().all()[0].message, "the tool server `test` cannot be used: " + row.why);
  }
}

TEST_F(ToolServers, ListTheirToolsInPages) {
  const auto server = open("/pages");
  ASSERT_TRUE(server);
  ASSERT_EQ(server->tools().size(), 3u);
  EXPECT_EQ(server->tools()[2].name, "tool-2");
  EXPECT_EQ(server->tools()[2].parameters, R"({"type":"object","properties":{}})");
}

TEST_F(ToolServers, AreSpokenToInTheirVersion) {
  const auto server = open("/older");
  ASSERT_TRUE(server);
  EXPECT_EQ(said(*server, "add"), "3");
  EXPECT_EQ(seen("/older").back(), "tools/call 2025-03-26");
}

struct WrongCase {
  const char* path;
  std::string result;  // its beginning; `PORT` stands for the port
};
const std::vector<WrongCase> kWrong{
    WrongCase{"/drop",
              "failed: no connection: 127.0.0.1:PORT closed the connection without a response"},
    WrongCase{"/drop-events",
              "failed: no connection: 127.0.0.1:PORT closed the connection in "
              "the middle of the response"},
    WrongCase{"/no-reply", "failed: expected a JSON-RPC reply: `data: "},
    WrongCase{"/other-id", "failed: expected a JSON-RPC reply: `{"},
    WrongCase{"/garbage", "failed: expected a JSON-RPC reply, but "},
    WrongCase{"/no-content", "failed: the tool's result has no `content` list"},
    WrongCase{"/call-error", "failed: error -32602: no such thing"},
    WrongCase{"/call-500", "failed: HTTP 500: it crashed"},
    WrongCase{"/call-403",
              "refused: the tool server `test`: HTTP 403: Bearer right-token "
              "expired; check its `authorization_token`"},
    WrongCase{"/list-of-replies", "3"},
    WrongCase{"/open", "3"}};
TEST_F(ToolServers, ThatDoWrongAreTold) {
  for (const WrongCase& row : kWrong) {
    SCOPED_TRACE(row.path);
    const auto server = open(row.path);
    ASSERT_TRUE(server);
    std::string got = said(*server, "add");
    const std::string port = std::to_string(node_->port());
    if (const auto at = got.find(port); at != std::string::npos)
      got.replace(at, port.size(), "PORT");
    EXPECT_EQ(got.substr(0, row.result.size()), row.result) << got;
    const auto all = seen(row.path);  // it was not sent again
    EXPECT_EQ(std::count(all.begin(), all.end(), "tools/call 2025-06-18"), 1);
  }
}

TEST_F(ToolServers, HaveSoMuchTime) {
  auto wanted = settings("/hang");
  wanted.timeout = 0.3;
  {
    const auto server = open(wanted);
    ASSERT_TRUE(server);
    EXPECT_EQ(said(*server, "add"), "failed: no response within 0.3 s");
    EXPECT_EQ(said(*server, "add"), "failed: no response within 0.3 s");
  }
  EXPECT_GE(control("GET /log").integer_of("cancelled").value_or(0), 1);
}

TEST_F(ToolServers, AreCancelled) {
  const auto server = open("/hang");
  ASSERT_TRUE(server);
  std::vector<std::promise<Result>> called(3);
  for (auto& one : called)
    server->call("add", "{}", [&](Result result) { one.set_value(std::move(result)); });
  server->cancel();
  for (auto& one : called) EXPECT_EQ(told(one.get_future().get()), "cancelled: cancelled");
}

TEST_F(ToolServers, EndWhatIsInFlightWhenTheyEnd) {
  std::promise<Result> called;
  {
    const auto server = open("/hang");
    ASSERT_TRUE(server);
    server->call("add", "{}", [&](Result result) { called.set_value(std::move(result)); });
  }
  EXPECT_EQ(told(called.get_future().get()), "cancelled: cancelled");
}

TEST_F(ToolServers, ThatAreGoneEndTheAnswer) {
  auto own = std::make_unique<test::Listener>(std::vector<std::string>{
      "/usr/bin/env", "node", VIBE_SOURCE_DIR "/tests/model/tool_server.mjs"});
  auto wanted = settings("/stateless");
  const int port = own->port();
  wanted.url = fmt::format("http://127.0.0.1:{}/stateless", port);
  const auto server = open(wanted);
  ASSERT_TRUE(server);
  own.reset();
  const auto result = call(*server, "nothing", "");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, Failure::Kind::unreachable);
  EXPECT_EQ(result.error().message,
            fmt::format("the tool server `test`: no connection: cannot connect to 127.0.0.1:{}: "
                        "connection refused",
                        port));
  EXPECT_EQ(result.error().tries, kMostTries);

  wanted.name.clear();
  const auto reopened = ToolServer::open(wanted);
  ASSERT_FALSE(reopened.has_value());
  EXPECT_TRUE(reopened.error().all()[0].message.starts_with(
      fmt::format("the tool server `127.0.0.1:{}` cannot be used: no connection: ", port)));
}

TEST_F(ToolServers, HaveAnAddress) {
  ToolServerSettings wanted;
  wanted.url = "stdio:server";
  const auto server = ToolServer::open(wanted);
  ASSERT_FALSE(server.has_value());
  EXPECT_EQ(server.error().all()[0].message,
            "the `url` of the tool server is `stdio:server`, which is not an address");
  wanted.url = "http://127.0.0.1:1/mcp";
  wanted.token = "two words";
  const auto spaced = ToolServer::open(wanted);
  ASSERT_FALSE(spaced.has_value());
  EXPECT_EQ(spaced.error().all()[0].message,
            "the `authorization_token` contains characters that are not allowed in a token");
}

TEST(ServerOfExamples, IsSpokenTo) {
  const test::Listener node(
      {"/usr/bin/env", "node", VIBE_SOURCE_DIR "/tests/model/everything_server.mjs"});
  ToolServerSettings settings;
  settings.url = fmt::format("http://127.0.0.1:{}/mcp", node.port());
  auto server = ToolServer::open(settings);
  ASSERT_TRUE(server.has_value()) << base::render(server.error());
  const auto said = [&](const std::string& name, const std::string& arguments) {
    std::promise<Result> called;
    (*server)->call(name, arguments, [&](Result result) { called.set_value(std::move(result)); });
    const auto result = called.get_future().get();
    return result ? (result->failed ? "failed: " : "") + result->text : result.error().message;
  };
  EXPECT_EQ(said("echo", R"({"message": "hello"})"), "Echo: hello");
  EXPECT_EQ(said("get-sum", R"({"a": 2, "b": 3})"), "The sum of 2 and 3 is 5.");
  EXPECT_NE(said("get-tiny-image", "{}").find("[image: image/png, "), std::string::npos);
  EXPECT_EQ(said("trigger-long-running-operation", R"({"duration": 0.2, "steps": 2})"),
            "Long running operation completed. Duration: 0.2 seconds, Steps: 2.");
  EXPECT_TRUE(said("get-sum", R"({"a": "x"})").starts_with("failed: "));
}

}  // namespace
}  // namespace vibe::model

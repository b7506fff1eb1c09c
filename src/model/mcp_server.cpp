// A tool server over streamable HTTP: each message is a POST; the response is JSON, or an event
// stream with the reply as one of its events.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "model/json_rpc.h"
#include "model/mcp.h"
#include "model/provider.h"
#include "model/tool_server.h"

namespace vibe::model {

namespace {

using Fault = HttpResponse::Fault;

constexpr std::size_t kMostTools = 1000, kMostPages = 100;
constexpr double kFarewellTimeout = 2;  // seconds

// The response to one request, read while it arrives.
class Incoming {
 public:
  Incoming(std::int64_t id, std::function<void(const rpc::Asked&)> on_asked)
      : id_(id), on_asked_(std::move(on_asked)) {}

  // True when the reply has arrived.
  bool take(const HttpResponse& so_far) {
    if (!is_stream(so_far)) return false;
    if (!reader_ || so_far.tries != try_) begin(so_far.tries);
    reader_->add_events(std::string_view(so_far.body).substr(read_));
    read_ = so_far.body.size();
    return reader_->reply().has_value();
  }

  tl::expected<rpc::Reply, Failure> finish(const HttpResponse& response, double timeout) {
    if (auto failed = failure_of(response, timeout)) return tl::unexpected(*std::move(failed));
    if (is_stream(response)) {
      take(response);
      reader_->finish_events();
    } else {
      begin(response.tries);
      reader_->read(response.body);
    }
    if (reader_->reply()) return *reader_->reply();
    const std::string& problem = reader_->problem();
    Failure failure = malformed(
        problem.empty() ? "expected a JSON-RPC reply" : "expected a JSON-RPC reply, but " + problem,
        response.body);
    failure.tries = response.tries;
    return tl::unexpected(std::move(failure));
  }

 private:
  static bool is_stream(const HttpResponse& response) {
    return base::lower_ascii(response.header("content-type")).starts_with("text/event-stream");
  }

  void begin(int number) {
    reader_ = std::make_unique<rpc::ReplyReader>(id_, on_asked_);
    try_ = number;
    read_ = 0;
  }

  const std::int64_t id_;
  const std::function<void(const rpc::Asked&)> on_asked_;
  std::unique_ptr<rpc::ReplyReader> reader_;
  int try_ = 0;
  std::size_t read_ = 0;  // bytes of the body
};

struct Session {
  std::string id;  // empty: the server keeps no sessions
  std::string version;
  std::uint64_t number = 0;  // counts the sessions
};

Failure of_error(const rpc::Error& error) {
  Failure out = own_failure(Failure::Kind::refused, fmt::format("error {}: ", error.code));
  out.message += excerpt(error.message);
  return out;
}

// True if calling other tools would also fail.
bool ends_all(const HttpResponse& response) {
  switch (response.fault) {
    case Fault::none: {
      const int status = response.status;
      return status == 401 || status == 403 || status == 404 || status == 405;
    }
    case Fault::cancelled:
    case Fault::certificate:
    case Fault::bad_request:
    case Fault::not_public: return true;
    case Fault::timed_out:
    case Fault::connection: return !response.sent;
    case Fault::too_large: return false;
  }
  std::abort();
}

class McpServer final : public ToolServer {
 public:
  McpServer(const ToolServerSettings& settings, std::string name,
            std::unique_ptr<HttpClient> client)
      : settings_(settings), name_(std::move(name)), client_(std::move(client)) {}

  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  ~McpServer() override {
    client_->cancel_all();
    Session session;
    {
      const std::lock_guard lock(mutex_);
      session = session_;
    }
    if (session.id.empty()) return;
    HttpRequest request = http_request(session);
    request.method = "DELETE";
    request.timeout = kFarewellTimeout;
    request.most_tries = 1;
    std::promise<void> gone;
    client_->send(std::move(request), [&](const HttpResponse&) { gone.set_value(); });
    gone.get_future().wait();
  }

  // Called first, and not from the client's thread.
  base::Result<void> start() {
    std::promise<tl::expected<Session, Failed>> greeted;
    greet([&](auto session) { greeted.set_value(std::move(session)); });
    const auto session = wait_for(greeted.get_future());
    if (!session) return unusable(session.error());
    session_ = *session;
    return list_tools();
  }

  const std::vector<Tool>& tools() const override { return tools_; }

  void call(const std::string& name, const std::string& arguments, Called done) override {
    const bool is_known = std::any_of(tools_.begin(), tools_.end(),
                                      [&](const Tool& tool) { return tool.name == name; });
    if (!is_known) {
      done(ToolResult{fmt::format("there is no tool `{}`", shown(name)), true});
      return;
    }
    auto params = mcp::call_params(name, arguments);
    if (!params) {
      done(ToolResult{std::move(params.error()), true});
      return;
    }
    send_call(std::make_shared<Call>(Call{*std::move(params), std::move(done)}));
  }

  void cancel() override { client_->cancel_all(); }

 private:
  struct Call {
    std::string params;
    Called done;
    bool was_renewed = false;  // a new session was started for it
  };
  using CallPtr = std::shared_ptr<Call>;

  // What went wrong, and the response's status and fault if there was one.
  struct Failed {
    Failure failure;
    int status = 0;
    Fault fault = Fault::none;
  };
  using Greeted = std::function<void(tl::expected<Session, Failed>)>;
  using Replied = std::function<void(tl::expected<rpc::Reply, Failure>, const HttpResponse&)>;

  HttpRequest http_request(const Session& session) const {
    HttpRequest out;
    out.url = settings_.url;
    out.timeout = settings_.timeout;
    if (!settings_.token.empty())
      out.headers.emplace_back("authorization", "Bearer " + settings_.token);
    if (!session.version.empty()) out.headers.emplace_back("mcp-protocol-version", session.version);
    if (!session.id.empty()) out.headers.emplace_back("mcp-session-id", session.id);
    return out;
  }

  HttpRequest post(const Session& session, std::string body) const {
    HttpRequest out = http_request(session);
    out.headers.emplace_back("content-type", "application/json");
    out.headers.emplace_back("accept", "application/json, text/event-stream");
    out.body = std::move(body);
    return out;
  }

  // Sends a message without waiting for a reply.
  void tell(const Session& session, std::string body) {
    HttpRequest request = post(session, std::move(body));
    request.most_tries = 1;
    client_->send(std::move(request), [](const HttpResponse&) {});
  }

  void send(const Session& session, std::string_view method, std::string_view params, bool once,
            Replied done) {
    const std::int64_t id = next_id_++;
    const auto incoming = std::make_shared<Incoming>(
        id, [this, session](const rpc::Asked& asked) { tell(session, rpc::answer(asked)); });
    HttpRequest request = post(session, rpc::request(id, method, params));
    request.once = once;
    request.complete = [incoming](const HttpResponse& so_far) { return incoming->take(so_far); };
    client_->send(std::move(request), [this, id, session, incoming, once,
                                       done = std::move(done)](const HttpResponse& response) {
      auto reply = incoming->finish(response, settings_.timeout);
      if (!reply) redact(reply.error(), {settings_.token});
      if (once && response.fault == Fault::timed_out && response.sent)
        tell(session, rpc::notification("notifications/cancelled",
                                        fmt::format(R"({{"requestId":{}}})", id)));
      done(std::move(reply), response);
    });
  }

  void greet(Greeted done) {
    send({}, "initialize", mcp::greeting(), false,
         [this, done = std::move(done)](auto reply, const HttpResponse& response) {
           const auto fail = [&](Failure failure) {
             done(tl::unexpected(Failed{std::move(failure), response.status, response.fault}));
           };
           if (!reply) return fail(std::move(reply.error()));
           if (reply->error) return fail(of_error(*reply->error));
           auto version = mcp::read_greeting(reply->result);
           if (!version)
             return fail({Failure::Kind::malformed, std::move(version.error()), response.tries});
           confirm(
               {std::string(response.header("mcp-session-id")), *std::move(version), ++sessions_},
               done);
         });
  }

  void confirm(Session session, Greeted done) {
    HttpRequest request = post(session, rpc::notification("notifications/initialized", {}));
    client_->send(std::move(request), [this, session = std::move(session),
                                       done = std::move(done)](const HttpResponse& response) {
      if (auto failed = failure_of(response, settings_.timeout)) {
        redact(*failed, {settings_.token});
        done(tl::unexpected(Failed{*std::move(failed), response.status, response.fault}));
      } else {
        done(session);
      }
    });
  }

  base::Result<void> list_tools() {
    std::unordered_set<std::string> names;
    std::string cursor;
    for (std::size_t pages = 0;; ++pages) {
      auto page = list_page(cursor);
      if (!page) return unusable(page.error());
      for (Tool& tool : page->tools) {
        if (!names.insert(tool.name).second)
          return unusable(
              malformed_list(fmt::format("it has two tools called `{}`", masked(tool.name))));
        tools_.push_back(std::move(tool));
      }
      if (tools_.size() > kMostTools)
        return unusable(malformed_list(fmt::format("it has more than {} tools", kMostTools)));
      if (page->next.empty()) break;
      if (pages + 1 == kMostPages || page->next == cursor)
        return unusable(malformed_list("its tool list does not end"));
      cursor = std::move(page->next);
    }
    if (tools_.empty()) return unusable(malformed_list("it has no tools"));
    return {};
  }

  // While the server is opened: cancels requests in flight if the caller asks for it.
  template <class Reply>
  Reply wait_for(std::future<Reply> reply) {
    constexpr std::chrono::milliseconds kLook{50};
    while (settings_.is_cancelled && reply.wait_for(kLook) != std::future_status::ready)
      if (settings_.is_cancelled()) client_->cancel_all();
    return reply.get();
  }

  static Failed malformed_list(std::string message) {
    return {own_failure(Failure::Kind::malformed, std::move(message))};
  }

  tl::expected<mcp::Page, Failed> list_page(const std::string& cursor) {
    base::JsonWriter params;
    params.begin_object();
    if (!cursor.empty()) params.key("cursor").string(cursor);
    params.end_object();
    std::promise<tl::expected<mcp::Page, Failed>> listed;
    send(session_, "tools/list", params.text(), false,
         [&](auto reply, const HttpResponse& response) {
           const auto fail = [&](Failure failure) {
             listed.set_value(
                 tl::unexpected(Failed{std::move(failure), response.status, response.fault}));
           };
           if (!reply) return fail(std::move(reply.error()));
           if (reply->error) return fail(of_error(*reply->error));
           auto page = mcp::read_tools(reply->result);
           if (!page) return fail({Failure::Kind::malformed, std::move(page.error())});
           listed.set_value(*std::move(page));
         });
    return wait_for(listed.get_future());
  }

  std::string masked(std::string text) const {
    if (settings_.mask) settings_.mask(text);
    return text;
  }
  // The part of its message that may be shown.
  std::string masked(const Failure& failure) const {
    return failure.message.substr(0, failure.own) + masked(failure.message.substr(failure.own));
  }

  tl::unexpected<base::Diagnostics> unusable(const Failed& failed) const {
    std::string hint;
    if (failed.status == 401 || failed.status == 403)
      hint = settings_.token.empty() ? "it requires an `authorization_token`"
                                     : "it does not accept the `authorization_token`";
    else if (failed.status == 404 || failed.status == 405)
      hint = "`url` must be its streamable HTTP endpoint, such as `https://HOST/mcp`";
    const bool is_permitted = failed.fault != Fault::not_public;
    if (!is_permitted)
      hint = "give it a public address, or ask the operator of this server to allow it";
    return base::fail(
        is_permitted ? base::Code::no_tools : base::Code::not_permitted, {},
        fmt::format("the tool server `{}` cannot be used: {}", name_, masked(failed.failure)),
        std::move(hint));
  }

  void send_call(const CallPtr& call) {
    Session session;
    {
      const std::lock_guard lock(mutex_);
      if (is_renewing_) {
        waiting_.push_back(call);
        return;
      }
      session = session_;
    }
    send(session, "tools/call", call->params, true,
         [this, call, session](const auto& reply, const HttpResponse& response) {
           // The protocol says 404; servers made from its first examples say 400.
           const bool is_lost = response.status == 404 || response.status == 400;
           if (is_lost && !session.id.empty() && !call->was_renewed)
             renew(call, session);
           else
             call->done(result_of(reply, response));
         });
  }

  // The server has forgotten the session: starts a new one for all waiting calls.
  void renew(const CallPtr& call, const Session& lost) {
    call->was_renewed = true;
    bool begins = false, is_there = false;
    {
      const std::lock_guard lock(mutex_);
      is_there = !is_renewing_ && session_.number != lost.number;
      begins = !is_renewing_ && !is_there;
      if (!is_there) waiting_.push_back(call);
      is_renewing_ = is_renewing_ || begins;
    }
    if (is_there) send_call(call);
    if (begins) greet([this](const auto& greeted) { renewed(greeted); });
  }

  void renewed(const tl::expected<Session, Failed>& greeted) {
    std::vector<CallPtr> calls;
    {
      const std::lock_guard lock(mutex_);
      is_renewing_ = false;
      calls.swap(waiting_);
      if (greeted) session_ = *greeted;
    }
    for (const CallPtr& call : calls) {
      if (greeted)
        send_call(call);
      else
        call->done(tl::unexpected(ending(greeted.error().failure, greeted.error().status)));
    }
  }

  tl::expected<ToolResult, Failure> result_of(const tl::expected<rpc::Reply, Failure>& reply,
                                              const HttpResponse& response) const {
    if (!reply && ends_all(response)) return tl::unexpected(ending(reply.error(), response.status));
    if (!reply) return ToolResult{reply.error().message, true};
    if (reply->error) return ToolResult{of_error(*reply->error).message, true};
    auto result = mcp::read_result(reply->result);
    if (!result) return ToolResult{std::move(result.error()), true};
    return *std::move(result);
  }

  Failure ending(Failure failure, int status) const {
    if (failure.kind == Failure::Kind::cancelled) return failure;
    const bool by_token = status == 401 || status == 403;
    failure.message = fmt::format("the tool server `{}`: {}{}", name_, masked(failure),
                                  by_token ? "; check its `authorization_token`" : "");
    failure.own = failure.message.size();
    return failure;
  }

  const ToolServerSettings settings_;
  const std::string name_;
  std::vector<Tool> tools_;
  std::atomic<std::int64_t> next_id_ = 1;
  std::atomic<std::uint64_t> sessions_ = 0;

  std::mutex mutex_;  // guards the next three
  Session session_;
  bool is_renewing_ = false;
  std::vector<CallPtr> waiting_;  // for a new session

  std::unique_ptr<HttpClient>
      client_;  // last: destroyed first, and its callbacks use the other members
};

std::string host_and_port(std::string_view url) {
  const base::Url parts = base::split_url(url);
  return shown(parts.port.empty() ? std::string(parts.host)
                                  : fmt::format("{}:{}", parts.host, parts.port));
}

bool can_be_sent(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

base::Result<std::unique_ptr<ToolServer>> ToolServer::open(const ToolServerSettings& settings) {
  const auto masked = [&](std::string text) {
    if (settings.mask) settings.mask(text);
    return text;
  };
  if (!base::is_http_url(settings.url) || !can_be_sent(settings.url))
    return base::fail(base::Code::no_tools, {},
                      fmt::format("the `url` of the tool server is `{}`, which is not an address",
                                  shown(masked(settings.url))),
                      "start it with `http://` or `https://`: vibe uses streamable HTTP");
  if (!can_be_sent(settings.token))
    return base::fail(
        base::Code::no_tools, {},
        "the `authorization_token` contains characters that are not allowed in a token",
        "look for spaces, quotes or line breaks in it");
  HttpOptions options = settings.client;
  options.mask = settings.mask;
  VIBE_TRY(auto client, HttpClient::open(options));
  std::string name =
      settings.name.empty() ? masked(host_and_port(settings.url)) : shown(masked(settings.name));
  auto server = std::make_unique<McpServer>(settings, std::move(name), std::move(client));
  VIBE_TRY(server->start());
  return server;
}

}  // namespace vibe::model

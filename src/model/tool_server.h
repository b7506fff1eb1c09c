// ToolServer: a server of tools that speaks the Model Context Protocol over HTTP, and a model that
// uses them. Knows nothing of suites. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "base/diagnostic.h"
#include "model/http_client.h"
#include "model/model.h"

namespace vibe::model {

inline constexpr int kMostRounds = 25;          // of calls, for one answer
inline constexpr std::size_t kMostCalls = 128;  // in one round

struct ToolServerSettings {
  std::string url;
  std::string name;     // in messages; empty: the URL's host
  std::string token;    // sent as `Authorization: Bearer …`; empty: none
  double timeout = 60;  // seconds, for each call
  // Takes secrets out of what messages quote: name, address, what the server said; may be empty.
  std::function<void(std::string&)> mask{};
  HttpOptions client{};
  // Asked every now and then while the server is opened, which ends soon once it says so; may be
  // empty.
  std::function<bool()> is_cancelled{};
};

struct ToolResult {
  std::string text{};
  bool failed = false;  // the tool says that it could not do it
};

class ToolServer {
 public:
  using Called = std::function<void(tl::expected<ToolResult, Failure>)>;

  // Greets the server and asks for its tools, which takes a while. What is wrong with it is found
  // here, before a model is asked.
  static base::Result<std::unique_ptr<ToolServer>> open(const ToolServerSettings& settings);
  virtual ~ToolServer() = default;  // cancels what is in flight, and ends the session

  virtual const std::vector<Tool>& tools() const = 0;
  // `arguments` is JSON text, as a model gave it. Calls `done` exactly once, from any thread,
  // perhaps before it returns. What goes wrong with one call is a result that failed, for the
  // model to read: the tool's own error, a tool that is not there, bad arguments, no answer in
  // time, a connection that broke, an answer that cannot be understood. A Failure says that there
  // is no sense in going on: the server cannot be reached, refuses the client, or cancel() was
  // called. A call that the server may have received is not sent again.
  virtual void call(const std::string& name, const std::string& arguments, Called done) = 0;
  virtual void cancel() = 0;  // ends what is in flight, soon, with Failure::Kind::cancelled
};

// Answers as `model` does, given the tools of `server`: what it calls is carried out, all calls of
// one answer at the same time, and it is asked again, at most kMostRounds times; tokens, cost,
// tries and latency (of the model alone) add up. Calls that have their result already, as those
// of a recording, are left alone. To cancel it does not concern others who use the server.
std::unique_ptr<Model> with_tools(std::unique_ptr<Model> model, std::shared_ptr<ToolServer> server);

}  // namespace vibe::model

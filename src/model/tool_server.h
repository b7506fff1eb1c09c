// ToolServer: a tool server that speaks the Model Context Protocol over HTTP, and a model that uses
// its tools. Knows nothing of suites. Safe from any thread.
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

inline constexpr int kMostRounds = 25;          // rounds of calls for one answer
inline constexpr std::size_t kMostCalls = 128;  // calls in one round

struct ToolServerSettings {
  std::string url;
  std::string name;     // for messages; empty: the URL's host
  std::string token;    // sent as `Authorization: Bearer …`; empty: none
  double timeout = 60;  // seconds, for each call
  // Redacts what messages quote: name, address, the server's words; may be empty.
  std::function<void(std::string&)> mask{};
  HttpOptions client{};
  // Polled while the server is opened; opening stops soon after it returns true. May be empty.
  std::function<bool()> is_cancelled{};
};

struct ToolResult {
  std::string text{};
  bool failed = false;  // the tool reports an error
};

class ToolServer {
 public:
  using Called = std::function<void(tl::expected<ToolResult, Failure>)>;

  // Greets the server and asks for its tools, which takes a while. Its faults are found here,
  // before a model is asked.
  static base::Result<std::unique_ptr<ToolServer>> open(const ToolServerSettings& settings);
  virtual ~ToolServer() = default;  // cancels calls in flight and ends the session

  virtual const std::vector<Tool>& tools() const = 0;
  // `arguments` is JSON text, as a model gave it. Calls `done` exactly once, from any thread,
  // perhaps before it returns. If one call goes wrong, its result has `failed` set, for the model
  // to read: the tool's own error, an unknown tool, bad arguments, a timeout, a broken connection,
  // an answer that cannot be understood. A Failure means that further calls are pointless: the
  // server cannot be reached, refuses the client, or cancel() was called. A call that the server
  // may have received is not sent again.
  virtual void call(const std::string& name, const std::string& arguments, Called done) = 0;
  virtual void cancel() = 0;  // soon ends calls in flight with Failure::Kind::cancelled
};

// Answers like `model`, with the tools of `server`: carries out its calls, all calls of one answer
// at the same time, and asks it again, at most kMostRounds times. Tokens, cost, tries and latency
// (of the model alone) add up. Calls that already have their result, as in a recording, are left
// alone. Cancelling it does not affect others that use the server.
std::unique_ptr<Model> with_tools(std::unique_ptr<Model> model, std::shared_ptr<ToolServer> server);

}  // namespace vibe::model

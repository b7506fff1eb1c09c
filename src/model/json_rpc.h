// JSON-RPC 2.0 as the Model Context Protocol uses it: requests out, and the reply to one of them
// found in what a server sends. Private to model/. Knows nothing of tools. Pure, but for
// ReplyReader, which belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_value.h"
#include "model/event_stream.h"

namespace vibe::model::rpc {

// `params` is JSON; empty: none.
std::string request(std::int64_t id, std::string_view method, std::string_view params);
std::string notification(std::string_view method, std::string_view params);

struct Error {
  std::int64_t code = 0;
  std::string message{};  // as the server says it
};

struct Reply {
  base::JsonValue result{};
  std::optional<Error> error{};  // in place of the result
};

// What the server asks of the client meanwhile, and all that it is told: that the client is there,
// and that it can do nothing else.
struct Asked {
  std::string id;  // as JSON
  std::string method;
};
std::string answer(const Asked& asked);

class ReplyReader {
 public:
  explicit ReplyReader(std::int64_t id, std::function<void(const Asked&)> on_asked = {});
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  void add_events(std::string_view bytes) { events_.add(bytes); }  // of an event stream
  void finish_events() { events_.finish(); }
  void read(std::string_view document);  // one message, or a list of them

  const std::optional<Reply>& reply() const { return reply_; }
  // What was not understood on the way; empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  void read_message(const base::JsonValue& message);

  std::int64_t id_;
  std::function<void(const Asked&)> on_asked_;
  EventStream events_;
  std::optional<Reply> reply_;
  std::string problem_;
};

}  // namespace vibe::model::rpc

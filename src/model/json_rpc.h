// JSON-RPC 2.0 as the Model Context Protocol uses it: writes requests, and finds the reply to one
// of them in what a server sends. Private to model/. Knows nothing of tools. Pure except for
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
  std::string message{};  // in the server's words
};

struct Reply {
  base::JsonValue result{};
  std::optional<Error> error{};  // instead of the result
};

// A request from the server to the client. The answer to a ping is that the client is there; to
// anything else, that the client has no such method.
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

  void add_events(std::string_view bytes) { events_.add(bytes); }  // from an event stream
  void finish_events() { events_.finish(); }
  void read(std::string_view document);  // one message, or a list of them

  const std::optional<Reply>& reply() const { return reply_; }
  // What is wrong with the first message that was not understood; empty: nothing.
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

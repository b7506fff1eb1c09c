// EventStream: the bytes of a `text/event-stream` → its events, as they come, in pieces of any
// size. Knows nothing of what is in them. Work and memory are linear in the bytes. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vibe::model {

struct Event {
  std::string type{};  // `message` where the stream names none
  std::string data{};  // its lines, joined by a line break
  std::string id{};    // the last one that the stream named
};

class EventStream {
 public:
  using Handler = std::function<void(const Event&)>;
  // `comment` is called for each line that is one, as servers send them to show that they live.
  explicit EventStream(Handler handler, std::function<void()> comment = {})
      : handler_(std::move(handler)), comment_(std::move(comment)) {}

  void add(std::string_view bytes);
  // The stream has ended: an event whose blank line is missing counts, too.
  void finish();

 private:
  void end_line();
  void dispatch();

  Handler handler_;
  std::function<void()> comment_;
  std::string line_;
  Event event_;
  bool has_data_ = false;
  bool after_return_ = false;  // a line feed next belongs to the line before
  bool is_first_ = true;       // which may begin with a byte order mark
};

}  // namespace vibe::model

// EventStream: the bytes of a `text/event-stream`, in pieces of any size → its events, as they
// arrive. Does not interpret them. Work and memory are linear in the bytes. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vibe::model {

struct Event {
  std::string type{};  // `message` if the stream names none
  std::string data{};  // its lines, joined by a line break
  std::string id{};    // the last id in the stream
};

class EventStream {
 public:
  using Handler = std::function<void(const Event&)>;
  // `comment` is called for each comment line; servers send them as a heartbeat.
  explicit EventStream(Handler handler, std::function<void()> comment = {})
      : handler_(std::move(handler)), comment_(std::move(comment)) {}

  void add(std::string_view bytes);
  // The stream has ended: an event without its closing blank line also counts.
  void finish();

 private:
  void end_line();
  void dispatch();

  Handler handler_;
  std::function<void()> comment_;
  std::string line_;
  Event event_;
  bool has_data_ = false;
  bool after_return_ = false;  // a line feed now belongs to the previous line
  bool is_first_ = true;       // the first line may begin with a byte order mark
};

}  // namespace vibe::model

#include "model/event_stream.h"

#include <algorithm>

namespace vibe::model {

void EventStream::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (after_return_ && bytes[0] == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    const auto end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line();
  }
}

void EventStream::finish() {
  if (!line_.empty()) end_line();
  dispatch();
}

void EventStream::end_line() {
  std::string_view line = line_;
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (is_first_ && line.starts_with(kMark)) line.remove_prefix(kMark.size());
  is_first_ = false;
  if (line.empty()) {
    dispatch();
  } else {  // a comment is a field with an empty name
    const auto colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name.empty() && comment_) comment_();
    if (name == "data") {
      if (has_data_) event_.data += '\n';
      event_.data += value;
      has_data_ = true;
    } else if (name == "event") {
      event_.type = value;
    } else if (name == "id" && value.find('\0') == std::string_view::npos) {
      event_.id = value;
    }
  }
  line_.clear();
}

void EventStream::dispatch() {
  if (event_.type.empty()) event_.type = "message";
  if (!event_.data.empty()) handler_(event_);
  event_.type.clear();
  event_.data.clear();
  has_data_ = false;
}

}  // namespace vibe::model

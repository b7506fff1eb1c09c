// Gzip: compresses text (unpack.h unpacks it). Pure, safe from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

// Prefers speed to size. None: the result would not be smaller, or out of memory.
std::optional<std::string> gzip(std::string_view text);

// For text that comes in parts. Belongs to one thread.
class Gzip {
 public:
  static std::unique_ptr<Gzip> begin();  // null: out of memory
  virtual ~Gzip() = default;
  // The output that is ready to send; may be empty.
  virtual std::string add(std::string_view part) = 0;
  virtual std::string end() = 0;  // the rest
};

}  // namespace vibe::base

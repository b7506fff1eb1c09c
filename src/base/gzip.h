// Gzip: text packed for who is able to unpack it (unpack.h does). Pure, safe from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

// As fast as possible, not as small. None: it would not be smaller, or there is no memory.
std::optional<std::string> gzip(std::string_view text);

// Of a text that comes in parts. Belongs to one thread.
class Gzip {
 public:
  static std::unique_ptr<Gzip> begin();  // null: there is no memory
  virtual ~Gzip() = default;
  // What can be sent: it may be nothing yet.
  virtual std::string add(std::string_view part) = 0;
  virtual std::string end() = 0;  // the rest
};

}  // namespace vibe::base

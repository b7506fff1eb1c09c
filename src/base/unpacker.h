// Unpacker: undoes one compression method, piece by piece. Does no file access and has no limits:
// callers that pass bytes from any source must limit the output (zip.h, unpack.h). An Unpacker
// belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace vibe::base {

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // Consumes bytes from the front of `in` and produces at most `most` bytes, which must not be 0.
  // If it produces none, it has consumed all of `in`, and either needs more or has reached the end.
  // False: the bytes are damaged, everything before the damage was already returned, and step()
  // must not be called again.
  virtual bool step(std::string_view& in, char* to, std::size_t most, std::size_t& made) = 0;
  // After a step that produced nothing: whether the packed bytes may end here.
  virtual bool complete() const = 0;
  // What is wrong, after a failed step.
  virtual std::string_view problem() const { return "its bytes are damaged"; }
};

std::unique_ptr<Unpacker> make_stored();
std::unique_ptr<Unpacker> make_deflated();  // one raw stream, and nothing after it
std::unique_ptr<Unpacker> make_gzip();      // members, each with its checksum, and zero padding
std::unique_ptr<Unpacker> make_zstd();      // frames; skippable ones produce nothing

}  // namespace vibe::base

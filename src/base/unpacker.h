// Unpacker: one method of packing, undone piece by piece. Knows no files and no limits: who gives
// it bytes of any origin bounds what it makes (zip.h, unpack.h). An Unpacker belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace vibe::base {

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // Takes bytes off the front of `in` and makes at most `most`, which is not 0. Where none is made
  // all of `in` is taken, and more is needed or this is the end. False: the bytes are damaged,
  // what was made before them has been given, and no further step is to be asked for.
  virtual bool step(std::string_view& in, char* to, std::size_t most, std::size_t& made) = 0;
  // After a step that made nothing: whether the packed bytes may end here.
  virtual bool complete() const = 0;
  // What is wrong, after a step that failed.
  virtual std::string_view problem() const { return "its bytes are damaged"; }
};

std::unique_ptr<Unpacker> make_stored();
std::unique_ptr<Unpacker> make_deflated();  // one raw stream, and nothing after it
std::unique_ptr<Unpacker> make_gzip();      // members, each checked, and zeros after them
std::unique_ptr<Unpacker> make_zstd();      // frames; of skippable ones nothing is made

}  // namespace vibe::base

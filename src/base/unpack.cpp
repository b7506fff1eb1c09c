#include "base/unpack.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/unpacker.h"

namespace vibe::base {

namespace {

constexpr std::size_t kHead = 4;  // bytes that identify the compression

bool begins_gzip(std::string_view head) { return head.starts_with("\x1F\x8B\x08"); }

bool begins_zstd(std::string_view head) {
  if (head.starts_with("\x28\xB5\x2F\xFD")) return true;
  // a skippable frame; there are sixteen kinds
  return head.size() >= kHead && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
}

struct Packing {
  bool (*begins)(std::string_view head);
  std::unique_ptr<Unpacker> (*make)();
};
constexpr std::array kPackings{
    Packing{begins_gzip, make_gzip},
    Packing{begins_zstd, make_zstd},
};

class UnpackedSource final : public ByteSource {
 public:
  UnpackedSource(Input input, const Packing& packing, const UnpackLimits& limits)
      : input_(std::move(input)),
        begins_(packing.begins),
        unpacker_(packing.make()),
        limits_(limits),
        packed_(kChunk, '\0') {}

  Result<std::size_t> read(char* to, std::size_t most) override {
    if (failure_) return tl::unexpected(*failure_);  // a peek may have met it before
    auto made = unpack_some(to, most);
    if (!made) failure_ = made.error();
    return made;
  }

 private:
  Result<std::size_t> unpack_some(char* to, std::size_t most) {
    if (most == 0) return std::size_t{0};
    for (;;) {
      std::size_t made = 0;
      const bool follows = something_follows();
      if (!unpacker_->step(rest_, to, most, made))
        return follows || unpacker_->complete() ? cannot("other data follows it")
                                                : cannot(unpacker_->problem());
      if (made > 0) return within_limits(made);
      VIBE_TRY(const auto got, input_.read(packed_.data(), packed_.size()));
      if (got == 0 && !unpacker_->complete())
        return cannot("it is incomplete", "it was cut off, or is still being written");
      if (got == 0) return std::size_t{0};
      rest_ = std::string_view(packed_).substr(0, got);
      given_ += got;
    }
  }

  // Whether data follows the end of the packed bytes, as far as buffered. Zero padding is allowed.
  bool something_follows() const {
    const std::size_t next = rest_.find_first_not_of('\0');
    return unpacker_->complete() && next != std::string_view::npos && !begins_(rest_.substr(next));
  }

  Result<std::size_t> within_limits(std::size_t made) {
    made_ += made;
    if (made_ > limits_.unpacked)
      return cannot(fmt::format("it unpacks to more than {} bytes", limits_.unpacked), {},
                    Code::too_large);
    if (made_ > limits_.small && made_ / limits_.ratio > given_ - rest_.size())
      return cannot(fmt::format("it unpacks to more than {} times its size", limits_.ratio), {},
                    Code::too_large);
    return made;
  }

  tl::unexpected<Diagnostics> cannot(std::string_view why, std::string hint = {},
                                     Code code = Code::bad_archive) const {
    return fail(code, {make_source(input_.name(), ""), {}},
                fmt::format("`{}` cannot be unpacked: {}", input_.name(), why), std::move(hint));
  }

  Input input_;
  bool (*begins_)(std::string_view head);
  std::unique_ptr<Unpacker> unpacker_;
  const UnpackLimits limits_;
  std::uint64_t given_ = 0, made_ = 0;  // bytes, packed and unpacked
  std::string packed_;
  std::string_view rest_;  // packed bytes that are not consumed yet
  std::optional<Diagnostics> failure_;
};

}  // namespace

Result<Input> unpack(Input input, const UnpackLimits& limits) {
  VIBE_TRY(const auto head, input.peek(kHead));
  const auto packing = std::find_if(kPackings.begin(), kPackings.end(),
                                    [&](const Packing& row) { return row.begins(head); });
  if (packing == kPackings.end()) return input;
  std::string name = input.name();
  return Input::of(std::move(name),
                   std::make_unique<UnpackedSource>(std::move(input), *packing, limits));
}

}  // namespace vibe::base

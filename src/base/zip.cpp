#include "base/zip.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "base/text.h"
#include "base/unpacker.h"

namespace vibe::base {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56,
                      kLocatorSize = 20, kMostComment = 0xFFFF;
constexpr std::uint16_t kEncrypted = 1, kZip64Field = 1;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  // the value is in the ZIP64 field

// Little-endian numbers in a string; the bytes must exist.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
std::uint16_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(number(bytes, at, 2));
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number(bytes, at, 4));
}
std::uint64_t u64(std::string_view bytes, std::size_t at) { return number(bytes, at, 8); }

tl::unexpected<Diagnostics> bad(const std::string& archive, std::string message,
                                std::string hint = {}, Code code = Code::bad_archive) {
  return fail(code, {make_source(archive, ""), {}}, std::move(message), std::move(hint));
}

std::string shown_name(const ZipMember& member) { return shorten(printable(member.name), 80); }

Result<std::string> bytes_at(const Input& input, std::uint64_t offset, std::uint64_t count) {
  std::string out(static_cast<std::size_t>(count), '\0');
  VIBE_TRY(const auto there,
           input.read_at(static_cast<std::size_t>(offset), out.data(), out.size()));
  if (!there)
    return bad(input.name(), fmt::format("the zip archive ends before byte {}", offset + count));
  return out;
}

// The position of the central directory.
struct Directory {
  std::uint64_t offset = 0, size = 0, members = 0;
};

Result<Directory> find_directory(const Input& input, std::uint64_t size) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, kEndSize + kMostComment);
  VIBE_TRY(const auto tail, bytes_at(input, size - tail_size, tail_size));
  std::optional<std::size_t> at;
  for (std::size_t i = tail.size() < kEndSize ? 0 : tail.size() - kEndSize + 1; i-- > 0;)
    if (u32(tail, i) == kEnd && i + kEndSize + u16(tail, i + 20) <= tail.size()) {
      at = i;
      break;
    }
  if (!at)
    return bad(input.name(), "the zip archive has no directory at its end",
               "it was cut off, or is still being written");
  Directory out{u32(tail, *at + 16), u32(tail, *at + 12), u16(tail, *at + 10)};
  if (u16(tail, *at + 4) != 0 || u16(tail, *at + 6) != 0)
    return bad(input.name(), "the zip archive has several parts");
  std::uint64_t end = size - tail_size + *at;
  if (end >= kLocatorSize) {
    VIBE_TRY(const auto locator, bytes_at(input, end - kLocatorSize, kLocatorSize));
    if (u32(locator, 0) == kLocator64) {
      const std::uint64_t offset = u64(locator, 8);
      if (offset > end || end - offset < kEnd64Size + kLocatorSize)
        return bad(input.name(), "the ZIP64 directory is outside the zip archive");
      VIBE_TRY(const auto record, bytes_at(input, offset, kEnd64Size));
      if (u32(record, 0) != kEnd64)
        return bad(input.name(), "the ZIP64 directory is not where the zip archive says");
      out = {u64(record, 48), u64(record, 40), u64(record, 32)};
      end = offset;
    }
  }
  if (out.offset > end || out.size > end - out.offset)
    return bad(input.name(), "the directory is outside the zip archive");
  return out;
}

// The ZIP64 field has those of the three values that did not fit, in this order.
bool read_zip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint16_t id = u16(extra, 0), size = u16(extra, 2);
    if (size > extra.size() - 4) return false;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(std::size_t{4} + size);
    if (id != kZip64Field) continue;
    for (std::uint64_t* figure : {&member.unpacked, &member.packed, &member.offset}) {
      if (*figure != kElsewhere) continue;
      if (field.size() < 8) return false;
      *figure = u64(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return true;
}

Result<std::vector<ZipMember>> read_directory(const Input& input, const Directory& directory,
                                              const ZipLimits& limits) {
  if (directory.size > limits.archive)
    return bad(input.name(), fmt::format("the directory of the zip archive is larger than {} bytes",
                                         limits.archive));
  VIBE_TRY(const auto bytes, bytes_at(input, directory.offset, directory.size));
  std::vector<ZipMember> out;
  std::string_view rest = bytes;
  while (out.size() < directory.members) {
    if (rest.size() < kCentralSize || u32(rest, 0) != kCentral)
      return bad(input.name(),
                 fmt::format("the directory of the zip archive has {} members, not {}", out.size(),
                             directory.members));
    const std::size_t name = u16(rest, 28), extra = u16(rest, 30), comment = u16(rest, 32);
    if (rest.size() - kCentralSize < name + extra + comment)
      return bad(input.name(), "the directory of the zip archive is incomplete");
    ZipMember member{.name = std::string(rest.substr(kCentralSize, name)),
                     .method = u16(rest, 10),
                     .flags = u16(rest, 8),
                     .crc = u32(rest, 16),
                     .packed = u32(rest, 20),
                     .unpacked = u32(rest, 24),
                     .offset = u32(rest, 42)};
    if (!read_zip64(rest.substr(kCentralSize + name, extra), member))
      return bad(input.name(),
                 fmt::format("`{}`: its ZIP64 field is incomplete", shown_name(member)));
    rest.remove_prefix(kCentralSize + name + extra + comment);
    out.push_back(std::move(member));
    if (out.size() > limits.members)
      return bad(input.name(),
                 fmt::format("the zip archive has more than {} members", limits.members));
  }
  return out;
}

// Members must not overlap each other or the directory: that is how zip bombs are made.
std::string find_overlap(std::vector<ZipMember>& members, std::uint64_t directory) {
  std::vector<ZipMember*> in_order;
  for (auto& member : members) in_order.push_back(&member);
  std::sort(in_order.begin(), in_order.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    ZipMember& member = *in_order[i];
    member.end = i + 1 < in_order.size() ? in_order[i + 1]->offset : directory;
    const std::uint64_t room = member.end < member.offset ? 0 : member.end - member.offset;
    if (room < kLocalSize + member.name.size() ||
        room - kLocalSize - member.name.size() < member.packed)
      return fmt::format("`{}` overlaps what follows it", shown_name(member));
  }
  return {};
}

std::string over_limit(const std::vector<ZipMember>& members, const ZipLimits& limits) {
  std::uint64_t left = limits.unpacked;
  for (const auto& member : members) {
    if (member.unpacked > left)
      return fmt::format("the zip archive unpacks to more than {} bytes", limits.unpacked);
    left -= member.unpacked;
    if (member.unpacked > limits.small && member.unpacked / limits.ratio > member.packed)
      return fmt::format("`{}` unpacks to more than {} times its size", shown_name(member),
                         limits.ratio);
  }
  return {};
}

struct Method {
  std::uint16_t number;
  std::unique_ptr<Unpacker> (*make)();
};
constexpr std::array kMethods{
    Method{0, make_stored},
    Method{8, make_deflated},
    Method{93, make_zstd},
};

class MemberSource final : public ByteSource {
 public:
  MemberSource(const Input& input, const ZipMember& member, std::uint64_t data,
               std::unique_ptr<Unpacker> unpacker)
      : input_(input),
        member_(member),
        at_(data),
        end_(data + member.packed),
        unpacker_(std::move(unpacker)),
        packed_(kChunk, '\0') {}

  Result<std::size_t> read(char* to, std::size_t most) override {
    for (;;) {
      if (rest_.empty() && at_ < end_) {
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, end_ - at_));
        VIBE_TRY(const auto there,
                 input_.read_at(static_cast<std::size_t>(at_), packed_.data(), count));
        if (!there) return damaged("the zip archive ends inside it");
        rest_ = std::string_view(packed_).substr(0, count);
        at_ += count;
      }
      const std::size_t before = rest_.size();
      std::size_t made = 0;
      if (!unpacker_->step(rest_, to, most, made)) return damaged(unpacker_->problem());
      if (made > member_.unpacked - made_) return damaged("it unpacks to more than its size");
      if (made > 0) {
        made_ += made;
        crc_ = static_cast<std::uint32_t>(
            crc32(crc_, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(made)));
        return made;
      }
      if (rest_.size() != before || (rest_.empty() && at_ < end_)) continue;
      if (!rest_.empty() || made_ != member_.unpacked) return damaged("it is incomplete");
      if (crc_ != member_.crc) return damaged("its checksum does not match the directory");
      return std::size_t{0};
    }
  }

 private:
  tl::unexpected<Diagnostics> damaged(std::string_view how) const {
    return bad(input_.name(), fmt::format("`{}` cannot be unpacked: {}", shown_name(member_), how));
  }

  const Input& input_;
  const ZipMember member_;
  std::uint64_t at_, end_, made_ = 0;
  std::uint32_t crc_ = 0;
  std::unique_ptr<Unpacker> unpacker_;
  std::string packed_;
  std::string_view rest_;
};

}  // namespace

bool is_zip(std::string_view head) {
  return head.size() >= 4 && (u32(head, 0) == kLocal || u32(head, 0) == kEnd);
}

Zip::Zip(Zip&&) noexcept = default;
Zip& Zip::operator=(Zip&&) noexcept = default;
Zip::~Zip() = default;

Result<Zip> Zip::open(Input input, const ZipLimits& limits) {
  VIBE_TRY(const auto size, input.make_seekable(limits.archive));
  VIBE_TRY(const auto directory, find_directory(input, size));
  VIBE_TRY(auto members, read_directory(input, directory, limits));
  std::string problem = find_overlap(members, directory.offset);
  if (!problem.empty()) return bad(input.name(), std::move(problem));
  problem = over_limit(members, limits);
  if (!problem.empty()) return bad(input.name(), std::move(problem), {}, Code::too_large);
  Zip zip(std::move(input));
  std::unordered_map<std::string_view, const ZipMember*> last;
  for (const auto& member : members) last.insert_or_assign(member.name, &member);
  for (const auto& member : members)
    if (last.at(member.name) == &member) zip.members_.push_back(member);
  return zip;
}

const ZipMember* Zip::find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const ZipMember& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

Result<std::unique_ptr<ByteSource>> Zip::read(const ZipMember& member) const {
  const auto cannot = [&](std::string_view why) {
    return bad(name(), fmt::format("`{}` cannot be unpacked: {}", shown_name(member), why));
  };
  if ((member.flags & kEncrypted) != 0) return cannot("it is encrypted");
  const auto method = std::find_if(kMethods.begin(), kMethods.end(),
                                   [&](const Method& row) { return row.number == member.method; });
  if (method == kMethods.end())
    return cannot(fmt::format("it uses the unknown compression method {}", member.method));
  VIBE_TRY(const auto header, bytes_at(input_, member.offset, kLocalSize));
  if (u32(header, 0) != kLocal) return cannot("its header is not where the directory says");
  const std::uint64_t data = member.offset + kLocalSize + u16(header, 26) + u16(header, 28);
  if (data > member.end || member.end - data < member.packed)
    return cannot("it overlaps what follows it");
  return std::make_unique<MemberSource>(input_, member, data, method->make());
}

}  // namespace vibe::base

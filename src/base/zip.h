// Zip: the members of a zip archive, by its central directory. Reads stored, deflated and zstd
// members and ZIP64; not encrypted members or multi-part archives. Member names are only names:
// they never become paths.
//
// For archives from any source: an archive is refused if its members overlap or are outside of it,
// or if it would unpack to more than the limits; a member's unpacked data is checked against its
// size and CRC. A Zip and its members belong to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace vibe::base {

struct ZipLimits {
  std::size_t archive = std::size_t{256}
                        << 20;  // bytes of the directory, or of the whole archive if it is a stream
  std::uint64_t members = 1'000'000;
  std::uint64_t unpacked = std::uint64_t{16} << 30;  // bytes of all members together
  std::uint64_t ratio = 1000;  // unpacked to packed, for a member over `small`
  std::uint64_t small = std::uint64_t{1} << 20;
};

struct ZipMember {
  std::string name;  // as stored: any bytes
  std::uint16_t method = 0, flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, unpacked = 0;
  std::uint64_t offset = 0;  // of its header
  std::uint64_t end = 0;     // upper bound for the end of its bytes: the next member begins here
};

class Zip {
 public:
  // A member that would unpack to more than the limits is Code::too_large; every other problem is
  // Code::bad_archive, except a file that cannot be read.
  static Result<Zip> open(Input input, const ZipLimits& limits = {});
  Zip(Zip&&) noexcept;
  Zip& operator=(Zip&&) noexcept;
  ~Zip();

  const std::string& name() const { return input_.name(); }
  // In directory order; of equal names only the last, which replaced the others.
  const std::vector<ZipMember>& members() const { return members_; }
  const ZipMember* find(std::string_view name) const;  // null: none

  // Unpacks while it is read. The Zip must not move meanwhile.
  Result<std::unique_ptr<ByteSource>> read(const ZipMember& member) const;

 private:
  explicit Zip(Input input) : input_(std::move(input)) {}
  Input input_;
  std::vector<ZipMember> members_;
};

bool is_zip(std::string_view head);  // the first bytes of a file

}  // namespace vibe::base

// The minimum work to read a hook log with simdjson on demand, line by line: for bench_logs.py.
// Finds the relevant members in log order, folds nothing, and decodes only an output that decides
// whether its call failed. Prints the number of lines, and a sum that keeps the compiler from
// removing the work. usage: bare_log FILE
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include <simdjson.h>

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kPiece = std::size_t{1} << 20;

class Counter {
 public:
  bool add(std::string_view line) {
    ondemand::document document;
    ondemand::object object;
    if (parser_.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING)
            .get(document) ||
        document.get_object().get(object))
      return false;
    std::string_view exit, output;
    if (!take(object, "ts") || !take(object, "tool") || !take(object, "exit", &exit) ||
        !take(object, "session") || !take(object, "command"))
      return false;
    if (exit == R"("")") {
      if (object.find_field("output").get_string().get(output)) return false;
      sum_ += output.size();
    } else if (!take(object, "output")) {
      return false;
    }
    if (!take(object, "duration_ms")) return false;
    ++lines_;
    return true;
  }

  std::uint64_t lines() const { return lines_; }
  std::uint64_t sum() const { return sum_; }

 private:
  bool take(ondemand::object& object, std::string_view key, std::string_view* out = nullptr) {
    ondemand::value value;
    if (object.find_field(key).get(value)) return false;
    const std::string_view token = value.raw_json_token();
    sum_ += token.size();
    if (out) *out = token;
    return true;
  }

  ondemand::parser parser_;
  std::uint64_t lines_ = 0, sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) {
    std::fputs("usage: bare_log FILE\n", stderr);
    return 2;
  }
  Counter counter;
  std::string buffer(2 * kPiece + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t size = 0;
  for (;;) {
    const ssize_t count = read(file, buffer.data() + size, kPiece);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
    std::size_t at = 0;
    while (const void* found = std::memchr(buffer.data() + at, '\n', size - at)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data());
      if (!counter.add({buffer.data() + at, end - at})) return 1;
      at = end + 1;
    }
    size -= at;
    std::memmove(buffer.data(), buffer.data() + at, size);
  }
  close(file);
  std::printf("%llu %llu\n", static_cast<unsigned long long>(counter.lines()),
              static_cast<unsigned long long>(counter.sum()));
}

// Writes a hook log to standard output: for bench_logs.py. The same seed gives the same log; a
// smaller log is the beginning of a larger one. usage: make_hook_log MEGABYTES SESSIONS CODES
// CODES: which calls have an exit code:
//   only `shell` commands; `most` (96 %), whatever the tool; `none`
//
// Calls of all sessions in turn, in lines of 150 to 600 bytes, with everything that makes such logs
// hard to read correctly: exit codes as text; unknown exit codes, so that the output decides;
// outputs with every kind of escape; error patterns with some letters escaped; and text that looks
// like an error pattern only until it is decoded.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

constexpr std::size_t kMostBytes = 600, kLeastBytes = 150;  // of a line, with its line break

constexpr std::array<std::string_view, 8> kTools{"Bash", "Bash", "Bash", "Read",
                                                 "Edit", "Grep", "Glob", "Write"};

constexpr std::array<std::string_view, 8> kCommands{
    R"(git status --short && git diff --stat HEAD~)",
    R"(python3 -m pytest tests/ -q -k \"not slow\" --maxfail=)",
    R"(rg -n \"fn main\\(\" src/ | head -)",
    R"(cat src/server/handler.ts | sed -n )",
    R"(npm run build 2>&1 | tail -)",
    R"(ls -la build/)",
    R"(cargo test --package core -- --test-threads=)",
    R"(echo \"caf\u00e9\" > /tmp/note.)",
};

// Raw JSON strings, without quotes.
constexpr std::array<std::string_view, 16> kOutputs{
    R"(tests/test_parser.py::test_empty PASSED\n)",
    R"(tests/test_reconcile.py::test_prefers_code_on_conflict PASSED\n)",
    R"(src/server/handler.ts:118:  return respond(request, \"ok\");\n)",
    R"(   Compiling serde_json v1.0.128\n)",
    R"( M src/trace/values.cpp\n?? notes.txt\n)",
    R"(-rw-r--r-- 1 dev dev  4096 Mar  1 08:14 Makefile\n)",
    R"(\tconst std::size_t end = text.find('\\n');\n)",
    R"(Already up to date.\n)",
    R"(\u2713 renders the table (14 ms)\n)",
    R"(warning: unused variable: `count`\n)",
    R"(found 3 errors and 12 warnings in 4 files\n)",
    R"(in caf\u00e9 \ud83d\ude00, naïve text — as it is\n)",
    R"({\"status\": \"done\", \"items\": [1, 2, 3]}\n)",
    R"(the quick brown fox jumps over the lazy dog\n)",
    R"(test result: ok. 128 passed; 0 failed; 2 ignored; finished in 1.02s\n)",
    R"(https:\/\/example.org\/docs\/index.html\n)",
};

// Text that some outputs contain. Decoded, the first twelve mean a failure, unless there is an exit
// code.
constexpr std::array<std::string_view, 24> kSigns{
    R"(Error: cannot find module 'left-pad'\n)",
    R"(  error: unknown option `--colour`\n)",
    R"(err\u006fr: the build has failed\n)",
    R"(\u0045RROR: \u0062uild failed\n)",
    R"(\u001b[31merror:\u001b[0m 1 problem\n)",
    R"(fatal: not a git repository\n)",
    R"(\u0066atal: refusing to merge\n)",
    R"(Traceback (most recent call last):\n  File \"a.py\", line 1\n)",
    R"(sh: 1: foo: command \u006eot found\n)",
    R"(cat: /tmp/x: No such file or directory\n)",
    R"(bash: ./run.sh: Permission denied\n)",
    R"(panic: runtime error: index out of range\n)",
    R"(\fatal: a form feed and `atal:`\n)",
    R"(\\nerror: a backslash, in the middle of a line\n)",
    R"(the log says error: but not at its beginning\n)",
    R"(std::error: no, this one goes on\n)",
    R"(c:\\fatal: a path\n)",
    R"(errors: 0, warnings: 2\n)",
    R"(\u2013 error: after a dash\n)",
    R"(er\nror: over two lines\n)",
    R"(command not\u0020 found\n)",
    R"(permission: denied\n)",
    R"(all is well\n)",
    R"(nothing to do\n)",
};

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) {
    return static_cast<std::size_t>((next() >> 32) * limit >> 32);
  }
  template <class List>
  const auto& of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t state_;
};

class Log {
 public:
  Log(std::size_t sessions, std::string_view codes) : codes_(codes) {
    Random random(1);
    for (std::size_t i = 0; i < sessions; ++i) {
      const std::uint64_t a = random.next(), b = random.next();
      sessions_.push_back(
          {fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", a >> 32, a >> 16 & 0xFFFF,
                       a & 0xFFF, b >> 52, b & 0xFFFF'FFFF'FFFF)});
    }
  }

  void add_line(std::string& out) {
    const std::size_t begin = out.size();
    millis_ += 1 + random_.below(59);
    Session& session = next_session();
    if (session.call.tool.empty() || random_.below(16) > 0)  // else the same call is repeated
      session.call = {random_.of(kTools), random_.of(kCommands), random_.below(100)};
    out += R"({"ts":")";
    add_time(out);
    out += R"(","tool":")";
    out += session.call.tool;
    out += R"(","exit":)";
    add_exit(session.call.tool, out);
    out += R"(,"session":")";
    out += session.id;
    out += R"(","command":")";
    out += session.call.command;
    add_number(out, session.call.number);
    out += R"(","output":")";
    const std::size_t text = out.size();
    const std::size_t wanted = begin + kLeastBytes + random_.below(kMostBytes - kLeastBytes - 24);
    const std::size_t sign = random_.below(8) == 0 ? random_.below(3) : kMostBytes;
    for (std::size_t parts = 0; out.size() < wanted || out.size() == text; ++parts) {
      const std::string_view part = parts == sign ? random_.of(kSigns) : random_.of(kOutputs);
      if (out.size() - begin + part.size() > kMostBytes - 24) break;
      out += part;
    }
    out += R"(","duration_ms":)";
    add_number(out, random_.below(30'000));
    out += "}\n";
  }

 private:
  struct Call {
    std::string_view tool, command;
    std::size_t number = 0;
  };
  struct Session {
    std::string id;
    Call call = {};  // the last one
  };

  Session& next_session() {  // some are busier than others
    const std::size_t most =
        random_.below(2) == 0 ? sessions_.size() : random_.below(sessions_.size()) + 1;
    return sessions_[random_.below(most)];
  }

  static void add_number(std::string& out, std::size_t value) {
    const fmt::format_int text(value);
    out.append(text.data(), text.size());
  }

  // Since 2026-03-01.
  void add_time(std::string& out) {
    if (millis_ >= minute_end_) {
      const std::size_t minutes = millis_ / 60'000, days = minutes / 1440;
      minute_end_ = (minutes + 1) * 60'000;
      minute_ = fmt::format("2026-{:02}-{:02}T{:02}:{:02}:", 3 + days / 28, 1 + days % 28,
                            minutes / 60 % 24, minutes % 60);
    }
    out += minute_;
    const std::size_t rest = millis_ % 60'000;
    const auto digit = [&](std::size_t place) {
      return static_cast<char>('0' + rest / place % 10);
    };
    const std::array tail{digit(10'000), digit(1'000), '.', digit(100), digit(10), digit(1), 'Z'};
    out.append(tail.data(), tail.size());
  }

  bool is_known(std::string_view tool) {
    constexpr std::size_t kMostPercent = 96;
    const std::size_t percent = random_.below(100);
    return codes_ == "shell" ? tool == "Bash" : codes_ == "most" && percent < kMostPercent;
  }

  void add_exit(std::string_view tool, std::string& out) {
    constexpr std::array<std::string_view, 4> kCodes{"1", "2", "127", "-9"};
    const std::size_t kind = random_.below(100);
    if (!is_known(tool))
      out += R"("")";
    else if (kind < 3)
      out += random_.of(kCodes);
    else if (kind < 4)
      out.append("\"").append(random_.of(kCodes)).append("\"");
    else if (kind < 8)
      out += R"("0")";
    else
      out += '0';
  }

  std::string_view codes_;
  Random random_{2};
  std::vector<Session> sessions_;
  std::size_t millis_ = 0, minute_end_ = 0;
  std::string minute_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: make_hook_log MEGABYTES SESSIONS shell|most|none\n", stderr);
    return 2;
  }
  const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 10); };
  const std::size_t wanted = number(1) * 1'000'000;
  Log log(number(2), argv[3]);
  std::string buffer;
  for (std::size_t written = 0; written < wanted; buffer.clear()) {
    while (buffer.size() < std::size_t{1} << 20 && written + buffer.size() < wanted)
      log.add_line(buffer);
    if (std::fwrite(buffer.data(), 1, buffer.size(), stdout) != buffer.size()) {
      std::perror("make_hook_log");
      return 1;
    }
    written += buffer.size();
  }
}

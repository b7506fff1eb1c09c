// Every kind of diagnostic is shown by a case: a `fail_*` file of tests/cases, or a
// transcript of tests/cli.
#include "base/codes.h"

#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "suite/expectations.h"

namespace vibe::test {

namespace {

void collect(const std::filesystem::path& folder,
             const std::function<bool(const std::filesystem::path&)>& wanted,
             const std::regex& pattern, std::set<std::string>& out) {
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !wanted(entry.path())) continue;
    for (const std::string& line : split_lines(read_text(entry.path()))) {
      for (std::sregex_iterator it(line.begin(), line.end(), pattern), end; it != end; ++it)
        out.insert((*it)[1]);
    }
  }
}

TEST(Codes, EachHasACase) {
  const std::filesystem::path tests = VIBE_TEST_DATA;
  std::set<std::string> shown;
  collect(
      tests / "cases",
      [](const auto& path) { return path.filename().string().starts_with("fail_"); },
      std::regex(R"((?:#~ |:)[0-9]+-[0-9:]+ ([EWN][0-9]{4}) )"), shown);
  collect(
      tests / "cli", [](const auto& path) { return path.extension() == ".txt"; },
      std::regex(R"(\[([EWN][0-9]{4})\])"), shown);
  // What takes a server, a second process or a damaged store to show.
  for (const char* folder : {"run", "server", "remote"})
    collect(
        tests / folder, [](const auto& path) { return path.extension() == ".py"; },
        std::regex(R"re(assertIn\("([EWN][0-9]{4})", self.world.errors\))re"), shown);
  // Nobody sees it: a worker that has lost its lease leaves the run to who has it now
  // (store/conformance_queue.cpp, app/work_queue_test.cpp).
  shown.insert(base::to_string(base::Code::lease_lost));
  for (const auto& row : base::kCodes)
    EXPECT_TRUE(shown.contains(base::to_string(row.code)))
        << base::to_string(row.code) << ": " << row.summary;
}

TEST(Codes, NumbersAreUniqueAndRise) {
  for (std::size_t i = 1; i < base::kCodes.size(); ++i)
    EXPECT_LT(base::kCodes[i - 1].code, base::kCodes[i].code);
}

}  // namespace

}  // namespace vibe::test

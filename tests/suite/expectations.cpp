#include "suite/expectations.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "base/file.h"

namespace vibe::test {

namespace {

std::uint32_t number(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text));
}

std::string at(const std::string& file, std::uint32_t line, std::uint32_t column,
               std::uint32_t end_line, std::uint32_t end_column, const std::string& code) {
  std::ostringstream out;
  out << (file.empty() ? "" : file + ":") << line << ':' << column << '-';
  if (end_line != line) out << end_line << ':';
  out << end_column << ' ' << code;
  return out.str();
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<Expected> expectations_in(const std::string& yaml) {
  static const std::regex pattern(R"((\d+)-(?:(\d+):)?(\d+) ([EWN]\d{4}) (.*?)\s*)");
  static const std::string sign = " #~ ";
  std::vector<Expected> out;
  std::uint32_t line_number = 0;
  for (const std::string& line : split_lines(yaml)) {
    ++line_number;
    for (auto begin = line.find(sign); begin != std::string::npos;) {
      const auto next = line.find(sign, begin + sign.size());
      const std::string one = line.substr(
          begin + sign.size(), next == std::string::npos ? next : next - begin - sign.size());
      std::smatch parts;
      if (std::regex_match(one, parts, pattern))
        out.push_back({"", line_number, number(parts[1]),
                       parts[2].matched ? number(parts[2]) : line_number, number(parts[3]),
                       parts[4], parts[5]});
      else
        ADD_FAILURE() << "line " << line_number << ": malformed expectation: " << one;
      begin = next;
    }
  }
  return out;
}

std::vector<Expected> expectations_beside(const std::filesystem::path& expect_file) {
  static const std::regex pattern(R"((?:([^:]+):)?(\d+):(\d+)-(?:(\d+):)?(\d+) ([EWN]\d{4}) (.*))");
  std::vector<Expected> out;
  for (const std::string& line : split_lines(read_text(expect_file))) {
    std::smatch parts;
    if (std::regex_match(line, parts, pattern))
      out.push_back({parts[1], number(parts[2]), number(parts[3]),
                     parts[4].matched ? number(parts[4]) : number(parts[2]), number(parts[5]),
                     parts[6], parts[7]});
    else
      ADD_FAILURE() << expect_file << ": malformed expectation: " << line;
  }
  return out;
}

void compare(const std::vector<Expected>& expected, const base::Diagnostics& found,
             const std::string& case_name) {
  std::vector<std::pair<std::string, std::string>> want, seen;
  for (const auto& e : expected)
    want.emplace_back(at(e.file, e.line, e.column, e.end_line, e.end_column, e.code), e.text);
  for (const auto& d : found.all()) {
    ASSERT_NE(d.source, nullptr) << d.message;
    const auto begin = d.source->position(d.span.begin), end = d.source->position(d.span.end);
    const std::string file = d.source->name() == case_name
                                 ? ""
                                 : std::filesystem::path(d.source->name()).filename().string();
    seen.emplace_back(
        at(file, begin.line, begin.column, end.line, end.column, base::to_string(d.code)),
        d.message);
  }
  std::sort(want.begin(), want.end());
  std::sort(seen.begin(), seen.end());
  const auto list = [](const auto& pairs) {
    std::string out;
    for (const auto& [place, text] : pairs) out += "  " + place + " " + text + "\n";
    return out;
  };
  ASSERT_EQ(want.size(), seen.size()) << "expected:\n" << list(want) << "found:\n" << list(seen);
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(want[i].first, seen[i].first) << "expected:\n"
                                            << list(want) << "found:\n"
                                            << list(seen);
    EXPECT_NE(seen[i].second.find(want[i].second), std::string::npos)
        << "expected: " << want[i].second << "\nfound: " << seen[i].second;
  }
}

std::filesystem::path case_folder(const std::string& of) {
  return std::filesystem::path(VIBE_TEST_DATA) / "cases" / of;
}

std::vector<std::string> case_names(const std::string& prefix, const std::string& of) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(case_folder(of)))
    if (entry.path().extension() == ".yaml" && entry.path().filename().string().starts_with(prefix))
      out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

suite::LoadOptions options_with_files() {
  return {[](const std::string& path) { return base::read_file(path, suite::kMaxCasesBytes); },
          false};
}

Loaded load_text(const std::string& yaml, const suite::LoadOptions& options) {
  Loaded out;
  out.suite = suite::load(base::make_source("suite.yaml", yaml), options, out.found);
  EXPECT_EQ(out.suite.has_value(), !out.found.failed());
  return out;
}

}  // namespace vibe::test

// Expectations: the diagnostics that a case file says it shows, beside the offending line
// (`threds: 2  #~ 3-9 E0301 has no key`) or, where no comment can stand, in a `.expect` file
// of lines `[FILE:]LINE:COLUMN-[LINE:]COLUMN CODE text`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "suite/load.h"

namespace vibe::test {

struct Expected {
  std::string file;  // empty: the case itself
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
  std::string code, text;
};

std::string read_text(const std::filesystem::path& path);
std::vector<std::string> split_lines(const std::string& text);

std::vector<Expected> expectations_in(const std::string& yaml);
std::vector<Expected> expectations_beside(
    const std::filesystem::path& expect_file);  // none if there is no such file

// Every expected diagnostic must be there, and no other.
void compare(const std::vector<Expected>& expected, const base::Diagnostics& found,
             const std::string& case_name);

std::filesystem::path case_folder(const std::string& of = "suite");  // tests/cases/suite
// Of its YAML files, without their ending.
std::vector<std::string> case_names(const std::string& prefix, const std::string& of = "suite");

suite::LoadOptions options_with_files();  // for suites that name files of cases

struct Loaded {
  std::optional<suite::Suite> suite;
  base::Diagnostics found;
};
Loaded load_text(const std::string& yaml, const suite::LoadOptions& options = {});

}  // namespace vibe::test

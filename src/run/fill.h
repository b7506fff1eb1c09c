// Filler: replaces the templates in a suite's texts: variables, secrets, and the columns of a case.
// Templates in inserted values are not replaced. Immutable once filled; safe from any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/checks.h"
#include "suite/suite.h"
#include "suite/template.h"

namespace vibe::run {

using Values = std::map<std::string, std::string>;

// The variables and secrets that the texts of a suite and `more` name, each once.
struct NamedUse {
  suite::Placeholder::Kind kind;
  std::string name;
};
std::vector<NamedUse> used_names(const suite::Suite& suite, std::string_view more = {});

// Calls `use` with every text in the checks' arguments; texts of JSON arguments one by one.
void for_each_text(const std::vector<check::Check>& checks,
                   const std::function<void(std::string_view)>& use);

// A row of an eval's cases; without a table there are no columns.
struct CaseRow {
  const suite::Table* table = nullptr;
  std::size_t row = 0;
};

class Filler {
 public:
  Filler() = default;
  Filler(Values variables, Values secrets)
      : variables_(std::move(variables)), secrets_(std::move(secrets)) {}

  // Templates without a value stay as they are.
  std::string fill(std::string_view text, CaseRow row = {}) const;
  std::vector<check::Check> fill(const std::vector<check::Check>& checks, CaseRow row) const;

  // The value of a variable or secret; null if it has none.
  const std::string* find(const suite::Placeholder& placeholder) const;

  const Values& variables() const { return variables_; }
  const Values& secrets() const { return secrets_; }

 private:
  Values variables_, secrets_;
};

}  // namespace vibe::run

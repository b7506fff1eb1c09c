// Columns: checks the templates of a suite against the columns of its cases. Follows the loader
// from section to section. Belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/yaml.h"
#include "check/reading.h"
#include "suite/table.h"

namespace vibe::suite {

class Columns {
 public:
  explicit Columns(check::Reading& reading) : reading_(reading) {}

  // Says where the texts that follow are.
  void enter_metadata() { place_ = Place::metadata; }
  void enter_defaults() { place_ = Place::defaults; }
  void enter_eval(const Table* cases, std::string_view name, base::Span span);  // null: no cases
  void enter_broken_cases() { place_ = Place::broken; }  // the columns are unknown

  // Reports templates that are malformed or name an unknown column. True if any of the text will be
  // replaced when a run starts.
  bool look_at(const base::YamlNode& text);

  // Names are shown, so they must not contain a secret.
  void refuse_secrets(const base::YamlNode& text);

  // Checks the templates of `defaults`; call it after all evals were entered.
  void check_defaults();

 private:
  enum class Place : std::uint8_t { metadata, defaults, eval, broken };
  struct Use {
    std::string name;
    base::Where where;
  };
  struct Owner {
    const Table* cases;
    std::string name;
    base::Span span;
  };

  bool look_at_column(std::string_view name, const base::Where& where);
  void report_unknown(std::string_view name, const Table& cases, const base::Where& where,
                      std::string_view whose);

  check::Reading& reading_;
  Place place_ = Place::metadata;
  const Table* cases_ = nullptr;
  std::vector<Use> default_uses_;  // each column once
  std::unordered_set<std::string> default_names_;
  std::vector<Owner> owners_;  // evals with cases, each table once
  std::unordered_set<const Table*> tables_;
  bool eval_without_cases_ = false;
};

}  // namespace vibe::suite

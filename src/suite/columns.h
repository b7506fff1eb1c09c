// Columns: checks the templates of a suite against the cases that they are filled from.
// Follows the loader from place to place. Belongs to one thread.
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

  // What the texts looked at next belong to.
  void enter_metadata() { place_ = Place::metadata; }
  void enter_defaults() { place_ = Place::defaults; }
  void enter_eval(const Table* cases, std::string_view name, base::Span span);  // null: none
  void enter_broken_cases() { place_ = Place::broken; }  // no telling which columns there are

  // Reports templates that are malformed or name no column. True if any of the text is
  // replaced when a run starts.
  bool look_at(const base::YamlNode& text);

  // Names are shown: a secret may not stand in one.
  void refuse_secrets(const base::YamlNode& text);

  // The templates of `defaults`, once every eval was entered.
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
  std::vector<Owner> owners_;  // of cases, each table once
  std::unordered_set<const Table*> tables_;
  bool eval_without_cases_ = false;
};

}  // namespace vibe::suite

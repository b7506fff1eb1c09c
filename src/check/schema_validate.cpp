#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/text.h"
#include "check/reading.h"
#include "check/schema_node.h"

namespace vibe::check {

using base::JsonValue;

namespace {

constexpr std::size_t kMostShownOfValue = 60;   // code points of a value
constexpr std::size_t kMostReasons = 3;         // for alternatives that do not fit
constexpr std::size_t kMostReasonLength = 120;  // code points
constexpr std::size_t kBytesPerStep = 64;       // of compared text

std::string nouns(std::uint8_t types) {
  std::string out;
  for (const auto& type : kJsonTypes) {
    if ((types & type.bit) == 0) continue;
    if (!out.empty()) out += " or ";
    out += type.noun;
  }
  return out;
}

std::string_view noun_of(const JsonValue& value) {
  for (const auto& type : kJsonTypes)
    if ((types_of(value) & type.bit) != 0) return type.noun;
  return {};
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string count(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string properties(std::uint64_t number) {
  return fmt::format("{} {}", number, number == 1 ? "property" : "properties");
}

// Which parts of one value a subschema has evaluated, for `unevaluated…`.
struct Evaluated {
  std::vector<bool> parts;  // members or items, by index

  void mark(std::size_t part) {
    if (parts.size() <= part) parts.resize(part + 1);
    parts[part] = true;
  }
  void mark_all(std::size_t count) { parts.assign(std::max(parts.size(), count), true); }
  bool has(std::size_t part) const { return part < parts.size() && parts[part]; }
  void merge(const Evaluated& other) {
    for (std::size_t i = 0; i < other.parts.size(); ++i)
      if (other.parts[i]) mark(i);
  }
};

class Validation {
 public:
  Validation(const CompiledSchema& schema, const Mask& mask) : schema_(schema), mask_(mask) {}

  // Most values fit; the reason why one does not is worked out in a second pass.
  std::optional<Mismatch> run(const JsonValue& value) {
    for (const bool explain : {false, true}) {
      explain_ = explain;
      steps_ = 0;
      const bool fits = apply(0, value, nullptr);
      if (limit_) return Mismatch{"", *limit_, true};
      if (fits) return std::nullopt;
    }
    return std::move(failure_);
  }

 private:
  struct Token {
    std::string_view key;  // null: an index
    std::size_t index = 0;
  };

  std::string path() const {
    std::string out;
    for (const Token& token : path_)
      out += token.key.data()
                 ? fmt::format("/{}", base::escape_key(base::printable(masked(token.key, mask_))))
                 : fmt::format("/{}", token.index);
    return out;
  }

  // A value for messages: scalars as they are, others by size.
  std::string shown(const JsonValue& value) const {
    if (const auto* items = value.array())
      return items->empty() ? "an empty array" : fmt::format("an array of {}", items->size());
    if (const auto* members = value.object())
      return members->empty() ? "an empty object" : fmt::format("an object of {}", members->size());
    if (const auto* text = value.text())
      return fmt::format("\"{}\"",
                         base::printable(base::shorten(masked(*text, mask_), kMostShownOfValue)));
    return value.number() ? masked(base::to_text(value), mask_) : base::to_text(value);
  }

  std::string shown(const std::vector<JsonValue>& values) const {
    constexpr std::size_t kMost = 5;
    std::string out;
    for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i) {
      if (i > 0) out += ", ";
      out += shown(values[i]);
    }
    return values.size() > kMost ? fmt::format("{}, … ({} values)", out, values.size()) : out;
  }

  template <class Words>
  bool fail(const Words& words) {
    if (explain_) failure_ = Mismatch{path(), words(), false};
    return false;
  }
  // Fails for one of the value's members, not for the value itself.
  template <class Words>
  bool fail_at(std::string_view key, const Words& words) {
    path_.push_back({key});
    const bool out = fail(words);
    path_.pop_back();
    return out;
  }

  bool stop(std::string why) {
    limit_ = std::move(why);
    return false;
  }
  bool spend(std::size_t steps) {
    steps_ += steps;
    if (steps_ <= Schema::kMostSteps) return true;
    return stop(
        fmt::format("the schema takes more than {} steps for this value", Schema::kMostSteps));
  }

  bool apply(NodeIndex index, const JsonValue& value, Evaluated* evaluated) {
    if (limit_ || !spend(1)) return false;
    if (depth_ == Schema::kMostDepth)
      return stop(
          fmt::format("the schema refers to itself more than {} levels deep", Schema::kMostDepth));
    const SchemaNode& node = schema_.nodes[index];
    const bool enters = scope_.empty() || scope_.back() != node.resource;
    if (enters) scope_.push_back(node.resource);
    ++depth_;
    const bool fits = apply_node(node, value, evaluated);
    --depth_;
    if (enters) scope_.pop_back();
    return fits && !limit_;
  }

  bool apply_to_member(NodeIndex index, const std::pair<std::string, JsonValue>& member) {
    path_.push_back({member.first});
    const bool fits = apply(index, member.second, nullptr);
    path_.pop_back();
    return fits;
  }
  bool apply_to_item(NodeIndex index, const JsonValue::Array& items, std::size_t at) {
    path_.push_back({{}, at});
    const bool fits = apply(index, items[at], nullptr);
    path_.pop_back();
    return fits;
  }
  // Whether it fits; records no reason.
  bool fits(NodeIndex index, const JsonValue& value, Evaluated* evaluated = nullptr) {
    const bool before = std::exchange(explain_, false);
    const bool out = apply(index, value, evaluated);
    explain_ = before;
    return out;
  }

  bool apply_node(const SchemaNode& node, const JsonValue& value, Evaluated* evaluated) {
    if (node.never) return fail([] { return std::string("nothing is allowed here"); });
    if (node.is_metaschema) return is_schema(value);
    if (!has_value(node, value)) return false;
    if (node.numbers && value.number() && !apply_numbers(*node.numbers, value)) return false;
    if (node.texts && value.text() && !apply_texts(*node.texts, *value.text())) return false;

    // For `unevaluated…`, only the keywords of the same schema count.
    const bool looks_at_rest = (node.arrays && node.arrays->unevaluated && value.array()) ||
                               (node.objects && node.objects->unevaluated && value.object());
    Evaluated own;
    Evaluated* seen = looks_at_rest ? &own : evaluated;
    if (!apply_in_place(node, value, seen)) return false;
    if (node.arrays && value.array() && !apply_array(*node.arrays, *value.array(), seen))
      return false;
    if (node.objects && value.object() && !apply_object(*node.objects, value, seen)) return false;
    if (looks_at_rest && evaluated) evaluated->merge(own);
    return true;
  }

  bool is_schema(const JsonValue& value) {
    const auto problem = structural_problem(value);
    if (!problem) return true;
    return fail([&] {
      return fmt::format("not a JSON Schema: {}{}{}", masked(problem->pointer, mask_),
                         problem->pointer.empty() ? "" : ": ", masked(problem->message, mask_));
    });
  }

  bool has_value(const SchemaNode& node, const JsonValue& value) {
    if ((node.types & types_of(value)) == 0)
      return fail([&] {
        const bool container = value.array() || value.object() || value.is_null();
        return fmt::format("{}{}, expected {}", shown(value),
                           container ? std::string() : fmt::format(" is {}", noun_of(value)),
                           nouns(node.types));
      });
    if (node.values && !node.values->contains(value))
      return fail([&] {
        return fmt::format("{} is not one of {}", shown(value), shown(node.values->values()));
      });
    if (node.constant && !is_same(*node.constant, value))
      return fail([&] { return fmt::format("{} is not {}", shown(value), shown(*node.constant)); });
    return true;
  }

  bool apply_numbers(const NumberRules& rules, const JsonValue& value) {
    const auto wrong = [&](std::string_view how, const JsonValue& bound) {
      return fail([&] { return fmt::format("{} is {} {}", shown(value), how, shown(bound)); });
    };
    if (rules.minimum && is_less(value, *rules.minimum))
      return wrong("less than the minimum", *rules.minimum);
    if (rules.maximum && is_less(*rules.maximum, value))
      return wrong("more than the maximum", *rules.maximum);
    if (rules.above && !is_less(*rules.above, value)) return wrong("not more than", *rules.above);
    if (rules.below && !is_less(value, *rules.below)) return wrong("not less than", *rules.below);
    if (rules.multiple_of && !is_multiple(value, *rules.multiple_of))
      return wrong("not a multiple of", *rules.multiple_of);
    return true;
  }

  bool apply_texts(const TextRules& rules, const std::string& text) {
    if (rules.least || rules.most) {
      const std::size_t length = code_points(text);
      if (rules.least && length < *rules.least)
        return fail([&] {
          return fmt::format("{}, expected at least {}", count(length, "character"), *rules.least);
        });
      if (rules.most && length > *rules.most)
        return fail([&] {
          return fmt::format("{}, expected at most {}", count(length, "character"), *rules.most);
        });
    }
    if (rules.pattern && !is_found(*rules.pattern, text))
      return fail([&] {
        return fmt::format("{} does not match the pattern {}", shown(JsonValue(text)),
                           quoted(masked(rules.pattern_text, mask_)));
      });
    if (rules.format && !rules.format->holds(text))
      return fail(
          [&] { return fmt::format("{} is not {}", shown(JsonValue(text)), rules.format->what); });
    return true;
  }

  bool is_found(const Regex& pattern, std::string_view text) {
    return spend(1 + text.size() / kBytesPerStep) && pattern.found_in(text);
  }

  // Subschemas for the same value.

  bool apply_in_place(const SchemaNode& node, const JsonValue& value, Evaluated* evaluated) {
    for (const NodeIndex one : node.all)
      if (!apply(one, value, evaluated)) return false;
    if (node.dynamic && !apply(dynamic_target(*node.dynamic), value, evaluated)) return false;
    if (!node.any.empty() && !apply_any(node.any, value, evaluated)) return false;
    if (!node.one.empty() && !apply_one(node.one, value, evaluated)) return false;
    if (node.none && fits(*node.none, value))
      return fail([&] { return fmt::format("{} matches what `not` forbids", shown(value)); });
    if (node.condition) {
      Evaluated branch;
      const bool holds = fits(*node.condition, value, evaluated ? &branch : nullptr);
      if (holds && evaluated) evaluated->merge(branch);
      const auto& then = holds ? node.consequence : node.alternative;
      if (then && !apply(*then, value, evaluated)) return false;
    }
    return true;
  }

  NodeIndex dynamic_target(const DynamicReference& reference) const {
    for (const std::uint32_t resource : scope_) {
      const auto& anchors = schema_.resources[resource].dynamic_anchors;
      if (const auto found = anchors.find(reference.name); found != anchors.end())
        return found->second;
    }
    return reference.otherwise;
  }

  bool apply_any(const std::vector<NodeIndex>& any, const JsonValue& value, Evaluated* evaluated) {
    std::vector<Mismatch> reasons;
    bool fitted = false;
    for (const NodeIndex one : any) {
      Evaluated branch;
      if (apply(one, value, evaluated ? &branch : nullptr)) {
        fitted = true;
        if (!evaluated) return true;
        evaluated->merge(branch);
      } else if (explain_ && failure_) {
        reasons.push_back(*std::move(failure_));
      }
    }
    return fitted || fail_alternatives(any.size(), std::move(reasons));
  }

  bool apply_one(const std::vector<NodeIndex>& one, const JsonValue& value, Evaluated* evaluated) {
    std::vector<Mismatch> reasons;
    std::vector<std::size_t> fitted;
    for (std::size_t i = 0; i < one.size(); ++i) {
      Evaluated branch;
      if (apply(one[i], value, evaluated ? &branch : nullptr)) {
        fitted.push_back(i + 1);
        if (evaluated) evaluated->merge(branch);
        if (fitted.size() == 2) break;
      } else if (explain_ && failure_) {
        reasons.push_back(*std::move(failure_));
      }
    }
    if (fitted.empty()) return fail_alternatives(one.size(), std::move(reasons));
    if (fitted.size() == 1) return true;
    return fail([&] {
      return fmt::format("{} matches alternatives {} and {} of `oneOf`, expected exactly one",
                         shown(value), fitted[0], fitted[1]);
    });
  }

  // If exactly one alternative got further than the others, its reason is the one that matters.
  bool fail_alternatives(std::size_t count, std::vector<Mismatch> reasons) {
    if (!explain_) return false;
    const std::string here = path();
    const auto goes_on = [&](const Mismatch& reason) { return reason.path != here; };
    if (std::count_if(reasons.begin(), reasons.end(), goes_on) == 1 || reasons.size() == 1) {
      const auto further = std::find_if(reasons.begin(), reasons.end(), goes_on);
      failure_ = std::move(further == reasons.end() ? reasons.front() : *further);
      return false;
    }
    return fail([&] {
      std::string out = fmt::format("matches none of {} alternatives", count);
      for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
        out += fmt::format(
            "{} ({}) {}", i == 0 ? ":" : ";", i + 1,
            base::shorten(reasons[i].path == here ? reasons[i].message : reasons[i].text(),
                          kMostReasonLength));
      return reasons.size() > kMostReasons ? out + "; …" : out;
    });
  }

  // Subschemas for parts of the value.

  bool apply_array(const ArrayRules& rules, const JsonValue::Array& items, Evaluated* evaluated) {
    if (rules.least && items.size() < *rules.least)
      return fail([&] {
        return fmt::format("{}, expected at least {}", count(items.size(), "item"), *rules.least);
      });
    if (rules.most && items.size() > *rules.most)
      return fail([&] {
        return fmt::format("{}, expected at most {}", count(items.size(), "item"), *rules.most);
      });
    const std::size_t prefix = std::min(rules.prefix.size(), items.size());
    for (std::size_t i = 0; i < prefix; ++i) {
      if (!apply_to_item(rules.prefix[i], items, i)) return false;
      if (evaluated) evaluated->mark(i);
    }
    if (rules.items) {
      for (std::size_t i = prefix; i < items.size(); ++i)
        if (!apply_to_item(*rules.items, items, i)) return false;
      if (evaluated) evaluated->mark_all(items.size());
    }
    if (rules.contains && !apply_contains(rules, items, evaluated)) return false;
    if (rules.unique && !are_unique(items)) return false;
    if (rules.unevaluated) {
      for (std::size_t i = 0; i < items.size(); ++i)
        if (!evaluated->has(i) && !apply_to_item(*rules.unevaluated, items, i)) return false;
      evaluated->mark_all(items.size());
    }
    return true;
  }

  bool apply_contains(const ArrayRules& rules, const JsonValue::Array& items,
                      Evaluated* evaluated) {
    const std::uint64_t least = rules.least_contained.value_or(1);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!fits(*rules.contains, items[i])) continue;
      ++found;
      if (evaluated) evaluated->mark(i);
    }
    const auto matching = [&] {
      return fmt::format("{} {} `contains`", count(found, "item"),
                         found == 1 ? "matches" : "match");
    };
    if (found < least)
      return fail([&] { return fmt::format("{}, expected at least {}", matching(), least); });
    if (rules.most_contained && found > *rules.most_contained)
      return fail([&] {
        return fmt::format("{}, expected at most {}", matching(), *rules.most_contained);
      });
    return true;
  }

  bool are_unique(const JsonValue::Array& items) {
    if (!spend(items.size())) return false;
    const auto twice = first_repeated(items);
    if (!twice) return true;
    return fail([&] {
      return fmt::format("items {} and {} are equal: {}", twice->first, twice->second,
                         shown(items[twice->first]));
    });
  }

  bool apply_object(const ObjectRules& rules, const JsonValue& value, Evaluated* evaluated) {
    const auto& members = *value.object();
    if (rules.least && members.size() < *rules.least)
      return fail([&] {
        return fmt::format("{}, expected at least {}", properties(members.size()), *rules.least);
      });
    if (rules.most && members.size() > *rules.most)
      return fail([&] {
        return fmt::format("{}, expected at most {}", properties(members.size()), *rules.most);
      });
    if (!apply_dependencies(rules, value, evaluated)) return false;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (rules.names && !apply_to_name(*rules.names, members[i].first)) return false;
      bool seen = false;
      if (!apply_to_property(rules, members[i], seen)) return false;
      if (seen && evaluated) evaluated->mark(i);
    }
    if (!rules.unevaluated) return true;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (!evaluated->has(i) && !apply_rest(*rules.unevaluated, members[i])) return false;
    evaluated->mark_all(members.size());
    return true;
  }

  bool apply_dependencies(const ObjectRules& rules, const JsonValue& value, Evaluated* evaluated) {
    if (rules.required.empty() && rules.dependent_required.empty() &&
        rules.dependent_schemas.empty())
      return true;
    const Members members(*value.object());
    if (!spend(rules.required.size())) return false;
    for (const auto& key : rules.required)
      if (!members.find(key)) return fail_at(key, [] { return std::string("missing"); });
    for (const auto& [key, needed] : rules.dependent_required) {
      if (!members.find(key)) continue;
      for (const auto& other : needed)
        if (!members.find(other))
          return fail_at(other, [&] {
            return fmt::format("missing, although {} is present", quoted(masked(key, mask_)));
          });
    }
    for (const auto& [key, schema] : rules.dependent_schemas)
      if (members.find(key) && !apply(schema, value, evaluated)) return false;
    return true;
  }

  bool apply_to_name(NodeIndex schema, const std::string& key) {
    const JsonValue name{JsonValue::Value(key)};
    if (fits(schema, name)) return true;
    if (!explain_) return false;
    path_.push_back({key});
    apply(schema, name, nullptr);
    path_.pop_back();
    if (failure_) failure_->message = "the name: " + failure_->message;
    return false;
  }

  bool apply_to_property(const ObjectRules& rules, const std::pair<std::string, JsonValue>& member,
                         bool& seen) {
    if (const auto found = rules.properties.find(member.first); found != rules.properties.end()) {
      seen = true;
      if (!apply_to_member(found->second, member)) return false;
    }
    for (const auto& rule : rules.patterns) {
      if (!is_found(rule.pattern, member.first)) continue;
      seen = true;
      if (!apply_to_member(rule.schema, member)) return false;
    }
    if (seen || !rules.additional) return !limit_;
    seen = true;
    return apply_rest(*rules.additional, member);
  }

  // For members that no other keyword covers; mostly there must be none.
  bool apply_rest(NodeIndex schema, const std::pair<std::string, JsonValue>& member) {
    if (schema_.nodes[schema].never)
      return fail_at(member.first, [] { return std::string("not a property in the schema"); });
    return apply_to_member(schema, member);
  }

  const CompiledSchema& schema_;
  const Mask& mask_;
  std::vector<Token> path_;
  std::vector<std::uint32_t> scope_;  // resources, outermost first
  std::optional<Mismatch> failure_;
  std::optional<std::string> limit_;
  std::size_t steps_ = 0, depth_ = 0;
  bool explain_ = false;
};

}  // namespace

std::uint8_t types_of(const JsonValue& value) {
  if (value.is_null()) return 1;
  if (value.boolean()) return 2;
  if (value.text()) return 4;
  if (value.array()) return 8;
  if (value.object()) return 16;
  return is_whole(value) ? kNumberBit | kIntegerBit : kNumberBit;
}

std::string Mismatch::text() const {
  return path.empty() ? message : fmt::format("{}: {}", path, message);
}

std::optional<Mismatch> Schema::mismatch(const JsonValue& value, const Mask& mask) const {
  return Validation(*compiled_, mask).run(value);
}

}  // namespace vibe::check

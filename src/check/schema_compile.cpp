#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/text.h"
#include "check/ecma_pattern.h"
#include "check/fields.h"
#include "check/schema_keywords.h"
#include "check/schema_node.h"
#include "check/schema_places.h"

namespace vibe::check {

using base::Code;
using base::JsonValue;

namespace {

enum class Depth : std::uint8_t { whole, structure };

class Compiler {
 public:
  Compiler(const JsonValue& root, const Schema::Options& options, Depth depth)
      : root_(root), options_(options), depth_(depth), places_(problems_) {}

  std::shared_ptr<CompiledSchema> run() {
    places_.scan(root_);
    index_of(root_);
    // Subschemas are compiled one after the other, not recursively: no chain of references can
    // overflow the stack.
    for (std::size_t next = 0; next < pending_.size() && !is_full(); ++next) {
      current_ = static_cast<NodeIndex>(next);
      compile(*pending_[next]);
    }
    if (depth_ == Depth::whole && problems_.all.empty()) {
      add_dynamic_anchors();
      find_loops();
    }
    return std::move(out_);
  }

  std::vector<SchemaProblem>& problems() { return problems_.all; }

 private:
  using Handler = void (Compiler::*)(const JsonValue&);
  struct Row {
    std::string_view name;
    Handler handle;
  };
  static Handler handler(std::string_view keyword);

  bool is_full() {
    if (pending_.size() <= Schema::kMostNodes) return false;
    problems_.add(
        {.code = Code::schema_limit,
         .message = fmt::format("the schema has more than {} subschemas", Schema::kMostNodes)});
    return true;
  }

  SchemaNode& node() { return out_->nodes[current_]; }
  NumberRules& numbers() { return part(node().numbers); }
  TextRules& texts() { return part(node().texts); }
  ArrayRules& arrays() { return part(node().arrays); }
  ObjectRules& objects() { return part(node().objects); }
  template <class Part>
  static Part& part(std::unique_ptr<Part>& held) {
    if (!held) held = std::make_unique<Part>();
    return *held;
  }

  std::string here() const { return fmt::format("{}/{}", out_->nodes[current_].place, keyword_); }
  // Reports a problem with a keyword's string.
  void report(Code code, std::string message, std::string hint) {
    problems_.add({.code = code,
                   .pointer = here(),
                   .message = std::move(message),
                   .hint = std::move(hint),
                   .of_text = true});
  }

  // The index of a subschema, which is compiled later.
  NodeIndex index_of(const JsonValue& schema) {
    const auto [found, is_new] = indices_.emplace(&schema, static_cast<NodeIndex>(pending_.size()));
    if (!is_new) return found->second;
    pending_.push_back(&schema);
    SchemaNode& added = out_->nodes.emplace_back();
    const auto place = places_.of(schema);
    added.place = place.pointer;
    added.resource = place.resource;
    return found->second;
  }
  std::vector<NodeIndex> indices_of(const JsonValue& schemas) {
    std::vector<NodeIndex> out;
    for (const auto& schema : *schemas.array()) out.push_back(index_of(schema));
    return out;
  }

  void compile(const JsonValue& schema) {
    if (const auto flag = schema.boolean()) {
      node().never = !*flag;
      return;
    }
    const auto* members = schema.object();
    if (!members) {
      problems_.add({.code = Code::bad_schema,
                     .pointer = node().place,
                     .message = fmt::format("a schema is {}, expected an object, `true` or `false`",
                                            described(schema))});
      return;
    }
    for (const auto& [key, value] : *members) {
      if (own_key(key)) continue;
      keyword_ = base::escape_key(key);
      const Keyword* known = find_keyword(key);
      if (!known) {
        problems_.add({.code = Code::unknown_keyword,
                       .pointer = here(),
                       .at_key = true,
                       .message = fmt::format("JSON Schema has no keyword {}", quoted(key)),
                       .hint = keyword_hint(key),
                       .of_text = true});
        continue;
      }
      if (const auto problem = shape_problem(*known, value)) {
        problems_.add({.code = Code::bad_schema,
                       .pointer = here() + problem->pointer,
                       .message = problem->message,
                       .hint = problem->hint,
                       .of_text = is_about_text(known->takes)});
        continue;
      }
      if (const Handler handle = handler(key)) (this->*handle)(value);
    }
  }

  // Handlers: the value already has the type that its keyword takes.

  static std::uint64_t count_of(const JsonValue& value) {
    constexpr double kMost = 1e18;
    return static_cast<std::uint64_t>(std::min(*value.number(), kMost));
  }
  std::optional<Regex> regex_of(const std::string& pattern, const std::string& pointer,
                                bool at_key) {
    if (depth_ == Depth::structure) return std::nullopt;
    const std::string translated = ecma_to_re2(pattern);
    auto problem = options_.regexes ? options_.regexes->examine(translated) : std::nullopt;
    if (!problem) {
      auto compiled = Regex::compile(translated, Regex::Mode::as_written);
      if (compiled) return *std::move(compiled);
      problem = std::move(compiled.error());
    }
    problems_.add({Code::bad_pattern, pointer, at_key, problem->message, problem->hint, true});
    return std::nullopt;
  }

  void on_type(const JsonValue& value) {
    const auto bit_of = [](const std::string& name) {
      for (const auto& type : kJsonTypes)
        if (type.name == name) return type.bit;
      return std::uint8_t{0};
    };
    if (const auto* name = value.text()) {
      node().types = bit_of(*name);
      return;
    }
    std::uint8_t bits = 0;
    for (const auto& name : *value.array()) bits |= bit_of(*name.text());
    node().types = bits;
  }
  void on_enum(const JsonValue& value) {
    node().values = std::make_unique<JsonSet>(*value.array());
  }
  void on_const(const JsonValue& value) { node().constant = std::make_unique<JsonValue>(value); }

  void on_minimum(const JsonValue& value) { numbers().minimum = value; }
  void on_above(const JsonValue& value) { numbers().above = value; }
  void on_maximum(const JsonValue& value) { numbers().maximum = value; }
  void on_below(const JsonValue& value) { numbers().below = value; }
  void on_multiple_of(const JsonValue& value) { numbers().multiple_of = value; }

  void on_min_length(const JsonValue& value) { texts().least = count_of(value); }
  void on_max_length(const JsonValue& value) { texts().most = count_of(value); }
  void on_pattern(const JsonValue& value) {
    texts().pattern_text = *value.text();
    texts().pattern = regex_of(*value.text(), here(), false);
  }
  void on_format(const JsonValue& value) {
    if (options_.formats == Schema::Formats::noted || depth_ == Depth::structure) return;
    const std::string& name = *value.text();
    if (own_key(name)) return;
    texts().format = find_format(name);
    if (texts().format) return;
    std::vector<std::string_view> names;
    for (const auto& format : formats()) names.push_back(format.name);
    std::string hint = base::did_you_mean(base::nearest(name, names));
    if (hint.empty())
      hint = fmt::format("the formats are {}; your own formats start with `x-`",
                         fmt::join(names, ", "));
    report(Code::bad_schema, fmt::format("there is no format {}", quoted(name)), std::move(hint));
  }

  void on_prefix_items(const JsonValue& value) { arrays().prefix = indices_of(value); }
  void on_items(const JsonValue& value) { arrays().items = index_of(value); }
  void on_contains(const JsonValue& value) { arrays().contains = index_of(value); }
  void on_unevaluated_items(const JsonValue& value) { arrays().unevaluated = index_of(value); }
  void on_min_items(const JsonValue& value) { arrays().least = count_of(value); }
  void on_max_items(const JsonValue& value) { arrays().most = count_of(value); }
  void on_min_contains(const JsonValue& value) { arrays().least_contained = count_of(value); }
  void on_max_contains(const JsonValue& value) { arrays().most_contained = count_of(value); }
  void on_unique_items(const JsonValue& value) { arrays().unique = *value.boolean(); }

  void on_properties(const JsonValue& value) {
    ObjectRules& rules = objects();
    for (const auto& [key, schema] : *value.object()) {
      const auto& kept = rules.keys.emplace_back(std::make_unique<const std::string>(key));
      rules.properties.insert_or_assign(*kept, index_of(schema));
    }
  }
  void on_pattern_properties(const JsonValue& value) {
    for (const auto& [key, schema] : *value.object()) {
      const NodeIndex index = index_of(schema);
      if (auto regex = regex_of(key, fmt::format("{}/{}", here(), base::escape_key(key)), true))
        objects().patterns.push_back({*std::move(regex), index});
    }
  }
  void on_additional(const JsonValue& value) { objects().additional = index_of(value); }
  void on_unevaluated(const JsonValue& value) { objects().unevaluated = index_of(value); }
  void on_names(const JsonValue& value) { objects().names = index_of(value); }
  void on_min_properties(const JsonValue& value) { objects().least = count_of(value); }
  void on_max_properties(const JsonValue& value) { objects().most = count_of(value); }
  void on_required(const JsonValue& value) {
    for (const auto& key : *value.array()) objects().required.push_back(*key.text());
  }
  void on_dependent_required(const JsonValue& value) {
    for (const auto& [key, names] : *value.object()) {
      auto& added = objects().dependent_required.emplace_back(key, std::vector<std::string>());
      for (const auto& name : *names.array()) added.second.push_back(*name.text());
    }
  }
  void on_dependent_schemas(const JsonValue& value) {
    for (const auto& [key, schema] : *value.object())
      objects().dependent_schemas.emplace_back(key, index_of(schema));
  }

  void on_all_of(const JsonValue& value) {
    const auto added = indices_of(value);
    auto& all = node().all;
    all.insert(all.end(), added.begin(), added.end());
  }
  void on_any_of(const JsonValue& value) { node().any = indices_of(value); }
  void on_one_of(const JsonValue& value) { node().one = indices_of(value); }
  void on_not(const JsonValue& value) { node().none = index_of(value); }
  void on_if(const JsonValue& value) { node().condition = index_of(value); }
  void on_then(const JsonValue& value) { node().consequence = index_of(value); }
  void on_else(const JsonValue& value) { node().alternative = index_of(value); }
  // Compiled to find problems in them, but applied to nothing.
  void on_definitions(const JsonValue& value) {
    for (const auto& member : *value.object()) index_of(member.second);
  }
  void on_content_schema(const JsonValue& value) { index_of(value); }

  void on_reference(const JsonValue& value) {
    if (const auto target = target_of(*value.text())) node().all.push_back(*target);
  }
  void on_dynamic_reference(const JsonValue& value) {
    const auto target = target_of(*value.text());
    if (!target) return;
    const std::string name = places_.dynamic_name(node().resource, *value.text());
    if (name.empty())
      node().all.push_back(*target);
    else
      node().dynamic = std::make_unique<DynamicReference>(DynamicReference{name, *target});
  }

  std::optional<NodeIndex> target_of(const std::string& reference) {
    if (depth_ == Depth::structure) return std::nullopt;
    const auto found = places_.find(node().resource, reference);
    if (found.is_metaschema) {
      if (!metaschema_) {
        metaschema_ = index_of(metaschema_value_);
        out_->nodes[*metaschema_].is_metaschema = true;
      }
      return metaschema_;
    }
    if (found.schema) return index_of(*found.schema);
    report(Code::bad_schema_reference, found.message, found.hint);
    return std::nullopt;
  }

  void add_dynamic_anchors() {
    out_->resources.resize(places_.resources().size());
    for (std::size_t i = 0; i < out_->resources.size(); ++i)
      for (const auto& [name, schema] : places_.resources()[i].dynamic_anchors)
        out_->resources[i].dynamic_anchors.emplace(name, index_of(*schema));
  }

  // The subschemas that are applied to the same value.
  std::vector<NodeIndex> applied_in_place(const SchemaNode& from) const {
    std::vector<NodeIndex> out;
    for (const auto* list : {&from.all, &from.any, &from.one})
      out.insert(out.end(), list->begin(), list->end());
    for (const auto& one : {from.none, from.condition, from.consequence, from.alternative})
      if (one) out.push_back(*one);
    if (from.objects)
      for (const auto& dependent : from.objects->dependent_schemas) out.push_back(dependent.second);
    return out;
  }

  // A schema that reaches itself without descending into the value would never end.
  void find_loops() {
    enum class State : std::uint8_t { unseen, open, done };
    struct Open {
      NodeIndex node;
      std::vector<NodeIndex> next;
    };
    std::vector<State> states(out_->nodes.size(), State::unseen);
    std::vector<Open> stack;
    const auto open = [&](NodeIndex index) {
      states[index] = State::open;
      stack.push_back({index, applied_in_place(out_->nodes[index])});
    };
    for (NodeIndex start = 0; start < out_->nodes.size(); ++start) {
      if (states[start] != State::unseen) continue;
      open(start);
      while (!stack.empty()) {
        if (stack.back().next.empty()) {
          states[stack.back().node] = State::done;
          stack.pop_back();
          continue;
        }
        const NodeIndex next = stack.back().next.back();
        stack.back().next.pop_back();
        if (states[next] == State::unseen) {
          open(next);
        } else if (states[next] == State::open) {
          problems_.add(
              {.code = Code::bad_schema_reference,
               .pointer = out_->nodes[stack.back().node].place,
               .message = "these references form a cycle, so no value can be checked against them",
               .hint = "a schema may refer to itself only for parts of the value, as in "
                       "`properties` or `items`"});
          return;
        }
      }
    }
  }

  const JsonValue& root_;
  const Schema::Options& options_;
  const Depth depth_;
  SchemaProblems problems_;
  SchemaPlaces places_;
  std::shared_ptr<CompiledSchema> out_ = std::make_shared<CompiledSchema>();
  std::unordered_map<const JsonValue*, NodeIndex> indices_;
  std::vector<const JsonValue*> pending_;
  const JsonValue metaschema_value_{JsonValue::Value(true)};
  std::optional<NodeIndex> metaschema_;
  NodeIndex current_ = 0;
  std::string keyword_;
};

// Keywords without a row do not affect whether a value fits.
Compiler::Handler Compiler::handler(std::string_view keyword) {
  static constexpr std::array kRows{
      Row{"$defs", &Compiler::on_definitions},
      Row{"$dynamicRef", &Compiler::on_dynamic_reference},
      Row{"$ref", &Compiler::on_reference},
      Row{"additionalProperties", &Compiler::on_additional},
      Row{"allOf", &Compiler::on_all_of},
      Row{"anyOf", &Compiler::on_any_of},
      Row{"const", &Compiler::on_const},
      Row{"contains", &Compiler::on_contains},
      Row{"contentSchema", &Compiler::on_content_schema},
      Row{"definitions", &Compiler::on_definitions},
      Row{"dependentRequired", &Compiler::on_dependent_required},
      Row{"dependentSchemas", &Compiler::on_dependent_schemas},
      Row{"else", &Compiler::on_else},
      Row{"enum", &Compiler::on_enum},
      Row{"exclusiveMaximum", &Compiler::on_below},
      Row{"exclusiveMinimum", &Compiler::on_above},
      Row{"format", &Compiler::on_format},
      Row{"if", &Compiler::on_if},
      Row{"items", &Compiler::on_items},
      Row{"maxContains", &Compiler::on_max_contains},
      Row{"maxItems", &Compiler::on_max_items},
      Row{"maxLength", &Compiler::on_max_length},
      Row{"maxProperties", &Compiler::on_max_properties},
      Row{"maximum", &Compiler::on_maximum},
      Row{"minContains", &Compiler::on_min_contains},
      Row{"minItems", &Compiler::on_min_items},
      Row{"minLength", &Compiler::on_min_length},
      Row{"minProperties", &Compiler::on_min_properties},
      Row{"minimum", &Compiler::on_minimum},
      Row{"multipleOf", &Compiler::on_multiple_of},
      Row{"not", &Compiler::on_not},
      Row{"oneOf", &Compiler::on_one_of},
      Row{"pattern", &Compiler::on_pattern},
      Row{"patternProperties", &Compiler::on_pattern_properties},
      Row{"prefixItems", &Compiler::on_prefix_items},
      Row{"properties", &Compiler::on_properties},
      Row{"propertyNames", &Compiler::on_names},
      Row{"required", &Compiler::on_required},
      Row{"then", &Compiler::on_then},
      Row{"type", &Compiler::on_type},
      Row{"unevaluatedItems", &Compiler::on_unevaluated_items},
      Row{"unevaluatedProperties", &Compiler::on_unevaluated},
      Row{"uniqueItems", &Compiler::on_unique_items},
  };
  const auto row =
      std::lower_bound(kRows.begin(), kRows.end(), keyword,
                       [](const Row& one, std::string_view name) { return one.name < name; });
  return row != kRows.end() && row->name == keyword ? row->handle : nullptr;
}

}  // namespace

tl::expected<Schema, std::vector<SchemaProblem>> Schema::compile(const JsonValue& schema,
                                                                 const Options& options) {
  Compiler compiler(schema, options, Depth::whole);
  auto compiled = compiler.run();
  if (!compiler.problems().empty()) return tl::unexpected(std::move(compiler.problems()));
  return Schema(std::move(compiled));
}

std::optional<SchemaProblem> structural_problem(const JsonValue& schema) {
  Compiler compiler(schema, {}, Depth::structure);
  compiler.run();
  for (auto& problem : compiler.problems())
    if (problem.code == Code::bad_schema) return std::move(problem);
  return std::nullopt;
}

}  // namespace vibe::check

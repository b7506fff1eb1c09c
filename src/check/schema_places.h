// SchemaPlaces: the positions of the subschemas in a document, their `$id` and `$anchor`, and what
// a reference means. Belongs to one compilation; the document must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_value.h"
#include "check/schema_keywords.h"

namespace vibe::check {

struct SchemaPlace {
  std::string pointer;  // from the document's root
  std::uint32_t resource = 0;
};

class SchemaPlaces {
 public:
  using Anchors = std::map<std::string, const base::JsonValue*, std::less<>>;
  struct Resource {
    std::string uri;  // without a fragment
    const base::JsonValue* root;
    std::string pointer;
    Anchors anchors, dynamic_anchors;
  };
  // The target of a reference: a schema, the metaschema, or nothing, with the reason.
  struct Target {
    const base::JsonValue* schema = nullptr;
    bool is_metaschema = false;
    std::string message{}, hint{};
  };

  explicit SchemaPlaces(SchemaProblems& problems) : problems_(problems) {}

  void scan(const base::JsonValue& root);

  SchemaPlace of(const base::JsonValue& schema) const;
  Target find(std::uint32_t resource, std::string_view reference);
  // The name that a `$dynamicRef` looks up in the dynamic scope; empty: it is a plain `$ref`.
  std::string dynamic_name(std::uint32_t resource, std::string_view reference) const;
  const std::vector<Resource>& resources() const { return resources_; }

 private:
  void scan(const base::JsonValue& schema, SchemaPlace place);
  void add_anchor(Anchors& anchors, const base::JsonValue& schema, std::string_view keyword,
                  const SchemaPlace& place);
  const Resource* resource_of(std::string_view uri) const;
  Target follow(const Resource& from, std::string_view pointer, std::string_view reference);

  SchemaProblems& problems_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::uint32_t> by_uri_;
  std::unordered_map<const base::JsonValue*, SchemaPlace> places_;
};

}  // namespace vibe::check

// Uri: references put together as RFC 3986 has it (section 5.2), for the `$id` and `$ref` of
// schemas. Nothing is fetched. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace vibe::check {

struct UriParts {
  std::string_view scheme, authority, path, query, fragment;  // without the signs around them
  bool has_authority = false, has_query = false, has_fragment = false;
};

UriParts split_uri(std::string_view uri);

// What `reference` means where `base` is the base; with its fragment, if it has one.
std::string resolve_uri(std::string_view base, std::string_view reference);

// Bytes for `%41`; other signs as they are.
std::string decode_percent(std::string_view text);

}  // namespace vibe::check

// Uri: resolves references by RFC 3986 (section 5.2), for the `$id` and `$ref` of schemas. Fetches
// nothing. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace vibe::check {

struct UriParts {
  std::string_view scheme, authority, path, query, fragment;  // without separators
  bool has_authority = false, has_query = false, has_fragment = false;
};

UriParts split_uri(std::string_view uri);

// Resolves `reference` against `base`; keeps the fragment.
std::string resolve_uri(std::string_view base, std::string_view reference);

// Decodes `%41`; other characters are unchanged.
std::string decode_percent(std::string_view text);

}  // namespace vibe::check

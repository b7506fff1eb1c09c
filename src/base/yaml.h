// YAML: text → nodes with their positions. Reads libyaml's events; resolves aliases (shared, not
// copied) and merge keys (`<<`). Does not give scalars a type: the reader of a node asks for the
// type it wants. A Document is immutable and may be read from any thread; its nodes live as long as
// it does.
//
// Hostile input costs linear time: size, depth and alias expansion are limited, and exceeding a
// limit is a diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace vibe::base {

inline constexpr std::size_t kMaxYamlBytes = 8u << 20;
inline constexpr std::size_t kMaxYamlDepth = 64;
inline constexpr std::size_t kMaxYamlNodes = 4'000'000;  // with every alias expanded

struct YamlEntry;

struct YamlNode {
  enum class Kind : std::uint8_t { scalar, list, map };
  enum class Style : std::uint8_t { plain, single_quoted, double_quoted, literal, folded };

  Kind kind = Kind::scalar;
  Style style = Style::plain;
  Span span;                               // in the document's source, quotes included
  std::string_view text;                   // decoded, for a scalar
  std::string_view tag;                    // as written, empty if none
  std::span<const YamlNode* const> items;  // for a list
  std::span<const YamlEntry> entries;      // for a map, in order, merged ones last

  const YamlNode* find(std::string_view key) const;  // a map's value, or null

  // Scalars by YAML 1.2's core schema: only plain ones can have another type than text.
  bool is_null() const;
  std::optional<bool> as_bool() const;
  std::optional<double> as_number() const;  // finite
  std::optional<std::int64_t> as_integer() const;
  // The same for every notation: `4.0`, `1e2`. Up to 2^53, like numbers in JSON.
  std::optional<std::int64_t> as_whole() const;
  std::string_view describe() const;  // "a list", "a number", "text", …: for messages
};

struct YamlEntry {
  const YamlNode* key;
  const YamlNode* value;
};

class YamlDocument {
 public:
  YamlDocument(YamlDocument&&) noexcept;
  YamlDocument& operator=(YamlDocument&&) noexcept;
  ~YamlDocument();

  const YamlNode& root() const { return *root_; }
  const SourcePtr& source() const { return source_; }
  Where where(const YamlNode& node) const { return {source_, node.span}; }
  // The scalar's decoded text, with the position of each character.
  Passage passage(const YamlNode& scalar) const;
  // Mistakes that do not affect how the rest is read: duplicate keys, stray tags.
  const Diagnostics& problems() const { return problems_; }
  std::size_t events() const { return events_; }  // number of events read: a measure of work

 private:
  friend class YamlComposer;
  YamlDocument();

  struct Memory;  // for the nodes, and for text that differs from the source

  SourcePtr source_;
  std::unique_ptr<Memory> memory_;
  const YamlNode* root_ = nullptr;
  Diagnostics problems_;
  std::size_t events_ = 0;
};

// Fails if the text cannot be parsed as a whole.
Result<YamlDocument> parse_yaml(SourcePtr source);

// The documents of a text that may have several, each for its own Source. A part with only comments
// is not a document.
struct YamlPart {
  std::string_view text;
  std::uint32_t first_line = 1;
};
std::vector<YamlPart> split_yaml(std::string_view text);

}  // namespace vibe::base

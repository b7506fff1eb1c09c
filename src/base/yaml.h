// YAML: text → nodes that know where they stand. Reads libyaml's events; resolves
// aliases (shared, not copied) and merge keys (`<<`). Does not give scalars a type:
// the reader of a node asks for the one it wants. A Document is immutable and may be
// read from any thread; its nodes live as long as it does.
//
// Hostile input costs linear time: size, depth, and what aliases expand to are
// limited, each limit a diagnostic.
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
  std::string_view text;                   // of a scalar, decoded
  std::string_view tag;                    // as written, empty if none
  std::span<const YamlNode* const> items;  // of a list
  std::span<const YamlEntry> entries;      // of a map, in order, merged ones last

  const YamlNode* find(std::string_view key) const;  // a map's value, or null

  // Scalars by YAML 1.2's core schema: only plain ones can be anything but text.
  bool is_null() const;
  std::optional<bool> as_bool() const;
  std::optional<double> as_number() const;  // finite
  std::optional<std::int64_t> as_integer() const;
  // The same of every way to write it: `4.0`, `1e2`. As JSON's numbers are, within 2^53.
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
  // The scalar's decoded text with the place of each of its characters.
  Passage passage(const YamlNode& scalar) const;
  // Mistakes that do not keep the rest from being understood: duplicate keys, stray tags.
  const Diagnostics& problems() const { return problems_; }
  std::size_t events() const { return events_; }  // how many were read: the measure of work

 private:
  friend class YamlComposer;
  YamlDocument();

  struct Memory;  // of the nodes, and of texts that differ from what is written

  SourcePtr source_;
  std::unique_ptr<Memory> memory_;
  const YamlNode* root_ = nullptr;
  Diagnostics problems_;
  std::size_t events_ = 0;
};

// No document where the text cannot be understood as a whole.
Result<YamlDocument> parse_yaml(SourcePtr source);

// The documents of a text that may have several, each to be a Source of its own. Nothing but
// comments is none.
struct YamlPart {
  std::string_view text;
  std::uint32_t first_line = 1;
};
std::vector<YamlPart> split_yaml(std::string_view text);

}  // namespace vibe::base

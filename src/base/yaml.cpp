#include "base/yaml.h"

#include <algorithm>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml.h>

#include "base/text.h"
#include "base/yaml_surrogates.h"
#include "base/yaml_syntax.h"

namespace vibe::base {
namespace {

constexpr std::size_t kMostComparedAnchors = 1000;  // for suggestions, if an alias has no anchor
constexpr std::size_t kShownKey = 60;               // code points of a key in a message
constexpr std::size_t kBytesPerNode = 128;          // bytes of a long scalar that count as one node
constexpr std::size_t kMaxTagDirectives = 64;       // libyaml compares each with all before it

bool is_yaml_character(char32_t value) {
  return value == '\t' || value == '\n' || value == '\r' || (value >= 0x20 && value <= 0x7E) ||
         value == 0x85 || (value >= 0xA0 && value <= 0xFFFD && value != 0xFEFF) || value >= 0x10000;
}

// The offset of the first byte that is not text; the text's size if there is none.
std::size_t find_non_text(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] >= 0x20 && text[at] < 0x7F) {
      ++at;
      continue;
    }
    const CodePoint next = decode(text, at);
    if (!next.valid || !is_yaml_character(next.value)) return at;
    at += next.length;
  }
  return at;
}

std::size_t count_tag_directives(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("%TAG"); at != text.npos; at = text.find("%TAG", at + 1)) {
    const char before = at == 0 ? '\n' : text[at - 1];
    if (before == '\n' || before == '\r' || static_cast<unsigned char>(before) >= 0x80) ++count;
  }
  return count;
}

YamlNode::Style to_style(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: return YamlNode::Style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return YamlNode::Style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE: return YamlNode::Style::literal;
    case YAML_FOLDED_SCALAR_STYLE: return YamlNode::Style::folded;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE: break;
  }
  return YamlNode::Style::plain;
}

std::string_view to_view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

std::string_view or_empty(const char* text) { return text == nullptr ? std::string_view{} : text; }

class Parser {
 public:
  explicit Parser(std::string_view text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // The next event, valid until the next call; null if the text is not YAML.
  const yaml_event_t* next() {
    yaml_event_delete(&event_);
    return yaml_parser_parse(&parser_, &event_) == 0 ? nullptr : &event_;
  }

  const yaml_parser_t& state() const { return parser_; }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

// libyaml counts characters; everything else here counts bytes.
class ByteOffsets {
 public:
  explicit ByteOffsets(std::string_view text)
      : text_(text),
        base_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0),
        byte_(base_) {
    ascii_ = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(base_), text.end(),
                         [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
  }

  std::uint32_t at(std::size_t character) {
    if (ascii_) return static_cast<std::uint32_t>(std::min(base_ + character, text_.size()));
    for (; character_ < character && byte_ < text_.size(); ++character_) do
        ++byte_;
      while (byte_ < text_.size() && continues(byte_));
    for (; character_ > character && byte_ > base_; --character_) do
        --byte_;
      while (byte_ > base_ && continues(byte_));
    return static_cast<std::uint32_t>(byte_);
  }

 private:
  bool continues(std::size_t byte) const {
    return (static_cast<unsigned char>(text_[byte]) & 0xC0) == 0x80;
  }

  std::string_view text_;
  std::size_t base_, byte_, character_ = 0;
  bool ascii_ = false;
};

}  // namespace

// All memory is freed at once: nothing in it has a destructor.
struct YamlDocument::Memory {
  template <class T>
  T& add(const T& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return *new (resource.allocate(sizeof(T), alignof(T))) T(value);
  }
  template <class T>
  std::span<const T> keep(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* place = static_cast<T*>(resource.allocate(values.size_bytes(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), place);
    return {place, values.size()};
  }
  std::string_view keep(std::string_view text) {
    const auto kept = keep(std::span<const char>(text));
    return {kept.data(), kept.size()};
  }

  std::pmr::monotonic_buffer_resource resource;
};

YamlDocument::YamlDocument() : memory_(std::make_unique<Memory>()) {}
YamlDocument::YamlDocument(YamlDocument&&) noexcept = default;
YamlDocument& YamlDocument::operator=(YamlDocument&&) noexcept = default;
YamlDocument::~YamlDocument() = default;

// Builds the nodes from the events, without recursion. Continues after a problem if the rest can
// still be understood.
class YamlComposer {
 public:
  explicit YamlComposer(SourcePtr source)
      : source_(std::move(source)), text_(source_->text()), offsets_(text_), pairs_(text_) {
    document_.source_ = source_;
  }

  Result<YamlDocument> run() {
    if (check_text()) read_document();
    if (!diagnostics_.failed()) return std::move(document_);
    diagnostics_.append(document_.problems_);
    diagnostics_.sort();
    return tl::unexpected<Diagnostics>(std::move(diagnostics_));
  }

 private:
  struct Anchor {
    const YamlNode* node;
    std::size_t size, height;  // with every alias in it expanded
    bool open;
  };

  // A list or map that is still open.
  struct Frame {
    YamlNode* node;
    std::size_t first_child;  // in children_
    std::size_t size = 1, height = 1;
    Anchor* anchor = nullptr;
  };

  bool check_text();
  void read_document();
  void read_rest(Parser& parser);
  void report_syntax(const Parser& parser);
  bool read_node(const yaml_event_t& event);
  bool open(YamlNode::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor,
            const yaml_char_t* tag);
  void close(const yaml_event_t& event);
  bool read_scalar(const yaml_event_t& event);
  bool read_alias(const yaml_event_t& event);
  bool add_child(const YamlNode* node, std::size_t size, std::size_t height, Span place);
  YamlNode& add_node(YamlNode::Kind kind, Span span, bool has_properties);
  void set_text(YamlNode& node, std::string_view text);
  Anchor* set_anchor(const yaml_char_t* name, const YamlNode& node, bool open);
  void close_map(YamlNode& map, std::size_t first_child);
  void report_duplicates();
  void merge(const YamlNode& key, const YamlNode& value);

  Span span_of(const yaml_event_t& event) {
    const std::uint32_t begin = offsets_.at(event.start_mark.index);
    return {begin, std::max(begin, offsets_.at(event.end_mark.index))};
  }
  void add(Code code, Span span, std::string message, std::string hint = {}) {
    diagnostics_.add(code, {source_, span}, std::move(message), std::move(hint));
  }

  // Problems that do not affect how the rest is read.
  void add_problem(Code code, Span span, std::string message, std::string hint) {
    document_.problems_.add(code, {source_, span}, std::move(message), std::move(hint));
  }

  SourcePtr source_;
  std::string_view text_;
  ByteOffsets offsets_;
  SurrogatePairs pairs_;
  YamlDocument document_;
  Diagnostics diagnostics_;
  std::vector<Frame> open_;
  std::vector<const YamlNode*> children_;  // of all open nodes; for a map keys and values alternate
  std::vector<YamlEntry> entries_;         // of the map that is being closed
  std::map<std::string, Anchor, std::less<>> anchors_;
  std::size_t expanded_ = 0;    // nodes so far, with every alias expanded
  std::uint32_t last_end_ = 0;  // where the last scalar, alias or bracket ended
  const YamlNode* last_scalar_ = nullptr;
};

bool YamlComposer::check_text() {
  if (text_.size() > kMaxYamlBytes) {
    add(Code::too_large, {}, fmt::format("the file is larger than {} MiB", kMaxYamlBytes >> 20));
    return false;
  }
  const std::size_t skip = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t bad = skip + find_non_text(text_.substr(skip));
  if (bad < text_.size()) {
    const CodePoint found = decode(text_, bad);
    const Span span{static_cast<std::uint32_t>(bad),
                    static_cast<std::uint32_t>(bad + found.length)};
    const bool wide = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF");
    const bool nul = found.valid && found.value == 0;
    if (found.valid)
      add(Code::not_text, span,
          fmt::format("control character U+{:04X}", static_cast<std::uint32_t>(found.value)),
          nul ? "this is a binary file, or text in UTF-16: save it as UTF-8"
              : "remove it, or write it as an escape in double quotes");
    else
      add(Code::not_text, span,
          fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text_[bad])),
          wide ? "this looks like UTF-16: save the file as UTF-8" : "save the file as UTF-8");
    return false;
  }
  if (count_tag_directives(text_) > kMaxTagDirectives) {
    add(Code::yaml_syntax, {}, fmt::format("more than {} `%TAG` directives", kMaxTagDirectives),
        "leave them out");
    return false;
  }
  return true;
}

void YamlComposer::read_document() {
  const std::size_t skip = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  Parser parser(pairs_.readable().substr(skip));
  for (;;) {
    const yaml_event_t* event = parser.next();
    if (event == nullptr) return report_syntax(parser);
    ++document_.events_;
    if (event->type == YAML_STREAM_END_EVENT) {
      const bool blank = trim(text_.substr(skip)).empty();
      return add(Code::several_documents, {},
                 blank ? "the file is empty" : "the file has only comments");
    }
    if (event->type == YAML_DOCUMENT_END_EVENT) break;
    if (!read_node(*event)) return;
  }
  const YamlNode& root = *document_.root_;
  if (root.kind == YamlNode::Kind::scalar && root.span.begin == root.span.end)
    add(Code::several_documents, {}, "the document is empty");
  read_rest(parser);
}

void YamlComposer::read_rest(Parser& parser) {
  const yaml_event_t* event = parser.next();
  if (event == nullptr) return report_syntax(parser);
  ++document_.events_;
  if (event->type == YAML_DOCUMENT_START_EVENT)
    add(Code::several_documents, span_of(*event), "a second document begins here",
        "keep one document per file, and remove the `---`");
}

void YamlComposer::report_syntax(const Parser& parser) {
  const yaml_parser_t& state = parser.state();
  if (state.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  YamlComplaint complaint{or_empty(state.problem),
                          or_empty(state.context),
                          offsets_.at(state.problem_mark.index),
                          0,
                          {}};
  complaint.context_at =
      state.context == nullptr ? complaint.problem_at : offsets_.at(state.context_mark.index);
  const bool quoted =
      last_scalar_ != nullptr && (last_scalar_->style == YamlNode::Style::single_quoted ||
                                  last_scalar_->style == YamlNode::Style::double_quoted);
  if (quoted && last_scalar_->span.end == last_end_) complaint.last_quoted = last_scalar_->span;
  YamlAdvice advice = advise(*source_, complaint);
  add(Code::yaml_syntax, advice.span, std::move(advice.message), std::move(advice.hint));
}

// False: do not read further.
bool YamlComposer::read_node(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_SCALAR_EVENT: return read_scalar(event);
    case YAML_ALIAS_EVENT: return read_alias(event);
    case YAML_SEQUENCE_START_EVENT:
      return open(YamlNode::Kind::list, event, event.data.sequence_start.anchor,
                  event.data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
      return open(YamlNode::Kind::map, event, event.data.mapping_start.anchor,
                  event.data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: close(event); return true;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT: break;
  }
  return true;
}

YamlNode& YamlComposer::add_node(YamlNode::Kind kind, Span span, bool has_properties) {
  YamlNode& node = document_.memory_->add(YamlNode{});
  node.kind = kind;
  node.span = span;
  if (!has_properties) return node;

  // libyaml's position of a node includes its anchor and tag, and its tag is not as written.
  const bool scalar = kind == YamlNode::Kind::scalar;
  std::size_t at = span.begin;
  const std::size_t end = scalar ? span.end : text_.size();
  while (at < end) {
    const std::size_t begin = at;
    if (text_[at] == '&' || text_[at] == '!') {
      at = std::min(end, text_.find_first_of(text_[at] == '&' ? " \t\r\n,[]{}" : " \t\r\n,", at));
      if (text_[begin] == '!') node.tag = text_.substr(begin, at - begin);
      if (text_[begin] == '!' && !node.tag.starts_with("!!"))
        add_problem(
            Code::yaml_syntax, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)},
            fmt::format("`{}` is a YAML tag, not part of the value", shorten(node.tag, kShownKey)),
            "quote the value; in a formula write `not` for `!`");
    } else if (text_[at] == '#') {
      at = std::min(end, text_.find_first_of("\r\n", at));
    } else if (trim(text_.substr(at, 1)).empty()) {
      ++at;
    } else {
      break;
    }
  }
  node.span.begin = static_cast<std::uint32_t>(at);
  node.span.end = std::max(node.span.begin, node.span.end);
  return node;
}

YamlComposer::Anchor* YamlComposer::set_anchor(const yaml_char_t* name, const YamlNode& node,
                                               bool open) {
  if (name == nullptr) return nullptr;
  Anchor& anchor = anchors_[std::string(to_view(name))];
  anchor = {&node, 1, 1, open};
  return &anchor;
}

// Adds a finished node to its parent.
bool YamlComposer::add_child(const YamlNode* node, std::size_t size, std::size_t height,
                             Span place) {
  if (open_.empty()) {
    document_.root_ = node;
    return true;
  }
  if (open_.size() + height > kMaxYamlDepth + 1) {
    add(Code::too_deep, place, fmt::format("nested more than {} levels deep", kMaxYamlDepth));
    return false;
  }
  children_.push_back(node);
  Frame& parent = open_.back();
  parent.size += size;
  parent.height = std::max(parent.height, height + 1);
  return true;
}

bool YamlComposer::open(YamlNode::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor,
                        const yaml_char_t* tag) {
  const Span span = span_of(event);
  if (open_.size() == kMaxYamlDepth) {
    add(Code::too_deep, span, fmt::format("nested more than {} levels deep", kMaxYamlDepth));
    return false;
  }
  YamlNode& node = add_node(kind, span, anchor != nullptr || tag != nullptr);
  ++expanded_;
  open_.push_back({&node, children_.size()});
  open_.back().anchor = set_anchor(anchor, node, true);
  return true;
}

void YamlComposer::close(const yaml_event_t& event) {
  const Frame frame = open_.back();
  open_.pop_back();
  YamlNode& node = *frame.node;
  const Span end = span_of(event);
  if (end.end > end.begin) last_end_ = end.end;  // a bracket; a block ends with its last entry
  node.span.end = std::max(node.span.begin, last_end_);
  const auto first = children_.begin() + static_cast<std::ptrdiff_t>(frame.first_child);
  if (node.kind == YamlNode::Kind::list)
    node.items = document_.memory_->keep(std::span<const YamlNode* const>(first, children_.end()));
  else
    close_map(node, frame.first_child);
  children_.resize(frame.first_child);
  if (frame.anchor != nullptr && frame.anchor->node == &node)
    *frame.anchor = {&node, frame.size, frame.height, false};
  add_child(&node, frame.size, frame.height, node.span);
}

void YamlComposer::set_text(YamlNode& node, std::string_view text) {
  if (pairs_.any_in(node.span)) {
    const auto restored = pairs_.restore(text, node.style, node.span);
    if (!restored) return add(Code::yaml_syntax, node.span, "an invalid escape");
    node.text = document_.memory_->keep(std::string_view(*restored));
    return;
  }
  const bool quoted =
      node.style == YamlNode::Style::single_quoted || node.style == YamlNode::Style::double_quoted;
  std::string_view written = slice(text_, node.span);
  if (quoted && written.size() >= 2) written = written.substr(1, written.size() - 2);
  node.text = written == text ? written : document_.memory_->keep(text);
}

bool YamlComposer::read_scalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  YamlNode& node = add_node(YamlNode::Kind::scalar, span_of(event),
                            scalar.anchor != nullptr || scalar.tag != nullptr);
  node.style = to_style(scalar.style);
  if (node.style == YamlNode::Style::literal || node.style == YamlNode::Style::folded) {
    const auto end = text_.substr(0, node.span.end).find_last_not_of(" \t\r\n");
    node.span.end = std::max(node.span.begin + 1, static_cast<std::uint32_t>(end) + 1);
  }
  set_text(node, {reinterpret_cast<const char*>(scalar.value), scalar.length});
  last_end_ = node.span.end;
  last_scalar_ = &node;
  const std::size_t size = 1 + node.text.size() / kBytesPerNode;
  if (Anchor* anchor = set_anchor(scalar.anchor, node, false)) anchor->size = size;
  expanded_ += size;
  if (expanded_ > kMaxYamlNodes) {
    add(Code::too_large, node.span, fmt::format("the file has more than {} values", kMaxYamlNodes));
    return false;
  }
  return add_child(&node, size, 1, node.span);
}

bool YamlComposer::read_alias(const yaml_event_t& event) {
  const Span span = span_of(event);
  last_end_ = span.end;
  const std::string_view name = to_view(event.data.alias.anchor);
  const auto found = anchors_.find(name);
  if (found == anchors_.end() || found->second.open) {
    const std::string shown = shorten(name, kShownKey);
    if (found != anchors_.end()) {
      add(Code::bad_alias, span, fmt::format("alias `*{}` is inside its own anchor", shown));
    } else {
      std::vector<std::string_view> names;
      for (const auto& [known, anchor] : anchors_)
        if (names.size() < kMostComparedAnchors) names.push_back(known);
      std::string hint = did_you_mean(nearest(name, names));
      if (hint.empty()) hint = quote_hint(*source_, span.begin);
      add(Code::bad_alias, span,
          fmt::format("alias `*{}` has no anchor `&{}` before it", shown, shown), std::move(hint));
    }
    return diagnostics_.dropped() == 0 &&
           add_child(&add_node(YamlNode::Kind::scalar, span, false), 1, 1, span);
  }
  const Anchor& target = found->second;
  expanded_ += target.size;
  if (expanded_ > kMaxYamlNodes) {
    add(Code::alias_limit, span,
        fmt::format("aliases expand to more than {} values", kMaxYamlNodes));
    return false;
  }
  return add_child(target.node, target.size, target.height, span);
}

void YamlComposer::close_map(YamlNode& map, std::size_t first_child) {
  entries_.clear();
  for (std::size_t i = first_child; i + 1 < children_.size(); i += 2) {
    const YamlNode& key = *children_[i];
    if (key.kind != YamlNode::Kind::scalar) {
      std::string hint = diagnostics_.dropped() == 0 ? quote_hint(*source_, key.span.begin) : "";
      add(Code::bad_key, key.span, fmt::format("{} cannot be a key", key.describe()),
          std::move(hint));
      continue;
    }
    entries_.push_back({&key, children_[i + 1]});
  }
  report_duplicates();
  const auto is_merge = [](const YamlEntry& entry) {
    return entry.key->text == "<<" && entry.key->style == YamlNode::Style::plain;
  };
  const auto found = std::find_if(entries_.begin(), entries_.end(), is_merge);
  if (found != entries_.end()) {
    const YamlEntry merged = *found;
    entries_.erase(found);
    merge(*merged.key, *merged.value);
  }
  map.entries = document_.memory_->keep(std::span<const YamlEntry>(entries_));
}

void YamlComposer::report_duplicates() {
  const auto& entries = entries_;
  const auto report = [&](const YamlNode& first, const YamlNode& second) {
    add_problem(
        Code::duplicate_key, second.span,
        fmt::format("duplicate key `{}`", shorten(second.text, kShownKey)),
        fmt::format("the first one is on line {}", source_->position(first.span.begin).line));
  };
  constexpr std::size_t kFew = 12;
  if (entries.size() <= kFew) {
    for (std::size_t i = 1; i < entries.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (entries[i].key->text == entries[j].key->text) {
          report(*entries[j].key, *entries[i].key);
          break;
        }
    return;
  }
  // The index distinguishes first from second.
  std::vector<std::pair<std::string_view, std::size_t>> keys;
  keys.reserve(entries.size());
  for (const YamlEntry& entry : entries) keys.emplace_back(entry.key->text, keys.size());
  std::sort(keys.begin(), keys.end());
  std::size_t first = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first != keys[first].first)
      first = i;
    else
      report(*entries[keys[first].second].key, *entries[keys[i].second].key);
  }
}

// Every merged alias was counted with its full size, which limits the work here as well.
void YamlComposer::merge(const YamlNode& key, const YamlNode& value) {
  const YamlNode* const itself = &value;
  const std::span maps = value.kind == YamlNode::Kind::map ? std::span(&itself, 1) : value.items;
  const bool mergeable = value.kind != YamlNode::Kind::scalar &&
                         std::all_of(maps.begin(), maps.end(),
                                     [](const auto* m) { return m->kind == YamlNode::Kind::map; });
  if (!mergeable)
    return add(Code::bad_key, key.span, "`<<` merges tables, but this is not a table",
               "give it an alias of a table, as in `<<: *defaults`, or a list of them");
  std::vector<std::string_view> present;
  for (const YamlEntry& entry : entries_) present.push_back(entry.key->text);
  std::sort(present.begin(), present.end());
  std::set<std::string_view> merged;
  for (const YamlNode* from : maps)
    for (const YamlEntry& entry : from->entries)
      if (!std::binary_search(present.begin(), present.end(), entry.key->text) &&
          merged.insert(entry.key->text).second)
        entries_.push_back(entry);
}

Result<YamlDocument> parse_yaml(SourcePtr source) { return YamlComposer(std::move(source)).run(); }

}  // namespace vibe::base

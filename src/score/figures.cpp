#include "score/figures.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace vibe::score {

namespace {

constexpr std::string_view kMagic = "VF";
constexpr std::uint8_t kVersion = 4;
constexpr std::uint8_t kErrorsSince = 3, kPlacesSince = 4;  // the versions that added them
constexpr std::uint8_t kRaw = 0, kWhole = 1, kNone = 2;
constexpr double kWholeLimit = 9007199254740992.0;  // 2^53

// A column, and the version that added it.
struct StoredColumn {
  double Sample::* column;
  std::uint8_t since;
};
constexpr std::array kColumns{
    StoredColumn{&Sample::latency, 1},        StoredColumn{&Sample::cost, 1},
    StoredColumn{&Sample::prompt_tokens, 1},  StoredColumn{&Sample::completion_tokens, 1},
    StoredColumn{&Sample::output_quality, 2}, StoredColumn{&Sample::structure_score, 2},
    StoredColumn{&Sample::fitness, 2},
};

constexpr std::array kPlaceColumns{&Place::sample, &Place::row, &Place::repeat};

class Writer {
 public:
  void byte(unsigned value) { out_ += static_cast<char>(value); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<unsigned>(value & 0x7f) | 0x80U);
    byte(static_cast<unsigned>(value));
  }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  void bits(double value) {
    const auto all = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8)
      byte(static_cast<unsigned>(all >> shift) & 0xffU);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// A read past the end returns nothing, and so do all reads after it.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  std::optional<std::uint8_t> byte() {
    if (left_.empty()) return std::nullopt;
    const auto value = static_cast<std::uint8_t>(left_[0]);
    left_.remove_prefix(1);
    return value;
  }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto next = byte();
      if (!next || (shift == 63 && *next > 1)) return fail();
      value |= static_cast<std::uint64_t>(*next & 0x7fU) << shift;
      if (*next < 0x80) return value;
    }
    return fail();
  }
  // The number of items that take at least a byte each.
  std::optional<std::size_t> count() {
    const auto value = number();
    if (!value || *value > left_.size()) return fail();
    return static_cast<std::size_t>(*value);
  }
  std::optional<std::string_view> text() {
    const auto size = count();
    if (!size) return std::nullopt;
    const std::string_view value = left_.substr(0, *size);
    left_.remove_prefix(*size);
    return value;
  }
  std::optional<double> bits() {
    if (left_.size() < 8) return fail();
    std::uint64_t all = 0;
    for (unsigned i = 0; i < 8; ++i)
      all |= static_cast<std::uint64_t>(static_cast<unsigned char>(left_[i])) << (8 * i);
    left_.remove_prefix(8);
    return std::bit_cast<double>(all);
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::nullopt_t fail() {
    left_ = {};
    return std::nullopt;
  }
  std::string_view left_;
};

// Whether form 1 restores the same bits.
bool is_whole(double value) {
  if (std::isnan(value))
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(formula::kUndefined);
  return value >= 0 && !std::signbit(value) && value < kWholeLimit && std::trunc(value) == value;
}

void write_column(Writer& out, const Samples& samples, double Sample::* column) {
  const auto rows = static_cast<std::uint32_t>(samples.size());
  bool whole = true, known = false;
  for (std::uint32_t row = 0; whole && row < rows; ++row) {
    const double value = samples.sample(row).*column;
    whole = is_whole(value);
    known = known || !whole || !std::isnan(value);
  }
  out.byte(!known ? kNone : whole ? kWhole : kRaw);
  if (!known) return;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double value = samples.sample(row).*column;
    if (!whole)
      out.bits(value);
    else
      out.number(std::isnan(value) ? 0 : static_cast<std::uint64_t>(value) + 1);
  }
}

std::optional<double> read_whole(Reader& in) {
  const auto value = in.number();
  if (!value) return std::nullopt;
  if (*value == 0) return formula::kUndefined;
  const auto number = static_cast<double>(*value - 1);
  return number < kWholeLimit ? std::optional(number) : std::nullopt;
}

bool read_column(Reader& in, std::vector<Sample>& samples, double Sample::* column,
                 std::uint8_t version) {
  const auto form = in.byte();
  if (!form || *form > (version == 1 ? kWhole : kNone)) return false;
  if (*form == kNone) return true;
  for (Sample& sample : samples) {
    const auto value = *form == kRaw ? in.bits() : read_whole(in);
    if (!value) return false;
    sample.*column = *value;
  }
  return true;
}

std::optional<std::uint32_t> read_u32(Reader& in) {
  const auto number = in.number();
  return number && *number <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number))
                                         : std::nullopt;
}

bool read_checks(Reader& in, std::uint32_t eval, Samples& out) {
  const auto kinds = in.count();
  for (std::size_t i = 0; kinds && i < *kinds; ++i) {
    const auto kind = in.text();
    const auto passed = read_u32(in), failed = read_u32(in), errors = read_u32(in);
    if (!kind || !passed || !failed || !errors) return false;
    out.add_check_count(eval, {std::string(*kind), *passed, *failed, *errors});
  }
  return kinds.has_value();
}

bool read_evals(Reader& in, std::uint8_t version, Samples& out) {
  const auto evals = in.count();
  if (!evals || *evals == 0) return false;
  for (std::uint32_t i = 0; i < *evals; ++i) {
    if (i > 0) {
      const auto name = in.text();
      if (!name || (name->empty() && version < kPlacesSince)) return false;
      const std::uint32_t number = name->empty() ? out.add_unnamed() : out.eval(*name);
      if (number != i) return false;  // a duplicate name
    }
    const auto tags = in.count();
    for (std::size_t tag = 0; tags && tag < *tags; ++tag) {
      const auto text = in.text();
      if (!text) return false;
      out.tag(i, *text);
      if (out.evals()[i].tags.size() != tag + 1) return false;  // a duplicate tag
    }
    if (!tags || (version >= kPlacesSince && !read_checks(in, i, out))) return false;
  }
  return true;
}

bool read_places(Reader& in, std::vector<Place>& places, std::size_t samples) {
  const auto known = in.byte();
  if (!known || *known > 1) return false;
  if (*known == 0) return true;
  places.resize(samples);
  for (auto Place::* const column : kPlaceColumns) {
    for (Place& place : places) {
      const auto number = read_u32(in);
      if (!number) return false;
      place.*column = *number;
    }
  }
  return samples > 0;
}

struct Errors {
  std::size_t count = 0;
  std::string_view first;
};

bool read_errors(Reader& in, std::size_t samples, Errors& out) {
  const auto count = in.number();
  const auto first = in.text();
  if (!count || !first || *count > samples || (*count == 0 && !first->empty())) return false;
  out = {static_cast<std::size_t>(*count), *first};
  return true;
}

bool read_samples(Reader& in, std::uint8_t version, Samples& out) {
  const auto count = in.count();
  if (!count) return false;
  std::vector<std::uint32_t> evals(*count);
  for (auto& eval : evals) {
    const auto number = in.number();
    if (!number || *number >= out.evals().size()) return false;
    eval = static_cast<std::uint32_t>(*number);
  }
  std::vector<Sample> samples(*count);
  for (std::size_t i = 0; i < samples.size();) {
    const auto byte = in.byte();
    if (!byte) return false;
    for (unsigned bit = 0; bit < 8 && i < samples.size(); ++bit, ++i)
      samples[i].passed = ((*byte >> bit) & 1U) != 0;
  }
  for (const auto& [column, since] : kColumns)
    if (version >= since && !read_column(in, samples, column, version)) return false;
  Errors errors;
  if (version >= kErrorsSince && !read_errors(in, samples.size(), errors)) return false;
  std::vector<Place> places;
  if (version >= kPlacesSince && !read_places(in, places, samples.size())) return false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (places.empty())
      out.add(evals[i], samples[i]);
    else
      out.add(evals[i], samples[i], places[i]);
  }
  if (errors.count > 0) out.add_errors(errors.count, errors.first);
  return in.at_end();
}

}  // namespace

std::string encode_figures(const Samples& samples) {
  Writer out;
  for (const char letter : kMagic) out.byte(static_cast<unsigned char>(letter));
  out.byte(kVersion);
  out.number(samples.evals().size());
  for (std::size_t i = 0; i < samples.evals().size(); ++i) {
    const auto& eval = samples.evals()[i];
    if (i > 0) out.text(eval.name);
    out.number(eval.tags.size());
    for (const auto& tag : eval.tags) out.text(tag);
    const auto& checks = samples.checks(static_cast<std::uint32_t>(i));
    out.number(checks.size());
    for (const auto& check : checks) {
      out.text(check.kind);
      for (const auto count : {check.passed, check.failed, check.errors}) out.number(count);
    }
  }
  const auto rows = static_cast<std::uint32_t>(samples.size());
  out.number(rows);
  for (std::uint32_t row = 0; row < rows; ++row) out.number(samples.eval_of(row));
  for (std::uint32_t row = 0; row < rows; row += 8) {
    unsigned byte = 0;
    for (std::uint32_t bit = 0; bit < 8 && row + bit < rows; ++bit)
      byte |= (samples.sample(row + bit).passed ? 1U : 0U) << bit;
    out.byte(byte);
  }
  for (const auto& row : kColumns) write_column(out, samples, row.column);
  out.number(samples.errors());
  out.text(samples.first_error());
  out.byte(samples.has_places() ? 1 : 0);
  if (samples.has_places()) {
    const auto places = samples.places();
    for (const auto column : kPlaceColumns)
      for (const Place& place : places) out.number(place.*column);
  }
  return out.take();
}

base::Result<Samples> decode_figures(std::string_view bytes) {
  using base::Code;
  constexpr std::string_view kWhat = "the stored figures of the run ";
  if (!bytes.starts_with(kMagic) || bytes.size() <= kMagic.size())
    return base::fail(Code::store_damaged, {}, fmt::format("{}are damaged", kWhat));
  const auto version = static_cast<std::uint8_t>(bytes[kMagic.size()]);
  if (version > kVersion)
    return base::fail(Code::store_newer, {},
                      fmt::format("{}have version {}; this program supports version {}", kWhat,
                                  version, kVersion),
                      "upgrade vibe");
  Reader in(bytes.substr(kMagic.size() + 1));
  Samples samples;
  if (version == 0 || !read_evals(in, version, samples) || !read_samples(in, version, samples))
    return base::fail(Code::store_damaged, {}, fmt::format("{}are damaged", kWhat));
  return samples;
}

}  // namespace vibe::score

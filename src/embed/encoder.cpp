#include "embed/encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "embed/tokenize.h"
#include "embed/weights.h"

namespace vibe::embed {

namespace {

static_assert(kDimensions == kWidth);

constexpr std::size_t kMostRows = Weights::kPositions;
constexpr float kNormEpsilon = 1e-6f, kLeastSquares = 1e-12f;

}  // namespace

// Matrices with a row for each piece of the text.
struct Scratch {
  float text[kMostRows * kWidth];     // the layers add to it
  float normed[kMostRows * kWidth];   // before attention, or before the dense layers
  float wide[kMostRows * kHidden];    // queries, keys and values; the hidden layer
  float context[kMostRows * kWidth];  // the output of attention
  float result[kMostRows * kWidth];
  float scores[kMostRows * kMostRows];  // for one head
  float panels[kMostRows * kMostRows];  // its keys or values
};
static_assert(kMostRows % kPanel == 0 && kWidth / kHeads <= kMostRows);

namespace {

// In eight parts, so that the compiler can use vectors: the order is the same on every machine.
template <class Term>
float sum(std::size_t count, Term term) {
  std::array<float, 8> parts{};
  for (std::size_t i = 0; i < count; i += parts.size())
    for (std::size_t lane = 0; lane < parts.size(); ++lane) parts[lane] += term(i + lane);
  return ((parts[0] + parts[4]) + (parts[2] + parts[6])) +
         ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

template <std::size_t Size>
void normalize(const Norm<Size>& norm, const float* in, float* out, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row, in += Size, out += Size) {
    const float mean = sum(Size, [&](std::size_t i) { return in[i]; }) / float{Size};
    const float variance =
        sum(Size, [&](std::size_t i) { return (in[i] - mean) * (in[i] - mean); }) / float{Size};
    const float scale = 1 / std::sqrt(variance + kNormEpsilon);
    for (std::size_t i = 0; i < Size; ++i)
      out[i] = norm.scale[i] * scale * (in[i] - mean) + norm.bias[i];
  }
}

// For numbers that are not positive; the library's function differs between machines in the last
// bit. 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2], accurate to 2 units in the last place.
float exponential(float x) {
  constexpr float kLeast = -87, kShift = 0x1.8p23f;  // adding kShift rounds to an integer
  x = x < kLeast ? kLeast : x;
  const float shifted = x * 0x1.715476p0f + kShift;
  const float n = shifted - kShift;
  const float r = (x - n * 0x1.62e400p-1f) - n * 0x1.7f7d1cp-20f;  // ln 2 in two parts
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1;
  p = p * r + 1;
  const auto power = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
  return p * std::bit_cast<float>(power);
}

void softmax(float* row, std::size_t count) {
  const float most = *std::max_element(row, row + count);
  for (std::size_t i = 0; i < count; ++i) row[i] = exponential(row[i] - most);
  float total = 0;
  for (std::size_t i = 0; i < count; ++i) total += row[i];
  for (std::size_t i = 0; i < count; ++i) row[i] /= total;
}

// The pass of one text through the layers.
class Pass {
 public:
  Pass(const InstructionSet& set, Scratch& scratch, std::size_t rows)
      : set_(set), scratch_(scratch), rows_(rows) {}

  template <std::size_t In, std::size_t Out>
  void dense(const Dense<In, Out>& weights, const float* in, float* out) const {
    set_.multiply(
        {in, rows_, In, In, &weights.panels[0][0][0], Out / kPanel, weights.bias, out, Out});
  }

  // Reads `in`; adds to `text`.
  template <std::size_t In>
  void layer(const Layer<In>& weights, const float* in) {
    normalize(weights.attention_norm, in, scratch_.normed, rows_);
    dense(weights.query_key_value, scratch_.normed, scratch_.wide);
    for (std::size_t head = 0; head < kHeads; ++head) attend<In>(head);
    dense(weights.attended, scratch_.context, scratch_.result);
    add_result();

    normalize(weights.hidden_norm, scratch_.text, scratch_.normed, rows_);
    dense(weights.widen, scratch_.normed, scratch_.wide);
    for (std::size_t i = 0; i < rows_ * kHidden; ++i)
      scratch_.wide[i] = scratch_.wide[i] > 0 ? scratch_.wide[i] : 0;
    dense(weights.narrow, scratch_.wide, scratch_.result);
    add_result();
  }

 private:
  template <std::size_t In>
  void attend(std::size_t head) {
    constexpr std::size_t kSize = In / kHeads, kStride = 3 * In;
    const float scale = 1 / std::sqrt(float{kSize});
    float* const queries = scratch_.wide + head * kSize;
    const float* const keys = queries + In;
    const float* const values = keys + In;
    const std::size_t key_panels = (rows_ + kPanel - 1) / kPanel;
    const std::size_t score_stride = key_panels * kPanel;
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t i = 0; i < kSize; ++i) queries[row * kStride + i] *= scale;

    float* to = scratch_.panels;
    for (std::size_t panel = 0; panel < key_panels; ++panel)
      for (std::size_t i = 0; i < kSize; ++i)
        for (std::size_t row = panel * kPanel; row < (panel + 1) * kPanel; ++row)
          *to++ = row < rows_ ? keys[row * kStride + i] : 0;
    set_.multiply({queries, rows_, kSize, kStride, scratch_.panels, key_panels, nullptr,
                   scratch_.scores, score_stride});
    for (std::size_t row = 0; row < rows_; ++row)
      softmax(scratch_.scores + row * score_stride, rows_);

    to = scratch_.panels;
    for (std::size_t column = 0; column < kSize; column += kPanel)
      for (std::size_t row = 0; row < rows_; ++row, to += kPanel)
        std::memcpy(to, values + row * kStride + column, kPanel * sizeof(float));
    set_.multiply({scratch_.scores, rows_, rows_, score_stride, scratch_.panels, kSize / kPanel,
                   nullptr, scratch_.context + head * kSize, In});
  }

  void add_result() {
    for (std::size_t i = 0; i < rows_ * kWidth; ++i) scratch_.text[i] += scratch_.result[i];
  }

  const InstructionSet& set_;
  Scratch& scratch_;
  std::size_t rows_;
};

}  // namespace

void Encoder::FreeScratch::operator()(Scratch* scratch) const { delete scratch; }

Encoder::Encoder(const InstructionSet& set) : set_(set), scratch_(new Scratch) {}

std::vector<float> Encoder::encode(std::string_view text) {
  const auto pieces = tokenize(text);
  const std::size_t rows = std::min(pieces.size(), kMostRows);
  Scratch& scratch = *scratch_;
  Pass pass(set_, scratch, rows);
  float* const in = scratch.context;  // unused until attention writes to it, after the last read
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < kNarrow; ++i) {
      const float embedding = kWeights.embeddings[pieces[row]][i];
      in[row * kNarrow + i] = embedding + (embedding + kWeights.positions[row][i]);
    }
  pass.dense(kWeights.around, in, scratch.text);
  pass.layer(kWeights.first, in);
  pass.layer(kWeights.second, scratch.text);

  std::array<float, kWidth> mean{};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < kWidth; ++i) mean[i] += scratch.text[row * kWidth + i];
  for (float& value : mean) value /= static_cast<float>(std::max<std::size_t>(rows, 1));

  std::vector<float> out(kDimensions);
  Pass(set_, scratch, 1).dense(kWeights.last, mean.data(), out.data());
  for (float& value : out) value = static_cast<float>(std::tanh(double{value}));
  const float squares = sum(out.size(), [&](std::size_t i) { return out[i] * out[i]; });
  const float scale = 1 / std::sqrt(std::max(squares, kLeastSquares));
  for (float& value : out) value *= scale;
  return out;
}

}  // namespace vibe::embed

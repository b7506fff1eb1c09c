// Build tool: reads the Universal Sentence Encoder (lite) in TensorFlow.js format (the list of its
// weights in model.json, their numbers in the files it names, the word pieces in vocab.json) and
// writes an embed::Weights with its memory layout.
// Usage: pack_encoder FOLDER OUTPUT
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "embed/weights.h"

namespace {

using namespace vibe::embed;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "pack_encoder: %s; `scripts/setup.sh build` fetches the data\n",
               what.c_str());
  std::exit(1);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Tensors {
 public:
  Tensors(const std::string& folder, const simdjson::dom::element& model) {
    std::size_t at = 0;
    for (const simdjson::dom::element group : model["weightsManifest"].get_array()) {
      for (const simdjson::dom::element path : group["paths"].get_array())
        bytes_ += read_file(folder + "/" + std::string(path.get_string().value()));
      for (const simdjson::dom::element weight : group["weights"].get_array()) {
        const std::string name(weight["name"].get_string().value());
        std::size_t count = 1;
        for (const simdjson::dom::element size : weight["shape"].get_array())
          count *= size.get_uint64().value();
        if (weight["dtype"].get_string().value() == "float32") places_[name] = {at, count};
        at += 4 * count;  // integers also have 4 bytes
      }
    }
    if (at != bytes_.size()) fail("the weights do not have the size that model.json says");
  }

  void read(const std::string& name, std::size_t count, float* out) const {
    const auto place = places_.find(name);
    if (place == places_.end()) fail("there is no weight `" + name + "`");
    if (place->second.count != count) fail("`" + name + "` has the wrong size");
    std::memcpy(out, bytes_.data() + place->second.begin, count * sizeof(float));
  }

  template <std::size_t In, std::size_t Out>
  void read(const std::string& matrix, const std::string& bias, Dense<In, Out>& out) const {
    std::vector<float> rows(In * Out);
    read(matrix, rows.size(), rows.data());
    for (std::size_t row = 0; row < In; ++row)
      for (std::size_t column = 0; column < Out; ++column)
        out.panels[column / kPanel][row][column % kPanel] = rows[row * Out + column];
    read(bias, Out, out.bias);
  }

 private:
  struct Place {
    std::size_t begin, count;
  };
  std::string bytes_;
  std::map<std::string, Place> places_;
};

const std::string kEncoder = "module_apply_default/Encoder_en/KonaTransformer/Encode/";
const std::string kVariable = "module/Encoder_en/KonaTransformer/Encode/";
const std::string kWhole = "/ConcatPartitions/concat";

template <std::size_t Size>
void read_norm(const Tensors& tensors, const std::string& within, Norm<Size>& out) {
  const std::string name = within + "layer_prepostprocess/layer_norm/layer_norm_";
  tensors.read(name + "scale" + kWhole, Size, out.scale);
  tensors.read(name + "bias" + kWhole, Size, out.bias);
}

template <std::size_t In>
void read_layer(const Tensors& tensors, const std::string& name, Layer<In>& out) {
  const std::string layer = name + "/TransformerLayer/", attention = layer + "MultiheadAttention/";
  const std::string stack = kEncoder + "TransformerStack/" + layer + "FFN/";
  const std::string hidden = kEncoder + layer + "FFN/";
  read_norm(tensors, kEncoder + layer, out.attention_norm);
  tensors.read(kVariable + attention + "qkv_transform_single/kernel/part_0",
               kEncoder + attention + "qkv_transform_single/bias" + kWhole, out.query_key_value);
  tensors.read(kVariable + attention + "output_transform_single/kernel/part_0",
               kEncoder + attention + "output_transform_single/bias" + kWhole, out.attended);
  read_norm(tensors, hidden, out.hidden_norm);
  tensors.read(stack + "conv1/Tensordot/Reshape_1", hidden + "conv1/bias" + kWhole, out.widen);
  tensors.read(stack + "conv2/Tensordot/Reshape_1", hidden + "conv2/bias" + kWhole, out.narrow);
}

void read_weights(const Tensors& tensors, Weights& out) {
  read_layer(tensors, "Layer_0", out.first);
  read_layer(tensors, "Layer_1", out.second);
  const std::string around = kEncoder + "Layer_0/TransformerLayer/dense/";
  tensors.read(around + "kernel" + kWhole, around + "bias" + kWhole, out.around);
  const std::string last = "module/Encoder_en/hidden_layers/tanh_layer_0/";
  tensors.read(last + "weights", last + "bias", out.last);

  constexpr std::size_t kSpare = 2;  // rows of the table without a piece
  std::vector<float> embeddings((Weights::kPieces + kSpare) * kNarrow);
  tensors.read("module/Embeddings_en", embeddings.size(), embeddings.data());
  std::memcpy(out.embeddings, embeddings.data(), sizeof out.embeddings);

  // A position is a sine and a cosine for each of these frequencies.
  std::vector<float> frequencies(kNarrow / 2);
  tensors.read(kEncoder + "TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1",
               frequencies.size(), frequencies.data());
  for (std::size_t row = 0; row < Weights::kPositions; ++row)
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const float angle = static_cast<float>(row) * frequencies[i];
      out.positions[row][i] = static_cast<float>(std::sin(double{angle}));
      out.positions[row][i + frequencies.size()] = static_cast<float>(std::cos(double{angle}));
    }
}

// ---- the word pieces

struct Node {
  std::map<char32_t, std::unique_ptr<Node>> children;
  std::uint16_t piece = 0;
  double score = 0;
};

std::u32string characters_of(std::string_view utf8) {  // simdjson has checked that it is UTF-8
  std::u32string out;
  for (const char byte : utf8) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0) == 0x80)
      out.back() = out.back() << 6 | (value & 0x3F);
    else
      out += value < 0x80   ? value
             : value < 0xE0 ? value & 0x1F
             : value < 0xF0 ? value & 0xF
                            : value & 7;
  }
  return out;
}

// The vocabulary went through YAML: a piece such as `:30` has 30 as its score, and `:` has none,
// which counts as 0. The original uses these scores, and so do we.
void read_pieces(const simdjson::dom::array& list, Weights& out, Node& root) {
  constexpr std::size_t kReserved = 6;
  if (list.size() != Weights::kPieces) fail("vocab.json has the wrong number of pieces");
  std::size_t index = 0;
  for (const simdjson::dom::element piece : list) {
    const std::u32string text = characters_of(piece.at(0).get_string().value());
    const simdjson::dom::element score = piece.at(1).value();
    if (text.empty() || text.size() > 255) fail("a piece has no characters, or too many");
    for (const char32_t character : text)
      if (character > 0xFFFF) fail("a piece has a character that JavaScript counts as two");
    out.piece_lengths[index] = static_cast<std::uint8_t>(text.size());
    if (index >= kReserved) {
      Node* node = &root;
      for (const char32_t character : text) {
        auto& child = node->children[character];
        if (!child) child = std::make_unique<Node>();
        node = child.get();
      }
      node->piece = static_cast<std::uint16_t>(index);
      node->score = score.is_null() ? 0 : score.get_double().value();
    }
    ++index;
  }
}

// Level by level, so that the children of a node are stored together.
void lay_out(const Node& root, Weights& out) {
  std::vector<const Node*> nodes{&root};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.size() + nodes[i]->children.size() > Weights::kNodes)
      fail("there are too many pieces");
    PieceNode& node = out.nodes[i];
    node.score = nodes[i]->score;
    node.piece = nodes[i]->piece;
    node.first_child = static_cast<std::uint32_t>(nodes.size());
    node.children = static_cast<std::uint16_t>(nodes[i]->children.size());
    for (const auto& [character, child] : nodes[i]->children) {
      out.nodes[nodes.size()].character = character;
      nodes.push_back(child.get());
    }
  }
  if (nodes.size() != Weights::kNodes) fail("vocab.json has the wrong pieces");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: pack_encoder FOLDER OUTPUT\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const auto out = std::make_unique<Weights>();
  try {
    simdjson::dom::parser parser;
    read_weights(Tensors(folder, parser.load(folder + "/model.json")), *out);
    Node root;
    read_pieces(parser.load(folder + "/vocab.json").get_array(), *out, root);
    lay_out(root, *out);
  } catch (const simdjson::simdjson_error& error) {
    fail(folder + ": " + error.what());
  }
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(out.get()), sizeof *out);
  if (!file.flush()) {
    std::fprintf(stderr, "pack_encoder: cannot write %s\n", argv[2]);
    return 1;
  }
}

// Embeddings as OpenAI words them: a vector of the words of a text, so that texts with words in
// common are alike, and the same text has always the same.
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "model_server/answer.h"

namespace model_server {

namespace {

std::array<double, kVectorSize> vector_of(std::string_view text) {
  std::array<double, kVectorSize> out{};
  out[0] = 0.5;  // so that a text without words has one, too
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0;
  };
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ' ';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_letter(c)) {
      hash = (hash + static_cast<unsigned char>(c) + 1) * 0x9e3779b97f4a7c15;
    } else if (hash != 0) {
      out[(hash >> 32) % kVectorSize] += 1;
      out[(hash >> 48) % kVectorSize] -= 0.5;
      hash = 0;
    }
  }
  double squares = 0;
  for (const double number : out) squares += number * number;
  for (double& number : out) number /= std::sqrt(squares);
  return out;
}

std::string numbers(const Question& question) {
  const auto vector = vector_of(question.prompt);
  const std::string_view fault = question.directives.vector;
  std::string out;
  if (fault == "empty") return out;
  const std::size_t size = fault == "short" ? vector.size() / 2 : vector.size();
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_faulty = i == 3;
    if (i > 0) out += ", ";
    if (fault == "zeros")
      out += "0";
    else if (is_faulty && fault == "nan")
      out += "NaN";  // which is no JSON, but some servers write it
    else if (is_faulty && fault == "null")
      out += "null";
    else if (is_faulty && fault == "huge")
      out += "1e300";
    else
      out += fmt::format("{:.8f}", vector[i]);
  }
  return out;
}

}  // namespace

std::string embeddings_body(const Question& question, bool usage) {
  std::string out = fmt::format(
      R"({{"object": "list", "data": [{{"object": "embedding", "index": 0, "embedding": [{}]}}], "model": "test")",
      numbers(question));
  if (usage) {
    out += fmt::format(R"(, "usage": {{"prompt_tokens": {0}, "total_tokens": {0})", question.words);
    if (question.directives.cost) out += fmt::format(R"(, "cost": {})", *question.directives.cost);
    out += "}";
  }
  return out + "}";
}

}  // namespace model_server

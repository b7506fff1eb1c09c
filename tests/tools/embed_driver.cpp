// Encodes the texts of a file for tests/embed/test_reference.py.
// Usage: embed_driver tokens|vectors FILE
// FILE: for each text the number of its bytes, a line break, its bytes. Prints the pieces or the
// vector of each in a line.
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "embed/encoder.h"
#include "embed/tokenize.h"

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what != "tokens" && what != "vectors") {
    std::cerr << "usage: embed_driver tokens|vectors FILE\n";
    return 2;
  }
  std::ifstream in(argv[2], std::ios::binary);
  vibe::embed::Encoder encoder;
  for (std::string size; std::getline(in, size);) {
    std::string text(std::stoul(size), '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) return 1;
    std::cout << (what == "tokens"
                      ? fmt::format("{}\n", fmt::join(vibe::embed::tokenize(text), " "))
                      : fmt::format("{}\n", fmt::join(encoder.encode(text), " ")));
  }
}

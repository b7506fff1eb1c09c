// Encodes the texts of a file for tests/tokens/test_tiktoken.py.
// Usage: tokens_driver FILE
// FILE: for each text the number of its bytes, a line break, its bytes. Prints the tokens of each
// in a line.
#include <fstream>
#include <iostream>
#include <string>

#include "tokens/tokens.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tokens_driver FILE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  for (std::string size; std::getline(in, size);) {
    std::string text(std::stoul(size), '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) return 1;
    const char* separator = "";
    for (const std::uint32_t token : vibe::tokens::encode(text)) {
      std::cout << separator << token;
      separator = " ";
    }
    std::cout << '\n';
  }
}

// Counts the tokens of a file once and prints the number and the seconds: for
// compare_tokenizers.py.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tokens/tokens.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tokens_time FILE\n", stderr);
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t count = vibe::tokens::count(text);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%zu %.6f\n", count, took.count());
}

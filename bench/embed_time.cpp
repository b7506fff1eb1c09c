// Encodes the lines of a file, one at a time, and prints the seconds until the first vector and the
// mean over the lines of each line's shortest time: for compare_embeddings.py. Usage: embed_time
// FILE ROUNDS [INSTRUCTION_SET]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "embed/encoder.h"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: embed_time FILE ROUNDS [INSTRUCTION_SET]\n", stderr);
    return 2;
  }
  const auto now = std::chrono::steady_clock::now;
  const auto seconds_since = [&](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(now() - begin).count();
  };
  const vibe::embed::InstructionSet* set = &vibe::embed::best_instruction_set();
  for (const auto& each : vibe::embed::instruction_sets())
    if (argc == 4 && each.name == argv[3] && each.supported()) set = &each;

  const auto start = now();
  vibe::embed::Encoder encoder(*set);
  float kept = encoder.encode("word")[0];  // so that the compiler removes nothing
  const double load = seconds_since(start);

  std::vector<std::string> lines;
  std::ifstream in(argv[1]);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::vector<double> least(lines.size(), 1e9);
  for (int round = std::atoi(argv[2]); round > 0; --round)
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto begin = now();
      kept += encoder.encode(lines[i])[0];
      least[i] = std::min(least[i], seconds_since(begin));
    }
  const double mean =
      std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(least.size());
  std::printf("%.6f %.6f\n", load, mean);
  return kept == 0 ? 1 : 0;
}

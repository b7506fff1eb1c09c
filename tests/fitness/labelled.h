// The answers of tests/cases/answers, each with what a person says of it (labels.csv there), and
// how often the heuristics say the same.
#pragma once

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fitness/heuristics.h"

namespace vibe::fitness::test {

struct LabelledAnswer {
  std::string name, language, prompt, text;
  bool adversarial = false;
  std::array<bool, kHeuristicCount> labels{};  // in the order of the enum
};

inline std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool within = false;
  for (const char c : line) {
    if (c == '"')
      within = !within;
    else if (c == ',' && !within)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

inline std::vector<LabelledAnswer> labelled_answers(const std::string& folder) {
  std::istringstream lines(whole_file(folder + "/labels.csv"));
  std::string line;
  std::getline(lines, line);
  const auto head = csv_cells(line);
  std::vector<LabelledAnswer> out;
  while (std::getline(lines, line)) {
    const auto cells = csv_cells(line);
    const auto cell = [&](std::string_view name) -> const std::string& {
      for (std::size_t i = 0; i < head.size(); ++i)
        if (head[i] == name) return cells.at(i);
      throw std::runtime_error("no column " + std::string(name));
    };
    LabelledAnswer one{cell("answer"), cell("language"), cell("prompt"),
                       whole_file(folder + "/" + cell("answer") + ".md"),
                       cell("adversarial") == "1"};
    for (const auto& row : heuristics()) {
      const bool is_error = row.id == Heuristic::no_obvious_error;
      one.labels[static_cast<std::size_t>(row.id)] =
          is_error ? cell("obvious_error") == "0" : cell(row.name) == "1";
    }
    out.push_back(std::move(one));
  }
  return out;
}

struct Confusion {
  std::size_t true_positives = 0, false_positives = 0, false_negatives = 0, true_negatives = 0;
  bool operator==(const Confusion&) const = default;
};

inline std::array<Confusion, kHeuristicCount> confusions(const std::vector<LabelledAnswer>& answers,
                                                         const Words& words) {
  std::array<Confusion, kHeuristicCount> out{};
  for (const auto& answer : answers) {
    const auto found = look_at({answer.text, answer.prompt}, words);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool says = found.rows[i].holds, label = answer.labels[i];
      ++(says ? (label ? out[i].true_positives : out[i].false_positives)
              : (label ? out[i].false_negatives : out[i].true_negatives));
    }
  }
  return out;
}

}  // namespace vibe::fitness::test

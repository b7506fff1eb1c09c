#include "app/runs/pair_questions.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

namespace vibe::app {

namespace {

// The questions of one eval: places in its contender's questions.
struct EvalQuestions {
  std::uint32_t eval = 0;
  std::string name;  // empty: none
  std::vector<std::size_t> places;
};

std::vector<EvalQuestions> evals_of(const Contender& contender) {
  std::vector<EvalQuestions> out;
  for (std::size_t i = 0; i < contender.questions.size(); ++i) {
    const std::uint32_t eval = contender.questions[i].asked.eval;
    // Samples without an eval are evals by themselves.
    if (out.empty() || out.back().eval != eval || eval == score::Samples::kNoEval)
      out.push_back({eval, contender.samples.evals()[eval].name, {}});
    out.back().places.push_back(i);
  }
  return out;
}

// What waits for a partner, by key; equal keys in order.
class Waiting {
 public:
  void add(const std::string& key, std::size_t what) { by_key_[key].push_back(what); }
  std::optional<std::size_t> take(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second.empty()) return std::nullopt;
    const std::size_t what = found->second.front();
    found->second.pop_front();
    return what;
  }

 private:
  std::unordered_map<std::string, std::deque<std::size_t>> by_key_;
};

class Pairer {
 public:
  Pairer(const Contender& base, const Contender& candidate)
      : base_(base),
        candidate_(candidate),
        base_evals_(evals_of(base)),
        candidate_evals_(evals_of(candidate)),
        partner_(base_evals_.size()),
        is_taken_(candidate_evals_.size(), 0) {}

  Pairing pair() {
    pair_evals();
    for (std::size_t i = 0; i < base_evals_.size(); ++i) {
      if (partner_[i])
        pair_cases(base_evals_[i], candidate_evals_[*partner_[i]]);
      else
        out_.only_base.push_back(shown(base_, base_evals_[i]));
    }
    for (std::size_t i = 0; i < candidate_evals_.size(); ++i)
      if (is_taken_[i] == 0) out_.only_candidate.push_back(shown(candidate_, candidate_evals_[i]));
    return std::move(out_);
  }

 private:
  static std::string shown(const Contender& of, const EvalQuestions& eval) {
    return of.eval_name(eval.eval);
  }
  std::string shown_case(const Contender& of, std::size_t place) const {
    const Question& question = of.questions[place];
    const std::string eval = of.eval_name(question.asked.eval);
    return question.label.empty() ? eval : fmt::format("{}[{}]", eval, question.label);
  }
  const std::string& prompt(const Contender& of, const EvalQuestions& eval) const {
    return of.questions[eval.places.front()].prompt;
  }

  void take(std::size_t base, std::size_t candidate) {
    partner_[base] = candidate;
    is_taken_[candidate] = 1;
  }

  void pair_evals() {
    Waiting by_name, by_prompt;
    for (std::size_t i = 0; i < candidate_evals_.size(); ++i) {
      const auto& eval = candidate_evals_[i];
      if (!eval.name.empty()) by_name.add(eval.name, i);
      if (eval.name.empty()) by_prompt.add(prompt(candidate_, eval), i);
    }
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < base_evals_.size(); ++i) {
      const auto& eval = base_evals_[i];
      const std::string& key = eval.name.empty() ? prompt(base_, eval) : eval.name;
      const auto found =
          key.empty() ? std::nullopt : (eval.name.empty() ? by_prompt : by_name).take(key);
      if (found) {
        take(i, *found);
        if (eval.name.empty()) out_.by = "prompt";
      } else if (eval.name.empty()) {
        left.push_back(i);
      }
    }
    // Files do not say what the suite was; the order of their evals is all there is.
    const bool is_same_suite =
        !base_.run || !candidate_.run || base_.run->suite_hash == candidate_.run->suite_hash;
    if (!is_same_suite) return;
    std::size_t next = 0;
    for (const std::size_t i : left) {
      const auto is_free = [&](std::size_t number) {
        return is_taken_[number] == 0 && candidate_evals_[number].name.empty();
      };
      while (next < candidate_evals_.size() && !is_free(next)) ++next;
      if (next == candidate_evals_.size()) return;
      take(i, next);
      out_.by = "position";
    }
  }

  void add(std::size_t base, std::size_t candidate) {
    const Question& a = base_.questions[base];
    const Question& b = candidate_.questions[candidate];
    out_.questions.push_back({a.asked, b.asked});
    out_.of_base.push_back(base);
    out_.of_candidate.push_back(candidate);
    const bool has_texts = !a.prompt.empty() && !b.prompt.empty();
    if (has_texts && (a.prompt != b.prompt || a.checks != b.checks))
      out_.changed.push_back(shown_case(base_, base));
  }

  void pair_cases(const EvalQuestions& a, const EvalQuestions& b) {
    if (a.places.size() == 1 && b.places.size() == 1) return add(a.places[0], b.places[0]);
    const bool has_prompts = !prompt(base_, a).empty() && !prompt(candidate_, b).empty();
    Waiting waiting;
    std::vector<char> is_taken(b.places.size(), 0);
    for (std::size_t i = 0; i < b.places.size(); ++i)
      waiting.add(case_key(candidate_.questions[b.places[i]], has_prompts), i);
    for (const std::size_t place : a.places) {
      const auto found = waiting.take(case_key(base_.questions[place], has_prompts));
      if (!found) {
        out_.only_base.push_back(shown_case(base_, place));
        continue;
      }
      is_taken[*found] = 1;
      add(place, b.places[*found]);
    }
    for (std::size_t i = 0; i < b.places.size(); ++i)
      if (is_taken[i] == 0) out_.only_candidate.push_back(shown_case(candidate_, b.places[i]));
  }

  // Cases without an id are labelled by their number, which says nothing about their values; their
  // prompts do.
  static std::string case_key(const Question& question, bool has_prompts) {
    const bool is_id = question.label.find_first_not_of("0123456789") != std::string::npos;
    if (is_id) return "id " + question.label;
    if (has_prompts) return "prompt " + question.prompt;
    return fmt::format("row {}", question.asked.row);
  }

  const Contender& base_;
  const Contender& candidate_;
  std::vector<EvalQuestions> base_evals_, candidate_evals_;
  std::vector<std::optional<std::size_t>> partner_;  // by eval of the base
  std::vector<char> is_taken_;                       // by eval of the candidate
  Pairing out_;
};

}  // namespace

Pairing pair_questions(const Contender& base, const Contender& candidate) {
  return Pairer(base, candidate).pair();
}

}  // namespace vibe::app

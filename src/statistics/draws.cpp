#include "statistics/draws.h"

#include <algorithm>

namespace vibe::statistics {

namespace {

constexpr std::uint32_t kPicks = 4;  // in a block of random numbers

// For each of several pass shares: what the others lead to expect.
std::vector<double> expected_shares(std::span<const double> shares) {
  std::vector<double> out;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    double others = 0;
    for (std::size_t j = 0; j < shares.size(); ++j)
      if (j != i) others += shares[j];
    out.push_back((others + 1) / static_cast<double>(shares.size() + 1));
  }
  return out;
}

double single_design_effect(std::span<const double> shares, double most) {
  const auto n = static_cast<double>(shares.size());
  double sum = 0, squares = 0;
  for (const double share : shares) sum += share;
  const double p = (sum + 1) / (n + 2);
  for (const double share : shares) squares += (share - p) * (share - p);
  const double v = (squares + p * p + (1 - p) * (1 - p)) / (n + 2);
  return std::clamp(p * (1 - p) / v, 1.0, most);
}

double paired_design_effect(std::span<const double> base, std::span<const double> candidate,
                            double most) {
  const auto n = static_cast<double>(base.size());
  double sum = 0, squares = 0, discordant = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double a = base[i], b = candidate[i], d = b - a;
    sum += d;
    squares += d * d;
    discordant += a * (1 - b) + b * (1 - a);
  }
  const double mean = sum / (n + 1);
  const double v = (squares + 1) / (n + 1) - mean * mean;
  const double q = (discordant + 1) / (n + 1) - mean * mean;
  return std::clamp(q / v, 1.0, most);
}

}  // namespace

Redraw::Redraw(std::uint64_t seed, const Design& design, std::vector<const Answers*> sides)
    : seed_(seed), units_(design.units.size()), sides_(std::move(sides)) {
  const auto questions = static_cast<std::uint32_t>(design.questions);
  for (std::uint32_t question = 0; question < questions; ++question) {
    std::uint32_t least = UINT32_MAX;
    for (const Answers* side : sides_) least = std::min(least, side->count(question));
    counted_.push_back(least);
  }
  for (std::size_t side = 0; side < sides_.size(); ++side)
    for (std::uint32_t question = 0; question < questions; ++question) {
      first_pick_[side].push_back(static_cast<std::uint32_t>(below_[side].size()));
      const std::uint32_t count = sides_[side]->count(question);
      if (is_redrawn(question)) below_[side].insert(below_[side].end(), count - 1, count);
    }
}

Redraw::PickBlocks Redraw::pick_blocks(std::span<const std::uint32_t> questions) const {
  PickBlocks out;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    for (const std::uint32_t question : questions) {
      const std::uint32_t begin = first_pick_[side][question];
      const std::uint32_t end = begin + sides_[side]->count(question) - 1;
      for (std::uint32_t block = begin / kPicks; block * kPicks < end; ++block)
        out[side].push_back(block);
    }
    std::sort(out[side].begin(), out[side].end());
    out[side].erase(std::unique(out[side].begin(), out[side].end()), out[side].end());
  }
  return out;
}

void Redraw::fill(std::uint32_t first, const PickBlocks& picked, Block& out) const {
  const Table& table = exponential_table();
  out.first = first;
  out.weights.resize((units_ + kFields) * kLanes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const Random random(seed_, first + lane);
    for (std::size_t place = 0; place < units_; place += kFields) {
      const Words words =
          random.block(Stream::weights, static_cast<std::uint32_t>(place / kFields));
      for (std::size_t i = 0; i < kFields; ++i)
        out.weights[(place + i) * kLanes + lane] = table[field(words, i)];
    }
    for (std::uint32_t which = 0; which < 2; ++which) {
      const auto place = static_cast<std::uint32_t>(units_ + which);
      out.places[which][lane] =
          field(random.block(Stream::weights, place / std::uint32_t{kFields}), place % kFields);
    }
  }
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    if (picked[side].empty()) continue;
    const auto& below_of = below_[side];
    auto& picks = out.picks[side];
    picks.resize((below_of.size() + kPicks) * kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Random random(seed_, first + lane, static_cast<std::uint32_t>(side));
      for (const std::uint32_t block : picked[side]) {
        const Words words = random.block(Stream::answers, block);
        const std::size_t pick = std::size_t{block} * kPicks;
        for (std::size_t i = 0; i < kPicks && pick + i < below_of.size(); ++i)
          picks[(pick + i) * kLanes + lane] = below(words[i], below_of[pick + i]);
      }
    }
  }
}

// What is the same for both runs of a block, and room for what is not.
struct FormulaDraws::Scratch {
  std::vector<Lanes> scale;              // by stratum
  std::vector<Lanes> term_scale;         // by term
  std::vector<std::vector<Lanes>> sums;  // by side: the sums of each lane
};

FormulaDraws::FormulaDraws(About about, const Plan& plan, const Design& design,
                           const Redraw& redraw, std::vector<const Weighted*> sides)
    : about_(about), plan_(plan), design_(design), redraw_(redraw), sides_(std::move(sides)) {
  for (const Unit& unit : design.units) {
    double count = 0;
    for (std::uint32_t question = unit.first; question < unit.first + unit.count; ++question)
      count += redraw.counted(question);
    counted_.push_back(count);
  }
  std::size_t random_units = 0;
  for (const auto& stratum : plan.strata) {
    double size = 0;
    for (const std::uint32_t unit : stratum) size += counted_[unit];
    sizes_.push_back(size);
    random_units += stratum.size();
  }
  is_scaled_ = plan.strata.size() != 1 || random_units < plan.used.size();
  for (const Weighted* side : sides_) constant_.emplace_back(side->sums());
  for (const std::uint32_t unit : plan.used) {
    if (about == About::other_evals && plan.is_random(unit)) continue;
    const Unit& of = design.units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question) {
      if (redraw.is_redrawn(question)) {
        picked_.push_back(question);
        continue;
      }
      for (std::size_t side = 0; side < sides_.size(); ++side)
        sides_[side]->of_question(question).add_to(constant_[side], 1);
    }
  }
  for (std::uint32_t number = 0; number < plan.terms.size(); ++number)
    terms_.push_back(make_term(number));
  for (const std::uint32_t eval : plan.named_shares) {
    const std::uint32_t unit = design.first_unit[eval];
    shares_.push_back({unit, counted_[unit] == 1, {}});
  }
  set_expected_shares();
}

double FormulaDraws::design_effect(const Selected& selected) const {
  std::vector<std::vector<double>> shares(sides_.size());
  double answers = 0;
  for (const std::uint32_t unit : selected.units) {
    answers += counted_[unit];
    for (std::size_t side = 0; side < sides_.size(); ++side)
      shares[side].push_back(sides_[side]->pass_share({&unit, 1}));
  }
  const double most = answers / static_cast<double>(selected.units.size());
  return sides_.size() == 1 ? single_design_effect(shares[0], most)
                            : paired_design_effect(shares[0], shares[1], most);
}

FormulaDraws::Term FormulaDraws::make_term(std::uint32_t number) const {
  Term out;
  out.number = number;
  out.selected = plan_.terms[number];
  const Selected& selected = plan_.selected[out.selected];
  out.is_run_wide = selected.selector.kind == formula::Selector::Kind::all;
  for (const std::uint32_t unit : selected.units) {
    if (plan_.is_random(unit)) {
      out.has_random_units = true;
      out.size += counted_[unit];
    }
    const Unit& of = design_.units[unit];
    for (std::size_t side = 0; side < sides_.size(); ++side)
      for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
        for (std::uint32_t answer = sides_[side]->answers().begin(question);
             answer < sides_[side]->answers().end(question); ++answer)
          out.samples[side].push_back(answer);
  }
  if (out.has_random_units) out.design_effect = design_effect(selected);
  return out;
}

void FormulaDraws::set_expected_shares() {
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    std::vector<double> of_terms, of_evals;
    for (const Term& term : terms_)
      if (!term.is_run_wide && !term.samples[side].empty())
        of_terms.push_back(sides_[side]->pass_share(plan_.selected[term.selected].units));
    for (const Share& share : shares_)
      of_evals.push_back(sides_[side]->pass_share({&share.unit, 1}));
    of_terms = expected_shares(of_terms);
    of_evals = expected_shares(of_evals);
    auto next = of_terms.begin();
    for (Term& term : terms_) {
      double expected = 0.5;
      if (!term.is_run_wide && !term.samples[side].empty()) expected = *next++;
      if (side == 0 && about_ == About::other_evals && term.has_random_units) {
        if (sides_.size() == 2)
          term.units = {gamma_table(0.5), gamma_table(0.5)};
        else
          term.units = {gamma_table(2 * (1 - expected)), gamma_table(2 * expected)};
      }
      const bool of_units = about_ == About::other_evals && term.has_random_units;
      if (of_units || term.samples[side].empty()) continue;
      const double answered = about_ == About::other_evals ? 0.5 : expected;
      term.answers[side] = {gamma_table(1 - answered), gamma_table(answered)};
    }
    for (std::size_t i = 0; i < shares_.size(); ++i)
      shares_[i].tables[side] = {gamma_table(1 - of_evals[i]), gamma_table(of_evals[i])};
  }
}

void FormulaDraws::add_random_units(const Block& block, Scratch& scratch) const {
  scratch.scale.resize(plan_.strata.size());
  scratch.term_scale.resize(terms_.size());
  std::vector<Lanes> raw_of_terms(terms_.size(), Lanes{});
  std::vector<Lanes> raw;
  for (std::size_t s = 0; s < plan_.strata.size(); ++s) {
    Lanes total{};
    for (const std::uint32_t unit : plan_.strata[s]) {
      const double* const weights = block.weights.data() + unit * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        total[lane] += weights[lane] * counted_[unit];
    }
    Lanes& scale = scratch.scale[s];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      scale[lane] = is_scaled_ ? sizes_[s] / total[lane] : 1;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const auto& units = plan_.selected[terms_[t].selected].units;
      // The units of a stratum are in the same selections.
      if (std::binary_search(units.begin(), units.end(), plan_.strata[s].front()))
        for (std::size_t lane = 0; lane < kLanes; ++lane) raw_of_terms[t][lane] += total[lane];
    }
    for (std::size_t side = 0; side < sides_.size(); ++side) {
      // All units of a stratum have the same sums.
      const auto sums = sides_[side]->of_unit(plan_.strata[s].front()).sums;
      raw.assign(sums.size(), Lanes{});
      for (const std::uint32_t unit : plan_.strata[s]) {
        const double* const weights = block.weights.data() + unit * kLanes;
        const double* const values = sides_[side]->of_unit(unit).values;
        for (std::size_t i = 0; i < sums.size(); ++i) {
          const double x = values[i];
          if (x == 0) continue;
          double* const to = raw[i].data();
          for (std::size_t lane = 0; lane < kLanes; ++lane) to[lane] += weights[lane] * x;
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          scratch.sums[side][sums[i]][lane] += scale[lane] * raw[i][lane];
    }
  }
  for (std::size_t t = 0; t < terms_.size(); ++t)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      scratch.term_scale[t][lane] = is_scaled_ ? terms_[t].size / raw_of_terms[t][lane] : 1;
}

void FormulaDraws::add_picks(const Block& block, std::size_t side, std::size_t lane,
                             std::span<double> sums) const {
  const Answers& answers = sides_[side]->answers();
  const std::uint32_t* const picks = block.picks[side].data();
  for (const std::uint32_t question : picked_) {
    const std::uint32_t count = answers.count(question), begin = answers.begin(question);
    const double r = count, factor = answers.weight(question) * (r / (r - 1));
    const std::size_t first = redraw_.first_pick(side, question);
    for (std::size_t pick = first; pick < first + count - 1; ++pick)
      sides_[side]->of_answer(begin + picks[pick * kLanes + lane]).add_to(sums, factor);
  }
}

void FormulaDraws::add_copies(const Block& block, const Scratch& scratch, std::size_t side,
                              std::size_t lane, std::vector<Copy>& out) const {
  out.clear();
  const auto draw = block.first + static_cast<std::uint32_t>(lane);
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Term& term = terms_[t];
    if (term.samples[side].empty()) continue;
    const bool of_units = about_ == About::other_evals && term.has_random_units;
    const Random random(redraw_.seed(), draw, of_units ? 0 : static_cast<std::uint32_t>(side));
    const Words copied = random.block(Stream::copies, term.number);
    const bool has_places = of_units && term.is_run_wide;
    const Words gammas = has_places ? Words{} : random.block(Stream::gammas, term.number);
    for (std::uint32_t which = 0; which < 2; ++which) {  // the fail, then the pass
      Copy copy{.selected = term.selected, .passed = static_cast<double>(which)};
      if (of_units) {
        const auto& units = plan_.selected[term.selected].units;
        copy.unit = units[below(copied[which], units.size())];
        if (sides_.size() == 2 && side == 0) copy.passed = 1 - copy.passed;
        const Table& table = *term.units[which];
        // The run-wide pair has the places after the units.
        const std::uint32_t place = block.places[which][lane];
        const double weight = table[has_places ? place : field(gammas, which)];
        copy.weight = weight / term.design_effect * scratch.term_scale[t][lane];
      } else {
        const auto& samples = term.samples[side];
        copy.answer = samples[below(copied[which], samples.size())];
        copy.weight = (*term.answers[side][which])[field(gammas, which)];
      }
      out.push_back(copy);
    }
  }
}

void FormulaDraws::smooth(const Block& block, std::size_t side, std::size_t lane,
                          std::vector<Smoothing>& out) const {
  out.clear();
  const Random random(redraw_.seed(), block.first + static_cast<std::uint32_t>(lane),
                      static_cast<std::uint32_t>(side));
  for (const Share& share : shares_) {
    const Words words = random.block(Stream::gammas, kNamedBlocks + share.unit);
    Smoothing smoothing{(*share.tables[side][0])[field(words, 0)],
                        (*share.tables[side][1])[field(words, 1)], 1};
    if (share.has_one_answer) {
      const auto number = static_cast<std::uint32_t>(share.unit / kFields);
      smoothing.weight =
          exponential_table()[field(random.block(Stream::weights, number), share.unit % kFields)];
    }
    out.push_back(smoothing);
  }
}

// By question: how many standard deviations the chances of a redrawn question move, from the field
// after those of pass terms; NaN for the others.
void FormulaDraws::move_chances(const Block& block, std::size_t side, std::size_t lane,
                                std::vector<double>& out) const {
  out.assign(design_.questions, formula::kUndefined);
  const Random random(redraw_.seed(), block.first + static_cast<std::uint32_t>(lane),
                      static_cast<std::uint32_t>(side));
  for (const std::uint32_t question : picked_)
    out[question] =
        normal_table()[field(random.block(Stream::gammas, kChanceBlocks + question), 2)];
}

void FormulaDraws::weigh_answers(const Block& block, const Scratch& scratch, std::size_t side,
                                 std::size_t lane, std::vector<double>& out) const {
  const Answers& answers = sides_[side]->answers();
  out.assign(answers.size(), 0);
  for (const std::uint32_t unit : plan_.used) {
    const bool is_random = about_ == About::other_evals && plan_.is_random(unit);
    const double drawn = is_random ? scratch.scale[plan_.stratum_of[unit]][lane] *
                                         block.weights[unit * kLanes + lane]
                                   : 1;
    const Unit& of = design_.units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
      if (is_random || !redraw_.is_redrawn(question))
        for (std::uint32_t answer = answers.begin(question); answer < answers.end(question);
             ++answer)
          out[answer] = drawn * answers.weight(question);
  }
  for (const std::uint32_t question : picked_) {
    const std::uint32_t count = answers.count(question);
    const double r = count, factor = answers.weight(question) * (r / (r - 1));
    const std::size_t first = redraw_.first_pick(side, question);
    for (std::size_t pick = first; pick < first + count - 1; ++pick)
      out[answers.begin(question) + block.picks[side][pick * kLanes + lane]] += factor;
  }
}

void FormulaDraws::fill(const Block& block, std::span<double> out) const {
  Scratch scratch;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    auto& sums = scratch.sums.emplace_back(sides_[side]->sums());
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].fill(constant_[side][k]);
  }
  if (about_ == About::other_evals) add_random_units(block, scratch);
  std::vector<double> sums, values(plan_.inputs.size()), weights, moves;
  std::vector<Copy> copies;
  std::vector<Smoothing> smoothing;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    const Weighted& weighted = *sides_[side];
    sums.resize(weighted.sums());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = scratch.sums[side][k][lane];
      add_picks(block, side, lane, sums);
      add_copies(block, scratch, side, lane, copies);
      for (const Copy& copy : copies) weighted.add(copy, sums);
      smooth(block, side, lane, smoothing);
      if (weighted.weighs_answers()) weigh_answers(block, scratch, side, lane, weights);
      if (weighted.has_chances()) move_chances(block, side, lane, moves);
      weighted.values(sums, smoothing, weights, moves, copies, values);
      for (std::size_t i = 0; i < values.size(); ++i)
        out[(side * values.size() + i) * kLanes + lane] = values[i];
    }
  }
}

}  // namespace vibe::statistics

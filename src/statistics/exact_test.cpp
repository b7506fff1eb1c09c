#include "statistics/exact_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/random.h"

namespace vibe::statistics {

namespace {

constexpr double kTolerance = 1e-9;  // of a difference
constexpr std::size_t kMostShuffleParts = 64;
constexpr std::size_t kShuffleChunk = 64;  // shuffles that are done together
constexpr std::size_t kBits = 128;         // in a block of random words

// How often the difference was at least, and at most, as large as the real one.
struct Counts {
  std::size_t up = 0, down = 0, all = 0;

  void add(std::span<const Division::Row> rows, double difference) {
    const double slack = kTolerance * std::max(1.0, std::abs(difference));
    for (const auto& row : rows) {
      const bool is_undefined = std::isnan(row.difference);  // counts on both sides
      up += is_undefined || row.difference >= difference - slack ? 1 : 0;
      down += is_undefined || row.difference <= difference + slack ? 1 : 0;
    }
    all += rows.size();
  }
  void add(const Counts& other) {
    up += other.up;
    down += other.down;
    all += other.all;
  }
  Test test(bool is_complete) const {
    const double itself = is_complete ? 0 : 1;  // all assignments include the real one
    const auto share = [&](std::size_t count) {
      return (static_cast<double>(count) + itself) / (static_cast<double>(all) + itself);
    };
    Test out{1, share(up), share(down), all, is_complete};
    out.p = std::min(1.0, 2 * std::min(out.p_up, out.p_down));
    return out;
  }
};

bool random_bit(const Random& random, Stream stream, std::size_t number, Words& words) {
  const std::size_t place = number % kBits;
  if (place == 0) words = random.block(stream, static_cast<std::uint32_t>(number / kBits));
  return ((words[place / 32] >> (place % 32)) & 1U) != 0;
}

// Ways to choose `chosen` of `all`.
double binomial(std::size_t all, std::size_t chosen) {
  double out = 1;
  for (std::size_t i = 1; i <= chosen; ++i)
    out = out * static_cast<double>(all - chosen + i) / static_cast<double>(i);
  return std::round(out);
}

// What each side has if some of its parts, questions or units, are dealt in some way.
class Dealer {
 public:
  explicit Dealer(const Pool& pool) : pool_(pool), given_(pool.as_given()) {
    Division division(pool);
    division.add(given_[0], given_[1]);
    difference_ = division.take().front().difference;
    bool is_even = true;
    for (const std::uint32_t question : pool.questions())
      is_even = is_even && pool.count(question) == 2 * pool.count_of_base(question);
    is_even_ = is_even;
  }

  const Pool& pool() const { return pool_; }
  double difference() const { return difference_; }
  // Every answer counts once, on either side.
  bool is_even() const { return is_even_; }

  // ---- labels: the base gets `chosen` of the pooled answers to a question

  void deal(std::uint32_t question, std::span<const std::uint32_t> chosen, Pool::Side& base,
            Pool::Side& candidate, std::vector<char>& taken) const {
    const std::uint32_t begin = pool_.begin(question), count = pool_.count(question);
    taken.assign(count, 0);
    for (const std::uint32_t i : chosen) taken[i] = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t side = taken[i] != 0 ? 0 : 1;
      pool_.give(begin + i, pool_.weight(side, question), side == 0 ? base : candidate);
    }
  }

  // ---- swaps: exchanges the answers to a unit, with their weights

  void swap(std::uint32_t unit, bool is_swapped, Pool::Side& base, Pool::Side& candidate) const {
    for (const std::uint32_t question : pool_.questions_of_unit(unit)) {
      pool_.give_question(question, is_swapped ? 1 : 0, 1, base);
      pool_.give_question(question, is_swapped ? 0 : 1, 1, candidate);
    }
  }

 private:
  const Pool& pool_;
  std::array<Pool::Side, 2> given_;
  double difference_ = 0;
  bool is_even_ = false;
};

// Runs `fill(shuffle, base, candidate)` for each shuffle, and counts.
template <class Fill>
Test run_shuffles(const Dealer& dealer, std::size_t shuffles, const Parallel& parallel,
                  const Fill& make_fill) {
  const std::size_t chunks = (shuffles + kShuffleChunk - 1) / kShuffleChunk;
  std::vector<Counts> counts(std::min(chunks, kMostShuffleParts));
  parallel(counts.size(), [&](std::size_t part) {
    Division division(dealer.pool());
    auto fill = make_fill();
    const Pool::Side nobody = dealer.pool().nobody();
    Pool::Side base = nobody, candidate = nobody;
    for (std::size_t chunk = part; chunk < chunks; chunk += counts.size()) {
      const std::size_t last = std::min(shuffles, (chunk + 1) * kShuffleChunk);
      for (std::size_t shuffle = chunk * kShuffleChunk; shuffle < last; ++shuffle) {
        base = nobody;
        candidate = nobody;
        fill(static_cast<std::uint32_t>(shuffle), base, candidate);
        division.add(base, candidate);
      }
      counts[part].add(division.take(), dealer.difference());
    }
  });
  Counts all;
  for (const Counts& one : counts) all.add(one);
  return all.test(false);
}

// All subsets of `count` things with `chosen` members, in some order.
std::vector<std::vector<std::uint32_t>> subsets(std::uint32_t count, std::uint32_t chosen) {
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> one(chosen);
  std::iota(one.begin(), one.end(), 0U);
  for (;;) {
    out.push_back(one);
    std::uint32_t i = chosen;
    while (i > 0 && one[i - 1] == count - chosen + i - 1) --i;
    if (i == 0) return out;
    ++one[i - 1];
    for (; i < chosen; ++i) one[i] = one[i - 1] + 1;
  }
}

Test all_labels(const Dealer& dealer) {
  const Pool& pool = dealer.pool();
  const auto& questions = pool.questions();
  std::vector<std::vector<std::vector<std::uint32_t>>> ways;
  for (const std::uint32_t question : questions)
    ways.push_back(subsets(pool.count(question), pool.count_of_base(question)));
  std::vector<std::size_t> way(questions.size(), 0);
  Division division(pool);
  const Pool::Side nobody = pool.nobody();
  std::vector<char> taken;
  for (bool is_done = false; !is_done;) {
    Pool::Side base = nobody, candidate = nobody;
    for (std::size_t i = 0; i < questions.size(); ++i)
      dealer.deal(questions[i], ways[i][way[i]], base, candidate, taken);
    division.add(base, candidate);
    std::size_t i = 0;
    while (i < way.size() && ++way[i] == ways[i].size()) way[i++] = 0;
    is_done = i == way.size();
  }
  Counts counts;
  counts.add(division.take(), dealer.difference());
  return counts.test(true);
}

}  // namespace

Test label_test(const Pool& pool, std::uint64_t seed, std::size_t shuffles,
                const Parallel& parallel) {
  const Dealer dealer(pool);
  const auto& questions = pool.questions();
  double assignments = 1;
  bool is_single = true;
  for (const std::uint32_t question : questions) {
    const std::uint32_t count = pool.count(question), of_base = pool.count_of_base(question);
    if (assignments <= kMostAssignments) assignments *= binomial(count, of_base);
    is_single = is_single && count == 2 && of_base == 1;
  }
  if (assignments <= kMostAssignments) return all_labels(dealer);

  if (is_single)
    return run_shuffles(dealer, shuffles, parallel, [&] {
      return [&, words = Words{}, taken = std::vector<char>{}](
                 std::uint32_t shuffle, Pool::Side& base, Pool::Side& candidate) mutable {
        const Random random(seed, shuffle);
        for (std::size_t i = 0; i < questions.size(); ++i) {
          const std::uint32_t chosen = random_bit(random, Stream::shuffles, i, words) ? 1 : 0;
          dealer.deal(questions[i], {&chosen, 1}, base, candidate, taken);
        }
      };
    });

  // Without weights, the candidate has what the base has not.
  const bool subtracts = dealer.is_even() && pool.nobody().weights.empty();
  Pool::Side everybody = pool.nobody();
  if (subtracts)
    for (const std::uint32_t question : questions)
      for (std::size_t side = 0; side < 2; ++side) pool.give_question(question, side, 1, everybody);
  return run_shuffles(dealer, shuffles, parallel, [&] {
    return [&, order = std::vector<std::uint32_t>{}, taken = std::vector<char>{}](
               std::uint32_t shuffle, Pool::Side& base, Pool::Side& candidate) mutable {
      const Random random(seed, shuffle);
      Words words{};
      std::uint32_t number = 0;
      for (const std::uint32_t question : questions) {
        const std::uint32_t all = pool.count(question), of_base = pool.count_of_base(question);
        order.resize(all);
        std::iota(order.begin(), order.end(), 0U);
        for (std::uint32_t k = 0; k < of_base; ++k, ++number) {
          if (number % 4 == 0) words = random.block(Stream::shuffles, number / 4);
          std::swap(order[k], order[k + below(words[number % 4], all - k)]);
        }
        if (subtracts) {
          for (std::uint32_t k = 0; k < of_base; ++k)
            pool.give(pool.begin(question) + order[k], 1, base);
        } else {
          dealer.deal(question, std::span(order).first(of_base), base, candidate, taken);
        }
      }
      if (subtracts)
        for (std::size_t i = 0; i < base.sums.size(); ++i)
          candidate.sums[i] = everybody.sums[i] - base.sums[i];
    };
  });
}

Test swap_test(const Pool& pool, std::uint64_t seed, std::size_t shuffles,
               const Parallel& parallel) {
  const Dealer dealer(pool);
  const auto& units = pool.plan().used;
  if (units.size() < 15 && (std::size_t{1} << units.size()) <= kMostAssignments) {
    Division division(pool);
    for (std::size_t bits = 0; bits < std::size_t{1} << units.size(); ++bits) {
      Pool::Side base = pool.nobody(), candidate = pool.nobody();
      for (std::size_t i = 0; i < units.size(); ++i)
        dealer.swap(units[i], ((bits >> i) & 1) != 0, base, candidate);
      division.add(base, candidate);
    }
    Counts counts;
    counts.add(division.take(), dealer.difference());
    return counts.test(true);
  }
  return run_shuffles(dealer, shuffles, parallel, [&] {
    return [&, words = Words{}](std::uint32_t shuffle, Pool::Side& base,
                                Pool::Side& candidate) mutable {
      const Random random(seed, shuffle);
      for (std::size_t i = 0; i < units.size(); ++i)
        dealer.swap(units[i], random_bit(random, Stream::swaps, i, words), base, candidate);
    };
  });
}

McNemar mcnemar(std::size_t wins, std::size_t losses) {
  if (wins + losses == 0) return {};
  const auto n = static_cast<double>(wins + losses);
  const std::size_t fewer = std::min(wins, losses);
  // n over `fewer`, times 2^-n; scaled on the way, since either alone may be out of range.
  double at = 1;
  int exponent = -static_cast<int>(wins + losses), shift = 0;
  for (std::size_t i = 1; i <= fewer; ++i) {
    at = std::frexp(at * ((n - static_cast<double>(fewer - i)) / static_cast<double>(i)), &shift);
    exponent += shift;
  }
  at = std::ldexp(at, exponent);
  double below = 0, chance = at;
  for (std::size_t k = fewer; k > 0; --k) {
    chance *= static_cast<double>(k) / (n - static_cast<double>(k) + 1);
    below += chance;
  }
  return {std::min(1.0, 2 * (below + at)), wins == losses ? 1 - at / 2 : 2 * below + at};
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(p_values[a], a) < std::pair(p_values[b], b);
  });
  std::vector<double> out(p_values.size());
  double so_far = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(p_values.size() - rank);
    so_far = std::max(so_far, std::min(1.0, left * p_values[order[rank]]));
    out[order[rank]] = so_far;
  }
  return out;
}

}  // namespace vibe::statistics

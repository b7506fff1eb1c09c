// Random numbers, their tables, and the distributions.
#include "statistics/random.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "statistics/distributions.h"
#include "statistics/study.h"

namespace vibe::statistics {
namespace {

TEST(Philox, HasTheValuesOfItsAuthors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, ~std::uint64_t{0}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

// In units of 2^-20, which are exact.
struct Sums {
  double middle, last, all;
};
Sums in_units(const Table& table) {
  constexpr double kUnits = 1 << 20;
  Sums out{table[kBins / 2] * kUnits, table[kBins - 1] * kUnits, 0};
  for (const double value : table) out.all += value * kUnits;
  return out;
}

void expect_table(const Table& table, const Sums& want) {
  const Sums seen = in_units(table);
  EXPECT_EQ(seen.middle, want.middle);
  EXPECT_EQ(seen.last, want.last);
  EXPECT_EQ(seen.all, want.all);
}

TEST(Tables, AreTheSameOnEveryMachine) {
  expect_table(exponential_table(), {727074, 9770386, 4294967312});
  EXPECT_EQ(exponential_table()[0] * (1 << 20), 128);
  expect_table(*gamma_table(1), {727074, 9770386, 4294967312});
  expect_table(*gamma_table(0.5), {238654, 8045123, 2147483668});
  expect_table(*gamma_table(1.0 / 3), {100234, 7299125, 1431655761});
  expect_table(*gamma_table(2.0 / 3), {395030, 8678106, 2863311523});
  expect_table(*gamma_table(4.0 / 3), {1068561, 10732401, 5726623063});
}

TEST(Tables, HaveTheMomentsOfTheirDistributions) {
  double mean = 0, square = 0, cube = 0;
  for (const double x : exponential_table()) {
    mean += x / kBins;
    square += (x - 1) * (x - 1) / kBins;
    cube += (x - 1) * (x - 1) * (x - 1) / kBins;
  }
  EXPECT_NEAR(mean, 1, 1e-8);
  EXPECT_NEAR(square, 0.99974, 1e-5);
  EXPECT_NEAR(cube, 1.993, 1e-3);
  for (const double shape : {1.0 / 513, 1.0 / 91, 0.1, 0.25, 0.9, 1.5, 1.9}) {
    double sum = 0;
    for (const double x : *gamma_table(shape)) sum += x / kBins;
    EXPECT_NEAR(sum, shape, 1e-8) << shape;
  }
}

TEST(Distributions, HaveKnownQuantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-14);
  EXPECT_NEAR(t_quantile(0.975, 4), 2.7764451051977987, 1e-12);
  EXPECT_NEAR(t_quantile(0.975, 19), 2.093024054408263, 1e-12);
  EXPECT_EQ(t_quantile(0.975, std::numeric_limits<double>::infinity()), normal_quantile(0.975));
  EXPECT_NEAR(chi_squared_quantile(0.2, 19), 13.7157896, 1e-6);
  EXPECT_NEAR(beta_quantile(0.5, 3, 3), 0.5, 1e-14);
  EXPECT_NEAR(beta_quantile(0.025, 0.5, 0.5), 0.0015413331334, 1e-12);
}

// One random stratum of n evals.
double tail_of(double n) { return tail({std::sqrt((n + 1) / (n - 1)), n - 1}, 0.95, kLeastTail); }

TEST(Tail, OfOneStratum) {
  EXPECT_NEAR(tail_of(10), .0061937530, 1e-10);
  EXPECT_NEAR(tail_of(20), .0138882888, 1e-10);
  EXPECT_NEAR(tail_of(50), .0201735897, 1e-10);
  EXPECT_NEAR(tail_of(100), .0225264977, 1e-10);
  EXPECT_NEAR(tail_of(200), .0237485139, 1e-10);
  EXPECT_NEAR(tail_of(500), .0244959136, 1e-10);
  EXPECT_EQ(tail_of(5), 5e-4);
}

TEST(OrderStatistic, IsLinearBetweenItsNeighbours) {
  const std::vector<double> values{30, 10, 20, 40};
  const auto at = [&](double place) {
    auto copy = values;
    return order_statistic(copy, place);
  };
  EXPECT_EQ(at(1), 10);
  EXPECT_EQ(at(2.5), 25);
  EXPECT_EQ(at(4), 40);
  EXPECT_EQ(at(0.2), 10);
  EXPECT_EQ(at(4.9), 40);
}

}  // namespace
}  // namespace vibe::statistics

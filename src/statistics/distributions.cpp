#include "statistics/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace vibe::statistics {

namespace {

constexpr double kTiny = 1e-300, kPrecise = 1e-16;
constexpr int kMostTerms = 100'000;

// log Gamma(x) minus Stirling's formula, for x from 10 on.
double stirling_rest(double x) {
  constexpr std::array kTerms{1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                              1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  double rest = 0, power = x;
  for (const double term : kTerms) {
    rest += term / power;
    power *= x * x;
  }
  return rest;
}

double log_gamma_above_ten(double x) {
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) + stirling_rest(x);
}

// log B(a, b), also where log Gamma of a large number would lose digits.
double log_beta(double a, double b) {
  const double p = std::min(a, b), q = std::max(a, b), share = p / (p + q);
  if (p >= 10)
    return -0.5 * std::log(q) + 0.5 * std::log(2 * std::numbers::pi) + stirling_rest(p) +
           stirling_rest(q) - stirling_rest(p + q) + (p - 0.5) * std::log(share) +
           q * std::log1p(-share);
  if (q >= 10)
    return log_gamma(p) + stirling_rest(q) - stirling_rest(p + q) + p - p * std::log(p + q) +
           (q - 0.5) * std::log1p(-share);
  return std::log(std::tgamma(p) * std::tgamma(q) / std::tgamma(p + q));
}

double not_zero(double value) { return std::abs(value) > kTiny ? value : kTiny; }

// A continued fraction by Lentz's method, from its value so far.
class Fraction {
 public:
  Fraction(double c, double d) : c_(c), d_(1 / not_zero(d)), value_(d_) {}
  // Adds numerator / (denominator + …). False once that changes nothing.
  bool add(double numerator, double denominator) {
    d_ = 1 / not_zero(denominator + numerator * d_);
    c_ = not_zero(denominator + numerator / c_);
    value_ *= c_ * d_;
    return std::abs(c_ * d_ - 1) > kPrecise;
  }
  double value() const { return value_; }

 private:
  double c_, d_, value_;
};

double beta_fraction(double x, double a, double b) {
  Fraction fraction(1, 1 - (a + b) * x / (a + 1));
  for (int m = 1; m < kMostTerms; ++m) {
    fraction.add(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1);
    if (!fraction.add(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1)) break;
  }
  return fraction.value();
}

// The regularised incomplete beta function; y = 1 - x, so that neither end loses digits.
double beta_cdf(double x, double y, double a, double b) {
  if (x <= 0 || y <= 0) return x <= 0 ? 0 : 1;
  const double log_x = x < 0.5 ? std::log(x) : std::log1p(-y);
  const double log_y = y < 0.5 ? std::log(y) : std::log1p(-x);
  const double front = std::exp(a * log_x + b * log_y - log_beta(a, b));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(y, b, a) / b;
}

// The place between the two at which `is_reached` turns true, to the last bit.
template <class IsReached>
double bisect(double low, double high, const IsReached& is_reached) {
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (is_reached(middle) ? high : low) = middle;
  }
}

double t_upper(double t, double freedom) {
  const double square = t * t;
  return 0.5 *
         beta_cdf(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5);
}

}  // namespace

// Not the library's, which writes a global variable.
double log_gamma(double x) {
  double product = 1;
  for (; x < 10; ++x) product *= x;
  return log_gamma_above_ten(x) - std::log(product);
}

double rounded(double value) {
  constexpr double kDigits = 1e12;
  return std::round(value * kDigits) / kDigits;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
  if (p == 0.5) return 0;
  if (p > 0.5) return -normal_quantile(1 - p);
  return bisect(-40, 0, [&](double x) { return normal_cdf(x) >= p; });
}

double t_quantile(double p, double freedom) {
  if (std::isinf(freedom)) return normal_quantile(p);
  if (p <= 0.5) return 0;
  double high = 2;
  while (t_upper(high, freedom) > 1 - p) high *= 2;
  return bisect(0, high, [&](double t) { return t_upper(t, freedom) <= 1 - p; });
}

double beta_quantile(double p, double a, double b) {
  return bisect(0, 1, [&](double x) { return beta_cdf(x, 1 - x, a, b) >= p; });
}

double gamma_series(double shape, double x) {
  double total = 1 / shape, term = total;
  for (int n = 1; term > total * 1e-18; ++n) total += term *= x / (shape + n);
  return total;
}

double gamma_fraction(double shape, double x) {
  double denominator = x + 1 - shape;
  Fraction fraction(1 / kTiny, denominator);
  for (int i = 1; i < kMostTerms; ++i) {
    denominator += 2;
    if (!fraction.add(-i * (i - shape), denominator)) break;
  }
  return fraction.value();
}

double chi_squared_quantile(double p, double freedom) {
  const double shape = freedom / 2;
  return 2 * bisect(0, 10 * freedom + 100, [&](double x) {
           if (x <= 0) return false;
           const double front = std::exp(shape * std::log(x) - x - log_gamma(shape));
           return (x < shape + 1 ? front * gamma_series(shape, x)
                                 : 1 - front * gamma_fraction(shape, x)) >= p;
         });
}

}  // namespace vibe::statistics
